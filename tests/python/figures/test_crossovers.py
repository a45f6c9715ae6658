"""collscope.figures.crossovers: lanes of crossovers."""

from __future__ import annotations

import pandas as pd

from collscope.analysis import crossover
from collscope.figures.crossovers import Panel, crossover_figure


def test_a_lane_for_each_collective_and_number_of_nodes_and_a_name_for_each_class() -> None:
    rows = [
        (c, 16, nodes, size, name, name, 1e-6 * (size if name == "a" else 8))
        for c in ("bcast", "reduce")
        for nodes in (2, 4)
        for size in (4, 8, 16)
        for name in ("a", "b")
    ]
    times = pd.DataFrame(rows, columns=["collective", "ranks", "nodes", "bytes", "name", "key", "time_s"])
    best = crossover.winners(times)
    panel = Panel("one", crossover.spans(times, best), best, {"a": "first", "b": "second"}, {"a": "red", "b": "blue"})
    made = crossover_figure([panel, panel], {"bcast": "Broadcast"}, title="t")
    assert [ax.get_title(loc="left") for ax in made.axes] == ["one", "one"]
    assert len(made.axes[0].get_yticks()) == 4
    legend = [text.get_text() for text in made.legends[0].get_texts()]
    assert legend == ["first", "second", "pale: leads by less than 5 %"]
    assert {t.get_text() for t in made.axes[0].texts} == {"Broadcast", "reduce"}
