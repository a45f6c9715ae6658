"""collscope.commands.twins: the `twins` command."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import libraries
from collscope.base.errors import UsageError, UserError
from collscope.base.units import parse_ranks
from collscope.catalogue import registry
from collscope.catalogue.registry import Registry
from collscope.commands import twins
from collscope.twins import calls, differences, records
from collscope.twins.call import Call, Compared
from collscope.twins.library import Library, find_library
from command_line import call
from open_mpi import needs_open_mpi, needs_prover


@needs_prover
@needs_open_mpi
def test_command() -> None:
    out_text = CliRunner().invoke(twins.command, ["-a", "barrier", "--ranks", "2,3"])
    assert out_text.exit_code == 0, out_text.output
    assert "barrier/two_proc" in out_text.output and differences.REFUSED in out_text.output
    assert "11 of 11 calls send the same messages" in out_text.output


@pytest.mark.full
@needs_prover
@needs_open_mpi
def test_decisions_are_compared_where_no_twin_is_named_and_all_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find_library()
    monkeypatch.setattr(
        calls, "twins", lambda _, all=calls.twins: [a for a in all(found.numbers) if a.key == "barrier/tree"]
    )
    decided = [
        c for c in calls.decided_calls(calls.DECISIONS[found.version.rpartition(".")[0]], 2) if "barrier" in c.key
    ]
    monkeypatch.setattr(calls, "decided_calls", lambda *_: decided)
    done = CliRunner().invoke(twins.command, ["--ranks", "2", "--out", str(tmp_path)])
    assert done.exit_code == 0 and f"{1 + len(decided)} of {1 + len(decided)} calls send the same" in done.output
    assert {path.name for path in tmp_path.iterdir()} >= {"table.csv", "decisions.csv", "differences.csv"}


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
def test_keys_ranks_and_libraries_that_there_are_not_are_refused(words: list[str]) -> None:
    assert isinstance(CliRunner().invoke(twins.command, words).exception, UsageError)


@pytest.mark.full
@needs_prover
@needs_open_mpi
def test_a_twin_that_this_library_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing nothing fails."""
    there = [a for a in calls.twins(find_library().numbers) if a.key != "barrier/tree"]
    monkeypatch.setattr(calls, "twins", lambda _: there)
    alone = CliRunner().invoke(twins.command, ["-a", "barrier/tree", "--ranks", "2"])
    assert isinstance(alone.exception, UserError) and "does not have barrier/tree" in str(alone.exception)
    out_text = CliRunner().invoke(twins.command, ["-a", "barrier/tree,barrier/linear", "--ranks", "2"])
    assert (
        out_text.exit_code == 0
        and "does not have barrier/tree" in out_text.output
        and "1 of 1 calls" in out_text.output
    )


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


@pytest.fixture
def twinned(known: Registry, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry with two twins of Open MPI: 1 and 6 of bcast."""
    twin = {"library": "Open MPI", "collective": "bcast"}
    numbers = {"bcast/linear": 1, "bcast/knomial": 6}
    algorithms = (
        replace(a, twin={**twin, "number": numbers[a.key]} if a.key in numbers else None) for a in known.algorithms
    )
    made = replace(known, algorithms=tuple(algorithms))
    monkeypatch.setattr(registry, "load", lambda: made)
    return made


def compared(verdict: Any, ranks: int = 2, key: str = "bcast/linear") -> Compared:
    return Compared(ranks, Call(key, "bcast", 1), verdict)


@pytest.mark.parametrize("verdict", ["same", "order", "different", "unsupported"])
def test_a_difference_is_bad_where_calls_should_be_alike(verdict: str) -> None:
    """A decision supports every call."""
    one, library = compared(verdict), Library("", "", {})
    assert twins.Found(library, forced=[one]).bad == [one] * (verdict in ("order", "different"))
    assert twins.Found(library, decided=[one]).bad == [one] * (verdict != "same")


@needs_prover
@needs_open_mpi
@pytest.mark.parametrize(("bad", "named"), [(0, 0), (1, 1), (21, 20)])
def test_calls_that_differ_fail_the_command_and_twenty_are_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, bad: int, named: int
) -> None:
    found = twins.run(find_library(), [2], ["barrier/linear"])
    found.forced += [compared("different", 3 + i) for i in range(bad)]
    monkeypatch.setattr(twins, "run", lambda *_: found)
    status, out, err = call(capsys, "twins")
    assert (status, err.count("collscope: ")) == (int(bad > 0), named)
    assert f"1 of {1 + bad} calls send the same messages in the same order, on " in out


def test_names_stand_for_twins(twinned: Registry) -> None:
    both = ["bcast/linear", "bcast/knomial"]
    for text, keys in (
        (None, None), ("bcast", both), ("bcast/knomial[k=2]", both[1:]), ("bcast/linear,bcast", [both[0], *both]),
    ):  # fmt: skip
        assert twins.read_keys(text) == keys
    for text in ("scatter", "bcast/mst"):
        with pytest.raises(UsageError, match=f"{text} has no twin in Open MPI"):
            twins.read_keys(text)
