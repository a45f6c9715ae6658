"""collscope.commands.claims: the `claims` command: what it writes, and that another verdict than the committed one fails it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from collscope.studies import claims
from collscope.studies.claims import Judged, PaperClaims
from command_line import call


@pytest.mark.parametrize("check", [False, True])
def test_a_verdict_that_changed_is_named_and_fails(
    workplace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, check: bool
) -> None:
    monkeypatch.chdir(workplace)
    known = {"held": 1, "testable": [1], "expected_verdict": "partly", "text": "x", "verdict": "partly", "readings": {}}
    made = [
        Judged("bird", "MPICH", SimpleNamespace(**known, id=name), was, "")  # type: ignore[arg-type]
        for name, was in (("B1", "partly"), ("B2", "reproduced"), ("B3", ""))
    ]
    monkeypatch.setattr(claims, "every", lambda *_: [PaperClaims("bird", "Bird", made, ())])
    monkeypatch.setattr(claims, "count", lambda *_: {"reproduced": 0, "partly": 3})
    monkeypatch.setattr(claims, "written", lambda *_: {"claims.md": "one", "claims.html": "two"})
    status, out, err = call(capsys, "claims", "--out", ".", *["--check"] * check)
    assert status == 1
    assert "\n0 reproduced, 3 partly of 3 claims.\n" in out
    assert out.endswith("reproduced.\n" + "claims.md\nclaims.html\n" * (not check))
    assert err == "bird: B2 MPICH: partly; committed: reproduced\nbird: B3 MPICH: partly; committed: nothing\n"
    assert {path.name: path.read_text() for path in workplace.glob("claims.*")} == (
        {} if check else {"claims.md": "one", "claims.html": "two"}
    )
    del made[1:]
    assert call(capsys, "claims", "--out", ".", "--check")[0] == 0
    no = "collscope: --out none: not a folder that can be written to\n"
    assert call(capsys, "claims", "--out", "none") == (2, "", no)
    assert call(capsys, "claims", "--out", "none", "--check")[0] == 0
