"""collscope.sources.identify_builtin: the library's own call is recognised from its messages, or not known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import tiny_platform
from collscope.catalogue.registry import Registry
from collscope.points.plan import Layout, Point, Task
from collscope.points.table import Row, make_row
from collscope.sources import identify_builtin
from collscope.twins.call import Call
from collscope.twins.messages import Own, Unsupported
from open_mpi import needs_open_mpi, needs_prover

HERE = Layout(None, 1, 5)


def named(*points: Point, layout: Layout = HERE, **cells: Any) -> list[str]:
    tasks: list[Task] = [(layout, point) for point in points]
    rows: list[Row] = [make_row(algorithm=p.algorithm, **{"kind": "ok"} | cells) for p in points]
    made = identify_builtin.name_builtins(tasks, rows)
    assert [row | {"chose": ""} for row in made] == rows
    return [row["chose"] for row in made]


@needs_open_mpi
@needs_prover
def test_the_library_s_own_call_is_recognised_by_its_messages() -> None:
    """Open MPI's tables of 4.0 to 5.0 agree on these."""
    calls = (
        Point("allreduce", "allreduce/builtin", 100, type="int"),
        Point("bcast", "bcast/builtin", 100, root=2),
        Point("bcast", "bcast/linear", 100),
        Point("gather", "gather/builtin", 10),
    )
    found = named(*calls)
    assert found[0] == "allreduce/recursive_doubling" and found[2] == ""
    assert found[1].startswith("bcast/") and found[3].startswith("gather/")


@needs_open_mpi
@needs_prover
def test_a_forced_algorithm_is_what_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version's table would say otherwise, and is not asked."""
    monkeypatch.setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")
    monkeypatch.setenv("OMPI_MCA_coll_tuned_allreduce_algorithm", "4")
    assert named(Point("allreduce", "allreduce/builtin", 100)) == ["allreduce/ring"]


@needs_open_mpi
@needs_prover
def test_messages_that_several_keys_would_send_name_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two ranks every tree is the same."""
    monkeypatch.setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")
    monkeypatch.setenv("OMPI_MCA_coll_tuned_bcast_algorithm", "1")
    assert named(Point("bcast", "bcast/builtin", 100), layout=Layout(None, 1, 2)) == [""]


def test_calls_whose_messages_say_nothing_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identify_builtin, "find_library", lambda: pytest.fail("repeated"))
    call = Point("bcast", "bcast/builtin", 100)
    assert named(Point("bcast", "bcast/builtin", 100, type="double"), Point("bcast", "bcast/mst", 100)) == ["", ""]
    assert named(call, layout=Layout(tiny_platform.tiny(), 2, 4)) == [""]
    assert named(call, layout=Layout(None, 1, 1)) == [""]
    assert named(call, kind="died") == [""]


class Compared:
    """A library of some version, and what it and our keys send; `calls`: the calls of both sides."""

    version = "4.1.9"

    def __init__(self, monkeypatch: pytest.MonkeyPatch, known: Registry, **sent: str) -> None:
        self.calls: list[Any] = []
        twin = {"library": "Open MPI", "number": 1}
        known = replace(known, algorithms=tuple(replace(a, twin=twin) for a in known.algorithms))
        monkeypatch.setattr(identify_builtin.registry, "load", lambda: known)
        monkeypatch.setattr(identify_builtin, "find_library", lambda: self)
        monkeypatch.delenv(identify_builtin.FORCING, raising=False)

        def theirs(library: object, ranks: int, calls: list[Call], every_component: bool) -> dict[tuple[int, int], str]:
            assert library is self and every_component
            self.calls.append((ranks, calls))
            return {(i, r): [("S", 0, ord(sent["theirs"]) + r)] for i in range(len(calls)) for r in range(ranks)}

        def ours(ranks: int, calls: list[Call]) -> Own:
            self.calls.append((ranks, calls))
            found = {
                i: sent.get(call.key.replace("/", "_").replace(":", "_").partition("[")[0], "-")
                for i, call in enumerate(calls)
            }
            return Own(
                {i: f"full {call.key}" for i, call in enumerate(calls) if found[i] != "?"},
                {(i, r): [("S", 0, ord(found[i]) + r)] for i in range(len(calls)) for r in range(ranks)},
                {i: Unsupported("", "") for i, word in found.items() if word == "!"},
            )

        monkeypatch.setattr(identify_builtin, "library_messages", theirs)
        monkeypatch.setattr(identify_builtin, "own_messages", ours)

    def check(self) -> None: ...


BY_TABLE = "decision_ompi_4_1_bcast"


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        ({"bcast_linear": "x"}, "full bcast/linear"),
        ({"bcast_linear": "x", "bcast_mst": "x"}, ""),  # one of two
        ({"bcast_linear": "x", "bcast_mst": "x", BY_TABLE: "x"}, "full decision/ompi_4_1:bcast"),
        ({"bcast_linear": "x", BY_TABLE: "y"}, "full bcast/linear"),
        ({"bcast_linear": "y"}, ""),
    ],
)
def test_the_table_s_word_counts_first_then_the_only_key(
    sent: dict[str, str], key: str, known: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = Compared(monkeypatch, known, theirs="x", **sent)
    assert named(Point("bcast", "bcast/builtin", 100, root=1, in_place=True)) == [key]
    (_, theirs), (ranks, ours) = there.calls
    assert ranks == 5 and theirs == [Call("bcast/builtin", "bcast", 100, 1, in_place=True)]
    keys = ["decision/ompi_4_1:bcast", "bcast/mst[dest=first]", "bcast/linear", "bcast/knomial[k=4,s=0]"]
    assert ours == [replace(theirs[0], key=key) for key in keys]


def test_a_key_that_cannot_run_is_not_taken(known: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identify_builtin, "alike", lambda theirs, ours: True)
    Compared(monkeypatch, known, theirs="x", bcast_linear="!", bcast_mst="?", bcast_knomial="x", **{BY_TABLE: "?"})
    assert named(Point("bcast", "bcast/builtin", 100)) == ["full bcast/knomial[k=4,s=0]"]


def test_the_table_of_its_version_counts(known: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version's, of collectives that it decides; none, where it is forced."""
    there = Compared(monkeypatch, known, theirs="x")
    for version, forced, collective, table in (
        ("4.1.9", "", "bcast", True), ("4.0.7", "", "bcast", False), ("4.1.9", "1", "bcast", False), ("4.1.9", "", "scatter", False),
    ):  # fmt: skip
        monkeypatch.setattr(there, "version", version, raising=False)
        if forced:
            monkeypatch.setenv(identify_builtin.FORCING, forced)
        else:
            monkeypatch.delenv(identify_builtin.FORCING, raising=False)
        there.calls.clear()
        named(Point(collective, f"{collective}/builtin", 1))
        assert any(call.key == f"decision/ompi_4_1:{collective}" for call in there.calls[1][1]) == table, (
            version,
            forced,
        )


def test_calls_of_too_many_elements_are_not_repeated(known: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program has buffers of 2^24 floats; one launch for all calls of a number of ranks, each call once."""
    there = Compared(monkeypatch, known, theirs="x", bcast_linear="x")
    most, call = Point("bcast", "bcast/builtin", 1 << 23), Point("bcast", "bcast/builtin", 3)
    two = Layout(None, 1, 2)
    assert named(most, replace(most, count=most.count + 1), call, call, layout=two) == [
        "full bcast/linear",
        "",
        *["full bcast/linear"] * 2,
    ]
    assert [(ranks, [c.count for c in calls]) for ranks, calls in there.calls[:1]] == [(2, [1 << 23, 3])] and len(
        there.calls
    ) == 2


def test_another_library_leaves_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        version = "4.0.2"

        def check(self) -> None:
            raise identify_builtin.UserError("not Open MPI's")

    monkeypatch.setattr(identify_builtin, "find_library", Other)
    monkeypatch.setattr(
        identify_builtin, "_compared", lambda *_: pytest.fail("compared though its insides are not known")
    )
    assert named(Point("bcast", "bcast/builtin", 100)) == [""]
