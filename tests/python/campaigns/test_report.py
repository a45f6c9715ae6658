"""collscope.campaigns.report: of four calls whose errors follow by hand: as text, as JSON, and with its figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from collscope.analysis import prediction
from collscope.campaigns import report
from collscope.figures import files
from collscope.points.table import Row, to_frame
from made_rows import row

# Algorithm, bytes, predicted and measured µs: errors of +100 %, -23.1 %, +50 % and -10 %.
CALLS = (
    ("bcast/linear", 4, 20, 10),
    ("bcast/binomial", 4, 8, 10.4),
    ("bcast/linear", 1 << 20, 3000, 2000),
    ("bcast/binomial", 1 << 20, 900, 1000),
)
PLACE = {"nodes": 2, "ranks": 8, "kind": "ok"}
TIMES = ("9e-06 1.8e-05 2e-05 4e-05", "7e-06 8e-06", "", "1e-3")  # of each call's repetitions
FLOORS = (0.05, 0.03, None, 0.125)  # the third was measured in one launch


def rows(source: str, factor: float = 1.0) -> list[Row]:
    return [
        row(source=source, algorithm=key, bytes=size, **PLACE, seconds=times[source == "real"] * factor * 1e-6)
        for key, size, *times in CALLS
    ]


@pytest.fixture(scope="module")
def made() -> report.Comparison:
    """With all that a report can have: bands of three calls, a baseline, a bound above one time, two elements left out."""
    predicted = rows("model")
    measured = [r | {"times_s": t, "floor": f} for r, t, f in zip(rows("real"), TIMES, FLOORS, strict=True)]
    for one in predicted[:3]:
        one |= {"noise_low_s": 0.9 * one["median_s"], "noise_high_s": 1.5 * one["median_s"]}
        one |= {"drawn_low_s": 0.6 * one["median_s"], "drawn_high_s": 1.4 * one["median_s"]}
    chosen = row(algorithm="decision/ompi_4_1", chose="bcast/binomial", bytes=4, **PLACE, source="model", seconds=8e-6)
    expected, noted = to_frame([*predicted, chosen]), to_frame(measured)
    least = [row(algorithm="bound/loggp", bytes=n, **PLACE, seconds=s) for n, s in ((4, 1e-6), (1 << 20, 1.2e-3))]
    return report.Comparison(
        "A title",
        prediction.joined(expected, noted),
        expected,
        "What it is about.",
        (("platform", "tiny"), ("time", "3 s")),
        "A floor.",
        to_frame(least),
        {name: prediction.joined(to_frame(rows("model", f)), noted) for name, f in (("noise", 0.5), ("gap", 1.5))},
        ("No number for 1 call.",),
        True,
    )


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [report._Picture(f"figures/{name}.png", f"All of {name}.") for name in "abc"]
    monkeypatch.setattr(report, "_figures", lambda made, folder: drawn)


def test_the_report_as_markdown_and_as_a_page(
    made: report.Comparison, no_figures: None, tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    names = ["report.html", "report.md", "summary.json", "figures/a.png", "figures/b.png", "figures/c.png"]
    assert report.write(made, tmp_path) == names
    golden("report", (tmp_path / "report.md").read_text())
    page = (tmp_path / "report.html").read_text()
    shown = [page.index(f'src="figures/{n}.png" alt="All of {n}."') for n in "abc"]
    parts = [
        page.index(f">{title}</h2>")
        for title in (
            "Inside the band",
            "Inside the noise",
            "What a user has today",
            "Which assumption is behind it",
            "Farthest off",
        )
    ]
    assert sorted([*shown, *parts]) == [*shown[:2], *parts[:3], shown[2], *parts[3:]]
    assert '<table class="cards">' in page and page.endswith("</html>\n")


def test_the_summary_has_every_number_of_the_report(made: report.Comparison, no_figures: None, tmp_path: Path) -> None:
    report.write(made, tmp_path)
    printed = json.loads((tmp_path / "summary.json").read_text(), parse_float=lambda number: round(float(number), 6))
    assert (printed["title"], printed["quick"], printed["points"], printed["below_bound"]) == ("A title", True, 4, 1)
    assert list(printed["errors"]) == ["all", "collective", "algorithm", "size", "ranks"]
    assert printed["errors"]["all"] == [
        {"of": "all", "points": 4, "median": 0.365385, "p90": 0.85, "worst": 1.0, "bias": 0.2, "floor": 0.05}
    ]
    assert [row["size"] for row in printed["errors"]["size"]] == ["up to 512 B", "above"]
    assert [(row["without"], row["size"], row["median"]) for row in printed["without"]][3:6] == [
        ("noise", "all", 0.4), ("noise", "up to 512 B", 0.307692), ("noise", "above", 0.4),
    ]  # fmt: skip
    assert [call["error"] for call in printed["worst"]] == [1.0, 0.5, -0.230769, -0.1]
    assert printed["worst"][1] == {
        "collective": "bcast", "algorithm": "bcast/linear", "platform": "ideal", "mapping": "block", "ranks": 8, "nodes": 2,
        "bytes": 1 << 20,
        "predicted_s": 0.003, "measured_s": 0.002, "error": 0.5, "floor": None,
    }  # fmt: skip
    assert printed["winners"].items() >= {"agreement": 1.0, "calls": 2, "ties": 1, "worst_regret": 0.04}.items()
    (baseline,) = printed["baselines"]
    assert baseline.items() >= {"decision": "decision/ompi_4_1", "calls": 1, "mean_regret": 0.04}.items()
    assert [(row["of"], row["repetitions_inside"]) for row in printed["coverage"]] == [
        ("all", 0.5), ("up to 512 B", 0.5), ("above", None),
    ]  # fmt: skip
    assert printed["band"] == [
        {"of": of, "calls": calls, "inside": inside, "below": below, "above": 0.0}
        for of, calls, inside, below in (
            ("all", 3, 0.666667, 0.333333),
            ("up to 512 B", 2, 0.5, 0.5),
            ("above", 1, 1.0, 0.0),
        )
    ]


def test_a_report_leaves_out_numbers_that_are_not_known(
    made: report.Comparison, no_figures: None, tmp_path: Path
) -> None:
    one = made.both[made.both.algorithm == "bcast/linear"].drop(
        columns=[*prediction.NOISE_BAND, *prediction.DRAWN_BAND, "floor"]
    )
    report.write(report.Comparison("Plain", one, made.predicted[:0]), tmp_path)
    printed = json.loads((tmp_path / "summary.json").read_text())
    assert printed["winners"] is printed["below_bound"] is None and not printed["quick"]
    assert printed["baselines"] == printed["without"] == printed["coverage"] == printed["band"] == []
    text = (tmp_path / "report.md").read_text()
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## By size", "## Farthest off"]
    assert "bound/loggp" not in text and "| | |" not in text and "loor" not in text
    bounded = replace(made, both=made.both.assign(metric="root"))
    report.write(bounded, tmp_path)
    assert "bound/loggp" not in (tmp_path / "report.md").read_text(), "there is no bound of such a time"


def test_a_band_has_the_models_own_error_from_other_collectives_or_from_campaigns_before(
    made: report.Comparison, no_figures: None, tmp_path: Path
) -> None:
    """A reduction that takes 1.2 times as long as predicted beside broadcasts: nothing was drawn of it."""
    other = made.both[:1].assign(collective="reduce", algorithm="reduce/linear", predicted_s=1e-5, measured_s=1.2e-5)
    other = other.assign(**dict.fromkeys(prediction.DRAWN_BAND, 1e-5))
    two = replace(made, both=pd.concat([made.both, other], ignore_index=True))
    report.write(two, tmp_path)
    text, printed = (tmp_path / "report.md").read_text(), json.loads((tmp_path / "summary.json").read_text())
    assert "14.2 % for bcast, 36.6 % for reduce: of each collective what the others of this campaign have." in text
    assert [row["inside"] for row in printed["band"][:1]] == [pytest.approx(0.8)], "all but one of five"
    assert [row["inside"] for row in printed["drawn"][:1]] == [pytest.approx(0.5)]
    assert {g["collective"]: g["inside"] for g in printed["groups"]}["reduce"] == 1
    report.write(replace(two, model_errors={"ideal": 0.01}), tmp_path)
    text, printed = (tmp_path / "report.md").read_text(), json.loads((tmp_path / "summary.json").read_text())
    assert "1.0 % for bcast and reduce: as campaigns have it that were judged before." in text
    assert {g["collective"]: g["inside"] for g in printed["groups"]}["reduce"] == 0
    report.write(made, tmp_path)
    text, printed = (tmp_path / "report.md").read_text(), json.loads((tmp_path / "summary.json").read_text())
    assert "How far the model is off by itself is not in it" in text and printed["band"] == printed["drawn"]


def test_an_unstable_platform_is_named_above_every_number(
    made: report.Comparison, no_figures: None, tmp_path: Path
) -> None:
    report.write(replace(made, unstable="cache: +20%"), tmp_path)
    head, _, rest = (tmp_path / "report.md").read_text().partition("| median error |")
    assert "> **Unstable platform.**" in head and "differed from its numbers: cache: +20%." in head and rest
    assert report.headline(tmp_path)[0] == ("unstable", "cache: +20%")
    report.write(made, tmp_path)
    assert "nstable" not in (tmp_path / "report.md").read_text() and report.headline(tmp_path)[0][0] == "calls"


def test_many_numbers_of_ranks_are_summed_up_by_powers_of_two(
    made: report.Comparison, no_figures: None, tmp_path: Path
) -> None:
    for count in (16, 17):
        calls = [made.both[:1].assign(ranks=2 + i) for i in range(count)]
        whole = report.Comparison("Ranks", pd.concat(calls, ignore_index=True), made.predicted[:0])
        report.write(whole, tmp_path)
        printed = (tmp_path / "report.md").read_text()
        table = [
            line.split("|")[1:3] for line in printed.partition("## By ranks")[2].partition("##")[0].splitlines()[4:-1]
        ]
        if count == 16:
            assert table == [[f" {2 + i} ", " 1 "] for i in range(16)]
        else:
            assert table == [
                ["    1 to 2 ", " 1 "], ["    3 to 4 ", " 2 "], ["    5 to 8 ", " 4 "], ["    9 to 16 ", " 8 "], ["   17 to 32 ", " 2 "],
            ]  # fmt: skip
        assert printed.partition("## Farthest off")[2].count("| bcast/linear |") == 12
    assert report._ranks_range(1) == "   1 to 2"


def test_groups_stand_in_the_report_where_places_differ(
    made: report.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second machine's calls, on which one size alone has two algorithms, are predicted a third too slow."""
    monkeypatch.setattr(files, "render", lambda figure, kind: b"png")
    other = made.both[made.both.bytes == 4].assign(platform="other", mapping="core", error=0.3)
    report.write(replace(made, both=pd.concat([made.both, other], ignore_index=True)), tmp_path)
    text = (tmp_path / "report.md").read_text()
    table = text.partition("## By group")[2].partition("\n##")[0].splitlines()
    assert table[4].startswith("| collective | platform | mapping | calls | median |")
    assert table[6:8] == [
        "| bcast | ideal | block | 4 | 36.5 % | 85.0 % | +20.0 % | 2 | 100.0 % | 2.0 % | 66.7 % |",
        "| bcast | other | core | 2 | 30.0 % | 30.0 % | +30.0 % | 1 | 100.0 % | 4.0 % | 50.0 % |",
    ]
    assert (
        "| bcast/linear | ideal, mapping block | 8 | 4 B |" in text
        and "](figures/winners_bcast_ideal_block.png)" in text
    )
    printed = report.groups(tmp_path)
    assert [(g["platform"], g["nodes"], g["choices"], g["floor"]) for g in printed] == [
        ("ideal", 2, 2, pytest.approx(0.05)), ("other", 2, 1, pytest.approx(0.04)),
    ]  # fmt: skip


def test_an_element_without_which_predictions_are_better_is_a_suspect() -> None:
    cells: list[dict[str, Any]] = [
        {"without": name, "size": size, "median": median}
        for name, *medians in (("nothing", 0.5, 0.1), ("a", 0.495, 0.089), ("b", 0.3, 0.091))
        for size, median in zip(("small", "large"), medians, strict=True)
    ]
    found = report._suspects(pd.DataFrame(cells))
    assert found == [("small", "b", 0.5, 0.3), ("large", "a", 0.1, 0.089)], (
        "the largest gain first, from a hundredth on"
    )
    assert report._suspects(pd.DataFrame()) == report._elements(pd.DataFrame()) == []


def test_maps_are_of_the_places_where_most_is_lost(
    made: report.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "render", lambda figure, kind: b"png")
    places = [made.both.assign(platform=f"m{k}") for k in range(report.MAPS + 1)]
    cheap = places[3].algorithm == "bcast/linear"  # there the predicted winner is the fastest
    places[3] = places[3].assign(
        predicted_s=places[3].predicted_s.where(~cheap, 1e-7), measured_s=places[3].measured_s.where(~cheap, 1e-7)
    )
    found = report._figures(replace(made, both=pd.concat(places, ignore_index=True)), tmp_path)
    maps = {picture.path for picture in found[2:]}
    assert len(maps) == report.MAPS and "figures/winners_bcast_m3.png" not in maps


def test_a_map_of_winners_where_a_collective_has_several_calls(
    made: report.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[object] = []
    monkeypatch.setattr(files, "render", lambda figure, kind: drawn.append(figure) or kind.encode())
    single = made.both[made.both.bytes == 4].assign(collective="reduce")
    found = report._figures(replace(made, both=pd.concat([made.both, single], ignore_index=True)), tmp_path)
    assert [picture.path for picture in found] == [f"figures/{n}.png" for n in ("scatter", "errors", "winners_bcast")]
    assert found[2].caption == "bcast: who is the fastest, measured and predicted."
    assert all((tmp_path / picture.path).read_bytes() == b"png" for picture in found) and len(drawn) == 3
