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
