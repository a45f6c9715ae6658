"""collscope.figures.key_text: keys as figures write them."""

from __future__ import annotations

import pytest

from collscope.figures import tree
from collscope.figures.key_text import brief_key, folded, leaf_text, names, shorter


def test_brief_keys() -> None:
    assert brief_key("bcast/pipeline[s=131072]") == "bcast/pipeline[s=128KiB]"
    assert brief_key("bcast/knomial[k=4,s=0]") == "bcast/knomial[k=4]"
    assert brief_key("scatter/linear_nb[blocking_every=0]") == "scatter/linear_nb"
    sizes = {1000: "1000", 1024: "1KiB", 1025: "1025", 1536: "1536", 2048: "2KiB", 1 << 20: "1MiB"}
    assert {s: brief_key(f"bcast/pipeline[s={s}]") for s in sizes} == {
        s: f"bcast/pipeline[s={text}]" for s, text in sizes.items()
    }


def test_names_get_shorter_where_there_is_less_room() -> None:
    assert shorter("pipeline[s=128KiB]") == ("pipeline[s=128KiB]", "pipeline 128K", "128K")
    assert shorter("linear") == ("linear", "linear", "")
    found = [shorter(f"p[s={s}]")[1:] for s in (1023, 1024, 1536)]
    assert found == [("p 1023", "1023"), ("p 1K", "1K"), ("p 1.5K", "1.5K")]
    assert shorter("p[a=0,s=2MiB,k=4]")[1:] == ("p 2M 4", "2M4")
    assert shorter("p[within=recursive_doubling]")[1:] == ("p recursive_doubling", "recur")


def test_many_parameters_stand_in_a_line_of_their_own() -> None:
    assert folded("bcast/knomial[k=4,s=0]") == "knomial[k=4,s=0]"
    found = folded("allreduce/two_level[within=recursive_doubling,between=ring]")
    assert found == "two_level[within=recursive_doubling,\nbetween=ring]"
    n = "n" * 20
    assert folded(f"bcast/{n}[ab=1,s={'7' * 11}]") == f"{n}[ab=1,s={'7' * 11}]"  # forty in all
    assert folded(f"bcast/{n}[ab=1,s={'7' * 12}]") == f"{n}[ab=1,\ns={'7' * 12}]"
    assert folded(f"bcast/{n}[ab=1,s={'7' * 12},k=4,l=5]") == f"{n}[ab=1,\ns={'7' * 12},k=4,l=5]"
    assert folded(f"bcast/{n * 3}") == n * 3


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("bcast/linear", "linear"),
        ("bcast/" + "a" * 38, "a" * 38),
        ("bcast/" + "a" * 39, "a" * 37 + "…"),
        ("bcast/pipeline[s=1536]", "pipeline[s=1536]"),
        ("bcast/pipeline[s=1024]", "pipeline[s=1KiB]"),
    ],
)
def test_leaves(key: str, text: str) -> None:
    assert leaf_text(key) == text


def test_long_names_keep_what_tells_them_apart() -> None:
    long = "bcast/a_rather_long_name[s=1024]"
    found = names([long, "bcast/mst", "decision/mpich_4"])
    assert found == {long: "a_rather_long_name", "bcast/mst": "mst", "decision/mpich_4": "MPICH 4"}
    other = long.replace("1024", "4096")
    assert names([long, other])[other] == "a_rather_long_name[s=4KiB]"
    most = {"bcast/" + "n" * 17 + f"[s={v}]": v for v in (123, 1234)}  # 24 characters, and one more
    assert list(names(most).values()) == ["n" * 17 + "[s=123]", "n" * 17 + "[s=1234]"]
    assert list(names(list(most)[:1]).values()) == ["n" * 17 + "[s=123]"]
    assert list(names(list(most)[1:]).values()) == ["n" * 17]


@pytest.mark.parametrize(
    ("low", "end", "text"),
    [(None, None, "any size"), (None, 64, "< 64 B"), (1024, None, "≥ 1 KiB"), (64, 1024, "64 B – 1 KiB")],
)
def test_rules_of_a_tree(low: int | None, end: int | None, text: str) -> None:
    assert tree._sizes_text(low, end) == text
    assert tree.nodes_text((1,)) == "1 node" and tree.nodes_text((2, 4, 8)) == "2, 4 and 8 nodes"
