"""collscope.campaigns.blind: predictions are sealed, and judged only as they were; errors that were planted in a table come out."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from collscope.base import paths
from collscope.campaigns import blind, report, run
from collscope.points import table
from collscope.sources import published
from open_mpi import needs_prover
from refusals import refusal

pytestmark = needs_prover
MINE = """
title = "t"
platform = "MACHINE"
metric = "osu_avg[barrier=decision/ompi_4_1_acknowledged]"
baselines = ["decision/ompi_4_1"]
without = ["barrier", "gap"]
draws = 10
[measure]
source = "published"
"""
COLUMNS = ("platform", "nodes", "mapping", "collective", "algorithm_id", "processes", "bytes")
NUMBERS = {"bcast": (0, 1, 6), "gather": (1, 2), "allgather": (2, 4), "reduce": (1, 5), "barrier": (3, 4)}
# What a prediction is of the time in the table, by collective, platform and mapping; elsewhere they are the same.
PLANTED = {
    ("bcast", "orfeo_thin", "node"): 0.4,
    ("gather", "orfeo_epyc", "core"): 1.25,
    ("barrier", "orfeo_epyc", "node"): 0.9,
}
Cells = dict[str, Any]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No figures, and a commit of which nothing was changed."""
    monkeypatch.setattr(report, "_figures", lambda made, folder: [])
    monkeypatch.setattr(blind.commit, "describe", lambda: "abc")


@pytest.fixture
def campaign(workplace: Path) -> str:
    """A campaign on a machine whose file is the test's own."""
    machine = workplace / "mine" / "orfeo_epyc.toml"
    machine.parent.mkdir()
    machine.write_text((paths.ROOT / "platforms" / "orfeo_epyc.toml").read_text())
    (workplace / "mine.toml").write_text(MINE.replace("MACHINE", str(machine)))
    return str(workplace / "mine.toml")


def calls() -> list[Cells]:
    return [
        dict(zip(COLUMNS, (platform, 2, mapping, collective, number, ranks, size), strict=True))
        for platform in ("orfeo_epyc", "orfeo_thin")
        for mapping in ("core", "node")
        for ranks in (6, 8)
        for collective, numbers in NUMBERS.items()
        for number in numbers
        for size in ((4, 4096) if collective != "barrier" else (0,))
    ]


def written(path: Path, rows: list[Cells]) -> str:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def timed(folder: Path, rows: list[Cells]) -> list[Cells]:
    """The rows with the times that the predictions have, but for what is planted. A prediction's row is found by what the row says: two
    numbers of ranks, two sizes, and all ranks of so small a call on one node where cores are filled."""
    found: dict[tuple[object, ...], float] = {}
    for row in table.to_rows(table.read_csv(folder / blind.PREDICTIONS)):
        found[tuple(row[c] for c in ("platform", "mapping", "algorithm", "ranks", "block_bytes", "collective"))] = row[
            "median_s"
        ]
    made = []
    for row in rows:
        key = blind.call_table.key_of(row["collective"], str(row["algorithm_id"]))
        place = row["platform"], row["mapping"]
        time = found[(*place, key, row["processes"], row["bytes"], row["collective"])]
        made.append(row | {"latency_us": time * 1e6 / PLANTED.get((row["collective"], *place), 1.0)})
    return made


def test_errors_that_were_planted_come_out_by_group(
    campaign: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also a call that has no twin here and one too large for the machine, one that was not to be predicted, one without a time."""
    strange = calls()[0] | {"algorithm_id": 99}
    large = calls()[0] | {"processes": 1000}
    folder, seal = blind.predict(
        campaign, written(workplace / "list.csv", [*calls(), strange, large]), str(workplace / "out")
    )
    assert "Left out: 1 call: bcast: Open MPI's algorithm 99 has no twin here." in capsys.readouterr().err
    sealed = json.loads((folder / blind.SEAL).read_text())
    assert sealed["model_errors"] == blind.judged_before.model_errors(["orfeo_epyc", "orfeo_thin"]), "of other calls"
    assert (sealed["commit"], sealed["calls"], sealed["metric"].partition("[")[0]) == ("abc", len(calls()), "osu_avg")
    assert [Path(name).name for name in sealed["sha256"]] == [
        blind.PREDICTIONS, "mine.toml", "orfeo_epyc.toml", "orfeo_thin.toml",
    ]  # fmt: skip
    rows = timed(folder, calls())
    other = rows[-1] | {"algorithm_id": 6}
    times = written(
        workplace / "times.csv", [*rows[:-2], rows[-2] | {"latency_us": ""}, other, strange | {"latency_us": 1}]
    )
    judged, left = blind.judge(campaign, times, str(folder), seal)
    assert judged == folder
    assert left == [
        "Left out: 1 call: bcast: Open MPI's algorithm 99 has no twin here.",
        "Left out: 1 call: the table does not have them.",
        "Left out: 1 call: they are not among the predictions.",
        f"No number for 1 call, published: {blind.NO_TIME}.",
    ]
    groups = report.groups(folder)
    assert len(groups) == len(NUMBERS) * 4
    for group in groups:
        off = PLANTED.get((group["collective"], group["platform"], group["mapping"]), 1.0) - 1
        assert group["nodes"] == (1 if group["mapping"] == "core" else 2), "cores of the first node are filled first"
        assert group["bias"] == pytest.approx(off, abs=1e-9) and group["worst"] == pytest.approx(abs(off), abs=1e-9)
        assert (group["right"], group["regret"]) == (1, 0), "all algorithms of a group are off by the same factor"
        assert off != 0 or group["inside"] > 0.5, "the prediction itself lies in most of the sealed bands"
        assert off > -0.5 or group["inside"] < 0.2, "more than twice of it lies in few"
    assert {g["choices"] for g in groups if g["collective"] != "barrier"} == {4}
    text = (folder / "report.md").read_text()
    assert (
        text.startswith("# times.csv: judged with predictions that were sealed before")
        and "The calls of list.csv" in text
    )
    assert f"SHA-256 {seal}" in text and all(line in text for line in left) and "commit abc" in text


def test_a_winner_that_was_planted_is_lost_by_as_much_as_was_planted(campaign: str, workplace: Path) -> None:
    """The algorithm that is predicted to win takes half as long again as the other one."""
    mine = [c for c in calls() if (c["platform"], c["mapping"], c["collective"]) == ("orfeo_thin", "node", "gather")][
        :4
    ]
    folder, _ = blind.predict(campaign, written(workplace / "list.csv", mine), str(workplace / "out"))
    rows = timed(folder, mine)
    best = min((r for r in rows if r["bytes"] == 4), key=lambda r: r["latency_us"])
    (rival,) = (r for r in rows if r["bytes"] == 4 and r is not best)
    best["latency_us"] = 1.5 * rival["latency_us"]
    blind.judge(campaign, written(workplace / "times.csv", rows), str(folder))
    (group,) = report.groups(folder)
    assert (group["choices"], group["right"], group["regret"]) == (2, 0.5, pytest.approx(0.25))


@pytest.mark.full
def test_two_commands_say_what_the_campaign_says_in_one(
    campaign: str, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the published calls on up to five ranks."""
    lines = (published.DATA / "orfeo_collectives.csv").read_text().splitlines(keepends=True)
    few = workplace / "orfeo_collectives.csv"
    few.write_text("".join([lines[0], *(line for line in lines[1:] if int(line.split(",")[3]) <= 5)]))
    Path(campaign).write_text(MINE.replace("MACHINE", "orfeo_epyc"))
    monkeypatch.setattr(published, "DATA", workplace)
    published._times.cache_clear()
    whole = run.run(campaign, out=str(workplace / "whole"))
    folder, _ = blind.predict(campaign, None, str(workplace / "out"))
    assert json.loads((folder / blind.SEAL).read_text())["model_errors"] == {}, (
        "the campaign's own calls tell of each other"
    )
    blind.judge(campaign, str(few), str(folder))
    published._times.cache_clear()
    one, two = ((at / report.SUMMARY).read_text() for at in (whole, folder))
    assert one == two and json.loads(one)["points"] > 50 and len(json.loads(one)["without"]) > 6


@pytest.fixture
def sealed(campaign: str, workplace: Path) -> tuple[str, Path, str, str]:
    """The campaign, the folder of its predictions, a table, and the seal's SHA-256."""
    few = [c for c in calls() if c["platform"] == "orfeo_thin" and c["collective"] == "bcast" and c["processes"] == 6]
    few = [c | {"platform": str(workplace / "mine" / "orfeo_epyc.toml")} for c in few]
    folder, seal = blind.predict(campaign, written(workplace / "list.csv", few), str(workplace / "out"))
    return campaign, folder, written(workplace / "times.csv", [c | {"latency_us": 3} for c in few]), seal


def test_predictions_are_judged_only_by_what_they_were_sealed_with(
    sealed: tuple[str, Path, str, str], workplace: Path
) -> None:
    campaign, folder, times, _ = sealed
    changes = [
        ("out/predictions.csv", "e-06", "e-07"),
        ("mine.toml", '"t"', '"u"'),
        ("mine/orfeo_epyc.toml", "e-10", "e-11"),
    ]
    for file, old, new in changes:
        text = (workplace / file).read_text()
        assert old in text
        (workplace / file).write_text(text.replace(old, new, 1))
        message = refusal(blind.judge, campaign, times, str(folder))
        assert f"{Path(file).name}: is not what the predictions were sealed with (SHA-256 " in message, file
        assert "put it back" in message
        assert not (folder / "report.md").exists(), file
        (workplace / file).write_text(text)
    blind.judge(campaign, times, str(folder))


def test_whoever_has_the_printed_hash_notices_another_seal(
    sealed: tuple[str, Path, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign, folder, times, seal = sealed
    text = (folder / blind.SEAL).read_text()
    blind.judge(campaign, times, str(folder), seal.upper())
    (folder / blind.SEAL).write_text(text.replace('"noise": 0', '"noise": 1'))
    assert f"not {seal}: these are not the predictions" in refusal(blind.judge, campaign, times, str(folder), seal)
    (folder / blind.SEAL).write_text(text.replace('"mine"', '"other"'))
    assert "those of campaign other" in refusal(blind.judge, campaign, times, str(folder))
    (folder / blind.SEAL).write_text(text)
    monkeypatch.setattr(blind.commit, "describe", lambda: "def")
    assert "predicted by commit abc, and this is def; check out abc" in refusal(
        blind.judge, campaign, times, str(folder)
    )
    (folder / blind.SEAL).write_text(text.replace("calls", "colls"))
    assert "cannot be read" in refusal(blind.judge, campaign, times, str(folder))
    (folder / blind.SEAL).unlink()
    assert "there are no predictions to judge; make them first" in refusal(blind.judge, campaign, times, str(folder))


@pytest.mark.full
def test_new_predictions_take_the_place_of_the_report_of_others(
    sealed: tuple[str, Path, str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign, folder, times, seal = sealed
    blind.judge(campaign, times, str(folder))
    assert (folder / "report.md").exists() and (folder / "table.csv").exists()
    listed = str(folder.parent / "list.csv")
    assert blind.predict(campaign, listed, str(folder)) == (folder, seal), "the same predictions have the same seal"
    assert sorted(p.name for p in folder.iterdir()) == [blind.PREDICTIONS, blind.SEAL]
    assert "commit them first" not in capsys.readouterr().err
    monkeypatch.setattr(blind.commit, "describe", lambda: "abc+")
    assert blind.predict(campaign, listed, str(folder))[1] != seal
    assert "commit abc+: the sources differ from it" in capsys.readouterr().err


def test_nothing_is_written_where_no_call_can_be_predicted_or_judged(
    sealed: tuple[str, Path, str, str], workplace: Path
) -> None:
    campaign, folder, _, _ = sealed
    none = [calls()[0] | {"algorithm_id": 99}]
    message = refusal(blind.predict, campaign, written(workplace / "none.csv", none), str(workplace / "new"))
    assert "none of its calls can be predicted: Left out: 1 call: bcast: Open MPI's algorithm 99" in message
    assert not (workplace / "new").exists()
    other = [calls()[0] | {"processes": 5, "latency_us": 1}]
    message = refusal(blind.judge, campaign, written(workplace / "other.csv", other), str(folder))
    assert "has none of the predicted calls" in message and not (folder / "report.md").exists()
