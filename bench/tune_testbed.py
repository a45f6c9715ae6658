#!/usr/bin/env python3
"""How good the rules of `tune` are on a test bed, and what other procedures take: on a grid of calls, each with all that Open MPI has.

    .venv/bin/python bench/tune_testbed.py measure --work DIR [--seconds S] [--ratio 2]
    .venv/bin/python bench/tune_testbed.py judge --work DIR

`measure` brings up a bed, calibrates it in short form if DIR has no bed.toml yet, and measures the grid: first what rules and the library
take and what is near the best by the model, then the others up to --ratio times the best. It ends after S seconds, and continues
when it is called again: DIR/measured.csv keeps what is known. `judge` makes rules by each procedure from these times and prints what
each has to measure and what its rules lose; nothing is measured there. Seconds are of calls, repetitions included: launches come on top
for every procedure."""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from collscope.base.errors import UserError
from collscope.base.statistics import quantile
from collscope.calibration import calibrate
from collscope.campaigns.run import Kept
from collscope.commands.tune import COLLECTIVES
from collscope.machines import find
from collscope.points.plan import Layout, Task, Timing
from collscope.points.table import Row
from collscope.sources import measure, model
from collscope.sources.launcher import launcher_of
from collscope.sources.source import Options
from collscope.testbed import bed
from collscope.testbed.network import Network
from collscope.tuning import confirm, gain, search, targets
from collscope.tuning.confirm import Measured
from collscope.tuning.rules import Call, Rule, chosen
from collscope.tuning.search import Grid, Times

HOSTS = 8
SIZES = [4**e for e in range(11)]  # 1 B … 1 MiB
LOSS = 0.02
REPETITIONS = 5  # and measure.WARMUP before them
CALLS = REPETITIONS + measure.WARMUP
SLICE_S = 30.0  # of calls in a launch


@dataclass(frozen=True)
class Bench:
    """The grid: a task and the modelled times of each call, rules by the model alone, and what is measured."""

    times: Times
    tasks: Mapping[Call, Task]
    seconds: Mapping[Call, Mapping[str, float]]
    rules: Sequence[Rule]
    kept: Kept

    @property
    def calls(self) -> list[Call]:
        """Those that rules are made from."""
        return [call for call in self.times.default if call not in self.times.held_out]

    def task(self, call: Call, key: str) -> Task:
        """A call with an algorithm, as it is measured."""
        layout, point = self.tasks[call]
        return layout, replace(point, algorithm=key, timing=Timing(REPETITIONS))

    def row(self, call: Call, key: str) -> Row | None:
        """What is known of it."""
        row = self.kept.row(self.task(call, key))
        return row if row and row["kind"] == "ok" else None

    def known(self, call: Call) -> dict[str, Measured]:
        """All that is measured of a call."""
        rows = {key: self.row(call, key) for key in self.seconds[call]}
        return {key: Measured(row["median_s"], row["q1_s"], row["q3_s"]) for key, row in rows.items() if row}

    @cached_property
    def everything(self) -> dict[tuple[Call, str], float]:
        """Seconds of one call: measured, or else by the model, times how much longer what is measured of the call takes."""
        made = {}
        for call in self.calls:
            known, seconds = self.known(call), self.seconds[call]
            off = statistics.median([one.median_s / seconds[key] for key, one in known.items()]) if known else 1.0
            made |= {(call, key): known[key].median_s if key in known else off * seconds[key] for key in seconds}
        return made


def load(work: Path) -> Bench:
    """The grid on the bed that DIR/bed.toml describes, timed by the model (cached)."""
    target = targets.find("openmpi")
    grid = Grid.of(range(2, HOSTS + 1), SIZES)
    platform = find.load(str(work / "bed.toml"))
    tasks = grid.tasks(target, COLLECTIVES.split(","), [Layout(platform, p, p) for p in grid.ranks])
    times = search.times_of(model.rows(tasks, Options(quiet=True)), target, grid)
    rules, _ = gain.settled(times, LOSS)
    return Bench(
        times, search.calls_of(tasks, target), confirm.seconds_of(times), rules, Kept.of(work / "measured.csv", False)
    )


# ---- measure ------------------------------------------------------------------------------------------------


def pending(bench: Bench, ratio: float) -> list[tuple[Call, str]]:
    """What is to be measured: in passes by how near an algorithm is to the best, each by layout and call."""
    made: dict[tuple[Call, str], None] = {}
    for limit in (1 + confirm.TIE, 1.5, 2.0, 3.0, 5.0):
        if limit > ratio:
            break
        for call in bench.calls:
            seconds, rule = bench.seconds[call], chosen(bench.rules, call)
            default = bench.times.default[call][0]
            own = {default, (rule.key or default) if rule else default}
            best = min(seconds.values())
            made |= {(call, key): None for key in seconds if seconds[key] <= limit * best or key in own}
    return list(made)


def run(work: Path, seconds: float, ratio: float) -> None:
    """Measures for so long."""
    end = time.monotonic() + seconds
    with bed.held(Network(hosts=HOSTS)):
        launcher = launcher_of("testbed")
        if not (work / "bed.toml").exists():
            began = time.monotonic()
            calibrate.calibrate("bed", launcher, target=work / "bed.toml", quick=True)
            print(f"calibrated in {time.monotonic() - began:.0f} s", flush=True)
        bench = load(work)
        left = [(call, key) for call, key in pending(bench, ratio) if not bench.kept.row(bench.task(call, key))]
        print(f"{len(left)} calls left; load {os.getloadavg()[0]:.0f}", flush=True)
        while left and time.monotonic() < end:
            layout = bench.tasks[left[0][0]][0]
            mine, total = [], 0.0
            for call, key in left:
                if bench.tasks[call][0] == layout and total < SLICE_S:
                    mine.append((call, key))
                    total += CALLS * bench.seconds[call][key]
            options = Options(quiet=True, launcher=launcher, point_timeout_s=60.0, on_row=bench.kept.add)
            for row in measure.rows([bench.task(call, key) for call, key in mine], options):
                bench.kept.add(row)
            bench.kept.write()
            done = set(mine)
            left = [one for one in left if one not in done]
        print(f"{len(left)} calls left; load {os.getloadavg()[0]:.0f}", flush=True)


# ---- judge --------------------------------------------------------------------------------------------------


def losses(bench: Bench, rules: Sequence[Rule] | None) -> list[float]:
    """What rules (None: the library by itself) lose at each call against the best that was measured."""
    found = []
    for call in bench.calls:
        known, default = bench.known(call), bench.times.default[call][0]
        rule = chosen(rules, call) if rules is not None else None
        key = rule.key or default if rule else default
        taken = confirm.known(key, bench.seconds[call], known)
        if known:
            taken_s = taken.median_s if taken else bench.everything[call, key]
            found.append(taken_s / min(one.median_s for one in known.values()) - 1)
    return found


def confirmed(bench: Bench, budget_s: float) -> tuple[list[Rule], float]:
    """As tune --confirm does, from the times that are known; rules, and the seconds of its calls."""
    found, spent = {}, 0.0
    for contest in confirm.contests(bench.rules, bench.times):
        known = bench.known(contest.call)
        measured = {key: known[key] for key in contest.keys if key in known}
        cost = CALLS * sum(one.median_s for one in measured.values())
        if len(measured) > 1 and spent + cost <= budget_s:
            found[contest.call] = measured
            spent += cost
    return gain.settled(confirm.merged(bench.times, found), LOSS)[0], spent


def exhaustive(bench: Bench) -> tuple[list[Rule], float, float]:
    """As ompi-collectives-tuning does: everything is measured, the fastest of each call is taken. Rules, the seconds of its calls, and
    the share of these that was measured here."""
    everything = bench.everything
    measured = sum(s for (call, key), s in everything.items() if bench.row(call, key))
    rules = [
        Rule(call[0], (call[1], call[1]), (call[2], call[2]), best_of(known))
        for call in bench.calls
        if (known := bench.known(call))
    ]
    return rules, CALLS * sum(everything.values()), measured / sum(everything.values())


def best_of(known: Mapping[str, Measured]) -> str:
    """The fastest."""
    return min(known, key=lambda key: known[key].median_s)


def sampled(bench: Bench, budget_s: float, seed: int, active: bool) -> tuple[list[Rule], float]:
    """Without a model of the machine: points of the grid are measured until the budget ends, at random or where trees of a bagged forest
    of nearest neighbours differ most (after ACCLAiM's idea; not its code). What is nearest in log size and ranks tells the rest."""
    rng = random.Random(seed)
    left = list(bench.everything)
    rng.shuffle(left)
    known: dict[tuple[str, str], dict[Call, float]] = {}
    spent = 0.0
    while left and spent < budget_s:
        pick = (
            max(left[:200], key=lambda one: spread(known.get((one[0][0], one[1]), {}), one[0], rng))
            if active
            else left[0]
        )
        left.remove(pick)
        call, key = pick
        second = bench.everything[pick]
        known.setdefault((call[0], key), {})[call] = second
        spent += CALLS * second
        rng.shuffle(left)
    rules = []
    for call in bench.calls:
        guess = {key: nearest(known[call[0], key], call) for key in bench.seconds[call] if known.get((call[0], key))}
        key = min(guess, key=lambda one: guess[one]) if guess else bench.times.default[call][0]
        rules.append(Rule(call[0], (call[1], call[1]), (call[2], call[2]), key))
    return rules, spent


def distance(a: Call, b: Call) -> float:
    """In octaves of size, and in ranks."""
    return abs(a[2].bit_length() - b[2].bit_length()) + abs(a[1] - b[1])


def nearest(known: Mapping[Call, float], call: Call) -> float:
    """The time of the nearest call that is known, scaled by size where it is larger."""
    near = min(known, key=lambda other: distance(other, call))
    return known[near] * max(1.0, call[2] / near[2]) ** 0.5


def spread(known: Mapping[Call, float], call: Call, rng: random.Random) -> float:
    """How far four trees differ, each from half of what is known; without three calls: as far as can be."""
    if len(known) < 3:
        return 10.0 - len(known) + rng.random()
    guesses = [nearest({k: known[k] for k in rng.sample(list(known), (len(known) + 1) // 2)}, call) for _ in range(4)]
    return statistics.stdev(guesses) / statistics.fmean(guesses)


def line(what: str, rules: Sequence[Rule] | None, found: Iterable[float], seconds: float, note: str = "") -> None:
    """A row of the table."""
    ascending = sorted(found)
    count = "" if rules is None else str(len(rules))
    print(
        f"{what:34s} {count:>5s} {seconds:8.0f} {len(ascending):6d} {100 * statistics.fmean(ascending):7.1f} % "
        f"{100 * quantile(ascending, 0.9):7.1f} % {100 * ascending[-1]:7.0f} %  {note}"
    )


def judge(work: Path) -> None:
    """Prints what each procedure measures and loses, then the same by collective."""
    bench = load(work)
    print(f"{'':34s} {'rules':>5s} {'seconds':>8s} {'calls':>6s} {'mean':>9s} {'p90':>9s} {'worst':>9s}")
    line("the library by itself", None, losses(bench, None), 0)
    line("tune: the model alone", bench.rules, losses(bench, bench.rules), 0)
    for budget_s in (60.0, 120.0, 1e9):
        rules, spent = confirmed(bench, budget_s)
        line(f"tune --confirm, {'all' if budget_s > 1e6 else f'{budget_s:.0f} s'}", rules, losses(bench, rules), spent)
    rules, seconds, share = exhaustive(bench)
    line(
        "everything measured",
        rules,
        losses(bench, rules),
        seconds,
        f"{100 * share:.0f} % of these seconds measured here",
    )
    for active in (True, False):
        for budget_s in (120.0, 600.0):
            runs = [sampled(bench, budget_s, seed, active) for seed in range(3)]
            of = [loss for rules, _ in runs for loss in losses(bench, rules)]
            line(
                f"{'active' if active else 'random'} sampling, 3 seeds",
                runs[0][0],
                of,
                statistics.fmean(s for _, s in runs),
            )
    print()
    for name in COLLECTIVES.split(","):
        part = replace(
            bench,
            times=Times(
                bench.times.frame, {c: d for c, d in bench.times.default.items() if c[0] == name}, bench.times.held_out
            ),
        )
        mine = [rule for rule in bench.rules if rule.collective == name]
        most = max(sum(r.ranks[0] <= p <= r.ranks[1] for r in mine) for p in range(2, HOSTS + 1))
        line(f"{name}: the library by itself", None, losses(part, None), 0)
        line(f"{name}: tune, the model alone", mine, losses(part, mine), 0, f"{most} for a number of ranks")


def main() -> int:
    """Measures or judges."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    options.add_argument("step", choices=("measure", "judge"))
    options.add_argument(
        "--work", type=Path, required=True, help="a folder for the bed's specification and what is measured"
    )
    options.add_argument("--seconds", type=float, default=3600.0)
    options.add_argument("--ratio", type=float, default=2.0, help="slower algorithms by the model are not measured")
    given = options.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if given.step == "measure":
        run(given.work, given.seconds, given.ratio)
    else:
        judge(given.work)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"tune_testbed: {error}")
