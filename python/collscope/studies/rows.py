"""The rows of a study: simulated times, further metrics of the same calls, and the bounds."""

from __future__ import annotations

import itertools
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from collscope import __version__
from collscope.base import cache, paths
from collscope.base.errors import UsageError, UserError
from collscope.machines import find, placement
from collscope.machines import study_variants as vary
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Task, Timing, check_layout
from collscope.points.table import Row
from collscope.sources import bounds, forecast, model, simulate, smpirun
from collscope.sources.rows import SOURCES
from collscope.sources.source import Options
from collscope.studies import results
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
    return f"{paths.display(study.path)}:{at_fault.line}: {at_fault.where}"


def tasks_of(study: Study, platform: Platform, quick: bool, first_alone: bool = False) -> list[tuple[Task, Entry, int]]:
    """Every point in its layout, with its entry and its size in bytes, in the order of the table: variant after variant. `platform`: that
    of a study without [vary]; `first_alone`: of the first variant alone."""
    out = []
    for variant, machine in itertools.islice(platforms(study, platform), 1 if first_alone else None):
        layouts: dict[tuple[int, int], Layout] = {}
        for nodes, ranks, entry, point, size in study.points(quick):
            if (nodes, ranks) not in layouts:
                layouts[nodes, ranks] = _layout(study, machine, nodes, ranks, variant.mapping)
            out.append(((layouts[nodes, ranks], replace(point, timing=Timing(buffers=variant.buffers))), entry, size))
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


def rows_of(study: Study, tasks: Sequence[Task], options: Options) -> list[Row]:
    """Rows of these tasks of the study by its source, then those of its further metrics, of its simulated sample, and the bounds."""
    own = replace(options, also_metrics=study.also_metrics, traffic=study.traffic)
    rows = SOURCES[study.numbers_from].rows(tasks, own)
    sample = sampled(study, tasks, rows)
    return [*rows, *(SOURCES["sim"].rows(sample, replace(options, speed=None)) if sample else []), *_bounds(tasks)]


def sampled(study: Study, tasks: Sequence[Task], rows: Sequence[Row]) -> list[Task]:
    """The tasks that are simulated, too: of those that have a time, one of so many, from the first on."""
    if not study.sample:
        return []
    timed = [task for task, row in zip(tasks, rows, strict=False) if row["kind"] == "ok"]
    return [task for task in timed if task[0].ranks <= study.sample.most_ranks][:: study.sample.every]


def of_study(study: Study, platform: Platform, quick: bool, options: Options) -> tuple[list[Row], Origin]:
    """All rows of the study, with the columns of points/table.py, and where they came from."""
    tasks = [task for task, _, _ in tasks_of(study, platform, quick)]
    whole = [task for task, _, _ in tasks_of(study, platform, quick=False)] if quick else tasks
    left = tasks if options.force else SOURCES[study.numbers_from].left(tasks)
    start = time.monotonic()
    rows = rows_of(study, tasks, replace(options, title=study.name, speed=speed(study, whole)))
    jobs = 1 if study.numbers_from == model.SOURCE.name else simulate.workers(options)
    return rows, _origin(study, rows, Taken(quick, len(tasks), len(left), time.monotonic() - start, jobs))


def speed(study: Study, whole: Sequence[Task]) -> float | None:
    """Seconds of a core per unit of estimated cost when the reference was made of these tasks; None: there is no such reference."""
    origin = results.record(paths.RESULTS / study.name).get("origin") or {}
    try:
        took = float(origin["wall_s"]) * int(origin["jobs"])
        same = not origin["quick"] and origin["simulated"] == len(whole)
    except (TypeError, KeyError, ValueError):
        return None
    return took / forecast.cost(whole) if same else None


@dataclass(frozen=True)
class Taken:
    """What a run took: its points, those of them that were made again, and the seconds of so many jobs."""

    quick: bool
    points: int
    made: int
    wall_s: float
    jobs: int


def _origin(study: Study, rows: Sequence[Row], taken: Taken) -> Origin:
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    hashes = {
        "sources": str(rows[0]["sources_hash"]) if rows else "",
        "platform": str(rows[0]["platform_hash"]) if rows else "",
        "study": cache.digest(study.path.read_text(encoding="utf-8"), *_placed(study))[:12],
    }
    versions = {"collscope": __version__, "SimGrid": smpirun.version()}
    made = Origin(taken.quick, taken.points, taken.made, taken.wall_s, taken.jobs, peak, versions, hashes)
    return remember(study.name, made)


def _placed(study: Study) -> list[str]:
    """What a mapping's file says, which the study's text does not."""
    files = dict.fromkeys(v.mapping for v in study.variants if placement.file_of(v.mapping))
    return [placement.identity(mapping) for mapping in files]


def _bounds(tasks: Sequence[Task]) -> list[Row]:
    """One row of source "bound" for each collective, layout and size."""
    calls: dict[tuple[Layout, str, int], Task] = {}
    for layout, point in tasks:
        calls.setdefault((layout, point.collective, point.count), (layout, point))
    return bounds.rows_of(list(calls.values()))
