"""From point-to-point times to a curve: straight pieces, robustly, with the jumps where a library changes its protocol.

Within a protocol a time is latency + bytes · s_per_byte over a range of sizes: sizes are put into groups, as few as describe them within
their noise (dynamic programming), and each group gets a line by relative errors, of which large ones count less (Huber). Lines that
meet between two groups meet there; others are joined by a straight piece. Only at a jump the curve steps. No latency is ever
negative: where times grow faster than sizes, proportional pieces follow them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from collscope.base.units import counted, format_size
from collscope.machines.spec import CLASSES

*_, NETWORK = CLASSES
MIN_S_PER_BYTE = 1e-12  # a thousand times faster than any core
NOISE = 0.01  # of a time, where the data do not say
HUBER = 1.5  # from so many times the noise on, an error counts by its size, not by its square
PENALTY = 4.0  # what a further group must gain; in squares of the noise, halved
ROUNDS = 12  # of reweighting; settled after half as many
JUMP = 0.10  # a jump that most classes of several have
LONE_JUMP = 0.20  # … that the only class has, with no other to confirm it
STEEPER = 1.15  # times grow by so much more than sizes: no line with a latency of 0 or more does
DUST = 1e-9  # of floating point
FINEST = 2.0  # proportional pieces for each doubling

Piece = tuple[int, float, float]  # from bytes, latency in seconds, seconds per byte
Line = tuple[float, float]  # latency, seconds per byte


@dataclass(frozen=True)
class Point:
    """Half a round trip of so many bytes; `noise` is relative: by how much this time may be wrong."""

    bytes: int
    seconds: float
    noise: float = NOISE


@dataclass(frozen=True)
class Limits:
    """What no piece may fall below: `floor` in seconds per byte, `base` in seconds of latency."""

    floor: float = 0.0
    base: float = 0.0


@dataclass(frozen=True)
class Error:
    """By how much of the measured time a curve misses it; negative where it is too fast."""

    bytes: int
    share: float


@dataclass(frozen=True)
class CurveFit:
    """The times of a class and the curve through them; `jumps`: sizes where a protocol begins."""

    points: tuple[Point, ...]
    pieces: tuple[Piece, ...]
    jumps: tuple[int, ...] = ()

    @property
    def errors(self) -> list[Error]:
        """Of the curve at each of its points."""
        return [Error(p.bytes, curve_at(self.pieces, p.bytes) / p.seconds - 1) for p in self.points]

    @property
    def text(self) -> str:
        """How well the pieces meet the points, in words."""
        sizes, pieces = counted(len(self.points), "size"), counted(len(self.pieces), "piece")
        return f"{sizes} in {pieces}; error {error_text(self.errors)}"


def error_text(errors: Sequence[Error]) -> str:
    """Their median and maximum in words."""
    worst = max(errors, key=lambda e: abs(e.share))
    middle = median(abs(e.share) for e in errors)
    return f"{middle:.1%} median, {abs(worst.share):.1%} max (at {format_size(worst.bytes)})"


def fit_curves(
    times: Mapping[str, Sequence[Point]],
    limits: Callable[[str], Limits],
    known: Mapping[str, Sequence[int]] | None = None,
    also: int = 0,
) -> dict[str, CurveFit]:
    """Curves by class. Jumps are found in all classes of a node together and in the network by itself, unless they are `known`, by class
    or "within" for all classes of a node; `also`: a size where a protocol begins in every class that was measured there."""
    found = {}
    for levels in ([lv for lv in times if lv != NETWORK], [lv for lv in times if lv == NETWORK]):
        jumps = jumps_of([times[lv] for lv in levels])
        if any(p.bytes == also for lv in levels for p in times[lv]):
            jumps = sorted({*jumps, also})
        if known and levels != [NETWORK]:
            jumps = sorted(known.get("within", jumps))
        for level in levels:
            own = tuple(sorted((known or {}).get(level, jumps)))
            found[level] = CurveFit(tuple(times[level]), tuple(pieces_of(times[level], limits(level), own)), own)
    return found


def curve_at(pieces: Sequence[Piece], size: int) -> float:
    """The time of a message of so many bytes."""
    _, latency, slope = [p for p in pieces if p[0] <= size][-1]
    return latency + size * slope


def jumps_of(curves: Sequence[Sequence[Point]]) -> list[int]:
    """The sizes from which on a protocol takes over, common to classes that share a transport; each is the first size measured of
    the new protocol.

    From one size to the next a time jumps where it grows by more than its neighbours' slopes explain, or by less than both. A jump is
    what most classes see: the median over them is at least JUMP of the time before; for a single class, LONE_JUMP. Sizes that not all
    classes have are left out."""
    sizes = sorted(set.intersection(*({p.bytes for p in c if p.bytes > 0} for c in curves))) if curves else []
    least = JUMP if len(curves) > 1 else LONE_JUMP
    times = [{p.bytes: p.seconds for p in curve} for curve in curves]
    found: set[int] = set()
    while True:  # the largest first, for a jump explains no slope of its neighbours
        rest = [at for at in range(1, len(sizes)) if sizes[at] not in found]
        sized = {at: median(abs(_jump([(n, t[n]) for n in sizes], at, found)) for t in times) for at in rest}
        at = max(rest, key=lambda i: sized[i], default=0)
        if not at or sized[at] < least:
            return sorted(found)
        found.add(sizes[at])


def _jump(times: Sequence[tuple[int, float]], at: int, known: set[int]) -> float:
    """By how much of the time before the step to times[at] exceeds, or stays behind, what its neighbours' slopes explain; steps that
    are `known` to be jumps explain nothing."""
    (before, low), (size, high) = times[at - 1], times[at]
    slopes = [
        (times[i][1] - times[i - 1][1]) / (times[i][0] - times[i - 1][0])
        for i in (at - 1, at + 1)
        if 0 < i < len(times) and times[i][0] not in known
    ]
    beyond = 0.0
    if len(slopes) == 2:  # one alone may be the bend of a curve
        explained = [max(slope, 0.0) * (size - before) for slope in slopes]
        beyond = max(high - low - max(explained), 0.0) + min(high - low - min(explained), 0.0)
    return beyond / low


def pieces_of(points: Sequence[Point], limits: Limits = Limits(), jumps: Sequence[int] = ()) -> list[Piece]:
    """The curve through points of ascending sizes above 0, from 0 bytes on and beyond the last point. `jumps`: sizes from which a
    protocol takes over; between two of them the curve does not step up. Where the points themselves fall by more than their noise,
    or rise as no line does, it steps nevertheless, at the size behind."""
    parts = [part for part in _protocols(points, jumps) if part]
    lines: list[list[tuple[list[Point], Line]]] = []
    following = None
    for part in reversed(parts):
        lines.insert(0, _lines(part, limits, following))
        following = lines[0][0][1][1]
    pieces: list[Piece] = []
    for found in lines:
        first, line = found[0]
        start = max((j for j in jumps if j <= first[0].bytes), default=0) if pieces else 0
        pieces.append((start or (first[0].bytes if pieces else 0), *line))
        for (left, one), (right, other) in pairwise(found):
            pieces += _joined(left[-1].bytes, one, right[0].bytes, other, limits)
    return [one for one, later in pairwise(pieces) if one[0] < later[0]] + pieces[-1:]


def _protocols(points: Sequence[Point], jumps: Sequence[int]) -> Iterator[list[Point]]:
    edges = [0, *sorted(jumps), math.inf]
    for low, high in pairwise(edges):
        yield [p for p in points if low <= p.bytes < high]


def _lines(points: list[Point], limits: Limits, following: float | None) -> list[tuple[list[Point], Line]]:
    """The points of a protocol in groups, each with its line. `following`: the slope that the next protocol begins with."""
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(points) + 1):
        best.append(min((best[i][0] + _cost(points[i:end], limits) + PENALTY, i) for i in range(end)))
    groups: list[list[Point]] = []
    end = len(points)
    while end:
        groups.insert(0, points[best[end][1] : end])
        end = best[end][1]
    lines = []
    for at, group in enumerate(groups):
        # A size alone says nothing of a slope: its neighbours do, or the next protocol.
        beside = groups[at + 1][0] if at + 1 < len(groups) else groups[at - 1][-1] if at else None
        slope = following or 0.0
        if beside:
            slope = (beside.seconds - group[0].seconds) / (beside.bytes - group[0].bytes)
        lines.append((group, line_of(group, limits, slope)))
    return lines


def _cost(group: Sequence[Point], limits: Limits) -> float:
    if len(group) == 1:
        return 0.0
    latency, slope = line_of(group, limits)
    return sum(_huber((latency + slope * p.bytes - p.seconds) / (p.seconds * p.noise)) for p in group)


def _huber(error: float) -> float:
    size = abs(error)
    return size * size / 2 if size <= HUBER else HUBER * (size - HUBER / 2)


def line_of(group: Sequence[Point], limits: Limits, slope: float = 0.0) -> Line:
    """Latency and seconds per byte of the line through a group by relative errors, large ones counting less; `slope` is what a single
    point takes, as far as the limits let it."""
    if len(group) == 1:
        (p,) = group
        slope = max(min(slope, (p.seconds - limits.base) / p.bytes), limits.floor)
        return max(p.seconds - slope * p.bytes, limits.base), slope
    weights = [1.0] * len(group)
    latency = slope = 0.0
    for _ in range(ROUNDS):
        latency, slope = _weighted(group, weights, limits)
        errors = [abs(latency + slope * p.bytes - p.seconds) / (p.seconds * p.noise) for p in group]
        weights = [1.0 if e <= HUBER else HUBER / e for e in errors]
    return latency, slope


def _weighted(group: Sequence[Point], weights: Sequence[float], limits: Limits) -> Line:
    each = [w / (p.seconds * p.noise) ** 2 for p, w in zip(group, weights, strict=True)]
    total = sum(each)
    n = sum(w * p.bytes for p, w in zip(group, each, strict=True)) / total
    t = sum(w * p.seconds for p, w in zip(group, each, strict=True)) / total
    square = sum(w * (p.bytes - n) ** 2 for p, w in zip(group, each, strict=True))
    slope = sum(w * (p.bytes - n) * (p.seconds - t) for p, w in zip(group, each, strict=True)) / square
    latency = t - slope * n
    if latency < limits.base:
        latency = limits.base
        slope = sum(w * p.bytes * (p.seconds - latency) for p, w in zip(group, each, strict=True)) / sum(
            w * p.bytes**2 for p, w in zip(group, each, strict=True)
        )
    if slope < limits.floor:
        slope = limits.floor
        latency = max(t - slope * n, limits.base)
    return latency, slope


def _joined(low: int, one: Line, high: int, other: Line, limits: Limits) -> list[Piece]:
    """The pieces that lead from one line, of sizes up to `low`, to another, of sizes from `high`."""
    meet = (other[0] - one[0]) / (one[1] - other[1]) if one[1] != other[1] else 0.0
    if low <= meet * (1 + DUST) and meet <= high * (1 + DUST):
        return [(math.ceil(meet * (1 - DUST)), *other)]
    start, end = one[0] + one[1] * low, other[0] + other[1] * high
    if (end - start) / (high - low) < limits.floor or end > STEEPER * start * high / low:
        return [(high, *other)]
    return [*bridge((low, start), (high, end), limits), (high, *other)]


def bridge(one: tuple[int, float], other: tuple[int, float], limits: Limits = Limits()) -> list[Piece]:
    """The pieces that lead straight from one (bytes, seconds) to another, from the next byte on: a line, or where it would begin below
    the limit, proportional pieces along it."""
    (low, start), (high, end) = one, other
    slope = (end - start) / (high - low)
    latency = start - slope * low
    if latency >= limits.base:
        return [(low + 1, latency, slope)]
    count = math.ceil(FINEST * math.log2(high / low))
    edges = [low * (high / low) ** (k / count) for k in range(count + 1)]
    between = []
    for left, right in pairwise(edges):
        middle = math.sqrt(left * right)
        time = latency + slope * middle
        between.append((math.floor(left) + 1, limits.base, max((time - limits.base) / middle, limits.floor)))
    return between
