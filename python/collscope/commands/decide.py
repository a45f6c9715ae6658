"""The `decide` command: what each decision table takes for one call, and the range of the rule that says so."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict

import click

from collscope.base import console
from collscope.base.errors import UsageError
from collscope.base.units import format_size, parse_ranks, parse_size
from collscope.catalogue import decisions as tables
from collscope.catalogue import registry
from collscope.catalogue.sizes import block_bytes, count_of_block_bytes, count_of_bytes, vector_bytes
from collscope.commands import requests


def spans(
    collective: str,
    ranks: Sequence[int],
    most: int,
    elem: int = 4,
    words: Sequence[str] = (),
    decisions: Sequence[str] = (),
) -> list[tables.Span]:
    """What is taken for all counts from 1 up to `most` bytes of the whole vector, by powers of two and then halving where
    neighbours differ: a choice that comes and goes between two powers of two is not seen."""
    known: dict[tuple[str, int, int], str] = {}

    def learn(calls: Iterable[tuple[int, int]]) -> None:
        for line in tables.ask_many(collective, calls, elem, words, decisions):
            known[line["decision"], line["ranks"], line["count"]] = tables.taken(line)

    def grid(p: int) -> list[int]:
        if collective == "barrier":
            return [0]
        last = max(1, most // vector_bytes(collective, 1, p, elem))
        return sorted({2**k for k in range(last.bit_length()) if 2**k <= last} | {last})

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
            ends = [count - 1 for count in starts[1:]] + [grid(p)[-1]]
            made += [tables.Span(d, p, a, b, known[d, p, a]) for a, b in zip(starts, ends, strict=True)]
    return made


def show_map(collective: str, made: Sequence[tables.Span], elem: int, block: bool) -> None:
    """A table a decision: neighbouring numbers of ranks that take the same stand together."""
    from rich.table import Table
    from rich.text import Text

    of_bytes = block_bytes if block else vector_bytes
    for name, mine in itertools.groupby(made, key=lambda s: s.decision):
        rows: list[tuple[list[int], list[tuple[str, str]]]] = []
        for ranks, line in itertools.groupby(mine, key=lambda s: s.ranks):
            cells = []
            for span in line:
                start = of_bytes(collective, span.first, ranks, elem)
                takes = span.takes.replace(f"{collective}/", "")
                cells.append(("" if collective == "barrier" else f"from {format_size(start)}", takes))
            if rows and rows[-1][1] == cells:
                rows[-1][0].append(ranks)
            else:
                rows.append(([ranks], cells))
        console.out().print(Text(name, style="bold"), soft_wrap=True)
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
        for column in ("ranks", "block" if block else "vector", "takes"):
            table.add_column(column)
        for numbers, cells in rows:
            where = tables.ranks_text(numbers[0], numbers[-1])
            for i, (size, takes) in enumerate(cells):
                table.add_row(Text(where if not i else "", style="bold"), Text(size), Text(takes))
        console.out().print(table)
        console.out().print()


def call_count(collective: str, size: int | None, block: int | None, ranks: int, elem: int) -> int:
    """The count of MPI's call."""
    if collective == "barrier":
        return 0
    if (size is None) == (block is None):
        raise UsageError("give one of --bytes and --block-bytes")
    if size is not None:
        return count_of_bytes(collective, size, ranks, elem)
    assert block is not None
    return count_of_block_bytes(collective, block, ranks, elem)


def show(lines: list[tables.Line]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("decision", "takes", "rule", "ranks", "sizes", "needs"):
        table.add_column(name, overflow="fold")
    for line in lines:
        rule = line["rule"]
        takes = line["chose"] if line["status"] == "ok" else f"{line['chose'] or 'nothing'}: {line['status']}"
        where = (
            (f"{rule['number']}", tables.ranks_text(*rule["ranks"]), tables.sizes_text(rule), tables.needs_text(rule))
            if rule
            else ("—",) * 4
        )
        table.add_row(*(Text(cell) for cell in (line["decision"], takes, *where)))
    console.out().print(table)


@click.command(
    "decide",
    epilog="""
\b
Examples:
  ./collscope decide -c bcast --ranks 64 --bytes 4KiB
  ./collscope decide -c reduce --ranks 12 --bytes 1MiB --no-commutes
  ./collscope decide -c gather --ranks 32 --block-bytes 8KiB
  ./collscope decide -c allgather --ranks 64 --block-bytes 8KiB --decision 'rd_ring[threshold=64KiB]' --decision mpich_4
  ./collscope decide -c bcast --ranks 2..64 --map --plot bcast.png
""",
)
@click.option("-c", "--collective", required=True, metavar="COLLECTIVE", help="bcast, reduce, …")
@click.option("--ranks", required=True, metavar="P", help="Number of ranks; with --map several, as in 2..64 or 4,8,16.")
@click.option("--bytes", "size", metavar="SIZE", help="Bytes of the whole vector.")
@click.option("--block-bytes", "block", metavar="SIZE", help="Bytes of one rank's block, instead of --bytes.")
@click.option("--type", "type_name", default="float", show_default=True, metavar="T", help="Type of an element.")
@click.option("--root", type=click.IntRange(min=0), default=0, show_default=True, metavar="R", help="The root.")
@click.option("--op-commutes/--no-commutes", "commutes", default=True, help="Whether the operator commutes.")
@click.option("--in-place", is_flag=True, help="A call in place.")
@click.option("--decision", "wanted", multiple=True, metavar="KEY", help="Ask only this one; may be given again.")
@click.option("--map", "as_map", is_flag=True, help="What is taken over ranks and sizes, up to --bytes (16 MiB).")
@click.option("--plot", metavar="FILE", help="The map as a picture (png, svg, pdf).")
@click.option("--json", "as_json", is_flag=True, help="All that is known, as JSON.")
def command(
    collective: str,
    ranks: str,
    size: str | None,
    block: str | None,
    type_name: str,
    root: int,
    commutes: bool,
    in_place: bool,
    wanted: tuple[str, ...],
    as_map: bool,
    plot: str | None,
    as_json: bool,
) -> None:
    """Say what each decision table takes for one call, and which of its rules says so; or with --map, for all calls.

    A rule's sizes are in the unit in which the library looks at them: the call's count × size, a block, or all blocks."""
    known = registry.load()
    blocks = known.collective(collective).counts_blocks
    elem = known.type_bytes(type_name)
    decisions = [
        known.resolve(key if key.startswith("decision/") else f"decision/{key}", collective)[1] for key in wanted
    ]
    if not any(collective in d.collectives for d in known.decisions):
        raise UsageError(f"no decision table knows {collective}")
    numbers = parse_ranks(ranks)
    if root >= min(numbers):
        raise UsageError(f"--root {root}: {min(numbers)} ranks have roots 0 … {min(numbers) - 1}")
    if plot:
        requests.check_file("--plot", plot, requests.FIGURES)
    if as_map or plot:
        words = [f"root={root}", f"commutes={int(commutes)}", f"in_place={int(in_place)}"]
        if block:
            raise UsageError("--map goes over all sizes up to --bytes of the whole vector")
        if plot and collective == "barrier":
            raise UsageError("--plot: a barrier has no sizes to draw over; --map says what is taken")
        made = spans(collective, numbers, parse_size(size or "16MiB"), elem, words, decisions)
        for name in tables.divides(collective, (span.decision for span in made)):
            console.note(f"{name}: the map holds for powers of two; a rule asks what divides the count, so between them "
                         "it may take something else")  # fmt: skip
        if as_json:
            json.dump([asdict(span) for span in made], sys.stdout)
            print()
        elif not plot:
            show_map(collective, made, elem, blocks)
        if plot:
            from collscope.figures import files
            from collscope.figures.decision_map import decision_map

            files.save(decision_map(collective, made, elem), plot)
            console.note(f"written: {plot}")
        return
    if len(numbers) != 1:
        raise UsageError(f"--ranks {ranks}: one number, or --map")
    sizes_given = (parse_size(size) if size else None, parse_size(block) if block else None)
    count = call_count(collective, *sizes_given, numbers[0], elem)
    lines = tables.ask(collective, numbers[0], count, elem, root, commutes, in_place, decisions)
    if as_json:
        json.dump({"collective": collective, "ranks": numbers[0], "count": count, "decisions": lines}, sys.stdout)
        print()
    else:
        show(lines)
