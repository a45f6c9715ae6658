"""collscope.machines.limits: limits, doubts, curves that are missing or scaled, links that change nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base.errors import UsageError, UserError
from collscope.machines import find, limits, overrides
from collscope.machines.placement import hosts_of
from collscope.machines.spec_reader import parse_spec
from made_platforms import PRIME, SMALL, write


def test_several_nodes_need_a_curve_of_the_network(tmp_path: Path) -> None:
    path = write(tmp_path, re.sub(r"network = .*\n", "", SMALL))
    machine = find.load(path)
    assert len(hosts_of(machine, 1, 4)) == 4
    with pytest.raises(UserError, match=rf"{re.escape(path)}: there is no curve .* 2 nodes .* add network = "):
        hosts_of(machine, 2, 4)
    for nodes, lacks in ((1, False), (2, True)):
        text = re.sub(r"network = .*\n", "", SMALL).replace("nodes = 3", f"nodes = {nodes}")
        assert find.load(write(tmp_path, text, f"{nodes}.toml")).machine.lacks_network == lacks


@pytest.mark.parametrize("name", ["schooner", "ideal[alpha=1]"])
def test_usual_numbers_and_theory_are_not_doubted(capsys: pytest.CaptureFixture[str], name: str) -> None:
    find.load(name)
    assert capsys.readouterr().err == ""


def test_every_advised_platform_has_room_for_the_ranks() -> None:
    """Every --on in a complaint about ranks that do not fit is a machine on which they fit."""
    for name, nodes, ranks in (
        ("ideal[cores=1]", 4096, 4096),
        ("ideal[cores=4]", 300, 1200),
        ("schooner", 20, 800),
        ("schooner", 10, 800),
        ("schooner[nodes=20]", 20, 800),
        ("schooner", 17, 17),
        ("schooner", 20, 18),
    ):
        with pytest.raises(UsageError) as caught:
            hosts_of(find.load(name), nodes, ranks)
        advice = re.search(r"say --on '(.*)'(?: --nodes (\d+))?$", str(caught.value))
        if advice:
            assert len(hosts_of(find.load(advice.group(1)), int(advice.group(2) or nodes), ranks)) == ranks
        else:
            fewer = re.search(r"use --nodes (\d+)$", str(caught.value))
            assert fewer, str(caught.value)
            assert len(hosts_of(find.load(name), int(fewer.group(1)), ranks)) == ranks


def test_a_machine_that_is_too_large_is_not_advised() -> None:
    with pytest.raises(UsageError, match="at most 4194304 in all$"):
        hosts_of(find.load("schooner"), 300_000, 300_000)


def test_a_file_beside_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, SMALL, "mine.toml")
    with pytest.raises(UsageError, match=r"did you mean \./mine\.toml\[nodes=2\]\?"):
        find.load("mine[nodes=2]")
    with pytest.raises(UsageError, match=r"say --on './mine\.toml\[nodes=4\]'"):
        hosts_of(find.load("./mine.toml[nodes=2]"), 4, 4)
    assert find.load("./mine.toml[nodes=2]").max_nodes == 2


def test_a_machine_has_at_most_so_many_cores_and_nodes() -> None:
    node, cores = limits.MAX_OF_A_NODE, limits.MAX_CORES
    assert limits.too_large(cores, 1) == limits.too_large(1, node) == limits.too_large(cores // node, node) == ""
    assert limits.too_large(1, node + 1) == f"{node + 1} cores of a node are too many: at most {node}"
    assert (
        limits.too_large(cores + 1, 1) == f"{cores + 1} nodes of 1 cores are {cores + 1} cores: at most {cores} in all"
    )
    most = limits.SIMULATED_NODES
    assert limits.beyond_simulation(most, 2) == limits.beyond_simulation(limits.SIMULATED_CORES, 1) == ""
    assert limits.beyond_simulation(most + 1, 2) == f"{most + 1} nodes are too many for a simulation: at most {most}"
    assert "cores are too many for a simulation" in limits.beyond_simulation(limits.SIMULATED_CORES + 1, 1)
    with pytest.raises(UserError, match=f"cores of a node are too many: at most {node}"):
        parse_spec(PRIME.replace("cores_per_socket = 6", f"cores_per_socket = {3 * node}"), "prime.toml")


@pytest.mark.parametrize(
    ("change", "printed"),
    [
        (("1.9e-6, 3.7e-10", "9.9e-4, 3.7e-10"), ""),
        (("1.9e-6, 3.7e-10", "1e-3, 3.7e-10"), "curve.network: latency_s 0.001 is 1 ms where 1 to 30 µs is usual"),
        (("[5003, 2.9e-6,", "[1048575, 2e-3,"), "curve.network: latency_s 0.002 is 2 ms where 1 to 30 µs is usual"),
        (("[5003, 2.9e-6,", "[1048576, 2e-3,"), ""),
        (("8.3e-7, 2.3e-10", "9.9e-5, 2.3e-10"), ""),
        (("8.3e-7, 2.3e-10", "1e-4, 2.3e-10"), "curve.node: latency_s 0.0001 is 100.0 µs where 0.2 to 2 µs is usual"),
        (("1.9e-6, 3.7e-10", "1.9e-6, 9.9e-8"), ""),
        (("1.9e-6, 3.7e-10", "1.9e-6, 1e-7"), "curve.network: s_per_byte 1e-07 is 10 MB/s where 1 GB/s or more is usual"),
        (("6.1e-7, 1.7e-10", "6.1e-7, 9.9e-9"), ""),
        (("6.1e-7, 1.7e-10", "6.1e-7, 1e-8"), "curve.socket: s_per_byte 1e-08 is 100 MB/s where"),
        (("7e-11", "9.9e-9"), ""),
        (("7e-11", "1e-8"), "copy_s_per_byte: 1e-08 is 100 MB/s where 1 GB/s or more is usual; were nanoseconds meant?"),
        (("3.1e-10\ncopy", "2e-4\ncopy"), "gamma_s_per_byte: 0.0002 is 5 kB/s where"),
        (("6.1e-7, 1.7e-10", "6.1e-7, 2e-3"), "curve.socket: s_per_byte 0.002 is 500 B/s where"),
        (("nodes = 3", "nodes = 1"), ""),
    ],
)  # fmt: skip
def test_from_where_on_a_number_is_doubted(change: tuple[str, str], printed: str) -> None:
    heard: list[str] = []
    assert change[0] in PRIME
    parse_spec(PRIME.replace(*change), "prime.toml", say=heard.append)
    assert len(heard) == bool(printed), heard
    assert printed in "".join(heard) and all(re.match(r"prime\.toml:\d+: ", text) for text in heard)


def test_a_slow_overhead_is_doubted_and_a_class_that_does_not_occur_is_not() -> None:
    heard: list[str] = []
    slow = re.sub(r"\[0, \S+,", "[0, 9e-4,", PRIME.partition("[curve]")[0]) + "[curve]\nnetwork = [[0, 9e-4, 1e-9]]\n"
    for overhead in ("9.9e-5", "1e-4"):
        parse_spec(slow.replace("1.3e-7", overhead), "prime.toml", say=heard.append)
    # The network's curve serves the other classes, too, and is judged by what a network takes.
    assert [text.partition(": ")[2] for text in heard] == [
        "overhead_s: 0.0001 is 100.0 µs where 0.05 to 1 µs is usual; were microseconds meant?"
    ]
    heard.clear()
    parse_spec(PRIME.replace("nodes = 3", "nodes = 1").replace("1.9e-6", "1"), "prime.toml", say=heard.append)
    assert heard == []


def test_measured_numbers_are_not_doubted() -> None:
    """A slow network that was measured is one; of the same number without a tag the unit is doubted."""
    text = PRIME.partition("[curve]")[0].replace("copy_s_per_byte = 7e-11", "copy_s_per_byte = COPY")
    text += "[[curve.network]]\nfrom_bytes = 0\nlatency_s = LATENCY\ns_per_byte = 2e-7\n"
    heard: list[str] = []
    for tag in ("measured", "inferred"):
        numbers = {key: f'{{ value = {value}, tag = "{tag}" }}' for key, value in (("LATENCY", 2e-3), ("COPY", 2e-8))}
        slow = text.replace("2e-7", f'{{ value = 2e-7, tag = "{tag}" }}')
        for key, table in numbers.items():
            slow = slow.replace(key, table)
        parse_spec(slow, "prime.toml", say=heard.append)
        assert len(heard) == (0 if tag == "measured" else 2), heard


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (
            {"nic_bytes_per_s": "6e9"},
            r"^prime: nic_bytes_per_s 6e\+09 instead of 5e\+09: .* as curve.network says.*: "
            r"\[nic_bytes_per_s=6e9,network.s_per_byte=x0.833\]$",
        ),
        ({"nic_bytes_per_s": "20e9"}, r"x0.25,switch_bytes_per_s=1.679e\+10\]$"),  # 1.3 / (3.1e-10 / 4) = 16.77e9
        ({"switch_bytes_per_s": "22e9"}, r" 2.2e\+10 instead of 1.1e\+10: .*nic_bytes_per_s=8.395e\+09\]$"),
        ({"interconnect_bytes_per_s": "34e9"}, r"curve.node .*node.s_per_byte=x0.5,core_bytes_per_s=2.524e\+10\]$"),
        ({"nic_bytes_per_s": "5e9"}, ""),
        ({"nic_bytes_per_s": "4.5e9"}, ""),
        ({"nic_bytes_per_s": "6e9", "nodes": "1"}, ""),
        ({"nic_bytes_per_s": "6e9", "network.s_per_byte": "x0.9"}, ""),
        ({"interconnect_bytes_per_s": "34e9", "sockets": "1"}, ""),
        ({"core_bytes_per_s": "34e9"}, ""),
    ],
)  # fmt: skip
def test_a_wider_link_that_makes_no_message_faster(values: dict[str, str], says: str) -> None:
    heard: list[str] = []
    parse_spec(PRIME, "prime.toml", values, heard.append)
    assert len(heard) == bool(says), heard
    assert re.search(says, "".join(heard)), heard
    for advice in heard:  # with what it says to write, there is nothing more to say
        faster = overrides.values_of(advice.rpartition("[")[2].rstrip("]"), "prime")
        parse_spec(PRIME, "prime.toml", faster, heard.append)
        assert len(heard) == 1


def test_advice_for_a_wider_nic_widens_the_links_between_nodes_too(capsys: pytest.CaptureFixture[str]) -> None:
    find.load("schooner[nic_bytes_per_s=40e9]")
    (advice,) = re.findall(r"With the curve: (\[.*\])", capsys.readouterr().err)
    assert "switch_bytes_per_s=" in advice and "topology.link_bytes_per_s=" in advice
    find.load(f"schooner{advice}")
    assert capsys.readouterr().err == ""


def test_a_wider_nic_whose_curve_cannot_follow_has_no_advice(capsys: pytest.CaptureFixture[str]) -> None:
    """Which would be what was asked for."""
    find.load("ib_multicore[nic_bytes_per_s=x4]")
    heard = capsys.readouterr().err
    assert "a message alone takes as long as before" in heard and "With the curve" not in heard
