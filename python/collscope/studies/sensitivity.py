"""Claims over the plausible range of the undocumented numbers.

A platform's specification gives many numbers with a range. Here each is moved to both ends of its range, the others left alone (the
pieces of one curve move together), the study is simulated again at a few sizes, and its claims are judged again.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from collscope.analysis.claims import Claim
from collscope.analysis.winner_table import WinnerTable
from collscope.base import console
from collscope.base.units import join_words, rounded_size
from collscope.catalogue.decisions import library_name
from collscope.figures.source_style import DONE
from collscope.machines import find, topology
from collscope.machines.spec import Number, Spec
from collscope.machines.study_variants import MAPPING, Variation
from collscope.papers import papers
from collscope.points import table
from collscope.sources.rows import SOURCES
from collscope.sources.source import Options
from collscope.studies.report.analysis import analyse
from collscope.studies.rows import tasks_of
from collscope.studies.study import Study

COLUMNS = (
    "number",
    "end",
    "value",
    "alternative",
    "claim",
    "verdict",
    "held",
    "total",
    "matching_rows",
    "matching_cells",
    "platform_hash",
    "sources_hash",
)
BASE = "as modelled"

# Beyond this the segments of pipelines need not wait for their receives: thousands are under way at once, and one point takes an hour.
LIMITS = {"eager_bytes": 32768.0}


@dataclass(frozen=True)
class Variant:
    """The platform with one number, or one kind of number of a curve, at an end of its range."""

    number: str
    end: str  # low or high
    value: str
    spec: Spec


def variants(spec: Spec, nodes: int) -> Iterator[Variant]:
    """Every number that has a range at either end of it, where that moves it; a curve's pieces together. Links between nodes count
    where so many nodes are joined by some."""
    for name, number in spec.numbers():
        # Counts are not costs: how many nodes stand idle beside those of the study changes nothing.
        if "curve." not in name and number.range and isinstance(getattr(spec, name, None), Number):
            for end, given in zip(("low", "high"), number.range, strict=True):
                value = min(given, _most(name, number))
                if value != number.value:
                    yield Variant(name, end, f"{value:.4g}", replace(spec, **{name: _moved(number, value)}))  # type: ignore[arg-type]
    if topology.links_nodes(spec.topology, nodes):
        for name in spec.topology.used:
            number = getattr(spec.topology, name)
            for end, value in zip(("low", "high"), number.range or (), strict=False):
                if value != number.value:
                    moved_links = replace(spec.topology, **{name: _moved(number, value)})  # type: ignore[arg-type]
                    yield Variant(f"topology.{name}", end, f"{value:.4g}", replace(spec, topology=moved_links))
    for at, unit in enumerate(spec.levels):
        for end, value in zip(("low", "high"), unit.bytes_per_s.range or (), strict=False):
            if value != unit.bytes_per_s.value:
                moved = replace(unit, bytes_per_s=_moved(unit.bytes_per_s, value))
                levels = (*spec.levels[:at], moved, *spec.levels[at + 1 :])
                yield Variant(f"{unit.name}.bytes_per_s", end, f"{value:.4g}", replace(spec, levels=levels))
    for level in spec.curve:
        # A class without a curve of its own has its neighbour's: the two are one curve and move together.
        same = [other for other in spec.curve if spec.curve[other] == spec.curve[level]]
        if level != same[0]:
            continue
        for kind in ("latency", "s_per_byte", "traffic"):
            for side, end in enumerate(("low", "high")):
                pieces = []
                values = []
                for piece in spec.curve[level]:
                    number = getattr(piece, kind)
                    value = number.range[side] if number.range else number.value
                    values.append(f"{value:.4g}")
                    pieces.append(replace(piece, **{kind: _moved(number, value)}))  # type: ignore[arg-type]
                if tuple(pieces) != tuple(spec.curve[level]):
                    curve: Mapping[str, Any] = {**spec.curve, **dict.fromkeys(same, tuple(pieces))}
                    name = f"curve.{same[-1]}.{'latency_s' if kind == 'latency' else kind}"
                    yield Variant(name, end, " ".join(values), replace(spec, curve=curve))


def _most(name: str, number: Number) -> float:
    """The most that is tried of a number: what LIMITS says, but never less than the platform itself has."""
    return max(LIMITS[name], number.value) if name in LIMITS else math.inf


def _limits(spec: Spec) -> Iterator[str]:
    """The numbers of the platform whose range is not gone over to its end, in words."""
    for name in LIMITS:
        number = getattr(spec, name, None)
        if isinstance(number, Number) and number.range and number.range[1] > _most(name, number):
            yield f"{name} only to {_most(name, number):g}"


def _moved(number: Number, value: float) -> Number:
    return replace(number, value=value)


def run(study: Study, sizes: Sequence[int], options: Options) -> pd.DataFrame:
    """The claims of the study's paper on each variant, at these sizes alone: a row for each variant, alternative and claim.

    Columns: COLUMNS. `number`, `end` and `value` say what was moved; `held` of `total` assertions hold; `matching_rows` and
    `matching_cells` of the paper's table of winners agree.
    """
    few = replace(study, sizes=tuple(sizes), quick=tuple(sizes), focus=tuple(sizes), also_metrics=(), variations=_mappings(study),
                  layouts=tuple((n, r) for n, r in study.layouts if r <= study.prior_ranks),
                  collectives=tuple(c for c in study.collectives if c.classes or not study.classes),
                  numbers_from=study.prior_source)  # fmt: skip
    spec = find.load_spec(study.platform)
    every = [Variant(BASE, "", "", spec), *variants(spec, max(few.nodes))]
    rows: list[tuple[object, ...]] = []
    for at, variant in enumerate(every):
        # The name stays the study's: what differs is the file, and with it the hash.
        platform = find.platform_of(variant.spec, study.platform)
        tasks = [task for task, _, _ in tasks_of(few, platform, quick=False)]
        made = SOURCES[few.numbers_from].rows(tasks, replace(options, force=False, quiet=True))
        console.note(f"{at + 1} of {len(every)}: {variant.number} {variant.end} {variant.value}")
        analysis = analyse(few, table.to_frame(made)).narrowed(sizes, few.ranks)
        tables = {t.alternative: t for t in analysis.winner_tables()}
        for alternative, claims in analysis.judged().items():
            three = tables.get(alternative, WinnerTable(alternative, ()))
            for c in claims:
                rows.append(
                    (variant.number, variant.end, variant.value, alternative, c.id, c.verdict, c.held, len(c.testable),
                     three.matching_rows, three.matching_cells, made[0]["platform_hash"], made[0]["sources_hash"])
                )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _mappings(study: Study) -> tuple[Variation, ...]:
    """Of what the study varies the mappings that claims speak of; the platform's numbers are moved one by one."""
    spoken = papers.load(study.paper).mappings() if study.paper else set()
    kept = [(v, tuple(m for m in v.values if m in spoken)) for v in study.variations if v.key == MAPPING]
    return tuple(replace(v, values=values) for v, values in kept if values)


# ---- for the report --------------------------------------------------------------------------------------


def summary(study: Study, text: str, judged: Mapping[str, Sequence[Claim]]) -> dict[str, Any]:
    """What the report says of the CSV that `run` made.

    sizes, ranks, by (what made the times, where the study has others) and limits, as text; the numbers moved; variants, the platform as
    modelled not among them; claims, rows of `by_claim`; ahead, rows of `by_alternative`. `judged`: the claims at all sizes in focus, by
    alternative.
    """
    frame = pd.read_csv(io.StringIO(text), keep_default_na=False)
    moved = frame[frame["number"] != BASE]
    return {
        "sizes": join_words([rounded_size(s) for s in study.prior_sizes]),
        "ranks": f" and on at most {study.prior_ranks} ranks" if study.prior_ranks < max(study.ranks) else "",
        "by": f", {DONE[study.prior_source]}" if study.prior_source != study.numbers_from else "",
        "limits": join_words(list(_limits(find.load_spec(study.platform)))),
        "numbers": moved["number"].nunique(),
        "variants": len(moved.drop_duplicates(["number", "end"])),
        "claims": by_claim(frame, judged),
        "ahead": by_alternative(frame),
    }


def by_claim(frame: pd.DataFrame, judged: Mapping[str, Sequence[Claim]]) -> list[dict[str, Any]]:
    """A row for each claim and alternative.

    claim; alternative, its name; whole, the verdict at all sizes; verdict, that of the platform as modelled at the few sizes; same, how
    many variants have it; held_low and held_high of total assertions; changes, the variants with another.
    """
    out = []
    for alternative, claims in judged.items():
        for claim in claims:
            mine = frame[(frame["alternative"] == alternative) & (frame["claim"] == claim.id)]
            base = mine[mine["number"] == BASE]
            moved = mine[mine["number"] != BASE]
            if base.empty or moved.empty:
                continue
            verdict = str(base["verdict"].iloc[0])
            other = moved[moved["verdict"] != verdict]
            changes = [f"{r.number} {r.end}: {r.verdict}" for r in other.itertuples()]
            out.append(
                {"claim": claim.id, "alternative": library_name(alternative), "whole": claim.verdict, "verdict": verdict,
                 "same": len(moved) - len(other), "held_low": int(mine["held"].min()), "held_high": int(mine["held"].max()),
                 "total": int(mine["total"].max()), "changes": changes}
            )  # fmt: skip
    return out


def by_alternative(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """How the alternatives agree with the paper's table of winners: a row for each; none where there is one alone.

    alternative, its name; low and high, the rows that agree, over the platform as modelled and all variants; ahead, in how many variants
    more rows agree than with any other.
    """
    once = frame.drop_duplicates(["number", "end", "alternative"])
    wide = once.pivot(index=["number", "end"], columns="alternative", values="matching_rows")
    moved = wide[wide.index.get_level_values("number") != BASE]
    out = []
    for alternative in wide.columns if len(wide.columns) > 1 else ():
        others = moved.drop(columns=alternative).max(axis=1)
        out.append(
            {"alternative": library_name(str(alternative)), "low": int(wide[alternative].min()),
             "high": int(wide[alternative].max()), "ahead": int((moved[alternative] > others).sum())}
        )  # fmt: skip
    return out
