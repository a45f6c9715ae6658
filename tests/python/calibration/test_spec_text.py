"""The specification that comes out of a calibration."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from collscope.machines import find, spec_reader
from collscope.machines.hosts import hosts_of, machine_file
from collscope.machines.seats import places_in
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
