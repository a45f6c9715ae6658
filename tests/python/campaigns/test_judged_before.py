"""collscope.campaigns.judged_before: the model's own error of campaigns that were judged, by the platform that they are about."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from collscope.campaigns import judged_before
from refusals import refusal


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three campaigns: two about a platform each, one about two of them."""
    monkeypatch.setattr(judged_before, "RESULTS", tmp_path)
    for name, platforms, size in (("a", ["tiny"], 0.1), ("b", ["large"], 0.2), ("c", ["tiny", "large"], 0.9)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "summary.json").write_text(json.dumps({"platforms": platforms, "model_error": size}))
    return tmp_path


def test_a_platform_has_its_own_campaigns_error_and_another_one_the_largest(results: Path) -> None:
    found = judged_before.model_errors(["tiny", "tiny[without=gap]", "large", "unheard_of"])
    assert found == {"tiny": 0.1, "tiny[without=gap]": 0.1, "large": 0.2, "unheard_of": 0.2}


def test_a_campaign_without_draws_tells_nothing(results: Path) -> None:
    (results / "b" / "summary.json").write_text(json.dumps({"platforms": ["large"], "model_error": None}))
    assert judged_before.model_errors(["large"]) == {"large": 0.1}
    (results / "a" / "summary.json").unlink()
    assert judged_before.model_errors(["large"]) == {}, "nothing was judged"


def test_the_remark_on_a_platform_has_the_ends_of_eight_of_ten_measured_times(results: Path) -> None:
    size = math.log(1.25) / 1.2815515655446004
    (results / "a" / "summary.json").write_text(json.dumps({"platforms": ["tiny"], "model_error": size}))
    for name in ("tiny", "tiny[nodes=2]"):
        assert "measured on tiny, 80% took 0.80 to 1.25 times what the model says" in judged_before.remark(name)
    assert judged_before.remark("unheard_of") == ""


def test_a_broken_summary_is_named_with_what_mends_it(results: Path) -> None:
    for text in ("{", "[]"):
        (results / "b" / "summary.json").write_text(text)
        message = refusal(judged_before.model_errors, ["tiny"])
        assert "b/summary.json: cannot be read" in message and "./collscope validate b" in message
