"""From a cluster's answers to the numbers that a specification may hold: only those that the answers tell.

A rate is the slope between two numbers of messages, so neither start nor latency is in it. A capacity is told where messages that meet
are slower than alone; where they are not, it is left out, with a note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from collscope.calibration.curves import Limits, Piece, Point, curve_at, jumps_of, line_of, pieces_of
from collscope.calibration.noise import Quantiles, noise_of
from collscope.calibration.p2p import Answer, Answers, Flow
from collscope.calibration.survey import FEW, NETWORK, STREAM, Shape, groups

SURE = (2e-4, 0.3)  # relative noise of a time: at least, at most
DISTURBED = 0.01  # of a time: from this noise on a shorter message that seems to take longer was disturbed
SLOWER = 0.10  # a non-blocking message differs by so much where it has a curve of its own
MEETING = 0.90  # of what pairs would move if they did not meet: below, a link is shared
SAME = 0.03
LINK_SHARE = 0.98  # a rate is not known better
MIN_SLOPE = 1e-12  # seconds a byte: a thousand times faster than any core
NIC_SLOWER = 1.25  # a NIC's gap shows where messages leave so much slower than processors send and receive
MAX_OF_MESSAGE = 0.45  # that an overhead may be: two, and a latency, must fit in
MAX_GAP = 0.95

WAYS = {
    "cache": ("core", "memory"),
    "socket": ("core", "memory"),
    "node": ("core", "memory", "interconnect"),
    NETWORK: ("core", "nic", "switch"),
}
"""The links on the way of each class."""


@dataclass
class Found:
    """Numbers of a cluster; None: not told. Times in seconds, rates in bytes a second. `notes`: what a reader should know."""

    times: dict[str, list[Point]] = field(default_factory=dict)
    curves: dict[str, list[Piece]] = field(default_factory=dict)
    nonblocking: dict[str, list[Piece]] = field(default_factory=dict)
    gaps: dict[str, list[tuple[int, float]]] = field(default_factory=dict)  # class → (bytes, a sender's seconds)
    receives: dict[str, list[tuple[int, float]]] = field(default_factory=dict)  # a receiver's, the overhead included
    jumps: dict[str, list[int]] = field(default_factory=dict)
    overhead_s: float = 0.0
    eager: tuple[int, int] = (
        0,
        0,
    )  # the largest message whose send did not wait; the smallest whose send did, 0: none did
    eager_nonblocking: tuple[int, int] = (0, 0)
    in_order: bool | None = None
    nic_gap_s: float | None = None
    rates: dict[str, tuple[float, bool]] = field(
        default_factory=dict
    )  # core, nic, switch, memory, interconnect → rate, told
    local: dict[str, tuple[float, float, float]] = field(default_factory=dict)  # gamma, copy, touch → value and range
    noise: dict[str, list[tuple[int, Quantiles]]] = field(default_factory=dict)  # class → (bytes, noise), ascending
    notes: list[str] = field(default_factory=list)


def numbers(shape: Shape, seen: Answers) -> Found:
    """All of them."""
    found = Found()
    eager_limits(shape, seen, found)
    found.overhead_s = overhead(shape, seen)
    for level in shape.pairs():
        found.times[level] = points(shape, seen, level, "pingpong")
        found.gaps[level] = gaps(shape, seen, level, found)
        found.receives[level] = receives(shape, seen, level, found)
    capacities(shape, seen, found)
    curves(shape, seen, found)
    order(shape, seen, found)
    found.nic_gap_s = nic_gap(shape, seen, found)
    for level in shape.pairs():
        found.noise[level] = noises(shape, seen, level, found)
    for pattern in ("gamma", "copy", "touch"):
        found.local[pattern] = local_work(seen.of(pattern))
    return found


# ---- one message ------------------------------------------------------------------------------------------


def points(shape: Shape, seen: Answers, level: str, pattern: str) -> list[Point]:
    """Half a round trip by size: of the best pair its lower quartile; the noise is what its median is above that, or that above its
    least. More bytes never take less time: where times are noisy and seem to, the shorter message was disturbed."""
    best: dict[int, Answer] = {}
    for pair in shape.pairs()[level]:
        for answer in seen.of(pattern, flows=(pair,)):
            n = answer.wanted.bytes
            if n > 0 and (n not in best or answer.typical < best[n].typical):
                best[n] = answer
    made: list[Point] = []
    for n, answer in sorted(best.items(), reverse=True):
        noise = max(median(answer.samples) / answer.typical, answer.typical / min(answer.samples)) - 1
        time = answer.typical
        if made and noise > DISTURBED:
            time = min(time, made[-1].seconds)
        made.append(Point(n, time, min(max(noise, SURE[0]), SURE[1])))
    return made[::-1]


def curves(shape: Shape, seen: Answers, found: Found) -> None:
    """Pieces of each class, jumps found in all classes of a node together and in the network by itself; of non-blocking messages where
    they differ."""
    for levels in ([lv for lv in found.times if lv != NETWORK], [lv for lv in found.times if lv == NETWORK]):
        jumps = jumps_of([found.times[lv] for lv in levels]) if levels else []
        if found.eager[1] and any(found.eager[1] == p.bytes for lv in levels for p in found.times[lv]):
            jumps = sorted({*jumps, found.eager[1]})
        for level in levels:
            found.jumps[level] = jumps
            # No message is faster than the links on its way, whatever noise makes of its neighbours.
            floor = max(LINK_SHARE / narrowest(found, level), MIN_SLOPE)
            limits = Limits(floor, 2 * found.overhead_s)
            found.curves[level] = pieces_of(found.times[level], limits, jumps)
            others = points(shape, seen, level, "pingpong_nonblocking")
            blocking = {p.bytes: p.seconds for p in found.times[level]}
            differs = [abs(p.seconds / blocking[p.bytes] - 1) > SLOWER for p in others if p.bytes in blocking]
            if any(a and b for a, b in pairwise(differs)):
                found.nonblocking[level] = pieces_of(others, limits, jumps_of([others]))


def narrowest(found: Found, level: str) -> float:
    """Bytes a second of the narrowest link that was measured on the way of a class; infinite where none was."""
    return min((found.rates[link][0] for link in WAYS[level] if link in found.rates), default=float("inf"))


def noises(shape: Shape, seen: Answers, level: str, found: Found) -> list[tuple[int, Quantiles]]:
    """How much the messages of a class vary about the times that its curve is fitted to, by size; of one pair."""
    typical = {p.bytes: p.seconds for p in found.times[level]}
    made = []
    for answer in seen.of("pingpong", single=True, flows=(shape.pairs()[level][0],)):
        size = answer.wanted.bytes
        if size in typical and (noise := noise_of(answer.samples, typical[size])):
            made.append((size, noise))
    return sorted(made)


def overhead(shape: Shape, seen: Answers) -> float:
    """Receiving a byte that is there, in the class where it is least; so that two fit into the shortest message."""
    pairs = [p[0] for p in shape.pairs().values()]
    least = min(a.typical for pair in pairs for a in seen.of("receive", flows=(pair,), bytes=1))
    shortest = min(a.typical for pair in pairs for a in seen.of("pingpong", flows=(pair,)))
    return min(least, MAX_OF_MESSAGE * shortest)


def eager_limits(shape: Shape, seen: Answers, found: Found) -> None:
    """Of the widest class: a simulation has one limit for all."""
    *_, (level, (pair, *_)) = shape.pairs().items()
    for pattern, name in (("late", "eager"), ("late_nonblocking", "eager_nonblocking")):
        largest, waits = 0, 0
        for answer in sorted(seen.of(pattern, flows=(pair,)), key=lambda a: a.wanted.bytes):
            if min(answer.samples) >= 0.9e-3 * answer.wanted.count:
                waits = answer.wanted.bytes
                break
            largest = answer.wanted.bytes
        setattr(found, name, (largest, waits))
        if not waits:
            found.notes.append(f"{name}: no send of up to {largest} bytes waited for its receive ({level})")


# ---- messages that meet -----------------------------------------------------------------------------------


def slope(
    seen: Answers, of: Sequence[Flow], size: int, counts: tuple[int, int], value: str = "samples"
) -> float | None:
    """Seconds by which a further message on each flow is later; None: not measured, or lost in the noise."""
    both = [seen.of("flows", flows=tuple(of), bytes=size, count=count) for count in counts]
    if not all(both):
        return None
    first, last = (sorted(getattr(b[0], value)) for b in both)
    if not first or not last:
        return None
    return (last[len(last) // 4] - first[len(first) // 4]) / (counts[1] - counts[0])


def gaps(shape: Shape, seen: Answers, level: str, found: Found) -> list[tuple[int, float]]:
    """What a sender spends on a message that need not wait, by size."""
    pair = shape.pairs()[level][0]
    made = []
    for point in found.times[level]:
        gap = slope(seen, (pair,), point.bytes, STREAM, "issue")
        if gap and gap > 0 and point.bytes <= (found.eager_nonblocking[0] or found.eager[0]):
            made.append((point.bytes, min(gap, MAX_GAP * point.seconds)))
    return made


def receives(shape: Shape, seen: Answers, level: str, found: Found) -> list[tuple[int, float]]:
    """What a receiver spends on an eager message that has arrived, by size; nothing where that is the overhead at every size."""
    pair = shape.pairs()[level][0]
    sender, whole = dict(found.gaps[level]), {p.bytes: p.seconds for p in found.times[level]}
    made = []
    for answer in sorted(seen.of("receive", flows=(pair,)), key=lambda a: a.wanted.bytes):
        size = answer.wanted.bytes
        if size <= found.eager[0] and size in whole:
            most = MAX_GAP * whole[size] - sender.get(size, found.overhead_s)
            made.append((size, max(min(answer.typical, most), found.overhead_s)))
    return made if any(seconds > (1 + SAME) * found.overhead_s for _, seconds in made) else []


def rate(seen: Answers, of: Sequence[Flow], counts: tuple[int, int] = FEW) -> float | None:
    """Bytes a second of all flows together, at the largest size that was measured."""
    sizes = [a.wanted.bytes for a in seen.of("flows", flows=tuple(of), count=counts[1])]
    each = slope(seen, of, max(sizes), counts) if sizes else None
    return len(of) * max(sizes) / each if each and each > 0 else None


def capacities(shape: Shape, seen: Answers, found: Found) -> None:
    """Of links. One stream's rate is that of the narrowest link on its way; what is shared is seen where streams meet."""
    alone: dict[str, float] = {}
    for level, pairs in shape.pairs().items():
        if one := rate(seen, pairs[:1], STREAM):
            alone[level] = one
    inside = [r for level, r in alone.items() if level != NETWORK]
    if inside:
        found.rates["core"] = (max(inside), True)
    for level, link in (("cache", "memory"), ("socket", "memory"), ("node", "interconnect"), (NETWORK, "nic")):
        if level not in alone:
            continue
        together = {len(of): r for of in groups(shape, level) if is_side(of) and (r := rate(seen, of))}
        if together:
            k = max(together)
            told = together[k] < MEETING * k * alone[level]
            if told or level == NETWORK:
                best = max([*together.values(), alone[level]])
                found.rates[link] = (max(best, found.rates.get(link, (0.0, False))[0]), told)
    if NETWORK in alone:
        stars = [r * busiest(shape, of) for of in groups(shape, NETWORK) if not is_side(of) and (r := rate(seen, of))]
        nic, told = found.rates.get("nic", (0.0, False))
        if stars and max(stars) > nic:
            nic, told = max(stars), max(stars) < MEETING * 2 * alone[NETWORK]
        found.rates["nic"] = (max(nic, alone[NETWORK]), told)
        core = found.rates.get("core", (float("inf"), False))[0]
        if alone[NETWORK] < (1 - SAME) * min(core, nic):
            found.rates["switch"] = (alone[NETWORK], True)
        if not told:
            found.notes.append("nic_bytes_per_s: streams that met were not slower than alone; it is at least this")
    for link, levels in (("memory", ("cache", "socket")), ("interconnect", ("node",))):
        if link not in found.rates and any(level in alone for level in levels):
            found.notes.append(f"{link}_bytes_per_s: left out, no streams that met there were slower than alone")


def is_side(of: Sequence[Flow]) -> bool:
    """Whether these are pairs side by side: no rank in two of them."""
    ranks = [r for flow in of for r in flow]
    return len(set(ranks)) == len(ranks)


def busiest(shape: Shape, of: Sequence[Flow]) -> float:
    """The share of these flows that one node's NIC has in one direction."""
    ends = [Counter(shape.node_of(flow[at]) for flow in of) for at in (0, 1)]
    return max(max(end.values()) for end in ends) / len(of)


def order(shape: Shape, seen: Answers, found: Found) -> None:
    """Whether the first message of a stream arrives as if it were alone, or with the last."""
    *_, pairs = shape.pairs().values()
    streams = seen.of("flows", flows=(pairs[0],), count=STREAM[1])
    if streams:
        many = max(streams, key=lambda a: a.wanted.bytes)
        for one in seen.of("flows", flows=(pairs[0],), count=STREAM[0], bytes=many.wanted.bytes):
            found.in_order = median(many.first) < (one.typical + many.typical) / 2


def nic_gap(shape: Shape, seen: Answers, found: Found) -> float | None:
    """Seconds between two one-byte messages that leave a node, where that is more than its senders and their receivers need."""
    if NETWORK not in shape.pairs():
        return None
    pair = shape.pairs()[NETWORK][0]
    tried: list[tuple[int, float | None]] = [(1, slope(seen, (pair,), 1, STREAM))]
    side = [of for of in groups(shape, NETWORK) if is_side(of) and len({*map(shape.node_of, (f[0] for f in of))}) == 1]
    tried += [(len(of), each / len(of)) for of in side if (each := slope(seen, of, 1, FEW))]
    k, between = tried[-1]
    sender = found.gaps[NETWORK][0][1] if found.gaps[NETWORK] else found.overhead_s
    if between is None or between <= NIC_SLOWER * max(sender, found.overhead_s) / k:
        found.notes.append(
            "nic_gap_s: left out, small messages leave a node as fast as its ranks send and receive them"
        )
        return None
    return between


# ---- a rank alone -----------------------------------------------------------------------------------------


def local_work(answers: Sequence[Answer]) -> tuple[float, float, float]:
    """Seconds a byte: of the middle size with all ranks of a node at work, and the range over sizes and ranks."""
    sizes = sorted({a.wanted.bytes for a in answers})
    most = max(a.wanted.count for a in answers)
    value = next(a.typical for a in answers if a.wanted.bytes == sizes[len(sizes) // 2] and a.wanted.count == most)
    low = min(min(a.samples) for a in answers)
    return value, min(low, value), max(*(a.typical for a in answers), value)


def gap_line(known: Sequence[tuple[int, float]], start: int, end: int) -> tuple[float, float]:
    """Seconds, and seconds a byte, that a sender spends on messages of a piece from `start` bytes to `end`."""
    within = [Point(n, t) for n, t in known if start <= n < end]
    if len(within) > 1:
        return line_of(within, Limits())
    at = within[0].bytes if within else max(start, 1)
    near = min(known, key=lambda k: abs(k[0] - at))
    return near[1], 0.0


def residual(found: Found, level: str) -> list[tuple[int, float]]:
    """(bytes, how much the curve misses what was measured, as a share)."""
    return [(p.bytes, curve_at(found.curves[level], p.bytes) / p.seconds - 1) for p in found.times[level]]
