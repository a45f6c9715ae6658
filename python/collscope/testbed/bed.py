"""Making a test bed, reaching into it, and starting MPI programs on its hosts.

A bed lives in namespaces of its own (network, mounts, processes; users, where we are not root). Its first process ends when its standard
input is closed, so a bed of this process goes with it, also after kill -9; one that is to stay has a holder that `down` ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from collscope.base import leftovers, paths, programs
from collscope.base.errors import UsageError, UserError, disk_error
from collscope.base.files import write_atomically
from collscope.testbed.network import Network, network_of

START_S = 60.0  # so long may a bed take to be there
RANK_PRIORITY = 2  # of ranks, where we may: below the switch, above all else
MAX_EAGER = 2 << 20  # bytes: larger messages ask before they are sent

# The agent by which mpirun "logs in" to a host of the bed: namespaces instead of ssh.
AGENT = """#!/bin/sh
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c 'hostname "$0" && exec sh -c "$1"' "$host" "$*"
"""


@dataclass(frozen=True)
class Bed:
    """A bed that is there: the process number of its first process, and whether its processes may go before others."""

    network: Network
    pid: int
    realtime: bool
    folder: Path  # scratch space of its launches
    holder: int = 0  # the process that it goes with, where this one has made it

    def enter(self, command: Sequence[str | Path], host: str = "") -> list[str]:
        """A command as it is run inside: on a host, or beside them all, where mpirun is."""
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        into = ["nsenter", "--target", str(self.pid), *user, "--net", "--mount", "--pid", "--"]
        if host:
            into += ["ip", "netns", "exec", host]
        return [*into, *map(str, command)]

    def mpirun(
        self,
        ranks: int,
        command: Sequence[str | Path],
        nodes: int | None = None,
        map_by: str = "node",
        preload: str = "",
    ) -> list[str]:
        """mpirun over the bed's first `nodes` hosts (default: all), ranks dealt out to them in turn, or as `map_by` says. `preload`:
        what ranks load before their program, as LD_PRELOAD names it."""
        agent = self.folder / "agent.sh"
        if not agent.exists():
            write_atomically(agent, AGENT)
            agent.chmod(0o755)
        settings: dict[str, object] = {
            "pml": "ob1",
            "btl": "tcp,self",
            "btl_tcp_if_include": "10.8.0.0/24",
            "oob_tcp_if_include": "10.9.0.0/24",
            "mpi_yield_when_idle": 1,
            "plm_rsh_agent": agent,
            "plm_rsh_no_tree_spawn": 1,
            "orte_tmpdir_base": self.folder,
        }
        if not self.network.own_limits:
            for limit in ("btl_tcp_eager_limit", "btl_tcp_rndv_eager_limit", "btl_tcp_max_send_size"):
                settings[limit] = MAX_EAGER
        hosts = ",".join(f"{name}:{ranks}" for name in self.network.names()[:nodes])
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        words = ["mpirun", *root, "--host", hosts, "--map-by", map_by, "--bind-to", "none", "-np", str(ranks)]
        words += ["-wdir", str(Path.cwd())]  # entering the bed ends at its root
        for key, value in settings.items():
            words += ["--mca", key, str(value)]
        words += ["-x", f"LD_PRELOAD={os.pathsep.join(filter(None, (str(programs.IDLE), preload)))}"]
        before = ["chrt", "-f", str(RANK_PRIORITY)] if self.realtime else []
        return self.enter([*words, *before, *map(str, command)])


def missing() -> str:
    """Why there can be no test bed here; nothing where it can be tried."""
    absent = {package for command, package in programs.TEST_BED.items() if not shutil.which(command)}
    if absent:
        return f"it needs {' and '.join(sorted(absent))}: apt-get install {' '.join(sorted(absent))}"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "/dev/net/tun cannot be opened, so hosts have no NIC; as root: chmod 666 /dev/net/tun (and modprobe tun)"
    try:
        done = programs.answer([*_spaces(), "true"], timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"unshare: {error}"
    if done.returncode:
        return (
            f"namespaces are not allowed here ({done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no reason given'}); "
            "as root: sysctl kernel.unprivileged_userns_clone=1 or user.max_user_namespaces=10000; in a container: --privileged"
        )
    return ""


def _spaces() -> list[str]:
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


def _start(network: Network, stdin: int, log: Path, stays: bool = False) -> tuple[subprocess.Popen[bytes], bool]:
    """Starts the first process and waits until it is ready. `stays`: it outlives us. UserError: it could not make the bed."""
    command = [
        *_spaces(),
        sys.executable,
        "-m",
        "collscope.testbed.inside",
        network.text(),
        str(programs.needed(programs.SWITCH)),
    ]
    source = str(Path(__file__).resolve().parents[2])
    env = {**os.environ, "PYTHONPATH": source}
    if stays:  # else the watchdog of what this command started, a build for one, would end it
        env.pop(leftovers.VARIABLE, None)
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=errors, env=env, start_new_session=True
        )
    assert process.stdout
    readable, _, _ = select.select([process.stdout], [], [], START_S)
    line = process.stdout.readline().decode() if readable else ""
    reply = json.loads(line) if line.strip() else {"error": log.read_text(encoding="utf-8").strip() or "no answer"}
    if "error" in reply:
        process.kill()
        process.wait()
        raise UserError(f"the test bed could not be made: {reply['error']}")
    return process, bool(reply["realtime"])


def _first_process(unshare: int) -> int:
    """The process inside, by that of `unshare`; 0: it has ended."""
    try:
        children = Path(f"/proc/{unshare}/task/{unshare}/children").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return int(children[0]) if children else 0


@contextlib.contextmanager
def made(network: Network) -> Iterator[Bed]:
    """A bed for the time of a block. UserError: why there can be none."""
    network.check()
    if reason := missing():
        raise UserError(f"no test bed here: {reason}")
    with leftovers.scratch() as folder:
        process, realtime = _start(network, subprocess.PIPE, folder / "bed.txt")
        try:
            yield Bed(network, _first_process(process.pid), realtime, folder, process.pid)
        finally:
            assert process.stdin
            process.stdin.close()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


# ---- a bed that stays ---------------------------------------------------------------------------------------


def state_file() -> Path:
    """Where a bed that stays is noted."""
    return paths.CACHE / "testbed" / "bed.json"


@dataclass(frozen=True)
class Note:
    """What is noted of a bed that stays: the mark of the process that holds it, and the name of its machine."""

    owner: str
    machine: str
    network: Network
    realtime: bool

    @property
    def pid(self) -> int:
        """The process that holds the bed; 0: it does not run on this machine."""
        return leftovers.running(self.owner)


def noted() -> Note | None:
    """The note of the last bed that stays; it may be of another machine that shares this folder. UserError: the file is damaged."""
    try:
        found = json.loads(state_file().read_text(encoding="utf-8"))
        note = Note(found["owner"], found["machine"], network_of(found["network"]), found["realtime"])
        note.network.check()
        if not (leftovers.MARK.fullmatch(note.owner) and isinstance(note.machine, str) and note.network.names()):
            raise ValueError
    except FileNotFoundError:
        return None
    except OSError as error:
        raise disk_error(error, paths.display(state_file())) from error
    except (ValueError, TypeError, KeyError, RecursionError, UsageError) as error:
        raise UserError(
            f"{paths.display(state_file())}: expected the note of a test bed, as ./collscope testbed up writes it; delete this file"
        ) from error
    return note


def standing() -> Bed | None:
    """The bed that `up` has made on this machine and that is still there. UserError: its note cannot be read."""
    note = noted()
    if note is None or not (first := _first_process(note.pid)):
        return None
    return Bed(note.network, first, note.realtime, state_file().parent)


def _refuse_elsewhere() -> None:
    """UserError: the note is of another machine, whose bed we can neither see nor end."""
    note = noted()
    if note and not leftovers.is_of_this_machine(note.owner):
        raise UserError(
            f"{paths.display(state_file())}: a test bed was made on {note.machine}; end it there with ./collscope testbed down, or "
            "delete this file where it is gone"
        )


def _note(pid: int, network: Network, realtime: bool) -> None:
    """`standing` finds this bed from now on."""
    note = {
        "owner": leftovers.mark(pid),
        "machine": os.uname().nodename,
        "network": network.text(),
        "realtime": realtime,
    }
    write_atomically(state_file(), json.dumps(note))


@contextlib.contextmanager
def held(network: Network) -> Iterator[Bed]:
    """A bed for the time of a block that `standing`, and so --launcher testbed, finds, and that ends with this process; or the one that
    is up, which stays. UserError: another one is up, or there can be none."""
    if there := standing():
        if there.network != network:
            raise UserError(
                f"a test bed is up, of {there.network.describe()}; this command needs {network.describe()}: "
                "./collscope testbed down ends the one that is up"
            )
        yield there
        return
    _refuse_elsewhere()
    with made(network) as bed:
        shutil.rmtree(state_file().parent, ignore_errors=True)  # of one whose owner was killed
        state_file().parent.mkdir(parents=True)
        _note(bed.holder, network, bed.realtime)
        try:
            yield bed
        finally:
            shutil.rmtree(state_file().parent, ignore_errors=True)


def up(network: Network) -> Bed:
    """Makes a bed that stays until `down`. UserError: there is one already, or there can be none."""
    network.check()
    if there := standing():
        raise UserError(f"a test bed is up already ({there.network.describe()}); ./collscope testbed down ends it")
    _refuse_elsewhere()
    if reason := missing():
        raise UserError(f"no test bed here: {reason}")
    folder = state_file().parent
    folder.mkdir(parents=True, exist_ok=True)
    hold = folder / "hold"  # open for writing in the bed itself, so it never ends
    hold.unlink(missing_ok=True)
    os.mkfifo(hold)
    stdin = os.open(hold, os.O_RDWR)
    try:
        process, realtime = _start(network, stdin, folder / "log.txt", stays=True)
    finally:
        os.close(stdin)
    _note(process.pid, network, realtime)
    return Bed(network, _first_process(process.pid), realtime, folder)


@contextlib.contextmanager
def standing_or_made(network: Network) -> Iterator[Bed]:
    """The bed that is up; where none is, one of this network for the time of the block."""
    there = standing()
    if there:
        yield there
        return
    with made(network) as bed:
        yield bed


def down() -> bool:
    """Ends the bed that stays; False: no bed is up. UserError: it is of another machine, or its note cannot be read."""
    _refuse_elsewhere()
    there, note = standing(), noted()
    if there and note and note.pid:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(note.pid, signal.SIGKILL)
        until = time.monotonic() + 5
        while Path(f"/proc/{there.pid}").exists() and time.monotonic() < until:
            time.sleep(0.02)
    shutil.rmtree(state_file().parent, ignore_errors=True)
    return there is not None
