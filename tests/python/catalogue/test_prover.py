"""collscope.catalogue.prover: what the prover answers, and what is said where it does not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.catalogue import prover

LINES = 'checked\n{"id": "0"}\n\n{"id": "1"}\n'


@pytest.mark.parametrize(
    ("status", "out", "err", "says"),
    [
        (0, LINES, "", ""),
        (1, LINES, "x", ""),
        (0, "nothing", "x", ""),
        (1, "nothing", " why\n", "the prover failed: why"),
        (2, LINES, "why", "the prover failed: why"),
        (2, "", "collscope-prove: x.schedule:3: no such rank", "x.schedule:3: no such rank"),
        (-9, "", "", "the prover failed: exit status -9"),
    ],
)
def test_lines_of_json_are_an_answer_unless_it_fails(
    monkeypatch: pytest.MonkeyPatch, status: int, out: str, err: str, says: str
) -> None:
    calls: list[Any] = []

    def answer(command: list[str], **options: Any) -> SimpleNamespace:
        calls.append((command, options))
        return SimpleNamespace(returncode=status, stdout=out, stderr=err)

    monkeypatch.setattr(programs, "answer", answer)
    if says:
        with pytest.raises(UserError) as caught:
            prover.replies(["--rules"], "text")
        assert str(caught.value) == says
    else:
        assert prover.replies(["--rules"], "text") == [{"id": "0"}, {"id": "1"}] * (out == LINES)
    assert calls == [([programs.PROVER, "--rules"], {"input": "text"})]
