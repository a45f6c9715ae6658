"""The specification of a cluster as text: every number that was measured, with provenance; what was not told stays away."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from collscope.base.number import MAX_BYTES
from collscope.base.statistics import quantile
from collscope.calibration.curves import Piece
from collscope.calibration.noise import sections
from collscope.calibration.numbers import Found, gap_line, narrowest, residual

ROUNDED = 1e-5  # five digits
MIN_S = 1e-12  # what is left by rounding is no time


@dataclass(frozen=True)
class About:
    """What the file says of the cluster beside what was measured. `shape`: nodes, sockets, cores of a socket and of a cache."""

    name: str
    about: str
    shape: tuple[int, int, int, int]
    source: str  # of every measured number: when, where, with what
    topology: Sequence[str] = ()  # lines of the table, where it is known: no pair of nodes tells it
    link_bytes_per_s: float = math.inf  # of its links


def text_of(found: Found, about: About) -> str:
    """The specification."""
    shape_from = "where the ranks that measured sat"
    out = [
        f"# As `./collscope calibrate --name {about.name}` measured it, point to point: no collective's time is in it.",
        *(f"# {note}" for note in found.notes),
        f'name = "{about.name}"',
        f'about = "{about.about}"',
        *(
            f'{key} = {{ value = {n}, tag = "documented", source = "{shape_from}" }}'
            for key, n in zip(("nodes", "sockets", "cores_per_socket", "cores_per_cache"), about.shape, strict=True)
        ),
        f"gamma_s_per_byte = {_number(*found.local['gamma'])}",
        f"copy_s_per_byte = {_number(*found.local['copy'])}",
        f"overhead_s = {_number(found.overhead_s)}",
        f"eager_bytes = {_limit(found.eager)}",
    ]
    if found.eager_nonblocking[0] and found.eager_nonblocking != found.eager:
        out.append(f"eager_bytes_nonblocking = {_limit(found.eager_nonblocking)}")
    for link, (rate, told) in found.rates.items():
        note = "here" if told else "here, at least: nothing that met was slower than alone"
        out.append(f"{link}_bytes_per_s = {_number(rate, source=note)}")
    if found.in_order:
        out.append("in_order = true    # measured: the first message of a stream arrives as if it were alone")
    if found.nic_gap_s:
        out.append(f"nic_gap_s = {_number(found.nic_gap_s)}")
    out += ["", "[sources]", f'here = "{about.source}"']
    for level in found.curves:
        out += _curve("curve", found, about, level, found.curves[level], found.eager[0])
    for level, pieces in found.nonblocking.items():
        out += _curve("curve_nonblocking", found, about, level, pieces, found.eager_nonblocking[0])
    for level, noise in found.noise.items():
        out += sections(noise, level, "here")
    if about.topology:
        out += ["", "[topology]", *about.topology]
    return "\n".join(out) + "\n"


def _curve(table: str, found: Found, about: About, level: str, pieces: Sequence[Piece], eager: int) -> Iterator[str]:
    missed = sorted(abs(m) for _, m in residual(found, level))
    if table == "curve":
        yield ""
        yield f"# {level}: {len(missed)} sizes, missed by {quantile(missed, 0.5):.1%} (median), {missed[-1]:.1%} (most)"
    ends = [*(p[0] for p in pieces[1:]), MAX_BYTES]
    links = about.link_bytes_per_s if level == "network" else math.inf
    wire = 1 / min(float(f"{narrowest(found, level):.4g}"), links)
    known = found.gaps.get(level) or []
    for (start, latency, slope), end in zip(pieces, ends, strict=True):
        latency, slope = float(f"{latency:.5g}"), float(f"{slope:.5g}")
        last = min(end, eager + 1)
        gap = received = None  # what both spend, the receiver's overhead and the links' part are all in the time
        if known and start <= eager:
            gap = _spent(known, start, last, latency - found.overhead_s, slope - wire)
        if table == "curve" and (taken := found.receives.get(level)) and start <= eager:
            sent = gap or (found.overhead_s, 0.0)
            most = (latency - found.overhead_s - sent[0], slope - wire - sent[1])
            received = _spent(taken, start, last, *most, found.overhead_s)
        left = slope - sum(spent[1] for spent in (gap, received) if spent)
        yield ""
        yield f"[[{table}.{level}]]"
        yield f"from_bytes = {start}"
        yield f"latency_s = {_number(latency, digits=5)}"
        yield f"s_per_byte = {_number(slope, digits=5)}"
        if wire and left < wire:
            yield f"traffic = {_number(left / wire * (1 - ROUNDED), digits=6, tag='inferred')}"
        for name, spent in (("gap", gap), ("receive_gap", received)):
            if spent and max(spent) > 0:
                yield f"{name}_s = {_number(spent[0])}"
                yield f"{name}_s_per_byte = {_number(spent[1])}"


def _spent(
    known: Sequence[tuple[int, float]], start: int, end: int, most: float, most_per_byte: float, beyond: float = 0.0
) -> tuple[float, float]:
    """Seconds, and seconds a byte, that a processor spends on messages of a piece from `start` bytes to `end`, without the `beyond` that is
    said elsewhere: no more than is left of the piece. What does not fit into the bytes' part is in the other, at the piece's middle."""
    seconds, per_byte = gap_line(known, start, end)
    seconds -= beyond
    least = min(max(per_byte, 0.0), max(most_per_byte, 0.0))
    middle = int((max(start, 1) * max(end - 1, 1)) ** 0.5)
    fixed = seconds + (per_byte - least) * middle if least != per_byte else seconds
    spent = min(max(fixed, 0.0), max(most, 0.0)) * (1 - ROUNDED)
    return spent if spent >= MIN_S else 0.0, least


def _limit(limit: tuple[int, int]) -> str:
    """The largest message that did not wait; its range reaches to the smallest that did."""
    largest, waits = limit
    if not largest:
        return '{ value = -1, tag = "measured", source = "here: every send waited for its receive" }'
    high = waits - 1 if waits else max(largest, 1 << 30)
    source = "here" if waits else "here: the largest that was tried; none waited for its receive"
    return f'{{ value = {largest}, tag = "measured", range = [{largest}, {high}], source = "{source}" }}'


def _number(
    value: float,
    low: float | None = None,
    high: float | None = None,
    source: str = "here",
    digits: int = 4,
    tag: str = "measured",
) -> str:
    shown = float(f"{value:.{digits}g}")
    limits = ""
    if low is not None and high is not None:
        limits = f", range = [{min(float(f'{low:.4g}'), shown)!r}, {max(float(f'{high:.4g}'), shown)!r}]"
    return f'{{ value = {shown!r}, tag = "{tag}"{limits}, source = "{source}" }}'
