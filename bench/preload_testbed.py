#!/usr/bin/env python3
"""OSU's unmodified benchmarks on a test bed: with the algorithms that the model predicts to be fastest, by libcollscope.so, beside the
MPI library's own choice, and how far each prediction is from what OSU prints.

    .venv/bin/python bench/preload_testbed.py --osu DIR [--pairs 5] [--keep platform.toml]

DIR has osu_bcast, osu_allgather, osu_allreduce and osu_alltoall (OSU micro-benchmarks, built with this machine's mpicc). The bed is
calibrated point to point first, or not if the file of --keep is there already. Each pair is two launches of a benchmark, one with the
choice and one without, in an order that changes; a row has the medians of the pairs and, of the ratio, its lowest and highest."""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.base.units import SECONDS, format_size
from collscope.calibration import calibrate
from collscope.campaigns.campaign import keys_of
from collscope.commands.testbed import read_number
from collscope.machines import find
from collscope.points import benchmarks
from collscope.points.plan import Layout, Point
from collscope.sources import model
from collscope.sources.launcher import launcher_of
from collscope.sources.outcome import OK
from collscope.sources.source import Options
from collscope.testbed import bed
from collscope.testbed.network import Network

SEGMENTS = "s=2KiB|4KiB|8KiB|16KiB|32KiB"
KEYS = {  # collective → the algorithms that may win: those that share no memory, and some of their parameters
    "bcast": ["flat", f"pipeline[{SEGMENTS}]", f"chain[chains=2|4,{SEGMENTS}]", f"binary[{SEGMENTS}]", "knomial[k=2|3|4|8]"],
    "allgather": ["flat"],
    "allreduce": ["flat", "ring_segmented[s=2KiB|8KiB|32KiB]"],
    "alltoall": ["flat"],
}  # fmt: skip
HOSTS = 8
PARTS = (((1 << 10, 16 << 10), 100, 10), ((32 << 10, 1 << 20), 10, 2))  # first and last size, calls, calls before those
DEFAULT = "decision/ompi_4_1"
METRIC = f"osu_avg[barrier={DEFAULT}]"

Times = dict[int, float]  # size → seconds


@dataclass(frozen=True)
class Choice:
    """What is predicted of a collective at a size: the fastest key and its time, and that of the library's own choice."""

    key: str
    seconds: float
    default_s: float


def sizes() -> list[int]:
    """OSU's: powers of two."""
    return [1 << e for (first, last), _, _ in PARTS for e in range(first.bit_length() - 1, last.bit_length())]


def choices(layout: Layout, collective: str) -> dict[int, Choice]:
    """By the model, for each size. UserError: nothing has a time."""
    kind = "float" if collective == "allreduce" else "byte"
    elem = 4 if kind == "float" else 1
    keys = [*keys_of(collective, KEYS[collective]), DEFAULT]
    tasks = [
        (layout, Point(collective, key, size // elem, type=kind, metric=METRIC)) for size in sizes() for key in keys
    ]
    rows = model.rows(tasks, Options(quiet=True))
    found = {}
    for i, size in enumerate(sizes()):
        of_size = zip(keys, rows[i * len(keys) : (i + 1) * len(keys)], strict=True)
        times = {key: row["median_s"] for key, row in of_size if row["kind"] == OK}
        if DEFAULT not in times:
            raise UserError(f"{collective}, {format_size(size)}: the model has no time for {DEFAULT}")
        default = times.pop(DEFAULT)
        best = min(times, key=lambda key, t=times: t[key])
        found[size] = Choice(best, times[best], default)
    return found


def write_rules(collective: str, chosen: Mapping[int, Choice], folder: Path) -> dict[str, str]:
    """The variables with which ranks run the choices and report it."""
    lines = (f"{collective} bytes {size} {choice.key}\n" for size, choice in chosen.items())
    (folder / "rules.txt").write_text("".join(lines), encoding="utf-8")
    return {"COLLSCOPE_RULES": str(folder / "rules.txt"), "COLLSCOPE_REPORT": str(folder / "report.json")}


def check_report(variables: Mapping[str, str], collective: str, chosen: Mapping[int, Choice]) -> None:
    """UserError: calls of a size with a choice went to the library's own function."""
    text = Path(variables["COLLSCOPE_REPORT"]).read_text(encoding="utf-8")
    for row in json.loads(text)["rows"]:
        if row["collective"] == collective and row["bytes_from"] in chosen and not row["algorithm"]:
            raise UserError(f"{collective} of {format_size(row['bytes_from'])} was passed on: {row['passed_on']}")


def printed(there: bed.Bed, program: Path, collective: str, chosen: Mapping[int, Choice]) -> Times:
    """What a benchmark prints of all sizes, with these choices. UserError: it failed, or a choice did not run."""
    times: Times = {}
    with tempfile.TemporaryDirectory() as folder:
        variables = write_rules(collective, chosen, Path(folder)) if chosen else {}
        preload = str(programs.needed(programs.PRELOAD)) if chosen else ""
        for (first, last), calls, before in PARTS:
            words: list[str | Path] = [program, "-m", f"{first}:{last}", "-i", str(calls), "-x", str(before), "-f"]
            line = there.mpirun(HOSTS, words, preload=preload)
            done = programs.answer(line, timeout=1200, env=os.environ | variables)
            if done.returncode:
                raise UserError(f"{program.name}: status {done.returncode}: {done.stderr.strip()[-400:]}")
            if chosen:
                check_report(variables, collective, chosen)
            for row in benchmarks.read(program.name, done.stdout, benchmarks.Launch(HOSTS, HOSTS)):
                times[row["block_bytes" if collective in benchmarks.BLOCKS else "bytes"]] = row["median_s"]
    return times


def measured(
    there: bed.Bed, program: Path, collective: str, chosen: Mapping[int, Choice], pairs: int
) -> list[tuple[Times, Times]]:
    """(with the choice, without) of each pair."""
    found = []
    for pair in range(pairs):
        first = printed(there, program, collective, chosen if pair % 2 else {})
        second = printed(there, program, collective, {} if pair % 2 else chosen)
        found.append((first, second) if pair % 2 else (second, first))
    return found


def show(
    collective: str, chosen: Mapping[int, Choice], pairs: Sequence[tuple[Times, Times]]
) -> list[tuple[float, float]]:
    """Prints the rows of a collective; (ratio, prediction over OSU's) of each size."""
    found = []
    for size, choice in chosen.items():
        ratios = [ours[size] / default[size] for ours, default in pairs]
        ours, default = (statistics.median(pair[i][size] for pair in pairs) for i in (0, 1))
        ratio, error, of_default = statistics.median(ratios), choice.seconds / ours, choice.default_s / default
        found.append((ratio, error))
        print(
            f"{collective:10s} {format_size(size):>8s} {choice.seconds * 1e3:9.3f} {ours * 1e3:9.3f} {error:6.3f}   "
            f"{choice.default_s * 1e3:9.3f} {default * 1e3:9.3f} {of_default:6.3f}   {ratio:5.3f} {min(ratios):5.3f} {max(ratios):5.3f}  "
            f"{choice.key}",
            flush=True,
        )
    return found


def sum_up(what: str, found: Sequence[tuple[float, float]]) -> None:
    """One line: the time with the choice as a part of that without, and how many predictions are near."""
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in found))
    errors = [abs(error - 1) for _, error in found]
    print(
        f"{what}: {100 * (1 - mean):.1f} % less time (geometric mean of {len(found)}); {sum(e <= 0.1 for e in errors)} of {len(errors)} "
        f"predictions within 10 %, median {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} %",
        flush=True,
    )


def main() -> int:
    """Prints the tables."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    options.add_argument("--osu", type=Path, required=True, help="the folder with osu_bcast and the others")
    options.add_argument("--pairs", type=int, default=5)
    options.add_argument("--latency", default="500us", help="of the bed")
    options.add_argument("--keep", type=Path, help="the bed's specification: used if it is there, else written")
    options.add_argument("--collectives", default=",".join(KEYS))
    given = options.parse_args()
    network = Network(hosts=HOSTS, latency_s=read_number("latency", given.latency, SECONDS))
    names = given.collectives.split(",")
    for name in names:
        if not os.access(given.osu / f"osu_{name}", os.X_OK):
            raise UserError(
                f"{given.osu / f'osu_{name}'}: not a program; name the folder with OSU's collective benchmarks"
            )
    with bed.held(network) as there, tempfile.TemporaryDirectory() as folder:
        spec = given.keep or Path(folder, "bed.toml")
        print(f"load {os.getloadavg()[0]:.1f}; {network.describe()}", flush=True)
        if not spec.exists():
            calibrate.calibrate("bed", launcher_of("testbed"), target=spec)
        layout = Layout(find.load(str(spec)), HOSTS, HOSTS)
        print(
            f"{'':19s} {'choice, ms: model, OSU, ratio':>27s}   {'default: model, OSU, ratio':>27s}   choice/default, lowest, highest"
        )
        found = []
        for name in names:
            chosen = choices(layout, name)
            found.append(show(name, chosen, measured(there, given.osu / f"osu_{name}", name, chosen, given.pairs)))
            sum_up(name, found[-1])
        sum_up("all", [one for part in found for one in part])
        print(f"load {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (UserError, subprocess.TimeoutExpired) as error:
        sys.exit(f"preload_testbed: {error}")
