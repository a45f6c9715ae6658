"""model:
routes over links between nodes: the timing engine beside SimGrid with explicit routes, where links are narrow and shared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from collscope.base import paths
from collscope.machines import find
from collscope.points.plan import Layout, Point
from collscope.sources import model
from driven import agree, drive, needs_simulation

pytestmark = needs_simulation()

CALLS = [
    ("alltoall", "pairwise_exchange"),
    ("alltoall", "linear"),
    ("allgather", "bucket"),
    ("allgather", "bruck"),
    ("barrier", "dissemination"),
    ("bcast", "mst"),
    ("allreduce", "recursive_doubling"),
    ("gather", "binomial"),
    ("barrier", "hierarchical"),
]
NARROW = "topology.link_bytes_per_s=1.0e9,network.s_per_byte=x12"
TEMPLATES = paths.ROOT / "platforms" / "templates"


@pytest.mark.parametrize(
    ("template", "values", "nodes", "mapping"),
    [
        ("torus", f"{NARROW},topology.allocation=2x3x3,topology.first=17", 18, "cyclic"),
        ("torus", "topology.allocation=scattered,topology.seed=3", 20, "block"),
        ("fat_tree", f"{NARROW},topology.oversubscription=16,topology.allocation=0-4+17-20+33-36", 13, "cyclic"),
        ("dragonfly", f"{NARROW},topology.global_bytes_per_s=1.5e9,topology.allocation=scattered", 15, "cyclic"),
    ],
)
def test_model_and_simulation_agree_on_every_topology(
    template: str, values: str, nodes: int, mapping: str, tmp_path: Path
) -> None:
    nodes_given = "" if "x3" in values or "+" in values else f",nodes={nodes}"
    name = f"{TEMPLATES / template}.toml[{values}{nodes_given}]"
    known = {f"{c}/{a}" for c, a in CALLS}
    points = [Point(key.partition("/")[0], key, count) for key in sorted(known) for count in (1, 5000)]
    agree(tmp_path, name, nodes + 5, points, nodes=nodes, mapping=mapping)


def test_the_routes_are_crowded_in_these_cases() -> None:
    """Without shared links of the topology the same call is faster: what is compared above is contention."""
    point = Point("alltoall", "alltoall/linear", 5000)
    for template, narrow, nodes in (("torus", "1e9", 18), ("fat_tree", "1e9", 32), ("dragonfly", "1e9", 16)):
        curve = "network.s_per_byte=x12"
        times = []
        for rate in (narrow, "1e15"):
            wide = f",topology.global_bytes_per_s={rate}" if template == "dragonfly" else ""
            on = find.load(f"{TEMPLATES / template}.toml[{curve},topology.link_bytes_per_s={rate}{wide}]")
            times.append(model.evaluate([(Layout(on, nodes, nodes, "block"), point)])[0]["model_s"])
        assert times[0] > 1.2 * times[1], template


@pytest.mark.parametrize("algorithm", ["alltoall/linear", "alltoall/pairwise"])
def test_an_oversubscribed_tree_slows_an_alltoall_across_leaves_in_simulation_and_model(
    algorithm: str, tmp_path: Path
) -> None:
    """Schooner's leaves have 27 nodes. Of 9 uplinks the three nodes of the other leaf have one in common, of 27 each its own."""
    point = Point("alltoall", algorithm, 16384)
    times: list[Any] = []
    for leaf, uplinks in ((9, 3), (9, 1), (1, 3)):  # distance of neighbours, oversubscription
        first = [leaf * n for n in range(3)]
        at = "+".join(map(str, [*first, *(27 + position for position in first)]))
        name = f"schooner[topology.allocation={at},topology.oversubscription={uplinks}]"
        times += agree(tmp_path, name, 6, [point])
    crowded, wide, apart = times
    assert crowded > 1.4 * wide
    assert apart == pytest.approx(wide, rel=1e-9)


def test_nodes_of_one_leaf_are_as_nodes_of_one_switch(tmp_path: Path) -> None:
    """To the last digit, whatever the tree above them is like."""
    points = [Point(c, f"{c}/{a}", 5000) for c, a in CALLS]
    for other in ("topology=switch", "topology.oversubscription=27", "topology.hop_latency_s=1"):
        layouts = [Layout(find.load(name), 8, 20, "cyclic") for name in ("schooner", f"schooner[{other}]")]
        one, two = (model.evaluate([(layout, p) for p in points]) for layout in layouts)
        assert [row["model_s"] for row in one] == [row["model_s"] for row in two]
    names = "schooner", "schooner[topology=switch]"
    assert drive(tmp_path, names[0], 20, points, nodes=8) == drive(tmp_path, names[1], 20, points, nodes=8)
