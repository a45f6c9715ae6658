"""Small programs on a simulated platform, by smpirun, and the same calls by the model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.machines.machine_file import machine_file
from collscope.machines.placement import hosts_of
from collscope.machines.platform import Platform, smpirun_args
from collscope.points.plan import Layout
from collscope.sources.smpirun import environment

missing = [name for name in ("smpirun", "smpicc") if not shutil.which(name)]
missing += [str(f) for f in (programs.PLUGIN, programs.SIM_DRIVER, programs.PROVER) if not f.exists()]
simulated = pytest.mark.skipif(bool(missing), reason=f"not there: {', '.join(missing)}")


def smpirun(p: Platform, nodes: int, ranks: int, folder: Path, *program: str | Path) -> str:
    hostfile = folder / "hosts"
    hostfile.write_text("\n".join(hosts_of(p, nodes, ranks)) + "\n")
    command = ["smpirun", "-np", str(ranks), "-hostfile", str(hostfile), *smpirun_args(p), *map(str, program)]
    done = subprocess.run(
        command,
        env={**os.environ, **environment(Layout(p, nodes, ranks))},
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def makespans(p: Platform, nodes: int, ranks: int, folder: Path, *points: str) -> list[float]:
    """Simulated seconds of calls, each as a line of a plan says it."""
    plan = folder / "plan.txt"
    plan.write_text("".join(f"id={i} {point} type=float\n" for i, point in enumerate(points)))
    out = smpirun(p, nodes, ranks, folder, programs.SIM_DRIVER, "--shared-buffers", "--plan", plan)
    found = {int(line["id"]): line["max_s"] for line in map(json.loads, out.splitlines()) if "max_s" in line}
    assert len(found) == len(points), out
    return [found[i] for i in range(len(points))]


def modelled(p: Platform, nodes: int, ranks: int, folder: Path, *points: str) -> list[float]:
    """The same, by the model."""
    (folder / "machine").write_text(machine_file(p, nodes, ranks))
    (folder / "priced").write_text(
        "".join(f"id={i} {point} type=float ranks={ranks}\n" for i, point in enumerate(points))
    )
    command = [programs.PROVER, "--model", folder / "machine", "--plan", folder / "priced"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line)["model_s"] for line in done.stdout.splitlines() if "model_s" in line]
