"""The `twins` command."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from click.testing import CliRunner

import libraries
from collscope.base.errors import UsageError, UserError
from collscope.base.units import parse_ranks
from collscope.commands import twins
from collscope.twins import calls, differences, records
from collscope.twins.library import Library, find_library
from open_mpi import needs_open_mpi, needs_prover


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
