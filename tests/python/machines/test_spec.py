"""What follows from a specification: the curves without overheads, and the capacities that nobody gave."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import made_platforms
from collscope.machines import find, simgrid
from collscope.machines.spec import (
    LEVELS,
    Number,
    Piece,
    Spec,
    contradictions,
    filled,
    narrowest,
    occurring,
    wire_curve,
)


def piece(start: int, latency: float, s_per_byte: float, traffic: float = 1.0) -> Piece:
    return Piece(start, Number(latency), Number(s_per_byte), Number(traffic))


def spec(*pieces: Piece, eager: float = 1000, overhead: float = 1e-7) -> Spec:
    return Spec(
        "mine", 2, 2, 4, 2, "", dict.fromkeys(LEVELS, pieces), overhead_s=Number(overhead), eager_bytes=Number(eager)
    )


def test_overheads_are_taken_out_of_eager_messages_alone() -> None:
    """The last eager message has `eager_bytes`; what is longer by a byte waits for its receive, and no overhead is charged."""
    one = spec(piece(0, 1e-6, 1e-9))
    assert wire_curve(one, "node") == [(0, pytest.approx(8e-7), 1e-9, 1.0), (1001, 1e-6, 1e-9, 1.0)]
    two = spec(piece(0, 1e-6, 1e-9), piece(1001, 2e-6, 5e-10))
    assert [start for start, *_ in wire_curve(two, "node")] == [0, 1001]
    assert wire_curve(two, "node")[1] == (1001, 2e-6, 5e-10, 1.0)
    later = spec(piece(0, 1e-6, 1e-9), piece(1000, 2e-6, 5e-10, 3.0))
    assert wire_curve(later, "node")[1:] == [(1000, pytest.approx(1.8e-6), 5e-10, 3.0), (1001, 2e-6, 5e-10, 3.0)]
    assert [start for start, *_ in wire_curve(spec(piece(0, 1e-6, 1e-9), overhead=0.0), "node")] == [0]
    assert wire_curve(spec(piece(0, 1e-7, 1e-9)), "node")[0][1] == 0, "never less than nothing"


def test_capacities_that_are_not_given_are_what_the_fastest_piece_needs() -> None:
    slow_first = spec(piece(0, 1e-6, 1e-9), piece(4096, 2e-6, 2.5e-10, 2.0))
    slow_last = spec(piece(0, 1e-6, 2.5e-10, 2.0), piece(4096, 2e-6, 1e-9))
    for made in (filled(slow_first), filled(slow_last)):
        assert made.core_bytes_per_s.value == made.nic_bytes_per_s.value == made.switch_bytes_per_s.value == 8e9
        assert made.memory_bytes_per_s.value == made.interconnect_bytes_per_s.value == 4 * 8e9 * 4
    given = filled(replace(slow_first, core_bytes_per_s=Number(9e9), nic_bytes_per_s=Number(7e9)))
    assert (given.core_bytes_per_s.value, given.switch_bytes_per_s.value) == (9e9, 7e9)
    assert [narrowest(given, level) for level in LEVELS] == [9e9, 9e9, 9e9, 7e9]


def test_the_printed_bound_takes_latency_of_the_first_piece_and_bandwidth_of_the_last(tmp_path: Path) -> None:
    text = made_platforms.SMALL.replace("network", "node = [[0, 2e-6, 3e-10], [64, 1e-6, 4e-10]]\nnetwork")
    p = find.load(made_platforms.write(tmp_path, text))
    alpha, beta, gamma = p.bound_parameters(2)
    assert (alpha, beta) == (pytest.approx(3e-6), 1e-9)
    assert gamma == p.gamma_s_per_byte
    assert p.bound_parameters(1)[:2] == (pytest.approx(2e-6), 4e-10)


def test_the_hash_of_a_platform_knows_its_plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "plugin.cpp"
    monkeypatch.setattr(simgrid, "PLUGIN_SOURCE", source)
    hashes = []
    for text in ("one", "two"):
        source.write_text(text)
        hashes.append(
            [simgrid.content_hash(find.load(name)) for name in ("schooner", "schooner[nic_bytes_per_s=5e9]", "ideal")]
        )
    (one, wider, ideal), (other, _, same) = hashes
    assert len({one, wider, ideal, other}) == 4
    assert ideal == same, "which has no plug-in"


@pytest.mark.parametrize(("eager", "alpha"), [(64, 3e-6), (0, 3e-6), (-1, 3e-6)])
def test_an_eager_message_costs_both_overheads_and_others_none(tmp_path: Path, eager: int, alpha: float) -> None:
    """Whatever is eager: a ping-pong takes what the specification's curve says."""
    text = made_platforms.SMALL.replace("[curve]", f"overhead_s = 1e-7\neager_bytes = {eager}\n[curve]")
    p = find.load(made_platforms.write(tmp_path, text))
    for size in (0, 1, 63, 64, 65):
        assert p.half_round_trip_s("network", size) == pytest.approx(3e-6 + size * 2e-9), size
    assert p.wire["network"][0].latency_s == pytest.approx(2.8e-6 if eager >= 0 else 3e-6)
    assert p.bound_parameters(2)[0] == pytest.approx(alpha)


def test_a_curve_must_have_room_for_both_overheads() -> None:
    def problems(made: Spec) -> list[str]:
        return [text for _, _, text in contradictions(filled(made))]

    assert problems(spec(piece(0, 2e-7, 1e-9))) == []
    assert len(problems(spec(piece(0, 1.9e-7, 1e-9)))) == len(occurring(spec(piece(0, 1e-6, 1e-9))))
    assert "less than the two overheads" in problems(spec(piece(0, 1.9e-7, 1e-9)))[0]
    assert problems(spec(piece(0, 1e-6, 1e-9), piece(1001, 1e-7, 1e-9))) == [], "which is not eager"


def test_classes_that_occur() -> None:
    made = spec(piece(0, 1e-6, 1e-9))
    assert occurring(made) == LEVELS
    assert occurring(replace(made, cores_per_cache=4)) == ("cache", "node", "network")
    assert occurring(replace(made, cores_per_cache=1, sockets=1)) == ("socket", "network")
    assert occurring(replace(made, nodes=1)) == ("cache", "socket", "node")
