"""collscope.analysis.link_checks, collscope.analysis.families: bytes over links, leads, and who wins by families."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from collscope.analysis import families
from collscope.analysis.check import MISSING, Context
from collscope.analysis.link_checks import FewerBytes, LeadUpTo
from collscope.analysis.times import Times

#        platform, name, bytes, seconds, over global links
LINES = [
    ("tree", "new", 8, 1.0, 60), ("tree", "new", 16, 4.0, 120), ("tree", "old", 8, 3.0, 100), ("tree", "old", 16, 4.0, 200),
    ("tree", "older", 8, 2.0, 100), ("tree", "older", 16, 9.0, 50),
    ("ring", "new", 8, 1.0, math.nan), ("ring", "new", 16, 1.0, math.nan), ("ring", "old", 8, 1.5, math.nan),
    ("ring", "old", 16, 1.0, math.nan),
]  # fmt: skip


@pytest.fixture
def context() -> Context:
    rows = [
        {"collective": "bcast", "mapping": "block", "ranks": 4, "nodes": 4, "bytes": size, "name": name, "time_s": time, "chose": "",
         "platform": platform, "global_bytes": moved}
        for platform, name, size, time, moved in LINES
    ]  # fmt: skip
    return Context(Times(pd.DataFrame(rows), (8, 16)), (), {"half": 0.5, "third": 1 / 3}, "", {}, 0.0, ("", 1))


def judged(context: Context, of: Any, **given: Any) -> list[tuple[str, bool | None, str]]:
    check = of.model_validate({"collective": "bcast", **given})
    return [(a.text, a.holds, a.evidence) for a in check.assertions(context)]


def test_bytes_are_those_of_all_sizes_together_and_unknown_where_a_network_has_no_such_links(context: Context) -> None:
    found = judged(context, FewerBytes, kind="fewer_bytes", name="new", than="old")
    assert found == [
        ("bcast, ring, 4 nodes: new moves fewer bytes over global links than old", None, MISSING),
        ("bcast, tree, 4 nodes: new moves fewer bytes over global links than old", True, "40.0 % fewer bytes over global links"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "holds"),
    [
        ({"by": 0.4}, True),
        ({"by": "half"}, False),
        ({"most": "third"}, False),
        ({"most": 0.4}, True),
        ({"sizes": "16B"}, True),
    ],
)
def test_a_share_is_a_least_or_a_most(context: Context, given: dict[str, Any], holds: bool) -> None:
    ((_, found, _),) = judged(context, FewerBytes, kind="fewer_bytes", platform="tree", name="new", than="old", **given)
    assert found is holds


def test_more_bytes_are_called_more(context: Context) -> None:
    ((_, holds, made),) = judged(
        context, FewerBytes, kind="fewer_bytes", platform="tree", name="new", than="older", sizes="16B"
    )
    assert (holds, made) == (False, "140.0 % more bytes over global links")


def test_a_lead_is_the_largest_of_all_places_and_sizes_over_the_best_of_the_others(context: Context) -> None:
    found = judged(context, LeadUpTo, kind="lead_up_to", name="new", than=["old", "older"], times=2)
    assert found == [
        ("bcast: new is up to 2 times as fast as the best of old, older", True, "at most 2.00 times, over older: bcast, tree, 4 nodes, 8 B")
    ]  # fmt: skip
    for times, within, holds in ((2.2, 0, False), (2.2, 0.1, True)):
        ((_, found_there, _),) = judged(
            context, LeadUpTo, kind="lead_up_to", name="new", than=["old", "older"], times=times, within=within
        )
        assert found_there is holds
    ((_, holds_nothing, _),) = judged(context, LeadUpTo, kind="lead_up_to", name="no", than="old", times=2)
    assert holds_nothing is None


def test_the_older_wins_where_times_are_the_same() -> None:
    rows = [
        ("tree", "bcast", 4, 4, 8, "bcast/bine", "bine", 1.0),
        ("tree", "bcast", 4, 4, 8, "bcast/mst", "mst", 1.0),
        ("tree", "bcast", 4, 4, 16, "bcast/bine", "bine", 1.0),
        ("tree", "bcast", 4, 4, 16, "bcast/mst", "mst", 3.0),
        ("tree", "scan", 4, 4, 8, "scan/bine[k=2]", "bine[k=2]", 1.0),
    ]
    frame = pd.DataFrame(rows, columns=[*families.PLACE, "key", "short_label", "time_s"])
    found = families.winners(frame, {"Bine": ["*/bine"]})
    assert list(found["winner"]) == ["mst", "bine", "bine[k=2]"]
    assert list(found["family"]) == [families.BEFORE, "Bine", "Bine"]
    assert list(found["gain"])[:2] == [1.0, 3.0]
    assert math.isnan(found["gain"].iloc[2]), "nothing was there before"
    assert "Bine 2" in families.sentence(found)


def test_bytes_are_compared_at_the_sizes_that_both_have() -> None:
    rows = [
        ("tree", "bcast", 4, 4, 8, "bcast/a", 10), ("tree", "bcast", 4, 4, 16, "bcast/a", 10), ("tree", "bcast", 4, 4, 8, "bcast/b", 40),
        ("ring", "bcast", 4, 4, 8, "bcast/a", 10), ("ring", "bcast", 4, 4, 8, "bcast/b", 0),
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=[*families.PLACE, "key", "link_bytes"])
    found = families.moved(frame, [("bcast/a", "bcast/b")], "link_bytes")
    assert found[["platform", "share"]].to_numpy().tolist() == [["tree", 0.25]]
