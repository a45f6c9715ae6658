"""collscope.sources.cluster, collscope.sources.remote: `--cluster`, and simulations on workers, some of which die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from collscope.base import cache, paths, programs
from collscope.base.errors import UsageError, UserError
from collscope.base.progress import Progress
from collscope.commands.cli import cli
from collscope.machines import find
from collscope.points.plan import Layout, Point, Task
from collscope.sources import cluster, remote, simulate
from collscope.sources.batches import Batch
from collscope.sources.cluster import Cluster, Lost, parse
from collscope.sources.outcome import Outcome
from collscope.sources.source import Options, Stopped
from collscope.studies.report import pictures

# ---- what is typed -----------------------------------------------------------------------------------------


def test_the_three_forms() -> None:
    assert parse("local:4") == cluster.ClusterSpec("local", 4)
    assert parse("tcp://node7.example.org:8786") == cluster.ClusterSpec(
        "scheduler", address="tcp://node7.example.org:8786"
    )
    assert parse("tcp://[::1]:8786").address == "tcp://[::1]:8786"
    assert parse("tls://a:1") == cluster.ClusterSpec("scheduler", address="tls://a:1")
    made = parse("slurm[partition=long,jobs=3,cores=4,walltime=1-00:00:00]")
    assert (made.workers, made.values["partition"], made.values["walltime"]) == (12, "long", "1-00:00:00")
    usual = parse("slurm")
    assert usual == parse("slurm[]") and (usual.kind, usual.workers, usual.address) == ("slurm", 1, "")
    assert usual.values == {
        "partition": "", "account": "", "jobs": "1", "cores": "1", "memory": "2GiB", "walltime": "01:00:00", "interface": "",
    }  # fmt: skip
    assert parse("slurm[jobs=9999,cores=2,memory=1.5TB]").workers == 19998
    assert parse(" local:4096 ").workers == 4096 and parse("local:1").workers == 1
    assert parse("tcp://a:65535").address == "tcp://a:65535" and parse(" tcp://a:1 ").address == "tcp://a:1"
    assert parse("slurm[account=a,b, jobs=2]").values["account"] == "a,b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"is none of local:N, tcp://HOST:PORT, tls://HOST:PORT or slurm\[partition=…\]"),
        ("local", r"--cluster local: is none of"),
        ("local:0", r"a number of workers is 1 to 4096"),
        ("local:4097", r"a number of workers is 1 to 4096"),
        ("local:1234567", r"is none of"),
        ("local:two", r"is none of"),
        ("tcp://node7", r"is none of"),
        ("tcp://node7:0", r"a port is 1 to 65535"),
        ("tcp://node7:65536", r"a port is 1 to 65535"),
        ("slurm[jobs=10000]", r'jobs cannot be "10000"; write for example jobs=8$'),
        ("slurm[cores=0]", r'cores cannot be "0"; write for example cores=4$'),
        ("slurm[interface=]", r'interface cannot be ""; write for example interface=ib0$'),
        ("slurm[account=]", r'account cannot be ""; write for example account=physics$'),
        ("slrum[partition=a]", r'is none of .*did you mean "slurm"'),
        ("slurm[partition=a", r"is none of"),
        ("slurm[partion=a]", r'no key "partion"; did you mean "partition"\?; there are partition, account, jobs'),
        ("slurm[partition]", r'partition cannot be ""; write for example partition=compute'),
        ("slurm[partition=a;rm]", r'partition cannot be "a;rm"'),
        ("slurm[account=--wrap=x]", r'account cannot be "--wrap=x"'),
        ("slurm[jobs=0]", r'jobs cannot be "0"; write for example jobs=8'),
        ("slurm[jobs=2,jobs=3]", r"jobs is given twice"),
        ("slurm[memory=4]", r'memory cannot be "4"; write for example memory=8GiB'),
        ("slurm[walltime=90]", r'walltime cannot be "90"; write for example walltime=01:30:00'),
    ],
)
def test_a_wrong_cluster_is_refused_with_what_to_write(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(text)


def test_a_cluster_is_for_simulations() -> None:
    words = ["run", "--on", "schooner", "--ranks", "4", "-a", "bcast/mst", "--bytes", "4", "--source", "model"]
    with pytest.raises(UsageError, match="--cluster is for simulated times: add sim to --source"):
        cli.main([*words, "--cluster", "local:2"], standalone_mode=False)


def test_slurm_needs_slurm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="sbatch: not found"), cluster.opened("slurm[partition=a]"):
        pass


@pytest.mark.skipif(find_spec("dask_jobqueue") is None, reason="dask_jobqueue is not installed")
def test_an_interface_that_is_not_there_is_no_crash(workplace: Path) -> None:
    with pytest.raises(UsageError, match="nosuch0"):
        cluster.job_script(parse("slurm[interface=nosuch0]"))


def test_an_address_where_nothing_listens_is_not_tried_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("Dask is asked, which tries for long"))
    message = r"^--cluster tcp://127.0.0.1:1: no Dask scheduler answers there \(Connection refused\); start one with"
    with pytest.raises(UserError, match=message), cluster.opened("tcp://127.0.0.1:1"):
        pass


def test_dask_s_own_settings_stay_when_ours_end() -> None:
    """In a process that has not imported it yet: else the next cluster of the process would not find them."""
    pytest.importorskip("distributed")
    program = """
from collscope.sources import cluster
with cluster._libraries("local"):
    import dask
    print(dask.config.get("distributed.scheduler.allowed-failures"), end=" ")
print(dask.config.get("distributed.comm.tls.ciphers"))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=paths.ROOT / "python", capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == [str(cluster.DEATHS), "None"], done.stderr


# ---- two workers -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two() -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    with cluster.opened("local:2") as made:
        assert made
        yield made


@pytest.fixture
def tasks(workplace: Path) -> list[Task]:
    """Six layouts, so that there are as many launches at least."""
    if not programs.SIM_DRIVER.exists() or not programs.PROVER.exists():
        pytest.skip("the driver or the prover is not built")
    platform = find.load("schooner")
    keys = ("bcast/mst", "bcast/linear", "bcast/chain")
    return [
        (Layout(platform, 2, ranks), Point("bcast", key, count))
        for ranks in (4, 6, 8, 10, 12, 14)
        for key in keys
        for count in (1, 1024)
    ]


class Watched(Progress):
    """Does something once, when the first point is finished."""

    def __init__(self, total: int, first: Callable[[], None]) -> None:
        super().__init__("watched", total)
        self.first: Callable[[], None] | None = first

    def __call__(self, n: int, share: float = 0.0) -> None:
        super().__call__(n, share)
        if n and self.first:
            first, self.first = self.first, None
            first()


def test_the_digits_are_those_of_one_machine_though_a_worker_is_killed_meanwhile(
    two: Cluster, tasks: list[Task]
) -> None:
    before: dict[str, int] = two.client.run(os.getpid)
    watched = Watched(len(tasks), lambda: os.kill(next(iter(before.values())), signal.SIGKILL))
    rows = simulate.run_tasks(tasks, Options(cluster=two), watched)
    assert watched.first is None, "it was killed"
    assert watched.done == len(tasks)
    two.client.wait_for_workers(2)
    assert len(set(two.client.run(os.getpid).values()) & set(before.values())) == 1, "and another took its place"
    assert {row["status"] for row in rows} == {"ok"}
    assert not simulate.left(tasks), "all of it is in the cache"
    assert simulate.run_tasks(tasks, Options(force=True)) == rows


def test_ctrl_c_loses_nothing_that_is_finished(
    two: Cluster, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = threading.main_thread().ident
    assert here
    old = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it
    try:
        with pytest.raises(Stopped) as stopped:
            watched = Watched(len(tasks), lambda: signal.pthread_kill(here, signal.SIGINT))
            simulate.run_tasks(tasks, Options(cluster=two), watched)
    finally:
        signal.signal(signal.SIGINT, old)
    finished = [row for row in stopped.value.rows if row["status"] == "ok"]
    assert finished
    assert len(tasks) - len(simulate.left(tasks)) >= len(finished)


def test_work_that_no_worker_survives_is_given_up(two: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(two.client.cluster.scheduler, "allowed_failures", 0)
    ((place, found),) = two.call(dies, [()])
    assert place == 0
    assert isinstance(found, Lost)


def test_a_worker_with_other_sources_is_refused(
    two: Cluster, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "sources_hash", lambda *folders: "another")
    with pytest.raises(UserError, match=r"the worker on .* has other sources in .*; bring them to the same commit"):
        simulate.run_tasks(tasks[:1], Options(cluster=two))


def test_a_worker_with_another_simgrid_is_unfit() -> None:
    remote.unfit.cache_clear()
    assert "has SimGrid 3.32, and here it is 0.1" in remote.unfit(cache.sources_hash(*remote.depends.SIMULATION), "0.1")


def test_figures_are_drawn_there_too(two: Cluster, tmp_path: Path) -> None:
    made = [pictures.Picture("a", "", "", "", partial(Figure, figsize=(1, 2)))]
    there = pictures.draw(made, tmp_path / "there", 1, two)
    here = pictures.draw(made, tmp_path / "here", 1)
    assert there == here == ["a.svg", "a.png"]
    assert all((tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes() for name in here)


# ---- what a worker does ------------------------------------------------------------------------------------


def test_a_worker_tells_of_each_point_at_once(tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    news_of: list[tuple[str, Any]] = []
    good = Outcome("ok", "ok", [[1.0, 2.0, 3.0, 4.0]])
    points = [("4", tasks[0][1]), ("7", tasks[1][1])]

    def simulated(
        layout: Layout, numbered: Any, on_outcome: Any, *, children: Any, limit_s: float, on_start: Any
    ) -> None:
        assert (layout, numbered, limit_s, children.stopped.is_set()) == (tasks[0][0], points, 2.5, False)
        for name, _ in numbered:
            on_start(name)
            on_outcome(name, good)

    monkeypatch.setattr(remote, "simulate", simulated)
    monkeypatch.setattr(remote, "tell", lambda topic, news: news_of.append((topic, news)))
    monkeypatch.setattr(
        remote, "unfit", lambda sources, simgrid: "" if (sources, simgrid) == ("c0ffee", "3.32") else "no"
    )
    found = remote.on_worker(3, tasks[0][0], points, "c0ffee", "3.32", 2.5, "topic")
    assert found == [("4", good.plain()), ("7", good.plain())]
    assert news_of == [
        ("topic", news)
        for name in "47"
        for news in ({"batch": 3, "name": name}, {"name": name, "outcome": good.plain()})
    ]
    with pytest.raises(UserError, match="^no$"):
        remote.on_worker(3, tasks[0][0], points, "decaf", "3.32", 2.5, "topic")


def test_a_caller_hears_of_points_and_of_the_end_of_batches(tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    """The second batch is lost: its points died."""
    heard: list[tuple[Any, ...]] = []
    good = Outcome("ok", "ok", [[1.0] * 4])
    monkeypatch.setattr(remote.smpirun, "version", lambda: "3.32")

    class Workers:
        def call(self, function: Any, items: list[Any], on_news: Callable[[Any], None]) -> Iterator[tuple[int, Any]]:
            assert function is remote.on_worker
            assert items == [(k, b.layout, b.points, "c0ffee", "3.32", 2.5) for k, b in enumerate(todo)]
            on_news({"batch": 0, "name": "a"})
            on_news({"name": "a", "outcome": good.plain()})
            yield 1, Lost("4 workers died at it")
            yield 0, [("a", good.plain())]

    todo = [Batch(tasks[0][0], [("a", tasks[0][1])]), Batch(tasks[0][0], [("b", tasks[1][1])])]
    remote.run(Workers(), todo, "c0ffee", 2.5, lambda *words: heard.append(words), lambda *words: heard.append(words))  # type: ignore[arg-type]
    lost = Outcome("died", "simulation failed: 4 workers died at it")
    assert heard == [(0, "a"), ("a", good), ("b", lost), (1, None), ("a", good), (0, None)]


def test_an_unfit_worker_is_reported_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "node7")
    monkeypatch.setattr(cache, "sources_hash", lambda *folders: "c0ffee")
    monkeypatch.setattr(remote.smpirun, "version", lambda: "3.32")
    monkeypatch.setattr(programs, "SIM_DRIVER", tmp_path / "driver")

    def why(sources: str, simgrid: str) -> str:
        remote.unfit.cache_clear()
        return remote.unfit(sources, simgrid)

    where = "the worker on node7 has"
    other = f"{where} other sources in {paths.ROOT}; bring them to the same commit, and start the worker again"
    assert why("decaf", "3.32") == other
    assert why("c0ffee", "4.1") == f"{where} SimGrid 3.32, and here it is 4.1; the digits would differ"
    assert why("c0ffee", "3.32") == f"{where} no {tmp_path}/driver; run ./collscope setup there"
    (tmp_path / "driver").touch()
    assert why("c0ffee", "3.32") == ""
    remote.unfit.cache_clear()


# ---- without workers ---------------------------------------------------------------------------------------


class Piece:
    """A piece of work: it has an answer, or it failed; or neither, and is under way."""

    def __init__(self, answer: Any = None, error: BaseException | None = None, running: bool = False) -> None:
        self.answer, self.error, self.running = answer, error, running

    def exception(self) -> BaseException | None:
        return self.error

    def result(self) -> Any:
        return self.answer

    def done(self) -> bool:
        return not self.running


class Desk:
    """In place of Dask's client: hands out pieces that were made beforehand, and remembers what it is asked."""

    id, loop = "desk", None

    def __init__(self, *pieces: Piece) -> None:
        self.pieces, self.cancelled = list(pieces), list[Piece]()
        self.topics: dict[str, Callable[[Any], None]] = {}
        self.submitted: list[tuple[Any, ...]] = []

    def subscribe_topic(self, topic: str, on_news: Callable[[Any], None]) -> None:
        self.topics[topic] = on_news

    def unsubscribe_topic(self, topic: str) -> None:
        del self.topics[topic]

    def submit(self, function: Callable[..., Any], *words: Any, pure: bool) -> Piece:
        assert not pure, "the same work twice is done twice"
        self.submitted.append(words)
        return self.pieces[len(self.submitted) - 1]

    def cancel(self, pieces: list[Piece]) -> None:
        self.cancelled += pieces


@pytest.fixture
def in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "as_completed", lambda pieces, loop: iter(pieces))


def test_an_error_cancels_what_is_running_and_nothing_else(in_order: None) -> None:
    pieces = [Piece(7), Piece(error=UserError("no")), Piece(running=True), Piece(8)]
    desk = Desk(*pieces)
    found = []
    with pytest.raises(UserError, match="^no$"):
        for place, answer in Cluster(desk, 2).call(print, [(k,) for k in range(4)]):
            found.append((place, answer))
    assert found == [(0, 7)] and desk.cancelled == [pieces[2]] and not desk.topics


def test_news_come_by_a_topic_of_each_call(in_order: None) -> None:
    desk, news = Desk(Piece(1), Piece(2)), []
    both = Cluster(desk, 2)
    for call in both.call(print, [("a",)], news.append), both.call(print, [("b",)], news.append):
        next(call)
        (on_news,) = desk.topics.values()
        on_news((0, "here"))
        assert not list(call)
    assert desk.submitted == [("a", "collscope-0-desk"), ("b", "collscope-1-desk")] and news == ["here", "here"]
    assert not desk.cancelled


def test_a_lost_piece_says_how_many_workers_died(in_order: None) -> None:
    killed = pytest.importorskip("distributed.scheduler").KilledWorker
    desk = Desk(Piece(error=killed("a", None, 3)), Piece(5))
    (_, lost), (place, answer) = Cluster(desk, 2).call(print, [(0,), (1,)])
    assert str(lost) == f"{cluster.DEATHS + 1} workers died at it (of lack of memory?)" and (place, answer) == (1, 5)
