"""collscope.commands.run_winners, collscope.commands.run_advice: who wins, what libraries lose, and how Open MPI takes a winner."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.base.grid import Grid
from collscope.catalogue import decisions
from collscope.catalogue.registry import Registry
from collscope.commands import run_winners
from collscope.commands.run_advice import Winner, advice
from collscope.machines.completion import NIC, PROCESSOR
from collscope.points.table import Row, make_row
from collscope.sources.assumptions import Doubt, Judged, Unchecked
from collscope.tuning import openmpi
from collscope.tuning.openmpi import DYNAMIC, WITHOUT_HAN
from command_line import call
from osu_alone import KNOWN, machine

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def row(algorithm: str, seconds: float | None, **more: Any) -> Row:
    base: dict[str, Any] = {
        "source": "sim", "platform": "x", "nodes": 1, "ranks": 16, "mapping": "block", "collective": "bcast", "bytes": 1024,
        "block_bytes": 1024, "type": "float", "in_place": 0, "root": 0, "metric": "makespan", "status": "ok",
    }  # fmt: skip
    return make_row(**(base | {"algorithm": f"bcast/{algorithm}", "median_s": seconds} | more))


def test_nobody_wins_where_nothing_takes_time() -> None:
    assert run_winners.winners([row("linear", 0.0), row("mst[dest=first]", 0.0)]) == []


@needs_prover
def test_a_winner_has_times_and_what_libraries_lose_by_theirs() -> None:
    rows = [row("mst[dest=first]", 1.0), row("linear", 3.0), row("binomial[s=0]", 1.5), row("pipeline[s=65536]", None)]
    (found,) = run_winners.winners(rows)
    assert found.key == "bcast/mst[dest=first]"
    assert list(found.times) == ["bcast/mst[dest=first]", "bcast/binomial[s=0]", "bcast/linear"]
    assert set(found.taken) == {"decision/ompi_4_1", "decision/ompi_5_0", "decision/mpich_4"}
    assert found.loss("bcast/binomial[s=0]") == "1.50"
    assert found.loss("bcast/pipeline[s=65536]") == "not timed"
    assert run_winners.winners(rows[:1]) == []  # no choice, no winner


@needs_prover
def test_a_decision_counts_as_what_it_chose() -> None:
    chosen = row("", 1.0, chose="bcast/binomial[s=0]") | {"algorithm": "decision/ompi_4_1"}
    (found,) = run_winners.winners([row("linear", 3.0), chosen])
    assert found.key == "bcast/binomial[s=0]"


@needs_prover
def test_run_ends_with_the_winners(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-c", "bcast,reduce", "-a", "binomial,knomial[k=2|4],twins", "--bytes", "1K", "--source", "model")
    status, out, _ = call(capsys, "run", "--on", "ideal", "--nodes", "2,4", "--ranks-per-node", "1", *words)
    assert status == 0
    assert out.count("who wins by model") == 4
    assert "knomial[k=2,s=0]" in out
    assert "2 ranks on 2 nodes" in out
    assert "Open MPI 4.1 and 5.0" in out
    assert "--mca coll_tuned_reduce_algorithm" in out


@needs_prover
def test_one_node_is_one_node(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--nodes", "1", "--ranks", "2", "-c", "bcast", "-a", "linear,chain", "--bytes", "4", "--source", "model")
    status, out, _ = call(capsys, "run", "--on", "ideal[cores=2]", *words)
    assert status == 0 and "who wins by model: bcast, 2 ranks on 1 node\n" in out


def test_the_last_source_decides_who_wins(known: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[Any] = []

    def answer(collective: str, calls: Any, elem: int, words: Any, names: Any) -> list[dict[str, Any]]:
        questions.append((collective, list(calls), elem, words, names))
        ranks, count = questions[-1][1][0]
        line = {"kind": "ok", "ranks": ranks, "count": count, "decision": "decision/ompi_4_1", "chose": "bcast/c"}
        return [line, {**line, "kind": "no", "decision": "x"}]

    monkeypatch.setattr(decisions, "ask_many", answer)
    rows = [
        row("a", 1.0), row("b", 2.0), row("a", 3.0, source="real"), row("b", 2.0, source="real"), row("c", None, source="real"),
        row("a", 1.0, source="real", bytes=4, block_bytes=4), row("a", 1.0, source="real", bytes=4, block_bytes=4),
    ]  # fmt: skip
    (found,) = run_winners.winners(rows)
    assert (found.key, dict(found.times)) == ("bcast/b", {"bcast/b": 2.0, "bcast/a": 3.0})
    assert list(found.times) == ["bcast/b", "bcast/a"] and found.loss("bcast/a") == "1.50"
    assert questions == [
        ("bcast", [(16, 256)], 4, ["root=0", "commutes=1", "in_place=0"], ["decision/ompi_4_1"]),
    ]
    assert found.taken == {"decision/ompi_4_1": "bcast/c"}
    more = {"op": "affine", "root": 3, "in_place": 1, "type": "double"}
    run_winners.winners([row("a", 1.0, **more), row("b", 1.0, **more)])
    assert questions[-1] == ("bcast", [(16, 128)], 8, ["root=3", "commutes=0", "in_place=1"], ["decision/ompi_4_1"])
    assert (
        run_winners.winners([row("scatter/a", 1.0, collective="scatter"), row("b", 2.0, collective="scatter")])[0].taken
        == {}
    )
    assert len(questions) == 2, "no library has a table for it"

    def fail(*_: Any) -> None:
        raise UserError("no prover")

    monkeypatch.setattr(decisions, "ask_many", fail)
    assert run_winners.winners(rows)[0].taken == {}


def test_the_table_of_winners(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tie and a doubt have their words; where coll/han decides, nobody knows what is taken."""
    shown: list[Grid] = []
    monkeypatch.setattr(Grid, "show", lambda self: shown.append(self))
    three, taken = {"bcast/a": 1.0, "bcast/b": 1.5, "bcast/c": 3.0}, {"decision/ompi_4_1": "bcast/c"}
    taken |= {"decision/ompi_5_0": "bcast/c", "decision/mpich_4": "bcast/x"}
    tied = {"bcast/b": 1.0, "bcast/a": 1.005, "bcast/d": 1.01, "bcast/c": 1.02}
    doubt = Doubt(PROCESSOR, "bcast/a", 2.0, 7)
    drawn = Judged(
        "bcast/b", tied, {"bcast/b": (0.9, 1.2)}, ("bcast/b", "bcast/a", "bcast/d"), 93, 100, (PROCESSOR,), doubt
    )
    found = [Winner(row("a", 1.0), three, taken), Winner(row("b", 1.0, bytes=4096), tied, {}, drawn)]
    run_winners._show_table(found)
    run_winners._show_table([Winner(row("a", 1.0, bytes=0, nodes=2), three, taken)])
    assert shown[0].title == "who wins by sim: bcast, 16 ranks on 1 node"
    assert [(*line.cells, line.style, line.ruled) for line in shown[0].lines] == [
        ("1 KiB", "fastest", "a", "1.00", "", "", "bold green", False),
        ("", "next", "b", "1.50", "", "", "", False),
        ("", "Open MPI 4.1 and 5.0", "c", "3.00", "", "", "", False),
        ("", "MPICH 4", "x", "not timed", "", "", "", False),
        ("4 KiB", "fastest, in doubt", "b", "1.00", "93 of 100", "900.0 ms … 1.2 s", "", True),
        ("", "tied", "a", "1.00", "", "", "", False),
        ("", "tied", "d", "1.01", "", "", "", False),
    ]
    run_winners._show_table([Winner(row("a", 1.0, source="real", unstable="spread: 12 %"), three, {})])
    assert [(line.cells[1], line.style) for line in shown[2].lines] == [("fastest, unstable", ""), ("next", "")]
    assert [c.name for c in shown[1].columns] == ["who", "takes", "× fastest"]
    assert ["Open MPI 5.0", "coll/han decides", "not known"] in [list(line.cells) for line in shown[1].lines]


def test_measured_ties_are_those_whose_quartiles_overlap() -> None:
    """Medians alone would call the second slower by a tenth; of predictions, which have no spread, it is. What a decision took longer for
    does not widen the quartiles of the same algorithm."""
    times = {"a": (1.0, 0.8, 1.2), "b": (1.1, 1.15, 1.3), "c": (1.3, 1.25, 1.4)}
    rows = [
        row(key, median, source=source, q1_s=low, q3_s=high)
        for source in ("real", "sim") for key, (median, low, high) in times.items()
    ]  # fmt: skip
    again = row("", 1.4, source="real", q1_s=1.3, q3_s=1.5, chose="bcast/a")
    rows.append(again | {"algorithm": "decision/mpich_4"})
    (measured,) = run_winners.winners([r for r in rows if r["source"] == "real"])
    (predicted,) = run_winners.winners([r for r in rows if r["source"] == "sim"])
    assert (measured.ties, predicted.ties) == (["bcast/a", "bcast/b"], ["bcast/a"])
    (tied, *_) = advice([measured], ())
    assert tied == "tied by their quartiles: a, b"


def test_drawn_numbers_are_named_where_the_file_leaves_them_open_and_counted_where_it_gives_a_range(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_winners, "advice", lambda *_: [])
    for numbers, text in (
        ((NIC, PROCESSOR), "nic_gap_s; overhead_s, or gap_s in [curve]."),
        (
            (replace(NIC, given=True), PROCESSOR),
            "overhead_s, or gap_s in [curve]; 1 number that its file gives with a range.",
        ),
    ):
        winner = won((BINOMIAL, 1.0))
        run_winners._show_advice([replace(winner, judged=Judged(BINOMIAL, {}, {}, (), 1, 1, numbers, None))], False)
        shown = " ".join(capsys.readouterr().out.split())
        assert shown == f"Judged over draws of what is not known of the machine: {text}"


V41, V50 = openmpi.SERIES[1:]
MST, LINEAR, BINOMIAL, SPARBIT = "bcast/mst[dest=first]", "bcast/linear", "bcast/binomial[s=0]", "allgather/sparbit"


def won(*times: tuple[str, float], taken: dict[str, str] | None = None, **more: Any) -> Winner:
    """The first of some algorithms that were timed."""
    key, seconds = times[0]
    made = row("", seconds, **more) | {"algorithm": key, "collective": key.partition("/")[0]}
    return Winner(made, dict(times), taken or {})


@needs_prover
def test_each_version_has_its_own_words() -> None:
    """In one line where they are the same; without coll/han where that would decide."""
    (line,) = advice([won((BINOMIAL, 1.0), (LINEAR, 2.0))], (V41, V50))
    assert line.startswith(f"Open MPI 4.1 and 5.0: {DYNAMIC} --mca coll_tuned_bcast_algorithm 6")
    first, second = advice([won((BINOMIAL, 1.0), (LINEAR, 2.0), nodes=2)], (V41, V50))
    assert first.startswith(f"Open MPI 4.1: {DYNAMIC}") and second.startswith(f"Open MPI 5.0: {WITHOUT_HAN} {DYNAMIC}")
    lacks, has = advice([won((SPARBIT, 1.0), ("allgather/bruck", 1.5))], (V41, V50))
    assert lacks.startswith(f"Open MPI 4.1: no sparbit; of those timed bruck (× 1.50): {DYNAMIC}")
    assert has.startswith("Open MPI 5.0: --mca") and has.endswith("allgather_algorithm 7")


@pytest.mark.parametrize("words", ["--mca coll_tuned_bcast_algorithm 6", "default"])
def test_words_for_versions_that_are_not_installed_name_their_source(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    for installed in (None, V41):
        monkeypatch.setattr(openmpi, "installed", lambda made=installed: made)
        monkeypatch.setattr(run_winners, "advice", lambda *_: [f"Open MPI 4.1: {words}"])
        run_winners._show_advice([won((BINOMIAL, 1.0))], False)
        noted = "no Open MPI is installed here" in capsys.readouterr().err
        assert noted == (installed is None and "--mca" in words)


@needs_prover
def test_a_version_that_takes_the_winner_by_itself_has_it_as_its_default() -> None:
    """Only where it takes it at all sizes, and not where coll/han decides."""
    taken = {"decision/ompi_4_1": BINOMIAL, "decision/ompi_5_0": BINOMIAL}
    one, other = (won((BINOMIAL, 1.0), (LINEAR, 2.0), taken=t) for t in (taken, {**taken, "decision/ompi_5_0": LINEAR}))
    assert [line.partition(": --mca")[0] for line in advice([one], (V41, V50))] == [
        "Open MPI 4.1 and 5.0: default; to force it"
    ]
    assert advice([one, other], (V41, V50))[0].startswith("Open MPI 4.1: default;")
    assert advice([one, other], (V41, V50))[1].startswith("Open MPI 5.0: --mca")
    crowded = won((BINOMIAL, 1.0), (LINEAR, 2.0), taken=taken, nodes=4)
    assert advice([crowded], (V50,))[0].startswith(f"Open MPI 5.0: {WITHOUT_HAN}")


def test_a_winner_by_unstable_times_is_to_be_measured_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_winners, "advice", lambda *_: [])
    sure, shaky = won((BINOMIAL, 1.0)), won((BINOMIAL, 1.0), bytes=4096, unstable="clock: 1 us")
    run_winners._show_advice([sure], False)
    assert capsys.readouterr().err == ""
    run_winners._show_advice([sure, shaky], False)
    text = " ".join(capsys.readouterr().err.split())
    assert "the fastest of 1 of 2 calls was measured unstably, and may be another: repeat with --until-ci 2%" in text


@needs_prover
def test_a_tie_leaves_the_choice_to_what_the_library_has() -> None:
    tied, line = advice([won((MST, 1.0), (BINOMIAL, 1.009), (LINEAR, 1.5))], (V41,))
    assert tied == "tied within 1%: mst, binomial"
    assert line.startswith(f"Open MPI 4.1 (binomial): {DYNAMIC}")


@needs_prover
def test_nothing_is_forced_where_the_librarys_own_choice_wins() -> None:
    """Nobody knows which algorithm it was; any that could be forced is slower."""
    for key, source in (("bcast/builtin", "real"), ("decision/ompi_4_1", "published")):
        (line,) = advice([won((key, 1.0), (BINOMIAL, 1.2), nodes=2, source=source)], (V41, V50))
        assert line == "the library's own choice is the fastest: force nothing"


@needs_prover
def test_words_for_several_sizes_hold_at_each_of_them() -> None:
    """A tie at the last size alone does not count; the loss of what is next is that where it is worst."""
    small, large = won((MST, 1.0), (LINEAR, 1.5), (BINOMIAL, 2.0)), won((MST, 9.0), (BINOMIAL, 9.01), (LINEAR, 12.6))
    (line,) = advice([small, large], (V41,))
    assert line.startswith(f"Open MPI 4.1: no mst; of those timed linear (up to × 1.50): {DYNAMIC}")


@needs_prover
def test_a_default_that_was_not_timed_is_named_unless_all_were() -> None:
    winner = won((MST, 1.0), (LINEAR, 2.0), taken={"decision/ompi_4_1": BINOMIAL})
    (line,) = advice([winner], (V41,))
    assert line.endswith("; its default, binomial, was not timed (-a all does)")
    assert "not timed" not in advice([winner], (V41,), timed_all=True)[0]
    (line,) = advice([won((MST, 1.0), ("bcast/mst[dest=end]", 2.0))], (V41,))
    assert line == "Open MPI 4.1: no mst, nor any other algorithm that was timed"


@needs_prover
def test_no_words_are_given_where_an_open_number_decides() -> None:
    """At one of the sizes is enough."""
    sure = won((LINEAR, 1.0), (BINOMIAL, 2.0))
    judged = Judged(
        LINEAR,
        sure.times,
        {LINEAR: (1.0, 2.0)},
        (LINEAR,),
        60,
        100,
        (NIC, PROCESSOR),
        Doubt(PROCESSOR, BINOMIAL, 96.7, 40),
    )
    first, second = advice([sure, replace(sure, judged=judged)], (V41, V50))
    assert first.startswith(
        "linear loses least on average, but is in doubt: in 40 of 100 draws of what is not known of the machine it loses more than 10%"
    )
    assert first.endswith("it takes 98 times as long as binomial")
    assert (
        "hangs most on the processors' time per message; set overhead_s, or gap_s in [curve], measured with" in second
    )
    assert "--mca" not in first + second


def doubtful(*times: tuple[str, list[float]], taken: dict[str, str], **more: Any) -> Winner:
    """The first of some algorithms that were drawn, in doubt."""
    sure = won(*((key, seconds[0]) for key, seconds in times), taken=taken, **more)
    key, drawn = times[0][0], dict(times)
    doubt = Doubt(PROCESSOR, MST, 0.5, 4)
    return replace(sure, judged=Judged(key, sure.times, {}, (key,), 6, 10, (PROCESSOR,), doubt, drawn))


TAKEN = {"decision/ompi_4_1": LINEAR, "decision/ompi_5_0": LINEAR, "decision/mpich_4": LINEAR}


def test_sizes_with_one_winner_are_spoken_of_together_unless_it_is_in_doubt_at_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    together: list[list[int]] = []
    monkeypatch.setattr(
        run_winners, "advice", lambda members, *_: together.append([w.row["bytes"] for w in members]) or []
    )
    sure = [won((BINOMIAL, 1.0), bytes=size) for size in (4, 8)]
    shaky = [doubtful((BINOMIAL, [1.0] * 10), taken={}, bytes=size) for size in (16, 32)]
    unchecked = replace(won((BINOMIAL, 1.0), bytes=64), unchecked=Unchecked((PROCESSOR,), "too much"))
    run_winners._show_advice([*sure, *shaky, unchecked, won((LINEAR, 1.0), bytes=128)], False)
    assert together == [[4, 8], [16, 32], [64], [128]]


@needs_prover
def test_a_winner_in_doubt_that_beats_the_default_in_every_draw_has_words_that_say_no_more() -> None:
    """Which is best is not known; of libraries without words it is said, too."""
    winner = doubtful((BINOMIAL, [1.0] * 10), (LINEAR, [1.5] * 5 + [2.0] * 5), taken=TAKEN)
    _, hangs, *lines = advice([winner], (V41, V50))
    assert hangs.startswith("it hangs most on the processors' time")
    gain = "the default, linear, takes longer than binomial[s=0] in all of 10 draws (in 8 of 10 1.50 to 2.00 times as long)"
    claim = f"{gain}; better than the default, not known to be the best: {V41.words(BINOMIAL, 1, 16)}"
    assert lines == [f"Open MPI 4.1 and 5.0: {claim}", f"MPICH 4: {gain}"]


@needs_prover
def test_one_draw_against_it_leaves_a_winner_in_doubt_without_words() -> None:
    """And of several sizes one."""
    rare = doubtful((BINOMIAL, [1.0] * 10), (LINEAR, [1.5] * 9 + [1.009]), taken=TAKEN)
    sure = doubtful((BINOMIAL, [1.0] * 10), (LINEAR, [3.0] * 10), taken=TAKEN)
    for members, band in (([rare], "1.45 to 1.50"), ([rare, sure], "1.45 to 3.00")):
        _, hangs, line, *_ = advice(members, (V41,))
        assert hangs.startswith("no words for a library: it hangs") and "--mca" not in line
        assert (
            line.startswith("Open MPI 4.1: the default, linear, takes longer than binomial[s=0] in 9 of 10 draws")
            and band in line
        )


@needs_prover
def test_a_version_without_the_winner_in_doubt_has_words_for_what_loses_least_of_its_own() -> None:
    """Open MPI has no mst; chains lose more than binomial."""
    times = (MST, [1.0] * 10), ("bcast/chain[chains=4,s=0]", [1.4] * 10), (BINOMIAL, [1.2] * 10), (LINEAR, [1.5] * 10)
    *_, line, _ = advice([doubtful(*times, taken=TAKEN)], (V41,))
    assert "longer than binomial[s=0] in all" in line and "bcast_algorithm 6" in line


@needs_prover
def test_a_default_that_is_the_winner_or_is_not_known_is_not_beaten() -> None:
    """Where coll/han decides nothing is said; what was not drawn says so."""
    itself = doubtful((LINEAR, [1.0] * 10), (BINOMIAL, [1.5] * 10), taken=TAKEN, nodes=4)
    assert advice([itself], (V41, V50))[2:] == [
        "Open MPI 4.1: the default is linear",
        "MPICH 4: the default is linear",
    ]
    other = doubtful((BINOMIAL, [1.0] * 10), taken={"decision/ompi_4_1": LINEAR})
    assert advice([other], (V41, V50))[2:] == ["Open MPI 4.1: the default, linear, was not timed over the draws"]


@needs_prover
def test_a_winner_that_was_not_checked_has_its_words_with_a_warning() -> None:
    first, second = advice(
        [replace(won((BINOMIAL, 1.0), (LINEAR, 2.0)), unchecked=Unchecked((PROCESSOR,), "too much"))], (V41,)
    )
    assert first.startswith(
        "not checked over what is not known of the machine (overhead_s, or gap_s in [curve]), as too much:"
    )
    assert second.startswith("Open MPI 4.1: --mca")


@needs_prover
def test_run_judges_a_machine_known_by_osu_latency_alone_over_draws(
    workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its numbers alone linear wins. Of a file that gives everything there is nothing to draw."""
    words = "-c bcast -a linear,binomial --bytes 8 --source model --nodes 4 --ranks 64"
    for lines, drawn in (((), True), (KNOWN, False)):
        status, out, _ = call(capsys, "run", "--on", machine(tmp_path, *lines), *words.split())
        assert status == 0 and ("100 of 100" in out) == drawn == (
            "what is not known of the machine: overhead_s" in " ".join(out.split())
        ), out
        assert "binomial" in out.partition("who wins")[2].partition("fastest")[2].partition("next")[0]
