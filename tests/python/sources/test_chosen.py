"""What the library's own call was: recognised from its messages, or not known."""

from __future__ import annotations

from typing import Any

import pytest

import tiny_platform
from collscope.points.plan import Layout, Point, Task
from collscope.points.table import Row, make_row
from collscope.sources import chosen
from open_mpi import needs_open_mpi, needs_prover

HERE = Layout(None, 1, 5)


def named(*points: Point, layout: Layout = HERE, **cells: Any) -> list[str]:
    tasks: list[Task] = [(layout, point) for point in points]
    rows: list[Row] = [make_row(algorithm=p.algorithm, **{"kind": "ok"} | cells) for p in points]
    made = chosen.name_builtins(tasks, rows)
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
def test_what_several_keys_would_send_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two ranks every tree is the same."""
    monkeypatch.setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")
    monkeypatch.setenv("OMPI_MCA_coll_tuned_bcast_algorithm", "1")
    assert named(Point("bcast", "bcast/builtin", 100), layout=Layout(None, 1, 2)) == [""]


def test_nobody_is_asked_about_what_the_messages_could_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chosen, "find_library", lambda: pytest.fail("asked"))
    call = Point("bcast", "bcast/builtin", 100)
    assert named(Point("bcast", "bcast/builtin", 100, type="double"), Point("bcast", "bcast/mst", 100)) == ["", ""]
    assert named(call, layout=Layout(tiny_platform.tiny(), 2, 4)) == [""]
    assert named(call, layout=Layout(None, 1, 1)) == [""]
    assert named(call, kind="died") == [""]


def test_another_library_leaves_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        version = "4.0.2"

        def check(self) -> None:
            raise chosen.UserError("not Open MPI's")

    monkeypatch.setattr(chosen, "find_library", Other)
    assert named(Point("bcast", "bcast/builtin", 100)) == [""]
