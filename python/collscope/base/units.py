"""Sizes, ranges and times as people write them.

A size is a number and an optional unit: `4`, `4B`, `1KiB`, `4MiB`, `0.5GiB`. K, M and G alone are binary, as MPI's benchmarks
have them. KB and the like are refused because some readers take them for 1000 and some for 1024.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby

from collscope.base.errors import UsageError

_UNITS = {"": 1, "b": 1} | {
    letter + rest: 1 << 10 * (i + 1) for i, letter in enumerate("kmgt") for rest in ("", "i", "ib")
}
MAX_VECTOR_BYTES = 1 << 50  # times thousands of ranks still a number of bytes that C can hold
_DOUBTFUL = {"kb": "KiB", "mb": "MiB", "gb": "GiB", "tb": "TiB"}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*\Z")
MAX_RANKS = 1 << 20  # more than any machine has
_DIGITS = 40  # of a number that can be meant
_SHOWN = 40  # characters of a text that a complaint repeats


def parse_size(text: str) -> int:
    """Bytes of "4KiB"."""
    match = _SIZE.match(text)
    if len(text.strip()) > _DIGITS + 8:
        raise UsageError(f'the size "{text.strip()[:_SHOWN]}…" is too long; the largest size is 1024 TiB')
    if not match:
        raise UsageError(f'cannot read the size "{text.strip()}"; write for example 4, 512B, 1KiB or 4MiB')
    number, unit = match.group(1), match.group(2).lower()
    if unit in _DOUBTFUL:
        better = _DOUBTFUL[unit]
        raise UsageError(
            f'cannot read the size "{text.strip()}": write {number}{better} (1 {better} = '
            f"{_UNITS[better.lower()]} bytes) or plain bytes"
        )
    if unit not in _UNITS:
        raise UsageError(
            f'cannot read the size "{text.strip()}": the unit is none of B, KiB, MiB, GiB, TiB (or K, M, G, T)'
        )
    size = Fraction(number) * _UNITS[unit]
    if size.denominator != 1:
        raise UsageError(f'the size "{text.strip()}" is not a whole number of bytes')
    if size > MAX_VECTOR_BYTES:
        raise UsageError(f'the size "{text.strip()}" is too large; the largest is 1024 TiB')
    return int(size)


def parse_sizes(text: str) -> list[int]:
    """Bytes of "4,100,1KiB..4MiB": single sizes and ranges that double from their start, in the order given, each once."""
    sizes: list[int] = []
    for part in _parts(text, "size"):
        first, dots, last = part.partition("..")
        if not dots:
            sizes.append(parse_size(part))
            continue
        low, high = parse_size(first), parse_size(last)
        if low > high:
            raise UsageError(f'the size range "{part}" is empty: {format_size(low)} is more than {format_size(high)}')
        if low == 0:
            raise UsageError(f'the size range "{part}" cannot double from 0; write 0,1..{last.strip()}')
        while low <= high:
            sizes.append(low)
            low *= 2
    return list(dict.fromkeys(sizes))


def parse_ranks(text: str, what: str = "ranks") -> list[int]:
    """Numbers of "2,4,8..16": single numbers and ranges that go up by one."""
    numbers: list[int] = []
    for part in _parts(text, f"number of {what}"):
        first, dots, last = part.partition("..")
        ends = [first, last] if dots else [first]
        values = []
        for end in ends:
            if not re.fullmatch(r"\s*[0-9]+\s*", end) or len(end) > _DIGITS or int(end) < 1:
                shown = part if len(part) <= _SHOWN else f"{part[:_SHOWN]}…"
                raise UsageError(f'cannot read the {what} "{shown}"; write for example 8, 2,4,8 or 1..64')
            if int(end) > MAX_RANKS:
                raise UsageError(f"{end.strip()} {what} are too many; the most are {MAX_RANKS}")
            values.append(int(end))
        if values[0] > values[-1]:
            raise UsageError(f'the range of {what} "{part}" is empty: {values[0]} is more than {values[-1]}')
        numbers.extend(range(values[0], values[-1] + 1))
    return list(dict.fromkeys(numbers))


def format_ranks(numbers: Iterable[int]) -> str:
    """2..5,7: as parse_ranks reads it."""
    runs = []
    for _, members in groupby(enumerate(sorted(set(numbers))), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in members]
        runs.append(f"{run[0]}..{run[-1]}" if len(run) > 2 else ",".join(map(str, run)))
    return ",".join(runs)


def _parts(text: str, what: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise UsageError(f'cannot read "{text}": there is an empty {what} in the list')
    return parts


def format_size(size: float, digits: int = 0) -> str:
    """4096 → "4 KiB". Without `digits`, sizes that are not a whole number of a unit stay bytes up to 10 KiB, then get one decimal;
    with, they are rounded to so many digits: 23961, 3 → "23.4 KiB"."""
    for factor, unit in ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")):
        value = size / factor
        if size < factor and factor > 1:
            continue
        if value == int(value):
            return f"{value:.0f} {unit}"
        if digits:
            # What has the digits before the point stays whole: 1023 MiB.
            return f"{value:.0f} {unit}" if value >= 10 ** (digits - 1) else f"{value:.{digits}g} {unit}"
        if size >= 10 * 1024:
            return f"{value:.1f} {unit}"
    return f"{size:g} B"


def rounded_size(size: float) -> str:
    """A size to three digits, for people: 4 B, 23.4 KiB, 512 MiB."""
    return format_size(size, digits=3)


MAX_TIME_S = 1e6  # that an option can ask for
SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}  # of a unit, as times are typed
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def parse_time(option: str, text: str) -> float:
    """Seconds of "500ms". UsageError: not a positive time, or without a unit."""
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zµ]+)\s*", text)
    seconds = float(found[1]) * SECONDS.get(found[2], 0) if found else 0
    if not 0 < seconds <= MAX_TIME_S:
        raise UsageError(
            f'{option}: cannot read "{text[:_SHOWN]}"; write a time with its unit, such as 500ms, 5s or 2min'
        )
    return seconds


def format_time(seconds: float, aligned: bool = False) -> str:
    """1.234e-5 → "12.3 µs": three or four digits that can be read; `aligned`: always four, for columns."""
    if seconds == 0:
        return "0 s"
    for unit, name in _TIMES:
        if abs(seconds) >= unit * 0.9995:
            return f"{_aligned(seconds / unit) if aligned else _digits(seconds / unit)} {name}"
    return f"{seconds / 1e-9:.3g} ns"


def _aligned(value: float) -> str:
    magnitude = abs(value)
    return f"{value:.3f}" if magnitude < 9.9995 else f"{value:.2f}" if magnitude < 99.995 else f"{value:.1f}"


def _digits(value: float) -> str:
    magnitude = abs(value)
    if magnitude >= 1000:
        return f"{value:,.0f}".replace(",", "\u2009")
    return f"{value:.0f}" if magnitude >= 999.5 else f"{value:.3g}" if magnitude < 100 else f"{value:.1f}"


def format_ratio(x: float) -> str:
    """1.00, 0.873, 12.4: three digits."""
    return f"{x:.2f}" if 1 <= x < 10 else f"{x:.3g}"


def counted(n: int, noun: str) -> str:
    """1 node, 2 nodes."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def join_words(words: Sequence[str], last: str = "and") -> str:
    """a, b and c."""
    return " ".join([", ".join(words[:-1]), last, words[-1]]) if len(words) > 1 else "".join(words)
