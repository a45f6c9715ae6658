"""Who wins: what `run` says below its tables. For each size the fastest, the next, what libraries would take instead and lose by
it, and how Open MPI is told to take the fastest."""

from __future__ import annotations

from collections.abc import Sequence

from collscope.base import console
from collscope.base.errors import UserError
from collscope.base.grid import KEY, WORDS, Column, Grid
from collscope.base.units import counted, format_size, format_time, join_words
from collscope.campaigns import judged_before
from collscope.catalogue import decisions, registry
from collscope.catalogue.sizes import count_of_bytes
from collscope.commands.run_advice import Winner, advice, goes_on, with_doubts
from collscope.commands.run_table import GROUP, TIMED, Call, call_of
from collscope.points.plan import Task
from collscope.points.table import Row
from collscope.tuning import openmpi

LIBRARIES = ("decision/ompi_4_1", "decision/ompi_5_0", "decision/mpich_4")
HAN = "coll/han decides"  # in place of coll/tuned, whose rules are known
PREDICTIONS = ("model", "sim")  # what they say hangs on the numbers of a machine


def show(found: Sequence[Winner], timed_all: bool = False) -> None:
    """Prints one table per collective and layout, where there is a choice of algorithms. `timed_all`: every algorithm of the collective
    was timed."""
    groups: dict[tuple[object, ...], list[Winner]] = {}
    for winner in found:
        groups.setdefault(tuple(winner.row[c] for c in GROUP), []).append(winner)
    several = len({platform for platform, *_ in groups}) > 1
    for members in groups.values():
        _show_table(members, several)
        _show_advice(members, timed_all)


def judged(rows: Sequence[Row], tasks: Sequence[Task], limit_s: float | None = None) -> list[Winner]:
    """The winners; those of a prediction with their doubts, where `tasks`, all that was timed, are given, each within `limit_s`."""
    found = winners(rows)
    return with_doubts(found, tasks, limit_s) if tasks and found and found[0].row["source"] in PREDICTIONS else found


def winners(rows: Sequence[Row]) -> list[Winner]:
    """Of the last source: each call's, in their order, where two keys or more take time: alone, a rank takes none."""
    lead = next((s for s in reversed(TIMED) if any(row["source"] == s for row in rows)), "")
    by_call: dict[Call, list[Row]] = {}
    for row in rows:
        if row["source"] == lead and row["median_s"]:
            by_call.setdefault(call_of(row), []).append(row)
    timed = [members for members in by_call.values() if len({row["algorithm"] for row in members}) > 1]
    taken = _taken([members[0] for members in timed])
    made = []
    for members in timed:
        ranked = sorted(members, key=lambda row: float(row["median_s"]))
        times: dict[str, float] = {}
        for row in ranked:
            times.setdefault(str(row["chose"] or row["algorithm"]), float(row["median_s"]))
        measured = [row for row in ranked if row["source"] not in PREDICTIONS and row["q1_s"] is not None]
        quartiles = {str(row["chose"] or row["algorithm"]): (row["q1_s"], row["q3_s"]) for row in reversed(measured)}
        made.append(Winner(ranked[0], times, taken.get(call_of(ranked[0]), {}), quartiles=quartiles))
    return made


def _taken(rows: Sequence[Row]) -> dict[Call, dict[str, str]]:
    """What each library takes for the call of each row; nothing where that is not known."""
    known = registry.load()
    alike: dict[
        tuple[str, str, str], dict[tuple[int, int], list[Call]]
    ] = {}  # a decision does not ask for machine and nodes
    for row in rows:
        words = f"root={row['root']} commutes={int(row['op'] != 'affine')} in_place={row['in_place']}"
        count = count_of_bytes(row["collective"], row["bytes"], row["ranks"], known.type_bytes(row["type"]))
        counts = alike.setdefault((row["collective"], row["type"], words), {})
        counts.setdefault((row["ranks"], count), []).append(call_of(row))
    made: dict[Call, dict[str, str]] = {}
    for (collective, type_name, words), counts in alike.items():
        names = [d.full_key() for d in known.decisions if d.key in LIBRARIES and collective in d.collectives]
        try:
            lines = (
                decisions.ask_many(collective, counts, known.type_bytes(type_name), words.split(), names)
                if names
                else []
            )
        except UserError:  # without the prover there is no advice, but times
            continue
        for line in lines:
            if line["kind"] == "ok":
                for call in counts[line["ranks"], line["count"]]:
                    made.setdefault(call, {})[line["decision"]] = line["chose"]
    return made


def _show_table(found: Sequence[Winner], several: bool = False) -> None:
    """Prints the table of one layout; of `several` machines it names its own."""
    has_sizes = any(w.row["bytes"] for w in found)
    collective = found[0].row["collective"]
    ranks, nodes = found[0].row["ranks"], found[0].row["nodes"]
    columns = (
        *([Column("bytes", right=True)] if has_sizes else []),
        Column("who", pieces=WORDS),
        Column("takes", pieces=KEY),
        *(
            [
                Column("× median", right=True),
                Column("wins", 1, right=True),
                Column("time in 8 of 10 draws", 2, right=True),
            ]
            if any(w.judged for w in found)
            else [Column("× fastest", right=True)]
        ),
    )
    place = f"{counted(ranks, 'rank')} on {counted(nodes, 'node')}" + f" of {found[0].row['platform']}" * several
    grid = Grid(columns, f"who wins by {found[0].row['source']}: {collective}, {place}")
    for number, winner in enumerate(found):
        size = [format_size(winner.row["bytes"])] if has_sizes else []
        ties = winner.ties
        shaky = ", in doubt" if winner.doubt else ", unstable" if winner.unstable else ""
        lines = [(f"fastest{shaky}", winner.key)]
        lines += [("tied", key) for key in ties[1:]] or [("next", key) for key in list(winner.times)[1:2]]
        by_key: dict[str, list[str]] = {}
        for name in winner.taken:
            by_key.setdefault(winner.defaults.get(name, HAN), []).append(decisions.library_name(name))
        lines += [(_together(names), key) for key, names in by_key.items()]
        for i, (who, key) in enumerate(lines):
            grid.add(
                *(size if i == 0 else [""] * len(size)),
                who,
                key.removeprefix(f"{collective}/"),
                "not known" if key == HAN else winner.loss(key),
                *(_drawn(winner) if i == 0 else ("", ""))[: len(columns) - len(size) - 3],
                style="bold green" if i == 0 and not shaky else "",
                ruled=i == 0 and number > 0,
            )
    grid.show()


def _drawn(winner: Winner) -> tuple[str, str]:
    """How often it wins, and how long it takes, over draws of what is not known of the machine."""
    if not (j := winner.judged):
        return "", ""
    return f"{j.wins} of {j.draws}", " … ".join(map(format_time, j.band_s))


def _together(names: Sequence[str]) -> str:
    """Open MPI 4.1 and 5.0, MPICH 4."""
    made: dict[str, list[str]] = {}
    for name in names:
        library, _, version = name.rpartition(" ")
        made.setdefault(library, []).append(version)
    return ", ".join(f"{library} {join_words(versions)}" for library, versions in made.items())


def _show_advice(found: Sequence[Winner], timed_all: bool) -> None:
    """How each version of Open MPI takes what wins, for each run of sizes for which that is the same."""
    installed = openmpi.installed()
    versions = openmpi.libraries(installed)
    runs: list[list[Winner]] = []
    for winner in found:
        if not runs or not goes_on(runs[-1], winner, versions):
            runs.append([])
        runs[-1].append(winner)
    if text := _drawn_numbers(found):
        text = " ".join(filter(None, [text, judged_before.remark(found[0].row["platform"])]))
        console.out().print(text, markup=False, highlight=False)
    lines: list[str] = []
    for members in runs:
        sizes = list(dict.fromkeys(format_size(w.row["bytes"]) for w in (members[0], members[-1]) if w.row["bytes"]))
        where = f"{' … '.join(sizes)}: " if sizes else ""
        lines += [f"{where}{line}" for line in advice(members, versions, timed_all)]
    for line in lines:
        console.out().print(line, markup=False, soft_wrap="--mca" in line)  # words are to be copied in one piece
    if any("--mca" in line for line in lines):
        console.note("these MCA settings apply to every message size")
        if installed is None:
            console.note("no Open MPI is installed here: what its versions have is from their sources")
    if unstable := sum(w.unstable for w in found):
        console.note(
            f"the fastest of {unstable} of {counted(len(found), 'call')} was measured unstably, and may be another: "
            "repeat with --until-ci 2% and several --launches before you follow this"
        )


def _drawn_numbers(found: Sequence[Winner]) -> str:
    """What was drawn: each number that the file leaves open by name, those that it gives with a range by how many there are."""
    every = list(dict.fromkeys(unknown for w in found if w.judged for unknown in w.judged.unknowns))
    names = [unknown.keys for unknown in every if not unknown.given]
    ranges = len(every) - len(names)
    names += [f"{counted(ranges, 'number')} that its file gives with a range"] * bool(ranges)
    return f"Judged over draws of what is not known of the machine: {'; '.join(names)}." if names else ""
