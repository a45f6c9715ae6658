"""collscope.machines.spec, collscope.machines.platform: curves without overheads, and capacities that are not given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import made_platforms
from collscope.machines import find
from collscope.machines import platform as simgrid
from collscope.machines.limits import curve_contradictions
from collscope.machines.spec import (
    CLASSES,
    LINKS,
    Number,
    Piece,
    Spec,
    filled,
    narrowest,
    occurring,
    text_of,
)


def piece(start: int, latency: float, s_per_byte: float, traffic: float = 1.0) -> Piece:
    return Piece(start, Number(latency), Number(s_per_byte), Number(traffic))


def spec(*pieces: Piece, eager: float = 1000, overhead: float = 1e-7) -> Spec:
    return Spec(
        "mine", 2, 2, 4, 2, "", dict.fromkeys(CLASSES, pieces), overhead_s=Number(overhead), eager_bytes=Number(eager)
    )


def test_the_printed_bound_takes_latency_of_the_first_piece_and_bandwidth_of_the_last(tmp_path: Path) -> None:
    text = made_platforms.SMALL.replace("network", "node = [[0, 2e-6, 3e-10], [64, 1e-6, 4e-10]]\nnetwork")
    p = find.load(made_platforms.write(tmp_path, text))
    alpha, beta, gamma = p.bound_parameters(2)
    assert (alpha, beta) == (pytest.approx(3e-6), 1e-9)
    assert gamma == p.gamma_s_per_byte
    assert p.bound_parameters(1)[:2] == (pytest.approx(2e-6), 4e-10)


def test_the_hash_of_a_platform_knows_its_plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "plugin.cpp"
    monkeypatch.setattr(simgrid, "PLUGIN_SOURCES", tmp_path)
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
        assert p.machine.half_round_trip_s("network", size) == pytest.approx(3e-6 + size * 2e-9), size
    assert p.curve["network"][0].latency_s == pytest.approx(2.8e-6 if eager >= 0 else 3e-6)
    assert p.bound_parameters(2)[0] == pytest.approx(alpha)


def test_a_curve_must_have_room_for_both_overheads() -> None:
    def problems(made: Spec) -> list[str]:
        return [text for _, _, text in curve_contradictions(filled(made))]

    assert problems(spec(piece(0, 2e-7, 1e-9))) == []
    assert len(problems(spec(piece(0, 1.9e-7, 1e-9)))) == len(occurring(spec(piece(0, 1e-6, 1e-9))))
    assert "less than the two overheads" in problems(spec(piece(0, 1.9e-7, 1e-9)))[0]
    assert problems(spec(piece(0, 1e-6, 1e-9), piece(1001, 1e-7, 1e-9))) == [], "which is not eager"


def test_classes_that_occur() -> None:
    made = spec(piece(0, 1e-6, 1e-9))
    assert occurring(made) == CLASSES
    assert occurring(replace(made, cores_per_cache=4)) == ("cache", "node", "network")
    assert occurring(replace(made, cores_per_cache=1, sockets=1)) == ("socket", "network")
    assert occurring(replace(made, nodes=1)) == ("cache", "socket", "node")


def test_the_hash_of_a_platform_changes_with_every_number(tmp_path: Path) -> None:
    """Whatever a simulated time owes to it; white space in the specification is nothing."""
    changes = [
        ("", ""), ("nodes = 3", "nodes = 4"), ("sockets = 2", "sockets = 1"), ("cores_per_socket = 6", "cores_per_socket = 9"),
        ("cores_per_cache = 3", "cores_per_cache = 2"), ("3.1e-10\ncopy", "3.2e-10\ncopy"), ("7e-11", "8e-11"), ("1.3e-7", "1.4e-7"),
        ("1009", "1010"), ("23e9", "29e9"), ("41e9", "43e9"), ("17e9", "19e9"), ("= 5e9", "= 7e9"), ("11e9", "13e9"),
        ("5e-7, 1.1", "5.1e-7, 1.1"), ("1.1e-10", "1.2e-10"), ("1.9]", "1.8]"), ("2003", "2004"), ("6.1e-7", "6.2e-7"),
        ("2.9e-6, 3.1e-10, 1.3", "2.9e-6, 3.1e-10, 1.2"), ("nodes = 3", "oversubscribe = true\nnodes = 3"),
    ]  # fmt: skip
    assert all(old in made_platforms.PRIME for old, _ in changes)
    texts = [made_platforms.PRIME.replace(*change, 1) for change in changes]
    hashes = [simgrid.content_hash(find.load(made_platforms.write(tmp_path, text))) for text in texts]
    assert len(set(hashes)) == len(changes)
    assert simgrid.content_hash(find.load(made_platforms.write(tmp_path, f"\n{texts[0]}", "o.toml"))) == hashes[0]


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ("COMMON_SETTINGS", "network/optim"),
        ("NETWORK_SETTINGS", "network/model"),
        ("FACTOR_SETTINGS", "smpi/bw-factor"),
    ],
)
def test_the_hash_of_a_platform_changes_with_settings_of_the_simulator(
    monkeypatch: pytest.MonkeyPatch, settings: str, key: str
) -> None:
    p = find.load("ideal")
    before = simgrid.content_hash(p)
    monkeypatch.setattr(simgrid, settings, getattr(simgrid, settings) | {key: "other"})
    assert simgrid.content_hash(p) != before


def test_capacities_that_are_not_given_come_from_the_right_curve() -> None:
    """A core's port serves the fastest piece of all classes, the NIC the network's; memory four times all cores of a socket."""
    fastest = ((7e9, 1), (3e9, 5), (2e9, 1), (1e9, 3))  # of each class: bytes per second of a message, and its traffic
    curve = {lv: (piece(0, 1e-6, 1 / rate, traffic),) for lv, (rate, traffic) in zip(CLASSES, fastest, strict=True)}
    made = filled(Spec("mine", 2, 2, 4, 2, "", curve))
    rates = [getattr(made, f"{link}_bytes_per_s").value for link in LINKS]
    assert rates == pytest.approx([15e9, 4 * 15e9 * 4, 4 * 15e9 * 4, 3e9, 3e9])
    assert filled(replace(made, memory_bytes_per_s=Number(1e9))).interconnect_bytes_per_s.value == pytest.approx(240e9)
    own = filled(Spec("mine", 2, 2, 4, 2, "", curve, memory_bytes_per_s=Number(90e9)))
    assert own.interconnect_bytes_per_s.value == 90e9
    sends = filled(
        replace(
            own,
            core_bytes_per_s=Number(0.0),
            nic_bytes_per_s=Number(0.0),
            curve_nonblocking={"network": (piece(0, 1e-6, 5e-11),)},
        )
    )
    assert (sends.core_bytes_per_s.value, sends.nic_bytes_per_s.value) == (20e9, 20e9), "of non-blocking ones, too"
    free = filled(Spec("mine", 2, 2, 4, 2, "", dict.fromkeys(CLASSES, (piece(0, 1e-6, 0.0),))))
    assert (free.core_bytes_per_s.value, free.nic_bytes_per_s.value) == (1e12, 1e12)
    links = {f"{link}_bytes_per_s": Number(rate) for link, rate in zip(LINKS, (50, 40, 30, 20, 10), strict=True)}
    assert [narrowest(replace(made, **links), level) for level in CLASSES] == [40, 40, 30, 10]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (3.0, "3"), (999999.0, "999999"), (1e6, "1000000.0"), (1.5, "1.5"), (1e-7, "1e-07"), (-1.0, "-1")],
)
def test_numbers_as_platform_files_spell_them(value: float, text: str) -> None:
    assert text_of(value) == text


def test_the_hash_of_a_large_machine_knows_its_nodes_and_how_many_there_are(tmp_path: Path) -> None:
    """Without its whole file, which would be long."""
    large = made_platforms.PRIME.replace("nodes = 3", "nodes = 1000", 1)
    texts = [
        large,
        large.replace("= 1000", "= 1001"),
        large.replace("2.9e-6", "2.8e-6"),
        large.replace("cache = 3", "cache = 2"),
    ]
    found = [find.load(made_platforms.write(tmp_path, text, f"{i}.toml")) for i, text in enumerate([*texts, large])]
    hashes = [simgrid.content_hash(platform) for platform in found]
    assert len(set(hashes)) == len(texts) and hashes[0] == hashes[-1]
    assert max(len(platform.identity) for platform in found) < 100_000
