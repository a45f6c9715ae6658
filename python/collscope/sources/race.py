"""The fastest of several algorithms of a call, by the model: of those that are slower it is found out that they are, not what they take.

A call's clock only goes forwards, so one that is to be left out ends where the fastest has ended; prove/race.c begins with those that are
fast by their formula. What becomes known so is kept apart from times, and asked again where a longer time is of interest."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from collscope.base import cache
from collscope.base.progress import Progress
from collscope.catalogue import prover
from collscope.catalogue.prover import Question
from collscope.points.plan import Layout, Task, describe, plan_text
from collscope.points.table import Row
from collscope.sources import model
from collscope.sources.source import Options, display

SLOWER = "slower"  # the kind of a row without a time: it takes longer than "slower_than_s"


@dataclass(frozen=True)
class Entry:
    """A point, and from where on its time is of no interest: longer by a share than the fastest of its call, or than so many seconds."""

    task: Task
    within: float = math.inf
    stop_s: float = math.inf

    def limit_s(self, best_s: float) -> float:
        """The largest time that is of interest beside one of the same call."""
        return min(self.stop_s, (1 + self.within) * best_s)


def rows(calls: Sequence[Sequence[Entry]], options: Options) -> list[Row]:
    """A row of source "model" for each entry of each call, in their order. One of kind SLOWER has no time, and its slower_than_s."""
    entries = [entry for call in calls for entry in call]
    with display(options, "model", len(entries)) as bar:
        replies = evaluate(calls, bar)
    made = model.rows_of([model.timed(entry.task) for entry in entries], replies)
    return [
        row | {"slower_than_s": reply["slower_than_s"]} if reply["kind"] == SLOWER else row
        for row, reply in zip(made, replies, strict=True)
    ]


def evaluate(calls: Sequence[Sequence[Entry]], bar: Progress) -> list[dict[str, Any]]:
    """What the prover says of each entry of each call, as model.evaluate has it."""
    tasks = [model.timed(entry.task) for call in calls for entry in call]
    machines = model.machines_of(tasks)
    keys = model.keys_of(tasks, machines=machines)
    slower = {key: cache.digest(SLOWER, key) for key in keys}
    with cache.Cache() as store:
        known: dict[str, dict[str, Any]] = store.get_many(keys)
        known |= model.untimed(keys, tasks)
        kept = store.get_many(bound for key, bound in slower.items() if key not in known)
        chunks: dict[tuple[Layout, str], list[Question]] = {}
        ids: dict[str, str] = {}  # key → id
        each = iter(zip(keys, tasks, strict=True))
        for number, call in enumerate(calls, 1):
            own = [(entry, *next(each)) for entry in call]
            best_s = min((known[key].get("model_s") or math.inf for _, key, _ in own if key in known), default=math.inf)
            for entry, key, (layout, point) in own:
                limit_s, before = entry.limit_s(best_s), kept.get(slower[key])
                if key not in known and before and before["slower_than_s"] >= limit_s:
                    known[key] = before
                if key not in known and key not in ids:
                    name = ids[key] = str(len(ids))
                    line = plan_text([(name, point)], layout.ranks).rstrip() + _limits(entry, number, limit_s)
                    question = Question(name, point.algorithm, describe((layout, point)), line)
                    chunks.setdefault((layout, point.collective), []).append(question)
        bar(sum(key in known for key in keys))
        lock, of = threading.Lock(), {name: key for key, name in ids.items()}

        def keep(name: str, reply: dict[str, Any], may_be_kept: bool) -> None:
            key = of[name]
            with lock:
                known[key] = reply
                if may_be_kept:
                    store.put_soon(slower[key] if reply["kind"] == SLOWER else key, reply)

        _ask(machines, chunks, bar, keep)
    return [known[key] for key in keys]


def _limits(entry: Entry, group: int, limit_s: float) -> str:
    """As a plan says them."""
    words = f" group={group} within={max(entry.within, 1e-9):.17g}" if math.isfinite(entry.within) else ""
    return words + (f" stop_s={limit_s:.17g}" if math.isfinite(limit_s) else "")


def _ask(
    machines: Mapping[Layout, str], chunks: Mapping[tuple[Layout, str], list[Question]], bar: Progress,
    keep: Callable[[str, dict[str, Any], bool], None],
) -> None:  # fmt: skip
    """All questions, those of a layout and a collective by one prover, as many at a time as there are cores."""

    def ask(chunk: tuple[tuple[Layout, str], list[Question]]) -> None:
        (layout, _), questions = chunk
        for answer in model.answers(machines[layout], questions, bar):
            keep(*answer)

    prover.side_by_side(ask, list(chunks.items()))
