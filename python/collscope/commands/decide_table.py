"""What decision tables take, as tables on the terminal."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from collscope.base import console
from collscope.base.units import format_size
from collscope.catalogue import decisions, registry
from collscope.catalogue.decisions import Line, Span
from collscope.catalogue.sizes import block_bytes, vector_bytes

if TYPE_CHECKING:
    from rich.table import Table


def show(lines: Sequence[Line]) -> None:
    """Prints what each decision takes for one call, and the rule that says so."""
    from rich.text import Text

    table = _table("decision", "takes", "rule", "ranks", "sizes", "needs")
    for line in lines:
        takes = line["chose"] if line["status"] == "ok" else f"{line['chose'] or 'nothing'}: {line['status']}"
        table.add_row(*(Text(cell) for cell in (line["decision"], takes, *_rule(line["rule"]))))
    console.out().print(table)


def _rule(rule: Line | None) -> tuple[str, ...]:
    """Number, ranks, sizes and needs."""
    if not rule:
        return ("—",) * 4
    ranks = decisions.ranks_text(*rule["ranks"])
    return (str(rule["number"]), ranks, decisions.sizes_text(rule), decisions.needs_text(rule))


Cells = list[tuple[str, str]]  # from which size on, what is taken


def show_map(collective: str, spans: Sequence[Span], elem: int, block: bool) -> None:
    """Prints a table a decision: neighbouring numbers of ranks that take the same stand together. `elem` are the bytes of an
    element; with `block` sizes are those of one rank's block."""
    from rich.text import Text

    for name, mine in itertools.groupby(spans, key=lambda s: s.decision):
        rows: list[tuple[list[int], Cells]] = []
        for ranks, line in itertools.groupby(mine, key=lambda s: s.ranks):
            cells = _cells(collective, line, elem, block)
            if rows and rows[-1][1] == cells:
                rows[-1][0].append(ranks)
            else:
                rows.append(([ranks], cells))
        console.out().print(Text(name, style="bold"), soft_wrap=True)
        table = _table("ranks", "block" if block else "vector", "takes")
        for numbers, cells in rows:
            where = decisions.ranks_text(numbers[0], numbers[-1])
            for i, (size, takes) in enumerate(cells):
                table.add_row(Text(where if not i else "", style="bold"), Text(size), Text(takes))
        console.out().print(table)
        console.out().print()


def _cells(collective: str, spans: Iterable[Span], elem: int, block: bool) -> Cells:
    has_data = registry.load().collective(collective).has_data
    bytes_of = block_bytes if block else vector_bytes
    cells = []
    for span in spans:
        start = bytes_of(collective, span.first, span.ranks, elem)
        cells.append((f"from {format_size(start)}" if has_data else "", span.takes.replace(f"{collective}/", "")))
    return cells


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in columns:
        table.add_column(name, overflow="fold")
    return table
