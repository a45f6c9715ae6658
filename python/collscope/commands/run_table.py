"""Sources and algorithms side by side: the table that `run` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from collscope.base import console
from collscope.base.units import format_size, format_time
from collscope.points.table import Row

if TYPE_CHECKING:
    from rich.table import Table

BOUND = "bound/telephone"
LOGGP = "bound/loggp"
TIMED = ("model", "sim", "real")

# What two rows must share to be about the same call.
CALL = ("platform", "nodes", "ranks", "mapping", "collective", "bytes", "block_bytes", "type", "root", "in_place")


def call_of(row: Row) -> tuple[Any, ...]:
    return tuple(row[c] for c in CALL)


def show(rows: Sequence[Row], bounds: Sequence[Row]) -> None:
    """Prints a table for each collective and layout; a block of lines for each size, the fastest marked."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        group = tuple(row[c] for c in ("platform", "nodes", "ranks", "mapping", "collective"))
        groups.setdefault(group, []).append(row)
    out = console.out()
    for number, (group, members) in enumerate(groups.items()):
        if number:
            out.print()
        out.print(make_table(group, members, bounds))
    reasons(rows)


def make_table(group: tuple[Any, ...], rows: Sequence[Row], bounds: Sequence[Row]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    platform, nodes, ranks, mapping, collective = group
    sources = [s for s in TIMED if any(row["source"] == s for row in rows)]
    lead = sources[-1] if sources else None  # the source that ratios and winners are about
    metric = next((row["metric"] for row in rows if row["source"] == lead), "makespan")
    layout = f"{ranks} ranks on {nodes} node{'s' * (nodes != 1)}" + (f", {mapping}" if nodes > 1 else "")
    made = Table(
        title=_escape(f"{collective} · {platform} · {layout} · {metric}"),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    blocks = any(row["block_bytes"] != row["bytes"] for row in rows)
    made.add_column("bytes", justify="right", no_wrap=True)
    if blocks:
        made.add_column("block", justify="right", no_wrap=True)
    made.add_column("algorithm", overflow="fold")
    limit = {call_of(row): row["median_s"] for row in bounds if row["algorithm"] == BOUND or not row["algorithm"]}
    limits = bool(limit) and any(limit.values())
    if limits:
        made.add_column("bound", justify="right", no_wrap=True)
    for source in sources:
        made.add_column(source, justify="right", no_wrap=True)
        if source == "real":
            made.add_column("quartiles", justify="right", no_wrap=True)
    if lead:
        made.add_column("× fastest", justify="right", no_wrap=True)
    if limits and lead:
        made.add_column("× bound", justify="right", no_wrap=True)
    ratios = sources[:-1]
    for source in ratios:
        made.add_column(f"{lead}/{source}", justify="right", no_wrap=True)
    chose = any(row["chose"] for row in rows)
    if chose:
        made.add_column("chose", overflow="fold")

    by_call: dict[tuple[Any, ...], dict[str, dict[str, Row]]] = {}
    for row in rows:
        calls = by_call.setdefault(call_of(row), {})
        if row["source"] != "bound":
            calls.setdefault(row["algorithm"], {})[row["source"]] = row
    for number, (call, algorithms) in enumerate(by_call.items()):
        if number and len(algorithms) > 1:
            made.add_section()
        times = {key: rowset[lead]["median_s"] for key, rowset in algorithms.items() if lead and lead in rowset}
        best = min((t for t in times.values() if t is not None), default=None)
        sized = [format_size(call[CALL.index("bytes")])] + (
            [format_size(call[CALL.index("block_bytes")])] if blocks else []
        )
        if not algorithms:
            for line, row in enumerate(r for r in rows if r["source"] == "bound" and call_of(r) == call):
                lead_in = sized if line == 0 else [""] * len(sized)
                made.add_row(
                    *lead_in, Text(row["algorithm"], style="dim"), *([_time(row["median_s"])] if limits else [])
                )
        least = next((r["median_s"] for r in rows if r["algorithm"] == LOGGP and call_of(r) == call), None)
        for line, (key, found) in enumerate(algorithms.items()):
            time = times.get(key)
            winner = time is not None and time == best and len(times) > 1
            cells: list[Any] = [*(sized if line == 0 else [""] * len(sized)), Text(_short(key, collective))]
            if limits:
                cells.append(Text(_time(limit.get(call)), style="dim"))
            for source in sources:
                cells += _cells(found.get(source), source)
            if lead:
                cells.append(_ratio(time, best))
            if limits and lead:
                cells.append(_ratio(time, limit.get(call)))
            for source in ratios:
                other = found[source]["median_s"] if source in found else None
                cells.append(_ratio(time, other))
            if chose:
                cells.append(Text(_short(next((r["chose"] for r in found.values() if r["chose"]), ""), collective)))
            made.add_row(*cells, style="bold green" if winner else None)
        if algorithms and least is not None and limits:  # asked for, so shown: the bound that holds of every makespan
            made.add_row(*[""] * len(sized), Text(LOGGP, style="dim"), Text(_time(least), style="dim"))
    return made


def _cells(row: Row | None, source: str) -> list[Any]:
    if row is None:
        return [""] * (2 if source == "real" else 1)
    if row["median_s"] is None:
        return ["—"] + ([""] if source == "real" else [])
    cells = [_time(row["median_s"])]
    if source == "real":
        cells.append(f"{_time(row['q1_s'])} … {_time(row['q3_s'])}")
    return cells


def _short(key: str, collective: str) -> str:
    return key.removeprefix(f"{collective}/")


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
