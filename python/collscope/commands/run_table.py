"""Sources and algorithms side by side: the table that `run` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from collscope.base import console
from collscope.base.units import format_size, format_time
from collscope.points.table import Row
from collscope.sources.bounds import LOGGP, TELEPHONE
from collscope.sources.rows import SOURCES

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

BOUND = "bound"
TIMED = tuple(name for name in SOURCES if name != BOUND)

# What two rows must share to stand in one table.
GROUP = ("platform", "nodes", "ranks", "mapping", "collective")
# What two rows must share to be about the same call.
CALL = (*GROUP, "bytes", "block_bytes", "type", "root", "in_place")

Call = tuple[Any, ...]
"""A row's values of CALL."""


def call_of(row: Row) -> Call:
    """The call that a row is about."""
    return tuple(row[c] for c in CALL)


def show(rows: Sequence[Row], bounds: Sequence[Row]) -> None:
    """Prints a table for each collective and layout; a block of lines for each size, the fastest marked. `bounds` are rows of
    source bound to compare with; those among `rows` were asked for and get lines of their own."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[c] for c in GROUP), []).append(row)
    out = console.out()
    for number, members in enumerate(groups.values()):
        if number:
            out.print()
        out.print(make_table(members, bounds))
    reasons(rows)


@dataclass(frozen=True)
class _Shape:
    """Which columns a table has, and what its ratios are to."""

    rows: Sequence[Row]
    limit: Mapping[Call, float | None]  # the telephone bound of each call

    @cached_property
    def sources(self) -> list[str]:
        """Those that have times, in their order."""
        return [s for s in TIMED if any(row["source"] == s for row in self.rows)]

    @cached_property
    def lead(self) -> str | None:
        """The source that ratios and winners are about."""
        return self.sources[-1] if self.sources else None

    @cached_property
    def has_blocks(self) -> bool:
        """A block is not the whole vector."""
        return any(row["block_bytes"] != row["bytes"] for row in self.rows)

    @cached_property
    def has_limits(self) -> bool:
        """There is a bound to compare with."""
        return any(self.limit.values())

    @cached_property
    def has_choices(self) -> bool:
        """A decision chose."""
        return any(row["chose"] for row in self.rows)

    def short(self, key: str) -> str:
        """The key without its collective, which stands in the title."""
        return key.removeprefix(f"{self.rows[0]['collective']}/")

    def columns(self) -> Iterator[str]:
        """Headings."""
        yield "bytes"
        if self.has_blocks:
            yield "block"
        yield "algorithm"
        if self.has_limits:
            yield "bound"
        for source in self.sources:
            yield source
            if source == "real":
                yield "quartiles"
        if self.lead:
            yield "× fastest"
        if self.lead and self.has_limits:
            yield "× bound"
        yield from (f"{self.lead}/{source}" for source in self.sources[:-1])
        if self.has_choices:
            yield "chose"


def make_table(rows: Sequence[Row], bounds: Sequence[Row]) -> Table:
    """The table of rows of one collective and layout."""
    limit = {call_of(row): row["median_s"] for row in bounds if row["algorithm"] == TELEPHONE or not row["algorithm"]}
    shape = _Shape(rows, limit)
    made = _empty(shape)
    calls: dict[Call, list[Row]] = {}
    for row in rows:
        calls.setdefault(call_of(row), []).append(row)
    for number, (call, members) in enumerate(calls.items()):
        algorithms: dict[str, dict[str, Row]] = {}
        for row in members:
            if row["source"] != BOUND:
                algorithms.setdefault(row["algorithm"], {})[row["source"]] = row
        if number and len(algorithms) > 1:
            made.add_section()
        size = [format_size(call[CALL.index("bytes")])]
        if shape.has_blocks:
            size.append(format_size(call[CALL.index("block_bytes")]))
        asked = [row for row in members if row["source"] == BOUND]  # bounds that were asked for
        if not algorithms:
            _add_bounds(made, shape, size, asked)
            continue
        _add_algorithms(made, shape, call, size, algorithms)
        least = next((row for row in asked if row["algorithm"] == LOGGP), None)
        if least and shape.has_limits:  # the bound that holds of every makespan
            _add_bounds(made, shape, [""] * len(size), [least], style="dim")
    return made


def _empty(shape: _Shape) -> Table:
    """Title and columns."""
    from rich import box
    from rich.table import Table

    platform, nodes, ranks, mapping, collective = (shape.rows[0][c] for c in GROUP)
    metric = next((row["metric"] for row in shape.rows if row["source"] == shape.lead), "makespan")
    layout = f"{ranks} ranks on {nodes} node{'s' * (nodes != 1)}" + (f", {mapping}" if nodes > 1 else "")
    made = Table(
        title=_escape(f"{collective} · {platform} · {layout} · {metric}"),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in shape.columns():
        if name in ("algorithm", "chose"):
            made.add_column(name, overflow="fold")
        else:
            made.add_column(name, justify="right", no_wrap=True)
    return made


def _add_bounds(made: Table, shape: _Shape, size: list[str], rows: Sequence[Row], style: str = "") -> None:
    """A line for each bound."""
    from rich.text import Text

    for line, row in enumerate(rows):
        cells: list[str | Text] = [*(size if line == 0 else [""] * len(size)), Text(row["algorithm"], style="dim")]
        if shape.has_limits:
            cells.append(Text(_time(row["median_s"]), style=style))
        made.add_row(*cells)


def _add_algorithms(
    made: Table, shape: _Shape, call: Call, size: list[str], algorithms: Mapping[str, Mapping[str, Row]]
) -> None:
    """A line for each algorithm of a call: algorithms[key][source]."""
    from rich.text import Text

    times = {
        key: found[lead]["median_s"] for key, found in algorithms.items() if (lead := shape.lead) and lead in found
    }
    best = min((t for t in times.values() if t is not None), default=None)
    for line, (key, found) in enumerate(algorithms.items()):
        time = times.get(key)
        cells: list[str | Text] = [*(size if line == 0 else [""] * len(size)), Text(shape.short(key))]
        if shape.has_limits:
            cells.append(Text(_time(shape.limit.get(call)), style="dim"))
        for source in shape.sources:
            cells += _time_cells(found.get(source), source)
        if shape.lead:
            cells.append(_ratio(time, best))
        if shape.lead and shape.has_limits:
            cells.append(_ratio(time, shape.limit.get(call)))
        for source in shape.sources[:-1]:
            cells.append(_ratio(time, found[source]["median_s"] if source in found else None))
        if shape.has_choices:
            cells.append(Text(shape.short(next((row["chose"] for row in found.values() if row["chose"]), ""))))
        winner = time is not None and time == best and len(times) > 1
        made.add_row(*cells, style="bold green" if winner else None)


def _time_cells(row: Row | None, source: str) -> list[str]:
    if row is None:
        return [""] * (2 if source == "real" else 1)
    if row["median_s"] is None:
        return ["—"] + ([""] if source == "real" else [])
    cells = [_time(row["median_s"])]
    if source == "real":
        cells.append(f"{_time(row['q1_s'])} … {_time(row['q3_s'])}")
    return cells


def _time(seconds: float | None) -> str:
    return "" if seconds is None else format_time(seconds, aligned=True)


def _ratio(time: float | None, base: float | None) -> str:
    if time is None or not base:
        return ""
    ratio = time / base
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def reasons(rows: Sequence[Row]) -> None:
    """Why some cells are empty, each reason once."""
    seen: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["status"] != "ok":
            seen.setdefault((row["algorithm"], row["status"]), []).append(row)
    out = console.out()
    for (key, status), members in seen.items():
        sources = "/".join(dict.fromkeys(row["source"] for row in members))
        count = f" ({len(members)} points)" if len(members) > 1 else ""
        out.print(f"[yellow]—[/yellow] {sources} {_escape(key)}: {_escape(status)}{count}", soft_wrap=True)


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape(text)
