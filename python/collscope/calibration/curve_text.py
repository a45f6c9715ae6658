"""The curves of a specification as text: [[curve.CLASS]] and [[curve_nonblocking.CLASS]], every number with its provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from collscope.base.number import MAX_BYTES
from collscope.base.units import format_size
from collscope.calibration.contention import Gaps, gap_of, scaled, split
from collscope.calibration.curves import Piece, bridge, curve_at
from collscope.calibration.tables import Measured

ROUNDED = 1e-5  # five digits
NETWORK = "network"
SLOWER = 0.25  # a non-blocking message that waits differs by so much from the curve where it has one of its own


@dataclass(frozen=True)
class Drawn:
    """A class as the file has it. `rate`: of its links, in bytes a second."""

    level: str
    about: str
    jumps: Sequence[int]
    pieces: Sequence[Piece]
    times: Sequence[Measured]
    source: str
    rate: float


@dataclass(frozen=True)
class Limits:
    """The largest messages whose send need not wait: of blocking and of non-blocking sends."""

    blocking: int
    nonblocking: int


def sections(curves: Sequence[Drawn], gaps: Gaps | None, limits: Limits) -> Iterator[str]:
    """The lines of all curves. A piece that is flatter than its links allow keeps them busy for its own time only."""
    known = _of_each(curves, gaps.gap) if gaps else {}
    taken = _of_each(curves, gaps.received) if gaps else {}
    spent = {c.level: (known.get(c.level, ()), taken.get(c.level, ())) for c in curves}
    for curve in curves:
        yield ""
        yield f"# {curve.level}: {curve.about}"
        if curve.jumps:
            yield f"# A protocol begins at {', '.join(format_size(j) for j in curve.jumps)}."
        yield from _pieces("curve", curve, curve.pieces, spent[curve.level], limits.blocking, gaps)
    for curve in curves:
        if gaps and (waiting := _waiting(curve, gaps, limits.nonblocking)):
            yield ""
            size, time = gaps.waiting[_like(curve.level, gaps.waiting)]
            yield f"# {curve.level}: {format_size(size)} takes {time * 1e6:.2f} us where the send is non-blocking ({gaps.source})."
            yield from _pieces("curve_nonblocking", curve, waiting, spent[curve.level], limits.nonblocking, gaps)


def _like(level: str, known: Mapping[str, object]) -> str:
    """The class that speaks for this one: itself, or the socket for what lies between cache and socket."""
    return level if level in known or level in ("cache", "node", "far", NETWORK) else "socket"


def _of_each(
    curves: Sequence[Drawn], gaps: Mapping[str, Sequence[tuple[int, float]]]
) -> dict[str, Sequence[tuple[int, float]]]:
    """The gaps of each class: where another speaks for it, the same share of its own times."""
    by_level = {curve.level: curve for curve in curves}
    found = {}
    for curve in curves:
        like = _like(curve.level, gaps)
        if known := gaps.get(like):
            found[curve.level] = known if like == curve.level else scaled(known, by_level[like].pieces, curve.pieces)
    return found


def _waiting(curve: Drawn, gaps: Gaps, limit: int) -> list[Piece]:
    """The curve of non-blocking sends, where what was measured above their limit is not on the blocking one's: from the limit on a line
    to the measured size, and one on to where the curve's next protocol begins."""
    size, time = gaps.waiting.get(_like(curve.level, gaps.waiting), (0, 0.0))
    after = next((j for j in curve.jumps if j > size), 0)
    if not size or not after or abs(time / curve_at(curve.pieces, size) - 1) < SLOWER:
        return []
    start, low, high = limit + 1, curve_at(curve.pieces, limit), curve_at(curve.pieces, after)
    first = low * (time / low) ** (1 / 3)  # between an eager message of the limit and the measured one
    pieces = [p for p in curve.pieces if p[0] < start]
    pieces.append((start, 0.0, first / start))
    pieces += bridge((start, first), (size, time))
    pieces.append((size, 0.0, time / size))
    pieces += bridge((size, time), (after, high))
    return [*pieces, *(p for p in curve.pieces if p[0] >= after)]


def _pieces(
    table: str,
    curve: Drawn,
    pieces: Sequence[Piece],
    spent: tuple[Sequence[tuple[int, float]], Sequence[tuple[int, float]]],
    eager: int,
    gaps: Gaps | None,
) -> Iterator[str]:
    """`spent`: by the sender, and by the receiver of an eager message, which a curve of non-blocking sends contains and does not say."""
    known, taken = spent
    if known:
        pieces = split(pieces, known, eager)
    ends = [*(p[0] for p in pieces[1:]), MAX_BYTES]
    for at, ((start, latency, slope), end) in enumerate(zip(pieces, ends, strict=True)):
        low, high = _spread([m for m in curve.times if start <= m.bytes < end])
        yield ""
        yield f"[[{table}.{curve.level}]]"
        yield f"from_bytes = {start}"
        yield f"latency_s = {_number(latency, low, high, curve.source)}"
        yield f"s_per_byte = {_number(slope, low, high, curve.source)}"
        gap = received = (0.0, 0.0)
        # Bytes on a network are shared by all senders of a node, whatever their processors do.
        wire = 1 / curve.rate if curve.level == NETWORK else 0.0
        if known and start <= eager:
            gap = gap_of(pieces, at, known, end, wire)
        if taken and start <= eager:
            received = gap_of(pieces, at, taken, end, wire, gap)
        if (traffic := float(f"{slope - gap[1] - received[1]:.5g}") * curve.rate) < 1:
            most = float(f"{traffic * (1 - ROUNDED):.5g}")
            yield (
                f'traffic = {{ value = {most!r}, tag = "inferred", range = [{most / 10:.3g}, {most!r}], '
                'source = "the links are busy as long as the message by itself" }'
            )
        if max(gap) > 0 and gaps:
            yield from _gap("gap", gap, (latency, slope), gaps.source)
        if max(received) > 0 and gaps and table == "curve":
            yield from _gap("receive_gap", received, (latency - gap[0], slope - gap[1]), gaps.received_source)


def _gap(name: str, gap: tuple[float, float], most: tuple[float, float], source: str) -> Iterator[str]:
    for unit, value, whole in zip(("s", "s_per_byte"), gap, most, strict=True):
        shown = min(float(f"{value:.4g}"), float(f"{whole:.5g}"))
        yield (
            f'{name}_{unit} = {{ value = {shown!r}, tag = "inferred", '
            f'range = [{shown * 0.8:.3g}, {max(shown, min(shown * 1.2, whole)):.4g}], source = "{source}" }}'
        )


def _spread(times: Sequence[Measured]) -> tuple[float, float]:
    """Of the pairs behind the times of a piece: the lowest and highest percentile, as a share of the time."""
    known = [(m.low / m.seconds, m.high / m.seconds) for m in times if m.low and m.high]
    return min((low for low, _ in known), default=1.0), max((high for _, high in known), default=1.0)


def _number(value: float, low: float, high: float, source: str) -> str:
    shown = float(f"{value:.5g}")
    limits = ""
    if low < high:
        limits = (
            f", range = [{min(shown, float(f'{value * low:.3g}')):g}, {max(shown, float(f'{value * high:.3g}')):g}]"
        )
    return f'{{ value = {shown!r}, tag = "measured"{limits}, source = "{source}" }}'
