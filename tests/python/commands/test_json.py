"""collscope.base.documents, collscope.commands.run_json, collscope.commands.compare_json, collscope.schedules.exports.document:
what commands print with --json is what docs/json.md says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import document_keys
from collscope.base import documents
from collscope.commands import run_json
from collscope.commands.run_advice import Winner
from collscope.machines.completion import GAMMA_TIME
from collscope.points.table import write_csv
from collscope.sources import simulate
from collscope.sources.assumptions import Doubt, Judged, Unchecked
from collscope.studies import reader
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
    """Where a doubt stands there are no settings; in how many draws a default is slower is there, though it was not timed."""
    (tmp_path / "osu.toml").write_text(OSU)
    words = "-c bcast -a linear,knomial[k=4],mst --nodes 1 --ranks 16 --bytes"
    for size, doubted in (("128KiB", False), ("4", True)):
        made = printed(
            capsys, "run", "run", "--on", str(tmp_path / "osu.toml"), *words.split(), size, "--source", "model"
        )
        (winner,) = made["winners"]
        assert bool(winner["doubt"]) == doubted == (not winner["settings"]) and winner["draws"]["count"] == 100
        if doubted:
            (other,) = [lib for lib in winner["libraries"] if lib["library"] == "MPICH 4"]
            assert 0 < other["slower_draws"] < 100 and other["low_ratio"] < 1 < other["high_ratio"]
        assert len(made["rows"]) == 3 and made["bounds"][0]["algorithm"] == "bound/loggp" and made["finished"]
        assert winner["algorithms"][0]["algorithm"] == winner["algorithm"]
        assert winner["algorithms"][1]["ratio"] == pytest.approx(winner["algorithms"][1]["time_s"] / winner["time_s"])
    made = printed(
        capsys, "run", "run", "--on", str(tmp_path / "osu.toml"), *words.split(), "4", "--source", "published", status=2
    )
    assert (made["refusals"][0]["algorithm"], made["refusals"][0]["points"]) == ("bcast/linear", 1)
    assert not made["winners"]


def test_ties_and_unchecked_numbers_are_in_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    times = {"bcast/linear": 1.0, "bcast/mst": 1.005, "bcast/chain": 2.0}
    first = row(source="model", algorithm="bcast/linear", seconds=1.0)
    run_json.show(
        [first],
        [],
        [
            Winner(
                first,
                times,
                {"decision/mpich_4": "bcast/x", "decision/ompi_5_0": "bcast/chain"},
                unchecked=Unchecked((GAMMA_TIME,), "too much"),
            )
        ],
        True,
    )
    (winner,) = document_keys.check(capsys.readouterr().out, "run")["winners"]
    assert winner["tied"] == ["bcast/mst"] and winner["unchecked"][0]["keys"] == GAMMA_TIME.keys
    unknown = dict.fromkeys(("ratio", "slower_draws", "low_ratio", "high_ratio"))
    assert winner["libraries"] == [
        {"decision": "decision/mpich_4", "library": "MPICH 4", "algorithm": "bcast/x", **unknown},
        {"decision": "decision/ompi_5_0", "library": "Open MPI 5.0", "algorithm": None, **unknown},
    ], "coll/han decides on these nodes, though what coll/tuned would take was timed"


@needs_prover
def test_settings_are_empty_where_the_librarys_own_choice_wins(capsys: pytest.CaptureFixture[str]) -> None:
    """Any algorithm that could be forced is slower."""
    times = {"bcast/builtin": 1.0, "bcast/linear": 2.0}
    first = row(source="real", algorithm="bcast/builtin", seconds=1.0)
    run_json.show([first], [], [Winner(first, times, {})], True)
    (winner,) = document_keys.check(capsys.readouterr().out, "run")["winners"]
    assert winner["algorithm"] == "bcast/builtin" and winner["settings"] == []


@needs_prover
def test_words_of_a_winner_in_doubt_stand_apart_from_settings(capsys: pytest.CaptureFixture[str]) -> None:
    """They are better than the default, and may not be the best."""
    times = {"bcast/binomial[s=0]": 1.0, "bcast/linear": 2.0}
    first, drawn = (
        row(source="model", algorithm="bcast/binomial[s=0]", seconds=1.0),
        {k: [t] * 3 for k, t in times.items()},
    )
    judged = Judged(
        "bcast/binomial[s=0]", times, {"bcast/binomial[s=0]": (1.0, 1.0)}, ("bcast/binomial[s=0]",), 2, 3, (GAMMA_TIME,),
        Doubt(GAMMA_TIME, "bcast/linear", 0.5, 1), drawn,
    )  # fmt: skip
    run_json.show([first], [], [Winner(first, times, {"decision/ompi_4_1": "bcast/linear"}, judged)], True)
    (winner,) = document_keys.check(capsys.readouterr().out, "run")["winners"]
    assert winner["settings"] == [] and winner["libraries"][0]["slower_draws"] == 3
    (words,) = winner["better_than_default"]
    assert (words["algorithm"], words["default"]) == tuple(times) and "bcast_algorithm 6" in words["mca"]


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


@needs_prover
@pytest.mark.parametrize("crossings", [True, False])
def test_explain_prints_parts_that_add_up(workplace: Path, capsys: pytest.CaptureFixture[str], crossings: bool) -> None:
    words = ["bcast/linear", "bcast/binomial", "--on", "schooner", "--ranks", "8", "--nodes", "2", "--bytes", "1KiB"]
    made = printed(capsys, "explain", "explain", *words, *["--no-crossings"] * (not crossings))
    for path in made["paths"]:
        assert sum(path["parts_s"].values()) == pytest.approx(path["time_s"])
        assert sum(s["end_s"] - s["begin_s"] for s in path["segments"]) == pytest.approx(path["time_s"])
    assert made["fastest"] == min(made["paths"], key=lambda p: p["time_s"])["algorithm"]
    assert ([one["quantity"] for one in made["crossings"] or ()][:1] == ["bytes"]) == crossings
    for path, drawn in zip(made["paths"], made["draws"]["algorithms"], strict=True):
        assert drawn["algorithm"] == path["algorithm"] and drawn["low_s"] < path["time_s"] < drawn["high_s"]
    assert made["draws"]["count"] == 100 <= sum(one["wins"] for one in made["draws"]["algorithms"])


@needs_prover
def test_explain_names_the_number_that_decides(
    workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether a root that sends to all is faster than chains hangs on what a processor spends; a root alone decides nothing."""
    (tmp_path / "osu.toml").write_text(OSU)
    where = ("--on", str(tmp_path / "osu.toml"), "--ranks", "16", "--nodes", "4", "--bytes", "4", "--no-crossings")
    made = printed(capsys, "explain", "explain", "bcast/linear", "bcast/chain[chains=4,s=0]", *where)
    assert made["draws"]["hangs_on"]["number"] == "the processors' time per message"
    assert 0 < min(one["wins"] for one in made["draws"]["algorithms"]) < 100
    assert "osu_mbw_mr, or ./collscope calibrate: it decides." in made["sentences"][-1]
    alone = printed(capsys, "explain", "explain", "bcast/linear", *where)
    assert alone["draws"]["hangs_on"] is None and len(alone["sentences"]) == 1


@needs_prover
def test_decisions_on_a_machine_have_a_schema(
    workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "osu.toml").write_text(OSU)
    on = ("--on", str(tmp_path / "osu.toml"), "--ranks", "8", "--nodes", "2", "--bytes", "4")
    made = printed(capsys, "decide", "decide", "-c", "bcast", *on)
    assert len(made["draws"]["choices"]) == sum(line["kind"] == "ok" for line in made["decisions"])


@needs_prover
def test_explain_without_a_platform_has_no_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    made = printed(capsys, "explain", "explain", "barrier/dissemination", "--ranks", "4")
    assert (made["platform"], made["nodes"], made["bytes"], made["crossings"]) == (None, None, 0, None)


def test_compare_prints_calls_errors_and_what_is_left_out(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    band = {"noise_low_s": 1e-6, "noise_high_s": 5e-6, "drawn_low_s": 2.5e-6, "drawn_high_s": 5e-6}
    model = [
        row(source="model", algorithm=f"bcast/{key}", seconds=s) | band for key, s in (("mst", 3e-6), ("chain", 2e-6))
    ]
    real = [
        row(source="real", algorithm=f"bcast/{key}", seconds=s)
        for key, s in (("mst", 2e-6), ("chain", 4e-6), ("x", 1.0))
    ]
    write_csv(model, "m.csv")
    write_csv([*real, real[0] | {"median_s": None, "bytes": 8}], "r.csv")
    made = printed(capsys, "compare", "compare", "m.csv", "r.csv", "--out", "report")
    assert [(c["algorithm"], c["ratio"], c["error_share"]) for c in made["calls"]] == [
        ("bcast/mst", pytest.approx(1.5), pytest.approx(0.5)), ("bcast/chain", pytest.approx(0.5), pytest.approx(-0.5)),
    ]  # fmt: skip
    assert [(one["file"], one["rows"]) for one in made["left_out"]] == [("r.csv", 1), ("r.csv", 1)]
    assert made["errors"][0] == {
        "by": "all", "value": "all", "calls": 2, "median_share": pytest.approx(0.5), "p90_share": pytest.approx(0.5),
        "max_share": pytest.approx(0.5), "bias_share": pytest.approx(0.0), "floor_share": None,
    }  # fmt: skip
    assert made["band"] == [{"calls": 2, "inside_share": 0.5, "below_share": 0.5, "above_share": 0.0}]
    assert made["coverage"][0]["inside_share"] == 1 and made["coverage"][0]["repetitions_inside_share"] is None
    assert (made["winners"]["wrong"], made["winners"]["worst_regret_share"]) == (1, pytest.approx(1.0))
    write_csv(real[:1], "r.csv")
    assert printed(capsys, "compare", "compare", "m.csv", "r.csv")["winners"] is None


@needs_prover
def test_claims_print_every_assertion_with_its_evidence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reader, "names", lambda: ["kandalla_allgather"])
    made = printed(capsys, "claims", "claims", "--check")
    assertions = [a for p in made["papers"] for c in p["claims"] for a in c["assertions"]]
    assert assertions and all(a["evidence"] for a in assertions if a["holds"] is not None)
    assert "2 rounds instead of 3, and the same bytes" in {a["theory"] for a in assertions}
    assert {a["reading"] for a in assertions} == {"strict", "mild", None}
    assert sum(made["verdicts"].values()) == len({c["id"] for c in made["papers"][0]["claims"]})


@needs_prover
def test_decisions_proofs_and_schedules_have_a_schema(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of = ("decide", "-c", "bcast", "--ranks", "8", "--decision", "mpich_4")
    made = printed(capsys, "decide", *of, "--bytes", "4KiB")
    assert made["decisions"][0]["chose"] == "bcast/knomial[k=2,s=0]"
    assert printed(capsys, "decision_map", *of, "--map")["spans"][0]["first"] == 1
    assert printed(capsys, "prove", "prove", "bcast/linear", "--ranks", "3")["points"][0]["schedule"]
    out = workplace / "x.json"
    assert call(capsys, "show", "allreduce/ring", "--ranks", "4", "--out", str(out))[0] == 0
    made = document_keys.check(out.read_text(), "trace")
    assert max(made["rank_end_s"]) == made["time_s"] and len(made["messages"]) == 4 * 6
