#!/usr/bin/env python3
"""What our algorithms take over MPI beside Open MPI's own implementation of the same algorithm (the twins), on real processes.

    .venv/bin/python bench/overhead.py [--ranks 2] [--nodes 1] [--sizes 8,4KiB,1MiB] [--only bcast,scan] [--seconds 150] [--csv FILE]

One launch: both sides send the same messages (a test checks that), with the same parameters and buffers, and take
turns in an order that changes. In a turn Open MPI has a second go: what that differs by is noise. Set the machine up first
(./collscope list); the program itself is built here.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.base.units import format_size, parse_sizes
from collscope.catalogue import registry
from collscope.catalogue.registry import Algorithm
from collscope.commands import requests
from collscope.machines import find
from collscope.points.plan import Layout, Point
from collscope.sources import measure, model, mpirun
from collscope.twins import calls as twin_calls

PROGRAM = paths.BUILD / "mpi" / "collscope-overhead"
SIZES = "8,64,512,4KiB,64KiB,1MiB"
SMALL = 4096  # bytes: below, what a message costs more is looked at; from here on the ratio
FLOAT = 4
TURNS = 30
EXCHANGES = ("messages/send_recv", "messages/sendrecv", "messages/isend_irecv")
SEGMENT = 1024
COLUMNS = ("algorithm", "ranks", "bytes", "messages", "calls", "turns", "ours_s", "open_mpi_s", "ratio", "ratio_q1",
           "ratio_q3", "added_ns_per_message", "null_ratio", "null_ns_per_message", "status")  # fmt: skip

Row = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """A call of ours, and the variables that make Open MPI do the same."""

    key: str
    collective: str
    count: int
    forced: tuple[tuple[str, int], ...] = ()

    @property
    def is_exchange(self) -> bool:
        """Messages of two ranks, no collective."""
        return self.collective == "messages"


def variants(algorithm: Algorithm) -> dict[str, int]:
    """Full keys, and the bytes from which each differs from those before: the defaults, and short segments."""
    made = {algorithm.full_key(): 0}
    if any(p.name == "s" for p in algorithm.params):
        made.setdefault(algorithm.full_key({"s": SEGMENT}), SEGMENT + 1)
    return made


def pairs(sizes: Sequence[int], only: tuple[str, ...]) -> Iterator[Pair]:
    """The exchanges, and every twin, at each size of MPI's count."""
    for key in EXCHANGES:
        if key.startswith(only):
            yield from (Pair(key, "messages", size // FLOAT) for size in sizes)
    for algorithm in registry.load().algorithms:
        if not algorithm.twin or not algorithm.key.startswith(only):
            continue
        for key, least in variants(algorithm).items():
            for size in sizes if algorithm.collective != "barrier" else [0]:
                if size >= least:
                    yield Pair(key, algorithm.collective, size // FLOAT, twin_calls.forced(key))


def plan_lines(compared: Sequence[Pair]) -> Iterator[str]:
    """The program's plan: the pairs, and before each the variables of Open MPI that change for it."""
    now: dict[str, int] = {}
    for pair in compared:
        forced = dict(pair.forced)
        if not pair.is_exchange and forced != now:
            changed = {**dict.fromkeys(now.keys() - forced.keys(), 0), **forced}
            yield from (f"set coll_tuned_{name} {value}" for name, value in changed.items() if now.get(name) != value)
            now = forced
        yield f"{'messages' if pair.is_exchange else 'pair'} {pair.key} {pair.count}"


def rounds(compared: Sequence[Pair], ranks: int) -> list[int | None]:
    """Messages one after the other on the longest path, of the recorded schedules."""
    on = Layout(find.load("ideal"), ranks, ranks)
    points = [Point(pair.collective, pair.key, pair.count) for pair in compared if not pair.is_exchange]
    replies = iter(model.evaluate([(on, point) for point in points]))
    return [None if pair.is_exchange else next(replies).get("rounds") for pair in compared]


def build() -> None:
    """The program, beside what the command line builds."""
    measure.build()
    command = ["cmake", "--build", "--preset", "mpi", "--target", PROGRAM.name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise UserError(f"{paths.display(PROGRAM)} cannot be built: {(done.stderr or done.stdout).strip()}")


def launch(compared: Sequence[Pair], ranks: int, nodes: int, seconds: float) -> list[dict[str, Any]]:
    """The program's reply to each pair, in their order: bench/overhead.c says what is in one. UserError when it ends early."""
    with tempfile.TemporaryDirectory(prefix="collscope-") as name:
        plan = Path(name) / "plan.txt"
        plan.write_text("".join(f"{line}\n" for line in plan_lines(compared)), encoding="utf-8")
        command = [
            *mpirun.command(ranks, nodes),
            PROGRAM,
            "--plan",
            plan,
            "--turns",
            TURNS,
            "--seconds",
            seconds / len(compared),
        ]
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, env={**os.environ, **root}
        )
    replies = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"key"')]
    if done.returncode or len(replies) != len(compared):
        words = [line for line in done.stderr.splitlines() if line.strip("- \t")] or ["it said nothing"]  # no rulers
        raise UserError(f"{paths.display(PROGRAM)}: {len(replies)} of {len(compared)} pairs, then: {words[0]}")
    return replies


def make_row(pair: Pair, reply: dict[str, Any], ranks: int, messages: int | None) -> Row:
    """The pair's row of the table (COLUMNS): medians over the turns. The ratio and the difference are taken in each turn, so
    that slow drifts cancel."""
    row: Row = dict.fromkeys(COLUMNS, "")
    messages = reply.get("messages") or messages
    row |= {"algorithm": pair.key, "ranks": 2 if pair.is_exchange else ranks, "bytes": pair.count * FLOAT,
            "messages": messages or "", "status": reply["status"]}  # fmt: skip
    if "ours_s" not in reply:
        return row
    ours, theirs, again = reply["ours_s"], reply["theirs_s"], reply["again_s"]
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    q1, middle, q3 = statistics.quantiles(ratios, n=4, method="inclusive")
    row |= {"calls": reply["calls"], "turns": len(ours), "ours_s": statistics.median(ours),
            "open_mpi_s": statistics.median(theirs), "ratio": middle, "ratio_q1": q1, "ratio_q3": q3,
            "null_ratio": statistics.median(a / b for a, b in zip(again, theirs, strict=True))}  # fmt: skip
    if messages:
        for column, side in (("added_ns_per_message", ours), ("null_ns_per_message", again)):
            row[column] = 1e9 * statistics.median(a - b for a, b in zip(side, theirs, strict=True)) / messages
    return row


def run(ranks: int, nodes: int, sizes: Sequence[int], only: tuple[str, ...], seconds: float) -> list[Row]:
    """A row for each pair, in about so many seconds; UserError when no key begins as asked."""
    compared = list(pairs(sizes, only))
    if not compared:
        raise UserError(f"no twin's key begins with {' or '.join(only)}")
    build()
    messages = rounds(compared, ranks)
    replies = launch(compared, ranks, nodes, seconds)
    return [make_row(*each, ranks, n) for *each, n in zip(compared, replies, messages, strict=True)]


# ---- what is printed -------------------------------------------------------------------------------------------


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Writes the table, floats with six digits."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})
    write_atomically(path, text.getvalue())


def worst(rows: Sequence[Row], column: str) -> str:
    """The largest value of a column, and whose it is."""
    row = max(rows, key=lambda row: row[column])
    return f"{row[column]:.3f} {row['algorithm']}" if "ratio" in column else f"{row[column]:+.0f} {row['algorithm']}"


def line(what: str, rows: Sequence[Row]) -> str:
    """One line of the summary: number of pairs, medians, the noise, the worst."""

    def middle(column: str) -> float:
        return statistics.median(row[column] for row in rows)

    noise = max(abs(row["null_ratio"] - 1) for row in rows)
    return (f"{what:24s} {len(rows):4d} {middle('ratio'):7.3f} {middle('null_ratio'):7.3f} {noise:7.3f} "
            f"{middle('added_ns_per_message'):8.0f} {middle('null_ns_per_message'):6.0f}   "
            f"{worst(rows, 'ratio')}; {worst(rows, 'added_ns_per_message')} ns")  # fmt: skip


def summarise(rows: Sequence[Row]) -> str:
    """Medians over the pairs of each size, the worst, and the two numbers that have targets."""
    timed = [row for row in rows if row["ratio"] != ""]
    twins = [row for row in timed if not row["algorithm"].startswith("messages/")]
    lines = [f"{'':24s}      {'ratio':>7s} {'null':>7s} {'null ±':>7s} {'added ns':>8s} {'null':>6s}   worst"]
    lines += [
        line(f"{row['algorithm']} {format_size(row['bytes'])}", [row])
        for row in timed
        if row["algorithm"].startswith("messages/")
    ]
    for size in sorted({row["bytes"] for row in twins}):
        lines.append(line(f"twins, {format_size(size)}", [row for row in twins if row["bytes"] == size]))
    small, large = ([row for row in twins if (row["bytes"] < SMALL) == below] for below in (True, False))
    if large:
        ratio = statistics.median(row["ratio"] for row in large)
        lines.append(f"from {format_size(SMALL)} on: median ratio of {len(large)} pairs {ratio:.3f}   (target: ≤ 1.03)")
    if small:
        added = statistics.median(row["added_ns_per_message"] for row in small)
        lines.append(f"below: median added time per message of {len(small)} pairs {added:+.0f} ns   (target: ≤ 60 ns)")
    why = {row["status"] for row in rows if row["ratio"] == ""}
    lines += [f"not timed: {sum(row['status'] == reason for row in rows)} pairs: {reason}" for reason in sorted(why)]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the options, measures, prints; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--sizes", default=SIZES, help=f"bytes of MPI's count ({SIZES})")
    parser.add_argument("--only", default="", help="keys that begin so: bcast,scan/linear; or messages")
    parser.add_argument("--seconds", type=float, default=150, help="about so long (150)")
    parser.add_argument("--csv", type=Path, default=paths.CACHE / "overhead.csv", help="where the table goes")
    options = parser.parse_args(arguments)
    only = tuple(options.only.split(","))
    try:
        sizes = parse_sizes(options.sizes)
        if min(sizes) < FLOAT:
            raise UserError(f"--sizes {options.sizes}: from {FLOAT} bytes on, one float")
        if options.ranks < 2:
            raise UserError(f"--ranks {options.ranks}: two or more, one rank sends nothing")
        requests.check_file("--csv", str(options.csv))
        load = os.getloadavg()[0]
        rows = run(options.ranks, options.nodes, sizes, only, options.seconds)
        write_csv(rows, options.csv)
    except UserError as error:
        print(f"overhead: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\noverhead: stopped, nothing is written", file=sys.stderr)
        return 130
    print(f"\nours beside {mpirun.library()}'s own, {options.ranks} ranks")
    print(f"load {load:.1f} before, {os.getloadavg()[0]:.1f} after (the ranks themselves make {options.ranks})")
    print(summarise(rows))
    print(f"every pair: {paths.display(options.csv)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
