"""The model: the critical path of the recorded schedule, each message priced by the class of link it crosses and the port rules
of the platform. A prediction; it bounds nothing. The prover computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from collscope.base import cache, console, depends, leftovers
from collscope.base.files import write_atomically
from collscope.base.progress import Progress
from collscope.base.statistics import quantile
from collscope.catalogue import metrics, prover
from collscope.catalogue.prover import Abandoned, Question
from collscope.machines.machine_file import machine_file
from collscope.machines.platform import content_hash
from collscope.points.plan import Layout, Point, Task, Timing, describe, plan_text
from collscope.points.table import OVERLAPS, Row, make_row
from collscope.sources.outcome import FAILED, LIMIT, OK, UNSUPPORTED
from collscope.sources.source import Options, Source, display, in_loop, is_builtin, lacks_cores

DEFAULTS = Options()

BAND = (0.05, 0.95)  # of the draws of a noise lie between these quantiles
BUILTIN = "the MPI library's own call is not known as a schedule; take decision/ompi_4_1 or another decision"


def rows(tasks: Sequence[Task], options: Options) -> list[Row]:
    """Rows of source "model", one per task."""
    if options.title and not options.quiet:
        console.note(f"{options.title}: {len(tasks)} points, by the model")
    with display(options, "model", len(tasks)) as progress:
        return run_tasks(tasks, options, progress)


SOURCE = Source("model", rows)


def timed(task: Task) -> Task:
    """The task as the model takes it: one call tells all but in a loop, and there is no data to check."""
    layout, point = task
    one = replace(point, check=False, timing=Timing(1, buffers=point.timing.buffers))
    if not metrics.has_barrier(point.metric):
        return layout, one
    return layout, in_loop(replace(one, timing=replace(one.timing, repetitions=point.timing.repetitions)))


def run_tasks(tasks: Sequence[Task], options: Options = DEFAULTS, progress: Progress | None = None) -> list[Row]:
    """As `rows`, silently. With noise its band stands beside the time, which is that without noise."""
    tasks = [timed(task) for task in tasks]
    outcomes = evaluate(tasks, progress=progress, limit_s=options.point_timeout_s, noise=options.noise)
    sources = cache.sources_hash(*depends.MODEL)
    hashes = {at: content_hash(at.platform)[:12] if at.platform else "" for at in dict.fromkeys(at for at, _ in tasks)}
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
                platform_hash=hashes[layout],
                **_band(outcome.get("noise_s") or []),
                **{name: outcome[name] for name in OVERLAPS if outcome["kind"] == OK and name in outcome},
            )
        )
    return rows


def _band(drawn: Sequence[float]) -> dict[str, Any]:
    """The columns of a band from the times of its draws; {} without any."""
    if not drawn:
        return {}
    ascending = sorted(drawn)
    low, middle, high = (quantile(ascending, part) for part in (BAND[0], 0.5, BAND[1]))
    return {"noise_low_s": low, "noise_median_s": middle, "noise_high_s": high}


def evaluate(
    tasks: Sequence[Task], *, progress: Progress | None = None, limit_s: float | None = None, noise: int = 0
) -> list[dict[str, Any]]:
    """What the prover says of each task, cached by content: status ("ok" or the reason), model_s and cost_s (seconds), exact
    (whether the formula is the schedule's critical path), bound_s, rounds, chose (full key); noise_s: the times of `noise` draws, on
    platforms whose noise is known."""
    sources = cache.sources_hash(*depends.MODEL)
    machines = {
        layout: machine_file(layout.platform, layout.nodes, layout.ranks, layout.mapping, noise > 0)
        for layout in dict.fromkeys(layout for layout, _ in tasks)
        if layout.platform
    }
    drawn = {
        layout: [f"noise={noise}"] if noise and layout.platform and layout.platform.machine.noise else []
        for layout in machines
    }
    keys = [
        cache.digest("model", sources, machines[layout], f"ranks={layout.ranks}", point.identity(), *drawn[layout])
        for layout, point in tasks
    ]
    with cache.Cache() as store:
        known = store.get_many(keys)
        known |= {
            key: {"kind": UNSUPPORTED, "status": BUILTIN}
            for key, (_, point) in zip(keys, tasks, strict=True)
            if is_builtin(point)
        }
        known |= {
            key: {"kind": UNSUPPORTED, "status": reason}
            for key, task in zip(keys, tasks, strict=True)
            if (reason := lacks_cores(task))
        }
        bar = progress or Progress("model", len(tasks))
        bar(sum(key in known for key in keys))
        groups: dict[Layout, dict[str, Point]] = {}
        for key, (layout, point) in zip(keys, tasks, strict=True):
            if key not in known:
                groups.setdefault(layout, {})[key] = point
        for layout, missing in groups.items():
            with leftovers.scratch() as folder:
                names = {str(i): key for i, key in enumerate(missing)}
                questions = [
                    Question(i, q.algorithm, describe((layout, q)), plan_text([(i, q)], layout.ranks))
                    for i, q in zip(names, missing.values(), strict=True)
                ]
                machine = folder / "machine.txt"
                write_atomically(machine, machines[layout])
                words: list[str | Path] = ["--model", machine]
                words += ["--noise", str(noise)] if drawn[layout] else []
                for i, reply in prover.stream(words, questions, folder, bar, limit_s):
                    if isinstance(reply, Abandoned):
                        known[names[i]] = _given_up(reply)
                    else:
                        known[names[i]] = {k: v for k, v in reply.items() if k != "id"}
                        store.put(names[i], known[names[i]])  # at once: the next point may take minutes
                        console.keep()
    return [known[key] for key in keys]


def _given_up(point: Abandoned) -> dict[str, Any]:
    if point.limit:
        return {"kind": LIMIT, "status": point.reason}
    return {"kind": FAILED, "status": f"not tried: {point.reason}"}
