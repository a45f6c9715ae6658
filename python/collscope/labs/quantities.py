"""What the numbers of answers.toml must be: each follows from a run of the model, or from counted rounds, never from a table."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from collscope.base import paths
from collscope.base.errors import UsageError, UserError
from collscope.base.units import format_size, parse_size
from collscope.catalogue import registry
from collscope.labs import prover
from collscope.labs.lab import MISSING, Answer
from collscope.machines import find
from collscope.points.plan import Layout, Point, check_layout
from collscope.points.sweep import count_of
from collscope.sources import model
from collscope.sources.outcome import LIMIT, OK

ABOUT = 0.05  # of two times that differ by less, a measurement may find either the smaller one
UNITS = {
    "time": "microseconds",
    "rounds": "rounds",
    "alpha": "microseconds",
    "beta": "nanoseconds per byte",
    "half": "bytes",
}
"""Of the answers that have one."""
PLAIN = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")  # a number without a unit


@lru_cache(maxsize=64)
def layout(platform: str, nodes: int, ranks: int, mapping: str = "block") -> Layout:
    """Where ranks sit; a machine of the labs is a file in the tree. UsageError: they cannot sit so."""
    named = str(paths.ROOT / platform) if platform.startswith("labs/") else platform
    return check_layout(find.load(named), nodes, ranks, mapping)


def seconds(where: Layout, keys: Sequence[str], bytes: int) -> list[float]:
    """What each algorithm takes by the model, for a vector of so many bytes, rounded to whole elements for each rank; infinite where it
    cannot run. UserError: there is no such algorithm."""
    return [taken for taken, _ in outcomes(where, keys, bytes)]


def outcomes(
    where: Layout, keys: Sequence[str], bytes: int, collective: str = "", limit_s: float | None = None
) -> list[tuple[float, str]]:
    """As `seconds`, with what a decision chose, or why a key cannot run. `collective`: of which a decision is asked. Ended: one took
    longer than the limit."""
    tasks = []
    for key in keys:
        name = collective or key.split("/")[0]
        count = count_of(name, bytes, where.ranks, "float", fit="round")
        tasks.append((where, Point(name, key, count or 0)))
    found = model.evaluate(tasks, limit_s=limit_s)
    for one in found:
        if one["kind"] == LIMIT:
            raise prover.Ended(f"{format_size(bytes)} on {where.ranks} ranks: too many messages: {one['status']}")
    return [
        (float(one["model_s"]), str(one.get("chose") or key))
        if one["kind"] == OK
        else (math.inf, str(one.get("status")))
        for key, one in zip(keys, found, strict=True)
    ]


def catalogue(collective: str) -> list[str]:
    """Every algorithm of a collective, with its parameters as they are by default."""
    return [one.full_key() for one in registry.load().of(collective)]


def judge(answer: Answer, given: Any) -> str:
    """ "" where an answer is right; else what is wrong with it, without the answer itself."""
    if given is None or given == MISSING:
        return "missing: write it down after the run"
    where = layout(answer.platform, answer.nodes, answer.ranks, answer.mapping)
    if answer.kind == "winner":
        times = seconds(where, answer.algorithms, answer.bytes[0])
        names = [key.split("/")[-1].split("[")[0] for key in answer.algorithms]
        if given not in names:
            return f"must be one of {', '.join(names)}, in quotes"
        return (
            ""
            if times[names.index(given)] == min(times)
            else f"{given} is not the fastest there; run it and look again"
        )
    number = _number(given)
    if number is None:
        return f"must be a number{', or a size such as 64KiB' if answer.kind == 'crossover' else ''}, not {_shown(given)!r}"
    if answer.kind == "crossover":
        return _crossover(answer, where, number)
    if answer.kind == "parameter":
        return _parameter(answer, where, number)
    expected = _expected(answer, where)
    if abs(number - expected) <= answer.within * abs(expected):
        return ""
    factor = number / expected if expected else math.inf
    unit = UNITS.get(answer.kind, "")
    if answer.kind == "alpha" and abs(number - _expected_whole(answer, where)) <= answer.within * number:
        return "is the time of the smaller message as it is: take away what its bytes cost"
    if any(abs(factor / power - 1) <= answer.within for power in (1e3, 1e6, 1e-3, 1e-6)):
        return f"is off by a power of a thousand: the unit is {unit or 'a plain number'}"
    side = "too large" if number > expected else "too small"
    return f"{number:g} is {side}{f' (in {unit})' if unit else ''}; the run says something else"


def _shown(given: Any) -> str:
    """The beginning of what was written."""
    try:
        return str(given)[:40]
    except ValueError:  # Python writes no whole number of more than 4300 digits; TOML has them in hexadecimal
        return "a number of thousands of digits"


def _expected(answer: Answer, where: Layout) -> float:
    """What the number must be: µs, rounds or a ratio."""
    keys, size = answer.algorithms, answer.bytes[0]
    if answer.kind == "rounds":
        collective = keys[0].split("/")[0]
        count = count_of(collective, size, answer.ranks, "float", fit="round") or 0
        return prover.reference("rounds", keys[0], collective, answer.ranks, count)
    if answer.kind == "time":
        return min(seconds(where, keys, size)) * 1e6
    if answer.kind in ("alpha", "beta", "half"):
        alpha, beta = _line(answer, where)
        return {"alpha": alpha * 1e6, "beta": beta * 1e9, "half": alpha / beta}[answer.kind]
    other = layout(answer.platform, answer.nodes, answer.ranks, answer.against_mapping or answer.mapping)
    return min(seconds(other, answer.against, size)) / min(seconds(where, keys, size))


def _line(answer: Answer, where: Layout) -> tuple[float, float]:
    """alpha and beta of the line through the times of the first and the last size."""
    first, last = answer.bytes[0], answer.bytes[-1]
    (low,), (high,) = (seconds(where, answer.algorithms[:1], size) for size in (first, last))
    beta = (high - low) / (last - first)
    return low - first * beta, beta


def _expected_whole(answer: Answer, where: Layout) -> float:
    """µs of the first size."""
    return min(seconds(where, answer.algorithms, answer.bytes[0])) * 1e6


def _number(given: Any) -> float | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, int | float):
        try:
            number = float(given)
        except OverflowError:  # a whole number of more than 308 digits
            return None
        return number if math.isfinite(number) else None
    if isinstance(given, str):
        if PLAIN.fullmatch(given.strip()):
            return _number(float(given))
        try:
            return float(parse_size(given))
        except UsageError:
            return None
    return None


def _crossover(answer: Answer, where: Layout, number: float) -> str:
    """The first size from which the second algorithm is faster than the first; one beside it counts where both take about as long."""
    times = [seconds(where, answer.algorithms[:2], n) for n in answer.bytes]
    wins = [second < first for first, second in times]
    if not any(wins):
        raise UserError(f"{answer.name}: {answer.algorithms[1]} never wins; the lab is wrong")
    if number not in answer.bytes:
        return f"must be one of the sizes {', '.join(format_size(n) for n in answer.bytes)}"
    place, right = answer.bytes.index(int(number)), wins.index(True)
    first, second = times[place]
    if place == right or (abs(place - right) == 1 and abs(second / first - 1) < ABOUT):
        return ""
    faster = answer.algorithms[wins[place]].split("/")[-1]
    alike = len(set(wins[max(0, place - 1) : place + 2])) == 1
    more = "at the sizes beside it" if alike else "at a smaller size" if wins[place] and place > right else ""
    return f"at {format_size(number)} {faster} is faster{more and f', and so it is {more}'}"


def _parameter(answer: Answer, where: Layout, number: float) -> str:
    """One of the values that is nearly the best one."""
    size = answer.bytes[0]
    if number not in answer.values:
        return f"must be one of {', '.join(format_size(value) for value in answer.values)}, in bytes or with the unit"
    best = min(seconds(where, [answer.algorithms[0].replace("{}", str(v)) for v in answer.values], size))
    (taken,) = seconds(where, [answer.algorithms[0].replace("{}", str(int(number)))], size)
    if taken <= best * (1 + answer.within):
        return ""
    return f"with {number:g} it takes {taken / best:.2f} times as long as with the best one"
