"""collscope.sources.assumptions: numbers that a machine's file leaves open, and winners that hang on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from collscope.base import progress
from collscope.base.progress import Progress
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Layout, Point, Task, Timing
from collscope.sources import assumptions, model
from collscope.sources.assumptions import LOCAL, NIC, PROCESSOR, SHARED_MEMORY, Choice, Doubt, Unchecked
from collscope.sources.outcome import OK
from collscope.sources.source import LOOP_CALLS, LOOP_WARMUP
from open_mpi import needs_prover

OSU_ALONE = """name = "osu"
nodes = 8
sockets = 2
cores_per_socket = 8
[curve]
socket = [[0, 0.4e-6, 2e-10]]
node = [[0, 0.7e-6, 2.5e-10]]
network = [[0, 1.8e-6, 1e-9], [4096, 4.5e-6, 8.2e-11]]
"""
GAPS = "node = [[0, 0.7e-6, 2.5e-10, 1, 3e-7, 1e-10]]"


def machine(tmp_path: Path, *lines: str, text: str = OSU_ALONE) -> str:
    """The path of a specification with more lines at its beginning."""
    path = tmp_path / "osu.toml"
    path.write_text("\n".join([*lines, text]))
    return str(path)


@pytest.mark.parametrize(
    ("lines", "nodes", "unknown"),
    [
        ((), 2, [PROCESSOR, NIC, SHARED_MEMORY, LOCAL]),
        ((), 1, [PROCESSOR, SHARED_MEMORY, LOCAL]),  # no NIC is used
        (("overhead_s = 0",), 1, [SHARED_MEMORY, LOCAL]),  # zero, as the file says so
        (("overhead_s = 2e-7", "nic_gap_s = 0", "memory_bytes_per_s = 9e10", "gamma_s_per_byte = 2e-10"), 2, []),
        (("copy_s_per_byte = 1e-10", "nic_gap_s = 1e-7"), 2, [PROCESSOR, SHARED_MEMORY]),
    ],
)
def test_a_number_is_unknown_unless_the_file_gives_it(
    tmp_path: Path, lines: tuple[str, ...], nodes: int, unknown: list[assumptions.Unknown]
) -> None:
    assert assumptions.unknowns(find.load(machine(tmp_path, *lines)), nodes) == unknown


def test_gaps_and_brackets_are_given_too(tmp_path: Path) -> None:
    """What a curve or the name of the platform says is known; of `ideal` everything is."""
    with_gaps = OSU_ALONE.replace("node = [[0, 0.7e-6, 2.5e-10]]", GAPS)
    name = machine(tmp_path, text=with_gaps)
    assert PROCESSOR not in assumptions.unknowns(find.load(name), 2)
    assert NIC not in assumptions.unknowns(find.load(f"{name}[nic_gap_s=1e-7]"), 2)
    assert assumptions.unknowns(find.load("ideal[cores=4]"), 2) == []


def test_processors_spend_shares_of_a_messages_time(tmp_path: Path) -> None:
    """Of its latency and of each byte; a receiver's of eager messages alone, and never all of the time."""
    spec = find.load_spec(machine(tmp_path, "eager_bytes = 1024"))
    for i in (0, 1, 2):
        made = PROCESSOR.with_value(spec, i)
        small, large = made.curve["network"]
        assert small.gap and small.gap[0].value == pytest.approx(assumptions.SEND_NETWORK[i] * 1.8e-6)
        assert small.receive_gap and large.receive_gap is None
        inside = made.curve["node"][0]
        assert inside.gap and inside.receive_gap
        assert inside.gap[0].value + inside.receive_gap[0].value <= assumptions.MAX_BUSY * 0.7e-6 + 1e-18


def choice(platform: str, collective: str, count: int, keys: tuple[str, ...]) -> Choice:
    """64 ranks on 4 nodes, with the model's winner."""
    layout = Layout(find.load(platform), 4, 64)
    points = {key: Point(collective, key, count) for key in keys}
    found = model.evaluate([(layout, point) for point in points.values()])
    seconds = {key: o["model_s"] for key, o in zip(points, found, strict=True) if o["kind"] == OK}
    return Choice(layout, points, seconds, min(seconds, key=lambda key: seconds[key]))


BCAST = ("bcast/linear", "bcast/binomial[s=0]")


@needs_prover
def test_a_winner_that_costs_nothing_per_message_is_in_doubt(workplace: Path, tmp_path: Path) -> None:
    """By osu_latency alone the root sends to everybody at once; whatever a message costs it, that is the slowest."""
    small = choice(machine(tmp_path), "bcast", 2, BCAST)
    assert small.winner == "bcast/linear"
    (doubt,) = assumptions.doubts([small])
    assert (
        isinstance(doubt, Doubt)
        and doubt.unknown == PROCESSOR
        and doubt.other == "bcast/binomial[s=0]"
        and doubt.loss > 1
    )


@needs_prover
def test_a_winner_that_stays_is_in_no_doubt(workplace: Path, tmp_path: Path) -> None:
    """Nor is one of a machine whose file gives everything; each choice has its own answer."""
    name = machine(tmp_path)
    known = f"{name}[overhead_s=2e-7,nic_gap_s=0,memory_bytes_per_s=9e10,gamma_s_per_byte=2e-10]"
    first = choice(name, "bcast", 1 << 20, BCAST)
    found = assumptions.doubts([choice(known, "bcast", 2, BCAST), first, choice(name, "bcast", 2, BCAST)])
    assert first.winner == "bcast/binomial[s=0]"
    assert found[0] is None and found[1] is None and isinstance(found[2], Doubt)


@needs_prover
def test_the_check_shows_how_far_it_is(workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may take longer than the times themselves, which are printed by then."""
    shown: list[Progress] = []

    @contextmanager
    def watched(what: str, total: int, hint: str = "") -> Iterator[Progress]:
        shown.append(Progress(what, total, hint))
        yield shown[-1]

    monkeypatch.setattr(progress, "progress", watched)
    assumptions.doubts([choice(machine(tmp_path), "bcast", 2, BCAST)])
    (bar,) = shown
    assert bar.done == bar.total == 4 * 2 * len(BCAST) and "Ctrl-C" in bar.hint


@needs_prover
def test_calls_in_a_loop_are_checked_as_they_were_timed(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first call alone may differ from those that follow by more than a doubt."""
    checked: list[Task] = []
    evaluate = model.evaluate

    def watched(tasks: Sequence[Task], **more: Any) -> list[dict[str, Any]]:
        checked.extend(tasks)
        return evaluate(tasks, **more)

    one = choice(machine(tmp_path), "bcast", 2, BCAST)
    metric = "osu_avg[barrier=barrier/dissemination]"
    loop = replace(one, points={key: replace(point, metric=metric) for key, point in one.points.items()})
    monkeypatch.setattr(model, "evaluate", watched)
    assumptions.doubts([loop])
    assert {point.timing for _, point in checked} == {Timing(LOOP_CALLS, LOOP_WARMUP)}


@needs_prover
def test_a_call_of_too_many_ranks_is_not_called_sure(workplace: Path, tmp_path: Path) -> None:
    """Nor one whose metric the model does not know; a machine whose file gives everything hangs on nothing."""
    name = machine(tmp_path)
    small = choice(name, "bcast", 2, BCAST)
    looped = {key: replace(point, metric="loop") for key, point in small.points.items()}
    crowd = Point("alltoall", "alltoall/linear", 1)
    many = Choice(small.layout, {crowd.algorithm: crowd}, {crowd.algorithm: 1.0}, crowd.algorithm)
    known = find.load(f"{name}[overhead_s=2e-7,nic_gap_s=0,memory_bytes_per_s=9e10,gamma_s_per_byte=2e-10]")
    found = assumptions.doubts(
        [replace(small, points=looped), many, replace(many, layout=replace(many.layout, platform=known))]
    )
    every = Unchecked((PROCESSOR, NIC, SHARED_MEMORY, LOCAL))
    assert found == [every, every, None]


@needs_prover
@pytest.mark.parametrize(
    ("collective", "most"), [("bcast", 4096), ("barrier", 4096), ("allreduce", 128), ("alltoall", 32)]
)
def test_as_many_ranks_are_checked_as_a_collective_has_few_messages(collective: str, most: int) -> None:
    assert assumptions.max_ranks(collective) == most


@needs_prover
def test_only_what_is_near_is_tried_again(workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes many times as long cannot replace the winner."""
    monkeypatch.setattr(assumptions, "NEAR", 1.0)
    assert assumptions.doubts([choice(machine(tmp_path), "bcast", 2, BCAST)]) == [None]


@needs_prover
def test_a_doubt_hangs_on_its_own_call_alone(workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on the calls before it: one on a single node knows no NIC, and its machines are others."""
    name = machine(tmp_path)
    far = choice(name, "bcast", 2, BCAST)
    near = replace(far, layout=Layout(find.load(name), 1, 16))
    files: list[str] = []

    def times(tasks: Sequence[Task], **_: object) -> list[dict[str, object]]:
        files.extend(machine_file(at.platform, at.nodes, at.ranks) for at, _ in tasks if at.platform and at.nodes > 1)
        return [{"kind": OK, "model_s": 1.0} for _ in tasks]

    monkeypatch.setattr(model, "evaluate", times)
    assumptions.doubts([far])
    alone = list(files)
    files.clear()
    assumptions.doubts([near, far])
    assert files == alone and any("nic_gap" in file for file in files)
