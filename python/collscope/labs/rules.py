"""A student's rules: what they choose, over the best of the catalogue, beside a library's decision."""

from __future__ import annotations

import math
from pathlib import Path

from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.base.units import format_size
from collscope.catalogue import decision_files
from collscope.catalogue.keys import FILE
from collscope.labs import hand_in, quantities
from collscope.labs.lab import Rules

MAX_LINES = 60
MODEL_S = 7.0  # for a call by a student's rules


def read(folder: Path, name: str, scratch: Path) -> str:
    """The key of the student's rules, copied to a folder of ours. UserError: they are missing, or a line is wrong."""
    try:
        text = hand_in.read(folder, name).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise hand_in.Missing(f"{name} is not text") from error
    rules = [line.split("#")[0].split() for line in text.splitlines()]
    if not any(rules):
        raise hand_in.Missing(f"{name} has no rule yet: write COLLECTIVE [ranks RANGE] [bytes RANGE] ALGORITHM")
    if len(rules) > MAX_LINES:
        raise hand_in.Missing(f"{name} has {len(rules)} lines, at most {MAX_LINES} are read")
    for number, line in enumerate(rules, 1):
        for word in line:
            if word.startswith("decision/") or word == "builtin":
                raise hand_in.Missing(
                    f"{name}:{number}: {word[:60]}: name an algorithm; another decision is not one's own"
                )
    scratch.mkdir(parents=True, exist_ok=True)
    copy = scratch / "hand_in.rules"
    write_atomically(copy, text)
    try:
        decision_files.collectives_of(f"{FILE}{copy}")
    except UserError as error:
        raise hand_in.Missing(str(error).replace(f"{copy.parent}/", "").replace(copy.name, name)) from error
    return f"{FILE}{copy}"


def regret(key: str, goal: Rules) -> list[str]:
    """Why the rules are not good enough; [] where they are."""
    every = quantities.catalogue(goal.collective)
    losses: list[tuple[float, str]] = []
    library: list[float] = []
    for nodes in goal.nodes:
        where = quantities.layout(goal.platform, nodes, nodes * goal.ranks_per_node, goal.mapping)
        for size in goal.bytes:
            ((mine, chose),) = quantities.outcomes(where, [key], size, goal.collective, MODEL_S)
            (theirs, _), *others = quantities.outcomes(where, [goal.against, *every], size, goal.collective)
            at = f"{format_size(size)} on {where.ranks} ranks"
            if math.isinf(mine):
                what = "no rule fits" if "no rule" in chose else chose.replace(key, "your rules")
                return [f"{at}: {what}; every call needs a rule whose algorithm can serve it."]
            best = min(taken for taken, _ in others)
            losses.append(
                (mine / best, f"{at}: {chose.rpartition('/')[2]} takes {mine / best:.2f} times as long as the best")
            )
            library.append(theirs / best)
    mean, theirs_mean = _mean([loss for loss, _ in losses]), _mean(library)
    worst, words_of_worst = max(losses)
    faults = []
    if mean > goal.at_most:
        faults.append(
            f"Your choices take {mean:.3f} times as long as the best (geometric mean of {len(losses)} calls), "
            f"at most {goal.at_most:g} times are allowed; {goal.against} takes {theirs_mean:.3f} times."
        )
    elif mean >= theirs_mean:
        faults.append(f"Not better than {goal.against}: {mean:.3f} times the best, it takes {theirs_mean:.3f} times.")
    if worst > goal.worst or faults:
        faults.append(f"The worst: {words_of_worst}; at most {goal.worst:g} times are allowed for a single call.")
    return faults


def _mean(values: list[float]) -> float:
    """Geometric."""
    return math.exp(sum(map(math.log, values)) / len(values))
