"""collscope.machines.plain_hosts, model/given.h, platforms/plugin: platform files of SimGrid whose hosts do not say where they sit."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.commands.cli import cli
from collscope.machines import find, plain_hosts
from collscope.machines.completion import RANGES, at
from collscope.machines.machine_file import machine_file
from collscope.machines.platform import Platform, content_hash
from collscope.sources import unknowns
from made_platforms import write
from refusals import refusal
from simulated import makespans, modelled, simulated

pytestmark = simulated

CLUSTER = '<cluster id="c" prefix="n" suffix=".x" radical="0-11" speed="1Gf" core="2" bw="1GBps" lat="5us" bb_bw="1.5GBps" bb_lat="1us"/>'
TORUS = (
    '<cluster id="t" prefix="n" suffix="" radical="0-5" speed="1Gf" bw="1GBps" lat="5us" topology="TORUS" topo_parameters="3,2" '
    'loopback_bw="3GBps" loopback_lat="300ns"/>'
)
# Two hosts in a zone of their own, one outside: their routes differ in length, latency and bandwidth, and share a link.
NESTED = """
<zone id="in" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="2Gf"/><router id="out"/>
<link id="near" bandwidth="2GBps" latency="300ns"/><link id="door" bandwidth="500MBps" latency="1us"/>
<route src="a" dst="b"><link_ctn id="near"/></route>
<route src="a" dst="out"><link_ctn id="near"/><link_ctn id="door"/></route>
<route src="b" dst="out"><link_ctn id="door"/></route>
</zone>
<zone id="alone" routing="Full"><host id="c" speed="1Gf"/></zone>
<link id="wide" bandwidth="10Gbps" latency="20us" sharing_policy="FATPIPE"/>
<zoneRoute src="in" dst="alone" gw_src="out" gw_dst="c"><link_ctn id="wide"/></zoneRoute>
"""
PAIR = '<host id="h{}" speed="1Gf"/><host id="h{}" speed="1Gf"/>\n'
LINK = '<link id="l" bandwidth="1GBps" latency="1us"/>'
ROUTE = '<route src="{}" dst="{}"><link_ctn id="{}"/></route>'


def text(inside: str, config: str = "") -> str:
    return (
        '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'
        f'<config>{config}</config>\n<zone id="w" routing="Full">\n{inside}\n</zone></platform>\n'
    )


def pair(config: str = "", route: str = "h0 h1 l", names: tuple[object, object] = (0, 1)) -> str:
    return text(PAIR.format(*names) + LINK + (ROUTE.format(*route.split()) if route else ""), config)


def setting(name: str, value: str) -> str:
    return f'<prop id="{name}" value="{value}"/>'


CHARGED = (
    setting("smpi/os", "0:1e-6:1e-10;5000:3e-6:2e-10")
    + setting("smpi/ois", "0:7e-7:3e-11")
    + setting("smpi/or", "0:9e-7:0;100:2e-6:4e-11")
)


@pytest.fixture
def load(tmp_path: Path):
    return lambda content: find.load(write(tmp_path, content, "mine.xml"))


def bcast(platform: Platform, folder: Path, count: int) -> float:
    (seconds,) = makespans(platform, 2, 2, folder, f"collective=bcast algorithm=bcast/linear count={count}")
    return seconds


def test_each_host_is_a_node_of_its_cores_in_the_order_of_its_number(load) -> None:
    cluster = load(text(CLUSTER))
    assert (cluster.max_nodes, cluster.cores_per_node) == (12, 2)
    assert [node[0].name for node in cluster.nodes[9:]] == ["n9.x", "n10.x", "n11.x"]
    assert [(h.node, h.socket, h.cache) for h in cluster.nodes[3]] == [(3, 3, 3)] * 2
    assert (cluster.classes(1), cluster.classes(2)) == (("cache",), ("cache", "network"))
    assert [node[0].name for node in load(text(NESTED)).nodes] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("content", "config", "nodes", "ranks"),
    [(CLUSTER, "", 5, 10), (TORUS, "", 6, 6), (NESTED, "", 3, 3), (CLUSTER, CHARGED, 5, 10)],
    ids=["cluster", "torus", "nested", "processors' time"],
)
def test_model_and_simulation_agree_on_routes_factors_and_shares(
    load, tmp_path: Path, content: str, config: str, nodes: int, ranks: int
) -> None:
    """With SMPI's own factors, messages weighed by their latency, and a part of each message on the way back."""
    points = [
        f"collective={algorithm.partition('/')[0]} algorithm={algorithm} count={count} op=sum"
        for algorithm in ("bcast/mst", "alltoall/linear", "gather/linear_nb", "allreduce/bucket")
        for count in (16, 900, 1 << 18)
    ]
    on = load(text(content, config))
    assert modelled(on, nodes, ranks, tmp_path, *points) == pytest.approx(
        makespans(on, nodes, ranks, tmp_path, *points), rel=1e-9
    )


def test_the_file_s_own_config_says_what_messages_cost(load, tmp_path: Path) -> None:
    plain = "".join(setting(f"smpi/{kind}-factor", "0:1") for kind in ("lat", "bw")) + setting(
        "network/crosstraffic", "0"
    )
    assert bcast(load(pair(plain)), tmp_path, 25000) == pytest.approx(1e-6 + (100000 + 16) / 1e9, rel=1e-9)
    window = load(pair(plain + setting("network/TCP-gamma", "200")))  # 200 bytes per two latencies
    assert bcast(window, tmp_path, 25000) == pytest.approx(1e-6 + (100000 + 16) / 1e8, rel=1e-9)
    charged = load(pair(plain + "".join(setting(f"smpi/{key}", "0:1e-5:0") for key in ("os", "ois"))))
    assert bcast(charged, tmp_path, 1) == pytest.approx(1.1e-5 + 20 / 1e9, rel=1e-6)
    apart = load(pair(plain + setting("smpi/async-small-thresh", "1000")))
    assert apart.machine.eager_bytes == 999
    assert "neither wait nor start at once, which the model does not know" in refusal(machine_file, apart, 2, 2)
    unit = load(pair(plain + setting("smpi/os", "0:1us:0")))
    assert refusal(machine_file, unit, 2, 2).endswith(
        "mine.xml: its <config> sets smpi/os to 0:1us:0, which the model does not know; take --source sim"
    )


def test_everything_that_is_assumed_is_listed(load, capsys: pytest.CaptureFixture[str]) -> None:
    load(pair())
    printed = capsys.readouterr().err
    for words in (
        "mine.xml: assumed, as it does not say: 1 core per host",
        "gamma_s_per_byte 2.5e-10, copy_s_per_byte 2e-10",
        "no processor time per message",
        "messages up to 65535 bytes do not wait",
        "SMPI's own factors",
    ):
        assert words in printed
    load(
        pair(
            "".join(
                setting(*one) for one in (("smpi/os", "0:0:0"), ("smpi/bw-factor", "0:1"), ("smpi/lat-factor", "0:1"))
            )
        )
    )
    printed = capsys.readouterr().err
    assert "no processor time" not in printed and "factors" not in printed
    load(text(CLUSTER))
    assert "1 core per host" not in capsys.readouterr().err


def test_run_prints_what_is_assumed_and_gives_no_words_as_sure(load, tmp_path: Path) -> None:
    file = write(tmp_path, text(CLUSTER), "mine.xml")
    done = CliRunner().invoke(
        cli, ["run", "--on", file, "-c", "bcast", "-a", "all", "--ranks", "4", "--bytes", "4", "--source", "model"]
    )
    assert done.exit_code == 0, done.output
    assert "assumed, as it does not say" in done.output and "linear" in done.output
    words = "Judged over draws of what is not known of the machine: smpi/os and smpi/or in <config>; a specification's"
    assert words in " ".join(done.output.split())


def test_draws_of_what_a_file_leaves_open_reach_the_model(load, tmp_path: Path) -> None:
    """One message of 4 bytes: with what the two processors spend on it, a share of its latency each, twice its route's."""
    exact = setting("smpi/lat-factor", "0:2") + setting("smpi/bw-factor", "0:1")
    on = load(pair(exact + setting("network/crosstraffic", "0")))
    processor, local = unknowns.unknowns(on, 2)
    (plain,) = modelled(on, 2, 2, tmp_path, "collective=bcast algorithm=bcast/linear count=1")
    made = processor.with_values(on, {"send network": 1.0, "receive network": 0.5})
    (slower,) = modelled(made, 2, 2, tmp_path, "collective=bcast algorithm=bcast/linear count=1")
    spent = at(RANGES["send network"], 1.0) + at(RANGES["receive network"], 0.5)
    assert slower - plain == pytest.approx(spent * 2e-6)
    slow = local.with_values(on, {"gamma": 0.5, "copy": 1.0})
    copy = at(RANGES["copy by itself"], 1.0)
    assert slow.nodes[1][0].copy_s_per_byte == copy and slow.gamma_s_per_byte == at(RANGES["gamma"], 0.5) * copy
    assert len({machine_file(p, 2, 2) for p in unknowns.drawn(on, [processor, local], 20)}) == 20
    charged = load(pair(setting("smpi/os", "0:1e-6:0")))
    assert unknowns.unknowns(charged, 2) == [local], "the file says what processors spend"
    assert not any(unknown.dimensions for unknown in unknowns.unknowns(on, 65)), "too many routes to draw"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pair(route="h0 h2 l"), "mine.xml:7: "),
        (pair(route="h0 h1 missing"), "mine.xml:7: Link not found: missing"),
        (pair(route=""), "mine.xml: there is no route from h0 to h1; each pair needs one"),
        (pair(names=(0, " 1")), "mine.xml:6: host 'h 1': a host's id is made of letters, digits and _ . - @ /"),
        (text(CLUSTER.replace('"n"', '"n "')), 'mine.xml: the host "n 0.x" has a blank in its name, which smpirun\'s'),
        (text('<router id="r"/>'), "mine.xml: SimGrid finds no host in it; a platform needs one <host> or <cluster>"),
        (text(CLUSTER.replace("5us", "5 parsec")), "mine.xml:6: "),
        (pair().replace('latency="1us"', 'latency="-1us"'), "mine.xml:7: link l: latency must not be negative"),
    ],
    ids=["unknown host", "unknown link", "no route", "blank", "blank in a cluster", "no host", "unit", "link"],
)
def test_a_file_that_simgrid_cannot_use_is_refused_with_its_line(load, content: str, message: str) -> None:
    printed = refusal(load, content)
    assert message in printed and len(printed) < 500 and "\n" not in printed, printed


def test_two_hosts_without_a_route_are_named_by_model_and_simulation(load, tmp_path: Path) -> None:
    middle = text('<host id="h1" speed="1Gf"/>' + PAIR.format(0, 2) + LINK + ROUTE.format("h0", "h2", "l"))
    assert refusal(machine_file, load(middle), 3, 3).endswith(
        "mine.xml: there is no route from h0 to h1; each pair needs one"
    )
    words = ["run", "--on", str(tmp_path / "mine.xml"), "-c", "bcast", "-a", "linear", "--ranks", "3", "--bytes", "4"]
    printed = CliRunner().invoke(cli, words).exception
    assert "to send data from h0 to h1 but there is no connecting path" in str(printed), printed


def test_too_many_routes_and_a_network_without_fixed_bandwidth_are_not_modelled(
    load, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = load(text(CLUSTER))
    monkeypatch.setattr(plain_hosts, "MAX_ROUTED", 3)
    assert machine_file(cluster, 3, 3).count("\nroute ") == 9
    assert "4 nodes are too many to be modelled by single routes: at most 3; take fewer --nodes" in refusal(
        machine_file, cluster, 4, 4
    )
    wifi = load(
        text(
            '<zone id="z" routing="WIFI"><prop id="access_point" value="ap"/><router id="ap"/><host id="s1" speed="1Gf"/>'
            '<host id="s2" speed="1Gf"/><link id="air" sharing_policy="WIFI" bandwidth="54Mbps,36Mbps" latency="0ms"/></zone>'
        ).replace('routing="Full"', 'routing="None"', 1)
    )
    assert "bandwidth depends on who uses them (Wi-Fi, or not linear), which the model does not know" in refusal(
        machine_file, wifi, 2, 2
    )


def test_no_bound_is_given_where_each_pair_has_its_own_route(load) -> None:
    assert "take --source sim or model" in refusal(lambda: load(pair()).curve)


def test_costs_of_formulas_take_the_first_latency_factor_and_the_last_of_bandwidth(load) -> None:
    factors = setting("smpi/lat-factor", "0:3;9000:5") + setting("smpi/bw-factor", "0:0.25;9000:0.5")
    lines = machine_file(load(pair(factors)), 2, 2).splitlines()
    assert f"bound 3e-06 2e-09 {plain_hosts.GAMMA_S_PER_BYTE}" in lines


def test_the_hash_of_a_platform_knows_what_was_assumed(load) -> None:
    cluster = load(text(CLUSTER))
    local = [plain_hosts.with_local(cluster, *costs) for costs in ((1e-10, 2e-10), (2e-10, 1e-10))]
    hashes = {content_hash(platform) for platform in (cluster, *local)}
    assert len({*hashes, content_hash(load(text(TORUS)))}) == 4


def test_without_its_plug_in_simgrid_reads_nothing(load, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(programs, "PLUGIN", tmp_path / "smpi" / "plugin.so")
    with pytest.raises(
        UserError, match=r"plugin\.so is missing; SimGrid reads .*mine\.xml; build it: cmake --preset smpi"
    ):
        load(pair())
