"""driver: what the driver says by itself: its options, the machine's topology, and how it tells that a point ended."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from collscope.base import paths, programs
from collscope.sources import mpirun

needs_mpi = pytest.mark.skipif(
    not programs.MPI_DRIVER.exists(), reason="needs build/mpi; ./collscope doctor says what is missing"
)
needs_sim = pytest.mark.skipif(
    not programs.SIM_DRIVER.exists(), reason="needs build/smpi; ./collscope doctor says what is missing"
)


def alone(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False)


@needs_mpi
@pytest.mark.parametrize(
    "words, why",
    [
        ((), "nothing to do"),
        (("--bogus",), "--bogus"),
        (("--plan",), "--plan"),
        (("--list",), "--list and --json go together"),
        (("--sweep", "--part", "1"), "--part must be I/N, I from 0 to N-1"),
        (("--sweep", "--part", "4294967296/8589934592"), "--part must be I/N, I from 0 to N-1"),
        (("--sweep", "--part", "4/4"), "--part must be I/N, I from 0 to N-1"),
        (("--sweep", "--roots", "4294967296"), "--roots must be a number of roots"),
        (("--sweep", "--roots", "few"), "--roots must be a number of roots"),
        (("--p2p",), "--p2p"),
        (("--sweep", "more"), "more"),
    ],
)
def test_wrong_options_are_named_before_anything_runs(words: tuple[str, ...], why: str) -> None:
    done = alone(programs.MPI_DRIVER, *words)
    assert done.returncode == 2 and not done.stdout
    first, second, *_ = done.stderr.splitlines()
    assert first == f"collscope-driver: {why}" and second == "usage: collscope-driver --list --json"


@needs_mpi
@pytest.mark.parametrize(
    "line, words, why",
    [
        ("algorithm=bcast/linear count=2305843009213693952", (), "plan:1: count=2305843009213693952: at most"),
        ("algorithm=bcast/linear count=562949953421312", (), "plan:1: count=562949953421312: so many elements"),
        ("algorithm=bcast/linear", ("--places", "65536x65536x65536"), "--places 65536x65536x65536: "),
        ("algorithm=bcast/linear", ("--places", "plan"), "plan:1: algorithm=bcast/linear: write NODE SOCKET CACHE"),
    ],
)
def test_numbers_that_no_launch_can_mean_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, words: tuple[str, ...], why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan").write_text(line + "\n")
    done = alone(programs.MPI_DRIVER, "--plan", "plan", *words)
    assert done.returncode == 2 and why in done.stderr
    assert len(done.stderr) < 400


@needs_mpi
def test_a_real_run_needs_its_buffers(tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("algorithm=bcast/linear\n")
    done = alone(programs.MPI_DRIVER, "--plan", str(tmp_path / "plan"), "--shared-buffers")
    printed = "collscope-driver: --shared-buffers is for simulation; a real run needs its buffers\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", printed)


@needs_mpi
def test_a_plan_of_measurements_that_is_wrong_or_missing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p2p").write_text("copy bytes=4\ngamma bytes=8 count=2\n")
    done = alone(programs.MPI_DRIVER, "--p2p", "p2p")
    assert (done.returncode, done.stderr) == (2, "collscope-driver: p2p:2: there are not so many ranks\n")
    assert alone(programs.MPI_DRIVER, "--p2p", "nothing").returncode == 2


@needs_mpi
def test_the_topology_is_one_line_without_mpi() -> None:
    done = alone(programs.MPI_DRIVER, "--topology")
    assert done.returncode == 0
    reported: dict[str, Any] = json.loads(done.stdout)["topology"]
    assert set(reported) == {"model", "caches", "cpus"}
    numbers = [cpu["cpu"] for cpu in reported["cpus"]]
    assert numbers and numbers == sorted(set(numbers))
    assert all(
        set(cpu) == {"cpu", "core", "socket", "numa", "cache"} and min(cpu.values()) >= 0 for cpu in reported["cpus"]
    )
    assert [cache["level"] for cache in reported["caches"]] == sorted({cache["level"] for cache in reported["caches"]})
    names = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    assert not names or reported["model"].split() == names[0].split()


@needs_mpi
def test_the_topology_holds_what_the_process_may_use() -> None:
    first = json.loads(alone(programs.MPI_DRIVER, "--topology").stdout)["topology"]["cpus"][0]
    command = ["taskset", "-c", str(first["cpu"]), programs.MPI_DRIVER, "--topology"]
    bound = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(bound.stdout)["topology"]["cpus"] == [first]


CORES = [
    {"cpu": 0, "core": 0, "socket": 0, "numa": 0, "cache": 0},
    {"cpu": 1, "core": 1, "socket": 0, "numa": 0, "cache": 0},
]
L1, L2, L3 = (
    {"level": 1, "bytes": 32768, "cpus": 1},
    {"level": 2, "bytes": 65536, "cpus": 1},
    {"level": 3, "bytes": 8388608, "cpus": 2},
)


@needs_mpi
@pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="needs the first two cores")
@pytest.mark.parametrize(
    "machine, caches, cpus",
    [
        ("package:1 l3:1(size=8388608) l2:2(size=65536) l1d:1(size=32768) core:1 pu:1", [L1, L2, L3], CORES),
        ("package:2 l1d:1(size=32768) core:1 pu:1", [L1], [CORES[0], {**CORES[1], "socket": 1, "cache": 1}]),
        ("package:1 l3:2(size=8388608) core:1 pu:1", [{**L3, "cpus": 1}], [CORES[0], {**CORES[1], "cache": 1}]),
        ("numa:2 core:1 pu:1", [], [CORES[0], {**CORES[1], "numa": 1}]),
        ("package:1 core:1 pu:2", [], [CORES[0], {**CORES[1], "core": 0}]),
        ("pu:2", [], CORES),
    ],
)  # fmt: skip
def test_the_topology_of_a_machine_that_is_made_up(
    machine: str, caches: list[dict[str, int]], cpus: list[dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HWLOC_THISSYSTEM", "1")
    monkeypatch.setenv("HWLOC_SYNTHETIC", machine)
    reported = json.loads(alone(programs.MPI_DRIVER, "--topology").stdout)
    assert reported == {"topology": {"model": "", "caches": caches, "cpus": cpus}}


@needs_sim
def test_a_simulated_machine_has_no_topology_to_tell() -> None:
    sixteen = paths.ROOT / "tests" / "driver" / "sixteen"
    done = alone(
        "smpirun",
        "-np",
        "1",
        "-platform",
        f"{sixteen}.xml",
        "-hostfile",
        f"{sixteen}.hosts",
        programs.SIM_DRIVER,
        "--topology",
    )
    assert '"topology"' not in done.stdout and "its platform file" in done.stderr


@needs_mpi
def test_a_point_ends_with_its_kind(tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text(
        "id=0 collective=bcast algorithm=bcast/linear count=3 check=1\n"
        "id=1 collective=bcast algorithm=bcast/linear count=3 root=2\n"
        "id=2 collective=rotation algorithm=rotation/builtin count=3\n"
        "id=3 collective=bcast algorithm=bcast/linear count=3 ranks=3\n"
    )
    command = [*mpirun.command(2), programs.MPI_DRIVER, "--plan", plan]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    ends = [line for line in map(json.loads, done.stdout.splitlines()) if line.get("done")]
    assert [(line["kind"], line["status"]) for line in ends] == [
        ("ok", "ok"),
        ("unsupported", "root 2 is not one of the 2 ranks"),
        ("unsupported", "MPI has no rotation"),
        ("unsupported", "needs 3 ranks, the launch has 2"),
    ]
    assert ends[0]["checked"] and not ends[0]["wrong"]
