"""collscope.catalogue.decisions, collscope.catalogue.registry:
decision tables on both sides of every threshold, beside what the libraries' own sources say (choices/libraries.txt).

decision/smpi_ompi depends on what divides the count and on the root, so its choices are many: choices/smpi_ompi.txt holds a sum over
them, made from our own table. That detects a change and proves nothing; what SMPI sends is compared in twins/test_smpi_decision.py.
choices/rules.txt is the like of what every table says of its own rules, those that no call above reaches among them, and
choices/list.txt of all else that the programs list but prose: algorithms with their twins and flags, collectives, decisions, types.
`python tests/python/catalogue/test_choices.py` in the tree (with PYTHONPATH=python) makes these."""

from __future__ import annotations

import itertools
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.catalogue import decisions, registry

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")
CHOICES = Path(__file__).parent / "choices"
MAX_BYTES = 2**31 - 1  # bytes of a call
LINE = re.compile(
    r"(?P<decisions>\S+) (?P<collective>\w+)(?: (?P<operator>commutes|ordered))? ranks (?P<first>\d+)(?:\.\.(?P<last>\d+))?"
    r"(?: element (?P<element>\d+))?: (?P<taken>.+)"
)
SMPI = "decision/smpi_ompi"
RANKS = sorted({q for p in range(2, 13) for q in (2**p, 2**p - 1)} | {2, 6, 12, 13})
EDGES = sorted({q for i in range(23) for q in (2**i - 1, 2**i)} | {300, 8193, 20479, 20480, 92160, 92161, 131073})
BETWEEN = [int(1000 * 1.5**i) for i in range(22)]


@dataclass(frozen=True)
class Kind:
    """What calls that are asked at once have in common."""

    decision: str
    collective: str
    element: int = 1
    words: tuple[str, ...] = ()

    def answers(self, calls: list[tuple[int, int]]) -> list[dict[str, Any]]:
        return decisions.ask_many(self.collective, calls, self.element, self.words, [self.decision])

    def taken(self, calls: list[tuple[int, int]]) -> list[str]:
        return [str(answer["chose"] or "-").removeprefix(f"{self.collective}/") for answer in self.answers(calls)]

    def taken_or_why_not(self, calls: list[tuple[int, int]]) -> list[str]:
        return [str(answer["chose"] or answer["status"]) for answer in self.answers(calls)]


def requests(steps: list[tuple[int, str]], most: int) -> Iterator[tuple[int, str]]:
    """Where each step begins, the count behind, the last one before the next step, and one between."""
    ends = [begin - 1 for begin, _ in steps[1:]] + [steps[-1][0]]
    for (begin, key), end in zip(steps, ends, strict=True):
        for count in sorted({begin, min(begin + 1, end), (begin + end) // 2, end}):
            if count <= most:
                yield count, key


def expected() -> dict[Kind, dict[tuple[int, int], str]]:
    """What is taken at the ends of each step, and wherever a step begins with another number of ranks."""
    found: dict[Kind, dict[tuple[int, int], str]] = defaultdict(dict)
    lines: dict[Kind, dict[int, list[tuple[int, str]]]] = defaultdict(dict)
    for line in (CHOICES / "libraries.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        assert match, line
        element = int(match["element"] or 1)
        steps = [(int(step.split()[0]), step.split()[1]) for step in match["taken"].split(", ")]
        words = ("commutes=0",) if match["operator"] == "ordered" else ()
        for name in match["decisions"].split(","):
            kind = Kind(f"decision/{name}", match["collective"], element, words)
            lines[kind] |= dict.fromkeys((int(match["first"]), int(match["last"] or match["first"])), steps)
    for kind, of_ranks in lines.items():
        most = MAX_BYTES // kind.element
        begins = {begin for steps in of_ranks.values() for begin, _ in steps}
        for ranks, steps in of_ranks.items():
            found[kind].update({(ranks, count): key for count, key in requests(steps, most)})
            for count in begins - {0} if steps[-1][0] else ():
                if count <= most // ranks:
                    found[kind][ranks, count] = [key for begin, key in steps if begin <= count][-1]
    return found


ACKNOWLEDGED = "decision/ompi_4_1_acknowledged"  # the same with the library's own acknowledgements


def test_tables_take_what_the_libraries_take() -> None:
    wrong = []
    calls = 0
    for kind, target in expected().items():
        calls += len(target)
        for (ranks, count), key, printed in zip(target, target.values(), kind.taken(list(target)), strict=True):
            if printed != key:
                wrong.append(f"{kind}: {ranks} ranks, count {count}: takes {printed}, the library {key}")
    assert calls > 15000
    assert not wrong, "\n".join([f"{len(wrong)} of {calls}", *wrong[:20]])


def test_every_table_and_collective_is_compared() -> None:
    named = {(kind.decision, kind.collective) for kind in expected()}
    rules = {(line["decision"], line["collective"]) for line in decisions.rules()}
    libraries = ("decision/ompi", "decision/mpich")
    assert {(d, c) for d, c in rules if d.startswith(libraries) and d != ACKNOWLEDGED} == named


def test_the_acknowledged_barriers_are_those_of_the_library() -> None:
    def ranges(decision: str) -> list[list[int]]:
        lines = [line for line in decisions.rules() if (line["decision"], line["collective"]) == (decision, "barrier")]
        return [line["rule"]["ranks"] for line in lines]

    assert ranges(ACKNOWLEDGED) == ranges("decision/ompi_4_1")


def smpi_lines() -> Iterator[str]:
    known = registry.load()
    rules = [line for line in decisions.rules() if line["decision"] == SMPI]
    for name in sorted({line["collective"] for line in rules}):
        about = known.collective(name)
        mine = [line["rule"] for line in rules if line["collective"] == name]
        operators = ((), ("commutes=0",)) if about.has_operator else ((),)
        roots = ((), ("root=1",)) if any(rule["root_zero"] for rule in mine) else ((),)
        elements = (1, 4, 8192) if any(rule["divides"] for rule in mine) else (1, 4)
        for operator, root, element in itertools.product(operators, roots, elements):
            kind = Kind(SMPI, name, element, operator + root)
            calls = [
                (ranks, n)
                for ranks in RANKS
                for n in sorted({*EDGES, *BETWEEN, ranks - 1, ranks, ranks + 1})
                if n * element <= 2**23
            ]
            printed: dict[int, list[str]] = defaultdict(list)
            for (ranks, _), key in zip(calls, kind.taken_or_why_not(calls), strict=True):
                printed[ranks].append(key)
            sums = (f"{ranks}:{zlib.crc32(repr(keys).encode()):08x}" for ranks, keys in printed.items())
            yield " ".join([name, *kind.words, f"element={element}", *sums])


@pytest.mark.full
def test_the_table_of_smpi_is_as_it_was() -> None:
    before = (CHOICES / "smpi_ompi.txt").read_text(encoding="utf-8").splitlines()
    changed = []
    for old, new in itertools.zip_longest(before, smpi_lines(), fillvalue=""):
        changed += [f"{new[:60]} …: {sums}" for sums in sorted(set(new.split()) - set(old.split()))]
    assert not changed, "\n".join(changed[:20])


def rule_lines() -> Iterator[str]:
    by_table: dict[str, list[str]] = defaultdict(list)
    for line in decisions.rules():
        by_table[f"{line['decision']} {line['collective']}"].append(json.dumps(line, sort_keys=True))
    for table, texts in sorted(by_table.items()):
        yield f"{table}: {len(texts)} rules {zlib.crc32(''.join(texts).encode()):08x}"


def test_every_rule_is_as_it_was() -> None:
    assert list(rule_lines()) == (CHOICES / "rules.txt").read_text(encoding="utf-8").splitlines()
    for line in decisions.rules():
        rule = line["rule"]
        assert rule["divides"] == (rule["bytes_multiple"] > 0 or "multiple" in rule["elements"]), line


def list_lines() -> Iterator[str]:
    def without_prose(entry: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in entry.items() if name not in ("summary", "source", "help")}

    for part, entries in json.loads(registry.json_text(), object_hook=without_prose).items():
        for entry in entries:
            name = entry.get("key") or entry["name"] if isinstance(entry, dict) else entry
            yield f"{part} {name}: {zlib.crc32(json.dumps(entry, sort_keys=True).encode()):08x}"


def test_everything_else_is_listed_as_it_was() -> None:
    assert list(list_lines()) == (CHOICES / "list.txt").read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    (CHOICES / "list.txt").write_text("\n".join(list_lines()) + "\n", encoding="utf-8")
    (CHOICES / "rules.txt").write_text("\n".join(rule_lines()) + "\n", encoding="utf-8")
    (CHOICES / "smpi_ompi.txt").write_text("\n".join(smpi_lines()) + "\n", encoding="utf-8")
