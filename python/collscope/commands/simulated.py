"""A program of the user's on a simulated machine, with libcollscope linked into it: what `exec --on` starts."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from collscope.base import leftovers, paths, programs
from collscope.base.errors import UsageError, UserError
from collscope.commands import requests
from collscope.machines.placement import hosts_of
from collscope.machines.platform import smpirun_args, smpirun_env

OWN_SETTINGS = {
    "smpi/privatization": "dlopen",
    "smpi/shared-malloc": "off",
}  # a program has variables, and looks at its data


def flags() -> str:
    """What smpicc needs to link a program with the library."""
    return f"{paths.display(programs.SIM_LIBRARY)} -Wl,-Bsymbolic"


def check_program(program: Path) -> None:
    """UserError: it was not linked by smpicc with the library, so that SMPI's own functions would run silently."""
    try:
        listed = programs.answer(["nm", "-D", "--defined-only", program], timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError("nm: not found; install binutils") from error
    if " MPI_Bcast\n" not in listed:
        raise UserError(
            f"{program}: not linked with collscope, which smpirun's programs must be (SimGrid looks for MPI's functions in what a "
            f"program is linked with before anything preloaded); link it again: smpicc … {flags()}"
        )


def run(
    words: Sequence[str], variables: Mapping[str, str], machine: str, ranks: int, nodes: int | None, mapping: str
) -> int:
    """Simulates it; its exit status. UserError, UsageError: it cannot be."""
    program = shutil.which(words[0]) if words else None
    if not program:
        raise UsageError(
            f"{words[0] if words else 'no program'}: expected a program behind --, and no launcher in front of it"
        )
    programs.needed(programs.SIM_LIBRARY, "it is what runs the algorithms")
    check_program(Path(program))
    platform = requests.load_platform(machine, ["sim"])
    if platform is None:
        raise UsageError(f"--on {machine}: a machine that is described is needed to simulate")
    layout = requests.make_layout(platform, nodes, ranks, mapping, False)
    assert layout.platform
    with leftovers.scratch() as folder:
        hosts = hosts_of(layout.platform, layout.nodes, layout.ranks, layout.mapping)
        (folder / "hosts.txt").write_text("".join(f"{host}\n" for host in hosts), encoding="utf-8")
        settings = [f"--cfg={name}:{value}" for name, value in OWN_SETTINGS.items()]
        line = ["smpirun", "-np", str(ranks), "-hostfile", str(folder / "hosts.txt"), *smpirun_args(layout.platform)]
        environment = {**os.environ, **smpirun_env(layout.platform), **variables, "TMPDIR": str(folder)}
        done = subprocess.run([*line, *settings, program, *words[1:]], env=environment, check=False)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode
