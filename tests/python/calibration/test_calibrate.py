"""Calibration: where ranks sit, straight pieces through measured points, and the specification that comes out."""

from __future__ import annotations

import os
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.calibration import calibrate
from collscope.calibration.calibrate import Cpu
from collscope.machines import find, spec_reader
from collscope.machines.hosts import hosts_of, machine_file
from collscope.sources import bounds


def fake_sys(root: Path, cpus: list[tuple[int, int, str]]) -> Path:
    """cpus: (package, core, processors that share the last cache) of processor 0, 1, …"""
    for number, (package, core, shared) in enumerate(cpus):
        folder = root / f"cpu{number}"
        (folder / "topology").mkdir(parents=True)
        (folder / "topology/physical_package_id").write_text(f"{package}\n")
        (folder / "topology/core_id").write_text(f"{core}\n")
        for index, level, members in ((0, 1, str(number)), (3, 3, shared)):
            (folder / f"cache/index{index}").mkdir(parents=True)
            (folder / f"cache/index{index}/level").write_text(f"{level}\n")
            (folder / f"cache/index{index}/shared_cpu_list").write_text(f"{members}\n")
    return root


def test_topology_takes_one_processor_a_core(tmp_path: Path) -> None:
    # Two sockets of two cores, two threads each: 0-3 are first threads, 4-7 second ones.
    shared = {0: "0-1,4-5", 1: "2-3,6-7"}
    root = fake_sys(tmp_path, [(n // 2 % 2, n % 2, shared[n // 2 % 2]) for n in range(8)])
    cores = calibrate.topology(range(8), root)
    assert [c.number for c in cores] == [0, 1, 2, 3]
    assert [c.socket for c in cores] == [0, 0, 1, 1]
    assert [c.cache for c in cores] == [0, 0, 2, 2]
    assert calibrate.shape(cores) == (2, 2, 2)
    assert calibrate.level_of(cores[0], cores[1]) == "cache"
    assert calibrate.level_of(cores[0], cores[2]) == "node"


def test_topology_without_sys(tmp_path: Path) -> None:
    cores = calibrate.topology([0, 1, 2], tmp_path)
    assert calibrate.shape(cores) == (1, 3, 3)


def test_caches_within_a_socket(tmp_path: Path) -> None:
    cores = calibrate.topology(
        range(8), fake_sys(tmp_path, [(0, n, f"{n // 4 * 4}-{n // 4 * 4 + 3}") for n in range(8)])
    )
    assert calibrate.shape(cores) == (1, 8, 4)
    assert calibrate.level_of(cores[0], cores[4]) == "socket"


def curve_at(pieces: list[tuple[int, float, float]], size: int) -> float:
    _, latency, slope = [p for p in pieces if p[0] <= size][-1]
    return latency + size * slope


def test_pieces_follow_the_points() -> None:
    straight = [(0, 1e-6), *((2**k, 1e-6 + 2**k * 1e-9) for k in range(1, 22))]
    assert calibrate.pieces_of(straight, 1e-11) == [(0, pytest.approx(1e-6), pytest.approx(1e-9))]
    bent = [(n, t if n < 4096 else t + 5e-6) for n, t in straight]
    pieces = calibrate.pieces_of(bent, 1e-11)
    assert len(pieces) <= 4
    for n, t in bent:
        assert curve_at(pieces, n) == pytest.approx(t, rel=1.01 * calibrate.TOLERANCE)
    for _, latency, slope in calibrate.pieces_of(
        [(0, 1e-6), (1024, 1e-6), (2048, 9e-6), (4096, 1e-5)], 1e-11, base=2e-7
    ):
        assert latency >= 2e-7
        assert slope >= 1e-11


def line(kind: str, samples: list[float], **values: Any) -> dict[str, Any]:
    return {kind: {**values, "samples": samples}}


def made_lines(latency: float = 4e-7, slope: float = 2e-10) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [{"place": {"rank": r, "host": "h", "cpu": r}} for r in range(2)]
    for size in [0, *(2**k for k in range(21))]:
        t = latency + size * slope
        lines.append(line("pingpong", [t, t, 1.1 * t, 2 * t], bytes=size, a=0, b=1, half_round_trip_s=t))
    lines.append(line("overhead", [1e-7, 1e-7, 2e-7], bytes=1, a=0, b=1))
    lines.append(line("gap", [9e-8, 1e-7], bytes=1, a=0, b=1))
    for kind, cached, uncached in (("gamma", 4e-11, 2e-10), ("copy", 2e-11, 1e-10)):
        for ranks in (1, 2):
            for size, value in ((8192, cached), (1 << 19, 2 * cached), (1 << 24, uncached)):
                lines.append(line(kind, [value, value, value], bytes=size, ranks=ranks))
    return lines


CORES = [Cpu(0, (0, 0), 0, 0), Cpu(1, (0, 1), 0, 0)]


def made_spec(lines: list[dict[str, Any]]) -> str:
    result = calibrate.evaluate(lines, CORES)
    return calibrate.spec_text(result, CORES, (4095, "ompi_info"), 2, "2026-01-01 00:00", "Open MPI 4.1.4")


def test_what_was_measured_comes_out_again(tmp_path: Path, workplace: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(made_spec(made_lines()))
    spec = spec_reader.read_spec(path)
    elsewhere = re.compile(
        r"traffic|interconnect|nic_|switch|\[.*network|curve\.(socket|node|network)"
    )  # not on one socket
    assert {n.tag for name, n in spec.numbers() if not elsewhere.search(name)} == {"measured", "documented"}
    p = find.load(str(path))
    assert (p.name, p.max_nodes, p.cores_per_node, p.eager_bytes) == ("this_machine", 1, 2, 4095)
    for size in (0, 1, 100, 4096, 1 << 20, 1 << 22):
        assert p.half_round_trip_s("cache", size) == pytest.approx(4e-7 + size * 2e-10, rel=0.01)
    assert p.gamma_s_per_byte == pytest.approx(8e-11)
    assert len(hosts_of(p, 1, 8)) == 8  # more ranks than cores, as when measured
    assert machine_file(p, 1, 8).count("place") == 8


def test_the_bound_of_a_measured_machine_lies_below_all_that_was_measured(tmp_path: Path, workplace: Path) -> None:
    lines = made_lines()
    path = tmp_path / "spec.toml"
    path.write_text(made_spec(lines))
    least = bounds.loggp(find.load(str(path)), 1, 2)
    assert least["o"] == pytest.approx(9e-8)
    assert least["gamma"] == pytest.approx(4e-11)
    for entry in (x["pingpong"] for x in lines if "pingpong" in x):
        if entry["bytes"]:
            limit = bounds.bound_loggp("bcast", 2, entry["bytes"], **least)
            assert 0 < limit <= min(entry["samples"]) * (1 + 1e-4)


@pytest.mark.parametrize("seed", range(50))
def test_any_noise_gives_a_specification_that_can_be_used(seed: int) -> None:
    chance = random.Random(seed)
    lines = made_lines(10 ** chance.uniform(-7, -5), 10 ** chance.uniform(-11, -9))
    for entry in (value for each in lines for value in each.values() if "samples" in value):
        factor = 10 ** chance.uniform(0, chance.choice([0.1, 1, 2]))
        entry["samples"] = [x * factor * 10 ** chance.uniform(0, 0.5) for x in entry["samples"]]
    spec_reader.parse_spec(made_spec(lines), "spec.toml")


def test_a_failing_driver_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="missing; build it"):
        calibrate.probe(2, tmp_path / "nothing")
    if shutil.which("mpirun") and len(os.sched_getaffinity(0)) > 1:
        broken = tmp_path / "driver"
        broken.write_text("#!/bin/sh\necho out of luck >&2\nexit 3\n")
        broken.chmod(0o755)
        with pytest.raises(UserError, match="--pingpong failed"):
            calibrate.probe(2, broken)


@pytest.mark.full
@pytest.mark.skipif(
    not programs.MPI_DRIVER.exists() or len(os.sched_getaffinity(0)) < 2,
    reason="needs build/mpi/collscope-driver and two cores",
)
def test_this_machine(tmp_path: Path, workplace: Path) -> None:
    path = calibrate.calibrate(2, tmp_path / "machine" / "spec.toml")
    assert [p.name for p in path.parent.iterdir()] == ["spec.toml"]
    p = find.load(str(path))
    assert 1e-8 < p.half_round_trip_s("cache", 1) < 1e-3
    assert 0 < p.gamma_s_per_byte < 1e-7
    assert bounds.loggp(p, 1, 2)["L"] >= 0
