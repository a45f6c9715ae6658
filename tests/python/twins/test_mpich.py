"""collscope.twins.mpich_messages, algorithms/decision/mpich_4.c: decision/mpich_4 sends what MPICH sends.
Where it does not, this says why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

import mpich_twins
from collscope.catalogue import registry
from collscope.twins.judge import by_peer
from library_calls import Call, Compared, variants

# Around the table's thresholds, in bytes of the call and of all ranks, and what lies between them.
SIZES = (0, 1, 4, 8, 9, 12, 64, 256, 257, 260, 2048, 2052, 4096, 12288, 12289, 12292, 32768, 32769, 32772, 81916, 81920,
         262144, 524284, 524288, 524289, 524292, 1048576)  # fmt: skip
COLLECTIVES = ("bcast", "reduce", "scatter", "gather", "allgather", "reduce_scatter", "reduce_scatter_block", "allreduce",
               "alltoall", "barrier", "scan", "exscan")  # fmt: skip


def calls(collective: str, ranks: int, sizes: tuple[int, ...], elem: int) -> Iterator[Call]:
    for count in sorted({size // elem for size in sizes} | {ranks - 1, ranks}):
        yield from variants(collective, count, elem, (ranks - 1, 1) if ranks > 2 else ())


def grid(ranks: int, sizes: tuple[int, ...] = SIZES) -> list[Call]:
    """Floats and bytes; where the table counts all ranks' bytes, sizes are those of a block and of the whole."""
    made = [Call("barrier", 0)]
    for collective in COLLECTIVES:
        if collective == "barrier":
            continue
        for elem in (1, 4):
            blocks = registry.load().collective(collective).counts_blocks
            expected = (*sizes, *(size // ranks for size in sizes)) if blocks else sizes
            fit = tuple(size for size in expected if not blocks or size * ranks <= 2**21)
            made += calls(collective, ranks, fit, elem)
    return made


def explained(c: Compared) -> str:
    """Why the two differ, where it is known; "" where it is not."""
    theirs, ours = ([by_peer(of_rank) for of_rank in side] for side in (c.theirs, c.ours))
    if (
        c.call.count == 0
        and any(theirs) != any(ours)
        and not any(map(sum, (n for r in theirs + ours for n in r.values())))
    ):
        return "a call without data: " + (
            "MPICH sends empty messages" if any(theirs) else "here empty messages are sent"
        )
    if c.call.collective == "bcast" and c.call.elem > 1 and c.call.count % c.ranks and cut_alike(c, theirs, ours):
        return "pieces of a broadcast are cut in bytes there, in elements here"
    return ""


def cut_alike(c: Compared, theirs: list[dict[int, list[int]]], ours: list[dict[int, list[int]]]) -> bool:
    """Between the same ranks in total the same bytes, but for less than an element for each of the pieces."""
    return all(
        abs(sum(a.get(peer, ())) - sum(b.get(peer, ()))) < c.call.elem * c.ranks
        for a, b in zip(theirs, ours, strict=True)
        for peer in {*a, *b}
    )


def check(made: list[Compared], most_unsupported: tuple[str, ...]) -> None:
    print(Counter((c.call.collective, c.verdict) for c in made))
    for c in made:
        if c.verdict == "unsupported":
            assert any(why in c.text for why in most_unsupported), str(c)
    compared = [c for c in made if c.verdict != "unsupported"]
    unlike = [c for c in compared if c.verdict != "same" and not explained(c)]
    for why, n in Counter(explained(c) for c in compared if c.verdict != "same" and explained(c)).items():
        print(f"{n} of {len(compared)} differ: {why}")
    assert not unlike, f"{len(unlike)} of {len(compared)}:\n" + "\n".join(map(str, unlike[:15]))


MISSING = ("MPICH takes a binomial tree in rank order", "MPICH takes recursive doubling, or its noncommutative")


@pytest.mark.full
@pytest.mark.parametrize("ranks", (2, 3, 4, 5, 6, 7, 8, 9, 13, 16))
def test_mpich_takes_what_the_table_says(ranks: int) -> None:
    check(mpich_twins.compare(ranks, grid(ranks)), MISSING)


@pytest.mark.full
def test_batches_of_an_alltoall_on_many_ranks() -> None:
    """More ranks than fit in one of MPICH's batches."""
    made = mpich_twins.compare(40, [Call("alltoall", n) for n in (1, 64, 65, 100)])
    check(made, ())
    assert [c.key for c in made] == ["alltoall/bruck"] * 2 + ["alltoall/scattered[batch=32]"] * 2


@pytest.mark.full
def test_mpich_on_few_ranks() -> None:
    check(mpich_twins.compare(4, grid(4, (64, 65536))), MISSING)
    # The comparison can fail.
    wrong = mpich_twins.compare(4, [Call("bcast", 100)], ["bcast/binomial[s=0]"])
    assert [c.verdict for c in wrong] == ["different"]
