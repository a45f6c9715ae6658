"""collscope.sources.proven, collscope.sources.rows: calls whose algorithm is wrong are found before anybody sees a time of theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.catalogue.prover import Abandoned, Question, Reply
from collscope.catalogue.registry import Registry
from collscope.points.plan import Layout, Point, Task, Timing
from collscope.points.table import Row, make_row
from collscope.sources import proven
from collscope.sources.outcome import LIMIT, Outcome
from collscope.sources.rows import unless_wrong
from collscope.sources.source import Options, Source
from open_mpi import needs_prover
from tiny_platform import tiny

WRONG = paths.BUILD / "prove" / "prove_wrong"  # its only algorithm sends nothing
needs_wrong = pytest.mark.skipif(not WRONG.exists(), reason="needs the tests of the preset prove: ./collscope test")
LAYOUT = Layout(tiny(), 2, 8)
NOTHING = Point("bcast", "bcast/nothing", 100)


@pytest.fixture
def wrong(workplace: Path, known: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prover that knows the wrong algorithm alone."""
    monkeypatch.setattr(programs, "PROVER", WRONG)


@needs_wrong
def test_a_wrong_algorithm_is_named_with_its_fault(wrong: None) -> None:
    """Which rank lacks what; with one rank there is nothing to send."""
    found = proven.failures([(LAYOUT, NOTHING), (Layout(tiny(), 1, 1), NOTHING)])
    assert list(found) == [(LAYOUT, NOTHING)]
    assert found[LAYOUT, NOTHING].kind == "wrong" and found[LAYOUT, NOTHING].status.startswith("rank 1")


def never(*_: object) -> Iterator[tuple[str, Reply | Abandoned]]:
    raise AssertionError("not kept: the prover is needed")


@needs_wrong
def test_sources_are_read_once_for_all_calls(wrong: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are hundreds of files, and calls are thousands."""
    requests: list[None] = []
    made_by = proven.prover.made_by
    monkeypatch.setattr(proven.prover, "made_by", lambda: requests.append(None) or made_by())
    proven.failures([(LAYOUT, replace(NOTHING, count=count)) for count in range(1, 9)])
    assert len(requests) == 1


@needs_wrong
def test_a_proof_is_kept_for_all_calls_of_a_shape(
    wrong: None, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metric, repetitions and buffers change nothing; another count or root is another proof, and so is another prover's."""
    first = proven.failures([(LAYOUT, NOTHING)])
    monkeypatch.setattr(proven.prover, "stream", never)
    again = (LAYOUT, replace(NOTHING, metric="root", timing=Timing(7, buffers="cold"), check=True))
    assert proven.failures([again]) == {again: first[LAYOUT, NOTHING]}
    for other in (replace(NOTHING, count=101), replace(NOTHING, root=1), replace(NOTHING, type="double")):
        with pytest.raises(AssertionError, match="not kept"):
            proven.failures([(LAYOUT, other)])
    older = workplace / "older"
    older.write_text("another build of the same sources")
    monkeypatch.setattr(programs, "PROVER", older)
    with pytest.raises(AssertionError, match="not kept"):
        proven.failures([again])


@needs_prover
def test_right_algorithms_and_unsupported_calls_have_no_fault(workplace: Path) -> None:
    """Nor has the library's own call, which cannot be proven."""
    keys = ("bcast/mst", "bcast/scatter_recursive_doubling", "bcast/builtin", "decision/ompi_4_1")
    tasks = [(layout, Point("bcast", key, 1000, root=5)) for key in keys for layout in (LAYOUT, Layout(None, 1, 7))]
    assert proven.failures(tasks) == {}


@needs_wrong
def test_many_ranks_are_proven_for_the_first_of_them(wrong: None) -> None:
    """A root beyond them is brought among them."""
    many = Layout(None, 1, 3 * proven.MAX_RANKS)
    task = (many, replace(NOTHING, root=proven.MAX_RANKS + 2))
    assert "rank 0" in proven.failures([task])[task].status


def test_a_proof_that_takes_too_long_is_given_up_and_tried_again(
    workplace: Path, known: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the limit of a point; the others are proven."""
    slow = (LAYOUT, replace(NOTHING, algorithm="bcast/linear"))
    right = (LAYOUT, replace(NOTHING, algorithm="bcast/mst"))
    limits: list[float | None] = []

    def stream(
        words: object, questions: Sequence[Question], folder: Path, progress: object, limit_s: float | None
    ) -> Iterator[tuple[str, object]]:
        limits.append(limit_s)
        for q in questions:
            late = q.key == "bcast/linear"
            yield (
                q.name,
                Abandoned("took longer than 2 s (--point-timeout)", True)
                if late
                else {"verdict": "proven", "operations": 7},
            )

    monkeypatch.setattr(proven.prover, "stream", stream)
    for _ in range(2):
        found = proven.failures([slow, right], limit_s=2.0)
        assert found == {slow: Outcome(LIMIT, "its proof took longer than 2 s (--point-timeout)")}
    assert limits == [2.0, 2.0]
    (row,) = unless_wrong(Source("sim", lambda *_: []), [slow], Options(), found)
    assert (row["kind"], row["median_s"]) == ("limit", None)


@needs_wrong
def test_a_fault_stands_in_place_of_the_time(wrong: None) -> None:
    """Other calls are timed, in their order; a bound holds whoever runs."""
    right = [(LAYOUT, replace(NOTHING, algorithm="bcast/builtin", count=n)) for n in (1, 2)]
    tasks = [right[0], (LAYOUT, NOTHING), right[1]]
    timed: list[list[int]] = []

    def rows(some: Sequence[Task], options: Options) -> list[Row]:
        timed.append([point.count for _, point in some])
        return [make_row(source="x", algorithm=point.algorithm, median_s=1.0) for _, point in some]

    faults = proven.failures(tasks)
    made = unless_wrong(Source("sim", rows), tasks, Options(), faults)
    assert [row["median_s"] for row in made] == [1.0, None, 1.0] and timed == [[1, 2]]
    assert made[1]["kind"] == "wrong" and made[1]["status"].startswith("the proof fails: rank 1")
    unless_wrong(Source("bound", rows), tasks, Options(), faults)
    assert timed[1] == [1, 100, 2]


@needs_prover
def test_operations_are_counted_and_above_what_is_proven_they_grow_on(workplace: Path) -> None:
    """A send and a receive per message, of a ring p (p - 1) of them; what is not supported or a library's own has none."""
    keys = ("bcast/linear", "bcast/builtin", "allgather/recursive_doubling", "allgather/bucket")
    points = [Point(key.partition("/")[0], key, 4) for key in keys]
    assert proven.operations([(Layout(None, 1, 7), p) for p in points[:3]]) == [3 * 6, 0, 0]
    few, many = proven.operations([(Layout(None, 1, p), points[3]) for p in (256, 1024)])
    assert many / few == pytest.approx(16, rel=0.05)
