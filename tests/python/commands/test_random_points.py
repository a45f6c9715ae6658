"""prove, collscope.commands.prove:
random calls: any algorithm with any parameters, on any number of ranks, anywhere on uneven machines. What the prover says of
each must be "proven" or a reason why not, and what the simulated run ends with must be right.

Hypothesis makes a failing list of points small, so what is printed is close to the one that is wrong."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collscope.base import paths, programs
from collscope.catalogue import registry
from collscope.catalogue.keys import Param
from collscope.catalogue.registry import Algorithm
from collscope.commands import prove as collscope_prove
from collscope.points import plan
from collscope.points.plan import Point

SEGMENTS = 40  # about as many as a vector is cut into
MAX_RANKS = 40
SIXTEEN = paths.ROOT / "tests" / "driver" / "sixteen"

proves = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
simulates = pytest.mark.skipif(
    not (shutil.which("smpirun") and programs.SIM_DRIVER.exists()), reason="needs smpirun and the simulated driver"
)


def random_value(rng: random.Random, param: Param, vector: int) -> int:
    """A value of the whole range that does not cut a vector of so many bytes into thousands of segments."""
    if param.words or rng.random() < 0.2:
        return (
            rng.choice((param.default, param.min, param.max)) if not param.words else rng.randint(param.min, param.max)
        )
    if param.max > 1 << 16:  # bytes
        least = max(param.min, 1, vector // SEGMENTS)
        return rng.choice((param.min, min(param.max, least + rng.randrange(0, 2 * least + 8))))
    return rng.randint(param.min, min(param.max, param.min + rng.choice((3, 9, 80))))


def random_point(rng: random.Random, most_ranks: int) -> tuple[int, Point]:
    known = registry.load()
    algorithm: Algorithm = rng.choice(known.algorithms)
    about = known.collective(algorithm.collective)
    ranks = rng.randint(1, most_ranks)
    type_name = rng.choice([t for t in known.types if about.has_operator or t != "affine"])
    count = rng.choice((0, 1, ranks - 1, ranks, ranks + 1, rng.randrange(0, 4 * ranks), rng.randrange(0, 3000)))
    elem = known.type_bytes(type_name)
    blocks = ranks if about.counts_blocks else 1
    values = {q.name: random_value(rng, q, count * elem * blocks) for q in algorithm.params}
    words = [f"{q.name}={q.words[values[q.name] - q.min] if q.words else values[q.name]}" for q in algorithm.params]
    return ranks, Point(
        algorithm.collective,
        algorithm.key + f"[{','.join(words)}]" * bool(words),
        0 if algorithm.collective == "barrier" else count,
        type=type_name,
        op="affine" if type_name == "affine" else rng.choice(("sum", "max")) if about.has_operator else "none",
        root=rng.randrange(ranks) if about.has_root else 0,
        in_place=rng.random() < 0.4,
        check=True,
    )


def random_places(rng: random.Random, ranks: int) -> str:
    """ "node socket cache" a line: uneven nodes with uneven sockets, ranks dealt out in blocks or at random."""
    nodes, sockets, caches = rng.randint(1, 6), rng.randint(1, 4), rng.randint(1, 3)
    node = [rng.randrange(nodes) for _ in range(ranks)]
    if rng.random() < 0.5:
        node.sort()
    lines = []
    for n in node:
        socket = sockets * n + rng.randrange(sockets)
        lines.append(f"{n} {socket} {caches * socket + rng.randrange(caches)}\n")
    return "".join(lines)


def plan_of(expected: list[tuple[int, Point]]) -> str:
    return "".join(plan.plan_text([(str(i), point)], ranks) for i, (ranks, point) in enumerate(expected))


def prove(expected: list[tuple[int, Point]], places: str, folder: Path) -> list[dict[str, Any]]:
    (folder / "plan.txt").write_text(plan_of(expected))
    (folder / "places.txt").write_text(places)
    command = [programs.PROVER, "--plan", folder / "plan.txt", "--places", folder / "places.txt"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_proofs(rng: random.Random, number: int, folder: Path) -> None:
    expected = [random_point(rng, MAX_RANKS) for _ in range(number)]
    places = random_places(rng, MAX_RANKS)
    output = prove(expected, places, folder)
    assert len(output) == number
    for line, (ranks, point) in zip(output, expected, strict=True):
        wrong = line.get("failure") if line["status"] == "ok" else None if line["status"] else "no reason given"
        assert not wrong, f"{point.text()} ranks={ranks}: {wrong}\non\n{places}"


points = given(rng=st.randoms(use_true_random=False), number=st.integers(1, 40))


@proves
@points
@settings(max_examples=40)
def test_random_points_are_proven(rng: random.Random, number: int, tmp_path: Path) -> None:
    check_proofs(rng, number, tmp_path)


@proves
@pytest.mark.full
@points
@settings(max_examples=1500)
def test_many_random_points_are_proven(rng: random.Random, number: int, tmp_path: Path) -> None:
    check_proofs(rng, number, tmp_path)


@proves
def test_most_random_points_are_supported(tmp_path: Path) -> None:
    """Else the tests here would say little."""
    rng = random.Random(1)
    expected = [random_point(rng, MAX_RANKS) for _ in range(300)]
    output = prove(expected, random_places(rng, MAX_RANKS), tmp_path)
    assert sum(line["verdict"] == "proven" for line in output) > 180
    assert len({line["algorithm"].split("[")[0] for line in output if line["verdict"]}) > 60


@proves
def test_several_algorithms_are_swept_over_the_ranks(capfd: pytest.CaptureFixture[str]) -> None:
    """Five counts (four when p = 1), and every root: 4 + 2·5 + 3·5 + 7·5 calls of each."""
    assert collscope_prove.run(collscope_prove.Request("bcast/mst,bcast/linear", "7,1..3")) == 0
    assert "2 algorithms, 128 points: 128 proven" in capfd.readouterr().out


def simulate_and_check(number: int, seed: int, folder: Path) -> None:
    rng = random.Random(seed)
    expected = [random_point(rng, 16) for _ in range(number)]
    (folder / "plan.txt").write_text(plan_of(expected))
    command = ["smpirun", "-np", "16", "-platform", f"{SIXTEEN}.xml", "-hostfile", f"{SIXTEEN}.hosts"]
    command += ["--log=root.thresh:warning", "--cfg=smpi/privatization:no", "--cfg=smpi/simulate-computation:no"]
    command += ["--cfg=smpi/wtime:0", "--cfg=smpi/async-small-thresh:1024", "--cfg=smpi/send-is-detached-thresh:1024"]
    command += [str(programs.SIM_DRIVER), "--plan", str(folder / "plan.txt"), "--places", str(folder / "places.txt")]
    (folder / "places.txt").write_text(random_places(rng, 16))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    output = {line["id"]: line for line in map(json.loads, done.stdout.splitlines()) if line.get("done")}
    assert len(output) == number
    checked = 0
    for i, (ranks, point) in enumerate(expected):
        line = output[str(i)]
        assert not line["wrong"], f"{point.text()} ranks={ranks}: {line['status']}"
        checked += line["status"] == "ok" and line["checked"]
    assert checked > number // 2, f"only {checked} of {number} points were supported"


@simulates
def test_random_points_end_with_the_right_data(tmp_path: Path) -> None:
    simulate_and_check(200, 1, tmp_path)


@simulates
@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_random_points_end_with_the_right_data(seed: int, tmp_path: Path) -> None:
    simulate_and_check(400, seed, tmp_path)
