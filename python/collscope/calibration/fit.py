"""From samples to a machine's numbers: curves of straight pieces, overhead, γ, copies, memory, and the least of everything.

A curve takes the lower quartile of its samples, from the better of the launches and pairs: on a machine that does other things
too, the median tells of those. The bound (bounds.loggp) takes the least of everything; those numbers stand in the table [least].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from collscope.base.statistics import quantile
from collscope.calibration.topology import Cpu, Topology, level_of

TOLERANCE = 0.05  # a piece of a curve may miss a measured point by this much
MOST_OVERHEAD = 0.45  # of the shortest half round trip: two overheads and a latency must fit in

Line = Mapping[str, Any]


@dataclass(frozen=True)
class Fit:
    """What the samples say; times in seconds."""

    curves: Mapping[str, list[tuple[int, float, float]]]  # class: (from bytes, latency, s_per_byte)
    overhead_s: float
    gamma: tuple[float, float, float]  # seconds a byte: value and range
    copy: tuple[float, float, float]
    memory_bytes_per_s: float
    least: Mapping[str, float]  # o, g, L in seconds; G, gamma in seconds a byte
    quality: Mapping[str, Quality]  # of each curve


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
    floor = min(min(e["samples"]) for e in copies)
    typical, shortest = _half_round_trips(lines, machine)
    sends = _entries(lines, "overhead")
    overhead = min(
        min(quartile(e["samples"]) for e in sends),
        MOST_OVERHEAD * min(min(t) for sizes in typical.values() for t in sizes.values()),
    )
    curves = {level: pieces_of(_rising(sizes), floor, 2 * overhead) for level, sizes in typical.items()}
    uncached = max(copies, key=lambda e: (e["bytes"], e["ranks"]))
    memory = uncached["ranks"] / quartile(uncached["samples"])

    o = min([min(e["samples"]) for e in sends] + [min(e["samples"]) for e in _entries(lines, "gap") if e["bytes"] <= 1])
    o = min(o, MOST_OVERHEAD * min(t for _, t in shortest))
    latency = min(t - n * floor for n, t in shortest) - 2 * o
    if latency < 0:
        o, latency = max(o + latency / 2, 0.0), 0.0
    least = {"o": o, "g": o, "L": latency, "G": floor, "gamma": min(min(e["samples"]) for e in reductions)}
    each = max(len(e["samples"]) for e in _entries(lines, "pingpong"))
    quality = {level: quality_of(curves[level], sizes, each) for level, sizes in typical.items()}
    return Fit(curves, overhead, _local_work(reductions), _local_work(copies), memory, least, quality)


def quality_of(pieces: Sequence[tuple[int, float, float]], sizes: Mapping[int, Sequence[float]], each: int) -> Quality:
    """Of a curve's pieces, beside the best time of each size; each of these times is made from so many samples."""
    missed = []
    for n, times in sizes.items():
        if n > 0:  # see _rising
            _, latency, slope = [p for p in pieces if p[0] <= n][-1]
            missed.append((abs(latency + n * slope - min(times)) / min(times), n))
    worst, at = max(missed)
    samples = each * sum(map(len, sizes.values()))
    return Quality(samples, len(missed), quantile(sorted(m for m, _ in missed), 0.5), worst, at)


def quartile(samples: Sequence[float]) -> float:
    """The lower quartile of samples in any order."""
    return quantile(sorted(samples), 0.25)


def _entries(lines: Sequence[Line], name: str) -> list[Line]:
    return [line[name] for line in lines if name in line]


def _half_round_trips(
    lines: Sequence[Line], machine: Topology
) -> tuple[dict[str, dict[int, list[float]]], list[tuple[int, float]]]:
    """Class → bytes → the lower quartile of each pair and launch; and (bytes, the least of all samples) of each."""
    cores, by_number = machine.cores, {c.number: c for c in machine.cpus}
    cpu_of = {place["rank"]: by_number.get(place["cpu"]) for place in reversed(_entries(lines, "place"))}

    def cpu(rank: int) -> Cpu:
        return cpu_of.get(rank) or cores[min(rank, len(cores) - 1)]

    typical: dict[str, dict[int, list[float]]] = {}
    shortest: list[tuple[int, float]] = []
    for e in _entries(lines, "pingpong"):
        sizes = typical.setdefault(level_of(cpu(e["a"]), cpu(e["b"])), {})
        sizes.setdefault(e["bytes"], []).append(quartile(e["samples"]))
        shortest.append((e["bytes"], min(e["samples"])))
    return typical, shortest


def _rising(sizes: Mapping[int, Sequence[float]]) -> list[tuple[int, float]]:
    """(bytes, seconds) of a class, ascending. An empty message takes a path of its own in some libraries: the curve begins with one byte.
    More bytes never take less time: where they seem to, the shorter message was disturbed or took a slower path."""
    times: list[tuple[int, float]] = []
    for n, t in sorted(sizes.items(), reverse=True):
        if n > 0:
            times.append((n if n > 1 else 0, min([*t, times[-1][1]] if times else t)))
    return times[::-1]


def _local_work(found: Sequence[Line]) -> tuple[float, float, float]:
    """Seconds a byte of copies or reductions: of the middle size with all ranks at work, and the range over sizes and ranks."""
    sizes = sorted({e["bytes"] for e in found})
    middle = sizes[len(sizes) // 2]
    most = max(e["ranks"] for e in found)
    value = next(quartile(e["samples"]) for e in found if e["bytes"] == middle and e["ranks"] == most)
    low = min(min(e["samples"]) for e in found)
    high = max(quartile(e["samples"]) for e in found)
    return value, min(low, value), max(high, value)


def pieces_of(times: Sequence[tuple[int, float]], floor: float, base: float = 0.0) -> list[tuple[int, float, float]]:
    """Straight pieces (from bytes, latency, s_per_byte) through (bytes, seconds), as few as keep within TOLERANCE of every point.

    No piece is so steep that its latency would be less than `base`, nor flatter than `floor`, which is what a core needs to copy the bytes
    once; so the curve may step where a new piece begins. Beyond the last point it goes on."""
    pieces = []
    at, last = 0, len(times) - 1
    while at <= last:
        start, time = times[at]
        steepest = max(time - base, 0.0) / start if start else float("inf")
        end, slope = at, max(floor, steepest) if start else floor
        for reach in range(at + 1, last + 1):
            candidate = min(max(floor, (times[reach][1] - time) / (times[reach][0] - start)), max(steepest, floor))
            if reach == at + 1:
                slope = candidate
            if any(abs(time + (n - start) * candidate - t) > TOLERANCE * t for n, t in times[at + 1 : reach + 1]):
                break
            end, slope = reach, candidate
        pieces.append((start, max(time - start * slope, base), slope))
        if end == last:
            break
        at = max(end, at + 1)
    return pieces
