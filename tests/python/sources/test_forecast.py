"""collscope.sources.forecast: what is sentence before simulations begin."""

from __future__ import annotations

import pytest

from collscope.catalogue.registry import Registry
from collscope.points.plan import Layout, Point, Task
from collscope.sources import forecast
from tiny_platform import tiny


@pytest.fixture
def tasks(known: Registry) -> list[Task]:
    """Four points of the same cost."""
    layout = Layout(tiny(), 2, 4)
    return [(layout, Point("bcast", "bcast/linear", 1, root=root)) for root in range(4)]


def test_the_time_follows_from_that_of_a_run_before(tasks: list[Task]) -> None:
    speed = 600.0 / forecast.cost(tasks)  # all four took ten minutes of a core
    assert forecast.duration_s(tasks, 2, speed) == pytest.approx(300)
    assert forecast.duration_s(tasks[:1], 1, speed) == pytest.approx(150)
    sentence = forecast.sentence("bird", 4, tasks[:1], 1, speed)
    assert (
        sentence
        == "bird: 4 points, 3 of them cached; 1 to simulate, 1 at a time: about 2 min (as fast as the reference was made)"
    )


def test_the_time_is_estimated_where_nothing_is_known(tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast, "seconds", lambda layout, point: 30.0)
    assert [forecast.duration_s(tasks, jobs) for jobs in (1, 2, 4, 8)] == [120, 60, 30, 30]
    assert (
        forecast.sentence("x", 4, tasks, 2) == "x: 4 points; 4 to simulate, 2 at a time: about 60 s (a rough estimate)"
    )
    assert forecast.sentence("x", 4, [], 2) == "x: 4 points, all of them cached"
