"""Rules as MPICH's table of decisions, and the words that make MPICH read it.

The table is a tree in JSON: a node is a question and what is asked next where it holds; the first of an object's nodes that holds is
taken; a leaf is an algorithm with its parameters. From pmodels/mpich, tag v4.3.2:

- src/mpi/coll/src/coll_impl.c, MPII_Coll_init: a file takes the place of the whole table. mpir_coll.c (made by maint/gen_coll.py):
  a call for which the table has nothing ends the program. So rules are put into MPICH's own table, which stands for all else.
- src/mpi/coll/src/csel.c, parse_json_tree: questions. What asks for ranks or for the kind of communicator is answered when that is made
  (prune_tree), up to the first question of another kind, and behind that in the call (MPIR_Csel_search), where comm_size<N means
  <=: none of ours is written so, and those of MPICH's own table are written here as what they mean where they stand.
  Sizes and counts are read by atoi: at most 2^31 - 1. validate_tree: what asks for a size or for ranks needs another node behind it.
- get_avg_msgsize: bytes of the call's vector, of alltoall those of a block; get_total_msgsize: of all ranks' blocks.
- MPIR_Csel_create_from_file: the file is mapped, and its text ends with the first zero behind it: a file of whole pages has none.
- src/mpid/ch4/src/ch4_coll.h: on nodes of several ranks ch4's own table comes first, which splits bcast, reduce and allreduce into
  parts, within nodes through shared memory. What it has nothing for, it leaves to the table above.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.tuning import mpich
from collscope.tuning.rules import Rule

FILE, DEVICE, SCRIPT = "mpich.json", "mpich_ch4.json", "mpich.sh"
VARIABLE = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
DEVICE_VARIABLE = "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"
FLAT = {"bcast": "MPIDI_Bcast_intra_composition_gamma", "reduce": "MPIDI_Reduce_intra_composition_gamma",
        "allreduce": "MPIDI_Allreduce_intra_composition_beta"}  # fmt: skip
"""What ch4 splits, and its name for not splitting it (src/mpid/ch4/src/ch4_coll_impl.h)."""
UNTIMED = (
    "MPICH's own choice on nodes of several ranks is timed here without shared memory, through which it splits "
    f"{', '.join(FLAT)}: measure these before you take their rules"
)
MAX_SIZE, PAGE = 2**31 - 1, 4096
OF_A_COMMUNICATOR = ("comm_type", "comm_size", "comm_hierarchy", "comm_avg_ppn", "is_node_consecutive")
TABLES = Path(__file__).parent / "mpich_4_3"

Tree = dict[str, "Tree"]


@cache
def own(name: str) -> Tree:
    """MPICH's own table, generic or ch4, in which comm_size<N is written as what it means where it stands."""
    tree: Tree = json.loads((TABLES / f"{name}.json").read_text(encoding="utf-8"))
    return {collective: _plain(node, early=True) for collective, node in tree.items()}


def _plain(tree: Tree, early: bool) -> Tree:
    """`early`: its questions are asked when the communicator is made."""
    made: Tree = {}
    for text, below in tree.items():
        early = early and text.startswith(OF_A_COMMUNICATOR)
        less = re.fullmatch(r"comm_size<(\d+)", text)
        made[f"comm_size<={int(less[1]) - early}" if less else text] = _plain(below, early)
    return made


def tables(rules: Sequence[Rule], shares_nodes: bool) -> dict[str, Tree]:
    """By the name of its file each table with the rules in it. `shares_nodes`: they speak of communicators that have several ranks
    on some node, else of those that have one on each; of no others."""
    made = {FILE: _with(own("generic"), rules, shares_nodes, algorithm)}
    if shares_nodes:
        split = [rule for rule in rules if rule.collective in FLAT]
        made[DEVICE] = _with(own("ch4"), split, shares_nodes, _undivided)
    return made


Leaf = Callable[[Rule, Tree], Tree]


def _with(table: Tree, rules: Sequence[Rule], shares_nodes: bool, leaf: Leaf) -> Tree:
    made = dict(table)
    for collective, members in groupby(rules, lambda rule: rule.collective):
        name = f"collective={collective}"
        left = table[name]["comm_type=intra"]
        kind = "parent" if shares_nodes else "flat"
        chosen: Tree = {f"comm_hierarchy={kind}": _by_ranks(list(members), left, leaf), "comm_hierarchy=any": left}
        made[name] = {**table[name], "comm_type=intra": chosen}
    return made


def _by_ranks(rules: Sequence[Rule], left: Tree, leaf: Leaf) -> Tree:
    """`left`: what MPICH does by itself."""
    made: Tree = {}
    end = 0
    for (low, high), members in groupby(rules, lambda rule: rule.ranks):
        if low > end + 1:
            made[f"comm_size<={low - 1}"] = left
        made[f"comm_size<={high}"] = _by_size(list(members), left, leaf)
        end = high
    return {**made, "comm_size=any": left}


def _by_size(rules: Sequence[Rule], left: Tree, leaf: Leaf) -> Tree:
    about = registry.load().collective(rules[0].collective)
    size = "total_msg_size" if about.counts_blocks or rules[0].collective == "reduce_scatter" else "avg_msg_size"
    if rules[-1].bytes[1] > MAX_SIZE:
        raise UserError(
            f"a rule of {rules[0].collective} for {rules[-1].bytes[1]} bytes: MPICH's file says sizes up to {MAX_SIZE}; "
            "give --bytes below that"
        )
    made = {f"{size}<={rule.bytes[1]}": leaf(rule, left) if rule.key else left for rule in rules}
    return {**made, f"{size}=any": left}


def algorithm(rule: Rule, left: Tree) -> Tree:
    """The leaf of a rule, with what its algorithm needs before it; `left`: what MPICH does by itself."""
    written = mpich.written(rule.key, rule.ranks[1])
    return _where({f"algorithm=MPIR_{written.name}": {text: {} for text in written.parameters}}, written.needs, left)


def _undivided(rule: Rule, left: Tree) -> Tree:
    needs = mpich.written(rule.key, rule.ranks[1]).needs
    return _where({f"composition={FLAT[rule.collective]}": {}}, needs, left)


def _where(leaf: Tree, needs: Sequence[str], left: Tree) -> Tree:
    for need in reversed(needs):
        question, _, answer = need.partition("=")
        if need.startswith("not "):
            contrary = need.removeprefix("not ")
            leaf = {contrary: left, f"{contrary.partition('<')[0]}=any": leaf}
        else:
            other = {"yes": "no", "no": "yes"}.get(answer, "any")
            leaf = {need: leaf, f"{question}={other}": left}
    return leaf


def texts(rules: Sequence[Rule], shares_nodes: bool) -> dict[str, str]:
    """Name → text of the files."""
    made = {name: json.dumps(tree, indent=1) + "\n" for name, tree in tables(rules, shares_nodes).items()}
    return {name: text + "\n" * (len(text) % PAGE == 0) for name, text in made.items()}


def variables(folder: Path, shares_nodes: bool) -> dict[str, str]:
    """The environment in which MPICH follows the files in `folder`."""
    made = {VARIABLE: str(folder / FILE)}
    return made | ({DEVICE_VARIABLE: str(folder / DEVICE)} if shares_nodes else {})


def script(folder: Path, shares_nodes: bool, about: str) -> str:
    """Lines for a shell that make MPICH follow the files; without one of them its MPI_Init fails. Lines `about` them stand here behind #,
    since a table has no comments, and a name that MPICH does not know ends the program."""
    words = variables(folder, shares_nodes)
    comments = [f"# {line}" for line in about.splitlines()]
    return "\n".join([*comments, *(f"export {name}={shlex.quote(path)}" for name, path in words.items())]) + "\n"
