"""What `run` prints: tables, winners and remarks, or one document; and what is finished where the user ends the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collscope.commands import run_json, run_machines, run_output, run_table, run_winners
from collscope.commands.run_advice import Winner
from collscope.points.plan import Task
from collscope.points.table import Row
from collscope.sources import bounds
from collscope.sources.outcome import STOPPED, Outcome
from collscope.sources.rows import unless_wrong
from collscope.sources.source import Options, Source, Stopped


@dataclass(frozen=True)
class Answer:
    """How rows are printed."""

    shows: bool  # as tables
    as_json: bool
    timed_all: bool  # every algorithm of the collective is among the rows

    def whole(
        self, rows: Sequence[Row], tasks: Sequence[Task], sources: Sequence[Source], judges: bool, limit_s: float | None
    ) -> list[Winner]:
        """Prints all that there is to say of rows that are complete. Returns the winners, where they are printed or `judges`, within
        `limit_s` for a time."""
        if self.shows:
            if run_machines.are_several(rows):
                run_machines.show(rows)
            if not run_machines.are_several(rows) or len(sources) > 1:
                run_table.show(rows, bounds_for_display(tasks, rows))
            else:
                run_table.reasons(rows)
        found = run_winners.judged(rows, tasks, limit_s) if self.shows or self.as_json or judges else []
        if self.shows:
            run_winners.show(found, self.timed_all)
        if self.as_json:
            run_json.show(rows, bounds_for_display(tasks, rows), found, self.timed_all)
        return found

    def rows_of(
        self, sources: Sequence[Source], tasks: Sequence[Task], options: Options, faults: Mapping[Task, Outcome]
    ) -> list[Row]:
        """The rows of all sources; a task among `faults` has that in place of a time. Where the user ends the work, what is finished is
        printed on the way out."""
        rows: list[Row] = []
        try:
            for source in sources:
                rows += unless_wrong(source, tasks, options, faults)
        except KeyboardInterrupt as stop:
            rows += stop.rows if isinstance(stop, Stopped) else []
            self._finished(rows, tasks)
            raise
        return rows

    def _finished(self, rows: Sequence[Row], tasks: Sequence[Task]) -> None:
        finished = [row for row in rows if row["kind"] != STOPPED]
        if self.shows and finished:
            places = {(row["nodes"], row["ranks"]) for row in finished}
            begun = [task for task in tasks if (task[0].nodes, task[0].ranks) in places]
            run_table.show(finished, bounds_for_display(begun, rows))
            run_table.reasons([row for row in rows if row["kind"] == STOPPED])
            run_output.report_failures(finished)
        if self.as_json:
            found = run_winners.winners(finished)
            run_json.show(rows, bounds_for_display(tasks, rows), found, self.timed_all, finished=False)


def bounds_for_display(tasks: Sequence[Task], rows: Sequence[Row]) -> list[Row]:
    """The bound's rows, to print ratios to; where none was asked for, of the one that holds. None without curves, which bound a time."""
    present = [row for row in rows if row["source"] == "bound"]
    if present or any(layout.platform is None or not layout.platform.machine.curve for layout, _ in tasks):
        return present
    return bounds.rows_of(tasks, (bounds.LOGGP,))
