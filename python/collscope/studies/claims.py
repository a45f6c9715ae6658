"""All claims of all papers, judged on the committed tables of their studies.

A study whose results are not committed is left out: nothing is simulated here.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from collscope.analysis.claims import MILD, STRICT, Claim
from collscope.base import pages, paths
from collscope.base.errors import unknown
from collscope.catalogue import registry
from collscope.catalogue.decisions import library_name
from collscope.papers import papers
from collscope.points import table
from collscope.studies import reader, results, sensitivity
from collscope.studies.report import report
from collscope.studies.report.analysis import Analysis, analyse
from collscope.studies.study import Study

READ = {STRICT: "strictly", MILD: "mildly"}
VERDICTS = ("reproduced", "partly", "not reproduced", "not testable")


@dataclass(frozen=True)
class Judged:
    """A claim on its study's committed table."""

    study: str
    alternative: str  # what stands for the class that has several, a library's name; "" without alternatives
    claim: Claim
    committed: str  # the verdict that is committed; "" where it is absent
    ranges: str  # over which part of the platform's ranges the verdict holds

    @property
    def changed(self) -> bool:
        """Whether it is another than the committed one."""
        return self.claim.verdict != self.committed

    @property
    def margin(self) -> str:
        """The numbers of the first assertion that fails; where all hold, of the first."""
        tested = self.claim.testable
        if not tested:
            return "–"
        shown = next((a for a in tested if not a.holds), tested[0])
        return shown.evidence


@dataclass(frozen=True)
class PaperClaims:
    """What is said of one study's paper: its claims, and the tasks that it left open."""

    study: str
    title: str
    claims: Sequence[Judged]
    tasks: Sequence[tuple[str, str]]  # id and text


def every(names: Collection[str] = ()) -> list[PaperClaims]:
    """The claims of each study in sim/ that has a paper and committed results; of `names`,
    those of these studies (bird_schooner, or its first word) and these claims alone. UsageError: there is no such study or claim."""
    folder = paths.RESULTS
    known = registry.load()
    chosen = {name.lower() for name in names}
    out, found = [], set()
    for name in reader.names():
        study = reader.load(name)
        if not study.paper or not (folder / name / "table.csv").is_file():
            continue
        ids = {claim.id.lower() for claim in papers.load(study.paper).claim}
        whole = {short for short in chosen if name == short or name.startswith(f"{short}_")}
        found |= whole | chosen & ids
        if not chosen or whole or chosen & ids:
            paper = _judged(reader.check_keys(study, known), folder / name)
            kept = paper.claims if whole or not chosen else [j for j in paper.claims if j.claim.id.lower() in chosen]
            out.append(replace(paper, claims=kept))
    if missing := next((name for name in names if name.lower() not in found), ""):
        raise unknown("study or claim", missing, reader.names())
    return out


def _judged(study: Study, folder: Path) -> PaperClaims:
    analysis: Analysis = analyse(study, table.read_csv(folder / "table.csv"))
    judged = analysis.judged()
    ranges = _ranges(study, folder / results.SENSITIVITY, judged)
    committed = _committed(folder / "claims.csv")
    claims = [
        Judged(study.name, library_name(alternative), c, committed.get((alternative, c.id), ""),
               ranges.get((library_name(alternative), c.id), ""))
        for alternative, found in judged.items() for c in found
    ]  # fmt: skip
    assert analysis.paper
    return PaperClaims(study.name, analysis.paper.title, claims, [(t.id, t.text) for t in analysis.paper.task])


def _ranges(study: Study, path: Path, judged: Mapping[str, Sequence[Claim]]) -> dict[tuple[str, str], str]:
    """(alternative's name, claim) → in how many variants of the platform the verdict is the same; empty where nobody tried."""
    if not path.is_file():
        return {}
    over = sensitivity.summary(study, path.read_text(encoding="utf-8"), judged)
    return {(row["alternative"], row["claim"]): f"{row['same']} of {over['variants']}" for row in over["claims"]}


def _committed(path: Path) -> dict[tuple[str, str], str]:
    """(alternative, claim) → verdict."""
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {(row["alternative"], row["claim"]): row["verdict"] for row in csv.DictReader(file)}


def count(papers: Sequence[PaperClaims], reading: str = "") -> dict[str, int]:
    """Verdict → how many claims have it; one with alternatives has the best of theirs. `reading`: STRICT or MILD, for those claims that
    can be taken in two ways; "" asks both of them."""
    best: dict[tuple[str, str], str] = {}
    for judged in (j for p in papers for j in p.claims):
        key, mine = (judged.study, judged.claim.id), judged.claim.readings.get(reading, judged.claim.verdict)
        best[key] = min(best.get(key, mine), mine, key=VERDICTS.index)
    found = Counter(best.values())
    return {verdict: found[verdict] for verdict in VERDICTS}


def readings(claim: Claim) -> str:
    """The verdicts of its two readings in words; "" where these are the same, or the sentence is not ambiguous."""
    if len(set(claim.readings.values())) < 2:
        return ""
    return "; ".join(f"{READ[r]}: {found}" for r, found in claim.readings.items())


def reason(claim: Claim) -> str:
    """Why it is not reproduced, or not wholly, or against theory; else ""."""
    if claim.verdict == "reproduced" and not claim.explanation:
        return ""
    return ". ".join(text for text in (claim.explanation and f"Found: {claim.explanation}", claim.reason) if text)


def written(papers: Sequence[PaperClaims], folder: Path) -> dict[str, str]:
    """claims.md and claims.html, by name, as they stand in the folder."""
    template = report.environment().get_template("claims.md.j2")
    text = template.render(
        papers=papers, count=count(papers), mildly=count(papers, MILD), readings=readings, reason=reason
    )
    return {"claims.md": text, "claims.html": pages.html(text, folder)}
