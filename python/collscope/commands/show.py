"""The `show` command: one algorithm on one page of the terminal, and its pictures."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from collscope.base import console, paths
from collscope.base.errors import UsageError, unknown
from collscope.base.units import format_ratio, format_size, format_time, parse_size
from collscope.catalogue import headers as header
from collscope.catalogue import registry
from collscope.catalogue.sizes import count_of_bytes
from collscope.commands import requests
from collscope.figures.schedule import kinds as pictures
from collscope.figures.schedule.kinds import KINDS
from collscope.figures.schedule.rounds import round_colour
from collscope.machines.hosts import machine_file
from collscope.points import plan
from collscope.points.plan import Layout, Point
from collscope.schedules import trace
from collscope.schedules.trace import Message, Trace
from collscope.sources import measure

SOURCES = ("model", "sim", "real")
FORMATS = (".svg", ".png", ".pdf")
OTHER_FORMATS = (".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".bmp", ".eps", ".ps")  # no names of folders
MOST_RANKS = 1024
SHOWN_ROUNDS = 24  # rows of the table of rounds


@dataclass(frozen=True)
class Request:
    algo: str
    ranks: int = 8
    root: int = 0
    sizes: str | None = None
    type_name: str = "float"
    in_place: bool = False
    platform: str | None = None
    nodes: int | None = None
    mapping: str = "block"
    source: str = "model"
    repetitions: int | None = None
    kinds: str = "all"
    out: str | None = None
    animate: bool = False
    no_pictures: bool = False
    collective: str | None = None


def run(r: Request) -> int:
    """Prints the page, draws, and returns the exit status."""
    kinds = read_kinds(r.kinds)
    if r.out and not r.no_pictures:
        check_out(r.out, kinds)
    traces = make_traces(r)
    page(traces)
    if r.no_pictures:
        return 0
    written = draw(traces, kinds, r.out)
    if r.animate:
        from collscope.figures import files
        from collscope.figures.schedule import animation

        path = animation_path(traces, r.out)
        written.append(files.write(animation.gif(traces[0]), path))
        written.append(files.write(animation.svg(traces[0]), path.with_suffix(".animated.svg")))
    print("\npictures")
    for path in written:
        print(f"  {paths.display(path)}")
    return 0


def read_kinds(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == ["all"] or not names:
        return list(KINDS)
    for name in names:
        if name not in KINDS:
            raise unknown("kind of picture", name, [*KINDS, "all"])
    return list(dict.fromkeys(names))


def check_out(out: str, kinds: Sequence[str]) -> None:
    """Finds out before the work, not after it, that pictures cannot be written there."""
    ending = Path(out).suffix.lower()
    if ending in FORMATS:
        if len(kinds) > 1:
            words = f"say which picture with --kind {'|'.join(KINDS)}, or name a folder"
            raise UsageError(f"--out {out} is one file; {words}")
        requests.check_file("--out", out)
    elif ending in OTHER_FORMATS:
        raise UsageError(f"--out {out}: pictures are {', '.join(FORMATS)}; or name a folder")
    else:
        requests.check_folder("--out", out, Path(out))


def read_sources(text: str) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name == "bound":
            raise UsageError(f"--source bound: a bound has no schedule to draw; take {', '.join(SOURCES)}")
        if name not in SOURCES:
            raise unknown("source", name, SOURCES)
    return names


def make_traces(r: Request) -> list[Trace]:
    """One for each source, in the order asked for."""
    sources = read_sources(r.source)
    point = make_point(r)
    if "sim" in sources and not r.platform:
        raise UsageError("--source sim: say on which platform, with --on; ./collscope list --platforms names them")
    if "real" in sources:
        requests.check_real(r.platform or "this_machine")
        if not r.platform and sources != ["real"]:
            raise UsageError("--source real beside others: give --on this_machine, so that all are of the same machine")
    layout = make_layout(r, sources)
    return [_trace_of(source, r, point, layout) for source in sources]


def _trace_of(source: str, r: Request, point: Point, layout: Layout | None) -> Trace:
    if source == "model":
        return trace.ask([point], r.ranks, *machine_of(r, layout))[0]
    from collscope.schedules import observed

    assert layout is not None
    if source == "sim":
        seen = observed.simulated(layout, point)
    else:
        wanted = measure.timed(point, r.repetitions)
        seen = observed.measured(layout, wanted)
    machine = trace.with_places(trace.telephone(r.ranks, 1), seen.places)
    recorded = trace.ask([point], r.ranks, machine, "")[0]
    if layout.platform:  # cost() in the platform's numbers
        recorded = replace(recorded, cost_s=trace.ask([point], r.ranks, *machine_of(r, layout))[0].cost_s)
    else:
        recorded = replace(recorded, cost_s=None)
    return observed.retimed(recorded, seen, source, observed.words(seen, source, layout))


def make_point(r: Request) -> Point:
    known = registry.load()
    collective, key = known.resolve(r.algo, r.collective)
    if key.endswith("/builtin"):
        raise UsageError(f"{key} is the MPI library's own and has no schedule to draw; take decision/… of that library")
    if not 1 <= r.ranks <= MOST_RANKS:
        raise UsageError(f"--ranks {r.ranks}: pictures are drawn for 1 to {MOST_RANKS} ranks")
    if r.root >= r.ranks:
        raise UsageError(f"--root {r.root}: there are {r.ranks} ranks, 0 to {r.ranks - 1}")
    if r.root and not known.collective(collective).has_root:
        raise UsageError(f"--root {r.root}: {collective} has no root")
    elem = known.type_bytes(r.type_name)
    if r.sizes:
        count = count_of_bytes(collective, parse_size(r.sizes), r.ranks, elem)
    else:
        count = trace.default_count(collective, key, r.ranks, elem)
    op = "affine" if r.type_name == "affine" else "sum"
    return Point(collective, key, count, type=r.type_name, op=op, root=r.root, in_place=r.in_place)


def make_layout(r: Request, sources: Sequence[str]) -> Layout | None:
    """Where the ranks sit; None on the telephone network."""
    if not r.platform and "real" not in sources:
        if r.mapping != "block":
            raise UsageError(f"--mapping {r.mapping}: say on which platform, with --on")
        if r.nodes and r.nodes > r.ranks:
            raise UsageError(f"{r.ranks} ranks cannot occupy {r.nodes} nodes; use --nodes {r.ranks}")
        return None
    on = requests.load_platform(r.platform or "this_machine", sources)
    if on is None:
        if (r.nodes or 1) != 1:
            raise UsageError(f"this_machine has 1 node; --nodes {r.nodes} does not fit")
        return Layout(None, 1, r.ranks)
    return plan.check_layout(on, r.nodes or 1, r.ranks, r.mapping, real="real" in sources)


def machine_of(r: Request, layout: Layout | None) -> tuple[str, str]:
    """The machine file, and what the times are of."""
    if layout and layout.platform:
        on, nodes = layout.platform, layout.nodes
        return machine_file(on, nodes, r.ranks, r.mapping), f"model of {on.name}, {nodes} node{'s' * (nodes != 1)}"
    where = f"{trace.TELEPHONE}, α = {format_time(trace.ALPHA_S)}, 1/β = 1 GB/s"
    if r.nodes:
        where += f", within a node {format_time(trace.NEAR_ALPHA_S)}, 4 GB/s"
    return trace.telephone(r.ranks, r.nodes), where


# ---- the page ---------------------------------------------------------------------------------------------


def page(traces: Sequence[Trace]) -> None:
    t = traces[0]
    from rich.markup import escape
    from rich.table import Table

    out = console.out()
    known = registry.load()
    algorithm = known.algorithm(t.chose or t.key)
    about = header.of_key(algorithm.key) if algorithm else None
    out.print(f"[bold]{escape(t.key)}[/bold]" + (f" chose [bold]{escape(t.chose)}[/bold]" if t.chose else ""))
    if algorithm:
        facts = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        facts.add_column(style="dim", no_wrap=True)
        facts.add_column()
        for name, text in (
            about.fields.items() if about else [("Idea", algorithm.summary), ("Source", algorithm.source)]
        ):
            facts.add_row(name, escape(text))
        for p in algorithm.params:
            kind = " | ".join(p.words) if p.words else f"{p.min} … {p.max}"
            facts.add_row(p.name, escape(f"{p.help}: {kind}, {p.text(p.default)} unless given"))
        facts.add_row("Twin", escape(twin_words(algorithm)))
        for condition, runs in instead_words(algorithm):
            facts.add_row("", escape(f"{condition}: told {twin_number(algorithm)}, it runs {runs}"))
        out.print(facts)
        if about and about.picture:
            out.print()
            for line in narrowed(about.picture, out.width - 4):
                out.print(f"    {line}", markup=False, style="cyan", no_wrap=True, overflow="ellipsis")
    out.print()
    nodes = f" on {len(set(t.nodes))} nodes" if t.nodes else ""
    root = f", root {t.root}" if known.collective(t.collective).has_root else ""
    size = f", a vector of {format_size(t.vector_bytes)}" if t.vector_bytes else ""
    total = sum(m.bytes for m in t.messages)
    out.print(f"[bold]{t.ranks} ranks{nodes}{root}{size}[/bold]: {len(t.messages)} messages, {format_size(total)} sent, "
              f"{t.rounds} rounds")  # fmt: skip
    if t.transfers:
        moved = format_size(sum(m.bytes for m in t.transfers))
        out.print(f"{len(t.transfers)} transfers through shared memory of the nodes, {moved}")
    said = Table.grid(padding=(0, 2, 0, 0))
    said.add_column(style="bold", no_wrap=True)
    said.add_column(no_wrap=True)
    said.add_column()
    for row in times(traces):
        said.add_row(*map(escape, row))
    out.print(said)
    if t.arrows:
        out.print(rounds_table(traces, out.width))


def narrowed(lines: Sequence[str], width: int) -> list[str]:
    """A picture in characters, with less blank between its columns where it is wider than that."""
    wide = max(map(len, lines))
    padded = [line.ljust(wide) for line in lines]
    while wide > width:
        blank = [all(line[i] == " " for line in padded) for i in range(wide)]
        gaps = [(len(m[0]), m.start()) for m in re.finditer("1+", "".join(str(int(b)) for b in blank))]
        size, at = max(gaps, default=(0, 0))
        if size <= 2:
            break
        padded = [line[:at] + line[at + 1 :] for line in padded]
        wide -= 1
    return [line.rstrip() for line in padded]


def twin_words(a: registry.Algorithm) -> str:
    if not a.twin:
        return "none"
    from collscope.twins import records as twin_records

    return f"{a.twin['library']}: {a.twin['collective']} {a.twin['number']}; {twin_records.status(a.key)}"


def twin_number(a: registry.Algorithm) -> int:
    return int(a.twin["number"]) if a.twin else 0


def instead_words(a: registry.Algorithm) -> list[tuple[str, str]]:
    """Where the twin of this algorithm runs something else, and what."""
    from collscope.twins import records as twin_records

    rows = twin_records.instead(a.key)
    versions = {versions for _, _, versions in rows}
    return [(condition, f"{runs} ({seen})" if len(versions) > 1 else runs) for condition, runs, seen in rows]


def times(traces: Sequence[Trace]) -> list[tuple[str, str, str]]:
    """Source, time, and what it is of: a line for each, and remarks under it."""
    made: list[tuple[str, str, str]] = []
    first = traces[0]
    for t in traces:
        text = format_time(t.time_s)
        if t is not first and first.time_s > 0:
            text += f" = {format_ratio(t.time_s / first.time_s)} × {first.source}"
        made.append((t.source, text, t.where))
        if t.source == "model" and t.cost_s is not None:
            words = "in the telephone model"
            if t.where.startswith(trace.TELEPHONE):
                words = "and is exact" * t.exact
            made.append(("", "", f"cost() says {format_time(t.cost_s)}" + f" {words}" * bool(words)))
        if t.backwards:
            n = f"{t.backwards} message{'s' * (t.backwards != 1)}"
            made.append(("", "", f"{n} came before they were sent, by clocks that agree within {format_time(t.clock_error_s)}; "
                         "drawn as noted, nothing was shifted"))  # fmt: skip
    return made


def rounds_table(traces: Sequence[Trace], width: int = 120) -> object:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    t = traces[0]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    done = ["done at"] if len(traces) == 1 else [f"done: {x.source}" for x in traces]
    largest = len(traces) == 1 or width >= 100  # a narrow terminal has no room for all
    for name in ("round", "messages", "bytes", *["largest"] * largest, *done):
        table.add_column(
            name,
            justify="right",
            no_wrap=True,
            min_width=max(len(name), 9 if name in done else 7 if name != "round" else 5),
        )
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
        list_ = by_round[k]
        r, g, b = (round(255 * v) for v in round_colour(k, t.rounds))
        table.add_row(
            Text(f"■ {k}", style=f"rgb({r},{g},{b})"),
            str(len(list_)),
            format_size(sum(m.bytes for m in list_)),
            *[format_size(max(m.bytes for m in list_))] * largest,
            *(format_time(max(m.end_s for m in x.arrows if m.round == k), aligned=True) for x in traces),
            shortened(who(list_, t.ranks), room),
        )
    return table


def shortened(text: str, room: int) -> str:
    """Whole pairs only, as many as there is room for."""
    return text if len(text) <= room else text[: max(room - 2, 0)].rpartition("  ")[0] + "  …"


def who(list_: Sequence[Message], p: int) -> str:
    """Who sends to whom in a round: as a rule where there is one, else the first of them."""
    pairs = sorted({(m.src, m.dst) for m in list_})
    steps = {(b - a) % p for a, b in pairs}
    if len(pairs) == p > 2 and len(steps) == 1:
        d = steps.pop()
        return f"every rank r → r{f'+{d}' if d <= p // 2 else f'-{p - d}'}"
    flips = {a ^ b for a, b in pairs}
    if len(pairs) > 3 and len(flips) == 1 and all((b, a) in set(pairs) for a, b in pairs):
        return f"{'every rank' if len(pairs) == p else f'{len(pairs)} ranks'} r ↔ r xor {flips.pop()}"
    done: list[str] = []
    for a, b in pairs:
        if (b, a) in pairs:
            if a < b:
                done.append(f"{a}↔{b}")
        else:
            done.append(f"{a}→{b}")
    text = "  ".join(done[:10])
    return text + (f"  … {len(done) - 10} more" if len(done) > 10 else "")


# ---- pictures ---------------------------------------------------------------------------------------------


def draw(traces: Sequence[Trace], kinds: Sequence[str], out: str | None) -> list[Path]:
    """Writes the pictures: SVG and PNG of each into a folder, or one of them into a file."""
    from collscope.figures import files

    single = out is not None and Path(out).suffix.lower() in FORMATS
    written = []
    for kind in kinds:
        fig = pictures.draw(traces, kind)
        if fig is None:
            console.note(f"the {kind} of {traces[0].key} at this size would take too much memory; try fewer --bytes")
            continue
        both = [folder_of(out) / f"{stem_of(traces)}-{kind}{ending}" for ending in (".svg", ".png")]
        targets = [Path(str(out))] if single else both
        for path in targets:
            written.append(files.save(fig, path))
    return written


def folder_of(out: str | None) -> Path:
    return Path(out) if out else paths.RESULTS / "show" / "fresh"


def stem_of(traces: Sequence[Trace]) -> str:
    """bcast/knomial[k=4,s=0] on 16 ranks → bcast-knomial-k4-s0-p16, with -sim and the like when it is not the model"""
    t = traces[0]
    sources = "-".join(x.source for x in traces)
    name = re.sub(r"[^A-Za-z0-9_]+", "-", t.key.replace("=", "")).strip("-")
    nodes = f"-n{len(set(t.nodes))}" if t.nodes else ""
    root = f"-r{t.root}" if t.root else ""
    return f"{name}-p{t.ranks}{nodes}{root}" + (f"-{sources}" if sources != "model" else "")


def animation_path(traces: Sequence[Trace], out: str | None) -> Path:
    if out and Path(out).suffix.lower() in FORMATS:
        return Path(out).with_suffix(".gif")
    return folder_of(out) / f"{stem_of(traces)}.gif"


# ---- the command ------------------------------------------------------------------------------------------


@click.command("show", epilog="""
\b
Examples:
  ./collscope show bcast/binomial --ranks 16
  ./collscope show "bcast/knomial[k=4]" --ranks 16 --kind graph,gantt --out pictures
  ./collscope show allreduce/ring --ranks 32 --on schooner --nodes 4 --bytes 1MiB
  ./collscope show scatter/mst --ranks 8 --kind graph --out scatter.svg --animate
  ./collscope show bcast/binomial --ranks 16 --on schooner --nodes 2 --mapping cyclic --source model,sim --kind gantt
  ./collscope show allreduce/ring --ranks 2 --on this_machine --source real
""")  # fmt: skip
@click.argument("algo", metavar="ALGO")
@click.option("--ranks", type=click.IntRange(min=1), default=8, show_default=True, help="Number of ranks.")
@requests.ROOT
@click.option("--bytes", "sizes", metavar="SIZE", help="Size of the vector (default: blocks of 1 KiB).")
@requests.TYPE
@requests.IN_PLACE
@click.option("-c", "--collective", metavar="COLLECTIVE", help="For decisions, and for keys without their first part.")
@click.option("--on", "platform", metavar="PLATFORM", help="Name or XML of a platform (default: telephone network).")
@click.option("--source", default="model", show_default=True, metavar="S[,S…]",
    help="Where the times are from: of model, sim, real. Gantt charts of several stand under each other.")  # fmt: skip
@click.option("--repetitions", type=click.IntRange(min=1), default=None, help="Timed calls of a real run (10).")
@click.option("--nodes", type=click.IntRange(min=1), default=None, help="Nodes that the ranks sit on.")
@click.option("--mapping", default="block", show_default=True, metavar="M", help="With --on: block, cyclic or fill.")
@click.option(
    "--kind", "kinds", default="all", show_default=True, metavar="K[,K…]", help="graph, gantt, table, matrix."
)
@click.option("--out", metavar="DIR|FILE", help="Where pictures go (default: results/show/fresh/).")
@click.option("--animate", is_flag=True, help="Also messages on their way: an animated GIF, and an SVG.")
@click.option("--no-pictures", is_flag=True, help="The page in the terminal only.")
def command(**options: Any) -> None:
    """One algorithm on one page, and drawn: who sends to whom, when, what lies where, how much."""
    sys.exit(run(Request(**options)))
