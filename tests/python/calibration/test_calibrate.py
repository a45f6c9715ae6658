"""Calibrating the machine that the tests run on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.base.errors import UsageError, UserError
from collscope.calibration import calibrate, topology
from collscope.machines import find
from collscope.sources import bounds, mpirun
from command_line import call
from made_samples import TWO_CORES, made_lines


@pytest.mark.full
@pytest.mark.skipif(
    not programs.MPI_DRIVER.exists() or len(os.sched_getaffinity(0)) < 2,
    reason="needs build/mpi/collscope-driver and two cores",
)
def test_this_machine(tmp_path: Path, workplace: Path) -> None:
    path = calibrate.calibrate(2, tmp_path / "machine" / "spec.toml").path
    assert [p.name for p in path.parent.iterdir()] == ["spec.toml"]
    p = find.load(str(path))
    assert 1e-8 < p.half_round_trip_s("cache", 1) < 1e-3
    assert 0 < p.gamma_s_per_byte < 1e-7
    assert bounds.loggp(p, 1, 2)["L"] >= 0


def pretend(monkeypatch: pytest.MonkeyPatch, load: float) -> None:
    """Two cores, their samples, and a load."""
    monkeypatch.setattr(topology, "read", lambda: TWO_CORES)
    monkeypatch.setattr(calibrate, "probe", lambda *_: made_lines())
    monkeypatch.setattr(calibrate, "eager_limit", lambda: (4095, "ompi_info"))
    monkeypatch.setattr(mpirun, "library", lambda: "Open MPI 4.1.4")
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))


def test_it_says_load_pieces_and_residuals_and_so_does_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], workplace: Path
) -> None:
    pretend(monkeypatch, 3.2)
    path = tmp_path / "mine.toml"
    status, said, err = call(capsys, "calibrate", "--out", str(path))
    assert status == 0
    assert "the machine is busy: load 3.2 on 2 cores, of which 2 are measured" in err
    assert said.splitlines()[0] == "measured in 0 s; load: 3.2 before, 3.2 after, the ranks themselves included"
    quality = "cache: 550 samples of 21 sizes; the pieces miss them by 0.0% (median), by 0.0% at"
    assert quality in said
    assert "from      0 B: α = 400.0 ns, β = 0.2 ns/B" in said
    assert said.splitlines()[-1].endswith(f"simulate it with --on {path}")
    text = path.read_text()
    assert f"# {quality}" in text
    assert "load 3.2 before and 3.2 after" in text
    assert find.load(str(path)).name == "this_machine"


def test_a_quiet_machine_is_not_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], workplace: Path
) -> None:
    pretend(monkeypatch, 0.3)
    assert call(capsys, "calibrate", "--out", str(tmp_path / "mine.toml"))[2] == ""
    assert calibrate.busy(40, 16, 64) == ""


def test_a_tree_that_cannot_be_written_to_is_said_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend(monkeypatch, 0)
    monkeypatch.setattr(calibrate, "probe", lambda *_: pytest.fail("measured"))
    monkeypatch.setattr(paths, "is_writable", lambda _: False)
    with pytest.raises(UsageError, match=r"this_machine/spec\.toml cannot be written; --out FILE writes elsewhere"):
        calibrate.calibrate()
    status, _, err = call(capsys, "calibrate", "--out", "mine.xml")
    assert (status, err) == (2, "collscope: --out mine.xml: a specification's name ends in .toml\n")


def test_how_busy_a_machine_may_be() -> None:
    assert calibrate.busy(0.5, 2, 2) == "" and calibrate.busy(0, 2, 2) == ""
    for load, ranks, cores in ((0.51, 2, 2), (62.6, 2, 64)):
        assert calibrate.busy(load, ranks, cores) == (
            f"the machine is busy: load {load:.1f} on {cores} cores, of which {ranks} are measured; times will be too long: "
            "measure again when it is quiet"
        )


@pytest.mark.parametrize(
    ("cores", "ranks", "measured"), [(2, None, 2), (16, None, 16), (40, None, 16), (40, 3, 3), (40, 2, 2)]
)
def test_how_many_ranks_measure_and_how_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cores: int, ranks: int | None, measured: int
) -> None:
    pretend(monkeypatch, 0.0)
    asked: list[tuple[int, list[int]]] = []
    machine = topology.Topology("x", tuple(topology.Cpu(n, n, 0, 0) for n in range(cores)))
    monkeypatch.setattr(topology, "read", lambda: machine)
    monkeypatch.setattr(calibrate, "probe", lambda n, others: asked.append((n, [*others])) or made_lines())
    made = calibrate.calibrate(ranks, tmp_path / "spec.toml")
    others = [*range(1, measured)]
    assert asked == [(measured, others), *[(measured, others[:3])] * 4]
    assert f"{measured} ranks, load 0.0 before" in made.path.read_text()


def test_few_pairs_of_each_class_are_measured_again_where_their_ranks_ran() -> None:
    """Two sockets of two caches of four; the ranks run where the lines say, whatever their numbers."""
    machine = topology.Topology("x", tuple(topology.Cpu(n, n, n // 8, n // 4) for n in range(16)))
    assert calibrate.few_of_each_class(16, [], machine) == [1, 2, 3, 4, 5, 6, 8, 9, 10]
    turned = [{"place": {"rank": r, "host": 0, "cpu": 8 * (r % 2) + r // 2}} for r in range(16)]
    assert calibrate.few_of_each_class(16, turned, machine) == [1, 2, 3, 4, 5, 6, 8, 10, 12]
    assert calibrate.few_of_each_class(3, turned, machine) == [1, 2]


def test_one_core_cannot_be_calibrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, 0.0)
    with pytest.raises(UserError, match="needs two cores"):
        calibrate.calibrate(1, tmp_path / "spec.toml")
    with pytest.raises(UsageError, match="cannot be written"):
        calibrate.calibrate(2, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_specification_that_cannot_be_used_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, 0.0)
    monkeypatch.setattr(calibrate, "spec_text", lambda *_: "name = 3\n")
    with pytest.raises(UserError, match=r"spec\.toml:1: name: "):
        calibrate.calibrate(2, tmp_path / "spec.toml")
    assert list(tmp_path.iterdir()) == []
