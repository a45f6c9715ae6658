"""A small reader of MPICH's table of decisions, after src/mpi/coll/src/csel.c: the first node that holds is taken."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from collscope.tuning import mpich_rules

ELEM = 4


@dataclass(frozen=True)
class TableCall:
    """A call of floats on an intracommunicator. `bytes`: of its vector; `kind`: of the communicator, flat, parent, node or node_roots."""

    collective: str
    ranks: int
    bytes: int
    kind: str
    commutes: bool = True  # and is MPI's own
    in_place: bool = False

    @property
    def count(self) -> int:
        return self.bytes // ELEM


def plain(name: str) -> dict[str, Any]:
    """MPICH's own table as it ships it."""
    table: dict[str, Any] = json.loads((mpich_rules.TABLES / f"{name}.json").read_text(encoding="utf-8"))
    return table


def leaf(table: dict[str, Any], call: TableCall) -> str:
    """The leaf's words for a call; "" where the table has nothing for it."""
    node: dict[str, Any] | None = table.get(f"collective={call.collective}")
    pruned = False  # whether a question of the call's was passed: before that a communicator's are answered once
    while node is not None:
        name = next(iter(node))
        if name.startswith(("algorithm=", "composition=")):
            return " ".join((name, *node[name]))
        below = None
        for question, what in node.items():
            if not question.endswith("=any") and not question.startswith(mpich_rules.OF_A_COMMUNICATOR):
                pruned = True
            if holds(question, call, pruned):
                below = what
                break
        node = below
    return ""


def holds(question: str, call: TableCall, in_call: bool) -> bool:
    found = re.fullmatch(r"(\w+)(<=|<|=)(\w+)", question)
    assert found, question
    what, sign, value = found.groups()
    if value == "any":
        return True
    power = 1 << (call.ranks.bit_length() - 1)
    sizes = {
        "comm_size": call.ranks,
        "count": call.count,
        "avg_msg_size": call.bytes // (call.ranks if call.collective == "alltoall" else 1),
        "total_msg_size": call.bytes,
    }
    if sign != "=":
        bound = power if value == "pow2" else int(value)
        at_most = sign == "<=" or (what == "comm_size" and in_call)
        return sizes[what] <= bound if at_most else sizes[what] < bound
    truths = {
        "comm_type": value == "intra",
        "comm_hierarchy": value == call.kind,
        "comm_size": call.ranks == power if value == "pow2" else call.kind == "node",  # node_comm_size
        "is_commutative": (value == "yes") == call.commutes,
        "is_op_built_in": (value == "yes") == call.commutes,
        "is_sendbuf_inplace": (value == "yes") == call.in_place,
        "is_node_consecutive": value == "yes",
        "is_block_regular": value == "yes",
    }
    return truths[what]
