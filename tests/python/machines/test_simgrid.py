"""collscope.machines.xml_writer, platforms/plugin: times, contention and bounds that SimGrid gives; the model gives the same."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.machines import find
from collscope.machines.placement import hosts_of
from collscope.machines.platform import Platform
from collscope.sources import bounds
from simulated import makespans, modelled, simulated, smpirun

HELPERS = Path(__file__).parents[1] / "helpers"


def ping_pong(
    p: Platform, nodes: int, ranks: int, folder: Path, sizes: Sequence[int] = (0, *(1 << k for k in range(21)))
) -> dict[tuple[int, int], float]:
    """Half round trips by (other rank, bytes)."""
    plan = folder / "p2p.txt"
    plan.write_text("".join(f"pingpong flows=0>{b} bytes={n} count=2\n" for b in range(1, ranks) for n in sizes))
    out = smpirun(p, nodes, ranks, folder, programs.SIM_DRIVER, "--p2p", plan)
    lines = [json.loads(line)["pingpong"] for line in out.splitlines() if line.startswith('{"pingpong"')]
    return {(e["flows"][0][1], e["bytes"]): e["samples"][0] for e in lines}


@pytest.fixture(scope="session")
def streams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("contention") / "contention"
    subprocess.run(["smpicc", "-O2", str(HELPERS / "contention.c"), "-o", str(program)], check=True)
    return program


def pairs(*of: tuple[int, int]) -> list[str]:
    return [str(rank) for pair in of for rank in pair]


@simulated
def test_a_ping_pong_gives_back_the_curves(tmp_path: Path) -> None:
    p = find.load("schooner")
    for (_, size), seconds in ping_pong(p, 2, 2, tmp_path).items():
        assert seconds == pytest.approx(p.machine.half_round_trip_s("network", size), rel=1e-5)
    inside = ping_pong(p, 1, 3, tmp_path)  # ranks 0 and 1 on a socket, 2 on the other
    for (other, size), seconds in inside.items():
        assert seconds == pytest.approx(p.machine.half_round_trip_s("cache" if other == 1 else "node", size), rel=1e-5)


@simulated
def test_schooner_is_what_is_known_of_it(tmp_path: Path) -> None:
    times = ping_pong(find.load("schooner"), 2, 2, tmp_path, [1 << k for k in range(23)])
    assert 1.5e-6 <= times[1, 1] <= 1.7e-6
    assert 4.3e9 <= (1 << 22) / times[1, 1 << 22] <= 4.7e9


@simulated
def test_ideal_is_alpha_beta_and_the_envelope(tmp_path: Path) -> None:
    p = find.load("ideal[alpha=2us,beta=1e-10]")
    for (_, size), seconds in ping_pong(p, 2, 2, tmp_path, [0, *(1 << k for k in range(17))]).items():
        assert seconds == pytest.approx(2e-6 + (size + 16) * 1e-10, rel=1e-9)


@simulated
def test_contention(tmp_path: Path, streams: Path) -> None:
    p = find.load("schooner")
    size = 8 << 20

    def run(nodes: int, mode: str, *of: tuple[int, int]) -> float:
        return float(smpirun(p, nodes, 16 * nodes, tmp_path, streams, str(size), mode, *pairs(*of)))

    nic, memory, core = 4.5e9, 55e9, 12e9
    across = [(i, 16 + i) for i in range(16)]
    alone = run(2, "one", across[0])
    assert alone == pytest.approx(p.machine.half_round_trip_s("network", size), rel=1e-3)
    # A NIC is shared by the ranks of its node, and full duplex.
    assert run(2, "both", across[0]) == pytest.approx(alone, rel=1e-3)
    assert run(2, "one", *across[:2]) == pytest.approx(2 * size / nic, rel=1e-2)
    assert run(2, "one", *across) == pytest.approx(16 * size / nic, rel=1e-2)
    assert run(2, "both", *across) == pytest.approx(16 * size / nic, rel=1e-2)
    # Two streams on a socket fit into its memory, eight do not.
    near = run(1, "one", (0, 1))
    assert near == pytest.approx(2.5 * size / core, rel=1e-2)
    assert run(1, "one", (0, 1), (2, 3)) == pytest.approx(near, rel=1e-3)
    ring = [(i, (i + 1) % 8) for i in range(8)]
    assert run(1, "one", *ring) == pytest.approx(8 * 2.5 * size / memory, rel=1e-2)
    # A core's port is shared by its own messages.
    assert run(1, "one", (0, 1), (0, 2)) == pytest.approx(2 * near, rel=1e-2)


@simulated
def test_time_reacts_to_the_machine_as_it_must(tmp_path: Path) -> None:
    small, large = "collective=bcast algorithm=bcast/mst count=1", "collective=bcast algorithm=bcast/mst count=262144"
    reduce = "collective=reduce algorithm=reduce/mst count=262144 op=sum"

    def run(name: str, nodes: int = 8) -> list[float]:
        return makespans(find.load(name), nodes, 8, tmp_path, small, large, reduce)

    base = run("ideal[alpha=1us,beta=1e-9,gamma=1e-10]")
    latency = run("ideal[alpha=2us,beta=1e-9,gamma=1e-10]")
    bandwidth = run("ideal[alpha=1us,beta=2e-9,gamma=1e-10]")
    gamma = run("ideal[alpha=1us,beta=1e-9,gamma=2e-10]")
    n = 4 * 262144
    assert latency[0] - base[0] == pytest.approx(3e-6, rel=1e-6)
    assert latency[1] - base[1] == pytest.approx(3e-6, rel=1e-6)
    assert bandwidth[1] - base[1] == pytest.approx(3 * (n + 16) * 1e-9, rel=1e-6)
    assert gamma[:2] == base[:2]
    assert gamma[2] - base[2] == pytest.approx(3 * n * 1e-10, rel=1e-6)
    # Fewer nodes: small messages cross fewer networks.
    assert run("schooner", 1)[0] < run("schooner", 2)[0] < run("schooner", 8)[0]


@simulated
@pytest.mark.parametrize(("name", "nodes"), [("ideal", 16), ("schooner", 1), ("schooner", 2), ("schooner", 8)])
def test_no_simulated_makespan_lies_below_the_bound(tmp_path: Path, name: str, nodes: int) -> None:
    p = find.load(name)
    points = [
        (collective, f"collective={collective} algorithm={collective}/{algorithm} count={count} op=sum", count)
        for collective, algorithm in (
            ("bcast", "mst"),
            ("reduce", "mst"),
            ("scatter", "linear"),
            ("scatter", "mst"),
            ("gather", "linear_nb"),
            ("gather", "mst"),
            ("allgather", "bucket"),
            ("reduce_scatter", "bucket"),
            ("allreduce", "bucket"),
            ("rotation", "shift"),
        )
        for count in (16, 1024, 4096, 65536, 1 << 20)
    ]
    times = makespans(p, nodes, 16, tmp_path, *(text for _, text, _ in points))
    least = bounds.loggp(p, nodes, 16)
    for (collective, text, count), seconds in zip(points, times, strict=True):
        blocks = collective in ("scatter", "gather", "allgather", "rotation")
        limit = bounds.bound_loggp(collective, 16, 4 * count * (16 if blocks else 1), **least)
        assert 0 < limit <= seconds * (1 + 1e-9), text


@simulated
@pytest.mark.parametrize(("name", "nodes"), [("ideal", 16), ("schooner", 1), ("schooner", 2)])
def test_model_and_simulation_agree_on_the_machine(tmp_path: Path, name: str, nodes: int) -> None:
    p = find.load(name)
    points = [
        f"collective={algorithm.partition('/')[0]} algorithm={algorithm} count={count} op=sum"
        for algorithm in ("bcast/mst", "allgather/bucket", "gather/linear_nb", "scatter/mst", "allreduce/bucket")
        for count in (16, 4096, 1 << 20)
    ]
    assert modelled(p, nodes, 16, tmp_path, *points) == pytest.approx(
        makespans(p, nodes, 16, tmp_path, *points), rel=1e-9
    )


@simulated
def test_the_file_alone_is_an_ordinary_platform(tmp_path: Path) -> None:
    p = find.load("schooner")
    (tmp_path / "hosts").write_text("\n".join(hosts_of(p, 2, 2)) + "\n")
    (tmp_path / "p2p").write_text("pingpong flows=0>1 bytes=1 count=2\n")
    words = ["smpirun", "-np", "2", "-hostfile", "hosts", "-platform", p.xml, "--log=root.thresh:warning"]
    words += ["--cfg=network/model:CM02", "--cfg=smpi/simulate-computation:no", "--cfg=smpi/host-speed:1Gf"]
    done = programs.answer([*words, programs.SIM_DRIVER, "--p2p", "p2p"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    line = next(json.loads(text) for text in done.stdout.splitlines() if text.startswith('{"pingpong"'))
    assert line["pingpong"]["samples"][0] == pytest.approx(1.6e-6, rel=0.02)
