"""model, prove: many ranks: the same numbers, in memory and time that grow with the ranks alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.catalogue import prover
from collscope.machines import find
from collscope.machines.machine_file import PLACE_LINES, machine_file, places_in
from collscope.points.plan import Point, plan_text

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs the prover; ./collscope doctor says more")
CALLS = ("barrier/dissemination", "barrier/hierarchical", "bcast/binomial", "allgather/bucket", "scatter/linear")


@pytest.mark.parametrize(("mapping", "ranks"), [("block", 37), ("cyclic", 50), ("fill", 45)])
def test_runs_of_places_and_one_line_per_rank_give_the_same_times(mapping: str, ranks: int, tmp_path: Path) -> None:
    on = find.load("schooner[cores_per_cache=5]")
    points = [(str(i), Point(key.partition("/")[0], key, 500)) for i, key in enumerate(CALLS)]
    runs = machine_file(on, 4, ranks, mapping)
    kept = [line for line in runs.splitlines() if line.split()[0] not in PLACE_LINES]
    each = [f"place {r} {n} {s} {c}" for r, (n, s, c) in enumerate(places_in(runs))]
    assert "place " not in runs
    (tmp_path / "plan").write_text(plan_text(points, ranks), encoding="utf-8")
    reported = []
    for name, text in (("runs", runs), ("each", "\n".join([*kept, *each]) + "\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        reported.append(prover.replies(["--model", tmp_path / name, "--plan", tmp_path / "plan"]))
    assert {reply["kind"] for reply in reported[0]} == {"ok"}
    assert reported[0] == reported[1]


def barrier(nodes: int, tmp_path: Path) -> tuple[str, float]:
    """What the prover says of a barrier on 16 ranks per node, and the MiB that it takes."""
    ranks = 16 * nodes
    (tmp_path / "machine").write_text(
        machine_file(find.load(f"schooner[nodes={nodes},topology=switch]"), nodes, ranks), encoding="utf-8"
    )
    (tmp_path / "plan").write_text(f"algorithm=barrier/dissemination ranks={ranks}\n", encoding="utf-8")
    command = [programs.PROVER, "--model", tmp_path / "machine", "--plan", tmp_path / "plan"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        printed = process.stdout.read()
        _, process.returncode, used = os.wait4(process.pid, 0)  # of this process alone
    assert not process.returncode
    return printed, used.ru_maxrss / 1024


def test_sixteen_thousand_ranks(tmp_path: Path) -> None:
    printed, _ = barrier(1024, tmp_path)
    assert '"model_s":1.8675155311453859e-05' in printed, "as it was when every operation was kept"


@pytest.mark.full
def test_sixty_five_thousand_ranks(tmp_path: Path) -> None:
    printed, mib = barrier(4096, tmp_path)
    assert '"model_s":2.1918879757329665e-05' in printed, "as it was when every operation was kept"
    assert mib < 1024
