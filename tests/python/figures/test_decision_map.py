"""collscope.figures.decision_map: the map of what decisions take."""

from __future__ import annotations

from pathlib import Path

import same_picture
from collscope.catalogue.decisions import Span
from collscope.figures import files
from collscope.figures.decision_map import decision_map, map_colours


def test_a_family_has_shades_of_one_colour() -> None:
    colours = map_colours(["bcast/linear", "bcast/pipeline[s=1024]", "bcast/pipeline[s=2048]"])
    assert len(set(colours.values())) == 3


def test_every_number_of_ranks_has_a_visible_row() -> None:
    """64 beside 63 others is as high as 2, and the axis says where it is."""
    spans = [Span("decision/ompi_4_1", p, 0, 99, "bcast/linear") for p in range(2, 65)]
    made = decision_map("bcast", spans, 4)
    (ax,) = made.axes
    rows = {round(bar.get_height() * ax.get_position().height * made.get_figheight() / 63, 4) for bar in ax.patches}  # type: ignore[attr-defined]
    assert len(ax.patches) == 63 and rows == {0.0371}
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["64", "32", "16", "8", "2"]  # 4 would lie on 2
    assert ax.get_ylabel() == "ranks" and ax.get_xlabel() == "bytes of the whole vector"
    assert made.get_suptitle() == "bcast: what decisions take"
    some = decision_map("bcast", [s for s in spans if s.ranks in (2, 4)], 4)
    assert some.get_suptitle() == "bcast: what decisions take on these numbers of ranks (others may differ)"
    few = decision_map("bcast", [s for s in spans if s.ranks & (s.ranks - 1) == 0], 4).axes[0]
    assert [text.get_text() for text in few.get_yticklabels()] == ["64", "32", "16", "8", "4", "2"]


def test_decisions_that_take_the_same_are_one_panel() -> None:
    taken = {"decision/ompi_4_1": 9, "decision/ompi_5_0": 9, "decision/mpich_4": 8, "decision/smpi[a=1]": 9}
    made = decision_map("bcast", [Span(name, 4, 0, last, "bcast/linear") for name, last in taken.items()], 4)
    assert [ax.get_title("left") for ax in made.axes] == [
        "decision/ompi_4_1, decision/ompi_5_0, decision/smpi[a=1]", "MPICH 4   decision/mpich_4",
    ]  # fmt: skip
    two = decision_map("bcast", [Span(name, 4, 0, 9, "bcast/linear") for name in [*taken][:2]], 4)
    assert two.axes[0].get_title("left") == "Open MPI 4.1 and Open MPI 5.0   decision/ompi_4_1, decision/ompi_5_0"


def test_a_map_is_the_kept_one(tmp_path: Path) -> None:
    """Of blocks: sizes of the whole vector grow with the ranks."""
    spans = [
        Span("decision/ompi_4_1", p, first, last, key)
        for p in (2, 3, 4, 8)
        for first, last, key in (
            (0, 9, "allgather/linear"),
            (10, 4095, "allgather/bruck"),
            (4096, 1 << 20, "nothing: no"),
        )
    ]
    svg = files.render(decision_map("allgather", spans, 4), "svg")
    same_picture.check(svg, same_picture.EXPECTED / "decision_map.svg", tmp_path)
