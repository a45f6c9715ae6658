"""collscope.sources.launcher: how real ranks are started: here, on named hosts, by Slurm, on the test bed."""

from __future__ import annotations

import os
import signal
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base.errors import UsageError, UserError
from collscope.calibration.samples import Probe, ask
from collscope.commands import requests
from collscope.sources import launcher, mpirun
from collscope.sources.launch import check_ranks
from collscope.sources.launcher import LOCAL, Launcher, launcher_of
from collscope.testbed.bed import Bed
from collscope.testbed.network import Network
from refusals import refusal

PROGRAM = ["driver", "--plan", "x"]


@pytest.fixture(autouse=True)
def open_mpi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpirun, "library", lambda: "Open MPI 4.1.4")
    monkeypatch.setattr(mpirun.os, "sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr(mpirun.os, "geteuid", lambda: 1000)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)


def text(started: Launcher, ranks: int, nodes: int = 1, mapping: str = "block") -> str:
    return " ".join(map(str, started.command(PROGRAM, ranks, nodes, mapping)))


def test_without_a_word_it_is_mpirun_as_before() -> None:
    assert launcher_of() == launcher_of("mpirun") == launcher.LOCAL
    assert text(launcher_of(), 4) == "mpirun -np 4 driver --plan x"
    assert launcher.LOCAL.is_local and launcher.LOCAL.folder is None and launcher.LOCAL.nodes() is None


def test_named_hosts_are_taken_in_their_order_as_many_as_there_are_nodes(
    monkeypatch: pytest.MonkeyPatch, workplace: Path
) -> None:
    hosts = launcher_of(None, "a, b:16,c.d")
    assert hosts.hosts == ("a", "b", "c.d")
    assert text(hosts, 4, 2) == "mpirun -np 4 --map-by ppr:2:node --host a:2,b:2 driver --plan x"
    assert text(hosts, 3, 3, "cyclic") == (
        "mpirun -np 3 --map-by ppr:1:node --rank-by node --host a:1,b:1,c.d:1 driver --plan x"
    )
    with pytest.raises(UsageError, match="4 nodes asked for, and a,b,c.d has 3; use --nodes 3"):
        hosts.command(PROGRAM, 4, 4)
    assert not hosts.is_local and hosts.folder == workplace / ".cache"
    monkeypatch.setattr(mpirun, "library", lambda: "MPICH 4.3.2")
    assert text(hosts, 4, 2) == "mpirun -np 4 -ppn 2 -hosts a,b driver --plan x"


def test_a_host_file_is_handed_on_and_its_hosts_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "hosts"
    file.write_text("# ours\nn1 slots=2\nn2:4\n\nn1\n")
    started = launcher_of(None, str(file))
    assert started.hosts == ("n1", "n2")
    assert text(started, 2, 2) == f"mpirun -np 2 --map-by ppr:1:node --hostfile {file} driver --plan x"
    with monkeypatch.context() as other:
        other.setattr(mpirun, "library", lambda: "MPICH 4.3.2")
        assert text(started, 2, 2) == f"mpirun -np 2 -ppn 1 -f {file} driver --plan x"
    file.write_text("# none\n")
    with pytest.raises(UserError, match="hosts: names no host"):
        launcher_of(None, str(file))


@pytest.mark.parametrize(
    ("mapping", "words"),
    [("block", "block:block"), ("cyclic", "cyclic:block"), ("socket", "block:cyclic"), ("node", "cyclic:block")],
)
def test_slurm_starts_ranks_with_srun(mapping: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="not inside an allocation .*salloc -N NODES"):
        launcher_of("slurm")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "2")
    monkeypatch.setattr(launcher.shutil, "which", lambda _: "/usr/bin/srun")
    started = launcher_of("slurm")
    assert text(started, 6, 2, mapping) == (
        f"srun --nodes=2 --ntasks=6 --ntasks-per-node=3 --distribution={words} --cpu-bind=cores --kill-on-bad-exit driver --plan x"
    )
    assert not started.share_cores(10000)
    with pytest.raises(UsageError, match="3 nodes asked for, and the Slurm allocation has 2"):
        started.command(PROGRAM, 3, 3)
    with pytest.raises(UsageError, match="--mapping file:x: srun supports only block"):
        started.command(PROGRAM, 2, 2, "file:x")
    monkeypatch.setattr(launcher.shutil, "which", lambda _: None)
    with pytest.raises(UserError, match="srun: not found"):
        started.command(PROGRAM, 2)


def test_the_bed_that_is_up_has_its_own_mpirun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher.bed, "standing", lambda: None)
    with pytest.raises(UserError, match="no test bed is up; ./collscope testbed up makes one"):
        launcher_of("testbed")
    there = Bed(Network(hosts=3), 77, False, tmp_path)
    monkeypatch.setattr(launcher.bed, "standing", lambda: there)
    started = launcher_of("testbed")
    assert started.command(PROGRAM, 4, 2) == there.mpirun(4, PROGRAM, nodes=2, map_by="ppr:2:node")
    assert "--host h0:4,h1:4 --map-by ppr:2:node" in text(started, 4, 2)
    assert "--host h0:3,h1:3,h2:3 --map-by node" in text(started, 3, 3, "cyclic")
    with pytest.raises(UsageError, match="the test bed has 3; use --nodes 3"):
        started.command(PROGRAM, 4, 4)
    with pytest.raises(UsageError, match="has no cores of its own; use block or cyclic"):
        started.command(PROGRAM, 2, 2, "core")
    assert started.folder is None and not started.share_cores(100)


@pytest.mark.parametrize(
    ("kind", "hosts", "printed"),
    [
        ("ssh", None, 'launcher.*"ssh"'),
        ("testbed", "a", "--hosts a: goes with mpirun; --launcher testbed knows its nodes"),
        (None, "a,,b", 'no such file, and "" is not a host name'),
        (None, "dir/hosts", 'no such file, and "dir/hosts" is not a host name'),
        (None, "a,b,a", "a host is named twice"),
    ],
)
def test_options_that_do_not_fit_each_other_are_refused(kind: str | None, hosts: str | None, printed: str) -> None:
    with pytest.raises(UsageError, match=printed):
        launcher_of(kind, hosts)


def test_ranks_that_do_not_find_each_other_are_no_measurement() -> None:
    check_ranks({"ranks": 4}, 4)
    check_ranks({}, 4)
    check_ranks({"ranks": 1}, None)
    with pytest.raises(UserError, match="4 ranks were started, and the driver finds 1: .*SLURM_MPI_TYPE=pmix"):
        check_ranks({"ranks": 1}, 4)


def test_a_session_folder_goes_with_its_launch_however_mpirun_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And an output that nobody reads does not end it: SIGPIPE is ignored."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    script = "mkdir $TMPDIR/ompi; grep SigIgn /proc/self/status >&2; kill -9 $$"
    with LOCAL.session() as more:
        message = refusal(ask, [Probe("touch")], 2, lambda _: ["sh", "-c", script], None, os.environ | more)
        assert int(message.split()[-1], 16) & 1 << signal.SIGPIPE - 1 and [*tmp_path.glob("*/ompi")]
    assert not [*tmp_path.iterdir()]


def test_a_cluster_is_named_and_is_not_this_machine() -> None:
    there = replace(launcher.LOCAL, hosts=("a",))
    requests.check_real("schooner", there)
    with pytest.raises(UsageError, match="--on this_machine is the machine you sit at; with a name"):
        requests.check_real("this_machine", there)
