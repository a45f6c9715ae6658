"""collscope.calibration.topology: which processors share what, as the driver prints it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.calibration import topology
from collscope.calibration.topology import Cpu, Topology


def machine(*cpus: tuple[int, int, int]) -> Topology:
    """(core, socket, cache) of processor 0, 1, …"""
    return Topology("", tuple(Cpu(number, *where) for number, where in enumerate(cpus)))


def test_a_core_is_one_processor() -> None:
    # Two sockets of two cores, two threads each: 0-3 are first threads, 4-7 second ones.
    made = machine(*((n % 4, n // 2 % 2, n // 2 % 2) for n in range(8)))
    assert [(c.number, c.socket) for c in made.cores] == [(0, 0), (1, 0), (2, 1), (3, 1)] and made.shape == (2, 2, 2)
    made = Topology("", (Cpu(9, 1, 0, 0), Cpu(3, 0, 0, 0), Cpu(1, 1, 0, 0)))
    assert [c.number for c in made.cores] == [1, 3]


@pytest.mark.parametrize(
    ("cpus", "shape"),
    [
        ([(n, 0, n // 4) for n in range(8)], (1, 8, 4)),
        ([(n, 0, n // 4) for n in range(7)], (1, 7, 1)),  # one cache is shared by three
        ([(0, 0, 0), (1, 0, 0), (2, 0, 1), (3, 1, 2), (4, 1, 2)], (2, 2, 1)),  # the second socket has fewer
        ([(0, 0, 0), (1, 1, 0)], (2, 1, 1)),  # one cache over two sockets counts as one of each
        ([(n, 0, n // 3) for n in range(6)], (1, 6, 3)),
        ([(n, n // 6, n // 4) for n in range(12)], (2, 6, 3)),  # of caches of four, some of two sockets
    ],
)
def test_uneven_machines_count_as_the_smallest_of_their_sockets_and_caches(
    cpus: list[tuple[int, int, int]], shape: tuple[int, int, int]
) -> None:
    assert machine(*cpus).shape == shape


def driver(folder: Path, script: str) -> Path:
    path = folder / "driver"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_the_driver_s_answer_is_read(tmp_path: Path) -> None:
    answer = (
        '{"topology":{"model":"X 1","caches":[{"level":1,"bytes":32768,"cpus":2}],"cpus":['
        '{"cpu":2,"core":1,"socket":0,"numa":0,"cache":0},{"cpu":5,"core":4,"socket":1,"numa":1,"cache":3}]}}'
    )
    made = topology.read(driver(tmp_path, f"test \"$1\" = --topology && echo '{answer}'"))
    assert made == Topology("X 1", (Cpu(2, 1, 0, 0), Cpu(5, 4, 1, 3)))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo hwloc is out of luck >&2; exit 3", r"--topology failed \(exit 3\): hwloc is out of luck"),
        ("echo no JSON", "--topology printed what is not a topology: no JSON"),
        (f"echo {'x' * 81}", f"what is not a topology: {'x' * 80}$"),
        ('echo \'{"topology":{"model":"","cpus":[]}}\'', "what is not a topology"),
    ],
)
def test_a_driver_without_an_answer_is_reported(tmp_path: Path, script: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        topology.read(driver(tmp_path, script))
    with pytest.raises(UserError, match="missing; build it"):
        topology.read(tmp_path / "nothing")


@pytest.mark.skipif(not programs.MPI_DRIVER.exists(), reason="needs build/mpi")
def test_the_driver_prints_all_of_a_machine_that_hwloc_makes_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of made-up caches are hwloc's own."""
    monkeypatch.setenv("HWLOC_THISSYSTEM", "0")
    monkeypatch.setenv("HWLOC_SYNTHETIC", "pack:2 l3:1 l2:2 l1:1 core:1 pu:2")
    done = programs.answer([str(programs.MPI_DRIVER), "--topology"], timeout=topology.ANSWER_S)
    assert json.loads(done.stdout)["topology"] == {
        "model": "",
        "caches": [
            {"level": 1, "bytes": 32 << 10, "cpus": 2},
            {"level": 2, "bytes": 4 << 20, "cpus": 2},
            {"level": 3, "bytes": 16 << 20, "cpus": 4},
        ],
        "cpus": [{"cpu": n, "core": n // 2, "socket": n // 4, "numa": 0, "cache": n // 4} for n in range(8)],
    }
