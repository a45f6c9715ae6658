"""Rules read back from MPICH's table of decisions: of a collective what stands in the place of MPICH's own answer, as mpich_rules writes
it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from collscope.base.errors import UserError
from collscope.tuning import mpich, mpich_rules
from collscope.tuning.rules import OWN, Rule

HOW = "name a file that ./collscope tune or advise wrote for MPICH, or tune again"
KINDS = {"comm_hierarchy=flat": False, "comm_hierarchy=parent": True}
"""Of communicators that rules are for; whether their ranks share nodes."""


def rules(path: str, text: str) -> tuple[list[Rule], bool]:
    """The rules, and whether they are for communicators whose ranks share nodes. UserError: it is not a table, or
    says something that no rule of ours says."""
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not JSON: {str(error)[:200]}; MPI_Init would fail; {HOW}") from error
    made: list[Rule] = []
    shares: dict[bool, None] = {}
    for name, own in mpich_rules.own("generic").items():
        collective = name.removeprefix("collective=")
        there = table.get(name) if isinstance(table, dict) else None
        if not isinstance(there, dict):
            raise UserError(f"{path}: nothing is said of {collective}: a call of it would end the program; {HOW}")
        if there == own:
            continue
        left, intra = own.get("comm_type=intra", {}), there.get("comm_type=intra", {})
        kind = next((kind for kind in KINDS if isinstance(intra, dict) and kind in intra), "")
        if not kind or collective not in mpich.KEYS:
            raise _strange(path, collective, "in comm_type=intra")
        shares[KINDS[kind]] = None
        made += _by_ranks(path, collective, intra[kind], left)
    if len(shares) > 1:
        raise UserError(f"{path}: some rules are for ranks that share nodes, and some for a rank on each; {HOW}")
    again = mpich_rules.tables(made, True in shares)[mpich_rules.FILE]
    if json.dumps(again) != json.dumps(table):  # whose order matters
        raise UserError(f"{path}: beside its rules it is not MPICH's own table; {HOW}")
    return made, True in shares


def _by_ranks(path: str, collective: str, tree: Any, left: mpich_rules.Tree) -> Iterator[Rule]:
    for low, high, below in _ranges(path, collective, tree, ("comm_size",), 1):
        if high is None or below == left:
            if below != left:
                raise _strange(path, collective, "beyond the last number of ranks")
            continue
        for first, last, leaf in _ranges(path, collective, below, ("avg_msg_size", "total_msg_size"), 0):
            ranks = (low, high)
            if last is None:
                if leaf != left:
                    raise _strange(path, collective, f"beyond the last size, up to {high} ranks")
                continue
            yield Rule(collective, ranks, (first, last), _key(path, collective, ranks, leaf, left))


def _ranges(
    path: str, collective: str, tree: Any, names: tuple[str, ...], low: int
) -> Iterator[tuple[int, int | None, Any]]:
    """(first, last, what is said there) of questions NAME<=N in ascending order, and of what is left, without a last."""
    items = list(tree.items()) if isinstance(tree, dict) else []
    found = [re.fullmatch(r"(\w+)(?:<=([0-9]{1,15})|=any)", question) for question, _ in items]
    is_ours = bool(found) and all(one and one[1] in names and (one[2] is None) == (one is found[-1]) for one in found)
    if not is_ours or len({one[1] for one in found if one}) > 1:
        raise _strange(path, collective, f"where {names[-1]} is asked")
    for one, (_, below) in zip(found, items, strict=True):
        assert one
        high = int(one[2]) if one[2] else None
        if high is not None and high < low:
            raise _strange(path, collective, f"{one[0]} comes too late")
        yield low, high, below
        low = high + 1 if high is not None else low


def _key(path: str, collective: str, ranks: tuple[int, int], leaf: Any, left: mpich_rules.Tree) -> str:
    """The full key that is written so, OWN: MPICH's own choice."""
    if leaf == left:
        return OWN
    for key in mpich.KEYS[collective]:
        if mpich_rules.algorithm(Rule(collective, ranks, (0, 0), key), left) == leaf:
            return key
    raise _strange(path, collective, f"for {ranks[0]} to {ranks[1]} ranks")


def _strange(path: str, collective: str, where: str) -> UserError:
    return UserError(f"{path}: {collective}, {where}: not what a rule of ./collscope tune says; {HOW}")
