"""The tables of a report, as lists of rows; a row's keys are what the templates ask for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from collscope.analysis import crossover
from collscope.analysis.claims import OPEN, Claim
from collscope.analysis.crossover import Crossover
from collscope.analysis.fits import formula
from collscope.analysis.winner_table import WinnerTable
from collscope.base.units import counted, format_time, join_words, rounded_size
from collscope.catalogue.decisions import library_name
from collscope.figures.source_style import DONE
from collscope.machines.platform import Platform
from collscope.machines.spec import Spec
from collscope.studies.origin import Origin
from collscope.studies.report.analysis import Analysis, Changes
from collscope.studies.report.sentences import geometric_means
from collscope.studies.study import Study

Rows = list[dict[str, Any]]


def setting_rows(platform: Platform, origin: Origin, analysis: Analysis) -> list[tuple[str, str]]:
    """What was run: (name, value)."""
    study = analysis.study
    sizes = sorted(set(analysis.sim["bytes"]))
    rows = [
        *_machine_rows(study, platform),
        ("layout", f"{join_words([str(r) for r in study.ranks])} ranks on {join_words([str(n) for n in study.nodes])} nodes, "
                   f"mapping {join_words(list(dict.fromkeys(v.mapping for v in study.variants)))}"),
        *((f"varied: {v.key}", join_words([v.label(value) for value in v.values])) for v in study.variations if not v.names),
        ("call", f"type {study.type}, operator {study.op}, root {study.root}, {'in place' if study.in_place else 'not in place'}"),
        ("metric", study.metric + (f"; {join_words(study.also_metrics)} from the same calls beside it" if study.also_metrics else "")),
        ("sizes", f"{len(sizes)}, from {rounded_size(sizes[0])} to {rounded_size(sizes[-1])} (whole vector)" if sizes else "none"),
        ("points", f"{origin.points}"),
        ("wall time", _wall_time(origin, DONE[study.numbers_from])),
        ("versions", ", ".join(f"{k} {v}" for k, v in origin.versions.items() if v)),
        ("hashes", ", ".join(f"{k} {v}" for k, v in origin.hashes.items())),
    ]  # fmt: skip
    failed = analysis.frame[
        (analysis.frame["source"] == analysis.study.numbers_from) & (analysis.frame["status"] != "ok")
    ]
    failed = failed[failed["metric"] == study.metric]
    if len(failed):
        rows.append(("without a number", f"{len(failed)} points; the column status says why"))
    return rows


def _machine_rows(study: Study, platform: Platform) -> list[tuple[str, str]]:
    if not study.machines:
        return [
            ("platform", f"{study.platform} ({platform.max_nodes} nodes × {platform.cores_per_node} cores modelled)")
        ]
    return [(f"machine: {name}", f"`{value}`") for value, name in study.machines.items()]


def winner_rows(analysis: Analysis) -> Rows:
    """Who wins where on several machines: title, ranks, nodes, machine and cells, one per size: size, winner, family, gain (NaN: nothing
    was there before); nothing where the study has one machine."""
    study = analysis.study
    if not study.machines:
        return []
    found = analysis.winners
    out = []
    by = found.groupby(["collective", "ranks", "nodes", "platform"], sort=False)
    unclear = [ranks for ranks, nodes in found.groupby("ranks")["nodes"].nunique().items() if nodes > 1]
    for (collective, ranks, nodes, platform), part in by:
        cells = [
            {"size": rounded_size(int(one["bytes"])) if one["bytes"] else "", "winner": one["winner"], "family": one["family"],
             "gain": float(one["gain"])}
            for one in part.sort_values("bytes").to_dict("records")
        ]  # fmt: skip
        out.append(
            {"title": study.titles[collective], "ranks": f"{ranks} on {counted(nodes, 'node')}" if ranks in unclear else ranks,
             "nodes": nodes, "machine": platform, "cells": cells}
        )  # fmt: skip
    return out


def sample_rows(analysis: Analysis) -> Rows:
    """The model beside the simulated sample: for each machine its name, points, median and largest difference as shares, and where that is;
    nothing without a sample."""
    both = analysis.sample
    out = []
    for platform, part in both.groupby("platform", sort=False):
        worst = part.loc[part["off"].idxmax()]
        where = f"{worst['algorithm']}, {worst['ranks']} ranks, {rounded_size(int(worst['bytes']))}"
        out.append(
            {"machine": platform, "points": len(part), "median": float(part["off"].median()), "largest": float(worst["off"]),
             "where": where}
        )  # fmt: skip
    return out


def _wall_time(origin: Origin, done: str) -> str:
    if not origin.simulated:
        return f"{origin.wall_s:.1f} s; all points were there from runs before"
    return (
        f"{origin.wall_s:.1f} s for the {origin.simulated} points {done}, in {origin.jobs} "
        f"process{'es' if origin.jobs != 1 else ''} side by side; largest process {origin.peak_bytes / 2**30:.2f} GiB"
    )


def metric_differences(analysis: Analysis, tables: Sequence[WinnerTable]) -> list[str]:
    """Cells of the table of winners that come out otherwise when another metric of the same calls is taken."""
    out = []
    for metric in analysis.study.also_metrics:
        for before, after in zip(tables, analysis.winner_tables(metric), strict=True):
            by_collective = {collective: cells for collective, _, cells in after.rows}
            for collective, _, cells in before.rows:
                for a, b in zip(cells, by_collective.get(collective, ()), strict=False):
                    if a and b and a.winners != b.winners:
                        who = f"{library_name(before.alternative)}, " if before.alternative else ""
                        where = f"{collective} on {counted(a.nodes or 0, 'node')}"
                        out.append(f"{who}{where}: {a.text} by {analysis.study.metric}, {b.text} by {metric}")
    return out


def bound_rows(analysis: Analysis) -> Rows:
    """For each collective how near its points come to the bound: title, points, below (how many lie below it), least (the smallest
    time over bound) and where."""
    b = analysis.bound
    if b.empty:
        return []
    point = [*crossover.CASE, "bytes"]
    joined = analysis.sim.merge(b[[*point, "time_s"]].rename(columns={"time_s": "bound_s"}), on=point)
    joined["ratio"] = joined["time_s"] / joined["bound_s"]
    out = []
    for c in analysis.study.collectives:
        mine = joined[joined["collective"] == c.name]
        if mine.empty:
            continue
        least = mine.loc[mine["ratio"].idxmin()]
        chose = f" → {least['chose']}" if least["chose"] else ""
        at = f"{rounded_size(int(least['bytes']))} on {counted(int(least['nodes']), 'node')}"
        out.append(
            {"title": c.title, "points": len(mine), "below": int((mine["ratio"] < 1).sum()), "least": float(least["ratio"]),
             "where": f"{least['key']}{chose}, {at}"}
        )  # fmt: skip
    return out


def number_rows(spec: Spec | None) -> list[dict[str, str]]:
    """The platform's numbers with provenance: name, value, range, tag, source."""
    out = []
    for name, number in spec.numbers() if spec else ():
        if number == type(number)(0.0) or (number.value == 0 and number.range is None):
            continue
        span = f"{number.range[0]:.4g} … {number.range[1]:.4g}" if number.range else ""
        source = str(spec.sources.get(number.source, number.source)) if spec else ""
        out.append({"name": name, "value": f"{number.value:.4g}", "range": span, "tag": number.tag, "source": source})
    return out


def crossover_rows(analysis: Analysis, where: Sequence[Changes], pairs: Sequence[Crossover]) -> Rows:
    """For each collective and layout where the fixed classes change places (pair), and the best classes by size with each alternative
    (sequences): title, nodes, ranks, pair, sequences."""
    classes = analysis.fixed_classes
    out = []
    for c, nodes, ranks in analysis.cases:
        case = analysis.case(c.name, nodes, ranks)
        if not c.classes or case.empty:
            continue
        mine = [
            x for x in pairs
            if (x.collective, x.nodes, x.ranks) == (c.name, nodes, ranks) and {x.faster_below, x.faster_above} <= set(classes)
        ]  # fmt: skip
        first = [
            f"{x.faster_below} to {rounded_size(x.bytes)} (between {rounded_size(x.below_bytes)} and {rounded_size(x.above_bytes)})"
            for x in mine
        ]
        first.append(f"then {mine[-1].faster_above}" if mine else _always(case, classes))
        sequences = [p.sequence(c.name, nodes, ranks) for p in where]
        out.append({"title": c.title, "nodes": nodes, "ranks": ranks, "pair": ", ".join(first), "sequences": sequences})
    return out


def _always(case: pd.DataFrame, classes: Sequence[str]) -> str:
    """Which of the classes is the best at all sizes, where none crosses another."""
    means = case[case["name"].isin(classes)].groupby("name")["time_s"].mean()
    return f"{means.idxmin()} at every size" if len(means) else "–"


def claim_blocks(judged: Mapping[str, Sequence[Claim]]) -> Rows:
    """Each claim: id, text, where, rule, and for each alternative its name, the Claim and how many of its assertions were testable."""
    out = []
    for claims in zip(*judged.values(), strict=True):
        each = [
            {"alternative": library_name(a), "claim": c, "total": len(c.testable)}
            for a, c in zip(judged, claims, strict=True)
        ]
        first = claims[0]
        out.append({"id": first.id, "text": first.text, "where": first.where, "rule": first.rule, "each": each})
    return out


def claim_summary(judged: Mapping[str, Sequence[Claim]]) -> Rows:
    """For each alternative: how many claims there are and with which verdict, how many assertions were tested and hold, and how many of
    those that theory had an opinion on came out as expected."""
    out = []
    for alternative, claims in judged.items():
        verdicts = [c.verdict for c in claims]
        assertions = [a for c in claims for a in c.testable]
        foreseen = [a for a in assertions if a.expected != OPEN]
        out.append(
            {"alternative": library_name(alternative), "claims": len(claims),
             **{v.replace(" ", "_"): verdicts.count(v) for v in ("reproduced", "partly", "not reproduced", "not testable")},
             "held": sum(1 for a in assertions if a.holds), "assertions": len(assertions),
             "as_expected": sum(1 for a in foreseen if not a.surprise), "expected": len(foreseen)}
        )  # fmt: skip
    return out


def claims_frame(judged: Mapping[str, Sequence[Claim]]) -> pd.DataFrame:
    """One row per assertion: alternative (a key), claim (its id), verdict (of the claim), expected_verdict, assertion, holds (yes, no, or
    empty: not testable), seen, expected (yes, no, open)."""
    holds = {None: "", True: "yes", False: "no"}
    rows = [
        (alternative, c.id, c.verdict, c.expected_verdict, a.text, holds[a.holds], a.evidence, a.expected)
        for alternative, claims in judged.items() for c in claims for a in c.assertions
    ]  # fmt: skip
    columns = ["alternative", "claim", "verdict", "expected_verdict", "assertion", "holds", "seen", "expected"]
    return pd.DataFrame(rows, columns=columns)


def fit_rows(analysis: Analysis) -> Rows:
    """The polynomials of the ranks: collective (its title), name, size, ours (a formula in µs), r2, printed (the paper's),
    printed_r2 (text) and off (the share by which the printed one differs from ours in the median)."""
    titles = analysis.study.titles
    return [
        {"collective": titles[f.text.collective], "name": f.text.name, "size": rounded_size(f.bytes), "ours": formula(f.ours), "r2": f.r2,
         "printed": formula(f.text.printed) or f.text.note or "–",
         "printed_r2": "–" if f.text.printed_r2 is None else f"{f.text.printed_r2:.4f}", "off": f.off}
        for f in analysis.fits
    ]  # fmt: skip


def plain_blocks(analysis: Analysis) -> Rows:
    """Collectives without classes: title, text (the paper's words), names, and rows of nodes, ranks, smallest (size) and algorithms;
    these with name, ratio (over the fastest, in the focus) and small (time at the smallest size)."""
    out = []
    for c in analysis.study.collectives:
        rows = [_plain_row(analysis, c.name, n, r) for n, r in analysis.study.layouts]
        rows = [row for row in rows if row["algorithms"]]
        if c.classes or not rows:
            continue
        about = analysis.paper.collective.get(c.name) if analysis.paper else None
        title = about.title if about and about.title else f"{c.title}: its algorithms"
        names = [a["name"] for a in rows[0]["algorithms"]]
        out.append({"title": title, "text": about.text if about else "", "names": names, "rows": rows})
    return out


def _plain_row(analysis: Analysis, collective: str, nodes: int, ranks: int) -> dict[str, Any]:
    case = analysis.case(collective, nodes, ranks)
    means = geometric_means(case, analysis.focus)
    small = case[case["bytes"] == case["bytes"].min()].set_index("short_label")["time_s"]
    best = min(means.values(), default=math.nan)
    algorithms = [
        {"name": n, "ratio": t / best, "small": format_time(float(small[n])) if n in small else "–"}
        for n, t in means.items()
    ]
    smallest = rounded_size(int(case["bytes"].min())) if len(case) else ""
    return {"nodes": nodes, "ranks": ranks, "smallest": smallest, "algorithms": algorithms}
