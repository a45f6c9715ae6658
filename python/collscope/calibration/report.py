"""What is printed of a calibration, and its page in Markdown: where the numbers come from, how well they meet the data, what to be careful
with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from collscope.base.units import format_size, format_time
from collscope.calibration.calibrate import Calibration
from collscope.calibration.cross_validation import reason
from collscope.calibration.curves import NETWORK, NOISE, CurveFit, curve_at, error_text
from collscope.calibration.published import Fitted, PublishedFit

FAR = 0.10  # a size that is missed by more is named
NOISY = 0.25  # of a time: its samples lie so far apart
SPREAD = 0.25  # of a time, between its percentiles: from here on the class holds different pairs
LARGE_BYTES = 1 << 20
MAX_NAMED = 6  # sizes in one remark


# ---- in a terminal ----------------------------------------------------------------------------------------


def describe(made: Calibration) -> Iterator[str]:
    """One line each: of each class its pieces and errors, links, a node's elements, what was left out."""
    found = made.estimates
    yield made.source
    if made.unstable:
        yield f"unstable: {made.unstable}"
    for level, fit in found.curves.items():
        yield from _curve(f"{level}: {fit.text}", fit)
    yield from (f"{link}: {rate.text}" for link, rate in found.rates.items())
    yield f"overhead {format_time(found.overhead_s)}" + (
        f"; eager up to {format_size(found.eager[0])}" if found.eager[0] else ""
    )
    if found.in_order is not None:
        yield f"messages of one pair flow {_order(found.in_order)}"
    if found.nic_gap_s is not None:
        yield f"NIC: {_between(found.nic_gap_s)}"
    yield from (f"note: {note}" for note in found.notes)


def describe_published(fitted: Fitted) -> Iterator[str]:
    """One line each: errors, jumps and pieces of each class, what was missed by far and why, what is doubtful."""
    for level, curve in fitted.curves.items():
        yield from _curve(f"{level}: {curve.text}", curve.fit)
        for error in curve.left_out:
            if abs(error.share) > FAR:
                why = reason(curve.fit.points, curve.fit.jumps, error.bytes)
                yield f"  cross-validation: {format_size(error.bytes)} has an error of {error.share:+.1%}: {why}"
        yield from (f"  note: {doubt}" for doubt in doubts(curve))
    if fitted.gaps:
        yield f"gaps: fitted to {fitted.gaps.fitted} of {fitted.gaps.rows} rows; the others are for validation"
        for who, of_levels in (("sender", fitted.gaps.gap), ("receiver", fitted.gaps.received)):
            for level, known in of_levels.items():
                yield f"  {level}, {who}: {', '.join(f'{format_time(gap)} at {format_size(size)}' for size, gap in known)}"
        for level, (size, time) in fitted.gaps.waiting.items():
            yield f"  {level}: a non-blocking message of {format_size(size)} takes {format_time(time)}"
    yield from fitted.streams
    every = [error for curve in fitted.curves.values() for error in curve.left_out]
    for words, errors in (("", every), (", with jump detection repeated in each half", fitted.blind)):
        far = sum(abs(error.share) > FAR for error in errors)
        yield f"cross-validation of all classes{words}: {error_text(errors)}, {far} of {len(errors)} sizes above {FAR:.0%}"
    yield from (f"note: {remark}" for remark in fitted.remarks)


def _curve(title: str, fit: CurveFit) -> Iterator[str]:
    yield title
    if fit.jumps:
        yield f"  a protocol begins at {', '.join(map(format_size, fit.jumps))}"
    for start, latency, slope in fit.pieces:
        yield f"  from {format_size(start):>8}: α = {format_time(latency)}, β = {slope * 1e9:.3g} ns/B"


def doubts(curve: PublishedFit) -> Iterator[str]:
    """What a reader should know of a class's data."""
    wide = [m for m in curve.times if m.low and m.high and (m.high - m.low) / m.seconds > SPREAD]
    if wide:
        sizes = ", ".join(format_size(m.bytes) for m in wide[:MAX_NAMED])
        yield f"pairs differ by more than {SPREAD:.0%} at {sizes}{' …' if len(wide) > MAX_NAMED else ''}"
    for before, after in pairwise(curve.times):
        if after.seconds < before.seconds * (1 - 2 * NOISE):
            yield f"{format_size(after.bytes)} takes less time than {format_size(before.bytes)}"
    if curve.times[-1].bytes < LARGE_BYTES:
        yield f"nothing above {format_size(curve.times[-1].bytes)} was measured; the last piece is extrapolated"
    if curve_at(curve.fit.pieces, 1) > min(m.seconds for m in curve.times) * 2:
        yield "the smallest message is not the fastest"


def _between(nic_gap_s: float) -> str:
    return f"{format_time(nic_gap_s)} between messages" if nic_gap_s else "as fast as its ranks send and receive"


def _order(is_in_order: bool) -> str:
    return "one after the other" if is_in_order else "side by side"


# ---- the page of a cluster --------------------------------------------------------------------------------


def page(made: Calibration, name: str, picture: str, data: str) -> str:
    """The whole page; `picture` and `data` are files beside it."""
    found = made.estimates
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
        "| class | from | latency | ns per byte |",
        "|---|---:|---:|---:|",
    ]
    for level, fit in found.curves.items():
        out += [f"| {level} | {format_size(n)} | {format_time(a)} | {1e9 * b:.4g} |" for n, a, b in fit.pieces]
    out += ["", "## Sizes", "", "| class | bytes | measured | fitted | error |", "|---|---:|---:|---:|---:|"]
    for level, fit in found.curves.items():
        for p, error in zip(fit.points, fit.errors, strict=True):
            fitted = format_time(curve_at(fit.pieces, p.bytes))
            out.append(f"| {level} | {p.bytes} | {format_time(p.seconds)} | {fitted} | {error.share:+.1%} |")
    out += list(_noise(made))
    out += ["", "## Beside the curves", "", "| number | value |", "|---|---|"]
    out += [f"| {key} | {value} |" for key, value in others(made)]
    out += ["", "## To be careful with", ""]
    out += [f"- {text}" for text in [*warnings(made), *found.notes]] or ["- nothing was noticed"]
    return "\n".join(out) + "\n"


def _noise(made: Calibration) -> Iterator[str]:
    """How much single messages vary, one row per class and size; nothing where too few round trips were measured one by one."""
    if not any(made.estimates.noise.values()):
        return
    yield from ("", "## Single messages", "", "Quantiles of their time, less that of their size above.", "")
    yield "| class | bytes | 5 % | 50 % | 95 % | 99 % | max |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for level, sizes in made.estimates.noise.items():
        for size, quantiles in sizes:
            at = dict(quantiles)
            cells = " | ".join(_signed(at[part]) for part in (0.05, 0.5, 0.95, 0.99, 1.0))
            yield f"| {level} | {size} | {cells} |"


def _signed(seconds: float) -> str:
    return f"{'-' if seconds < 0 else '+'}{format_time(abs(seconds))}"


def others(made: Calibration) -> Iterator[tuple[str, str]]:
    """What no curve holds: (name, value in words)."""
    found, samples = made.estimates, made.samples
    yield "overhead of receiving", format_time(found.overhead_s)
    for name, (largest, waits) in (("", found.eager), (" of non-blocking sends", found.eager_nonblocking)):
        yield f"largest message that did not wait{name}", f"{largest} bytes; {waits or 'none'} waited"
    yield from ((link, rate.text) for link, rate in found.rates.items())
    if found.in_order is not None:
        yield "messages of one pair", _order(found.in_order)
    if found.nic_gap_s is not None:
        yield "between two messages that leave a node", _between(found.nic_gap_s)
    for side, of_levels in (("sender", found.gaps), ("receiver", found.receives)):
        for level, gaps in of_levels.items():
            some = [gaps[k] for k in sorted({0, len(gaps) // 2, len(gaps) - 1})] if gaps else []
            values = "; ".join(f"{format_time(t)} at {format_size(n)}" for n, t in some)
            yield f"{side}'s gap, {level}", values or "not known"
    for level, pairs in samples.placement.pairs().items():
        again = {r.probe.bytes: r.typical for r in samples.of("pingpong", flows=(pairs[0],))}
        fresh = {r.probe.bytes: r.typical for r in samples.of("pingpong_fresh", flows=(pairs[0],))}
        if fresh:
            each = "; ".join(f"{time / again[n]:.2f} × at {format_size(n)}" for n, time in fresh.items())
            yield f"messages that no cache holds, {level}", each
    for work, (value, low, high) in found.local.items():
        yield f"{work}, ns per byte", f"{1e9 * value:.3g} ({1e9 * low:.3g} to {1e9 * high:.3g})"


def warnings(made: Calibration) -> Iterator[str]:
    """What a reader should know before trusting a number."""
    if made.unstable:
        yield f"unstable: single messages, timed again, differ: {made.unstable}"
    for level, fit in made.estimates.curves.items():
        if far := [error for error in fit.errors if abs(error.share) > FAR]:
            yield f"{level}: errors above {FAR:.0%} at {', '.join(format_size(error.bytes) for error in far)}"
    noisy = [r for r in made.samples.of("pingpong") if median(r.samples) > (1 + NOISY) * min(r.samples)]
    if noisy:
        sizes = sorted({r.probe.bytes for r in noisy})
        yield (
            f"noise: of {len(noisy)} ping-pongs the median is more than {NOISY:.0%} above the least, from {format_size(sizes[0])} to "
            f"{format_size(sizes[-1])}; measure again when the machines are quiet"
        )
    if NETWORK in made.estimates.curves and made.estimates.in_order is None:
        yield "order: no stream was measured"
