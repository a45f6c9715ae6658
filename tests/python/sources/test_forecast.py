"""collscope.sources.forecast, collscope.sources.model: how long simulations and the model take, as it is announced before they begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.catalogue.registry import Registry
from collscope.machines import find
from collscope.points.plan import Layout, Point, Task
from collscope.sources import forecast, model
from collscope.sources.forecast import OPERATION_S, POINT_S, RANK_S, START_S
from collscope.sources.source import Options
from open_mpi import needs_prover
from tiny_platform import tiny


@pytest.fixture
def tasks(known: Registry, workplace: Path) -> list[Task]:
    """Four points of the same cost."""
    layout = Layout(tiny(), 2, 4)
    return [(layout, Point("bcast", "bcast/linear", 1, root=root)) for root in range(4)]


def test_the_time_follows_from_that_of_a_run_before(tasks: list[Task]) -> None:
    speed = 600.0 / forecast.cost(tasks)  # all four took ten minutes of a core
    assert forecast.duration_s(tasks, 2, speed) == pytest.approx(300)
    assert forecast.duration_s(tasks[:1], 1, speed) == pytest.approx(150)
    assert forecast.sentence("bird", 4, tasks[:1], 1, speed) == (
        "bird: 4 points, 3 of them cached; 1 to simulate, 1 at a time: about 2 min (as fast as the reference was made)"
    )


@needs_prover
def test_operations_ranks_and_launches_take_time(workplace: Path) -> None:
    """Three messages of a broadcast on four ranks are six operations and a wait or none; a launch starts its ranks."""
    task = (Layout(tiny(), 2, 4), Point("bcast", "bcast/linear", 1))
    (one,) = forecast.seconds([task])
    assert one == pytest.approx(4 * POINT_S + 9 * OPERATION_S)
    assert forecast.work_s([task], 1) == pytest.approx(one + START_S + 4 * RANK_S)


def test_workers_share_the_work(tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast, "work_s", lambda tasks, jobs: 30.0 * len(tasks))
    assert [forecast.duration_s(tasks, jobs) for jobs in (1, 2, 4, 8)] == [120, 60, 30, 30]
    assert forecast.sentence("x", 4, tasks, 2).endswith("4 to simulate, 2 at a time: about 60 s (by their operations)")
    assert forecast.sentence("x", 4, [], 2) == "x: 4 points, all of them cached"
    many = [(Layout(tiny(), 2, 1000), tasks[0][1])]
    assert "1 at a time: 15 s to 60 s (" in forecast.sentence("x", 1, many, 1), "what is not counted is a range"


def test_a_machine_is_as_fast_as_its_last_runs_were(tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    """With two that took what the constants say; short runs do not count, nor do those before the last five."""
    monkeypatch.setattr(forecast, "work_s", lambda tasks, jobs: 30.0)
    assert forecast.factor() == 1
    for expected_s, took_s in ((10, 20), (10, 40), (0.5, 90)):
        forecast.learn(expected_s, took_s)
    assert forecast.factor() == pytest.approx(8**0.25) and forecast.duration_s(tasks, 1) == pytest.approx(30 * 8**0.25)
    for _ in range(5):
        forecast.learn(10, 80)
    assert forecast.factor() == pytest.approx(8 ** (5 / 7))


MODELLED = (
    ("schooner", 4, 64, "bcast", "makespan"),
    ("schooner", 4, 64, "alltoall", "makespan"),
    ("schooner", 16, 128, "allgather", "makespan"),
    ("orfeo_epyc", 2, 64, "allreduce", "makespan"),
    ("orfeo_epyc", 1, 64, "gather", "osu_avg[barrier=barrier/dissemination]"),
    ("ideal", 64, 64, "scatter", "makespan"),
    ("schooner", 4, 16, "allreduce", "makespan"),
)


@needs_prover
@pytest.mark.parametrize(("platform", "nodes", "ranks", "collective", "metric"), MODELLED)
def test_the_estimate_of_the_model_is_within_a_factor_of_two(
    known: Registry, workplace: Path, monkeypatch: pytest.MonkeyPatch, platform: str, nodes: int, ranks: int, collective: str, metric: str
) -> None:  # fmt: skip
    """All algorithms of a collective, in counted steps, which every machine takes alike."""
    monkeypatch.setattr(model, "LONG_S", 0.0)
    layout = Layout(find.load(platform), nodes, ranks)
    keys = [a.full_key() for a in known.of(collective)]
    tasks = [(layout, Point(collective, key, count, metric=metric)) for key in keys for count in (256, 1 << 15)]
    expected = model.seconds(tasks) / model.STEP_S
    took = sum(reply["steps"] for reply in model.evaluate([model.timed(t) for t in tasks]) if reply["kind"] == "ok")
    assert took / 2 <= expected <= 2 * took


@needs_prover
def test_a_long_model_is_announced_without_what_is_kept(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing is said, nor timed on fewer ranks, where it cannot be long."""
    calls = []
    monkeypatch.setattr(model, "_grown_steps", lambda tasks, small, large: calls.append(tasks) or 1e10 * len(tasks))
    layout = Layout(find.load("schooner"), 4, 64)
    tasks = [(layout, Point("bcast", "bcast/linear", count)) for count in (1, 2)]
    model.rows(tasks[:1], Options())
    assert not calls and capsys.readouterr().err == ""
    monkeypatch.setattr(model, "MAX_SHARES", 1e9)
    model.rows(tasks, Options())
    assert (
        "model: 2 points by the model, 1 to time: about 11 min (by the same calls on fewer ranks)"
        in capsys.readouterr().err
    )
    assert [task for some in calls for task in some] == [model.timed(tasks[1])]
    model.rows(tasks, Options(quiet=True))
    assert capsys.readouterr().err == ""
    model._announce([(layout, Point("bcast", "bcast/linear", 3))], Options(noise=9))
    assert "1 to time: about 1.8 h" in capsys.readouterr().err, "once without noise, and nine draws"
