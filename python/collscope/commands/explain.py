"""The `explain` command: what the time of an algorithm is spent on, and why another one beats it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import click

from collscope.base import console, documents, progress
from collscope.base.errors import UsageError, UserError
from collscope.base.grid import KEY, WORDS, Column, Grid
from collscope.base.units import counted, format_size, format_time
from collscope.commands import calls, one_call, origin, requests
from collscope.commands.groups import Sectioned
from collscope.commands.one_call import OneCall
from collscope.points import arrival, distribution
from collscope.points.plan import Layout, Point
from collscope.schedules import critical_path, explain, explain_draws
from collscope.schedules.critical_path import PARTS, CriticalPath
from collscope.schedules.explain import Crossing
from collscope.sources.assumptions import Judged, Unchecked

CANNOT = (
    "A run that is observed tells when messages were posted and when they were there: latency, bandwidth and waiting for a link cannot "
    "be told apart, nor which link was busy. --source model says that."
)

READABLE = 16  # characters of a line that words can be read in


@dataclass(frozen=True, kw_only=True)
class Request(OneCall):
    """The options of the command, as they were typed: those of `show`, with one or two algorithms."""

    algorithms: tuple[str, ...]
    plot_path: str | None = None
    no_crossings: bool = False
    as_json: bool = False


def run(r: Request) -> int:
    """Prints the explanation, draws it, and returns the exit status."""
    if not 1 <= len(r.algorithms) <= 2:
        raise UsageError("explain takes one algorithm, or two that are compared")
    if r.plot_path is not None:
        requests.check_file("--plot", r.plot_path, requests.FIGURES)
    if r.source not in one_call.SOURCES:
        raise UsageError(f"--source {r.source}: choose one of {', '.join(one_call.SOURCES)}")
    both = [replace(r, algo=key) for key in r.algorithms]
    points = [one_call.make_point(call) for call in both]
    if points[0].skew != arrival.NONE and r.source != "model":
        raise UsageError(
            f"--skew with --source {r.source}: explain knows it in the model; run --skew has it in every source"
        )
    if len({p.collective for p in points}) > 1:
        raise UsageError(f"{points[0].algorithm} and {points[1].algorithm} are of two collectives; take two of one")
    layout = one_call.make_layout(r, [r.source])
    for call, point in zip(both, points, strict=True):
        if fault := one_call.fault(call):
            raise UserError(f"{point.algorithm}: a wrong algorithm is not explained; the proof fails: {fault}")
    paths = _paths(both, points, layout)
    drawn = explain_draws.drawn(paths, points, layout)
    if not r.as_json:
        _show(paths, points, layout, drawn)
    found = None
    timed = len(paths) == 2 and any(p.time_s for p in paths)
    if timed and not r.no_crossings and r.source == "model" and layout and layout.platform:
        found = _crossings(r.platform or "", layout, points)
    if r.as_json:
        documents.show("explain", _document(paths, points, layout, found, drawn))
    elif found is not None:
        _show_crossings(found, paths)
    if r.plot_path is not None:
        _draw(r, paths, points[0], layout)
    return 0


def _paths(both: Sequence[OneCall], points: Sequence[Point], layout: Layout | None) -> list[CriticalPath]:
    first = both[0]
    if first.source == "model":
        machine, _ = one_call.machine_of(first, layout)
        return critical_path.modelled(points, first.ranks, machine, first.point_timeout)
    return [critical_path.observed(one_call.make_traces(call)[0]) for call in both]


def _where(point: Point, layout: Layout | None, ranks: int) -> str:
    place = f"{counted(layout.nodes, 'node')} of {layout.platform_name}" if layout else "the telephone network"
    if layout and layout.mapping != "block":
        place += f", {layout.mapping}"
    size = f" of {format_size(point.bytes(ranks), 3)}" if point.count else ""
    skew = f", skew {point.skew}" if point.skew != arrival.NONE else ""
    counts = f", counts {point.counts}" if point.counts != distribution.UNIFORM else ""
    return f"{point.collective}{size}{counts}, {counted(ranks, 'rank')} on {place}{skew}"


def _show(
    paths: Sequence[CriticalPath], points: Sequence[Point], layout: Layout | None, drawn: Judged | Unchecked | None
) -> None:
    point = points[0]

    def short(p: CriticalPath) -> str:
        return p.key.removeprefix(f"{point.collective}/")

    grid = Grid(
        [Column("part", pieces=WORDS, readable=READABLE), *(Column(short(p), pieces=KEY, right=True) for p in paths)],
        title=f"Critical path: {_where(point, layout, paths[0].ranks)}",
    )
    for part, name in PARTS.items():
        if any(part in p.parts for p in paths):
            grid.add(name, *(_share(p.parts.get(part, 0.0), p.time_s) for p in paths))
    grid.add("time", *(format_time(p.time_s, aligned=True) for p in paths), ruled=True)
    if isinstance(drawn, Judged):
        bands = (drawn.bands[p.algorithm] for p in points)
        grid.add("time in 8 of 10 draws", *(" … ".join(map(format_time, band)) for band in bands))
    grid.show()
    for text in [*explain.sentences(paths), *explain_draws.sentences(drawn, points)]:
        console.say(text)
    links = [link for p in paths for link in p.links if link.wait_s > 0.01 * p.time_s]
    if links:
        table = Grid([Column("link"), Column("of", pieces=KEY), Column("busy", right=True), Column("path waits", right=True)],
                     title="Shared links that the critical path waits for")  # fmt: skip
        for p in paths:
            for link in sorted((x for x in p.links if x in links), key=lambda x: -x.wait_s)[:5]:
                table.add(link.name, short(p), f"{link.busy_s / p.time_s:.0%}", format_time(link.wait_s, aligned=True))
        table.show()
    if any(p.source != "model" for p in paths):
        console.say(CANNOT)


def _document(
    paths: Sequence[CriticalPath],
    points: Sequence[Point],
    layout: Layout | None,
    crossings: Sequence[Crossing] | None,
    drawn: Judged | Unchecked | None,
) -> dict[str, Any]:
    """The answer for programs (docs/json.md)."""
    point = points[0]
    ranks, place = paths[0].ranks, layout.cells() if layout else dict.fromkeys(("platform", "nodes", "mapping"))
    return {
        **{name: place[name] for name in ("platform", "nodes", "mapping")},
        "ranks": ranks,
        "collective": point.collective,
        "bytes": point.bytes(ranks),
        "root": point.root,
        "paths": [_path(p) for p in paths],
        "fastest": min(paths, key=lambda p: p.time_s).key,
        "crossings": None
        if crossings is None
        else [{"quantity": c.what, "ratio": c.factor, "text": c.text} for c in crossings],
        "draws": explain_draws.document(drawn, points),
        "sentences": [*explain.sentences(paths), *explain_draws.sentences(drawn, points)],
    }


def _path(p: CriticalPath) -> dict[str, Any]:
    names = ("part", "rank", "other", "bytes", "begin_s", "end_s")
    return {
        "algorithm": p.key,
        "chose": p.chose or None,
        "source": p.source,
        "time_s": p.time_s,
        "messages": p.messages,
        "rendezvous_s": p.rendezvous_s,
        "parts_s": p.parts,
        "links": [asdict(link) for link in p.links],
        "segments": [
            {**{n: getattr(s, n) for n in names}, "link": s.link.name if s.link else None} for s in p.segments
        ],
    }


def _share(seconds: float, whole: float) -> str:
    return f"{format_time(seconds, aligned=True)} {seconds / whole:4.0%}" if seconds else "0"


def _crossings(platform: str, layout: Layout, points: Sequence[Point]) -> list[Crossing]:
    case = explain.case_of(platform, layout, points)
    with progress.progress("crossings", 4, "leave them out with --no-crossings") as bar:
        return explain.crossings(case, lambda what: bar.now(0, what))


def _show_crossings(found: Sequence[Crossing], paths: Sequence[CriticalPath]) -> None:
    loser = max(paths, key=lambda p: p.time_s).key
    grid = Grid(
        [
            Column("quantity", pieces=WORDS, readable=READABLE),
            Column("it wins at", pieces=WORDS),
            Column("× now", right=True),
        ],
        title=f"What would have to change for {loser} to win",
    )
    for c in found:
        grid.add(c.what, *(("nowhere from " + c.text, "") if c.factor is None else (c.text, f"{c.factor:.3g}")))
    grid.show()


def _draw(r: Request, paths: Sequence[CriticalPath], point: Point, layout: Layout | None) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from collscope.figures import files
    from collscope.figures.explain import explain_figure

    on = layout.platform if layout else None
    assert r.plot_path
    figure = explain_figure(paths, f"{_where(point, layout, paths[0].ranks)} ({paths[0].source})")
    files.save(figure, r.plot_path, origin.of_sources([r.source], on))
    console.note(f"written: {r.plot_path}")


SECTIONS = {
    "What to call": "collective sizes type_name root in_place counts skew",
    "Where": "platform without nodes ranks mapping",
    "How to time": "source repetitions point_timeout",
    "Output": "no_crossings plot_path",
}


@click.command("explain", short_help="Explain what an algorithm's time is spent on.", cls=Sectioned, sections=SECTIONS, epilog="""
\b
Examples:
  Why does the ring beat recursive doubling for 1 MiB?
  ./collscope explain allreduce/ring allreduce/recursive_doubling \\
    --on schooner --nodes 4 --ranks 64 --bytes 1MiB --plot why.svg
  What a broadcast's time is spent on, in a simulation:
  ./collscope explain bcast/binomial --on schooner --ranks 32 \\
    --bytes 64KiB --source sim
""")  # fmt: skip
@click.argument("algorithms", nargs=-1, required=True, metavar="ALGO [ALGO]")
@calls.options("platform", "without", "nodes", "ranks", "mapping", "sizes", "root", "type_name", "in_place", "counts")
@calls.options("skew", "collective")
@calls.options(
    "source", "repetitions", "point_timeout",
    source={"help": "Source of times: model, sim or real. Runs show less than the model: see docs/explain.md."},
)  # fmt: skip
@click.option("--no-crossings", is_flag=True, help="Do not search for what would make the other algorithm win.")
@click.option("--plot", "plot_path", metavar="FILE", help="Write a figure: .svg, .png or .pdf.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the answer as JSON: parts, links and segments of the critical paths (docs/json.md).",
)
def command(without: str | None, platform: str | None, **options: Any) -> None:
    """Explain why an algorithm takes as long as it does, and why another one is faster: the parts of the critical paths, the
    link that limits them, and what would have to change."""
    sys.exit(run(Request(platform=requests.switched(platform, without), **options)))
