"""model: elements of a node's model (docs/node_model.md), each in the timing engine and, written independently, in SMPI: the same times."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collscope.catalogue import registry
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Layout, Point, Timing
from collscope.sources import bounds, model, simulate
from collscope.sources.source import in_loop
from driven import agree, drive, needs_simulation
from made_platforms import ELEMENTS, write
from scripts import (
    SCRIPT,
    SCRIPT_MPI,
    all_to_all_at_once,
    at_random,
    modelled,
    pipeline,
    scatter_at_once,
    simulated,
    written,
)

pytestmark = needs_simulation(SCRIPT, SCRIPT_MPI)

PICOSECOND = 1e-12
ALL = "gap+receive_gap+turnaround+nonblocking+in_order+nic_gap+invalidation+first_touch"


def alone(element: str) -> str:
    return f"without={'+'.join(name for name in ALL.split('+') if name != element)}"


VARIANTS = [
    "",
    *(alone(element) for element in ALL.split("+")),
    "without=gap,overhead_s=0",
    "without=gap+receive_gap,overhead_s=0",  # consecutive posts of a rank happen at one instant
    "eager_bytes=1000,eager_bytes_nonblocking=65536",
    "eager_bytes=-1",
    "eager_bytes_nonblocking=-1",
]


@pytest.mark.parametrize("variant", VARIANTS)
def test_any_schedule_ends_when_simgrid_says(variant: str, tmp_path: Path) -> None:
    on = find.load(f"{write(tmp_path, ELEMENTS)}[{variant}]")
    schedules = [scatter_at_once(16), all_to_all_at_once(16), pipeline(16, 40)]
    schedules += [at_random(seed) for seed in range(60)]
    scripts = written(schedules, tmp_path)
    ours = modelled(scripts, machine_file(on, 3, 16), tmp_path)
    assert ours == pytest.approx(simulated(scripts, on, 3, 16, tmp_path), rel=1e-9, abs=PICOSECOND)
    assert len(ours) == sum(map(len, schedules))


@pytest.mark.parametrize(  # with the lower one most messages are read in place
    "variant", [pytest.param("", marks=pytest.mark.full), "eager_bytes=1000"]
)
def test_every_algorithm_takes_what_the_simulation_says_and_no_less_than_the_bound(
    variant: str, tmp_path: Path
) -> None:
    name, ranks = f"{write(tmp_path, ELEMENTS)}[{variant}]", 11
    points = [
        Point(algorithm.collective, algorithm.key, count, timing=Timing(buffers=buffers))
        for algorithm in registry.load().algorithms
        for count in (1, 700, 30_011)
        for buffers in (("warm", "fresh") if count > 1 else ("warm",))
    ]
    least = bounds.loggp(find.load(name), 3, ranks)
    for at, time in zip(points, agree(tmp_path, name, ranks, points, nodes=3), strict=True):
        size = bounds.vector_bytes(at.collective, at.count, ranks, 4)
        assert time is None or time >= bounds.bound_loggp(at.collective, ranks, size, **least) * (1 - 1e-9), at


def test_fresh_buffers_cost_each_byte_that_the_call_writes_and_nothing_where_the_machine_does_not_say_so(
    tmp_path: Path,
) -> None:
    # what other cores hold of fresh buffers is another matter
    name, ranks, count = f"{write(tmp_path, ELEMENTS)}[without=invalidation]", 11, 30_011
    cases = [  # with bytes of `out` that are not input, at the rank that is done last
        (Point("bcast", "bcast/linear", count, root=0), 4 * count),
        (Point("allreduce", "allreduce/ring", count), 4 * count),
        (Point("allreduce", "allreduce/ring", count, in_place=True), 0),
        (Point("allgather", "allgather/bucket", count), 4 * count * ranks),
        (Point("allgather", "allgather/bucket", count, in_place=True), 4 * count * (ranks - 1)),
        (Point("allgather", "allgather/bucket", 1), 0),  # less than a page
    ]
    points = [replace(point, timing=Timing(buffers=buffers)) for point, _ in cases for buffers in ("warm", "fresh")]
    for on in (name, f"{write(tmp_path, ELEMENTS)}[without=first_touch+invalidation]"):
        layout = Layout(find.load(on), 3, ranks, "block")
        ours = [a["model_s"] for a in model.evaluate([(layout, p) for p in points])]
        assert ours == pytest.approx(drive(tmp_path, on, ranks, points, nodes=3), rel=1e-9, abs=PICOSECOND)
        for (point, written_first), warm, fresh in zip(cases, ours[::2], ours[1::2], strict=True):
            if written_first and on == name:
                assert warm < fresh < warm + ranks * 3e-10 * written_first, point
            else:
                assert fresh == warm, point


@pytest.mark.parametrize("barrier", ["decision/ompi_4_1_acknowledged", "barrier/tree", "barrier/double_ring"])
def test_a_loop_with_barriers_takes_what_the_simulation_says_and_its_barrier_matters(
    barrier: str, tmp_path: Path
) -> None:
    name, ranks = write(tmp_path, ELEMENTS), 11
    layout = Layout(find.load(name), 3, ranks, "block")
    keys = [
        "bcast/linear",
        "bcast/chain[chains=2,s=0]",
        "scatter/binomial",
        "allreduce/recursive_doubling",
        "barrier/dissemination",
    ]
    points = [
        in_loop(Point(key.partition("/")[0], key, count, metric=f"osu_avg[barrier={barrier}]"))
        for key in keys
        for count in (1, 5000)
    ]
    rows = simulate.run_tasks([(layout, p) for p in points])
    found = model.evaluate([(layout, p) for p in points])
    together = model.evaluate([(layout, replace(p, metric="osu_avg")) for p in points])
    for point, row, ours, plain in zip(points, rows, found, together, strict=True):
        assert row["status"] == ours["status"] == "ok"
        assert ours["model_s"] == pytest.approx(row["median_s"], rel=1e-9, abs=PICOSECOND), point
        assert ours["model_s"] != pytest.approx(plain["model_s"], rel=1e-3), point
    fresh = [
        replace(p, timing=replace(p.timing, buffers="fresh"))
        for p in points
        if p.count > 1 and p.collective in ("bcast", "allreduce")
    ]
    rows = simulate.run_tasks([(layout, p) for p in fresh])
    slower = 0
    for point, row, ours in zip(fresh, rows, model.evaluate([(layout, p) for p in fresh]), strict=True):
        warm = points.index(replace(point, timing=replace(point.timing, buffers="warm")))
        slower += ours["model_s"] > found[warm]["model_s"]
        assert ours["model_s"] == pytest.approx(row["median_s"], rel=1e-9, abs=PICOSECOND), point
    assert (
        slower or barrier == "barrier/double_ring"
    )  # ranks leave it so far apart that pages are found while they wait


@pytest.mark.parametrize("level", ["cache", "socket", "node", "network"])
def test_a_ping_pong_takes_its_curve_whatever_the_elements(level: str, tmp_path: Path) -> None:
    """Gaps are contained; nothing else touches a message that is alone."""
    on = find.load(write(tmp_path, ELEMENTS))
    plain = find.load(f"{write(tmp_path, ELEMENTS)}[without={ALL}]")
    other = {"cache": 1, "socket": 2, "node": 4, "network": 8}[level]
    for size in (0, 1000, 4000, 100_000):
        ops = [[] for _ in range(other + 1)]
        ops[0], ops[other] = [f"send {other} {size}", f"recv {other} {size}"], [f"recv 0 {size}", f"send 0 {size}"]
        scripts = written([ops], tmp_path)
        for platform in (on, plain):
            ends = modelled(scripts, machine_file(platform, 2, 16, "fill"), tmp_path)
            assert ends[0] == pytest.approx(2 * platform.machine.half_round_trip_s(level, size), rel=1e-9)
        assert on.machine.half_round_trip_s(level, size) == pytest.approx(
            plain.machine.half_round_trip_s(level, size), rel=1e-12
        )
