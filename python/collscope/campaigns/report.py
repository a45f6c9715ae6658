"""The comparator's report: how far predicted times are off measured ones, as Markdown, HTML and JSON, with figures.

All numbers come from two tables of points; nothing is scaled or left out. `write` is what a campaign and `compare --out` call.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from collscope.analysis import model_error, prediction
from collscope.base import pages
from collscope.base.files import write_atomically
from collscope.base.units import counted, format_size, format_time, join_words
from collscope.campaigns.judged_before import SUMMARY
from collscope.catalogue.decisions import library_name

TEMPLATES = Path(__file__).parent / "templates"
WORST = 12
MANY = 16  # numbers of ranks that have a row each
MAPS = 12  # of winners: where there are more, those of the largest regret
BANDED = ["of", "calls", "inside", "below", "above"]
PAGES = ("report.html", "report.md", SUMMARY)
FILES = (*PAGES, "figures")


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
    unstable: str = ""  # by how much the platform's messages differed from its numbers when it was calibrated
    model_errors: Mapping[str, float] = field(default_factory=dict)
    """Platform → how far the model is off by itself, as other calls have it (model_error.size); {}: each collective's is that of the
    others of this comparison."""

    @property
    def banded(self) -> Comparison:
        """The same; where calls have draws with the band of these and of the model's own error, where that is known."""
        if not prediction.has_band(self.both, prediction.DRAWN_BAND):
            return self
        known = self.both.platform.map(self.model_errors).astype(float)
        sizes = known if self.model_errors else model_error.of_others(self.both)
        if sizes.isna().any():
            return self
        return replace(self, both=model_error.with_band(self.both, sizes).assign(model_error=sizes))


@dataclass(frozen=True)
class _Numbers:
    """What a comparison comes to, computed once: frames as analysis.prediction has them. `errors`: of all, as "all", and by each of
    prediction.BY; `low`: measured calls below the bound, None: there is no bound; `band`, `drawn`, `covered`: of all and by size, how many
    are inside the whole band, inside that of what is not known alone, and inside that of the noise; empty without it; `sizes`: collective
    and platform → how far the model is off by itself, as that band has it; `own_error`: as these calls have it, None without draws."""

    errors: Mapping[str, pd.DataFrame]
    won: prediction.Winners | None
    baselines: Sequence[prediction.Baseline]
    worst: Sequence[Mapping[str, Any]]
    without: pd.DataFrame
    low: int | None
    band: pd.DataFrame
    drawn: pd.DataFrame
    covered: pd.DataFrame
    sizes: Mapping[tuple[str, str], float]
    own_error: float | None
    groups: Sequence[Mapping[str, Any]]


def _numbers(made: Comparison) -> _Numbers:
    low = None if made.bounds is None else len(prediction.below_bound(made.both, made.bounds))
    drawn = _covered(made.both, prediction.DRAWN_BAND)
    is_whole = prediction.has_band(made.both, prediction.WHOLE_BAND)
    return _Numbers(
        {by or "all": prediction.errors(made.both, by) for by in (None, *prediction.BY)},
        prediction.winners(made.both),
        prediction.baselines(made.both, made.predicted),
        [_call(row) for row in prediction.worst(made.both, WORST).itertuples(index=False)],
        prediction.without(made.both, made.without) if made.without else pd.DataFrame(),
        low,
        _covered(made.both, prediction.WHOLE_BAND) if is_whole else drawn,
        drawn,
        _covered(made.both, prediction.NOISE_BAND),
        dict(made.both.groupby(["collective", "platform"]).model_error.first()) if is_whole else {},
        model_error.size(made.both) if len(drawn) else None,
        _known(prediction.groups(made.both)),
    )


def _covered(both: pd.DataFrame, band: Sequence[str]) -> pd.DataFrame:
    found = [prediction.coverage(both, by, band) for by in (None, "size")]
    for part in found:
        part.columns = ["of", *prediction.COVERED]
    return pd.concat(found, ignore_index=True)


def write(made: Comparison, folder: Path) -> list[str]:
    """report.html, report.md, summary.json and figures/ in the folder; returns their names. The HTML holds its figures."""
    made = made.banded
    numbers = _numbers(made)
    pictures = _figures(made, folder)
    env = pages.environment(TEMPLATES)
    env.filters |= {"percent": _percent, "signed": _signed}
    text = env.get_template("report.md.j2").render(pictures=pictures, **_context(made, numbers)).rstrip() + "\n"
    write_atomically(folder / SUMMARY, json.dumps(summary(made, numbers), indent=1) + "\n")
    write_atomically(folder / "report.md", text)
    write_atomically(folder / "report.html", pages.html(text, folder))
    return [*PAGES, *(p.path for p in pictures)]


def summary(made: Comparison, numbers: _Numbers) -> dict[str, Any]:
    """What a program reads: errors of all and by each of prediction.BY, winners, baselines, bound, worst calls, elements, coverage of
    the whole band, of that of what is not known alone and of the noise's; how far the model is off by itself."""
    won = numbers.won
    return {
        "title": made.title,
        "quick": made.quick,
        "unstable": made.unstable,
        "points": len(made.both),
        "platforms": sorted(made.both.platform.unique()),
        "errors": {by: _known(frame) for by, frame in numbers.errors.items()},
        "winners": asdict(won) | {"agreement": won.agreement} if won else None,
        "baselines": [asdict(b) for b in numbers.baselines],
        "below_bound": numbers.low,
        "worst": numbers.worst,
        "without": numbers.without.to_dict("records"),
        "band": _known(numbers.band[BANDED]),
        "drawn": _known(numbers.drawn[BANDED]),
        "model_error": numbers.own_error,
        "coverage": _known(numbers.covered),
        "groups": numbers.groups,
    }


def _known(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame; None where a number is not known."""
    return [{str(k): None if v != v else v for k, v in row.items()} for row in frame.to_dict("records")]


def groups(folder: Path) -> list[dict[str, Any]]:
    """The rows of prediction.groups of the report in a folder."""
    found: list[dict[str, Any]] = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))["groups"]
    return found


def headline(folder: Path) -> list[tuple[str, str]]:
    """(name, value) of the numbers at the head of the report in a folder."""
    found = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    (whole,), won = found["errors"]["all"], found["winners"]
    rows = [("unstable", found["unstable"])] if found["unstable"] else []
    rows.append(("calls", str(whole["points"])))
    rows += [(f"{name} error", _percent(whole[name])) for name in ("median", "p90")]
    rows.append(("bias", _signed(whole["bias"])))
    rows += [("floor", _percent(whole["floor"]))] if whole["floor"] is not None else []
    if won:
        rows += [
            ("winner predicted", f"{_percent(won['agreement'])} of {won['calls']} calls"),
            ("mean regret", _percent(won["mean_regret"])),
        ]
    if found["band"]:
        (of, *_) = found["band"]
        rows.append(("inside the band", f"{_percent(of['inside'])} of {counted(of['calls'], 'call')}"))
    return rows


def _call(row: Any) -> dict[str, Any]:
    return {
        "collective": row.collective, "algorithm": row.algorithm, "platform": row.platform, "mapping": row.mapping,
        "ranks": int(row.ranks), "nodes": int(row.nodes), "bytes": int(row.bytes),
        "predicted_s": row.predicted_s, "measured_s": row.measured_s, "error": row.error,
        "floor": None if (floor := getattr(row, "floor", math.nan)) != floor else floor,
    }  # fmt: skip


@dataclass(frozen=True)
class _Picture:
    """A figure that was written: its path below the report's folder, and its caption."""

    path: str
    caption: str


def _figures(made: Comparison, folder: Path) -> list[_Picture]:
    """Draws the figures into the folder."""
    from collscope.figures import files
    from collscope.figures import prediction as figures

    won = prediction.winners_by_call(made.both)
    drawn = {
        "scatter": (figures.scatter(made.both), "Every call: predicted over measured time. On the line both agree."),
        "errors": (
            figures.heat(made.both),
            "Where the error is: blue is predicted too fast, red too slow. Without numbers of ranks that have one or two sizes only.",
        ),
    }
    apart = prediction.settings(made.both)
    places = [
        (group, part)
        for group, part in won.groupby(["collective", *apart], sort=False)
        if part.groupby(["ranks", "bytes"]).size().shape[0] > 1
    ]
    if len(places) > MAPS:
        places = sorted(places, key=lambda place: -float(place[1].regret.mean()))[:MAPS]
    for group, part in places:
        where = _where(dict(zip(apart, group[1:], strict=True)))
        drawn["_".join(("winners", *map(str, group)))] = (
            figures.winner_maps(part, group[0], where),
            f"{group[0]}{where}: who is the fastest, measured and predicted.",
        )
    found = []
    for stem, (figure, caption) in drawn.items():
        found.append(_Picture(f"figures/{stem}.png", caption))
        write_atomically(folder / found[-1].path, files.render(figure, "png"))
    return found


def _where(place: Mapping[str, Any]) -> str:
    """A group's place behind its collective, in words: those of prediction.settings."""
    nodes = [counted(int(place["nodes"]), "node")] if "nodes" in place else []
    platform = [str(place["platform"])] if "platform" in place else []
    mapping = [f"mapping {place['mapping']}"] if "mapping" in place else []
    return "".join(f", {words}" for words in (*platform, *mapping, *nodes))


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _signed(value: float) -> str:
    return f"{100 * value:+.1f} %"


def _context(made: Comparison, numbers: _Numbers) -> dict[str, Any]:
    """What the templates show."""
    tables = dict(numbers.errors)
    if made.both.ranks.nunique() > MANY:
        tables["ranks"] = prediction.errors(made.both.assign(ranks=made.both.ranks.map(_ranks_range)), "ranks")
    checked = made.bounds is not None and (made.both.metric == "makespan").any()
    elements = numbers.without
    return {
        "made": made,
        "whole": _known(numbers.errors["all"])[0],
        "won": numbers.won,
        "tables": [(by, _known(tables[by])) for by in prediction.BY if len(tables[by]) > 1],
        "baselines": [(library_name(b.decision), b) for b in numbers.baselines],
        "worst": [
            {
                **c,
                "size": format_size(c["bytes"]),
                "p": format_time(c["predicted_s"]),
                "m": format_time(c["measured_s"]),
            }
            for c in numbers.worst
        ],
        "elements": _elements(elements),
        "sizes": list(dict.fromkeys(elements["size"])) if len(elements) else [],
        "suspects": _suspects(elements),
        "low": numbers.low if checked else None,
        "calls": counted(len(made.both), "call"),
        "banded": numbers.band.to_dict("records"),
        "by_draws": numbers.drawn.to_dict("records"),
        "off_by_itself": _sizes(numbers.sizes),
        "covered": numbers.covered.to_dict("records"),
        "settings": prediction.settings(made.both),
        "groups": numbers.groups,
        "where": lambda call: _where({name: call[name] for name in prediction.settings(made.both)}).removeprefix(", "),
        "nominal": prediction.NOMINAL,
        "drawn": prediction.DRAWN,
        "noise": prediction.NOISE,
    }


def _sizes(found: Mapping[tuple[str, str], float]) -> str:
    """How far the model is off by itself in each band, in words."""
    texts = {f"{_percent(size)}": [c for (c, _), other in found.items() if other == size] for size in found.values()}
    return ", ".join(f"{text} for {join_words(sorted(set(of)))}" for text, of in texts.items())


def _ranks_range(ranks: int) -> str:
    """Of many numbers of ranks those up to a power of two together, in words that sort."""
    most = 1 << max(ranks - 1, 1).bit_length()
    return f"{most // 2 + 1 if most > 2 else 1:>4} to {most}"


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
