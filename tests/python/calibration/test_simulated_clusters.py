"""collscope.calibration.survey, collscope.calibration.estimates, collscope.calibration.specification: a platform that is simulated,
calibrated by the same patterns, gives back the numbers of its specification."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.number import Number
from collscope.calibration import estimates, survey
from collscope.calibration.samples import Probe, Samples, ask
from collscope.calibration.specification import About, spec_of
from collscope.machines import find
from collscope.machines.placement import hosts_of
from collscope.machines.platform import smpirun_args
from collscope.machines.spec import COUNTS, Spec
from collscope.machines.spec_reader import parse_spec
from collscope.machines.spec_writer import spec_text
from collscope.points.plan import Layout
from collscope.sources.smpirun import environment

simulated = pytest.mark.skipif(
    not (shutil.which("smpirun") and programs.SIM_DRIVER.exists() and programs.PLUGIN.exists()),
    reason="needs smpirun and build/smpi",
)
WITHIN = 0.02

TWO_NODES = """\
name = "known"
complete = false
nodes = 2
sockets = 2
cores_per_socket = 2
cores_per_cache = 2
gamma_s_per_byte = 3.1e-10
copy_s_per_byte = 7e-11
overhead_s = 1.3e-7
eager_bytes = 12000
core_bytes_per_s = 12e9
nic_bytes_per_s = 5e9
switch_bytes_per_s = 4e9
in_order = true
[curve]
cache = [[0, 6e-7, 2e-10, 1, 2e-7, 3e-11, 0, 4e-11], [16384, 1.5e-6, 1e-10]]
node = [[0, 9e-7, 3e-10, 1, 3e-7, 5e-11, 1.5e-7, 6e-11, 3e-7, 0], [16384, 2.5e-6, 1.4e-10]]
network = [[0, 2e-6, 6e-10, 1, 4e-7, 5e-11, 2.5e-7, 7e-11, 8e-7, 3e-11], [16384, 6e-6, 2.6e-10, 1, 0, 0, 0, 0, 2e-6, 7e-11]]
"""
ONE_A_NODE = """\
name = "known"
complete = false
nodes = 4
sockets = 1
cores_per_socket = 1
overhead_s = 2e-7
eager_bytes = 65536
core_bytes_per_s = 1e10
nic_bytes_per_s = 1e9
nic_gap_s = 2e-6
[curve]
network = [[0, 2e-5, 1.1e-9, 1, 5e-7]]
"""


def calibrated(text: str, folder: Path) -> tuple[Spec, Spec]:
    """The specification that is simulated, and the one that calibrating finds."""
    (folder / "known.toml").write_text(text)
    on = find.load(str(folder / "known.toml"))
    spec = find.load_spec(str(folder / "known.toml"))
    ranks = spec.nodes * spec.cores_per_node
    (folder / "hosts").write_text("\n".join(hosts_of(on, spec.nodes, ranks)) + "\n")
    words = ["smpirun", "-np", str(ranks), "-hostfile", str(folder / "hosts"), *map(str, smpirun_args(on))]
    env = {**os.environ, **environment(Layout(on, spec.nodes, ranks)), "TMPDIR": str(folder)}

    def once(probe: Probe) -> Probe:
        """What repeats digit by digit is measured once, and no cache is there to be exceeded."""
        trips = 2 if probe.pattern.startswith("pingpong") else probe.count
        return replace(probe, samples=1, count=trips, bytes=probe.bytes if probe.flows else min(probe.bytes, 1 << 16))

    def measure(plan: Sequence[Probe]) -> Samples:
        probes = [*dict.fromkeys(map(once, plan))]
        found = ask(probes, ranks, lambda file: [*words, programs.SIM_DRIVER, "--p2p", file], environment=env)
        taken = {r.probe: r for r in found.readings}
        return replace(found, readings=tuple(replace(taken[once(probe)], probe=probe) for probe in plan))

    counts = {key: Number(getattr(spec, key), "documented", "given") for key in COUNTS}
    found = spec_of(estimates.of_cluster(survey.of_cluster(measure)), About("found", "found", counts, "a simulation"))
    return spec, parse_spec(spec_text(found), "found.toml")


def time(spec: Spec, level: str, size: int) -> float:
    piece = [p for p in spec.curve[level] if p.start <= size][-1]
    return piece.latency.value + size * piece.s_per_byte.value


def gap(spec: Spec, level: str, size: int) -> float:
    piece = [p for p in spec.curve[level] if p.start <= size][-1]
    return piece.gap[0].value + size * piece.gap[1].value if piece.gap else spec.overhead_s.value


def receiving(spec: Spec, level: str, size: int) -> float:
    piece = [p for p in spec.curve[level] if p.start <= size][-1]
    seconds, per_byte = (g.value for g in piece.receive_gap) if piece.receive_gap else (0.0, 0.0)
    return spec.overhead_s.value + seconds + size * per_byte


def turnaround(spec: Spec, level: str, size: int) -> float:
    piece = [p for p in spec.curve[level] if p.start <= size][-1]
    return piece.turnaround[0].value + size * piece.turnaround[1].value if piece.turnaround else 0.0


@simulated
@pytest.mark.parametrize(
    "text",
    [pytest.param(TWO_NODES, marks=pytest.mark.full), ONE_A_NODE],
    ids=["two nodes of four cores", "four nodes of one core"],
)
def test_a_simulated_cluster_gives_back_its_numbers(text: str, tmp_path: Path, workplace: Path) -> None:
    known, found = calibrated(text, tmp_path)
    given = [
        line.split(" = ")[0]
        for line in text.splitlines()
        if line.partition(" = ")[0].endswith(("_s", "_per_byte", "_bytes"))
    ]
    for name in given:
        if name == "core_bytes_per_s" and known.cores_per_node == 1:
            continue  # wider than the NIC that all its messages cross: nothing tells it
        assert getattr(found, name).value == pytest.approx(getattr(known, name).value, rel=WITHIN), name
    assert found.in_order == known.in_order
    assert (found.nic_gap_s.value > 0) == (known.nic_gap_s.value > 0)
    for level in found.own_curves:
        for size in (1 << k for k in range(21)):
            turns = turnaround(known, level, size), turnaround(found, level, size)
            assert turns[0] == pytest.approx(turns[1], abs=WITHIN * time(known, level, size)), (level, size)
            assert time(found, level, size) == pytest.approx(time(known, level, size), rel=WITHIN), (level, size)
            if size <= known.eager_bytes.value:
                assert gap(found, level, size) == pytest.approx(gap(known, level, size), rel=WITHIN), (level, size)
                assert receiving(found, level, size) == pytest.approx(receiving(known, level, size), rel=WITHIN), (
                    level,
                    size,
                )
