"""Whether a library takes what its rules say: its messages beside those of the algorithm that each rule names, inside the rule and on
both its edges, and beside those of its own choice where the rules end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from collscope.base.progress import progress
from collscope.catalogue import decisions, registry
from collscope.catalogue.sizes import vector_bytes
from collscope.tuning import mpich, mpich_rules, openmpi_rules
from collscope.tuning.rules import OWN, Rule, chosen
from collscope.twins import judge, mpich_messages
from collscope.twins.call import Call, Compared
from collscope.twins.calls import FLOAT
from collscope.twins.library import Library
from collscope.twins.mpich_messages import Mpich


@dataclass(frozen=True)
class Verified:
    """A call that was compared, and the rule that speaks of it; None: no rule does."""

    rule: Rule | None
    compared: Compared

    @property
    def is_right(self) -> bool:
        """Whether the library took what was predicted."""
        return self.compared.verdict == "same"

    def __str__(self) -> str:
        if self.rule is None:
            return f"beyond the rules: {self.compared}"
        (low, high), (first, last) = self.rule.ranks, self.rule.bytes
        return f"rule for {low} to {high} ranks, {first} to {last} bytes: {self.compared}"


def edges(rules: Sequence[Rule], ranks: int, elem: Callable[[str], int]) -> list[tuple[str, int]]:
    """(collective, count) of calls of elements of `elem` bytes: the first, a middle and the last of each rule on so many ranks, and the
    next behind it."""
    made: dict[tuple[str, int], None] = {}
    for rule in rules:
        whole = vector_bytes(rule.collective, 1, ranks, elem(rule.collective))
        first, last = -(-rule.bytes[0] // whole), rule.bytes[1] // whole
        if rule.ranks[0] <= ranks <= rule.ranks[1] + 1 and first <= last:
            made |= {(rule.collective, count): None for count in (first, (first + last) // 2, last, last + 1) if count}
    return list(made)


def open_mpi(
    library: Library, file: Path, rules: Sequence[Rule], default: str, ranks: Sequence[int], without_han: bool
) -> list[Verified]:
    """Compares on each of these numbers of ranks, one launch each, with the library that follows `file`. What is left to the library, and
    made of collectives that have rules, is not compared."""
    follows = replace(library, env=library.env | openmpi_rules.variables(file, without_han))

    def expected(key: str, p: int, collective: str, count: int) -> str | None:
        own = key or _own(collective, p, count, FLOAT, default)
        return None if not key and _has_ruled_parts(own, p, vector_bytes(collective, count, p, FLOAT), rules) else own

    return _verified(rules, ranks, lambda collective: FLOAT, expected, partial(judge.compare, follows))


def of_mpich(
    library: Mpich, folder: Path, rules: Sequence[Rule], default: str, nodes: Mapping[int, int]
) -> list[Verified]:
    """The same of MPICH with the files in `folder`, on these numbers of ranks, each on so many nodes. Messages between nodes are compared;
    one node has no such. What MPICH by itself splits where ranks share nodes is not compared."""
    several = any(on < p for p, on in nodes.items())
    follows = replace(library, env={**library.env, **mpich_rules.variables(folder, several)})

    def expected(key: str, p: int, collective: str, count: int) -> str | None:
        if key and mpich.fits(key, p, count):
            return key
        is_split = several and collective in mpich_rules.FLAT
        return None if is_split else _own(collective, p, count, mpich.element(collective), default)

    def compare(p: int, calls: Sequence[Call]) -> list[Compared]:
        return mpich_messages.compare(follows, p, nodes[p], calls)

    return _verified(rules, [p for p in nodes if nodes[p] > 1], mpich.element, expected, compare)


def _verified(
    rules: Sequence[Rule],
    ranks: Sequence[int],
    elem: Callable[[str], int],
    expected: Callable[[str, int, str, int], str | None],
    compare: Callable[[int, Sequence[Call]], list[Compared]],
) -> list[Verified]:
    """`expected`: the full key that should be taken, by what the rule says, ranks, collective and count; None: no message shows it."""
    found: list[Verified] = []
    with progress("rules verified", len(ranks)) as advance:
        for p in ranks:
            calls, of = [], []
            for collective, count in edges(rules, p, elem):
                size = elem(collective)
                rule = chosen(rules, (collective, p, vector_bytes(collective, count, p, size)))
                if key := expected(rule.key if rule else OWN, p, collective, count):
                    calls.append(Call(key, collective, count, elem=size))
                    of.append(rule)
            if calls:
                found += map(Verified, of, compare(p, calls))
            advance(1)
    return found


def _has_ruled_parts(key: str, ranks: int, size: int, rules: Sequence[Rule]) -> bool:
    """Whether it is made of other collectives of which a rule names another part than the library's own."""
    parts = [p.name for p in algorithm.params if p.words] if (algorithm := registry.load().algorithm(key)) else []
    return any((rule := chosen(rules, (part, ranks, size))) is not None and rule.key != OWN for part in parts)


def _own(collective: str, ranks: int, count: int, elem: int, default: str) -> str:
    """What the library takes by itself."""
    return str(decisions.ask(collective, ranks, count, elem, decisions=[default])[0]["chose"])


def decision_file(file: str, rules: Sequence[Rule], ranks: Sequence[int]) -> list[Rule]:
    """Rules of which our decision file says something else, inside or on an edge."""
    wrong: dict[Rule, None] = {}
    for p in ranks:
        for collective in dict.fromkeys(rule.collective for rule in rules):
            whole = registry.load().type_bytes("byte")
            mine = [r for r in rules if r.collective == collective and r.ranks[0] <= p <= r.ranks[1]]
            for each in dict.fromkeys(r.per_node for r in mine):
                here = [r for r in mine if r.per_node == each]
                counts = {(p, count): r for r in here for count in (r.bytes[0], sum(r.bytes) // 2, r.bytes[1])}
                words = ("root=0", "commutes=1", "in_place=0", f"per_node={each[1] if each else 0}")
                for line in decisions.ask_many(collective, counts, whole, words, [file]):
                    rule = counts[line["ranks"], line["count"]]
                    if line["chose"] != (rule.key or f"{collective}/builtin"):
                        wrong[rule] = None
    return list(wrong)
