"""What OSU's benchmarks of streams and of several pairs say of a machine, beside the times of single messages.

A stream of one pair has a message each so many seconds: where the links would be faster, its sender spends them. Several pairs show what
their nodes share: the NIC's time per message and its rate, the memory's and the interconnect's. The model has no
number for both directions at once or for the latency of several pairs: they are compared with it in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from collscope.base.number import Number
from collscope.base.units import counted, format_size, format_time
from collscope.calibration.contention import Gaps
from collscope.calibration.curves import NETWORK
from collscope.calibration.links import MAX_GAP, MEETING, NIC_SLOWER, Rate, capacities_of
from collscope.calibration.osu import Output
from collscope.calibration.tables import Measurements

ROUNDED = 4  # digits
LONG_BYTES = 1024  # between one byte and these the curve has no further pieces


@dataclass(frozen=True)
class Streams:
    """`numbers`: keys of a specification; `gaps`: what senders spend; `texts`: what each file gives, and what it does not tell."""

    numbers: Mapping[str, Number] = field(default_factory=dict)
    gaps: Gaps = field(default_factory=Gaps)
    texts: tuple[str, ...] = ()


def of(measured: Measurements) -> Streams:
    """All that the streams of a machine say."""
    texts: list[str] = []
    gap: dict[str, list[tuple[int, float]]] = {}
    alone: dict[str, float] = {}
    together: dict[str, dict[int, float]] = {}
    for level, outputs in measured.streams.items():
        rates = [o for o in outputs if o.benchmark in ("osu_bw", "osu_mbw_mr")]
        # A pair moves at least its share of what several do, and half of what both directions do.
        shares = [o.highest / o.pairs for o in rates] + [o.highest / 2 for o in outputs if o.benchmark == "osu_bibw"]
        if shares:
            alone[level] = max(shares)
        if single := [o for o in rates if o.pairs == 1]:
            gap[level] = _senders(level, single, alone[level], measured)
        together[level] = {o.pairs: o.highest for o in rates if o.pairs > 1}
        texts += [text for o in outputs for text in _text(level, o, single, gap.get(level, []), measured)]
    links, notes = capacities_of(alone, together)
    every = [o for outputs in measured.streams.values() for o in outputs if o.benchmark != "osu_multi_lat"]
    numbers = {f"{link}_bytes_per_s": _rate(rate, every) for link, rate in links.items()}
    if nic_gap := _nic_gap(measured, gap.get(NETWORK, [])):
        numbers["nic_gap_s"] = nic_gap
        words = (
            f"the NIC begins a message each {format_time(nic_gap.value)}"
            if nic_gap.value
            else "the NIC takes no time of its own"
        )
        texts.append(f"nic_gap_s = {nic_gap.value:g}: {words} ({nic_gap.source})")
    known = {level: gaps for level, gaps in gap.items() if gaps}
    source = f"{_files([o for o in every if o.pairs == 1 and o.benchmark != 'osu_bibw'])}: time per message of a stream"
    return Streams(numbers, Gaps(known, source=source) if known else Gaps(), (*texts, *notes))


def _files(outputs: Sequence[Output]) -> str:
    return ", ".join(dict.fromkeys(output.file for output in outputs))


def _rate(rate: Rate, outputs: Sequence[Output]) -> Number:
    source = rate.source.replace("here", _files(outputs), 1)
    return Number(float(f"{rate.bytes_per_s:.{ROUNDED}g}"), "measured", source)


def _senders(
    level: str, single: Sequence[Output], bytes_per_s: float, measured: Measurements
) -> list[tuple[int, float]]:
    """(bytes, seconds) that a sender spends on a message: of the smallest size and those from 1 KiB on, where the links would be faster."""
    whole = {m.bytes: m.seconds for m in measured.times[level]}
    periods: dict[int, float] = {}
    for size, value in (row for output in single for row in output.rows):
        periods[size] = min(size / value, periods.get(size, size / value))
    return [
        (size, min(period, MAX_GAP * whole[size]))
        for size, period in sorted(periods.items())
        if size in whole and (size == min(periods) or size >= LONG_BYTES) and period > NIC_SLOWER * size / bytes_per_s
    ]


def _nic_gap(measured: Measurements, senders: Sequence[tuple[int, float]]) -> Number | None:
    """Seconds between two messages that leave a node; 0 where several senders are as fast as one each; None: not known."""
    several = [o for o in measured.streams.get(NETWORK, ()) if o.benchmark == "osu_mbw_mr" and o.pairs > 1]
    if not several or not senders:
        return None
    widest = max(several, key=lambda o: o.pairs)
    size, value = widest.rows[0]
    sender = dict(senders).get(size)
    if sender is None:
        return None
    between = size / value
    gap = float(f"{between:.{ROUNDED}g}") if between > NIC_SLOWER * sender / widest.pairs else 0.0
    return Number(gap, "measured", f"{widest.file}: {counted(widest.pairs, 'pair')} beside one")


def _text(
    level: str, output: Output, single: Sequence[Output], gaps: Sequence[tuple[int, float]], measured: Measurements
) -> list[str]:
    """What one file gives, in words."""
    pairs = f", {counted(output.pairs, 'pair')}" if output.pairs else ""
    title = f"{output.file} ({output.benchmark}, {level}{pairs})"
    if output.benchmark == "osu_bibw":
        return [f"{title}: {_duplex(output, single)}"]
    if output.benchmark == "osu_multi_lat":
        return [f"{title}: {_contention(level, output, measured)}"]
    found = [f"{output.highest / 1e9:.4g} GB/s"]
    size, value = output.rows[0]
    if output.pairs == 1:
        ends = [gaps[k] for k in sorted({0, len(gaps) - 1})] if gaps else []
        spent = ", ".join(f"{format_time(t)} at {format_size(n)}" for n, t in ends)
        found.append(f"a sender's gap of {spent}" if spent else "no sender's gap: the links are as busy at every size")
    else:
        found.append(f"a message of {format_size(size)} each {format_time(size / value)}")
        if level == NETWORK and not gaps:
            found.append("whether senders or the NIC spend that is not known: add osu_bw, or osu_mbw_mr of one pair")
    return [f"{title}: {'; '.join(found)}"]


def _duplex(output: Output, single: Sequence[Output]) -> str:
    both = f"both directions at once move {output.highest / 1e9:.4g} GB/s"
    if not single:
        return f"{both}; what one moves alone is not known: add osu_bw"
    times = output.highest / max(o.highest for o in single)
    if times >= 2 * MEETING:
        return f"{both}, {times:.2f} times one: full duplex, as the model has it"
    return (
        f"{both}, {times:.2f} times one: not full duplex; the model's links are, so that large exchanges come out up to "
        f"{2 / times:.2f} times too fast"
    )


def _contention(level: str, output: Output, measured: Measurements) -> str:
    """How much longer messages of several pairs take than of one, and between which rates what they share must lie."""
    whole = {m.bytes: m.seconds for m in measured.times[level]}
    common = [(size, value) for size, value in output.rows if size in whole]
    if len(common) < 2:
        return "has no two sizes in common with osu_latency: nothing follows"
    ends = [common[0], common[-1]]
    slower = [f"{value / whole[size]:.2f} times as long as alone at {format_size(size)}" for size, value in ends]
    words = f"messages take {' and '.join(slower)}"
    (low, first), (high, last) = common[-2:]
    if last <= whole[high] / MEETING:
        return f"{words}: what the pairs share is as fast as they need"
    if not output.pairs:
        return f"{words}; say how many pairs there were, --from {level}:PAIRS=FILE, for the rate that they share"
    if last <= first:
        return words
    # Pairs in step send the same direction at once; out of step half of them do.
    rate = output.pairs * (high - low) / (last - first) / 1e9
    return f"{words}; they share {rate / 2:.4g} to {rate:.4g} GB/s each way: osu_mbw_mr of {output.pairs} pairs measures it"
