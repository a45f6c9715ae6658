"""How well curves predict sizes that they have not seen: every other size is left out of the fit, in two halves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from collscope.calibration.curves import Error, Limits, Point, curve_at, jumps_of, pieces_of


def left_out(points: Sequence[Point], limits: Limits, jumps: Sequence[int]) -> list[Error]:
    """Of the curve through every other point, at the points between, and the other way round; ascending. `jumps` are known to both:
    where a protocol begins cannot be seen in what was left out."""
    found = [m for half in (0, 1) for m in _errors(points[half::2], points[1 - half :: 2], limits, jumps)]
    return sorted(found, key=lambda m: m.bytes)


def blind(curves: Sequence[Sequence[Point]], limits: Limits) -> list[Error]:
    """As left_out, of several classes, with nothing known: jumps, too, are found in what is left."""
    found: list[Error] = []
    for half in (0, 1):
        jumps = jumps_of([points[half::2] for points in curves])
        for points in curves:
            found += _errors(points[half::2], points[1 - half :: 2], limits, jumps)
    return found


def _errors(fitted: Sequence[Point], others: Sequence[Point], limits: Limits, jumps: Sequence[int]) -> Iterator[Error]:
    pieces = pieces_of(fitted, limits, jumps)
    for point in others:
        yield Error(point.bytes, curve_at(pieces, point.bytes) / point.seconds - 1)


def reason(points: Sequence[Point], jumps: Sequence[int], size: int) -> str:
    """Why a size is hard to predict from its neighbours."""
    sizes = [p.bytes for p in points]
    time = {p.bytes: p.seconds for p in points}
    at = sizes.index(size)
    if any(before < jump <= size for before, jump in ((b, j) for b in sizes[max(at - 1, 0) : at] for j in jumps)):
        return "the first size of a protocol: without it nothing is known of that protocol's start"
    if any(size < jump <= after for after in sizes[at + 1 : at + 2] for jump in jumps):
        return "the last size of a protocol: the curve goes on from smaller sizes alone"
    if at in (0, len(sizes) - 1):
        return "at the end of what was measured"
    if any(time[b] < time[a] for a, b in pairwise(sizes[max(at - 1, 0) : at + 2])):
        return "times fall with size here"
    return "the slope changes here"
