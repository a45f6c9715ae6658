"""Bounds: known values, and the order in which they must stand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UsageError
from collscope.catalogue import prover, registry
from collscope.points.plan import Point, plan_text
from collscope.sources import bounds


def collectives() -> list[str]:
    return [c.name for c in registry.load().collectives]


def test_the_printed_bound_of_chan() -> None:
    assert bounds.bound("bcast", 8, 800, 1e-6, 1e-9, 0) == pytest.approx(3e-6 + 800e-9)
    assert bounds.bound("reduce", 8, 800, 1e-6, 1e-9, 1e-10) == pytest.approx(3e-6 + 800e-9 + 70e-9)
    assert bounds.bound("allreduce", 8, 800, 1e-6, 1e-9, 1e-10) == pytest.approx(3e-6 + 700 * 2.1e-9)
    assert bounds.bound("rotation", 8, 800, 1e-6, 1e-9, 0) == pytest.approx(1.1e-6)
    assert bounds.bound("bcast", 5, 1, 1e-6, 0, 0) == pytest.approx(3e-6)
    assert [c for c in collectives() if bounds.bound(c, 5, 0, 1e-6, 1e-9, 1e-10)] == ["barrier"]
    assert all(bounds.bound(c, 1, 100, 1, 1, 1) == 0 for c in collectives())


def test_the_broadcast_tree_of_the_logp_paper() -> None:
    # Culler et al. 1993, figure 3: P = 8, L = 6, g = 4, o = 2: the last rank has the datum at 24.
    assert bounds.broadcast_s(8, 2, 4, 6) == 24
    assert bounds.broadcast_s(2, 2, 4, 6) == 10
    # Without gap everybody is sent to at once; when a send takes as long as a trip, the tree is binomial.
    assert bounds.broadcast_s(1000, 0, 0, 6) == 6
    for p in (2, 3, 4, 7, 8, 9, 64):
        assert bounds.broadcast_s(p, 0, 6, 6) == 6 * math.ceil(math.log2(p))


def test_more_ranks_or_bytes_never_take_less() -> None:
    numbers = {"o": 1e-7, "g": 1e-7, "L": 1e-6, "G": 1e-10, "gamma": 1e-10}
    for collective in collectives():
        for p in (2, 3, 8, 33):
            sizes = [bounds.bound_loggp(collective, p, n, **numbers) for n in (p, 1000, 10**6)]
            assert sizes == sorted(sizes)
        assert bounds.bound_loggp(collective, 1, 1000, **numbers) == 0
    ranks = [bounds.bound_loggp("barrier", p, 0, **numbers) for p in range(1, 64)]
    assert ranks == sorted(ranks)
    assert bounds.bound_loggp("bcast", 8, 0, **numbers) == 0  # nothing to send: may return at once


def test_without_ports_the_bound_is_no_higher() -> None:
    numbers = {"o": 1e-7, "g": 1e-7, "L": 1e-6, "G": 1e-10, "gamma": 1e-10}
    for collective in collectives():
        for p in (2, 8):
            shared = bounds.bound_loggp(collective, p, 10**6, **numbers, copiers=p)
            assert shared <= bounds.bound_loggp(collective, p, 10**6, **numbers) * (1 + 1e-12)


def test_unknown_collectives_are_a_mistake() -> None:
    for call in (lambda: bounds.bound("bcats", 2, 1, 1, 1, 1), lambda: bounds.bound_loggp("bcats", 2, 1, 1, 1, 1, 1)):
        with pytest.raises(UsageError, match='did you mean "bcast"'):
            call()


def test_every_collective_has_its_least() -> None:
    assert set(bounds.LEAST) == {c.name for c in registry.load().collectives}


def test_the_prover_says_the_same_bound(tmp_path: Path) -> None:
    if not programs.PROVER.exists():
        pytest.skip("the prover is not built")
    known = registry.load()
    alpha, beta, gamma = 1.5e-6, 3e-10, 7e-11
    wanted = {}
    lines = []
    for collective in collectives():
        for p in (1, 2, 3, 8, 13):
            for count in (0, 1, p, 1000):
                key = known.of(collective)[0].full_key()
                name = f"{len(lines)}"
                point = Point(collective, key, count)
                lines.append(plan_text([(name, point)], p))
                wanted[name] = (collective, p, point.bytes(p))
    (tmp_path / "plan.txt").write_text("".join(lines))
    machine = [f"place {rank} {rank} 0 0" for rank in range(13)]
    machine += ["ports fluid", "class network 0 1e-6 1e-9", f"bound {alpha} {beta} {gamma}"]
    (tmp_path / "machine.txt").write_text("\n".join(machine) + "\n")
    said = prover.replies(["--model", tmp_path / "machine.txt", "--plan", tmp_path / "plan.txt"])
    compared = set()
    for line in said:
        collective, p, size = wanted[str(line["id"])]
        if line["status"] == "ok":
            compared.add((collective, p))
            mine = bounds.bound(collective, p, size, alpha, beta, gamma)
            assert line["bound_s"] == pytest.approx(mine, rel=1e-12), (collective, p, size)
    assert {c for c, p in compared if p == 8} == set(collectives())
