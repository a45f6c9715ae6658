"""How real ranks are started: by mpirun here or on named hosts, by Slurm's srun, or by mpirun across the test bed that is up."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from collscope.base import leftovers, paths
from collscope.base.errors import UsageError, UserError, unknown
from collscope.base.units import counted
from collscope.sources import mpirun
from collscope.testbed import bed
from collscope.testbed.bed import Bed

KINDS = ("mpirun", "slurm", "testbed")
DISTRIBUTION = {  # mapping → srun --distribution: over nodes, then over the sockets of each
    "block": "block:block",
    "cyclic": "cyclic:block",
    "node": "cyclic:block",
    "fill": "block:block",
    "core": "block:block",
    "socket": "block:cyclic",
}
DEALT = {
    "block": "ppr:{each}:node",
    "cyclic": "node",
    "node": "node",
}  # on the bed, whose hosts have no cores of their own


@dataclass(frozen=True)
class Launcher:
    """`kind` is one of KINDS; `hosts`, of mpirun alone: the names in their order, or `file`, a host file. Without either mpirun has
    this machine, or the allocation of a batch system that it finds."""

    kind: str = "mpirun"
    hosts: tuple[str, ...] = ()
    file: Path | None = None

    @property
    def is_local(self) -> bool:
        """Whether it is mpirun without options."""
        return self == LOCAL

    @property
    def program(self) -> str:
        """What starts the ranks."""
        return "srun" if self.kind == "slurm" else "mpirun"

    @property
    def folder(self) -> Path | None:
        """Where files for ranks must lie; None: they see what we see, anything will do. Other nodes share the project's folder at best."""
        return None if self.is_local or self.kind == "testbed" else paths.cache_dir()

    def nodes(self) -> int | None:
        """How many nodes it reaches; None where it does not say. UserError: the bed is not up."""
        if self.kind == "testbed":
            return _bed().network.hosts
        if self.kind == "slurm":
            allocated = os.environ.get("SLURM_JOB_NUM_NODES", "")
            return int(allocated) if allocated.isdigit() else None
        return len(self.hosts) or None

    @contextlib.contextmanager
    def session(self) -> Iterator[dict[str, str]]:
        """What a launch adds to its environment, so that mpirun's session folder goes away with us, however mpirun ends."""
        if self.kind != "mpirun":  # srun makes none here, the bed has a folder of its own
            yield {}
            return
        with leftovers.scratch() as folder:
            yield {"TMPDIR": str(folder)}

    def share_cores(self, ranks: int, nodes: int = 1) -> bool:
        """Whether ranks are known to share cores. Ranks on the bed do by its nature; Slurm knows its nodes, we do not."""
        return self.kind == "mpirun" and mpirun.share_cores(ranks, nodes)

    def command(
        self, program: Sequence[str | Path], ranks: int, nodes: int = 1, mapping: str = "block"
    ) -> list[str | Path]:
        """The words that start `program` with so many ranks, as many on each node. UsageError: there are not so many nodes, or ranks
        cannot be told to sit so; UserError: there is no launcher, no bed."""
        there = self.nodes()
        if there is not None and nodes > there:
            raise UsageError(
                f"{counted(nodes, 'node')} asked for, and {self.describe()} has {there}; use --nodes {there}"
            )
        each = -(-ranks // nodes)
        if self.kind == "testbed":
            if mapping not in DEALT:
                raise UsageError(
                    f"--mapping {mapping}: a host of the test bed has no cores of its own; use {' or '.join(DEALT)}"
                )
            return [*_bed().mpirun(ranks, program, nodes=nodes, map_by=DEALT[mapping].format(each=each))]
        if self.kind == "slurm":
            if mapping not in DISTRIBUTION:
                raise UsageError(f"--mapping {mapping}: srun supports only {', '.join(DISTRIBUTION)}")
            if not shutil.which("srun"):
                raise UserError("srun: not found; is this a machine with Slurm?")
            words = ["srun", f"--nodes={nodes}", f"--ntasks={ranks}", f"--ntasks-per-node={each}"]
            return [
                *words,
                f"--distribution={DISTRIBUTION[mapping]}",
                "--cpu-bind=cores",
                "--kill-on-bad-exit",
                *program,
            ]
        words = mpirun.command(ranks, nodes, mapping)
        if self.hosts:
            open_mpi, used = mpirun.library().startswith("Open MPI"), self.hosts[:nodes]
            if self.file:
                words += ["--hostfile" if open_mpi else "-f", str(self.file)]
            else:
                words += ["--host", ",".join(f"{h}:{each}" for h in used)] if open_mpi else ["-hosts", ",".join(used)]
        return [*words, *program]

    def describe(self) -> str:
        """In words, for messages and provenance."""
        if self.kind == "testbed":
            return "the test bed"
        if self.kind == "slurm":
            return "the Slurm allocation"
        return paths.display(self.file) if self.file else ",".join(self.hosts) or "this machine"


LOCAL = Launcher()


def launcher_of(kind: str | None = None, hosts: str | None = None) -> Launcher:
    """The launcher of the options --launcher and --hosts (names with commas, or a host file). UsageError: they do not fit each
    other, the file or the allocation is not there; UserError: the test bed is not up, the file cannot be read."""
    kind = kind or "mpirun"
    if kind not in KINDS:
        raise unknown("launcher", kind, KINDS)
    if hosts and kind != "mpirun":
        raise UsageError(f"--hosts {hosts}: goes with mpirun; --launcher {kind} knows its nodes")
    if kind == "slurm" and not os.environ.get("SLURM_JOB_ID"):
        raise UsageError(
            "--launcher slurm: not inside an allocation (SLURM_JOB_ID is not set); start with salloc -N NODES, or in a job"
        )
    if kind == "testbed":
        _bed()
    if not hosts:
        return Launcher(kind)
    path = paths.expanded(hosts)
    if path.is_file():
        from collscope.base.toml_table import read_text

        lines = [line.split("#")[0].split() for line in read_text(path, paths.display(path)).splitlines()]
        names = tuple(dict.fromkeys(re.split(r":\d+$", words[0])[0] for words in lines if words))
        if not names:
            raise UserError(f"{paths.display(path)}: names no host; write one per line, node01 slots=16")
        return Launcher(kind, names, paths.resolved(path))
    names = tuple(re.sub(r":\d+$", "", name.strip()) for name in hosts.split(","))
    if bad := [name for name in names if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name)]:
        raise UsageError(
            f'--hosts {hosts}: there is no such file, and "{bad[0]}" is not a host name; give a host file, or names with commas'
        )
    if len(set(names)) < len(names):
        raise UsageError(f"--hosts {hosts}: a host is named twice")
    return Launcher(kind, names)


def _bed() -> Bed:
    if (there := bed.standing()) is None:
        raise UserError("--launcher testbed: no test bed is up; ./collscope testbed up makes one")
    return there
