"""Pictures of reports without drawing them, which takes most of a report's time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from collscope.figures import files
from collscope.studies.report import pictures
from collscope.studies.report.pictures import Picture


def stand_ins(monkeypatch: pytest.MonkeyPatch) -> list[Picture]:
    """From now on files of pictures are stand-ins; the list holds what was to be drawn."""
    requests: list[Picture] = []

    def draw(made: Sequence[Picture], folder: Path, jobs: int, cluster: object = None) -> list[str]:
        requests.extend(made)
        names = [f"{p.stem}.{kind}" for p in made for kind in ("svg", "png")]
        for name in names:
            files.write(b"<svg></svg>", folder / name)
        return names

    monkeypatch.setattr(pictures, "draw", draw)
    return requests


def plan(picture: Picture) -> dict[str, Any]:
    """All that the picture is drawn from: stem, title, number, caption, collective; the figure's function and its arguments, tables as
    their rows."""
    make: Any = picture.make
    kept = {k: v for k, v in vars(picture).items() if k != "make"}
    return {**kept, "figure": make.func.__name__, "args": [_plain(a) for a in make.args],
            **{k: _plain(v) for k, v in make.keywords.items()}}  # fmt: skip


def _plain(value: Any) -> Any:
    return value.astype(object).where(value.notna(), None).to_dict("list") if isinstance(value, pd.DataFrame) else value
