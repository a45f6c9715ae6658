"""Claims over the plausible range of the numbers that nobody documented.

A platform's specification gives many numbers with a range. Here each is moved to both ends of its range, the others left alone (the
pieces of one curve move together), the study is simulated again at a few sizes, and its claims are judged again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from collscope.analysis.claims import Claim
from collscope.base import console
from collscope.catalogue.decisions import library_name
from collscope.machines import find
from collscope.machines.spec import Number, Spec
from collscope.papers import bird as claims_bird
from collscope.points import table
from collscope.sources import simulate
from collscope.studies import report

if TYPE_CHECKING:
    from collscope.studies.study import Study

COLUMNS = (
    "number",
    "end",
    "value",
    "candidate",
    "claim",
    "verdict",
    "held",
    "total",
    "matching_rows",
    "matching_cells",
    "platform_hash",
    "sources_hash",
)
FILE = "priors.csv"  # beside the table of the study
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


def variants(spec: Spec) -> Iterator[Variant]:
    for name, number in spec.numbers():
        # Counts are no costs: how many nodes stand idle beside those of the study changes nothing.
        if "curve." not in name and number.range and isinstance(getattr(spec, name), Number):
            for end, given in zip(("low", "high"), number.range, strict=True):
                value = min(given, LIMITS.get(name, given))
                if value != number.value:
                    yield Variant(name, end, f"{value:.4g}", replace(spec, **{name: _moved(number, value)}))  # type: ignore[arg-type]
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


def _moved(number: Number, value: float) -> Number:
    return replace(number, value=value)


def run(study: Study, sizes: Sequence[int], jobs: int | None = None) -> pd.DataFrame:
    """A row for each variant, candidate and claim."""
    from collscope.catalogue import registry
    from collscope.studies.reader import check_keys
    from collscope.studies.rows import tasks_of

    few = replace(study, sizes=tuple(sizes), quick=tuple(sizes), focus=tuple(sizes), also_metrics=(),
                  collectives=tuple(c for c in study.collectives if c.classes))  # fmt: skip
    few = check_keys(few, registry.load())
    spec = find.load_spec(study.platform)
    every = [Variant(BASE, "", "", spec), *variants(spec)]
    rows: list[dict[str, Any]] = []
    for at, variant in enumerate(every):
        # The name stays the study's: what differs is the file, and with it the hash.
        platform = find.platform_of(variant.spec, study.platform)
        tasks = [task for task, _, _ in tasks_of(few, platform, quick=False)]
        made = simulate.run_tasks(tasks, jobs=jobs)
        console.note(f"{at + 1} of {len(every)}: {variant.number} {variant.end} {variant.value}")
        analysis = report.analyse(few, table.to_frame(made))
        for candidate in few.alternatives:
            three = claims_bird.table_three(analysis.of_candidate(candidate), sizes, candidate)
            for claim in claims_bird.judge(analysis.of_candidate(candidate), sizes, candidate):
                rows.append(
                    {"number": variant.number, "end": variant.end, "value": variant.value, "candidate": candidate, "claim": claim.id,
                     "verdict": claim.verdict, "held": claim.held, "total": len(claim.testable), "matching_rows": three.matching_rows,
                     "matching_cells": three.matching_cells, "platform_hash": made[0]["platform_hash"],
                     "sources_hash": made[0]["sources_hash"]}
                )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


# ---- for the report --------------------------------------------------------------------------------------


def summary(frame: pd.DataFrame, judged: Mapping[str, Sequence[Claim]]) -> list[dict[str, Any]]:
    """For each claim and candidate: how many variants give the verdict of the platform as modelled, and which do not."""
    out = []
    for candidate, claims in judged.items():
        for claim in claims:
            mine = frame[(frame["candidate"] == candidate) & (frame["claim"] == claim.id)]
            base = mine[mine["number"] == BASE]
            moved = mine[mine["number"] != BASE]
            if base.empty or moved.empty:
                continue
            verdict = str(base["verdict"].iloc[0])
            other = moved[moved["verdict"] != verdict]
            changes = [f"{r.number} {r.end}: {r.verdict}" for r in other.itertuples()]
            out.append(
                {"claim": claim.id, "candidate": library_name(candidate), "verdict": verdict, "same": len(moved) - len(other),
                 "variants": len(moved), "held_low": int(mine["held"].min()), "held_high": int(mine["held"].max()),
                 "total": int(mine["total"].max()), "changes": changes}
            )  # fmt: skip
    return out


def table_three_range(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """How many rows of Table III each candidate matches over all variants, and in how many it is ahead."""
    once = frame.drop_duplicates(["number", "end", "candidate"])
    wide = once.pivot(index=["number", "end"], columns="candidate", values="matching_rows")
    out = []
    for candidate in wide.columns:
        others = wide.drop(columns=candidate).max(axis=1)
        out.append(
            {"candidate": library_name(str(candidate)), "low": int(wide[candidate].min()), "high": int(wide[candidate].max()),
             "ahead": int((wide[candidate] > others).sum()), "variants": len(wide)}
        )  # fmt: skip
    return out
