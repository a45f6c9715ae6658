"""collscope.figures.who_wins, collscope.figures.moved_bytes: boxes, numbers and dots say what the table says."""

from __future__ import annotations

import pandas as pd
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from collscope.figures.moved_bytes import moved_bytes_figure
from collscope.figures.who_wins import family_colours, who_wins_figure


def winners(rows: list[tuple[str, str, int, str, float]], ranks: int = 4) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["platform", "collective", "bytes", "family", "gain"])
    return frame.replace({"collective": {"bcast": "broadcast"}}).assign(ranks=ranks, nodes=2)


def test_each_layout_has_a_row_of_its_own() -> None:
    """The winners on 8 ranks stand below those on 4, and do not lie over them."""
    frame = pd.concat([winners([("tree", "bcast", 8, "new", 1.5)]), winners([("tree", "bcast", 8, "before", 1.0)], 8)])
    titles = {("broadcast", ranks, 2): f"Broadcast, {ranks} ranks on 2 nodes" for ranks in (4, 8)}
    (ax,) = who_wins_figure(frame, ["new"], titles, title="t").axes
    boxes = [p for p in ax.patches if isinstance(p, Rectangle)]
    assert [(p.get_x(), p.get_y()) for p in boxes] == [(0, 0), (0, 1)]
    assert boxes[0].get_facecolor() != boxes[1].get_facecolor()
    assert [t.get_text() for t in ax.get_yticklabels()] == list(titles.values())


def test_a_box_has_the_colour_of_the_winner_s_family_and_a_gain_that_is_worth_it() -> None:
    rows = [
        ("tree", "bcast", 8, "new", 1.31), ("tree", "bcast", 16, "before", 1.0), ("tree", "barrier", 0, "new", 12.3),
        ("ring", "bcast", 8, "new", 1.01), ("ring", "bcast", 16, "new", float("nan")),
    ]  # fmt: skip
    titles = {(name, 4, 2): name.capitalize() for name in ("reduce", "broadcast", "barrier")}
    fig = who_wins_figure(winners(rows), ["new", "other"], titles, title="t")
    tree, ring = fig.axes
    assert [t.get_text() for t in tree.texts] == ["1.3", "12", "tree"]
    assert [t.get_text() for t in ring.texts] == ["ring"]
    boxes = [p for p in tree.patches if isinstance(p, Rectangle)]
    assert [(p.get_x(), p.get_width()) for p in boxes] == [(0, 1), (1, 1), (0, 2)], "a barrier has one box"
    assert boxes[0].get_facecolor() == boxes[2].get_facecolor() != boxes[1].get_facecolor()
    (legend,) = fig.legends
    assert [t.get_text() for t in legend.texts] == ["new", "what was there before"], "no family that wins nowhere"
    colours = [to_hex(p.get_facecolor()) for p in legend.get_patches()]
    assert colours == [to_hex(boxes[k].get_facecolor()) for k in (0, 1)]
    assert [t.get_text() for t in tree.get_yticklabels()] == ["Broadcast", "Barrier"]


def test_families_have_colours_of_their_own() -> None:
    assert len(set(family_colours([f"f{n}" for n in range(12)]).values())) == 12


def test_a_dot_stands_at_its_share_in_the_line_of_its_pair() -> None:
    shares = pd.DataFrame(
        [("tree", "a/x", "a/y", 0.7), ("ring", "a/z", "a/y", 1.2)], columns=["platform", "key", "than", "share"]
    )
    fig = moved_bytes_figure({"over links": shares}, [("a/x", "a/y"), ("a/z", "a/y")], title="t")
    (ax,) = fig.axes
    marked = [line for line in ax.lines if line.get_marker() not in ("None", None, "")]
    dots = [(float(line.get_xdata()[0]), round(float(line.get_ydata()[0]))) for line in marked]
    assert dots == [(0.7, 0), (1.2, 1)]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a/x / y", "a/z / y"]
