"""What this machine is, as hwloc has it: processors, the cores and sockets they belong to, the caches they share."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collscope.base import paths, programs
from collscope.base.errors import UserError

ANSWER_S = 60  # hwloc needs milliseconds


@dataclass(frozen=True)
class Cpu:
    """A processor, by the system's number; core, socket and cache (the last level) are numbers that are unique in the machine."""

    number: int
    core: int
    socket: int
    cache: int


@dataclass(frozen=True)
class Topology:
    """The processors that we may run on; two of one core are hardware threads."""

    model: str  # the processor's name; "" where it is not known
    cpus: tuple[Cpu, ...]

    @property
    def cores(self) -> tuple[Cpu, ...]:
        """One processor per core: the one with the lowest number."""
        first: dict[int, Cpu] = {}
        for cpu in sorted(self.cpus, key=lambda c: c.number):
            first.setdefault(cpu.core, cpu)
        return tuple(first.values())

    @property
    def shape(self) -> tuple[int, int, int]:
        """Sockets, cores per socket, cores per cache; the smallest of each where they differ."""
        sockets = Counter(c.socket for c in self.cores)
        per_socket = min(sockets.values())
        per_cache = min(min(Counter(c.cache for c in self.cores).values()), per_socket)
        while per_socket % per_cache:
            per_cache -= 1
        return len(sockets), per_socket, per_cache


def read(driver: Path = programs.MPI_DRIVER) -> Topology:
    """Asks the driver. UserError: it is not built, or hwloc cannot say."""
    command = [str(programs.needed(driver)), "--topology"]
    try:
        done = programs.answer(command, timeout=ANSWER_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{paths.display(driver)} --topology: {error}") from error
    if done.returncode:
        reason = (done.stderr.strip() or "it printed nothing").splitlines()[-1]
        raise UserError(f"{paths.display(driver)} --topology failed (exit {done.returncode}): {reason}")
    try:
        return parse(json.loads(done.stdout)["topology"])
    except (ValueError, KeyError, TypeError) as error:
        text = done.stdout[:80]
        raise UserError(f"{paths.display(driver)} --topology printed what is not a topology: {text}") from error


def parse(answer: Mapping[str, Any]) -> Topology:
    """The topology from the driver's answer (driver/port.h). Keys: model, cpus (each with cpu, core, socket, cache)."""
    cpus = tuple(Cpu(int(c["cpu"]), int(c["core"]), int(c["socket"]), int(c["cache"])) for c in answer["cpus"])
    if not cpus:
        raise ValueError("no processors")
    return Topology(str(answer["model"]), cpus)
