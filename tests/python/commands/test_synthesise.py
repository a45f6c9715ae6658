"""collscope.commands.synthesise: what was found stands beside the catalogue's fastest and the bounds. Searching is tested in synthesis."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from collscope.base.grid import Grid
from collscope.commands import synthesise
from collscope.points.plan import Layout, Point
from tiny_platform import tiny


@pytest.mark.parametrize("known", [True, False])
def test_schedules_are_by_time_with_the_catalogues_fastest_among_them(
    monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """Each with its ratio to that and to both bounds; the bounds are not schedules."""
    shown: list[Grid] = []
    monkeypatch.setattr(Grid, "show", lambda self: shown.append(self))
    found = [SimpleNamespace(seconds=s, method=name, what="x") for s, name in ((8e-6, "greedy"), (2e-6, "exact"))]
    fastest: dict[str, Any] = {"median_s": 4e-6, "algorithm": "bcast/mst"}
    outcome = SimpleNamespace(catalogue=fastest if known else None, bound_s=1e-6, loggp_s=2e-6, candidates=found)
    synthesise._show(SimpleNamespace(layout=Layout(tiny(), 2, 8), point=Point("bcast", "", 256)), outcome)
    (grid,) = shown
    assert grid.title == "bcast of 1 KiB, 8 ranks on 2 nodes of tiny, by the model"
    ratios = [("exact", "x", "0.5", "2.00", "1.00"), ("catalogue", "bcast/mst", "1.00", "4.00", "2.00"),
              ("greedy", "x", "2.00", "8.00", "4.00")]  # fmt: skip
    lines = [(method, what, *rest) for method, what, _, *rest in (line.cells for line in grid.lines)]
    assert lines == (ratios if known else [(*r[:2], "", *r[3:]) for r in ratios if r[0] != "catalogue"])
