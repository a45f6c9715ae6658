"""collscope.campaigns.report, collscope.campaigns.judged_before: committed summaries of campaigns follow from their tables."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Any

import pandas as pd
import pytest

from collscope.analysis import model_error, prediction
from collscope.base import paths
from collscope.campaigns import judged_before
from collscope.points import table

CAMPAIGNS = ("orfeo_published", "testbed", "testbed_two_levels", "testbed_rendezvous")


def committed(campaign: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Predicted beside measured calls of a campaign's table, and its summary."""
    folder = paths.ROOT / "results/validation" / campaign
    frame = table.read_csv(folder / "table.csv")
    predicted = frame.source == "model"
    both = prediction.joined(frame[predicted], frame[~predicted])
    return both, json.loads((folder / "summary.json").read_text())


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_errors_and_winners_are_those_of_the_table(campaign: str) -> None:
    both, summary = committed(campaign)
    (all_calls,) = prediction.errors(both, None).to_dict("records")
    (kept,) = summary["errors"]["all"]
    for number in ("points", "median", "p90", "worst", "bias"):
        assert kept[number] == pytest.approx(all_calls[number])
    won = prediction.winners(both)
    assert won and summary["winners"] == pytest.approx(asdict(won) | {"agreement": won.agreement})


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_the_band_and_the_models_own_error_follow_from_the_table(campaign: str) -> None:
    both, summary = committed(campaign)
    banded = model_error.with_band(both, model_error.of_others(both))
    for kept, band in ((summary["band"], prediction.WHOLE_BAND), (summary["drawn"], prediction.DRAWN_BAND)):
        (whole,) = prediction.coverage(banded, band=band).itertuples(index=False)
        assert kept[0]["of"] == "all" and kept[0]["inside"] == pytest.approx(whole.inside)
    assert summary["band"][0]["inside"] > 0.75, "of which 80 % are to lie inside"
    assert summary["model_error"] == pytest.approx(model_error.size(both))
    (platform,) = summary["platforms"]
    assert judged_before.model_errors([platform]) == {platform: summary["model_error"]}


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_every_figure_of_the_report_is_there(campaign: str) -> None:
    folder = paths.ROOT / "results/validation" / campaign
    named = re.findall(r"^!\[.*\]\((.+?)\)", (folder / "report.md").read_text(), re.MULTILINE)
    assert named and all((folder / name).is_file() for name in named)
