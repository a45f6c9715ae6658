"""collscope.base.toml_table, collscope.base.units, collscope.machines.limits, collscope.machines.overrides, collscope.points.arrival,
collscope.sources.cluster, collscope.testbed.network:
limits that a user can meet, in numbers: what is taken there is refused one beyond it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import toml_table
from collscope.base.errors import UserError
from collscope.base.number import Number, outside
from collscope.base.toml_table import Document
from collscope.base.units import parse_ranks, parse_size
from collscope.machines import limits, overrides, topology
from collscope.machines.spec import Topology
from collscope.points import arrival
from collscope.sources import cluster
from collscope.testbed.network import Network


def of_text(limit: int, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"#" * limit)
    toml_table.read_text(path, "x.toml", UserError)


def nested(limit: int, _: Path) -> None:
    Document("a = " + "[" * limit + "]" * limit, "x.toml", UserError)


def of_path(limit: int, tmp_path: Path) -> None:
    folder = tmp_path
    while len(str(folder)) < limit - 110:
        folder /= "d" * 100
    folder.mkdir(parents=True, exist_ok=True)
    name = folder / ("s" * (limit - len(str(folder)) - 1))
    name.write_text("0\n")
    arrival.parse(f"file:{name}")


def problem(text: str) -> None:
    if text:
        raise UserError(text)


def network(kind: str, *shape: int, oversubscription: float = 1.0) -> None:
    links = {"link_bytes_per_s": Number(1e9), "oversubscription": Number(oversubscription)}
    problem(topology.problem_of(Topology(kind, shape, **links)))


LIMITS: dict[str, tuple[int, Callable[[int, Path], object], str]] = {
    "bytes of a file": (1 << 20, of_text, "is larger than 1 MiB"),
    "levels of TOML": (32, nested, "more than 32 levels"),
    "bytes of a path in a plan": (255, of_path, "more than 255 bytes"),
    "characters of a key": (90, lambda n, _: overrides.ideal_numbers({"k" * n: "1"}), "is too long"),
    "bytes of a message": (1 << 50, lambda n, _: parse_size(str(n)), "the largest is 1024 TiB"),
    "ranks": (1 << 20, lambda n, _: parse_ranks(str(n)), "the most are 1048576"),
    "cores of a node": (1 << 16, lambda n, _: problem(limits.too_large(2, n)), "at most 65536"),
    "cores of a machine": (1 << 22, lambda n, _: problem(limits.too_large(n, 1)), "at most 4194304 in all"),
    "nodes of a simulation": (2048, lambda n, _: problem(limits.beyond_simulation(n, 2)), "at most 2048"),
    "cores of a simulation": (1 << 16, lambda n, _: problem(limits.beyond_simulation(n, 1)), "at most 65536"),
    "seconds of a skew": (1_000_000, lambda n, _: arrival.parse(f"linear:{n}s"), "at most 1e.06 s"),
    "seeds of a skew": ((1 << 20) - 1, lambda n, _: arrival.parse(f"random:1us:{n}"), "at most 1048575"),
    "workers of a cluster": (4096, lambda n, _: cluster.parse(f"local:{n}"), "is 1 to 4096"),
    "ports of a cluster": (65535, lambda n, _: cluster.parse(f"tcp://here:{n}"), "is 1 to 65535"),
    "links of a route": (513, lambda n, _: network("torus", n), "has routes of 257 links; at most 256"),
    "positions of a network": (1 << 22, lambda n, _: network("fat_tree", n, 1), "positions; at most 4194304"),
    "links of a network": (1 << 21, lambda n, _: network("fat_tree", n, 1, oversubscription=0.25), "at most 16777216"),
    "hosts of a test bed": (64, lambda n, _: replace(Network(), hosts=n).check(), "has 2 to 64 hosts"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_is_taken_and_one_beyond_it_is_refused(name: str, tmp_path: Path) -> None:
    limit, take, says = LIMITS[name]
    if name == "characters of a key":  # which is unknown, then
        with pytest.raises(UserError) as refused:
            take(limit, tmp_path)
        assert says not in str(refused.value)
    else:
        take(limit, tmp_path)
    with pytest.raises(UserError, match=says):
        take(limit + 1, tmp_path)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("nic_bytes_per_s", 1.0, 1e18),
        ("gamma_s_per_byte", 1e-18, 1.0),
        ("latency_s", 1e-18, 1e3),
        ("eager_bytes", 1.0, 2.0**50),
        ("eager_bytes_nonblocking", 1.0, 2.0**50),
        ("traffic", 1e-12, 1e6),
    ],
)
def test_numbers_of_a_machine_have_a_least_and_a_most(name: str, least: float, most: float) -> None:
    for fits in (0, least, most):
        assert outside(name, fits) == ""
    for strange in (0.99 * least, 1.01 * most, -least, -2):
        assert outside(name, strange) or (strange == -1 and "eager" in name), strange
    assert (outside(name, -1) == "") == ("eager" in name)


def test_complaints_are_short() -> None:
    document = Document("a = 1", "x.toml", UserError)
    assert str(document.fail("w" * 500, "a")) == f"x.toml:1: a: {'w' * 500}"
    assert str(document.fail("w" * 501, "a")) == f"x.toml:1: a: {'w' * 500}…"
    assert toml_table.shown("v" * 78) == repr("v" * 78) and toml_table.shown("v" * 79) == f"'{'v' * 79}…"
