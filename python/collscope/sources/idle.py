"""What else a machine does while it is measured, by its processors' own counters (/proc/stat, all cores, over a second).

A load average still has what ended minutes ago, and does not have what a hypervisor gives to other machines.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from collscope.base import console, programs
from collscope.base.units import counted
from collscope.sources.launcher import Launcher

SECOND = 1.0
IDLE_CORES = 0.1  # what a machine does beside, without disturbing anybody
MAX_NAMED = 3
MAX_ANSWER_S = 60.0
PROC = Path("/proc")
SCHED_IDLE = 5  # runs only where nobody else wants to
# One line per host: its name, its cores, and the line "cpu" of /proc/stat twice.
ASK = 'echo "$(uname -n) $(grep -c "^cpu[0-9]" /proc/stat) $(head -n 1 /proc/stat) $(sleep 1; head -n 1 /proc/stat)"'
ANSWER = re.compile(r"(\S+) (\d+) cpu +([\d ]+?) cpu +([\d ]+)")


@dataclass(frozen=True)
class Busy:
    """A host's cores for a second: how many there are, how many were busy, and how many of these a hypervisor gave to other machines;
    `programs`: names and the cores that each had, the busiest first."""

    host: str
    cores: int
    busy: float
    stolen: float = 0.0
    programs: tuple[tuple[str, float], ...] = ()

    @property
    def is_idle(self) -> bool:
        """Whether nobody who measures is disturbed."""
        return self.busy <= IDLE_CORES

    @property
    def text(self) -> str:
        """In words: what is busy, and how much."""
        parts = [f"{name} {cores:.1f}" for name, cores in self.programs if cores > IDLE_CORES / 2][:MAX_NAMED]
        parts += [f"other virtual machines {self.stolen:.1f}"] if self.stolen > IDLE_CORES / 2 else []
        return f"{self.busy:.1f} of {counted(self.cores, 'core')} busy" + (f" ({', '.join(parts)})" if parts else "")


def of_counters(host: str, cores: int, before: Sequence[int], after: Sequence[int]) -> Busy:
    """From the counters of all cores together at two times: user, nice, system, idle, iowait, irq, softirq, steal."""
    spent = [max(b - a, 0) for a, b in zip(before[:8], after[:8], strict=True)]
    each = cores / max(sum(spent), 1)
    return Busy(host, cores, each * (sum(spent) - spent[3] - spent[4]), each * sum(spent[7:]))


def here(seconds: float = SECOND, *, awake: bool = False) -> Busy:
    """This machine, for so long from now on. `awake`: programs that run only on idle cores keep these awake for those that measure, as
    the test bed's loops do, and do not count."""
    before, programs_before = _counters(), _programs()
    time.sleep(seconds)
    after, programs_after = _counters(), _programs()
    found = of_counters("", os.cpu_count() or 1, before, after)
    each = found.cores / max(sum(after[:8]) - sum(before[:8]), 1)
    used: Counter[str] = Counter()
    awake_ticks = 0
    for process, program in programs_after.items():
        ticks = program.ticks - (programs_before[process].ticks if process in programs_before else 0)
        if awake and program.policy == SCHED_IDLE:
            awake_ticks += ticks
        else:
            used[program.name] += ticks
    return Busy("", found.cores, max(found.busy - awake_ticks * each, 0.0), found.stolen, _shares(used, each))


def _shares(used: Counter[str], cores_per_tick: float) -> tuple[tuple[str, float], ...]:
    return tuple((name, ticks * cores_per_tick) for name, ticks in used.most_common(MAX_NAMED) if ticks > 0)


def _counters() -> list[int]:
    return [int(word) for word in (PROC / "stat").read_text().splitlines()[0].split()[1:]]


class _Program(NamedTuple):
    """`ticks`: what it has computed, without its ended children; `policy`: of the scheduler."""

    name: str
    ticks: int
    policy: int


def _programs() -> dict[str, _Program]:
    """By process."""
    found = {}
    for folder in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended
            name, _, rest = (folder / "stat").read_text(errors="replace").partition("(")[2].rpartition(")")
            words = rest.split()
            found[folder.name] = _Program(name, int(words[11]) + int(words[12]), int(words[38]))
    return found


def of_hosts(launcher: Launcher, nodes: int) -> list[Busy]:
    """The hosts on which the launcher starts ranks; of the test bed this machine, which they all are. [] where they do not answer."""
    if launcher.is_local or launcher.kind == "testbed":
        return [here(awake=launcher.kind == "testbed")]
    with launcher.session() as more:
        try:
            words = launcher.command(["sh", "-c", ASK], nodes, nodes)
            done = programs.answer(words, timeout=MAX_ANSWER_S, env=os.environ | more, restore_signals=False)
        except (OSError, subprocess.TimeoutExpired):
            return []
    return answers(done.stdout)


def answers(text: str) -> list[Busy]:
    """What hosts answered to ASK."""
    return [
        of_counters(host, int(cores), *([int(n) for n in counters.split()] for counters in (before, after)))
        for host, cores, before, after in ANSWER.findall(text)
    ]


def remark(launcher: Launcher, nodes: int = 1) -> str:
    """What the hosts are busy with, in words, and a remark where that lengthens times; "idle" where it does not."""
    found = of_hosts(launcher, nodes)
    if not found:
        return "not known: the hosts did not answer"
    busy = [host for host in found if not host.is_idle]
    text = "; ".join(f"{host.host} {host.text}".strip() for host in busy)
    if busy:
        console.note(f"not idle: {text}; times will be too long: measure again when it is quiet")
    return text or "idle"
