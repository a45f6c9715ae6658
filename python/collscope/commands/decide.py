"""The `decide` command: what each decision table takes for one call, and the range of the rule that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from collscope.base import console, documents
from collscope.base.errors import UsageError
from collscope.base.units import parse_ranks, parse_size
from collscope.catalogue import decisions, registry
from collscope.catalogue.decisions import Span
from collscope.commands import calls, decide_draws, decide_table, origin, requests
from collscope.commands.calls import Call
from collscope.points.plan import Layout, Point
from collscope.points.sweep import count_of
from collscope.sources import model

NOT_COMMUTING = "affine"  # the operator of points whose order counts
MAP_BYTES = "16MiB"  # of the whole vector: where a map ends, unless --bytes says


@dataclass(frozen=True, kw_only=True)
class Request(Call):
    """The options of the command, as they were typed."""

    collective: str
    ranks: str
    commutes: bool = True
    decisions: tuple[str, ...] = ()
    as_map: bool = False
    all_ranks: bool = False
    plot: str | None = None
    per_node: int | None = None
    platform: str | None = None
    nodes: int | None = None
    mapping: str = "block"
    as_json: bool = False


def run(request: Request) -> None:
    """Prints what is taken, or draws it."""
    known = registry.load()
    known.collective(request.collective)
    requests.check_root(request.root or 0, [request.collective])
    keys = [
        known.resolve(key if key.startswith("decision/") else f"decision/{key}", request.collective)[1]
        for key in request.decisions
    ]
    if request.per_node is not None and request.per_node < 1:
        raise UsageError(f"--ranks-per-node {request.per_node}: 1 or more")
    if not keys and not any(request.collective in d.collectives for d in known.decisions):
        raise UsageError(f"no decision table knows {request.collective}")
    if request.all_ranks and not (request.as_map or request.plot):
        raise UsageError("--all-ranks is of a map: add --map or --plot FILE")
    numbers = parse_ranks(request.ranks)
    if (request.root or 0) >= min(numbers):
        raise UsageError(f"--root {request.root}: {min(numbers)} ranks have roots 0 … {min(numbers) - 1}")
    if request.platform is None and (request.nodes is not None or request.mapping != "block"):
        raise UsageError("--nodes and --mapping say where ranks sit on a machine: name it with --on")
    if request.platform is not None:
        if request.as_map or request.plot is not None:
            raise UsageError("--on judges one call: leave --map and --plot out")
        if request.per_node is not None:
            raise UsageError("--ranks-per-node follows from --on and --nodes: leave it out")
    if request.plot is not None:
        requests.check_file("--plot", request.plot, requests.FIGURES)
    if request.as_map or request.plot is not None:
        shown = numbers if request.all_ranks else map_ranks(request.ranks)
        if len(shown) < len(numbers):
            console.note(
                f"the map has {len(shown)} of {len(numbers)} numbers of ranks, powers of two; --all-ranks has all"
            )
        show_map(request, shown, keys)
    else:
        show_call(request, numbers, keys)


def map_ranks(text: str) -> list[int]:
    """The numbers of ranks of a map: of a range its ends and the powers of two between them, and what is named by itself."""
    found: set[int] = set()
    for part in text.split(","):
        numbers = parse_ranks(part)
        found |= {p for p in numbers if p in (numbers[0], numbers[-1]) or p & (p - 1) == 0}
    return sorted(found)


def show_map(request: Request, ranks: Sequence[int], keys: Sequence[str]) -> None:
    """What is taken on these numbers of ranks, for all sizes."""
    about = registry.load().collective(request.collective)
    elem = registry.load().type_bytes(request.type_name)
    if request.block_sizes is not None:
        raise UsageError("--map goes over all sizes up to --bytes of the whole vector")
    if request.plot and not about.has_data:
        raise UsageError(f"--plot: a {about.name} has no sizes to draw over; --map says what is taken")
    words = [f"root={request.root or 0}", f"commutes={int(request.commutes)}", f"in_place={int(request.in_place)}"]
    words.append(f"per_node={request.per_node or 0}")
    spans = decisions.spans(about.name, ranks, parse_size(request.sizes or MAP_BYTES), elem, words, keys)
    for name in decisions.divides(about.name, (span.decision for span in spans)):
        console.note(
            f"{name}: the map holds for powers of two; a rule asks what divides the count, so between them "
            "it may take something else"
        )
    if request.as_json:
        about_map = {"collective": about.name, "element_bytes": elem, "spans": [asdict(span) for span in spans]}
        documents.show("decision_map", about_map)
    elif not request.plot:
        decide_table.show_map(about.name, spans, elem, about.counts_blocks)
    if request.plot:
        draw(about.name, spans, elem, request.plot)


def draw(collective: str, spans: Sequence[Span], elem: int, path: str) -> None:
    """Draws a map into a file, whose ending says the format; `elem` are the bytes of an element."""
    from collscope.figures import files
    from collscope.figures.decision_map import decision_map

    files.save(decision_map(collective, spans, elem), path, origin.of_sources(["model"]))
    console.note(f"written: {path}")


def show_call(request: Request, ranks: Sequence[int], keys: Sequence[str]) -> None:
    """What is taken for one call."""
    if len(ranks) != 1:
        raise UsageError(f"--ranks {request.ranks}: one number, or --map")
    elem = registry.load().type_bytes(request.type_name)
    count = call_count(request, ranks[0])
    call = (request.collective, ranks[0], count, elem, request.root or 0, request.commutes, request.in_place)
    layout = layout_of(request, ranks[0])
    per_node = -(-ranks[0] // layout.nodes) if layout else request.per_node or 0
    lines = decisions.ask(*call, keys, per_node)
    if not request.as_json:
        decide_table.show(lines)
    judged = decide_draws.judged(lines, layout, point_of(request, count)) if layout else None
    if request.as_json:
        about = {"collective": request.collective, "ranks": ranks[0], "count": count, "element_bytes": elem}
        drawn = decide_draws.document(lines, layout, judged) if layout and judged else None
        documents.show("decide", {**about, "decisions": lines, "draws": drawn})
    elif layout and judged:
        decide_draws.show(lines, layout, judged)


def layout_of(request: Request, ranks: int) -> Layout | None:
    """Where the ranks sit; None without a machine."""
    if request.platform is None:
        return None
    platform = requests.load_platform(request.platform, [model.SOURCE.name])
    assert platform
    return requests.make_layout(platform, request.nodes, ranks, request.mapping, False)


def point_of(request: Request, count: int) -> Point:
    """The call, of no algorithm yet."""
    op = "sum" if request.commutes else NOT_COMMUTING
    root, in_place = request.root or 0, request.in_place
    return Point(request.collective, "", count, request.type_name, op, root, in_place)


def call_count(request: Request, ranks: int) -> int:
    """The count of MPI's call."""
    if not registry.load().collective(request.collective).has_data:
        return 0
    if (request.sizes is None) == (request.block_sizes is None):
        raise UsageError("give one of --bytes and --block-bytes")
    if request.sizes is not None:
        return count_of(request.collective, parse_size(request.sizes), ranks, request.type_name) or 0
    return count_of(request.collective, parse_size(str(request.block_sizes)), ranks, request.type_name, "block") or 0


@click.command(
    "decide",
    short_help="Print what each decision table selects, and by which rule.",
    epilog="""
\b
Examples:
  ./collscope decide -c bcast --ranks 64 --bytes 4KiB
  ./collscope decide -c reduce --ranks 12 --bytes 1MiB --no-commutes
  ./collscope decide -c gather --ranks 32 --block-bytes 8KiB
  ./collscope decide -c allgather --ranks 64 --block-bytes 8KiB \\
    --decision 'rd_ring[threshold=64KiB]' --decision mpich_4
  ./collscope decide -c bcast --ranks 64 --bytes 64KiB --on mine.toml
  ./collscope decide -c bcast --ranks 2..64 --map --plot bcast.png
  ./collscope decide -c bcast --ranks 2..64 --map --all-ranks \\
    --decision ompi_4_1
""",
)
@calls.options("collective", collective={"required": True, "help": "bcast, reduce, …"})
@click.option("--ranks", required=True, metavar="P", help="Number of ranks; with --map several, as in 2..64 or 4,8,16.")
@calls.options(
    "sizes", "block_sizes", "type_name", "root", sizes={"help": "Bytes of the whole vector."}, root={"help": "Root rank (default: 0)."}
)  # fmt: skip
@click.option("--op-commutes/--no-commutes", "commutes", default=True, help="Whether the operator commutes.")
@calls.options("in_place")
@calls.options(
    "platform", "without", "nodes", "mapping",
    platform={"help": "Judge the choices on this platform, over draws of what is not known of it: a name, or a file."},
)  # fmt: skip
@click.option(
    "--ranks-per-node",
    "per_node",
    type=int,
    metavar="N",
    help="Ranks on each node, for rules that ask (default: nodes of 3, 5 and 4).",
)
@click.option(
    "--decision",
    "decisions",
    multiple=True,
    metavar="KEY",
    help="Only this decision, file:PATH of a file; may be repeated.",
)
@click.option(
    "--map", "as_map", is_flag=True, help="Map of the selection over ranks and sizes, up to --bytes (16 MiB)."
)
@click.option(
    "--all-ranks", is_flag=True, help="With --map: every number of a range, not only its ends and powers of two."
)
@click.option("--plot", metavar="FILE", help="With --map: write it as a figure: .svg, .png or .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Everything, as JSON.")
def command(without: str | None, platform: str | None, **options: Any) -> None:
    """Print which algorithm each decision table selects for a call, and by which rule; with --map, for all calls.

    With --on also how good that is on a machine: over draws of what is not known of it, how often it is the fastest and what it loses.

    A rule's sizes are in the unit that the library compares: the call's count × size, a block, or all blocks."""
    run(Request(platform=requests.switched(platform, without), **options))
