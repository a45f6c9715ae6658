"""A driver that cannot measure."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.calibration.probe import probe


def test_a_failing_driver_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="missing; build it"):
        probe(2, tmp_path / "nothing")
    if shutil.which("mpirun") and len(os.sched_getaffinity(0)) > 1:
        broken = tmp_path / "driver"
        broken.write_text("#!/bin/sh\necho out of luck >&2\nexit 3\n")
        broken.chmod(0o755)
        with pytest.raises(UserError, match="--pingpong failed"):
            probe(2, broken)
