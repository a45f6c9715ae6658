"""A specification from point-to-point times in files: the curves of every class, with fit, residuals and cross-validation.

The part of the file below MARK is made here; what stands above it (shape, links, a node's model) is the user's, and is kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from collscope.base import paths
from collscope.base.errors import UsageError, UserError, did_you_mean
from collscope.base.files import write_atomically
from collscope.base.number import Number
from collscope.base.toml_table import read_text
from collscope.base.units import format_size, parse_sizes
from collscope.calibration import remarks, streams
from collscope.calibration.contention import Gaps, Trees, gaps_of
from collscope.calibration.cross_validation import blind, left_out
from collscope.calibration.curves import (
    MIN_S_PER_BYTE,
    NETWORK,
    NOISE,
    CurveFit,
    Error,
    Limits,
    Point,
    error_text,
    fit_curves,
)
from collscope.calibration.specification import Published, like, published_pieces
from collscope.calibration.tables import Measured, Measurements
from collscope.machines import find
from collscope.machines.spec import AS_NEEDED, COUNTS, LINKS, Level, Spec, narrowest, text_of
from collscope.machines.spec_reader import parse_spec
from collscope.machines.spec_writer import curve_lines, spec_text

MARK = "# ---- curves: half round trips, made by `./collscope calibrate --from …`, which replaces what stands below"
MARKED = re.compile(r"^# ---- curves: half round trips, made by .*$", re.MULTILINE)
RATE_BYTES = 4096  # pieces from here on say what links move
HALF_DIGIT_S = 5e-9
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")


@dataclass(frozen=True)
class PublishedFit:
    """A class's times and the curve through them; `left_out`: errors at sizes that were left out of the fit."""

    times: tuple[Measured, ...]
    fit: CurveFit
    left_out: tuple[Error, ...]
    source: str

    @property
    def text(self) -> str:
        """Fit and cross-validation in words."""
        return f"{self.fit.text}; cross-validated {error_text(self.left_out)}"


@dataclass(frozen=True)
class Fitted:
    """All classes of a machine; `blind`: errors where jumps, too, have to be found in half of the sizes; `gaps`: of flat trees; `streams`:
    what each file of streams gives; `remarks`: what is doubtful."""

    curves: Mapping[str, PublishedFit]
    blind: tuple[Error, ...]
    gaps: Gaps | None = None
    streams: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def points_of(times: Sequence[Measured]) -> list[Point]:
    """The points of a class. A time is not known better than the hundredth of a microsecond that OSU prints."""
    return [Point(m.bytes, m.seconds, max(NOISE, HALF_DIGIT_S / m.seconds)) for m in times]


def fit(measured: Measurements, base: float = 0.0, known: Mapping[str, Sequence[int]] | None = None) -> Fitted:
    """The curves of all classes. `base`: seconds that no latency falls below; `known`: jumps that are known, by class or "within" for
    all classes of a node."""
    limits = Limits(MIN_S_PER_BYTE, base)
    points = {level: points_of(times) for level, times in measured.times.items()}
    curves = {
        level: PublishedFit(
            tuple(measured.times[level]),
            curve,
            tuple(left_out(curve.points, limits, curve.jumps)),
            measured.sources[level],
        )
        for level, curve in fit_curves(points, lambda _: limits, known).items()
    }
    transports = [[p for lv, p in points.items() if (lv == NETWORK) == network] for network in (False, True)]
    return Fitted(curves, tuple(error for transport in transports for error in blind(transport, limits)))


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
    check_jumps(known or {}, measured.times)
    path = target or find.spec_path(name)
    shown = paths.display(path)
    if not paths.is_writable(path.parent) or path.is_dir():
        raise UsageError(f"{shown} cannot be written; --out FILE writes elsewhere, for --on FILE")
    if path.exists():
        text = read_text(path, shown)
        if not (mark := MARKED.search(text)):
            raise UsageError(
                f"{shown}: exists and was not made by calibrate; --out FILE writes elsewhere. To renew its curves: end it with\n{MARK}"
            )
        if shape:
            raise UsageError(f"--shape: {shown} has its shape already; edit it there")
        head = text[: mark.start()]
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
    flows = streams.of(measured)
    for level in measured.times:
        if level not in links.classes:
            raise UserError(
                f"{shown}: {measured.sources[level]} has times of class {level}, which the machine lacks; give a new machine "
                f"--shape {level}=CORES, the file of another a table [[level]], or say what is meant: --class WORD=CLASS"
            )
    times = {level: measured.times[level] for level in links.classes if level in measured.times}
    fitted = fit(replace(measured, times=times), 2 * links.overhead_s.value, known)
    curves = {
        level: Published(c.fit, c.times, c.source, min(own_rate(c.fit), _link_rate(links, level)))
        for level, c in fitted.curves.items()
    }
    eager, nonblocking = int(links.eager_bytes.value), int(links.eager_nonblocking.value)
    network = curves[NETWORK].rate if NETWORK in curves else math.inf
    other = (links.gamma_s_per_byte.value, links.nic_gap_s.value, 1 / network)
    gaps = gaps_of(trees, nonblocking, *other) if trees else flows.gaps
    pieces, waiting = published_pieces(curves, gaps, eager, nonblocking)
    comments = {level: [*_comments(level, c)] for level, c in fitted.curves.items()}
    for level in waiting:
        size, time = gaps.waiting[like(level, gaps.waiting)]
        comments[f"nonblocking {level}"] = [
            f"{level}: {format_size(size)} takes {time * 1e6:.2f} us where the send is non-blocking ({gaps.source})."
        ]
    found = parse_spec("\n".join([head, *curve_lines(pieces, waiting)]), shown)
    kept = tuple(
        f"{key} = {text_of(number.value)} follows from {number.source}; what stands above the curves is yours: write it there"
        for key, number in flows.numbers.items()
        if not re.search(rf"^{key}\s*=", head, re.MULTILINE)
    )
    doubts = (
        *kept,
        *remarks.of_spec(found),
        *(text for lv, c in fitted.curves.items() for text in remarks.of_fit(lv, c.fit)),
    )
    above = [MARK, *(f"# {line}" for line in (*flows.texts, *doubts))]
    text = head + "\n".join([*above, *curve_lines(pieces, waiting, comments)]) + "\n"
    return replace(fitted, gaps=gaps if trees else None, streams=flows.texts, remarks=doubts), text


def _comments(level: str, curve: PublishedFit) -> Iterator[str]:
    yield f"{level}: {curve.text}"
    if curve.fit.jumps:
        yield f"A protocol begins at {', '.join(map(format_size, curve.fit.jumps))}."


def own_rate(fit: CurveFit) -> float:
    """The bytes per second of a class's fastest piece, of those for large messages: what its links move."""
    slopes = [slope for start, _, slope in fit.pieces if start >= RATE_BYTES] or [fit.pieces[-1][2]]
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
    given = {key: Number(n, "documented", "given to calibrate") for key, n in shape.items()}
    levels = sorted((key for key in shape if key not in COUNTS), key=lambda key: shape[key])
    numbers: dict[str, Any] = dict(streams.of(measured).numbers)
    spec = Spec(
        name=name,
        about=f"{name}: messages from {', '.join(dict.fromkeys(measured.sources.values()))}",
        nodes=shape["nodes"],
        sockets=shape["sockets"],
        cores_per_socket=shape["cores_per_socket"],
        cores_per_cache=shape.get("cores_per_cache", shape["cores_per_socket"]),
        counts={key: given[key] for key in COUNTS if key in given},
        curve={},
        levels=tuple(Level(level, given[level], Number(0.0)) for level in levels),
        **numbers,
    )
    return spec_text(spec) + "\n"


def parse_shape(text: str) -> dict[str, int]:
    """nodes=4,sockets=2,… UsageError: what cannot be read."""
    keys = f"{', '.join(f'{k}=N' for k in COUNTS)}, and NAME=CORES of a level"
    shape: dict[str, int] = {}
    for part in text.split(","):
        key, _, value = (word.strip() for word in part.partition("="))
        if (
            not re.fullmatch(r"[a-z][a-z0-9_]{0,19}", key)
            or not re.fullmatch(r"[0-9]{1,7}", value)
            or not 0 < int(value) < 1 << 22
        ):
            raise UsageError(f'--shape: cannot read "{part}"; write some of {keys}')
        if key in shape:
            raise UsageError(f"--shape: {key} is given twice; keep one of {key}={shape[key]} and {key}={value}")
        shape[key] = int(value)
    return shape


def parse_jumps(texts: Sequence[str]) -> dict[str, list[int]]:
    """network=8KiB,… of each class. UsageError: what cannot be read."""
    return {level: sorted(parse_sizes(sizes)) for level, sizes in pairs("--jumps", texts).items()}


def check_jumps(known: Mapping[str, object], classes: Collection[str]) -> None:
    """UsageError: jumps of a class without times."""
    names = [*classes, *(["within"] if {*classes} - {NETWORK} else [])]
    for level in known:
        if level not in names:
            guess = did_you_mean(level, names) or f"; choose from {', '.join(names)}"
            raise UsageError(f"--jumps {level}=…: no time of class {level} was given{guess}")


def pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    """KEY=VALUE of each text. UsageError: there is no =, or a key twice."""
    found: dict[str, str] = {}
    for text in texts:
        key, _, value = (part.strip() for part in text.partition("="))
        if not key or not value:
            raise UsageError(f'{option}: cannot read "{text}"; write KEY=VALUE')
        if key in found:
            raise UsageError(f"{option}: {key} is given twice; keep one of {key}={found[key]} and {key}={value}")
        found[key] = value
    return found
