"""What several commands share: options, and checks of a request before the work: that its files can be written, its platform loaded, its
machine measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collscope.base import console
from collscope.base.errors import UsageError, UserError
from collscope.base.units import counted, join_words
from collscope.catalogue import registry
from collscope.catalogue.keys import split_keys

if TYPE_CHECKING:
    from collscope.machines.platform import Platform
    from collscope.points.plan import Layout
    from collscope.sources.launcher import Launcher

JOBS = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    default=None,
    help="Simulations at a time (default: one per core).",
)
FORCE = click.option("--force", is_flag=True, help="Simulate again even what is cached.")
CLUSTER = click.option(
    "--cluster",
    metavar="C",
    help="Simulate on Dask's workers: local:N, slurm[partition=P,jobs=N,…], or a scheduler of your own: tls://HOST:PORT, tcp://HOST:PORT.",
)


def _named(_: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """UsageError: the value is empty, as that of a variable that is not set; what is measured would be this machine."""
    if value is not None and not value.strip():
        raise UsageError(f"{option.opts[0]} is empty: name one, or leave the option out to measure this machine")
    return value


def launched(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how real ranks are started: launcher and hosts."""
    for option in (
        click.option(
            "--hosts",
            metavar="H[,H…]|FILE",
            callback=_named,
            help="Hosts of mpirun: comma-separated names, or a host file.",
        ),
        click.option(
            "--launcher",
            metavar="L",
            callback=_named,
            help="mpirun (default), slurm (srun, within an allocation), testbed (the bed that is up).",
        ),
    ):
        command = option(command)
    return command


FIGURES = (".svg", ".png", ".pdf")
SHOWN_FAILURES = 5
ALLOCATIONS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID")  # we are inside a batch job on a real cluster


def check_file(option: str, name: str, endings: Sequence[str] = ()) -> None:
    """Finds out before the work, not after it, that a file cannot be written."""
    if not name:
        raise UsageError(f"{option} needs the name of a file")
    path = Path(name)
    if endings and path.suffix.lower() not in endings:
        raise UsageError(f"{option} {name}: the name must end in {', '.join(endings)}")
    if path.is_dir():
        raise UsageError(f"{option} {name}: is a folder")
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise UsageError(f"{option} {name}: {'a link to itself' if path.is_symlink() else error.strerror}") from error
    if not path.parent.exists():
        raise UsageError(f"{option} {name}: there is no folder {path.parent}; make it first")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise UsageError(f"{option} {name}: {path.parent} cannot be written to")


def check_root(root: int, collectives: Sequence[str]) -> None:
    """UsageError: a root other than 0, where none of these collectives has one."""
    if root and not any(registry.load().collective(name).has_root for name in collectives):
        have = "have" if len(collectives) > 1 else "has"
        raise UsageError(f"--root {root}: {join_words(collectives)} {have} no root")


def check_real(platform: str, launcher: Launcher | None = None) -> None:
    """Real runs are here, wherever that is, or where the launcher says."""
    if launcher and not launcher.is_local:
        if platform == "this_machine":
            raise UsageError(
                f"--on this_machine is the machine you sit at; with {launcher.describe()} name the cluster's specification "
                "(./collscope calibrate --name NAME makes one, with the same launcher)"
            )
        return
    if platform != "this_machine" and not any(map(os.environ.get, ALLOCATIONS)):
        raise UsageError(
            f"--source real measures the machine that this runs on: use --on this_machine instead of {platform} "
            "(or start it inside a batch job on that cluster, or name it: --hosts, --launcher)"
        )


TIMES = {"real": "measured", "sim": "simulated", "model": "modelled"}  # source → its times


def check_source(option: str, sources: Collection[str], *known: str) -> None:
    """UsageError: the option is of sources (known), and none of them is among those of the command."""
    if not set(known) & set(sources):
        times, names = join_words([TIMES[name] for name in known]), join_words(known, "or")
        raise UsageError(f"{option} is for {times} times: add {names} to --source, or drop {option.split()[0]}")


def switched(platform: str | None, without: str | None) -> str | None:
    """The platform as it was typed, with the elements of --without switched off."""
    if without is None:
        return platform
    from collscope.machines import overrides

    if platform is None:
        raise UsageError("--without switches elements of a platform off: name it with --on")
    if not without.strip():
        raise UsageError("--without: names no element to switch off; --help lists them")
    return ",".join(overrides.left_out(name, without) for name in platforms(platform))


def platforms(text: str) -> list[str]:
    """The names of "schooner,orfeo_epyc[nodes=2]", each once; a file may have a comma in its name."""
    file = text.partition("[")[0]
    names = [text] if "," in file and Path(file).is_file() else split_keys(text)
    return list(dict.fromkeys(name.strip() for name in names))


def load_platform(name: str, sources: Sequence[str]) -> Platform | None:
    """The platform; None for measuring on this machine before it has been calibrated."""
    from collscope.machines import find

    try:
        return find.load(name)
    except UserError:
        if name == "this_machine" and list(sources) == ["real"]:
            return None
        raise


def make_layout(platform: Platform, nodes: int | None, ranks: int, mapping: str, real: bool) -> Layout:
    """The layout of so many ranks, on as many nodes as they fill where none are named; a note where the mapping leaves nodes empty."""
    from collscope.machines.placement import fit_nodes
    from collscope.points import plan

    nodes = nodes or fit_nodes(platform, ranks, mapping)
    layout = plan.check_layout(platform, nodes, ranks, mapping, real=real)
    if layout.nodes < nodes:
        console.note(
            f"--mapping {mapping}: {counted(ranks, 'rank')} fill {layout.nodes} of {nodes} nodes; the others stay empty"
        )
    return layout


def report(failures: Sequence[str], more: str, reasons: Sequence[tuple[str, str]] = ()) -> int:
    """Exit status of a command over many points. 1 when some failed: says the first five, and how many `more`; 2 when there is no
    result at all: says the reasons (key, reason), each once."""
    for text in failures[:SHOWN_FAILURES]:
        console.complain(text)
    if len(failures) > SHOWN_FAILURES:
        console.complain(f"and {len(failures) - SHOWN_FAILURES} more {more}")
    if failures:
        return 1
    for key, reason in dict.fromkeys(reasons):
        console.complain(f"{key}: {reason}")
    return 2 if reasons else 0
