"""collscope.calibration.remarks: what a user should doubt is said, and what is usual is not."""

from __future__ import annotations

import random

import pytest

from collscope.calibration import remarks
from collscope.calibration.curves import CurveFit, Piece, Point, curve_at, jumps_of, pieces_of
from collscope.machines.spec_reader import parse_spec

HEAD = "name = 'x'\nnodes = 2\nsockets = 2\ncores_per_socket = 2\ncores_per_cache = 1\n"


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (
            12.8e9,
            "network: 12.8 GB/s is 102.4 Gbit/s, and a NIC of 100 Gbit/s carries at most 12.5 GB/s, headers included",
        ),
        (12.5e9, ""),
        (13.7e9, "a NIC of 100 Gbit/s"),
        (13.8e9, ""),  # of a faster NIC
        (50e6, ""),
    ],
)
def test_a_rate_a_little_above_a_line_s_is_doubted(rate: float, text: str) -> None:
    found = [*remarks.of_rate("network", rate)]
    assert text in found[0] if text else not found


def of_spec(curve: str, more: str = "") -> list[str]:
    return [*remarks.of_spec(parse_spec(f"{HEAD}{more}\n[curve]\n{curve}", "x.toml"))]


def test_long_messages_that_are_faster_than_their_nic_are_doubted() -> None:
    node, network = "node = [[0, 1e-6, 1e-10]]\n", "network = [[0, 1e-6, 1e-10, 0.5]]"
    assert of_spec(node + network, "nic_bytes_per_s = 9.7e9") == [
        "network: long messages move 10 GB/s, and nic_bytes_per_s is 9.7 GB/s: one is wrong"
    ]
    assert of_spec(node + network, "nic_bytes_per_s = 9.8e9") == of_spec(node + network) == []
    measured = 'nic_bytes_per_s = { value = 12.6e9, tag = "measured", source = "s" }'
    assert of_spec(node + network, measured)[0].startswith("nic_bytes_per_s: 12.6 GB/s is 100.8 Gbit/s")


def test_a_node_that_takes_the_network_s_times_is_named() -> None:
    network = "network = [[0, 1e-6, 1e-10]]"
    assert of_spec(network) == [
        "socket and node: no times of such messages are known, so they take as long as the network's; measure two ranks of one node"
    ]
    assert of_spec(f"socket = [[0, 1e-6, 1e-10]]\n{network}")[0].startswith("node: no times of such")
    assert of_spec(f"node = [[0, 1e-6, 1e-10]]\n{network}") == [], "a socket takes the node's"


def fit(noise: float, seed: int, pieces: list[Piece]) -> CurveFit:
    chance = random.Random(seed)
    points = [Point(1 << k, curve_at(pieces, 1 << k) * (1 + chance.uniform(-noise, noise))) for k in range(23)]
    return CurveFit(tuple(points), tuple(pieces_of(points, jumps=jumps_of([points]))), tuple(jumps_of([points])))


def test_pieces_that_were_drawn_from_noise_are_doubted() -> None:
    """A line that is wrong by up to 2 % comes out as three pieces, which predict left-out sizes no better than one."""
    noisy, line = fit(0.02, 2, [(0, 1e-6, 8e-11)]), [(0, 1e-6, 8e-11)]
    assert len(noisy.pieces) == 3
    (text,) = remarks.of_fit("network", noisy)
    assert text.startswith(
        "network: 1 piece would predict sizes that were left out as well as the 3 of the curve (1.2% median)"
    )
    assert not [*remarks.of_fit("network", fit(0.0, 1, line))]
    three: list[Piece] = [(0, 1.6e-6, 4e-10), (4096, 1.2e-6, 4.9765625e-10), (16384, 12e-6, 8e-11)]
    assert len(fit(0.005, 1, three).pieces) >= 3 and not [*remarks.of_fit("network", fit(0.005, 1, three))]
