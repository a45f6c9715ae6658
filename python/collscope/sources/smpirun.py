"""The command line of SimGrid's smpirun."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from collscope.base import programs
from collscope.base.errors import UserError, disk_error
from collscope.machines.placement import hosts_of
from collscope.machines.platform import smpirun_args, smpirun_env
from collscope.points.plan import Layout, Point, plan_text


@lru_cache(maxsize=1)
def version() -> str:
    """The version of SimGrid that smpirun says it is: "3.32"; UserError when there is no smpirun."""
    try:
        text = programs.answer(["smpirun", "-version"]).stdout
    except OSError as error:
        raise UserError("smpirun: not found; install libsimgrid-dev (./collscope doctor says more)") from error
    match = re.search(r"(\d+\.\d+(?:\.\d+)?)", text)
    return match.group(1) if match else "unknown"


def command(layout: Layout, points: Sequence[tuple[str, Point]], folder: Path) -> list[str | Path]:
    """smpirun's words for these points (id, point), the driver's among them; writes plan and host file into `folder`, where
    it is to be started: smpirun, a script, splits names at blanks, so they are said without the folder's.

    Either all points of a launch are checked or none: data that nobody looks at is not held, all ranks share their buffers."""
    platform = layout.platform
    assert platform is not None
    hosts = hosts_of(platform, layout.nodes, layout.ranks, layout.mapping)
    try:
        (folder / "plan.txt").write_text(plan_text(points), encoding="utf-8")
        (folder / "hosts.txt").write_text("".join(f"{host}\n" for host in hosts), encoding="utf-8")
    except OSError as error:
        raise disk_error(error, folder) from error
    words: list[str | Path] = ["smpirun", "-np", str(layout.ranks), "-hostfile", "hosts.txt"]
    words += [*smpirun_args(platform), programs.SIM_DRIVER, "--plan", "plan.txt"]
    return words if points[0][1].check else [*words, "--shared-buffers"]


def environment(layout: Layout) -> dict[str, str]:
    """What smpirun finds in its environment beside ours. It leaves files where mktemp puts them: where it is started, which goes away."""
    return {"TMPDIR": ".", **_untimed(), **(smpirun_env(layout.platform) if layout.platform else {})}


def _untimed() -> dict[str, str]:
    """What makes simulations of the driver faster: sim/untimed.c. The linker knows no path with a blank or a colon."""
    library = str(programs.UNTIMED)
    if not programs.UNTIMED.exists() or " " in library or ":" in library:
        return {}
    return {"LD_PRELOAD": ":".join(filter(None, (library, os.environ.get("LD_PRELOAD"))))}
