"""collscope.points.sweep: points of every combination of layout, size and key, and sizes that do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UsageError
from collscope.catalogue.registry import Registry
from collscope.points import sweep
from collscope.points.plan import Layout, Point, Timing
from collscope.points.sweep import Fit, Sweep, Unit

KEYS = [("bcast", "bcast/linear"), ("allgather", "allgather/bucket"), ("barrier", "barrier/builtin")]
LIKE = Point("", "", 0, type="double", op="max", root=1, metric="root", timing=Timing(7))


def test_points_go_by_layout_then_size_then_key_and_calls_without_data_are_there_once(known: Registry) -> None:
    layouts = [Layout(None, 1, ranks) for ranks in (2, 4)]
    tasks = Sweep(KEYS, [32, 64], layouts, like=LIKE).tasks()
    assert [(layout.ranks, point.collective, point.count, point.root) for layout, point in tasks] == [
        (2, "bcast", 4, 1), (2, "allgather", 2, 0), (2, "barrier", 0, 0), (2, "bcast", 8, 1), (2, "allgather", 4, 0),
        (4, "bcast", 4, 1), (4, "allgather", 1, 0), (4, "barrier", 0, 0), (4, "bcast", 8, 1), (4, "allgather", 2, 0),
    ]  # fmt: skip
    assert {(p.type, p.op, p.metric, p.timing) for _, p in tasks} == {("double", "max", "root", Timing(7))}


@pytest.mark.parametrize(
    ("collective", "unit", "fit", "count"),
    [
        ("allgather", "vector", "skip", None),  # 100 bytes: not 4 blocks of whole doubles
        ("allgather", "vector", "round", 3),
        ("allgather", "block", "skip", None),
        ("allgather", "block", "round", 12),
        ("bcast", "vector", "round", 12),
        ("barrier", "vector", "skip", 0),
    ],
)
def test_a_size_that_does_not_fit_is_skipped_or_rounded_down(
    known: Registry, collective: str, unit: Unit, fit: Fit, count: int | None
) -> None:
    assert sweep.count_of(collective, 100, 4, "double", unit, fit) == count


def test_a_size_that_does_not_fit_is_refused_by_default(known: Registry) -> None:
    with pytest.raises(UsageError, match="100 B cannot be cut into 4 blocks of whole 8-byte elements"):
        sweep.count_of("allgather", 100, 4, "double")
    assert sweep.count_of("allgather", 1, 4, "double", fit="round") == 1, "the least is one element for each rank"


def test_the_root_is_a_rank_of_every_layout(known: Registry) -> None:
    assert [p.root for p in Sweep(KEYS[:1], [8], like=LIKE).points(2)] == [1]
    with pytest.raises(UsageError, match="--root 1: with 1 ranks the root is 0 … 0"):
        Sweep(KEYS[:1], [8], like=LIKE).points(1)


def test_the_usual_operator_follows_from_the_type(known: Registry) -> None:
    assert [sweep.operator_of(t) for t in ("float", "affine")] == ["sum", "affine"]
    assert sweep.operator_of("float", "max") == "max"
    with pytest.raises(UsageError, match='unknown operator "sun"; did you mean "sum"'):
        sweep.operator_of("float", "sun")


def test_late_ranks_of_a_file_are_those_of_the_layout(known: Registry, tmp_path: Path) -> None:
    (tmp_path / "late").write_text("0\n1e-6\n")
    like = Point("", "", 0, skew=f"file:{tmp_path}/late")
    assert len(Sweep(KEYS[:1], [8], like=like).points(2)) == 1
    with pytest.raises(UsageError, match="has seconds for 2 ranks, and there are 3"):
        Sweep(KEYS[:1], [8], like=like).points(3)
