"""collscope.schedules.exports.write, collscope.schedules.exports.goal, collscope.schedules.exports.msccl,
collscope.schedules.exports.chrome, collscope.schedules.exports.paje: what an exported file holds is the schedule that was shown."""

from __future__ import annotations

import itertools
import json
import shlex
import xml.etree.ElementTree as ET
from collections import Counter, deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.base.errors import UsageError
from collscope.points.plan import Point
from collscope.schedules import from_file
from collscope.schedules.exports import chrome, goal, msccl, paje, write
from collscope.schedules.trace import Message, Span, Trace
from made_trace import US, made_trace
from traced import traced

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


# ---- GOAL ------------------------------------------------------------------------------------------------------


@needs_prover
@pytest.mark.parametrize("where", [{}, {"platform": "schooner", "nodes": 2}], ids=["telephone", "schooner"])
@pytest.mark.parametrize(
    "key",
    ["bcast/binomial", "bcast/chain[chains=2,s=256]", "allreduce/ring", "alltoall/linear", "allgather/bruck", "reduce/binomial",
     "barrier/dissemination"],
)  # fmt: skip
def test_goal_read_back_takes_the_same_time(key: str, where: dict[str, Any], tmp_path: Path) -> None:
    """But for calculations, which GOAL counts in whole nanoseconds."""
    t = traced(key, 9, **where)
    path = write.write(t, tmp_path / "x.goal")
    file = from_file.read(path)
    text = path.read_text()
    rounded = 0.5e-9 * max(part.count(": calc") for part in text.split("rank "))
    assert (file.ranks, file.goal and file.goal.messages, file.goal and file.goal.delayed) == (9, len(t.messages), 0)
    assert text.splitlines()[1].startswith(f"// calc: nanoseconds on {t.where}, per byte ")
    assert from_file.time(file, t.machine)["model_s"] == pytest.approx(t.raw["model_s"], abs=rounded + 1e-15, rel=0)


@needs_prover
def test_goal_says_what_comes_before_what() -> None:
    """A blocking operation is required, one that has only begun is irequired, and a wait is a calculation of no time."""
    lines = goal.text(traced("bcast/binomial", 4)).split("\n\n")[1].splitlines()
    assert lines == [
        "rank 0 {", "l0: send 4096b to 1 tag 0", "l1: send 4096b to 2 tag 0", "l1 irequires l0",
        "l3: calc 0", "l3 requires l0", "l3 requires l1", "}",
    ]  # fmt: skip


def test_goal_has_no_shared_segments() -> None:
    made = made_trace(raw={"messages": [], "operations": [[["publish", 3, 0, 0, 1, 0, 0, 0.0]]] * 4})
    with pytest.raises(UsageError, match="publish: GOAL has messages, and no shared segments"):
        goal.text(made)


# ---- MSCCL -----------------------------------------------------------------------------------------------------


def run_xml(text: str) -> list[dict[tuple[str, int], Counter[tuple[int, int]]]]:
    """What each chunk of each rank is made of, (rank, chunk of its input) each so often, when every thread block has come to its end.
    Steps wait for their dependency, receives for a message of their connection."""
    algo = ET.fromstring(text)
    gpus = list(algo)
    memory: list[dict[tuple[str, int], Counter[tuple[int, int]]]] = []
    for rank, gpu in enumerate(gpus):
        memory.append({("i", c): Counter({(rank, c): 1}) for c in range(int(gpu.get("i_chunks", "0")))})
    wires: dict[tuple[int, int, str], deque[list[Counter[tuple[int, int]]]]] = {}
    at = {(r, b): 0 for r, gpu in enumerate(gpus) for b in range(len(gpu))}
    moved = True
    while moved:
        moved = False
        for (rank, block), n in at.items():
            tb = gpus[rank][block]
            if n == len(tb):
                continue
            step = dict(tb[n].items())
            if step["depid"] != "-1" and at[rank, int(step["depid"])] <= int(step["deps"]):
                continue
            source, target = (
                [(step[f"{side}buf"], int(step[f"{side}off"]) + k) for k in range(int(step["cnt"]))]
                for side in ("src", "dst")
            )
            if step["type"] == "s":
                wire = wires.setdefault((rank, int(tb.get("send", "")), tb.get("chan", "")), deque())
                wire.append([Counter(memory[rank][c]) for c in source])
            elif step["type"] == "r":
                wire = wires.setdefault((int(tb.get("recv", "")), rank, tb.get("chan", "")), deque())
                if not wire:
                    continue
                memory[rank] |= dict(zip(target, wire.popleft(), strict=True))
            elif step["type"] == "cpy":
                memory[rank] |= {t: Counter(memory[rank][s]) for s, t in zip(source, target, strict=True)}
            elif step["type"] == "re":
                for s, t in zip(source, target, strict=True):
                    memory[rank][t] = memory[rank][t] + memory[rank][s]
            at[rank, block] += 1
            moved = True
    assert all(n == len(gpus[r][b]) for (r, b), n in at.items()), "a step waits for ever"
    return memory


@needs_prover
@pytest.mark.parametrize(
    "key",
    ["allreduce/ring", "allreduce/recursive_doubling", "allreduce/rabenseifner", "allgather/bruck", "allgather/bucket", "alltoall/linear",
     "reduce_scatter_block/recursive_halving"],
)  # fmt: skip
@pytest.mark.parametrize("ranks", [2, 6])
def test_the_steps_of_msccl_xml_leave_the_right_chunks_everywhere(key: str, ranks: int) -> None:
    t = traced(key, ranks)
    text = msccl.text(t)
    memory = run_xml(text)
    algo = ET.fromstring(text)
    assert (algo.get("ngpus"), algo.get("coll")) == (str(ranks), key.partition("/")[0].removesuffix("_block"))
    assert int(algo.get("inplace", "")) + int(algo.get("outofplace", "")) == 1
    assert int(algo.get("minBytes", "")) < int(algo.get("maxBytes", ""))
    chunks = int(algo[0].get("o_chunks", "0"))
    for rank in range(ranks):
        out = [memory[rank]["o", c] for c in range(chunks)]
        per = chunks // ranks
        if t.collective == "allreduce":
            assert out == [Counter({(r, c): 1 for r in range(ranks)}) for c in range(chunks)]
        elif t.collective == "reduce_scatter_block":
            assert out == [Counter({(r, rank * chunks + c): 1 for r in range(ranks)}) for c in range(chunks)]
        elif t.collective == "allgather":
            assert out == [Counter({(c // per, c % per): 1}) for c in range(chunks)]
        else:
            assert out == [Counter({(c // per, rank * per + c % per): 1}) for c in range(chunks)]


@needs_prover
def test_msccl_xml_has_every_message_and_a_connection_per_block() -> None:
    t = traced("allreduce/ring", 5)
    for rank, gpu in enumerate(ET.fromstring(msccl.text(t))):
        kinds = Counter(step.get("type") for step in gpu.iter("step"))
        assert kinds["s"] == sum(m.src == rank for m in t.messages) and kinds["r"] == sum(
            m.dst == rank for m in t.messages
        )
        assert kinds["re"] == 4 and kinds["cpy"] == 1
        waited_for = {(step.get("depid"), step.get("deps")) for step in gpu.iter("step")} - {("-1", "-1")}
        flagged = {(tb.get("id"), step.get("s")) for tb in gpu for step in tb if step.get("hasdep") == "1"}
        assert waited_for == flagged and waited_for
        for tb in gpu:
            assert {step.get("type") for step in tb} <= {"s", "nop"} if tb.get("send") != "-1" else True
            assert [step.get("s") for step in tb] == [str(n) for n in range(len(tb))]


@needs_prover
@pytest.mark.parametrize(
    ("key", "more", "reason"),
    [
        ("bcast/binomial", {}, "bcast: MSCCL has no such collective; it has allreduce"),
        ("allreduce/recursive_doubling", {"type_name": "affine"}, "this operator does not commute"),
        ("alltoall/linear", {"sizes": "0B"}, "MSCCL has no calls without data; choose a count of at least 5 elements"),
        ("allreduce/ring", {"sizes": "1000004B"}, "a buffer of more than 4096 chunks; choose a count that 5 divides"),
        (
            "reduce_scatter/ring",
            {"sizes": "28B"},
            "MSCCL's reduce_scatter has equal blocks; choose a count that 5 divides",
        ),
        ("reduce_scatter/ring", {"in_place": True}, "MSCCL's reduce_scatter: in place each rank finds its block where"),
        ("reduce_scatter_block/bucket", {"in_place": True}, "by MPI at the vector's beginning; leave --in-place away"),
    ],
)
def test_msccl_says_what_it_cannot_hold(key: str, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        msccl.text(traced(key, 5, **more))


def test_blocks_of_unequal_lengths_have_no_msccl_xml_even_where_their_sum_divides() -> None:
    raw = {"messages": [], "operations": [[]] * 4, "buffers": [[0, 0, 8, 1, 0, 8]] * 4}
    fields = {"collective": "reduce_scatter", "count": 8, "raw": raw}
    assert msccl.text(made_trace(**fields, point=Point("reduce_scatter", "reduce_scatter/a", 8)))
    with pytest.raises(UsageError, match="MSCCL's reduce_scatter has equal blocks"):
        msccl.text(made_trace(**fields, point=Point("reduce_scatter", "reduce_scatter/a", 8, counts="linear")))
    blocks = [[0, 0, 8, 1, 0, size] for size in (1, 1, 1, 5)]  # as a schedule's file says them
    with pytest.raises(UsageError, match="MSCCL's reduce_scatter has equal blocks"):
        msccl.text(made_trace(**fields | {"raw": raw | {"buffers": blocks}}))


def test_a_step_behind_a_wait_depends_on_the_last_message_whatever_the_order_of_the_wait() -> None:
    """Rank 0 waits for its second message, then for its first; one connection has both."""
    first, second = (
        [["isend", 0, at, 0, 0, 1, 8, 0.0] for at in (0, 8)],
        [["irecv", 1, at, 0, 0, 0, 8, 0.0] for at in (0, 8)],
    )
    wait = [["wait", 0, 0, 0, 0, 1, 1, 0.0], ["wait", 0, 0, 0, 0, 0, 0, 0.0]]
    raw = {
        "messages": [[0, 1, 8, 1, 0, 0.0, 0.0, 0.0, k, k] for k in (0, 1)],
        "operations": [[*first, *wait, ["copy", 0, 0, 1, 0, -1, 8, 0.0]], [*second, *wait]],
        "buffers": [[0, 0, 16, 1, 0, 16]] * 2,
    }
    gpu = ET.fromstring(msccl.text(made_trace(collective="allreduce", ranks=2, raw=raw)))[0]
    (copy,) = (step for step in gpu.iter("step") if step.get("type") == "cpy")
    assert copy.get("deps") == "1"


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (["seg_write", 0, 0, 3, 0, 0, 8, 0.0], "seg_write: MSCCL has messages, and no shared segments or calculations"),
        (["calc", 0, 0, 0, 0, 0, 8, 0.0], "calc: MSCCL has messages, and no shared segments or calculations"),
        (["send", 2, 0, 0, 0, 1, 0, 0.0], "MSCCL has no empty messages; choose a count of at least 4 elements"),
    ],
)
def test_msccl_has_messages_with_data_and_local_work_only(operation: list[Any], reason: str) -> None:
    raw = {"messages": [], "operations": [[operation]] * 4, "buffers": [[0, 0, 8, 1, 0, 8]] * 4}
    with pytest.raises(UsageError, match=reason):
        msccl.text(made_trace(collective="allreduce", raw=raw))


# ---- Chrome and Paje -------------------------------------------------------------------------------------------


def test_a_chrome_trace_has_all_work_and_messages_for_as_long_as_they_take() -> None:
    t = made_trace()
    made = json.loads(chrome.text(t))
    assert set(made) == {"displayTimeUnit", "otherData", "traceEvents"}
    events = made["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert names == {0: "rank 0, node 0", 1: "rank 1, node 0", 2: "rank 2, node 1", 3: "rank 3, node 1"}
    work, carried = Counter[str](), Counter[str]()
    for e in (e for e in events if e["ph"] == "X"):
        (carried if "args" in e else work)[e["cat"] if "args" in e else e["name"]] += e["dur"]
    assert work == pytest.approx({s.kind: 1e6 * (s.end_s - s.start_s) for s in t.spans})
    for kind, arrows in (("message", t.messages), ("transfer", t.transfers)):
        assert carried[kind] == pytest.approx(2e6 * sum(m.end_s - m.start_s for m in arrows))
    assert {e["args"]["bytes"] for e in events if e["ph"] == "X" and "args" in e} == {512, 1024, 2048}


def test_arrows_of_a_chrome_trace_begin_and_end_within_slices_that_do_not_overlap() -> None:
    """Perfetto draws no others. Messages that a rank sends, or receives, at once are on threads of their own."""
    first = made_trace().messages[0]
    t = made_trace(messages=(first, replace(first, start_s=first.start_s + 0.4 * (first.end_s - first.start_s))))
    events = json.loads(chrome.text(t))["traceEvents"]
    slices: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for e in (e for e in events if e["ph"] == "X"):
        slices.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
    for list_ in map(sorted, slices.values()):
        assert all(begin >= end - 1e-9 for (_, end), (begin, _) in itertools.pairwise(list_))
    for phase, side in (("s", "src"), ("f", "dst")):
        ends = [e for e in events if e["ph"] == phase]
        assert [e["pid"] for e in ends] == [getattr(m, side) for m in t.arrows]
        for e in ends:
            assert any(begin <= e["ts"] < end for begin, end in slices[e["pid"], e["tid"]]) and e["tid"] > 0
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert set(slices) <= set(names) and {"work", "sends", "sends 2", "receives", "receives 2"} <= set(names.values())


def test_a_message_that_clocks_make_end_before_it_begins_has_no_length_in_a_chrome_trace() -> None:
    events = json.loads(
        chrome.text(made_trace(messages=(Message(0, 1, 8, 1, 2 * US, US, 0, 0),), transfers=(), spans=()))
    )
    assert [e["dur"] for e in events["traceEvents"] if e["ph"] == "X"] == [0.0, 0.0]


def test_a_message_to_itself_stands_once_in_a_chrome_trace() -> None:
    own = Message(1, 1, 8, 1, 0.0, US, 0, 1)
    for messages in ((), (own,)):
        events = json.loads(chrome.text(made_trace(messages=messages, transfers=(), spans=())))["traceEvents"]
        assert [e["name"] for e in events if e["ph"] != "M"] == ["to 1"] * len(messages)


def test_slices_that_follow_each_other_stay_so_in_whole_nanoseconds() -> None:
    """As Perfetto counts them, which drops the second of two that overlap: 4.666 us is 4665 ns after a multiplication by 1000."""
    later = 4.6659999999999995e-6  # the same time, but for rounding
    spans = (Span(0, "reduce", 4.63e-6, 4.666e-6), Span(0, "post", later, 4.766e-6))
    spans += tuple(Span(1, "copy", n * 1e-9, (n + 1) * 1e-9) for n in range(2000))
    events = json.loads(chrome.text(made_trace(messages=(), transfers=(), spans=spans)))["traceEvents"]
    found = [(e["pid"], int(e["ts"] * 1000.0), int(e["dur"] * 1000.0)) for e in events if e["ph"] == "X"]
    assert found == [(0, 4630, 36), (0, 4666, 100), *((1, n, 1) for n in range(2000))]


def paje_events(text: str) -> list[dict[str, str]]:
    """Each line behind the definitions, by the fields that these name."""
    fields: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    made = []
    for line in text.splitlines():
        words = shlex.split(line)
        if line.startswith("%EventDef"):
            number = words[2]
            names[number], fields[number] = words[1], []
        elif line.startswith("%\t"):
            fields[number].append(words[1])
        elif not line.startswith("%"):
            made.append({"event": names[words[0]], **dict(zip(fields[words[0]], words[1:], strict=True))})
    return made


def test_a_paje_trace_has_every_state_and_link_in_the_order_of_time() -> None:
    t = made_trace()
    events = paje_events(paje.text(t))
    count = Counter(e["event"] for e in events)
    assert count["PajeStartLink"] == count["PajeEndLink"] == len(t.arrows)
    assert count["PajeSetState"] == t.ranks + 2 * len(t.spans)
    assert count["PajeCreateContainer"] == count["PajeDestroyContainer"] == t.ranks + 1
    timed = [e for e in events if "Time" in e]
    times = [float(e["Time"]) for e in timed]
    assert times == sorted(times)
    starts = {e["Key"]: e for e in events if e["event"] == "PajeStartLink"}
    ends = {e["Key"]: e for e in events if e["event"] == "PajeEndLink"}
    assert [
        (starts[k]["StartContainer"], ends[k]["EndContainer"], starts[k]["Value"])
        for k in map(str, range(len(t.arrows)))
    ] == [(f"rank{m.src}", f"rank{m.dst}", f"{m.bytes} B") for m in t.arrows]
    states = [
        (e["Container"], e["Value"], round(float(e["Time"]) / US, 6)) for e in events if e["event"] == "PajeSetState"
    ]
    assert ("rank2", "reduce", 5.0) in states and ("rank2", "free", 5.4) in states
    assert {e["Alias"] for e in events if e["event"] == "PajeDefineEntityValue"} == {"free", *(s.kind for s in t.spans)}


def test_a_state_of_a_paje_trace_ends_before_the_next_begins() -> None:
    t = made_trace(spans=(Span(0, "reduce", 0.0, US), Span(0, "copy", US, 2 * US)))
    states = [
        e["Value"] for e in paje_events(paje.text(t)) if e["event"] == "PajeSetState" and e["Container"] == "rank0"
    ]
    assert states == ["free", "reduce", "free", "copy", "free"]


def test_a_state_of_a_paje_trace_that_begins_with_the_end_of_another_lasts_whatever_was_rounded() -> None:
    spans = (Span(0, "reduce", 4.63e-6, 4.666e-6), Span(0, "post", 4.6659999999999995e-6, 4.766e-6))
    spans += (Span(0, "copy", 5e-6, 5e-6 + 1e-13),)  # less than a file can tell
    events = paje_events(paje.text(made_trace(spans=spans)))
    states = [(e["Value"], e["Time"]) for e in events if e["event"] == "PajeSetState" and e["Container"] == "rank0"]
    assert states == [
        ("free", "0.000000000000"),
        ("reduce", "0.000004630000"),
        ("free", "0.000004666000"),
        ("post", "0.000004666000"),
        ("free", "0.000004766000"),
    ]


# ---- files -----------------------------------------------------------------------------------------------------


@needs_prover
@pytest.mark.parametrize("name", ["a.schedule", "b.GOAL", "c.xml", "d.trace.json", "sub/e.paje"])
def test_the_ending_says_what_is_written(name: str, tmp_path: Path) -> None:
    path = write.write(traced("allreduce/ring", 3), tmp_path / name)
    first = path.read_text().splitlines()[0]
    begins = {
        "a": "collscope-schedule 1",
        "b": "// allreduce/ring, 3 ranks",
        "c": "<algo ",
        "d": '{"displayTimeUnit"',
        "e": "%EventDef",
    }
    assert first.startswith(begins[path.name[0]])
    assert write.ending_of("x.jpg") is None and write.ending_of("x.trace.json") == ".trace.json"


def test_the_call_of_a_file_is_what_the_file_says() -> None:
    file = from_file.ScheduleFile(Path("a/x.schedule"), "", "reduce", 4, 6, 8, 3, False, True)
    assert file.point() == Point("reduce", "x.schedule", 6, type="double", op="affine", root=3, in_place=True)
    other = replace(file, elem=4, root=0, commutes=True, in_place=False)
    assert other.point() == Point("reduce", "x.schedule", 6, type="float", op="sum", root=0, in_place=False)


@needs_prover
def test_an_exported_schedule_is_shown_as_the_one_it_is_of(tmp_path: Path) -> None:
    """Times, messages, what every rank holds: of a file they are those of the algorithm."""
    from collscope.schedules import holdings

    t = traced("allgather/bruck", 6, platform="schooner", nodes=2)
    file = from_file.read(write.write(t, tmp_path / "bruck.schedule"))
    assert (file.algorithm, file.collective, file.ranks, file.bytes) == (t.key, "allgather", 6, t.vector_bytes)
    again = from_file.trace(file, t.machine, t.where)
    found = (again.time_s, again.messages, again.spans, again.rank_end_s, again.nodes)
    assert found == (t.time_s, t.messages, t.spans, t.rank_end_s, t.nodes)
    one, two = holdings.after_rounds(t), holdings.after_rounds(again)
    assert one and two and (one.state == two.state).all() and one.sets == two.sets
    assert write.schedule_text(again) == write.schedule_text(t)
    assert from_file.prove(file)["verdict"] == "proven"
    assert isinstance(again, Trace) and again.key == "bruck.schedule"
