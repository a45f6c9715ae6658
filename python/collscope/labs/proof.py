"""Whether a student's algorithm is right and how long its schedule is.

What its program prints inside the jail says what is wrong. That it is right, and fast, is believed of its schedules alone:
the program writes them as text, and this project's own prover reads, proves and times that.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from collscope.base import leftovers
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.base.units import parse_ranks
from collscope.catalogue import registry
from collscope.labs.hand_in import Built
from collscope.labs.lab import Task
from collscope.labs.prover import Ended, ask, lines, network
from collscope.labs.sandbox import Limits
from collscope.points.plan import Point, plan_text

RUNNING = Limits(wall_s=12.0, cpu_s=7)
BUDGET_S = 12.0
"""Of a folder: the processor time of its program, and the time in which schedules of more than NOTICED_S are proven. All of a fair one
takes less than a second."""
NOTICED_S = 1.0


@dataclass(frozen=True)
class Call:
    """A point on so many ranks."""

    ranks: int
    point: Point

    def line(self) -> str:
        """As a plan has it."""
        return plan_text([("0", self.point)], self.ranks)


@dataclass(frozen=True)
class Fault:
    """A call that fails: the kind and words of the proof; what of the other calls held; the schedule, where it has one."""

    call: Call
    kind: str
    failure: str
    others: tuple[tuple[Call, bool], ...] = ()
    schedule: str = ""


def calls_of(task: Task) -> list[Call]:
    """The calls that a task's algorithm must do right: every number of ranks, count, root and kind of operator."""
    collective = task.algorithm.split("/")[0]
    about = registry.load().collective(collective)
    made = []
    for ranks in parse_ranks(task.ranks):
        counts = [_number(word, ranks) for word in task.counts.split(",")] if about.has_data else [0]
        roots = [_number(word, ranks) for word in task.roots.split(",")] if about.has_root else [0]
        kinds = ("float", "affine") if about.has_operator else ("float",)
        for count, root, kind in itertools.product(dict.fromkeys(counts), dict.fromkeys(roots), kinds):
            if 0 <= root < ranks and count >= 0:
                op = "affine" if kind == "affine" else "sum"
                made.append(Call(ranks, Point(collective, task.algorithm, count, type=kind, op=op, root=root)))
    return made


def _number(word: str, ranks: int) -> int:
    """A count of a task: 7, p, p+1, p-1."""
    word = word.strip()
    if not word.startswith("p"):
        return int(word)
    return ranks + int(word[1:] or 0)


def prove(built: Built, calls: Sequence[Call]) -> Fault | None:
    """The first call that fails, as the student's program itself says: of few ranks, and with data. None: all hold."""
    plan = built.jail.folder / "plan.txt"
    write_atomically(plan, "".join(plan_text([(str(i), call.point)], call.ranks) for i, call in enumerate(calls)))
    _, (done,) = built.jail.run([[built.program, "--plan", plan]], _limits(built))
    replies = {int(reply["id"]): reply for reply in lines(done.output) if str(reply.get("id", "")).isdigit()}
    failed: list[tuple[int, str, str]] = []
    for i in range(len(calls)):
        reply = replies.get(i)
        if reply is None:
            if not any(kind == "endless" for _, kind, _ in failed):
                failed.append((i, "ended", done.why or done.errors.strip()[:300] or f"exit status {done.status}"))
            break
        if reply.get("verdict") == "failed":
            failed.append((i, str(reply.get("kind")), str(reply.get("failure"))))
        elif reply.get("verdict") != "proven":
            failed.append((i, "refused", str(reply.get("status"))))
    if not failed:
        return None
    order = min(failed, key=lambda one: _plainness(calls[one[0]], one[1]))
    bad = {i for i, _, _ in failed}
    tried = tuple((call, i not in bad) for i, call in enumerate(calls) if i in replies)
    fault = Fault(calls[order[0]], order[1], order[2], tried)
    if fault.kind in ("ended", "endless"):  # to record it again would take as long
        return fault
    return Fault(fault.call, fault.kind, fault.failure, tried, _schedule(built, fault.call))


def _limits(built: Built) -> Limits:
    """What is left of the budget for the program's next commands. Ended: nothing is."""
    left = BUDGET_S - sum(built.jail.spent_s)
    if left <= 0:
        raise Ended(_spent())
    return replace(RUNNING, cpu_s=min(RUNNING.cpu_s, math.ceil(left)), all_s=left)


def _spent() -> str:
    return f"cannot be recorded or proven any further: this file has taken more than {BUDGET_S:g} s"


def _plainness(call: Call, kind: str) -> tuple[Any, ...]:
    """Calls that are easier to look at come first."""
    q = call.point
    return kind == "cost", call.ranks == 1, call.ranks, q.count == 0, q.count, q.type != "float", q.root


def _schedule(built: Built, call: Call) -> str:
    """Its schedule as text; "" where it has none."""
    try:
        (text,) = schedules(built, [call], [network("rounds")])
    except UserError:
        return ""
    return text


def schedules(built: Built, calls: Sequence[Call], machines: Sequence[str]) -> list[str]:
    """The schedule of each call as text, recorded in the jail for ranks that sit as on its machine. UserError: one cannot be recorded."""
    commands: list[list[str | Path]] = []
    for i, (call, machine) in enumerate(zip(calls, machines, strict=True)):
        plan, on = built.jail.folder / f"plan{i}.txt", built.jail.folder / f"machine{i}.txt"
        write_atomically(plan, call.line())
        write_atomically(on, machine)
        commands.append([built.program, "--model", on, "--plan", plan, "--write"])
    _, done = built.jail.run(commands, _limits(built))
    last = done[-1]
    if not last.status and len(done) < len(commands):
        raise Ended(_spent())
    if last.status or len(done) < len(commands):
        call = calls[len(done) - 1]
        why = last.why or last.errors.strip()[:300] or f"exit status {last.status}"
        raise Ended(f"{call.point.algorithm} on {call.ranks} ranks cannot be recorded: {why}")
    return [one.output for one in done]


def trusted(built: Built, calls: Sequence[Call], texts: Sequence[str], machines: Sequence[str]) -> list[float]:
    """What each schedule takes on its machine, once this project's own prover has proven that it does just this call.

    Wrong: it does not."""
    times = []
    leftovers.watch()
    with leftovers.scratch() as folder:
        file, on = folder / "hand_in.schedule", folder / "machine.txt"
        for call, text, machine in zip(calls, texts, machines, strict=True):
            _limits(built)
            began = time.monotonic()
            write_atomically(file, text)
            write_atomically(on, machine)
            proven = ask("--schedule", file)
            if proven.get("verdict") != "proven":
                raise Wrong(
                    Fault(call, str(proven.get("kind")), str(proven.get("failure")).replace(f"{folder}/", ""), (), text)
                )
            if _shape(proven) != _expected(call):
                raise Wrong(
                    Fault(call, "other call", "its schedule is of another call than the one that was asked for")
                )
            timed = ask("--model", on, "--schedule", file)
            if timed.get("kind") != "ok":
                raise Wrong(Fault(call, "failed", str(timed.get("status")), (), text))
            times.append(float(timed["model_s"]))
            took = time.monotonic() - began
            built.jail.spent_s.append(took if took > NOTICED_S else 0)
    return times


def messages(text: str) -> list[tuple[int, int]]:
    """Who sends to whom, of a schedule as text."""
    found: list[tuple[int, int]] = []
    rank = -1
    for line in text.splitlines():
        operation = line.split("#")[0].split()
        if operation[:1] == ["rank"]:
            rank = int(operation[1])
        elif operation[:1] in (["send"], ["isend"]):
            found.append((rank, int(operation[operation.index("to") + 1])))
    return found


class Wrong(Exception):
    """A schedule whose proof fails."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.failure)
        self.fault = fault


def _shape(reply: dict[str, Any]) -> tuple[Any, ...]:
    names = ("collective", "ranks", "count", "elem", "root", "commutes", "in_place")
    return tuple(reply.get(name) for name in names)


def _expected(call: Call) -> tuple[Any, ...]:
    q = call.point
    elem = registry.load().type_bytes(q.type)
    return q.collective, call.ranks, q.count, elem, q.root, int(q.type != "affine"), int(q.in_place)
