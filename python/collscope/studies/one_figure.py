"""One figure of a study alone: its points are simulated where they are not cached, and nothing else of the study is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from collscope.analysis import what_if
from collscope.base import folders, paths
from collscope.base.errors import UsageError
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points import table
from collscope.sources import cluster as clusters
from collscope.studies import rows
from collscope.studies.reader import check_keys, load
from collscope.studies.request import Request
from collscope.studies.study import Study


def run(name: str, figure: str, request: Request) -> list[Path]:
    """Draws the figure with this number or name (as the study's own files are called) as SVG and PNG into request.out, or
    results/figures/fresh; returns the files. They are the same as in the results of the whole study."""
    quick, out = request.quick, request.out
    study = check_keys(load(name), registry.load())
    whole = figure == what_if.STEM and bool(study.variations) and not study.drawings
    drawing = next((d for d in study.drawings if figure in (d.stem, d.number)), None)
    case = None if whole or drawing else find_case(study, figure)
    folder = paths.fresh("figures") / study.name
    if out is not None:
        folder = folders.own(out, "figures of a study", lambda there: folders.only(there, "*.svg", "*.png"))
    with study.at_fault():
        platform = find.load(study.platform)
    _, platform = next(rows.platforms(study, platform))
    tasks = [
        task for task, entry, _ in rows.tasks_of(study, platform, quick, first_alone=not (whole or drawing))
        if whole or (drawing and drawing.shows(entry)) or (entry.collective, task[0].nodes, task[0].ranks) == case
    ]  # fmt: skip
    with clusters.opened(request.cluster) as workers:
        made = rows.rows_of(study, tasks, replace(request.options(workers), title=study.name))

    from collscope.studies.report import analysis, pictures

    found = pictures.pictures(analysis.analyse(study, table.to_frame(made)), [], None, quick)
    only = what_if.STEM if whole else drawing.stem if drawing else ""
    found = [p for p in found if not only or p.stem == only]
    if not found:
        raise UsageError(f"--figure {figure}: none of its points has a number")
    return [folder / file for file in pictures.draw(found, folder, 1)]


def find_case(study: Study, figure: str) -> tuple[str, int, int]:
    """Collective, nodes and ranks of the figure; a UsageError names what there is."""
    cases, names = {}, [d.number or d.stem for d in study.drawings]
    for c in () if study.drawings else study.collectives:
        for nodes, ranks in study.layouts:
            number, stem = study.figure(c, nodes, ranks)
            cases[number or stem] = cases[stem] = (c.name, nodes, ranks)
            names.append(number or stem)
    names += [what_if.STEM] if study.variations and not study.drawings else []
    if figure not in cases:
        raise UsageError(f"--figure {figure}: {study.name} has {', '.join(names)}")
    return cases[figure]
