"""From the samples of a machine to its numbers."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.calibration.curves import curve_at
from collscope.calibration.fit import fit, quality_of
from collscope.calibration.topology import Cpu, Topology
from made_samples import TWO_CORES, line, made_lines


def test_a_pair_of_ranks_is_of_the_class_of_its_processors() -> None:
    threads = Topology("", (Cpu(0, 0, 0, 0), Cpu(1, 1, 1, 1), Cpu(2, 0, 0, 0), Cpu(3, 1, 1, 1)))
    lines = made_lines()
    lines[1] = {"place": {"rank": 1, "host": "h", "cpu": 3}}  # the second thread of the other socket's core
    assert set(fit(lines, threads).curves) == {"node"}


def test_curves_take_the_median_and_the_bound_the_least() -> None:
    """Five samples: the lower quartile is the second, the median the third; and the middle one of three launches counts."""
    spread = (0.8, 1.0, 1.5, 2.0, 3.0)

    def spoilt(factor: float) -> list[dict[str, Any]]:
        """Lines whose samples lie around `factor` times what the machine takes."""
        made: list[dict[str, Any]] = []
        for entry in made_lines():
            ((kind, values),) = entry.items()
            if "samples" in values:
                values = {**values, "samples": [factor * min(values["samples"]) * share for share in reversed(spread)]}
            made.append({kind: values})
        return made

    lines = [*spoilt(2.0), *spoilt(1.0), *spoilt(1.5)]
    found, usual = fit(lines, TWO_CORES), fit(made_lines(), TWO_CORES)
    start, latency, slope = usual.curves["cache"][0]
    assert found.curves["cache"][0] == pytest.approx((start, 1.5 * 1.5 * latency, 1.5 * 1.5 * slope))
    assert found.copy == pytest.approx((1.5 * 1.5 * 6e-11, 0.8 * 2e-11, 2 * 1e-10))
    assert found.overhead_s == pytest.approx(usual.overhead_s)
    assert found.memory_bytes_per_s == pytest.approx(usual.memory_bytes_per_s / 2), "of the first launch"
    value, low, high = found.gamma
    assert (value, low, high) == pytest.approx((2 * 8e-11, 0.8 * 4e-11, 2 * 2e-10))
    assert found.least["G"] == pytest.approx(0.8 * 2e-11)
    assert found.least["gamma"] == pytest.approx(0.8 * 4e-11)
    assert found.least["o"] == pytest.approx(0.8 * 9e-8)
    shortest = min(0.8 * (4e-7 + n * 2e-10) - n * 0.8 * 2e-11 for n in (0, 1, 2**20))
    assert found.least["L"] == pytest.approx(shortest - 2 * found.least["o"])


def test_noise_is_of_the_first_pair_of_a_class_about_the_time_of_its_size() -> None:
    single = [{"single": {"bytes": n, "a": 0, "b": 1, "samples": [2e-6] * 15}} for n in (1, 1024, 3)]
    found = fit([*made_lines(), *single, *single], TWO_CORES)
    ((level, sizes),) = found.noise.items()
    assert level == "cache" and [n for n, _ in sizes] == [1, 1024], "3 bytes were not measured otherwise"
    assert [s for _, s in sizes[1][1]] == pytest.approx([2e-6 - (4e-7 + 1024 * 2e-10)] * len(sizes[1][1]))
    assert fit([*made_lines(), *single], TWO_CORES).noise == {}, "15 round trips are too few"


def test_residuals_are_what_the_pieces_miss_and_where() -> None:
    pieces = [(0, 1e-6, 0.0), (1000, 0.0, 2e-9)]
    sizes = {0: [9.0], 1: [1e-6, 1e-6, 3e-6], 100: [1.25e-6], 2000: [4e-6], 4000: [7.2e-6, 6e-6, 8e-6]}
    found = quality_of(pieces, sizes, 15)
    assert (found.samples, found.sizes, found.worst_bytes) == (9 * 15, 4, 100)
    assert found.worst == pytest.approx(0.2)
    assert found.median == pytest.approx((0 + 0.8 / 7.2) / 2)


def test_two_overheads_leave_room_for_a_latency() -> None:
    """A send that seems to cost more than a message takes: 45 % of the shortest one is the most."""
    lines = made_lines()
    for entry in lines:
        if "overhead" in entry or "gap" in entry:
            next(iter(entry.values()))["samples"] = [1e-6, 1e-6]
    found = fit(lines, TWO_CORES)
    assert found.overhead_s == pytest.approx(0.45 * 4e-7)
    assert found.least["o"] == pytest.approx(0.45 * 4e-7)
    assert found.least["L"] == pytest.approx(0.1 * 4e-7)


def entry(kind: str, size: int, ranks: int, *samples: float) -> dict[str, Any]:
    return line(kind, list(samples), bytes=size, ranks=ranks)


def test_local_work_is_of_the_middle_size_with_all_ranks_and_its_range() -> None:
    """Every entry its own primes: the value is the lower quartile of the middle size with the most ranks."""
    kept = [x for x in made_lines() if "gamma" not in x and "copy" not in x]
    gammas = [
        entry("gamma", 8, 1, 11e-11, 13e-11, 17e-11), entry("gamma", 8, 2, 19e-11, 23e-11, 29e-11),
        entry("gamma", 64, 1, 31e-11, 37e-11, 41e-11), entry("gamma", 64, 2, 43e-11, 47e-11, 53e-11),
        entry("gamma", 512, 1, 59e-11, 61e-11, 67e-11), entry("gamma", 512, 2, 71e-11, 73e-11, 79e-11),
    ]  # fmt: skip
    copies = [
        entry("copy", 512, 2, 7e-11, 5e-11, 3e-11), entry("copy", 512, 1, 3e-11, 3e-11, 3e-11), entry("copy", 8, 4, 2e-11, 9e-11, 9e-11),
        entry("copy", 64, 4, 5e-11, 5e-11, 5e-11),
    ]  # fmt: skip
    found = fit([*kept, *gammas, *copies], TWO_CORES)
    assert found.gamma == pytest.approx((45e-11, 11e-11, 72e-11))
    assert found.copy == pytest.approx((6e-11, 2e-11, 6e-11)), "between messages; the others are its range"
    assert found.memory_bytes_per_s == pytest.approx(2 / 4e-11), "the largest copy with the most ranks"
    assert (found.least["G"], found.least["gamma"]) == (2e-11, 11e-11)


def test_the_least_of_a_machine() -> None:
    """o: of sends and of gaps of at most a byte; L: what is left of the message that is the shortest beyond its bytes."""
    lines = [x for x in made_lines() if "gap" not in x and "overhead" not in x]
    lines += [line("overhead", [7e-8, 9e-8], bytes=1, a=0, b=1), line("gap", [6e-8, 8e-8], bytes=1, a=0, b=1)]
    lines += [line("gap", [1e-8], bytes=2, a=0, b=1), line("gap", [6.5e-8], bytes=0, a=0, b=1)]
    lines += [line("pingpong", [3.9e-7, 5e-7, 5e-7], bytes=100, a=0, b=1)]
    found = fit(lines, TWO_CORES)
    assert found.overhead_s == pytest.approx(7.5e-8), "the quartile of sends"
    assert found.least == pytest.approx(
        {"o": 6e-8, "g": 6e-8, "L": 3.9e-7 - 100 * 2e-11 - 12e-8, "G": 2e-11, "gamma": 4e-11}
    )
    # A long message that seems to cost less than two overheads beyond its bytes: o gives way, and L is nothing.
    found = fit([*lines, line("message", [1e-7 + 5000 * 2e-11], bytes=5000, a=0, b=1)], TWO_CORES)
    assert (found.least["o"], found.least["g"], found.least["L"]) == (pytest.approx(5e-8), pytest.approx(5e-8), 0)
    found = fit([*lines, line("message", [1.5e-7], bytes=10000, a=0, b=1)], TWO_CORES)
    assert (found.least["o"], found.least["L"]) == (0, 0)


def test_each_pair_is_of_its_class_and_their_median_counts() -> None:
    """Ranks without a place sit on the cores in their order; the first word about a place counts."""
    four = Topology("", (Cpu(0, 0, 0, 0), Cpu(1, 1, 0, 0), Cpu(2, 2, 0, 1), Cpu(3, 3, 1, 2)))
    lines = [x for x in made_lines() if "message" not in x and "place" not in x]
    lines += [
        line("message", [factor * (t := 4e-7 + size * 2e-10), t * factor], bytes=size, a=0, b=b)
        for b, factor in ((1, 1.0), (2, 2.0), (3, 3.0), (5, 2.9)) for size in (0, 1, 64, 4096)
    ]  # fmt: skip
    found = fit(lines, four).curves
    assert {level: pieces[0][1] for level, pieces in found.items()} == pytest.approx(
        {"cache": 4e-7, "socket": 8e-7, "node": 2.95 * 4e-7}, rel=1e-3
    )
    placed = fit([{"place": {"rank": 3, "cpu": 1}}, {"place": {"rank": 3, "cpu": 0}}, *lines], four).curves
    assert placed["cache"][0][1] == pytest.approx(8e-7, rel=1e-3), "of factors 1, 2 and 3"
    assert placed["node"][0][1] == pytest.approx(2.9 * 4e-7, rel=1e-3), "of one pair alone"
    assert fit(lines, four).quality["node"].samples == 2 * 8 and fit(lines, four).quality["cache"].sizes == 3


def test_every_size_counts() -> None:
    lines = [x for x in made_lines() if "message" not in x]
    lines += [line("message", [t, t], bytes=n, a=0, b=1) for n, t in ((1, 1e-6), (1000, 5e-6), (2000, 6e-6))]
    pieces = fit(lines, TWO_CORES).curves["cache"]
    assert [curve_at(pieces, n) for n in (1, 1000, 2000)] == pytest.approx([1e-6, 5e-6, 6e-6])
