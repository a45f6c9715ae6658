"""collscope.testbed.network: what a test bed is, in numbers, and what each pattern can carry on it."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import pytest

from collscope.testbed import check
from collscope.testbed.network import Network, address, hardware_address, network_of
from refusals import refusal


def test_a_network_reads_back() -> None:
    network = Network(6, 25e6, 1e-3, 3, 2.0, 1e-4, own_limits=True)
    assert network_of(network.text()) == network


def test_a_leaf_carries_what_its_hosts_send_less_the_oversubscription() -> None:
    network = Network(hosts=8, bits_per_s=1514 * 8, leaves=2, oversubscription=4)
    assert network.uplink_bits_per_s == 1514 * 8 and [network.leaf(h) for h in range(8)] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert network.ceiling_bytes_per_s == pytest.approx(1460), "a full packet loses its headers"


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


def test_a_leaf_takes_as_much_from_others_as_its_uplink_carries_to_them() -> None:
    network = Network(hosts=6, leaves=3, oversubscription=4)  # an uplink is half as wide as a NIC
    assert check.carried(network, {0: [4], 2: [5]}) == pytest.approx(network.ceiling_bytes_per_s / 4)


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
def test_an_impossible_network_is_refused(network: Network, what: str) -> None:
    assert what in refusal(network.check)


def test_networks_at_the_limits_are_accepted() -> None:
    Network(hosts=2, bits_per_s=1e5, latency_s=0, oversubscription=1).check()
    Network(64, 1e9, 1, leaves=64, oversubscription=64, uplink_latency_s=1).check()


def test_a_network_is_described_in_words() -> None:
    assert Network().describe() == "8 hosts, 50 Mbit/s each way, 500 µs"
    assert Network(leaves=2).describe() == "8 hosts, 50 Mbit/s each way, 500 µs, 2 leaves, 1:1 oversubscribed"
    leaves = Network(4, 2.5e6, 1e-3, 2, 1.5, own_limits=True)
    assert leaves.describe() == (
        "4 hosts, 2.5 Mbit/s each way, 1000 µs, 2 leaves, 1.5:1 oversubscribed, Open MPI's own eager limits"
    )
    assert leaves.names() == ["h0", "h1", "h2", "h3"]


def test_each_host_has_its_addresses() -> None:
    assert (address(0), address(63), address(4, control=True)) == ("10.8.0.1", "10.8.0.64", "10.9.0.5")
    assert (hardware_address(0), hardware_address(63)) == ("02:00:00:00:00:00", "02:00:00:00:00:3f")


# ---- the check of a bed that is not there --------------------------------------------------------------------


def test_patterns_send_as_their_names_say() -> None:
    assert check.patterns(Network(hosts=5)) == {
        "one direction": {0: [1]},
        "both directions": {0: [1], 1: [0]},
        "all pairs, both directions": {0: [1], 1: [0], 2: [3], 3: [2]},
        "ring": {0: [1], 1: [2], 2: [3], 3: [4], 4: [0]},
        "one to all": {0: [1, 2, 3, 4]},
        "all to one": {1: [0], 2: [0], 3: [0], 4: [0]},
    }


class Peers:
    """Hosts that answer at once: streams end `late` after they could at best, bytes take `echoes`, `lost` segments were sent again."""

    def __init__(self, bed: SimpleNamespace, late: float, echoes: list[float], lost: int) -> None:
        self.bed, self.late, self.echoes, self.lost = bed, late, echoes, lost
        self.questions: list[dict[int, Any]] = []

    def ask(self, questions: dict[int, Any]) -> dict[int, dict[str, object]]:
        self.questions.append(questions)
        answers: dict[int, dict[str, object]] = {}
        for host, question in questions.items():
            if "send" in question:
                took = question["bytes"] / self.bed.network.ceiling_bytes_per_s * self.late
                answers[host] = {"end": question["at"] + self.bed.network.latency_s + took * (1 if host else 0.5)}
            else:
                answers[host] = (
                    {"half_round_trips_s": self.echoes} if "echo" in question else {"sent_again": self.lost * host}
                )
        return answers


SLOW = Network(hosts=3, bits_per_s=8e6 * 1514 / 1460)  # a million bytes per second


def checked(
    monkeypatch: pytest.MonkeyPatch, late: float, echoes: list[float], lost: int
) -> tuple[Peers, list[check.Finding]]:
    there = Peers(SimpleNamespace(network=SLOW), late, echoes, lost)
    monkeypatch.setattr(check, "peers", lambda bed: contextlib.nullcontext(there))
    monkeypatch.setattr(check.time, "monotonic", lambda: 100.0)
    return there, list(check.check(there.bed))


def test_findings_compare_claim_and_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams of the first host end in half of the time that one takes alone, those of the others in all of it."""
    there, found = checked(monkeypatch, 1.0, [500e-6 + k * 1e-6 for k in range(101)], 0)
    assert there.questions[0] == {0: {"send": ["10.8.0.2"], "bytes": 600_000, "at": 100.3}}
    assert there.questions[4] == {0: {"send": ["10.8.0.2", "10.8.0.3"], "bytes": 300_000, "at": 100.3}}
    assert there.questions[6:] == [{0: {"echo": "10.8.0.2", "times": 300}}, {h: {"sent_again": True} for h in range(3)}]
    assert [(f.what, round(f.claimed, 6), round(f.measured, 6), f.fine) for f in found if f.unit == "Mbit/s"] == [
        ("one direction", 8, 16, False), ("both directions", 8, 8, True), ("all pairs, both directions", 8, 8, True),
        ("ring", 8, 8, True), ("one to all", 4, 16, False), ("all to one", 4, 8, False),
    ]  # fmt: skip
    assert [(round(f.claimed, 6), round(f.measured, 6), f.fine) for f in found[6:]] == [
        (500, 510, True), (500, 550, True), (500, 599, True), (0, 0, True),
    ]  # fmt: skip


@pytest.mark.parametrize(("late", "fine"), [(0.965, False), (0.975, True), (1.03, True), (1.035, False)])
def test_a_rate_may_be_three_percent_off(late: float, fine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    _, found = checked(monkeypatch, late, [1e-3], 0)
    assert {f.fine for f in found if f.what in ("both directions", "ring")} == {fine}


@pytest.mark.parametrize(
    ("took", "fine"), [(499e-6, [False, False, True]), (749e-6, [True, True, True]), (751e-6, [False, False, True])]
)
def test_a_byte_takes_the_latency_and_little_more(
    took: float, fine: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slowest hundredth may be interrupted."""
    _, found = checked(monkeypatch, 1.0, [took], 1)
    assert [f.fine for f in found if f.unit == "µs"] == fine
    assert (found[-1].measured, found[-1].fine) == (3, False), "hosts 1 and 2 sent segments again"


def test_a_finding_has_a_ratio_and_a_verdict() -> None:
    assert (check.Finding("x", 50, 49, "", True).ratio, check.Finding("x", 0, 3, "", False).ratio) == ("0.980", "")
    assert (check.Finding("x", 1, 1, "", True).verdict, check.Finding("x", 1, 1, "", False).verdict) == (
        "holds",
        "DOES NOT HOLD",
    )
