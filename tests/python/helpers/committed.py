"""The committed reference of the study of Schooner: its table, its study and its origin, without a build."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pandas as pd

from collscope.base import paths
from collscope.points import table
from collscope.studies import reader
from collscope.studies.origin import Origin
from collscope.studies.study import Study

FOLDER = paths.ROOT / "results" / "bird_schooner"


@cache
def frame() -> pd.DataFrame:
    """The table, with the columns of points/table.py."""
    return table.read_csv(FOLDER / "table.csv")


def study() -> Study:
    """The study with the full keys of the table, which check_keys would have to ask a program for."""
    read = reader.load("bird_schooner")
    full = {key.partition("[")[0]: key for key in frame()["algorithm"].unique()}
    collectives = []
    for c in read.collectives:
        keys = [(e, full[e.key]) for e in c.entries]
        entries = tuple(replace(e, key=key, name=key if e.name == e.key else e.name) for e, key in keys)
        collectives.append(replace(c, entries=entries))
    return replace(read, collectives=tuple(collectives))


def origin() -> Origin:
    """Where its numbers came from."""
    return Origin(**json.loads((FOLDER / "run.json").read_text())["origin"])
