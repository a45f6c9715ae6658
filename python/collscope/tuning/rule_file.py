"""Files with rules, read back: which library they are for, and what they say. A format is a reader of this module's READERS."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collscope.base.errors import UserError, disk_error
from collscope.catalogue import prover, registry
from collscope.catalogue.keys import FILE
from collscope.tuning import mpich, mpich_file, openmpi_rules, origin
from collscope.tuning.deciding import NO_END
from collscope.tuning.origin import Origin
from collscope.tuning.rules import OWN, Rule
from collscope.tuning.targets import is_made_of_others

HOW = "name a file that ./collscope tune or advise wrote"


@dataclass(frozen=True)
class RuleFile:
    """What a file says. target: for whom, as `tune --for` has it; skipped: what could not be read as rules, in words; origin: how it was
    made, None: it does not say; per_node: the ranks on a node that its form is for, None: any."""

    target: str
    rules: Sequence[Rule]
    skipped: Sequence[str]
    origin: Origin | None = None
    per_node: int | None = None


def read(path: str) -> RuleFile:
    """UserError: it cannot be read, or has an error, which a library would ignore silently."""
    text = _text(path)
    words = re.sub("#.*", "", text).split()
    if not words:
        raise UserError(f"{path}: there is no rule; {HOW}")
    made = next(reader(path, text) for fits, reader in READERS if fits(words[0]))
    if not made.rules:
        raise UserError(
            f"{path}: there is no rule that can be checked{': ' * bool(made.skipped)}{'; '.join(made.skipped)}"
        )
    return made


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise disk_error(error, path) from error
    except ValueError as error:
        raise UserError(f"{path}: not a text; {HOW}") from error


def _open_mpi(path: str, text: str) -> RuleFile:
    """The classic text of coll/tuned: openmpi_rules.py has its grammar. Versions 1 and 2 differ by a fifth number per size."""
    head, _, rest = text.partition("\n") if text.startswith("rule-file-version-") else ("", "", text)
    series = "5.0" if head else "4.1"
    if head and head.strip() != "rule-file-version-2":
        raise UserError(f"{path}: {head.strip()}: a version that is not known here; {HOW}")
    numbers = iter(_numbers(path, re.sub("#.*", "", rest).split()))
    per_line = 5 if head else 4
    names = {number: name for name, number in openmpi_rules.NUMBERS.items()}
    rules: list[Rule] = []
    skipped: list[str] = []
    try:
        for _ in range(next(numbers)):
            number = next(numbers)
            sets = [
                (next(numbers), [[next(numbers) for _ in range(per_line)] for _ in range(next(numbers))])
                for _ in range(next(numbers))
            ]
            if number in names:
                rules += _of_sets(names[number], sets, skipped)
            else:
                skipped.append(f"collective {number} has no rules here")
    except (StopIteration, RuntimeError) as error:
        raise UserError(
            f"{path}: the file ends before its last rule; Open MPI would ignore it silently; {HOW}"
        ) from error
    if next(numbers, None) is not None:
        raise UserError(f"{path}: there are numbers behind the last rule; Open MPI would ignore them silently; {HOW}")
    return RuleFile(f"openmpi-{series}", rules, list(dict.fromkeys(skipped)), origin.read(path, text))


def _of_sets(name: str, sets: Sequence[tuple[int, list[list[int]]]], skipped: list[str]) -> Iterator[Rule]:
    """A rule ends where the next begins."""
    for i, (ranks, lines) in enumerate(sets):
        last = sets[i + 1][0] - 1 if i + 1 < len(sets) else NO_END
        for k, (start, number, fan_out, segment, *_) in enumerate(lines):
            end = lines[k + 1][0] - 1 if k + 1 < len(lines) else NO_END
            key = _key(name, number, fan_out, segment)
            if key is None:
                skipped.append(f"{name}, algorithm {number}: not one that can be timed as a rule")
            elif start <= end and max(ranks, 2) <= last:
                yield Rule(name, (max(ranks, 2), last), (start, end), key)


def _key(collective: str, number: int, fan_out: int, segment: int) -> str | None:
    """The full key of coll/tuned's algorithm; OWN: its own choice; None: it is unknown, or made of other collectives."""
    if number == 0:
        return OWN
    for a in registry.load().of(collective):
        if a.twin and a.twin["library"] == "Open MPI" and a.twin["number"] == number and not is_made_of_others(a):
            given = {"chains": max(fan_out, 1), "s": segment, "first": segment}
            return a.full_key({p.name: given[p.name] for p in a.params if p.name in given})
    return None


def _numbers(path: str, words: Sequence[str]) -> list[int]:
    """As C reads them by "%li": 010 is 8."""
    made = []
    for word in words:
        if not re.fullmatch(r"[0-9]{1,15}", word) or (word[0] == "0" and re.search("[89]", word)):
            raise UserError(f'{path}: "{word}" where Open MPI has a number; it would ignore the file silently; {HOW}')
        made.append(int(word, 8 if word[0] == "0" else 10))
    return made


def check(path: str) -> None:
    """UserError: it is not a decision file of ours (docs/decisions.md), with the line that is wrong."""
    _lines_of(path)


def _lines_of(path: str) -> list[dict[str, Any]]:
    """What each rule of our decision file says, as the program reads it that will."""
    return prover.replies(["--rules", f"decision={FILE}{Path(path).absolute()}"])


def _ours(path: str, text: str) -> RuleFile:
    rules: list[Rule] = []
    skipped: list[str] = []
    for line in _lines_of(path):
        key, rule = str(line["key"]), line["rule"]
        if key.startswith("decision/"):
            skipped.append(f"{line['collective']}: {key} decides, whose rules are not in this file")
            continue
        low, end = rule["bytes"]
        ranks, nodes = (rule["ranks"], rule.get("ranks_per_node"))
        per_node = (nodes[0], nodes[1] or NO_END) if nodes else None
        own = key.endswith("/builtin")
        sizes = (low, end - 1 if end else NO_END)
        rules.append(
            Rule(line["collective"], (max(ranks[0], 2), ranks[1] or NO_END), sizes, OWN if own else key, per_node)
        )
    return RuleFile("collscope", rules, skipped, origin.read(path, text))


def _mpich(path: str, text: str) -> RuleFile:
    """MPICH's table. How it was made stands in the lines that activate it, in the file of the same name that ends in .sh."""
    rules, shares_nodes = mpich_file.rules(path, text)
    script = Path(path).with_suffix(".sh")
    made = origin.read(str(script), _text(str(script))) if script.is_file() else None
    return RuleFile(f"mpich-{mpich.SERIES}", rules, [], made, None if shares_nodes else 1)


READERS: tuple[tuple[Callable[[str], bool], Callable[[str, str], RuleFile]], ...] = (
    (lambda word: word.startswith("{"), _mpich),
    (lambda word: word[0].isdigit() or word.startswith("rule-file-version-"), _open_mpi),
    (lambda word: True, _ours),
)
"""Whether the first word is one of the format, and who reads it."""
