"""collscope.figures.palette: colours: the look of a key, the same in all figures, and how keys of one figure are told apart."""

from __future__ import annotations

import pandas as pd
import pytest

from collscope.catalogue import registry
from collscope.figures import palette, style
from collscope.figures.palette import APART, GREY, looks
from collscope.figures.style import DASHES, INK, RINGS, TREES, Look, style_of


@pytest.mark.parametrize(
    ("colour", "lab"),
    [  # as the author of Oklab gives them
        ("#ffffff", (1, 0, 0)),
        ("#ff0000", (0.627955, 0.224863, 0.125846)),
        ("#00ff00", (0.866440, -0.233887, 0.179498)),
        ("#0000ff", (0.452014, -0.032457, -0.311528)),
        ("#0a0a0a", (0.144788, 0, 0)),  # dark: the cube root of 10 / 255 / 12.92
        ("#000000", (0, 0, 0)),
    ],
)
def test_places_of_colours_in_oklab(colour: str, lab: tuple[float, float, float]) -> None:
    assert palette._lab(colour) == pytest.approx(lab, abs=2e-6)


def test_a_distinct_colour_is_the_own_or_the_farthest_of_all_others() -> None:
    assert palette.room("#ffffff", ["#000000"]) == pytest.approx(1 - palette._lab(GREY)[0], abs=0.02)  # grey is taken
    assert palette.room("#000001", ["#000000"]) < 0.1
    choice, taken = ["#ff0000", "#0000ff", "#fefefe"], ["#0000ee", "#ffffff"]
    assert palette.distinct(choice, taken) == "#ff0000"
    assert (
        palette.distinct(choice, taken, "#00ff00") == "#00ff00"
        and palette.distinct(choice, taken, "#0000dd") == "#ff0000"
    )
    assert palette.room(palette.distinct(choice[1:], taken), taken) >= APART, "where the choice has none, another"


@pytest.mark.parametrize("decided", [(), ("ompi_4_1", "ompi_5_0"), ("ompi_4_0", "ompi_4_1", "ompi_5_0", "mpich_4")])
def test_no_two_keys_that_are_drawn_together_look_alike(decided: tuple[str, ...]) -> None:
    """All algorithms of a collective, each the best somewhere, beside what libraries decide."""
    known, decisions = registry.load(), [f"decision/{name}" for name in decided]
    for collective in known.collectives:
        keys = [a.key for a in known.of(collective.name)]
        found = looks(pd.DataFrame({"algorithm": [*keys, *decisions], "ratio": 1.0}))
        colours = [c for c in found.colours.values() if c != GREY]
        assert all(palette.room(c, [o for o in colours if o is not c]) >= APART for c in colours), collective.name
        assert len({*found.shapes.values()}) == len({*found.dashes.values()}) == len(decided)


@pytest.mark.parametrize(
    ("key", "look"),
    [
        ("bcast/mst", Look(TREES, "-", "o")),
        ("reduce/mst_pipelined", Look(TREES, "-", "o")),
        ("allgather/bucket", Look(RINGS, "-", "s")),
        ("scatter/linear", Look(RINGS, "-", "s")),
        ("gather/linear", Look(RINGS, "-", "s")),
        ("bcast/linear", Look("#2F4F4F", "-", "D")),
        ("bcast/builtin", Look(INK, "-", "*")),
        ("rotation/shift", Look(TREES, "-", "o")),
        ("rotation/nonblocking", Look("#56B4E9", DASHES[1], "s")),
        ("rotation/ordered", Look("#E69F00", "-", "D")),
        ("rotation/serial", Look(RINGS, "-", "^")),
        ("bcast/binomial", Look("#56B4E9", "-", "o")),
        ("bcast/pipeline", Look("#332288", "-", "^")),
        ("allreduce/ring", Look("#882255", "-", "v")),
        ("decision/ompi_4_0", Look("#009E73", DASHES[1], "^")),
        ("decision/ompi_4_1", Look("#AA3377", DASHES[2], "D")),
        ("decision/ompi_5_0", Look("#B8860B", DASHES[3], "v")),
        ("decision/rd_ring", Look("#5B4FCF", DASHES[1], "<")),
        ("decision/smpi_ompi", Look("#7f7f7f", DASHES[2], ">")),
        ("decision/mpich_4", Look("#0E7C86", DASHES[3], "^")),
    ],
)
def test_a_key_looks_the_same_in_all_figures(key: str, look: Look) -> None:
    assert style_of(key) == look and style.colour_of(key) == look.colour


def test_parameters_change_dash_and_marker_and_not_the_colour() -> None:
    made = [
        style_of(key)
        for key in ("bcast/knomial[k=2]", "bcast/knomial[k=3]", "bcast/knomial[k=8]", "x/unknown", "decision/unknown")
    ]
    assert made == [
        Look("#117733", "-", "<"),
        Look("#117733", DASHES[2], "D"),
        Look("#117733", "-", "P"),
        Look("#882255", "-", "v"),
        Look("#882255", DASHES[1], ">"),
    ]


def test_colours_mixed_with_white_and_black() -> None:
    assert style.lighter("#ff0000", 0.25) == (1, 0.25, 0.25) and style.lighter((0.5, 0, 1), 1) == (1, 1, 1)
    assert style.darker("#ff00ff") == (0.62, 0, 0.62)


def timed(**ratios: tuple[float, ...]) -> pd.DataFrame:
    """Times of keys, relative to the best."""
    return pd.DataFrame([(f"bcast/{k}", r) for k, some in ratios.items() for r in some], columns=["algorithm", "ratio"])


def test_more_than_eight_keys_have_colours_where_they_come_near_the_best() -> None:
    eight = {f"k{i}": (1.0 + i,) for i in range(8)}
    found = looks(timed(**eight))
    assert GREY not in found.colours.values() and found.grey_note == ""
    found = looks(timed(**eight, near=(5.0, 1.1)))  # nine
    assert [k for k, c in found.colours.items() if c != GREY] == ["k0", "near"]
    assert found.grey_note == "grey: never within 10 % of the best"
    assert found.is_grey("bcast/k1") and not found.is_grey("bcast/near") and not found.is_grey("bcast/unknown")
    found = looks(timed(**{f"k{i}": (1.0,) * (20 - i) for i in range(13)}))  # the seldomest of 13 that are near
    assert [k for k, c in found.colours.items() if c == GREY] == ["k12"]
    assert found.grey_note == "grey: seldom or never the best"


def test_keys_of_several_figures_keep_distinct_colours() -> None:
    assert len(palette.fixed(f"bcast/k{k}" for k in range(12))) == 12
    assert set(palette.fixed(f"bcast/k{k}" for k in (*range(13), 3))) == {f"k{k}" for k in range(12)}


def test_the_most_frequent_winner_gets_its_own_colour_first() -> None:
    found = looks(timed(mst=(1.0, 2.0), linear=(1.0, 1.0), bucket=(1.5, 1.5)))
    assert found.colours == {"mst": TREES, "bucket": RINGS, "linear": "#882255"}  # dark ones are for decisions
    others = [palette._lab(c) for c in found.colours.values()]
    assert all(
        sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 >= APART for a in others for b in others if a != b
    )


def test_kept_colours_are_kept_and_decisions_are_dark_and_dashed() -> None:
    frame = timed(mst=(1.0,), linear=(1.2,), builtin=(2.0,))
    decided = pd.DataFrame({"algorithm": ["decision/ompi_4_1", "decision/mpich_4"], "ratio": 1.0})
    found = looks(pd.concat([frame, decided]), {"mst": "#123456", "mpich_4": "#654321", "decision/mpich_4": "#654321"})
    assert found.colour("bcast/mst") == "#123456" and found.colour("bcast/builtin") == INK
    assert found.dashes == {"mpich_4": (0, (3.5, 3.5)), "ompi_4_1": (3.5, (3.5, 3.5))}, "one fills the other's gaps"
    assert found.shapes == {"mpich_4": "s", "ompi_4_1": "D"}
    assert found.colour("decision/mpich_4") == "#654321"
    assert found.colour("decision/ompi_4_1") == "#69204a"  # 0.62 of its own
