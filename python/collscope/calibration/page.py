"""The page of a calibrated cluster, in Markdown: where the numbers come from, how well they meet the data, what to be careful with."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from collscope.base.units import format_size, format_time
from collscope.calibration.cluster import Calibrated
from collscope.calibration.curves import curve_at
from collscope.calibration.survey import NETWORK

FAR = 0.10  # a size that is missed by more is named
NOISY = 0.25  # of a time: its samples lie so far apart


def page(made: Calibrated, name: str, picture: str, data: str) -> str:
    """The whole page; `picture` and `data` are files beside it."""
    found = made.found
    out = [
        f"# {name}: calibrated point to point",
        "",
        f"{made.source}. Every sample's lower quartile of the best pair counts; no collective's time is in any number.",
        f"All measurements: [{data}]({data}).",
        "",
        f"![what was measured, and the pieces]({picture})",
        "",
        "## Curves",
        "",
        "| class | from | latency | ns a byte |",
        "|---|---:|---:|---:|",
    ]
    for level, pieces in found.curves.items():
        out += [f"| {level} | {format_size(n)} | {format_time(a)} | {1e9 * b:.4g} |" for n, a, b in pieces]
    out += ["", "## Sizes", "", "| class | bytes | measured | fitted | missed by |", "|---|---:|---:|---:|---:|"]
    for level, points in found.times.items():
        for p in points:
            fitted = curve_at(found.curves[level], p.bytes)
            share = fitted / p.seconds - 1
            out.append(f"| {level} | {p.bytes} | {format_time(p.seconds)} | {format_time(fitted)} | {share:+.1%} |")
    out += list(_noise(made))
    out += ["", "## Beside the curves", "", "| number | value |", "|---|---|"]
    out += [f"| {key} | {value} |" for key, value in others(made)]
    out += ["", "## To be careful with", ""]
    out += [f"- {text}" for text in [*warnings(made), *found.notes]] or ["- nothing was noticed"]
    return "\n".join(out) + "\n"


def _noise(made: Calibrated) -> Iterator[str]:
    """How much single messages vary, a row a class and size; nothing where too few round trips were measured one by one."""
    if not any(made.found.noise.values()):
        return
    yield from (
        "",
        "## Single messages",
        "",
        "Longer than the time of their size above; this part of them takes at most so long.",
        "",
    )
    yield "| class | bytes | 5 % | 50 % | 95 % | 99 % | most |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for level, sizes in made.found.noise.items():
        for size, quantiles in sizes:
            at = dict(quantiles)
            cells = " | ".join(_signed(at[part]) for part in (0.05, 0.5, 0.95, 0.99, 1.0))
            yield f"| {level} | {size} | {cells} |"


def _signed(seconds: float) -> str:
    return f"{'-' if seconds < 0 else '+'}{format_time(abs(seconds))}"


def others(made: Calibrated) -> Iterator[tuple[str, str]]:
    """What no curve holds: (name, value in words)."""
    found, seen = made.found, made.seen
    yield "overhead of receiving", format_time(found.overhead_s)
    for name, (largest, waits) in (("", found.eager), (" of non-blocking sends", found.eager_nonblocking)):
        yield f"largest message that did not wait{name}", f"{largest} bytes; {waits or 'none'} waited"
    for link, (rate, told) in found.rates.items():
        yield f"{link}", f"{'' if told else 'at least '}{rate / 1e6:.5g} MB/s"
    if found.in_order is not None:
        yield "messages of one pair", "one after the other" if found.in_order else "side by side"
    if found.nic_gap_s:
        yield "between two messages that leave a node", format_time(found.nic_gap_s)
    for side, of_levels in (("sender", found.gaps), ("receiver", found.receives)):
        for level, gaps in of_levels.items():
            some = [gaps[k] for k in sorted({0, len(gaps) // 2, len(gaps) - 1})] if gaps else []
            yield (
                f"{side}'s gap, {level}",
                "; ".join(f"{format_time(t)} at {format_size(n)}" for n, t in some) or "not told",
            )
    for level, pairs in made.shape.pairs().items():
        fresh = seen.of("pingpong_fresh", flows=(pairs[0],))
        again = {a.wanted.bytes: a.typical for a in seen.of("pingpong", flows=(pairs[0],))}
        if fresh:
            each = "; ".join(
                f"{a.typical / again[a.wanted.bytes]:.2f} × at {format_size(a.wanted.bytes)}" for a in fresh
            )
            yield f"messages that no cache holds, {level}", each
    for work, (value, low, high) in found.local.items():
        yield f"{work}, ns a byte", f"{1e9 * value:.3g} ({1e9 * low:.3g} to {1e9 * high:.3g})"


def warnings(made: Calibrated) -> Iterator[str]:
    """What a reader should know before trusting a number."""
    for level, points in made.found.times.items():
        far = [p for p in points if abs(curve_at(made.found.curves[level], p.bytes) / p.seconds - 1) > FAR]
        if far:
            yield f"{level}: the pieces miss {', '.join(format_size(p.bytes) for p in far)} by more than {FAR:.0%}"
    noisy = [a for a in made.seen.of("pingpong") if median(a.samples) > (1 + NOISY) * min(a.samples)]
    if noisy:
        sizes = sorted({a.wanted.bytes for a in noisy})
        yield (
            f"noise: of {len(noisy)} ping-pongs the median is more than {NOISY:.0%} above the least, from {format_size(sizes[0])} to "
            f"{format_size(sizes[-1])}; measure again when the machines are quiet"
        )
    if NETWORK in made.found.times and made.found.in_order is None:
        yield "order: no stream was measured"
