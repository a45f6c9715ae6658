"""A number of a machine, where it comes from, and what one of its kind can be."""

from __future__ import annotations

import math
from dataclasses import dataclass

TAGS = ("documented", "measured", "inferred", "assumed")

GIVEN = "given with the platform's name"  # the source of a variant's number
MAX_BYTES = 1 << 50
# Least and greatest of each kind of number, besides 0. Beyond them sums and quotients leave what a double holds.
_KINDS = {
    "bytes_per_s": (1.0, 1e18, "bytes per second"),
    "s_per_byte": (1e-18, 1.0, "seconds per byte"),
    "_s": (1e-18, 1e3, "seconds"),
    "bytes_nonblocking": (1.0, float(MAX_BYTES), "bytes"),
    "_bytes": (1.0, float(MAX_BYTES), "bytes"),
    "traffic": (1e-12, 1e6, "bytes for each byte of a message"),
}


@dataclass(frozen=True)
class Number:
    """A number with its provenance: one of TAGS, a source in words, and the plausible range of an assumed one."""

    value: float
    tag: str = "assumed"
    source: str = ""
    range: tuple[float, float] | None = None


def outside(name: str, value: float) -> str:
    """What is wrong with a number called so, "must be …"; nothing where it can be."""
    if not math.isfinite(value):
        return "must be a finite number"
    low, high, unit = next((v for k, v in _KINDS.items() if name.endswith(k)), (0.0, math.inf, ""))
    if value == 0 or (value == -1 and name.endswith(("_bytes", "bytes_nonblocking"))) or low <= value <= high:
        return ""
    if high == math.inf:
        return "must not be negative"
    return f"must be 0 or {low:g} to {high:g} {unit}"
