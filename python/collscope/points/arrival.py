"""Arrival patterns: by how much each rank enters a call later than the first one, as `--skew` takes them and plans say them.

core/plan/arrival.h has the patterns; the times themselves are found there, for the model, the simulation and real runs alike.
"""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UsageError
from collscope.base.units import SECONDS, format_time

NONE = "none"
PATTERNS = ("none", "linear:T", "random:T[:SEED]", "one_late:T[:RANK]", "file:PATH")
MAX_S = 1e6
MAX_PATH_CHARACTERS = 255  # characters of a path
_TIMED = re.compile(r"(linear|random|one_late):([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-zµ]*)(?::([0-9]+))?\Z")


def parse(text: str) -> str:
    """A pattern as a plan has it, in seconds: "linear:10us" → "linear:1e-05". A UsageError says what there is."""
    text = text.strip()
    if text in ("", NONE):
        return NONE
    if text.startswith("file:"):
        return f"file:{_file(text.removeprefix('file:'))}"
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
    """UsageError: the pattern is a file, and does not have one line for each of so many ranks."""
    if not pattern.startswith("file:"):
        return
    from collscope.base.toml_table import read_text  # it brings pydantic

    path = Path(pattern.removeprefix("file:"))
    lines = [line.partition("#")[0].strip() for line in read_text(path, str(path)).splitlines()]
    if (found := sum(map(bool, lines))) != ranks:
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


def _file(name: str) -> Path:
    path = paths.expanded(name).absolute()
    if not path.is_file():
        raise UsageError(f"--skew file:{name}: there is no such file; give one with the seconds of a rank on each line")
    if re.search(r"\s|#", str(path)) or len(str(path).encode()) > MAX_PATH_CHARACTERS:
        raise UsageError(
            f"--skew file:{name}: a plan cannot hold blanks, # or more than {MAX_PATH_CHARACTERS} bytes of a path"
        )
    return path


def identity(pattern: str) -> str:
    """The pattern for caches: a file by what is in it, not by its name."""
    if not pattern.startswith("file:"):
        return pattern
    return f"file:{hashlib.sha256(Path(pattern.removeprefix('file:')).read_bytes()).hexdigest()}"
