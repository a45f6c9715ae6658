"""collscope.machines.spec_writer: what is written is read back as the same specification."""

from __future__ import annotations

from unittest.mock import ANY

import pytest

from collscope.base.number import Number
from collscope.machines import find
from collscope.machines.spec import Level, Noise, Piece, Spec, Topology
from collscope.machines.spec_reader import parse_spec
from collscope.machines.spec_writer import curve_lines, spec_text

MEASURED = Number(2.5e-7, "measured", "here", (1e-7, 3.5e-7))
COMMITTED = [path.stem for path in sorted(find.PLATFORMS.glob("*.toml"))]


def piece(start: int, latency: float, **more: object) -> Piece:
    return Piece(start, Number(latency), Number(1e-8, "inferred", "a slope"), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", COMMITTED)
def test_every_committed_machine_reads_back_as_itself(name: str) -> None:
    spec = find.load_spec(name)
    assert parse_spec(spec_text(spec), "x.toml") == spec


def test_every_field_reads_back() -> None:
    quiet = (
        Noise(0, ((0.0, -1e-7), (0.5, 0.0), (1.0, 2e-6)), "measured", "here"),
        Noise(64, ((0.0, 0.0), (1.0, 1e-6))),
    )
    half = Number(0.5, "assumed", "half", (0.25, 1.0))
    curve = (
        piece(0, 1e-6, gap=(MEASURED, Number(0.0)), receive_gap=(Number(1e-7), Number(1e-9, "measured"))),
        piece(64, 2e-6, traffic=half),
    )
    plan = [Number(float(size), "documented", "plan") for size in (2, 4)]
    torus = Topology(
        "torus", (2, 4), tuple(plan), Number(1e-7), Number(2e9, "measured"), allocation="scattered", first=3, seed=7
    )
    written: dict[str, object] = {
        "about": 'the "new"\\one\n\x7f', "overhead_s": MEASURED, "eager_bytes": Number(-1.0, "measured", "none went ahead"),
        "eager_bytes_nonblocking": Number(64.0), "nic_bytes_per_s": Number(1e9), "in_order": True, "oversubscribe": True,
        "least": {"o": 1e-7, "g": 0.0, "L": 1e-6, "G": 1e-10, "gamma": 2e-10}, "sources": {"here": "a run", "a key": ""},
        "topology": torus, "levels": (Level("numa", plan[1], Number(5e9)),), "interconnect_links": ((0, 1),), "nic_socket": 1,
        "noise": {"network": quiet}, "curve_nonblocking": {"network": (piece(0, 2e-6),)},
    }  # fmt: skip
    counts = {"nodes": Number(8.0, "documented", "given"), "nic_socket": Number(1.0, "inferred", "seen")}
    spec = Spec("mine", 8, 2, 8, 2, curve={"network": curve}, counts=counts, **written)  # type: ignore[arg-type]
    read = parse_spec(spec_text(spec), "x.toml")
    assert {key: getattr(read, key) for key in written} == written | {"curve_nonblocking": ANY}
    assert read.curve["network"] == curve and read.curve_nonblocking["network"] == (piece(0, 2e-6),)
    assert (read.name, read.nodes, read.sockets, read.cores_per_socket, read.cores_per_cache) == ("mine", 8, 2, 8, 2)
    assert counts.items() <= read.counts.items()
    assert parse_spec(spec_text(read), "x.toml") == read


def test_a_nonblocking_curve_of_a_class_with_a_neighbour_s_curve_reads_back() -> None:
    head = 'name = "x"\nnodes = 1\nsockets = 1\ncores_per_socket = 4\ncores_per_cache = 2\n'
    curves = "[curve]\nsocket = [[0, 1e-6, 1e-9]]\n[curve_nonblocking]\ncache = [[0, 2e-6, 1e-9]]\n"
    read = parse_spec(head + curves, "x.toml")
    assert [*read.curve_nonblocking] == ["cache"] and parse_spec(spec_text(read), "x.toml") == read


def test_comments_stand_at_the_head_and_above_their_curves() -> None:
    spec = Spec("x", 1, 1, 2, 2, "", {"cache": (piece(0, 1e-6),)}, own_curves=("cache",))
    lines = spec_text(spec, ["made up", "twice"], {"cache": ["two sizes"], "node": ["not there"]}).splitlines()
    assert lines[:3] == ["# made up", "# twice", 'name = "x"']
    assert lines[-6:-3] == ["# two sizes", "", "[[curve.cache]]"]
    both = [*curve_lines(spec.curve, spec.curve, {"nonblocking cache": ["of MPI_Isend"]})]
    assert both.index("# of MPI_Isend") == both.index("[[curve_nonblocking.cache]]") - 2


def test_a_file_name_that_is_not_utf_8_is_still_written() -> None:
    spec = Spec("x", 1, 1, 2, 2, "lat\udcff.txt", {"cache": (piece(0, 1e-6),)}, own_curves=("cache",))
    assert parse_spec(spec_text(spec), "x.toml").about == "lat?.txt"
