"""How work is cut into launches."""

from __future__ import annotations

from collscope.catalogue.registry import Registry
from collscope.points.plan import Layout, Point
from collscope.sources import batches
from tiny_platform import tiny


def test_work_is_cut_for_the_jobs(known: Registry) -> None:
    platform = tiny()
    layout = Layout(platform, 1, 64)
    todo = {str(i): (layout, Point("allgather", "allgather/bucket", i + 1)) for i in range(40)}
    made = batches.batches(todo, jobs=2)
    assert len(made) > 2
    assert sorted(int(key) for batch in made for key, _ in batch.points) == list(range(40))
    counts = [[point.count for _, point in batch.points] for batch in made]
    assert [c for batch in counts for c in batch] == list(range(40, 0, -1))  # the largest first
    assert len(batches.batches({"0": todo["0"]}, jobs=2)) == 1
    crowded = Point("bcast", "bcast/pipeline[s=1024]", 1 << 16)  # thousands of small segments on their way at once
    made = batches.batches(todo | {"long": (layout, crowded)}, jobs=2)
    assert [key for key, _ in made[0].points] == ["long"]
