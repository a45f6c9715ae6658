"""collscope.commands.decide, collscope.commands.decide_table: what `decide` prints, beside what the libraries' sources say."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from collscope.base import programs
from collscope.base.errors import UsageError, UserError
from collscope.base.grid import Grid
from collscope.catalogue import decisions
from collscope.catalogue.decisions import Span
from collscope.catalogue.registry import Registry
from collscope.commands import decide, decide_table
from command_line import call

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")


@needs_prover
def test_command(tmp_path: Path) -> None:
    words = ["-c", "bcast", "--ranks", "64", "--bytes", "4KiB"]
    printed = CliRunner().invoke(decide.command, words)
    assert printed.exit_code == 0
    assert (
        "bcast/knomial[k=4,s=0]" in printed.output
        and "64 … 127" in printed.output
        and "2 KiB … below 362.0 KiB" in printed.output
    )
    data = json.loads(CliRunner().invoke(decide.command, [*words, "--json"]).output)
    assert data["count"] == 1024 and len(data["decisions"]) >= 3
    for bad in ([], ["--block-bytes", "1KiB", "--bytes", "1KiB"]):
        wrong = CliRunner().invoke(decide.command, ["-c", "bcast", "--ranks", "4", *bad])
        assert isinstance(wrong.exception, UsageError)
    assert isinstance(CliRunner().invoke(decide.command, ["-c", "bast", "--ranks", "4"]).exception, UserError)
    for words in (["--block-bytes", "4"], ["--map"], ["--plot", str(tmp_path / "map.svg")]):
        nobody = CliRunner().invoke(decide.command, ["-c", "rotation", "--ranks", "4", *words])
        assert "no decision table knows rotation" in str(nobody.exception)


@needs_prover
def test_map_command(tmp_path: Path) -> None:
    words = ["-c", "allgather", "--ranks", "4..6", "--map", "--decision", "rd_ring[threshold=64KiB]"]
    printed = CliRunner().invoke(decide.command, words)
    assert printed.exit_code == 0 and "rd_ring[threshold=65536,bruck=81920]" in printed.output
    assert "from 16 KiB" in printed.output and "bruck" in printed.output
    picture = tmp_path / "map.svg"
    printed = CliRunner().invoke(decide.command, [*words, "--plot", str(picture)])
    assert printed.exit_code == 0 and printed.stderr.splitlines()[-1] == f"collscope: written: {picture}"
    wrong = CliRunner().invoke(decide.command, [*words, "--plot", str(tmp_path / "map.jpg")])
    assert isinstance(wrong.exception, UsageError) and not (tmp_path / "map.jpg").exists()
    text = picture.read_text()
    assert "what decisions take" in text and "recursive_doubling" in text and "bucket" in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        words = ["-c", "bcast", "--ranks", "2", "--bytes", "4", "--plot", str(tmp_path / "one.svg")]
        assert CliRunner().invoke(decide.command, words).exit_code == 0
    sizeless = CliRunner().invoke(
        decide.command, ["-c", "barrier", "--ranks", "2..9", "--plot", str(tmp_path / "none.svg")]
    )
    assert isinstance(sizeless.exception, UsageError) and not (tmp_path / "none.svg").exists()


@needs_prover
def test_a_map_is_of_powers_of_two_unless_all_ranks_are_requested() -> None:
    assert decide.map_ranks("2..64") == [2, 4, 8, 16, 32, 64]
    assert decide.map_ranks("3..20,24,7") == [3, 4, 7, 8, 16, 20, 24]
    words = ["-c", "bcast", "--ranks", "2..16", "--map", "--decision", "mpich_4", "--json"]
    some = CliRunner().invoke(decide.command, words)
    assert "4 of 15 numbers of ranks" in some.stderr
    assert {span["ranks"] for span in json.loads(some.stdout)["spans"]} == {2, 4, 8, 16}
    every = json.loads(CliRunner().invoke(decide.command, [*words, "--all-ranks"]).stdout)
    assert {span["ranks"] for span in every["spans"]} == set(range(2, 17))
    alone = CliRunner().invoke(decide.command, ["-c", "bcast", "--ranks", "8", "--bytes", "4", "--all-ranks"])
    assert isinstance(alone.exception, UsageError)


@needs_prover
def test_a_map_says_where_it_cannot_hold() -> None:
    """What divides the count comes and goes between the sizes that a map asks for."""
    (span,) = (s for s in decisions.spans("bcast", [5], 2**17, 4, decisions=["decision/smpi_ompi"]) if s.first == 2048)
    inside = decisions.ask("bcast", 5, 20000, 4, decisions=["decision/smpi_ompi"])[0]
    assert span.last >= 20000 and span.takes != decisions.taken(inside)
    words = ["-c", "bcast", "--ranks", "5", "--map"]
    printed = CliRunner().invoke(decide.command, words).output
    assert "decision/smpi_ompi: the map holds for powers of two" in printed
    assert "decision/ompi_4_1: the map" not in printed
    assert "the map holds" not in CliRunner().invoke(decide.command, [*words, "--decision", "mpich_4"]).output


DECISION = "decision/ompi_4_1"
RULE: dict[str, Any] = {"number": 3, "ranks": [2, 8]}


@pytest.fixture
def questions(known: Registry, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What decisions are asked; one answers."""
    calls: list[tuple[Any, ...]] = []

    def answer(*words: Any) -> list[dict[str, Any]]:
        calls.append(words)
        return [{"decision": DECISION, "chose": "bcast/linear", "status": "ok", "kind": "ok", "rule": None}]

    def spans(*words: Any) -> list[Span]:
        calls.append(words)
        return [Span(DECISION, words[1][0], 1, 9, "bcast/linear")]

    monkeypatch.setattr(decisions, "ask", answer)
    monkeypatch.setattr(decisions, "spans", spans)
    monkeypatch.setattr(decisions, "divides", lambda collective, names: [])
    return calls


@pytest.mark.parametrize(
    ("words", "call_"),
    [
        ("--bytes 64", ("bcast", 4, 16, 4, 0, True, False, [])),
        ("--block-bytes 64", ("bcast", 4, 16, 4, 0, True, False, [])),
        ("-c allgather --bytes 64", ("allgather", 4, 4, 4, 0, True, False, [])),
        ("-c allgather --block-bytes 64", ("allgather", 4, 16, 4, 0, True, False, [])),
        ("--bytes 64 --type double", ("bcast", 4, 8, 8, 0, True, False, [])),
        ("--bytes 64 --root 3", ("bcast", 4, 16, 4, 3, True, False, [])),
        ("--bytes 64 --no-commutes", ("bcast", 4, 16, 4, 0, False, False, [])),
        ("--bytes 64 --in-place", ("bcast", 4, 16, 4, 0, True, True, [])),
        ("--bytes 64 --decision ompi_4_1", ("bcast", 4, 16, 4, 0, True, False, [DECISION])),
        (f"--bytes 64 --decision {DECISION}", ("bcast", 4, 16, 4, 0, True, False, [DECISION])),
    ],
)
def test_decisions_are_evaluated_for_the_call(
    questions: list[Any], capsys: pytest.CaptureFixture[str], words: str, call_: tuple[Any, ...]
) -> None:
    collective = [] if "-c" in words.split() else ["-c", "bcast"]
    status, out, _ = call(capsys, "decide", *collective, "--ranks", "4", *words.split(), "--json")
    assert (status, questions) == (0, [call_])
    printed = json.loads(out)
    assert (printed["collective"], printed["ranks"], printed["count"]) == (call_[0], 4, call_[2])


def test_a_call_without_data_has_no_count(known: Registry) -> None:
    assert decide.call_count(decide.Request(collective="barrier", ranks="4"), 4) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--ranks 4 --bytes 4 --root 4", "--root 4: 4 ranks have roots 0 … 3"),
        ("--ranks 2,8 --map --root 2", "--root 2: 2 ranks have roots 0 … 1"),
        ("--ranks 2,4 --bytes 4", "--ranks 2,4: one number, or --map"),
        ("--ranks 4 --bytes 4 --type flaot", "float"),
        ("--ranks 4 --map --block-bytes 4", "--map goes over all sizes"),
        ("--ranks 4 --bytes 4 --decision nobody", "nobody"),
    ],
)
def test_calls_that_there_are_not(
    questions: list[Any], capsys: pytest.CaptureFixture[str], words: str, says: str
) -> None:
    status, _, err = call(capsys, "decide", "-c", "bcast", *words.split())
    assert status == 2 and says in err and not questions


@pytest.mark.parametrize(
    ("words", "ranks", "most", "elem", "asks"),
    [
        ("--ranks 2..8", [2, 4, 8], 16 << 20, 4, ["root=0", "commutes=1", "in_place=0"]),
        ("--ranks 2..4 --all-ranks", [2, 3, 4], 16 << 20, 4, ["root=0", "commutes=1", "in_place=0"]),
        ("--ranks 4 --bytes 1K --type double", [4], 1024, 8, ["root=0", "commutes=1", "in_place=0"]),
        ("--ranks 4 --root 3 --no-commutes --in-place", [4], 16 << 20, 4, ["root=3", "commutes=0", "in_place=1"]),
    ],
)
def test_a_map_covers_its_sizes(
    questions: list[Any],
    capsys: pytest.CaptureFixture[str],
    words: str,
    ranks: list[int],
    most: int,
    elem: int,
    asks: list[str],
) -> None:
    status, out, err = call(capsys, "decide", "-c", "bcast", *words.split(), "--map")
    assert (status, questions) == (0, [("bcast", ranks, most, elem, asks, [])])
    assert DECISION in out and "linear" in out
    assert ("3 of 7 numbers of ranks, powers of two; --all-ranks" in err) == (len(ranks) == 3 and "all" not in words)
    assert json.loads(call(capsys, "decide", "-c", "bcast", *words.split(), "--map", "--json")[1])["spans"] == [
        {"decision": DECISION, "ranks": ranks[0], "first": 1, "last": 9, "takes": "bcast/linear"}
    ]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_drawn_map_prints_none(
    questions: list[Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    as_json: bool,
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(decide, "draw", lambda name, spans, elem, path: drawn.append((name, len(spans), elem, path)))
    words = ["--ranks", "4", "--plot", str(tmp_path / "m.svg"), "--type", "double", *["--json"] * as_json]
    out = call(capsys, "decide", "-c", "bcast", *words)[1]
    assert drawn == [("bcast", 1, 8, str(tmp_path / "m.svg"))]
    assert bool(out) == as_json


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Grid]:
    """The tables that are printed."""
    made: list[Grid] = []
    monkeypatch.setattr(Grid, "show", lambda self: made.append(self))
    return made


def test_a_line_says_what_is_taken_by_which_rule_or_why_nothing(
    shown: list[Grid], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "sizes_text", lambda rule: "sizes")
    monkeypatch.setattr(decisions, "needs_text", lambda rule: "needs")
    none: dict[str, Any] = {"decision": "b", "chose": "", "status": "no rule", "rule": None}
    some = {"decision": "c", "chose": "bcast/x", "status": "needs 2", "rule": RULE}
    decide_table.show([{"decision": "a", "chose": "bcast/y", "status": "ok", "rule": RULE}, none, some])
    assert [tuple(line.cells) for line in shown[0].lines] == [
        ("a", "bcast/y", "3", "2 … 8", "sizes", "needs"),
        ("b", "nothing: no rule", *["—"] * 4),
        ("c", "bcast/x: needs 2", "3", "2 … 8", "sizes", "needs"),
    ]


@pytest.mark.parametrize("block", [False, True])
def test_numbers_of_ranks_that_take_the_same_stand_together(
    known: Registry, shown: list[Grid], capsys: pytest.CaptureFixture[str], block: bool
) -> None:
    """Of blocks: starts that are alike in the block are not in the vector."""
    taken = {2: ("x", "y"), 3: ("x", "y"), 4: ("x", "z"), 5: ("x", "y")}
    made = [
        Span(name, p, first, last, f"allgather/{takes}")
        for name in ("decision/a", "decision/b")
        for p, (one, two) in taken.items()
        for first, last, takes in ((1, 7, one), (8, 99, two))
    ]
    decide_table.show_map("allgather", made, 4, block)
    assert [line for line in capsys.readouterr().out.splitlines() if line] == ["decision/a", "decision/b"]
    lines = [[tuple(line.cells) for line in table.lines] for table in shown]
    assert lines[0] == lines[1]
    if block:
        assert [c.name for c in shown[0].columns] == ["ranks", "block", "takes"]
        assert lines[0] == [
            *(("2 … 3", "from 4 B", "x"), ("", "from 32 B", "y"), ("4", "from 4 B", "x"), ("", "from 32 B", "z")),
            *(("5", "from 4 B", "x"), ("", "from 32 B", "y")),
        ]
    else:
        assert shown[0].columns[1].name == "vector"
        assert lines[0][:4] == [
            ("2", "from 8 B", "x"),
            ("", "from 64 B", "y"),
            ("3", "from 12 B", "x"),
            ("", "from 96 B", "y"),
        ]
    shown.clear()
    decide_table.show_map("barrier", [Span("decision/a", 2, 0, 0, "barrier/tree")], 4, False)
    assert [tuple(line.cells) for line in shown[0].lines] == [("2", "", "tree")]
