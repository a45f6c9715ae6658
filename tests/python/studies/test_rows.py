"""collscope.studies.rows, collscope.studies.origin: what is simulated again, and from which numbers of a call a further metric is read."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tiny_platform
from collscope import __version__
from collscope.base import cache, commit, paths
from collscope.base.errors import UsageError
from collscope.catalogue.registry import Registry
from collscope.points.table import Row
from collscope.sources import forecast, smpirun
from collscope.sources.source import Options
from collscope.studies import reader
from collscope.studies import rows as study_rows
from collscope.studies.origin import Origin, remember

STUDY = """\
title = "rows"
[setting]
platform = "tiny"
nodes = [2]
ranks = [4]
metric = "makespan"
also_metrics = ["root"]
[sizes]
bytes = "16B..64B"
[[collective]]
name = "bcast"
algorithms = ["bcast/linear"]
"""


def run(**options: Any) -> tuple[list[Row], Origin]:
    study = reader.parse(STUDY, Path(__file__))
    return study_rows.of_study(study, tiny_platform.tiny(), False, Options(jobs=1, **options))


@pytest.fixture
def launches(workplace: Path, known: Registry, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the smpirun that is not there writes what it is started for, one line per launch."""
    programs = workplace / "bin"
    programs.mkdir()
    fake = shutil.copy(Path(__file__).parents[1] / "helpers" / "fake_smpirun", programs / "smpirun")
    text = Path(fake).read_text(encoding="utf-8")
    Path(fake).write_text(text.replace('"root_s":0', '"root_s":{time_s / 4:.17g}'), encoding="utf-8")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_COUNT", str(workplace / "count"))
    monkeypatch.setattr(cache, "sources_hash", lambda *folders: "c0ffee")
    monkeypatch.setattr(smpirun, "version", lambda: "3.32")
    return workplace / "count"


def test_force_simulates_again_what_is_cached(launches: Path) -> None:
    _, first = run()
    once = launches.read_text()
    again, second = run()
    assert launches.read_text() == once
    forced, third = run(force=True)
    assert launches.read_text() == 2 * once
    assert forced == again
    assert first.simulated == third.simulated == 3
    assert second.simulated == 3, "the origin of what is cached is kept"


def test_a_further_metric_has_numbers_of_its_own(launches: Path) -> None:
    rows, _ = run()
    simulated = [row for row in rows if row["source"] == "sim"]
    by_metric = {m: [row for row in simulated if row["metric"] == m] for m in ("makespan", "root")}
    assert len(simulated) == sum(map(len, by_metric.values())) == 6
    for own, root in zip(by_metric["makespan"], by_metric["root"], strict=True):
        assert root["bytes"] == own["bytes"]
        assert float(str(own["median_s"])) == 1e-6 * (int(str(own["bytes"])) // 4 + 1) / 3
        for column in ("median_s", "q1_s", "q3_s", "min_s", "max_s"):
            assert float(str(root[column])) == float(str(own[column])) / 4, column


def test_a_bound_for_each_collective_layout_and_size(launches: Path) -> None:
    rows, origin = run()
    found = [(row["nodes"], row["ranks"], row["bytes"]) for row in rows if row["source"] == "bound"]
    assert sorted(found) == [(2, 4, size) for size in (16, 32, 64)]
    assert (origin.points, origin.quick, origin.jobs) == (3, False, 1)


@pytest.mark.parametrize(("simulated", "kept"), [(2, 5), (5, 5), (6, 6), (0, 5)])
def test_the_longest_run_of_the_same_numbers_is_remembered(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, simulated: int, kept: int
) -> None:
    monkeypatch.setattr("collscope.base.commit.describe", lambda: "abc")
    first = Origin(False, 6, 5, 100.0, 2, 1, {"a": "1"}, {"b": "2"})
    assert remember("x", first).versions == {"a": "1", "commit": "abc"}
    made = remember("x", replace(first, simulated=simulated, wall_s=1.0))
    assert (made.simulated, made.wall_s) == (kept, 100.0 if simulated < 5 else 1.0)
    for other in ({"quick": True}, {"points": 7}, {"hashes": {"b": "3"}}, {"versions": {"a": "2"}}):
        assert remember("x", replace(first, simulated=1, **other)).simulated == 1  # type: ignore[arg-type]
    assert remember("y", replace(first, simulated=1)).simulated == 1


def test_the_origin_of_numbers_is_kept_whole(launches: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, origin = run()
    message = "collscope: test_rows: 3 points; 3 to simulate, 1 at a time: about 1 s (by their operations)"
    assert capsys.readouterr().err.splitlines() == [message]
    sim = [row for row in rows if row["source"] == "sim"]
    text = cache.digest(Path(__file__).read_text(encoding="utf-8"))[:12]
    assert origin.hashes == {"sources": sim[0]["sources_hash"], "platform": sim[0]["platform_hash"], "study": text}
    assert origin.versions == {"collscope": __version__, "SimGrid": "3.32", "commit": commit.describe()}
    assert (origin.quick, origin.points, origin.simulated, origin.jobs) == (False, 3, 3, 1)
    assert origin.peak_bytes % 1024 == 0 and 2**20 < origin.peak_bytes < 2**36 and 0 < origin.wall_s < 60
    assert [(row["source"], row["metric"], row["bytes"]) for row in rows] == [
        *(("sim", metric, size) for metric in ("makespan", "root") for size in (16, 32, 64)),
        *(("bound", "makespan", size) for size in (16, 32, 64) for _ in range(len(rows) // 3 - 2)),
    ]


@pytest.mark.parametrize(
    ("changed", "is_known"),
    [
        ({}, True),
        ({"quick": True}, False),
        ({"simulated": 2}, False),
        ({"wall_s": "long"}, False),
        ({"jobs": None}, False),
    ],
)
def test_the_speed_is_that_of_a_whole_reference_of_the_same_points(
    changed: dict[str, Any], is_known: bool, workplace: Path, known: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = reader.parse(STUDY, Path("sim/mine.toml"))
    tasks = [task for task, _, _ in study_rows.tasks_of(study, tiny_platform.tiny(), quick=False)]
    monkeypatch.setattr(paths, "RESULTS", workplace)
    assert study_rows.speed(study, tasks) is None, "there is no reference"
    (workplace / "mine").mkdir()
    origin = {"wall_s": 300.0, "jobs": 2, "quick": False, "simulated": 3, **changed}
    (workplace / "mine" / "run.json").write_text(json.dumps({"origin": origin}))
    assert study_rows.speed(study, tasks) == (600.0 / forecast.cost(tasks) if is_known else None)


def test_a_quick_run_is_announced_by_the_speed_of_the_whole_reference(
    launches: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And its numbers are those of the study's text and of the file that its mapping names."""
    study = reader.parse(STUDY.replace("[sizes]", '[sizes]\nquick = "16B"'), Path(__file__))
    whole = [task for task, _, _ in study_rows.tasks_of(study, tiny_platform.tiny(), quick=False)]
    monkeypatch.setattr(paths, "RESULTS", workplace)
    (workplace / study.name).mkdir()
    reference = {"wall_s": 300.0, "jobs": 2, "quick": False, "simulated": 3}
    (workplace / study.name / "run.json").write_text(json.dumps({"origin": reference}))
    speeds: list[float | None] = []
    monkeypatch.setattr(study_rows, "rows_of", lambda study, tasks, options: speeds.append(options.speed) or [])
    monkeypatch.setattr(study_rows, "_placed", lambda study: ["rank 0=+n0 slot=0"])
    _, origin = study_rows.of_study(study, tiny_platform.tiny(), True, Options(jobs=1))
    assert speeds == [600.0 / forecast.cost(whole)] and (origin.points, origin.simulated) == (1, 1)
    assert origin.hashes["study"] == cache.digest(study.path.read_text(encoding="utf-8"), "rank 0=+n0 slot=0")[:12]


def test_ranks_that_leave_a_node_empty_are_refused(known: Registry) -> None:
    study = reader.parse(STUDY.replace("ranks = [4]", 'ranks = [4]\nmapping = "fill"'), Path("sim/s.toml"))
    with pytest.raises(UsageError) as error:
        study_rows.tasks_of(study, tiny_platform.tiny(), quick=False)
    assert str(error.value) == (
        "sim/s.toml: mapping fill puts 4 ranks on 1 of 2 nodes; take 2 out of setting.nodes, or more ranks"
    )
    study = reader.parse(STUDY.replace("nodes = [2]", "nodes = [9]"), Path("sim/s.toml"))
    with pytest.raises(UsageError, match=r"^sim/s\.toml: setting: "):
        study_rows.tasks_of(study, tiny_platform.tiny(), quick=False)
