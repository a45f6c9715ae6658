"""The `twins` command: proves, against an Open MPI, that each twin sends what it sends, and each decision takes what it takes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from collscope.base import cache, console, depends, paths, progress
from collscope.base.errors import UsageError, UserError
from collscope.base.grid import KEY, WORDS, Column, Grid
from collscope.base.units import format_ranks, parse_ranks
from collscope.catalogue import registry
from collscope.catalogue.keys import split_keys, stem_of
from collscope.twins import calls, differences, judge, records
from collscope.twins.call import Compared
from collscope.twins.library import Library, find_library

RANKS = "2..17,32"
BAD = ("order", "different")


@dataclass
class Found:
    """All that was compared with one library."""

    library: Library
    forced: list[Compared] = field(default_factory=list)
    decided: list[Compared] = field(default_factory=list)

    @property
    def bad(self) -> list[Compared]:
        """What should be alike and is not; decisions support every call, so what they do not is bad, too."""
        return [c for c in self.forced if c.verdict in BAD] + [c for c in self.decided if c.verdict != "same"]

    def tables(self) -> dict[str, list[records.Row]]:
        """The rows of records.COLUMNS' tables, by their names."""
        version = self.library.version
        return {
            "table": records.table(version, calls.twins(self.library.numbers), self.forced),
            "decisions": records.decisions(version, self.decided),
            "differences": differences.differences(version, self.forced),
        }


def run(library: Library, ranks: Sequence[int], selected: Sequence[str] | None = None) -> Found:
    """Compares on each number of ranks. `selected` are algorithms' keys; None: all, and the decisions."""
    library.check()
    twins = [a for a in calls.twins(library.numbers) if selected is None or a.key in selected]
    absent = ", ".join(sorted(set(selected or ()) - {a.key for a in twins}))
    if not twins:
        raise UserError(f"nothing to compare: Open MPI {library.version} does not have {absent or 'any twin'}")
    if absent:
        console.note(f"Open MPI {library.version} does not have {absent}")
    decision = calls.DECISIONS[library.version.rpartition(".")[0]]
    found = Found(library)
    with progress.progress("twins", len(ranks)) as advance:
        for p in ranks:
            found.forced += judge.compare(library, p, calls.forced_calls(p, twins))
            if selected is None:
                found.decided += judge.compare(library, p, calls.decided_calls(decision, p))
            advance(1)
    return found


def origin(found: Found) -> dict[str, object]:
    """Where the numbers come from."""
    return {
        "forced_calls": len(found.forced),
        "decided_calls": len(found.decided),
        "ranks": format_ranks(c.ranks for c in found.forced),
        "sources": cache.sources_hash(*depends.TWINS)[:12],
    }


# ---- on the terminal --------------------------------------------------------------------------------------


def show(found: Found) -> None:
    """Prints one line per twin and per decision, and what Open MPI runs when it is told to run something else."""
    tables = found.tables()
    numbers = (("number", 6), ("calls", 5), ("equal", 1), ("other order", 4), ("different", 2), ("unsupported", 3))
    table = Grid(
        (Column("", pieces=WORDS), *(Column(name, goes, right=True) for name, goes in numbers)),
        title=f"Open MPI {found.library.version}",
    )
    for row in [*tables["table"], *tables["decisions"]]:
        if row["calls"] == "0":
            continue
        name = row["key"] if "number" in row else f"{row['key']} {row['collective']}"
        bad = row["equal"] != records.supported(row)
        table.add(name, row.get("number", ""), *(row[c] for c in records.COUNTS), style="bold red" if bad else "")
    table.show()
    if tables["differences"]:
        table = Grid(
            (
                Column("told to run", pieces=KEY),
                Column("not run here: it …", pieces=KEY),
                Column("runs", pieces=KEY),
                Column("calls", goes=1, right=True),
            ),
            title="told to, it runs something else",
        )
        for row in tables["differences"]:
            table.add(*(row[c] for c in ("key", "condition", "runs", "calls")))
        table.show()
    compared = [c for c in (*found.forced, *found.decided) if c.verdict != "unsupported"]
    same = sum(c.verdict == "same" for c in compared)
    ranks = format_ranks(c.ranks for c in compared)
    console.say(f"{same} of {len(compared)} calls send the same messages in the same order, on {ranks} ranks")


def read_keys(text: str | None) -> list[str] | None:
    """Keys of twins that a collective's name or keys stand for."""
    if text is None:
        return None
    known = registry.load()
    keys: list[str] = []
    for name in split_keys(text):
        if name in {c.name for c in known.collectives}:
            keys += (twins := [a.key for a in known.of(name) if a.twin])
            if not twins:
                raise UsageError(f"{name} has no twin in Open MPI")
            continue
        key = stem_of(known.resolve(name)[1])
        if key not in known.by_key or not known.by_key[key].twin:
            raise UsageError(f"{name} has no twin in Open MPI")
        keys.append(key)
    return keys


@click.command(
    "twins",
    short_help="Compare messages with those of the installed Open MPI.",
    epilog="""
\b
Examples:
  ./collscope twins
  ./collscope twins -a bcast,allreduce/ring --ranks 2..9
  ./collscope twins --mpi /opt/openmpi-5.0.8 --ranks 2,7,16
""",
)
@click.option(
    "--ranks", default=RANKS, show_default=True, metavar="P[,P…]", help="Numbers of ranks, all on this machine."
)
@click.option(
    "-a", "--algorithms", metavar="KEY[,KEY…]", help="Twins, or collectives (default: all, and the decisions)."
)
@click.option(
    "--mpi", metavar="DIR", help="Installation folder of Open MPI (with bin/mpicc), instead of the one in PATH."
)
@click.option("--out", metavar="DIR", help="Write the tables there, next to those of other versions.")
def command(ranks: str, algorithms: str | None, mpi: str | None, out: str | None) -> None:
    """Compare each algorithm's messages with those of the Open MPI of this machine.

    Every twin is run by Open MPI with its number forced, and what Open MPI hands to its
    point-to-point layer is compared with our schedule: who sends how many bytes to whom, in which order, at every rank. The
    decision table of this version is compared with what Open MPI takes when nothing is forced."""
    selected = read_keys(algorithms)
    if out is not None and selected is not None:
        raise UsageError("--out writes the tables of all twins; leave out --algorithms")
    numbers = parse_ranks(ranks)
    if 1 in numbers:
        raise UsageError("--ranks: one rank sends nothing; begin with 2")
    found = run(find_library(mpi), numbers, selected)
    show(found)
    if out is not None:
        records.write(Path(out), found.library.version, found.tables(), origin(found))
        console.note(f"written: {paths.display(Path(out))}")
    for c in found.bad[:20]:
        console.note(str(c))
    if found.bad:
        sys.exit(1)
