"""From samples to a machine's numbers: curves of straight pieces, overhead, γ, copies, memory, and the least of everything.

A curve is of messages from a common start, as collectives have it, alone and with one the other way: half a round trip hides a
receive's posting behind the wait for it, and the loop of a ping-pong runs warmer than any call. It takes the median of each launch and
pair, and of these their median: launches differ (where the system puts ranks and pages), and what is predicted is a median, too. A copy
is of what has just been received over what has just been sent: its lines are in another core's cache. The bound (bounds.loggp) takes the
least of everything, ping-pongs among it; those numbers stand in the table [least].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from collscope.base.statistics import lower_quartile, quantile
from collscope.calibration.curves import Limits, Piece, Point, curve_at, jumps_of, pieces_of
from collscope.calibration.noise import Quantiles, noise_of_messages
from collscope.calibration.topology import Cpu, Topology, level_of

NOISE = 0.03  # of a quartile on a machine that does other things, too
MAX_OVERHEAD = 0.45  # of the shortest half round trip: two overheads and a latency must fit in

Line = Mapping[str, Any]


@dataclass(frozen=True)
class Fit:
    """What the samples say; times in seconds."""

    curves: Mapping[str, list[Piece]]  # of each class
    overhead_s: float
    gamma: tuple[float, float, float]  # seconds a byte: value and range
    copy: tuple[float, float, float]
    memory_bytes_per_s: float
    least: Mapping[str, float]  # o, g, L in seconds; G, gamma in seconds a byte
    quality: Mapping[str, Quality]  # of each curve
    # class → (bytes, how much single messages vary), where it was measured
    noise: Mapping[str, list[tuple[int, Quantiles]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Quality:
    """How well the pieces of a curve meet what was measured: by how much of it they miss, and from how much this is known."""

    samples: int
    sizes: int
    median: float
    worst: float
    worst_bytes: int

    @property
    def text(self) -> str:
        """In words."""
        return (
            f"{self.samples} samples of {self.sizes} sizes; the pieces miss them by {self.median:.1%} (median), "
            f"by {self.worst:.1%} at {self.worst_bytes} bytes (most)"
        )


def fit(lines: Sequence[Line], machine: Topology) -> Fit:
    """The numbers from the lines of all launches (see probe)."""
    copies, reductions = _entries(lines, "copy"), _entries(lines, "gamma")
    exchanged = _entries(lines, "copy_exchanged")
    floor = min(min(e["samples"]) for e in copies)
    typical, shortest = _times(lines, machine)
    sends = _entries(lines, "overhead")
    overhead = min(
        min(lower_quartile(e["samples"]) for e in sends),
        MAX_OVERHEAD * min(_median(t) for sizes in typical.values() for t in sizes.values()),
    )
    points = {level: _rising(sizes) for level, sizes in typical.items()}
    jumps = jumps_of(list(points.values()))
    curves = {level: pieces_of(each, Limits(floor, 2 * overhead), jumps) for level, each in points.items()}
    uncached = max(copies, key=lambda e: (e["bytes"], e["ranks"]))
    memory = uncached["ranks"] / lower_quartile(uncached["samples"])

    o = min([min(e["samples"]) for e in sends] + [min(e["samples"]) for e in _entries(lines, "gap") if e["bytes"] <= 1])
    o = min(o, MAX_OVERHEAD * min(t for _, t in shortest))
    latency = min(t - n * floor for n, t in shortest) - 2 * o
    if latency < 0:
        o, latency = max(o + latency / 2, 0.0), 0.0
    least = {"o": o, "g": o, "L": latency, "G": floor, "gamma": min(min(e["samples"]) for e in reductions)}
    each = max(len(e["samples"]) for e in _entries(lines, "message"))
    quality = {level: quality_of(curves[level], sizes, each) for level, sizes in typical.items()}
    noise = _noises(lines, machine, points)
    return Fit(curves, overhead, _local_work(reductions), _copy(exchanged, copies), memory, least, quality, noise)


def quality_of(pieces: Sequence[Piece], sizes: Mapping[int, Sequence[float]], each: int) -> Quality:
    """Of a curve's pieces, beside the median time of each size; each of these times is made from so many samples."""
    missed = []
    for n, times in sizes.items():
        if n > 0:  # see _rising
            missed.append((abs(curve_at(pieces, n) / _median(times) - 1), n))
    worst, at = max(missed)
    samples = each * sum(map(len, sizes.values()))
    return Quality(samples, len(missed), quantile(sorted(m for m, _ in missed), 0.5), worst, at)


def _entries(lines: Sequence[Line], name: str) -> list[Line]:
    return [line[name] for line in lines if name in line]


def _median(times: Sequence[float]) -> float:
    return quantile(sorted(times), 0.5)


def _times(
    lines: Sequence[Line], machine: Topology
) -> tuple[dict[str, dict[int, list[float]]], list[tuple[int, float]]]:
    """Class → bytes → the median of each pair and launch; and (bytes, the least of all samples) of each, round trips among them."""
    level = level_in(lines, machine)
    typical: dict[str, dict[int, list[float]]] = {}
    shortest: list[tuple[int, float]] = []
    for e in _entries(lines, "message"):
        typical.setdefault(level(e), {}).setdefault(e["bytes"], []).append(_median(e["samples"]))
    for e in [*_entries(lines, "message"), *_entries(lines, "pingpong")]:
        shortest.append((e["bytes"], min(e["samples"])))
    return typical, shortest


def level_in(lines: Sequence[Line], machine: Topology) -> Callable[[Line], str]:
    """The class of the pair that an entry names as `a` and `b`, by where its ranks ran."""
    cores, by_number = machine.cores, {c.number: c for c in machine.cpus}
    cpu_of = {place["rank"]: by_number.get(place["cpu"]) for place in reversed(_entries(lines, "place"))}

    def cpu(rank: int) -> Cpu:
        return cpu_of.get(rank) or cores[min(rank, len(cores) - 1)]

    return lambda entry: level_of(cpu(entry["a"]), cpu(entry["b"]))


def _noises(
    lines: Sequence[Line], machine: Topology, points: Mapping[str, Sequence[Point]]
) -> dict[str, list[tuple[int, Quantiles]]]:
    """Of each class its first pair's single messages, all launches together, about the times that the curve is fitted to."""
    level = level_in(lines, machine)
    found: dict[str, dict[int, list[Line]]] = {}
    for e in _entries(lines, "single"):
        found.setdefault(level(e), {}).setdefault(e["bytes"], []).append(e)
    made: dict[str, list[tuple[int, Quantiles]]] = {}
    for name, sizes in found.items():
        typical = {p.bytes: p.seconds for p in points[name]}
        for size, entries in sorted(sizes.items()):
            first = entries[0]["a"], entries[0]["b"]
            samples = [t for e in entries if (e["a"], e["b"]) == first for t in e["samples"]]
            if size in typical and (noise := noise_of_messages(samples, typical[size])):
                made.setdefault(name, []).append((size, noise))
    return made


def _rising(sizes: Mapping[int, Sequence[float]]) -> list[Point]:
    """The points of a class, ascending. An empty message takes a path of its own in some libraries: the curve begins with one byte.
    More bytes never take less time: where they seem to, the shorter message was disturbed or took a slower path."""
    points: list[Point] = []
    for n, t in sorted(sizes.items(), reverse=True):
        if n > 0:
            points.append(Point(n, min([_median(t), *(p.seconds for p in points[-1:])]), NOISE))
    return points[::-1]


def _copy(exchanged: Sequence[Line], private: Sequence[Line]) -> tuple[float, float, float]:
    """Seconds a byte of a copy between messages: of the middle size, and the range over all copies, those of a rank's own memory among
    them."""
    sizes = sorted({e["bytes"] for e in exchanged})
    value = _median([_median(e["samples"]) for e in exchanged if e["bytes"] == sizes[len(sizes) // 2]])
    every = [*exchanged, *private]
    return value, min(min(e["samples"]) for e in every), max(value, *(lower_quartile(e["samples"]) for e in every))


def _local_work(found: Sequence[Line]) -> tuple[float, float, float]:
    """Seconds a byte of reductions: of the middle size with all ranks at work, and the range over sizes and ranks."""
    sizes = sorted({e["bytes"] for e in found})
    middle = sizes[len(sizes) // 2]
    most = max(e["ranks"] for e in found)
    value = next(lower_quartile(e["samples"]) for e in found if e["bytes"] == middle and e["ranks"] == most)
    low = min(min(e["samples"]) for e in found)
    high = max(lower_quartile(e["samples"]) for e in found)
    return value, min(low, value), max(high, value)
