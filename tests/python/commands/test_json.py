"""collscope.base.documents, collscope.commands.run_json: what commands print with --json is what docs/json.md says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import document_keys
from collscope.base import documents
from collscope.commands import run_json
from collscope.commands.run_advice import Winner
from collscope.sources import simulate
from collscope.sources.assumptions import LOCAL, Unchecked
from command_line import call
from made_rows import row
from open_mpi import needs_prover

OSU = """\
name = "osu"
nodes = 4
sockets = 2
cores_per_socket = 8
[curve]
node = [[0, 0.7e-6, 2.5e-10]]
network = [[0, 1.8e-6, 1e-9]]
"""


def printed(capsys: pytest.CaptureFixture[str], schema: str, *words: str, status: int = 0) -> dict[str, Any]:
    """The document that a command prints, compared with the page."""
    found, out, err = call(capsys, *words, "--json")
    assert found == status, err
    return document_keys.check(out, schema)


def test_every_number_that_is_none_is_null() -> None:
    text = documents.text(
        "x", {"a_s": float("nan"), "b": [float("inf"), 1.5], "c": {"d": Path("e")}, "f": (True, None)}
    )
    made = json.loads(text)
    assert [made[key] for key in ("a_s", "b", "c", "f")] == [None, [None, 1.5], {"d": "e"}, [True, None]]
    assert list(made)[:2] == ["schema", "version"]


def test_the_page_is_compared_in_both_directions() -> None:
    """A key that is absent, one that is not documented, and a value of another kind are found."""
    text = documents.text("table", {"rows": []})
    assert document_keys.check(text, "table")["rows"] == []
    for changed in (text.replace('"rows"', '"lines"'), text.replace("[]", "[{}]"), text.replace("[]", "4")):
        with pytest.raises(AssertionError, match="table: .*rows"):
            document_keys.check(changed, "table")
    with pytest.raises(AssertionError, match="not JSON"):
        document_keys.check(text.replace("[]", "[NaN]"), "table")


@needs_prover
def test_run_prints_rows_winners_doubts_and_refusals(
    workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a doubt stands there are no settings; with the overhead in the file there are."""
    (tmp_path / "osu.toml").write_text(OSU)
    words = "-c bcast -a linear,binomial,split_binary --bytes 8 --ranks 64 --source"
    for brackets, doubted in (("", True), ("[overhead_s=2e-7,memory_bytes_per_s=9e10,nic_gap_s=0]", False)):
        made = printed(capsys, "run", "run", "--on", f"{tmp_path / 'osu.toml'}{brackets}", *words.split(), "model")
        (winner,) = made["winners"]
        assert bool(winner["doubt"]) == doubted == (not winner["settings"])
        assert len(made["rows"]) == 3 and made["bounds"][0]["algorithm"] == "bound/loggp" and made["finished"]
        assert winner["algorithms"][0]["algorithm"] == winner["algorithm"]
        assert winner["algorithms"][1]["ratio"] == pytest.approx(winner["algorithms"][1]["time_s"] / winner["time_s"])
    made = printed(capsys, "run", "run", "--on", str(tmp_path / "osu.toml"), *words.split(), "published", status=2)
    assert (made["refusals"][0]["algorithm"], made["refusals"][0]["points"]) == ("bcast/linear", 1)
    assert not made["winners"]


def test_ties_and_unchecked_numbers_are_in_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    times = {"bcast/linear": 1.0, "bcast/mst": 1.005, "bcast/chain": 2.0}
    first = row(source="model", algorithm="bcast/linear", seconds=1.0)
    run_json.show(
        [first], [], [Winner(first, times, {"decision/mpich_4": "bcast/x"}, unchecked=Unchecked((LOCAL,)))], True
    )
    (winner,) = document_keys.check(capsys.readouterr().out, "run")["winners"]
    assert winner["tied"] == ["bcast/mst"] and winner["unchecked"][0]["keys"] == LOCAL.keys
    assert winner["libraries"] == [
        {"decision": "decision/mpich_4", "library": "MPICH 4", "algorithm": "bcast/x", "ratio": None}
    ]


def test_work_that_was_ended_leaves_a_document_that_says_so(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "run_tasks", stop)
    made = printed(capsys, "run", "run", "--on", "tiny", "--ranks", "4", "-a", "bcast/mst", "--bytes", "4", status=1)
    assert not made["finished"] and made["rows"] == []


def test_a_document_is_all_that_is_printed(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("run", "--on", "tiny", "--ranks", "4", "-a", "bcast/mst", "--bytes", "4", "--json")
    assert call(capsys, *words, "--csv", "-") == (2, "", "collscope: --json prints a document; leave out --csv -\n")
    status, out, err = call(capsys, *words, "--quiet")
    assert (status, err, document_keys.check(out, "run")["finished"]) == (0, "", True)
