"""What to do to have a winner: the words for mpirun, per version of Open MPI, or why it has no such words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from collscope.catalogue.decisions import library_name
from collscope.catalogue.keys import Key
from collscope.commands.run_table import Call, call_of
from collscope.points.plan import Layout, Point, Task
from collscope.points.table import Row
from collscope.sources import assumptions
from collscope.sources.assumptions import LOSS, TIE, Choice, Doubt, Judged, Lead, Unchecked
from collscope.tuning import openmpi
from collscope.tuning.openmpi import OpenMpi


@dataclass(frozen=True)
class Winner:
    """What was timed of one call by one source, and what libraries take for it. Of a prediction for a machine whose file leaves numbers
    open, `judged` is who wins over draws of them, and `times` are the medians of these."""

    row: Row  # of the fastest with the file's numbers
    times: Mapping[str, float]  # seconds of each key, the fastest first; what a decision chose under the key that ran
    taken: Mapping[str, str]  # decision → key
    judged: Judged | None = None
    unchecked: Unchecked | None = None  # unknown numbers on which it may hang
    quartiles: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of keys that were measured

    @property
    def key(self) -> str:
        """Of the algorithm that ran."""
        return self.judged.winner if self.judged else str(self.row["chose"] or self.row["algorithm"])

    @property
    def doubt(self) -> Doubt | None:
        """An unknown number of the machine on which the winner hangs."""
        return self.judged.doubt if self.judged else None

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
        """The keys that nothing tells apart from it, itself first: they take no longer by TIE, in half of the draws where there are some;
        or they were measured, and the quartiles of the two overlap."""
        if self.judged:
            return list(self.judged.ties)
        limit = max((1 + TIE) * self.times[self.key], self.quartiles.get(self.key, (0.0, 0.0))[1])
        return [
            key for key, seconds in self.times.items() if min(seconds, self.quartiles.get(key, (seconds,))[0]) <= limit
        ]

    def loss(self, key: str) -> str:
        """How many times slower than the fastest."""
        return f"{self.times[key] / self.times[self.key]:.2f}" if key in self.times else "not timed"

    def takes(self, library: OpenMpi) -> str:
        """The key that the library takes by itself; empty: not known, as where coll/han decides."""
        if library.asks_han(str(self.row["collective"]), self.row["nodes"], self.row["ranks"]):
            return ""
        return self.taken.get(library.decision, "")

    @cached_property
    def defaults(self) -> dict[str, str]:
        """Decision → the key that its library takes by itself, where that is known: not where coll/han decides."""
        row = self.row
        under_han = {
            v.decision for v in openmpi.SERIES if v.asks_han(str(row["collective"]), row["nodes"], row["ranks"])
        }
        return {decision: key for decision, key in self.taken.items() if decision not in under_han}

    def lead(self, key: str, default: str) -> Lead | None:
        """Over the draws, of a key over what a library takes by itself; None: there are none of the two."""
        return self.judged.lead(key, default) if self.judged else None

    def words(self, key: str, library: OpenMpi) -> str:
        """The words with which the library runs a key here."""
        return library.words(key, self.row["nodes"], self.row["ranks"])


def with_doubts(winners: Sequence[Winner], tasks: Sequence[Task], limit_s: float | None = None) -> list[Winner]:
    """The winners of a model or a simulation, judged over the numbers that their machines leave open. `tasks`: all that was timed;
    `limit_s`: for one of them (sources/assumptions)."""
    points: dict[Call, tuple[Layout, Point]] = {}
    for layout, point in tasks:
        cells: dict[str, Any] = layout.cells() | point.cells(layout.ranks)
        points.setdefault(call_of(cells), (layout, point))
    choices = []
    for winner in winners:
        layout, point = points[call_of(winner.row)]
        keys = {key: replace(point, algorithm=key) for key in winner.times}
        choices.append(Choice(layout, keys, beside=frozenset(winner.defaults.values())))
    return [
        replace(w, unchecked=found) if isinstance(found, Unchecked)
        else replace(w, judged=found, times=found.seconds) if found
        else w
        for w, found in zip(winners, assumptions.judged(choices, limit_s), strict=True)
    ]  # fmt: skip


def advice(members: Sequence[Winner], versions: Sequence[OpenMpi], timed_all: bool = False) -> list[str]:
    """Lines for sizes that follow each other and have one winner; `timed_all`: every algorithm of the collective was timed."""
    winner = members[-1]
    if judged := next((w.judged for w in members if w.judged and w.judged.doubt), None):
        return _in_doubt(members, judged, versions)
    if winner.is_own_choice:
        return ["the library's own choice is the fastest: force nothing"]
    ties = _common_ties(members)
    how = "by their quartiles" if winner.quartiles else f"within {TIE:.0%}"
    lines = [f"tied {how}: {', '.join(map(_name, ties))}"] if len(ties) > 1 else []
    if unchecked := next((w.unchecked for w in members if w.unchecked), None):
        names = "; ".join(unknown.keys for unknown in unchecked.unknowns)
        lines.append(
            f"not checked over what is not known of the machine ({names}), as {unchecked.reason}: "
            "the words hold only if that is as assumed"
        )
    texts: dict[str, list[OpenMpi]] = {}
    for library in versions:
        key = _tied(members, library)
        text = _forced(members, key, library) if key else _next_best(members, library, timed_all)
        texts.setdefault(text, []).append(library)
    return [*lines, *(f"{openmpi.names(libraries)}{text}" for text, libraries in texts.items())]


def goes_on(members: Sequence[Winner], following: Winner, versions: Sequence[OpenMpi]) -> bool:
    """Whether lines for these sizes hold for the following one as well: one winner, and of each version that lacks it one next best."""
    first, together = members[-1], [*members, following]
    if first.key != following.key or _hangs_on(first) != _hangs_on(following):
        return False
    if following.doubt:
        return True  # nothing is said of a next best
    for library in versions:
        best = _best(together, library)
        if not _tied(together, library) and not best == _best(members, library) == _best([following], library):
            return False
    return True


def _hangs_on(winner: Winner) -> tuple[str, str]:
    """The name of the unknown number on which a winner hangs, and why that was not found out."""
    return winner.doubt.unknown.name if winner.doubt else "", winner.unchecked.reason if winner.unchecked else ""


def _common_ties(members: Sequence[Winner]) -> list[str]:
    """What ties with the winner at every size, itself first."""
    return [key for key in members[-1].ties if all(key in w.ties for w in members)]


def _tied(members: Sequence[Winner], library: OpenMpi) -> str:
    """The first of them that a version has words for; empty: none."""
    return next((key for key in _common_ties(members) if members[-1].words(key, library)), "")


def _losses(members: Sequence[Winner], library: OpenMpi) -> dict[str, float]:
    """How many times as long as the winner, where it loses most, takes each algorithm that a version has words for."""
    return {
        key: max(w.times[key] / w.times[w.key] for w in members)
        for key in members[-1].times
        if all(key in w.times for w in members) and members[-1].words(key, library)
    }


def _best(members: Sequence[Winner], library: OpenMpi) -> str:
    """Of those the one that loses least; empty: none."""
    losses = _losses(members, library)
    return min(losses, key=lambda key: losses[key], default="")


def _in_doubt(members: Sequence[Winner], judged: Judged, versions: Sequence[OpenMpi]) -> list[str]:
    """On what the winner hangs; and that it is nevertheless better than what libraries take by themselves, where every draw says so."""
    doubt = judged.doubt
    assert doubt
    lines = [*_over_defaults(members, versions), *_of_others(members)]
    least = "" if any("--mca" in line for line in lines) else "no words for a library: "
    return [
        f"{_name(members[-1].key)} loses least on average, but is in doubt: in {doubt.draws} of {judged.draws} draws of what is not "
        f"known of the machine it loses more than {LOSS:.0%}, at worst it takes {1 + doubt.loss:.2g} times as long as "
        f"{_name(doubt.other)}",
        f"{least}it hangs most on {doubt.unknown.name}; set {doubt.unknown.keys}, measured with {doubt.unknown.measure}",
        *lines,
    ]


def _over_defaults(members: Sequence[Winner], versions: Sequence[OpenMpi]) -> list[str]:
    """By how much the winner, or what loses least of all that a version has, is better than the version's default, with its words where it
    is in every draw at every size; nothing of a version whose default is not known."""
    texts: dict[str, list[OpenMpi]] = {}
    for library in versions:
        key, words = over_default(members, library)
        text = _lead(members, key or members[-1].key, [w.takes(library) for w in members])
        if text:
            end = f"; better than the default, not known to be the best: {words}" if words else ""
            texts.setdefault(f"{text}{end}", []).append(library)
    return [f"{openmpi.names(libraries)}: {text}" for text, libraries in texts.items()]


def over_default(members: Sequence[Winner], library: OpenMpi) -> tuple[str, str]:
    """The algorithm that loses least on average of those that the library has and that take less time than its default in every draw, at
    every size; with its words. Empty: no such algorithm."""
    winner, judged = members[-1], members[-1].judged
    if not judged:
        return "", ""
    for key in sorted(judged.drawn, key=lambda key: (key != winner.key, sum(judged.lost(key)))):
        leads = _leads(members, key, [w.takes(library) for w in members])
        words = winner.words(key, library)
        if words and leads and all(lead and lead.is_sure for lead in leads):
            return key, words
    return "", ""


def _leads(members: Sequence[Winner], key: str, defaults: Sequence[str]) -> list[Lead | None]:
    """Of a key over the defaults, where these are another; None: not drawn, or not known."""
    return [w.lead(key, default) for w, default in zip(members, defaults, strict=True) if default != key]


def _lead(members: Sequence[Winner], key: str, defaults: Sequence[str]) -> str:
    """The same in words."""
    if not all(defaults):
        return ""
    leads = _leads(members, key, defaults)
    name, *others = (of.partition("/")[2] for of in (key, *dict.fromkeys(d for d in defaults if d != key)))
    if not leads:
        return f"the default is {name}"
    known = [lead for lead in leads if lead]
    if len(known) < len(leads):
        return f"the default, {', '.join(others)}, was not timed over the draws"
    least = min(known, key=lambda lead: lead.wins / lead.draws)
    how_often = f"{'all' if least.is_sure else least.wins} of {min(lead.draws for lead in known)} draws"
    low, high = min(lead.band[0] for lead in known), max(lead.band[1] for lead in known)
    return f"the default, {', '.join(others)}, takes longer than {name} in {how_often} (in 8 of 10 {low:.2f} to {high:.2f} times as long)"


def _of_others(members: Sequence[Winner]) -> list[str]:
    """The same of libraries for which there are no words."""
    ours = {version.decision for version in openmpi.SERIES}
    lines = []
    for decision in dict.fromkeys(name for w in members for name in w.defaults if name not in ours):
        if text := _lead(members, members[-1].key, [w.defaults.get(decision, "") for w in members]):
            lines.append(f"{library_name(decision)}: {text}")
    return lines


def _name(key: str) -> str:
    return Key.parse(key).name


def _forced(members: Sequence[Winner], key: str, library: OpenMpi) -> str:
    """The words for a winner, or for one that is tied with it."""
    winner = members[-1]
    which = f" ({_name(key)})" if key != winner.key else ""
    default = "default; to force it: " if _is_default(members, key, library) else ""
    return f"{which}: {default}{winner.words(key, library)}"


def _is_default(members: Sequence[Winner], key: str, library: OpenMpi) -> bool:
    return all(w.takes(library) == key for w in members)


def _next_best(members: Sequence[Winner], library: OpenMpi, timed_all: bool) -> str:
    """What a version without the winner has instead: what loses least where it loses most."""
    winner = members[-1]
    best = _best(members, library)
    if not best:
        return f": no {_name(winner.key)}, nor any other algorithm that was timed"
    most = _losses(members, library)[best]
    loss = f"× {most:.2f}" if len(members) == 1 else f"up to × {most:.2f}"
    default = ", its default; to force it" if _is_default(members, best, library) else ""
    text = f": no {_name(winner.key)}; of those timed {_name(best)} ({loss}){default}: {winner.words(best, library)}"
    other = winner.takes(library)
    untimed = other and other not in winner.times and not timed_all
    return f"{text}; its default, {_name(other)}, was not timed (-a all does)" if untimed else text
