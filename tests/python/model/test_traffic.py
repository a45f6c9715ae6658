"""model/traffic.c: bytes over links, beside the same count from the messages of a trace and the routes of machines/topology.py."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from collscope.base.files import write_atomically
from collscope.catalogue import prover
from collscope.machines import find
from collscope.machines.machine_file import machine_file, places_in
from collscope.machines.topology import positions, route
from collscope.points.plan import Layout, Point, plan_text
from collscope.sources import model
from collscope.sources.source import Options

GLOBAL = {"fat_tree": "up", "dragonfly": "global"}


@pytest.mark.parametrize(
    "name",
    [
        "schooner[nodes=12,topology.allocation=scattered]",
        "narval[nodes=12,topology.allocation=0-5+60-65]",
        "jaguar[nodes=12,topology.allocation=scattered,topology.seed=2]",
        "jaguar[nodes=12,topology.dims=3x4]",
        "lumi_c[nodes=12,topology.allocation=scattered]",
        "ideal[cores=2]",
    ],
)
@pytest.mark.parametrize(
    "key", ["allreduce/bine", "alltoall/bruck", "bcast/circulant[s=1024]", "allreduce/hierarchical"]
)
def test_the_count_is_that_of_the_messages_and_their_routes(name: str, key: str, tmp_path: Path) -> None:
    nodes, ranks = 12, 24
    platform = find.load(name)
    point = Point(key.partition("/")[0], key, 480)
    text = machine_file(platform, nodes, ranks)
    write_atomically(tmp_path / "machine", text)
    (reply,) = prover.replies(
        ["--model", tmp_path / "machine", "--trace", "--traffic", "--plan", "-"], plan_text([("1", point)], ranks)
    )
    assert reply["kind"] == "ok", reply["status"]
    node = [place[0] for place in places_in(text)]
    spec = find.load_spec(name) if not name.startswith("ideal") else None
    at = positions(spec.topology, spec.nodes) if spec else range(ranks)
    network = 0
    links: Counter[tuple[str, int, int]] = Counter()
    for source, target, size, *_ in reply["messages"]:
        if node[source] == node[target]:
            continue
        network += size
        for link in (
            route(spec.topology.kind, spec.topology.whole_shape, at[node[source]], at[node[target]]) if spec else []
        ):
            links[link] += size
    kind = GLOBAL.get(spec.topology.kind) if spec else None
    assert reply["traffic"] == {
        "network_bytes": network,
        "link_bytes": links.total(),
        "global_bytes": sum(n for link, n in links.items() if link[0] == kind) if kind else None,
        "busiest_bytes": max(links.values(), default=0),
    }
    assert network > 0


def test_rows_have_it_by_option() -> None:
    task = Layout(find.load("lumi_c[nodes=8]"), 8, 8), Point("bcast", "bcast/mst", 100)
    (plain,), (counted,) = (model.rows([task], Options(quiet=True, traffic=count)) for count in (False, True))
    assert "link_bytes" not in plain
    assert (counted["network_bytes"], counted["global_bytes"], counted["median_s"]) == (2800, 0, plain["median_s"])
