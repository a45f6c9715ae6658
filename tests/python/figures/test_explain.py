"""collscope.figures.explain: the picture of critical paths: bars of the right length, where the path is, and the load of a link."""

from __future__ import annotations

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


def test_without_a_load_there_is_no_panel_for_it() -> None:
    assert len(explain_figure([path("bcast/mst", load=0)], "observed").axes) == 2
