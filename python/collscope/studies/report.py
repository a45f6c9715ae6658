"""The report of a study: everything in it is computed from the tidy table, the study's file and the platform's specification.

`write` makes the figures (in several processes), the small tables beside them, report.md and report.html.
"""

from __future__ import annotations

import base64
import math
import multiprocessing
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from collscope.analysis import crossover
from collscope.analysis.crossover import Crossover, Span
from collscope.analysis.tree import Tree, fit_tree, regret
from collscope.base.errors import UserError
from collscope.base.units import format_time, join_words, rounded_size
from collscope.catalogue.decisions import library_name
from collscope.papers import bird as claims_bird
from collscope.sources.bounds import LOGGP, TELEPHONE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from collscope.analysis.claims import Claim
    from collscope.figures.crossovers import Panel
    from collscope.machines.platform import Platform
    from collscope.studies.origin import Origin
    from collscope.studies.study import Collective, Entry, Study

TEMPLATES = Path(__file__).parent / "templates"


# ---- what is known ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Analysis:
    """The table of a study, cut and reshaped once for all that is shown."""

    study: Study
    frame: pd.DataFrame  # the tidy table
    sim: pd.DataFrame  # its simulated times: with name (class), label, key and time_s
    bound: pd.DataFrame  # bytes, time_s and what it belongs to
    candidates: tuple[str, ...]

    def case(self, collective: str, nodes: int, ranks: int) -> pd.DataFrame:
        s = self.sim
        return s[(s["collective"] == collective) & (s["nodes"] == nodes) & (s["ranks"] == ranks)]

    def of_candidate(self, candidate: str | None, metric: str | None = None) -> pd.DataFrame:
        """Classes alone, and of the candidates for one class only this one."""
        frame = self.sim if metric in (None, self.study.metric) else _simulated(self.study, self.frame, str(metric))
        frame = frame[frame["classes"]]
        others = [c for c in self.candidates if c != candidate]
        return frame[~frame["key"].isin(others)]

    @property
    def cases(self) -> list[tuple[Collective, int, int]]:
        return [(c, n, r) for c in self.study.collectives for r in self.study.ranks for n in self.study.nodes]

    @property
    def marked(self) -> tuple[int, ...]:
        """The marked sizes that the table has; all of it where nothing is marked."""
        have = set(self.sim["bytes"])
        return tuple(s for s in (self.study.focus or self.study.sizes) if s in have)

    def short_name(self, entry: Entry) -> str:
        """The name beside a line: short, long, builtin 4.0, or the part of the key after the slash."""
        if entry.key.startswith("decision/"):
            return (
                f"{entry.name} {library_name(entry.key).replace('Open MPI ', '')}"
                if entry.key in self.candidates
                else entry.name
            )
        return entry.name if entry.name != entry.key else entry.key.partition("/")[2]

    def label(self, entry: Entry) -> str:
        if entry.key.startswith("decision/"):
            return f"{entry.name}: {library_name(entry.key)} decides ({entry.key})"
        return f"{entry.name}: {entry.key}" if entry.name != entry.key else entry.key


def _simulated(study: Study, frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    rows = frame[(frame["source"] == "sim") & (frame["metric"] == metric) & (frame["status"] == "ok")]
    rows = rows[rows["median_s"].notna() & (rows["median_s"] > 0)]
    entries = pd.DataFrame(
        [
            (c.name, e.key, e.name, k, c.classes)
            for c in study.collectives
            for k, e in enumerate(c.entries)
        ],
        columns=["collective", "algorithm", "name", "order", "classes"],
    )  # fmt: skip
    merged = rows.merge(entries, on=["collective", "algorithm"], how="inner", sort=False)
    merged["key"] = merged["algorithm"]
    merged["time_s"] = merged["median_s"]
    place = {c.name: k for k, c in enumerate(study.collectives)}
    merged["place"] = merged["collective"].map(place)
    merged = merged.sort_values(["place", "ranks", "nodes", "order", "bytes"], kind="stable").reset_index(drop=True)
    return merged[["collective", "ranks", "nodes", "bytes", "key", "name", "classes", "chose", "time_s"]]


def analyse(study: Study, frame: pd.DataFrame) -> Analysis:
    sim = _simulated(study, frame, study.metric)
    made = Analysis(study, frame, sim, pd.DataFrame(), study.alternatives)
    entry = {(c.name, e.key): e for c in study.collectives for e in c.entries}
    pairs = list(zip(sim["collective"], sim["key"], strict=True))
    sim["short_label"] = [made.short_name(entry[p]) for p in pairs]
    sim["label"] = [made.label(entry[p]) for p in pairs]
    bound = frame[(frame["source"] == "bound") & frame["algorithm"].isin([TELEPHONE, ""]) & (frame["median_s"] > 0)]
    bound = bound.assign(time_s=bound["median_s"])[[*crossover.CASE, "bytes", "time_s"]]
    return Analysis(study, frame, sim, bound, study.alternatives)


# ---- crossovers and the tree -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Places:
    """Where the best class changes, with one candidate for the class that has several."""

    candidate: str
    spans: tuple[Span, ...]
    best: pd.DataFrame

    def sequence(self, collective: str, nodes: int, ranks: int) -> str:
        mine = [s for s in self.spans if (s.collective, s.nodes, s.ranks) == (collective, nodes, ranks)]
        if len(mine) < 2:
            return f"{mine[0].name} at every size" if mine else "–"
        return ", ".join(f"{s.name} to {rounded_size(s.to_bytes)}" for s in mine[:-1]) + f", then {mine[-1].name}"


def places(analysis: Analysis) -> list[Places]:
    out = []
    for candidate in analysis.candidates or ("",):
        times = analysis.of_candidate(candidate or None)
        if times.empty:
            continue
        best = crossover.winners(times)
        out.append(Places(candidate, tuple(crossover.spans(times, best)), best))
    return out


def make_tree(analysis: Analysis) -> Tree | None:
    """Over every algorithm that the study ran: what a decision chose counts under its own name."""
    times = _resolved(analysis)
    return fit_tree(times, analysis.study.tolerance) if len(times) else None


def _resolved(analysis: Analysis) -> pd.DataFrame:
    times = analysis.sim[analysis.sim["classes"]]
    name = np.where(times["chose"] != "", times["chose"], times["key"])
    return times.assign(name=name)


TOLERANCES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)


def tree_sizes(analysis: Analysis, tree: Tree) -> list[dict[str, Any]]:
    """How many rules a tree needs when more or less may be lost."""
    times = _resolved(analysis)
    out = []
    for tolerance in sorted({*TOLERANCES, tree.tolerance}):
        made = tree if tolerance == tree.tolerance else fit_tree(times, tolerance)
        loss = regret(times, made)["regret"]
        out.append(
            {
                "tolerance": tolerance,
                "rules": len(made.rules),
                "mean": float(loss.mean()),
                "worst": float(loss.max()),
                "this": made is tree,
            }
        )
    return out


def regrets(analysis: Analysis, tree: Tree) -> list[dict[str, Any]]:
    """What following the tree, or always one class, costs against the best at each point."""
    times = _resolved(analysis)
    by_entry = analysis.sim[analysis.sim["classes"]]
    rows = [("this tree", regret(times, tree)["regret"])]
    best = times.groupby([*crossover.CASE, "bytes"])["time_s"].min().rename("best_s")
    seen: dict[str, str] = {}
    for c in analysis.study.collectives:
        for e in c.entries if c.classes else ():
            seen.setdefault(analysis.short_name(e), e.key if e.key.startswith("decision/") else e.name)
    for label, what in seen.items():
        column = "key" if what.startswith("decision/") else "name"
        mine = by_entry[by_entry[column] == what].join(best, on=[*crossover.CASE, "bytes"])
        rows.append((f"always {label}", mine["time_s"] / mine["best_s"] - 1))
    return [
        {"choice": label, "points": int(r.notna().sum()), "mean": float(r.mean()), "median": float(r.median()),
         "p90": float(r.quantile(0.9)), "worst": float(r.max())}
        for label, r in rows if r.notna().any()
    ]  # fmt: skip


# ---- figures ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Picture:
    stem: str  # figures/STEM.svg and .png
    title: str
    number: str  # of the source's figure
    caption: str
    make: Callable[[], Figure] = field(compare=False)
    collective: str = ""


def _nodes(n: int) -> str:
    return f"{n} node" + ("s" if n != 1 else "")


def pictures(analysis: Analysis, where: Sequence[Places], tree: Tree | None, quick: bool) -> list[Picture]:
    from collscope.figures.axes import Focus
    from collscope.figures.collective import collective_figure
    from collscope.figures.crossovers import crossover_figure
    from collscope.figures.tree import tree_figure

    study = analysis.study
    quick_note = " · quick run: few sizes" if quick else ""
    focus = Focus(study.focus_label, study.focus[0], study.focus[-1]) if study.focus else None
    out = []
    for c, nodes, ranks in analysis.cases:
        times = analysis.case(c.name, nodes, ranks)
        if times.empty:
            continue
        number = f"{c.figure}.{study.nodes.index(nodes) + 1}" if c.figure and len(study.ranks) == 1 else ""
        several = f"_{ranks}_ranks" if len(study.ranks) > 1 else ""
        stem = f"{number + '_' if number else ''}{c.name}_{nodes}_nodes{several}"
        b = analysis.bound
        bound = b[(b["collective"] == c.name) & (b["nodes"] == nodes) & (b["ranks"] == ranks)][["bytes", "time_s"]]
        even = f" × {ranks // nodes} ranks" if ranks % nodes == 0 and study.mapping != "fill" else f", {ranks} ranks"
        title = f"{c.title}, {_nodes(nodes)}{even}"
        subtitle = f"{'Figure ' + number + ' of the paper · ' if number else ''}{study.platform}, simulated · {study.metric}{quick_note}"
        out.append(
            Picture(
                stem, title, number, case_sentence(analysis, times, bound),
                partial(collective_figure, times, bound, title=title, subtitle=subtitle, focus=focus),
                c.name,
            )
        )  # fmt: skip
    classed = {c.name: c.title for c in study.collectives if c.classes}
    layout = (
        f"{join_words([str(r) for r in study.ranks])} ranks on {study.platform}, simulated · {study.metric}{quick_note}"
    )
    if where and any(p.spans for p in where):
        panels = [panel(study, p) for p in where]
        out.append(
            Picture(
                "crossovers", "Where the best class changes", "", crossover_sentence(analysis, where),
                lambda: crossover_figure(panels, classed, title="Where the best class changes", subtitle=layout, focus=focus),
            )
        )  # fmt: skip
    if tree:
        sizes = (int(analysis.sim["bytes"].min()), int(analysis.sim["bytes"].max()))
        title = f"Decision tree for {study.platform}"
        note = f"{layout} · no point loses more than {100 * tree.tolerance:g} % against the best algorithm of the study"
        out.append(
            Picture("decision_tree", title, "", tree_sentence(analysis, tree),
                    lambda: tree_figure(tree, classed, sizes, title=title, subtitle=note))
        )  # fmt: skip
    return out


def panel(study: Study, p: Places) -> Panel:
    """What competes in one panel of the crossovers. A class has the colour of the first key that stands for it, one whose members
    take turns that of the member in this panel."""
    from collscope.figures.crossovers import Panel
    from collscope.figures.style import colour_of

    keys: dict[str, str] = {}
    for c in study.collectives:
        for e in c.entries:
            keys.setdefault(e.name, e.key)
    labels = {name: name for name in keys}
    if p.candidate:
        name = next(e.name for c in study.collectives for e in c.entries if e.key == p.candidate)
        keys[name], labels[name] = p.candidate, f"{name} {library_name(p.candidate)}"
    heading = f"{name} = {library_name(p.candidate)}" if p.candidate else ""
    return Panel(heading, p.spans, p.best, labels, {name: colour_of(key) for name, key in keys.items()})


_work: Sequence[Picture] = ()


def _draw(job: tuple[int, str]) -> list[str]:
    from collscope.figures import files

    at, folder = job
    return files.save_all([(_work[at].stem, _work[at].make)], Path(folder))


def draw(made: Sequence[Picture], folder: Path, jobs: int) -> list[str]:
    """Draws all pictures into the folder, in several processes; returns the names of the files."""
    global _work
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [(k, str(folder)) for k in range(len(made))]
    _work = made
    try:
        if jobs < 2 or len(tasks) < 4 or sys.platform != "linux":
            done = [_draw(t) for t in tasks]
        else:
            # fork: the pictures' tables are there already, and nothing has to be sent but a number.
            from collscope.figures import files  # noqa: F401  (imported once, before the processes part)

            with multiprocessing.get_context("fork").Pool(min(jobs, len(tasks))) as pool:
                done = pool.map(_draw, tasks, chunksize=1)
    finally:
        _work = ()
    return [name for names in done for name in names]


# ---- sentences -------------------------------------------------------------------------------------------


def _geometric(values: pd.Series) -> float:
    return float(np.exp(np.log(values).mean()))


def _means(times: pd.DataFrame, sizes: Sequence[int]) -> dict[str, float]:
    part = times[times["bytes"].isin(list(sizes))]
    full = part.groupby("short_label", sort=False)["time_s"].agg(["size", _geometric])
    if full.empty:
        return {}
    full = full[full["size"] == full["size"].max()]
    return {str(k): float(v) for k, v in full["_geometric"].items()}


def case_sentence(analysis: Analysis, times: pd.DataFrame, bound: pd.DataFrame) -> str:
    """What one figure shows, in one or two sentences."""
    study = analysis.study
    words = []
    sizes = [s for s in analysis.marked if s in set(times["bytes"])]
    means = _means(times, sizes)
    if means:
        order = sorted(means.items(), key=lambda i: i[1])
        best = order[0][1]
        span = (
            f"From {rounded_size(sizes[0])} to {rounded_size(sizes[-1])}"
            if len(sizes) > 1
            else f"At {rounded_size(sizes[0])}"
        )
        tied = [n for n, t in order if t <= best * 1.001]
        rest = [f"{n} {100 * (t / best - 1):.{0 if t / best > 1.1 else 1}f} %" for n, t in order if t > best * 1.001]
        lead = f"{join_words(tied)} {'is' if len(tied) == 1 else 'are'} fastest"
        words.append(f"{span} {lead} (geometric mean)" + (f"; {join_words(rest)} slower." if rest else "."))
    if len(set(times["bytes"])) > 1:
        wide = times.assign(name=times["short_label"])
        ranges = crossover.spans(wide)
        if len(ranges) == 1:
            words.append(f"Over all sizes shown {ranges[0].name} is never beaten.")
        else:
            first = f"{ranges[0].name} below {rounded_size(ranges[0].to_bytes)}"
            middle = [f"{s.name} to {rounded_size(s.to_bytes)}" for s in ranges[1:-1]]
            words.append("Fastest by size: " + join_words([first, *middle, f"{ranges[-1].name} above"]) + ".")
    if len(bound):
        ratio = times.merge(bound.rename(columns={"time_s": "bound_s"}), on="bytes")
        low = (ratio["time_s"] / ratio["bound_s"]).min()
        if low < 1:
            words.append(
                f"The fastest point takes {low:.2f} of the telephone bound, which forbids the overlap it uses."
            )
    if study.metric != "makespan":
        words.append(f"Times are {study.metric}.")
    return " ".join(words)


def crossover_sentence(analysis: Analysis, where: Sequence[Places]) -> str:
    words = []
    for p in where:
        cases = {(s.collective, s.ranks, s.nodes) for s in p.spans}
        one = sum(1 for c in cases if len({s.name for s in p.spans if (s.collective, s.ranks, s.nodes) == c}) == 1)
        inside = 0
        if analysis.study.focus:
            low = analysis.study.focus[0]
            inside = sum(1 for s in p.spans if s.from_bytes > low)
        name = f"With {library_name(p.candidate)} as builtin" if p.candidate else "Altogether"
        words.append(
            f"{name}, the best class changes {len(p.spans) - len(cases)} times over {len(cases)} pairs of collective and node count"
            + (f", {inside} of them in the {analysis.study.focus_label}" if analysis.study.focus else "")
            + f"; in {one} of the pairs one class is best at all sizes."
        )
    return " ".join(words)


def tree_sentence(analysis: Analysis, tree: Tree) -> str:
    loss = regret(_resolved(analysis), tree)["regret"]
    return (
        f"{len(tree.rules)} rules reach the best algorithm of the study within {100 * loss.max():.2f} % at every point "
        f"({100 * loss.mean():.2f} % on average over {len(loss)} points; allowed: {100 * tree.tolerance:g} %)."
    )


# ---- parts of the report ---------------------------------------------------------------------------------


def setting_rows(study: Study, platform: Platform, origin: Origin, analysis: Analysis) -> list[tuple[str, str]]:
    sizes = sorted(set(analysis.sim["bytes"]))
    gib = origin.peak_bytes / 2**30
    rows = [
        ("platform", f"{study.platform} ({platform.max_nodes} nodes × {platform.cores_per_node} cores modelled)"),
        ("layout", f"{join_words([str(r) for r in study.ranks])} ranks on {join_words([str(n) for n in study.nodes])} nodes, "
                   f"mapping {study.mapping}"),
        ("call", f"type {study.type}, operator {study.op}, root {study.root}, {'in place' if study.in_place else 'not in place'}"),
        ("metric", study.metric + (f"; {join_words(study.also_metrics)} from the same calls beside it" if study.also_metrics else "")),
        ("sizes", f"{len(sizes)}, from {rounded_size(sizes[0])} to {rounded_size(sizes[-1])} (whole vector)" if sizes else "none"),
        ("points", f"{origin.points}"),
        ("wall time", f"{origin.wall_s:.1f} s for the {origin.simulated} points simulated, in {origin.jobs} "
                      f"process{'es' if origin.jobs != 1 else ''} side by side; largest process {gib:.2f} GiB"),
        ("versions", ", ".join(f"{k} {v}" for k, v in origin.versions.items() if v)),
        ("hashes", ", ".join(f"{k} {v}" for k, v in origin.hashes.items())),
    ]  # fmt: skip
    failed = analysis.frame[(analysis.frame["source"] == "sim") & (analysis.frame["status"] != "ok")]
    failed = failed[failed["metric"] == study.metric]
    if len(failed):
        rows.append(("without a number", f"{len(failed)} points; the column status says why"))
    return rows


def prose(text: str) -> Any:
    """Plain text of a study's file as HTML: *emphasis* and powers such as 2^20."""
    import re

    from markupsafe import Markup, escape

    made = re.sub(r"\*([^*\n]+)\*", r"<i>\1</i>", str(escape(text)))
    return Markup(re.sub(r"\b(\d+)\^(\d+)", r"\1<sup>\2</sup>", made))


def percent(share: float, digits: int = 0) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.{digits}f} %"


def table_three_rows(analysis: Analysis, metric: str | None = None) -> list[claims_bird.TableThree]:
    sizes = analysis.marked
    return [
        claims_bird.table_three(analysis.of_candidate(c, metric), sizes, c) for c in analysis.candidates
    ]  # fmt: skip


def metric_differences(analysis: Analysis, tables: Sequence[claims_bird.TableThree]) -> list[str]:
    """Cells of Table III that come out otherwise when another metric of the same calls is taken."""
    out = []
    for metric in analysis.study.also_metrics:
        for before, after in zip(tables, table_three_rows(analysis, metric), strict=True):
            by_collective = {collective: cells for collective, _, cells in after.rows}
            for collective, _, cells in before.rows:
                for a, b in zip(cells, by_collective.get(collective, ()), strict=False):
                    if a and b and a.winners != b.winners:
                        out.append(
                            f"{library_name(before.candidate)}, {collective} on {_nodes(a.nodes or 0)}: "
                            f"{a.text} by {analysis.study.metric}, "
                            f"{b.text} by {metric}"
                        )
    return out


def bound_rows(analysis: Analysis) -> list[dict[str, Any]]:
    """For each collective: how near its points come to the bound, and how many lie below it."""
    b = analysis.bound
    if b.empty:
        return []
    joined = analysis.sim.merge(
        b[[*crossover.CASE, "bytes", "time_s"]].rename(columns={"time_s": "bound_s"}), on=[*crossover.CASE, "bytes"]
    )
    joined["ratio"] = joined["time_s"] / joined["bound_s"]
    out = []
    for c in analysis.study.collectives:
        mine = joined[joined["collective"] == c.name]
        if mine.empty:
            continue
        least = mine.loc[mine["ratio"].idxmin()]
        chose = f" → {least['chose']}" if least["chose"] else ""
        out.append(
            {"title": c.title, "points": len(mine), "below": int((mine["ratio"] < 1).sum()), "least": float(least["ratio"]),
             "where": f"{least['key']}{chose}, {rounded_size(int(least['bytes']))} on {_nodes(int(least['nodes']))}"}
        )  # fmt: skip
    return out


def loggp_check(analysis: Analysis) -> dict[str, Any] | None:
    """The asserted bound: no simulated makespan lies below it."""
    frame = analysis.frame
    bound = frame[(frame["source"] == "bound") & (frame["algorithm"] == LOGGP) & (frame["median_s"] > 0)]
    if bound.empty or analysis.study.metric != "makespan":
        return None
    bound = bound[[*crossover.CASE, "bytes", "median_s"]].rename(columns={"median_s": "bound_s"})
    joined = analysis.sim.merge(bound, on=[*crossover.CASE, "bytes"])
    ratio = joined["time_s"] / joined["bound_s"]
    return {"points": len(ratio), "below": int((ratio < 1 - 1e-9).sum()), "least": float(ratio.min())}


def _varied(study: Study, text: str, judged: Mapping[str, Sequence[Claim]]) -> dict[str, Any] | None:
    """What the sweep over the priors said."""
    if not text or not judged:
        return None
    import io

    from collscope.studies import sensitivity as priors

    frame = pd.read_csv(io.StringIO(text), keep_default_na=False)
    moved = frame[frame["number"] != priors.BASE]
    return {
        "sizes": join_words([rounded_size(s) for s in study.prior_sizes]),
        "limits": join_words([f"{name} only to {value:g}" for name, value in priors.LIMITS.items()]),
        "numbers": moved["number"].nunique(),
        "variants": len(moved.drop_duplicates(["number", "end"])),
        "claims": priors.summary(frame, judged),
        "three": priors.table_three_range(frame),
    }


def prior_rows(study: Study) -> list[dict[str, str]]:
    """The platform's numbers with provenance and range."""
    from collscope.machines import find

    try:
        spec = find.load_spec(study.platform)
    except UserError:
        return []
    out = []
    for name, number in spec.numbers():
        if number == type(number)(0.0) or (number.value == 0 and number.range is None):
            continue
        span = f"{_short(number.range[0])} … {_short(number.range[1])}" if number.range else ""
        source = spec.sources.get(number.source, number.source)
        out.append(
            {"name": name, "value": _short(number.value), "range": span, "tag": number.tag, "source": str(source)}
        )
    return out


def _short(value: float) -> str:
    return f"{value:.4g}"


def crossover_rows(analysis: Analysis, where: Sequence[Places], pairs: Sequence[Crossover]) -> list[dict[str, Any]]:
    """One row for each collective and node count: where short and long change places, and the best class by size."""
    classes = [c for c in analysis.study.classes if not _is_candidate_class(analysis, c)]
    out = []
    for c, nodes, ranks in analysis.cases:
        if not c.classes or analysis.case(c.name, nodes, ranks).empty:
            continue
        mine = [
            x for x in pairs
            if (x.collective, x.nodes, x.ranks) == (c.name, nodes, ranks) and {x.faster_below, x.faster_above} <= set(classes)
        ]  # fmt: skip
        first = [
            f"{x.faster_below} to {rounded_size(x.bytes)} (between {rounded_size(x.below_bytes)} and {rounded_size(x.above_bytes)})"
            for x in mine
        ]
        if mine:
            first.append(f"then {mine[-1].faster_above}")
        if not first:
            case = analysis.case(c.name, nodes, ranks)
            wide = case[case["name"].isin(classes)].pivot_table(
                index="bytes", columns="name", values="time_s", aggfunc="min"
            )
            always = wide.mean().idxmin() if len(wide.columns) else ""
            first = [f"{always} at every size" if always else "–"]
        out.append(
            {"title": c.title, "nodes": nodes, "ranks": ranks, "pair": ", ".join(first),
             "sequences": [p.sequence(c.name, nodes, ranks) for p in where]}
        )  # fmt: skip
    return out


def _is_candidate_class(analysis: Analysis, name: str) -> bool:
    return any(e.name == name and e.key in analysis.candidates for c in analysis.study.collectives for e in c.entries)


def claim_blocks(judged: Mapping[str, Sequence[Claim]]) -> list[dict[str, Any]]:
    """Claims with their verdicts for each candidate."""
    out = []
    candidates = list(judged)
    for k, first in enumerate(judged[candidates[0]] if candidates else ()):
        each = [
            {"candidate": library_name(c), "claim": judged[c][k], "total": len(judged[c][k].testable)}
            for c in candidates
        ]
        out.append({"id": first.id, "text": first.text, "where": first.where, "rule": first.rule, "each": each})
    return out


def claim_summary(judged: Mapping[str, Sequence[Claim]]) -> list[dict[str, Any]]:
    out = []
    for candidate, claims in judged.items():
        verdicts = [c.verdict for c in claims]
        assertions = [a for c in claims for a in c.testable]
        out.append(
            {"candidate": library_name(candidate), "claims": len(claims),
             **{v.replace(" ", "_"): verdicts.count(v) for v in ("reproduced", "partly", "not reproduced", "not testable")},
             "held": sum(1 for a in assertions if a.holds), "assertions": len(assertions),
             "as_expected": sum(1 for a in assertions if not a.surprise and a.expected != "open"),
             "expected": sum(1 for a in assertions if a.expected != "open")}
        )  # fmt: skip
    return out


def rotation_rows(analysis: Analysis) -> list[dict[str, Any]]:
    """Collectives without classes: each algorithm over the fastest, in the marked range and at the smallest size."""
    out = []
    for c, nodes, ranks in analysis.cases:
        case = analysis.case(c.name, nodes, ranks)
        if c.classes or case.empty:
            continue
        means = _means(case, analysis.marked)
        small = case[case["bytes"] == case["bytes"].min()].set_index("short_label")["time_s"]
        best = min(means.values()) if means else math.nan
        out.append(
            {"title": c.title, "nodes": nodes, "smallest": rounded_size(int(case["bytes"].min())),
             "algorithms": [
                 {"name": n, "ratio": t / best, "small": format_time(float(small.get(n, math.nan))) if n in small else "–"}
                 for n, t in means.items()
             ]}
        )  # fmt: skip
    return out


# ---- the whole -------------------------------------------------------------------------------------------


def headlines(
    analysis: Analysis, tables: Sequence[claims_bird.TableThree], judged: Mapping[str, Sequence[Claim]],
    where: Sequence[Places], tree: Tree | None, varied: Mapping[str, Any] | None = None,
) -> list[str]:  # fmt: skip
    out = []
    if tables:
        scores = [
            f"{library_name(t.candidate)} agrees with {t.matching_rows} of {len(t.rows)} rows "
            f"({t.matching_cells} of {t.cells} cells by node count)"
            for t in tables
        ]
        fit = claims_bird.fits_better(tables)
        better = (
            f"As builtin, {library_name(fit[0].candidate)} fits the paper's Table III better" if len(fit) == 1
            else "Both candidates of builtin fit the paper's Table III equally well"
        )  # fmt: skip
        out.append(f"{better}: {join_words(scores)}.")
    if varied:
        ahead = max(varied["three"], key=lambda t: int(t["ahead"]))
        out.append(
            f"With {varied['numbers']} numbers of the platform that nobody documented moved to the ends of their plausible ranges, "
            f"{ahead['candidate']} stays ahead in {ahead['ahead']} of {ahead['variants']} variants."
        )
    for s in claim_summary(judged) if judged else ():
        out.append(
            f"Of {s['claims']} claims, with {s['candidate']}: {s['reproduced']} reproduced, {s['partly']} partly, "
            f"{s['not_reproduced']} not; {s['held']} of {s['assertions']} atomic assertions hold, and {s['as_expected']} of the "
            f"{s['expected']} that theory had an opinion on came out as it expected."
        )
    if where and any(p.spans for p in where):
        out.append(crossover_sentence(analysis, where))
    if tree:
        out.append("Decision tree: " + tree_sentence(analysis, tree))
    return out


def context(
    study: Study, platform: Platform, frame: pd.DataFrame, origin: Origin, priors: str = ""
) -> tuple[dict[str, Any], list[Picture], dict[str, str]]:
    """What the templates show, the pictures to draw, and the small files beside them."""
    analysis = analyse(study, frame)
    where = places(analysis)
    named = analysis.sim[analysis.sim["classes"]]
    pairs = crossover.pair_crossovers(named.assign(name=named["short_label"])) if len(named) else []
    tree = make_tree(analysis)
    made = pictures(analysis, where, tree, origin.quick)
    tables: list[claims_bird.TableThree] = []
    judged: dict[str, list[Claim]] = {}
    if study.paper == "bird":
        tables = table_three_rows(analysis)
        judged = {c: claims_bird.judge(analysis.of_candidate(c), analysis.marked, c) for c in analysis.candidates}
    files = {"crossovers.csv": _csv(pd.DataFrame([vars(x) for x in pairs]))}
    if where:
        files["winners.csv"] = _csv(pd.concat([p.best.assign(candidate=p.candidate) for p in where]))
    if tree:
        files["decision_tree.txt"] = tree.as_text()
        files["decision_tree.json"] = tree.as_json()
    varied = _varied(study, priors, judged)
    groups = []
    for c in study.collectives:
        mine = [p for p in made if p.collective == c.name]
        if mine:
            keys = [analysis.label(e) for e in c.entries]
            groups.append({"title": c.title, "name": c.name, "pictures": mine, "keys": keys})
    ctx = {
        "study": study,
        "origin": origin,
        "quick": origin.quick,
        "settings": setting_rows(study, platform, origin, analysis),
        "headlines": headlines(analysis, tables, judged, where, tree, varied),
        "candidates": [library_name(c) for c in analysis.candidates],
        "tables": tables,
        "paper": {c: claims_bird.label_text(v) for c, v in claims_bird.TABLE_III.items()},
        "fit": [library_name(t.candidate) for t in claims_bird.fits_better(tables)],
        "metric_differences": metric_differences(analysis, tables) if tables else [],
        "tied": claims_bird.TIED,
        "marked": f"{rounded_size(analysis.marked[0])} to {rounded_size(analysis.marked[-1])}, {len(analysis.marked)} sizes"
        if analysis.marked
        else "",
        "whole_range": len(analysis.marked) == len(study.focus or study.sizes),
        "marked_sizes": len(study.focus),
        "groups": groups,
        "crossovers": crossover_rows(analysis, where, pairs),
        "crossover_picture": next((p for p in made if p.stem == "crossovers"), None),
        "tree_picture": next((p for p in made if p.stem == "decision_tree"), None),
        "tree": tree,
        "regrets": regrets(analysis, tree) if tree else [],
        "tree_sizes": tree_sizes(analysis, tree) if tree else [],
        "claims": claim_blocks(judged),
        "claim_summary": claim_summary(judged) if judged else [],
        "bounds": bound_rows(analysis),
        "rotation": rotation_rows(analysis),
        "priors": prior_rows(study),
        "varied": varied,
        "loggp": loggp_check(analysis),
        "titles": study.titles,
    }
    return ctx, made, files


def _csv(frame: pd.DataFrame) -> str:
    return str(frame.to_csv(index=False, lineterminator="\n"))


@lru_cache(maxsize=1)
def _environment() -> Any:
    import jinja2

    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=lambda name: bool(name and name.endswith(".html.j2")),
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True,
    )  # fmt: skip
    env.filters.update(
        percent=percent,
        prose=prose,
        size=rounded_size,
        decision=library_name,
        cell=lambda t: str(t).replace("|", "\\|"),
    )
    return env


def write(
    study: Study,
    platform: Platform,
    frame: pd.DataFrame,
    origin: Origin,
    folder: Path,
    *,
    jobs: int = 1,
    priors: str = "",
) -> list[str]:
    """Figures, small tables and both reports into `folder`; returns the names of the files."""
    ctx, made, files = context(study, platform, frame, origin, priors)
    names = [f"figures/{n}" for n in draw(made, folder / "figures", jobs)]
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
        names.append(name)

    def embedded(picture: Picture) -> str:
        data = (folder / "figures" / f"{picture.stem}.svg").read_bytes()
        return "data:image/svg+xml;base64," + base64.b64encode(data).decode()

    for name in ("report.md", "report.html"):
        text = _environment().get_template(f"{name}.j2").render(**ctx, embedded=embedded)
        (folder / name).write_text(text, encoding="utf-8")
        names.append(name)
    return names
