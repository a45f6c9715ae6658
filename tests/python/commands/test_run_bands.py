"""collscope.commands.run_output, collscope.commands.run_winners: in a figure, the bands of what was judged over draws stand beside the
rows that they are of, and what they are of is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.campaigns import judged_before
from collscope.commands import run_output, run_winners
from collscope.commands.run_advice import Winner
from collscope.points.sweep import Sweep
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


def test_behind_the_draws_is_how_far_the_model_was_off_on_this_platform(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_winners, "advice", lambda *_: [])
    monkeypatch.setattr(judged_before, "remark", lambda platform: f"Of {platform} measured.")
    for drawn in ("Judged over draws.", ""):
        monkeypatch.setattr(run_winners, "_drawn_numbers", lambda _, drawn=drawn: drawn)
        run_winners._show_advice([Winner(row(platform="tiny"), {}, {})], True)
        assert ("Judged over draws. Of tiny measured." in capsys.readouterr().out) == bool(drawn)


@pytest.mark.parametrize(
    ("sizes", "says"),
    [((0,), "d.svg is not written: no call takes any time"), ((0, 4, 8), "written: d.svg; 1 time of 0 s left out"),
     ((4, 8), "written: d.svg")],
)  # fmt: skip
def test_a_call_that_takes_no_time_is_not_left_out_of_a_picture_without_a_word(
    sizes: tuple[int, ...],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_output.origin, "of_rows", lambda _: None)
    rows = [row(bytes=size, median_s=size * 1e-6) for size in sizes]
    run_output.draw("d.svg", rows, [], Sweep([], sizes))
    assert capsys.readouterr().err == f"collscope: {says}\n"
    assert Path("d.svg").exists() == (sizes != (0,))
