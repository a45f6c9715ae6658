"""collscope.figures.crossovers: ranges of sizes, paler where their lead is narrow."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from collscope.analysis.crossover import Span
from collscope.figures import crossovers
from collscope.figures.style import lighter


@pytest.mark.parametrize(
    ("numbers", "says"),
    [((8,), ["2 nodes", "1 node"]), ((8, 16), ["8 ranks, 2 nodes", "8 ranks, 1 node", "16 ranks, 2 nodes", "16 ranks, 1 node"])],
)  # fmt: skip
def test_bars_differ_by_their_ranks_where_there_are_several(numbers: tuple[int, ...], says: list[str]) -> None:
    spans = [Span("bcast", ranks, nodes, "a", 4, 16, 4, 16) for ranks in numbers for nodes in (2, 1)]
    lanes = [{"collective": s.collective, "ranks": s.ranks, "nodes": s.nodes} for s in spans]
    best = [{**lane, "bytes": n, "margin": 1.0} for lane in lanes for n in (4, 16)]
    panel = crossovers.Panel("", spans, pd.DataFrame(best), {"a": "a"}, {"a": "#ff0000"})
    (ax,) = crossovers.crossover_figure([panel], {"bcast": "Broadcast"}, title="t").axes
    assert [t.get_text() for t in ax.get_yticklabels()] == says


@pytest.mark.parametrize("other", [{"collective": "reduce"}, {"ranks": 32}, {"nodes": 4}, {"bytes": 2}, {"bytes": 64}])
def test_a_range_is_pale_by_its_own_leads_alone(other: dict[str, object]) -> None:
    """The lead is wide at 4 B and narrow at 8 B and 16 B; that of another lane, or at a size of another range, is not counted."""
    own = {"collective": "bcast", "ranks": 16, "nodes": 2}
    winners = [{**own, "bytes": n, "margin": m} for n, m in ((4, 0.05), (8, 0.049), (16, 0.0))]
    winners.append({**own, "bytes": 16, "margin": 0.5, **other})
    ax = Figure().add_axes((0, 0, 1, 1))
    span = Span("bcast", 16, 2, "a", 4, 16, 4, 16)
    crossovers._range(ax, span, 0, "#ff0000", pd.DataFrame(winners), 4, 16)
    assert [to_hex(p.get_facecolor()) for p in ax.patches if p.get_fill()] == [
        "#ff0000",
        to_hex(lighter("#ff0000", 0.55)),
    ]
