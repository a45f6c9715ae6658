"""A driver that cannot measure."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.calibration.probe import probe
from collscope.sources import mpirun


def test_a_failing_driver_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="missing; build it"):
        probe(2, tmp_path / "nothing")
    if shutil.which("mpirun") and len(os.sched_getaffinity(0)) > 1:
        broken = tmp_path / "driver"
        broken.write_text("#!/bin/sh\necho out of luck >&2\nexit 3\n")
        broken.chmod(0o755)
        with pytest.raises(UserError, match="--pingpong failed"):
            probe(2, broken)


def test_what_the_driver_is_asked_and_what_it_may_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def driver(text: str) -> Path:
        path = tmp_path / "driver"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    monkeypatch.setattr(
        mpirun, "command", lambda ranks: ["env", f"RANKS={ranks}", "sh", "-c", 'shift; shift; exec "$@"', "sh"]
    )
    monkeypatch.setattr(mpirun, "share_cores", lambda ranks: ranks > 3)
    said = probe(3, driver('echo hello; echo "{\\"pingpong\\": \\"$RANKS $*\\"}"; echo \'{"gap": 1}\''))
    assert said == [{"pingpong": "3 --pingpong --bytes 0..4194304"}, {"gap": 1}]
    with pytest.raises(UserError, match="4 ranks do not have a core each; calibrate with at most"):
        probe(4, driver("echo"))
    for text, says in (
        ("echo '{broken'", "the driver printed a line that is not JSON: {broken"),
        ("echo '{\"gap\": 1}'", r"--pingpong failed \(exit 0\): {\"gap\": 1}"),
        ("echo '{\"pingpong\": 1}'; exit 3", r"--pingpong failed \(exit 3\)"),
        ("true", r"--pingpong failed \(exit 0\): nothing"),
    ):
        with pytest.raises(UserError, match=says):
            probe(2, driver(text))
