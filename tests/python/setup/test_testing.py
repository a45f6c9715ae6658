"""The summary of `test`: what ctest says, counted."""

from __future__ import annotations

import pytest

from collscope.setup import testing

OUTPUT = """
      Start 1: one
1/3 Test #1: one ..............................   Passed    0.01 sec
2/3 Test #2: two ..............................***Skipped   0.01 sec
3/3 Test #3: three ............................***Failed    0.01 sec
"""


def test_skipped_tests_have_their_own_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "call", lambda command: (8, OUTPUT))
    step = testing.ctest("mpi", full=False)
    assert (step.passed, step.failed, step.skipped, step.remarks) == (1, 1, 1, ["failed: three"])
    assert testing.counts(step) == "    1 passed    1 failed    1 skipped"


@pytest.mark.parametrize("preset", testing.PRESETS)
def test_a_tree_without_tests_is_a_failure(monkeypatch: pytest.MonkeyPatch, preset: str) -> None:
    monkeypatch.setattr(testing, "call", lambda command: (8, "No tests were found!!!"))
    assert testing.ctest(preset, full=False).failed == 1
