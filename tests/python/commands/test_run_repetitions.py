"""collscope.commands.run_repetitions: the options of repeated calls, and what is said of times that are not to be trusted."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.base.errors import UsageError
from collscope.commands import run_repetitions
from collscope.points.plan import Timing
from collscope.points.table import make_row


def read(words: str = "", sources: str = "real", metric: str = "makespan") -> Timing:
    request = run_repetitions.Repeated(**dict(word.split("=") for word in words.split()))  # type: ignore[arg-type]
    return run_repetitions.read(request, sources.split(","), metric)


def test_options_become_how_points_are_timed() -> None:
    assert read() == read(sources="sim") == Timing()
    assert read("until_ci=2%") == Timing(until_ci=0.02, budget_s=5.0)
    assert read("until_ci=1% budget=1000000s").budget_s == 1e6
    assert read("until_ci=0.5% budget=500ms") == Timing(until_ci=0.005, budget_s=0.5)
    cold = Timing(buffers="cold", until_ci=1.0, budget_s=120.0)
    assert read("until_ci=100% budget=2min order=grouped buffers=cold", "sim,real") == cold
    assert read("buffers=fresh", "sim") == read("buffers=fresh", "bound,model") == Timing(buffers="fresh")
    assert read("order=grouped", metric="loop") == Timing()
    assert run_repetitions.read(run_repetitions.Repeated(repetitions=7), ["sim"], "root") == Timing(7)


PERCENT = "write a percentage of the median, such as 2%"
TIME = "write a time with its unit, such as 500ms, 5s or 2min"
LOOP = "--metric loop times one batch of back-to-back calls; choose another metric"


@pytest.mark.parametrize(
    ("words", "sources", "metric", "why"),
    [
        *((f"until_ci={text}", "real", "root", f'--until-ci: cannot read "{text}"; {PERCENT}')
          for text in ("2", "0%", "nan%", "100.1%", "x" * 40)),
        ("until_ci=" + "x" * 41, "real", "root", f'--until-ci: cannot read "{"x" * 40}"; {PERCENT}'),
        *((f"until_ci=2% budget={text}", "real", "root", f'--budget: cannot read "{text}"; {TIME}')
          for text in ("5", "0s", "1000001s", "5h", "x" * 40)),
        ("until_ci=2% budget=" + "x" * 41, "real", "root", f'--budget: cannot read "{"x" * 40}"; {TIME}'),
        ("budget=5s", "real", "root", "--budget goes with --until-ci: without it the number of repetitions is fixed"),
        ("until_ci=2%", "sim,bound", "root", "--until-ci is for measured times: add real to --source, or drop --until-ci"),
        ("order=grouped", "model", "root", "--order is for measured times: add real to --source, or drop --order"),
        ("buffers=cold", "sim", "root", "--buffers cold is for measured times: add real to --source, or drop --buffers"),
        ("buffers=fresh", "bound", "root",
         "--buffers fresh is for measured, simulated and modelled times: add real, sim or model to --source, or drop --buffers"),
        ("buffers=fresh", "sim", "loop", f"--buffers: {LOOP}"),
        ("buffers=cold", "real", "loop", f"--buffers: {LOOP}"),
        ("until_ci=2%", "real", "loop", f"--until-ci: {LOOP}"),
        ("order=interleavd", "real", "root", 'unknown order "interleavd"; did you mean "interleaved"?'),
        ("buffers=hot", "real", "root", 'unknown kind of buffers "hot"; known: warm, cold, fresh'),
    ],
)  # fmt: skip
def test_options_that_cannot_be_meant_are_refused(words: str, sources: str, metric: str, why: str) -> None:
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
        real(start="barrier", metric="root"), real(start="barrier", metric="osu_avg"),
    ])  # fmt: skip
    assert capsys.readouterr().err.splitlines() == [
        "collscope: 2 of 5 measured times unstable (few 1, clock 1, spread 1): column unstable says why, --until-ci 2% repeats for longer",
        "collscope: 1 measured time with outliers, up to 12 % of the calls: kept",
        "collscope: 2 measured times began after a barrier: ranks were too late for a common start",
    ]
