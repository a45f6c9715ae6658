"""collscope.schedules.rules: what is said of rounds and of machines: rules, counts, machine files."""

from __future__ import annotations

import pytest

from collscope.base import programs
from collscope.schedules import make, one_port, rules

RING = [(r, (r + 1) % 6) for r in range(6)]


@pytest.mark.parametrize(
    ("pairs", "p", "printed"),
    [
        (RING, 6, "every rank r → r+1"),
        ([(b, a) for a, b in RING], 6, "every rank r → r-1"),
        ([*RING, *((b, a) for a, b in RING)], 6, "every rank r ↔ r+1"),
        ([(r, (r + 3) % 6) for r in range(6)], 6, "every rank r ↔ r+3"),
        ([(r, r ^ 2) for r in range(8)], 8, "every rank r ↔ r xor 2"),
        ([(r, r ^ 2) for r in range(4)], 8, "4 ranks r ↔ r xor 2"),
        ([(0, 1), (1, 0)], 2, None),
        ([(0, 1), (2, 3)], 4, None),
        (RING[:5], 6, None),
        ([], 4, None),
    ],
)
def test_a_round_in_one_sentence(pairs: list[tuple[int, int]], p: int, printed: str | None) -> None:
    assert rules.rule(pairs, p) == printed


def test_pairs_are_listed_each_exchange_once() -> None:
    pairs = [(5, 4), (1, 0), (0, 1), (2, 3)]
    assert rules.listed(pairs, 3) == "0↔1  2→3  5→4"
    assert rules.listed(pairs, 2) == "0↔1  2→3  … 1 more"


def test_a_machine_of_two_nodes() -> None:
    machine = one_port.telephone(5, 2)
    places = [line for line in machine.splitlines() if line.startswith("place")]
    assert places == ["place 0 0 0 0", "place 1 0 0 0", "place 2 0 1 1", "place 3 1 2 2", "place 4 1 3 3"]
    assert "class network 0 1e-06 1e-09" in machine and machine.count("class ") == 4
    assert one_port.nodes_in(machine) == (0, 0, 0, 1, 1)
    moved = one_port.with_places(machine, [(0, 0, 0), (1, 1, 1), (0, 0, 0), (1, 1, 2), (2, 3, 4)])
    assert one_port.nodes_in(moved) == (0, 1, 0, 1, 2) and moved.endswith("place 4 2 3 4\n")
    for nodes in (1, 5, None):  # all together, each alone, nothing said
        assert one_port.nodes_in(one_port.telephone(5, nodes)) == ()


@pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
@pytest.mark.parametrize(
    ("key", "elem", "count"),
    [
        ("bcast/mst", 4, 8 * 256),
        ("bcast/mst", 8, 8 * 128),
        ("bcast/pipeline[s=1024]", 4, 8 * 256),
        ("bcast/pipeline[s=8192]", 4, 8 * 1536),  # six segments
        ("bcast/pipeline[s=16777212]", 8, 8 * -(-6 * 16777212 // 64)),
        ("bcast/pipeline[s=16777216]", 4, 8 * 256),  # all in one
        ("allreduce/ring_segmented[s=8192]", 4, 8 * 2048),  # one a rank
        ("allgather/bucket", 4, 256),
        ("barrier/dissemination", 4, 0),
    ],
)
def test_the_default_count_is_drawn(key: str, elem: int, count: int) -> None:
    assert make.default_count(key.partition("/")[0], key, 8, elem) == count
