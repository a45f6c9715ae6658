"""What `prove` says when there is nothing to prove, or no room for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.sources import asking
from collscope.sources.asking import Question
from command_line import call


@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_a_proof_of_nothing_says_why(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, extra: tuple[str, ...]
) -> None:
    def answers(_: Any, questions: Sequence[Question], *more: Any) -> Iterator[tuple[str, Any]]:
        for question in questions:
            p: dict[str, Any] = dict(word.split("=", 1) for word in question.line.split())
            numbers = ("ranks", "count", "root", "in_place")
            yield question.name, p | {k: int(p[k]) for k in numbers} | {"status": "needs 2 ranks", "verdict": None}

    monkeypatch.setattr(asking, "ask", answers)
    status, _, err = call(capsys, "prove", "bcast/mst", "--ranks", "4", *extra)
    assert (status, err) == (2, "collscope: bcast/mst[dest=first]: needs 2 ranks\n")


@pytest.mark.skipif(not programs.PROVER.exists(), reason="needs the prover; ./collscope doctor says more")
def test_a_vector_that_no_record_holds_is_no_fault_of_the_algorithm(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    why = "a vector of more than 512 GiB has no room in a recorded schedule"
    status, out, err = call(capsys, "prove", "bcast/mst", "--ranks", "4", "--bytes", "1024TiB")
    assert status == 2 and why in err and "FAILED" not in out
    words = ("--on", "ideal", "--nodes", "2", "--ranks", "2", "-a", "allgather/bucket", "--source", "model")
    status, out, _ = call(capsys, "run", *words, "--bytes", "1024TiB,1KiB")
    assert status == 0 and why in out and "1 KiB" in out
