"""model: what the prover's program answers to many requests, as it did before: a sum for each request and collective (answers.txt).

That detects a change and proves nothing: whether times are right is asked in test_timing.py, whether verdicts are in tests/prove.
Numbers count to nine digits; how much work an answer was (`steps`) does not count.
`PYTHONPATH=python:tests/python/helpers .venv/bin/python tests/python/model/test_answers.py` makes the sums again; with the
name of a request behind it, it prints the answers themselves, to be compared before and after a change."""

from __future__ import annotations

import itertools
import json
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.catalogue import registry
from rounded import rounded

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")
REASONS = ("status", "failure")  # are texts
KEPT = Path(__file__).with_name("answers.txt")

ALONE = "ports one_port\nclass network 0 1e-6 1e-9\ngamma 2e-10\ncopy 1e-10\noverhead 1e-7\nbound 1e-6 1e-9 2e-10\n"
UNIT = "ports one_port\nclass network 0 1 0\n"
CURVES = """\
class cache 0 2e-7 1e-10
class cache 2000 5e-7 0.7e-10
class socket 0 3e-7 2e-10
class node 0 4e-7 2.5e-10
class node 5000 9e-7 1.7e-10
class network 0 1.3e-6 4e-10
class network 2048 2.1e-6 3e-10
class network 40000 4e-6 2.3e-10
"""
SEATS = "seats 2 0 0\nseats 1 0 1\nseats 3 1 2\nnodes 2 0 2 3\nseats 4 0 0\nnodes 1 3 1 1\n"
LONE_NODE = "".join(f"place {r} 0 {r % 2} {r % 4}\n" for r in range(16))
MACHINES = {
    "alone": ALONE,
    "unit": UNIT,
    "one port, placed": f"ports one_port\neager 3000\ncontrol 16\n{CURVES}{SEATS}",
    "fluid": "ports fluid\ncontrol 16\neager -1\ngamma 1e-10\nclass network 0 1e-6 1e-9\n",
    "fluid, placed": f"ports fluid\ncontrol 16\neager 4096\ngamma 1e-10\ncopy 5e-11\noverhead 2e-7\nnic 3e9\nmemory 8e9\n{CURVES}{SEATS}",
    "fluid, narrow links": "ports fluid\ncontrol 32\neager 1000\ngamma 3e-10\ncopy 1e-10\noverhead 3e-7\n"
    "core 6e9\nmemory 7e9\ninterconnect 5e9\nnic 2.5e9\nswitch 2.4e9\nbound 1e-6 3e-10 3e-10\n"
    + CURVES.replace("1.7e-10\n", "1.7e-10 1.5\n").replace("2.3e-10\n", "2.3e-10 0.75\n")
    + SEATS,
    "fluid, a node": f"ports fluid\ncontrol 16\neager 1000\ncore 6e9\nmemory 7e9\ninterconnect 5e9\nnic 2e9\n{CURVES}{LONE_NODE}",
}
SHAPES = ((2, 1, 0), (5, 1000, 3), (11, 2000, 7))  # ranks, count, root
FEW = ((3, 400, 2), (7, 1000, 4))
TIED = ((6, 6, 1), (8, 64, 0))  # on a machine where much happens at the same time

IN_PLACE = ("allgather", "allreduce", "alltoall", "reduce", "gather", "scatter", "scan")
WITH_VARIANTS = ("model, alone", "model, fluid, narrow links", "proofs, in place")


@cache
def variants() -> dict[str, list[str]]:
    """Each collective's algorithms, and each again with every parameter at another value than its own."""
    found: dict[str, list[str]] = {}
    for a in registry.load().algorithms:
        keys = found.setdefault(a.collective, [])
        keys.append(a.key)
        for q in a.params:
            others = q.words or [
                str(v) for v in ((512, 4096) if q.max == 1 << 30 else (1, 2, 5)) if q.min <= v <= q.max
            ]
            keys += [f"{a.key}[{q.name}={value}]" for value in others if value != str(q.default)]
    return found


def points(collective: str, name: str, more: str) -> list[str]:
    about = registry.load().collective(collective)
    keys = [key for key in variants()[collective] if name in WITH_VARIANTS or "[" not in key or "shm" in key]
    lines = []
    for (ranks, count, root), key in itertools.product(shapes_of(name), keys):
        words = [f"id={len(lines)}", f"algorithm={key}", f"ranks={ranks}", f"count={count if about.has_data else 0}"]
        lines.append(" ".join([*words, f"root={root}" if about.has_root else "", more]))
    return lines


def requests() -> Iterator[tuple[str, list[str], str, str]]:
    """(name, the program's options, what it reads as machine, words of each point)."""
    for name, machine in MACHINES.items():
        yield f"model, {name}", ["--model"], machine, ""
    yield "model, root", ["--model"], MACHINES["fluid, placed"], "metric=root"
    yield "model, osu_avg", ["--model"], MACHINES["alone"], "metric=osu_avg"
    for name in ("unit", "one port, placed", "fluid, narrow links"):
        yield f"trace, {name}", ["--trace", "--model"], MACHINES[name], ""
    yield "holdings", ["--holdings", "--model"], UNIT, ""
    yield "proofs", ["--costs"], "", ""
    yield "proofs, in place", [], "", "in_place=1"
    yield "schedules", ["--messages"], "", ""


def shapes_of(name: str) -> tuple[tuple[int, int, int], ...]:
    if name.startswith(("trace", "holdings", "schedules")):
        return TIED if name == "trace, unit" else FEW
    return SHAPES


def answers(name: str, options: list[str], machine: str, more: str, folder: Path) -> Iterator[tuple[str, list[Any]]]:
    """Each collective with its answers."""
    (folder / "machine").write_text(machine)
    options = [*options, str(folder / "machine")] if machine else options
    plans = {c: points(c, name, more) for c in variants()}
    if "root" in more:
        plans = {c: lines for c, lines in plans.items() if registry.load().collective(c).has_root}
    if "in_place" in more:
        plans = {c: lines for c, lines in plans.items() if c in IN_PLACE}
    (folder / "plan").write_text("\n".join(line for lines in plans.values() for line in lines) + "\n")
    done = programs.answer([programs.PROVER, *options, "--plan", folder / "plan"])
    assert done.returncode == 0, done.stdout[-1000:]
    printed = iter(done.stdout.splitlines())
    for collective, lines in plans.items():
        read = [json.loads(line) for line in itertools.islice(printed, len(lines))]
        yield collective, [rounded({k: v for k, v in one.items() if k != "steps"}, REASONS) for one in read]


def lines_of(request: tuple[str, list[str], str, str], folder: Path) -> Iterator[str]:
    for collective, printed in answers(*request, folder):
        yield f"{request[0]}: {collective} {len(printed)} {zlib.crc32(json.dumps(printed).encode()):08x}"


@pytest.mark.parametrize("request_", list(requests()), ids=lambda r: r[0])
def test_the_answers_are_as_they_were(request_: tuple[str, list[str], str, str], tmp_path: Path) -> None:
    kept = [line for line in KEPT.read_text(encoding="utf-8").splitlines() if line.startswith(f"{request_[0]}: ")]
    assert list(lines_of(request_, tmp_path)) == kept


def test_every_sum_belongs_to_a_request() -> None:
    names = {line.partition(": ")[0] for line in KEPT.read_text(encoding="utf-8").splitlines()}
    assert names == {name for name, *_ in requests()}


def main(named: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        made = [r for r in requests() if not named or r[0] in named]
        if named:
            for request in made:
                for collective, printed in answers(*request, Path(folder)):
                    print(*[f"{collective} {json.dumps(answer)}" for answer in printed], sep="\n")
            return
        text = [line for request in made for line in lines_of(request, Path(folder))]
    KEPT.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
