"""collscope.sources.assumptions: winners over draws of what a machine's file leaves open, and doubts about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import progress
from collscope.base.progress import Progress
from collscope.catalogue.prover import Question
from collscope.machines import find
from collscope.machines.completion import NIC, NONBLOCKING, PROCESSOR, SHARED_MEMORY
from collscope.points.plan import Layout, Point
from collscope.sources import assumptions, draws, model
from collscope.sources.assumptions import DRAWS, MIN_DRAWS, Choice, Doubt, Judged, Unchecked
from collscope.sources.unknowns import places, unknowns
from open_mpi import needs_prover
from osu_alone import KNOWN, machine

pytestmark = needs_prover
LINEAR, BINOMIAL = "bcast/linear", "bcast/binomial[s=0]"


def choice(platform: str, count: int = 2, *keys: str, nodes: int = 4, ranks: int = 64) -> Choice:
    points = {key: Point(key.partition("/")[0], key, count) for key in keys or (LINEAR, BINOMIAL)}
    return Choice(Layout(find.load(platform), nodes, ranks), points)


def test_a_message_that_costs_its_sender_nothing_is_not_believed(workplace: Path, tmp_path: Path) -> None:
    """By osu_latency alone the root would send to everybody at once; whatever a message costs it, that is the slowest."""
    (small,) = assumptions.judged([choice(machine(tmp_path))])
    assert isinstance(small, Judged) and small.winner == BINOMIAL and small.doubt is None
    assert (small.draws, small.wins, small.ties) == (DRAWS, DRAWS, (BINOMIAL,))
    assert 1e-6 < small.band_s[0] < small.seconds[BINOMIAL] < small.band_s[1] < small.seconds[LINEAR]
    assert PROCESSOR in small.unknowns


def test_a_winner_that_loses_in_some_draw_is_in_doubt(workplace: Path, tmp_path: Path) -> None:
    """The doubt has the number that decides: for how long a send that does not block waits."""
    name = machine(tmp_path, "eager_bytes = 65536", *(line for line in KNOWN if "nonblocking" not in line))
    (found,) = assumptions.judged([choice(name, 1 << 14, LINEAR, "bcast/chain[chains=4,s=0]")])
    assert isinstance(found, Judged) and found.doubt
    assert found.doubt.unknown == NONBLOCKING and found.doubt.loss > assumptions.LOSS
    assert 0 < found.doubt.draws <= DRAWS - found.wins and {found.winner, found.doubt.other} == set(found.seconds)


def test_a_winner_in_doubt_is_timed_beside_what_it_is_to_be_compared_with(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though that was not timed at all, or is far behind; not where there is no doubt, nor where it is too much work."""
    name = machine(tmp_path, "eager_bytes = 65536", *(line for line in KNOWN if "nonblocking" not in line))
    chain, far, other = "bcast/chain[chains=4,s=0]", "bcast/pipeline[s=1]", BINOMIAL
    shaky = replace(choice(name, 1 << 14, LINEAR, chain, far), beside=frozenset({LINEAR, far, other}))
    sure = replace(shaky, layout=choice("ideal[cores=16]").layout)
    monkeypatch.setattr(assumptions, "FAR", 2.0)
    found, none = assumptions.judged([shaky, sure])
    assert none is None and isinstance(found, Judged) and found.doubt and set(found.seconds) == {LINEAR, chain, far}
    lead, least = found.lead(found.winner, far), found.lead(found.winner, other)
    assert lead and lead.is_sure and lead.band[0] > assumptions.FAR and least and least.draws == DRAWS
    (once,) = model.evaluate([model.timed((shaky.layout, shaky.points[far]))])
    monkeypatch.setattr(assumptions, "STEPS", DRAWS * once["steps"])
    monkeypatch.setattr(assumptions, "RUNS", 1000)
    (found,) = assumptions.judged([shaky])
    assert isinstance(found, Judged) and found.lead(found.winner, far), "that with the fewest steps comes first"
    assert found.lead(found.winner, other) is None


def test_nothing_is_drawn_where_the_file_gives_everything(workplace: Path, tmp_path: Path) -> None:
    """Each choice has its own answer."""
    name = machine(tmp_path)
    known = tmp_path / "known"
    known.mkdir()
    found = assumptions.judged([choice(machine(known, *KNOWN)), choice(name), choice("ideal[cores=16]")])
    assert found[0] is found[2] is None and isinstance(found[1], Judged)


def test_draws_are_shown_as_they_are_done_and_kept(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may take longer than the times themselves, which are printed by then."""
    shown: list[Progress] = []

    @contextmanager
    def watched(what: str, total: int, hint: str = "") -> Iterator[Progress]:
        shown.append(Progress(what, total, hint))
        yield shown[-1]

    monkeypatch.setattr(progress, "progress", watched)
    first = assumptions.judged([choice(machine(tmp_path))])
    monkeypatch.setattr(draws, "_draw", lambda *_: pytest.fail("what was drawn is in the cache"))
    assert assumptions.judged([choice(machine(tmp_path))]) == first
    assert [(bar.done, bar.total) for bar in shown] == [(2, 2), (2 * DRAWS, 2 * DRAWS)] * 2
    assert all("Ctrl-C" in bar.hint for bar in shown)


def test_long_parts_are_announced_before_they_begin(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it is, and for how long: each part, and at most for an algorithm. What is short says nothing."""
    assumptions.judged([choice(machine(tmp_path))])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(assumptions.model, "seconds", lambda tasks: 100.0 * len(tasks))
    monkeypatch.setattr(assumptions.model, "STEP_S", 1.0)
    limits: list[float] = []
    evaluate = assumptions.model.evaluate
    monkeypatch.setattr(
        assumptions.model, "evaluate", lambda tasks, *, progress, limit_s: limits.append(limit_s) or evaluate(tasks)
    )
    assumptions.judged([choice(machine(tmp_path))], limit_s=90.0)
    first, second = capsys.readouterr().err.splitlines()
    assert "2 calls with the middle of each number that is not known (90 s at most for one), about 3 min; " in first
    assert f"{DRAWS} draws of these numbers, about " in second and limits == [90.0]
    assert first.endswith(assumptions.HINT) and second.endswith(assumptions.HINT)
    assumptions._announce(0.0, "a call", [Layout(None, 64, 1024)])
    assert "a call; " in capsys.readouterr().err, "on so many ranks it may take long"


def test_calls_in_a_loop_are_drawn_as_they_were_timed(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first call alone may differ from those that follow by more than a doubt."""
    lines: list[str] = []

    def draw(machines: Sequence[str], questions: Sequence[Question], bar: Progress) -> dict[str, list[float]]:
        lines.extend(q.line for q in questions)
        return {q.name: [1.0] * len(machines) for q in questions}

    one = choice(machine(tmp_path))
    metric = "osu_avg[barrier=barrier/dissemination]"
    monkeypatch.setattr(draws, "_draw", draw)
    assumptions.judged([replace(one, points={k: replace(p, metric=metric) for k, p in one.points.items()})])
    assert lines and all("repetitions=2 warmup=2" in line for line in lines)


def test_calls_that_cannot_be_drawn_are_not_checked(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A metric that the model does not know, or too much work; each says so."""
    name = machine(tmp_path)
    small = choice(name)
    monkeypatch.setattr(assumptions, "STEPS", 0.0)
    monkeypatch.setattr(assumptions, "RUNS", MIN_DRAWS - 1)
    looped = replace(small, points={key: replace(p, metric="loop") for key, p in small.points.items()})
    found = assumptions.judged([looped, small])
    every = tuple(unknowns(find.load(name), 4))
    assert [one.unknowns for one in found if isinstance(one, Unchecked)] == [every, every]
    reasons = [one.reason for one in found if isinstance(one, Unchecked)]
    assert "use a metric other than loop" in reasons[0] and reasons[1].startswith("10 draws of 2 algorithms take")


def test_algorithms_far_behind_in_the_middle_are_not_drawn(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They keep the time that they have there. Of those that send the same messages one is drawn for all."""
    drawn: list[str] = []

    def draw(machines: Sequence[str], questions: Sequence[Question], bar: Progress) -> dict[str, list[float]]:
        drawn.extend(q.key for q in questions)
        return {q.name: [1.0] * len(machines) for q in questions}

    monkeypatch.setattr(draws, "_draw", draw)
    twins = "bcast/scatter_ring", "bcast/mst_scatter_bucket_allgather"
    one = choice(machine(tmp_path), 1 << 18, *twins, LINEAR)
    (found,) = assumptions.judged([one])
    assert isinstance(found, Judged) and set(drawn) == {twins[0]}
    assert [found.seconds[key] for key in twins] == [1.0, 1.0] and 0 < found.seconds[LINEAR] < 1.0
    for such in (replace(one, all_drawn=True), replace(one, kept=frozenset({LINEAR}))):
        (found,) = assumptions.judged([such])
        assert isinstance(found, Judged) and set(found.drawn) == {*twins, LINEAR}


@pytest.mark.parametrize(
    ("steps", "budget", "draws"),
    [
        ([1.0, 1.0], 200.0, [100, 100]),
        ([10.0, 1.0, 1.0], 400.0, [20, 100, 100]),
        ([100.0, 10.0, 1.0], 1500.0, [11, 25, 100]),
        ([100.0, 10.0], 1099.0, [0, 100]),
        ([0.0], 5.0, [100]),
    ],
)
def test_draws_follow_from_how_much_work_a_call_is(steps: list[float], budget: float, draws: list[int]) -> None:
    assert assumptions._affordable(steps, budget) == draws


# ---- by hand ---------------------------------------------------------------------------------------------------------


def test_the_winner_loses_least_on_average_and_ties_are_of_half_of_the_draws() -> None:
    """a is the fastest of most draws, but loses half in one; b loses little in all, c takes as long as b in half of them."""
    times = {"a": [1.0, 1.0, 1.0, 3.0], "b": [1.05, 1.08, 1.09, 2.0], "c": [1.05, 1.08, 1.5, 2.5]}
    found = assumptions._judged(times, (NIC,), {})
    assert (found.winner, found.wins, found.draws, found.ties, found.doubt) == ("b", 1, 4, ("b", "a", "c"), None)
    assert found.seconds == pytest.approx({"b": 1.085, "a": 1.0, "c": 1.29})
    assert found.band_s == pytest.approx((1.05 + 0.3 * 0.03, 1.09 + 0.7 * 0.91))


def test_a_lead_counts_the_draws_where_the_other_takes_longer_by_more_than_a_tie() -> None:
    found = assumptions._judged({"a": [1.0] * 4, "b": [1.009, 1.011, 2.0, 3.0]}, (NIC,), {"c": 9.0})
    lead = found.lead("a", "b")
    assert lead and (lead.wins, lead.draws, lead.is_sure) == (3, 4, False)
    assert lead.band == pytest.approx((1.0096, 2.7)) and found.lead("a", "c") is None


def test_calls_that_take_no_time_lose_nothing() -> None:
    found = assumptions._judged({"a": [0.0, 0.0], "b": [0.0, 0.0]}, (NIC,), {})
    assert (found.wins, found.doubt, found.lost("b")) == (2, None, [0.0, 0.0])


@pytest.mark.parametrize(("losing", "in_doubt"), [(2, False), (3, True)])
def test_a_loss_in_more_than_two_of_a_hundred_draws_is_a_doubt(losing: int, in_doubt: bool) -> None:
    times = {"a": [2.0] * losing + [1.0] * (DRAWS - losing), "b": [1.5] * DRAWS}
    found = assumptions._judged(times, (NIC, PROCESSOR), {})
    assert found.winner == "a" and found.wins == DRAWS - losing and bool(found.doubt) == in_doubt


def test_a_doubt_names_the_number_that_goes_with_the_loss() -> None:
    """b is faster where the memory is slow: in a quarter of the draws, and by more than it is slower in the others."""
    slow = [place < 0.25 for place in places("memory", DRAWS)]
    times = {"a": [2.0 if s else 1.0 for s in slow], "b": [1.25] * DRAWS}
    found = assumptions._judged(times, (NIC, PROCESSOR, SHARED_MEMORY), {})
    assert found.winner == "a" and found.wins == DRAWS * 3 // 4
    assert found.doubt == Doubt(SHARED_MEMORY, "b", pytest.approx(0.6), DRAWS // 4)  # type: ignore[arg-type]
    assert found.hangs_on("a").startswith(f"a hangs on {SHARED_MEMORY.name}: set ")


def test_a_number_is_named_only_where_it_decides() -> None:
    """The second key loses in every draw, the third in most, by the processors' time; the fourth was too far behind to be drawn."""
    draws = 10
    worse = [
        1.5 if i < 7 else 0.8 for i in sorted(range(draws), key=lambda i: places(PROCESSOR.dimensions[0], draws)[i])
    ]
    times = {"a": [1.0] * draws, "b": [2.0] * draws, "c": worse}
    found = assumptions._judged(times, (NIC, PROCESSOR), {"d": 9.0})
    assert found.winner == "a"
    assert found.hangs_on("b") == "b takes longer than a, whatever the numbers are that are not known"
    assert found.hangs_on("d") == "d takes longer than a, whatever the numbers are that are not known"
    assert found.hangs_on("c").startswith("c hangs on ")
    sure = assumptions._judged({"a": [1.0] * draws, "b": [2.0] * draws}, (NIC, PROCESSOR), {})
    assert sure.hangs_on("a") == ""
