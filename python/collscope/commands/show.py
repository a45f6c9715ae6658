"""The `show` command: one algorithm on one page of the terminal, and its pictures."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from collscope.base import console, folders, paths
from collscope.base.errors import UsageError, UserError, unknown
from collscope.base.units import format_size
from collscope.commands import calls, one_call, origin, requests, schedule_file, show_page
from collscope.commands.groups import Sectioned
from collscope.commands.one_call import OneCall, make_traces, read_sources
from collscope.figures.schedule import kinds as pictures
from collscope.figures.schedule.kinds import KINDS
from collscope.schedules.exports import write as export
from collscope.schedules.trace import Trace

FORMATS = (".svg", ".png", ".pdf")
ENDING = re.compile(r"\.[a-z][a-z0-9]{0,9}", re.IGNORECASE)  # of a name that is not a folder's
LARGE = 2 << 20  # bytes of a picture that is not opened without thinking


@dataclass(frozen=True, kw_only=True)
class Request(OneCall):
    """What `show` is asked for: its options, as the help says them."""

    kinds: str = "all"
    out: str | None = None
    animate: bool = False
    no_pictures: bool = False
    schedule: str | None = None


def run(r: Request) -> int:
    """Prints the page, draws, and returns the exit status."""
    kinds = read_kinds(r.kinds)
    if r.out is not None and not r.no_pictures:
        check_out(r.out, kinds)
    if r.out and export.ending_of(r.out) and len(read_sources(r.source)) > 1:
        raise UsageError(f"--out {r.out} holds the times of one source, not of {r.source}; choose one with --source")
    traces, fault = read_traces(r)
    show_page.show(traces)
    if fault:
        console.complain(f"{traces[0].key} is wrong, and so are its times; the proof fails: {fault}")
    if r.no_pictures:
        return int(bool(fault))
    if r.out and export.ending_of(r.out):
        print(f"\nwritten: {paths.display(export.write(traces[0], Path(r.out)))}")
        if not r.platform and export.ending_of(r.out) == ".goal":
            console.note(f"{r.out}: calculations take their time on the {traces[0].where}; choose a machine with --on")
        return int(bool(fault))
    sources = read_sources(r.source)
    on = requests.load_platform(r.platform, sources) if r.platform else None
    written = draw(traces, kinds, r.out, origin.of_sources(sources, on))
    if r.animate:
        from collscope.figures import files
        from collscope.figures.schedule import animation

        path = animation_path(traces, r.out)
        written.append(files.write(animation.gif(traces[0]), path))
        written.append(files.write(animation.svg(traces[0]), path.with_suffix(".animated.svg")))
    list_pictures(written, traces[0].ranks)
    return int(bool(fault))


def read_traces(r: Request) -> tuple[list[Trace], str]:
    """One trace for each source, and why the proof fails ("": it does not). UserError: it fails, and there is nothing to show."""
    if r.schedule:
        made, fault = schedule_file.trace(r.schedule, r)
        return [made], fault
    try:
        return make_traces(r), one_call.fault(r)
    except UsageError:
        raise
    except UserError as error:
        if fault := one_call.fault(r):
            raise UserError(f"{r.algo} is wrong, and there is nothing to show; the proof fails: {fault}") from error
        raise


def list_pictures(written: Sequence[Path], ranks: int) -> None:
    """Names the files; of large ones also their size, and what to do about it."""
    if not written:
        return
    print("\npictures")
    sizes = {path: path.stat().st_size for path in written}
    for path, size in sizes.items():
        print(f"  {paths.display(path)}" + (f"   {format_size(size, 2)}" if size > LARGE else ""))
    large = [path for path, size in sizes.items() if size > LARGE]
    if large:
        remedies = ["fewer --ranks" if ranks > 8 else "fewer --bytes", "--kind for some of them", "--no-pictures"]
        if any(path.suffix == ".svg" for path in large):
            remedies.insert(0, "the PNG of the same name" if len(written) > 1 else "--out NAME.png")
        console.note(
            f"more than {format_size(LARGE)} are slow to open: take {', '.join(remedies[:-1])} or {remedies[-1]}"
        )


def read_kinds(text: str) -> list[str]:
    """Kinds of pictures of "graph,gantt" or "all", each once; a UsageError names what there is."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if "all" in names or not names:
        return list(KINDS)
    for name in names:
        if name not in KINDS:
            raise unknown("kind of picture", name, [*KINDS, "all"])
    return list(dict.fromkeys(names))


def check_out(out: str, kinds: Sequence[str]) -> None:
    """Finds out before the work, not after it, that pictures cannot be written there."""
    if not out:
        raise UsageError("--out needs the name of a file or folder")
    ending = Path(out).suffix.lower()
    if export.ending_of(out):
        requests.check_file("--out", out)
        return
    if ending in FORMATS:
        if len(kinds) > 1:
            words = f"say which picture with --kind {'|'.join(KINDS)}, or name a folder"
            raise UsageError(f"--out {out} is one file; {words}")
        requests.check_file("--out", out)
    elif ENDING.fullmatch(ending) and not out.endswith("/") and not Path(out).is_dir():
        raise UsageError(
            f"--out {out}: pictures are {', '.join(FORMATS)}, exports {', '.join(export.WRITERS)}; a folder is {out}/"
        )
    else:
        folders.own(out, "pictures", lambda there: folders.only(there, "*.svg", "*.png", "*.gif"))


def draw(
    traces: Sequence[Trace], kinds: Sequence[str], out: str | None, about: Mapping[str, str] | None = None
) -> list[Path]:
    """Writes the pictures: SVG and PNG of each into a folder, or one of them into a file. `about`: as files.render."""
    from collscope.figures import files
    from collscope.schedules.holdings import WrongDataFlow

    single = out is not None and Path(out).suffix.lower() in FORMATS
    written = []
    for kind in kinds:
        try:
            fig = pictures.draw(traces, kind)
        except WrongDataFlow as error:
            console.note(f"no {kind}: {error}")
            continue
        if fig is None:
            console.note(f"no {kind}: {_why_none(traces[0], kind)}")
            continue
        both = [folder_of(out) / f"{stem_of(traces)}-{kind}{ending}" for ending in (".svg", ".png")]
        targets = [Path(str(out))] if single else both
        words = {"Title": f"{kind} of {traces[0].key}, {traces[0].ranks} ranks", **about} if about else None
        for path in targets:
            written.append(files.save(fig, path, words))
    return written


def _why_none(t: Trace, kind: str) -> str:
    """Why a picture is not drawn, and what to do about it."""
    if not t.vector_bytes:
        return f"{t.key} of 0 B moves nothing that a rank could hold"
    return f"the {kind} of {t.key} at this size would take too much memory; try fewer --bytes"


def folder_of(out: str | None) -> Path:
    """Where pictures go: the folder of --out, or that of fresh results."""
    return Path(out) if out else paths.fresh("show")


def stem_of(traces: Sequence[Trace]) -> str:
    """bcast/knomial[k=4,s=0] on 16 ranks → bcast-knomial-k4-s0-p16, with -sim and the like when it is not the model"""
    t = traces[0]
    sources = "-".join(x.source for x in traces)
    name = re.sub(r"[^A-Za-z0-9_]+", "-", t.key.replace("=", "")).strip("-")
    nodes = f"-n{len(set(t.nodes))}" if t.nodes else ""
    root = f"-r{t.root}" if t.root else ""
    return f"{name}-p{t.ranks}{nodes}{root}" + (f"-{sources}" if sources != "model" else "")


def animation_path(traces: Sequence[Trace], out: str | None) -> Path:
    """Where the GIF goes: beside the picture that --out names, or with all others."""
    if out and Path(out).suffix.lower() in FORMATS:
        return Path(out).with_suffix(".gif")
    return folder_of(out) / f"{stem_of(traces)}.gif"


# ---- the command ------------------------------------------------------------------------------------------


SECTIONS = {
    "What to call": "collective schedule sizes type_name root in_place counts",
    "Where": "platform without nodes ranks mapping",
    "How to time": "source repetitions point_timeout",
    "Output": "kinds out animate no_pictures",
}


@click.command("show", short_help="Show one algorithm on one page, and draw it.", cls=Sectioned, sections=SECTIONS, epilog="""
\b
Examples:
  ./collscope show bcast/binomial --ranks 16
  ./collscope show "bcast/knomial[k=4]" --ranks 16 --kind graph,gantt \\
    --out pictures
  ./collscope show allreduce/ring --ranks 32 --on schooner --nodes 4 \\
    --bytes 1MiB
  ./collscope show scatter/mst --ranks 8 --kind graph --animate \\
    --out scatter.svg
  ./collscope show bcast/binomial --on schooner --nodes 2 --mapping cyclic \\
    --source model,sim --kind gantt
  ./collscope show allreduce/ring --ranks 2 --on this_machine --source real
""")  # fmt: skip
@click.argument("algo", metavar="ALGO", required=False)
@schedule_file.OPTION
@calls.options("ranks", "root", "sizes", "type_name", "in_place", "counts", "collective", "platform")
@calls.options(
    "source", "repetitions", "point_timeout", "nodes", "mapping", "without",
    source={"metavar": "S[,S…]", "help": "Sources of times: model, sim, real. Gantt charts of several are stacked."},
)  # fmt: skip
@click.option(
    "--kind", "kinds", default="all", show_default=True, metavar="K[,K…]", help="graph, gantt, table, matrix."
)
@click.option(
    "--out",
    metavar="DIR|FILE",
    help="Write pictures there (default: results/show/fresh/); or the schedule: .schedule, .goal, .xml (MSCCL), .trace.json, .paje, .json.",
)
@click.option("--animate", is_flag=True, help="Also animate the messages: a GIF and an SVG.")
@click.option("--no-pictures", is_flag=True, help="Print the page only.")
def command(without: str | None, platform: str | None, **options: Any) -> None:
    """Show one algorithm on one page, and draw it: who sends what to whom, and when."""
    schedule_file.read_options(options | {}, "algo")
    sys.exit(run(Request(platform=requests.switched(platform, without), **options)))
