"""collscope.figures.skew: the picture of what algorithms absorb of a skew."""

from __future__ import annotations

import pytest

from collscope.figures.skew import absorbed, skew_figure
from collscope.points import table


def rows(metric: str, **times: float) -> list[table.Row]:
    common = {
        "source": "model",
        "platform": "schooner",
        "nodes": 2,
        "ranks": 8,
        "mapping": "block",
        "collective": "bcast",
    }
    return [
        table.make_row(**common, algorithm=f"bcast/{key}", bytes=size, metric=metric, median_s=time * size, kind="ok")
        for key, time in times.items()
        for size in (1024, 4096)
    ]


def test_a_delay_is_divided_by_the_time_of_the_same_call_without_skew() -> None:
    delays, together = rows("delay", mst=1e-6, linear=5e-6, chain=1e-6), rows("makespan", mst=4e-6, linear=5e-6)
    found = absorbed(table.to_frame(delays), table.to_frame(together))
    assert list(found["share"]) == pytest.approx([0.25, 0.25, 1.0, 1.0])  # a call without its other half is left out
    assert absorbed(table.to_frame(delays), table.to_frame(together).assign(mapping="cyclic")).empty
    fig = skew_figure(found, "linear:1e-05")
    (ax,) = fig.axes
    assert ax.get_title(loc="left") == "bcast, 8 ranks on 2 nodes of schooner (model)"
    assert "linear, 10 µs" in fig.get_suptitle()
    assert list(ax.lines[0].get_ydata()) == pytest.approx([0.25, 0.25])
    assert [t.get_text() for t in ax.texts] == ["mst", "linear"]


def test_one_size_alone_is_drawn_too() -> None:
    delays, together = rows("delay", mst=1e-6)[:1], rows("makespan", mst=4e-6)[:1]
    fig = skew_figure(absorbed(table.to_frame(delays), table.to_frame(together)), "random:1e-05")
    (ax,) = fig.axes
    assert [t.get_text() for t in ax.get_xticklabels()] == ["1 KiB"] and list(ax.get_xticks()) == [1024]
    assert (ax.get_xscale(), ax.get_xlabel()) == ("linear", "vector")
