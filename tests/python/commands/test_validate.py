"""collscope.commands.validate: the campaigns that there are, and the head of a report."""

from __future__ import annotations

import pytest

from collscope.base import paths
from command_line import call


def test_campaigns_are_listed_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "validate")
    names = [line.split("  ")[0].strip() for line in out.splitlines()]
    assert (status, err) == (0, "") and names == sorted(
        p.stem for p in (paths.ROOT / "validate/campaigns").glob("*.toml")
    )
    assert all(len(line.split()) > 3 for line in out.splitlines())


def test_a_campaign_ends_with_the_head_of_its_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    folder = paths.ROOT / "results/validation/orfeo_published"
    monkeypatch.setattr("collscope.campaigns.run.run", lambda name, **options: calls.append((name, options)) or folder)
    status, out, _ = call(capsys, "validate", "x", "--quick", "--remeasure")
    *head, last = out.splitlines()
    assert status == 0 and [line[:16].strip() for line in head][:4] == ["calls", "median error", "p90 error", "bias"]
    assert last == "results/validation/orfeo_published/report.html"
    assert calls == [("x", {"quick": True, "remeasure": True, "recalibrate": False, "out": None})]
