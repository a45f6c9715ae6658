"""From samples to a machine's numbers: only those that the samples tell.

Of a cluster the curve of a class is of round trips: the lower quartile of its best pair. Of one machine it is of messages from a common
start, as collectives have them, alone and with one the other way: half a round trip hides a receive's posting behind the wait for it, and
the loop of a ping-pong runs warmer than any call. There it takes the median of each launch and pair, and of these their median: launches
differ (where the system puts ranks and pages), and what is predicted is a median, too. What writing costs where another core's cache has
the lines stands by itself, if messages show it, and a copy is then one within a core's own memory; else it is of what has just been
received over what has just been sent. The bound (bounds.loggp) takes the least of everything, round trips among it; those numbers stand
in the table [least].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from collscope.calibration import links
from collscope.calibration.curves import (
    MIN_S_PER_BYTE,
    NETWORK,
    CurveFit,
    Limits,
    Piece,
    Point,
    fit_curves,
    jumps_of,
    pieces_of,
)
from collscope.calibration.links import LINK_SHARE, Rate, narrowest
from collscope.calibration.noise import Quantiles, noise_of, noise_of_messages
from collscope.calibration.samples import Reading, Samples
from collscope.calibration.survey import FORWARDS, SIDE, late_limit

NOISE = (2e-4, 0.3)  # relative, of a time: minimum, maximum
NODE_NOISE = 0.03  # of a median on a machine that does other things, too
DISTURBED = 0.01  # of a time: from this noise on a shorter message that seems to take longer was disturbed
SLOWER = 0.10  # a non-blocking message differs by so much where it has a curve of its own
OUTVOTED = 0.25  # of the rounds' median: a round that is farther off was disturbed
SHOWN = 0.1  # of what a byte of a message takes: less is not taken for the cost of lines in another cache
MAX_OVERHEAD = 0.45  # of the shortest message: two overheads and a latency must fit in

Range = tuple[float, float, float]  # value, least, greatest


@dataclass(frozen=True)
class Estimates:
    """Numbers of a machine; None, or no entry: the samples do not tell. Times in seconds, sizes in bytes."""

    curves: Mapping[str, CurveFit] = field(default_factory=dict)
    nonblocking: Mapping[str, Sequence[Piece]] = field(default_factory=dict)
    overhead_s: float = 0.0
    # The largest message whose send did not wait; the smallest whose send did, 0: none did.
    eager: tuple[int, int] = (0, 0)
    eager_nonblocking: tuple[int, int] = (0, 0)
    # Class → (bytes, what a sender spends), and what a receiver spends, the overhead included.
    gaps: Mapping[str, Sequence[tuple[int, float]]] = field(default_factory=dict)
    receives: Mapping[str, Sequence[tuple[int, float]]] = field(default_factory=dict)
    # Class → (bytes, a message that is sent on, one that is answered), of sends that block, and of those that do not.
    relayed: Mapping[str, Sequence[tuple[int, float, float]]] = field(default_factory=dict)
    relayed_nonblocking: Mapping[str, Sequence[tuple[int, float, float]]] = field(default_factory=dict)
    in_order: bool | None = None
    nic_gap_s: float | None = None
    rates: Mapping[str, Rate] = field(default_factory=dict)
    is_copied: bool = False  # messages are copies by cores, which are busy throughout: slower pieces make more traffic
    local: Mapping[str, Range] = field(default_factory=dict)  # gamma, copy, touch: seconds per byte
    invalidation: Range | None = None  # seconds per byte
    least: Mapping[str, float] = field(default_factory=dict)  # o, g, L in seconds; G, gamma in seconds per byte
    noise: Mapping[str, Sequence[tuple[int, Quantiles]]] = field(
        default_factory=dict
    )  # class → (bytes, noise), ascending
    notes: tuple[str, ...] = ()


# ---- a cluster --------------------------------------------------------------------------------------------


def of_cluster(samples: Samples, cores_per_node: int = 0) -> Estimates:
    """All numbers of a cluster. `cores_per_node`: 0 where it does not matter."""
    pairs = samples.placement.pairs()
    notes: list[str] = []
    widest = [*pairs][-1]
    eager, eager_nonblocking = late_limit(samples, "late"), late_limit(samples, "late_nonblocking")
    for name, (largest, waits) in (("eager", eager), ("eager_nonblocking", eager_nonblocking)):
        if not waits:
            notes.append(f"{name}: no send of up to {largest} bytes waited for its receive ({widest})")
    overhead = overhead_of(samples)
    times = {level: points(samples, level, "pingpong") for level in pairs}
    gaps = {level: links.gaps(samples, level, times[level], eager_nonblocking[0] or eager[0]) for level in pairs}
    receives = {
        level: links.receives(samples, level, times[level], dict(gaps[level]), overhead, eager[0]) for level in pairs
    }
    rates, missing = links.capacities(samples)

    def limits(level: str) -> Limits:
        # No message is faster than the links that it crosses, whatever noise makes of its neighbours.
        return Limits(max(LINK_SHARE / narrowest(rates, level), MIN_S_PER_BYTE), 2 * overhead)

    curves = fit_curves(times, limits, also=eager[1])
    senders = gaps.get(NETWORK)
    nic_gap = links.nic_gap(samples, senders[0][1] if senders else 0.0, overhead, cores_per_node)
    if NETWORK in pairs and nic_gap is None:
        missing.append("nic_gap_s: left out, one rank of a node alone sends no faster than its NIC")
    return Estimates(
        curves=curves,
        nonblocking={level: p for level in curves if (p := nonblocking(samples, level, times[level], limits(level)))},
        overhead_s=overhead,
        eager=eager,
        eager_nonblocking=eager_nonblocking,
        gaps=gaps,
        receives=receives,
        relayed={level: links.relayed(samples, level) for level in pairs},
        relayed_nonblocking={level: links.relayed(samples, level, True) for level in pairs},
        in_order=links.is_in_order(samples),
        nic_gap_s=nic_gap,
        rates=rates,
        local={pattern: local_work(samples.of(pattern)) for pattern in ("gamma", "copy", "touch")},
        noise={level: round_trip_noise(samples, level, times[level]) for level in pairs},
        notes=(*notes, *missing),
    )


def messages_of_cluster(samples: Samples) -> dict[str, dict[int, float]]:
    """Class → bytes → seconds of a message: half a round trip."""
    levels = samples.placement.pairs()
    return {level: {p.bytes: p.seconds for p in points(samples, level, "pingpong")} for level in levels}


def rising(times: Iterable[tuple[int, float, float]]) -> list[Point]:
    """Points of (bytes, seconds, noise), ascending. More bytes never take less time: where times are noisy and seem to, the shorter
    message was disturbed or took a slower path."""
    made: list[Point] = []
    for size, seconds, noise in sorted(times, reverse=True):
        shorter = min(seconds, made[-1].seconds) if made and noise > DISTURBED else seconds
        made.append(Point(size, shorter, noise))
    return made[::-1]


def points(samples: Samples, level: str, pattern: str) -> list[Point]:
    """Half a round trip by size: of the best pair its lower quartile; the noise is what its median is above that, or that above its
    least."""
    best: dict[int, Reading] = {}
    for pair in samples.placement.pairs()[level]:
        for reading in samples.of(pattern, flows=(pair,)):
            n = reading.probe.bytes
            if n > 0 and (n not in best or reading.typical < best[n].typical):
                best[n] = reading

    def noise(r: Reading) -> float:
        return max(median(r.samples) / r.typical, r.typical / min(r.samples)) - 1

    return rising((n, r.typical, min(max(noise(r), NOISE[0]), NOISE[1])) for n, r in best.items())


def nonblocking(samples: Samples, level: str, blocking: Sequence[Point], limits: Limits) -> list[Piece]:
    """The curve of non-blocking messages; nothing where it is that of blocking ones at all but single sizes."""
    others, typical = points(samples, level, "pingpong_nonblocking"), {p.bytes: p.seconds for p in blocking}
    differs = [abs(p.seconds / typical[p.bytes] - 1) > SLOWER for p in others if p.bytes in typical]
    return pieces_of(others, limits, jumps_of([others])) if any(a and b for a, b in pairwise(differs)) else []


def overhead_of(samples: Samples) -> float:
    """Receiving a byte that is there, in the class where it is least; so that two fit into the shortest message."""
    pairs = [p[0] for p in samples.placement.pairs().values()]
    least = min(r.typical for pair in pairs for r in samples.of("receive", flows=(pair,), bytes=1))
    shortest = min(r.typical for pair in pairs for r in samples.of("pingpong", flows=(pair,)))
    return min(least, MAX_OVERHEAD * shortest)


def round_trip_noise(samples: Samples, level: str, times: Sequence[Point]) -> list[tuple[int, Quantiles]]:
    """How much the messages of a class vary about the times that its curve is fitted to, by size; of one pair."""
    typical = {p.bytes: p.seconds for p in times}
    made = []
    for reading in samples.of("pingpong", single=True, flows=(samples.placement.pairs()[level][0],)):
        size = reading.probe.bytes
        if size in typical and (noise := noise_of(reading.samples, typical[size])):
            made.append((size, noise))
    return sorted(made)


def local_work(readings: Sequence[Reading]) -> Range:
    """Seconds per byte: of the middle size with all ranks of a node at work, and the range over sizes and ranks."""
    sizes = sorted({r.probe.bytes for r in readings})
    most = max(r.probe.count for r in readings)
    value = _of_rounds(readings, sizes[len(sizes) // 2], most)
    low = min(min(r.samples) for r in readings)
    return value, min(low, value), max(*(r.typical for r in readings), value)


def _of_rounds(readings: Sequence[Reading], size: int, ranks: int) -> float:
    """The median over rounds of what so many ranks need for so many bytes: a disturbed round is outvoted."""
    return median(r.typical for r in readings if (r.probe.bytes, r.probe.count) == (size, ranks))


# ---- one machine ------------------------------------------------------------------------------------------


def of_machine(samples: Samples, sockets: int = 1) -> Estimates:
    """All numbers of one machine with so many sockets."""
    messages, sends, copies = samples.of("flows", count=1), samples.of("overhead"), samples.of("copy")
    floor = min(min(r.samples) for r in copies)
    middles = messages_of_machine(samples)
    shortest_s = min(t for of in middles.values() for t in of.values())
    of_pairs = {
        flows: median(r.typical for r in sends if r.probe.flows == flows) for flows in {r.probe.flows for r in sends}
    }
    overhead = min(*of_pairs.values(), MAX_OVERHEAD * shortest_s)
    # An empty message takes a path of its own in some libraries: the curve begins with one byte.
    times = {level: rising((n, t, NODE_NOISE) for n, t in of.items() if n > 0) for level, of in middles.items()}
    curves = fit_curves(times, lambda _: Limits(floor, 2 * overhead))

    streams = [r for r in samples.of("flows") if r.probe.count > 1 and r.probe.bytes <= 1]
    o = min([min(r.samples) for r in sends] + [min(r.samples) / r.probe.count for r in streams])
    shortest = [(r.probe.bytes, min(r.samples)) for r in [*messages, *samples.of("pingpong")]]
    o = min(o, MAX_OVERHEAD * min(t for _, t in shortest))
    latency = min(t - n * floor for n, t in shortest) - 2 * o
    if latency < 0:
        o, latency = max(o + latency / 2, 0.0), 0.0
    gamma = samples.of("gamma")
    taken_back = invalidation(samples, floor)
    rates = _copied(curves, copies, sockets)
    copy = local_work(copies) if taken_back else _copy(samples.of("copy_exchanged"), copies)
    return Estimates(
        curves=curves,
        # Curves do not fall below two overheads: rounding must not undo that.
        overhead_s=float(f"{0.99 * overhead:.3g}"),
        rates=rates | _between_sockets(samples, rates["core"].bytes_per_s),
        is_copied=True,
        relayed={level: links.relayed(samples, level) for level in samples.placement.pairs()},
        local={"gamma": local_work(gamma), "copy": copy},
        invalidation=taken_back,
        least={"o": o, "g": o, "L": latency, "G": floor, "gamma": min(min(r.samples) for r in gamma)},
        noise=_message_noise(samples, times),
    )


def messages_of_machine(samples: Samples) -> dict[str, dict[int, float]]:
    """Class → bytes → seconds of a message: the median of the launches' and pairs' medians."""
    found: dict[str, dict[int, list[float]]] = {}
    for r in samples.of("flows", count=1):
        found.setdefault(_level(samples, r), {}).setdefault(r.probe.bytes, []).append(median(r.samples))
    return {level: {n: median(times) for n, times in sizes.items()} for level, sizes in found.items()}


def _level(samples: Samples, reading: Reading) -> str:
    return samples.placement.level(*reading.probe.flows[0])


def _copied(curves: Mapping[str, CurveFit], copies: Sequence[Reading], sockets: int) -> dict[str, Rate]:
    """What moves messages that cores copy: a core what the fastest piece needs, memory what copies by all ranks moved, in the traffic of
    the slowest piece."""
    core = float(f"{1 / min(s for curve in curves.values() for _, _, s in curve.pieces):.4g}")
    slowest = max(curve.pieces[-1][2] for curve in curves.values())
    size, ranks = max((r.probe.bytes, r.probe.count) for r in copies)
    memory = ranks / _of_rounds(copies, size, ranks) / sockets * slowest * core
    return {
        "core": Rate(core, "the fastest piece of the curves"),
        "memory": Rate(max(memory, core), "copies by all ranks"),
    }


def _between_sockets(samples: Samples, core: float) -> dict[str, Rate]:
    """What the sockets' interconnect moves, in the traffic of one stream, which keeps a core busy; nothing where streams side by side are
    as fast as alone, or were not measured."""
    moved = [(len(of), links.rate(samples, of, SIDE)) for of in samples.placement.between_sockets()]
    known = {pairs: bytes_per_s for pairs, bytes_per_s in moved if bytes_per_s}
    alone, most = known.get(1), max(known, default=0)
    if alone is None or most < 2 or known[most] >= links.MEETING * most * alone:
        return {}
    return {"interconnect": Rate(float(f"{max(known.values()) / alone * core:.4g}"), f"{most} streams beside one")}


def _copy(exchanged: Sequence[Reading], private: Sequence[Reading]) -> Range:
    """Seconds per byte of a copy between messages: of the middle size, and the range over all copies, those of a rank's own memory among
    them."""
    sizes = sorted({r.probe.bytes for r in exchanged})
    value = median(median(r.samples) for r in exchanged if r.probe.bytes == sizes[len(sizes) // 2])
    every = [*exchanged, *private]
    return value, min(min(r.samples) for r in every), max(value, *(r.typical for r in every))


def invalidation(samples: Samples, least_s_per_byte: float) -> Range | None:
    """Seconds per byte that writing over what another core has read takes longer: the median, least and greatest over sizes of messages,
    copies and reductions. None: messages were not asked, or it does not show next to what the fastest copy takes."""
    if not samples.of("flows_returned"):
        return None
    found = []
    for pattern, own in (("flows_returned", "flows"), ("copy_exchanged", "copy"), ("gamma_exchanged", "gamma")):
        for size in sorted({r.probe.bytes for r in samples.of(pattern)}):
            alone = [r for r in samples.of(own, bytes=size) if own != "flows" or _is_one_message(r)]
            if alone:
                longer = _middle(samples.of(pattern, bytes=size)) - _middle(alone)
                found.append(longer / size if own == "flows" else longer)
    if (value := median(found)) <= SHOWN * least_s_per_byte:
        return None
    return value, max(0.0, min(found)), max(found)


def _is_one_message(reading: Reading) -> bool:
    return len(reading.probe.flows) == reading.probe.count == 1


def _middle(readings: Sequence[Reading]) -> float:
    """The median of the launches' and pairs' medians."""
    return median(median(r.samples) for r in readings)


def forwarded(samples: Samples) -> dict[str, dict[str, dict[int, float]]]:
    """Pattern → class → bytes → seconds of a hop of what two ranks send to and fro."""
    found: dict[str, dict[str, dict[int, list[Reading]]]] = {}
    for r in (r for pattern in FORWARDS for r in samples.of(pattern)):
        sizes = found.setdefault(r.probe.pattern, {}).setdefault(_level(samples, r), {})
        sizes.setdefault(r.probe.bytes, []).append(r)
    return {p: {lv: {n: _middle(of[n]) for n in of} for lv, of in each.items()} for p, each in found.items()}


def _message_noise(samples: Samples, times: Mapping[str, Sequence[Point]]) -> dict[str, list[tuple[int, Quantiles]]]:
    """Of each class its first pair's single messages, all launches that were not disturbed together, about the times that the curve is
    fitted to."""
    found: dict[tuple[str, int], list[Reading]] = {}
    for r in samples.of("flows", single=True):
        found.setdefault((_level(samples, r), r.probe.bytes), []).append(r)
    made: dict[str, list[tuple[int, Quantiles]]] = {}
    for (level, size), readings in sorted(found.items()):
        of_pair = [
            t for r in undisturbed([r for r in readings if r.probe.flows == readings[0].probe.flows]) for t in r.samples
        ]
        typical = {p.bytes: p.seconds for p in times[level]}
        if size in typical and (noise := noise_of_messages(of_pair, typical[size])):
            made.setdefault(level, []).append((size, noise))
    return made


def undisturbed(rounds: Sequence[Reading]) -> list[Reading]:
    """Without the rounds whose median is far from that of most: what happened there is not how single messages vary."""
    medians = [median(r.samples) for r in rounds]
    usual = median(medians)
    return [r for r, m in zip(rounds, medians, strict=True) if abs(m / usual - 1) <= OUTVOTED]
