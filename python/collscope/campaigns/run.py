"""Running a campaign: predict every call, measure it or take what was published, compare, report.

What is measured is kept in the campaign's folder call by call, so a campaign that was ended goes on where it stopped; predictions are in
the cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from collscope.analysis import prediction
from collscope.base import console, folders, paths, programs, progress
from collscope.base.errors import UsageError, UserError
from collscope.base.statistics import quantile
from collscope.base.units import counted
from collscope.campaigns import report
from collscope.campaigns.campaign import BARRIER, TOPOLOGY, Campaign, load
from collscope.campaigns.judged_before import RESULTS
from collscope.campaigns.preparation import MESSAGES, NOTED, Prepared, prepared
from collscope.catalogue import metrics
from collscope.machines import find, overrides
from collscope.machines.platform import Platform
from collscope.points import table
from collscope.points.plan import Layout, Task, Timing
from collscope.points.table import Row
from collscope.sources import bounds, call_table, draws, idle, launcher, measure, model, published, unknowns
from collscope.sources.outcome import OK
from collscope.sources.rows import SOURCES
from collscope.sources.source import Options

MEASURED, TABLE = "measured.csv", "table.csv"
FILES = (*report.FILES, MEASURED, TABLE, "quick", "blind", "platform*", MESSAGES, NOTED)  # of a campaign's folder
WRITTEN_EVERY = 96  # measured calls: what is lost at most when the campaign is killed


def run(
    name: str, quick: bool = False, out: str | None = None, recalibrate: bool = False, remeasure: bool = False
) -> Path:
    """Runs a campaign; returns the folder of its report. `recalibrate`: calibrate and measure again what is kept; `remeasure`: measure it
    again, with the platform that is kept. UsageError, UserError: what is wrong, where, and what to do."""
    campaign = load(name)
    folder = RESULTS / campaign.name / ("quick" if quick else "")
    if out is not None:
        folder = folders.own(out, "reports of a campaign", lambda there: folders.only(there, *FILES))
    elif not paths.is_writable(folder):
        raise UsageError(f"{folder} cannot be written to (--out DIR: elsewhere)")
    stages = [("", time.monotonic())]
    here = campaign.file.platform == find.HERE and campaign.file.measure.source == "real"
    if here and not remeasure and (differs := _differs_here()):
        console.note(f"{find.HERE}: does not hold any more: {differs}; it is calibrated again")
        recalibrate = True
    with prepared(campaign, folder, quick, recalibrate) as ready:
        platform = platform_of(ready.platform, recalibrate)
        stages.append(("preparing", time.monotonic()))
        tasks = tasks_of(campaign, platform, quick)
        if not tasks:
            raise UsageError(f"{paths.display(campaign.path)}: has no calls{' in a quick run' if quick else ''}")
        console.note(f"{campaign.name}: {counted(len(tasks), 'call')}")
        predicted = predict(campaign, tasks)
        stages.append(("predicting", time.monotonic()))
        before = _others_work(campaign)
        measured = _measured(campaign, tasks, folder, recalibrate or remeasure or ready.moved)
        busy = (before, _others_work(campaign))
        differs = _differs_here() if here else ""
        stages.append(("measuring", time.monotonic()))
    setting = _setting(campaign, ready, platform, tasks, measured, busy, stages)
    unstable = "; ".join(filter(None, [platform.unstable, f"after the calls: {differs}" if differs else ""]))
    compare(campaign, ready, tasks, predicted, measured, folder, setting=setting, quick=quick, unstable=unstable)
    console.note(f"{campaign.name}: {time.monotonic() - stages[0][1]:.0f} s")
    return folder


def compare(
    campaign: Campaign,
    ready: Prepared,
    tasks: Sequence[Task],
    predicted: Sequence[Row],
    measured: Sequence[Row],
    folder: Path,
    **more: Any,
) -> None:
    """Writes the report of predicted beside measured rows, and both as a table; `more`: what else report.Comparison takes."""
    expected, noted = table.to_frame(predicted), table.to_frame(measured)
    usual: dict[str, Any] = {
        "title": campaign.file.title,
        "about": campaign.file.about,
        "floor": campaign.file.floor or floor(measured),
        "bounds": _bounds(tasks),
        "without": _without(campaign, ready, tasks, noted),
        "unpredicted": left(tasks, predicted, measured),
        "unstable": "; ".join(
            dict.fromkeys(at.platform.unstable for at, _ in tasks if at.platform and at.platform.unstable)
        ),
    }
    made = report.Comparison(both=prediction.joined(expected, noted), predicted=expected, **(usual | more))
    table.write_csv([*predicted, *measured], folder / TABLE)
    report.write(made, folder)


def platform_of(name: str, recalibrate: bool = False) -> Platform:
    """The platform; this machine's is calibrated where it has no specification yet, or again with `recalibrate`."""
    if name == find.HERE and (recalibrate or not find.spec_path(name).exists()):
        from collscope.calibration import calibrate

        console.note(f"{find.HERE}: its messages are measured")
        if not programs.MPI_DRIVER.exists():
            measure.build()
        calibrate.calibrate()
    try:
        return find.load(name)
    except UserError as error:
        raise UserError(f"{error}; ./collscope calibrate makes one from point-to-point messages") from None


def _differs_here() -> str:
    """By how much messages of this machine differ now from its specification, in words; "" where they do not, or where it has none."""
    from collscope.calibration import calibrate

    path = find.spec_path(find.HERE)
    return calibrate.differs_here(path) if path.exists() and programs.MPI_DRIVER.exists() else ""


def _launcher(campaign: Campaign) -> launcher.Launcher:
    how = campaign.file.measure
    return launcher.launcher_of(how.launcher or None, how.hosts or None)


def _others_work(campaign: Campaign) -> str:
    """What the hosts are busy with, in words, as idle.remark has it; "" where nothing is measured."""
    if campaign.file.measure.source != "real":
        return ""
    return idle.remark(_launcher(campaign), max(n for calls in campaign.file.calls for n in calls.nodes))


def tasks_of(campaign: Campaign, platform: Platform, quick: bool = False) -> list[Task]:
    """The campaign's own calls."""
    if campaign.file.measure.source == "published":
        found = published.tasks(platform, campaign.file.platform, campaign.file.metric)
        return [task for task in found if campaign.chosen(task, quick)]
    return campaign.tasks(platform, quick)


def predict(campaign: Campaign, tasks: Sequence[Task]) -> list[Row]:
    """Rows of the tasks, each with its band, and of the decisions that a user has today, which may choose what was measured."""
    more = [(layout, call_table.by(point, key)) for layout, point in tasks for key in campaign.file.baselines]
    calls = list(dict.fromkeys([*tasks, *more]))
    rows = dict(zip(calls, _predicted(campaign, calls, campaign.file.noise), strict=True))
    if campaign.file.draws and campaign.file.predict == model.SOURCE.name:
        with progress.progress("draws of what is not known", len(tasks)) as bar:
            for task, band in zip(tasks, draws.bands(tasks, campaign.file.draws, bar), strict=True):
                rows[task] |= dict(zip(table.DRAWN, band, strict=True)) if band else {}
    return list(rows.values())


def _predicted(campaign: Campaign, tasks: Sequence[Task], noise: int = 0) -> list[Row]:
    return SOURCES[campaign.file.predict].rows(tasks, Options(noise=noise))


def _without(
    campaign: Campaign, ready: Prepared, tasks: Sequence[Task], measured: prediction.pd.DataFrame
) -> dict[str, prediction.pd.DataFrame]:
    """The same calls predicted without one element each, beside what was measured."""
    found = {}
    for name in campaign.file.without:
        if name == BARRIER:
            changed = [(layout, replace(p, metric=metrics.base(p.metric))) for layout, p in tasks]
        else:
            layouts = {at: replace(at, platform=_changed(at, ready, name)) for at, _ in tasks}
            changed = [(layouts[layout], point) for layout, point in tasks]
        console.note(f"{campaign.name}: without {name}")
        rows = [
            row | {"platform": layout.platform_name}
            for row, (layout, _) in zip(_predicted(campaign, changed), tasks, strict=True)
        ]
        found[name] = prediction.joined(table.to_frame(rows), measured)
    return found


def _changed(at: Layout, ready: Prepared, name: str) -> Platform:
    """The platform of a layout without an element."""
    typed = at.platform.typed if at.platform else ""
    own = typed or ready.platform
    return find.load(f"{own}[topology=switch]" if name == TOPOLOGY else overrides.left_out(own, name))


def _bounds(tasks: Sequence[Task]) -> prediction.pd.DataFrame | None:
    """The bound of each call, where its metric has one."""
    spans = [(layout, point) for layout, point in tasks if point.metric == "makespan"]
    return table.to_frame(bounds.rows_of(spans, (bounds.LOGGP,))) if spans else None


def _measured(campaign: Campaign, tasks: Sequence[Task], folder: Path, remeasure: bool) -> list[Row]:
    """Rows of the campaign's calls, those that are kept in the folder not measured again."""
    how = campaign.file.measure
    source = SOURCES[how.source]
    if source is published.SOURCE:
        return source.rows(tasks, Options())
    kept = Kept.of(folder / MEASURED, remeasure)
    left = [task for task in tasks if not kept.row(task)]
    if kept.rows:
        count = counted(len(tasks) - len(left), "call")
        console.note(f"{campaign.name}: {count} measured before ({paths.display(kept.path)})")
    options = Options(
        launches=how.launches,
        launcher=_launcher(campaign),
        point_timeout_s=60.0,
        keep_times=True,
        on_row=kept.add,
    )
    left = [(layout, replace(point, timing=Timing(how.repetitions))) for layout, point in left]
    # A row is whole after the last launch: with several launches, so many calls at a time are measured in all of them.
    each = WRITTEN_EVERY if how.launches > 1 else len(left)
    try:
        for start in range(0, len(left), each or 1):
            for row in source.rows(left[start : start + each], options):
                kept.add(row)
    finally:
        kept.write()
    return [found for task in tasks if (found := kept.row(task))]


@dataclass
class Kept:
    """The measured rows of a campaign, and the file that has them, so that one that was ended goes on where it stopped."""

    path: Path
    rows: dict[tuple[object, ...], Row]
    unwritten: int = 0
    others: Sequence[Row] = ()  # of the file, which stay there

    @staticmethod
    def of(path: Path, remeasure: bool, is_mine: Callable[[Row], bool] = lambda row: True) -> Kept:
        """What was measured before, of rows that are the caller's; nothing of these with `remeasure`."""
        rows = table.to_rows(table.read_csv(path)) if path.is_file() else []
        mine = [] if remeasure else [row for row in rows if row["kind"] == OK and is_mine(row)]
        return Kept(path, {_name(row): row for row in mine}, others=[row for row in rows if not is_mine(row)])

    def row(self, task: Task) -> Row | None:
        """What is known of a task."""
        return self.rows.get(_name_of(task))

    def add(self, row: Row) -> None:
        """Keeps a row that has just been measured."""
        self.rows[_name(row)] = row
        self.unwritten += 1
        if self.unwritten == WRITTEN_EVERY:
            self.write()

    def write(self) -> None:
        """Brings the file up to date."""
        if self.unwritten:
            table.write_csv([*self.others, *self.rows.values()], self.path)
            console.keep()
        self.unwritten = 0


NAMES = ("nodes", "ranks", "mapping", "collective", "algorithm", "bytes", "type", "metric")


def _name(row: Row) -> tuple[object, ...]:
    return tuple(row[column] for column in NAMES)


def _name_of(task: Task) -> tuple[object, ...]:
    layout, point = task
    return _name(layout.cells() | point.cells(layout.ranks))


def _setting(
    campaign: Campaign,
    ready: Prepared,
    platform: Platform,
    tasks: Sequence[Task],
    measured: Sequence[Row],
    busy: tuple[str, str],
    stages: Sequence[tuple[str, float]],
) -> list[tuple[str, str]]:
    file = campaign.file
    ranks = sorted({layout.ranks for layout, _ in tasks})
    back_end = next((row["back_end"] for row in measured if row["back_end"]), "")
    late = sum(row.get("start") == "barrier" for row in measured) if file.metric == "makespan" else 0
    return [
        ("platform", file.platform),
        *ready.setting,
        ("predicted by", f"{file.predict}, metric {file.metric}"),
        ("band", band_text(campaign, platform, tasks)),
        *([("noise", _noise_text(platform, file.noise))] if file.noise else []),
        ("measured", f"{file.measure.source}: {back_end}"),
        *([("start", _start_text(late, len(measured)))] if late else []),
        *([("others' work", f"before measuring: {busy[0]}, after: {busy[1]}")] if any(busy) else []),
        ("time", ", ".join(f"{name} {end - start:.0f} s" for (_, start), (name, end) in pairwise(stages))),
        ("ranks", ranks_text(ranks)),
    ]


def ranks_text(ranks: Sequence[int]) -> str:
    """Numbers of ranks, ascending, in words."""
    return f"{ranks[0]} to {ranks[-1]}" if len(ranks) > 4 else ", ".join(map(str, ranks))


def band_text(campaign: Campaign, platform: Platform, tasks: Sequence[Task]) -> str:
    """What the predictions' band is of, in words."""
    if campaign.file.predict != model.SOURCE.name or not campaign.file.draws:
        return "none: it is drawn by the model, where the campaign says so (predict, draws)"
    numbers = unknowns.unknowns(platform, max(layout.nodes for layout, _ in tasks))
    if not numbers:
        return "none: the platform's file leaves nothing open and gives no range"
    named = counted(sum(one.given for one in numbers), "range")
    left = "; ".join(one.keys for one in numbers if not one.given)
    return f"{campaign.file.draws} draws of {named} that the platform's file gives, and of what it leaves open: {left or 'nothing'}"


def _start_text(late: int, calls: int) -> str:
    return f"{late} of {counted(calls, 'call')} after a barrier, as ranks were late for a common one: they began apart"


def _noise_text(platform: Platform, draws: int) -> str:
    if not platform.machine.noise:
        return "no band: the platform does not say how much its messages' times vary"
    return f"{draws} draws of how much single messages of {', '.join(platform.machine.noise)} vary"


def floor(measured: Sequence[Row]) -> str:
    """How far launches of the same call, or quartiles of repetitions of one launch, are apart, in words."""
    if between := sorted(row["floor"] for row in measured if row.get("floor") is not None):
        return (
            f"Launches of the same call differ by ± {100 * quantile(between, 0.5):.1f} % (median over calls; p90: "
            f"{100 * quantile(between, 0.9):.1f} %): no model can be shown to be better."
        )
    spread = sorted(
        (row["q3_s"] - row["q1_s"]) / row["median_s"]
        for row in measured
        if row["kind"] == OK and row["q3_s"] is not None
    )
    if not spread:
        return ""
    return (
        f"Half of the repetitions of a call lie within {100 * quantile(spread, 0.5):.1f} % of its median "
        f"(median over calls; p90: {100 * quantile(spread, 0.9):.1f} %): no model can be shown to be much better."
    )


def left(tasks: Sequence[Task], predicted: Sequence[Row], measured: Sequence[Row]) -> list[str]:
    """What has no number on one side, by reason."""
    reasons: dict[str, int] = {}
    names = {_name_of(task) for task in tasks}
    for row in [*predicted, *measured]:
        if row["kind"] != OK and (_name(row) in names or row["source"] != "model"):
            text = f"{row['source']}: {row['status']}"
            reasons[text] = reasons.get(text, 0) + 1
    return [f"No number for {counted(count, 'call')}, {text}." for text, count in sorted(reasons.items())]
