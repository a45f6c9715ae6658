"""What this project's own prover says: of a schedule, and of rounds and bytes along a critical path."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from collscope.base import leftovers, programs
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.points.plan import Point, plan_text

TRUSTED_S = 8.0  # for reading, proving and timing one schedule
UNITS = {"rounds": (1, 0, 0), "bytes": (0, 1, 0), "combined": (0, 0, 1)}
"""What a message costs, a byte, and a combined byte, where this is counted along the critical path."""


class Ended(UserError):
    """Something of a student's was ended, or fell, before it was through."""


def network(what: str) -> str:
    """The machine file of a telephone network on which a time is a number of rounds, bytes or combined bytes."""
    alpha, beta, gamma = UNITS[what]
    numbers = f"{alpha} {beta}"
    return f"ports one_port\ncontrol 0\ngamma {gamma}\ncopy 0\nclass network 0 {numbers}\nbound {numbers} {gamma}\n"


def lines(text: str) -> Iterator[dict[str, Any]]:
    """The objects among the lines of a program, which may print what it likes."""
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield found


def ask(*words: str | Path) -> dict[str, Any]:
    """The reply of this project's own prover."""
    try:
        done = programs.answer([programs.PROVER, *words], timeout=TRUSTED_S)
    except subprocess.TimeoutExpired as error:
        raise Ended(f"its schedule cannot be proven within {TRUSTED_S:g} s") from error
    found = next(lines(done.stdout), None)
    return found or {"kind": "refused", "failure": done.stderr.strip()[:300], "status": done.stderr.strip()[:300]}


@lru_cache(maxsize=256)
def reference(what: str, key: str, collective: str, ranks: int, count: int) -> float:
    """Rounds, bytes or combined bytes along the critical path of an algorithm of the catalogue, or of the telephone bound."""
    from collscope.sources.bounds import bound

    point = Point(collective, key, count)
    if key == "bound":
        return bound(collective, ranks, point.bytes(ranks), *UNITS[what])
    with leftovers.scratch() as folder:
        plan, on = folder / "plan.txt", folder / "machine.txt"
        write_atomically(plan, plan_text([("0", point)], ranks))
        write_atomically(on, network(what))
        reply = ask("--model", on, "--plan", plan)
    if reply.get("kind") != "ok":
        raise UserError(f"{key} on {ranks} ranks: {reply.get('status')}")
    return float(reply["model_s"])
