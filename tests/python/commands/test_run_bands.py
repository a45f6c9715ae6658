"""collscope.commands.run_output: in a figure, the bands of what was judged over draws stand beside the rows that they are of."""

from __future__ import annotations

from collscope.commands import run_output
from collscope.commands.run_advice import Winner
from collscope.sources.assumptions import Judged
from made_rows import row


def test_each_row_has_the_band_of_its_algorithm_at_its_size() -> None:
    rows = [row(algorithm=f"bcast/{key}", bytes=size) for size in (4, 8) for key in ("a", "b")]
    rows += [row(algorithm="bcast/c", bytes=8), row(algorithm="bcast/a", bytes=4, source="real")]
    rows.append(row(algorithm="decision/ompi_4_1", chose="bcast/b", bytes=8))
    winners = [
        Winner(rows[2 * i], {}, {}, Judged("bcast/a", {}, {"bcast/a": low, "bcast/b": high}, (), 1, 1, (), None))
        for i, (low, high) in enumerate([((1.0, 2.0), (3.0, 4.0)), ((5.0, 6.0), (7.0, 8.0))])
    ]
    frame = run_output._with_bands(rows, winners).fillna(0)
    assert list(frame.drawn_low_s) == [1, 3, 5, 7, 0, 0, 7]
    assert list(frame.drawn_high_s) == [2, 4, 6, 8, 0, 0, 8]
    assert "drawn_low_s" not in run_output._with_bands(rows, [Winner(rows[0], {}, {})])
