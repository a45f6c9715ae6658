"""collscope.calibration.published, collscope.calibration.cross_validation: the committed curves are what the command makes, and how well
they predict is known."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

import pytest

from collscope.base import paths
from collscope.base.number import Number
from collscope.calibration import published
from collscope.calibration.contention import read as read_trees
from collscope.calibration.cross_validation import left_out, reason
from collscope.calibration.curves import CurveFit, Error, Limits, Piece, Point, curve_at
from collscope.calibration.osu import Output
from collscope.calibration.published import MARK, fit, made, parse_jumps, parse_shape
from collscope.calibration.tables import Measured, Measurements, read
from collscope.machines import find
from collscope.machines.spec import COUNTS
from collscope.machines.spec_reader import parse_spec
from command_line import call
from refusals import refusal

DATA = paths.ROOT / "platforms" / "data" / "orfeo_p2p.csv"
CONTENTION = DATA.with_name("orfeo_contention.csv")
ORFEO = {"orfeo_epyc": "EPYC", "orfeo_thin": "THIN"}
HEAD = 'name = "x"\nnodes = 4\nsockets = 2\ncores_per_socket = 8\n\n'
PLANTED: dict[str, list[Piece]] = {
    "socket": [(0, 3e-7, 2e-10), (4096, 1e-6, 1.5e-10)],
    "node": [(0, 6e-7, 3e-10), (4096, 2e-6, 2e-10)],
    "network": [(0, 1.5e-6, 4e-10), (16384, 9e-6, 8e-11)],
}


def planted(pieces: dict[str, list[Piece]] | None = None) -> Measurements:
    """Times of a machine whose curves are known."""
    curves = pieces or PLANTED
    times = {level: [Measured(2**k, curve_at(p, 2**k)) for k in range(23)] for level, p in curves.items()}
    return Measurements(times, {}, dict.fromkeys(curves, "made up"))


@pytest.mark.parametrize("name", ORFEO)
def test_the_committed_curves_are_what_the_command_makes_of_the_committed_table(name: str) -> None:
    text = find.spec_path(name).read_text("utf-8")
    head = text.partition(MARK)[0]
    trees = read_trees(str(CONTENTION)) if name == "orfeo_epyc" else None
    assert made(head, read([str(DATA)], {"node_type": ORFEO[name]}), name, trees=trees)[1] == text, (
        "the command stands in platforms/data/README.md"
    )


@pytest.mark.parametrize(
    ("name", "typical", "worst", "unseen", "far"),
    [("orfeo_epyc", 0.001, 0.02, 0.02, 11), ("orfeo_thin", 0.002, 0.05, 0.03, 2)],
)
def test_the_specification_gives_every_measured_time_back(
    name: str, typical: float, worst: float, unseen: float, far: int
) -> None:
    """Through the specification, so with rounded numbers; and left out of the fit, all but the sizes that the data's README counts."""
    times = read([str(DATA)], {"node_type": ORFEO[name]})
    platform = find.load(name)
    missed = [
        abs(platform.machine.half_round_trip_s(level, m.bytes) / m.seconds - 1)
        for level, found in times.times.items()
        for m in found
    ]
    assert median(missed) <= typical and max(missed) <= worst
    hidden = [abs(e.share) for curve in fit(times).curves.values() for e in curve.left_out]
    assert len(hidden) == len(missed) and median(hidden) <= unseen
    assert sum(error > 0.1 for error in hidden) == far


def test_no_piece_is_faster_than_a_link_that_the_file_gives() -> None:
    flat = {"network": [(0, 1e-6, 0.0), (1024, 1e-6, 1e-10)]}
    _, text = made(f"nic_bytes_per_s = 8e9\n{HEAD}", planted(flat), "x.toml")
    first, *_, last = parse_spec(text, "x.toml").curve["network"]
    assert first.traffic.value == pytest.approx(1e-12 * 8e9, rel=1e-3)
    assert last.traffic.value == pytest.approx(0.8, rel=1e-3)
    small = CurveFit((), ((0, 0.0, 0.5), (4095, 0.0, 4.0)))
    assert published.own_rate(small) == 0.25, "no piece is for large messages: the last says what links move"


def test_the_latency_of_a_piece_has_room_for_two_overheads() -> None:
    steep = {"network": [(0, 1e-6, 0.0), (512, 0.0, 2e-9)]}
    _, text = made(f"overhead_s = 1e-7\n{HEAD}", planted(steep), "x.toml")
    assert min(p.latency.value for p in parse_spec(text, "x.toml").curve["network"]) >= 2e-7


def test_a_new_machine_gets_its_shape_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mine.toml"
    words = ["calibrate", "--from", str(DATA), "--where", "node_type=EPYC", "--name", "mine", "--out", str(out)]
    status, _, err = call(capsys, *words)
    assert status == 2 and "missing: nodes, sockets, cores_per_socket" in err and not out.exists()
    status, _, err = call(capsys, *words, "--shape", "nodes=2,sockets=2,cores_per_socket=64,cores_per_cache=4")
    assert status == 1 and "has times of class ccd, which the machine lacks" in err and not out.exists()
    shape = "nodes=2,sockets=2,cores_per_socket=64,cores_per_cache=4,numa=16,ccd=8"
    status, printed, _ = call(capsys, *words, "--shape", shape)
    assert status == 0
    assert re.search(r"256 KiB has an error of \+33\.\d%: the first size of a protocol", printed)
    assert "cross-validation of all classes: 2.0% median, 33.2% max (at 256 KiB), 11 of 138 sizes above 10%" in printed
    assert [level.name for level in find.load_spec(str(out)).levels] == ["ccd", "numa"]
    kept = out.read_text().replace("nodes =", "eager_bytes = 4096\nnodes =", 1)
    out.write_text(kept)
    out.write_text(kept.replace(", which replaces what stands below", "; older words"))
    assert call(capsys, *words)[0] == 0
    assert out.read_text() == kept, "what stands above the mark is kept"
    assert "has its shape already" in call(capsys, *words, "--shape", shape)[2]
    out.write_text(kept.replace(MARK, ""))
    assert "was not made by calibrate" in call(capsys, *words)[2]
    assert out.read_text() == kept.replace(MARK, "")


def test_jumps_that_are_known_are_taken_as_they_are_of_classes_that_have_times() -> None:
    known = parse_jumps(["within=4000,4KiB", "network=12289"])
    assert known == {"within": [4000, 4096], "network": [12289]}
    curves = {level: curve.fit for level, curve in fit(planted(), known=known).curves.items()}
    assert curves["network"].jumps == (12289,) and [p[0] for p in curves["network"].pieces] == [0, 12289]
    assert curves["node"].jumps == (4000, 4096)
    assert fit(planted(), known={"within": [4000]}).curves["network"].fit.jumps == (16384,), "found, as before"
    published.check_jumps({"within": [8], "node": [8]}, ["node", "network"])
    message = "--jumps within=…: no time of class within was given; choose from network"
    assert refusal(published.check_jumps, {"within": [8]}, ["network"]) == message


def test_reasons_name_what_is_missing() -> None:
    points = [Point(n, t) for n, t in ((1, 1.0), (2, 1.1), (4, 2.0), (8, 1.9), (16, 2.2), (32, 2.6), (64, 9.0))]
    for jumps, size, text in (
        ([4], 4, "the first size of a protocol"), ([3], 4, "the first size of a protocol"), ([4], 2, "the last size of a protocol"),
        ([], 64, "at the end of what was measured"), ([], 1, "at the end of what was measured"), ([], 8, "times fall with size here"),
        ([], 32, "the slope changes here"),
    ):  # fmt: skip
        assert reason(points, jumps, size).startswith(text)


def test_left_out_sizes_are_predicted_from_the_others_alone() -> None:
    """A wrong time spoils what is beside it, and is itself predicted rightly."""
    points = [Point(2**k, 1e-6 + 2**k * 1e-9) for k in range(9)]
    points[4] = Point(16, 2 * points[4].seconds)
    found = left_out(points, Limits(), [])
    assert [m.bytes for m in found] == [2**k for k in range(9)]
    assert found[4].share == pytest.approx(-0.5)
    assert found[2] == Error(4, pytest.approx(0, abs=1e-9)), "of the other half"
    assert abs(found[3].share) > 0.1 and abs(found[5].share) > 0.1


def test_an_impossible_head_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    out = tmp_path / "x.toml"
    out.write_text(f"{HEAD}nic_bytes_per_s = -1\n{MARK}\n")
    assert "x.toml:6: nic_bytes_per_s: must not be negative" in refusal(published.calibrate, "x", planted(), out)
    assert out.read_text().endswith(f"{MARK}\n")
    assert "cannot be written" in refusal(published.calibrate, "x", planted(), tmp_path)


def test_a_new_specification_begins_with_what_is_known() -> None:
    sources = {"network": "a.csv", "node": "a.csv", "socket": "b.csv"}
    bandwidths = {"network": 1.23456e10, "socket": 5e9, "node": 4e9}
    streams = {level: [Output("bw", "osu_bw", 1, ((1 << 20, rate),))] for level, rate in bandwidths.items()}
    measured = Measurements({level: [Measured(1, 1e-6)] for level in streams}, streams, sources)
    shape = {"numa": 8, "nodes": 4, "ccd": 4, "sockets": 2, "cores_per_socket": 16, "cores_per_cache": 2}
    spec = parse_spec(f"{published.new_head('mine', measured, shape)}[curve]\nnetwork = [[0, 1e-6, 1e-9]]\n", "x.toml")
    assert (spec.name, spec.about) == ("mine", "mine: messages from a.csv, b.csv")
    assert {key: number.value for key, number in spec.counts.items()} == {k: n for k, n in shape.items() if k in COUNTS}
    assert [(unit.name, unit.cores) for unit in spec.levels] == [("ccd", 4), ("numa", 8)]
    assert {spec.counts["nodes"].source, spec.levels[0].number.source} == {"given to calibrate"}
    assert (spec.nic_bytes_per_s.value, spec.core_bytes_per_s) == (1.235e10, Number(5e9, "measured", "bw"))
    assert refusal(published.new_head, "mine", measured, {"nodes": 1, "cores_per_cache": 4}) == (
        "mine: messages do not tell a machine's shape; add --shape nodes=4,sockets=2,cores_per_socket=16[,cores_per_cache=4] "
        "(missing: sockets, cores_per_socket)"
    )


@pytest.mark.parametrize("text", ["nodes", "nodes=0", "nodes=4194304", "Nodes=4", "nodes=1.5", "nodes=-1", "", "4=4"])
def test_a_shape_that_cannot_be_read_is_refused(text: str) -> None:
    keys = "nodes=N, sockets=N, cores_per_socket=N, cores_per_cache=N, and NAME=CORES of a level"
    assert refusal(parse_shape, f"sockets=2,{text}") == f'--shape: cannot read "{text}"; write some of {keys}'


def test_keys_have_one_value_each() -> None:
    twice = "--shape: nodes is given twice; keep one of nodes=4 and nodes=5"
    assert refusal(parse_shape, "nodes=4,nodes=5") == twice
    twice = "--jumps: network is given twice; keep one of network=8KiB and network=1KiB"
    assert refusal(parse_jumps, ["network=8KiB", "network=1KiB"]) == twice
    assert parse_shape("nodes=1, sockets=2") == {"nodes": 1, "sockets": 2}
    assert parse_shape("nodes=4194303") == {"nodes": 4194303}
    assert published.pairs("--where", ["a = b", "c=d=e"]) == {"a": "b", "c": "d=e"}
    for text in ("a", "=b", "a=", " = b"):
        assert refusal(published.pairs, "--class", ["x=y", text]) == f'--class: cannot read "{text}"; write KEY=VALUE'


def test_a_class_that_the_machine_lacks_is_refused_with_what_to_do() -> None:
    assert refusal(made, HEAD, planted({"ccd": PLANTED["socket"]}), "x.toml") == (
        "x.toml: made up has times of class ccd, which the machine lacks; give a new machine --shape ccd=CORES, the file of another a "
        "table [[level]], or say what is meant: --class WORD=CLASS"
    )
