"""A small platform and simulations that need no simulator, for tests of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tiny_platform
from collscope.base.errors import UserError
from collscope.catalogue.registry import Registry
from collscope.commands import run_answer
from collscope.machines import find
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Point
from collscope.points.table import make_row
from collscope.sources import simulate


@pytest.fixture
def tiny(known: Registry, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A platform called tiny, and simulations that answer with the size in microseconds."""

    def load(name: str) -> Platform:
        if name != "tiny":
            raise UserError(f'unknown platform "{name}"')
        return tiny_platform.tiny()

    def run_tasks(tasks: list[tuple[Layout, Point]], *_: Any) -> list[dict[str, Any]]:
        rows = []
        for layout, point in tasks:
            time = point.bytes(layout.ranks) * (1e-6 if "linear" in point.algorithm else 2e-6)
            times = dict.fromkeys(("median_s", "q1_s", "q3_s", "min_s", "max_s"), time)
            kind, status = ("died", "simulation failed: it died") if point.count == 13 else ("ok", "ok")
            about = {**layout.cells(), **point.cells(layout.ranks), **times}
            rows.append(make_row(source="sim", **about, status=status, kind=kind))
        return rows

    monkeypatch.setattr(find, "load", load)
    monkeypatch.setattr(simulate, "run_tasks", run_tasks)
    monkeypatch.setattr(run_answer, "bounds_for_display", lambda tasks, rows: [])
    monkeypatch.chdir(workplace)
    return workplace
