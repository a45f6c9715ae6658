"""collscope.figures.run_panel: one panel of a figure of a run: what stands at the ends of lines."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from collscope.figures.palette import Looks
from collscope.figures.run_panel import Band, Heights, Scale, _bounds, _ratio_ends, _time_ends, ends_of_times, heights

LINE = 1.12 * 8.4 / 72  # inches that a name takes


def part(*ends: float, column: str = "median_s", at: int = 64) -> pd.DataFrame:
    """The line of each source of one key, two sizes each."""
    lines = [
        (source, "bcast/mst", size, 1.0 if size == 4 else end)
        for source, end in zip(("sim", "model", "real"), ends, strict=False)
        for size in (4, at)
    ]
    made = pd.DataFrame(lines, columns=["source", "algorithm", "bytes", column])
    return made.assign(chose="", **{c: 1.0 for c in ("median_s", "ratio") if c != column}, q1_s=1.0, q3_s=1.0)


def scale(top: float = 2.0) -> Scale:
    band = Band(("sim", "model"), top, "time / best")
    looks = Looks({"mst": "#0072b2"}, {}, {}, "")
    return Scale("bytes", True, (1.0, 10.0), (band,), ("sim", "model"), looks, {"bcast/mst": "mst"})


def test_sources_that_end_together_have_one_name() -> None:
    gap = LINE / 3.35 * math.log(10 * 1.6**2)  # of an axis from 1 to 10 seconds, 3.35 inches high
    for beyond, names in ((0.999, 1), (1.001, 2)):
        found = _time_ends(part(1.5, 1.5 * math.exp(beyond * gap)), scale())
        assert [(e.x, e.text, e.colour) for e in found] == [(64, "mst", "#0072b2")] * names
        assert found[0].y == 1.5
    gap = LINE / 1.55 * math.log(2 * 1.2)
    for beyond, names in ((0.999, 1), (1.001, 2)):
        made = part(1.5, 1.5 * math.exp(beyond * gap), 9.0, column="ratio")  # what is measured is not in this band
        assert len(_ratio_ends(made, scale(), scale().bands[0])) == names


def test_bounds_stand_in_the_order_of_the_table_and_what_has_no_size_at_one() -> None:
    lines = [("bound", f"bound/{kind}", 0, 2.0) for kind in ("telephone", "loggp", "telephone")]
    made = pd.DataFrame(lines, columns=["source", "algorithm", "bytes", "median_s"])
    assert [(kind, len(line)) for kind, line in _bounds(made, scale())] == [("bound/telephone", 1), ("bound/loggp", 1)]
    assert [(e.x, e.y, e.text) for e in _time_ends(made, scale())] == [(1, 2, "telephone"), (1, 2, "bound")]


def test_panels_are_as_high_as_their_names_take() -> None:
    few = heights([part(1.5)], scale())
    assert few == Heights(3.35, (1.55,), 0) and few.all == pytest.approx(3.35 + 0.14 + 1.55)
    assert Heights(3.0, (1.5, 1.25), 2).all == pytest.approx(3 + 1.5 + 1.25 + 2 * 0.14 + 0.12 + 2 * 0.2)
    many = pd.concat([part(1.5).assign(algorithm=f"bcast/k{k}") for k in range(40)])
    of = Scale("bytes", True, (1.0, 10.0), scale().bands, ("sim",), Looks({f"k{k}": "#000000" for k in range(40)}, {}, {}, ""),
               {f"bcast/k{k}": f"k{k}" for k in range(40)})  # fmt: skip
    assert heights([many[:2], many], of) == Heights(
        pytest.approx(40 * LINE + 0.15), (pytest.approx(40 * LINE + 0.15),), 0
    )


def test_quartiles_count_for_the_ends_of_an_axis() -> None:
    made = pd.DataFrame({"median_s": [2.0, 3.0], "q1_s": [1.5, 2.5], "q3_s": [2.5, 4.0]})
    assert ends_of_times(made) == (1.5, 4.0)
    assert ends_of_times(made.assign(q1_s=float("nan"), q3_s=float("nan"))) == (2.0, 3.0)
