"""collscope.twins.calls, collscope.twins.records, collscope.twins.differences, collscope.twins.library:
what is said of calls, and what tells some calls from others: all without a library."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from collscope.base.errors import UsageError, UserError
from collscope.catalogue import registry
from collscope.twins import calls, differences, library, messages, records
from collscope.twins.call import REFUSAL, Call, Compared
from open_mpi import needs_prover

KEY = "bcast/pipeline[s=64]"
S1 = [("S", 1, 8)]
PARTS = "allreduce/nonoverlapping"


def parts(reduce: str, reduce_s: int, bcast: str, bcast_s: int = 0) -> str:
    return f"{PARTS}[reduce={reduce},reduce_s={reduce_s},bcast={bcast},bcast_s={bcast_s}]"


def compared(
    ranks: int = 4, count: int = 100, verdict: str = "unsupported", why: str = "no", **more: object
) -> Compared:
    call = Call(**{"key": KEY, "collective": "bcast", "count": count, **more})  # type: ignore[arg-type]
    return Compared(ranks, call, verdict, text=why, theirs=(S1, []))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "shape", "printed"),
    [
        ({}, "100 0 1 0", "count 100"),
        ({"root": 3}, "100 3 1 0", "count 100, root 3"),
        ({"in_place": True, "commutes": False}, "100 0 0 1", "count 100, in place, an operator that does not commute"),
    ],
)
def test_a_call_in_words(more: dict[str, object], shape: str, printed: str) -> None:
    c = compared(**more)  # type: ignore[arg-type]
    assert c.call.shape == shape
    assert c.call.text == f"{KEY}, {printed}" and str(c) == f"4 ranks, {KEY}, {printed}: unsupported: no"


# ---- what tells calls apart --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("c", "true"),
    [
        (compared(4, 100), ["not in place", "more", "at least as", "commutes", "more than two", "at least a segment", "even", "a power"]),
        (compared(2, 2), ["at least as many elements", "two ranks", "less than a segment"]),
        (compared(2, 1), ["fewer elements"]),
        (compared(4, 64), ["at least a segment per rank"]),
        (compared(4, 63), ["less than a segment per rank"]),
        (compared(6, 5, commutes=False, in_place=True), ["in place", "fewer", "does not commute", "even", "no power"]),
        (compared(7, 7), ["an odd number", "no power", "at least as many"]),
        (compared(3, 9, key="bcast/linear"), ["less than a segment per rank"]),  # all of it is one
        (compared(3, 9, key="bcast/pipeline[s=0]"), ["less than a segment per rank"]),
    ],
)  # fmt: skip
def test_features(c: Compared, true: list[str]) -> None:
    """Of each pair one, and where a word is named here, that one."""
    holds = {label: test(c) for label, test in differences.FEATURES}
    pairs = list(zip(list(holds)[::2], list(holds)[1::2], strict=True))
    assert all(holds[a] != holds[b] for a, b in pairs)
    for word in true:
        assert any(word in label for label, held in holds.items() if held), word


def test_a_distinction_separates_some_calls_from_others() -> None:
    few, many, third = compared(4, 3), compared(4, 300), compared(5, 3)
    assert differences.distinction([few], []) == ""
    assert differences.distinction([few], [many]) == ", fewer elements than ranks"
    assert differences.distinction([few], [many, third]) == ", fewer elements than ranks, an even number of ranks"
    assert differences.distinction([few], [few]) == ", otherwise"
    other = compared(4, 3, key="bcast/pipeline[s=32]")
    assert differences.distinction([few], [other]) == ", s=64"
    assert differences.distinction([few, many], [compared(4, 3, key="bcast/linear")]) == ", s=64"


def test_as_few_explanations_as_possible() -> None:
    a, b, c, d = (compared(4, n) for n in (1, 2, 3, 4))
    printed = {id(a): ["x", "y"], id(b): ["y"], id(c): ["z", "x"], id(d): []}
    assert differences.cover([a, b, c], printed) == [("x", [a, c]), ("y", [b])]
    assert differences.cover([b, a, d], printed) == [("y", [b, a]), (differences.FAILED, [d])]


@needs_prover
def test_a_refusal_is_a_difference_and_silence_is_none() -> None:
    refused = Compared(4, compared(4, 3).call, "unsupported", text="no", theirs=(REFUSAL, S1))
    silent = Compared(4, compared(4, 9).call, "unsupported", text="no", theirs=([], []))
    (row,) = differences.differences("4.1.4", [silent, refused, compared(verdict="same")])
    assert row | {"condition": "no", "runs": differences.REFUSED, "calls": "1", "ranks": "4", "counts": "3"} == row
    assert (row["key"], row["number"], row["version"]) == ("bcast/pipeline", "3", "4.1.4")


@needs_prover
def test_an_operator_may_be_taken_for_one_that_commutes() -> None:
    """Each alternative stands there a second time; the key that could not be run does not."""
    call = Call("reduce/binomial[s=0]", "reduce", 9, 2, commutes=False, in_place=True)
    found = list(differences.alternatives(call, {}))
    plain = [c for label, c in found if "(as if it commuted)" not in label]
    assert {(c.count, c.root, c.commutes, c.in_place, c.forced) for c in plain} == {(9, 2, False, True, ())}
    assert call.key not in {c.key for c in plain} and {c.commutes for _, c in found[len(plain) :]} == {True}
    assert len(found) == 2 * len(plain) + 2


# ---- tables ------------------------------------------------------------------------------------------------


def test_a_row_counts_calls_by_what_came_of_them() -> None:
    done = [
        compared(p, verdict=verdict, why="")
        for p, verdict in ((2, "same"), (3, "same"), (4, "order"), (5, "different"))
    ]
    found = [*done, *(compared(8, why=why) for why in "baa")]
    row = records.tally(found)
    assert row == dict(zip(records.COUNTS, "72113", strict=True)) | {"ranks": "2..5", "reasons": "2 a; 1 b"}
    assert records.supported(row) == "4"


def test_a_row_for_each_collective_says_how_many_keys_were_taken() -> None:
    one = Call("decision/ompi_4_1:bcast", "bcast", 1)
    two = Call("decision/ompi_4_1:reduce", "reduce", 1)
    took = ((one, "bcast/a"), (two, "reduce/a"), (one, "bcast/b"), (one, ""), (one, "bcast/a"))
    found = [Compared(2, c, "same", key) for c, key in took]
    rows = records.decisions("4.1.4", found)
    printed = [(r["key"], r["collective"], r["keys"], r["calls"]) for r in rows]
    assert printed == [("decision/ompi_4_1", "bcast", "2", "4"), ("decision/ompi_4_1", "reduce", "1", "1")]


def test_a_page_counts_equal_calls_by_version(monkeypatch: pytest.MonkeyPatch) -> None:
    base = {"key": "bcast/a", "calls": "9", "unsupported": "2", "ranks": "2..5,8"}
    table = [{**base, "equal": e, "version": v} for v, e in (("4.1.4", "7"), ("5.0.1", "7"), ("6.0", "6"))]
    noted = (("if", "x", "4"), ("if", "x", "5"), ("else", "y", "5"))
    changes = [{"key": "bcast/a", "condition": c, "runs": r, "version": v} for c, r, v in noted]
    monkeypatch.setattr(records, "recorded", lambda: (table, changes))
    words = "calls send the same messages in the same order"
    assert (
        records.status("bcast/a")
        == f"7 of 7 {words} (4.1.4 and 5.0.1, 2…5, 8 ranks); 6 of 7 {words} (6.0, 2…5, 8 ranks)"
    )
    assert records.status("bcast/b") == "not compared yet"
    assert records.instead("bcast/a") == [("if", "x", "4 and 5"), ("else", "y", "5")] and not records.instead("bcast/b")
    assert records.instead_text("bcast/a") == [("if", "x (4 and 5)"), ("else", "y (5)")]
    changes.pop()
    assert records.instead_text("bcast/a") == [("if", "x")]


# ---- which calls -------------------------------------------------------------------------------------------


@needs_prover
@pytest.mark.parametrize(
    ("key", "ranks", "expected"),
    [
        ("bcast/linear", 5, [0, 1, 3, 4, 5, 6, 257, 1000]),
        ("bcast/linear", 8, [0, 1, 5, 7, 8, 9, 257, 1000]),
        ("bcast/binomial[s=1024]", 5, [0, 1, 3, 4, 5, 6, 255, 256, 257, 511, 512, 513, 1000, 1283]),
        ("bcast/binomial[s=4]", 5, [0, 1, 3, 4, 5, 6, 257, 1000]),
        ("bcast/chain[chains=64,s=0]", 4, [0, 1, 3, 4, 5, 257, 1000]),
        ("allreduce/ring_segmented[s=1024]", 3, [0, 1, 2, 3, 4, 5, 255, 256, 257, 511, 512, 513, 767, 768, 769, 1000, 1283, 1537]),
        ("barrier/tree", 5, [0]),
    ],
)  # fmt: skip
def test_counts_around_every_threshold(key: str, ranks: int, expected: list[int]) -> None:
    a = registry.load().algorithm(key)
    assert a and calls.counts(a, key, ranks) == expected


@needs_prover
def test_shapes_of_a_key() -> None:
    def of(key: str, ranks: int) -> list[Call]:
        a = registry.load().algorithm(key)
        assert a
        return list(calls.shapes(a, key, ranks))

    few, many = of("bcast/linear", 5), of("bcast/linear", 18)
    assert sorted(c.root for c in few if c.count == 257) == [0, 3, 4]
    assert [c.root for c in few if c.count == 1000] == [0, 3, 4, 1, 2]
    assert {c.root for c in many} == {0, 17} and {c.root for c in of("bcast/linear", 17)} == set(range(17))
    assert sorted(c.root for c in of("bcast/linear", 17) if c.count == 257) == [0, 3, 16]
    gathers = of("allgather/linear", 5)
    assert [c.count for c in gathers if c.in_place] == [1, 5, 257, 1000] and {c.root for c in gathers} == {0}
    reductions = of("reduce/linear", 4)
    assert [c.count for c in reductions if not c.commutes] == [0, 1, 4, 257, 1000]


@needs_prover
def test_the_grid_of_a_decision() -> None:
    made = list(calls.grid("decision/ompi_4_1", 4, (1, 1 << 19, 1 << 20)))
    assert {c.count for c in made if c.collective == "allgather"} == {1, 1 << 19}  # 2^21 floats are the most
    assert {c.count for c in made if c.collective == "bcast"} == {1, 1 << 19, 1 << 20}
    assert [c.count for c in made if c.collective == "barrier"] == [0]
    one = [(c.root, c.commutes, c.in_place) for c in made if c.count == 1]
    assert {x[:2] for x in one} >= {(0, True), (0, False), (3, True)}
    assert {c.collective for c in made if c.in_place} == {"allgather", "alltoall", "reduce_scatter_block", "scan"}
    assert len(calls.decided_calls("decision/ompi_4_1", 17)) > len(calls.decided_calls("decision/ompi_4_1", 18))


@needs_prover
def test_the_variants_of_a_key() -> None:
    """The defaults, every combination, and each part."""

    def of(key: str) -> list[str]:
        a = registry.load().algorithm(key)
        assert a
        return [made.removeprefix(key) for made in calls.variants(a)]

    assert of("barrier/tree") == [""]
    assert of("bcast/binomial") == ["[s=0]", "[s=1000]", "[s=1024]"]
    assert of("gather/linear_sync") == ["[first=1024]", "[first=0]"]
    assert of("alltoall/linear_sync") == ["[max_requests=0]", "[max_requests=1]", "[max_requests=3]"]
    assert of("bcast/chain") == [
        "[chains=4,s=0]", *(f"[chains={n},s={s}]" for n in (1, 3, 4) for s in (0, 1000, 1024) if (n, s) != (4, 0)),
    ]  # fmt: skip
    radixes = {made.split("k=")[1].split(",")[0] for made in of("bcast/knomial")}
    assert radixes == {"2", "3", "4", "8"}
    reduces = ("linear", "pipeline", "binary", "in_order_binary", "rabenseifner")
    bcasts = ("linear", "pipeline", "binary", "split_binary", "knomial", "scatter_recursive_doubling")
    assert [PARTS + made for made in of(PARTS)] == [
        parts("binomial", 0, "binomial"),
        *(parts(name, 0, "binomial") for name in reduces), *(parts("binomial", s, "binomial") for s in (1000, 1024)),
        *(parts("binomial", 0, name) for name in bcasts), *(parts("binomial", 0, "binomial", s) for s in (1000, 1024)),
    ]  # fmt: skip


@needs_prover
@pytest.mark.parametrize(
    ("key", "variables"),
    [
        ("bcast/chain[chains=3,s=64]", {"bcast_algorithm": 2, "bcast_algorithm_chain_fanout": 3, "bcast_algorithm_segmentsize": 64}),
        ("bcast/knomial[k=3,s=8]", {"bcast_algorithm": 7, "bcast_algorithm_knomial_radix": 3, "bcast_algorithm_segmentsize": 8}),
        ("gather/linear_sync[first=9]", {"gather_algorithm": 3, "gather_algorithm_segmentsize": 9}),
        ("alltoall/linear_sync[max_requests=2]", {"alltoall_algorithm": 4, "alltoall_algorithm_max_requests": 2}),
        ("barrier/tree", {"barrier_algorithm": 6}),
        (parts("binary", 8, "linear"), {"allreduce_algorithm": 2, "reduce_algorithm": 4, "reduce_algorithm_segmentsize": 8,
                                        "bcast_algorithm": 1, "bcast_algorithm_segmentsize": 0}),
    ],
)  # fmt: skip
def test_a_key_is_forced_by_variables_of_open_mpi(key: str, variables: dict[str, int]) -> None:
    assert calls.forced(key) == tuple(sorted(variables.items()))


# ---- programs ----------------------------------------------------------------------------------------------


def test_calls_that_force_alike_share_a_communicator() -> None:
    force = (("bcast_algorithm", 6),)
    requests = [Call(KEY, "bcast", n, forced=f) for n, f in ((1, force), (2, ()), (3, force))]
    assert messages.plan_text(requests).splitlines() == [
        "call 1 bcast 2 0 1 0", "reset", "set coll_tuned_bcast_algorithm 6", "comm", "call 0 bcast 1 0 1 0", "call 2 bcast 3 0 1 0",
    ]  # fmt: skip
    assert messages.parse(["S3:16", "R-1:8"]) == [("S", 3, 16), ("R", -1, 8)] and messages.parse(["refused"]) == REFUSAL


def test_a_library_says_its_version_and_its_algorithms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = "mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:{}:x\n"
    printed = {"--version": "mpirun (Open MPI) 4.1.4\n", "--parsable": "".join(map(listed.format, (0, 1, 6)))}
    monkeypatch.setattr(library.Library, "call", lambda _, *words: printed[words[1]])
    found = library.Library("mpicc", "mpirun")
    assert found.version == "4.1.4" and found.numbers == {("bcast", 1), ("bcast", 6)}
    found.check()
    for version, says in (
        ("HYDRA build details:\nVersion: 4", 'not Open MPI\'s; it says "HYDRA build details:"$'),
        ("(Open MPI) 4.2.0", "4.2.0: its insides are not known"),
    ):
        printed["--version"] = version
        with pytest.raises(UserError, match=says):
            library.Library("mpicc", "mpirun").check()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mpicc").touch()
    with pytest.raises(UsageError, match="mpirun is not there"):
        library.find_library(str(tmp_path))
    (tmp_path / "bin" / "mpirun").touch()
    there = library.find_library(str(tmp_path))
    assert (there.mpicc, there.mpirun) == (str(tmp_path / "bin" / "mpicc"), str(tmp_path / "bin" / "mpirun"))
    assert (
        there.environment["PATH"].startswith(f"{tmp_path}/bin:") and there.environment["OMPI_ALLOW_RUN_AS_ROOT"] == "1"
    )


def test_errors_of_a_library_s_program_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    of = library.Library("mpicc", "mpirun", {"MINE": "x"})
    script = 'echo "$MINE $OMPI_ALLOW_RUN_AS_ROOT $OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"'
    assert of.call("sh", "-c", script) == "x 1 1\n"
    for script, message in (("echo out; echo ' err ' >&2; exit 3", "err"), ("echo out; exit 3", "out")):
        with pytest.raises(UserError, match=f"^sh failed: {message}$"):
            of.call("/bin/sh", "-c", script)
    with pytest.raises(UserError, match=r"^/no/such: No such file or directory$"):
        of.call("/no/such")

    def never(*_: Any, **options: Any) -> None:
        raise subprocess.TimeoutExpired("x", options["timeout"])

    monkeypatch.setattr(library.programs, "answer", never)
    with pytest.raises(UserError, match=r"^mpirun: no end after 1200 s$"):
        of.call("/usr/bin/mpirun")


def test_without_mpi_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for there in ((), ("mpicc",), ("mpirun",)):
        monkeypatch.setattr(library.shutil, "which", lambda name: name if name in there else None)  # noqa: B023
        with pytest.raises(UserError) as error:
            library.find_library()
        assert str(error.value) == (
            "mpicc, mpirun: not found; install openmpi-bin and libopenmpi-dev, or name a folder: --mpi"
        )
    monkeypatch.setattr(library.shutil, "which", lambda name: f"/x/{name}")
    assert library.find_library() == library.Library("/x/mpicc", "/x/mpirun")


@needs_prover
def test_a_twin_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    known = registry.load()
    monkeypatch.setattr(records, "recorded", lambda: ([], []))
    twin, alone = known.by_key["bcast/chain"], known.by_key["bcast/mst"]
    assert (records.twin(twin), records.number(twin)) == ("Open MPI: bcast 2; not compared yet", 2)
    assert (records.twin(alone), records.number(alone)) == ("none", 0)
