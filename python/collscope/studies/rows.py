"""The rows of a study: simulated times, further metrics of the same calls, and the bounds."""

from __future__ import annotations

import itertools
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from collscope import __version__
from collscope.base import cache, console, paths, progress
from collscope.base.errors import UsageError, UserError
from collscope.machines import find, placement
from collscope.machines import study_variants as vary
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Task, check_layout
from collscope.points.table import Row
from collscope.sources import bounds, model, simulate, smpirun
from collscope.sources.cluster import Cluster
from collscope.sources.outcome import summarise
from collscope.studies import outlook
from collscope.studies.origin import Origin, remember
from collscope.studies.study import Entry, Study


def platforms(study: Study, own: Platform) -> Iterator[tuple[vary.Variant, Platform]]:
    """Every variant with its platform; `own`: that of a study which varies no number of it. The complaint about a value has its file
    and line."""
    same = all(v.key in (vary.MAPPING, vary.BUFFERS) for v in study.variations)
    for variant in study.variants:
        try:
            yield variant, own if same else find.load(variant.platform)
        except UserError as error:
            raise type(error)(f"{_place(study, variant)}: {error}") from None


def _place(study: Study, variant: vary.Variant) -> str:
    """FILE:LINE: KEY of the value that makes this variant impossible: the first that is so alone."""
    at_fault = study.variations[0]
    for k, variation in enumerate(study.variations):
        alone = [v.values[0] if other != k else variant.values[k] for other, v in enumerate(study.variations)]
        try:
            find.load(vary.variant(study.platform, study.mapping, study.variations, tuple(alone)).platform)
        except UserError:
            at_fault = variation
            break
    return f"{paths.display(study.path)}:{at_fault.line}: vary.{at_fault.key}"


def tasks_of(study: Study, platform: Platform, quick: bool, first_alone: bool = False) -> list[tuple[Task, Entry, int]]:
    """Every point in its layout, with its entry and its size in bytes, in the order of the table: variant after variant. `platform`: that
    of a study without [vary]; `first_alone`: of the first variant alone."""
    out = []
    for variant, machine in itertools.islice(platforms(study, platform), 1 if first_alone else None):
        layouts: dict[tuple[int, int], Layout] = {}
        for nodes, ranks, entry, point, size in study.points(quick):
            if (nodes, ranks) not in layouts:
                layouts[nodes, ranks] = _layout(study, machine, nodes, ranks, variant.mapping)
            out.append(((layouts[nodes, ranks], replace(point, buffers=variant.buffers)), entry, size))
    return out


def _layout(study: Study, platform: Platform, nodes: int, ranks: int, mapping: str) -> Layout:
    with study.at_fault():
        at = check_layout(platform, nodes, ranks, mapping)
    if at.nodes < nodes:
        raise UsageError(
            f"{paths.display(study.path)}: mapping {mapping} puts {ranks} ranks on {at.nodes} of {nodes} nodes; take "
            f"{nodes} out of setting.nodes, or more ranks"
        )
    return at


def simulate_study(
    study: Study,
    platform: Platform,
    *,
    quick: bool,
    jobs: int | None,
    force: bool,
    limit_s: float | None = None,
    cluster: Cluster | None = None,
) -> tuple[list[Row], Origin]:
    """All rows of the study, with the columns of points/table.py, and where they came from. What is cached is not simulated again; a
    point that takes longer than `limit_s` is given up. `cluster`: whose workers simulate."""
    tasks = [task for task, _, _ in tasks_of(study, platform, quick)]
    if study.numbers_from == model.SOURCE.name:
        return _modelled(study, tasks, quick, limit_s)
    now = simulate.Origin.now(tasks)  # before the run: sources that are edited meanwhile belong to the next
    start = time.monotonic()
    left = tasks if force else simulate.left(tasks)
    todo = len(left)
    whole = [task for task, _, _ in tasks_of(study, platform, quick=False)] if quick else tasks
    console.note(outlook.sentence(study, len(tasks), left, whole, simulate.workers(jobs, cluster)))
    if todo:
        with progress.progress(study.name, len(tasks)) as told:
            rows = simulate.run_tasks(tasks, jobs=jobs, progress=told, force=force, limit_s=limit_s, cluster=cluster)
    else:
        rows = simulate.run_tasks(tasks, jobs=jobs)
    origin = _origin(study, rows, quick, todo, time.monotonic() - start, simulate.workers(jobs, cluster))
    return [*rows, *_also(study, tasks, rows, now), *_bounds(tasks)], origin


def _modelled(study: Study, tasks: Sequence[Task], quick: bool, limit_s: float | None) -> tuple[list[Row], Origin]:
    """As simulate_study, by the model; one process, which says nothing of what it knew already."""
    start = time.monotonic()
    console.note(f"{study.name}: {len(tasks)} points, by the model")
    with progress.progress(study.name, len(tasks)) as told:
        rows = model.run_tasks(tasks, progress=told, limit_s=limit_s)
    origin = _origin(study, rows, quick, len(tasks), time.monotonic() - start, 1)
    return [*rows, *_bounds(tasks)], origin


def _origin(study: Study, rows: Sequence[Row], quick: bool, made: int, wall: float, jobs: int) -> Origin:
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    hashes = {
        "sources": str(rows[0]["sources_hash"]) if rows else "",
        "platform": str(rows[0]["platform_hash"]) if rows else "",
        "study": cache.digest(study.path.read_text(encoding="utf-8"), *_placed(study))[:12],
    }
    versions = {"collscope": __version__, "SimGrid": smpirun.version()}
    return remember(study.name, Origin(quick, len(rows), made, wall, jobs, peak, versions, hashes))


def _placed(study: Study) -> list[str]:
    """What a mapping's file says, which the study's text does not."""
    files = dict.fromkeys(v.mapping for v in study.variants if placement.file_of(v.mapping))
    return [placement.identity(mapping) for mapping in files]


def simulate_tasks(
    study: Study,
    tasks: Sequence[Task],
    *,
    jobs: int | None,
    force: bool,
    limit_s: float | None = None,
    cluster: Cluster | None = None,
) -> list[Row]:
    """Rows of some of the study's tasks, with their bounds; `limit_s` and `cluster` as in simulate_study."""
    with progress.progress(study.name, len(tasks)) as told:
        rows = simulate.run_tasks(tasks, jobs=jobs, progress=told, force=force, limit_s=limit_s, cluster=cluster)
        return [*rows, *_bounds(tasks)]


def _also(study: Study, tasks: Sequence[Task], rows: Sequence[Row], origin: simulate.Origin) -> list[Row]:
    """Rows of the further metrics, from the very same simulated calls."""
    if not study.also_metrics:
        return []
    keys = [origin.key(layout, point) for layout, point in tasks]
    with cache.Cache() as store:
        known = store.get_many(keys)
    out = []
    for metric in study.also_metrics:
        for key, row in zip(keys, rows, strict=True):
            if key in known:
                out.append({**row, "metric": metric, **summarise([known[key]["reps"]], metric)})
    return out


def _bounds(tasks: Sequence[Task]) -> list[Row]:
    """One row of source "bound" for each collective, layout and size."""
    wanted: dict[tuple[Layout, str, int], Task] = {}
    for layout, point in tasks:
        wanted.setdefault((layout, point.collective, point.count), (layout, point))
    return bounds.rows_of(list(wanted.values()))
