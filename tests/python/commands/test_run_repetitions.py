"""The options of measured calls, and what is said of times that are not to be trusted."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.base.errors import UsageError
from collscope.commands import run_repetitions
from collscope.points.table import make_row
from collscope.sources.source import Options


def read(words: str = "", sources: str = "real", metric: str = "makespan") -> dict[str, Any]:
    said: dict[str, Any] = {"until_ci": None, "budget": None, "order": "interleaved", "buffers": "warm"}
    return run_repetitions.read(sources.split(","), metric, **said | dict(word.split("=") for word in words.split()))


def test_options_become_what_sources_are_told() -> None:
    plain = {"interleaved": True, "buffers": "warm"}
    assert read() == read(sources="sim") == plain and Options(**plain) == Options()
    assert read("until_ci=2%") == plain | {"until_ci": 0.02, "budget_s": 5.0}
    assert read("until_ci=0.5% budget=500ms") == plain | {"until_ci": 0.005, "budget_s": 0.5}
    assert read("until_ci=100% budget=2min order=grouped buffers=cold", "sim,real") == {
        "interleaved": False, "buffers": "cold", "until_ci": 1.0, "budget_s": 120.0,
    }  # fmt: skip
    assert read("buffers=fresh", "sim") == read("buffers=fresh", "bound,model") == plain | {"buffers": "fresh"}
    assert read("order=grouped", metric="loop")["interleaved"] is False


@pytest.mark.parametrize(
    ("words", "sources", "metric", "why"),
    [
        ("until_ci=2", "real", "root", '--until-ci: cannot read "2"; write a percentage'),
        ("until_ci=0%", "real", "root", "--until-ci: cannot read"),
        ("until_ci=nan%", "real", "root", "--until-ci: cannot read"),
        ("until_ci=101%", "real", "root", "--until-ci: cannot read"),
        ("until_ci=2% budget=5", "real", "root", '--budget: cannot read "5"; write a time such as 500ms'),
        ("until_ci=2% budget=0s", "real", "root", "--budget: cannot read"),
        ("until_ci=2% budget=9999999s", "real", "root", "--budget: cannot read"),
        ("budget=5s", "real", "root", "--budget goes with --until-ci"),
        ("until_ci=2%", "sim,bound", "root", "--until-ci is for measured times"),
        ("order=grouped", "model", "root", "--order is for measured times"),
        ("buffers=cold", "sim", "root", "--buffers cold is for measured times"),
        ("buffers=fresh", "bound", "root", "--buffers fresh is for measured, simulated and modelled times"),
        ("buffers=fresh", "sim", "loop", "--buffers: a loop is one time"),
        ("buffers=cold", "real", "loop", "--buffers: a loop is one time"),
        ("until_ci=2%", "real", "loop", "--until-ci: a loop is one time"),
        ("order=interleavd", "real", "root", "interleaved"),
        ("buffers=hot", "real", "root", "warm"),
    ],
)
def test_what_cannot_be_meant_is_refused(words: str, sources: str, metric: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read(words, sources, metric)


def test_unstable_times_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    def real(**cells: Any) -> dict[str, Any]:
        return make_row(
            source="real", **{"metric": "makespan", "median_s": 1.0, "outliers": 0.0, "start": "window"} | cells
        )

    run_repetitions.note([real(), make_row(source="sim", median_s=1.0)])
    assert capsys.readouterr().err == ""
    run_repetitions.note([
        real(unstable="few: 2 repetitions"), real(unstable="clock: 3; spread: 40 %", outliers=0.125), real(start="barrier"),
        real(start="barrier", metric="osu_avg"),
    ])  # fmt: skip
    said = " ".join(capsys.readouterr().err.split())
    assert "2 of 4 measured times unstable (few 1, clock 1, spread 1)" in said
    assert "1 measured time with outliers, up to 12 % of the calls: kept" in said
    assert "1 measured time began after a barrier" in said
