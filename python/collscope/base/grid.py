"""Tables that fit the terminal: names and verdicts stay, keys wrap at their bracket and commas, headings at spaces, and what still
has no room is left out column by column, and said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from collscope.base import console
from collscope.base.units import join_words

if TYPE_CHECKING:
    from rich.table import Table

KEY = r"\[?[^\[, ]*[, ]*"
"""Pieces of a key, or of a sentence with keys: lines may end before a bracket, after a comma and after a space."""
WORDS = r"[^ ]* *"
"""Pieces of a sentence."""
HEADING = r"[^ /]*[ /]*"
"""Pieces of a heading: real/model may be broken behind the stroke."""
WHOLE = r".+"
"""A single piece: the cell stays on one line."""

GAP = 2  # characters between two columns
EDGES = 2  # characters beside them
NARROWEST = 8  # characters of a column that has to be cut


@dataclass(frozen=True)
class Column:
    """A column: its heading, and what becomes of it where there is little room."""

    name: str
    goes: int = 0  # 0: it stays; of the others, the largest is left out first
    pieces: str = WHOLE  # a regular expression: between what it finds a cell may be broken
    right: bool = False  # numbers
    style: str = ""
    readable: int = 0  # characters that a line of it needs to be read: others are left out before it gets fewer


@dataclass(frozen=True)
class Line:
    """Cells from left to right, a style, and whether a rule stands above."""

    cells: Sequence[str]
    style: str
    ruled: bool


@dataclass
class Grid:
    """A table to be printed."""

    columns: Sequence[Column]
    title: str = ""
    boxed: bool = True  # with a rule below the headings
    lines: list[Line] = field(default_factory=list)

    def add(self, *cells: str, style: str = "", ruled: bool = False) -> None:
        """A line; one cell a column."""
        assert len(cells) == len(self.columns)
        self.lines.append(Line(cells, style, ruled))

    def show(self) -> None:
        """Prints it as wide as the terminal, and what was left out."""
        from rich.text import Text

        out = console.out()
        table, absent = self.table(out.width)
        if self.title:
            out.print(Text(self.title, style="bold"))
        out.print(table)
        if absent:
            wide = _total([least for least, _ in self._sizes()])
            how = f"a terminal of {wide} columns" if out.is_terminal else f"COLUMNS={wide}"
            console.say(f"[dim](no room for {join_words(absent)}; {how} shows all)[/dim]", markup=True)

    def table(self, width: int) -> tuple[Table, list[str]]:
        """The table for so many characters, and the names of the columns that are left out."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        widths = self._fit(width)
        made = Table(
            box=box.SIMPLE_HEAD if self.boxed else None,
            header_style="bold",
            pad_edge=False,
            padding=(0, 1, 0, 0) if self.boxed else (0, GAP, 0, 0),
        )
        kept = [(self.columns[i], i, room) for i, room in widths.items()]
        for column, _, room in kept:
            made.add_column(
                Text("\n".join(wrapped(column.name, HEADING, room))),
                justify="right" if column.right else "left",
                no_wrap=True,
                style=column.style or None,
            )
        for line in self.lines:
            if line.ruled:
                made.add_section()
            texts = (wrapped(line.cells[i], column.pieces, room) for column, i, room in kept)
            made.add_row(*(Text("\n ".join(text)) for text in texts), style=line.style or None)
        return made, [column.name for i, column in enumerate(self.columns) if i not in widths]

    def _sizes(self) -> list[tuple[int, int]]:
        """The least and the most characters that each column can use."""
        from rich.cells import cell_len

        made = []
        for i, column in enumerate(self.columns):
            cells = [line.cells[i] for line in self.lines]
            least = [_longest(column.name, HEADING), *(_longest(cell, column.pieces) for cell in cells)]
            most = max([cell_len(column.name), *map(cell_len, cells)])
            made.append((max([*least, min(column.readable, most)]), most))
        return made

    def _fit(self, width: int) -> dict[int, int]:
        """Which columns have room, by place, and how many characters each gets."""
        sizes = self._sizes()
        widths = {i: least for i, (least, _) in enumerate(sizes)}
        while _total(widths.values()) > width and (going := [i for i in widths if self.columns[i].goes]):
            del widths[max(going, key=lambda i: (self.columns[i].goes, i))]
        spare = width - _total(widths.values())
        if spare < 0:  # too narrow even so: what can be cut is cut
            widest = max(widths, key=lambda i: widths[i])
            widths[widest] = max(min(NARROWEST, widths[widest]), widths[widest] + spare)
        while spare > 0 and (short := [i for i in widths if widths[i] < sizes[i][1]]):
            for i in sorted(short, key=lambda i: self.columns[i].pieces == WHOLE)[:spare]:
                widths[i] += 1
                spare -= 1
        return widths


def _total(widths: Iterable[int]) -> int:
    """Characters of a table with columns of these widths."""
    return sum(width + GAP for width in widths) - GAP + EDGES


def wrapped(text: str, pieces: str, width: int) -> list[str]:
    """Lines of at most `width` characters, broken between pieces; lines after the first are to stand one character further right.
    A piece that is longer than a line is cut."""
    from rich.cells import cell_len

    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for piece in re.findall(pieces, paragraph):
            room = width - bool(lines)
            if line and cell_len(line + piece.rstrip()) > room:
                lines.append(line.rstrip())
                line, room = "", width - 1
            line += piece
            while cell_len(line.rstrip()) > room:
                end = line.rfind("_", 1, room) + 1 or room  # between the words of a name, if possible
                lines.append(line[:end])
                line, room = line[end:], width - 1
        lines.append(line.rstrip())
    return lines


def _longest(text: str, pieces: str) -> int:
    """Characters of the longest piece, with the space before it where it is not the first."""
    from rich.cells import cell_len

    return max((cell_len(piece.rstrip()) + bool(i) for i, piece in enumerate(re.findall(pieces, text))), default=0)
