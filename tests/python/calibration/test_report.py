"""collscope.calibration.report: what is printed of a calibration, and its page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.calibration import report
from collscope.calibration.calibrate import Calibration
from collscope.calibration.contention import Gaps
from collscope.calibration.curves import CurveFit, Error, Point
from collscope.calibration.estimates import Estimates
from collscope.calibration.links import AT_LEAST, Rate
from collscope.calibration.published import Fitted, PublishedFit
from collscope.calibration.samples import Placement
from collscope.calibration.tables import Measured
from made_samples import ONE_FLOW, reading, together

PAIR = Placement(((0, 0, 0), (1, 1, 1)))


def made() -> Calibration:
    """Two nodes: three sizes and two pieces, of which the second misses its size by 16 %."""
    times = {1: 1e-6, 1024: 2e-6, 65536: 7e-5}
    samples = together(
        PAIR,
        [reading("pingpong", ONE_FLOW, n, t, 1.5 * t, 2 * t) for n, t in times.items()],
        reading("pingpong", ONE_FLOW, 4096, 3e-6, 3.7e-6, 3.7e-6),  # 23 % apart: quiet
        reading("pingpong", ONE_FLOW, 8192, 4e-6, 9e-6, 9e-6, single=True),  # which may vary
        reading("pingpong_fresh", ONE_FLOW, 1024, 5e-6),
    )
    quantiles = ((0.0, -1e-6), (0.05, -2e-7), (0.5, 1e-6), (0.95, 2e-6), (0.99, 3e-6), (1.0, 4e-6))
    points, pieces = tuple(Point(n, 1.25 * t) for n, t in times.items()), ((0, 1.25e-6, 1.2e-9), (65536, 0.0, 1.55e-9))
    found = Estimates(
        curves={"network": CurveFit(points, pieces, (65536,))},
        overhead_s=1e-7,
        eager=(512, 1024),
        in_order=True,
        nic_gap_s=3e-7,
        rates={"nic": Rate(1e9, AT_LEAST), "core": Rate(2.5e9)},
        gaps={"network": [(1, 2e-7), (2, 3e-7), (4, 4e-7), (512, 9e-7)], "node": []},
        receives={"network": [(1, 1e-7)]},
        local={"copy": (1e-10, 5e-11, 2e-10)},
        noise={"network": [(1, quantiles)]},
        notes=("a note",),
    )
    return Calibration(Path("spec.toml"), found, samples, "here, now")


def test_the_page_of_a_cluster_has_every_number(golden: Callable[[str, str], None]) -> None:
    golden("cluster_page", report.page(made(), "mine", "p.png", "d.csv"))


def test_a_cluster_is_printed_with_its_curves_and_links(golden: Callable[[str, str], None]) -> None:
    golden("calibrate", "\n".join(report.describe(made())))


def test_a_calibration_without_doubts_prints_little() -> None:
    calm = replace(made(), estimates=Estimates(in_order=False), samples=together(PAIR))
    assert report.page(calm, "mine", "p.png", "d.csv").endswith("## To be careful with\n\n- nothing was noticed\n")
    assert list(report.describe(calm)) == ["here, now", "overhead 0 s", "messages of one pair flow side by side"]
    assert "Single messages" not in report.page(calm, "mine", "p.png", "d.csv")
    unordered = replace(made(), estimates=replace(made().estimates, in_order=None, notes=()))
    assert [*report.warnings(unordered)][2:] == ["order: no stream was measured"]
    assert "messages of one pair" not in dict(report.others(unordered))


def test_noise_of_a_quarter_and_errors_of_a_tenth_are_warned_of() -> None:
    errors, noise = report.warnings(made())
    assert errors == "network: errors above 10% at 64 KiB"
    assert "of 3 ping-pongs the median is more than 25% above the least, from 1 B to 64 KiB" in noise


# ---- published times --------------------------------------------------------------------------------------


def test_published_times_are_printed_with_errors_jumps_gaps_and_doubts(golden: Callable[[str, str], None]) -> None:
    """A class with all there is to know, and one with nothing."""
    sizes = (1, 2, 4, 8, 1 << 20)
    times = tuple(Measured(n, t, 0.5 * t, 1.5 * t) for n, t in zip(sizes, (5e-6, 1e-6, 9e-7, 2e-6, 1e-3), strict=True))
    left = tuple(Error(n, e) for n, e in zip(sizes, (0.02, -0.11, 0.1, 0.0, 0.5), strict=True))
    points = tuple(Point(m.bytes, m.seconds) for m in times)
    curve = PublishedFit(times, CurveFit(points, ((0, 1e-6, 2e-9), (8, 0.0, 1e-9)), (8,)), left, "")
    calm = tuple(Measured(n, n * 1e-9) for n in (2, 4, 1 << 20))
    line = CurveFit(tuple(Point(m.bytes, m.seconds) for m in calm), ((0, 0.0, 1e-9),))
    other = PublishedFit(calm, line, (Error(4, 0.1),), "")
    gaps = Gaps({"socket": [(1, 2e-7), (1024, 3e-7)]}, {"node": (4096, 7e-6)}, "", 3, 12, {"socket": [(1, 1e-7)]}, "")
    blind = (Error(2, 0.2), Error(4, -0.1), Error(8, 0.0))
    golden(
        "calibrate_from", "\n".join(report.describe_published(Fitted({"socket": curve, "network": other}, blind, gaps)))
    )


@pytest.mark.parametrize(
    ("times", "latency", "doubts"),
    [
        ([(1, 1.0, 0.9, 1.15), (1 << 20, 2.0, None, 9.0)], 1.0, []),
        ([(1, 1.0, 0.9, 1.16), (1 << 20, 2.0, 0.1, None)], 1.0, ["pairs differ by more than 25% at 1 B"]),
        ([(1, 1.0, None, None), (1 << 20, 0.985, None, None)], 1.0, []),  # two hundredths are noise
        ([(1, 1.0, None, None), (1 << 20, 0.975, None, None)], 1.0, ["1 MiB takes less time than 1 B"]),
        ([(1, 1.0, None, None), (4096, 2.0, None, None)], 1.0,
         ["nothing above 4 KiB was measured; the last piece is extrapolated"]),
        ([(1, 1.0, None, None), (1 << 20, 1.0, None, None)], 2.0, []),
        ([(1, 1.0, None, None), (1 << 20, 1.0, None, None)], 2.1, ["the smallest message is not the fastest"]),
        ([(1 << k, 1.0, 0.1, 1.0) for k in range(14, 21)], 1.0,
         ["pairs differ by more than 25% at 16 KiB, 32 KiB, 64 KiB, 128 KiB, 256 KiB, 512 KiB …"]),
        ([(1 << k, 1.0, 0.1, 1.0) for k in range(15, 21)], 1.0,
         ["pairs differ by more than 25% at 32 KiB, 64 KiB, 128 KiB, 256 KiB, 512 KiB, 1 MiB"]),
    ],
)  # fmt: skip
def test_data_are_doubted_from_a_limit_on(
    times: list[tuple[int, float, float | None, float | None]], latency: float, doubts: list[str]
) -> None:
    curve = PublishedFit(tuple(Measured(*m) for m in times), CurveFit((), ((0, latency, 0.0),)), (), "")
    assert list(report.doubts(curve)) == doubts
