"""What decision tables take, as tables on the terminal."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from collscope.base import console
from collscope.base.grid import KEY, WORDS, Column, Grid
from collscope.base.units import format_size
from collscope.catalogue import decisions, registry
from collscope.catalogue.decisions import Line, Span
from collscope.catalogue.sizes import block_bytes, vector_bytes


def show(lines: Sequence[Line]) -> None:
    """Prints what each decision takes for one call, and the rule that says so."""
    table = Grid(
        (
            Column("decision", pieces=KEY),
            Column("takes", pieces=KEY),
            Column("rule", goes=3, right=True),
            Column("ranks", goes=2),
            Column("sizes", goes=1, pieces=WORDS),
            Column("needs", goes=4, pieces=WORDS),
        ),
        boxed=False,
    )
    for line in lines:
        takes = line["chose"] if line["status"] == "ok" else f"{line['chose'] or 'nothing'}: {line['status']}"
        table.add(line["decision"], takes, *_rule(line["rule"]))
    table.show()


def _rule(rule: Line | None) -> tuple[str, ...]:
    """Number, ranks, sizes and needs."""
    if not rule:
        return ("—",) * 4
    ranks = decisions.ranks_text(*rule["ranks"])
    return (str(rule["number"]), ranks, decisions.sizes_text(rule), decisions.needs_text(rule))


Cells = list[tuple[str, str]]  # from which size on, what is taken


def show_map(collective: str, spans: Sequence[Span], elem: int, block: bool) -> None:
    """Prints one table per decision: neighbouring numbers of ranks that take the same stand together. `elem` are the bytes of an
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
        size = Column("block" if block else "vector")
        table = Grid((Column("ranks", style="bold"), size, Column("takes", pieces=KEY)), boxed=False)
        for numbers, cells in rows:
            where = decisions.ranks_text(numbers[0], numbers[-1])
            for i, (start, takes) in enumerate(cells):
                table.add(where if not i else "", start, takes)
        table.show()
        console.out().print()


def _cells(collective: str, spans: Iterable[Span], elem: int, block: bool) -> Cells:
    has_data = registry.load().collective(collective).has_data
    bytes_of = block_bytes if block else vector_bytes
    cells = []
    for span in spans:
        start = bytes_of(collective, span.first, span.ranks, elem)
        cells.append((f"from {format_size(start)}" if has_data else "", span.takes.replace(f"{collective}/", "")))
    return cells
