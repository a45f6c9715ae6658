"""How sources of numbers are told apart: a dash for lines, a marker for dots, and a name."""

from __future__ import annotations

from typing import Any

DASH: dict[str, Any] = {
    "sim": "-",
    "real": "-",
    "model": (0, (4, 1.6)),
    "bound": (0, (1, 1.2)),
    "published": (0, (6, 2, 1, 2)),
}
DOT: dict[str, dict[str, Any]] = {
    "sim": {"marker": "o"},
    "real": {"marker": "D"},
    "model": {"marker": "o", "mfc": "none", "mew": 1.2, "ms": 9},  # a ring around a simulated time that is the same
    "published": {"marker": "s"},
}
NAME = {"bound": "bound (telephone model; overlap may go below)", "sim": "simulated", "real": "measured"}
BOUND_DASH: dict[str, Any] = {"bound/telephone": (0, (1, 1.2)), "bound/loggp": (0, (5, 1.5, 1, 1.5))}
BOUND_NAME = {"bound/telephone": NAME["bound"], "bound/loggp": "bound (LogGP)"}
