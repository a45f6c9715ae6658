"""model: rings of an odd number of ranks: where simulation and model agree, and why they part where a node's ranks crowd its NIC.

Fair sharing makes much of little: of n messages on a link one that starts t earlier is over up to n t earlier. Where ranks go round at
their own times (dealt out over the nodes, so that every message crosses a NIC) each step of a ring multiplies what differs, rounding
errors too, until it is as long as a message.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from collscope.commands import one_call
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Point
from collscope.schedules.trace import Message, Trace
from driven import agree, needs_simulation
from scripts import SCRIPT, Operations, modelled, written

pytestmark = needs_simulation(SCRIPT)

PICOSECOND = 1e-12  # SimGrid merges what is nearer
RINGS = ("allgather/bucket", "allreduce/bucket", "allreduce/ring", "reduce_scatter/bucket", "reduce_scatter/ring")


@pytest.mark.parametrize("ranks", [37, pytest.param(61, marks=pytest.mark.full)])
def test_rings_with_neighbours_on_a_node_take_what_the_simulation_says(ranks: int, tmp_path: Path) -> None:
    points = [Point(key.partition("/")[0], key, count) for key in RINGS for count in (ranks, 1000, 10_007)]
    agree(tmp_path, "schooner", ranks, points, nodes=4, rel=1e-6)


def ring(ranks: int, late: str) -> Operations:
    """Blocks once around; rank 5 begins with `late`."""
    ops: Operations = []
    for me in range(ranks):
        mine = [late] if late and me == 5 else []
        for _ in range(ranks - 1):
            at = len(mine)
            mine += [f"irecv {(me - 1) % ranks} 4000", f"isend {(me + 1) % ranks} 4000", f"wait {at}", f"wait {at + 1}"]
        ops.append(mine)
    return ops


def test_a_picosecond_grows_on_a_crowded_nic_and_not_elsewhere(tmp_path: Path) -> None:
    on = find.load("schooner")
    off = {}
    for mapping in ("cyclic", "block"):
        machine = machine_file(on, 4, 61, mapping)
        ends = [max(modelled(written([ring(61, late)], tmp_path), machine, tmp_path)) for late in ("", "compute 1e-12")]
        off[mapping] = abs(ends[1] - ends[0])
    assert off["block"] < 2 * PICOSECOND
    assert off["cyclic"] > 500 * PICOSECOND


@pytest.mark.parametrize(
    ("key", "ranks", "size"),
    [("allgather/bucket", 37, "37000"), pytest.param("allreduce/ring", 37, "4000", marks=pytest.mark.full)],
)
def test_no_message_parts_by_more_than_fair_sharing_makes_of_what_its_neighbours_are_apart(
    key: str, ranks: int, size: str
) -> None:
    """So the rules are the same: simulation and model part nowhere else than where they were apart before, by a picosecond at first."""
    request = one_call.OneCall(
        key, ranks, platform="schooner", nodes=4, mapping="cyclic", source="model,sim", sizes=size
    )
    traces = one_call.make_traces(request)
    assert len(traces) == 2
    start, end, nodes = (np.array(found) for found in zip(*map(columns, traces), strict=True))
    apart, before = np.abs(end[0] - end[1]), np.abs(start[0] - start[1])
    assert apart.max() > 100 * PICOSECOND, "they do part"
    per_node = -(-ranks // 4)
    src, dst = nodes[0].T
    for m in np.flatnonzero(apart > PICOSECOND):
        shared = (np.isin(src, nodes[0][m]) | np.isin(dst, nodes[0][m])) & (start.min(0) < end[:, m].max())
        shared &= end.max(0) >= start[:, m].min()
        over = shared & (end.min(0) < end[:, m].max() - PICOSECOND)
        known = max(before[m], before[shared].max(), apart[over].max(initial=0))
        assert apart[m] <= per_node * (known + PICOSECOND), m


def columns(trace: Trace) -> tuple[list[float], list[float], list[list[int]]]:
    """Start, end and both nodes of every message, in one order."""

    def which(m: Message) -> tuple[int, int, int, int]:
        return m.src, m.dst, m.send, m.recv

    found = sorted(trace.messages, key=which)
    places = [[trace.nodes[m.src], trace.nodes[m.dst]] for m in found]
    return [m.start_s for m in found], [m.end_s for m in found], places
