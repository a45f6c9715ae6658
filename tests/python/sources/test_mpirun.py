"""collscope.sources.mpirun: what mpirun of each library needs to be told, and what it says when it cannot start."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UsageError, UserError
from collscope.points.plan import Layout, Point
from collscope.sources import measure, mpirun


@pytest.mark.parametrize("library", ["Open MPI 4.1.4", "MPICH 4.3.2", "MPI 2021.13"])
def test_every_launcher_gets_the_ranks_per_node(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpirun, "library", lambda: library)
    words = mpirun.command(5, 2)
    assert words[:3] == ["mpirun", "-np", "5"]
    assert words[-2:] == (["--map-by", "ppr:3:node"] if library.startswith("Open MPI") else ["-ppn", "3"])


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ("core", "--map-by core --bind-to core"),
        ("fill", "--map-by core --bind-to core"),
        ("socket", "--map-by socket --bind-to core"),
        ("node", "--map-by ppr:2:node --rank-by node --bind-to core"),
        ("cyclic", "--map-by ppr:2:node --rank-by node"),
    ],
)
def test_a_mapping_becomes_options_of_mpirun(mapping: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpirun, "library", lambda: "Open MPI 4.1.4")
    monkeypatch.setattr(mpirun.os, "sched_getaffinity", lambda _: {0, 1})
    assert " ".join(mpirun.command(4, 2, mapping)).endswith(words)
    monkeypatch.setattr(mpirun, "library", lambda: "MPICH 4.3.2")
    with pytest.raises(UserError, match=f"--mapping {mapping}: of MPICH 4.3.2 only block .* need Open MPI"):
        mpirun.command(4, 2, mapping)


@pytest.mark.parametrize("library", ["Open MPI 4.1.4", "MPICH 4.3.2"])
def test_a_mapping_without_an_option_of_mpirun_is_refused(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpirun, "library", lambda: library)
    with pytest.raises(UsageError, match="--mapping packed: mpirun has no such option"):
        mpirun.command(4, 2, "packed")


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


@pytest.mark.skipif(
    not (shutil.which("mpirun") and programs.MPI_DRIVER.exists()), reason="needs mpirun and the driver for real runs"
)
@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["-np", "999"], "not enough slots available in the system to satisfy the 999 slots .*; take fewer ranks"),
        (["-np", "2", "--host", "nosuchhost"], "nosuchhost.*; check the host file's names"),
        (["-np", "2", "--mca", "plm", "nosuch"], "Framework: plm, Component: nosuch.*; look for OMPI_MCA_"),
        (["-np", "2", "/no/such/driver"], "Executable: /no/such/driver.*; every node needs this file"),
        (["-np", "2", "--bind-to", "core:x"], "Unknown qualifier to binding policy: core:x.*binding_policy=none"),
    ],
)
def test_a_real_run_that_cannot_start_says_why_in_the_words_of_mpirun(
    words: Sequence[str], printed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not mpirun.library().startswith("Open MPI"):
        pytest.skip("these are Open MPI's words")
    monkeypatch.setattr(mpirun, "command", lambda *_: ["mpirun", "--allow-run-as-root", *words])
    with pytest.raises(UserError, match=f"(?s)mpirun with 2 ranks did not start the driver: .*{printed}") as raised:
        measure.run_tasks([(Layout(None, 1, 2), Point("barrier", "barrier/linear", 0))])
    assert "---" not in str(raised.value)
    assert len(str(raised.value)) < 800


def test_frames_lists_and_repetitions_of_mpirun_are_left_out() -> None:
    frame = "-" * 74
    text = f"""{frame}
A call to mkdir was unable to create the desired directory:

  Directory: /tmp/ompi.host
  Error:     No space left on device

Please check to ensure you have adequate permissions.
{frame}
[host:12] 3 more processes have sent help message
{frame}
It looks like orte_init failed for some reason; your parallel process is
likely to abort.
{frame}
"""
    assert mpirun.reason(text) == (
        "A call to mkdir was unable to create the desired directory; Directory: /tmp/ompi.host, "
        "Error: No space left on device; Please check to ensure you have adequate permissions; "
        "3 more processes have sent help message"
    )
    assert mpirun.reason("") == ""
    assert mpirun.reason("driver: error while loading shared libraries: libmpi.so.40: cannot open").endswith(
        "on every node"
    )


@pytest.mark.parametrize(
    ("library", "root", "ranks", "nodes", "words"),
    [
        ("Open MPI 4.1.4", False, 2, 1, []),
        ("Open MPI 4.1.4", True, 2, 1, ["--allow-run-as-root"]),
        ("Open MPI 4.1.4", False, 3, 1, ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]),
        ("Open MPI 4.1.4", False, 4, 2, ["--map-by", "ppr:2:node"]),
        ("Open MPI 4.1.4", True, 5, 2, ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
         "--map-by", "ppr:3:node"]),
        ("MPICH 4.3.2", True, 2, 1, []),
        ("MPICH 4.3.2", True, 5, 2, ["-genv", "MPIR_CVAR_ENABLE_HEAVY_YIELD", "1", "-ppn", "3"]),
        ("MPI 2021.13", True, 5, 2, ["-ppn", "3"]),
    ],
)  # fmt: skip
def test_the_command_line_holds_no_other_words(
    monkeypatch: pytest.MonkeyPatch, library: str, root: bool, ranks: int, nodes: int, words: list[str]
) -> None:
    monkeypatch.setattr(mpirun, "library", lambda: library)
    monkeypatch.setattr(mpirun.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(mpirun.os, "geteuid", lambda: 0 if root else 1000)
    assert mpirun.command(ranks, nodes) == ["mpirun", "-np", str(ranks), *words]
    assert mpirun.command(2) == mpirun.command(2, 1)


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("mpirun (Open MPI) 4.1.4", "Open MPI 4.1.4"),
        ("mpirun (OpenRTE) 5.0", "Open MPI 5.0"),
        ("HYDRA build details:\n    Version: 4.0.2", "MPICH 4.0.2"),
        ("Intel(R) MPI 2021.13", "MPI 2021.13"),
        ("something", "MPI"),
    ],
)
def test_the_library_is_read_from_mpirun_s_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, name: str
) -> None:
    for stream in ("", ">&2"):
        program = tmp_path / "mpirun"
        program.write_text(f'#!/bin/sh\ntest "$1" = --version && echo "{printed}" {stream}\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        mpirun.library.cache_clear()
        assert mpirun.library() == name
    monkeypatch.setenv("PATH", "/nonexistent")
    mpirun.library.cache_clear()
    with pytest.raises(UserError, match="mpirun: not found"):
        mpirun.library()
    mpirun.library.cache_clear()


@pytest.mark.parametrize(
    ("printed", "advice"),
    [
        ("There are not enough slots.", "There are not enough slots; take fewer ranks"),
        ("ssh: Could not resolve hostname x", "; check the host file's names"),
        ("No such file", "No such file; every node needs this file"),
        ("unknown option x", "; look for OMPI_MCA_"),
        ("cannot bind", "; give fewer ranks than cores"),
        ("srun: lacks cpu binding\n\nThe application appears to have been direct launched using \"srun\"", "; set SLURM_MPI_TYPE=pmix"),
        ("do not run as root", "; run as another user"),
        ("Just bad luck.", "Just bad luck"),
        ("Type 'x' for help\nBad luck", "Bad luck"),
        ("It looks like nothing", ""),
        ("word " * 200, ("word " * 120)[:600]),
    ],
)  # fmt: skip
def test_advice_follows_from_what_mpirun_says(printed: str, advice: str) -> None:
    found = mpirun.reason(printed)
    assert found.startswith(advice) or (advice.startswith(";") and advice in found)
    assert bool(found) == bool(advice)
    assert ("; " in found) == ("; " in advice)
