"""Every twin sends what Open MPI sends with that algorithm forced, and a decision table takes what it takes by default."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import twins
from twins import Call, Outcome

pytestmark = pytest.mark.skipif(twins.missing() is not None, reason=twins.missing() or "")

SMALL = (2, 4, 7, 8)
LARGE = (3, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 32)
VECTORS = (1, 5, 33, 255, 256, 257, 1000, 5000)  # floats: around segments of 1 KiB, and several of them
SMALL_BLOCKS = (1, 5, 256, 257, 3000)
NOT_IN_4_1 = {"allgather/sparbit"}  # came with 5.0

# What is forced, beside the algorithm's number, for the parameters in the key.
Forced = dict[str, int]
CHAIN: list[tuple[str, Forced]] = [
    ("chains=4,s=0", {"{}_algorithm_segmentsize": 0, "{}_algorithm_chain_fanout": 4}),
    ("chains=3,s=1024", {"{}_algorithm_segmentsize": 1024, "{}_algorithm_chain_fanout": 3}),
]
SEGMENTS: list[tuple[str, Forced]] = [
    ("s=0", {"{}_algorithm_segmentsize": 0}),
    ("s=1024", {"{}_algorithm_segmentsize": 1024}),
    ("s=1000", {"{}_algorithm_segmentsize": 1000}),
]
REDUCE_BCAST: Forced = {
    "reduce_algorithm": 5, "reduce_algorithm_segmentsize": 0, "bcast_algorithm": 6, "bcast_algorithm_segmentsize": 0,
}  # fmt: skip
PARAMETERS: dict[str, list[tuple[str, Forced]]] = {
    "bcast/chain": CHAIN,
    "reduce/chain": CHAIN,
    **dict.fromkeys(("bcast/pipeline", "bcast/split_binary", "bcast/binary", "bcast/binomial"), SEGMENTS),
    **dict.fromkeys(("reduce/pipeline", "reduce/binary", "reduce/binomial", "reduce/in_order_binary"), SEGMENTS),
    "bcast/knomial": [
        ("k=4,s=0", {"{}_algorithm_segmentsize": 0, "{}_algorithm_knomial_radix": 4}),
        ("k=3,s=2048", {"{}_algorithm_segmentsize": 2048, "{}_algorithm_knomial_radix": 3}),
    ],
    "gather/linear_sync": [(f"first={s}", {"{}_algorithm_segmentsize": s}) for s in (0, 1024)],
    "scatter/linear_nb": [("blocking_every=0", {}), ("blocking_every=3", {"{}_algorithm_max_requests": 3})],
    "alltoall/linear_sync": [
        (f"max_requests={n}", {"{}_algorithm_max_requests": n}) for n in (0, 1, 3)
    ],
    "allreduce/ring_segmented": [("s=1024", {"{}_algorithm_segmentsize": 1024})],
    "allreduce/nonoverlapping": [("reduce=binomial,reduce_s=0,bcast=binomial,bcast_s=0", REDUCE_BCAST)],
    "reduce_scatter/nonoverlapping": [("reduce=binomial,reduce_s=0", REDUCE_BCAST)],
    "reduce_scatter_block/linear": [
        ("reduce=binomial,reduce_s=0,scatter=linear", REDUCE_BCAST | {"scatter_algorithm": 1}),
        ("reduce=binomial,reduce_s=0,scatter=binomial", REDUCE_BCAST | {"scatter_algorithm": 2}),
    ],
    "allgather/linear": [
        ("gather=linear,gather_first=0,bcast=binomial,bcast_s=0", REDUCE_BCAST | {"gather_algorithm": 1}),
        ("gather=binomial,gather_first=0,bcast=binomial,bcast_s=0", REDUCE_BCAST | {"gather_algorithm": 2}),
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("twins")
    twins.compile_both(made)
    return made


def registered() -> Iterator[tuple[str, str, int]]:
    """Key, collective and number of every algorithm that says it is a twin, read from the sources."""
    for path in sorted((twins.ROOT / "algorithms").glob("*/*.c")):
        text = path.read_text()
        key, twin = re.search(r'\.key = "([^"]+)"', text), re.search(r'\.twin = \{ "Open MPI", (\d+) \}', text)
        if key and twin:
            yield key[1], key[1].split("/")[0], int(twin[1])


def counts(collective: str) -> tuple[int, ...]:
    return (0,) if collective == "barrier" else SMALL_BLOCKS if collective in twins.BLOCKS else VECTORS


def calls(ranks: int) -> Iterator[Call]:
    for key, collective, number in registered():
        if key in NOT_IN_4_1:
            continue
        for parameters, more in PARAMETERS.get(key, [("", {})]):
            forced = {name.format(collective): value for name, value in more.items()}
            forced[f"{collective}_algorithm"] = number
            full = f"{key}[{parameters}]" if parameters else key
            roots = sorted({0, min(3, ranks - 1)}) if collective in twins.ROOTED else [0]
            for root in roots:
                for count in counts(collective):
                    yield Call(full, collective, count, root, forced=tuple(sorted(forced.items())))
            if collective in twins.OPERATOR:
                yield Call(full, collective, 256, 0, commutes=False, forced=tuple(sorted(forced.items())))


def check(outcome: Outcome) -> None:
    print(outcome)
    for why, those in outcome.unsupported.items():
        print(f"  unsupported, {len(those)} times: {why}; the first: {those[0].key} count={those[0].count}")
    assert outcome.same > 0
    assert not outcome.different, str(outcome)
    assert not outcome.order, str(outcome)


@pytest.mark.parametrize("ranks", SMALL)
def test_twins_send_what_open_mpi_sends(ranks: int, folder: Path) -> None:
    outcome = Outcome()
    twins.compare(folder, ranks, list(calls(ranks)), outcome)
    check(outcome)


@pytest.mark.full
@pytest.mark.parametrize("ranks", LARGE)
def test_twins_on_many_ranks(ranks: int, folder: Path) -> None:
    outcome = Outcome()
    twins.compare(folder, ranks, list(calls(ranks)), outcome)
    check(outcome)


# All thresholds of the tables are powers of two, in bytes: these sizes meet every range, and EDGES its last bytes.
RANGES = tuple(2**k for k in range(19))
EDGES = tuple(2**k - 1 for k in range(2, 15))
COLLECTIVES = ("bcast", "reduce", "scatter", "gather", "allgather", "reduce_scatter", "reduce_scatter_block", "allreduce",
               "alltoall", "barrier", "scan", "exscan")  # fmt: skip


def grid(ranks: int, floats: tuple[int, ...]) -> Iterator[Call]:
    for collective in COLLECTIVES:
        key = f"decision/ompi_4_1:{collective}"
        sizes = (0,) if collective == "barrier" else floats
        for count in sizes:
            if collective in twins.BLOCKS and count * ranks > 2**21:
                continue
            for commutes in (True, False) if collective in twins.OPERATOR else (True,):
                yield Call(key, collective, count, 0, commutes)
            if collective in twins.ROOTED:
                yield Call(key, collective, count, ranks - 1)
            if collective in ("allgather", "alltoall", "reduce_scatter_block", "scan"):
                yield Call(key, collective, count, 0, in_place=True)


@pytest.mark.parametrize("ranks", SMALL)
def test_decision_takes_what_open_mpi_takes(ranks: int, folder: Path) -> None:
    outcome = Outcome()
    twins.compare(folder, ranks, list(grid(ranks, RANGES)), outcome)
    check(outcome)
    assert not outcome.unsupported, dict(outcome.unsupported)


@pytest.mark.full
@pytest.mark.parametrize("ranks", (*SMALL, *LARGE))
def test_decision_on_many_ranks(ranks: int, folder: Path) -> None:
    outcome = Outcome()
    twins.compare(folder, ranks, list(grid(ranks, RANGES + EDGES)), outcome)
    check(outcome)
    assert not outcome.unsupported, dict(outcome.unsupported)


def test_a_wrong_key_is_different(folder: Path) -> None:
    """The comparison can fail: another tree, another segment, another order, an algorithm that was not forced."""
    forced = (("bcast_algorithm", 6), ("bcast_algorithm_segmentsize", 1024))
    wrong = [
        Call("bcast/binary[s=1024]", "bcast", 1000, forced=forced),
        Call("bcast/binomial[s=1000]", "bcast", 1000, forced=forced),
        Call("bcast/binomial[s=0]", "bcast", 1000, forced=forced),
        Call("bcast/binomial[s=1024]", "bcast", 1000, forced=(("bcast_algorithm", 7),)),
        Call("barrier/tree", "barrier", 0, forced=(("barrier_algorithm", 4),)),
    ]
    outcome = Outcome()
    twins.compare(folder, 7, wrong, outcome)
    assert outcome.same == 0 and len(outcome.different) == len(wrong), str(outcome)
    outcome = Outcome()
    order = [Call("alltoall/pairwise", "alltoall", 5, forced=(("alltoall_algorithm", 1),))]
    twins.compare(folder, 7, order, outcome)
    assert len(outcome.order) == 1, str(outcome)


def test_every_twin_has_a_number_that_open_mpi_lists() -> None:
    """And no two algorithms are the same twin; all that the library lists have one."""
    said = subprocess.run(
        ["ompi_info", "--parsable", "--param", "coll", "tuned", "--level", "9"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    listed = re.findall(r"param:coll_tuned_(\w+)_algorithm:enumerator:value:(\d+):", said)
    known = {(collective, int(number)) for collective, number in listed if int(number)}
    ours = [(collective, number) for key, collective, number in registered() if key not in NOT_IN_4_1]
    assert len(set(ours)) == len(ours) >= 55
    assert set(ours) <= known
    # Those for vectors of lengths that differ by rank are not in the catalogue.
    assert {entry for entry in known - set(ours) if not entry[0].endswith("v")} == set()
