"""Simulated times straight from the driver under smpirun."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.machines import find
from collscope.machines.placement import hosts_of
from collscope.machines.platform import smpirun_args, smpirun_env
from collscope.points.plan import Point, plan_text


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
    (folder / "hosts.txt").write_text("\n".join(hosts_of(on, nodes or ranks, ranks, mapping)) + "\n")
    launch = ["smpirun", "-np", str(ranks), "-hostfile", folder / "hosts.txt", *smpirun_args(on), *config]
    done = subprocess.run(
        [*launch, programs.SIM_DRIVER, "--plan", folder / "plan.txt", "--shared-buffers"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **smpirun_env(on), "TMPDIR": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    times: dict[int, float] = {}
    for line in map(json.loads, done.stdout.splitlines()):
        if "max_s" in line:
            times[int(line["id"])] = line["max_s"]
    return [times.get(i) for i in range(len(points))]
