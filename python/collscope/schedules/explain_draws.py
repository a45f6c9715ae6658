"""How sure an explanation is: the times of its algorithms over draws of what is not known of the machine, and what decides between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from collscope.machines.completion import Unknown
from collscope.points.plan import Layout, Point
from collscope.schedules.critical_path import CriticalPath
from collscope.sources import assumptions
from collscope.sources.assumptions import Choice, Judged, Unchecked
from collscope.sources.draws import BAND


def drawn(paths: Sequence[CriticalPath], points: Sequence[Point], layout: Layout | None) -> Judged | Unchecked | None:
    """The algorithms over the draws; None: nothing of the machine is unknown, no machine was named, or the paths are not the model's."""
    if layout is None or layout.platform is None or any(path.source != "model" for path in paths):
        return None
    keys = {point.algorithm: point for point in points}
    (found,) = assumptions.judged([Choice(layout, keys, all_drawn=True)])
    return found


def decides(found: Judged, points: Sequence[Point]) -> Unknown | None:
    """The number on which the order of two algorithms hangs most; None: there is one algorithm, or no draw changes their order."""
    keys = [point.algorithm for point in points]
    return found.decisive(*keys) if len(set(keys)) == 2 else None


def sentences(found: Judged | Unchecked | None, points: Sequence[Point]) -> list[str]:
    """What is to be said of the draws, for people."""
    if found is None:
        return []
    if isinstance(found, Unchecked):
        return [f"Not judged over what is not known of the machine: {found.reason}."]
    keys = [point.algorithm for point in points]
    if len(set(keys)) < 2:
        return []
    wins = ", ".join(f"{key} in {found.wins_of(key)}" for key in keys)
    made = f"Fastest of {found.draws} draws of what is not known of the machine, or within 1 %: {wins}."
    if not (number := decides(found, points)):
        return [f"{made} No draw changes their order."]
    return [made, f"Measure {number.name} ({number.keys}) with {number.measure}: it decides."]


def document(found: Judged | Unchecked | None, points: Sequence[Point]) -> dict[str, Any] | None:
    """The same for programs."""
    if not isinstance(found, Judged):
        return None
    number = decides(found, points)
    return {
        "count": found.draws,
        "band": list(BAND),
        "algorithms": [
            {"algorithm": key, "low_s": found.bands[key][0], "high_s": found.bands[key][1], "wins": found.wins_of(key)}
            for key in dict.fromkeys(point.algorithm for point in points)
        ],
        "hangs_on": {"number": number.name, "keys": number.keys, "measure": number.measure} if number else None,
    }
