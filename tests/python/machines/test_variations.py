"""collscope.machines.study_variants: what [vary] of a study's file may say, and the platforms, mappings and buffers that follow."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.base.errors import UsageError
from collscope.base.toml_table import Document
from collscope.machines import study_variants
from collscope.machines.study_variants import Variant, Variation, variant, variants


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (["1x", "2x", "x0.5", " 3x "], ("", "x2", "x0.5", "x3")),
        (["x1.0", "1e-3x"], ("", "x1e-3")),
        ([4.5e9, 9e9, 2.5e-10, 0.1, 4, 123456, 1000000], ("4.5e9", "9e9", "2.5e-10", "0.1", "4", "123456", "1e6")),
        (["block", " file:x y ", "in_order+gap", ""], ("block", "file:x y", "in_order+gap", "")),
        ([1.23456789012345e-7], ("1.23456789012e-7",)),
        ([-20000.0], ("-2e4",)),
        ([True, False], ("true", "false")),
    ],
)
def test_values_become_what_brackets_take(given: list[Any], made: tuple[str, ...]) -> None:
    assert study_variants._values(given) == made


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ({"latency_s": ["1x"]}, 'is a table; a key with a point stands in quotes: "network.latency_s" = ["1x", "0.5x"]'),
        ([], 'must be a list of values such as ["1x", "2x"] or [4.5e9, 9.0e9], not []'),
        ("2x", "must be a list of values such as [\"1x\", \"2x\"] or [4.5e9, 9.0e9], not '2x'"),
        (["2x", "x2"], "'x2' stands twice"),
        (["1x", ""], "'' stands twice"),
        ([1e9, 1000000000], "1000000000 stands twice"),
        ([float("inf")], 'inf is not a value; write a number, a factor ("2x"), or what platform[key=value] takes'),
        (["a=1"], "'a=1' is not a value; write a number, a factor (\"2x\"), or what platform[key=value] takes"),
        (["a[1"], "'a[1' is not a value; write a number, a factor (\"2x\"), or what platform[key=value] takes"),
        ([[1]], '[1] is not a value; write a number, a factor ("2x"), or what platform[key=value] takes'),
        (["1.2.3x"], '"1.2.3x" is not a factor; write "2x"'),
    ],
)  # fmt: skip
def test_wrong_values_of_a_variation_are_refused(given: Any, printed: str) -> None:
    with pytest.raises(ValueError) as refused:
        study_variants._values(given)
    assert str(refused.value) == printed


TEXT = "title = 'x'\n[vary]\nmapping = []\nwithout = []\nbuffers = []\nnodes = []\nthere = []\na = []\nb = []\n"


def read(**values: tuple[str, ...]) -> tuple[Variation, ...]:
    return study_variants.read(Document(TEXT, "s.toml"), values, {"there"})


def test_keys_and_their_values_are_read_with_their_lines() -> None:
    found = read(
        mapping=("block", "file:x"),
        without=("", "gap, in_order", "gap+nic_gap"),
        buffers=("warm", "fresh"),
        a=("", "x2"),
    )
    assert found == (
        Variation("mapping", ("block", "file:x"), 3),
        Variation("without", ("", "gap+in_order", "gap+nic_gap"), 4),
        Variation("buffers", ("warm", "fresh"), 5),
        Variation("a", ("", "x2"), 8),
    )
    eight = tuple("abcdefgh")
    assert len(read(a=eight, b=eight)) == 2
    assert [found[0].label(""), found[1].label(""), found[2].label("fresh"), found[0].label("x2")] == [
        "nothing", "nothing", "fresh", "x2",
    ]  # fmt: skip
    assert [found[3].label(value) for value in ("", "x0.5", "4e9")] == ["1×", "0.5×", "4e9"]


@pytest.mark.parametrize(
    ("values", "printed"),
    [
        ({"nodes": ("4",)}, "6: vary.nodes: stands in [setting], as a list: nodes = [4, 8]"),
        ({"there": ("4",)}, "7: vary.there: stands in [setting] too; leave it out there"),
        ({"buffers": ("warm", "frech")}, '5: vary.buffers: "frech" is not one of warm, fresh; did you mean "fresh"?'),
        ({"mapping": ("block", "blok")}, '3: vary.mapping: unknown mapping "blok"; did you mean "block"?'),
        ({"a": tuple("abcdefgh"), "b": tuple("abcdefghi")}, "2: vary: makes 72 variants; take values out until there are at most 64"),
    ],
)  # fmt: skip
def test_impossible_variations_are_refused_with_their_line(values: dict[str, tuple[str, ...]], printed: str) -> None:
    with pytest.raises(UsageError) as refused:
        read(**values)
    assert str(refused.value).partition("; there are")[0] == f"s.toml:{printed}"


def test_every_combination_the_last_key_s_values_fastest() -> None:
    keys = [Variation("a", ("", "x2"), 1), Variation("mapping", ("block", "cyclic"), 2)]
    assert variants("schooner", "fill", keys) == (
        Variant("schooner", "block", ("", "block"), "warm"),
        Variant("schooner", "cyclic", ("", "cyclic"), "warm"),
        Variant("schooner[a=x2]", "block", ("x2", "block"), "warm"),
        Variant("schooner[a=x2]", "cyclic", ("x2", "cyclic"), "warm"),
    )
    assert variants("ideal", "fill", ()) == (Variant("ideal", "fill"),)
    assert variants("ideal", "fill", (), "fresh") == (Variant("ideal", "fill", (), "fresh"),)


def test_values_stand_in_the_platform_s_brackets_behind_its_own() -> None:
    keys = [Variation(key, (), 1) for key in ("a", "without", "buffers", "b")]
    assert variant("m[nodes=2] ", "block", keys, ("x2", "gap,nic_gap", "fresh", "1,2")) == Variant(
        "m[nodes=2,a=x2,without=gap+nic_gap,b=1,2]", "block", ("x2", "gap,nic_gap", "fresh", "1,2"), "fresh"
    )
    assert variant("m", "block", keys, ("", "", "warm", "")).platform == "m"
    assert variant("m[nodes=2]", "block", keys, ("", "", "warm", "")).platform == "m[nodes=2]"
