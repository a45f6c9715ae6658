"""collscope.synthesis.emit, collscope.synthesis.greedy, collscope.synthesis.schedule: what is written is right, for every collective."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.catalogue import prover
from collscope.points.plan import Layout, Point, plan_text
from collscope.schedules import one_port
from collscope.synthesis import greedy, network, schedule
from collscope.synthesis.demand import BACKWARD, COLLECTIVES, Chunk, Design, chunks_of, design_of, moving
from collscope.synthesis.emit import Call, schedule_of
from collscope.synthesis.judge import Judge
from collscope.synthesis.network import Limit, Network
from collscope.synthesis.operations import Operation, Place

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
MACHINE = one_port.telephone(8, None)


def design(collective: str, layout: Layout, parts: int, root: int, seed: int = 0) -> Design:
    on = network.of_layout(layout)
    used = on.reversed() if collective in BACKWARD else on
    sends = greedy.schedule(used, chunks_of(moving(collective), on.ranks, root, parts), seed)
    return design_of(collective, on, root, parts, sends, 0)


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_schedules_of_every_collective_are_proven(
    collective: str, torus: Layout, two_nodes: Layout, tmp_path: Path
) -> None:
    """For counts that no number of ranks divides, too; with messages cut, and posted early."""
    judge = Judge(MACHINE, tmp_path)
    rooted = collective in ("bcast", "reduce", "scatter", "gather")
    for layout, parts, count, in_step in ((torus, 1, 13, False), (two_nodes, 3, 17, True), (two_nodes, 2, 0, False)):
        made = design(collective, layout, parts, 3 if rooted else 0)
        base = schedule_of(made, Call(count, 4), "test", in_step)
        for each in (base, schedule.early(schedule.cut_into(base, 2))):
            assert judge.fault(each) == ""


def test_the_same_seed_is_the_same_schedule_and_another_seed_another(torus: Layout) -> None:
    on, chunks = network.of_layout(torus), chunks_of("allgather", 8, 0, 1)
    assert greedy.schedule(on, chunks, 1) == greedy.schedule(on, chunks, 1) != greedy.schedule(on, chunks, 2)


def test_greedy_rounds_keep_every_limit(torus: Layout) -> None:
    on = network.of_layout(torus)
    sends = greedy.schedule(on, chunks_of("alltoall", 8, 0, 1), 0)
    for step in range(1, max(s.step for s in sends) + 1):
        crossing = [(s.source, s.target) for s in sends if s.step == step]
        assert all(sum(pair in x.pairs for pair in crossing) <= x.chunks for x in on.limits)


def test_a_chunk_goes_nowhere_from_where_it_gets_no_nearer() -> None:
    """Both ways around a ring are as long, and a rank sends one chunk in a round: once it goes one way, the other is of no use."""
    limits = [Limit(f"port of rank {a}", frozenset([(a, (a + 1) % 4), (a, (a - 1) % 4)]), 1) for a in range(4)]
    for seed in range(4):
        assert len(greedy.schedule(Network("ring", 4, tuple(limits)), [Chunk(0, frozenset([2]))], seed)) == 2


@pytest.mark.parametrize(
    "key", ["allreduce/bucket", "allreduce/rabenseifner", "allgather/bruck", "alltoall/pairwise", "scan/linear"]
)
def test_an_algorithm_of_the_catalogue_stays_right_in_another_order(key: str, tmp_path: Path) -> None:
    """Read from a file, cut, posted early, and with operations moved about; some deadlock, and nothing else is wrong."""
    judge = Judge(MACHINE, tmp_path)
    base = judge.recorded(plan_text([("1", Point(key.split("/")[0], key, 21))], 5))
    assert base and judge.fault(base) == ""
    generator = random.Random(1)
    for made in (schedule.cut_into(base, 3), schedule.early(base), schedule.early(schedule.cut_into(base, 2))):
        assert judge.fault(made) == ""
        for _ in range(15):
            moved = schedule.moved(made, int(generator.random() * 5), generator)
            if moved is None:
                continue
            judge.file.write_text(moved.text())
            (reply,) = prover.replies(["--schedule", judge.file])
            assert reply["verdict"] == "proven" or reply["kind"] == "deadlock", reply["failure"]
            made = moved if reply["verdict"] == "proven" else made


def test_shared_segments_are_not_read(tmp_path: Path) -> None:
    assert (
        schedule.read(
            "collscope-schedule 1\ncall collective=barrier ranks=1\nrank 0\n  publish segment0 of 0 flag 0 value 1\n"
        )
        is None
    )


def test_messages_of_one_channel_keep_their_order_and_those_of_another_label_need_not() -> None:
    one, same, labelled, back = (
        Operation(kind, Place("out", at, 4), 1, label)
        for kind, at, label in (("isend", 0, 0), ("isend", 4, 0), ("isend", 8, 7), ("irecv", 12, 0))
    )
    assert [schedule.ordered(one, other) for other in (same, labelled, back)] == [True, False, False]
    assert schedule.ordered(one, replace(back, place=one.place)), "it would overwrite what is sent"
