"""collscope.figures.prediction: what figures of a prediction call algorithms, sizes and ranks."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from collscope.figures import prediction


@pytest.mark.parametrize(
    ("collective", "block"),
    [
        ("scatter", 8), ("gather", 8), ("allgather", 8), ("alltoall", 8), ("reduce_scatter_block", 8), ("rotation", 8),
        ("bcast", 64), ("reduce", 64), ("allreduce", 64), ("reduce_scatter", 64),
    ],
)  # fmt: skip
def test_sizes_are_as_benchmarks_count_them(collective: str, block: int) -> None:
    assert prediction._block(pd.DataFrame({"collective": [collective], "bytes": 64, "ranks": 8})).tolist() == [block]


def test_names_of_algorithms() -> None:
    keys = ["bcast/mst", "bcast/chain[chains=1]", "bcast/chain[chains=4]", "bcast/knomial[k=4]", "decision/mpich_4"]
    found = list(prediction._legend(keys).values())
    assert found == ["mst", "chain[chains=1]", "chain[chains=4]", "knomial", "mpich_4"]
    assert prediction._label("bcast", "bcast/knomial[k=4]") == "bcast/knomial[k=4]"
    assert prediction._label("bcast", "decision/mpich_4") == "bcast: mpich_4"


@pytest.mark.parametrize(("ranks", "sizes", "rows", "columns"), [(27, 19, 27, 19), (28, 20, 14, 10)])
def test_some_of_many_ranks_and_sizes_are_named(ranks: int, sizes: int, rows: int, columns: int) -> None:
    ax = Figure().add_axes((0, 0, 1, 1))
    prediction._named(ax, range(2, ranks + 2), [1 << k for k in range(sizes)])
    assert len(ax.get_yticks()) == rows and len(ax.get_xticks()) == columns
    assert ax.get_yticklabels()[1].get_text() == str(2 + ranks // rows) and ax.get_yticks()[1] == ranks // rows
    assert ax.get_xticks()[1] == sizes // columns
    assert [t.get_text() for t in ax.get_xticklabels()[:2]] == ["1 B", f"{1 << sizes // columns} B"]


def test_a_call_that_is_swept_over_too_few_sizes_is_left_out_of_the_map() -> None:
    lines = [(p, n) for p, sizes in ((2, 3), (4, 2), (8, 4)) for n in range(sizes)]
    won = pd.DataFrame(lines, columns=["ranks", "bytes"]).assign(
        collective="bcast", measured="bcast/mst", predicted="bcast/mst", verdict="same"
    )
    for some, rows in ((won, ["2", "8"]), (won[won.ranks == 4], ["4"])):  # where all have few they are there
        fig = prediction.winner_maps(some, "bcast")
        assert [t.get_text() for t in fig.axes[0].get_yticklabels()] == rows


def test_errors_are_medians_over_the_same_ranks_at_every_size() -> None:
    """Ranks 3, 5 and 7 have 4 B only, where they are far off; decisions stand below algorithms, and hardly anything is 0."""
    lines = [(p, n, 0.1) for p in (2, 4) for n in (4, 8, 16)] + [(p, 4, -0.5) for p in (3, 5, 7)]
    one = pd.DataFrame(lines, columns=["ranks", "bytes", "error"]).assign(collective="bcast", algorithm="decision/x")
    both = pd.concat([one, one.assign(algorithm="bcast/mst", error=[-0.001 * (e > 0) - (e < 0) for _, _, e in lines])])
    ax = prediction.heat(both).axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["bcast/mst", "bcast: x"]
    assert [t.get_text() for t in ax.texts] == ["0"] * 3 + ["+10"] * 3


def test_a_band_of_all_that_is_not_known_stands_in_place_of_that_of_the_draws() -> None:
    both = pd.DataFrame({"collective": ["bcast"], "algorithm": "bcast/mst", "measured_s": 1e-6, "predicted_s": 2e-6})
    for names, words in ((["drawn"], "draws of what is not known"), (["drawn", "whole"], "the model's own error")):
        bands = {f"{name}_{end}_s": 1e-6 * k for name in names for k, end in enumerate(("low", "high"), 1)}
        fig = prediction.scatter(both.assign(**bands))
        assert len([c for c in fig.axes[0].collections if isinstance(c, LineCollection)]) == 1
        assert [words in fig.texts[-1].get_text(), fig.texts[-1].get_text().count("bars")] == [True, 1]


def test_algorithms_are_counted_by_panel_before_some_are_left_without_a_name() -> None:
    keys = [(c, f"{c}/a{k}") for c in ("bcast", "reduce") for k in range(prediction.MANY)]
    both = pd.DataFrame(keys, columns=["collective", "algorithm"]).assign(measured_s=1e-6, predicted_s=1e-6)
    more = pd.concat([both, both[:1].assign(algorithm="bcast/more")])
    assert ["are named" in prediction.scatter(some).texts[-1].get_text() for some in (both, more)] == [False, True]


def test_a_dot_is_where_the_predicted_one_loses_more_than_the_noise() -> None:
    verdicts = ["same", "tie", "undecided", "other"]
    won = pd.DataFrame({"ranks": 2, "bytes": [4, 8, 16, 32], "verdict": verdicts}).assign(
        collective="bcast", measured="bcast/mst", predicted="bcast/linear"
    )
    axes = prediction.winner_maps(won, "bcast").axes
    assert [[int(line.get_xdata()[0]) for line in ax.lines] for ax in axes] == [[], [3]]
