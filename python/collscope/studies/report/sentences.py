"""The sentences of a report: captions of figures and the summary at its head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from collscope.analysis import crossover
from collscope.analysis.tree import Tree, regret
from collscope.analysis.winner_table import WinnerTable, fits_better
from collscope.base.units import join_words, rounded_size
from collscope.catalogue.decisions import library_name
from collscope.studies.report.analysis import Analysis, Changes, resolved

ALIKE = 1e-6  # relatively: the model and the simulation, which sum up in another order
TIE = 1.001  # names within 0.1 % of the fastest are called fastest, too


def geometric_means(times: pd.DataFrame, sizes: Sequence[int]) -> dict[str, float]:
    """short_label → geometric mean of time_s over the sizes, in seconds; without the names that lack some of them."""
    part = times[times["bytes"].isin(list(sizes))]
    by = part.assign(log=np.log(part["time_s"])).groupby("short_label", sort=False)["log"]
    full = by.agg(["size", "mean"])
    if full.empty:
        return {}
    full = full[full["size"] == full["size"].max()]
    return {str(k): float(np.exp(v)) for k, v in full["mean"].items()}


def sample_sentence(analysis: Analysis) -> str:
    """How near the model is to the simulated sample; "" without one."""
    both = analysis.sample
    if both.empty:
        return ""
    alike = int((both["off"] < ALIKE).sum())
    worst = both.loc[both["off"].idxmax()]
    return (
        f"Of these points {len(both)} were simulated, too: {alike} agree with the model to {ALIKE:g} of the time, and the largest "
        f"difference is {100 * worst['off']:.2g} % ({worst['algorithm']}, {worst['ranks']} ranks, {worst['platform']})."
    )


def case_sentence(analysis: Analysis, times: pd.DataFrame, bound: pd.DataFrame) -> str:
    """What one figure shows, in one or two sentences. `times`: rows of Analysis.sim; `bound`: bytes, time_s."""
    words = []
    sizes = [s for s in analysis.focus if s in set(times["bytes"])]
    means = geometric_means(times, sizes)
    if means:
        words.append(_fastest(means, sizes))
    if len(set(times["bytes"])) > 1:
        words.append(_fastest_by_size(times))
    if len(bound):
        ratio = times.merge(bound.rename(columns={"time_s": "bound_s"}), on="bytes")
        low = (ratio["time_s"] / ratio["bound_s"]).min()
        if low < 1:
            overlap = "the telephone bound, which forbids the overlap it uses"
            words.append(f"The fastest point takes {low:.2f} of {overlap}.")
    if analysis.study.metric != "makespan":
        words.append(f"Times are {analysis.study.metric}.")
    return " ".join(words)


def _fastest(means: Mapping[str, float], sizes: Sequence[int]) -> str:
    order = sorted(means.items(), key=lambda i: i[1])
    best = order[0][1]
    low, high = rounded_size(sizes[0]), rounded_size(sizes[-1])
    span = f"From {low} to {high}" if len(sizes) > 1 else f"At {low}"
    tied = [n for n, t in order if t <= best * TIE]
    rest = [f"{n} {100 * (t / best - 1):.{0 if t / best > 1.1 else 1}f} %" for n, t in order if t > best * TIE]
    lead = f"{join_words(tied)} {'is' if len(tied) == 1 else 'are'} fastest"
    return f"{span} {lead} (geometric mean)" + (f"; {join_words(rest)} slower." if rest else ".")


def _fastest_by_size(times: pd.DataFrame) -> str:
    ranges = crossover.spans(times.assign(name=times["short_label"]))
    if len(ranges) == 1:
        return f"Over all sizes shown {ranges[0].name} is never beaten."
    first = f"{ranges[0].name} below {rounded_size(ranges[0].to_bytes)}"
    middle = [f"{s.name} to {rounded_size(s.to_bytes)}" for s in ranges[1:-1]]
    return "Fastest by size: " + join_words([first, *middle, f"{ranges[-1].name} above"]) + "."


def crossover_sentence(analysis: Analysis, where: Sequence[Changes]) -> str:
    """How often the best class changes, with each alternative."""
    study = analysis.study
    words = []
    for p in where:
        cases = {_lane(s) for s in p.spans}
        one = sum(1 for c in cases if len({s.name for s in p.spans if _lane(s) == c}) == 1)
        later = [s for before, s in pairwise(p.spans) if _lane(before) == _lane(s)]
        inside = sum(1 for s in later if study.focus[0] < s.from_bytes <= study.focus[-1]) if study.focus else 0
        name = f"With {library_name(p.alternative)} as {analysis.open_class}" if p.alternative else "Altogether"
        words.append(
            f"{name}, the best class changes {len(p.spans) - len(cases)} times over {len(cases)} pairs of collective and "
            + ("node count" if len(study.ranks) == 1 else "layout")
            + (f", {inside} of them in the {study.focus_label}" if study.focus else "")
            + f"; in {one} of the pairs one class is best at all sizes."
        )
    return " ".join(words)


def _lane(span: crossover.Span) -> tuple[str, int, int]:
    return span.collective, span.ranks, span.nodes


def tree_sentence(analysis: Analysis, tree: Tree) -> str:
    """How many rules the tree has and what following it costs."""
    loss = regret(resolved(analysis), tree)["regret"]
    return (
        f"{len(tree.rules)} rules reach the best algorithm of the study within {100 * loss.max():.2f} % at every point "
        f"({100 * loss.mean():.2f} % on average over {len(loss)} points; allowed: {100 * tree.tolerance:g} %)."
    )


def headlines(
    analysis: Analysis, tables: Sequence[WinnerTable], claims: Sequence[Mapping[str, Any]], where: Sequence[Changes],
    tree: Tree | None, varied: Mapping[str, Any] | None,
) -> list[str]:  # fmt: skip
    """The summary at the head of a report. `claims`: rows of tables.claim_summary; `varied`: of sensitivity.summary."""
    out = []
    if tables:
        out.append(_fit(analysis, tables))
    if varied and varied["ahead"]:
        first = max(varied["ahead"], key=lambda t: int(t["ahead"]))
        out.append(
            f"With {varied['numbers']} undocumented numbers of the platform moved to the ends of their plausible ranges, "
            f"{first['alternative']} stays ahead in {first['ahead']} of {varied['variants']} variants."
        )
    for s in claims:
        untested = f", {s['not_testable']} not testable" if s["not_testable"] else ""
        out.append(
            f"Of {s['claims']} claims{', with ' + s['alternative'] if s['alternative'] else ''}: {s['reproduced']} reproduced, "
            f"{s['partly']} partly, {s['not_reproduced']} not{untested}; {s['held']} of {s['assertions']} atomic assertions hold, and "
            f"{s['as_expected']} of the {s['expected']} that theory had an opinion on came out as it expected."
        )
    if any(p.spans for p in where):
        out.append(crossover_sentence(analysis, where))
    if tree:
        out.append("Decision tree: " + tree_sentence(analysis, tree))
    return out


def _fit(analysis: Analysis, tables: Sequence[WinnerTable]) -> str:
    """How well the alternatives agree with the paper's table of winners."""
    assert analysis.paper
    assert analysis.paper.winners
    name, title = analysis.open_class, f"the paper's {analysis.paper.winners.title}"
    scores = [
        f"agrees with {t.matching_rows} of {len(t.rows)} rows ({t.matching_cells} of {t.cells} cells by node count)"
        for t in tables
    ]
    if not name:
        return f"The simulation {scores[0].replace('rows', f'rows of {title}')}."
    fit = fits_better(tables)
    better = (
        f"As {name}, {library_name(fit[0].alternative)} fits {title} better" if len(fit) == 1
        else f"All alternatives of {name} fit {title} equally well"
    )  # fmt: skip
    return (
        f"{better}: {join_words([f'{library_name(t.alternative)} {s}' for t, s in zip(tables, scores, strict=True)])}."
    )
