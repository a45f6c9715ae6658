"""collscope.base.leftovers, collscope.studies.results: after kill -9 programs end by themselves, and folders are taken away."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from collscope.base import leftovers
from collscope.studies import results


def waited(ask: Callable[[], Any]) -> Any:
    """What `ask` says once it says something; in the end, what it says then."""
    for _ in range(400):
        with contextlib.suppress(OSError):
            if printed := ask():
                return printed
        time.sleep(0.025)
    return ask()


@pytest.fixture
def dead() -> str:
    """The mark of a process that has ended."""
    with subprocess.Popen(["sleep", "60"]) as process:
        owner = leftovers.mark(process.pid)
        assert leftovers.is_alive(owner)
        process.kill()
    assert not leftovers.is_alive(owner)
    return owner


def test_folders_of_the_dead_go_and_all_others_stay(tmp_path: Path, dead: str) -> None:
    names = {
        f"collscope-{dead}-abc": False,
        f"collscope-{leftovers.mark()}-abc": True,
        f"collscope-00000000-{dead.partition('-')[2]}-abc": True,  # of another machine
        "collscope-without-a-mark": True,
        f"other-{dead}": True,
    }
    for name in names:
        (tmp_path / name / "inside").mkdir(parents=True)
    leftovers.sweep(tmp_path, leftovers.PREFIX)
    assert {p.name for p in tmp_path.iterdir()} == {name for name, stays in names.items() if stays}


def test_folders_of_other_machines_go_after_a_week(tmp_path: Path, dead: str) -> None:
    others = f"collscope-00000000-{dead.partition('-')[2]}-abc"
    own = f"collscope-{leftovers.mark()}-abc"
    for name in ("collscope-without-a-mark", others, own):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (0, 0))
    leftovers.sweep(tmp_path, leftovers.PREFIX)
    assert [p.name for p in tmp_path.iterdir()] == [own]


def test_the_folder_of_a_command_that_runs_never_looks_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else another machine that shares the disk would take it away after a week."""
    monkeypatch.setattr(leftovers, "RENEW_S", 0.01)
    folder = tmp_path / "collscope-named"
    folder.mkdir()
    os.utime(folder, (0, 0))
    ours, watchdogs = os.pipe()[::-1]
    os.write(ours, os.fsencode(folder) + b"\0")
    with subprocess.Popen(["sleep", "60"]) as process, ThreadPoolExecutor(1) as pool:
        left = pool.submit(leftovers._wait_for_end, leftovers.mark(process.pid), watchdogs)
        assert waited(lambda: folder.stat().st_mtime > 0)
        process.kill()
        process.wait()
        assert left.result() == [folder]
    os.close(ours), os.close(watchdogs)


def test_a_process_is_known_by_host_boot_number_and_start() -> None:
    host, boot, number, start = own = leftovers.mark().split("-")
    assert leftovers.running("-".join(own)) == os.getpid() and leftovers.is_alive("-".join(own))
    assert Path("/proc/sys/kernel/random/boot_id").read_text().startswith(boot)
    for other in ((host, boot, number, int(start) - 1), (host, "0" * 8, number, start)):
        words = "-".join(map(str, other))
        assert not leftovers.running(words) and not leftovers.is_alive(words) and leftovers.is_of_this_machine(words)
    words = "-".join(("0" * 8, boot, number, start))
    assert not leftovers.running(words) and not leftovers.is_of_this_machine(words)
    assert leftovers.is_alive(words), "nobody here can say that it ended"


def test_a_host_is_known_by_its_name_and_its_space_of_process_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    here = leftovers._host()
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(nodename="another"))
    assert leftovers._host() != here
    monkeypatch.undo()
    monkeypatch.setattr(Path, "readlink", lambda path: Path(f"pid:[{len(str(path))}]"))
    assert leftovers._host() != here


def test_results_are_put_back_when_the_new_ones_did_not_get_there(tmp_path: Path, dead: str) -> None:
    old = tmp_path / f".fresh-{dead}-x-old"
    (old / "figures").mkdir(parents=True)
    (tmp_path / f".fresh-{dead}-x").mkdir()
    target = tmp_path / "fresh"
    with pytest.raises(ValueError), results.replacing(target):
        assert (target / "figures").is_dir()
        raise ValueError
    assert [p.name for p in tmp_path.iterdir()] == ["fresh"]


def test_whatever_was_started_ends_with_its_owner(tmp_path: Path) -> None:
    """One that ignores being asked, in a session of its own, which starts another: as smpirun and mpirun do."""
    program = f"""
import subprocess, time
from pathlib import Path
from collscope.base import leftovers
with leftovers.scratch() as folder:
    (folder / "plan.txt").write_text("x")
    subprocess.Popen(["sh", "-c", "trap '' TERM; setsid sleep 61 & echo $$ $! > {tmp_path}/pids; wait; sleep 61"], start_new_session=True)
    time.sleep(60)
"""
    temporary = tmp_path / "temp"
    temporary.mkdir()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)}
    with subprocess.Popen([sys.executable, "-c", program], env=env) as process:
        pids = waited(lambda: [int(n) for n in (tmp_path / "pids").read_text().split()])
        assert len(list(temporary.iterdir())) == 1
        process.kill()
    assert waited(lambda: all(leftovers._start(pid) == 0 for pid in pids))
    assert waited(lambda: not list(temporary.iterdir()))


def test_a_program_gets_time_to_end_what_it_started(tmp_path: Path) -> None:
    """mpirun, whose ranks are not asked."""
    owner = "00000000-00000000-1-1"
    child = f"trap 'echo child >> {tmp_path}/asked; exit' TERM; echo > {tmp_path}/ready; while :; do sleep 0.02; done"
    parent = f"trap 'echo parent >> {tmp_path}/asked; kill -9 $! ; exit' TERM; sh -c \"$CHILD\" & while :; do sleep 0.02; done"
    env = {**os.environ, leftovers.VARIABLE: owner, "CHILD": child}
    with subprocess.Popen(["sh", "-c", parent], env=env):
        assert waited((tmp_path / "ready").exists)
        leftovers.end(owner)
    assert (tmp_path / "asked").read_text() == "parent\n" and not leftovers.marked(owner)


def test_the_temporary_folder_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with leftovers.scratch() as folder:
        assert folder.parent == tmp_path
        assert leftovers.is_alive(folder.name)
    assert not list(tmp_path.iterdir())


def test_folders_of_the_dead_go_from_a_folder_for_other_machines_too(tmp_path: Path, dead: str) -> None:
    (tmp_path / f"collscope-{dead}-abc").mkdir()
    with leftovers.scratch(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]
        assert folder.name.startswith(f"collscope-{leftovers.mark()}-")
    assert not list(tmp_path.iterdir())
    assert not leftovers._is_old(tmp_path / "gone")


def test_the_watchdog_carries_no_mark_and_its_owner_does() -> None:
    leftovers.watch()
    leftovers.watch()
    watchdog = leftovers._watchdogs[os.getpid()].pid
    assert os.environ[leftovers.VARIABLE] == leftovers.mark()
    with subprocess.Popen(["sleep", "60"]) as child:
        while not Path(f"/proc/{child.pid}/environ").read_bytes():
            pass  # the kernel fills it in a moment after the program has begun
        assert child.pid in leftovers.marked(leftovers.mark())
        child.kill()
    theirs = Path(f"/proc/{watchdog}/environ").read_text().split("\0")
    assert f"PATH={os.environ['PATH']}" in theirs
    assert not any(word.startswith(leftovers.VARIABLE) for word in theirs)


@pytest.mark.parametrize("has_descriptors", [True, False])
def test_a_watchdog_hears_what_to_take_away_and_that_its_owner_has_ended(
    monkeypatch: pytest.MonkeyPatch, has_descriptors: bool
) -> None:
    """The owner names a folder and ends while a child of it, as a fork would, still holds the pipe open."""
    if not has_descriptors:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    script = "sleep 600 & echo $!; printf '/tmp/a b\\0/c\\0' >&3; read line"
    read, write = os.pipe()
    command = ["bash", "-c", script.replace(">&3", f">&{write}")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[write]) as owner:
        os.close(write)
        assert owner.stdout and owner.stdin
        child, mark = int(owner.stdout.readline()), leftovers.mark(owner.pid)
        owner.stdin.close()
        assert leftovers._wait_for_end(mark, read) == [Path("/tmp/a b"), Path("/c")]
        os.kill(child, signal.SIGKILL)
    os.close(read)


SHARES = """
import multiprocessing, os, sys, time
from pathlib import Path
from collscope.base import leftovers
from collscope.studies import results
leftovers.mark_semaphores()
lock = multiprocessing.get_context("spawn").Lock()  # its name stays as long as it does
with leftovers.scratch(Path(sys.argv[1])) as folder, results.replacing(Path(sys.argv[1], "fresh")) as new:
    (folder / "key").touch()
    (new / "page").touch()
    print(lock._semlock.name, flush=True)
    time.sleep(600)
"""


def test_folders_and_semaphores_elsewhere_go_too_when_a_whole_group_is_killed(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SHARES, str(tmp_path)]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout
        semaphore = Path("/dev/shm", "sem." + process.stdout.readline().strip().removeprefix("/"))
        assert (
            semaphore.exists() and len(list(tmp_path.glob("*collscope-*"))) + len(list(tmp_path.glob(".fresh-*"))) == 2
        )
        os.killpg(process.pid, signal.SIGKILL)
    assert waited(lambda: not list(tmp_path.iterdir()))
    assert waited(lambda: not semaphore.exists())


def test_a_process_that_never_was_is_not_alive_and_what_has_no_mark_is() -> None:
    host, boot, _, start = leftovers.mark().split("-")
    assert len(host) == len(boot) == 8 and int(start) > 0
    assert leftovers._start(2**22 + 1) == 0
    assert not leftovers.is_alive(f"{host}-{boot}-{2**22 + 1}-0"), "a process that never was"
    assert leftovers.is_alive("no mark") and not leftovers.running("no mark")


@pytest.mark.parametrize(("age_s", "goes"), [(6.9 * 86400, False), (7.1 * 86400, True)])
def test_a_week_is_seven_days(tmp_path: Path, age_s: float, goes: bool) -> None:
    (tmp_path / "collscope-x").mkdir()
    at = time.time() - age_s
    os.utime(tmp_path / "collscope-x", (at, at))
    assert leftovers.abandoned(tmp_path, "collscope-") == [tmp_path / "collscope-x"] * goes
    assert leftovers.abandoned(tmp_path, "other-") == leftovers.abandoned(tmp_path / "none", "collscope-") == []
