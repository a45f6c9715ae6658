"""From estimates to a specification: each number rounded and with its provenance; what the samples do not tell stays away."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from collscope.base.number import MAX_BYTES, Number
from collscope.calibration.contention import Gaps, gap_of, scaled, split
from collscope.calibration.curves import NETWORK, CurveFit, bridge, curve_at
from collscope.calibration.curves import Piece as Line
from collscope.calibration.estimates import Estimates
from collscope.calibration.links import gap_line, narrowest
from collscope.calibration.noise import Quantiles
from collscope.calibration.tables import Measured
from collscope.machines.limits import gap_contradictions
from collscope.machines.spec import Noise, Piece, Spec, Topology, filled

ROUNDED = 1e-5  # five digits
MIN_S = 1e-12  # less is dust of rounding
SLOWER = 0.25  # a non-blocking message that waits differs by so much from the curve where it has one of its own
ALONE = "the links are busy as long as the message by itself"

Hop = tuple[int, float, float]  # bytes, seconds of a message that is sent on, of one that is answered
Spent = Sequence[tuple[int, float]]  # (bytes, seconds of a processor), ascending


def rounded(value: float, digits: int = 4) -> float:
    """To so many digits."""
    return float(f"{value:.{digits}g}")


def measured(value: float, limits: tuple[float, float] | None = None, source: str = "here", digits: int = 4) -> Number:
    """A measured number; its range contains it, however both are rounded."""
    shown = rounded(value, digits)
    low, high = map(rounded, limits or (value, value))
    return Number(shown, "measured", source, (min(low, shown), max(high, shown)) if limits else None)


# ---- a machine or a cluster whose messages were measured here ---------------------------------------------


@dataclass(frozen=True)
class About:
    """What a specification says beside what was measured. `source`: of every measured number; `known`: other fields of the Spec."""

    name: str
    about: str
    counts: Mapping[str, Number]
    source: str
    topology: Topology = Topology()
    known: Mapping[str, Any] = field(default_factory=dict)


def spec_of(found: Estimates, about: About) -> Spec:
    """The specification. A curve of non-blocking messages that are shorter than what their two ends spend was disturbed: it is left out."""
    numbers: dict[str, Any] = {
        "gamma_s_per_byte": measured(found.local["gamma"][0], found.local["gamma"][1:]),
        "copy_s_per_byte": measured(found.local["copy"][0], found.local["copy"][1:]),
        "overhead_s": measured(found.overhead_s),
        "eager_bytes": eager_limit(found.eager),
        **{f"{link}_bytes_per_s": measured(r.bytes_per_s, source=r.source) for link, r in found.rates.items()},
    }
    if found.eager_nonblocking[0] and found.eager_nonblocking != found.eager:
        numbers["eager_bytes_nonblocking"] = eager_limit(found.eager_nonblocking)
    if found.invalidation:
        numbers["invalidation_s_per_byte"] = measured(found.invalidation[0], found.invalidation[1:])
    if found.nic_gap_s is not None:  # 0 is known, too
        numbers["nic_gap_s"] = measured(found.nic_gap_s)
    size: dict[str, Any] = {key: int(number.value) for key, number in about.counts.items()}
    spec = Spec(
        name=about.name,
        about=about.about,
        **size,
        counts=about.counts,
        curve={level: _pieces(found, about, level, fit.pieces) for level, fit in found.curves.items()},
        own_curves=tuple(found.curves),
        curve_nonblocking={level: _pieces(found, about, level, p, True) for level, p in found.nonblocking.items()},
        noise={level: noise_of(sizes) for level, sizes in found.noise.items() if sizes},
        in_order=bool(found.in_order),
        complete=False,  # what is left out was looked for, or the notes say why it was not
        least={key: rounded(value) for key, value in found.least.items()},
        sources={"here": about.source},
        topology=about.topology,
        **{**numbers, **about.known},
    )
    disturbed = {where[1] for where, _ in gap_contradictions(filled(spec)) if where[0] == "curve_nonblocking"}
    return replace(spec, curve_nonblocking={lv: p for lv, p in spec.curve_nonblocking.items() if lv not in disturbed})


def eager_limit(limit: tuple[int, int]) -> Number:
    """The largest message that did not wait; its range reaches to the smallest that did."""
    largest, waits = limit
    if not largest:
        return Number(-1, "measured", "here: every send waited for its receive")
    if not waits:
        source = "here: the largest that was tried; none waited for its receive"
        return Number(largest, "measured", source, (largest, max(largest, 1 << 30)))
    return Number(largest, "measured", "here", (largest, waits - 1))


def noise_of(sizes: Sequence[tuple[int, Quantiles]], source: str = "here") -> tuple[Noise, ...]:
    """Of a class, from (bytes, noise) of the sizes that were measured: each holds from its size on, the first from 0."""
    return tuple(
        Noise(size if at else 0, tuple((part, rounded(s)) for part, s in quantiles), "measured", source)
        for at, (size, quantiles) in enumerate(sizes)
    )


def _pieces(
    found: Estimates, about: About, level: str, pieces: Sequence[Line], is_nonblocking: bool = False
) -> tuple[Piece, ...]:
    hops = _unread(found, about, (found.relayed_nonblocking if is_nonblocking else found.relayed).get(level, ()))
    if found.is_copied:
        core = found.rates["core"].bytes_per_s
        lines = [(start, latency, rounded(slope, 5)) for start, latency, slope in pieces]
        return tuple(
            Piece(
                start,
                measured(a),
                measured(b, digits=5),
                Number(min(rounded(b * core, 5), b * core)),
                turnaround=_turnaround(hops, start, end),
            )
            for (start, a, b), end in zip(lines, _ends(pieces), strict=True)
        )
    links = about.topology.narrowest if level == NETWORK else math.inf
    wire = 1 / min(rounded(narrowest(found.rates, level)), links)
    eager = (found.eager_nonblocking if is_nonblocking else found.eager)[0]
    known, taken = found.gaps.get(level, ()), () if is_nonblocking else found.receives.get(level, ())
    made = []
    for (start, latency, slope), end in zip(pieces, _ends(pieces), strict=True):
        latency, slope = rounded(latency, 5), rounded(slope, 5)
        last = min(end, eager + 1)
        gap = received = None  # what both spend, the receiver's overhead and the links' part are all in the time
        if known and start <= eager:
            gap = spent(known, start, last, latency - found.overhead_s, slope - wire)
        if taken and start <= eager:
            sent = gap or (found.overhead_s, 0.0)
            most = (latency - found.overhead_s - sent[0], slope - wire - sent[1])
            received = spent(taken, start, last, *most, found.overhead_s)
        left = slope - sum(part[1] for part in (gap, received) if part)
        traffic = (
            Number(rounded(left / wire * (1 - ROUNDED), 6), "inferred", "here") if wire and left < wire else Number(1.0)
        )
        sends, takes = ((measured(p[0]), measured(p[1])) if p and max(p) > 0 else None for p in (gap, received))
        time, per_byte = measured(latency, digits=5), measured(slope, digits=5)
        made.append(Piece(start, time, per_byte, traffic, sends, takes, _turnaround(hops, start, end)))
    return tuple(made)


def _unread(found: Estimates, about: About, hops: Sequence[Hop]) -> list[Hop]:
    """Without what receiving into a buffer costs that the next rank has read: that is an element of its own."""
    eager = about.known.get("eager_bytes", Number(found.eager[0])).value
    back = found.invalidation[0] if found.invalidation else 0.0
    return [(n, hop - (back * n if n > eager else 0.0), half) for n, hop, half in hops]


def _turnaround(hops: Sequence[Hop], start: int, end: int) -> tuple[Number, Number] | None:
    """What a token's hop takes longer than half a round trip."""
    if not hops:
        return None
    hop, half = (gap_line([(h[0], h[k]) for h in hops], start, end) for k in (1, 2))
    spends = _fitting(hop[0] - half[0], hop[1] - half[1], start, end, math.inf, math.inf)
    return (measured(spends[0]), measured(spends[1])) if max(spends) > 0 else None


def _ends(pieces: Sequence[Line]) -> list[int]:
    return [*(p[0] for p in pieces[1:]), MAX_BYTES]


def spent(
    known: Spent, start: int, end: int, most: float, most_per_byte: float, beyond: float = 0.0
) -> tuple[float, float]:
    """Seconds, and seconds per byte, that a processor spends on messages of a piece from `start` bytes to `end`, without the `beyond` that
    is said elsewhere: no more than is left of the piece. What does not fit into the bytes' part is in the other, at the piece's middle."""
    seconds, per_byte = gap_line(known, start, end)
    return _fitting(seconds - beyond, per_byte, start, end, most, most_per_byte)


def _fitting(
    seconds: float, per_byte: float, start: int, end: int, most: float, most_per_byte: float
) -> tuple[float, float]:
    least = min(max(per_byte, 0.0), max(most_per_byte, 0.0))
    middle = int((max(start, 1) * max(end - 1, 1)) ** 0.5)
    fixed = seconds + (per_byte - least) * middle if least != per_byte else seconds
    fits = min(max(fixed, 0.0), max(most, 0.0)) * (1 - ROUNDED)
    return fits if fits >= MIN_S else 0.0, least


# ---- curves from published times --------------------------------------------------------------------------


@dataclass(frozen=True)
class Published:
    """A class as its file has it. `rate`: of its links, in bytes per second."""

    fit: CurveFit
    times: Sequence[Measured]
    source: str
    rate: float


def like(level: str, known: Mapping[str, object]) -> str:
    """The class that speaks for this one: itself, or the socket for what lies between cache and socket."""
    return level if level in known or level in ("cache", "node", "far", NETWORK) else "socket"


def published_pieces(
    curves: Mapping[str, Published], gaps: Gaps, eager: int, eager_nonblocking: int
) -> tuple[dict[str, list[Piece]], dict[str, list[Piece]]]:
    """The pieces of each class, and of those whose non-blocking sends have a curve of their own. A piece that is flatter than its links
    allow keeps them busy for its own time only."""
    known, taken = _of_each(curves, gaps.gap), _of_each(curves, gaps.received)
    made, waiting = {}, {}
    for level, curve in curves.items():
        spends = known.get(level, ()), taken.get(level, ())
        made[level] = _published(level, curve, curve.fit.pieces, spends, eager, gaps)
        if pieces := _waiting(level, curve, gaps, eager_nonblocking):
            found = _published(level, curve, pieces, spends, eager_nonblocking, gaps)
            # A receive is the same however its message was sent: the blocking curve says it.
            waiting[level] = [Piece(p.start, p.latency, p.s_per_byte, p.traffic, p.gap) for p in found]
    return made, waiting


def _of_each(curves: Mapping[str, Published], gaps: Mapping[str, Spent]) -> dict[str, Spent]:
    """The gaps of each class: where another speaks for it, the same share of its own times."""
    found: dict[str, Spent] = {}
    for level, curve in curves.items():
        other = like(level, gaps)
        if known := gaps.get(other):
            found[level] = known if other == level else scaled(known, curves[other].fit.pieces, curve.fit.pieces)
    return found


def _waiting(level: str, curve: Published, gaps: Gaps, limit: int) -> list[Line]:
    """The curve of non-blocking sends, where what was measured above their limit is not on the blocking one's: from the limit on a line
    to the measured size, and one on to where the curve's next protocol begins."""
    blocking = curve.fit.pieces
    size, time = gaps.waiting.get(like(level, gaps.waiting), (0, 0.0))
    after = next((j for j in curve.fit.jumps if j > size), 0)
    if not size or not after or abs(time / curve_at(blocking, size) - 1) < SLOWER:
        return []
    start, low, high = limit + 1, curve_at(blocking, limit), curve_at(blocking, after)
    first = low * (time / low) ** (1 / 3)  # between an eager message of the limit and the measured one
    pieces = [p for p in blocking if p[0] < start]
    pieces.append((start, 0.0, first / start))
    pieces += bridge((start, first), (size, time))
    pieces.append((size, 0.0, time / size))
    pieces += bridge((size, time), (after, high))
    return [*pieces, *(p for p in blocking if p[0] >= after)]


def _published(
    level: str, curve: Published, pieces: Sequence[Line], spends: tuple[Spent, Spent], eager: int, gaps: Gaps
) -> list[Piece]:
    known, taken = spends
    if known:
        pieces = split(pieces, known, eager)
    # Bytes on a network are shared by all senders of a node, whatever their processors do.
    wire = 1 / curve.rate if level == NETWORK else 0.0
    made = []
    for at, ((start, latency, slope), end) in enumerate(zip(pieces, _ends(pieces), strict=True)):
        gap = received = (0.0, 0.0)
        if known and start <= eager:
            gap = gap_of(pieces, at, known, end, wire)
        if taken and start <= eager:
            received = gap_of(pieces, at, taken, end, wire, gap)
        traffic = Number(1.0)
        if (share := rounded(slope - gap[1] - received[1], 5) * curve.rate) < 1:
            most = rounded(share * (1 - ROUNDED), 5)
            traffic = Number(most, "inferred", ALONE, (rounded(most / 10, 3), most))
        low, high = _percentiles([m for m in curve.times if start <= m.bytes < end])
        time, per_byte = (_of_pairs(value, low, high, curve.source) for value in (latency, slope))
        sent = _inferred(gap, (latency, slope), gaps.source)
        rest = (latency - gap[0], slope - gap[1])
        made.append(Piece(start, time, per_byte, traffic, sent, _inferred(received, rest, gaps.received_source)))
    return made


def _inferred(gap: tuple[float, float], most: tuple[float, float], source: str) -> tuple[Number, Number] | None:
    if max(gap) <= 0:
        return None
    shown = [min(rounded(value), rounded(whole, 5)) for value, whole in zip(gap, most, strict=True)]
    a, b = (
        Number(s, "inferred", source, (rounded(s * 0.8, 3), rounded(max(s, min(s * 1.2, whole)))))
        for s, whole in zip(shown, most, strict=True)
    )
    return a, b


def _percentiles(times: Sequence[Measured]) -> tuple[float, float]:
    """Of the pairs behind the times of a piece: the lowest and highest percentile, as a share of the time."""
    known = [(m.low / m.seconds, m.high / m.seconds) for m in times if m.low and m.high]
    return min((low for low, _ in known), default=1.0), max((high for _, high in known), default=1.0)


def _of_pairs(value: float, low: float, high: float, source: str) -> Number:
    shown = rounded(value, 5)
    limits = min(shown, rounded(value * low, 3)), max(shown, rounded(value * high, 3))
    return Number(shown, "measured", source, limits if low < high else None)
