"""bench: the benchmark of our algorithms beside Open MPI's own: every pair is timed on both sides; no time is asserted."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.catalogue import registry
from collscope.sources import mpirun

PROGRAM = paths.BUILD / "mpi" / "collscope-overhead"
sys.path.append(str(paths.ROOT / "bench"))

import overhead  # noqa: E402

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists() or not mpirun.library().startswith("Open MPI"),
    reason="needs the build for real runs and Open MPI; ./collscope doctor says what is missing",
)


@pytest.mark.full
def test_table_is_complete(tmp_path: Path) -> None:
    only = ("allgather/bruck", "allgather/sparbit", "barrier/bruck", "bcast/pipeline", "messages")
    table = tmp_path / "overhead.csv"
    command = [sys.executable, paths.ROOT / "bench" / "overhead.py", "--sizes", "8,4KiB", "--only", ",".join(only),
               "--seconds", "0.01", "--csv", table]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    twins = {a.full_key() for a in registry.load().algorithms if a.twin and a.key.startswith(only)}
    timed = {(row["algorithm"], row["bytes"]) for row in rows if row["status"] == "ok"}
    missing = {(row["algorithm"], row["status"]) for row in rows if row["status"] != "ok"}
    expected = twins | {*overhead.EXCHANGES, "bcast/pipeline[s=1024]"}
    assert {key for key, _ in timed} | {key for key, _ in missing} == expected
    newer = "cannot set coll_tuned_allgather_algorithm"  # than this library
    assert all(newer in why for _, why in missing), missing
    assert ("bcast/pipeline[s=1024]", "4096") in timed and ("allgather/bruck", "8") in timed
    for row in rows:
        if row["status"] == "ok":
            assert int(row["turns"]) >= overhead.TURNS and int(row["calls"]) >= 1
            assert all(float(row[name]) > 0 for name in ("ours_s", "open_mpi_s", "ratio", "null_ratio")), row
            assert float(row["ratio_q1"]) <= float(row["ratio"]) <= float(row["ratio_q3"])
    messages = {(row["algorithm"], row["bytes"]): row["messages"] for row in rows}
    assert messages["allgather/bruck", "8"] == "1" and messages["messages/send_recv", "8"] == "2"
    assert messages["bcast/pipeline[s=1024]", "4096"] == "4"
    assert "from 4 KiB on: median ratio" in done.stdout and "below: median added time per message" in done.stdout


def test_an_algorithm_that_cannot_be_forced_is_not_compared(tmp_path: Path) -> None:
    (tmp_path / "plan").write_text(
        "set coll_tuned_scan_algorithm 999\npair scan/linear 2\nset coll_tuned_scan_algorithm 1\npair scan/linear 2\n"
        "pair scan/no_such 2\nset no_such_variable 1\npair scan/linear 2\n"
        "set coll_tuned_scan_algorithm 999\nset coll_tuned_scan_algorithm 1\npair scan/linear 2\n"
    )
    command = [
        str(word) for word in (*mpirun.command(2), PROGRAM, "--plan", tmp_path / "plan", "--turns", 1, "--seconds", 0)
    ]
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    first, second, third, fourth, fifth = (json.loads(line) for line in done.stdout.splitlines() if '"key"' in line)
    assert first["status"] == "this library cannot set coll_tuned_scan_algorithm to 999" and "ours_s" not in first
    assert second["status"] == "ok" and len(second["ours_s"]) == len(second["again_s"]) == 1
    assert "no_such" in third["status"] and "ours_s" not in third
    # One that can be set again does not make up for another that cannot.
    assert fourth["status"] == fifth["status"] == "this library cannot set no_such_variable to 1"


def test_a_row_compares_within_each_turn() -> None:
    """The machine slows down to a half on the way: ratios and differences are those of the turns, not of the medians."""
    theirs = [1e-6, 1e-6, 2e-6, 2e-6, 4e-6]
    printed = {"status": "ok", "calls": 7, "ours_s": [1.5 * t for t in theirs], "theirs_s": theirs, "again_s": theirs}
    row = overhead.make_row(overhead.Pair("scan/linear", "scan", 2), printed, ranks=2, messages=4)
    assert row["ratio"] == pytest.approx(1.5) and row["null_ratio"] == 1
    assert row["added_ns_per_message"] == pytest.approx(250) and row["null_ns_per_message"] == 0
    assert (row["bytes"], row["turns"], row["calls"]) == (8, 5, 7)


def test_unknown_prefix_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert overhead.main(["--only", "nonsense"]) == 1
    assert "no twin's key begins with nonsense" in capsys.readouterr().err


def test_sizes_below_a_float_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for sizes in ("2,8", "x"):
        assert overhead.main(["--sizes", sizes]) == 1
        assert sizes.split(",")[0] in capsys.readouterr().err
