"""collscope.labs.sandbox, collscope.labs.hand_in: why a command was ended, in words, and what a student's file may call."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from collscope.labs import hand_in, sandbox
from collscope.labs import lab as labs
from collscope.labs.sandbox import Limits, Outcome
from open_mpi import needs_prover

LIMITS = Limits(wall_s=20, cpu_s=8, data_bytes=512 << 20, file_bytes=16 << 20)


@pytest.mark.parametrize(
    ("status", "late", "why"),
    [
        (0, False, ""),
        (3, False, ""),
        (-signal.SIGKILL, True, "it was ended after 20 s: does a loop never end?"),
        (-signal.SIGKILL, False, "it was ended after 8 s of processor time: does a loop never end?"),
        (-signal.SIGXCPU, False, "it was ended after 8 s of processor time: does a loop never end?"),
        (-signal.SIGXFSZ, False, "it printed more than 16 MiB"),
        (-signal.SIGABRT, False, "it was ended at 512 MiB of memory, or by abort(): does a loop never end?"),
        (-signal.SIGSYS, False, "it was ended: it tried to reach the network, another process, or a file to write"),
        (-signal.SIGSEGV, False, "it crashed (SIGSEGV)"),
        (-60, False, "it crashed (signal 60)"),
    ],
)
def test_a_command_that_was_ended_says_at_which_limit(status: int, late: bool, why: str) -> None:
    """A program that ignores the first signal of its processor time is killed by the second."""
    assert sandbox._why(status, late, LIMITS) == why


@needs_prover
@pytest.mark.parametrize(
    ("called", "refused"),
    [
        ("coll_sub coll_grouping_make coll_grouping_free memcpy", ""),
        (
            "coll_sub coll_ring coll_bcast coll_ring",
            "bcast.c calls coll_bcast, coll_ring, which does the work of the lab",
        ),
    ],
)
def test_a_file_may_call_groups_of_ranks_and_nothing_that_does_its_work(
    called: str, refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = labs.load("broadcast")
    symbols = "".join(f"                 U {name}\n" for name in called.split())
    outcomes = [Outcome(0, output, "") for output in ("", symbols, "", "")]
    monkeypatch.setattr(hand_in.Jail, "run", lambda *_, **__: ("namespaces", outcomes))
    try:
        built = hand_in.build(lab.folder / "solution", lab.file.file, tmp_path)
        assert not refused and built.held == "namespaces"
    except hand_in.NotBuilt as error:
        assert refused and str(error).startswith(refused)
