"""Arrival patterns: by how much each rank enters a call later than the first one, as `--skew` takes them and plans say them.

core/plan/arrival.h has the patterns; the times themselves are found there, for the model, the simulation and real runs alike.
"""

from __future__ import annotations

import math
import re

from collscope.base.errors import UsageError
from collscope.base.units import SECONDS, format_time
from collscope.points import named_file
from collscope.points.named_file import PREFIX

NONE = "none"
PATTERNS = ("none", "linear:T", "random:T[:SEED]", "one_late:T[:RANK]", "file:PATH")
MAX_S = 1e6
_TIMED = re.compile(r"(linear|random|one_late):([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-zµ]*)(?::([0-9]+))?\Z")


def parse(text: str) -> str:
    """A pattern as a plan has it, in seconds: "linear:10us" → "linear:1e-05". A UsageError says what there is."""
    text = text.strip()
    if text in ("", NONE):
        return NONE
    if text.startswith(PREFIX):
        return named_file.parse("--skew", text.removeprefix(PREFIX), "the seconds of a rank")
    match = _TIMED.fullmatch(text)
    if not match or match[3] not in SECONDS:
        raise UsageError(
            f"--skew {text}: choose {', '.join(PATTERNS)}; T is a time with its unit, such as 10us, 1.5ms or 1s"
        )
    kind, number, unit, more = match.groups()
    try:
        seconds = float(number) * SECONDS[unit]
    except ValueError:
        raise UsageError(f"--skew {text}: {number} is not a number") from None
    if not math.isfinite(seconds) or seconds > MAX_S:
        raise UsageError(f"--skew {text}: at most {MAX_S:g} s")
    if more and kind == "linear":
        raise UsageError(f"--skew {text}: linear takes a time alone")
    if more and int(more) >= 1 << 20:
        raise UsageError(f"--skew {text}: the number behind the time is at most {(1 << 20) - 1}")
    return f"{kind}:{seconds:.12g}" + (f":{int(more)}" if more else "")


def check_ranks(pattern: str, ranks: int) -> None:
    """UsageError: the pattern names a rank that is not one of so many, or is a file without one line for each."""
    kind, *more = pattern.split(":")
    if kind == "one_late" and more[1:] and int(more[1]) >= ranks:
        raise UsageError(f"--skew one_late:T:{more[1]}: with {ranks} ranks the late one is 0 … {ranks - 1}")
    if not pattern.startswith(PREFIX):
        return
    if (found := len(named_file.lines(pattern.removeprefix(PREFIX)))) != ranks:
        raise UsageError(
            f"--skew {pattern}: has seconds for {found} ranks, and there are {ranks}; give one line per rank"
        )


def describe(pattern: str) -> str:
    """A pattern in words: "linear:1e-05" → "linear, 10 µs"."""
    kind, _, rest = pattern.partition(":")
    if kind in (NONE, "file"):
        return pattern
    seconds, _, more = rest.partition(":")
    what = {"random": ", seed ", "one_late": ", rank "}.get(kind, "") + more if more else ""
    return f"{kind.replace('_', ' ')}, {format_time(float(seconds))}{what}"
