"""Checking a student's folder: each task's points, and for each thing that is not there yet a message that helps."""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from collscope.base.errors import UserError
from collscope.labs import hand_in, prediction, proof, prover, quantities, rules, timing, words
from collscope.labs.hand_in import Built, Missing
from collscope.labs.lab import MISSING, Answer, Cost, Lab, Predict, Rules, Task
from collscope.labs.proof import Call, Wrong
from collscope.labs.timing import Scored
from collscope.points.plan import Point

MAX_ENDED = 2  # so many calls may run into a limit or crash: what is left then is not judged


@dataclass(frozen=True)
class Part:
    """One thing that a task asks for: what, and why it is not fulfilled (no lines: it is)."""

    what: str
    faults: tuple[str, ...] = ()
    hidden: bool = False
    score: float | None = None  # of a challenge
    proof: bool = False  # that the task's algorithm is right


@dataclass(frozen=True)
class Graded:
    """A task: its points, those that are earned, and its parts."""

    task: Task
    parts: tuple[Part, ...]

    @property
    def earned(self) -> int:
        """All points where every part is fulfilled, else none."""
        return 0 if any(part.faults for part in self.parts) else self.task.points


@dataclass(frozen=True)
class Report:
    """A folder: its tasks; what kept its code in; why nothing could be judged ("": it could)."""

    folder: Path
    lab: Lab | None  # None: it does not say which
    tasks: tuple[Graded, ...]
    held: str = ""
    fault: str = ""
    wall_s: float = 0.0  # that judging it took

    @property
    def earned(self) -> int:
        """Points of all tasks."""
        return sum(task.earned for task in self.tasks)

    @property
    def name(self) -> str:
        """The folder's, as any file can hold it: an archive may unpack names that are not UTF-8."""
        return os.fsencode(self.folder.name).decode(errors="replace")

    @property
    def score(self) -> float | None:
        """Of a challenge: on the hidden machines where these were asked, else on those that all know; None: it has no challenge, or
        its algorithm failed a proof of any task."""
        parts = [(graded.task.algorithm.split("[")[0], part) for graded in self.tasks for part in graded.parts]
        wrong = {algorithm for algorithm, part in parts if part.proof and part.faults}
        found = [part for algorithm, part in parts if part.score is not None and algorithm not in wrong]
        return max(found, key=lambda part: part.hidden).score if found else None

    @property
    def points(self) -> int:
        """What could be earned."""
        return self.lab.points if self.lab else 0


def check(folder: Path, lab: Lab, with_hidden: bool = False, only: str = "") -> Report:
    """Judges a folder, with the hidden cases where the teacher grades."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="collscope-lab-") as scratch:
        report = _Checker(folder, lab, with_hidden, Path(scratch), only).report()
    return replace(report, wall_s=time.monotonic() - began)


class _Checker:
    """What is known of a folder while it is judged."""

    def __init__(self, folder: Path, lab: Lab, with_hidden: bool, scratch: Path, only: str) -> None:
        self.folder, self.lab, self.scratch, self.only = folder, lab, scratch, only
        self.hidden = lab.hidden() if with_hidden else {}
        self.ended = 0  # calls that were ended, or never end
        self.proven: dict[str, list[str]] = {}  # by task: faults of its algorithm
        self.held = ""
        self.built: Built | None = None
        self.build_fault: list[str] = []
        self.scores: dict[bool, Scored] = {}

    def report(self) -> Report:
        """The whole folder."""
        if self.lab.is_c:
            try:
                self.built = hand_in.build(self.folder, self.lab.file.file, self.scratch, self.only)
                self.held = self.built.held
            except (Missing, hand_in.NotBuilt) as error:
                self.build_fault = str(error).splitlines()
        tasks = tuple(Graded(task, tuple(self.parts(task))) for task in self.lab.file.task)
        return Report(self.folder, self.lab, tasks, self.held)

    def parts(self, task: Task) -> Iterator[Part]:
        """Of a task, those of hidden.toml behind the others."""
        for hidden, goal in ((False, task), (True, self.hidden.get(task.name))):
            if not goal:
                continue
            if goal.algorithm:
                yield from self._algorithm(goal, hidden)
            for rule in goal.rules:
                on = f"{rule.platform}, {', '.join(map(str, rule.nodes))} nodes"
                yield Part(f"{self.lab.file.file}: {rule.collective} on {on}", self._rules(rule), hidden)
            for predict in goal.predict:
                on = f"{predict.ranks} ranks on {predict.nodes} nodes"
                of = f"{self.lab.file.file}: {', '.join(predict.algorithms)}, {on}, within {predict.within:.0%}"
                yield Part(of, self._prediction(predict), hidden)
            for question in goal.expect:
                yield Part(f"expect.{question.name}", self._written("expect", question.name))
            for answer in goal.answer:
                yield Part(f"answers.{answer.name}", self._answer(answer), hidden)

    # ---- the algorithm ----

    def _algorithm(self, task: Task, hidden: bool) -> Iterator[Part]:
        what = f"{task.algorithm}: the proof"
        key = f"{task.algorithm} {hidden and (task.ranks, task.counts, task.roots)}"
        if hidden and self.proven.get(f"{task.algorithm} False"):
            return  # what fails already needs no hidden case, which may take long to fail
        if key not in self.proven:
            self.proven[key] = self._proof(task, hidden)
        yield Part(what, tuple(self.proven[key]), hidden, proof=True)
        if self.proven[key] or not self.built:
            return
        for cost in task.cost:
            other = "the lower bound" if cost.reference == "bound" else cost.reference
            of = f"{task.algorithm}: at most {cost.at_most:g} times the {cost.what} of {other}"
            yield Part(of, tuple(self._guarded(lambda c=cost: self._cost(task, c))), hidden)  # type: ignore[misc]
        for goal in task.time:
            on = f"on {goal.platform}, {goal.ranks} ranks"
            of = f"{task.algorithm}: {on}, at most {goal.at_most:g} times as long as {' or '.join(goal.reference)}"
            yield Part(of, tuple(self._guarded(lambda a=goal: self._timed(timing.over_references, task, a))), hidden)  # type: ignore[misc]
        for crossed in task.crossings:
            of = f"{task.algorithm}: {crossed.nodes - 1} messages between {crossed.nodes} nodes, {crossed.mapping}"
            yield Part(of, tuple(self._guarded(lambda a=crossed: self._timed(timing.crossings, task, a))), hidden)  # type: ignore[misc]
        if task.score:
            yield self._score(task, hidden)

    def _proof(self, task: Task, hidden: bool) -> list[str]:
        if not self.built:
            return self.build_fault
        base = task.algorithm.split("[")[0]
        if base not in self.built.keys:
            return [
                f"{self.lab.file.file} defines {', '.join(self.built.keys)}, but not {base}: give the descriptor this key"
            ]

        def judge() -> list[str]:
            assert self.built
            calls = proof.calls_of(task)
            fault = proof.prove(self.built, calls)
            if fault:
                self.ended += fault.kind in ("ended", "endless")
                return words.explain(fault, self.built.lines)
            if hidden:
                machines = [prover.network("rounds")] * len(calls)
                proof.trusted(self.built, calls, proof.schedules(self.built, calls, machines), machines)
            return []

        return self._guarded(judge)

    def _guarded(self, judge: Any) -> list[str]:
        """The faults that `judge` finds, or why it could not."""
        if self.ended >= MAX_ENDED:
            return [f"not judged: {MAX_ENDED} calls of this file were ended already, or never end; mend these first"]
        try:
            return list(judge())
        except Wrong as error:
            return words.explain(error.fault, self.built.lines if self.built else ())
        except UserError as error:
            self.ended += isinstance(error, prover.Ended)
            return words.wrapped(str(error))

    def _cost(self, task: Task, cost: Cost) -> list[str]:
        """Compares what its schedules need with a reference, for each number of ranks."""
        from collscope.base.units import parse_ranks

        assert self.built
        collective = task.algorithm.split("/")[0]
        ranks = parse_ranks(cost.ranks)
        calls = [Call(p, Point(collective, task.algorithm, cost.count)) for p in ranks]
        machines = [prover.network(cost.what)] * len(calls)
        found = proof.trusted(self.built, calls, proof.schedules(self.built, calls, machines), machines)
        worst: tuple[float, list[str]] = (0.0, [])
        for p, needs in zip(ranks, found, strict=True):
            least = prover.reference(cost.what, cost.reference, collective, p, cost.count)
            factor = needs / least if least else (math.inf if needs else 0)
            if factor > cost.at_most * (1 + 1e-9) and factor > worst[0]:
                other = "the lower bound" if cost.reference == "bound" else cost.reference
                text = (
                    f"{task.algorithm} needs {needs:g} {cost.what} along its critical path on {p} ranks, {other} {least:g}: "
                    f"{factor:.3g} times as many, at most {cost.at_most:g} times are allowed."
                )
                worst = (factor, words.wrapped(f"Too slow: {text}"))
        return worst[1]

    def _timed(self, judge: Callable[[Built, str, Any], list[str]], task: Task, goal: Any) -> list[str]:
        assert self.built
        return [line for text in judge(self.built, task.algorithm, goal) for line in words.wrapped(text)]

    def _score(self, task: Task, hidden: bool) -> Part:
        """Its time over the best of the catalogue."""
        machines = self.lab.hidden_machines() if hidden else self.lab.file.machine
        what = (
            f"{task.algorithm}: at most {task.score:g} times the best of the catalogue, over {len(machines)} machines"
        )

        def judge() -> list[str]:
            assert self.built
            if hidden not in self.scores:
                self.scores[hidden] = timing.score(self.built, task.algorithm, machines)
            found = self.scores[hidden]
            if found.score <= task.score:
                return []
            mean = f"{found.score:.3f} times as long as the best of the catalogue (geometric mean of {len(found.lines)} calls)."
            return [*words.wrapped(mean), "The worst:", *(f"  {line}" for line in found.lines[:3])]

        faults = tuple(self._guarded(judge))
        return Part(what, faults, hidden, self.scores[hidden].score if hidden in self.scores else None)

    # ---- rules and machines ----

    def _rules(self, goal: Rules) -> tuple[str, ...]:
        def judge() -> list[str]:
            return rules.regret(rules.read(self.folder, self.lab.file.file, self.scratch), goal)

        return tuple(line for text in self._guarded(judge) for line in words.wrapped(text))

    def _prediction(self, goal: Predict) -> tuple[str, ...]:
        def judge() -> list[str]:
            return prediction.judge(prediction.read(self.folder, self.lab.file.file, self.scratch), goal)

        return tuple(line for text in self._guarded(judge) for line in words.wrapped(text))

    # ---- what is written ----

    @cached_property
    def answers(self) -> dict[str, Any]:
        """answers.toml; its fault stands in `answers_fault`."""
        self.answers_fault = ""
        try:
            return hand_in.answers(self.folder)
        except Missing as error:
            self.answers_fault = str(error)
            return {}

    def _value(self, table: str, name: str) -> Any:
        found = self.answers.get(table)
        return found.get(name) if isinstance(found, dict) else None

    def _written(self, table: str, name: str) -> tuple[str, ...]:
        value = self._value(table, name)
        if self.answers_fault:
            return (self.answers_fault,)
        if value is None or (isinstance(value, str) and value.strip() in ("", MISSING)):
            return ("missing: write down what you expect, before you run it; it need not be right",)
        return ()

    def _answer(self, answer: Answer) -> tuple[str, ...]:
        value = self._value("answers", answer.name)
        if self.answers_fault:
            return (self.answers_fault,)
        try:
            why = quantities.judge(answer, value)
        except UserError as error:
            why = str(error)
        return tuple(words.wrapped(why)) if why else ()
