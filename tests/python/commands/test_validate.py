"""collscope.commands.validate: which campaign it runs, and what it prints of its report."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from command_line import call


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("", {}),
        ("--quick", {"quick": True}),
        ("--recalibrate", {"recalibrate": True}),
        ("--remeasure", {"remeasure": True}),
        ("--out d", {"out": "d"}),
    ],
)
def test_a_campaign_ends_with_the_head_of_its_report(
    workplace: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    changed: dict[str, Any],
) -> None:
    calls: list[Any] = []
    monkeypatch.chdir(workplace)
    monkeypatch.setattr(
        "collscope.campaigns.run.run", lambda name, **options: calls.append((name, options)) or workplace
    )
    usual = {"quick": False, "out": None, "recalibrate": False, "remeasure": False}
    won = {"agreement": 0.75, "calls": 4, "mean_regret": 0.021}
    for winners, more in (
        (None, ""),
        (won, f"{'winner predicted':16}  75.0 % of 4 calls\n{'mean regret':16}  2.1 %\n"),
    ):
        whole = {"points": 8, "median": 0.06, "p90": 0.5, "bias": -0.01}
        (workplace / "summary.json").write_text(json.dumps({"errors": {"all": [whole]}, "winners": winners}))
        rows = {"calls": "8", "median error": "6.0 %", "p90 error": "50.0 %", "bias": "-1.0 %"}
        says = "".join(f"{name:16}  {value}\n" for name, value in rows.items()) + more + "report.html\n"
        assert call(capsys, "validate", "x", *words.split()) == (0, says, "")
    assert calls == [("x", usual | changed)] * 2


def test_campaigns_are_listed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collscope.campaigns.campaign.names", lambda: ["a", "testbed"])
    monkeypatch.setattr(
        "collscope.campaigns.campaign.load", lambda name: SimpleNamespace(file=SimpleNamespace(title=f"of {name}"))
    )
    assert call(capsys, "validate") == (0, f"{'a':20}  of a\n{'testbed':20}  of testbed\n", "")
