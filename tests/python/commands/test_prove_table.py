"""What the table of verdicts says of failed points."""

from __future__ import annotations

import pytest

from collscope.commands import prove_table
from collscope.commands.prove_table import Line


def line(ranks: int, kind: str = "ok", **more: object) -> Line:
    """What the prover says of a broadcast of 4 bytes."""
    verdict = {"verdict": "proven" if kind == "ok" else "failed", "kind": kind}
    about = {"collective": "bcast", "algorithm": "bcast/wrong", "type": "float", "vector_bytes": 4, "root": 0}
    return {**about, "ranks": ranks, "status": "ok", "messages": 1, "bytes": 4, **verdict, **more}


def test_a_failed_proof_begins_with_the_failure_and_says_of_what_kind(capsys: pytest.CaptureFixture[str]) -> None:
    prove_table.show(
        [line(1), line(2, "deadlock", failure="rank 0: recv …"), line(3, "unmatched"), line(4, "deadlock")]
    )
    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith("FAILED: 3 of 4 points (p = 1 … 4, root 0, up to 4 B): 2 deadlock and 1 unmatched")
    assert not any(
        "no deadlock" in text or "recv" in text for text in said
    )  # why it failed is said once, below the table
    assert any(text.rstrip().endswith("FAILED: deadlock") for text in said)


def test_a_whole_proof_says_what_is_proven(capsys: pytest.CaptureFixture[str]) -> None:
    prove_table.show([line(1), line(2)])
    assert "2 of 2 points proven (p = 1 … 2, root 0, up to 4 B): every receive has its send" in capsys.readouterr().out


def test_points_that_took_too_long_or_were_not_tried_are_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    late = {k: v for k, v in line(2, "limit", failure="took longer …").items() if k not in ("messages", "bytes")}
    left = line(3) | {"status": "bcast/wrong goes on …", "verdict": None, "kind": "not tried"}
    prove_table.show([line(1), late, left])
    said = capsys.readouterr().out
    assert "FAILED: limit" in said
    assert "— 1 point not tried: bcast/wrong goes on …" in said
