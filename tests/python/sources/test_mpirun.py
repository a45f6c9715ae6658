"""What mpirun of each library needs to be told."""

from __future__ import annotations

import pytest

from collscope.sources import mpirun


@pytest.mark.parametrize("library", ["Open MPI 4.1.4", "MPICH 4.3.2", "MPI 2021.13"])
def test_every_launcher_is_told_how_many_ranks_a_node_has(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpirun, "library", lambda: library)
    words = mpirun.command(5, 2)
    assert words[:3] == ["mpirun", "-np", "5"]
    assert words[-2:] == (["--map-by", "ppr:3:node"] if library.startswith("Open MPI") else ["-ppn", "3"])


@pytest.mark.parametrize(
    ("library", "words"),
    [("Open MPI 4.1.4", ["--mca", "mpi_yield_when_idle", "1"]), ("MPICH 4.3.2", ["MPIR_CVAR_ENABLE_HEAVY_YIELD", "1"])],
)
def test_ranks_without_a_core_of_their_own_yield(
    monkeypatch: pytest.MonkeyPatch, library: str, words: list[str]
) -> None:
    monkeypatch.setattr(mpirun, "library", lambda: library)
    monkeypatch.setattr(mpirun.os, "sched_getaffinity", lambda _: {0, 1})
    text = " ".join(mpirun.command(3))
    assert " ".join(words) in text
    assert " ".join(words) not in " ".join(mpirun.command(2))
