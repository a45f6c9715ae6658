"""Every twin sends what Open MPI sends with that algorithm forced, and a decision table takes what it takes by default."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import libraries
from collscope.base import paths, programs
from collscope.base.errors import UsageError, UserError
from collscope.base.units import parse_ranks
from collscope.catalogue import registry
from collscope.catalogue.keys import stem_of
from collscope.commands import twins
from collscope.twins import calls, compare, differences, messages, records
from collscope.twins.call import Call, Compared
from collscope.twins.library import SOURCE, Library, find_library

SOME = (2, 5, 8)  # ranks of the short test
needs_prover = pytest.mark.skipif(not programs.RECORDED.exists(), reason="the prover is not built")


def missing() -> str | None:
    """Why Open MPI cannot be asked here, or None."""
    try:
        find_library().check()
    except UserError as error:
        return str(error)
    return None


needs_open_mpi = pytest.mark.skipif(missing() is not None, reason=missing() or "")


@functools.lru_cache(maxsize=1)
def some() -> twins.Found:
    """What the library of this machine does on a few ranks: asked once for all tests."""
    return twins.run(find_library(), SOME)


def verdicts(found: list[Compared]) -> set[str]:
    return {c.verdict for c in found}


# ---- the comparison ---------------------------------------------------------------------------------------


@needs_prover
@needs_open_mpi
def test_twins_send_what_open_mpi_sends() -> None:
    found = some()
    assert not found.bad, "\n".join(map(str, found.bad[:20]))
    same = {stem_of(c.call.key) for c in found.forced if c.verdict == "same"}
    assert same == {a.key for a in calls.twins(found.library.numbers)}
    assert verdicts(found.decided) == {"same"}
    assert {c.call.collective for c in found.decided} >= {"bcast", "alltoall", "barrier", "exscan"}


@needs_prover
@needs_open_mpi
def test_calls_go_over_thresholds() -> None:
    """Segments, ranks, operators, in place: all of them, and whatever parameters the decisions pass."""
    key = "bcast/binomial[s=1024]"
    asked = [c for c in calls.forced_calls(5, calls.twins(some().library.numbers)) if c.key == key]
    assert {255, 256, 257, 511, 512, 513, 1283, 0, 1, 4, 5, 6} <= {c.count for c in asked}
    assert {c.root for c in asked} == set(range(5))
    everything = calls.forced_calls(8, calls.twins(some().library.numbers))
    keys = {c.key for c in everything}
    assert {"reduce/chain[chains=1,s=0]", "gather/linear_sync[first=32768]", "bcast/knomial[k=4,s=0]"} <= keys
    assert {c.collective for c in everything if c.in_place} == set(calls.IN_PLACE)
    assert {c.collective for c in everything if not c.commutes} == {
        *("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
    }
    assert dict(calls.forced("allreduce/nonoverlapping[reduce=binary,reduce_s=8,bcast=linear,bcast_s=0]")) == {
        **{"allreduce_algorithm": 2, "reduce_algorithm": 4, "reduce_algorithm_segmentsize": 8},
        **{"bcast_algorithm": 1, "bcast_algorithm_segmentsize": 0},
    }


@needs_prover
@needs_open_mpi
def test_a_wrong_key_is_different() -> None:
    """The comparison can fail: another tree, another segment, another order, an algorithm that was not forced."""
    forced = (("bcast_algorithm", 6), ("bcast_algorithm_segmentsize", 1024))
    wrong = [
        Call("bcast/binary[s=1024]", "bcast", 1000, forced=forced),
        Call("bcast/binomial[s=1000]", "bcast", 1000, forced=forced),
        Call("bcast/binomial[s=0]", "bcast", 1000, forced=forced),
        Call("bcast/binomial[s=1024]", "bcast", 1000, forced=(("bcast_algorithm", 7),)),
        Call("barrier/tree", "barrier", 0, forced=(("barrier_algorithm", 4),)),
        Call("alltoall/pairwise", "alltoall", 5, forced=(("alltoall_algorithm", 1),)),
    ]
    found = compare.compare(some().library, 7, wrong)
    assert [c.verdict for c in found] == ["different"] * 5 + ["order"]
    assert all("rank" in c.text for c in found)
    assert twins.Found(some().library, found).bad == found


@needs_open_mpi
def test_a_table_of_another_layout_is_noticed(tmp_path: Path) -> None:
    """Were Open MPI's functions in another order, the program must not begin."""
    library = find_library()
    source = tmp_path / "messages.c"
    text, number = re.subn(r"enum \{ BEFORE = \d \}", "enum { BEFORE = 5 }", SOURCE.read_text())
    assert number == 2
    source.write_text(text)
    (tmp_path / "plan").write_text("comm\ncall 0 barrier 0 0 1 0\n")
    library.call(library.mpicc, "-std=gnu11", f"-I{paths.ROOT}", "-o", tmp_path / "shifted", source)
    with pytest.raises(UserError):
        library.call(library.mpirun, "-np", "1", tmp_path / "shifted", tmp_path / "plan", tmp_path / "out")
    assert not (tmp_path / "out.0").exists() or not (tmp_path / "out.0").read_text()


@needs_prover
@needs_open_mpi
def test_every_twin_has_a_number_that_open_mpi_lists() -> None:
    """And no two algorithms are the same twin; all that the library lists have one."""
    known = some().library.numbers
    ours = [(a.collective, int(a.twin["number"])) for a in calls.twins(known) if a.twin]
    assert len(set(ours)) == len(ours) >= 55
    # Those for vectors of lengths that differ by rank are not in the catalogue.
    assert {entry for entry in known - set(ours) if not entry[0].endswith("v")} == set()


# ---- what ran instead -------------------------------------------------------------------------------------


@needs_prover
@needs_open_mpi
def test_recorded_differences_still_hold() -> None:
    version = some().library.version
    rows = records.read("differences")
    known = {(row["key"], row["runs"]) for row in rows if row["version"] in (version, rows[0]["version"])}
    seen = {(row["key"], row["runs"]) for row in differences.differences(version, some().forced)}
    assert len(seen) > 30
    assert seen <= known, seen - known


@needs_prover
@needs_open_mpi
def test_what_ran_is_found_by_its_messages() -> None:
    """A call that is said to be unsupported, with what each number really sends: it is named, and nothing else is."""
    library = some().library
    asked = [Call("bcast/linear", "bcast", 1000, forced=(("bcast_algorithm", n),)) for n in (5, 6, 9)]
    asked += [replace(call, key="bcast/scatter_recursive_doubling") for call in asked]
    sent = messages.library_messages(library, 7, asked)
    spoilt = [
        Compared(7, call, "unsupported", text="spoilt", advice="and more", theirs=tuple(sent[i, r] for r in range(7)))
        for i, call in enumerate(asked)
    ]
    found = differences.differences(library.version, [*spoilt, Compared(7, asked[0], "same")])
    runs = {(row["key"], row["runs"]) for row in found}
    assert runs == {
        (key, ran)
        for key in ("bcast/linear", "bcast/scatter_recursive_doubling")
        for ran in ("bcast/binary", "bcast/binomial", "bcast/scatter_ring")
    }
    unknown = replace(spoilt[0], theirs=tuple([("S", (r + 1) % 7, 12345)] for r in range(7)))
    assert [row["runs"] for row in differences.differences(library.version, [unknown])] == [differences.FAILED]


# ---- the records ------------------------------------------------------------------------------------------


@needs_prover
def test_records_fit_the_registry() -> None:
    rows = records.read("table")
    versions = {row["version"] for row in rows}
    assert {v.rpartition(".")[0] for v in versions} == {"4.1", "5.0"}
    ours = {(a.key, a.collective, str(a.twin["number"])) for a in registry.load().algorithms if a.twin}
    assert {(row["key"], row["collective"], row["number"]) for row in rows} == ours
    for version in versions:
        absent = ours - {(r["key"], r["collective"], r["number"]) for r in rows if r["version"] == version}
        assert {key for key, *_ in absent} <= ({"allgather/sparbit"} if version < "5" else set())
    everywhere = set(parse_ranks(twins.RANKS))
    for row in rows + records.read("decisions"):
        numbers = set(parse_ranks(row["ranks"]))
        assert numbers == everywhere if row["unsupported"] == "0" else numbers <= everywhere, row
        assert int(row["equal"]) == int(records.supported(row)) > 0, row


@needs_prover
def test_recorded_differences_fit_the_registry() -> None:
    known = registry.load().by_key
    rows = records.read("differences")
    unsupported = sum(int(row["unsupported"]) for row in records.read("table"))
    assert 0 < sum(int(row["calls"]) for row in rows) <= unsupported
    for row in rows:
        runs = stem_of(row["runs"].partition(" (")[0])
        assert row["runs"] == differences.REFUSED or known[runs].collective == row["collective"], row
    conditions = [(row["key"], row["version"], row["condition"]) for row in rows]
    assert len(set(conditions)) == len(conditions)  # each says when it is


@needs_prover
@needs_open_mpi
def test_reasons_say_what_open_mpi_takes() -> None:
    """Where a reason names what Open MPI takes instead, that is what was seen."""
    seen: dict[tuple[str, str], set[str]] = {}
    rows = records.read("differences")
    for c in some().forced:
        named = c.advice.startswith("Open MPI takes ") and stem_of(c.call.key).split("/")[0] in c.advice
        if c.verdict == "unsupported" and named:
            seen.setdefault((stem_of(c.call.key), c.text), set()).update(re.findall(r"[a-z]+/[a-z_]+", c.advice))
    assert len(seen) >= 8
    for (key, reason), said in seen.items():
        ran = {stem_of(r["runs"]) for r in rows if r["key"] == key and r["condition"].startswith(reason)}
        assert said == ran, (key, reason)


# ---- the command ------------------------------------------------------------------------------------------


@needs_prover
@needs_open_mpi
def test_command() -> None:
    said = CliRunner().invoke(twins.command, ["-a", "barrier", "--ranks", "2,3"])
    assert said.exit_code == 0, said.output
    assert "barrier/two_proc" in said.output and differences.REFUSED in said.output
    assert "11 of 11 calls send the same messages" in said.output


@needs_prover
@pytest.mark.parametrize(
    "words",
    (
        ["-a", "bcast/mst"],
        ["-a", "rotation"],
        ["-a", "bcast", "--out", "x"],
        ["--ranks", "1..4"],
        ["--mpi", "/nowhere"],
    ),
)
def test_what_the_command_refuses(words: list[str]) -> None:
    assert isinstance(CliRunner().invoke(twins.command, words).exception, UsageError)


@needs_prover
@needs_open_mpi
def test_a_twin_that_this_library_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing nothing is no success."""
    there = [a for a in calls.twins(find_library().numbers) if a.key != "barrier/tree"]
    monkeypatch.setattr(calls, "twins", lambda _: there)
    alone = CliRunner().invoke(twins.command, ["-a", "barrier/tree", "--ranks", "2"])
    assert isinstance(alone.exception, UserError) and "does not have barrier/tree" in str(alone.exception)
    said = CliRunner().invoke(twins.command, ["-a", "barrier/tree,barrier/linear", "--ranks", "2"])
    assert said.exit_code == 0 and "does not have barrier/tree" in said.output and "1 of 1 calls" in said.output


@needs_prover
def test_what_nobody_could_mean_is_not_unsupported() -> None:
    for line, why in (
        ("0 bcast/no_such 4 10 0 1 0", "unknown algorithm"),
        ("0 bcast/linear[k=2] 4 10 0 1 0", "not one of its parameters"),
        ("0 decision/ompi_4_1 4 10 0 1 0", "needs a collective"),
        ("0 bcast/linear 4 ten 0 1 0", "cannot be read"),
        ("0 bcast/linear 4 10 0 1 0\n1 bcast/linear", "cannot be read"),
    ):
        with pytest.raises(UserError, match=why):
            messages.recorded(line + "\n")
    assert "root 7" in messages.recorded("0 bcast/linear 4 10 7 1 0\n").unsupported[0].reason


def test_tables_of_several_versions(tmp_path: Path) -> None:
    def row(version: str, calls: str) -> records.Row:
        return {**dict.fromkeys(records.COLUMNS["table"], ""), "version": version, "calls": calls}

    for version, number in (("5.0.1", "1"), ("4.1.4", "2"), ("5.0.1", "3")):
        records.write(tmp_path, version, {"table": [row(version, number)]}, {"sources": number})
    found = records.read("table", tmp_path)
    assert [(r["version"], r["calls"]) for r in found] == [("4.1.4", "2"), ("5.0.1", "3")]
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UserError):
        records.read("table", tmp_path)


# ---- all of it --------------------------------------------------------------------------------------------


def of_this_machine() -> Library:
    return find_library()


def open_mpi_5() -> Library:
    found = libraries.openmpi_5()
    path = os.pathsep.join((str(found.mpirun.parent), os.environ.get("PATH", "")))
    return Library(str(found.mpicc), str(found.mpirun), {**found.env, "PATH": path})


@needs_prover
@needs_open_mpi
@pytest.mark.full
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("library", (of_this_machine, open_mpi_5))
def test_all_twins_on_all_ranks(library: Callable[[], Library]) -> None:
    """And what comes of it is what is recorded, where the version is the same."""
    found = twins.run(library(), parse_ranks(twins.RANKS))
    assert not found.bad, "\n".join(map(str, found.bad[:20]))
    version = found.library.version
    for name, rows in found.tables().items():
        recorded = [row for row in records.read(name) if row["version"] == version]
        assert rows == recorded or not recorded, name
