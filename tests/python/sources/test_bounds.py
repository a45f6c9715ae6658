"""collscope.sources.bounds: known values, and the order in which they must stand."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.base.errors import UsageError
from collscope.catalogue import prover, registry
from collscope.machines import find
from collscope.machines.platform import content_hash
from collscope.machines.spec import CLASSES
from collscope.points import distribution
from collscope.points.plan import Layout, Point, plan_text
from collscope.points.table import make_row
from collscope.sources import bounds
from collscope.sources.source import Options
from made_platforms import PRIME, curve, machine, write
from tiny_platform import tiny


def collectives() -> list[str]:
    return [c.name for c in registry.load().collectives]


def test_the_printed_bound_of_chan() -> None:
    assert bounds.bound("bcast", 8, 800, 1e-6, 1e-9, 0) == pytest.approx(3e-6 + 800e-9)
    assert bounds.bound("reduce", 8, 800, 1e-6, 1e-9, 1e-10) == pytest.approx(3e-6 + 800e-9 + 70e-9)
    assert bounds.bound("allreduce", 8, 800, 1e-6, 1e-9, 1e-10) == pytest.approx(3e-6 + 700 * 2.1e-9)
    assert bounds.bound("rotation", 8, 800, 1e-6, 1e-9, 0) == pytest.approx(1.1e-6)
    assert bounds.bound("bcast", 5, 1, 1e-6, 0, 0) == pytest.approx(3e-6)
    assert [c for c in collectives() if bounds.bound(c, 5, 0, 1e-6, 1e-9, 1e-10)] == ["barrier"]
    assert all(bounds.bound(c, 1, 100, 1, 1, 1) == 0 for c in collectives())


def test_the_broadcast_tree_of_the_logp_paper() -> None:
    # Culler et al. 1993, figure 3: P = 8, L = 6, g = 4, o = 2: the last rank has the datum at 24.
    assert bounds.broadcast_s(8, 2, 4, 6) == 24
    assert bounds.broadcast_s(2, 2, 4, 6) == 10
    # Without gap everybody is sent to at once; when a send takes as long as a trip, the tree is binomial.
    assert bounds.broadcast_s(1000, 0, 0, 6) == 6
    for p in (2, 3, 4, 7, 8, 9, 64):
        assert bounds.broadcast_s(p, 0, 6, 6) == 6 * math.ceil(math.log2(p))


def test_more_ranks_or_bytes_never_take_less() -> None:
    numbers = {"o": 1e-7, "g": 1e-7, "L": 1e-6, "G": 1e-10, "gamma": 1e-10}
    for collective in collectives():
        for p in (2, 3, 8, 33):
            sizes = [bounds.bound_loggp(collective, p, n, **numbers) for n in (p, 1000, 10**6)]
            assert sizes == sorted(sizes)
        assert bounds.bound_loggp(collective, 1, 1000, **numbers) == 0
    ranks = [bounds.bound_loggp("barrier", p, 0, **numbers) for p in range(1, 64)]
    assert ranks == sorted(ranks)
    assert bounds.bound_loggp("bcast", 8, 0, **numbers) == 0  # nothing to send: may return at once


def test_without_ports_the_bound_is_no_higher() -> None:
    numbers = {"o": 1e-7, "g": 1e-7, "L": 1e-6, "G": 1e-10, "gamma": 1e-10}
    for collective in collectives():
        for p in (2, 8):
            shared = bounds.bound_loggp(collective, p, 10**6, **numbers, copiers=p)
            assert shared <= bounds.bound_loggp(collective, p, 10**6, **numbers) * (1 + 1e-12)


def test_unknown_collectives_are_a_mistake() -> None:
    for call in (lambda: bounds.bound("bcats", 2, 1, 1, 1, 1), lambda: bounds.bound_loggp("bcats", 2, 1, 1, 1, 1, 1)):
        with pytest.raises(UsageError, match='did you mean "bcast"'):
            call()


def test_every_collective_has_its_least() -> None:
    assert set(bounds.MIN_WORK) == {c.name for c in registry.load().collectives}


def test_the_prover_says_the_same_bound(tmp_path: Path) -> None:
    if not programs.PROVER.exists():
        pytest.skip("the prover is not built")
    known = registry.load()
    alpha, beta, gamma = 1.5e-6, 3e-10, 7e-11
    calls = {}
    lines = []
    for collective in collectives():
        # Blocks of any lengths are cut in C and in Python: bounds agree if the cuts do.
        distributions = ["uniform"] + ["linear", "zipf:1.3", "one:1"] * known.collective(collective).uneven
        key = next(a for a in known.of(collective) if len(distributions) == 1 or "any_blocks" in a.flags).full_key()
        for p, count, counts in product((1, 2, 3, 8, 13), (0, 1, 7, 1000), distributions):
            if counts != "one:1" or p > 1:
                name, point = f"{len(lines)}", Point(collective, key, count, counts=counts, root=p // 3)
                lines.append(plan_text([(name, point)], p))
                calls[name] = (point, p)
    (tmp_path / "plan.txt").write_text("".join(lines))
    machine = [f"place {rank} {rank} 0 0" for rank in range(13)]
    machine += ["ports fluid", "class network 0 1e-6 1e-9", f"bound {alpha} {beta} {gamma}"]
    (tmp_path / "machine.txt").write_text("\n".join(machine) + "\n")
    replies = prover.replies(["--model", tmp_path / "machine.txt", "--plan", tmp_path / "plan.txt"])
    compared = set()
    for line in replies:
        point, p = calls[str(line["id"])]
        if line["status"] == "ok":
            compared.add((point.collective, point.counts, p))
            about, mine = known.collective(point.collective), 0.0
            if point.counts == "uniform":
                mine = bounds.bound(point.collective, p, point.bytes(p), alpha, beta, gamma)
            elif p > 1:
                mine = bounds.Uneven.of(point, p).telephone(about.has_operator, p, alpha, beta, gamma)
            assert line["bound_s"] == pytest.approx(mine, rel=1e-12), (point, p)
    assert {c for c, _, p in compared if p == 8} == set(collectives())
    assert {counts for *_, counts, p in compared if p == 8} == {"uniform", "linear", "zipf:1.3", "one:1"}


# Five ranks, 1000 bytes, and numbers of which each shows: α = 7, β = 3, γ = 0.5; ⌈lg 5⌉ = 3.
TELEPHONE = {
    "bcast": 21 + 3000, "reduce": 21 + 3000 + 400, "scatter": 21 + 2400, "gather": 21 + 2400, "allgather": 21 + 2400,
    "alltoall": 21 + 2400, "reduce_scatter": 21 + 2400 + 400, "reduce_scatter_block": 21 + 2400 + 400,
    "allreduce": 21 + 4800 + 400, "rotation": 7 + 600, "barrier": 21, "scan": 21 + 3500, "exscan": 21 + 3500,
    "gatherv": 21 + 2400, "scatterv": 21 + 2400, "allgatherv": 21 + 2400, "alltoallv": 21 + 2400,
}  # fmt: skip
# o = 2, g = 3, L = 5: a trip takes 9, the fifth rank has the item at 18. (bytes beyond the trip, copies of all four cores, γ's part)
LOGGP = {
    "bcast": (1000, 4000, 0), "reduce": (1000, 1000, 800), "scatter": (800, 800, 0), "gather": (800, 800, 0),
    "allgather": (800, 4000, 0), "reduce_scatter": (800, 1000, 800), "reduce_scatter_block": (800, 1000, 800),
    "allreduce": (1000, 5000, 800), "rotation": (200, 1000, 0), "barrier": (-9, 0, 0), "alltoall": (800, 4000, 0),
    "scan": (1000, 1000, 800), "exscan": (1000, 1000, 0),
    "gatherv": (800, 800, 0), "scatterv": (800, 800, 0), "allgatherv": (800, 4000, 0), "alltoallv": (800, 4000, 0),
}  # fmt: skip


@pytest.mark.parametrize("collective", LOGGP)
def test_the_bounds_of_every_collective_by_hand(collective: str) -> None:
    assert bounds.bound(collective, 5, 1000, 7, 3, 0.5) == pytest.approx(TELEPHONE[collective])
    port, copied, reduced = LOGGP[collective]
    first = 9 if collective in ("rotation", "scan", "exscan") else 18

    def least(G: float, gamma: float = 0, copiers: int = 0) -> float:
        return bounds.bound_loggp(collective, 5, 1000, 2, 3, 5, G, gamma, copiers)

    assert least(0) == bounds.bound_loggp(collective, 5, 1000, 2, 3, 5, 0) == first
    assert least(1) == pytest.approx(max(first, 9 + port))
    assert least(0.001) == pytest.approx(max(first, 9 + port * 0.001 if port > 0 else 0))
    assert least(1, gamma=10) == pytest.approx(max(first, 9 + port, 10 * reduced))
    assert least(1, copiers=4) == pytest.approx(max(first, copied / 4))
    assert least(1, gamma=10, copiers=4) == pytest.approx(max(first, copied / 4, 10 * reduced))
    assert bounds.bound_loggp("barrier", 5, 0, 2e-6, 3e-6, 5e-6, 0) == pytest.approx(18e-6)
    assert (bounds.bound(collective, 1, 1000, 7, 3, 0.5), bounds.bound_loggp(collective, 1, 9, 1, 1, 1, 1)) == (0, 0)
    assert bounds.bound_loggp(collective, 2, 0, 2, 3, 5, 1) == (9 if collective == "barrier" else 0)


# Blocks of 4, 8, 16 and 20 bytes, or 48 at rank 2 and none elsewhere; o = 2, g = 3, L = 5: a trip takes 9, three others hear by 15.
UNEVEN = {
    ("gatherv", "linear"): (40, 15, 40), ("scatterv", "linear"): (40, 15, 40), ("allgatherv", "linear"): (44, 15, 144),
    ("gatherv", "one:2"): (48, 9, 48), ("scatterv", "one:2"): (48, 9, 48), ("allgatherv", "one:2"): (48, 15, 144),
}  # fmt: skip


@pytest.mark.parametrize(("collective", "counts"), UNEVEN)
def test_the_bounds_of_uneven_blocks_by_hand(collective: str, counts: str) -> None:
    """Of which the root, rank 1, has the second: bytes through a port, the tree, bytes that are copied."""
    through, tree, copied = UNEVEN[collective, counts]
    point = Point(collective, "", 3, counts=counts, root=1 if collective != "allgatherv" else 0)
    assert distribution.counts(counts, 12, 4) == ([1, 2, 4, 5] if counts == "linear" else [0, 0, 12, 0])
    blocks = bounds.Uneven.of(point, 4)

    def least(G: float, copiers: float = 0) -> float:
        return blocks.loggp(False, 4, 2, 3, 5, G, 0, copiers)

    assert least(0) == tree and least(1) == 9 + through and least(0.01) == max(tree, 9 + 0.01 * through)
    assert least(1, copiers=2) == max(tree, copied / 2) and least(0.001, copiers=2) == tree
    assert blocks.loggp(True, 4, 2, 3, 5, 0, 10, 0) == 3 / 4 * 48 * 10
    assert blocks.loggp(True, 4, 2, 3, 5, 1, 10, 2) == 3 / 4 * 48 * 10


def test_the_busiest_rank_bounds_an_alltoall_of_uneven_blocks() -> None:
    """Of what it sends to others, or has from them; its own block stays."""
    point = Point("alltoallv", "", 3, counts="linear")
    rows = distribution.pair_counts("linear", 12, 4)
    sent = [4 * (sum(row) - row[r]) for r, row in enumerate(rows)]
    received = [4 * sum(row[r] for s, row in enumerate(rows) if s != r) for r in range(4)]
    blocks = bounds.Uneven.of(point, 4)
    assert blocks.through == max(*sent, *received) and blocks.received == sum(sent)
    assert blocks.meets == max(sum(1 for s, n in enumerate(row) if n and s != r) for r, row in enumerate(rows))


@pytest.mark.parametrize(
    ("p", "o", "g", "latency", "seconds"),
    [(1, 2, 3, 5, 0), (2, 2, 3, 5, 9), (3, 2, 3, 5, 12), (4, 2, 3, 5, 15), (5, 2, 3, 5, 18), (6, 2, 3, 5, 18), (7, 2, 3, 5, 21),
     (3, 4, 3, 5, 17), (3, 0, 0, 5, 5)],
)  # fmt: skip
def test_the_tree_of_a_single_item_by_hand(p: int, o: float, g: float, latency: float, seconds: float) -> None:
    assert bounds.broadcast_s(p, o, g, latency) == seconds


def test_the_least_numbers_of_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    port = 1 / 23e9  # what a core's port lets through: faster than any curve
    text = PRIME.replace("[[0, 1.9e-6, 3.7e-10], [64, 1.7e-6,", "[[0, 4.9e-7, 3.7e-10], [64, 4.5e-7,")
    p = find.load(write(tmp_path, text))
    within = {"o": 1.3e-7, "g": 1.3e-7, "L": 5e-7 - 2.6e-7, "G": port, "gamma": 3.1e-10}
    assert bounds.loggp(p, 1, 2) == pytest.approx(within)
    assert bounds.loggp(p, 2, 1) == pytest.approx(within)
    across = within | {"L": 4.5e-7 + 64 * 4.1e-10 - 64 * port - 2.6e-7}
    assert bounds.loggp(p, 2, 4) == pytest.approx(across)
    assert bounds.loggp(p, 2, 2) == pytest.approx(across)
    plain = bounds.loggp(tiny(), 2, 4)
    assert plain == pytest.approx({"o": 0, "g": 0, "L": 1e-6, "G": 1e-9, "gamma": 1e-10}), "no port: the curve's"
    copied = dict.fromkeys(CLASSES, curve((0, 1e-6, 1e-9, 3.0)))
    heavy = replace(tiny(), machine=machine(copied, links={"core": 4e9}, eager_bytes=-1))
    assert bounds.loggp(heavy, 2, 4)["G"] == pytest.approx(3 / 4e9)
    measured = "oversubscribe = true\n[least]\no = 1.2e-7\ng = 1.1e-7\nL = 3e-7\nG = 5e-11\ngamma = 7e-11\n[curve]"
    for o, overhead, found in (("1.2e-7", "1.3e-7", (1.2e-7, 1.1e-7)), ("1.2e-7", "1e-7", (1e-7, 1e-7))):
        own = PRIME.replace("[curve]", measured.replace("1.2e-7", o)).replace(
            "overhead_s = 1.3e-7", f"overhead_s = {overhead}"
        )
        numbers = bounds.loggp(find.load(write(tmp_path, own, f"own{overhead}.toml")), 1, 7)
        assert numbers == {"o": found[0], "g": found[1], "L": 3e-7, "G": 5e-11, "gamma": 7e-11, "copiers": 7.0}


@pytest.mark.parametrize(
    ("eager", "pieces", "latency"),
    [
        (1000, [(0, 1e-6, 1e-9, 1.0)], 8e-7),  # at 1001 bytes
        (300, [(0, 1e-6, 1e-9, 1.0), (500, 1.05e-6, 1e-9, 1.0)], 8e-7),  # at 301
        (1000, [(0, 1e-6, 1e-9, 1.0), (500, 1.05e-6, 1e-9, 1.0)], 8.5e-7),  # at 1001, which is the second piece's
        (1000, [(0, 1e-6, 1e-9, 1.0), (500, 2e-6, 1e-9, 1.0)], 1e-6),  # at 0
        (-1, [(0, 1e-6, 1e-9, 1.0)], 8e-7),
    ],
)
def test_the_least_latency_is_at_an_end_of_a_piece(eager: int, pieces: list[tuple[float, ...]], latency: float) -> None:
    """Messages up to the eager limit cost both processors 0.1 µs, larger ones none: L is what is left of T(n) - n G - 2o."""
    own = machine(dict.fromkeys(CLASSES, curve(*pieces)), eager_bytes=eager, overhead_s=1e-7)
    found = bounds.loggp(replace(tiny(), machine=own), 2, 4)
    assert found == pytest.approx({"o": 1e-7, "g": 1e-7, "L": latency, "G": 1e-9, "gamma": 1e-10})


def test_a_large_send_that_does_not_block_costs_its_sender_an_overhead_beside_its_curve() -> None:
    """0.1 µs and 1 µs, where a blocking send takes 2 µs: L is what is left of T(n) - n G - 2o."""
    slow, fast = (dict.fromkeys(CLASSES, curve((0, latency, 1e-9, 1.0))) for latency in (2e-6, 1e-6))
    own = machine(slow, eager_bytes=-1, overhead_s=1e-7, curve_nonblocking=fast)
    assert bounds.loggp(replace(tiny(), machine=own), 2, 4)["L"] == pytest.approx(9e-7)


def test_the_least_gap_of_a_sender_is_at_the_start_of_a_piece() -> None:
    """Of 0 bytes 50 ns; of 100 bytes, where the second piece starts, 10 ns and 100 times 0.2 ns: processors spend no less."""
    pieces = ((0, 1e-6, 1e-9, 1.0, 5e-8, 1e-10), (100, 1e-6, 1e-9, 1.0, 1e-8, 2e-10))
    own = machine(dict.fromkeys(CLASSES, curve(*pieces)), eager_bytes=-1, overhead_s=1e-7)
    found = bounds.loggp(replace(tiny(), machine=own), 2, 4)
    assert (found["g"], found["o"]) == (pytest.approx(3e-8), pytest.approx(3e-8))


def test_a_call_has_one_row_for_each_bound() -> None:
    layout, other = Layout(tiny(), 1, 4), Layout(tiny(), 2, 8)
    point = Point("bcast", "bcast/mst[dest=first]", 25, metric="root")
    again = [point, replace(point, algorithm="bcast/linear"), replace(point, metric="loop"), replace(point, check=True)]
    rows = bounds.rows([(layout, p) for p in again], Options())
    assert [(row["algorithm"], row["median_s"]) for row in rows] == [
        ("bound/telephone", pytest.approx(2e-6 + 1e-7)), ("bound/loggp", pytest.approx(1e-6 + 1e-7)),
    ]  # fmt: skip
    for row in rows:
        assert row == make_row(
            source="bound", platform="tiny", nodes=1, ranks=4, mapping="block", collective="bcast", bytes=100, block_bytes=100,
            algorithm=row["algorithm"], type="float", op="", in_place=0, root=0, metric="makespan", median_s=row["median_s"],
            min_s=row["median_s"], status="ok", kind="ok", platform_hash=content_hash(tiny())[:12],
        )  # fmt: skip
    for change in ({"count": 26}, {"type": "double"}, {"op": "max"}, {"in_place": True}, {"root": 1}):
        assert len(bounds.rows_of([(layout, point), (layout, replace(point, **change))])) == 2, change
    blocks = Point("allgatherv", "allgatherv/bucket", 25)
    assert len(bounds.rows_of([(layout, blocks), (layout, replace(blocks, counts="linear"))])) == 2
    reduce = Point("reduce", "reduce/linear", 25, op="max", root=3, in_place=True)
    ((telephone),) = bounds.rows_of([(other, reduce), (Layout(None, 1, 4), reduce)])
    assert telephone["median_s"] == pytest.approx(3e-6 + 1e-7 + 87.5 * 1e-10)
    assert [telephone[c] for c in ("op", "root", "in_place", "nodes", "ranks")] == ["max", 3, 1, 2, 8]


def test_cores_that_copy_are_as_many_as_the_ranks_of_each_layout() -> None:
    """100 bytes arrive at one rank of two, and at three of four."""
    least = {"o": 0.0, "g": 0.0, "L": 0.0, "G": 1e-9, "gamma": 0.0}
    measured = replace(tiny(), machine=replace(tiny().machine, least=least))
    tasks = [(Layout(measured, 1, ranks), Point("bcast", "bcast/linear", 25)) for ranks in (2, 4)]
    assert [row["median_s"] for row in bounds.rows_of(tasks, [bounds.LOGGP])] == pytest.approx([5e-8, 7.5e-8])
