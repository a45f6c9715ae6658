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
from collscope.catalogue import decisions
from collscope.catalogue.decisions import Span
from collscope.catalogue.registry import Registry
from collscope.commands import decide, decide_draws, decide_table
from collscope.machines.completion import PROCESSOR
from collscope.sources.assumptions import Judged
from command_line import call
from osu_alone import KNOWN, machine

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")


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


def answers(capsys: pytest.CaptureFixture[str], words: str) -> dict[str, Any]:
    status, out, err = call(capsys, "decide", *words.split(), "--json")
    assert status == 0, err
    answer: dict[str, Any] = json.loads(out)
    return answer


@pytest.mark.parametrize(
    ("words", "count", "decision", "chose"),
    [
        ("-c reduce --bytes 64", 16, "ompi_4_1", "reduce/binary[s=0]"),
        ("-c reduce --block-bytes 64", 16, "ompi_4_1", "reduce/binary[s=0]"),
        ("-c reduce --bytes 64 --type double", 8, "ompi_4_1", "reduce/binary[s=0]"),
        ("-c reduce --bytes 64 --no-commutes", 16, "ompi_4_1", "reduce/linear"),
        ("-c allgather --bytes 64", 4, "mpich_4", "allgather/recursive_doubling"),
        ("-c allgather --block-bytes 64", 16, "mpich_4", "allgather/recursive_doubling"),
        ("-c alltoall --bytes 256", 16, "ompi_4_0", "alltoall/linear"),
        ("-c alltoall --bytes 256 --in-place", 16, "ompi_4_0", "alltoall/in_place"),
        ("-c barrier", 0, "ompi_4_1", "barrier/linear"),
    ],
)
def test_options_make_the_call_that_is_decided(
    capsys: pytest.CaptureFixture[str], words: str, count: int, decision: str, chose: str
) -> None:
    for name in (decision, f"decision/{decision}"):
        answer = answers(capsys, f"{words} --ranks 4 --decision {name}")
        (line,) = answer["decisions"]
        assert (answer["count"], line["decision"], line["chose"]) == (count, f"decision/{decision}", chose)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--ranks 4 --bytes 4 --root 4", "--root 4: 4 ranks have roots 0 … 3"),
        ("--ranks 2,8 --map --root 2", "--root 2: 2 ranks have roots 0 … 1"),
        ("--ranks 2,4 --bytes 4", "--ranks 2,4: one number, or --map"),
        ("--ranks 4 --bytes 4 --type flaot", "float"),
        ("--ranks 4 --bytes 4 --decision nobody", "nobody"),
    ],
)
def test_a_call_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str], words: str, says: str) -> None:
    status, out, err = call(capsys, "decide", "-c", "bcast", *words.split())
    assert (status, out) == (2, "") and says in err


def test_a_map_covers_all_sizes_of_its_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    map_of = "-c reduce --map --decision ompi_4_1"
    for words, largest in (
        (f"{map_of} --ranks 2..8", (16 << 20) / 4),
        (f"{map_of} --ranks 4 --bytes 1K --type double", 128),
    ):
        spans = answers(capsys, words)["spans"]
        assert spans[0]["first"] == 1 and max(span["last"] for span in spans) >= largest
    commuting, ordered = (answers(capsys, f"{map_of} --ranks 4 {more}")["spans"] for more in ("", "--no-commutes"))
    assert (commuting[0]["takes"], ordered[0]["takes"]) == ("reduce/binary[s=0]", "reduce/linear")
    in_place = answers(capsys, "-c alltoall --ranks 4 --map --decision ompi_4_0 --in-place")["spans"]
    assert {span["takes"] for span in in_place} == {"alltoall/in_place"}


@pytest.mark.parametrize("as_json", [False, True])
def test_a_drawn_map_is_printed_as_json_alone(
    capsys: pytest.CaptureFixture[str], workplace: Path, as_json: bool
) -> None:
    words = ["--ranks", "4", "--plot", str(workplace / "m.svg"), *["--json"] * as_json]
    status, out, _ = call(capsys, "decide", "-c", "bcast", *words)
    assert (status, bool(out)) == (0, as_json) and (workplace / "m.svg").exists()


@pytest.mark.parametrize(
    ("block", "rows"),
    [
        (True, ["2 … 3 from 4 B x", "from 32 B y", "4 from 4 B x", "from 32 B z", "5 from 4 B x", "from 32 B y"]),
        (False, ["2 from 8 B x", "from 64 B y", "3 from 12 B x", "from 96 B y"]),
    ],
)  # fmt: skip
def test_numbers_of_ranks_that_take_the_same_stand_together(
    known: Registry, capsys: pytest.CaptureFixture[str], block: bool, rows: list[str]
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
    one, other = (part.splitlines() for part in capsys.readouterr().out.split("decision/")[1:])
    assert one[1:] == other[1:] and one[1].split() == ["ranks", "block" if block else "vector", "takes"]
    assert [" ".join(line.split()) for line in one[2:]][: len(rows)] == rows
    decide_table.show_map("barrier", [Span("decision/a", 2, 0, 0, "barrier/tree")], 4, False)
    assert capsys.readouterr().out.split()[-2:] == ["2", "tree"]


def judged(folder: Path, *words: str) -> Any:
    return CliRunner().invoke(decide.command, ["-c", "bcast", "--ranks", "16", "--bytes", "8", *words])


def test_choices_are_judged_on_a_machine(workplace: Path, tmp_path: Path) -> None:
    """A flat tree of 16 ranks loses where a message costs its sender something; what decides is named with what measures it."""
    on = ["--on", machine(tmp_path), "--nodes", "1"]
    found = json.loads(judged(tmp_path, *on, "--decision", "ompi_4_1", "--json").output)["draws"]
    (choice,) = found["choices"]
    assert (found["nodes"], found["mapping"], found["count"], found["band"]) == (1, "block", 100, [0.1, 0.9])
    assert choice["decision"] == "decision/ompi_4_1" and choice["low_s"] < choice["time_s"] < choice["high_s"]
    assert 0 <= choice["wins"] <= 100 and choice["mean_regret_share"] <= choice["worst_regret_share"]
    assert (choice["wins"] == 100) <= (choice["worst_regret_share"] <= 0.01)
    assert "the processors' time per message" in {number["number"] for number in found["numbers"]}
    printed = judged(tmp_path, *on).output
    assert "over 100 draws of what is not known of osu" in printed and "loses least: fastest in" in printed


def test_a_choice_loses_over_draws_and_hangs_on_what_decides_its_order_with_the_fastest() -> None:
    """A tenth of the draws lose more than p90; a refusal is left out."""
    slower = [0.9, *[1.0 + i / 10 for i in range(10)]]
    drawn = {"bcast/a": [1.0] * 11, "bcast/b": slower}
    found = Judged(
        "bcast/a",
        {"bcast/a": 1.0, "bcast/b": 1.4},
        {"bcast/a": (1.0, 1.1), "bcast/b": (1.2, 1.8)},
        (),
        10,
        11,
        (PROCESSOR,),
        None,
        drawn,
    )
    lines = [
        {"kind": "ok", "decision": "decision/x", "chose": "bcast/b"}, {"kind": "no", "decision": "decision/y", "chose": ""},
        {"kind": "ok", "decision": "decision/z", "chose": "bcast/a"},
    ]  # fmt: skip
    row, best = decide_draws.rows(lines, found)
    assert (row["decision"], row["algorithm"], row["time_s"], row["low_s"], row["high_s"]) == (
        "decision/x",
        "bcast/b",
        1.4,
        1.2,
        1.8,
    )
    assert [row[f"{name}_regret_share"] for name in ("mean", "p90", "worst")] == pytest.approx([4.5 / 11, 0.8, 0.9])
    assert (row["wins"], best["wins"]) == (2, 10)
    assert row["hangs_on"] and row["hangs_on"]["number"] == PROCESSOR.name and best["hangs_on"] is None


def test_judging_needs_one_call_and_something_unknown(workplace: Path, tmp_path: Path) -> None:
    for words, text in (
        (("--nodes", "2"), "name it with --on"),
        (("--on", machine(tmp_path), "--map"), "leave --map and --plot out"),
        (("--on", machine(tmp_path), "--ranks-per-node", "4"), "--ranks-per-node follows from --on"),
    ):
        wrong = judged(tmp_path, *words)
        assert isinstance(wrong.exception, UsageError) and text in str(wrong.exception)
    known = judged(tmp_path, "--on", machine(tmp_path, *KNOWN))
    assert isinstance(known.exception, UserError) and "nothing is to be drawn" in str(known.exception)
