"""collscope.sources.race: with the prover, where what is said to be slower is, what is fast has the same time as ever, and neither is taken
for the other where it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from collscope.base.progress import Progress
from collscope.catalogue import prover, registry
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Layout, Point, Task, plan_text
from collscope.sources import model, race
from collscope.sources.race import Entry
from open_mpi import needs_prover

pytestmark = needs_prover


@pytest.mark.parametrize(("name", "nodes"), [("schooner", 4), ("jaguar", 3), ("ideal", 12), ("orfeo_epyc", 2)])
def test_every_call_takes_longer_than_its_lower_bound(name: str, nodes: int, tmp_path: Path) -> None:
    """All algorithms: stopped at once, by what a rank has to do alone, halfway, and just before their end; at their end they have the time
    that they have without a stop."""
    ranks, machine, known = 12, tmp_path / "machine.txt", registry.load()
    machine.write_text(machine_file(find.load(name), nodes, ranks, "block"), encoding="utf-8")
    points = [
        Point(c.name, a.full_key(), count)
        for c in known.collectives
        for a in known.of(c.name)
        for count in ((24, 60000) if c.has_data else (0,))
    ]
    lines = plan_text([(str(i), point) for i, point in enumerate(points)], ranks).splitlines()

    def ask(ends: dict[int, str]) -> dict[int, dict[str, Any]]:
        plan = "".join(f"{lines[i]}{end}\n" for i, end in ends.items())
        return {int(r["id"]): r for r in prover.replies(["--model", machine, "--plan", "-"], plan)}

    exact = {i: r for i, r in ask(dict.fromkeys(range(len(lines)), "")).items() if r["model_s"]}
    assert len(exact) > len(lines) / 2
    for part in (1e-9, 0.5, 1 - 1e-6):
        for i, reply in ask({i: f" stop_s={part * r['model_s']:.17g}" for i, r in exact.items()}).items():
            assert (reply["kind"], reply["model_s"]) == (race.SLOWER, None)
            assert part * exact[i]["model_s"] <= reply["slower_than_s"] < exact[i]["model_s"], lines[i]
    at_the_end = ask({i: f" stop_s={r['model_s']:.17g}" for i, r in exact.items()})
    assert at_the_end == exact


@pytest.fixture
def lines_sent(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that the prover gets."""
    lines: list[str] = []
    stream = prover.stream

    def watched(words: Any, questions: Any, *others: Any) -> Iterator[Any]:
        lines.extend(question.line for question in questions)
        return stream(words, questions, *others)

    monkeypatch.setattr(prover, "stream", watched)
    return lines


def test_slower_calls_are_known_apart_from_times(lines_sent: list[str]) -> None:
    layout = Layout(find.load("schooner"), 4, 32)
    tasks: list[Task] = [(layout, Point("bcast", a.full_key(), 4096)) for a in registry.load().of("bcast")]

    def raced(within: float) -> list[dict[str, Any]]:
        lines_sent.clear()
        return race.evaluate([[Entry(task, within) for task in tasks]], Progress("race", len(tasks)))

    first = raced(0.02)
    best = min(reply["model_s"] for reply in first if reply.get("model_s"))
    slower = [reply for reply in first if reply["kind"] == race.SLOWER]
    assert len(slower) > len(tasks) / 2
    assert all(reply["slower_than_s"] > 1.02 * best for reply in slower)
    assert (raced(0.02), lines_sent) == (first, [])
    wider = raced(0.5)  # what is known to be slower by so much is not asked again
    assert 0 < len(lines_sent) < len(tasks)
    assert sum(bool(reply.get("model_s")) for reply in wider) > sum(bool(reply.get("model_s")) for reply in first)
    exact = model.evaluate([model.timed(task) for task in tasks])
    for reply, other in zip(wider, exact, strict=True):
        if reply.get("model_s"):
            assert reply == other
        elif reply["kind"] == race.SLOWER:
            assert reply["slower_than_s"] < other["model_s"]
    assert (raced(0.02), lines_sent) == (exact, [])  # times that are known are given
