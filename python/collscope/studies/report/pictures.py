"""The figures of a report, with their captions, and the drawing of them in several processes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from collscope.analysis.tree import Tree
from collscope.analysis.what_if import STEM, WhatIf
from collscope.base.units import counted, join_words
from collscope.catalogue.decisions import library_name
from collscope.figures import files
from collscope.figures.axes import Focus
from collscope.figures.crossovers import Panel, crossover_figure
from collscope.figures.palette import fixed, short
from collscope.figures.run import run_figure
from collscope.figures.source_style import DONE
from collscope.figures.style import colour_of
from collscope.figures.tree import tree_figure
from collscope.figures.what_if import what_if_figure
from collscope.machines.placement import EVEN_MAPPINGS
from collscope.machines.study_variants import MAPPING
from collscope.sources.cluster import Cluster, Lost
from collscope.studies.report.analysis import Analysis, Changes, compare_variants
from collscope.studies.report.drawings import Picture, drawing
from collscope.studies.report.sentences import case_sentence, crossover_sentence, tree_sentence
from collscope.studies.study import DRAWINGS, Collective, Drawing, Study

CROSSOVERS, TREE = "crossovers", "decision_tree"  # stems


def pictures(analysis: Analysis, where: Sequence[Changes], tree: Tree | None, quick: bool) -> list[Picture]:
    """What the variants change, a figure for each collective and layout, where the best class changes, and the decision tree."""
    study = analysis.study
    compared = None if study.drawings else compare_variants(analysis)
    varied = [_what_if(analysis, compared, quick)] if compared else []
    note = f"{DONE[study.numbers_from]} · {study.metric}{' · quick run: few sizes' if quick else ''}"
    colours = fixed(_most_shown(study)) if study.drawings else {}
    drawn = [p for d in study.drawings if (p := drawing(analysis, d, note, colours))]
    note = f"{study.on}, {note}"
    focus = Focus(study.focus_label, study.focus[0], study.focus[-1]) if study.focus else None
    cases = [c for c in analysis.cases if not study.drawings and not analysis.case(c[0].name, c[1], c[2]).empty]
    out = [*varied, *drawn, *(_case(analysis, *case, note, focus) for case in cases)]
    titles = {c.name: c.title for c in study.collectives if c.classes}
    layout = f"{join_words([str(r) for r in study.ranks])} ranks on {note}"
    if any(p.spans for p in where):
        title = "Where the best class changes"
        panels = [panel(analysis, p) for p in where]
        make = partial(crossover_figure, panels, titles, title=title, subtitle=layout, focus=focus)
        out.append(Picture(CROSSOVERS, title, "", crossover_sentence(analysis, where), make))
    if tree:
        sizes = (int(analysis.sim["bytes"].min()), int(analysis.sim["bytes"].max()))
        title = f"Decision tree for {study.platform}"
        loss = f"{layout} · no point loses more than {100 * tree.tolerance:g} % against the best algorithm of the study"
        make = partial(tree_figure, tree, titles, sizes, title=title, subtitle=loss)
        out.append(Picture(TREE, title, "", tree_sentence(analysis, tree), make))
    return out


def _what_if(analysis: Analysis, compared: WhatIf, quick: bool) -> Picture:
    """The figure of all variants."""
    study, columns = analysis.study, ["collective", "ranks", "nodes", "row"]
    titles = {}
    for row in dict.fromkeys(compared.winners[columns].itertuples(index=False, name=None)):
        collective, ranks, nodes, words = row
        titles[row] = f"{study.titles[collective]}, {ranks} ranks on {counted(nodes, 'node')}" + (
            f", {words}" if words else ""
        )
    fixed = "" if any(v.key == MAPPING for v in study.variations) else f", mapping {study.mapping}"
    note = f"{study.on}{fixed}, {DONE[study.numbers_from]} · {study.metric}{' · quick run: few sizes' if quick else ''}"
    shown = compared.times[[*columns, "column", "bytes", "key", "short_label", "time_s"]]
    won = compared.winners[[*columns, "column", "bytes", "key", "time_s", "ratio"]]
    make = partial(what_if_figure, shown, won, titles, title=study.title, subtitle=note)
    return Picture(STEM, study.title, "", compared.sentence(), make)


def _case(analysis: Analysis, c: Collective, nodes: int, ranks: int, note: str, focus: Focus | None) -> Picture:
    """The figure of one collective in one layout."""
    study = analysis.study
    times = analysis.case(c.name, nodes, ranks)
    number, stem = study.figure(c, nodes, ranks)
    b = analysis.bound
    bound = b[(b["collective"] == c.name) & (b["nodes"] == nodes) & (b["ranks"] == ranks)]
    called = {e.key: analysis.short_name(e) for e in c.entries}
    rows = analysis.rows_of(Drawing(stem, "", number, "", c.name, (), (), (ranks,), (nodes,), ()), called)
    # Where classes compete, the colours of the figure of crossovers.
    colours = {short(key): colour_of(key) for key in called} if study.classes else None
    alike = {column: rows[column].iloc[0] for column in ("platform", "mapping", "metric", "type", "root", "in_place")}
    rows = pd.concat([rows, bound.assign(**alike)], ignore_index=True)
    even = f" × {ranks // nodes} ranks" if ranks % nodes == 0 and study.mapping in EVEN_MAPPINGS else f", {ranks} ranks"
    title = f"{c.title}, {counted(nodes, 'node')}{even}"
    subtitle = f"{'Figure ' + number + ' of the paper · ' if number else ''}{note}"
    make = partial(run_figure, rows, title=title, called=called, subtitle=subtitle, colours=colours, focus=focus)
    return Picture(stem, title, number, case_sentence(analysis, times, bound[["bytes", "time_s"]]), make, c.name)


def _most_shown(study: Study) -> list[str]:
    """Keys, those in most figures first: they get the colours that are farthest apart."""
    times = [d for d in study.drawings if d.kind == DRAWINGS[0]]
    shown = {e.key: sum(d.shows(e) for d in times) for c in study.collectives for e in c.entries}
    return sorted((key for key, n in shown.items() if n or not study.every), key=lambda key: -shown[key])


def panel(analysis: Analysis, p: Changes) -> Panel:
    """What competes in one panel of the crossovers. A class has the colour of the first key that stands for it, one that has
    alternatives that of the alternative in this panel."""
    keys: dict[str, str] = {}
    for c in analysis.study.collectives:
        for e in c.entries:
            keys.setdefault(e.name, e.key)
    labels = {name: name for name in keys}
    heading = ""
    if p.alternative:
        name, library = analysis.open_class, library_name(p.alternative)
        keys[name], labels[name], heading = p.alternative, f"{name} {library}", f"{name} = {library}"
    return Panel(heading, p.spans, p.best, labels, {name: colour_of(key) for name, key in keys.items()})


def on_worker(stem: str, make: Callable[[], Figure], topic: str) -> dict[str, bytes]:
    """The files of a figure, by name: nothing is left on the worker."""
    with tempfile.TemporaryDirectory() as folder:
        return {name: (Path(folder) / name).read_bytes() for name in files.save_all([(stem, make)], Path(folder))}


def draw(made: Sequence[Picture], folder: Path, jobs: int, cluster: Cluster | None = None) -> list[str]:
    """Draws all pictures into the folder, in several processes, or on a cluster's workers; returns the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    work = [(picture.stem, picture.make) for picture in made]
    if cluster and work:
        drawn = dict(cluster.call(on_worker, work))
        lost = [k for k, found in drawn.items() if isinstance(found, Lost)]  # drawn here, one after the other
        for found in (drawn[k] for k in range(len(work)) if k not in lost):
            for name, data in found.items():
                (folder / name).write_bytes(data)
        files.save_all([work[k] for k in lost], folder)
        return [name for stem, _ in work for name in (f"{stem}.svg", f"{stem}.png")]
    if jobs < 2 or len(work) < 4:
        return files.save_all(work, folder)
    with ProcessPoolExecutor(min(jobs, len(work))) as pool:
        done = pool.map(files.save_all, [[one] for one in work], [folder] * len(work))
        return [name for names in done for name in names]
