"""collscope.commands.explain: the explain command: what it prints, and what it refuses. docs/explain.md holds a whole answer."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree

import pytest

from collscope.base import programs
from collscope.commands import explain
from collscope.points.plan import Point
from command_line import call
from driven import needs_simulation

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
BOTH = "allreduce/ring allreduce/recursive_doubling"
WHERE = "--on schooner --nodes 2 --bytes 64KiB"


def explained(capsys: pytest.CaptureFixture[str], words: str) -> str:
    status, out, err = call(capsys, "explain", *words.split())
    assert status == 0, err
    return " ".join(out.split())


def test_two_algorithms_stand_side_by_side_and_are_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = explained(capsys, f"{BOTH} {WHERE} --no-crossings --plot {tmp_path}/why.svg")
    assert text.startswith(
        "Critical path: allreduce of 64 KiB, 8 ranks on 2 nodes of schooner part ring recursive_doubling"
    )
    assert "allreduce/ring wins" in text and "waiting for a shared link" in text and "NIC of node 0, out" in text
    assert "would have to change" not in text, "--no-crossings"
    picture = (tmp_path / "why.svg").read_text()
    assert "where its critical path is" in picture and "8 ranks on 2 nodes of schooner (model)" in picture
    about = ElementTree.fromstring(picture).findtext(".//{http://purl.org/dc/elements/1.1/}source")
    assert about and "model: sources " in about and ", platform " in about


def test_the_mapping_is_named_unless_it_is_the_usual_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = f"bcast/binomial {WHERE} --no-crossings --plot {tmp_path}/why.svg --mapping"
    assert "8 ranks on 2 nodes of schooner, cyclic part" in explained(capsys, f"{words} cyclic")
    assert "8 ranks on 2 nodes of schooner, cyclic (model)" in (tmp_path / "why.svg").read_text()
    assert "8 ranks on 2 nodes of schooner part" in explained(capsys, f"{words} block")


def test_crossings_are_searched_on_a_platform(capsys: pytest.CaptureFixture[str]) -> None:
    searched = "What would have to change for allreduce/recursive_doubling to win"
    assert searched in explained(capsys, f"{BOTH} {WHERE}")
    assert searched not in explained(capsys, f"{BOTH} --bytes 64KiB"), "the telephone network has no quantities"


def test_one_rank_is_explained_and_nothing_is_searched_where_neither_takes_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "explain bcast/binomial bcast/linear --on schooner --nodes 1 --ranks 1 --bytes 16"
    status, out, err = call(capsys, *words.split())
    assert (status, "would have to change" in out) == (0, False), err
    assert "1 rank on 1 node of schooner" in out and "take the same time, 0 s." in out
    status, out, err = call(capsys, *words.split(), "--json")
    assert (status, json.loads(out)["crossings"]) == (0, None), err


def test_links_are_shown_where_the_path_that_waits_for_them_loses_a_hundredth(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of its own time: of the longer path that is more. Each path's longest wait comes first."""
    monkeypatch.setattr(explain.explain, "sentences", lambda paths: [])
    paths = [
        SimpleNamespace(
            key=f"bcast/{key}", parts={}, time_s=s, source="model", ranks=4,
            links=[SimpleNamespace(name=f"link{ms}", wait_s=ms * 1e-3, busy_s=0.5) for ms in waits],
        )
        for key, s, waits in (("a", 1.0, (5, 20, 40)), ("b", 2.5, (6, 21, 41)))
    ]  # fmt: skip
    explain._show(cast(Any, paths), [Point("bcast", f"bcast/{key}", 0) for key in "ab"], None, None)
    lines = [line.split()[:3] for line in capsys.readouterr().out.splitlines() if line.strip().startswith("link")]
    assert lines[1:] == [["link40", "a", "50%"], ["link20", "a", "50%"], ["link41", "b", "20%"]]


def test_one_algorithm_is_explained_alone_on_the_telephone_network_too(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, "gather/linear --ranks 9")
    assert "gather/linear: 8 messages on the path" in text and "port of rank 0, in" in text
    assert "wins" not in text and "would have to change" not in text


def test_a_late_rank_is_on_the_path(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, "bcast/mst --on schooner --ranks 4 --bytes 0 --skew one_late:1ms:0")
    assert "bcast, 4 ranks on 1 node of schooner, skew one_late:0.001:0" in text and "late arrival 1.000 ms" in text


@needs_simulation()
def test_a_simulation_is_explained_as_far_as_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, f"{BOTH} {WHERE} --source sim")
    assert "wins" in text and text.endswith(explain.CANNOT) and "would have to change" not in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (f"{BOTH} allreduce/linear", "one algorithm, or two"),
        ("allreduce/ring bcast/mst", "are of two collectives"),
        ("allreduce/ring --source bound", "--source bound: choose one of model, sim, real"),
        ("allreduce/ring --plot why.gif", "must end in"),
        ("allreduce/ring --ranks 5000", "1 to 1024"),
        ("allreduce/ring --source sim --skew linear:1us", "--skew with --source sim: explain knows it in the model"),
    ],
)
def test_a_call_that_cannot_be_explained_is_refused(capsys: pytest.CaptureFixture[str], words: str, says: str) -> None:
    status, out, err = call(capsys, "explain", *words.split())
    assert (status, out) == (2, "") and says in err
