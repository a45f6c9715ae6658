"""The comparator's report: how far predicted times are off measured ones, as HTML, Markdown and JSON, with figures.

All numbers come from two tables of points; nothing is scaled or left out. `write` is what a campaign and `compare --out` call.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from collscope.analysis import prediction
from collscope.base.files import write_atomically
from collscope.base.units import counted, format_size, format_time
from collscope.catalogue.decisions import library_name

TEMPLATES = Path(__file__).parent / "templates"
WORST = 12
MANY = 16  # numbers of ranks that have a row each
SUMMARY = "summary.json"


@dataclass(frozen=True)
class Comparison:
    """What a report is made of: `both` as prediction.joined has it, and the table that the predictions are from."""

    title: str
    both: pd.DataFrame
    predicted: pd.DataFrame
    about: str = ""
    setting: Sequence[tuple[str, str]] = ()
    floor: str = ""  # how well measurements repeat, in words
    bounds: pd.DataFrame | None = None
    without: Mapping[str, pd.DataFrame] = field(default_factory=dict)  # element → `both` of the prediction without it
    unpredicted: Sequence[str] = ()  # calls that were measured and have no prediction, or the other way round, in words
    quick: bool = False


def write(made: Comparison, folder: Path) -> list[str]:
    """report.html, report.md, summary.json and figures/ in the folder; returns their names. The HTML holds its figures."""
    figures = _figures(made, folder)
    context = _context(made, [name for name, _, _ in figures])
    write_atomically(folder / SUMMARY, json.dumps(summary(made), indent=1) + "\n")
    pictures = [
        {"path": name, "caption": caption, "png": base64.b64encode(data).decode()} for name, caption, data in figures
    ]
    for kind in ("md", "html"):
        env = jinja2.Environment(
            loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=kind == "html", trim_blocks=True, lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )  # fmt: skip
        env.filters |= {"percent": _percent, "signed": _signed}
        text = env.get_template(f"report.{kind}.j2").render(pictures=pictures, **context)
        write_atomically(folder / f"report.{kind}", text.rstrip() + "\n")
    return ["report.html", "report.md", SUMMARY, *(p["path"] for p in pictures)]


def summary(made: Comparison) -> dict[str, Any]:
    """What a program reads: errors of all and by each of prediction.BY, winners, baselines, bound, worst calls, elements."""
    won = prediction.winners(made.both)
    low = None if made.bounds is None else prediction.below_bound(made.both, made.bounds)
    parts = {by or "all": prediction.errors(made.both, by).to_dict("records") for by in (None, *prediction.BY)}
    return {
        "title": made.title,
        "quick": made.quick,
        "points": len(made.both),
        "errors": parts,
        "winners": asdict(won) | {"agreement": won.agreement} if won else None,
        "baselines": [asdict(b) for b in prediction.baselines(made.both, made.predicted)],
        "below_bound": None if low is None else len(low),
        "worst": [_call(row) for row in prediction.worst(made.both, WORST).itertuples(index=False)],
        "without": prediction.without(made.both, made.without).to_dict("records") if made.without else [],
    }  # fmt: skip


def _call(row: Any) -> dict[str, Any]:
    return {
        "collective": row.collective, "algorithm": row.algorithm, "ranks": int(row.ranks), "nodes": int(row.nodes), "bytes": int(row.bytes),
        "predicted_s": row.predicted_s, "measured_s": row.measured_s, "error": row.error,
    }  # fmt: skip


def _figures(made: Comparison, folder: Path) -> list[tuple[str, str, bytes]]:
    """(path below the folder, caption, PNG) of each figure, written as SVG and PNG."""
    from collscope.figures import files
    from collscope.figures import prediction as figures

    won = prediction.winners_by_call(made.both)
    wanted = {
        "scatter": (figures.scatter(made.both), "Every call: predicted over measured time. On the line both agree."),
        "errors": (figures.heat(made.both), "Where the error is: blue is predicted too fast, red too slow."),
    }
    for collective in won.collective.unique():
        if won[won.collective == collective].groupby(["ranks", "bytes"]).size().shape[0] > 1:
            wanted[f"winners_{collective}"] = (
                figures.winner_maps(won, collective),
                f"{collective}: who is the fastest, measured and predicted.",
            )
    found = []
    for stem, (figure, caption) in wanted.items():
        png = files.render(figure, "png")
        write_atomically(folder / "figures" / f"{stem}.png", png)
        found.append((f"figures/{stem}.png", caption, png))
    return found


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _signed(value: float) -> str:
    return f"{100 * value:+.1f} %"


def _context(made: Comparison, figures: Sequence[str]) -> dict[str, Any]:
    few = made.both if made.both.ranks.nunique() <= MANY else made.both.assign(ranks=made.both.ranks.map(_ranks_range))
    whole = prediction.errors(made.both).to_dict("records")[0]
    won = prediction.winners(made.both)
    far = [
        {**_call(row), "size": format_size(int(row.bytes)), "p": format_time(row.predicted_s), "m": format_time(row.measured_s)}
        for row in prediction.worst(made.both, WORST).itertuples(index=False)
    ]  # fmt: skip
    elements = prediction.without(made.both, made.without) if made.without else pd.DataFrame()
    low = None if made.bounds is None else prediction.below_bound(made.both, made.bounds)
    checked = made.bounds is not None and (made.both.metric == "makespan").any()
    return {
        "made": made,
        "whole": whole,
        "won": won,
        "tables": [
            (by, prediction.errors(few, by).to_dict("records")) for by in prediction.BY if few[by].nunique() > 1
        ],
        "baselines": [(library_name(b.decision), b) for b in prediction.baselines(made.both, made.predicted)],
        "worst": far,
        "elements": _elements(elements),
        "sizes": list(dict.fromkeys(elements["size"])) if len(elements) else [],
        "suspect": _suspects(elements),
        "low": len(low) if checked and low is not None else None,
        "calls": counted(len(made.both), "call"),
        "figures": figures,
    }


def _ranks_range(ranks: int) -> str:
    """Of many numbers of ranks those up to a power of two together, in words that sort."""
    most = 1 << max(ranks - 1, 1).bit_length()
    return f"{most // 2 + 1:>4} to {most}" if most > 2 else "   up to 2"


def _elements(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A row for each element: median and p90 of all, and the median of each range of sizes."""
    if not len(frame):
        return []
    made = []
    for name in dict.fromkeys(frame.without):
        part = frame[frame.without == name].set_index("size")
        made.append({"name": name, "cells": {s: (part.loc[s, "median"], part.loc[s, "p90"]) for s in part.index}})
    return made


def _suspects(frame: pd.DataFrame) -> list[tuple[str, str, float, float]]:
    """(range of sizes, element, median error with, and without it) where leaving the element out makes predictions better: evidence
    against it there."""
    if not len(frame):
        return []
    whole = frame[frame.without == "nothing"].set_index("size")["median"]
    found = [
        (row.size_, row.without, whole[row.size_], row.median)
        for row in frame.rename(columns={"size": "size_"}).itertuples(index=False)
        if row.without != "nothing" and row.median < whole[row.size_] - 0.01
    ]
    return sorted(found, key=lambda f: f[3] - f[2])
