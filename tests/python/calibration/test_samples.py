"""collscope.calibration.samples: launches of the driver, their lines, and where ranks sit."""

from __future__ import annotations

import json

import pytest

from collscope.base.errors import UserError
from collscope.calibration.samples import Placement, Probe, Reading, Samples, ask, csv_text, doubling, read, spread
from made_samples import ONE_FLOW, reading, together

PING = Probe("pingpong", ONE_FLOW, 8)
META = '{"meta": {"ranks": 2, "library": "L 1, x", "places": [[0,0,0],[1,1,1]], "environment": {"library_variables": {"v": 3}}}}'


def line(probe: Probe, *samples: float, **more: object) -> str:
    return json.dumps({probe.pattern: {"bytes": probe.bytes, "count": probe.count, "samples": samples, **more}})


def launched(text: str) -> Samples:
    return ask([PING], 2, lambda _: ["sh", "-c", text])


def test_a_launch_has_its_plan_and_gives_readings_places_and_library() -> None:
    place = '{"place": {"rank": 0, "host": "h", "cpu": 3}}'
    script = f"printf '%s\\n' '{META}' '{place}' '{line(PING, 1.0)}'"
    found = ask([PING], 2, lambda plan: ["sh", "-c", f"grep -q '^{PING.text}$' {plan} && {script}"])
    assert (found.library, found.hosts, found.variables) == ("L 1", ("h",), {"v": 3})
    assert found.placement == Placement(((0, 0, 0), (1, 1, 1))) and found.readings == (Reading(PING, (1.0,)),)
    assert PING.text == "pingpong flows=0>1 bytes=8 count=1 samples=9"
    assert Probe("copy", (), 4, 2).text == "copy bytes=4 count=2 samples=9"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo '{broken'", "a line that is not JSON: {broken"),
        (f"echo '{META.replace('2,', '1,')}'", "2 ranks were started, and the driver finds 1"),
        (f"echo '{line(PING)}'", "measured nothing for: pingpong flows=0>1 bytes=8"),
        (f"echo '{line(PING, 1.0)}'; exit 3", r"--p2p failed \(exit 3\)"),
        ("echo out of luck >&2; exit 3", r"--p2p failed \(exit 3\): out of luck"),
        ("true", r"--p2p failed \(exit 0\): it printed nothing"),
        ("echo first; echo last", r"--p2p failed \(exit 0\): last"),
    ],
)
def test_a_launch_that_fails_has_its_reason(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        launched(text)


def test_a_launch_has_a_limit_and_a_program() -> None:
    with pytest.raises(UserError, match=r"took more than 0.1 s"):
        ask([PING], 2, lambda _: ["sleep", "60"], limit_s=0.1)
    with pytest.raises(UserError, match="no-such-program: not found; install openmpi-bin"):
        ask([PING], 2, lambda _: ["no-such-program"])


def test_readings_are_in_the_order_of_their_plan() -> None:
    plan = [PING, Probe("flows", ONE_FLOW, 16, 4), Probe("gamma", (), 64, 2), Probe("flows", ONE_FLOW, 16, single=True)]
    found = read("\n".join(["hello", *(line(p, 3.0, 1.0, issue=[1.0], first=[2.0]) for p in plan)]), plan)
    assert found.readings == tuple(Reading(p, (3.0, 1.0), (1.0,), (2.0,)) for p in plan)
    assert found.readings[0].typical == 1.5
    assert found.of("flows") == [found.readings[1]] and found.of("flows", single=True) == [found.readings[3]]
    assert found.of("flows", count=4) == [found.readings[1]] and not found.of("flows", count=5)
    assert (found + read(line(PING, 2.0), [PING])).readings == (*found.readings, Reading(PING, (2.0,)))


def test_every_reading_is_a_row_of_the_table() -> None:
    both = reading("flows", ((0, 1), (1, 0)), 8, 4e-6, 6e-6, count=4, issue=(1e-6,), first=(2e-6, 4e-6))
    samples = together(Placement(), both, reading("pingpong", ONE_FLOW, 1, 1e-6, 9e-6, 2e-6, single=True))
    assert csv_text(samples).splitlines() == [
        "pattern,flows,bytes,count,lower_quartile_s,median_s,samples,issue_s,first_s",
        "flows,0>1 1>0,8,4,4.5e-06,5e-06,2,1e-06,2.5e-06",
        "pingpong_single,0>1,1,1,1.5e-06,2e-06,3,,",
    ]


# ---- where ranks sit --------------------------------------------------------------------------------------


def test_the_neighbours_of_a_ring_are_all_of_its_class() -> None:
    placement = Placement(
        tuple((n, 2 * n + s, 4 * n + 2 * s + c) for n in (0, 1) for s in (0, 1) for c in (0, 1) for _ in range(3))
    )
    rings = {level: placement.ring(level) for level in ("cache", "socket", "node", "network")}
    assert rings["cache"] == ((0, 1), (1, 2), (2, 0))
    assert rings["socket"] == ((0, 3), (3, 1), (1, 4), (4, 0)), "two caches, so by turns"
    for level, ring in rings.items():
        assert all(placement.level(*pair) == level for pair in ring)
        assert [b for _, b in ring] == [a for a, _ in ring[1:] + ring[:1]] and len({a for a, _ in ring}) == len(ring)
    assert Placement(((0, 0, 0), (1, 1, 1), (1, 1, 1))).ring("network") == (), "three ranks on two nodes"
    assert Placement(tuple((n, n, n) for n in range(6))).ring("network") == ((0, 1), (1, 2), (2, 3), (3, 0))


def test_pairs_of_each_class_are_few_and_spread() -> None:
    placement = Placement(tuple((n, 2 * n + s, 2 * n + s) for n in range(8) for s in (0, 1) for _ in range(4)))
    pairs = placement.pairs()
    assert {level: len(of) for level, of in pairs.items()} == {"cache": 3, "node": 3, "network": 3}
    assert [b // 8 for _, b in pairs["network"]] == [1, 4, 7]
    assert all(placement.level(*pair) == level for level, of in pairs.items() for pair in of)
    assert placement.disjoint("network") == [(r, 8 + r) for r in range(8)]
    assert placement.disjoint("cache") == [(0, 1), (2, 3)]
    assert placement.disjoint("node") == [(0, 4), (1, 5), (2, 6), (3, 7)]
    assert spread([(0, n) for n in range(7)], 3) == [(0, 0), (0, 3), (0, 6)]
    assert spread([(0, n) for n in range(3)], 3) == [(0, 0), (0, 1), (0, 2)]


def test_ranks_of_a_node_need_not_be_neighbours() -> None:
    turned = Placement(((0, 0, 0), (1, 2, 4), (0, 0, 1), (1, 3, 6), (0, 1, 2), (0, 1, 2)))
    assert turned.nodes == [[0, 2, 4, 5], [1, 3]]
    assert [turned.node_of(r) for r in range(6)] == [0, 1, 0, 1, 0, 0]
    pairs = turned.pairs()
    assert [*pairs] == ["cache", "socket", "node", "network"]
    assert pairs == {"cache": [(4, 5)], "socket": [(0, 2)], "node": [(0, 4), (0, 5), (2, 5)], "network": [(0, 3)]}
    assert turned.disjoint("node") == [(0, 4), (2, 5)] and turned.disjoint("cache") == [], "on the first socket"


def test_streams_between_sockets_are_of_one_pair_and_of_several() -> None:
    two = Placement(tuple((0, n // 3, n // 3) for n in range(6)))
    assert two.between_sockets() == [((0, 3),), ((0, 3), (1, 4)), ((0, 3), (1, 4), (2, 5))]
    assert Placement(((0, 0, 0), (0, 1, 1))).between_sockets() == [], "one pair has nobody beside it"


def test_groups_are_pairs_side_by_side_stars_and_a_ring() -> None:
    """Pairs in doublings and all; one to many and many to one, also within a node; between nodes a ring."""
    square = Placement(tuple((n // 3, n // 3, n) for n in range(9)))
    side = ((0, 3), (1, 4), (2, 5))
    assert square.groups("network") == [
        side[:2], side, ((0, 3), (0, 6)), ((3, 0), (6, 0)), ((0, 3), (3, 6), (6, 0)),
    ]  # fmt: skip
    assert square.groups("socket") == [((0, 1), (0, 2)), ((1, 0), (2, 0))] and square.disjoint("socket") == [(0, 1)]
    assert Placement(((0, 0, 0), (1, 1, 1))).groups("network") == []
    many = Placement(tuple((n // 100, n // 100, n // 100) for n in range(200)))
    assert len(many.disjoint("network")) == 64 and many.disjoint("network")[-1] == (63, 163), "no more"
    assert [doubling(n) for n in (0, 1, 2, 3, 4, 6, 8)] == [[], [], [2], [2, 3], [2, 4], [2, 4, 6], [2, 4, 8]]
