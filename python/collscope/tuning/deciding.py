"""The few calls at which rules are checked: both sides of each rule's edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from collscope.tuning.rules import OWN, Call, Rule, chosen

LAST_RANKS = 64  # of a rule that has no last number of ranks
NO_END = 1 << 50  # of sizes, and of ranks, where a rule has none


def ranks_of(rules: Iterable[Rule], most: int, known: Sequence[int] | None = None) -> list[int]:
    """Numbers of ranks at which each rule is checked, up to `most`: its first, a middle and its last; `known`: of these numbers. One that
    has no last number is checked up to LAST_RANKS, or at its first."""
    made: set[int] = set()
    for rule in rules:
        low, high = rule.ranks
        high = min(most, high if high < NO_END or known is not None else max(low, LAST_RANKS))
        inside = range(low, high + 1) if known is None else [p for p in sorted(known) if low <= p <= high]
        if rule.key != OWN and inside:
            made |= {inside[0], inside[(len(inside) - 1) // 2], inside[-1]}
    return sorted(made)


def calls(rules: Sequence[Rule], known: Iterable[Call]) -> dict[Call, Rule]:
    """Of the known calls, the first and the last in size of each rule on each number of ranks: what follows the edge of one rule is the
    first of the next. Rules that leave a call to the library are not checked."""
    by_rule: dict[tuple[Rule, int], list[Call]] = {}
    for call in known:
        rule = chosen(rules, call)
        if rule and rule.key != OWN:
            by_rule.setdefault((rule, call[1]), []).append(call)
    made: dict[Call, Rule] = {}
    for (rule, _), members in by_rule.items():
        ascending = sorted(members, key=lambda call: call[2])
        made |= {ascending[0]: rule, ascending[-1]: rule}
    return made


def keys(call: Call, rule: Rule, rules: Sequence[Rule], default: str, seconds: Mapping[str, float]) -> tuple[str, ...]:
    """What is measured for a call: the rule's key, those of its neighbours in size, the library's own choice, and the model's best."""
    near = [r.key for r in rules if r.collective == call[0] and r.ranks[0] <= call[1] <= r.ranks[1] and _touch(r, rule)]
    best = min(seconds, key=seconds.__getitem__)
    return tuple(dict.fromkeys(key for key in (rule.key, default, best, *near) if key in seconds))


def _touch(a: Rule, b: Rule) -> bool:
    return a.key != OWN and (a.bytes[1] + 1 == b.bytes[0] or b.bytes[1] + 1 == a.bytes[0])
