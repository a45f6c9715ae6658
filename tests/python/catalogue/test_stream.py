"""collscope.catalogue.prover: a program that hangs, one whose algorithm goes on for ever, one that breaks, and the real one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from collscope.base import programs, progress
from collscope.base.errors import UserError
from collscope.base.progress import Progress
from collscope.catalogue import prover
from collscope.catalogue.prover import Abandoned, Question
from collscope.points.plan import Point, plan_text

FAKE = """#!/bin/sh
trap 'kill $pid; echo "rank 1 has recorded 3 operations, the last at toy.c:7" >&2; exit 143' TERM
for plan; do :; done
while read -r id word; do
  case $word in
    hang) sleep 60 & pid=$!; wait;;
    late) trap 'ended=yes' TERM; sleep 0.8; echo '{"id":"'$id'","kind":"ok"}'; [ $ended ] && exit 143;;
    mute) trap - TERM; exec sleep 60;;
    break) echo "no such thing" >&2; exit 2;;
    silent) exit 3;;
    endless) echo '{"id":"'$id'","kind":"endless"}'; sleep 60 & pid=$!; wait;;
    *) echo '{"id":"'$id'","kind":"ok"}';;
  esac
done < "$plan"
"""


def put_fake(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FAKE in place of the prover."""
    fake = folder / "prover"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    monkeypatch.setattr(programs, "PROVER", fake)


def ask(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: Sequence[str],
    limit_s: float | None = None,
    bar: Progress | None = None,
) -> dict[str, prover.Reply | Abandoned]:
    put_fake(folder, monkeypatch)
    questions = [Question(f"{i}", f"bcast/{w}", f"bcast/{w}, 8 ranks", f"{i} {w}") for i, w in enumerate(words)]
    bar = bar or Progress("proving", len(questions))
    found = dict(prover.stream([], questions, folder, bar, limit_s))
    assert bar.done == len(words) == len(found)
    return found


def test_a_point_that_takes_too_long_is_given_up_and_says_what_it_was_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ask(tmp_path, monkeypatch, ["a", "hang", "a", "hang"], limit_s=0.5)
    reason = "took longer than 0.5 s (--point-timeout): rank 1 has recorded 3 operations, the last at toy.c:7"
    assert found == {
        "0": {"id": "0", "kind": "ok"},
        "1": Abandoned(reason, True),
        "2": {"id": "2", "kind": "ok"},
        "3": Abandoned(reason, True),
    }


def test_an_algorithm_that_goes_on_for_ever_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ask(tmp_path, monkeypatch, ["a", "endless", "a", "endless", "endless"])
    assert found["1"] == {"id": "1", "kind": "endless"}
    assert found["2"] == {"id": "2", "kind": "ok"}
    assert found["3"] == found["4"] == Abandoned("bcast/endless, 8 ranks, goes on for ever", False)


@pytest.mark.parametrize(("word", "says"), [("break", "no such thing"), ("silent", "exit status 3")])
def test_a_prover_that_breaks_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, says: str) -> None:
    with pytest.raises(UserError, match=f"^the prover failed: {says}$"):
        ask(tmp_path, monkeypatch, ["a", word, "a"])


def test_a_prover_that_is_not_there_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "PROVER", tmp_path / "none")
    with pytest.raises(UserError, match=f"^{tmp_path}/none: No such file or directory; run ./collscope doctor$"):
        next(prover.stream([], [Question("a", "a", "a", "a")], tmp_path, Progress("proving", 1)))


def test_the_display_names_the_point_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PERIOD_S", 0.05)
    with progress.progress("proving", 2) as bar:
        ask(tmp_path, monkeypatch, ["a", "hang"], 0.5, bar)
    assert re.search(r"proving: 1 of 2, \d s; now bcast/hang, 8 ranks, for", capsys.readouterr().err)


def test_the_real_prover_names_file_and_line(tmp_path: Path) -> None:
    """In the middle of a schedule of many million operations."""
    point = Point("alltoall", "alltoall/linear", 1)
    question = Question("x", point.algorithm, "it", plan_text([("x", point)], 3000))
    ((_, found),) = prover.stream([], [question], tmp_path, Progress("proving", 1), 0.25)
    assert isinstance(found, Abandoned)
    assert re.search(r"rank \d+ has recorded \d+ operations, the last at algorithms/\S+\.c:\d+$", found.reason)


def test_a_reply_that_comes_as_the_limit_ends_counts_and_the_next_point_has_its_own_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ask(tmp_path, monkeypatch, ["late", "a", "a"], limit_s=0.5)
    assert found == {str(i): {"id": str(i), "kind": "ok"} for i in range(3)}


def test_others_are_ended_where_one_of_several_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first would otherwise be waited for, a minute long."""
    put_fake(tmp_path, monkeypatch)
    ended: list[str] = []

    def names_of(word: str) -> list[str]:
        folder = tmp_path / word
        folder.mkdir()
        questions = [Question("0", "bcast/a", "a", "0 a"), Question("1", f"bcast/{word}", word, f"1 {word}")]
        found = []
        try:
            for name, _ in prover.stream([], questions, folder, Progress("proving", 2)):
                found.append(name)
        finally:
            ended.append(word)
        return found

    class Other:
        def kill(self) -> None:
            ended.append("a prover that was there before")

    other = Other()
    monkeypatch.setattr(prover, "_started_now", {other})
    with pytest.raises(UserError, match="no such thing"):
        prover.side_by_side(names_of, ["mute", "break"])
    assert sorted(ended) == ["break", "mute"] and prover._started_now == {other}
    assert prover.side_by_side(names_of, ["b", "c"]) == [["0", "1"]] * 2


def test_a_prover_that_ends_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ask(tmp_path, monkeypatch, ["mute"], limit_s=0.2)
    assert found == {"0": Abandoned("took longer than 0.2 s (--point-timeout)", True)}
