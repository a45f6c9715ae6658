"""collscope.campaigns.run, collscope.campaigns.preparation: a small campaign on a bed of its own; nothing is left of the bed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.calibration import survey
from collscope.campaigns import preparation, report, run
from collscope.machines import find
from collscope.testbed import bed, check
from collscope.testbed.network import Network

missing = bed.missing()
pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(bool(missing), reason=f"no test bed here: {missing}"),
    pytest.mark.skipif(not (programs.MPI_DRIVER.exists() and programs.PROVER.exists()), reason="needs build/mpi"),
]


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run side by side: each notes its bed for itself."""
    monkeypatch.setattr(bed, "state_file", lambda: tmp_path / "bed" / "bed.json")


SMALL = """
title = "t"
platform = "small"
without = ["topology"]
noise = 20
[measure]
source = "real"
launcher = "testbed"
repetitions = 1
[bed]
hosts = 4
leaves = 2
oversubscription = 2
[[calls]]
collectives = ["bcast"]
algorithms = ["linear", "binomial"]
nodes = [3]
bytes = "4B"
"""


def test_a_campaign_makes_checks_and_calibrates_its_bed_and_goes_on_with_its_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(survey, "SIZES", survey.SIZES[:13])  # up to 4 KiB
    monkeypatch.setattr(check, "STREAM_S", 0.1)
    (tmp_path / "mine.toml").write_text(SMALL)
    out = tmp_path / "out"
    runs = []
    for again in (False, True):
        run.run(str(tmp_path / "mine.toml"), quick=True, out=str(out), remeasure=again)
        assert bed.standing() is None and not bed.state_file().exists()
        summary = json.loads((out / "summary.json").read_text())
        assert summary["points"] == 2
        assert summary["coverage"][0]["calls"] == summary["coverage"][0]["repetitions"] == 2, "each was timed once"
        assert ("calibrated before is taken" in capsys.readouterr().err) == again
        runs.append([(out / name).read_text() for name in (preparation.SPEC, run.MEASURED, "report.md")])
        monkeypatch.setattr(report, "_figures", lambda made, folder: [])  # drawn once
    (spec, measured, text), (kept, anew, _) = runs
    assert kept == spec and anew != measured
    spec_read = find.load_spec(str(out / preparation.SPEC))
    assert [noise.start for noise in spec_read.noise["network"]] == [0, 1024], "of 1 B and 1 KiB, not of 16 KiB"
    assert spec_read.nodes == 4 and "fat_tree" in spec
    assert "2 leaves, 2:1 oversubscribed" in text and "collscope calibrate" in text and "](figures/scatter.png)" in text
    assert re.search(r"calibrated.* in \d+ s; before: .*, after: ", text), "how long calibrating took, beside what"
    assert re.search(r"time.* preparing \d+ s, predicting \d+ s, measuring \d+ s", text)


def test_a_bed_that_is_up_is_not_taken_for_another() -> None:
    with bed.held(Network(hosts=2)), pytest.raises(UserError, match="3 hosts"), bed.held(Network(hosts=3)):
        pass
    assert bed.standing() is None
