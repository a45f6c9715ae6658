"""collscope.calibration.specification: estimates become specifications that contain them, rounded, with their provenance."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base.number import Number
from collscope.calibration.curves import CurveFit, Point
from collscope.calibration.estimates import Estimates
from collscope.calibration.links import AT_LEAST, Rate
from collscope.calibration.samples import Reading
from collscope.calibration.specification import About, eager_limit, measured, spec_of, spent
from collscope.machines import find
from collscope.machines.machine_file import machine_file, places_in
from collscope.machines.placement import hosts_of
from collscope.machines.spec import Noise, Spec
from collscope.machines.spec_reader import parse_spec
from collscope.machines.spec_writer import spec_text
from collscope.machines.topology import Topology
from collscope.sources import bounds
from made_samples import changed, made_samples, made_spec

COUNTS = {
    key: Number(n, "documented", "given")
    for key, n in zip(("nodes", "sockets", "cores_per_socket", "cores_per_cache"), (2, 1, 4, 2), strict=True)
}
PLAN = Number(2, "documented", "plan")
# What nodes share moves 1.5e9 bytes per second: 6.667e-10 s per byte are the links' and not a processor's.
LEAVES = Topology(
    "fat_tree", (2, 1), (PLAN, Number(1, "documented", "plan")), link_bytes_per_s=Number(1.5e9, "documented", "plan")
)
ABOUT = About("mine", "mine: about", COUNTS, "the source", LEAVES)


def estimates(**more: object) -> Estimates:
    """Two classes of a cluster, with all there is to know."""
    points = {
        "cache": (Point(1, 1e-6), Point(8192, 3e-6)),
        "network": (Point(1, 2e-6), Point(1024, 3e-6), Point(8192, 9e-6)),
    }
    pieces = {"cache": ((0, 1.000004e-6, 2.5e-10),), "network": ((0, 2e-6, 9e-10), (8192, 1.2e-6, 4e-10))}
    full = Estimates(
        curves={level: CurveFit(points[level], pieces[level]) for level in points},
        nonblocking={"network": [(0, 2e-6, 9e-10)]},
        gaps={"cache": [], "network": [(1, 3e-7), (1024, 4e-7)]},
        receives={"network": [(1, 1.5e-7), (1024, 2e-7)]},
        overhead_s=1e-7,
        eager=(4096, 4200),
        eager_nonblocking=(1024, 2048),
        in_order=True,
        nic_gap_s=3.14159e-7,
        rates={"core": Rate(1e10), "nic": Rate(2e9, AT_LEAST)},
        local={"gamma": (2e-10, 1e-10, 3e-10), "copy": (5e-11, 6e-11, 7e-11)},
        noise={"cache": [(1, ((0.0, -1e-7), (1.0, 2.00004e-6))), (64, ((0.0, 0.0), (1.0, 1e-6)))], "network": []},
    )
    return replace(full, **more)  # type: ignore[arg-type]


def read_back(found: Estimates, about: About = ABOUT) -> Spec:
    return parse_spec(spec_text(spec_of(found, about)), "x.toml")


def test_every_number_of_a_cluster_stands_in_its_specification() -> None:
    spec = read_back(estimates())
    assert (spec.name, spec.about, spec.nodes, spec.cores_per_socket) == ("mine", "mine: about", 2, 4)
    assert (spec.counts["nodes"], spec.topology, spec.sources) == (COUNTS["nodes"], LEAVES, {"here": "the source"})
    assert spec.gamma_s_per_byte == Number(2e-10, "measured", "here", (1e-10, 3e-10))
    assert spec.copy_s_per_byte == Number(5e-11, "measured", "here", (5e-11, 7e-11)), "its range contains it"
    assert spec.overhead_s == Number(1e-7, "measured", "here") and spec.in_order and not spec.oversubscribe
    assert spec.eager_bytes == Number(4096, "measured", "here", (4096, 4199))
    assert spec.eager_bytes_nonblocking == Number(1024, "measured", "here", (1024, 2047))
    assert spec.core_bytes_per_s == Number(1e10, "measured", "here")
    assert spec.nic_bytes_per_s == Number(2e9, "measured", "here, at least: nothing that met was slower than alone")
    assert spec.nic_gap_s == Number(3.142e-7, "measured", "here")
    assert spec.own_curves == ("cache", "network") and [*spec.noise] == ["cache"]
    assert spec.noise["cache"][0] == Noise(0, ((0.0, -1e-7), (1.0, 2e-6)), "measured", "here")


def test_pieces_contain_what_both_ends_and_the_links_spend() -> None:
    """A gap is a line through two sizes (1e-7 / 1023 s per byte), a receiver's without the overhead."""
    spec = read_back(estimates())
    ((near,), (first, second)) = spec.curve["cache"], spec.curve["network"]
    assert (near.start, near.latency, near.gap) == (0, Number(1e-6, "measured", "here"), None)
    assert (first.latency.value, first.s_per_byte.value, first.traffic) == (2e-6, 9e-10, Number(1.0))
    assert first.gap == (Number(2.999e-7, "measured", "here"), Number(9.775e-11, "measured", "here"))
    assert first.receive_gap == (Number(4.995e-8, "measured", "here"), Number(4.888e-11, "measured", "here"))
    # Not eager, and faster than the uplinks: they are busy for 0.6 of its bytes.
    assert (second.start, second.gap, second.receive_gap) == (8192, None, None)
    assert second.traffic == Number(0.599994, "inferred", "here")
    (waiting,) = spec.curve_nonblocking["network"]
    assert waiting.gap == first.gap and waiting.receive_gap is None, "a receive is the same however it was sent"


def test_numbers_that_are_not_known_stay_away() -> None:
    unknown = {"in_order": None, "nic_gap_s": None, "eager_nonblocking": (4096, 4200)}
    few = estimates(**unknown, **{key: {} for key in ("rates", "noise", "nonblocking", "gaps", "receives")})
    text = spec_text(spec_of(few, replace(ABOUT, topology=Topology())))
    for key in (
        "in_order",
        "nic_gap_s",
        "bytes_per_s",
        "eager_bytes_nonblocking",
        "traffic",
        "[topology]",
        "[[noise",
        "gap",
    ):
        assert key not in text, key
    assert "nic_gap_s = { value = 0, " in spec_text(spec_of(estimates(nic_gap_s=0.0), ABOUT)), "known to be 0"
    all_wait = spec_of(estimates(eager_nonblocking=(0, 64)), ABOUT)
    assert all_wait.eager_bytes_nonblocking is None, "not known how small they must be"
    for links, is_busy in ((5e9, False), (4.9e9, True)):  # all of what the link takes, and less
        about = replace(ABOUT, topology=replace(LEAVES, link_bytes_per_s=Number(links)))
        narrow = replace(few, curves={"network": CurveFit((), ((0, 1e-6, 2e-10),))})
        assert (spec_of(narrow, about).curve["network"][0].traffic != Number(1.0)) == is_busy


def test_a_disturbed_curve_of_non_blocking_messages_is_left_out() -> None:
    """A sender spends 300 ns, a receiver 150."""
    for latency, kept in ((4.4e-7, []), (4.6e-7, ["network"])):
        found = estimates(nonblocking={"network": [(0, latency, 9e-10)]})
        assert [*spec_of(found, ABOUT).curve_nonblocking] == kept


def test_an_eager_limit_has_what_is_known_of_it() -> None:
    assert eager_limit((0, 64)) == Number(-1, "measured", "here: every send waited for its receive")
    assert eager_limit((64, 128)) == Number(64, "measured", "here", (64, 127))
    tried = eager_limit((4096, 0))
    assert (tried.range, tried.source) == (
        (4096, 1 << 30), "here: the largest that was tried; none waited for its receive",
    )  # fmt: skip


def test_a_range_contains_its_number_however_both_are_rounded() -> None:
    assert measured(1.00006e-10, (1.00006e-10, 1.00006e-10)) == Number(1e-10, "measured", "here", (1e-10, 1e-10))
    assert measured(1.23446e-10, (1.23454e-10, 2e-10)).range == (1.234e-10, 2e-10)
    assert measured(1.23456, (1.0, 1.2344)).range == (1.0, 1.235)


@pytest.mark.parametrize(
    ("most", "most_per_byte", "beyond", "seconds", "per_byte"),
    [
        (9.0, 9.0, 0.0, 1.0, 0.5),
        (9.0, 9.0, 0.25, 0.75, 0.5),
        (0.5, 9.0, 0.0, 0.5, 0.5),  # no more than the piece has
        (-1.0, 9.0, 0.0, 0.0, 0.5),
        (9.0, 0.25, 0.0, 1.0 + 0.25 * 4, 0.25),  # the rest of the bytes' at the middle of 2 and 9 - 1, 4
        (9.0, -1.0, 0.0, 1.0 + 0.5 * 4, 0.0),
        (9.0, 9.0, 2.0, 0.0, 0.5),
    ],
)
def test_a_processor_spends_no_more_than_its_piece_contains(
    most: float, most_per_byte: float, beyond: float, seconds: float, per_byte: float
) -> None:
    known = [(2, 2.0), (4, 3.0), (8, 5.0)]  # 1 + n / 2
    found = spent(known, 2, 9, most, most_per_byte, beyond)
    assert found == pytest.approx((seconds * (1 - 1e-5), per_byte), rel=1e-9)
    assert spent([(1, 1.5), (2, 2.0), (3, 2.5)], 1, 4, 9.0, 0.25)[0] == pytest.approx(1.25, rel=1e-4), "the middle is 1"
    falling = spent([(2, 2.0), (8, 1.0)], 2, 9, 9.0, 9.0)
    assert falling[1] == 0 and 1.0 < falling[0] < 2.0, (
        "a time that falls with size does not fall below nothing per byte"
    )


def test_dust_of_rounding_is_not_a_time() -> None:
    """A sender may spend all of a message's time but 1e-20 s, which a specification does not take."""
    known = [(1, 1e-6), (4096, 1e-6)]
    assert spent(known, 1, 4097, 1e-20, 0.0) == (0.0, 0.0)
    assert spent(known, 1, 4097, 2e-12, 0.0)[0] == pytest.approx(2e-12, rel=1e-3)
    assert spent(known, 1, 4097, 1.0, 0.0)[0] == pytest.approx(1e-6, rel=1e-3)


# ---- one machine ------------------------------------------------------------------------------------------


def copied() -> Estimates:
    """A machine whose messages are copied by its cores."""
    pieces = {"cache": ((0, 5.1234567e-7, 2.123456789e-10), (4096, 6e-7, 3e-10)), "node": ((0, 9e-7, 4e-10),)}
    return Estimates(
        curves={level: CurveFit((), p) for level, p in pieces.items()},
        is_copied=True,
        rates={"core": Rate(4.709e9, "the fastest piece of the curves"), "memory": Rate(3e10, "copies by all ranks")},
        overhead_s=1.22e-7,
        local={"gamma": (2e-10, 1e-10, 3e-10), "copy": (5e-11, 4e-11, 6e-11)},
        least={"o": 1.23456e-7, "g": 1.1e-7, "L": 3e-7, "G": 5e-11, "gamma": 7e-11},
    )


def test_slower_pieces_of_a_machine_make_more_traffic() -> None:
    known = {"eager_bytes": Number(4095, "documented", "the library"), "oversubscribe": True}
    about = About("here", "", {**COUNTS, "nodes": Number(1), "sockets": Number(2)}, "x", known=known)
    spec = read_back(copied(), about)
    assert [(p.start, p.latency.value, p.s_per_byte.value) for p in spec.curve["cache"]] == [
        (0, 5.123e-7, 2.1235e-10), (4096, 6e-7, 3e-10),
    ]  # fmt: skip
    traffic = [p.traffic.value for p in (*spec.curve["cache"], *spec.curve["node"])]
    assert traffic == pytest.approx([slope * 4.709e9 for slope in (2.1235e-10, 3e-10, 4e-10)], rel=1e-4)
    assert spec.core_bytes_per_s == Number(4.709e9, "measured", "the fastest piece of the curves")
    assert spec.memory_bytes_per_s == Number(3e10, "measured", "copies by all ranks")
    assert spec.least == {"o": 1.235e-7, "g": 1.1e-7, "L": 3e-7, "G": 5e-11, "gamma": 7e-11}
    assert (spec.eager_bytes, spec.oversubscribe, spec.own_curves) == (known["eager_bytes"], True, ("cache", "node"))


def test_planted_messages_come_out_again(tmp_path: Path, workplace: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(made_spec(made_samples()))
    p = find.load(str(path))
    assert (p.name, p.max_nodes, p.cores_per_node, p.machine.eager_bytes) == ("this_machine", 1, 2, 4095)
    for size in (0, 1, 100, 4096, 1 << 20, 1 << 22):
        assert p.machine.half_round_trip_s("cache", size) == pytest.approx(4e-7 + size * 2e-10, rel=0.01)
    assert p.gamma_s_per_byte == pytest.approx(8e-11)
    assert len(hosts_of(p, 1, 8)) == 8  # more ranks than cores, as when measured
    assert len(places_in(machine_file(p, 1, 8))) == 8


def test_the_bound_of_a_measured_machine_lies_below_all_that_was_measured(tmp_path: Path, workplace: Path) -> None:
    samples = made_samples()
    path = tmp_path / "spec.toml"
    path.write_text(made_spec(samples))
    least = bounds.loggp(find.load(str(path)), 1, 2)
    assert least["o"] == pytest.approx(9e-8)
    assert least["gamma"] == pytest.approx(4e-11)
    for r in samples.of("flows", count=1):
        if size := r.probe.bytes:
            assert 0 < bounds.bound_loggp("bcast", 2, size, **least) <= min(r.samples) * (1 + 1e-4)


@pytest.mark.parametrize("seed", range(50))
def test_any_noise_gives_a_specification_that_can_be_used(seed: int) -> None:
    chance = random.Random(seed)

    def noisy(r: Reading) -> Reading:
        factor = 10 ** chance.uniform(0, chance.choice([0.1, 1, 2]))
        return Reading(r.probe, tuple(x * factor * 10 ** chance.uniform(0, 0.5) for x in r.samples))

    samples = made_samples(10 ** chance.uniform(-7, -5), 10 ** chance.uniform(-11, -9))
    parse_spec(made_spec(changed(samples, noisy)), "spec.toml")


def test_a_turnaround_has_nothing_of_what_taking_lines_back_costs() -> None:
    eager = ABOUT.known.get("eager_bytes", Number(estimates().eager[0])).value
    plain = [(n, 4e-6 + n * 4e-10, 2e-6 + n * 2e-10) for n in (64, 1 << 14, 1 << 18)]
    longer = [(n, hop + (1e-10 * n if n > eager else 0.0), half) for n, hop, half in plain]
    of_plain, of_longer = (
        spec_of(estimates(relayed={"network": hops}, invalidation=back), ABOUT)
        for hops, back in ((plain, None), (longer, (1e-10, 1e-10, 1e-10)))
    )
    assert any(piece.turnaround for piece in of_plain.curve["network"])
    assert of_longer.curve == of_plain.curve and of_longer.invalidation_s_per_byte.value == 1e-10
