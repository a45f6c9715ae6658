"""algorithms/decision/smpi_ompi.c:
decision/smpi_ompi sends what SMPI sends under its selector ompi; where it names nothing, it says what SMPI does."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import smpi_messages
from collscope.catalogue import registry
from library_calls import Call, Compared, variants

pytestmark = pytest.mark.skipif(not shutil.which("smpirun"), reason="needs SimGrid")

# Bytes of the call on both sides of all thresholds, which are powers of two but for those of segments; and in between.
EDGES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 20480, 32768, 65536, 92161, 131072, 262144, 524288,
         1048576)  # fmt: skip
SIZES = tuple(sorted({size + by for size in EDGES for by in (-4, -1, 0, 4)} | {1, 3, 100, 1000, 5000, 40000, 200000}))
FEW = (1, 8, 60, 64, 300, 600, 2048, 5000, 8192, 16384, 40000, 131072, 262144)
COLLECTIVES = ("bcast", "reduce", "scatter", "gather", "allgather", "reduce_scatter", "reduce_scatter_block", "allreduce",
               "alltoall", "scan", "exscan")  # fmt: skip
MAX_MOVED = 2**22  # bytes of all blocks


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("smpi")
    smpi_messages.compile_theirs(made)
    return made


def calls(collective: str, ranks: int, sizes: tuple[int, ...], elem: int) -> Iterator[Call]:
    for count in sorted({size // elem for size in sizes if size >= elem} | {ranks}):
        yield from variants(collective, count, elem, (ranks - 1,))


def grid(ranks: int, sizes: tuple[int, ...] = SIZES) -> list[Call]:
    made = [Call("barrier", 0)]
    for collective in COLLECTIVES:
        vectors = collective == "reduce_scatter_block"  # thresholds in bytes of the vector, count of a block
        expected = tuple(-(-size // ranks) for size in sizes) if vectors else sizes
        blocks = registry.load().collective(collective).counts_blocks
        fit = tuple(size for size in expected if not blocks or size * ranks <= MAX_MOVED)
        made += [call for elem in (1, 4) for call in calls(collective, ranks, fit, elem)]
    return made


def check(made: list[Compared]) -> None:
    """All that is compared is the same: no difference is excused."""
    nothing = Counter((c.call.collective, c.text.partition(": ")[2]) for c in made if c.verdict == "unsupported")
    compared = [c for c in made if c.verdict != "unsupported"]
    print(f"{len(compared)} calls compared, {nothing.total()} without an algorithm here:")
    for (collective, why), n in nothing.most_common():
        print(f"{n:6} {collective}: {why}")
    assert all(why.startswith("SMPI's ") for _, why in nothing), nothing
    unlike = [c for c in compared if c.verdict != "same"]
    assert not unlike, f"{len(unlike)} of {len(compared)}:\n" + "\n".join(map(str, unlike[:15]))
    assert len(compared) > nothing.total()


@pytest.mark.parametrize("ranks", (4, 5))
def test_smpi_on_few_ranks(ranks: int, folder: Path) -> None:
    check(smpi_messages.compare(folder, ranks, grid(ranks, FEW)))


def test_the_comparison_can_fail(folder: Path) -> None:
    made = smpi_messages.compare(
        folder, 4, [Call("bcast", 100), Call("scatter", 1)], ["bcast/linear", "scatter/binomial"]
    )
    assert [c.verdict for c in made] == ["different", "order"]


@pytest.mark.parametrize(
    ("ranks", "call"), [(1, Call("reduce", 10, 1)), (6, Call("alltoall", 524288, 1)), (4, Call("bcast", 0))]
)
def test_no_choice_is_named_where_smpi_stops(ranks: int, call: Call, folder: Path) -> None:
    made = smpi_messages.compare(folder, ranks, [call])
    assert [c.verdict for c in made] == ["unsupported"]
    assert "stop" in made[0].text
    if call.count:
        with pytest.raises(AssertionError):
            smpi_messages.library_messages(folder, ranks, [call])


@pytest.mark.full
@pytest.mark.parametrize("ranks", (2, 3, 4, 5, 6, 7, 8, 13, 16))
def test_smpi_takes_what_the_table_says(ranks: int, folder: Path) -> None:
    check(smpi_messages.compare(folder, ranks, grid(ranks)))


@pytest.mark.full
@pytest.mark.parametrize("ranks", (32, 33, 64, 130))
def test_smpi_on_many_ranks(ranks: int, folder: Path) -> None:
    """Rows that fewer ranks do not reach."""
    sizes = (1, 60, 600, 5000, 16384, 40000, 131072) if ranks <= 64 else (60, 600, 16384, 65536)
    check(smpi_messages.compare(folder, ranks, [c for c in grid(ranks, sizes) if c.elem == 4 and not c.in_place]))
