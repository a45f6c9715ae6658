"""The map of what decisions take."""

from __future__ import annotations

from collscope.catalogue.decisions import Span
from collscope.figures.decision_map import decision_map, map_colours


def test_a_panel_a_decision_and_a_colour_a_key() -> None:
    spans = [
        Span("decision/ompi_4_1", 2, 0, 9, "bcast/linear"),
        Span("decision/ompi_4_1", 2, 10, 99, "bcast/knomial[k=4,s=0]"),
        Span("decision/mpich_4", 2, 0, 99, "nothing: it cannot"),
    ]
    made = decision_map("bcast", spans, 4)
    assert [ax.get_title(loc="left") for ax in made.axes] == [
        "Open MPI 4.1   decision/ompi_4_1",
        "MPICH 4   decision/mpich_4",
    ]
    names = [text.get_text() for text in made.legends[0].get_texts()]
    assert names == ["knomial[k=4,s=0]", "linear", "nothing that is here"]


def test_a_family_has_shades_of_one_colour() -> None:
    colours = map_colours(["bcast/linear", "bcast/pipeline[s=1024]", "bcast/pipeline[s=2048]"])
    assert len(set(colours.values())) == 3
