"""collscope.catalogue.metrics: metrics as they are typed."""

from __future__ import annotations

import pytest

from collscope.base.errors import UsageError
from collscope.catalogue import metrics
from collscope.catalogue.registry import Registry


def test_a_metric_has_one_spelling(known: Registry) -> None:
    assert metrics.check("root") == metrics.base("root") == "root"
    full = "osu_avg[barrier=barrier/builtin]"
    assert metrics.check("osu_avg[barrier=builtin]") == metrics.with_barrier("barrier/builtin") == full
    assert metrics.base(full) == "osu_avg"
    assert [metrics.has_barrier(m) for m in (full, "osu_avg", "osu_avg[barrier=x", "root[barrier=x]")] == [
        *(True, False, False, False)
    ]


def test_calls_that_go_on_say_how_their_ranks_compute_and_who_advances_them(known: Registry) -> None:
    assert [
        metrics.going_on(m) for m in ("nonblocking", "nonblocking[thread]", "overlap", "overlap[poll,offload]")
    ] == [*("nonblocking[calls]", "nonblocking[thread]", "overlap[wait,calls]", "overlap[poll,offload]")]
    assert metrics.going_on("overlap[wait,calls]", "poll", "thread") == "overlap[poll,thread]"
    assert metrics.going_on("nonblocking[calls]", None, "offload") == "nonblocking[offload]"
    assert [metrics.goes_on(m) for m in ("overlap[poll,calls]", "nonblocking", "makespan")] == [True, True, False]
    assert metrics.progress("overlap[poll,thread]") == "thread"


@pytest.mark.parametrize(
    ("metric", "method", "progress", "says"),
    [
        ("makespan", "poll", None, "--overlap goes with --metric overlap or nonblocking, not with makespan"),
        ("nonblocking", "poll", None, "--overlap poll goes with --metric overlap: nonblocking waits at once"),
        ("overlap", "pol", None, 'unknown method of overlap "pol"; did you mean "poll"?'),
        ("overlap", None, "ofload", 'unknown progress "ofload"; did you mean "offload"?'),
        (
            "overlap[poll]",
            None,
            None,
            "--metric overlap[poll]: write overlap[wait|poll,PROGRESS], with PROGRESS calls, thread, offload",
        ),
    ],
)
def test_a_wrong_method_or_progress_is_refused(
    metric: str, method: str | None, progress: str | None, says: str
) -> None:
    with pytest.raises(UsageError) as caught:
        metrics.going_on(metric, method, progress)
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ("rot", 'unknown metric "rot"; did you mean "root"?'),
        (
            "osu_avg[barier=x]",
            '--metric osu_avg[barier=x]: write "osu_avg[barrier=KEY]", where KEY is a barrier or a decision',
        ),
        (
            "root[barrier=x]",
            '--metric root[barrier=x]: write "osu_avg[barrier=KEY]", where KEY is a barrier or a decision',
        ),
        ("osu_avg[barrier=bcast/mst]", "bcast/mst is an algorithm of bcast, but -c says barrier"),
    ],
)
def test_an_unknown_metric_is_refused(known: Registry, metric: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        metrics.check(metric)
    assert str(caught.value) == says
