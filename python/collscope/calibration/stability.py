"""Whether a specification that was just made holds: single messages, timed again in a launch of their own, and messages in patterns that no
number was found from, beside what it predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from statistics import median
from typing import TypeVar

from collscope.base import console
from collscope.base.units import format_size, format_time
from collscope.machines.spec import Spec

DIFFERS = 0.10  # of the predicted time
MAX_REPEATS = 3  # of a calibration
RANGES = (0, 4 << 10, 256 << 10, inf)  # bytes: small, middle and large messages drift each by themselves

PATTERNS = {"relay": "sent back from the buffer that it came into", "relay_copied": "sent back as a copy"}

Times = Mapping[str, Mapping[int, float]]
"""Class → bytes → seconds of a message."""


T = TypeVar("T")


def settled(calibrate: Callable[[], T], differs: Callable[[T], str]) -> tuple[T, str]:
    """What calibrating finds, again while messages differ from it, at most MAX_REPEATS times; and what they differ by in the end, ""
    where they do not. `differs` says it of a calibration, in words."""
    for number in range(MAX_REPEATS + 1):
        if not (words := differs(found := calibrate())):
            break
        last = number == MAX_REPEATS
        then = "it is marked as unstable" if last else f"calibrating again ({number + 1} of {MAX_REPEATS})"
        console.note(f"single messages were timed again, and the calibration does not hold: {words}; {then}")
    return found, words


@dataclass(frozen=True)
class Difference:
    """Messages of a class, from `start` to below `end` bytes, that take otherwise than predicted: the size in the middle of them."""

    pattern: str  # "" for messages by themselves
    level: str
    start: int
    end: float
    share: float  # of the predicted time, the median over the sizes
    bytes: int
    predicted_s: float
    measured_s: float

    @property
    def text(self) -> str:
        """In words."""
        sizes = f"below {format_size(int(self.end))}" if self.end < inf else f"from {format_size(self.start)} on"
        sizes = f"{format_size(self.start)} to {sizes}" if self.start and self.end < inf else sizes
        what = f"{PATTERNS[self.pattern]}, " if self.pattern else ""
        return (
            f"{what}{self.level}, {sizes}: {self.share:+.0%} ({format_size(self.bytes)} took "
            f"{format_time(self.measured_s)}, {format_time(self.predicted_s)} is predicted)"
        )


def differences(spec: Spec, times: Times, pattern: str = "") -> Iterator[Difference]:
    """Where these times are farther off the specification's than DIFFERS, in the median over the sizes of a range. `pattern`: of PATTERNS;
    the times are those of a hop."""
    for level, of_sizes in times.items():
        for start, end in pairwise(RANGES):
            ratios = sorted(
                (time / predicted(spec, level, size, pattern), size)
                for size, time in of_sizes.items()
                if start <= size < end
            )
            share = median(ratio for ratio, _ in ratios) - 1 if ratios else 0.0
            if abs(share) > DIFFERS:
                ratio, size = ratios[len(ratios) // 2]
                yield Difference(pattern, level, int(start), end, share, size, of_sizes[size] / ratio, of_sizes[size])


def predicted(spec: Spec, level: str, size: int, pattern: str = "") -> float:
    """Seconds of a message by itself; in a pattern those of a hop: a message, a copy where there is one, and taking back the lines that the
    other rank has read."""
    piece = [piece for piece in spec.curve[level] if piece.start <= size][-1]
    copied = spec.copy_s_per_byte.value if pattern == "relay_copied" else 0.0
    back = spec.invalidation_s_per_byte.value if pattern and size > spec.eager_bytes.value else 0.0
    return piece.latency.value + size * (piece.s_per_byte.value + copied + back)
