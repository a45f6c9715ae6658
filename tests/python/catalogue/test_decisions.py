"""collscope.catalogue.decisions: what decision tables take, beside what the libraries' sources say."""

from __future__ import annotations

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.catalogue import decisions, registry

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")


def chosen(collective: str, ranks: int, count: int, elem: int = 4, **more: bool) -> dict[str, str]:
    return {
        line["decision"].partition("/")[2]: line["chose"]
        for line in decisions.ask(collective, ranks, count, elem, **more)
    }


@needs_prover
def test_decisions_whose_rules_look_at_divisors_are_known_by_collective() -> None:
    """Of the tables SimGrid's alone asks what divides a count, and not for each collective; each is named once."""
    names = ["decision/ompi_4_1", "decision/smpi_ompi", "decision/mpich_4", "decision/smpi_ompi"]
    for collective in ("allreduce", "bcast", "reduce_scatter"):
        assert decisions.divides(collective, names) == ["decision/smpi_ompi"]
    for collective in ("allgather", "alltoall", "gather"):
        assert decisions.divides(collective, names) == []


@needs_prover
def test_the_choice_of_a_decision_is_reported() -> None:
    assert chosen("bcast", 64, 1024) == {
        "ompi_4_0": "bcast/split_binary[s=1024]",
        "ompi_4_1": "bcast/knomial[k=4,s=0]",
        "ompi_5_0": "bcast/knomial[k=4,s=0]",
        "mpich_4": "bcast/knomial[k=2,s=0]",
        "smpi_ompi": "bcast/knomial[k=4,s=0]",
    }
    # 64 blocks of 8 KiB are 512 KiB: there MPICH2's long vectors begin; 80 KiB are where Bruck's algorithm ends.
    conventional = "rd_ring[threshold=524288,bruck=81920]"
    assert chosen("allgather", 64, 8191, 1)[conventional] == "allgather/recursive_doubling"
    assert chosen("allgather", 64, 8192, 1)[conventional] == "allgather/bucket"
    assert chosen("allgather", 10, 8191, 1)[conventional] == "allgather/bruck"
    assert chosen("allgather", 10, 8192, 1)[conventional] == "allgather/bucket"
    in_place = chosen("alltoall", 9, 100, in_place=True)
    assert {in_place[name] for name in ("ompi_4_0", "ompi_4_1", "ompi_5_0")} == {"alltoall/in_place"}
    assert in_place["mpich_4"] == "alltoall/swap_in_order"


@needs_prover
def test_a_decision_has_parameters() -> None:
    known = registry.load()
    found = known.resolve("rd_ring[threshold=8KiB]", "allgather")
    assert found == ("allgather", "decision/rd_ring[threshold=8192,bruck=81920]")
    for wrong, printed in (
        ("rd_ring[x=1]", "threshold"),
        ("rd_ring[threshold=-1]", "a number from 0"),
        ("ompi_4_1[k=1]", "has no"),
    ):
        with pytest.raises(UserError, match=printed):
            known.resolve(f"decision/{wrong}", "allgather")
    for threshold, key in ((0, "bucket"), (4096, "bucket"), (4097, "recursive_doubling")):
        line = decisions.ask("allgather", 8, 512, 1, decisions=[f"decision/rd_ring[threshold={threshold}]"])
        assert [entry["chose"] for entry in line] == [f"allgather/{key}"]
    with pytest.raises(UserError, match="not one of its parameters"):
        decisions.ask("allgather", 8, 512, 1, decisions=["decision/rd_ring[x=1]"])


@needs_prover
def test_needs_of_the_root_and_of_divisors() -> None:
    def of(collective: str, ranks: int, count: int, *words: str) -> str | None:
        lines = decisions.ask_many(collective, [(ranks, count)], 4, words, ["decision/smpi_ompi"])
        return str(lines[0]["chose"]) if lines[0]["status"] == "ok" else None

    assert of("bcast", 5, 4096) == "bcast/pipeline[s=8192]"  # 16 KiB
    assert of("bcast", 5, 4096, "root=1") is None  # root 0 alone
    assert of("bcast", 5, 4097) is None  # whole 8 KiB
    assert of("allreduce", 3, 1026) == "allreduce/ring"  # a multiple of the ranks
    assert of("allreduce", 3, 1027) is None
    assert of("allreduce", 13, 8 * 1000) == "allreduce/reduce_scatter_allgather"  # of the power of two in them
    assert of("allreduce", 13, 8 * 1000 + 4) is None


@needs_prover
def test_rules_are_all_listed() -> None:
    found = decisions.rules()
    assert {line["decision"] for line in found} == {d.full_key() for d in registry.load().decisions}
    assert all(line["key"] or line["why"] for line in found)
    assert all(line["rule"]["rules"] == sum(x["decision"] == line["decision"] for x in found) for line in found)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("decision/ompi_4_1", "Open MPI 4.1"),
        ("decision/mpich_4", "MPICH 4"),
        ("decision/smpi_ompi", "smpi ompi"),
        ("decision/rd_ring[threshold=524288]", "rd ring"),
    ],
)
def test_decisions_have_the_names_of_libraries(key: str, name: str) -> None:
    assert decisions.library_name(key) == name


@needs_prover
def test_a_map_finds_where_choices_change() -> None:
    made = decisions.spans("allgather", [6, 8], 2**20, 1, decisions=["decision/mpich_4"])
    assert [(s.ranks, s.first, s.last, s.takes) for s in made] == [
        (6, 1, 13653, "allgather/bruck"),
        (6, 13654, 174762, "allgather/bucket"),
        (8, 1, 65535, "allgather/recursive_doubling"),
        (8, 65536, 131072, "allgather/bucket"),
    ]
    assert [s.takes for s in decisions.spans("barrier", [4], 1, decisions=["decision/ompi_4_1"])] == ["barrier/linear"]
    # Wherever one asks, the map says what the table says.
    made = decisions.spans("bcast", [5, 17], 2**18, 4)
    calls = sorted({(s.ranks, count) for s in made for count in (s.first, s.last)})
    printed = {
        (x["decision"], x["ranks"], x["count"]): decisions.taken(x)
        for x in decisions.ask_many("bcast", calls, 4, (), ())
    }
    assert all(printed[s.decision, s.ranks, count] == s.takes for s in made for count in (s.first, s.last))


@needs_prover
def test_a_map_of_a_collective_without_rules_is_one_line() -> None:
    made = decisions.spans("bcast", [3, 4], 2**24, 4, decisions=["decision/rd_ring"])
    assert [(s.ranks, s.first, s.last, s.takes) for s in made] == [(p, 1, 2**22, "nothing: no rule") for p in (3, 4)]


def test_sizes_and_needs_of_a_rule() -> None:
    sizes = {"unit": "block", "bytes": [0, 300], "block": [0, 0]}
    assert decisions.sizes_text(sizes) == "block below 300 B"
    assert decisions.sizes_text(sizes | {"unit": "vector", "block": [8, 0]}) == "vector below 300 B, block from 8 B"
    assert decisions.sizes_text(sizes | {"unit": "call"}) == "below 300 B"
    assert decisions.sizes_text(sizes | {"bytes": [0, 0]}) == "any"
    assert decisions.sizes_text(sizes | {"bytes": [300, 2048]}) == "block 300 B … below 2 KiB"
    rule = dict.fromkeys(("elements", "number_of_ranks"), "") | {"commutes": -1}
    rule |= dict.fromkeys(("in_place", "root_zero", "bytes_multiple"), 0)
    assert decisions.needs_text(rule | {"line": None}) == "—"
    rule |= {"elements": "few", "number_of_ranks": "even", "commutes": 1, "line": {"above": False, "a": 0.25, "b": 3.0}}
    assert decisions.needs_text(rule) == "few, even, an operator that commutes, ranks < 0.25·bytes + 3"
    rule |= {
        "elements": "",
        "number_of_ranks": "",
        "commutes": 0,
        "in_place": True,
        "root_zero": True,
        "bytes_multiple": 8192,
    }
    assert (
        decisions.needs_text(rule | {"line": None})
        == "an operator that does not commute, in place, root 0, whole 8 KiB"
    )
    assert [decisions.ranks_text(*pair) for pair in ((1, 0), (3, 3), (2, 3))] == ["from 1", "3", "2 … 3"]


def test_a_line_holds_the_choice_and_its_limits() -> None:
    line = {"kind": "ok", "rule": 1, "chose": "bcast/mst", "status": "ok"}
    assert decisions.taken(line) == "bcast/mst"
    assert decisions.taken(line | {"kind": "unsupported", "status": "odd"}) == "nothing: odd"
    assert decisions.taken(line | {"kind": "unsupported", "rule": 0}) == "nothing: no rule"
    assert decisions.taken(line | {"rule": 0}) == "bcast/mst"
