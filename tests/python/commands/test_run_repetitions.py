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
    assert read("until_ci=1% budget=1000000s")["budget_s"] == 1e6
    assert read("until_ci=0.5% budget=500ms") == plain | {"until_ci": 0.005, "budget_s": 0.5}
    assert read("until_ci=100% budget=2min order=grouped buffers=cold", "sim,real") == {
        "interleaved": False, "buffers": "cold", "until_ci": 1.0, "budget_s": 120.0,
    }  # fmt: skip
    assert read("buffers=fresh", "sim") == read("buffers=fresh", "bound,model") == plain | {"buffers": "fresh"}
    assert read("order=grouped", metric="loop")["interleaved"] is False


PERCENT = "write a percentage of the median, such as 2%"
TIME = "write a time such as 500ms, 5s or 2min"
LEAVE = "among --source, or leave it out"
LOOP = "a loop is one time of calls in a row; take another --metric"


@pytest.mark.parametrize(
    ("words", "sources", "metric", "why"),
    [
        *((f"until_ci={text}", "real", "root", f'--until-ci: cannot read "{text}"; {PERCENT}')
          for text in ("2", "0%", "nan%", "100.1%", "x" * 40)),
        ("until_ci=" + "x" * 41, "real", "root", f'--until-ci: cannot read "{"x" * 40}"; {PERCENT}'),
        *((f"until_ci=2% budget={text}", "real", "root", f'--budget: cannot read "{text}"; {TIME}')
          for text in ("5", "0s", "1000001s", "5h", "x" * 40)),
        ("until_ci=2% budget=" + "x" * 41, "real", "root", f'--budget: cannot read "{"x" * 40}"; {TIME}'),
        ("budget=5s", "real", "root", "--budget goes with --until-ci: without it the number of repetitions is set"),
        ("until_ci=2%", "sim,bound", "root", f"--until-ci is for measured times: take real {LEAVE}"),
        ("order=grouped", "model", "root", f"--order is for measured times: take real {LEAVE}"),
        ("buffers=cold", "sim", "root", f"--buffers cold is for measured times: take real {LEAVE}"),
        ("buffers=fresh", "bound", "root",
         f"--buffers fresh is for measured, simulated and modelled times: take real or sim or model {LEAVE}"),
        ("buffers=fresh", "sim", "loop", f"--buffers: {LOOP}"),
        ("buffers=cold", "real", "loop", f"--buffers: {LOOP}"),
        ("until_ci=2%", "real", "loop", f"--until-ci: {LOOP}"),
        ("order=interleavd", "real", "root", 'unknown order "interleavd"; did you mean "interleaved"?'),
        ("buffers=hot", "real", "root", 'unknown kind of buffers "hot"; known: warm, cold, fresh'),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(words: str, sources: str, metric: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(words, sources, metric)
    assert str(caught.value) == why


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
    assert capsys.readouterr().err.splitlines() == [
        "collscope: 2 of 4 measured times unstable (few 1, clock 1, spread 1): column unstable says why, --until-ci 2% repeats for longer",
        "collscope: 1 measured time with outliers, up to 12 % of the calls: kept",
        "collscope: 1 measured time began after a barrier: ranks were too late for a common start",
    ]
