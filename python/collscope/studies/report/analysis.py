"""What a study's table says: times by class, where the best class changes, and the decision tree."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from collscope.analysis import crossover, families, what_if
from collscope.analysis.claims import Claim
from collscope.analysis.crossover import Span
from collscope.analysis.fits import Fit, fits
from collscope.analysis.times import Times
from collscope.analysis.tree import Tree, fit_tree, regret
from collscope.analysis.what_if import WhatIf
from collscope.analysis.winner_table import WinnerTable
from collscope.base.units import rounded_size
from collscope.catalogue.decisions import library_name
from collscope.catalogue.metrics import TRAFFIC
from collscope.machines import find
from collscope.machines.study_variants import MAPPING, PLATFORM, SIMULATED, Variant
from collscope.papers import papers
from collscope.papers.papers import Paper
from collscope.sources.bounds import TELEPHONE
from collscope.studies.study import Collective, Drawing, Entry, Study

POINT = ["platform", "nodes", "ranks", "mapping", "collective", "algorithm", "bytes", "metric"]
TOLERANCES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)  # of the trees whose numbers of rules are compared


@dataclass(frozen=True)
class Analysis:
    """The table of a study, cut and reshaped once for all that is shown."""

    study: Study
    paper: Paper | None
    frame: pd.DataFrame  # the tidy table
    sim: pd.DataFrame  # its simulated times, see `simulated`; with short_label and label
    bound: pd.DataFrame  # the rows of the telephone model's, with time_s
    _winners: dict[str, list[WinnerTable]] = field(
        default_factory=dict, init=False, repr=False
    )  # by metric; several pages ask

    def case(self, collective: str, nodes: int, ranks: int) -> pd.DataFrame:
        """The rows of `sim` of one collective in one layout."""
        s = self.sim
        return s[(s["collective"] == collective) & (s["nodes"] == nodes) & (s["ranks"] == ranks)]

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The keys that stand for one class in turn; ("",) where every class has one key."""
        return self.study.alternatives or ("",)

    @property
    def open_class(self) -> str:
        """The class that has alternatives; "" where none has."""
        return next((e.name for e in self._entries() if e.key in self.study.alternatives), "")

    @property
    def fixed_classes(self) -> list[str]:
        """The classes that one key stands for."""
        return [c for c in self.study.classes if c != self.open_class]

    def _entries(self) -> Iterator[Entry]:
        for c in self.study.collectives:
            yield from c.entries

    def of_alternative(self, alternative: str, metric: str = "") -> pd.DataFrame:
        """The rows of collectives with classes, and of the alternatives this one alone; `metric`: another than the study's."""
        frame = simulated(self.study, self.frame, metric) if metric else self.sim
        return frame[frame["classes"] & ~frame["key"].isin([a for a in self.study.alternatives if a != alternative])]

    def compared(self, alternative: str, metric: str = "") -> pd.DataFrame:
        """What a paper's claims are judged on: `of_alternative`; every row where the study has no classes, of each mapping that it
        varies and on each machine that it compares."""
        if self.study.classes:
            return self.of_alternative(alternative, metric)
        return self._on_each(metric)

    def _on_each(self, metric: str = "") -> pd.DataFrame:
        """Every row, of each mapping that the study varies and on each machine that it compares."""
        study, base = self.study, self.study.variants[0]
        if any(v.key in (MAPPING, PLATFORM) for v in study.variations):
            own = [k for k, v in enumerate(study.variations) if v.key not in (MAPPING, PLATFORM)]
            alike = [v for v in study.variants if all(v.values[k] == base.values[k] for k in own)]
            parts = [
                simulated(study, self.frame, metric or study.metric, v).assign(
                    mapping=v.mapping, platform=study.machine(v)
                )
                for v in alike
            ]
            return pd.concat(parts, ignore_index=True)
        rows = simulated(study, self.frame, metric) if metric else self.sim
        return rows.assign(mapping=base.mapping)

    @cached_property
    def _everywhere(self) -> pd.DataFrame:
        made = self._on_each() if self.study.machines else self.compared(self.alternatives[0])
        made = made if "platform" in made else made.assign(platform=self.study.platform)
        self.name(made)
        return made

    def everywhere(self, mappings: Collection[str] = ()) -> pd.DataFrame:
        """The times on all machines that the study compares, by their names in `platform`; with short_label and label. Of these mappings,
        or of the study's first."""
        f = self._everywhere
        return f[f["mapping"].isin(mappings or {self.study.variants[0].mapping})] if "mapping" in f else f

    @cached_property
    def called(self) -> dict[str, str]:
        """The name of a machine → what the study calls it."""
        return {find.load(value).name: name for value, name in self.study.machines.items()}

    @cached_property
    def sample(self) -> pd.DataFrame:
        """The points of the model that were simulated, too, on machines as the study calls them, with `off`: by which share of the
        simulated time the model's differs."""
        timed = self.frame[(self.frame["status"] == "ok") & (self.frame["median_s"] > 0)]
        simulated = timed[timed["source"] == "sim"]
        if self.study.numbers_from == "sim" or simulated.empty:
            return simulated.iloc[:0].assign(off=[])
        modelled = timed[timed["source"] == "model"][[*POINT, "median_s"]]
        both = simulated.merge(modelled, on=POINT, suffixes=("", "_model"))
        off = (both["median_s_model"] / both["median_s"] - 1).abs()
        return both.assign(off=off, platform=both["platform"].replace(self.called))

    @cached_property
    def winners(self) -> pd.DataFrame:
        """Who wins on the machines that the study compares, with the columns of analysis/families."""
        return families.winners(self.everywhere(), self.study.families)

    def rows_of(self, d: Drawing, keys: Container[str]) -> pd.DataFrame:
        """The timed rows of the tidy table that a figure shows, of these keys."""
        study, f = self.study, self.frame
        first = study.variants[0]
        own = {(e.algorithm, e.metric): e.key for e in self._entries() if e.metric}
        pairs = list(zip(f["algorithm"], f["metric"], strict=True))
        timed = pd.Series([pair in own or pair[1] == study.metric for pair in pairs], f.index, dtype=bool)
        f = f.assign(algorithm=[own.get(pair, pair[0]) for pair in pairs], metric=study.metric)
        mappings = d.mappings or (first.mapping,)
        chosen = [value for value, name in study.machines.items() if name in d.platforms] or [first.platform]
        platforms = [find.load(value).name for value in chosen] if study.variations else []
        kept = (
            (f["source"] == study.numbers_from) & timed & (f["collective"] == d.collective)
            & f["algorithm"].map(lambda key: key in keys) & (f["status"] == "ok") & (f["median_s"] > 0)
            & f["mapping"].isin(mappings)
        )  # fmt: skip
        kept &= (
            f["platform"].isin(platforms) & (f["buffers"].replace("", SIMULATED[0]) == first.buffers)
            if platforms
            else True
        )
        for column, values in (
            ("ranks", d.ranks),
            ("nodes", d.nodes),
            ("block_bytes" if study.blocks else "bytes", d.sizes),
        ):
            kept &= f[column].isin(values) if values else True
        return f[kept].assign(platform=f["platform"].replace(self.called)) if self.called else f[kept]

    def judged(self) -> dict[str, list[Claim]]:
        """alternative → the paper's claims with their verdicts; nothing where the study has no paper."""
        return {a: self.judged_with(a) for a in self.alternatives} if self.paper else {}

    def judged_with(self, alternative: str) -> list[Claim]:
        """The same with this alternative alone."""
        return self.paper.judge(self.compared(alternative), self.focus, alternative) if self.paper else []

    def narrowed(self, sizes: Collection[int], ranks: Collection[int]) -> Analysis:
        """The same with claims that are judged at those of their sizes and ranks alone."""
        return replace(self, paper=self.paper.narrowed(sizes, ranks)) if self.paper else self

    @cached_property
    def fits(self) -> list[Fit]:
        """The polynomials of the ranks that the paper's report shows; nothing where the study has no paper."""
        return list(fits(self.paper.fit, Times(self.sim, self.focus))) if self.paper else []

    def winner_tables(self, metric: str = "") -> list[WinnerTable]:
        """The paper's table of winners with each alternative; nothing without a table of winners."""
        if not self.paper or not self.paper.winners:
            return []
        if metric not in self._winners:
            made = [self.paper.winner_table(self.compared(a, metric), self.focus, a) for a in self.alternatives]
            self._winners[metric] = made
        return self._winners[metric]

    @property
    def cases(self) -> list[tuple[Collective, int, int]]:
        """(collective, nodes, ranks) in the order in which they are shown."""
        return [(c, n, r) for c in self.study.collectives for n, r in self.study.layouts]

    @property
    def focus(self) -> tuple[int, ...]:
        """The sizes in focus, of whole vectors, that the table has; all of it where none are, or with sizes of blocks."""
        have = sorted(set(self.sim["bytes"]))
        if self.study.blocks:
            return tuple(have)
        return tuple(s for s in (self.study.focus or self.study.sizes) if s in have)

    def name(self, sim: pd.DataFrame) -> None:
        """Adds short_label and label to rows of `simulated`."""
        entry = {(c.name, e.key): e for c in self.study.collectives for e in c.entries}
        pairs = list(zip(sim["collective"], sim["key"], strict=True))
        sim["short_label"] = [self.short_name(entry[p]) for p in pairs]
        sim["label"] = [self.label(entry[p]) for p in pairs]

    def short_name(self, entry: Entry) -> str:
        """The name beside a line: short, long, builtin 4.0, or the part of the key after the slash."""
        if entry.key in self.study.alternatives:
            libraries = {library_name(a).rpartition(" ")[0] for a in self.study.alternatives}
            library = library_name(entry.key)
            return f"{entry.name} {library.rpartition(' ')[2] if len(libraries) == 1 else library}"
        return entry.name if entry.name != entry.key else entry.key.partition("/")[2]

    def label(self, entry: Entry) -> str:
        """The name in a legend: with the key, and whose decisions they are."""
        if entry.key.startswith("decision/"):
            return f"{entry.name}: {library_name(entry.key)} decides ({entry.key})"
        return f"{entry.name}: {entry.key}" if entry.name != entry.key else entry.key


def simulated(study: Study, frame: pd.DataFrame, metric: str, variant: Variant | None = None) -> pd.DataFrame:
    """The simulated times of a tidy table, in the order of the study; of its first variant, or of another.

    Columns: collective, ranks, nodes, bytes; key, of the algorithm; name, its class (its key without classes); classes, whether the
    collective has some; chose, the key that a decision took; time_s.
    """
    if study.variations:
        frame = what_if.of_variant(frame, variant or study.variants[0])
    rows = frame[(frame["source"] == study.numbers_from) & (frame["status"] == "ok")]
    rows = rows[rows["median_s"].notna() & (rows["median_s"] > 0)]
    entries = pd.DataFrame(
        [
            (c.name, e.algorithm, e.metric or metric, e.key, e.name, k, c.classes)
            for c in study.collectives
            for k, e in enumerate(c.entries)
        ],
        columns=["collective", "algorithm", "metric", "key", "name", "order", "classes"],
    )
    merged = rows.merge(entries, on=["collective", "algorithm", "metric"])
    merged["time_s"] = merged["median_s"]
    place = {c.name: k for k, c in enumerate(study.collectives)}
    merged["place"] = merged["collective"].map(place)
    merged = merged.sort_values(["place", "ranks", "nodes", "order", "bytes"], kind="stable")
    kept = ["collective", "ranks", "nodes", "bytes", "key", "name", "classes", "chose", "time_s"]
    return merged[[*kept, *(c for c in ("block_bytes", *TRAFFIC) if c in merged)]]


def analyse(study: Study, frame: pd.DataFrame) -> Analysis:
    """`frame`: the tidy table, with the columns of points/table.py."""
    sim = simulated(study, frame, study.metric)
    first = what_if.of_variant(frame, study.variants[0]) if study.variations else frame
    bound = first[(first["source"] == "bound") & first["algorithm"].isin([TELEPHONE, ""]) & (first["median_s"] > 0)]
    bound = bound.assign(time_s=bound["median_s"], algorithm=TELEPHONE)
    made = Analysis(study, papers.load(study.paper) if study.paper else None, frame, sim, bound)
    made.name(sim)
    return made


def compare_variants(analysis: Analysis) -> WhatIf | None:
    """The times of all variants; None where the study has no [vary], or none of them has a time."""
    study = analysis.study
    if not study.variations:
        return None
    timed = [simulated(study, analysis.frame, study.metric, variant) for variant in study.variants]
    for times in timed:
        analysis.name(times)
    return (
        None
        if all(times.empty for times in timed)
        else what_if.make(study.titles, study.variations, study.variants, timed)
    )


# ---- crossovers and the tree -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Changes:
    """Where the best class changes, with one alternative for the class that has several."""

    alternative: str
    spans: tuple[Span, ...]
    best: pd.DataFrame  # the columns of crossover.winners

    def sequence(self, collective: str, nodes: int, ranks: int) -> str:
        """The best classes from the smallest size to the largest."""
        mine = [s for s in self.spans if (s.collective, s.nodes, s.ranks) == (collective, nodes, ranks)]
        if len(mine) < 2:
            return f"{mine[0].name} at every size" if mine else "–"
        return ", ".join(f"{s.name} to {rounded_size(s.to_bytes)}" for s in mine[:-1]) + f", then {mine[-1].name}"


def changes(analysis: Analysis) -> list[Changes]:
    """One for each alternative; none where the study has no classes."""
    out = []
    for alternative in analysis.alternatives:
        times = analysis.of_alternative(alternative)
        if times.empty:
            continue
        best = crossover.winners(times)
        out.append(Changes(alternative, tuple(crossover.spans(times, best)), best))
    return out


def resolved(analysis: Analysis) -> pd.DataFrame:
    """The rows of collectives with classes, named by algorithm: what a decision chose counts under its own name."""
    times = analysis.sim[analysis.sim["classes"]]
    return times.assign(name=np.where(times["chose"] != "", times["chose"], times["key"]))


def make_tree(analysis: Analysis) -> Tree | None:
    """Over every algorithm that the study ran; None where it has no classes."""
    times = resolved(analysis)
    return fit_tree(times, analysis.study.tolerance) if len(times) else None


def tree_sizes(analysis: Analysis, tree: Tree) -> list[dict[str, Any]]:
    """How many rules a tree needs when more or less may be lost: tolerance, rules, mean and worst loss, and whether it is this tree."""
    times = resolved(analysis)
    out = []
    for tolerance in sorted({*TOLERANCES, tree.tolerance}):
        made = tree if tolerance == tree.tolerance else fit_tree(times, tolerance)
        loss = regret(times, made)["regret"]
        mean, worst = float(loss.mean()), float(loss.max())
        out.append(
            {"tolerance": tolerance, "rules": len(made.rules), "mean": mean, "worst": worst, "this": made is tree}
        )
    return out


def regrets(analysis: Analysis, tree: Tree) -> list[dict[str, Any]]:
    """What following the tree, or always one class, costs against the best at each point: choice, points, and the mean, median, p90
    and worst share of time lost."""
    times = resolved(analysis)
    by_entry = analysis.sim[analysis.sim["classes"]]
    rows = [("this tree", regret(times, tree)["regret"])]
    best = times.groupby([*crossover.CASE, "bytes"])["time_s"].min().rename("best_s")
    labels: dict[str, str] = {}
    for c in analysis.study.collectives:
        for e in c.entries if c.classes else ():
            labels.setdefault(analysis.short_name(e), e.key if e.key.startswith("decision/") else e.name)
    for label, what in labels.items():
        column = "key" if what.startswith("decision/") else "name"
        mine = by_entry[by_entry[column] == what].join(best, on=[*crossover.CASE, "bytes"])
        rows.append((f"always {label}", mine["time_s"] / mine["best_s"] - 1))
    return [
        {"choice": label, "points": int(r.notna().sum()), "mean": float(r.mean()), "median": float(r.median()),
         "p90": float(r.quantile(0.9)), "worst": float(r.max())}
        for label, r in rows if r.notna().any()
    ]  # fmt: skip
