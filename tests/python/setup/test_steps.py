"""Steps of set-up that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.setup.machine import Setup
from collscope.setup.steps import SetupError


def test_a_failed_step_shows_its_errors(tree: Path) -> None:
    setup = Setup(tree)
    log = tree / ".cache" / "log" / "x.log"
    script = "echo working; echo 'mst.c:3: error: no such thing'; echo more; exit 3"
    with pytest.raises(SetupError) as error:
        setup.steps.run("building x", ["sh", "-c", script], log)
    assert "building x failed (exit status 3)" in str(error.value)
    assert "mst.c:3: error: no such thing" in str(error.value)
    assert str(log) in str(error.value)
    with pytest.raises(SetupError, match="no-such-program"):
        setup.steps.run("starting", ["no-such-program"], log)
