"""Decision tables: what each takes for a call, all rules in their order, and a rule's ranges as text. The prover answers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collscope.base.units import format_size
from collscope.catalogue import decision_files, prover, registry
from collscope.catalogue.keys import FILE, Key, stem_of
from collscope.catalogue.sizes import vector_bytes

Line = dict[str, Any]
_UNITS = {"block": "block ", "vector": "vector ", "call": ""}


@dataclass(frozen=True)
class Span:
    """What a decision takes for calls of one number of ranks and counts first … last."""

    decision: str
    ranks: int
    first: int
    last: int
    takes: str  # a full key, or nothing: why


def library_name(key: str) -> str:
    """Whose decisions these are, for people: decision/ompi_4_1 → Open MPI 4.1, decision/rd_ring → rd ring."""
    name = Key.parse(key).name
    if key.startswith(FILE):
        return Path(name).name
    for start, library in (("ompi_", "Open MPI "), ("mpich_", "MPICH ")):
        if name.startswith(start):
            return library + re.sub(r"_(?=\d)", ".", name.removeprefix(start)).replace("_", ", ")
    return name.replace("_", " ")


def ask(
    collective: str,
    ranks: int,
    count: int,
    elem: int,
    root: int = 0,
    commutes: bool = True,
    in_place: bool = False,
    decisions: Sequence[str] = (),
    per_node: int = 0,
) -> list[Line]:
    """What is taken for one call, one line per decision: those named, or all that know the collective. `per_node`: ranks on each node; 0:
    some on each."""
    words = (f"root={root}", f"commutes={int(commutes)}", f"in_place={int(in_place)}", f"per_node={per_node}")
    return ask_many(collective, [(ranks, count)], elem, words, decisions)


def ask_many(
    collective: str, calls: Iterable[tuple[int, int]], elem: int, words: Sequence[str], decisions: Sequence[str]
) -> list[Line]:
    """The prover's answers for many calls, each ranks and count."""
    text = "".join(f"{ranks} {count}\n" for ranks, count in calls)
    options = (f"collective={collective}", f"elem={elem}", *words, *(f"decision={key}" for key in decisions))
    lines = prover.replies(["--decide", *map(decision_files.placed, options)], text)
    typed = {decision_files.placed(key): key for key in decisions}
    return [{**line, "decision": typed.get(line["decision"], line["decision"])} for line in lines]


def rules() -> list[Line]:
    """All rules of all tables, in their order."""
    return prover.replies(["--rules"])


def taken(line: Line) -> str:
    """What a line of a decision took: the key, or why nothing."""
    if line["kind"] != "ok" and not line["rule"]:
        return "nothing: no rule"  # the status names the size, which would make each size differ from the next
    return line["chose"] if line["kind"] == "ok" else f"nothing: {line['status']}"


def divides(collective: str, names: Iterable[str]) -> list[str]:
    """Those of the decisions whose rules for this collective look at what divides the count: no map of ranges can hold for them."""
    looks = {
        stem_of(line["decision"]) for line in rules() if line["collective"] == collective and line["rule"]["divides"]
    }
    return [name for name in dict.fromkeys(names) if stem_of(name) in looks]


def spans(
    collective: str,
    ranks: Sequence[int],
    most: int,
    elem: int = 4,
    words: Sequence[str] = (),
    decisions: Sequence[str] = (),
) -> list[Span]:
    """What is taken for all counts from 1 up to `most` bytes of the whole vector, by powers of two and then halving where
    neighbours differ: a choice that comes and goes between two powers of two is not seen."""
    has_data = registry.load().collective(collective).has_data
    known: dict[tuple[str, int, int], str] = {}

    def learn(calls: Iterable[tuple[int, int]]) -> None:
        for line in ask_many(collective, calls, elem, words, decisions):
            known[line["decision"], line["ranks"], line["count"]] = taken(line)

    def grid(p: int) -> list[int]:
        if not has_data:
            return [0]
        last = max(1, most // vector_bytes(collective, 1, p, elem))
        return sorted({2**k for k in range(last.bit_length())} | {last})

    learn((p, count) for p in ranks for count in grid(p))
    names = list(dict.fromkeys(name for name, _, _ in known))
    open_ends = {(d, p, a, b) for d in names for p in ranks for a, b in itertools.pairwise(grid(p))}
    found: list[tuple[str, int, int]] = [(d, p, grid(p)[0]) for d in names for p in ranks]
    while open_ends:
        open_ends = {(d, p, a, b) for d, p, a, b in open_ends if known[d, p, a] != known[d, p, b]}
        found += [(d, p, b) for d, p, a, b in open_ends if b == a + 1]
        open_ends = {(d, p, a, b) for d, p, a, b in open_ends if b > a + 1}
        learn(sorted({(p, (a + b) // 2) for _, p, a, b in open_ends}))
        open_ends = {half for d, p, a, b in open_ends for half in ((d, p, a, (a + b) // 2), (d, p, (a + b) // 2, b))}
    made = []
    for d in names:
        for p in ranks:
            starts = sorted({count for name, q, count in found if (name, q) == (d, p)})
            made += [Span(d, p, a, b - 1, known[d, p, a]) for a, b in itertools.pairwise([*starts, grid(p)[-1] + 1])]
    return made


# ---- a rule as text -----------------------------------------------------------------------------------------


def ranks_text(low: int, high: int) -> str:
    """Ranks low … high; high 0: no limit."""
    return f"{low}" if low == high else f"{low} … {high}" if high else f"from {low}"


def range_text(what: str, low: int, end: int) -> str:
    """Bytes low … end-1 of a call, block or vector; end 0: no limit; "" without both limits."""
    if not low and not end:
        return ""
    if not end:
        return f"{what}from {format_size(low)}"
    return f"{what}below {format_size(end)}" if not low else f"{what}{format_size(low)} … below {format_size(end)}"


def sizes_text(rule: Line) -> str:
    """Of which sizes a rule speaks."""
    ranges = (range_text(_UNITS[rule["unit"]], *rule["bytes"]), range_text("block ", *rule["block"]))
    return ", ".join(filter(None, ranges)) or "any"


def needs_text(rule: Line) -> str:
    """What a rule asks beside ranks and sizes."""
    words = [rule["elements"], rule["number_of_ranks"]]
    if "ranks_per_node" in rule:
        words.append(f"ranks per node {ranks_text(*rule['ranks_per_node'])}")
    if rule["commutes"] >= 0:
        words.append("an operator that commutes" if rule["commutes"] else "an operator that does not commute")
    if rule["in_place"]:
        words.append("in place")
    if rule["root_zero"]:
        words.append("root 0")
    if rule["bytes_multiple"]:
        words.append(f"whole {format_size(rule['bytes_multiple'])}")
    if rule["line"]:
        line = rule["line"]
        words.append(f"ranks {'>' if line['above'] else '<'} {line['a']:.4g}·bytes + {line['b']:.4g}")
    return ", ".join(filter(None, words)) or "—"
