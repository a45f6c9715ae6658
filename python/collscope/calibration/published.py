"""A specification from point-to-point times in files: the curves of every class, with fit, residuals and cross-validation.

The part of the file below MARK is made here; what stands above it (shape, links, a node's model) is the user's, and is kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import median

from collscope.base import paths
from collscope.base.errors import UsageError, UserError
from collscope.base.files import write_atomically
from collscope.base.statistics import quantile
from collscope.base.toml_table import read_text
from collscope.base.units import format_size, format_time, parse_sizes
from collscope.calibration.contention import Gaps, Trees, gaps_of
from collscope.calibration.cross_validation import Missed, blind, left_out, reason, residuals
from collscope.calibration.curve_text import NETWORK, Drawn, sections
from collscope.calibration.curve_text import Limits as SendLimits
from collscope.calibration.curves import NOISE, Limits, Piece, Point, curve_at, jumps_of, pieces_of
from collscope.calibration.tables import Measured, Measurements
from collscope.machines import find
from collscope.machines.spec import AS_NEEDED, COUNTS, LINKS, Number, Spec, narrowest
from collscope.machines.spec_reader import parse_spec

MARK = "# ---- curves: half round trips, made by `./collscope calibrate --from …`; what stands below is written anew"
MIN_SLOPE = 1e-12  # seconds a byte: a thousand times faster than any core
RATE_BYTES = 4096  # pieces from here on say what links move
HALF_DIGIT_S = 5e-9
FAR = 0.10  # a left-out size missed by more is named
SPREAD = 0.25  # of a time, between its percentiles: from here on the class holds different pairs
LARGE_BYTES = 1 << 20
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")


@dataclass(frozen=True)
class CurveFit:
    """A class's times and its curve; `jumps`: sizes where a protocol begins."""

    level: str
    times: tuple[Measured, ...]
    pieces: tuple[Piece, ...]
    jumps: tuple[int, ...]
    residual: tuple[Missed, ...]
    left_out: tuple[Missed, ...]
    source: str

    @property
    def points(self) -> list[Point]:
        """The times as the fit takes them."""
        return points_of(self.times)

    @property
    def text(self) -> str:
        """Fit and prediction in words."""
        return (
            f"{len(self.times)} sizes in {len(self.pieces)} pieces; missed by {_words(self.residual)}; "
            f"left out of the fit, by {_words(self.left_out)}"
        )


@dataclass(frozen=True)
class Fitted:
    """All classes of a machine; `unknowing`: what is missed where jumps, too, have to be found in half of the sizes."""

    curves: tuple[CurveFit, ...]
    rates: Mapping[str, float]
    unknowing: tuple[Missed, ...]
    gaps: Gaps | None = None


def points_of(times: Sequence[Measured]) -> list[Point]:
    """The points of a class. A time is not known better than the hundredth of a microsecond that OSU prints."""
    return [Point(m.bytes, m.seconds, max(NOISE, HALF_DIGIT_S / m.seconds)) for m in times]


def _words(missed: Sequence[Missed]) -> str:
    worst = max(missed, key=lambda m: abs(m.error))
    middle = median(abs(m.error) for m in missed)
    return f"{middle:.1%} (median), {abs(worst.error):.1%} (most, at {format_size(worst.bytes)})"


def fit(measured: Measurements, base: float = 0.0, known: Mapping[str, Sequence[int]] | None = None) -> Fitted:
    """The curves of all classes. `base`: seconds that no latency falls below; `known`: jumps that are known, by class or "within" for
    all classes of a node. Without, they are found in all classes of a node together, and in the network by itself."""
    known, limits = known or {}, Limits(MIN_SLOPE, base)
    transports = [[lv for lv in measured.times if (lv == NETWORK) == network] for network in (False, True)]
    curves: list[CurveFit] = []
    unknowing: list[Missed] = []
    for levels in transports:
        points = {level: points_of(measured.times[level]) for level in levels}
        found = (
            known.get("within", jumps_of(list(points.values()))) if levels != [NETWORK] else jumps_of([points[NETWORK]])
        )
        unknowing += blind(list(points.values()), limits) if levels else []
        for level in levels:
            jumps = tuple(sorted(known.get(level, found)))
            curves.append(
                CurveFit(
                    level,
                    tuple(measured.times[level]),
                    tuple(pieces_of(points[level], limits, jumps)),
                    jumps,
                    tuple(residuals(points[level], limits, jumps)),
                    tuple(left_out(points[level], limits, jumps)),
                    measured.sources[level],
                )
            )
    return Fitted(tuple(curves), measured.rates, tuple(unknowing))


def calibrate(
    name: str,
    measured: Measurements,
    target: Path | None = None,
    shape: Mapping[str, int] | None = None,
    known: Mapping[str, Sequence[int]] | None = None,
    trees: Trees | None = None,
) -> tuple[Path, Fitted]:
    """Writes the specification NAME (default: where find looks for it), whole or not at all; a file that is there keeps what stands
    above MARK. `shape`: COUNTS of a new one. UsageError: it cannot be written, or its shape is not known; UserError: the curves and
    the rest of the file cannot both be right."""
    path = target or find.spec_path(name)
    shown = paths.display(path)
    if not paths.is_writable(path.parent) or path.is_dir():
        raise UsageError(f"{shown} cannot be written; --out FILE writes elsewhere, for --on FILE")
    if path.exists():
        text = read_text(path, shown)
        head, mark, _ = text.partition(MARK)
        if not mark:
            raise UsageError(
                f"{shown}: is there and was not made by calibrate; --out FILE writes elsewhere. To renew its curves: end it with\n{MARK}"
            )
        if shape:
            raise UsageError(f"--shape: {shown} has its shape already; edit it there")
    else:
        head = new_head(name, measured, shape or {})
    fitted, text = made(head, measured, shown, known, trees)
    write_atomically(path, text)
    return path, fitted


def made(
    head: str,
    measured: Measurements,
    shown: str,
    known: Mapping[str, Sequence[int]] | None = None,
    trees: Trees | None = None,
) -> tuple[Fitted, str]:
    """The curves, and the whole specification: what stands above MARK, and what below. UserError as calibrate."""
    links = parse_spec(f"{head}\n[curve]\nnetwork = [[0, 1000, 1]]\n", shown)
    for level in measured.times:
        if level not in links.classes:
            raise UserError(
                f"{shown}: {measured.sources[level]} has times of class {level}, which the machine lacks; give a new machine "
                f"--shape {level}=CORES, the file of another a table [[level]], or say what is meant: --class WORD=CLASS"
            )
    times = {level: measured.times[level] for level in links.classes if level in measured.times}
    fitted = fit(replace(measured, times=times), 2 * links.overhead_s.value, known)
    drawn = [
        Drawn(c.level, c.text, c.jumps, c.pieces, c.times, c.source, min(own_rate(c), _link_rate(links, c.level)))
        for c in fitted.curves
    ]
    limits = SendLimits(int(links.eager_bytes.value), int(links.eager_nonblocking.value))
    network = next((curve.rate for curve in drawn if curve.level == "network"), math.inf)
    other = (links.gamma_s_per_byte.value, links.nic_gap_s.value, 1 / network)
    gaps = gaps_of(trees, limits.nonblocking, *other) if trees else None
    text = "\n".join([f"{head}{MARK}", *sections(drawn, gaps, limits)]) + "\n"
    parse_spec(text, shown)
    return replace(fitted, gaps=gaps), text


def own_rate(curve: CurveFit) -> float:
    """The bytes a second of a class's fastest piece, of those for large messages: what its links move."""
    slopes = [slope for start, _, slope in curve.pieces if start >= RATE_BYTES] or [curve.pieces[-1][2]]
    return 1 / min(slopes)


def _link_rate(spec: Spec, level: str) -> float:
    """The narrowest link that the file gives on the way of a class; infinite where it gives none."""
    unknown = [f"{link}_bytes_per_s" for link in LINKS if getattr(spec, f"{link}_bytes_per_s").source == AS_NEEDED]
    return narrowest(replace(spec, **dict.fromkeys(unknown, Number(math.inf))), level)  # type: ignore[arg-type]


def new_head(name: str, measured: Measurements, shape: Mapping[str, int]) -> str:
    """The beginning of a specification of which only shape and messages are known."""
    needed = ("nodes", "sockets", "cores_per_socket")
    if missing := [key for key in needed if key not in shape]:
        raise UsageError(
            f"{name}: messages do not tell a machine's shape; add --shape nodes=4,sockets=2,cores_per_socket=16"
            f"[,cores_per_cache=4] (missing: {', '.join(missing)})"
        )
    lines = [
        f'name = "{name}"',
        f'about = "{name}: messages from {", ".join(dict.fromkeys(measured.sources.values()))}"',
    ]
    lines += [
        f'{key} = {{ value = {shape[key]}, tag = "documented", source = "given to calibrate" }}'
        for key in COUNTS
        if key in shape
    ]
    for level, link in ((NETWORK, "nic"), *((lv, "core") for lv in ("cache", "socket", "node"))):
        if level in measured.rates and not any(line.startswith(f"{link}_bytes_per_s") for line in lines):
            rate = measured.rates[level]
            lines.append(
                f'{link}_bytes_per_s = {{ value = {rate:.4g}, tag = "measured", source = "osu_bw, {level}: its highest" }}'
            )
    for level in sorted((key for key in shape if key not in COUNTS), key=lambda key: shape[key]):
        cores = f'{{ value = {shape[level]}, tag = "documented", source = "given to calibrate" }}'
        lines += ["", "[[level]]", f'name = "{level}"', f"cores = {cores}"]
    return "\n".join(lines) + "\n\n"


def describe(fitted: Fitted) -> Iterator[str]:
    """What is told of a calibration, a line each: fit, jumps, residuals, what was missed by far and why, what is doubtful."""
    for curve in fitted.curves:
        yield f"{curve.level}: {curve.text}"
        if curve.jumps:
            yield f"  a protocol begins at {', '.join(format_size(j) for j in curve.jumps)}"
        for start, latency, slope in curve.pieces:
            yield f"  from {format_size(start):>8}: α = {format_time(latency)}, β = {slope * 1e9:.3g} ns/B"
        for missed in curve.left_out:
            if abs(missed.error) > FAR:
                why = reason(curve.points, curve.jumps, missed.bytes)
                yield f"  left out, {format_size(missed.bytes)} is missed by {missed.error:+.1%}: {why}"
        yield from (f"  {doubt}" for doubt in doubts(curve))
    if fitted.gaps:
        yield f"gaps, from {fitted.gaps.fitted} of {fitted.gaps.rows} rows; the others are for judging"
        for level, known in fitted.gaps.gap.items():
            yield f"  {level}: {', '.join(f'{format_time(gap)} at {format_size(size)}' for size, gap in known)}"
        for level, known in fitted.gaps.received.items():
            words = ", ".join(f"{format_time(gap)} at {format_size(size)}" for size, gap in known)
            yield f"  {level}: its receiver {words}"
        for level, (size, time) in fitted.gaps.waiting.items():
            yield f"  {level}: a non-blocking message of {format_size(size)} takes {format_time(time)}"
    every = [m for curve in fitted.curves for m in curve.left_out]
    for words, missed_by in (("", every), ("; had jumps to be found in the same halves", fitted.unknowing)):
        errors = sorted(abs(m.error) for m in missed_by)
        far = sum(e > FAR for e in errors)
        yield (
            f"all classes, every other size left out{words}: {quantile(errors, 0.5):.1%} (median), {errors[-1]:.1%} (most), "
            f"{far} of {len(errors)} by more than {FAR:.0%}"
        )


def doubts(curve: CurveFit) -> Iterator[str]:
    """What a reader should know of a class's data."""
    wide = [m for m in curve.times if m.low and m.high and (m.high - m.low) / m.seconds > SPREAD]
    if wide:
        sizes = ", ".join(format_size(m.bytes) for m in wide[:6])
        yield f"remark: pairs differ by more than {SPREAD:.0%} at {sizes}{' …' if len(wide) > 6 else ''}"
    for before, after in pairwise(curve.times):
        if after.seconds < before.seconds * (1 - 2 * NOISE):
            yield f"remark: {format_size(after.bytes)} takes less time than {format_size(before.bytes)}"
    if curve.times[-1].bytes < LARGE_BYTES:
        yield f"remark: nothing above {format_size(curve.times[-1].bytes)} was measured; the last piece goes on"
    if curve_at(curve.pieces, 1) > min(m.seconds for m in curve.times) * 2:
        yield "remark: the smallest message is not the fastest"


def parse_shape(text: str) -> dict[str, int]:
    """nodes=4,sockets=2,… UsageError: what cannot be read."""
    shape = {}
    for part in text.split(","):
        key, _, value = part.partition("=")
        if (
            not re.fullmatch(r"[a-z][a-z0-9_]{0,19}", key.strip())
            or not value.strip().isdigit()
            or not 0 < int(value) < 1 << 22
        ):
            raise UsageError(
                f'--shape: cannot read "{part}"; write some of {", ".join(f"{k}=N" for k in COUNTS)}, and NAME=CORES of a level'
            )
        shape[key.strip()] = int(value)
    return shape


def parse_jumps(texts: Sequence[str]) -> dict[str, list[int]]:
    """network=8KiB,… of each class. UsageError: what cannot be read."""
    return {level: sorted(parse_sizes(sizes)) for level, sizes in pairs("--jumps", texts).items()}


def pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    """KEY=VALUE of each text. UsageError: there is no =."""
    for text in texts:
        if not all(part.strip() for part in text.partition("=")):
            raise UsageError(f'{option}: cannot read "{text}"; write KEY=VALUE')
    return {text.partition("=")[0].strip(): text.partition("=")[2].strip() for text in texts}
