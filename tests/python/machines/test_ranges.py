"""collscope.machines.ranges: numbers that a file gives with a range are drawn, those of one class together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base.number import Number
from collscope.machines import find, ranges
from collscope.machines.completion import Unknown
from collscope.machines.spec import NUMBERS, Noise, Piece, Spec
from osu_alone import KNOWN, machine

NIC = "nic_gap_s = { value = 2e-7, range = [1e-7, 6e-7] }"
NETWORK = (
    "[{ from_bytes = 0, latency_s = { value = 2e-6, range = [1e-6, 4e-6] }, s_per_byte = 1e-9, gap_s = 1e-6, receive_gap_s = 5e-7 }, "
    "{ from_bytes = 4096, latency_s = { value = 3e-6, range = [2e-6, 4e-6] }, s_per_byte = 1e-9 }]"
)
WHOLE = """
nodes = 8
sockets = 2
cores_per_socket = 8
[curve]
node = [{ from_bytes = 0, latency_s = 0.7e-6, s_per_byte = 2.5e-10, gap_s = { value = 3e-7, range = [1e-7, 9e-7] }, turnaround_s = 0 }]
network = NETWORK
""".replace("NETWORK", NETWORK)


def given(folder: Path, nodes: int = 2, *lines: str) -> tuple[Spec, dict[str, Unknown]]:
    """The specification, and what is drawn of it, by what the file would give."""
    known = [line for line in KNOWN if not line.startswith(("nic_gap", "overhead"))]
    spec, _ = find.as_given(machine(folder, 'name = "m"', NIC, *known, *lines, text=WHOLE))
    return spec, {one.keys: one for one in ranges.given(spec, nodes)}


def test_numbers_with_a_range_are_drawn_of_the_network_only_between_nodes(tmp_path: Path) -> None:
    spec, found = given(tmp_path)
    spent = "gap_s, receive_gap_s and turnaround_s in curve.node"
    assert set(found) == {"curve.network", spent, "nic_gap_s"} and all(one.given for one in found.values())
    assert {one.keys for one in ranges.given(spec, 1)} == {spent}, "on one node there is no network"
    assert found["nic_gap_s"].measure == "osu_mbw_mr with all ranks of two nodes"


@pytest.mark.parametrize(("place", "gap"), [(0.0, 1e-7), (0.25, 1.5e-7), (0.5, 2e-7), (0.75, 4e-7), (1.0, 6e-7)])
def test_half_of_the_draws_lie_below_the_value(tmp_path: Path, place: float, gap: float) -> None:
    spec, found = given(tmp_path)
    assert found["nic_gap_s"].with_values(spec, {"nic_gap_s": place}).nic_gap_s.value == pytest.approx(gap)


def test_a_curve_is_drawn_whole_and_processors_keep_their_share(tmp_path: Path) -> None:
    spec, found = given(tmp_path)
    made = found["curve.network"].with_values(spec, {"curve.network": 1.0}).curve["network"]
    assert [p.latency.value for p in made] == pytest.approx([4e-6, 4e-6])
    assert made[0].gap and made[0].receive_gap
    assert (made[0].gap[0].value, made[0].receive_gap[0].value) == pytest.approx((2e-6, 1e-6))
    middle = found["curve.network"].with_values(spec, {"curve.network": 0.5})
    assert [p.latency.value for p in middle.curve["network"]] == pytest.approx([2e-6, 3e-6])


def test_processors_times_are_scaled_each_with_its_own_part_of_a_message() -> None:
    """Seconds with the latency, those of a byte with a byte's; a turnaround, too."""
    spent = {"gap": (7e-7, 3e-10), "receive_gap": (3e-7, 2e-10), "turnaround": (2e-7, 1e-10)}
    numbers = {kind: tuple(map(Number, of)) for kind, of in spent.items()}
    piece = Piece(0, Number(2e-6, range=(1e-6, 4e-6)), Number(1e-9), **numbers)  # type: ignore[arg-type]
    drawn = ranges._piece_at(piece, 1.0)
    for kind, (seconds, per_byte) in spent.items():
        assert [n.value for n in getattr(drawn, kind)] == pytest.approx([2 * seconds, per_byte])
    short = ranges._within(replace(piece, latency=Number(5e-7)))
    assert short.gap and [n.value for n in short.gap] == pytest.approx([3.5e-7, 3e-10])


def test_processors_spend_no_more_than_the_message_takes(tmp_path: Path) -> None:
    """The range of the gap goes beyond the latency."""
    spec, found = given(tmp_path)
    (unknown,) = (one for one in found.values() if "curve.node" in one.keys)
    for place, expected in ((0.0, 1e-7), (0.5, 3e-7), (1.0, 0.7e-6)):
        (piece,) = unknown.with_values(spec, dict.fromkeys(unknown.dimensions, place)).curve["node"]
        assert piece.gap and piece.gap[0].value == pytest.approx(expected) and piece.gap[0].value < piece.latency.value


def test_a_measured_curve_without_a_range_has_that_of_its_noise(tmp_path: Path) -> None:
    """Nine tenths of the single messages took 0.1 µs less to 0.4 µs more."""
    spec, _ = given(tmp_path)
    noise = Noise(0, ((0.0, -2e-7), (0.05, -1e-7), (0.5, 0.0), (0.95, 4e-7), (1.0, 1e-6)))
    noisy = Spec(**{name: getattr(spec, name) for name in spec.__dataclass_fields__} | {"noise": {"node": (noise,)}})
    (unknown,) = (one for one in ranges.given(noisy, 1) if one.keys == "curve.node")
    at = {
        place: unknown.with_values(noisy, {"curve.node": place}).curve["node"][0].latency.value for place in (0, 0.5, 1)
    }
    assert at == {0: pytest.approx(6e-7), 0.5: pytest.approx(7e-7), 1: pytest.approx(1.1e-6)}


def test_an_eager_limit_is_drawn_by_doublings(tmp_path: Path) -> None:
    limit = Number(8192.0, "inferred", "", (8192.0, 131072.0))
    assert [ranges._drawn_limit(limit, place).value for place in (0.0, 0.5, 0.75, 1.0)] == [8192, 8192, 32768, 131072]


def test_every_number_that_can_have_a_range_has_words_and_what_measures_it() -> None:
    assert set(NUMBERS) == set(ranges.MEASURED_WITH) and set(ranges.BETWEEN) < set(NUMBERS)
