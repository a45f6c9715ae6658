"""The model: the critical path of the recorded schedule, each message priced by the class of link it crosses and the port rules
of the platform. A prediction; it bounds nothing. The prover computes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from collscope.base import cache, console, depends, leftovers
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.base.progress import LONG_S, Progress, duration
from collscope.base.statistics import quantile
from collscope.catalogue import metrics, prover
from collscope.catalogue.prover import Abandoned, Question
from collscope.machines.machine_file import machine_file
from collscope.machines.platform import content_hash
from collscope.points.plan import Layout, Point, Task, Timing, describe, plan_text
from collscope.points.table import OVERLAPS, Row, make_row
from collscope.sources import proven
from collscope.sources.outcome import FAILED, LIMIT, OK, UNSUPPORTED
from collscope.sources.source import Options, Source, display, in_loop, is_builtin, lacks_cores

DEFAULTS = Options()

BAND = (0.05, 0.95)  # of the draws of a noise lie between these quantiles
STEP_S = 6.5e-8  # of a core, per step of the model: 25 to 125 ns where this was measured, for steps from 1e4 to 6e7
FEW_RANKS = 32  # with fewer the model takes about …
FEW_STEPS = 2.5  # … so many steps per operation, …
MAX_SHARES = 40  # … and so many at most where links are shared by many
SHORT_S = 20.0  # for a call on fewer ranks
BUILTIN = "the MPI library's own call is not known as a schedule; take decision/ompi_4_1 or another decision"


def rows(tasks: Sequence[Task], options: Options) -> list[Row]:
    """Rows of source "model", one per task."""
    if not options.quiet:
        _announce(tasks, options)
    with display(options, "model", len(tasks)) as progress:
        return run_tasks(tasks, options, progress)


def _announce(tasks: Sequence[Task], options: Options) -> None:
    """Says how long it takes, where that is long; of work that has a title also how much it is."""
    todo = left(tasks, options.noise)
    took_s = seconds(todo) * (1 + options.noise)
    long = f": about {duration(took_s)} (by the same calls on fewer ranks)" if took_s >= LONG_S else ""
    if long or options.title:
        console.note(f"{options.title or 'model'}: {len(tasks)} points by the model, {len(todo)} to time{long}")


def left(tasks: Sequence[Task], noise: int = 0) -> list[Task]:
    """Those of these points that would have to be timed now, each once."""
    calls = dict.fromkeys(timed(task) for task in tasks if not is_builtin(task[1]) and not lacks_cores(task))
    keys = dict(zip(keys_of(list(calls), noise), calls, strict=True))
    with cache.Cache() as store:
        known = store.get_many(keys)
    return [task for key, task in keys.items() if key not in known]


SOURCE = Source("model", rows, left)


def seconds(tasks: Sequence[Task]) -> float:
    """About how long a core takes to time these calls: by the steps of the model for the same calls on fewer ranks, whose growth goes on.
    0 where it cannot be LONG_S."""
    calls = [timed(task) for task in tasks]
    try:
        operations = dict(zip(calls, proven.operations(calls), strict=True))
        if STEP_S * sum(_most_steps(task, n) for task, n in operations.items()) < LONG_S:
            return 0.0
        steps = FEW_STEPS * sum(_times(point) * n for (at, point), n in operations.items() if at.ranks < FEW_RANKS)
        many = [task for task in calls if task[0].ranks >= FEW_RANKS]
        inside = [task for task in many if task[0].ranks // 8 >= 2 * task[0].nodes]
        steps += _grown_steps(inside, 8, 4) + _grown_steps([task for task in many if task not in inside], 4, 2)
    except UserError:  # without a prover, or where ranks are named one by one
        return 0.0
    return steps * STEP_S


def _times(point: Point) -> int:
    """How many calls are timed in a loop."""
    return (point.timing.repetitions or 1) + point.timing.warmup


def _most_steps(task: Task, operations: float) -> float:
    layout, point = task
    return _times(point) * max(MAX_SHARES * operations, 10.0 * layout.ranks**3)


def _grown_steps(tasks: Sequence[Task], small: int, large: int) -> float:
    """The steps of all of these calls together, from those on a `small`-th of their ranks and on a `large`-th, which are twice as many."""
    less, more = (
        [reply.get("steps") for reply in evaluate([_fewer(task, part) for task in tasks], limit_s=SHORT_S)]
        for part in (small, large)
    )
    grown = [b * (b / a) ** (large.bit_length() - 1) for a, b in zip(less, more, strict=True) if a and b]
    return sum(grown) * len(tasks) / len(grown) if grown else 0.0


def _fewer(task: Task, part: int) -> Task:
    """The call on a part of its ranks; of nodes that would have none of them, on as large a part."""
    layout, point = task
    ranks = layout.ranks // part
    nodes = layout.nodes if ranks >= layout.nodes else max(1, layout.nodes // part)
    return replace(layout, ranks=ranks, nodes=nodes), replace(point, root=point.root % ranks)


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
    return rows_of(tasks, outcomes, options.traffic)


def rows_of(tasks: Sequence[Task], outcomes: Sequence[Mapping[str, Any]], traffic: bool = False) -> list[Row]:
    """The rows of timed tasks, from what the prover says of each; `traffic`: with bytes by kinds of links."""
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
                **(outcome.get("traffic") or {} if traffic else {}),
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


def machines_of(tasks: Sequence[Task], noise: int = 0) -> dict[Layout, str]:
    """The machine file of each layout."""
    return {
        layout: machine_file(layout.platform, layout.nodes, layout.ranks, layout.mapping, noise > 0)
        for layout in dict.fromkeys(layout for layout, _ in tasks)
        if layout.platform
    }


def _drawn(machines: Iterable[Layout], noise: int) -> dict[Layout, list[str]]:
    """What stands in a key for the draws of a layout whose noise is known."""
    return {
        layout: [f"noise={noise}"] if noise and layout.platform and layout.platform.machine.noise else []
        for layout in machines
    }


def keys_of(tasks: Sequence[Task], noise: int = 0, machines: Mapping[Layout, str] | None = None) -> list[str]:
    """Of each timed task in the cache."""
    made_by = prover.made_by()
    files = machines or machines_of(tasks, noise)
    drawn = _drawn(files, noise)
    return [
        cache.digest("model", *made_by, files[layout], f"ranks={layout.ranks}", point.identity(), *drawn[layout])
        for layout, point in tasks
    ]


def evaluate(
    tasks: Sequence[Task], *, progress: Progress | None = None, limit_s: float | None = None, noise: int = 0
) -> list[dict[str, Any]]:
    """What the prover says of each task, cached by content: status ("ok" or the reason), model_s and cost_s (seconds), exact
    (whether the formula is the schedule's critical path), bound_s, rounds, chose (full key); traffic: bytes over links between nodes, by
    model/traffic.h; noise_s: the times of `noise` draws, on platforms whose noise is known."""
    machines = machines_of(tasks, noise)
    drawn = _drawn(machines, noise)
    keys = keys_of(tasks, noise, machines)
    with cache.Cache() as store:
        known = store.get_many(keys)
        known |= untimed(keys, tasks)
        bar = progress or Progress("model", len(tasks))
        bar(sum(key in known for key in keys))
        groups: dict[Layout, dict[str, Point]] = {}
        for key, (layout, point) in zip(keys, tasks, strict=True):
            if key not in known:
                groups.setdefault(layout, {})[key] = point
        for layout, missing in groups.items():
            names = {str(i): key for i, key in enumerate(missing)}
            questions = [
                Question(i, q.algorithm, describe((layout, q)), plan_text([(i, q)], layout.ranks))
                for i, q in zip(names, missing.values(), strict=True)
            ]
            words = ("--noise", str(noise)) if drawn[layout] else ()
            for i, reply, may_be_kept in answers(machines[layout], questions, bar, limit_s, words):
                known[names[i]] = reply
                if may_be_kept:
                    store.put_soon(names[i], reply)  # the next point may take minutes
                    console.keep()
    return [known[key] for key in keys]


def answers(
    machine: str, questions: Sequence[Question], bar: Progress, limit_s: float | None = None, words: Sequence[str] = ()
) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Of each question its name, what the prover says of it on this machine, and whether that may be kept: not that it was given up."""
    with leftovers.scratch() as folder:
        file = folder / "machine.txt"
        write_atomically(file, machine)
        for name, reply in prover.stream(["--model", file, "--traffic", *words], questions, folder, bar, limit_s):
            if isinstance(reply, Abandoned):
                yield name, _given_up(reply), False
            else:
                yield name, {k: v for k, v in reply.items() if k != "id"}, True


def untimed(keys: Sequence[str], tasks: Sequence[Task]) -> dict[str, dict[str, Any]]:
    """Key → what is said of those tasks that the prover need not be asked about."""
    reasons = {
        key: BUILTIN if is_builtin(task[1]) else lacks_cores(task) for key, task in zip(keys, tasks, strict=True)
    }
    return {key: {"kind": UNSUPPORTED, "status": reason} for key, reason in reasons.items() if reason}


def _given_up(point: Abandoned) -> dict[str, Any]:
    if point.limit:
        return {"kind": LIMIT, "status": point.reason}
    return {"kind": FAILED, "status": f"not tried: {point.reason}"}
