"""collscope.schedules.observed:
simulated and real runs, observed: what ranks did is what the recorded schedule says, and looking on changes nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.base.errors import UsageError, UserError
from collscope.catalogue import registry
from collscope.commands import one_call
from collscope.figures.schedule import kinds
from collscope.machines import find
from collscope.points.plan import Layout, Point
from collscope.schedules import holdings, observed, one_port, record, trace
from collscope.schedules.observed import Observed, Run
from collscope.schedules.retimed import RECEIVES, SENDS, retimed
from collscope.sources import smpirun
from collscope.sources.outcome import Outcome

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
simulates = pytest.mark.skipif(
    not (shutil.which("smpirun") and programs.SIM_DRIVER.exists()), reason="needs smpirun and the simulated driver"
)
measures = pytest.mark.skipif(
    not (shutil.which("mpirun") and programs.MPI_DRIVER.exists()), reason="needs mpirun and the real driver"
)


def points(ranks: int) -> list[Point]:
    """Every algorithm as it is by default, with blocks that do not come out even; and a call of nothing."""
    known, made = registry.load(), []
    for a in known.algorithms:
        root = ranks // 3 if known.collective(a.collective).has_root else 0
        for count in (0, 4 * ranks + 1, 3000) if known.collective(a.collective).has_data else (0,):
            made.append(Point(a.collective, a.full_key(), count, root=root))
    return made


def launched(layout: Layout, expected: list[Point], folder: Path, *more: str) -> list[dict[str, Any]]:
    """What the simulated driver says of these points."""
    command = smpirun.command(layout, [(str(i), p) for i, p in enumerate(expected)], folder)
    env = {**os.environ, **smpirun.environment(layout)}
    words = list(map(str, [*command, *more]))
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=env, check=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def by_point(lines: list[dict[str, Any]], kind: str) -> dict[str, list[dict[str, Any]]]:
    """The lines that have this key, of each point."""
    made: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        if kind in line:
            made.setdefault(line["id"], []).append(line)
    return made


def recorded_messages(t: trace.Trace) -> Counter[tuple[int, int, int]]:
    return Counter((m.src, m.dst, m.bytes) for m in t.messages)


@simulates
@pytest.mark.parametrize("ranks", [5, *(pytest.param(ranks, marks=pytest.mark.full) for ranks in (1, 8))])
def test_one_text_the_same_messages_and_the_same_time(ranks: int, tmp_path: Path) -> None:
    """Every algorithm: the observed simulation takes exactly as long as an unobserved one; between any two ranks it sends
    the messages of the recorded schedule, as many and of the same bytes; and each rank combines as many bytes."""
    layout = Layout(find.load("schooner"), min(2, ranks), ranks, "block")
    expected = points(ranks)
    plain = launched(layout, expected, tmp_path)
    found = launched(layout, expected, tmp_path, "--trace")
    assert [line for line in found if "trace" not in line] == plain
    places = plain[0]["meta"]["places"]
    machine = one_port.with_places(one_port.telephone(ranks, 1), places)
    status = {int(line["id"]): line["status"] for line in plain if line.get("done")}
    fit = [i for i in range(len(expected)) if status[i] == "ok"]
    assert len(fit) > len(expected) / 2
    schedules = record.traces([expected[i] for i in fit], ranks, machine, "")
    traces, reps = by_point(found, "trace"), by_point(plain, "rep")
    for i, t in zip(fit, schedules, strict=True):
        lines = traces[str(i)]
        assert [line["rank"] for line in lines] == list(range(ranks))
        times = [[line[k] for k in ("min_s", "mean_s", "max_s", "root_s")] for line in reps[str(i)]]
        outcome = Outcome("ok", "ok", times)
        run = observed.read(lines, outcome, plain[0]["meta"])
        o = run.repetitions[0]
        sent = Counter((r, e.peer, e.bytes) for r, events in enumerate(o.events) for e in events if e.kind in SENDS)
        got = Counter((e.peer, r, e.bytes) for r, events in enumerate(o.events) for e in events if e.kind in RECEIVES)
        assert sent == got == recorded_messages(t), t.key
        reduced = [sum(op[6] for op in ops if op[0] == "reduce") for ops in t.raw["operations"]]
        assert [sum(e.bytes for e in events if e.kind == "reduce") for events in o.events] == reduced, t.key
        again = retimed(t, run, "sim", "")
        assert again.time_s == max(o.end_s), t.key
        assert all(m.start_s <= m.end_s <= again.time_s for m in again.arrows), t.key
        assert again.backwards == 0


def test_the_median_is_one_that_was_run() -> None:
    o = Observed((), (), (), 0.0)
    assert Run((o,) * 4, (5.0, 1.0, 3.0, 2.0), (), "", "").median == 3
    assert Run((o,) * 3, (5.0, 1.0, 3.0), (), "", "").median == 2


# ---- asked for --------------------------------------------------------------------------------------------


@simulates
@pytest.mark.parametrize(
    "key",
    [
        "bcast/hierarchical_unknown_root",
        "allgather/leaders",
        "barrier/hierarchical",
        "allreduce/ring",
        "alltoall/linear",
    ],
)
def test_model_and_simulation_side_by_side(key: str) -> None:
    """Any source, sub-groups, shared segments, flags."""
    request = one_call.OneCall(key, 8, platform="schooner", nodes=2, source="model,sim")
    model, sim = one_call.make_traces(request)
    assert [t.source for t in (model, sim)] == ["model", "sim"]
    assert [(m.src, m.dst, m.bytes, m.round) for m in model.arrows] == [
        (m.src, m.dst, m.bytes, m.round) for m in sim.arrows
    ]
    assert model.nodes == sim.nodes == (0,) * 4 + (1,) * 4
    fig = kinds.draw([model, sim], "gantt")
    assert fig is not None and len([ax for ax in fig.axes if ax.get_xlim()[1] > 0]) >= 2
    assert holdings.after_rounds(sim) is not None


@simulates
def test_cyclic_mapping_is_the_runs() -> None:
    (t,) = one_call.make_traces(
        one_call.OneCall("bcast/binomial", 8, platform="schooner", nodes=2, mapping="cyclic", source="sim")
    )
    assert t.nodes == (0, 1) * 4


@measures
def test_real_run() -> None:
    (t,) = one_call.make_traces(one_call.OneCall("allreduce/recursive_doubling", 2, source="real", repetitions=3))
    assert t.source == "real" and "of 3, the median" in t.where
    assert len(t.messages) == 2 and t.backwards == 0
    assert all(0 <= m.start_s <= m.end_s <= t.time_s for m in t.messages)
    assert any(s.kind == "reduce" for s in t.spans)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"source": "bound"}, "no schedule to draw"),
        ({"source": "modell"}, "model"),
        ({"source": "sim"}, "--on"),
        ({"source": "real", "platform": "schooner"}, "this_machine"),
        ({"source": "model,real"}, "this_machine"),
        ({"mapping": "cyclic"}, "--on"),
    ],
)
def test_refuses_sources(more: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match=words):
        one_call.make_traces(one_call.OneCall("bcast/mst", 4, **more))  # type: ignore[arg-type]


@simulates
def test_unsupported_says_why() -> None:
    for source in one_call.SOURCES[:2]:
        with pytest.raises(UserError, match="needs two ranks"):
            one_call.make_traces(one_call.OneCall("barrier/two_proc", 3, platform="schooner", source=source))


def test_traces_of_the_driver_are_read() -> None:
    """Repetitions and ranks in their order, whatever order they came in; of times the makespan; twice the worst clock's error."""

    def line(k: int, r: int) -> dict[str, Any]:
        events = [["copy", -1, 0, r, k, k + 1, k + 1]]
        times = {"start_s": 3e-9 * r, "end_s": k + 1.0 + r, "clock_error_s": 1e-7 * r}
        return {"trace": k, "rank": r, "events": events, **times}

    outcome = Outcome("ok", "ok", [[0.0, 0.0, us * 1e-6, 0.0] for us in (3, 1, 2)])
    places = [[0, 0, 0], [1, 2, 3], [4, 5, 6]]
    run = observed.read([line(k, r) for k in (2, 0, 1) for r in (1, 0)], outcome, {"places": places})
    assert run.places == ((0, 0, 0), (1, 2, 3)) and run.times_s == (3e-6, 1e-6, 2e-6) and run.median == 2
    assert [o.end_s for o in run.repetitions] == [(1.0, 2.0), (2.0, 3.0), (3.0, 4.0)]
    assert [o.events[1][0].begin_s for o in run.repetitions] == [0, 1, 2] and run.repetitions[0].events[1][0].bytes == 1
    assert run.repetitions[0].start_s == (0.0, 3e-9) and run.repetitions[0].clock_error_s == 2e-7
    message = observed.text(run, "real", Layout(None, 1, 2, "block"))
    assert message.split("; ")[1:] == [
        "repetition 3 of 3, the median (1 µs to 3 µs)",
        "ranks left a barrier within 3 ns",
        "clocks of nodes agree within 200.0 ns",
    ]
    exact = Observed((), (0.0,), (), 0.0)
    once = Run((exact,), (1e-6,), (), "", "a library")
    assert observed.text(once, "real", Layout(None, 1, 1, "block")) == "measured here, a library"
    message = observed.text(once, "sim", Layout(None, 2, 4, "block"))
    assert message.startswith("simulated on ") and message.endswith(", 2 nodes, a library")
