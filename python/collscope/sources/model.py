"""The model: the critical path of the recorded schedule, each message priced by the class of link it crosses and the port rules
of the platform. A prediction; it bounds nothing. The prover computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from collscope.base import cache, depends, leftovers
from collscope.base.errors import UserError, disk_error
from collscope.base.progress import Progress
from collscope.catalogue import prover
from collscope.machines.hosts import machine_file
from collscope.machines.simgrid import content_hash
from collscope.points.plan import Layout, Point, Task, plan_text
from collscope.points.table import Row, make_row
from collscope.sources.outcome import OK, UNSUPPORTED
from collscope.sources.source import Bar, Options, Source, is_builtin

BUILTIN = "the MPI library's own call is not known as a schedule; take decision/ompi_4_1 or another decision"


def rows(tasks: Sequence[Task], options: Options, bar: Bar) -> list[Row]:
    """Rows of source "model", one a task."""
    wanted = [(layout, replace(point, check=False)) for layout, point in tasks]  # there is no data to check
    with bar("model", len(tasks)) as progress:
        return run_tasks(wanted, progress=progress)


SOURCE = Source("model", rows)


def run_tasks(tasks: Sequence[Task], *, progress: Progress | None = None) -> list[Row]:
    """Model rows of any mixture of layouts and points, in their order."""
    outcomes = evaluate(tasks, progress=progress)
    sources = cache.sources_hash(*depends.MODEL)
    rows = []
    for (layout, point), outcome in zip(tasks, outcomes, strict=True):
        time = outcome.get("model_s") if outcome["kind"] == OK else None
        rows.append(
            make_row(
                source="model",
                **layout.cells(),
                **point.cells(layout.ranks),
                launches=1,
                repetitions=1 if time is not None else 0,
                median_s=time,
                q1_s=time,
                q3_s=time,
                min_s=time,
                max_s=time,
                chose=outcome.get("chose") or "",
                status=outcome["status"],
                kind=outcome["kind"],
                back_end="collscope-prove",
                sources_hash=sources[:12],
                platform_hash=content_hash(layout.platform)[:12] if layout.platform else "",
            )
        )
    return rows


def evaluate(tasks: Sequence[Task], *, progress: Progress | None = None) -> list[dict[str, Any]]:
    """What the prover says of each task, cached by content: status ("ok" or the reason), model_s and cost_s (seconds), exact
    (whether the formula is the schedule's critical path), bound_s, rounds, chose (full key)."""
    sources = cache.sources_hash(*depends.MODEL)
    machines = {
        layout: machine_file(layout.platform, layout.nodes, layout.ranks, layout.mapping)
        for layout in dict.fromkeys(layout for layout, _ in tasks)
        if layout.platform
    }
    keys = [
        cache.digest("model", sources, machines[layout], f"ranks={layout.ranks}", point.text())
        for layout, point in tasks
    ]
    with cache.Cache() as store:
        known = store.get_many(keys)
        known |= {
            key: {"kind": UNSUPPORTED, "status": BUILTIN}
            for key, (_, point) in zip(keys, tasks, strict=True)
            if is_builtin(point)
        }
        if progress:
            progress(sum(key in known for key in keys))
        groups: dict[Layout, dict[str, Point]] = {}
        for key, (layout, point) in zip(keys, tasks, strict=True):
            if key not in known:
                groups.setdefault(layout, {})[key] = point
        for layout, wanted in groups.items():
            if progress:
                progress.now(0, f"{len(wanted)} schedules of {layout.ranks} ranks")
            found = price(layout, machines[layout], list(wanted.values()))
            new = dict(zip(wanted, found, strict=True))
            store.put_many(new)
            known.update(new)
            if progress:
                progress(len(new))
    return [known[key] for key in keys]


def price(layout: Layout, machine: str, points: Sequence[Point]) -> list[dict[str, Any]]:
    """Asks the prover for one layout: of each point the keys that `evaluate` returns. `machine` is a machine file's text."""
    with leftovers.scratch() as folder:
        try:
            (folder / "machine.txt").write_text(machine, encoding="utf-8")
            numbered = [(str(i), point) for i, point in enumerate(points)]
            (folder / "plan.txt").write_text(plan_text(numbered, layout.ranks), encoding="utf-8")
        except OSError as error:
            raise disk_error(error, folder) from error
        lines = prover.replies(["--model", folder / "machine.txt", "--plan", folder / "plan.txt"])
    by_id = {str(line["id"]): line for line in lines}
    missing = [i for i, _ in numbered if i not in by_id]
    if missing:
        raise UserError(f"{points[int(missing[0])].algorithm}: the prover gave no answer")
    return [{k: v for k, v in by_id[i].items() if k != "id"} for i, _ in numbered]
