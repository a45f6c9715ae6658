"""The `compare` command: how far one source of numbers is off another, predicted beside measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collscope.base import console, folders, paths
from collscope.base.errors import UsageError
from collscope.base.grid import KEY, Column, Grid
from collscope.base.units import counted, join_words

if TYPE_CHECKING:
    import pandas as pd

    from collscope.points.benchmarks import Launch

PREDICTIONS = ("model", "sim", "bound")
OWN_CHOICE = "decision/ompi_4_1"  # what stands for a library's own choice


EXAMPLES = """
\b
Examples:
  ./collscope compare both.csv    of run --source model,real --csv
  ./collscope compare model.csv real.csv --out report
  ./collscope compare model.csv binomial=osu_bcast.1 chain=osu_bcast.2 \\
    --nodes 4 --ranks 64    model.csv of run --metric osu_avg
"""


@click.command("compare", short_help="Compare predicted with measured times.", epilog=EXAMPLES)
@click.argument("tables", nargs=-1, required=True, metavar="PREDICTED.csv [MEASURED]…")
@click.option(
    "--predicted", metavar="SOURCE", help="The source whose rows are the prediction (default: model, or sim)."
)
@click.option("--measured", metavar="SOURCE", help="The source that it is compared with (default: real, or sim).")
@click.option("--ranks", type=click.IntRange(min=1), metavar="P", help="Of what a benchmark printed: its ranks.")
@click.option("--nodes", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="… and its nodes.")
@click.option("--mapping", default="block", show_default=True, metavar="M", help="… and how its ranks were mapped.")
@click.option(
    "--type",
    "type_name",
    default="float",
    show_default=True,
    metavar="T",
    help="… and the type of its elements, where it does not print it.",
)
@click.option("--out", metavar="DIR", help="Also write a report: HTML, Markdown, JSON and figures.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the answer as JSON: every call, errors, winners (docs/json.md)."
)
def command(
    tables: tuple[str, ...],
    predicted: str | None,
    measured: str | None,
    ranks: int | None,
    nodes: int,
    mapping: str,
    type_name: str,
    out: str | None,
    as_json: bool,
) -> None:
    """Compare predicted with measured times: errors, and the cost of trusting the prediction.

    The tables are what `run --csv` writes; one table may hold both sources. Measured times may also be what osu_bcast, osu_allreduce, …
    or IMB-MPI1 printed, one file for each algorithm that the library was told to take: KEY=FILE; FILE alone is the library's own choice.
    """
    from collscope.analysis import prediction
    from collscope.campaigns import report
    from collscope.catalogue import registry
    from collscope.commands import compare_json
    from collscope.points.benchmarks import Launch

    folder = None if out is None else folders.own(out, "reports", lambda there: folders.only(there, *report.FILES))
    registry.load().type_bytes(type_name)
    launch = Launch(ranks, nodes, mapping, type_name=type_name)
    left: list[dict[str, Any]] = []
    first = _read(tables[:1], launch, left)
    second = _read(tables[1:], launch, left) if len(tables) > 1 else first
    guess = next((s for s in PREDICTIONS if s in set(first.source)), None)
    one = _of(first, tables[0], predicted or (guess if len(tables) == 1 else None))
    other = next((s for s in ("real", "sim") if s in set(second.source) and s != one.source.iloc[0]), None)
    two = _of(second, tables[-1], measured or (other if len(tables) == 1 else None))
    if one is two or (len(tables) == 1 and one.source.iloc[0] == two.source.iloc[0]):
        raise UsageError(
            f"{tables[0]} has only the source {one.source.iloc[0]}; give a second table, or run with --source real,model"
        )
    if not set(one.metric) & set(two.metric):
        raise UsageError(
            f"{tables[0]} has {join_words(sorted(set(one.metric)))}, {tables[-1]} {join_words(sorted(set(two.metric)))}; "
            f"predict with run --metric {sorted(set(two.metric))[0]}"
        )
    if not set(one.type) & set(two.type):
        raise UsageError(
            f"{tables[0]} has the type {join_words(sorted(set(one.type)))}, {tables[-1]} {join_words(sorted(set(two.type)))}; "
            f"predict with run --type {sorted(set(two.type))[0]}"
        )
    _check_own_choice(one, two, tables)
    both = prediction.joined(one, two)
    for name, rows in ((tables[0], one), (tables[-1], two)):
        if alone := len(rows) - len(both):
            left.append({"file": name, "rows": alone, "reason": "the other side lacks the call"})
            console.note(
                f"{name}: {counted(alone, 'row')} of source {rows.source.iloc[0]} left out: the other side lacks the call"
            )
    if as_json:
        sides = [(name, str(rows.source.iloc[0])) for name, rows in ((tables[0], one), (tables[-1], two))]
        compare_json.show(both, sides, left)
    else:
        show(both)
    if folder:
        page = paths.display(_report(folder, both, one, first, tables))
        if as_json:
            console.note(f"written: {page}")
        else:
            click.echo(page)


def _check_own_choice(predicted: pd.DataFrame, measured: pd.DataFrame, tables: Sequence[str]) -> None:
    """UsageError: only the library's own choice was measured, which has another name in the prediction, or none."""
    own = measured[measured.back_end.isin(("OSU", "IMB")) & measured.algorithm.str.endswith("/builtin")]
    if len(own) < len(measured) or set(own.algorithm) & set(predicted.algorithm):
        return
    decisions = sorted({key for key in predicted.algorithm if key.startswith("decision/")}) or [OWN_CHOICE]
    more = "" if decisions[0] in set(predicted.algorithm) else f", with a {tables[0]} of run -a {OWN_CHOICE}"
    file = tables[-1].rpartition("=")[2]
    raise UsageError(
        f"{tables[-1]} is the library's own choice, of which {tables[0]} has no times; say which decision it is: "
        f"{join_words([f'{key}={file}' for key in decisions], 'or')}{more}"
    )


def _report(
    folder: Path, both: pd.DataFrame, predicted: pd.DataFrame, table: pd.DataFrame, names: tuple[str, ...]
) -> Path:
    """Writes the report of one comparison into a folder; returns its page."""
    from collscope.campaigns import report

    bounds = table[table.algorithm == "bound/loggp"]
    title = f"{Path(names[0]).name} beside {Path(names[-1]).name}" if len(names) > 1 else Path(names[0]).name
    made = report.Comparison(
        f"Predicted and measured: {title}", both, predicted, bounds=bounds if len(bounds) else None
    )
    report.write(made, folder)
    return folder / "report.html"


def _read(names: Sequence[str], launch: Launch, left: list[dict[str, Any]]) -> pd.DataFrame:
    """One table, or what benchmarks printed, without the rows that have no call or no time; how many these are is printed, and added
    to `left`."""
    import pandas as pd

    from collscope.analysis import prediction
    from collscope.points import benchmarks, table, table_files

    frames = []
    for word in names:
        key, _, path = ("", "", word) if Path(word).is_file() else word.rpartition("=")
        if not Path(path).is_file():
            raise UsageError(
                f"{word}: no such file; give a table that `run --csv FILE` wrote, or KEY=FILE with what osu_bcast, … printed"
            )
        if benchmarks.is_printed(Path(path).read_text(encoding="utf-8", errors="replace")):
            frames.append(table.to_frame(benchmarks.read_file(path, replace(launch, algorithm=key))))
        elif key or len(names) > 1:
            raise UsageError(
                f"{word}: neither osu_bcast, … nor IMB-MPI1 printed this; several files and KEY=FILE are for these"
            )
        else:
            frames.append(table_files.read(path))
    frame = pd.concat(frames, ignore_index=True)
    reason = prediction.faults(frame)
    for text, count in reason[reason != ""].value_counts(sort=False).items():
        left.append({"file": names[-1], "rows": count, "reason": text})
        console.note(f"{names[-1]}: {counted(count, 'row')} of {len(frame)} left out: {text}")
    return frame[reason == ""]


def _of(frame: pd.DataFrame, name: str, source: str | None) -> pd.DataFrame:
    """The rows of one source; where none is named, of the only one."""
    timed = frame[~frame.algorithm.str.startswith("bound/")]
    there = sorted(set(timed.source))
    if source and source not in there:
        raise UsageError(f"{name}: no times of source {source}; it has {', '.join(there) or 'none'}")
    if not source and len(there) != 1:
        raise UsageError(
            f"{name}: times of {', '.join(there) or 'no source'}; choose one with --predicted or --measured SOURCE"
        )
    return timed[timed.source == (source or there[0])]


def show(both: pd.DataFrame) -> None:
    """Prints errors by collective, algorithm, size and ranks, and who wins."""
    from collscope.analysis import prediction

    numbers = ("points", "median", "p90", "worst", "bias")
    for by in (None, *prediction.BY):
        found = prediction.errors(both, by)
        if by and len(found) < 2:
            continue
        title = "Error of the prediction, as a share of the measured time" if by is None else ""
        columns = ("max" if n == "worst" else n for n in numbers)
        grid = Grid([Column(by or "of", pieces=KEY), *(Column(n, right=True) for n in columns)], title=title)
        for row in found.itertuples(index=False):
            grid.add(str(row[0]), str(row[1]), *(f"{value:.1%}" for value in row[2:5]), f"{row[5]:+.1%}")
        grid.show()
    for band in prediction.coverage(both).itertuples(index=False):
        single = f", {band.repetitions_inside:.1%} of {band.repetitions} repetitions" if band.repetitions else ""
        console.say(
            f"Inside the band of {prediction.NOMINAL:.0%}: {band.inside:.1%} of {band.calls} measured medians{single}; "
            f"{band.below:.1%} below, {band.above:.1%} above."
        )
    won = prediction.winners(both)
    if won is None:
        console.say("No call has two algorithms: there is no winner to predict.")
        return
    console.say(
        f"Winner: predicted in {won.same} of {won.calls} calls, tied with it within the noise in {won.ties}, "
        f"not told apart from it in {won.undecided}, another in {won.wrong} "
        f"(agreement {won.agreement:.1%})."
    )
    regret = f"{won.mean_regret:.1%} (mean), {won.p90_regret:.1%} (p90), {won.worst_regret:.1%} (max: {won.worst_call})"
    console.say(f"Regret, the time lost by trusting the prediction: {regret if won.worst_regret else 'none'}.")
    if won.correlation == won.correlation:
        console.say(f"Rank correlation of the algorithms of a call: {won.correlation:.2f} (Spearman, mean).")
