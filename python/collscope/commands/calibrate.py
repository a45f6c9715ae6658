"""The `calibrate` command: a model of this machine, or of one whose messages somebody measured, from its messages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collscope.base import paths
from collscope.base.errors import UsageError
from collscope.base.files import write_atomically
from collscope.commands import requests
from collscope.commands.groups import Sectioned

if TYPE_CHECKING:
    from collscope.calibration.calibrate import Calibration


EXAMPLES = """
\b
Examples:
  ./collscope calibrate
  ./collscope calibrate --name mine --hosts node01,node02
  ./collscope calibrate --name mine --launcher slurm --nodes 4
  ./collscope calibrate --name mine --from network=osu_latency.txt \\
    --shape nodes=4,sockets=2,cores_per_socket=16
"""


SECTIONS = {
    "A cluster": "launcher hosts nodes ranks_per_node",
    "From files, without measuring": "files contention where classes shape jumps",
    "Output": "name out quick",
}


@click.command(
    "calibrate",
    short_help="Measure a machine's messages, and write its specification.",
    cls=Sectioned,
    sections=SECTIONS,
    epilog=EXAMPLES,
)
@click.option(
    "--out",
    metavar="FILE",
    help="Write the specification there (default: platforms/this_machine/spec.toml, platforms/own/NAME/spec.toml; with --from "
    "platforms/own/NAME.toml; where the tree cannot be written to, in ~/.cache/collscope/platforms).",
)
@click.option(
    "--from", "files", multiple=True, metavar="FILE",
    help="Do not measure: take times from a table FILE.csv, or from what osu_latency, osu_bw, osu_bibw, osu_mbw_mr or osu_multi_lat "
    "printed, network=FILE (network:4=FILE: of four pairs); may be repeated.",
)  # fmt: skip
@click.option(
    "--contention",
    metavar="FILE",
    help="Senders' gaps, from a table of flat trees within one class of link.",
)
@click.option("--name", metavar="NAME", help="Name of the machine: for a cluster, or with --from.")
@requests.launched
@click.option(
    "--nodes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of nodes (default: all that are named, at most 8).",
)
@click.option(
    "--ranks-per-node",
    type=click.IntRange(min=1),
    metavar="K",
    help="Ranks on each node (default: one per core; on a test bed one).",
)
@click.option("--quick", is_flag=True, help="One pair per class, fewer sizes, samples and launches.")
@click.option("--where", multiple=True, metavar="COLUMN=VALUE", help="Only these rows of a table.")
@click.option(
    "--class",
    "classes",
    multiple=True,
    metavar="WORD=CLASS",
    help="Which class a word of the table means.",
)
@click.option(
    "--shape",
    metavar="KEY=N,…",
    help="For a new machine: nodes, sockets, cores_per_socket and, if there are shared caches, cores_per_cache.",
)
@click.option(
    "--jumps", multiple=True, metavar="CLASS=SIZES",
    help="Known sizes at which a protocol begins, network=8KiB; within=… for all classes within a node.",
)  # fmt: skip
def command(
    out: str | None,
    files: tuple[str, ...],
    contention: str | None,
    name: str | None,
    launcher: str | None,
    hosts: str | None,
    nodes: int | None,
    ranks_per_node: int | None,
    quick: bool,
    where: tuple[str, ...],
    classes: tuple[str, ...],
    shape: str | None,
    jumps: tuple[str, ...],
) -> None:
    """Measure the messages of this machine or of a cluster, or read them from files, and write the specification that follows.

    A cluster needs --name, and --hosts, --launcher or an allocation with --nodes."""

    from collscope.machines import find

    if out and not out.endswith(".toml"):
        raise UsageError(f"--out {out}: a specification's name ends in .toml")
    target = Path(out) if out else None
    cluster = {"--hosts": hosts, "--launcher": launcher, "--nodes": nodes, "--ranks-per-node": ranks_per_node}
    of_files = {"--contention": contention, "--where": where, "--class": classes, "--shape": shape, "--jumps": jumps}
    on_cluster, of_file = (
        next((option for option, value in options.items() if value), None) for options in (cluster, of_files)
    )
    if files:
        if measuring := on_cluster or ("--quick" if quick else None):
            raise UsageError(f"{measuring} is for measuring, and --from takes times from files; leave one out")
        from collscope.calibration import contention as flat_trees
        from collscope.calibration import published, report, tables

        name = _checked(name, "--from needs the machine's")
        known, new = published.parse_jumps(jumps), published.parse_shape(shape) if shape else None
        measured = tables.read(files, published.pairs("--where", where), published.pairs("--class", classes))
        trees = flat_trees.read(contention) if contention else None
        path, fitted = published.calibrate(name, measured, target, new, known, trees)
        lines = report.describe_published(fitted)
    else:
        from collscope.calibration import calibrate, report
        from collscope.sources.launcher import launcher_of

        if on_cluster:
            name = _checked(name, f"{on_cluster} needs the cluster's")
            if name in (find.HERE, "ideal"):
                raise UsageError(f"--name {name}: is taken; give the cluster another name")
            if of_file:
                raise UsageError(f"{of_file} goes with --from FILE; a cluster is measured")
            made = calibrate.calibrate(name, launcher_of(launcher, hosts), nodes, ranks_per_node, target, quick)
            write_page(made, name)
        else:
            if of_file:
                raise UsageError(f"{of_file} goes with --from FILE; without it this machine is measured")
            if name is not None:
                raise UsageError(
                    "--name goes with --from FILE, --hosts, --launcher or --nodes; without these this machine is measured"
                )
            made = calibrate.calibrate(target=target, quick=quick)
        path, lines = made.path, report.describe(made)
    for line in lines:
        click.echo(line)
    click.echo(f"written: {paths.display(path)}; simulate it with --on {out or name or find.HERE}")


def _checked(name: str | None, what: str) -> str:
    from collscope.calibration.published import NAME

    if not name or not NAME.fullmatch(name):
        raise UsageError(f"{what} --name: a word of up to 60 letters, digits, _ . and -")
    return name


def write_page(made: Calibration, name: str) -> None:
    """Page, picture and all measurements, beside the specification."""
    import matplotlib as mpl

    mpl.use("Agg")
    from collscope.calibration.report import page
    from collscope.calibration.samples import csv_text
    from collscope.figures import files
    from collscope.figures.calibration import calibration_figure

    before = "" if made.path.name == "spec.toml" else f"{made.path.stem}_"
    text, picture, data = (made.path.with_name(f"{before}calibration.{kind}") for kind in ("md", "png", "csv"))
    curves = {lv: ([(p.bytes, p.seconds) for p in c.points], c.pieces) for lv, c in made.estimates.curves.items()}
    files.save(calibration_figure(curves, f"{name}, point to point"), str(picture), {})
    write_atomically(data, csv_text(made.samples))
    write_atomically(text, page(made, name, picture.name, data.name))
