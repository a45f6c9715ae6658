"""collscope.synthesis.report: what a search has found, in words and as files."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from collscope.machines import find
from collscope.points.plan import Layout, Point, check_layout
from collscope.points.table import make_row
from collscope.synthesis import report
from collscope.synthesis.demand import Design, Send
from collscope.synthesis.emit import Call, schedule_of
from collscope.synthesis.exact import FOUND, NONE, UNKNOWN, Answer
from collscope.synthesis.improve import Candidate
from collscope.synthesis.pareto import Cheapest, Shape, Try
from collscope.synthesis.search import MAX_EXACT_RANKS, Outcome, Task

SWAP = Design("allgather", 2, 0, 1, (Send(1, 0, 1, 0), Send(1, 1, 0, 1)), 1, 1)


def a_task(layout: Layout, collective: str = "allgather", methods: tuple[str, ...] = ("greedy",)) -> Task:
    return Task(layout, Point(collective, "", 256), 1.0, methods)


def an_outcome(seconds: float | None, least: float | None = 1e-5, **more: object) -> Outcome:
    """What was found takes `seconds`, the best of the catalogue `least`."""
    row = None if least is None else make_row(algorithm="allgather/bruck", median_s=least)
    found = (
        ()
        if seconds is None
        else (Candidate("greedy", "greedy, early", schedule_of(SWAP, Call(256, 4), "here"), seconds),)
    )
    made = Outcome(row, 0.0, 0.0, None, found, 17, 2.6, False)
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seconds", "least", "sentence"),
    [
        (None, 1e-5, "Nothing was found."),
        (2e-5, None, "The catalogue has nothing for this call; found: greedy, early, 20 µs."),
        (5e-6, 1e-5, "Found by greedy: 2.00 times as fast as allgather/bruck, the best of the catalogue."),
        (
            1e-5 * (1 + 1e-9),
            1e-5,
            "Nothing better found than allgather/bruck of the catalogue; what was found is as fast.",
        ),
        (
            1e-5 * (1 - 1e-9),
            1e-5,
            "Nothing better found than allgather/bruck of the catalogue; what was found is as fast.",
        ),
        (
            3e-5,
            1e-5,
            "Nothing better found than allgather/bruck of the catalogue; what was found takes 3.00 times as long.",
        ),
    ],
)
def test_a_found_schedule_is_compared_with_the_best_of_the_catalogue(
    two_nodes: Layout, seconds: float | None, least: float | None, sentence: str
) -> None:
    assert report.sentences(a_task(two_nodes), an_outcome(seconds, least)) == [sentence, "3 s, 17 schedules timed."]


def test_the_bound_says_how_much_can_be_gained_at_most(two_nodes: Layout) -> None:
    """And what is wrong is named."""
    made = an_outcome(5e-6, loggp_s=4e-6, wrong=("greedy: rank 1 lacks a block",), evaluations=1)
    first, bound, wrong, last = report.sentences(a_task(two_nodes), made)
    assert "4 µs: at most 25% can be gained" in bound
    assert (wrong, last) == ("Wrong, and left out: greedy: rank 1 lacks a block", "3 s, 1 schedule timed.")
    assert first.startswith("Found by greedy")


def tries(*states: str) -> tuple[Try, ...]:
    return tuple(Try(Shape(2, 3 + i, 4 + i), Answer(state, (), 0.1)) for i, state in enumerate(states))


@pytest.mark.parametrize(
    ("solver", "sentence"),
    [
        (
            Cheapest(tries(NONE, UNKNOWN), True, 3, Fraction(2)),
            "Solver: nothing found; 1 cheaper shape proven impossible, 1 undecided.",
        ),
        (
            Cheapest(tries(NONE, NONE, FOUND), True, 3, Fraction(2)),
            "Solver: 2 chunks per block, 5 steps, 6 rounds: optimal in steps and rounds; "
            "2 cheaper shapes proven impossible, 0 undecided.",
        ),
        (
            Cheapest(tries(NONE, UNKNOWN, FOUND), True, 5, Fraction(2)),
            "Solver: 2 chunks per block, 5 steps, 6 rounds: feasible; no schedule has fewer steps; "
            "1 cheaper shape proven impossible, 1 undecided.",
        ),
        (
            Cheapest(tries(FOUND), True, 3, Fraction(2)),
            "Solver: 2 chunks per block, 3 steps, 4 rounds: optimal in steps and rounds; "
            "no schedule has fewer steps or rounds per chunk; 0 cheaper shapes proven impossible, 0 undecided.",
        ),
    ],
)
def test_the_solver_says_what_is_proven(two_nodes: Layout, solver: Cheapest, sentence: str) -> None:
    made = report.sentences(a_task(two_nodes, methods=("exact",)), an_outcome(5e-6, solver=solver))
    assert made[0] == sentence


def test_the_solver_speaks_of_each_half_of_an_allreduce(two_nodes: Layout) -> None:
    solver = Cheapest(tries(FOUND), True, 3, Fraction(2))
    made = report.sentences(a_task(two_nodes, "allreduce", ("exact",)), an_outcome(5e-6, solver=solver))
    assert "4 rounds in each half: optimal" in made[0]


def test_a_solver_that_was_not_needed_says_why(two_nodes: Layout) -> None:
    few = a_task(two_nodes, methods=("exact",))
    assert report.sentences(few, an_outcome(5e-6))[0] == "Solver: not asked; the time was over."
    assert "it was stopped before" in report.sentences(few, an_outcome(5e-6, stopped=True))[0]
    ranks = MAX_EXACT_RANKS + 1
    many = a_task(check_layout(find.load(f"schooner[nodes={ranks}]"), ranks, ranks, "block"), methods=("exact",))
    assert f"at most {MAX_EXACT_RANKS} ranks" in report.sentences(many, an_outcome(5e-6))[0]


def test_designs_take_the_place_of_older_files(two_nodes: Layout, tmp_path: Path) -> None:
    """A schedule of each; a search that has found nothing leaves the folder as it is."""
    old = tmp_path / "old.schedule"
    old.touch()
    (tmp_path / "notes.txt").touch()
    assert report.write(a_task(two_nodes), an_outcome(None), tmp_path) == [] and old.exists()
    made = report.write(a_task(two_nodes), an_outcome(5e-6), tmp_path)
    assert made[:2] == [tmp_path / "best.schedule", tmp_path / "greedy.schedule"] and not old.exists()
    old.touch()
    made = report.write_designs({"one": SWAP}, tmp_path)
    assert made == [tmp_path / "one.schedule"] and not old.exists() and (tmp_path / "notes.txt").exists()
    text = made[0].read_text()
    assert "synthesised:exact" in text and "count=256 elem=4" in text
