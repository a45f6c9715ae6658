"""The `lab` command: labs for teaching, their check for students and their grading for teachers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from collscope.base import documents, paths, progress
from collscope.base.errors import UsageError, UserError
from collscope.base.files import write_atomically
from collscope.base.grid import WORDS, Column, Grid
from collscope.base.units import counted
from collscope.commands.groups import Commands

if TYPE_CHECKING:
    from collscope.labs.check import Report
    from collscope.labs.lab import Lab

FORMATS = ("csv", "junit", "classroom", "otter")  # collscope.labs.formats
FORMAT = click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Print the grades in a format of teachers' tools."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
WIDTH = 78
OUT = click.option("--out", metavar="FILE", help="Write what is printed to this file.")


@click.group("lab", short_help="Labs for teaching: hand out, check, grade.", cls=Commands)
def command() -> None:
    """Labs for teaching MPI collectives, each with a handout, a skeleton, checks that explain, and a grader (docs/labs.md).

    Students' code is built and run in a jail: no network, no files but its own, limits of time, memory and output."""


@command.command("list", short_help="List the labs, or what one of them asks.")
@click.argument("name", required=False)
def list_(name: str | None) -> None:
    """List the labs; with NAME (or its number): goals, tasks with their points, what to hand in."""
    from collscope.labs import lab as labs

    if name:
        _show(labs.load(name))
        return
    table = Grid(
        (
            Column("lab", right=True),
            Column("name"),
            Column("title", pieces=WORDS),
            Column("points", right=True),
            Column("minutes", right=True),
        )
    )
    for one in map(labs.load, labs.names()):
        table.add(str(one.file.number), one.name, one.file.title, str(one.points), str(one.file.minutes))
    table.show()
    print("./collscope lab start NAME FOLDER begins one")


def _show(lab: Lab) -> None:
    """One lab."""
    from textwrap import fill

    print(f"Lab {lab.file.number}, {lab.name}: {lab.file.title} ({lab.file.minutes} minutes, {lab.points} points)\n")
    print(fill(lab.file.about, WIDTH))
    for title, lines in (("you know", lab.file.knows), ("you will", lab.file.goals), ("hand in", lab.file.hand_in)):
        print(f"\n{title}")
        for line in lines:
            print(fill(line, WIDTH, initial_indent="  - ", subsequent_indent="    "))
    table = Grid((Column("task"), Column("points", right=True), Column("what", pieces=WORDS)))
    for task in lab.file.task:
        table.add(task.name, str(task.points), task.title)
    print()
    table.show()


@command.command("start", short_help="Make a folder for a lab.")
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--no-figures", is_flag=True, help="Leave out the handout's figures, which take some seconds to draw, and its page."
)
def start(name: str, folder: Path, no_figures: bool) -> None:
    """Make FOLDER with the handout of a lab (handout.html, with its figures, for a browser), the skeleton and an answers file."""
    from collscope.base import pages
    from collscope.commands import show
    from collscope.labs import lab as labs
    from collscope.labs import start as beginning

    lab = labs.load(name)
    made = beginning.start(lab, folder)
    for figure in [] if no_figures else lab.file.figure:
        made.append(folder / figure.file)
        traces, _ = show.read_traces(show.Request(algo=figure.algorithm, ranks=figure.ranks, sizes=figure.bytes))
        show.draw(traces, [figure.kind], str(made[-1]))
    text = made[1]
    if not no_figures:
        made.append(text.with_suffix(".html"))
        write_atomically(made[-1], pages.html(text.read_text(encoding="utf-8"), folder))
    print("\n".join(f"  {paths.display(path)}" for path in made))
    print(f"read {paths.display(text if no_figures else made[-1])}; then ./collscope lab check {folder}")


@command.command("check", short_help="Check a folder: what is right, what is missing.")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--lab", "name", help="The lab, where answers.toml does not name it.")
@click.option("--task", "task", help="Only this task.")
@JSON
@FORMAT
@OUT
def check(folder: Path, name: str | None, task: str | None, as_json: bool, form: str | None, out: str | None) -> None:
    """Build the C file of FOLDER, prove and time it, compare the answers with runs, and say what is missing and why."""
    from collscope.labs import check as checks
    from collscope.labs import hand_in
    from collscope.labs import lab as labs

    _check_output(as_json, form, out)
    try:
        lab = labs.load(name) if name else hand_in.lab_of(folder)
    except hand_in.Missing as error:
        raise UserError(f"{folder}/{error}") from error
    if task:
        chosen = [one for one in lab.file.task if one.name == task]
        if not chosen:
            raise UsageError(
                f"--task {task}: lab {lab.name} has the tasks {', '.join(one.name for one in lab.file.task)}"
            )
        lab = replace(lab, file=lab.file.model_copy(update={"task": chosen}))
    report = checks.check(folder, lab)
    if not _printed([report], "lab", as_json, form, out):
        _show_report(report)
    sys.exit(0 if report.earned == report.points else 1)


@command.command("grade", short_help="Grade the folders of many students.")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--lab", "name", help="The lab, whatever answers.toml says.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Folders side by side (default: one per core).")
@JSON
@FORMAT
@OUT
def grade(
    folders: Sequence[Path], name: str | None, jobs: int | None, as_json: bool, form: str | None, out: str | None
) -> None:
    """Grade FOLDERS with the hidden cases, too: points by task, and the reasons. A folder without points is a grade, not an error."""
    from collscope.labs import grade as grading
    from collscope.labs import lab as labs

    _check_output(as_json, form, out)
    lab = labs.load(name) if name else None
    with progress.progress("grading", len(folders)) as bar:
        reports = grading.grade(folders, lab, jobs or 0, done=lambda: bar(1))
    if not _printed(reports, "lab", as_json, form, out):
        _show_grades(reports)


def _check_output(as_json: bool, form: str | None, out: str | None) -> None:
    """UsageError, before anything is judged: a form that is not one, or a file that cannot be."""
    if as_json and form:
        raise UsageError("--json and --format: choose one")
    if out is None:
        return
    if not as_json and not form:
        raise UsageError(f"--out {out}: choose --json or --format")
    if not out or Path(out).is_dir():
        raise UsageError(f"--out {out}: is a folder; name a file" if out else "--out needs the name of a file")


def _printed(reports: Sequence[Report], schema: str, as_json: bool, form: str | None, out: str | None) -> bool:
    """Prints or writes the reports as a program reads them; whether that was asked for."""
    from collscope.labs import formats

    if not as_json and not form:
        return False
    text = documents.text(schema, formats.fields(reports)) if as_json else formats.text(str(form), reports)
    if out:
        write_atomically(out, text)
    else:
        sys.stdout.write(text)
    return True


def _show_report(report: Report) -> None:
    """A student's report: what is there, and of each fault the first time what is wrong."""
    from collscope.labs.sandbox import HELD

    assert report.lab
    print(f"Lab {report.lab.file.number}, {report.lab.file.title}: {report.earned} of {report.points} points\n")
    shown: set[tuple[str, ...]] = set()
    for graded in report.tasks:
        task = graded.task
        print(f"{task.name}: {graded.earned} of {task.points} points" + f" ({task.title})" * bool(task.title))
        for part in graded.parts:
            print(f"  {'[ ]' if part.faults else '[x]'} {part.what}")
            if part.faults and part.faults not in shown:
                print("\n".join(f"      {line}".rstrip() for line in part.faults))
                shown.add(part.faults)
            elif part.faults:
                print("      as above")
    if report.held:
        print(f"\nyour code was kept in by {HELD[report.held]}")


def _show_grades(reports: Sequence[Report]) -> None:
    """A line per folder, and the reasons below."""
    from collscope.labs.formats import reasons
    from collscope.labs.sandbox import HELD

    table = Grid(
        (
            Column("folder"),
            Column("lab"),
            Column("points", right=True),
            Column("seconds", right=True),
            Column("tasks without points", pieces=WORDS),
        )
    )
    for report in reports:
        lost = ", ".join(graded.task.name for graded in report.tasks if not graded.earned)
        table.add(
            report.name,
            report.lab.name if report.lab else "",
            f"{report.earned} of {report.points}",
            f"{report.wall_s:.1f}",
            report.fault or lost,
        )
    table.show()
    for report in reports:
        lost_tasks = [graded for graded in report.tasks if not graded.earned]
        if lost_tasks:
            print(f"\n{report.name}")
        shown: set[str] = set()
        for graded in lost_tasks:
            why = reasons(graded)
            print(f"  {graded.task.name}: {'as above' if why in shown else ''}".rstrip())
            if why not in shown:
                print("\n".join(f"    {line}".rstrip() for line in why.splitlines()))
            shown.add(why)
    _show_leaderboard(reports)
    for held in sorted({report.held for report in reports if report.held}):
        print(f"\n{counted(sum(report.held == held for report in reports), 'folder')} kept in by {HELD[held]}")


def _show_leaderboard(reports: Sequence[Report]) -> None:
    """Of challenges: a line per folder that has a score, the fastest first; equal scores share a place."""
    scored = sorted((report.score, report.name) for report in reports if report.score is not None)
    if not scored:
        return
    print("\nleaderboard: time over the best of the catalogue, geometric mean over hidden machines")
    table = Grid((Column("place", right=True), Column("folder"), Column("score", right=True)))
    for score, name in scored:
        table.add(str(1 + sum(other < score for other, _ in scored)), name, f"{score:.3f}")
    table.show()
