"""The `calibrate` command: a model of this machine, or of one whose messages somebody measured, from its messages."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("calibrate")
@click.option(
    "--out",
    metavar="FILE",
    help="Write the specification there (default: platforms/this_machine/spec.toml, platforms/NAME.toml).",
)
@click.option(
    "--from", "files", multiple=True, metavar="FILE",
    help="Do not measure: take times from a table FILE.csv, or from OSU's output, network=FILE; may be repeated.",
)  # fmt: skip
@click.option(
    "--contention",
    metavar="FILE",
    help="With --from: senders' gaps from a table of flat trees inside one class of link.",
)
@click.option("--name", metavar="NAME", help="With --from: the machine's name.")
@click.option("--where", multiple=True, metavar="COLUMN=VALUE", help="With --from: only these rows of a table.")
@click.option(
    "--class", "classes", multiple=True, metavar="WORD=CLASS", help="With --from: what class a table's word means."
)
@click.option(
    "--shape",
    metavar="KEY=N,…",
    help="With --from, for a new machine: nodes=4,sockets=2,cores_per_socket=16[,cores_per_cache=4].",
)
@click.option(
    "--jumps", multiple=True, metavar="CLASS=SIZES",
    help="With --from: sizes from which a protocol takes over, where they are known, network=8KiB; within=… for all classes of a node.",
)  # fmt: skip
def command(
    out: str | None,
    files: tuple[str, ...],
    contention: str | None,
    name: str | None,
    where: tuple[str, ...],
    classes: tuple[str, ...],
    shape: str | None,
    jumps: tuple[str, ...],
) -> None:
    """Measure this machine's messages, or read them from files, and write its specification from them."""
    from collscope.base import paths
    from collscope.base.errors import UsageError
    from collscope.calibration import calibrate

    if out and not out.endswith(".toml"):
        raise UsageError(f"--out {out}: a specification's name ends in .toml")
    target = Path(out) if out else None
    if files:
        from collscope.calibration import contention as flat_trees
        from collscope.calibration import published, tables

        if not name or not published.NAME.fullmatch(name):
            raise UsageError("--from needs the machine's --name: a word of up to 60 letters, digits, _ . and -")
        known, new = published.parse_jumps(jumps), published.parse_shape(shape) if shape else None
        measured = tables.read(files, published.pairs("--where", where), published.pairs("--class", classes))
        trees = flat_trees.read(contention) if contention else None
        path, fitted = published.calibrate(name, measured, target, new, known, trees)
        lines, asked = published.describe(fitted), out or name
    else:
        given = {
            "--contention": contention,
            "--name": name,
            "--where": where,
            "--class": classes,
            "--shape": shape,
            "--jumps": jumps,
        }
        if alone := next((option for option, value in given.items() if value), None):
            raise UsageError(f"{alone} goes with --from FILE; without it this machine is measured")
        made = calibrate.calibrate(target=target)
        lines, path, asked = calibrate.describe(made), made.path, out or "this_machine"
    for line in lines:
        click.echo(line)
    click.echo(f"written: {paths.display(path)}; simulate it with --on {asked}")
