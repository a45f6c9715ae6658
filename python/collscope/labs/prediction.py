"""A machine that a student has calibrated: does it predict what was not measured?"""

from __future__ import annotations

import math
from pathlib import Path

from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.base.units import format_size
from collscope.labs import hand_in, quantities
from collscope.labs.lab import Predict
from collscope.machines import find
from collscope.machines.platform import Platform
from collscope.points.plan import check_layout

MODEL_S = 7.0  # for a call on a student's machine


def read(folder: Path, name: str, scratch: Path) -> Platform:
    """The student's machine, copied to a folder of ours. UserError: it is missing, or says something wrong."""
    data = hand_in.read(folder, name)
    hand_in.table(folder, name)
    scratch.mkdir(parents=True, exist_ok=True)
    copy = scratch / name
    write_atomically(copy, data.decode("utf-8-sig", errors="replace"))
    try:
        return find.load(copy)
    except UserError as error:
        raise hand_in.Missing(str(error).replace(f"{copy.parent}/", "")) from error


def judge(mine: Platform, goal: Predict) -> list[str]:
    """The prediction that is furthest off, and what those that are off have in common; [] where none is."""
    real = quantities.layout(goal.platform, goal.nodes, goal.ranks, goal.mapping)
    try:
        own = check_layout(mine, goal.nodes, goal.ranks, goal.mapping)
    except UserError as error:
        return [f"{goal.ranks} ranks do not fit on {goal.nodes} nodes of your machine: {error}; see --shape"]
    off: list[tuple[float, float, str]] = []
    near: list[int] = []
    far: list[int] = []
    for size in goal.bytes:
        predicted = [taken for taken, _ in quantities.outcomes(own, goal.algorithms, size, limit_s=MODEL_S)]
        for key, ours, theirs in zip(
            goal.algorithms, predicted, quantities.seconds(real, goal.algorithms, size), strict=True
        ):
            ratio = ours / theirs
            if abs(ratio - 1) <= goal.within:
                near.append(size)
                continue
            far.append(size)
            where = f"{key}, {format_size(size)} on {goal.ranks} ranks of {goal.nodes} nodes"
            off.append((abs(math.log(ratio)), ratio, where))
    if not off:
        return []
    _, ratio, where = max(off)
    text = (
        f"{len(off)} of {len(off) + len(near)} predictions are off by more than {goal.within:.0%}. The furthest: {where}: "
        f"your machine takes {ratio:.3g} times as long as the real one."
    )
    lines = [text]
    powers = [1e3, 1e6, 1e-3, 1e-6]
    if any(abs(ratio / power - 1) < 0.5 for power in powers):
        lines.append("A factor of a thousand or a million: the file's times are seconds, osu_latency's microseconds.")
    elif near and min(far) > max(near):
        lines.append(f"Only from {format_size(min(far))} on: what of large messages has not been measured?")
    elif near and max(far) < min(near):
        lines.append(f"Only up to {format_size(max(far))}: what of small messages has not been measured?")
    return lines
