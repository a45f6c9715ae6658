"""What to do to have a winner: the words for mpirun, per version of Open MPI, or why it has no such words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from collscope.catalogue.keys import Key
from collscope.commands.run_table import Call, call_of
from collscope.points.plan import Layout, Point, Task
from collscope.points.table import Row
from collscope.sources import assumptions
from collscope.sources.assumptions import Choice, Doubt, Unchecked
from collscope.tuning import openmpi
from collscope.tuning.openmpi import OpenMpi

TIE = 0.01  # of the fastest time: less tells no two algorithms apart


@dataclass(frozen=True)
class Winner:
    """What was timed of one call by one source, and what libraries take for it."""

    row: Row  # of the fastest
    times: Mapping[str, float]  # seconds of each key, the fastest first; what a decision chose under the key that ran
    taken: Mapping[str, str]  # decision → key
    doubt: Doubt | None = None  # an unknown number of the machine on which the winner hangs
    unchecked: Unchecked | None = None  # unknown numbers on which it may hang

    @property
    def key(self) -> str:
        """Of the algorithm that ran."""
        return str(self.row["chose"] or self.row["algorithm"])

    @property
    def is_own_choice(self) -> bool:
        """A library chose, by itself, in a real or a published run: which algorithm it took is not known."""
        return Key.parse(self.key).is_builtin or self.key.startswith("decision/")

    @property
    def unstable(self) -> bool:
        """Its time was measured, and the repetitions do not agree well."""
        return bool(self.row.get("unstable"))

    @property
    def ties(self) -> list[str]:
        """The keys that take no longer than it by TIE, itself first."""
        return [key for key, seconds in self.times.items() if seconds <= (1 + TIE) * self.times[self.key]]

    def loss(self, key: str) -> str:
        """How many times slower than the fastest."""
        return f"{self.times[key] / self.times[self.key]:.2f}" if key in self.times else "not timed"

    def takes(self, library: OpenMpi) -> str:
        """The key that the library takes by itself; empty: not known, as where coll/han decides."""
        if library.asks_han(str(self.row["collective"]), self.row["nodes"], self.row["ranks"]):
            return ""
        return self.taken.get(library.decision, "")

    def words(self, key: str, library: OpenMpi) -> str:
        """The words with which the library runs a key here."""
        return library.words(key, self.row["nodes"], self.row["ranks"])


def with_doubts(winners: Sequence[Winner], tasks: Sequence[Task]) -> list[Winner]:
    """The winners of a model or a simulation, each with the unknown number on which it hangs. `tasks`: all that was timed."""
    points: dict[Call, tuple[Layout, Point]] = {}
    for layout, point in tasks:
        cells: dict[str, Any] = layout.cells() | point.cells(layout.ranks)
        points.setdefault(call_of(cells), (layout, point))
    choices = []
    for winner in winners:
        layout, point = points[call_of(winner.row)]
        choices.append(
            Choice(layout, {key: replace(point, algorithm=key) for key in winner.times}, winner.times, winner.key)
        )
    return [
        replace(w, unchecked=found) if isinstance(found, Unchecked) else replace(w, doubt=found)
        for w, found in zip(winners, assumptions.doubts(choices), strict=True)
    ]


def advice(members: Sequence[Winner], versions: Sequence[OpenMpi], timed_all: bool = False) -> list[str]:
    """Lines for sizes that follow each other and have one winner; `timed_all`: every algorithm of the collective was timed."""
    winner = members[-1]
    if doubt := next((w.doubt for w in members if w.doubt), None):
        return [
            f"{_name(winner.key)} wins only with what was assumed of {doubt.unknown.name}: with values of other machines it takes "
            f"{1 + doubt.loss:.2g} times as long as {_name(doubt.other)}",
            f"no words for a library: set {doubt.unknown.keys} first, measured with {doubt.unknown.measure}",
        ]
    if winner.is_own_choice:
        return ["the library's own choice is the fastest: force nothing"]
    ties = [key for key in winner.ties if all(key in w.ties for w in members)]
    lines = [f"tied within {TIE:.0%}: {', '.join(map(_name, ties))}"] if len(ties) > 1 else []
    if unchecked := next((w.unchecked for w in members if w.unchecked), None):
        names = "; ".join(unknown.keys for unknown in unchecked.unknowns)
        lines.append(f"not checked over what the file leaves open ({names}): the words hold only if that is as assumed")
    texts: dict[str, list[OpenMpi]] = {}
    for library in versions:
        key = next((key for key in ties if winner.words(key, library)), "")
        text = _forced(members, key, library) if key else _next_best(members, library, timed_all)
        texts.setdefault(text, []).append(library)
    return [*lines, *(f"{openmpi.names(libraries)}{text}" for text, libraries in texts.items())]


def _name(key: str) -> str:
    return Key.parse(key).name


def _forced(members: Sequence[Winner], key: str, library: OpenMpi) -> str:
    """The words for a winner, or for one that is tied with it."""
    winner = members[-1]
    which = f" ({_name(key)})" if key != winner.key else ""
    default = "default; to force it: " if all(w.takes(library) == key for w in members) else ""
    return f"{which}: {default}{winner.words(key, library)}"


def _next_best(members: Sequence[Winner], library: OpenMpi, timed_all: bool) -> str:
    """What a version without the winner has instead: what loses least where it loses most."""
    winner = members[-1]
    losses = {
        key: max(w.times[key] / w.times[w.key] for w in members)
        for key in winner.times
        if all(key in w.times for w in members) and winner.words(key, library)
    }
    if not losses:
        return f": no {_name(winner.key)}, nor any other algorithm that was timed"
    best = min(losses, key=lambda key: losses[key])
    loss = f"× {losses[best]:.2f}" if len(members) == 1 else f"up to × {losses[best]:.2f}"
    text = f": no {_name(winner.key)}; of those timed {_name(best)} ({loss}): {winner.words(best, library)}"
    default = winner.takes(library)
    untimed = default and default not in winner.times and not timed_all
    return f"{text}; its default, {_name(default)}, was not timed (-a all does)" if untimed else text
