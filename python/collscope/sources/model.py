"""The model: the critical path of the recorded schedule, each message priced by the class of link it crosses and the port rules
of the platform. A prediction; it bounds nothing. The prover computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from collscope.base import cache, depends, leftovers
from collscope.base.files import write_atomically
from collscope.base.progress import Progress
from collscope.base.statistics import quantile
from collscope.machines.machine_file import machine_file
from collscope.machines.platform import content_hash
from collscope.points.plan import Layout, Point, Task, describe, in_loop, plan_text
from collscope.points.table import Row, make_row
from collscope.sources import asking
from collscope.sources.asking import GivenUp, Question
from collscope.sources.outcome import FAILED, LIMIT, OK, UNSUPPORTED
from collscope.sources.source import Bar, Options, Source, is_builtin

BAND = (0.05, 0.95)  # of the draws of a noise lie between these quantiles
BUILTIN = "the MPI library's own call is not known as a schedule; take decision/ompi_4_1 or another decision"


def rows(tasks: Sequence[Task], options: Options, bar: Bar) -> list[Row]:
    """Rows of source "model", one a task."""
    wanted = [
        (layout, replace(in_loop(point, options.repetitions), check=False, buffers=options.buffers))
        for layout, point in tasks
    ]  # there is no data to check
    with bar("model", len(tasks)) as progress:
        return run_tasks(wanted, progress=progress, limit_s=options.point_limit_s, noise=options.noise)


SOURCE = Source("model", rows)


def run_tasks(
    tasks: Sequence[Task], *, progress: Progress | None = None, limit_s: float | None = None, noise: int = 0
) -> list[Row]:
    """Model rows of any mixture of layouts and points, in their order; a point that takes longer than `limit_s` is given up. `noise`:
    so many draws of a platform's noise, where it is known; their band stands beside the time, which is that without noise."""
    outcomes = evaluate(tasks, progress=progress, limit_s=limit_s, noise=noise)
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
                **_band(outcome.get("noise_s") or []),
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
        told = progress or Progress("model", len(tasks))
        told(sum(key in known for key in keys))
        groups: dict[Layout, dict[str, Point]] = {}
        for key, (layout, point) in zip(keys, tasks, strict=True):
            if key not in known:
                groups.setdefault(layout, {})[key] = point
        for layout, wanted in groups.items():
            with leftovers.scratch() as folder:
                names = {str(i): key for i, key in enumerate(wanted)}
                questions = [
                    Question(i, q.algorithm, describe((layout, q)), plan_text([(i, q)], layout.ranks))
                    for i, q in zip(names, wanted.values(), strict=True)
                ]
                machine = folder / "machine.txt"
                write_atomically(machine, machines[layout])
                words: list[str | Path] = ["--model", machine]
                words += ["--noise", str(noise)] if drawn[layout] else []
                for i, reply in asking.ask(words, questions, folder, told, limit_s):
                    if isinstance(reply, GivenUp):
                        known[names[i]] = _given_up(reply)
                    else:
                        known[names[i]] = {k: v for k, v in reply.items() if k != "id"}
                        store.put(names[i], known[names[i]])  # at once: the next point may take minutes
    return [known[key] for key in keys]


def _given_up(point: GivenUp) -> dict[str, Any]:
    if point.limit:
        return {"kind": LIMIT, "status": point.reason}
    return {"kind": FAILED, "status": f"not tried: {point.reason}"}
