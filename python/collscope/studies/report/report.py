"""The report of a study: everything in it is computed from the tidy table, the study's file and the platform's specification.

`write` makes the figures, the small tables beside them, report.md and report.html.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from collscope.analysis import crossover, families, what_if
from collscope.analysis.times import share_text
from collscope.analysis.tree import Tree
from collscope.analysis.what_if import WhatIf
from collscope.analysis.winner_table import fits_better
from collscope.base import pages
from collscope.base.errors import UserError
from collscope.base.units import rounded_size
from collscope.catalogue.decisions import library_name
from collscope.figures.source_style import DONE
from collscope.machines import find
from collscope.machines.platform import Platform
from collscope.machines.spec import Spec
from collscope.sources.cluster import Cluster
from collscope.studies import sensitivity
from collscope.studies.origin import Origin
from collscope.studies.report import analysis as analyses
from collscope.studies.report import pictures, tables
from collscope.studies.report.analysis import Analysis, Changes
from collscope.studies.report.pictures import Picture
from collscope.studies.report.sentences import headlines, sample_sentence
from collscope.studies.study import DRAWINGS, Study

TEMPLATES = Path(__file__).parent / "templates"


def context(
    study: Study, platform: Platform, frame: pd.DataFrame, origin: Origin, varied: str = ""
) -> tuple[dict[str, Any], list[Picture], dict[str, str]]:
    """What the templates show, the pictures to draw, and the small files beside them: name → text.

    `frame`: the columns of points/table.py. `varied`: the CSV of sensitivity.run, or "".
    """
    analysis = analyses.analyse(study, frame)
    where = analyses.changes(analysis)
    named = analysis.sim[analysis.sim["classes"]]
    pairs = crossover.pair_crossovers(named.assign(name=named["short_label"])) if len(named) else []
    tree = analyses.make_tree(analysis)
    made = pictures.pictures(analysis, where, tree, origin.quick)
    judged = analysis.judged()
    compared = None if study.machines else analyses.compare_variants(analysis)
    files = {"crossovers.csv": _csv(pd.DataFrame([vars(x) for x in pairs])), **_small_files(where, tree)}
    if study.machines:
        files["who_wins.csv"] = _csv(analysis.winners)
    elif compared:
        files[f"{what_if.STEM}.csv"] = _csv(compared.winners[what_if.columns(study.variations)])
    if judged:
        files["claims.csv"] = _csv(tables.claims_frame(judged))
    over = sensitivity.summary(study, varied, judged) if varied and judged else None
    summary = tables.claim_summary(judged)
    ctx = {
        "study": study,
        "paper": analysis.paper,
        "quick": origin.quick,
        "command": partial(_command, study, origin.quick),
        "commit": origin.versions.get("commit", ""),
        "done": DONE[study.numbers_from],
        "settings": tables.setting_rows(platform, origin, analysis),
        "headlines": _first_lines(analysis, compared)
        + headlines(analysis, analysis.winner_tables(), summary, where, tree, over),
        "alternatives": [library_name(a) for a in analysis.alternatives],
        "open_class": analysis.open_class,
        "fixed_classes": analysis.fixed_classes,
        "several_ranks": len(study.ranks) > 1,
        "groups": _groups(analysis, made),
        "claims": tables.claim_blocks(judged),
        "claim_summary": summary,
        "varied": over,
        "bounds": tables.bound_rows(analysis),
        "fits": tables.fit_rows(analysis),
        "plain": [] if study.machines else tables.plain_blocks(analysis),
        "numbers": [] if study.machines else tables.number_rows(_spec(study)),
        "what_if": compared.blocks() if compared else [],
        "who_wins": tables.winner_rows(analysis),
        "overview": [p for p in made if p.stem in {d.stem for d in study.drawings if d.kind != DRAWINGS[0]}],
        "sample": tables.sample_rows(analysis),
        "what_if_picture": next((p for p in made if p.stem == what_if.STEM), None),
        "crossovers": tables.crossover_rows(analysis, where, pairs),
        "crossover_picture": next((p for p in made if p.stem == pictures.CROSSOVERS), None),
        **_winners(analysis),
        **_tree(analysis, tree, made),
    }
    return ctx, made, files


def _command(study: Study, quick: bool, picture: Picture) -> str:
    """What draws a picture again: that figure alone, or the study where it follows from all its points."""
    alone = (
        any(picture.stem == d.stem for d in study.drawings)
        or picture.collective
        or (picture.stem == what_if.STEM and not study.drawings)
    )
    figure = f" --figure {picture.number or picture.stem}" if alone else ""
    return f"./collscope study run {study.name}{figure}{' --quick' if quick else ''}"


def _first_lines(analysis: Analysis, compared: WhatIf | None) -> list[str]:
    """What the variants change; of machines who wins, and how far the model is from the simulated sample."""
    if not analysis.study.machines:
        return [compared.sentence()] if compared else []
    lines = [
        families.sentence(analysis.winners),
        sample_sentence(analysis),
    ]
    return [line for line in lines if line]


def _winners(analysis: Analysis) -> dict[str, Any]:
    """What the templates show of the paper's table of winners."""
    study, focus = analysis.study, analysis.focus
    found = analysis.winner_tables()
    rule = analysis.paper.winners if analysis.paper else None
    return {
        "tables": found,
        "fit": [library_name(t.alternative) for t in fits_better(found)],
        "metric_differences": tables.metric_differences(analysis, found) if found else [],
        "tied": analysis.paper.tolerances[rule.tied] if analysis.paper and rule else 0.0,
        "focus": f"{rounded_size(focus[0])} to {rounded_size(focus[-1])}, {len(focus)} sizes" if focus else "",
        "whole_focus": len(focus) == len(study.focus or study.sizes),
    }


def _tree(analysis: Analysis, tree: Tree | None, made: list[Picture]) -> dict[str, Any]:
    """What the templates show of the decision tree."""
    return {
        "tree": tree,
        "tree_picture": next((p for p in made if p.stem == pictures.TREE), None),
        "tree_sizes": analyses.tree_sizes(analysis, tree) if tree else [],
        "regrets": analyses.regrets(analysis, tree) if tree else [],
    }


def _groups(analysis: Analysis, made: list[Picture]) -> list[dict[str, Any]]:
    """The pictures by collective: title, name, pictures, keys (the labels of what competes)."""
    groups = []
    for c in analysis.study.collectives:
        mine = [p for p in made if p.collective == c.name]
        if mine:
            keys = [analysis.label(e) for e in c.entries]
            groups.append({"title": c.title, "name": c.name, "pictures": mine, "keys": keys})
    return groups


def _small_files(where: list[Changes], tree: Tree | None) -> dict[str, str]:
    files = {}
    if where:
        files["winners.csv"] = _csv(pd.concat([p.best.assign(alternative=p.alternative) for p in where]))
    if tree:
        files["decision_tree.txt"] = tree.as_text()
        files["decision_tree.json"] = tree.as_json()
    return files


def _spec(study: Study) -> Spec | None:
    """The specification of the study's platform; None where it has an XML file alone."""
    try:
        return find.load_spec(study.platform)
    except UserError:
        return None


def _csv(frame: pd.DataFrame) -> str:
    return str(frame.to_csv(index=False, lineterminator="\n"))


@cache
def environment() -> jinja2.Environment:
    """The templates of reports, with the filters that they use."""
    environment = pages.environment(TEMPLATES)
    environment.filters.update(percent=share_text, library=library_name)
    return environment


def write(
    study: Study, platform: Platform, frame: pd.DataFrame, origin: Origin, folder: Path, *, jobs: int = 1, varied: str = "",
    cluster: Cluster | None = None,
) -> list[str]:  # fmt: skip
    """Figures, small tables and both reports into `folder`; returns the names of the files. The arguments are those of `context`."""
    ctx, made, files = context(study, platform, frame, origin, varied)
    names = [f"figures/{n}" for n in pictures.draw(made, folder / "figures", jobs, cluster)]
    for name, text in {**files, **render(ctx, folder)}.items():
        (folder / name).write_text(text, encoding="utf-8")
        names.append(name)
    return names


def render(ctx: dict[str, Any], folder: Path) -> dict[str, str]:
    """report.md and report.html, by name. The page holds the figures of the folder inside itself."""
    text = environment().get_template("report.md.j2").render(**ctx)
    return {"report.md": text, "report.html": pages.html(text, folder)}
