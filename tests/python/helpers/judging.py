"""Checks on small tables: for tests of what claims are made of."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from collscope.analysis.claims import Assertion
from collscope.papers import papers

HEAD = """
title = "a paper"
source = "nobody"
theory = "nothing"
unit = { name = "words", bytes = 4 }
[tolerances]
best = 0.001
near = 0.1
"""

Seconds = Callable[[str, str, int, int, int], float]  # collective, name, ranks, nodes, bytes


def table(seconds: Seconds, layouts: list[tuple[int, int]], names: list[str], sizes: list[int]) -> pd.DataFrame:
    """The columns of analysis/times.py; `layouts`: (ranks, nodes)."""
    rows = [
        ("gather", ranks, nodes, size, name, seconds("gather", name, ranks, nodes, size), "")
        for ranks, nodes in layouts for name in names for size in sizes
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["collective", "ranks", "nodes", "bytes", "name", "time_s", "chose"])


def assertions(check: str, frame: pd.DataFrame, head: str = HEAD) -> list[Assertion]:
    """What one check says, given as the lines of its TOML table without its collective."""
    claim = f'\n[[claim]]\nid = "X"\ntext = "x"\nwhere = "1"\n[[claim.check]]\ncollective = "gather"\n{check}\n'
    tomllib.loads(head + claim)
    paper = papers.parse(head + claim, Path("papers/made.toml"))
    return list(paper.judge(frame, sorted(set(frame["bytes"])))[0].assertions)
