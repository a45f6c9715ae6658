"""collscope.figures.schedule.kinds: pictures of schedules: that they are made. How they look is looked at, not tested."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import same_picture
from collscope.base import programs
from collscope.figures import files
from collscope.figures.schedule import kinds
from collscope.figures.schedule.graph import graph
from collscope.schedules.trace import Trace
from made_trace import made_trace
from traced import traced

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


@pytest.mark.parametrize(
    "key", ["bcast/knomial", "allreduce/rabenseifner", "alltoall/pairwise", "barrier/dissemination"]
)
@pytest.mark.parametrize("kind", kinds.KINDS)
def test_every_kind_draws(key: str, kind: str) -> None:
    fig = kinds.draw([traced(key, 7, nodes=2)], kind)
    assert fig is not None
    assert fig.get_size_inches().max() < 25


def test_one_rank_and_nothing_to_send() -> None:
    for kind in kinds.KINDS:
        assert kinds.draw([traced("bcast/binomial", 1)], kind) is not None


def test_same_drawing_same_bytes() -> None:
    t = traced("bcast/mst", 8)
    assert files.render(graph(t), "svg") == files.render(graph(t), "svg")


def slower(t: Trace) -> Trace:
    """As a real run of it, half as long again."""
    stretch = {"messages": ("start_s", "end_s"), "transfers": ("start_s", "end_s"), "spans": ("start_s", "end_s")}
    parts = {
        name: tuple(replace(part, **{at: 1.5 * getattr(part, at) for at in times}) for part in getattr(t, name))
        for name, times in stretch.items()
    }
    ends = tuple(1.5 * end for end in t.rank_end_s)
    return replace(t, source="real", where="measured", time_s=1.5 * t.time_s, rank_end_s=ends, **parts)


@pytest.mark.parametrize("name", ["gantt of two", "matrix", "graph of a crowd"])
def test_pictures_are_the_kept_ones(name: str, tmp_path: Path) -> None:
    """Those that docs/pictures has not."""
    t = made_trace()
    made = {
        "gantt of two": lambda: kinds.draw([t, slower(t)], "gantt"),
        "matrix": lambda: kinds.draw([t], "matrix"),
        "graph of a crowd": lambda: kinds.draw([traced("allgather/bucket", 20)], "graph"),
    }
    fig = made[name]()
    assert fig
    svg = files.render(fig, "svg")
    same_picture.check(svg, same_picture.EXPECTED / f"{name.replace(' ', '_')}.svg", tmp_path)
