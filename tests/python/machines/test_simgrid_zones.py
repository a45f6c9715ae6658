"""collscope.machines.topology: routes beside those of SimGrid's own zones; pings over links of 1 s each count the links."""

from __future__ import annotations

import math
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.machines import find
from collscope.machines.platform import NETWORK_SETTINGS
from collscope.machines.topology import coordinates, route
from collscope.machines.xml_writer import head

pytestmark = pytest.mark.skipif(
    not (shutil.which("smpirun") and shutil.which("smpicc")), reason="needs SimGrid (smpirun, smpicc)"
)
HELPERS = Path(__file__).parents[1] / "helpers"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pings") / "pings"
    subprocess.run(["smpicc", "-O2", str(HELPERS / "pings.c"), "-o", str(made)], check=True)
    return made


def pings(program: Path, platform: Path, hosts: list[str], folder: Path, size: int = 0) -> dict[tuple[int, int], float]:
    """Half a round trip of every pair, in seconds."""
    (folder / "hosts").write_text("\n".join(hosts) + "\n", encoding="utf-8")
    command = ["smpirun", "-np", str(len(hosts)), "-platform", platform, "-hostfile", folder / "hosts"]
    command += ["--cfg=network/model:CM02", "--cfg=smpi/simulate-computation:no", program, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = [line.split() for line in done.stdout.splitlines()]
    return {(int(a), int(b)): float(seconds) for a, b, seconds in rows}


def hops(program: Path, kind: str, parameters: str, hosts: int, folder: Path) -> dict[tuple[int, int], int]:
    """Links between two hosts of SimGrid's zone, half of those there and back."""
    words = f'id="zone" prefix="h" suffix="" radical="0-{hosts - 1}" speed="1Gf" sharing_policy="SPLITDUPLEX"'
    cluster = f'  <cluster {words} bw="1e15Bps" lat="1s" topology="{kind}" topo_parameters="{parameters}"/>'
    (folder / "zone.xml").write_text("\n".join([*head("hops", NETWORK_SETTINGS), cluster, "</platform>"]))
    times = pings(program, folder / "zone.xml", [f"h{n}" for n in range(hosts)], folder)
    assert len(times) == hosts * (hosts - 1)
    assert all(abs(seconds - round(seconds)) < 1e-6 for seconds in times.values())
    return {pair: round(seconds) for pair, seconds in times.items()}


@pytest.mark.parametrize("shape", [(4, 3, 2), (5,), (2, 6), (3, 1, 4)])
def test_a_torus_has_as_many_links_between_two_nodes(shape: tuple[int, ...], program: Path, tmp_path: Path) -> None:
    """Of the dimensions SimGrid's first is the fastest, ours the last; it crosses them the other way round, and may go downwards where
    both ways round are as long: which links, not how many."""
    parameters = ",".join(map(str, reversed(shape)))
    found = hops(program, "TORUS", parameters, math.prod(shape), tmp_path)
    assert found == {(a, b): len(route("torus", shape, a, b)) for a, b in found}


@pytest.mark.parametrize(("leaves", "nodes", "uplinks"), [(3, 4, 2), (2, 3, 3), (4, 2, 1)])
def test_a_fat_tree_has_as_many_links_between_two_leaves(
    leaves: int, nodes: int, uplinks: int, program: Path, tmp_path: Path
) -> None:
    """And SimGrid's has one from each node to its leaf, which here is the node's NIC."""
    found = hops(program, "FAT_TREE", f"2;{nodes},{leaves};1,{uplinks};1,1", leaves * nodes, tmp_path)
    assert found == {(a, b): 2 + len(route("fat_tree", (leaves, nodes, uplinks), a, b)) for a, b in found}


@pytest.mark.parametrize(("groups", "routers", "nodes"), [(3, 4, 2), (4, 4, 1)])
def test_a_dragonfly_is_the_same_but_for_the_numbers_of_routers(
    groups: int, routers: int, nodes: int, program: Path, tmp_path: Path
) -> None:
    """In SimGrid's the link to group j is at router j, of every group, so one router must be there for each; ours deals them out."""

    def ours(n: int) -> int:
        """Where a host of SimGrid's sits here."""
        group, router, node = coordinates((groups, routers, nodes), n)
        order = [(group + 1 + i) % groups for i in range(groups - 1)]
        order += [r for r in range(routers) if r not in order]
        return (group * routers + order.index(router)) * nodes + node

    found = hops(program, "DRAGONFLY", f"{groups},1;1,1;{routers},1;{nodes}", groups * routers * nodes, tmp_path)
    shape = (groups, routers, nodes)
    assert found == {(a, b): 2 + len(route("dragonfly", shape, ours(a), ours(b))) for a, b in found}


@pytest.mark.full
def test_a_message_on_jaguar_s_file_takes_what_the_specification_says_between_neighbours_and_beyond(
    program: Path, tmp_path: Path
) -> None:
    path, spec = paths.ROOT / "platforms" / "jaguar.xml", find.load_spec("jaguar")
    (curve,) = spec.curve["network"]
    corners = [24 * (32 * x + y) + z for x, y, z in product((0, 24), (0, 31), (0, 23))]
    assert corners[-1] == 25 * 32 * 24 - 1
    others = (1, 24, 24 * (32 * 12 + 16) + 12, 0)  # the last but one as far as can be
    for size, further in ((0, corners[1:]), (100_000, [])):
        found = pings(program, path, [f"node{n}" for n in (0, *others, *further)], tmp_path, size)
        for rank, there in enumerate((*others, *further), 1):
            links = len(route("torus", spec.topology.shape, 0, there))
            beyond = (links - 1) * spec.topology.hop_latency_s.value  # of two on a node: a hop less
            printed = curve.latency.value + beyond + size * curve.s_per_byte.value
            # 16 bytes of SMPI's own go with it; within a node the socket's rate counts.
            assert found[0, rank] == pytest.approx(printed, rel=3e-3 if links else 0.06), (there, size)
            if there == corners[-1]:
                assert links == 3, "round, not the long way"
                assert found[0, rank] == pytest.approx(found[0, 1] + 2 * 5.0e-8, rel=1e-6)
