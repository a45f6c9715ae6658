"""collscope.commands.validate: the campaigns that there are, and the head of a report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.commands import validate
from command_line import call
from open_mpi import needs_prover


def test_campaigns_are_listed_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "validate")
    names = [line.split("  ")[0].strip() for line in out.splitlines()]
    assert (status, err) == (0, "") and names == sorted(
        p.stem for p in (paths.ROOT / "validate/campaigns").glob("*.toml")
    )
    assert all(len(line.split()) > 3 for line in out.splitlines())


def test_a_campaign_ends_with_the_head_of_its_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    folder = paths.ROOT / "results/validation/orfeo_published"
    monkeypatch.setattr("collscope.campaigns.run.run", lambda name, **options: calls.append((name, options)) or folder)
    status, out, _ = call(capsys, "validate", "x", "--quick", "--remeasure")
    *head, last = out.splitlines()
    assert status == 0 and [line[:16].strip() for line in head][:4] == ["calls", "median error", "p90 error", "bias"]
    assert last == "results/validation/orfeo_published/report.html"
    assert calls == [("x", {"quick": True, "remeasure": True, "recalibrate": False, "out": None})]


def test_a_group_without_choices_has_neither_winner_nor_regret(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    group = {"collective": "bcast", "platform": "x", "nodes": 2, "mapping": "block", "points": 7, "median": 0.1, "p90": 0.2,
             "bias": -0.05, "choices": 3, "right": 0.5, "regret": 0.25, "inside": None}  # fmt: skip
    validate._groups([group, group | {"choices": 0, "inside": 0.9}])
    one, other = (line.split() for line in capsys.readouterr().out.splitlines() if "bcast" in line)
    assert one == ["bcast", "x", "2", "block", "7", "10.0%", "20.0%", "-5.0%", "3", "50.0%", "25.0%"]
    assert other == [*one[:8], "0", "90%"]
    validate._groups([group])
    assert "band" not in capsys.readouterr().out


@pytest.mark.full
@needs_prover
def test_a_blind_campaign_prints_its_hash_and_then_every_group(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    calls, times, out = (str(tmp_path / name) for name in ("calls.csv", "times.csv", "out"))
    Path(calls).write_text("collective,algorithm,processes,bytes\nbcast,linear,8,4\nbarrier,tree,8,\n")
    status, printed, _ = call(capsys, "validate", "orfeo_published", "--predict", "--calls", calls, "--out", out)
    path, hashed = printed.splitlines()
    assert status == 0 and path.endswith("out/predictions.json") and re.fullmatch("SHA-256  [0-9a-f]{64}", hashed)
    Path(times).write_text("collective,algorithm,processes,bytes,latency_us\nbcast,linear,8,4,3\nbcast,chain,8,4,3\n")
    seal = hashed.split()[1]
    status, printed, notes = call(
        capsys, "validate", "orfeo_published", "--judge", times, "--sha256", seal, "--out", out
    )
    lines = [line.split() for line in printed.splitlines() if line.strip()]
    first = next(i for i, line in enumerate(lines) if line[0] == "bcast")
    assert status == 0 and lines[first][:5] == ["bcast", "orfeo_epyc", "2", "packed", "1"]
    assert lines[first + 1] == ["calls", "1"] and lines[first][-1] == "100%"
    assert any(line == ["inside", "the", "band", "100.0", "%", "of", "1", "call"] for line in lines)
    assert "1 call: they are not among the predictions" in notes
    status, _, message = call(
        capsys, "validate", "orfeo_published", "--judge", times, "--sha256", "0" * 64, "--out", out
    )
    assert status == 1 and f"its SHA-256 is {seal}, not 000" in message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("x", "--predict", "--judge", "t.csv"), "--predict and --judge are two commands"),
        (("x", "--predict", "--quick"), "--quick does not go with --predict"),
        (("x", "--calls", "t.csv"), "--calls goes with --predict"),
        (("x", "--sha256", "0"), "--sha256 goes with --judge"),
        (("--predict",), "--predict needs a campaign"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    status, out, err = call(capsys, "validate", *words)
    assert (status, out) == (2, "") and message in err
