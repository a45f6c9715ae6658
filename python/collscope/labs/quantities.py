"""What the numbers of answers.toml must be: each follows from a run of the model, or from counted rounds, never from a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from collscope.base.errors import UsageError, UserError
from collscope.base.units import format_size, parse_size
from collscope.labs import proof
from collscope.labs.lab import MISSING, Answer
from collscope.machines import find
from collscope.points.plan import Layout, Point, check_layout
from collscope.points.sweep import count_of
from collscope.sources import model
from collscope.sources.outcome import OK


@lru_cache(maxsize=64)
def layout(platform: str, nodes: int, ranks: int, mapping: str = "block") -> Layout:
    """Where ranks sit. UsageError: they cannot sit so."""
    return check_layout(find.load(platform), nodes, ranks, mapping)


def seconds(where: Layout, keys: Sequence[str], bytes: int) -> list[float]:
    """What each algorithm takes by the model, for a vector of so many bytes, rounded to whole elements for each rank; infinite where it
    cannot run. UserError: there is no such algorithm."""
    tasks = []
    for key in keys:
        collective = key.split("/")[0]
        count = count_of(collective, bytes, where.ranks, "float", fit="round")
        tasks.append((where, Point(collective, key, count or 0)))
    found = model.evaluate(tasks)
    return [float(one["model_s"]) if one["kind"] == OK else math.inf for one in found]


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
        return f"must be a number{', or a size such as 64KiB' if answer.kind == 'crossover' else ''}, not {str(given)[:40]!r}"
    if answer.kind == "crossover":
        return _crossover(answer, where, number)
    if answer.kind == "parameter":
        return _parameter(answer, where, number)
    expected = _expected(answer, where)
    if abs(number - expected) <= answer.within * abs(expected):
        return ""
    factor = number / expected if expected else math.inf
    unit = {"time": "microseconds", "rounds": "rounds"}.get(answer.kind, "")
    if any(abs(factor / power - 1) <= answer.within for power in (1e3, 1e6, 1e-3, 1e-6)):
        return f"is off by a power of a thousand: the unit is {unit or 'a plain number'}"
    side = "too large" if number > expected else "too small"
    return f"{number:g} is {side}{f' (in {unit})' if unit else ''}; the run says something else"


def _expected(answer: Answer, where: Layout) -> float:
    """What the number must be: µs, rounds or a ratio."""
    keys, size = answer.algorithms, answer.bytes[0]
    if answer.kind == "rounds":
        collective = keys[0].split("/")[0]
        count = count_of(collective, size, answer.ranks, "float", fit="round") or 0
        return proof.reference("rounds", keys[0], collective, answer.ranks, count)
    if answer.kind == "time":
        return min(seconds(where, keys, size)) * 1e6
    return min(seconds(where, answer.against, size)) / min(seconds(where, keys, size))


def _number(given: Any) -> float | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, int | float):
        return float(given) if math.isfinite(given) else None
    if isinstance(given, str):
        try:
            return float(parse_size(given))
        except UsageError:
            return None
    return None


def _crossover(answer: Answer, where: Layout, number: float) -> str:
    """The first size from which the second algorithm is faster than the first; a step of the sizes beside it counts."""
    faster = [n for n in answer.bytes if (t := seconds(where, answer.algorithms[:2], n))[1] < t[0]]
    if not faster:
        raise UserError(f"{answer.name}: {answer.algorithms[1]} never wins; the lab is wrong")
    place = answer.bytes.index(faster[0])
    fine = answer.bytes[max(0, place - 1) : place + 2]
    if number in fine:
        return ""
    if number not in answer.bytes:
        return f"must be one of the sizes {', '.join(format_size(n) for n in answer.bytes)}"
    times = seconds(where, answer.algorithms[:2], int(number))
    first, second = (key.split("/")[-1] for key in answer.algorithms[:2])
    return f"at {format_size(number)} {second if times[1] < times[0] else first} is faster, and so it is at the sizes beside it"


def _parameter(answer: Answer, where: Layout, number: float) -> str:
    """A value of a parameter that is nearly the best one."""
    size = answer.bytes[0]
    if number != int(number) or number < 1:
        return "must be a whole number of bytes"
    best = min(seconds(where, [answer.algorithms[0].replace("{}", str(v)) for v in answer.values], size))
    (taken,) = seconds(where, [answer.algorithms[0].replace("{}", str(int(number)))], size)
    if taken <= best * (1 + answer.within):
        return ""
    return f"with {number:g} it takes {taken / best:.2f} times as long as with the best one"
