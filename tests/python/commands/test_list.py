"""What `list` prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import call


def test_list_prints_what_there_is(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "list")
    assert status == 0
    assert "bcast/knomial[k=4,s=0]" in out
    assert "decision/ompi_4_1" in out
    status, out, _ = call(capsys, "list", "--json")
    assert status == 0
    assert out.startswith('{"algorithms": [')
    status, out, _ = call(capsys, "list", "-c", "bcast")
    assert "[dest=first]  first | end  about dest" in out
