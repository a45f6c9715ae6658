"""The specification that comes out of a calibration."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.calibration.fit import Fit, Quality
from collscope.calibration.spec_text import Made, eager_limit, spec_text
from collscope.calibration.topology import Cpu, Topology
from collscope.machines import find, spec_reader
from collscope.machines.hosts import hosts_of, machine_file
from collscope.machines.seats import places_in
from collscope.machines.spec import Number
from collscope.sources import bounds
from made_samples import made_lines, made_spec


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
    assert len(places_in(machine_file(p, 1, 8))) == 8


def test_the_bound_of_a_measured_machine_lies_below_all_that_was_measured(tmp_path: Path, workplace: Path) -> None:
    lines = made_lines()
    path = tmp_path / "spec.toml"
    path.write_text(made_spec(lines))
    least = bounds.loggp(find.load(str(path)), 1, 2)
    assert least["o"] == pytest.approx(9e-8)
    assert least["gamma"] == pytest.approx(4e-11)
    for entry in (x["message"] for x in lines if "message" in x):
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


def made_fit(**more: object) -> Fit:
    pieces = {"cache": [(0, 5.1234567e-7, 2.123456789e-10), (4096, 6e-7, 3e-10)], "node": [(0, 9e-7, 4e-10)]}
    quality = dict.fromkeys(pieces, Quality(6, 3, 0.01, 0.04, 64))
    least = {"o": 1.23456e-7, "g": 1.1e-7, "L": 3e-7, "G": 5e-11, "gamma": 7e-11}
    fitted = Fit(pieces, 1.23456e-7, (2e-10, 1e-10, 3e-10), (5e-11, 4e-11, 6e-11), 3e10, least, quality)
    return replace(fitted, **more)  # type: ignore[arg-type]


EIGHT = Topology("An AMD® X;2 'y'", tuple(Cpu(n, n, n // 4, n // 2) for n in range(8)))
MADE = Made(7, "2026-01-02 03:04", "MPICH 4.0", (0.25, 3.75))


def test_every_number_of_a_fit_stands_in_the_file() -> None:
    text = spec_text(made_fit(), EIGHT, (4095, "ompi_info"), MADE)
    spec = spec_reader.parse_spec(text, "spec.toml")
    assert (spec.name, spec.nodes, spec.sockets, spec.cores_per_socket, spec.cores_per_cache) == (
        "this_machine",
        1,
        2,
        4,
        2,
    )
    assert (spec.oversubscribe, spec.about) == (True, "An AMD X2 y: 8 cores")
    assert spec.gamma_s_per_byte == Number(2e-10, "measured", "here", (1e-10, 3e-10))
    assert spec.copy_s_per_byte == Number(5e-11, "measured", "here", (4e-11, 6e-11))
    assert spec.overhead_s == Number(1.22e-7, "measured", "here"), "99 %, three digits"
    assert spec.eager_bytes == Number(4095, "documented", "ompi_info")
    rate = 4.709e9  # 1 / 2.123456789e-10
    assert spec.core_bytes_per_s == Number(rate, "measured", "the fastest piece of the curves")
    # 3e10 bytes by two sockets, of which each byte of the slowest piece moves 4e-10 rate.
    assert spec.memory_bytes_per_s == Number(float(f"{1.5e10 * 4e-10 * rate:.4g}"), "measured", "copies by all ranks")
    assert spec.least == {"o": 1.235e-7, "g": 1.1e-7, "L": 3e-7, "G": 5e-11, "gamma": 7e-11}
    assert [(p.start, p.latency.value, p.s_per_byte.value) for p in spec.curve["cache"]] == [
        (0, 5.123e-7, 2.1235e-10), (4096, 6e-7, 3e-10),
    ]  # fmt: skip
    assert [p.traffic.value for p in spec.curve["cache"]] == pytest.approx([2.1235e-10 * rate, 3e-10 * rate], rel=1e-4)
    assert spec.sources["here"] == (
        "collscope calibrate, 2026-01-02 03:04, MPICH 4.0, 7 ranks, load 0.2 before and 3.8 after, An AMD X2 y"
    )
    assert spec.own_curves == ("cache", "node")
    assert "# node: 6 samples of 3 sizes; the pieces miss them by 1.0% (median), by 4.0% at 64 bytes (most)" in text


def test_what_is_not_known_is_assumed_and_memory_serves_a_core_at_least() -> None:
    slow = made_fit(
        memory_bytes_per_s=1e6, gamma=(1.00006e-10, 1.00006e-10, 1.00006e-10), copy=(1.23446e-10, 1.23454e-10, 2e-10)
    )
    spec = spec_reader.parse_spec(spec_text(slow, EIGHT, (4095, ""), MADE), "spec.toml")
    assert spec.eager_bytes == Number(4095, "assumed", "usual")
    assert spec.memory_bytes_per_s.value == spec.core_bytes_per_s.value
    assert (spec.gamma_s_per_byte.value, spec.gamma_s_per_byte.range) == (1e-10, (1e-10, 1e-10))
    assert (spec.copy_s_per_byte.value, spec.copy_s_per_byte.range) == (1.234e-10, None), "rounded out of its range"


@pytest.mark.parametrize(
    ("said", "limit"),
    [
        ("mca:btl:sm:param:btl_sm_eager_limit:value:32768\nmca:btl:vader:param:btl_vader_eager_limit:value:4096",
         (4095, "ompi_info: btl_vader_eager_limit 4096, header included")),
        ("mca:btl:sm:param:btl_sm_eager_limit:value:32768", (32767, "ompi_info: btl_sm_eager_limit 32768, header included")),
        ("nothing", (4095, "")),
    ],
)  # fmt: skip
def test_the_eager_limit_is_what_the_library_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, limit: tuple[int, str]
) -> None:
    program = tmp_path / "ompi_info"
    program.write_text(
        f'#!/bin/sh\ntest "$*" = "--param btl all --level 9 --parsable" || exit 1\ncat <<END\n{said}\nEND\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert eager_limit() == limit
    monkeypatch.setenv("PATH", "/nonexistent")
    assert eager_limit() == (4095, "")
