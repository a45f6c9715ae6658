"""The sources of numbers there are, by name. A new source is one module with a SOURCE, and one line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from collscope.base.errors import unknown
from collscope.points.plan import Task
from collscope.points.table import Row, make_row
from collscope.sources import bounds, measure, model, published, simulate
from collscope.sources.outcome import FAILURES, WRONG, Outcome
from collscope.sources.source import Options, Source

SOURCES: dict[str, Source] = {
    s.name: s for s in (bounds.SOURCE, model.SOURCE, simulate.SOURCE, measure.SOURCE, published.SOURCE)
}


def named(text: str) -> list[Source]:
    """The sources of a list as typed, "bound,sim", each once; UsageError for an unknown name."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in SOURCES:
            raise unknown("source", name, SOURCES)
    return [SOURCES[name] for name in dict.fromkeys(names)]


def failed(rows: Sequence[Row]) -> list[Row]:
    """Rows whose point broke the program that ran it, or whose data is wrong: failures, unlike unsupported points."""
    return [row for row in rows if row["kind"] in FAILURES]


def unless_wrong(source: Source, tasks: Sequence[Task], options: Options, faults: Mapping[Task, Outcome]) -> list[Row]:
    """The rows of a source, in the order of the tasks; one with a fault is not timed, and its row has that (sources/proven). A bound
    holds whoever runs."""
    if not faults or source.name == "bound":
        return source.rows(tasks, options)
    right = iter(source.rows([task for task in tasks if task not in faults], options))
    return [_untimed(source.name, task, faults[task]) if task in faults else next(right) for task in tasks]


def _untimed(source: str, task: Task, fault: Outcome) -> Row:
    layout, point = task
    cells = layout.cells() | point.cells(layout.ranks)
    status = f"the proof fails: {fault.status}" if fault.kind == WRONG else fault.status
    return make_row(source=source, **cells, status=status, kind=fault.kind, back_end="collscope-prove")
