"""Asking the driver for point-to-point measurements (driver/p2p/p2p.h has the patterns), and its answers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from collscope.base import leftovers, programs
from collscope.base.errors import UserError
from collscope.base.statistics import lower_quartile, quantile
from collscope.sources import mpirun
from collscope.sources.launch import check_ranks

MAX_S = 600.0  # of a launch
Flow = tuple[int, int]  # from rank, to rank

Start = Callable[[Path], Sequence[str | Path]]
"""The words that start the driver with a plan's file."""


@dataclass(frozen=True)
class Wanted:
    """A measurement: `count` is round trips, messages a flow, milliseconds, or ranks, as the pattern has it. `single`: it is for how much
    single round trips vary, not for how long they take."""

    pattern: str
    flows: tuple[Flow, ...] = ()
    bytes: int = 1
    count: int = 1
    samples: int = 9
    single: bool = False

    @property
    def text(self) -> str:
        """Its line of a plan."""
        flows = f" flows={','.join(f'{a}>{b}' for a, b in self.flows)}" if self.flows else ""
        return f"{self.pattern}{flows} bytes={self.bytes} count={self.count} samples={self.samples}"


@dataclass(frozen=True)
class Answer:
    """What was measured: samples in seconds (or seconds a byte); issue and first only of flows."""

    wanted: Wanted
    samples: tuple[float, ...]
    issue: tuple[float, ...] = ()
    first: tuple[float, ...] = ()

    @property
    def typical(self) -> float:
        """Their lower quartile."""
        return lower_quartile(self.samples)


@dataclass
class Answers:
    """All of one or several launches; `places`: (node, socket, cache) of each rank; `hosts`: its host and processor."""

    places: list[tuple[int, int, int]] = field(default_factory=list)
    hosts: list[tuple[str, int]] = field(default_factory=list)
    all: list[Answer] = field(default_factory=list)
    library: str = ""

    def of(self, pattern: str, single: bool = False, **wanted: object) -> list[Answer]:
        """Those of a pattern, with these fields."""
        return [
            a
            for a in self.all
            if (a.wanted.pattern, a.wanted.single) == (pattern, single)
            and all(getattr(a.wanted, k) == v for k, v in wanted.items())
        ]


def ask(
    plan: Sequence[Wanted],
    ranks: int,
    start: Start,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    limit_s: float = MAX_S,
) -> Answers:
    """Measures all that the plan wants in one launch of `ranks` ranks. `folder`: where its file must lie. UserError: what could not be
    measured and why."""
    leftovers.watch()
    with leftovers.scratch(folder) as scratch:
        file = scratch / "p2p.txt"
        file.write_text("".join(f"{w.text}\n" for w in plan), encoding="utf-8")
        words = start(file)
        options: dict[str, Any] = {"timeout": limit_s, "cwd": scratch}
        if environment:
            options["env"] = dict(environment)
        try:
            done = programs.answer(words, **options)
        except FileNotFoundError:
            raise UserError(f"{words[0]}: not found; install openmpi-bin (./collscope doctor says more)") from None
        except subprocess.TimeoutExpired:
            raise UserError(f"measuring took more than {limit_s:g} s; is the machine busy?") from None
    found = read(done.stdout, plan, ranks)
    if done.returncode or len(found.all) < len(plan):
        said = mpirun.reason(done.stderr) or (done.stdout.strip() or "nothing").splitlines()[-1]
        raise UserError(f"the driver's --p2p failed (exit {done.returncode}): {said[:300]}")
    return found


def read(text: str, plan: Sequence[Wanted], ranks: int | None = None) -> Answers:
    """The driver's lines; answers come in the plan's order. UserError: a line is no JSON, or ranks did not find each other."""
    found = Answers()
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        try:
            ((name, said),) = json.loads(line).items()
        except (json.JSONDecodeError, ValueError, AttributeError):
            raise UserError(f"the driver printed a line that is not JSON: {line[:80]}") from None
        if name == "meta":
            check_ranks(said, ranks)
            found.places = [(n, s, c) for n, s, c in said.get("places", [])]
            found.library = str(said.get("library", "")).partition(",")[0]
        elif name == "place":
            found.hosts.append((said["host"], said["cpu"]))
        elif len(found.all) < len(plan) and plan[len(found.all)].pattern == name:
            lists = [tuple(map(float, said.get(key, ()))) for key in ("samples", "issue", "first")]
            if lists[0]:
                found.all.append(Answer(plan[len(found.all)], *lists))
            else:
                raise UserError(f"the driver measured nothing for: {plan[len(found.all)].text}")
    return found


def csv_text(answers: Answers) -> str:
    """All answers as a table: columns pattern, flows (FROM>TO, with blanks between), bytes, count, and the lower quartile, median and
    number of its samples; times in seconds, of local work seconds a byte."""
    lines = ["pattern,flows,bytes,count,lower_quartile_s,median_s,samples,issue_s,first_s"]
    for a in answers.all:
        w = a.wanted
        more = ",".join(f"{lower_quartile(v):.6g}" if v else "" for v in (a.issue, a.first))
        middle = quantile(sorted(a.samples), 0.5)
        flows = " ".join(f"{x}>{y}" for x, y in w.flows)
        pattern = f"{w.pattern}_single" if w.single else w.pattern
        lines.append(f"{pattern},{flows},{w.bytes},{w.count},{a.typical:.6g},{middle:.6g},{len(a.samples)},{more}")
    return "\n".join(lines) + "\n"
