"""collscope.calibration.noise: planted distributions of single messages come back from their round trips, and from a specification."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from collscope.base.errors import UserError
from collscope.base.statistics import quantile
from collscope.calibration.noise import PARTS, SPLITS, noise_of, single_messages
from collscope.machines.spec_reader import parse_spec

MIN_S = 5e-4
SPEC = "name = 't'\nnodes = 4\nsockets = 1\ncores_per_socket = 1\n[curve]\nnetwork = [[0, 5e-6, 1e-9]]\n"


def half_trips(one: Callable[[], float], count: int = 2000) -> list[float]:
    return [(2 * MIN_S + one() + one()) / 2 for _ in range(count)]


@pytest.mark.parametrize("shape", [0.3, 1.0, 3.0])
def test_gamma_distributions_come_back(shape: float) -> None:
    """A message's, not its round trip's: that has half the spread."""
    draw = random.Random(7)

    def one() -> float:
        return draw.gammavariate(shape, 1e-4)

    expected = sorted(MIN_S + one() for _ in range(20_000))
    found = single_messages(half_trips(one, 500))
    spread = quantile(expected, 0.95) - quantile(expected, 0.05)
    for part in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert quantile(found, part) == pytest.approx(quantile(expected, part), abs=0.1 * spread), part
    assert sum(found) / len(found) == pytest.approx(MIN_S + shape * 1e-4, rel=0.02)


def test_a_rare_late_message_is_one_of_the_two() -> None:
    draw = random.Random(7)

    def one() -> float:
        return 1e-5 * draw.random() + (5e-3 if draw.random() < 0.01 else 0.0)

    found = single_messages(half_trips(one, 1000))
    assert quantile(found, 0.95) < MIN_S + 2e-5
    assert sum(t > MIN_S + 4e-3 for t in found) / len(found) == pytest.approx(0.01, rel=0.4)


@pytest.mark.parametrize(("beyond", "one_is_late"), [(2.9, False), (3.1, True)])
def test_a_trip_three_interquartile_ranges_above_the_upper_quartile_has_one_late_message(
    beyond: float, one_is_late: bool
) -> None:
    """The whole of its delay is then in one of the two, however it is split; a nearer one's is shared out like that of the others."""
    usual = [MIN_S + 1e-6 * i / 100 for i in range(101)]  # quartiles 0.25 and 0.75
    half = MIN_S + 0.75e-6 + beyond * 0.5e-6
    late = [t for t in single_messages([*usual, half]) if t > MIN_S + 2 * (half - MIN_S) - 2.1e-6]
    assert (len(late) == SPLITS) == one_is_late


def test_noise_is_about_the_time_of_the_curve() -> None:
    alike = noise_of([3e-4] * 20, 2.5e-4)
    assert [part for part, _ in alike] == list(PARTS)
    assert all(seconds == pytest.approx(5e-5) for _, seconds in alike)
    assert noise_of([3e-4] * 19, 2.5e-4) == ()


@pytest.mark.parametrize(
    ("quantiles", "message"),
    [
        ("[[0, 0], [0.9, 1e-6]]", "the parts ascend from 0 to 1"),
        ("[[0, 0], [0.5, 1e-6], [0.5, 2e-6], [1, 3e-6]]", "the parts ascend"),
        ("[[0, 1e-6], [1, 0]]", "the seconds must not descend"),
        ("[[0, 0], [1, 1e9]]", "the seconds must be 0 or"),
        ("[[0, 0]]", "a list of 2 to 32 pairs"),
    ],
)
def test_a_noise_that_does_not_ascend_is_refused_with_its_line(quantiles: str, message: str) -> None:
    text = f"{SPEC}[[noise.network]]\nfrom_bytes = 0\nquantiles_s = {quantiles}\n"
    with pytest.raises(UserError, match=rf"t\.toml:9: noise\.network.*{message}"):
        parse_spec(text, "t.toml")
