"""The page of `show` in the terminal: what an algorithm says of itself, its times, and its rounds as a table."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from collscope.base import console
from collscope.base.units import counted, format_ratio, format_size, format_time
from collscope.catalogue import headers, registry
from collscope.figures.schedule.rounds import round_colour
from collscope.points.distribution import UNIFORM
from collscope.schedules import one_port, rules
from collscope.schedules.trace import Message, Trace
from collscope.twins import records

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from collscope.catalogue.headers import Header
    from collscope.catalogue.registry import Algorithm

SHOWN_ROUNDS = 24  # rows of the table of rounds


def show(traces: Sequence[Trace]) -> None:
    """Prints the page of one schedule: the first trace is described, the others' times stand beside its own."""
    from rich.markup import escape

    t = traces[0]
    out = console.out()
    known = registry.load()
    algorithm = known.algorithm(t.chose or t.key)
    out.print(f"[bold]{escape(t.key)}[/bold]" + (f" chose [bold]{escape(t.chose)}[/bold]" if t.chose else ""))
    if algorithm:
        about = headers.of_key(algorithm.key)
        out.print(facts_table(algorithm, about))
        if about and about.picture:
            out.print()
            for line in narrowed(about.picture, out.width - 4):
                out.print(f"    {line}", markup=False, style="cyan", no_wrap=True, overflow="ellipsis")
    out.print()
    nodes = f" on {len(set(t.nodes))} nodes" if t.nodes else ""
    root = f", root {t.root}" if known.collective(t.collective).has_root else ""
    size = f", a vector of {format_size(t.vector_bytes)}" if t.vector_bytes else ""
    size += f", counts {escape(t.point.counts)}" if t.point and t.point.counts != UNIFORM else ""
    sent = format_size(sum(m.bytes for m in t.messages))
    sums = f"{counted(len(t.messages), 'message')}, {sent} sent, {counted(t.rounds, 'round')}"
    out.print(f"[bold]{counted(t.ranks, 'rank')}{nodes}{root}{size}[/bold]: {sums}")
    if t.transfers:
        moved = format_size(sum(m.bytes for m in t.transfers))
        out.print(f"{counted(len(t.transfers), 'transfer')} through shared memory of the nodes, {moved}")
    out.print(times_table(traces))
    if t.arrows:
        out.print(rounds_table(traces, out.width))


def facts_table(algorithm: Algorithm, about: Header | None) -> Table:
    """What the algorithm says of itself: its file's opening comment, its parameters, its twin."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    fields = about.fields if about else {"Idea": algorithm.summary, "Source": algorithm.source}
    for name, text in fields.items():
        if not text:
            continue
        table.add_row(name, escape(text))
    for p in algorithm.params:
        kind = " | ".join(p.words) if p.words else f"{p.min} … {p.max}"
        table.add_row(p.name, escape(f"{p.help}: {kind}, {p.text(p.default)} unless given"))
    table.add_row("Twin", escape(records.twin(algorithm)))
    for condition, runs in records.instead_text(algorithm.key):
        table.add_row("", escape(f"{condition}: told {records.number(algorithm)}, it runs {runs}"))
    return table


def narrowed(lines: Sequence[str], width: int) -> list[str]:
    """A picture in characters, with less blank between its columns where it is wider than that."""
    wide = max(map(len, lines))
    padded = [line.ljust(wide) for line in lines]
    while wide > width:
        blank = [all(line[i] == " " for line in padded) for i in range(wide)]
        gaps = [(len(m[0]), m.start()) for m in re.finditer("1{3,}", "".join(str(int(b)) for b in blank))]
        if not gaps:
            break
        _, at = max(gaps)
        padded = [line[:at] + line[at + 1 :] for line in padded]
        wide -= 1
    return [line.rstrip() for line in padded]


def times_table(traces: Sequence[Trace]) -> Table:
    """The rows of `times` without lines."""
    from rich.markup import escape
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for row in times(traces):
        table.add_row(*map(escape, row))
    return table


def times(traces: Sequence[Trace]) -> list[tuple[str, str, str]]:
    """Source, time, and what it is of: one line each, and remarks under it."""
    made: list[tuple[str, str, str]] = []
    first = traces[0]
    for t in traces:
        text = format_time(t.time_s)
        if t is not first and first.time_s > 0:
            text += f" = {format_ratio(t.time_s / first.time_s)} × {first.source}"
        made.append((t.source, text, t.where))
        if t.source == "model" and t.cost_s is not None:
            remark = "in the telephone model"
            if t.where.startswith(one_port.TELEPHONE):
                remark = "and is exact" * (t.exact and math.isclose(t.cost_s, t.time_s, rel_tol=1e-6))
            made.append(("", "", f"cost() says {format_time(t.cost_s)} {remark}".rstrip()))
        if t.backwards:
            n = counted(t.backwards, "message")
            made.append(("", "", f"{n} came before they were sent, by clocks that agree within {format_time(t.clock_error_s)}; "
                         "drawn as noted, nothing was shifted"))  # fmt: skip
    return made


def rounds_table(traces: Sequence[Trace], width: int) -> Table:
    """One row per round of the first trace, with the times at which each trace is through with it; as wide as a terminal."""
    from rich import box
    from rich.table import Table

    t = traces[0]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    done = ["done at"] if len(traces) == 1 else [f"done: {x.source}" for x in traces]
    largest = ["largest"] * (len(traces) == 1 or width >= 100)  # a narrow terminal has no room for all
    for name in ("round", "messages", "bytes", *largest, *done):
        least = max(len(name), 9 if name in done else 7 if name != "round" else 5)
        table.add_column(name, justify="right", no_wrap=True, min_width=least)
    table.add_column("who", no_wrap=True, overflow="ellipsis", min_width=4)
    room = width - 4 - sum((column.min_width or 0) + 3 for column in table.columns[:-1])
    by_round: dict[int, list[Message]] = {}
    for m in t.arrows:
        by_round.setdefault(m.round, []).append(m)
    shown = sorted(by_round)
    if len(shown) > SHOWN_ROUNDS:
        shown = [*shown[: SHOWN_ROUNDS - 4], -1, *shown[-3:]]
    for k in shown:
        if k < 0:
            table.add_row("⋮")
            continue
        messages = by_round[k]
        table.add_row(
            _round_name(k, t.rounds),
            str(len(messages)),
            format_size(sum(m.bytes for m in messages)),
            *[format_size(max(m.bytes for m in messages))] * len(largest),
            *(format_time(max(m.end_s for m in x.arrows if m.round == k), aligned=True) for x in traces),
            shortened(who(messages, t.ranks), room),
        )
    return table


def _round_name(k: int, rounds: int) -> Text:
    """The round with a square in its colour."""
    from rich.text import Text

    r, g, b = (round(255 * v) for v in round_colour(k, rounds))
    return Text(f"■ {k}", style=f"rgb({r},{g},{b})")


def shortened(text: str, room: int) -> str:
    """Whole pairs only, as many as there is room for."""
    return text if len(text) <= room else text[: max(room - 2, 0)].rpartition("  ")[0] + "  …"


def who(messages: Sequence[Message], p: int) -> str:
    """Who sends to whom in a round: as a rule where there is one, else the first of them."""
    pairs = {(m.src, m.dst) for m in messages}
    return rules.rule(pairs, p) or rules.listed(pairs, 10)
