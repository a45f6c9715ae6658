"""What `prove` says when there is nothing to prove."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from collscope.catalogue import prover
from command_line import call


@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_a_proof_of_nothing_says_why(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, extra: tuple[str, ...]
) -> None:
    def answers(arguments: list[Any]) -> list[dict[str, Any]]:
        plan = Path(arguments[-1]).read_text().splitlines()
        points = [dict(word.split("=", 1) for word in line.split()) for line in plan]
        numbers = ("ranks", "count", "root", "in_place")
        return [p | {k: int(p[k]) for k in numbers} | {"status": "needs 2 ranks", "verdict": None} for p in points]

    monkeypatch.setattr(prover, "replies", answers)
    status, _, err = call(capsys, "prove", "bcast/mst", "--ranks", "4", *extra)
    assert (status, err) == (2, "collscope: bcast/mst[dest=first]: needs 2 ranks\n")
