"""collscope.campaigns.campaign: campaigns are read with every mistake named, and measure what is not kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UsageError, UserError
from collscope.campaigns import campaign as campaigns

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
