"""The `decide` command: what each decision table takes for one call, and the range of the rule that says so."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import click

from collscope import console, paths, plan, registry
from collscope.errors import UsageError, UserError
from collscope.units import format_size, parse_size

Line = dict[str, Any]
_UNITS = {"block": "block ", "vector": "vector ", "call": ""}


def ask(
    collective: str,
    ranks: int,
    count: int,
    elem: int,
    root: int = 0,
    commutes: bool = True,
    in_place: bool = False,
    decisions: Sequence[str] = (),
) -> list[Line]:
    """The prover's answer, a line a decision: those named, or all that know the collective."""
    words = [
        f"collective={collective}",
        f"ranks={ranks}",
        f"count={count}",
        f"elem={elem}",
        f"root={root}",
        f"commutes={int(commutes)}",
        f"in_place={int(in_place)}",
        *(f"decision={key}" for key in decisions),
    ]
    try:
        done = subprocess.run([str(paths.PROVER), "--decide", *words], capture_output=True, text=True, check=False)
    except OSError as error:
        raise UserError(f"{paths.PROVER}: {error.strerror}; run ./collscope doctor") from error
    if done.returncode:
        raise UserError(f"{done.stderr.strip() or 'the prover stopped'}; run ./collscope doctor")
    return [json.loads(line) for line in done.stdout.splitlines()]


def call_count(collective: str, size: int | None, block: int | None, ranks: int, elem: int) -> int:
    """The count of MPI's call."""
    if collective == "barrier":
        return 0
    if (size is None) == (block is None):
        raise UsageError("give one of --bytes and --block-bytes")
    if size is not None:
        return plan.count_of_bytes(collective, size, ranks, elem)
    assert block is not None
    return plan.count_of_block_bytes(collective, block, ranks, elem)


def between(low: int, high: int) -> str:
    """Ranks low … high; high 0: no limit."""
    return f"{low}" if low == high else f"{low} … {high}" if high else f"from {low}"


def size_range(what: str, low: int, end: int) -> str:
    """Bytes low … end-1 of a call, block or vector; end 0: no limit; "" when there is none at all."""
    if not low and not end:
        return ""
    if not end:
        return f"{what}from {format_size(low)}"
    return f"{what}below {format_size(end)}" if not low else f"{what}{format_size(low)} … below {format_size(end)}"


def sizes(rule: Line) -> str:
    """Of which sizes a rule speaks."""
    ranges = (size_range(_UNITS[rule["unit"]], *rule["bytes"]), size_range("block ", *rule["block"]))
    return ", ".join(filter(None, ranges)) or "any"


def needs(rule: Line) -> str:
    """What a rule asks beside ranks and sizes."""
    words = [rule["elements"], rule["number_of_ranks"]]
    if rule["commutes"] >= 0:
        words.append("an operator that commutes" if rule["commutes"] else "an operator that does not commute")
    if rule["in_place"]:
        words.append("in place")
    if rule["line"]:
        line = rule["line"]
        words.append(f"ranks {'>' if line['above'] else '<'} {line['a']:.4g}·bytes + {line['b']:.4g}")
    return ", ".join(filter(None, words)) or "—"


def show(lines: list[Line]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("decision", "takes", "rule", "ranks", "sizes", "needs"):
        table.add_column(name, overflow="fold")
    for line in lines:
        rule = line["rule"]
        taken = line["chose"] if line["status"] == "ok" else f"{line['chose'] or 'nothing'}: {line['status']}"
        where = (f"{rule['number']}", between(*rule["ranks"]), sizes(rule), needs(rule)) if rule else ("—",) * 4
        table.add_row(*(Text(cell) for cell in (line["decision"], taken, *where)))
    console.out().print(table)


@click.command(
    "decide",
    epilog="""
\b
Examples:
  ./collscope decide -c bcast --ranks 64 --bytes 4KiB
  ./collscope decide -c reduce --ranks 12 --bytes 1MiB --no-commutes
  ./collscope decide -c gather --ranks 32 --block-bytes 8KiB
""",
)
@click.option("-c", "--collective", required=True, metavar="COLLECTIVE", help="bcast, reduce, …")
@click.option("--ranks", required=True, type=click.IntRange(min=1), metavar="P", help="Number of ranks.")
@click.option("--bytes", "size", metavar="SIZE", help="Bytes of the whole vector.")
@click.option("--block-bytes", "block", metavar="SIZE", help="Bytes of one rank's block, instead of --bytes.")
@click.option("--type", "type_name", default="float", show_default=True, metavar="T", help="Type of an element.")
@click.option("--root", type=click.IntRange(min=0), default=0, show_default=True, metavar="R", help="The root.")
@click.option("--op-commutes/--no-commutes", "commutes", default=True, help="Whether the operator commutes.")
@click.option("--in-place", is_flag=True, help="A call in place.")
@click.option("--json", "as_json", is_flag=True, help="All that is known, as JSON.")
def command(
    collective: str,
    ranks: int,
    size: str | None,
    block: str | None,
    type_name: str,
    root: int,
    commutes: bool,
    in_place: bool,
    as_json: bool,
) -> None:
    """Say what each decision table takes for one call, and which of its rules says so.

    A rule's sizes are in the unit in which the library looks at them: the call's count × size, a block, or all blocks."""
    known = registry.load()
    known.collective(collective)
    elem = known.type_bytes(type_name)
    if root >= ranks:
        raise UsageError(f"--root {root}: {ranks} ranks have roots 0 … {ranks - 1}")
    sizes_given = (parse_size(size) if size else None, parse_size(block) if block else None)
    count = call_count(collective, *sizes_given, ranks, elem)
    lines = ask(collective, ranks, count, elem, root, commutes, in_place)
    if as_json:
        json.dump({"collective": collective, "ranks": ranks, "count": count, "decisions": lines}, sys.stdout)
        print()
    else:
        show(lines)
