#!/usr/bin/env python3
"""Measures what the labs promise, on this machine. Set it up first (./collscope list), then:

    .venv/bin/python bench/labs.py [check] [grade] [hostile]

check    of every lab's solution: at most 5 s
grade    of 30 folders of lab 2, its solution and its common mistakes: at most 180 s
hostile  each attack of labs/broadcast/wrong/attacks.toml beside a solution, as a grader meets it: at most 30 s of a folder

Times are of whole processes, but those of hostile folders, which grade itself gives.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "python" / "helpers")]

from collscope.labs import lab as labs
from lab_folders import solution, with_mistake

FOLDERS = 30


def called(*words: str | Path) -> tuple[float, str]:
    """Seconds and output of `./collscope lab …`; ends everything when it fails."""
    began = time.monotonic()
    done = subprocess.run([ROOT / "collscope", "lab", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"lab {' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return time.monotonic() - began, done.stdout


def check(folder: Path) -> None:
    """A row per lab."""
    print("check         points      s   at most 5")
    for name in labs.names():
        lab = labs.load(name)
        seconds, text = called("check", solution(lab, folder / name), "--json")
        (report,) = json.loads(text)["folders"]
        print(f"{name:<12} {report['earned']:>3} of {report['points']:<2} {seconds:>6.1f}", flush=True)


def grade(folder: Path) -> None:
    """One row: all folders side by side."""
    lab = labs.load("broadcast")
    made = [solution(lab, folder / "solution")]
    made += [with_mistake(lab, mistake, folder / mistake.name) for mistake in lab.mistakes()]
    every = [*islice(cycle(made), FOLDERS)]
    seconds, text = called("grade", *every, "--json")
    reports = json.loads(text)["folders"]
    whole = sum(report["earned"] == report["points"] for report in reports)
    slowest = max(reports, key=lambda report: report["wall_s"])
    print(f"grade of {len(reports)} folders, {whole} of them right: {seconds:.1f} s, at most 180")
    print(f"the longest, {Path(slowest['folder']).name}: {slowest['wall_s']:.1f} s")


def hostile(folder: Path) -> None:
    """A row per attack, and one of a solution that is graded beside them."""
    lab = labs.load("broadcast")
    made = [with_mistake(lab, attack, folder / attack.name) for attack in lab.attacks()]
    seconds, text = called("grade", *made, solution(lab, folder / "solution"), "--json")
    print("hostile       points      s   at most 30   reason")
    for report in json.loads(text)["folders"]:
        faults = [line for task in report["tasks"] for part in task["parts"] for line in part["faults"]]
        reason = next((line for line in faults if "flat on" not in line), "")
        points = f"{report['earned']:>3} of {report['points']:<2}"
        print(
            f"{Path(report['folder']).name:<12} {points} {report['wall_s']:>6.1f}                {reason}", flush=True
        )
    print(f"all of them: {seconds:.1f} s")


def main(chosen: Sequence[str]) -> None:
    """Those that are named, or all."""
    parts = {"check": check, "grade": grade, "hostile": hostile}
    for name in chosen or parts:
        if name not in parts:
            raise SystemExit(f"{name}: choose {', '.join(parts)}")
        with tempfile.TemporaryDirectory() as folder:
            parts[name](Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
