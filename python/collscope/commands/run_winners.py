"""Who wins: what `run` says below its tables. For each size the fastest, the next, what libraries would take instead and lose by
it, and how Open MPI is told to take the fastest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collscope.base import console
from collscope.base.errors import UserError
from collscope.base.grid import KEY, WORDS, Column, Grid
from collscope.base.units import counted, format_size, join_words
from collscope.catalogue import decisions, registry
from collscope.catalogue.keys import Key
from collscope.catalogue.sizes import count_of_bytes
from collscope.commands.run_table import GROUP, TIMED, Call, call_of
from collscope.points.table import Row
from collscope.twins import calls

OPEN_MPI = ("decision/ompi_4_1", "decision/ompi_5_0")
LIBRARIES = (*OPEN_MPI, "decision/mpich_4")


@dataclass(frozen=True)
class Winner:
    """What was timed of one call by one source, and what libraries take for it."""

    row: Row  # of the fastest
    times: Mapping[str, float]  # seconds of each key, the fastest first; what a decision chose under the key that ran
    taken: Mapping[str, str]  # decision → key

    @property
    def key(self) -> str:
        """Of the algorithm that ran."""
        return str(self.row["chose"] or self.row["algorithm"])

    def loss(self, key: str) -> str:
        """How many times slower than the fastest."""
        return f"{self.times[key] / self.times[self.key]:.2f}" if key in self.times else "not timed"


def show(rows: Sequence[Row]) -> None:
    """Prints a table a collective and layout, where there is a choice of algorithms."""
    groups: dict[tuple[object, ...], list[Winner]] = {}
    for winner in winners(rows):
        groups.setdefault(tuple(winner.row[c] for c in GROUP), []).append(winner)
    for found in groups.values():
        _show_table(found)
        _show_practice(found)


def winners(rows: Sequence[Row]) -> list[Winner]:
    """Of the last source: each call's, in their order, where two keys or more have times."""
    lead = next((s for s in reversed(TIMED) if any(row["source"] == s for row in rows)), "")
    by_call: dict[Call, list[Row]] = {}
    for row in rows:
        if row["source"] == lead and row["median_s"] is not None:
            by_call.setdefault(call_of(row), []).append(row)
    timed = [members for members in by_call.values() if len({row["algorithm"] for row in members}) > 1]
    taken = _taken([members[0] for members in timed])
    made = []
    for members in timed:
        ranked = sorted(members, key=lambda row: float(row["median_s"]))
        times: dict[str, float] = {}
        for row in ranked:
            times.setdefault(str(row["chose"] or row["algorithm"]), float(row["median_s"]))
        made.append(Winner(ranked[0], times, taken.get(call_of(ranked[0]), {})))
    return made


def _taken(rows: Sequence[Row]) -> dict[Call, dict[str, str]]:
    """What each library takes for the call of each row; nothing where that is not known."""
    known = registry.load()
    alike: dict[tuple[str, str, str], dict[tuple[int, int], Call]] = {}
    for row in rows:
        words = f"root={row['root']} commutes={int(row['op'] != 'affine')} in_place={row['in_place']}"
        count = count_of_bytes(row["collective"], row["bytes"], row["ranks"], known.type_bytes(row["type"]))
        asked = alike.setdefault((row["collective"], row["type"], words), {})
        asked[row["ranks"], count] = call_of(row)
    made: dict[Call, dict[str, str]] = {}
    for (collective, type_name, words), asked in alike.items():
        names = [d.full_key() for d in known.decisions if d.key in LIBRARIES and collective in d.collectives]
        try:
            lines = (
                decisions.ask_many(collective, asked, known.type_bytes(type_name), words.split(), names)
                if names
                else []
            )
        except UserError:  # without the prover there is no advice, but times
            continue
        for line in lines:
            if line["kind"] == "ok":
                made.setdefault(asked[line["ranks"], line["count"]], {})[line["decision"]] = line["chose"]
    return made


def _show_table(found: Sequence[Winner]) -> None:
    has_sizes = any(w.row["bytes"] for w in found)
    collective = found[0].row["collective"]
    ranks, nodes = found[0].row["ranks"], found[0].row["nodes"]
    columns = (
        *([Column("bytes", right=True)] if has_sizes else []),
        Column("who", pieces=WORDS),
        Column("takes", pieces=KEY),
        Column("× fastest", right=True),
    )
    place = f"{counted(ranks, 'rank')} on {counted(nodes, 'node')}"
    grid = Grid(columns, f"who wins by {found[0].row['source']}: {collective}, {place}")
    for number, winner in enumerate(found):
        size = [format_size(winner.row["bytes"])] if has_sizes else []
        lines = [("fastest", winner.key)]
        lines += [("next", key) for key in list(winner.times)[1:2]]
        by_key: dict[str, list[str]] = {}
        for name, key in winner.taken.items():
            by_key.setdefault(key, []).append(decisions.library_name(name))
        lines += [(_together(names), key) for key, names in by_key.items()]
        for i, (who, key) in enumerate(lines):
            first = size if i == 0 else [""] * len(size)
            grid.add(
                *first,
                who,
                key.removeprefix(f"{collective}/"),
                winner.loss(key),
                style="bold green" if i == 0 else "",
                ruled=i == 0 and number > 0,
            )
    grid.show()


def _together(names: Sequence[str]) -> str:
    """Open MPI 4.1 and 5.0, MPICH 4."""
    made: dict[str, list[str]] = {}
    for name in names:
        library, _, version = name.rpartition(" ")
        made.setdefault(library, []).append(version)
    return ", ".join(f"{library} {join_words(versions)}" for library, versions in made.items())


def _show_practice(found: Sequence[Winner]) -> None:
    """How Open MPI is told to take what wins, for each run of sizes with one winner."""
    runs: list[list[Winner]] = []
    for winner in found:
        if not runs or runs[-1][-1].key != winner.key:
            runs.append([])
        runs[-1].append(winner)
    for members in runs:
        sizes = list(dict.fromkeys(format_size(w.row["bytes"]) for w in (members[0], members[-1]) if w.row["bytes"]))
        where = f"{' … '.join(sizes)}: " if sizes else ""
        console.out().print(where + practice(members), markup=False, soft_wrap=True)  # to be copied in one piece
    if any(mca(key) for winner in found for key in winner.times):
        console.note("these MCA settings apply to every message size")


def practice(members: Sequence[Winner]) -> str:
    """What to do to have a winner, for the sizes at which it wins: the words for mpirun, or why there are none."""
    winner = members[-1]
    if words := mca(winner.key):
        anyway = [n for n in OPEN_MPI if all(w.taken.get(n) == w.key for w in members)]
        return f"{_take(anyway)} it anyway; to force it: {words}" if anyway else words
    text = f"Open MPI has no {Key.parse(winner.key).name}"
    best = next((key for key in winner.times if mca(key)), None)
    if best is None:
        return f"{text}, nor has any other algorithm that was timed a twin there"
    text += f"; of those timed that it has, {Key.parse(best).name} is fastest (× {winner.loss(best)}): {mca(best)}"
    untimed = [n for n in OPEN_MPI if any(w.taken.get(n, best) not in w.times for w in members)]
    return f"{text}; what {_take(untimed)} unasked was not timed (-a all does)" if untimed else text


def _take(names: Sequence[str]) -> str:
    """Open MPI 4.1 and 5.0 take."""
    return f"{_together([decisions.library_name(n) for n in names])} take{'s' * (len(names) == 1)}"


def mca(key: str) -> str:
    """The words with which mpirun of Open MPI takes this algorithm with these parameters; nothing where it has none."""
    algorithm = registry.load().algorithm(key)
    if algorithm is None or not algorithm.twin:
        return ""
    words = ["--mca coll_tuned_use_dynamic_rules 1"]
    words += [f"--mca coll_tuned_{name} {value}" for name, value in calls.forced(key)]
    return " ".join(words)
