"""A study of one collective whose report can be known by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

import made_table
from collscope.studies import reader
from collscope.studies.report.analysis import Analysis, analyse
from collscope.studies.study import Study

TEXT = """
title = "small"
[setting]
platform = "tiny"
nodes = [2]
ranks = [4]
also_metrics = ["root"]
[sizes]
bytes = "16B..64B"
focus = "32B,64B"
focus_label = "range"
[classes]
short = "s"
long = "l"
[[collective]]
name = "bcast"
short = "bcast/mst"
long = "bcast/linear"
"""
TIMES = {"short": {16: 1.0, 32: 2.0, 64: 8.0}, "long": {16: 2.0, 32: 2.0, 64: 2.0}}


def study(text: str = TEXT) -> Study:
    return reader.parse(text, Path("sim/small.toml"))


def time(collective: str, name: str, nodes: int, size: int) -> float:
    return TIMES[name][size]


def analysis(study: Study, **cells: Any) -> Analysis:
    """Of TIMES, with cells of the first simulated row changed; the bounds are a microsecond and more."""
    rows = made_table.rows(study, time)
    for row in rows:
        row["ranks"] = 4
    rows[0] |= cells
    return analyse(study, pd.DataFrame(rows).pipe(lambda frame: frame.fillna({"chose": ""})))
