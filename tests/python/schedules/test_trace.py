"""collscope.schedules.trace: traces."""

from __future__ import annotations

from collscope.schedules import trace


def test_subtraction_leaves_the_rest_of_an_interval() -> None:
    assert trace.without([(0.0, 10.0)], [(2.0, 3.0), (2.5, 4.0), (9.0, 12.0)]) == [(0.0, 2.0), (4.0, 9.0)]
    assert trace.without([(0.0, 1.0)], []) == [(0.0, 1.0)]
    assert trace.without([(0.0, 1.0)], [(0.0, 1.0)]) == []
