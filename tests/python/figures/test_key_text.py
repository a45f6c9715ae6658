"""Keys as figures write them."""

from __future__ import annotations

from collscope.figures.key_text import brief_key, folded, shorter


def test_brief_keys() -> None:
    assert brief_key("bcast/pipeline[s=131072]") == "bcast/pipeline[s=128KiB]"
    assert brief_key("bcast/knomial[k=4,s=0]") == "bcast/knomial[k=4]"
    assert brief_key("scatter/linear_nb[blocking_every=0]") == "scatter/linear_nb"


def test_names_get_shorter_where_there_is_less_room() -> None:
    assert shorter("pipeline[s=128KiB]") == ("pipeline[s=128KiB]", "pipeline 128K", "128K")
    assert shorter("linear") == ("linear", "linear", "")


def test_many_parameters_stand_in_a_line_of_their_own() -> None:
    assert folded("bcast/knomial[k=4,s=0]") == "knomial[k=4,s=0]"
    assert folded("allreduce/two_level[within=recursive_doubling,between=ring]").count("\n") == 1
