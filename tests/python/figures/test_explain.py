"""collscope.figures.explain: the picture of critical paths: bars of the right length, where the path is, and the load of a link."""

from __future__ import annotations

import pytest
from matplotlib.colors import is_color_like

from collscope.figures.explain import COLOURS, explain_figure
from collscope.schedules.critical_path import PARTS, CriticalPath, Link, Segment

US = 1e-6


def path(key: str, load: int = 3) -> CriticalPath:
    link = Link("NIC", "NIC of node 0, out", 3 * US, 1 * US)
    segments = (
        Segment("latency", 0, 1, 100, 0, 1 * US),
        Segment("bandwidth", 0, 1, 100, 1 * US, 3 * US),
        Segment("wait", 0, 1, 100, 3 * US, 4 * US, link),
        Segment("reduce", 1, None, 0, 4 * US, 10 * US),
    )
    parts = {s.part: s.seconds for s in segments}
    shares = tuple((k * 4 * US / load, 1.0 - k % 2) for k in range(load))
    return CriticalPath(key, "", "model", 2, 10 * US, parts, segments, 1, (link,), shares, 0.0)


def test_every_part_has_a_colour_of_its_own() -> None:
    assert list(COLOURS) == [*PARTS] and all(map(is_color_like, COLOURS.values()))
    assert len(set(COLOURS.values())) == len(COLOURS)


def test_bars_are_as_long_as_their_parts() -> None:
    fig = explain_figure([path("bcast/mst"), path("bcast/linear")], "two broadcasts")
    bars, first, load, second, _ = fig.axes
    assert [round(b.get_width(), 6) for b in bars.patches] == [1.0, 2.0, 1.0, 6.0] * 2  # µs
    assert {t.get_text() for t in bars.texts} >= {" bcast/mst: 10 µs", "60%"}
    assert first.get_title(loc="left") == "bcast/mst: where its critical path is (1 messages)"
    assert second.get_title(loc="left").startswith("bcast/linear")
    assert load.get_title(loc="left") == "bcast/mst: load of NIC of node 0, out"
    assert [p.get_y() + p.get_height() / 2 for p in first.patches] == pytest.approx([0, 0, 0, 1])
    assert [t.get_text() for t in fig.legends[0].get_texts()] == [
        "latency", "bandwidth", "waiting for a shared link", "reduction",
    ]  # fmt: skip


def test_a_load_that_changes_too_often_is_drawn_as_means() -> None:
    fig = explain_figure([path("bcast/mst", load=4000)], "a broadcast")
    line = fig.axes[2].lines[0]
    assert len(line.get_xdata()) < 200
    shares = list(line.get_ydata())
    assert shares[10] == pytest.approx(0.5, abs=0.02)
    assert shares[100] == pytest.approx(0.0, abs=0.02)


def test_without_a_load_there_is_no_panel_for_it() -> None:
    assert len(explain_figure([path("bcast/mst", load=0)], "observed").axes) == 2
