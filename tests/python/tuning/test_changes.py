"""collscope.tuning.changes, collscope.tuning.program: what would save a program time, in measured seconds, and the rules that carry it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from collscope.tuning import changes, openmpi_rules, program
from collscope.tuning.changes import MEAN, Change, Timed
from collscope.tuning.rules import OWN, Rule, chosen
from collscope.tuning.targets import Target, find
from collscope.tuning.uses import Arrival, Profile, Use
from open_mpi import needs_prover

USE = Use(
    collective="bcast",
    where="MPI_COMM_WORLD (4)",
    ranks=4,
    nodes=4,
    per_node=1,
    communicators=1,
    bytes=(1024, 2047),
    mean_bytes=1500,
    calls=100,
    call_count=100,
    in_place=False,
    root=0,
    type="MPI_DOUBLE",
    algorithm=None,
    passed_on="",
    seconds=1e-3,
    arrival=None,
)
OWN_KEY = "bcast/linear"


def timed(use: Use, own: float = 1e-5, merged_s: float = 1.0, placed_s: float | None = None, **keys: float) -> Timed:
    """A use with a time of its own and of others, the same at all sizes of its class; a number in the name is a place."""
    times = {(place, OWN_KEY): own for place in range(3)}
    for name, seconds in keys.items():
        key, _, at = name.partition("_at_")
        times |= {(place, f"bcast/{key}"): seconds for place in ([int(at)] if at else range(3))}
    return Timed(use, [OWN_KEY] * 3, False, times, merged_s, placed_s)


def test_a_change_saves_the_models_share_of_the_measured_time() -> None:
    (made,) = changes.changes([timed(USE, binomial=6e-6, chain=8e-6)])
    assert (made.key, made.saves_s) == ("bcast/binomial", pytest.approx(0.4e-3))
    assert timed(USE).over_model == pytest.approx(1.0)


def test_time_that_ranks_wait_for_late_ones_is_not_saved() -> None:
    late = replace(USE, arrival=Arrival(9e-6, 5e-6, 0))
    (made,) = changes.changes([timed(late, binomial=6e-6)])
    assert made.saves_s == pytest.approx(0.4 * 0.5e-3)
    assert changes.changes([timed(replace(USE, arrival=Arrival(1.0, 1.0, 0)), binomial=1e-6)]) == []


def test_a_change_is_no_slower_at_any_size_of_the_class_and_saves_more_than_a_trifle() -> None:
    assert changes.changes([timed(USE, binomial=9.9e-6)]) == []
    assert changes.changes([timed(USE, binomial=5e-6, binomial_at_2=1.1e-5)]) == []
    assert changes.changes([timed(USE, binomial_at_1=5e-6)]) == []  # it has no time at the other sizes


def test_one_rule_serves_all_placements_of_a_number_of_ranks() -> None:
    """The best for both together: on one node what saves there may lose on four."""
    packed = replace(USE, nodes=1, per_node=4, seconds=2e-3)
    parts = [timed(USE, binomial=5e-6, chain=9e-6), timed(packed, binomial=1.2e-5, chain=5e-6)]
    (made,) = changes.changes(parts)
    assert made.key == "bcast/chain" and made.saves_s == pytest.approx(0.1e-3 + 1e-3)
    assert made.main.use == packed and made.seconds == pytest.approx(3e-3)


def test_changes_that_save_most_come_first() -> None:
    small, large = replace(USE, bytes=(8, 15), seconds=1e-4), replace(USE, seconds=1.0)
    made = changes.changes([timed(small, binomial=1e-6), timed(large, binomial=9e-6)])
    assert [c.bytes for c in made] == [(1024, 2047), (8, 15)]


def change(collective: str, ranks: int, low: int, key: str) -> Change:
    return Change(collective, ranks, (low, 2 * low - 1), key, [], 1.0)


@needs_prover
def test_rules_speak_of_the_calls_of_the_changes_alone() -> None:
    found = [
        change("bcast", 4, 1024, "bcast/linear"),
        change("bcast", 4, 2048, "bcast/linear"),
        change("bcast", 4, 4096, "bcast/binomial[s=0]"),
        change("bcast", 8, 1024, "bcast/linear"),
        change("allgather", 4, 64, "allgather/bruck"),
    ]
    target = find("openmpi-4.1")
    rules = changes.rules_of(found, target)
    taken = {call: (rule.key if (rule := chosen(rules, call)) else None) for call in [
        ("bcast", 4, 1023), ("bcast", 4, 1024), ("bcast", 4, 4095), ("bcast", 4, 8191), ("bcast", 4, 8192),
        ("bcast", 6, 0), ("bcast", 8, 1024), ("allgather", 4, 255), ("allgather", 4, 256), ("allgather", 4, 511),
    ]}  # fmt: skip
    assert taken == {
        ("bcast", 4, 1023): OWN, ("bcast", 4, 1024): "bcast/linear", ("bcast", 4, 4095): "bcast/linear",
        ("bcast", 4, 8191): "bcast/binomial[s=0]", ("bcast", 4, 8192): None, ("bcast", 6, 0): OWN,
        ("bcast", 8, 1024): "bcast/linear", ("allgather", 4, 255): OWN,
        ("allgather", 4, 256): "allgather/bruck",  # whole vectors: blocks of 64 bytes
        ("allgather", 4, 511): "allgather/bruck",
    }  # fmt: skip
    text = openmpi_rules.text(rules, "4.1", "of a test")
    assert "5 1 # ranks" in text and "0 0 0 0 # the own choice" in text
    ours = changes.rules_of(found, find("collscope"))
    assert [r for r in ours if r.key == OWN] == []
    assert Rule("allgather", (4, 4), (64, 127), "allgather/bruck") in ours


def hint(kind: str, *parts: Timed) -> list[program.Hint]:
    uses = [part.use for part in parts]
    made = Profile("p", "a tool", "", 4, 1.0, uses)
    return [h for h in program.hints(made, parts) if h.kind == kind]


def test_a_program_hears_of_late_ranks_with_what_was_sampled() -> None:
    late = timed(replace(USE, arrival=Arrival(9e-6, 5e-6, 10)))
    (found,) = hint("arrival", late)
    assert found.is_measured and found.saves_s == pytest.approx(0.45e-3)
    assert "the first rank waits 9 µs for the last (10 samples); about 45% of the time" in found.text
    assert hint("arrival", timed(replace(USE, arrival=Arrival(9e-6, 1e-6, 10)))) == []


def test_a_program_hears_of_small_calls_that_could_be_one() -> None:
    (found,) = hint("blocks", timed(USE, merged_s=2e-5))
    assert not found.is_measured and found.saves_s == pytest.approx(0.75e-3)
    assert "100 calls of 1500 B; 8 of them as one would take 75% less time by the model" in found.text
    assert (
        hint("blocks", timed(USE, merged_s=7e-5)) == hint("blocks", timed(replace(USE, calls=9), merged_s=2e-5)) == []
    )


def test_no_change_to_a_program_saves_what_it_waits_for_late_ranks() -> None:
    late = timed(replace(USE, arrival=Arrival(9e-6, 5e-6, 0)), merged_s=2e-5, placed_s=5e-6)
    saves = {kind: hint(kind, late)[0].saves_s for kind in ("blocks", "in_place")}
    assert saves == {"blocks": pytest.approx(0.75 * 0.5e-3), "in_place": pytest.approx(0.5 * 0.5e-3)}


def test_a_program_hears_of_copies_types_and_communicators() -> None:
    assert "with MPI_IN_PLACE" in hint("in_place", timed(USE, placed_s=9e-6))[0].text
    assert hint("in_place", timed(USE, placed_s=9.9e-6)) == []
    assert "of a derived type" in hint("types", timed(replace(USE, type="derived")))[0].text
    assert "500 communicators of 4 ranks" in hint("communicators", timed(replace(USE, communicators=500)))[0].text
    assert hint("communicators", timed(USE)) == hint("types", timed(USE)) == []


def test_a_program_hears_of_no_calls_that_take_next_to_no_time() -> None:
    small = timed(replace(USE, type="derived", seconds=1e-6))
    assert [h.use for h in hint("types", timed(replace(USE, type="derived")), small)] == [replace(USE, type="derived")]


def test_the_mean_size_is_the_middle_place() -> None:
    assert timed(USE, binomial=5e-6, binomial_at_1=2e-6).share("bcast/binomial") == pytest.approx(0.8)
    assert MEAN == 1 and isinstance(find("collscope"), Target)
