"""Schedules as GOAL text, which LogGOPSim's txt2bin reads: messages, times of reductions and copies, and what must come before what."""

from __future__ import annotations

from collections.abc import Iterator

from collscope.base.errors import UsageError
from collscope.schedules.exports.operations import Operation, operations
from collscope.schedules.trace import Trace

WORDS = {"send": "send {}b to {}", "recv": "recv {}b from {}"}


def text(t: Trace) -> str:
    """The whole file. A UsageError where the schedule uses shared segments, which GOAL has no word for."""
    cost = nanoseconds_per_byte(t.machine)
    lines = [
        f"// {t.key}, {t.ranks} ranks; tag: the part of the schedule that a message belongs to",
        f"// calc: nanoseconds on {t.where}, per byte {cost['reduce']:g} of a reduction and {cost['copy']:g} of a copy",
        f"num_ranks {t.ranks}",
    ]
    for rank, ops in enumerate(operations(t)):
        lines += ["", f"rank {rank} {{", *_rank(ops, cost), "}"]
    return "\n".join(lines) + "\n"


def nanoseconds_per_byte(machine: str) -> dict[str, float]:
    """What a machine file charges for each byte that is combined or copied."""
    words = {w[0]: w[1] for w in map(str.split, machine.splitlines()) if len(w) == 2}
    return {kind: 1e9 * float(words.get(name, "0")) for kind, name in (("reduce", "gamma"), ("copy", "copy"))}


def _rank(ops: list[Operation], cost: dict[str, float]) -> Iterator[str]:
    """Program order, as dependencies: after an operation that blocks, once it is over; after one that does not, once it has begun. A wait
    is a calculation of no time that requires what it waits for."""
    after: tuple[str, str] | None = None
    for op in ops:
        name = f"l{op.index}"
        if op.kind == "wait":
            yield f"{name}: calc 0"
            yield from (f"{name} requires l{k}" for k in op.waited)
            if after and (after[0] == "requires" or after[1] not in {f"l{k}" for k in op.waited}):
                yield f"{name} {after[0]} {after[1]}"
        else:
            if op.is_message:
                words = WORDS["send" if op.sends else "recv"].format(op.bytes, op.peer)
                yield f"{name}: {words} tag {op.label}"
            elif op.kind in ("reduce", "copy", "calc"):
                takes = op.bytes if op.kind == "calc" else round(op.bytes * cost[op.kind])
                if not takes:
                    continue
                yield f"{name}: calc {takes}"
            else:
                raise UsageError(f"{op.kind}: GOAL has messages, and no shared segments; choose another format")
            if after:
                yield f"{name} {after[0]} {after[1]}"
        after = ("irequires" if op.kind in ("isend", "irecv") else "requires", name)
