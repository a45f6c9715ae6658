"""Simulated times straight from the driver under smpirun, and the same calls by the model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest

from collscope.base import programs
from collscope.machines import find
from collscope.machines.placement import hosts_of
from collscope.machines.platform import smpirun_args
from collscope.points.plan import Layout, Point, plan_text
from collscope.sources import model, smpirun


def needs_simulation(*others: Path) -> pytest.MarkDecorator:
    """Skips where prover, driver, smpirun or one of these is not there."""
    missing = [str(p) for p in (programs.PROVER, programs.SIM_DRIVER, *others) if not p.exists()]
    missing += [] if shutil.which("smpirun") else ["smpirun"]
    return pytest.mark.skipif(bool(missing), reason=f"not there: {', '.join(missing)}")


def drive(
    folder: Path,
    name: str,
    ranks: int,
    points: Sequence[Point],
    *,
    nodes: int = 0,
    mapping: str = "block",
    config: Sequence[str] = (),
) -> list[float | None]:
    """Makespans straight from the driver, no cache; None where a point is not supported."""
    on = find.load(name)
    (folder / "plan.txt").write_text(plan_text((str(i), point) for i, point in enumerate(points)))
    layout = Layout(on, nodes or ranks, ranks, mapping)
    (folder / "hosts.txt").write_text("\n".join(hosts_of(on, layout.nodes, ranks, mapping)) + "\n")
    launch = ["smpirun", "-np", str(ranks), "-hostfile", folder / "hosts.txt", *smpirun_args(on), *config]
    done = subprocess.run(
        [*launch, programs.SIM_DRIVER, "--plan", folder / "plan.txt", "--shared-buffers"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **smpirun.environment(layout), "TMPDIR": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    times: dict[int, float] = {}
    for line in map(json.loads, done.stdout.splitlines()):
        if "max_s" in line:
            times[int(line["id"])] = line["max_s"]
    return [times.get(i) for i in range(len(points))]


def agree(
    folder: Path,
    name: str,
    ranks: int,
    points: Sequence[Point],
    *,
    nodes: int = 0,
    mapping: str = "block",
    rel: float = 1e-9,
    looser: Mapping[str, float] = MappingProxyType({}),
) -> list[float | None]:
    """Model and simulation, written independently, give each point the same time, or both none; most have one. The times.
    `looser`: what algorithms by their keys may differ by, in place of `rel`."""
    times = drive(folder, name, ranks, points, nodes=nodes, mapping=mapping)
    layout = Layout(find.load(name), nodes or ranks, ranks, mapping)
    for point, time, reply in zip(points, times, model.evaluate([(layout, p) for p in points]), strict=True):
        assert (time is None) == (reply["status"] != "ok"), point
        assert time is None or reply["model_s"] == pytest.approx(
            time, rel=looser.get(point.algorithm, rel), abs=1e-12
        ), point
    assert sum(time is not None for time in times) > len(points) / 2
    return times
