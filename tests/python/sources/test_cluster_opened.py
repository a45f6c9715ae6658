"""What `--cluster` opens: workers of this machine, of a scheduler, and of Slurm's jobs."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import pytest

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.sources import cluster
from collscope.sources.cluster import parse


class Opened:
    """In place of what Dask opens: notes what it was made with, and whether it was closed."""

    def __init__(self, made: list[Any], *words: Any, **options: Any) -> None:
        self.made, self.what = made, (words, options)
        self.jobs: int | None = None

    def __enter__(self) -> Opened:
        import dask

        self.made.append(self.what)
        self.made.append(
            (dask.config.get("distributed.scheduler.allowed-failures"), logging.getLogger("distributed").level)
        )
        assert not dask.config.get("distributed.worker.memory.terminate") and not dask.config.get(
            "distributed.worker.memory.pause"
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.made.append("closed")

    def scale(self, jobs: int) -> None:
        self.jobs = jobs

    def nthreads(self) -> dict[str, int]:
        return self.made[0]["there"]  # type: ignore[no-any-return]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    distributed = pytest.importorskip("distributed")
    noted: list[Any] = [{"there": {"a": 2, "b": 3}}]
    for name in ("LocalCluster", "Client"):
        monkeypatch.setattr(distributed, name, lambda *words, **options: Opened(noted, *words, **options))
    return noted


def test_workers_of_this_machine(made: list[Any]) -> None:
    level = logging.getLogger("distributed").level
    with cluster.opened("local:2") as there:
        assert there and there.workers == 2
        (_, local), quiet, ((where,), options), *_ = made[1:]
        folder = local.pop("local_directory")
        assert Path(folder).is_dir() and isinstance(where, Opened)
        assert local == {
            "n_workers": 2, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1", "dashboard_address": None,
            "worker_dashboard_address": None, "silence_logs": logging.CRITICAL,
        }  # fmt: skip
        assert quiet == (3, logging.CRITICAL) and options == {"timeout": 20.0, "set_as_default": False}
    assert made[-2:] == ["closed"] * 2 and not Path(folder).exists()
    assert logging.getLogger("distributed").level == level


def test_workers_of_a_scheduler(made: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    address = "tcp://node7:8786"
    with cluster.opened(address) as there:
        assert there and there.workers == 5 and made[1][0] == (address,)
    assert not capsys.readouterr().err
    made[:] = [{"there": {}}]
    with cluster.opened(address) as there:
        assert there and there.workers == 1
    assert capsys.readouterr().err == (
        f"collscope: {address}: no worker yet; start some with .venv/bin/dask worker {address} --nthreads 1\n"
    )
    with cluster.opened(None) as nobody:
        assert nobody is None


def test_workers_of_slurm(made: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = Opened(made, "slurm")
    monkeypatch.setattr(cluster, "_slurm_cluster", lambda wanted: jobs)
    monkeypatch.setattr(cluster.shutil, "which", lambda name: name)
    with cluster.opened("slurm[jobs=3,cores=2]") as there:
        assert there and there.workers == 6 and jobs.jobs == 3
        assert made[3][0] == (jobs,)
    monkeypatch.setattr(cluster.shutil, "which", lambda name: None)
    with pytest.raises(UserError) as error, cluster.opened("slurm[jobs=3]"):
        pass
    assert str(error.value) == (
        "--cluster slurm[jobs=3]: sbatch: not found; slurm is for a machine from which Slurm takes jobs"
    )


@pytest.mark.parametrize("own", [False, True])
def test_what_a_job_is_made_of(own: bool, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobqueue = pytest.importorskip("dask_jobqueue")
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(jobqueue, "SLURMCluster", lambda **options: asked.append(options))
    monkeypatch.setattr(cluster.own_simgrid, "is_there", lambda root: own)
    cluster._slurm_cluster(parse("slurm[cores=4]"))
    path = f"export PATH={paths.ROOT / '.cache' / 'simgrid' / 'bin'}:$PATH"
    assert asked == [{
        "queue": None, "account": None, "cores": 4, "processes": 4, "memory": "2GiB", "walltime": "01:00:00", "interface": None,
        "job_script_prologue": [
            f"export PYTHONPATH={paths.ROOT / 'python'}${{PYTHONPATH:+:$PYTHONPATH}}", *([path] if own else []),
        ],
        "python": sys.executable, "log_directory": str(workplace / ".cache" / "log"), "job_name": "collscope",
        "scheduler_options": {"dashboard_address": None}, "worker_extra_args": ["--no-dashboard"],
    }]  # fmt: skip
    assert (workplace / ".cache" / "log").is_dir()


def test_libraries_that_are_missing_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dask")
    asked: list[tuple[object, ...]] = []
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)  # as if it were not there
    monkeypatch.setattr(cluster.machine, "ensure_python", lambda *words: asked.append(words))
    with cluster._libraries():
        assert asked == [(paths.ROOT, "cluster")]

    def fail(*_: object) -> None:
        raise cluster.SetupError("no network")

    monkeypatch.setattr(cluster.machine, "ensure_python", fail)
    with pytest.raises(UserError, match="^--cluster: no network$"), cluster._libraries():
        pass
