"""collscope.analysis.place_checks, collscope.analysis.series_checks: tolerances at their edges, and times that are equal."""

from __future__ import annotations

import pytest

from judging import assertions, table

EDGES = table(
    lambda c, name, p, m, size: {"a": 10e-6, "b": 11e-6, "c": 12.5e-6, "d": 10e-6 * (1 + 1e-15 * m)}[name],
    [(8, 1), (8, 2)],
    ["a", "b", "c", "d"],
    [1024],
)


@pytest.mark.parametrize(
    ("check", "holds"),
    [
        ('kind = "fastest"\nname = "b"\nwithin = 0.1', True),
        ('kind = "fastest"\nname = "d"\nwithin = 0', True),
        ('kind = "slowest"\nname = "b"\nwithin = 0.12', True),
        ('kind = "faster"\nname = "a"\nthan = "b"\nby = 0.1', True),
        ('kind = "faster"\nname = "a"\nthan = "c"\nby = 0.25', True),
        ('kind = "equal"\nname = "a"\nthan = "b"\nwithin = 0.1', True),
        ('kind = "equal"\nname = "a"\nthan = "d"\nwithin = 0', True),
        ('kind = "no_slower"\nname = "b"\nthan = "a"\nwithin = 0.1', True),
        ('kind = "ratio"\nname = "b"\nthan = "a"\ntimes = 1\nwithin = 0.1', True),
        ('kind = "order"\nnames = ["a", "c"]\nby = 0.25', True),
        ('kind = "one_fastest"\nwithin = 0', True),
        ('kind = "not_always_fastest"\nname = "b"\nwithin = 0.1', False),
        ('kind = "not_always_fastest"\nname = "d"\nwithin = 0', False),
        ('kind = "faster_at_every_size"\nname = "a"\nthan = "d"', False),
        ('kind = "lead_up_to"\nname = "a"\nthan = "c"\ntimes = 1.25', True),
    ],
)
def test_a_tolerance_is_met_at_its_edge_whatever_the_last_digits_are(check: str, holds: bool) -> None:
    """10 and 11 µs are 10 % apart, and times that differ in the last digit are equal."""
    (found,) = assertions(f"{check}\nnodes = 1", EDGES)
    assert found.holds is holds, found


def test_times_that_differ_in_the_last_digits_alone_do_not_grow() -> None:
    (found,) = assertions('kind = "grows"\nname = "d"\nthan = "a"', EDGES)
    assert found.holds is False, found


@pytest.mark.parametrize("check", ['kind = "faster"\nname = "a"\nthan = "b"', 'kind = "order"\nnames = ["a", "b"]'])
def test_a_lead_that_rounding_makes_smaller_is_met(check: str) -> None:
    """The means of 10 and 15 µs have the ratio 1.4999999999999991."""
    times = table(lambda c, name, p, m, size: {"a": 10e-6, "b": 15e-6}[name], [(8, 1)], ["a", "b"], [1024])
    (found,) = assertions(f"{check}\nby = 0.5\nnodes = 1", times)
    assert found.holds is True, found
