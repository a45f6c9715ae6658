"""collscope.figures:
every artist of every figure is as it is kept: looks exactly, places nearly. Cases lie beside the thresholds at which looks change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import artists
from collscope.analysis import crossover, prediction
from collscope.analysis.tree import Rule, Tree
from collscope.base import programs
from collscope.catalogue.decisions import Span
from collscope.figures import heading, skew
from collscope.figures import prediction as prediction_figures
from collscope.figures.axes import Focus
from collscope.figures.calibration import calibration_figure
from collscope.figures.crossovers import Panel, crossover_figure
from collscope.figures.decision_map import decision_map
from collscope.figures.explain import explain_figure
from collscope.figures.fitted import FittedLine, fitted_figure
from collscope.figures.run import run_figure
from collscope.figures.schedule import animation, kinds
from collscope.figures.tree import tree_figure
from collscope.figures.what_if import what_if_figure
from collscope.points import table
from collscope.schedules.critical_path import PARTS, CriticalPath, Link, Segment
from collscope.schedules.trace import Trace
from made_rows import MANY, SIZES, bounds, row, rows
from made_trace import made_trace
from traced import traced


def schedule(kind: str, key: str, ranks: int, **more: object) -> Figure:
    fig = kinds.draw([traced(key, ranks, **more)], kind)
    assert fig
    return fig


# Numbers of ranks and rounds around those from which things are drawn otherwise.
SCHEDULES = {
    f"{kind} {key.replace('/', ' ')} {ranks}": partial(schedule, kind, key, ranks, **more)
    for kind, key, ranks, more in (
        ("graph", "bcast/binomial", 4, {"nodes": 2}),
        ("graph", "bcast/binomial", 33, {}),
        ("graph", "scatter/linear", 11, {}),
        ("graph", "allreduce/recursive_doubling", 16, {}),
        ("graph", "allgather/bruck", 17, {}),
        ("graph", "allgather/bucket", 40, {}),
        ("graph", "alltoall/pairwise", 24, {}),
        ("graph", "alltoall/pairwise", 32, {}),
        ("graph", "allreduce/hierarchical", 8, {"nodes": 2}),
        ("graph", "allgather/neighbor_exchange", 32, {}),
        ("graph", "alltoall/pairwise", 64, {}),
        ("graph", "bcast/pipeline", 5, {}),
        ("gantt", "alltoall/pairwise", 16, {}),
        ("gantt", "bcast/binomial", 21, {"nodes": 3}),
        ("gantt", "allreduce/rabenseifner", 4, {}),
        ("gantt", "bcast/linear", 33, {}),
        ("gantt", "allgather/bucket", 18, {"nodes": 3}),
        ("table", "bcast/binomial", 9, {}),
        ("table", "allreduce/rabenseifner", 8, {"nodes": 2}),
        ("table", "allgather/bucket", 26, {}),
        ("table", "alltoall/bruck", 5, {}),
        ("table", "barrier/dissemination", 12, {}),
        ("table", "reduce/binomial", 70, {}),
        ("table", "allreduce/recursive_doubling", 4, {}),
        ("table", "allreduce/rabenseifner", 32, {}),
        ("matrix", "allgather/bucket", 21, {}),
        ("matrix", "alltoall/pairwise", 33, {}),
        ("matrix", "barrier/dissemination", 12, {}),
        ("matrix", "alltoall/bruck", 25, {"nodes": 5}),
        ("matrix", "scatter/binomial", 65, {}),
    )
}


def filmed(t: Trace) -> Figure:
    """A frame of the animation, of the middle of its time: messages under way, rings around those who have some, the clock."""
    scene = animation.scene_of(t)
    animation._Film(t, scene).frame(0.55 * t.time_s, {r: 1 + r % 2 for r in range(0, t.ranks, 2)})
    return scene.fig


FILMS = {
    "scene of few": lambda: animation.scene_of(made_trace()).fig,
    "scene of many": lambda: animation.scene_of(traced("allgather/bruck", 21)).fig,
    "frame of few": lambda: filmed(made_trace()),
    "frame of many": lambda: filmed(traced("allgather/bruck", 21)),
}


@pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
@pytest.mark.parametrize("name", [*SCHEDULES, *FILMS])
def test_schedules_are_made_of_what_is_kept(name: str, tmp_path: Path) -> None:
    artists.check((SCHEDULES | FILMS)[name](), name.replace(" ", "_"), tmp_path)


def crossovers() -> Figure:
    """The lead is narrow at the second size of four, but not of reduce, and there is one node."""
    of_a = {"bcast": {4: 1, 8: 1.03, 64: 2, 1024: 3}, "reduce": {4: 0.5, 8: 0.5, 64: 2, 1024: 3}}
    lines = [
        (c, 16, nodes, size, name, name, 1e-6 * (of_a[c][size] if name == "a" else 1.04))
        for c in of_a
        for nodes in (1, 4)
        for size in (4, 8, 64, 1024)
        for name in ("a", "b")
    ]
    times = pd.DataFrame(lines, columns=["collective", "ranks", "nodes", "bytes", "name", "key", "time_s"])
    best = crossover.winners(times)
    panel = Panel(
        "one", crossover.spans(times, best), best, {"a": "first", "b": "second"}, {"a": "#ff0000", "b": "#0000ff"}
    )
    return crossover_figure([panel, panel], {"bcast": "Broadcast"}, title="t", subtitle="s", focus=Focus("here", 8, 64))


def what_if() -> Figure:
    """Boxes with room for a text, for one in two lines, and for none; the second row has one column and other times."""
    sizes = [4, 5, 8, 64, 65, 1024]
    lines = [
        ("bcast", ranks, 2, words, column, size, f"bcast/{key}", key, 1e-6 * slow * (size + ranks) * (1 + c))
        for ranks, words in ((8, ""), (16, "mapping block"))
        for c, column in enumerate(("1×", "2×")[: 24 // ranks])
        for size in sizes
        for key, slow in (("mst", 1.0), ("linear", 1.2 - size / 1000), ("chain[s=0]", 1.15))
    ]
    names = ["collective", "ranks", "nodes", "row", "column", "bytes", "key", "short_label", "time_s"]
    times = pd.DataFrame(lines, columns=names)
    place = times.groupby(["ranks", "column", "bytes"])["time_s"]
    won = times[times["time_s"] == place.transform("min")].drop(columns="short_label")
    first = won[won["column"] == "1×"].set_index(["ranks", "bytes"])["time_s"]
    won = won.assign(ratio=[t / first[p, n] for t, p, n in zip(won["time_s"], won["ranks"], won["bytes"], strict=True)])
    titles = {("bcast", 8, 2, ""): "8 ranks", ("bcast", 16, 2, "mapping block"): "16 ranks"}
    return what_if_figure(times, won, titles, title="t", subtitle="s")


def tree() -> Figure:
    def rule(collective: str, nodes: tuple[int, ...], low: int | None, end: int | None, key: str) -> Rule:
        return Rule(collective, 16, nodes[0], nodes[-1], nodes, low, end, key, 0.01, 0.0)

    rules = (rule("bcast", (1,), None, 64, "bcast/mst"), rule("bcast", (1,), 64, None, "bcast/pipeline[s=1536]"),
             rule("bcast", (2, 4), None, None, "bcast/bucket"), rule("reduce", (2, 4), 8, 64, "reduce/linear"))  # fmt: skip
    return tree_figure(Tree(0.05, rules), {"bcast": "Broadcast"}, (4, 512), title="t", subtitle="s")


def in_focus() -> Figure:
    keys = ["bcast/mst", "bcast/builtin", "decision/ompi_4_1"]
    called, colours = {"bcast/mst": "short"}, {"mst": "#0072B2", "ompi_4_1": "#009E73"}
    return run(
        *rows(keys), *bounds(), title="t", subtitle="s", called=called, colours=colours, focus=Focus("here", 16, 1024)
    )


def decisions() -> Figure:
    spans = [
        Span("decision/ompi_4_1", p, first, last, key)
        for p in (2, 3, 8)
        for first, last, key in ((0, 9, "bcast/linear"), (10, 99, "bcast/knomial[k=4,s=0]"), (100, 4096, "nothing: no"))
    ]
    return decision_map("bcast", [*spans, Span("decision/mpich_4", 2, 0, 4096, "bcast/linear")], 4)


def predicted(band: bool = False) -> pd.DataFrame:
    """Two collectives over sizes and numbers of ranks; the second algorithm is predicted too fast where messages are small."""
    keys = {
        "bcast": ("bcast/mst", "bcast/chain[chains=1,s=0]", "bcast/chain[chains=4,s=0]"),
        "barrier": ("barrier/linear", "barrier/tree"),
    }
    lines = []
    for collective, names in keys.items():
        for n, (ranks, size) in enumerate(
            (p, s) for p in (4, 8) for s in ((4, 1024, 65536) if collective == "bcast" else (0,))
        ):
            for k, key in enumerate(names):
                measured = 1e-5 * ranks * (1 + size / 4096) * (1 + 0.3 * k)
                error = -0.5 if k == 1 and size < 1024 else 0.04 * (n - 2)
                call = ("schooner", collective, 2, ranks, "block", size, "byte", "", 0, 0, "makespan")
                lines.append((*call, key, measured * (1 + error), measured, error))
    frame = pd.DataFrame(lines, columns=[*prediction.CALL, "algorithm", "predicted_s", "measured_s", "error"])
    frame = frame.assign(low_s=frame.measured_s * 0.99, high_s=frame.measured_s * 1.01)
    ends = {"noise_low_s": 0.95, "noise_high_s": 1.2, "drawn_low_s": 0.6, "drawn_high_s": 1.5}
    return frame.assign(**{name: frame.predicted_s * factor for name, factor in ends.items()}) if band else frame


def run(*made: table.Row, **more: str) -> Figure:
    return run_figure(table.to_frame(made), **more)


def fitted() -> Figure:
    """Two curves through four points; one begins below zero."""
    made = [row(algorithm="bcast/chain[s=0]", ranks=p, seconds=1e-6 * (2 + p)) for p in (2, 8, 64, 250)]
    at = np.array([2.0, 128.0, 250.0])
    ours, printed = FittedLine("ours", at, 1e-6 * (2 + at)), FittedLine("printed", at, 1e-6 * (at - 5), of_source=True)
    return fitted_figure(table.to_frame(made), [ours, printed], "t", "chain", "s")


def calibrated() -> Figure:
    """Two classes: one of a single piece, one of two, which misses its points by some percent."""
    sizes = [1, 64, 1024, 16384, 262144]
    near = [(n, 5e-7 + n * 1e-10) for n in sizes]
    far = [(n, (2e-6 + n * 4e-10) * (1.05 if n == 64 else 1.0) + (1e-5 if n > 4096 else 0.0)) for n in sizes]
    curves = {"socket": (near, [(0, 5e-7, 1e-10)]), "network": (far, [(0, 2e-6, 4e-10), (16384, 1.2e-5, 4e-10)])}
    return calibration_figure(curves, "a title")


def explained(load: int) -> Figure:
    """A path of every kind of part beside a short one that is of one part."""
    us = 1e-6
    link = Link("NIC", "NIC of node 0, out", 3 * us, 1 * us)
    end = len(PARTS) * us
    segments = tuple(
        Segment(
            part, k // 2, k // 2 + 1 if k < 4 else None, 100, k * us, (k + 1) * us, link if part == "wait" else None
        )
        for k, part in enumerate(PARTS)
    )
    shares = tuple((k * end / load, (1.0, 0.5, 0.0)[k % 3]) for k in range(load))
    long = CriticalPath(
        "bcast/mst", "", "model", 40, end, {s.part: s.seconds for s in segments}, segments, 2, (link,), shares, 0.0
    )
    one = (Segment("latency", 0, 1, 8, 0, 2 * us),)
    short = CriticalPath("decision/x", "bcast/linear", "sim", 2, 2 * us, {"latency": 2 * us}, one, 1, (), (), 0.0)
    return explain_figure([long, short], "two broadcasts")  # fmt: skip


def skewed() -> Figure:
    def of(metric: str, collective: str, **times: float) -> pd.DataFrame:
        return table.to_frame(
            row(
                algorithm=f"{collective}/{key}",
                collective=collective,
                metric=metric,
                bytes=size,
                seconds=time * (k + 1),
            )
            for key, time in times.items()
            for k, size in enumerate((64, 1024, 65536))
        )

    delays = [of("delay", c, mst=1e-6, linear=5e-6) for c in ("bcast", "reduce")]
    together = [of("makespan", c, mst=4e-6, linear=5e-6) for c in ("bcast", "reduce")]
    return skew.skew_figure(skew.absorbed(pd.concat(delays), pd.concat(together)), "linear:1e-05")


DECIDED = ["bcast/mst", "bcast/linear", "decision/ompi_4_1", "decision/mpich_4"]
TABLES: dict[str, Callable[[], Figure]] = {
    "what if": what_if,
    "crossovers": crossovers,
    "tree": tree,
    "run in focus": in_focus,
    "decisions": decisions,
    "predicted and measured": lambda: prediction_figures.scatter(predicted()),
    "predicted with a band": lambda: prediction_figures.scatter(predicted(band=True)),
    "errors of a prediction": lambda: prediction_figures.heat(predicted()),
    "winners predicted and measured": lambda: prediction_figures.winner_maps(prediction.winners_by_call(predicted()), "bcast"),
    "fitted": fitted,
    "calibrated": calibrated,
    "explained": partial(explained, load=3),
    "explained with a load of many": partial(explained, load=4000),
    "skewed": skewed,
    "run of many": lambda: run(*rows(MANY, ("real",), SIZES[::2]), *bounds(SIZES[::2])),
    "run of decisions": lambda: run(*rows(DECIDED, ("model", "sim"))),
    "run of one key": lambda: run(*rows(MANY[:1]), *bounds(), title="A title", size="block_bytes"),
    "run of five panels": lambda: run(*(r for p in (2, 4, 6, 8, 16) for r in rows(MANY[:2], ranks=p, nodes=2))),
    "ranking of long keys": lambda: run(*rows(["bcast/mst", "bcast/" + "long_" * 9 + "[k=4,s=0]"], ("sim", "real"), [64])),
    "ranking of two": lambda: run(*(r for c in ("bcast", "reduce") for r in rows(MANY[:2], sizes=[64], collective=c))),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_drawn_with_what_is_kept(name: str, tmp_path: Path) -> None:
    artists.check(TABLES[name](), name.replace(" ", "_"), tmp_path)


def test_headings_are_as_wide_as_what_they_stand_above(monkeypatch: pytest.MonkeyPatch) -> None:
    widths: list[float] = []

    class Wide(heading.Heading):
        def __init__(self, *args: object) -> None:
            widths.append(args[3])  # type: ignore[arg-type]
            super().__init__(*args)  # type: ignore[arg-type]

    for room in ("fitted", "ranking", "run", "what_if"):
        monkeypatch.setattr(f"collscope.figures.{room}.Heading", Wide)
    wide = [fig.get_figwidth() for fig in (fitted(), what_if(), TABLES["ranking of two"]())]
    assert widths == pytest.approx([5.74, wide[1] - 0.82, 7.8 - 0.3])


@pytest.mark.parametrize(("most", "step"), [(6, 1), (8, 1), (9, 2), (100, 16)])
def test_ticks_of_ranks_are_multiples_of_a_power_of_two_and_at_most_nine(most: int, step: int) -> None:
    made = [row(algorithm="bcast/chain[s=0]", ranks=p) for p in (2, most)]
    line = FittedLine("ours", np.array([2.0, most]), np.array([1e-6, 2e-6]))
    ticks = fitted_figure(table.to_frame(made), [line], "t", "chain", "s").axes[0].get_xticks()
    assert list(ticks) == list(range(0, most + 1, step))


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (lambda ax: ax.texts[0].set_fontsize(8.1), True),
        (lambda ax: ax.texts[0].set_zorder(9), True),
        (lambda ax: ax.lines[0].set_linewidth(1.1), True),
        (lambda ax: ax.lines[0].set_linestyle("--"), True),
        (lambda ax: ax.set_xlim(0, 2.1), True),
        (lambda ax: ax.texts[0].set_x(0.51), True),
        (lambda ax: ax.texts[0].set_x(0.5001), False),
    ],
)
def test_a_changed_look_is_reported(
    change: Callable[..., object], differs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn() -> Figure:
        fig = Figure()
        ax = fig.add_subplot()
        ax.plot([0, 1], [0, 1], color="red", lw=1)
        ax.text(0.5, 0.5, "here", fontsize=8)
        ax.set_xlim(0, 2)
        return fig

    monkeypatch.setattr(artists, "EXPECTED", tmp_path)
    (tmp_path / "a.txt").write_text(artists.dump(drawn()))
    (tmp_path / "new").mkdir()
    other = drawn()
    change(other.axes[0])
    if differs:
        with pytest.raises(pytest.fail.Exception, match="says"):
            artists.check(other, "a", tmp_path / "new")
    else:
        artists.check(other, "a", tmp_path / "new")
