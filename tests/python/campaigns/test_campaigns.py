"""collscope.campaigns.campaign: campaigns are read with every mistake named, and measure what is not kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UsageError, UserError
from collscope.campaigns import campaign as campaigns
from collscope.machines import find
from collscope.sources import published
from collscope.sources.source import Options

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")

MEASURED = """
title = "t"
platform = "schooner"
baselines = ["decision/ompi_4_1"]
without = []
[measure]
source = "real"
[quick]
bytes = "4B"
[[calls]]
collectives = ["bcast", "barrier"]
algorithms = ["flat"]
nodes = [2, 3]
bytes = "4B,1KiB"
"""


def written(folder: Path, text: str = MEASURED) -> str:
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def test_every_campaign_that_is_here_can_be_read() -> None:
    for name in campaigns.names():
        assert campaigns.load(name).file.title
    with pytest.raises(UsageError, match='did you mean "orfeo_published"'):
        campaigns.load("orfeo_publishd")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('source = "real"', 'source = "guessed"', r"mine.toml:7: measure\.source"),
        ('bytes = "4B"', 'bytes = "4 apples"', r"mine.toml:9: quick\.bytes"),
        ("nodes = [2, 3]", "nodes = [0]", r"mine.toml:13: .*nodes"),
        ("decision/ompi_4_1", "decision/ompi_9", "mine.toml: .*ompi_9"),
        ('title = "t"', 'title = "t"\ntype = "x"', 'mine.toml: unknown type "x"; known: '),
        ('source = "real"', 'source = "published"', r"mine.toml:6: measure: .*\[\[calls\]\]"),
        ('source = "real"', 'source = "real"\n[bed]\nhosts = 4', r"mine.toml:8: bed: .*testbed"),
        ("without = []", 'noise = 5\npredict = "sim"', r"mine.toml:5: noise: .*the model"),
        ("without = []", "noise = 100001", r"mine.toml:5: noise: .*100000"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        campaigns.load(written(tmp_path, MEASURED.replace(old, new)))


def test_flat_algorithms_do_not_look_at_where_ranks_sit() -> None:
    flat, placed = (campaigns.keys_of("bcast", [name]) for name in ("flat", "placed"))
    assert "bcast/linear" in flat and any("hierarchical" in key for key in placed)
    assert sorted(flat + placed) == sorted(campaigns.keys_of("bcast", ["all"]))


def test_published_times_are_found_by_our_keys() -> None:
    platform = find.load("orfeo_epyc")
    tasks = published.tasks(platform, "orfeo_epyc")
    rows = published.rows(tasks, Options())
    assert len(rows) == 2240 and all(row["kind"] == "ok" for row in rows)
    found = {(r["algorithm"], r["ranks"], r["block_bytes"]): r["median_s"] for r in rows if r["collective"] == "bcast"}
    assert found["bcast/chain[chains=4,s=0]", 16, 16384] == pytest.approx(14.52e-6)
    assert found["decision/ompi_4_1", 2, 1] == pytest.approx(1.73e-6)
    layout, point = tasks[0]
    other = published.rows([(type(layout)(platform, 2, layout.ranks, "block"), point)], Options())[0]
    assert other["status"] == published.NOBODY and other["median_s"] is None
    with pytest.raises(UserError, match="of schooner no times of collectives were published here"):
        published.tasks(platform, "schooner")
