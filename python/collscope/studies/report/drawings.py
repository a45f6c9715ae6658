"""The figures that a study asks for: times of what competes, who wins on which machine, and bytes over links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from collscope.analysis import families
from collscope.base.units import counted, join_words, rounded_size
from collscope.figures.fitted import FittedLine, fitted_figure
from collscope.figures.moved_bytes import moved_bytes_figure
from collscope.figures.run import run_figure
from collscope.figures.who_wins import who_wins_figure
from collscope.studies.report.analysis import Analysis
from collscope.studies.study import DRAWINGS, Drawing

MOVED = {"global_bytes": "over global links", "link_bytes": "over all links between nodes, once each"}


@dataclass(frozen=True)
class Picture:
    """A figure to be drawn. `make` can be sent to another process."""

    stem: str  # figures/STEM.svg and .png
    title: str
    number: str  # of the source's figure, or ""
    caption: str
    make: Callable[[], Figure] = field(compare=False)
    collective: str = ""


def drawing(analysis: Analysis, d: Drawing, note: str, colours: Mapping[str, str]) -> Picture | None:
    """A figure that the study asks for, in the `colours` of its keys; None where none of its points has a number."""
    if d.kind != DRAWINGS[0]:
        return KINDS[d.kind](analysis, d, note)
    study = analysis.study
    called = {e.key: analysis.short_name(e) for e in study.collective(d.collective).entries if d.shows(e)}
    rows = analysis.rows_of(d, called)
    if rows.empty:
        return None
    size = "block_bytes" if study.blocks else "bytes"
    on = (
        study.platform
        if not study.machines
        else d.platforms[0]
        if len(d.platforms) == 1
        else f"{len(d.platforms)} machines"
    )
    on = on if d.platforms or not study.machines else next(iter(study.machines.values()))
    subtitle = f"{'Figure ' + d.number + ' of the paper · ' if d.number else ''}{on}, {note}"
    if fits := _fitted(analysis, rows, called):
        (name,) = called.values()
        make = partial(fitted_figure, rows, fits, title=d.title, name=name, subtitle=subtitle, colours=colours)
    else:
        make = partial(run_figure, rows, title=d.title, size=size, called=called, subtitle=subtitle, colours=colours)
    caption = d.caption or best_sentence(rows, size, called)
    return Picture(d.stem, d.title, d.number, caption, make, d.collective)


def _fitted(analysis: Analysis, rows: pd.DataFrame, called: Mapping[str, str]) -> list[FittedLine]:
    """The polynomials, ours and the paper's, of a figure that shows one algorithm at one size over ranks."""
    if rows["block_bytes"].nunique() > 1 or len(called) > 1:
        return []
    name, collective, size = next(iter(called.values())), rows["collective"].iloc[0], rows["block_bytes"].iloc[0]
    fit = next(
        (f for f in analysis.fits if (f.text.name, f.text.collective, f.bytes) == (name, collective, size)), None
    )
    if not fit:
        return []
    at = np.linspace(fit.ranks[0], fit.ranks[-1], 200)
    lines = [FittedLine(f"our fit of degree {fit.text.degree}: R² {fit.r2:.3f}", at, 1e-6 * fit.at(fit.ours, at))]
    if fit.text.printed:
        lines.append(FittedLine("printed in the paper", at, 1e-6 * fit.at(fit.text.printed, at), of_source=True))
    return lines


def _shown(analysis: Analysis, d: Drawing) -> pd.DataFrame:
    """The times on all machines that the figure shows."""
    f = analysis.everywhere(d.mappings)
    size = "block_bytes" if analysis.study.blocks else "bytes"
    shown = pd.Series([True] * len(f), f.index)
    for column, values in (("platform", d.platforms), ("ranks", d.ranks), ("nodes", d.nodes), (size, d.sizes)):
        shown &= f[column].isin(values) if values else True
    return f[shown]


def _winners(analysis: Analysis, d: Drawing, note: str) -> Picture | None:
    study = analysis.study
    found = families.winners(_shown(analysis, d), study.families)
    if found.empty:
        return None
    layouts = {
        (ranks, nodes): f"{ranks} ranks on {counted(nodes, 'node')}"
        for nodes, ranks in study.layouts
        if (not d.ranks or ranks in d.ranks) and (not d.nodes or nodes in d.nodes)
    }
    titles = {
        (collective, *at): title if len(layouts) == 1 else f"{title}, {words}"
        for collective, title in study.titles.items()
        for at, words in layouts.items()
    }
    subtitle = f"{', '.join(layouts.values())} · {note} · number: how many times as long the best of what was there before takes"
    make = partial(who_wins_figure, found, list(study.families), titles, title=d.title, subtitle=subtitle)
    return Picture(d.stem, d.title, d.number, d.caption or families.sentence(found), make)


def _traffic(analysis: Analysis, d: Drawing, note: str) -> Picture | None:
    shown = _shown(analysis, d)
    pairs = list(d.pairs)
    panels = {words: families.moved(shown, pairs, column) for column, words in MOVED.items() if column in shown}
    panels = {words: shares for words, shares in panels.items() if len(shares)}
    if not panels:
        return None
    there = [
        pair for pair in pairs if any(((s["key"] == pair[0]) & (s["than"] == pair[1])).any() for s in panels.values())
    ]
    subtitle = "counted from the messages, the ranks' places and the routes; no time is in them"
    make = partial(moved_bytes_figure, panels, there, title=d.title, subtitle=subtitle)
    return Picture(d.stem, d.title, d.number, d.caption, make)


KINDS: Mapping[str, Callable[[Analysis, Drawing, str], Picture | None]] = {"winners": _winners, "traffic": _traffic}


def best_sentence(rows: pd.DataFrame, size: str, called: Mapping[str, str]) -> str:
    """Who is fastest at which sizes; of a figure over ranks, at how many of its places. `rows`: of the tidy table."""
    best = rows.loc[rows.groupby([size, "ranks", "nodes", "mapping"])["median_s"].idxmin()]
    count = best["algorithm"].map(called).value_counts(sort=True)
    if best[size].nunique() < len(best):
        return "Fastest: " + join_words([f"{name} at {counted(n, 'point')}" for name, n in count.items()]) + "."
    runs: list[tuple[str, int]] = []
    for name, at in zip(best["algorithm"].map(called), best[size], strict=True):
        if runs and runs[-1][0] == name:
            runs[-1] = (name, int(at))
        else:
            runs.append((str(name), int(at)))
    return "Fastest: " + ", then ".join(f"{name} to {rounded_size(at)}" for name, at in runs) + "."
