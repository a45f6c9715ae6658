"""Sources and algorithms side by side: the table that `run` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from collscope.base import console
from collscope.base.grid import KEY, Column, Grid
from collscope.base.units import counted, format_size, format_time, rounded_size
from collscope.catalogue.metrics import TRAFFIC
from collscope.points.table import Row
from collscope.sources.bounds import LOGGP, TELEPHONE
from collscope.sources.outcome import FAILURES
from collscope.sources.rows import SOURCES

BOUND = "bound"
BOUND_NAMES = {LOGGP: "bound", TELEPHONE: "telephone"}  # the one that holds has the plain name
BOUND_GOES = {LOGGP: 5, TELEPHONE: 7}  # which goes first where there is no room
MOVED = {"network_bytes": "between nodes", "link_bytes": "over links", "global_bytes": "over global links"}
NOT_KNOWN = "not known"  # what the library's own call was
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
    source bound to compare with; those among `rows` were requested and get lines of their own."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[c] for c in GROUP), []).append(row)
    for number, members in enumerate(groups.values()):
        if number:
            console.out().print()
        make_table(members, bounds).show()
    if any(row["median_s"] is not None for row in rows):  # else they are on standard error, where errors go
        reasons(rows)


@dataclass(frozen=True)
class _Shape:
    """Which columns a table has, and what its ratios are to."""

    rows: Sequence[Row]
    limits: Mapping[str, Mapping[Call, float | None]]  # of each kind of bound that is shown, each call's

    @staticmethod
    def of(rows: Sequence[Row], bounds: Sequence[Row]) -> _Shape:
        """The bound is shown where it holds of what was timed; the telephone model's, and both of another metric, where requested."""
        listed = {row["algorithm"] for row in rows if row["source"] == BOUND}
        holds = all(row["metric"] == "makespan" for row in rows)
        limits: dict[str, dict[Call, float | None]] = {}
        for kind in (LOGGP, TELEPHONE):
            found = {call_of(row): row["median_s"] for row in bounds if row["algorithm"] == kind}
            if any(found.get(call_of(row)) for row in rows) and (kind in listed or (kind == LOGGP and holds)):
                limits[kind] = found
        return _Shape(rows, limits)

    @cached_property
    def sources(self) -> list[str]:
        """Those that have times, in their order."""
        return [s for s in TIMED if any(row["source"] == s for row in self.rows)]

    @cached_property
    def lead(self) -> str | None:
        """The source that ratios and winners are about."""
        return self.sources[-1] if self.sources else None

    @cached_property
    def metric(self) -> str:
        """Which time it is."""
        return next((row["metric"] for row in self.rows if row["source"] == self.lead), "makespan")

    @cached_property
    def has_noise(self) -> bool:
        """A band stands beside the model's time."""
        return any(row.get("noise_low_s") is not None for row in self.rows)

    @cached_property
    def has_overlap(self) -> bool:
        """It is known how much of a call computation hides."""
        return any(row.get("overlap") is not None for row in self.rows)

    @cached_property
    def traffic(self) -> list[str]:
        """Which bytes over links are shown: what is between nodes, and over global links where there are such, else over all."""
        known = {c for c in TRAFFIC for row in self.rows if row.get(c) is not None}
        links = "global_bytes" if "global_bytes" in known else "link_bytes"
        return ["network_bytes", links] if known else []

    @cached_property
    def has_blocks(self) -> bool:
        """A block is not the whole vector."""
        return any(row["block_bytes"] != row["bytes"] for row in self.rows)

    @cached_property
    def has_ratios(self) -> bool:
        """There is a bound that holds, and times to compare with it."""
        return LOGGP in self.limits and self.metric == "makespan" and self.lead is not None

    @cached_property
    def has_choices(self) -> bool:
        """A decision chose, or the library did."""
        return any(row["chose"] or row["algorithm"].endswith("/builtin") for row in self.rows)

    def spread(self, source: str) -> str:
        """The column beside a source's times that says how far they spread; "": it has none."""
        return "quartiles" if source == "real" else "5 … 95 %" if source == "model" and self.has_noise else ""

    def short(self, key: str) -> str:
        """The key without its collective, which stands in the title."""
        return key.removeprefix(f"{self.rows[0]['collective']}/")

    def columns(self) -> Iterator[Column]:
        """The columns; where there is no room, what can be worked out from others goes first, then what is not a time."""
        yield Column("bytes", right=True)
        if self.has_blocks:
            yield Column("block", goes=6, right=True)
        if self.sources:
            yield Column("algorithm", pieces=KEY)
        for kind in self.limits:
            yield Column(BOUND_NAMES[kind], goes=BOUND_GOES[kind] if self.sources else 0, right=True, style="dim")
        for source in self.sources:
            yield Column(source, goes=0 if source == self.lead else 3, right=True)
            if spread := self.spread(source):
                yield Column(spread, goes=9, right=True)
        if self.has_overlap:
            yield Column("overlap", right=True)
            yield Column("available", goes=8, right=True)
        for name in self.traffic:
            yield Column(MOVED[name], goes=5, right=True)
        if self.lead:
            yield Column("× fastest", goes=1, right=True)
        if self.has_ratios:
            yield Column("× bound", goes=4, right=True)
        for source in self.sources[:-1]:
            yield Column(f"{self.lead}/{source}", goes=2, right=True)
        if self.has_choices:
            yield Column("chose", pieces=KEY)


def make_table(rows: Sequence[Row], bounds: Sequence[Row]) -> Grid:
    """The table of rows of one collective and layout."""
    shape = _Shape.of(rows, bounds)
    skew = f" · skew {rows[0]['skew']}" if rows[0].get("skew") else ""
    platform, nodes, ranks, mapping, collective = (rows[0][c] for c in GROUP)
    layout = f"{counted(ranks, 'rank')} on {counted(nodes, 'node')}" + (
        f", {mapping}" if nodes > 1 or mapping != "block" else ""
    )
    counts = f" · counts {rows[0]['counts']}" if rows[0].get("counts") else ""
    made = Grid(tuple(shape.columns()), f"{collective} · {platform} · {layout} · {shape.metric}{counts}{skew}")
    calls: dict[Call, list[Row]] = {}
    for row in rows:
        calls.setdefault(call_of(row), []).append(row)
    for number, (call, members) in enumerate(calls.items()):
        algorithms: dict[str, dict[str, Row]] = {}
        for row in members:
            if row["source"] != BOUND:
                algorithms.setdefault(row["algorithm"], {})[row["source"]] = row
        size = [format_size(call[CALL.index("bytes")])]
        if shape.has_blocks:
            size.append(format_size(call[CALL.index("block_bytes")]))
        if algorithms:
            _add_algorithms(made, shape, call, size, algorithms, ruled=number > 0 and len(algorithms) > 1)
        else:  # a bound alone: nothing was timed, or not yet
            cells = [*size, *[""] * bool(shape.sources), *_limits(shape, call)]
            made.add(*cells, *[""] * (len(made.columns) - len(cells)))
    return made


def _limits(shape: _Shape, call: Call) -> list[str]:
    """A cell for each bound."""
    return [_time(of_calls.get(call)) for of_calls in shape.limits.values()]


def _add_algorithms(
    made: Grid,
    shape: _Shape,
    call: Call,
    size: list[str],
    algorithms: Mapping[str, Mapping[str, Row]],
    ruled: bool,
) -> None:
    """A line for each algorithm of a call: algorithms[key][source]; the first one's is ruled or not."""
    times = {
        key: found[lead]["median_s"] for key, found in algorithms.items() if (lead := shape.lead) and lead in found
    }
    best = min((t for t in times.values() if t is not None), default=None)
    for line, (key, found) in enumerate(algorithms.items()):
        time = times.get(key)
        cells = [*(size if line == 0 else [""] * len(size)), shape.short(key), *_limits(shape, call)]
        for source in shape.sources:
            cells += _time_cells(found.get(source), shape.spread(source))
        if shape.has_overlap:
            row = found.get(shape.lead or "", {})
            cells += [_percent(row.get(name)) for name in ("overlap", "available")]
        moved = next((row for row in found.values() if row.get("network_bytes") is not None), {})
        cells += [rounded_size(int(moved[name])) if name in moved else "" for name in shape.traffic]
        if shape.lead:
            cells.append(_ratio(time, best))
        if shape.has_ratios:
            cells.append(_ratio(time, shape.limits[LOGGP].get(call)))
        for source in shape.sources[:-1]:
            cells.append(_ratio(time, found[source]["median_s"] if source in found else None))
        if shape.has_choices:
            unknown = NOT_KNOWN if key.endswith("/builtin") else ""
            cells.append(shape.short(next((row["chose"] for row in found.values() if row["chose"]), unknown)))
        winner = time is not None and time == best and len(times) > 1
        made.add(*cells, style="bold green" if winner else "", ruled=ruled and line == 0)


def _time_cells(row: Row | None, spread: str) -> list[str]:
    """The time, and how far it spreads where there is a column for that."""
    if row is None or row["median_s"] is None:
        return ["" if row is None else "—", *([""] if spread else [])]
    low, high = (
        (row["q1_s"], row["q3_s"]) if spread == "quartiles" else (row.get("noise_low_s"), row.get("noise_high_s"))
    )
    return [_time(row["median_s"]), *([f"{_time(low)} … {_time(high)}" if low is not None else ""] if spread else [])]


def _time(seconds: float | None) -> str:
    return "" if seconds is None else format_time(seconds, aligned=True)


def _percent(part: float | None) -> str:
    return "" if part is None else f"{100 * part:.1f} %"


def _ratio(time: float | None, base: float | None) -> str:
    if time is None or not base:
        return ""
    ratio = time / base
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def reasons(rows: Sequence[Row]) -> None:
    """Why some cells are empty, each reason once; that of failed points goes to standard error."""
    by_reason: dict[str, list[Row]] = {}
    for row in rows:
        if row["status"] != "ok" and row["kind"] not in FAILURES:
            by_reason.setdefault(row["status"], []).append(row)
    for status, members in by_reason.items():
        sources = "/".join(dict.fromkeys(row["source"] for row in members))
        keys = ", ".join(dict.fromkeys(row["algorithm"] for row in members))
        count = f" ({len(members)} points)" if len(members) > 1 else ""
        console.say(f"[yellow]—[/yellow] {sources} {_escape(keys)}: {_escape(status)}{count}", markup=True)


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape(text)
