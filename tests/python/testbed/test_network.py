"""What a test bed is, in numbers, and what each pattern can carry on it."""

from __future__ import annotations

import pytest

from collscope.base.errors import UsageError
from collscope.testbed import check
from collscope.testbed.network import Network, network_of


def test_a_network_reads_back() -> None:
    network = Network(6, 25e6, 1e-3, 3, 2.0, 1e-4, own_limits=True)
    assert network_of(network.text()) == network


def test_a_full_packet_loses_its_headers() -> None:
    assert Network(bits_per_s=1514 * 8).ceiling_bytes_per_s == pytest.approx(1460)


def test_a_leaf_carries_what_its_hosts_send_less_the_oversubscription() -> None:
    network = Network(hosts=8, bits_per_s=50e6, leaves=2, oversubscription=4)
    assert network.uplink_bits_per_s == 50e6
    assert [network.leaf(h) for h in range(8)] == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("sends", "share"),
    [
        ({0: [1]}, 1),
        ({0: [1], 1: [0]}, 1),
        ({0: [1, 2, 3]}, 1 / 3),
        ({1: [0], 2: [0], 3: [0]}, 1 / 3),
        ({0: [2], 1: [3]}, 1 / 2),  # both cross the one uplink, which is as wide as a NIC
        ({0: [2], 2: [0]}, 1),
        ({0: [1], 1: [3]}, 1),
    ],
)
def test_a_pattern_has_what_its_narrowest_port_leaves(sends: dict[int, list[int]], share: float) -> None:
    network = Network(hosts=4, leaves=2, oversubscription=2)
    assert check.carried(network, sends) == pytest.approx(network.ceiling_bytes_per_s * share)


def test_patterns_are_of_hosts_that_are_there() -> None:
    for hosts in (2, 3, 8):
        for sends in check.patterns(Network(hosts=hosts)).values():
            assert all(0 <= t < hosts and t != s for s, to in sends.items() for t in to)


@pytest.mark.parametrize(
    ("network", "what"),
    [
        (Network(hosts=1), "--hosts 1"),
        (Network(hosts=65), "2 to 64"),
        (Network(hosts=8, leaves=3), "must divide the 8 hosts"),
        (Network(hosts=8, leaves=16), "--leaves 16"),
        (Network(bits_per_s=2e9), "--rate"),
        (Network(latency_s=2), "--latency"),
        (Network(oversubscription=0.5), "--oversubscription"),
    ],
)
def test_what_cannot_be_is_refused(network: Network, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        network.check()
