"""Schedules as MSCCL's XML: a thread block per connection, steps in program order, dependencies between blocks."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from collscope.base.errors import UsageError
from collscope.points.distribution import UNIFORM
from collscope.schedules.exports.operations import Operation, operations
from collscope.schedules.trace import Trace

NAMES = {
    "allreduce": "allreduce",
    "allgather": "allgather",
    "alltoall": "alltoall",
    "reduce_scatter": "reduce_scatter",
    "reduce_scatter_block": "reduce_scatter",
}
MAX_BYTES = 1 << 40  # of a call: any size; runtimes want a number
MAX_CHUNKS = 4096  # of a buffer: beyond, the count does not divide well
SCRATCH = 2  # the number of this buffer, behind in and out
LOCAL = {"reduce": "re", "copy": "cpy"}
Block = tuple[int, int, int]  # rank that is sent to, rank that is received from (-1: nobody), channel


@dataclass(frozen=True)
class Step:
    """A step of a thread block."""

    kind: str  # s, r, re, cpy, nop
    source: tuple[str, int] = ("i", -1)  # buffer and chunk
    target: tuple[str, int] = ("o", -1)
    chunks: int = 0
    after: tuple[Block, int] | None = None


@dataclass(frozen=True)
class Gpu:
    """A rank: its thread blocks, and how far each must have come for what follows."""

    blocks: dict[Block, list[Step]] = field(default_factory=dict)
    over: dict[Block, int] = field(default_factory=dict)  # the last step that is over by program order
    known: dict[tuple[Block, Block], int] = field(default_factory=dict)  # what a block has waited for already
    awaited: set[tuple[Block, int]] = field(default_factory=set)  # steps that another block waits for

    def add(self, block: Block, step: Step) -> int:
        """Appends a step behind all that is over; returns its number. A step has one dependency: further ones are steps that do nothing."""
        steps = self.blocks.setdefault(block, [])
        needed = [
            (other, n) for other, n in self.over.items() if other != block and self.known.get((block, other), -1) < n
        ]
        self.known.update({(block, other): n for other, n in needed})
        self.awaited.update(needed)
        steps += [Step("nop", after=dependency) for dependency in needed[:-1]]
        steps.append(replace(step, after=needed[-1] if needed else None))
        return len(steps) - 1


class Places:
    """Where a rank's bytes lie in chunks. Scratch is packed: each stretch of it that is used at all begins with a chunk of its own."""

    def __init__(self, ops: Sequence[Operation], shared: bool) -> None:
        self.shared = shared  # in and out are one buffer
        self.begins: list[int] = []
        self.ends: list[int] = []
        touched = sorted(
            (at, at + op.bytes) for op in ops for buffer, at in _touched(op) if buffer == SCRATCH and op.bytes
        )
        for begin, end in touched:
            if self.ends and begin < self.ends[-1]:
                self.ends[-1] = max(end, self.ends[-1])
            else:
                self.begins.append(begin)
                self.ends.append(end)

    def offset(self, buffer: int, at: int) -> int:
        """Bytes from the buffer's, or from the stretch's, beginning."""
        return at - self.begins[bisect_right(self.begins, at) - 1] if buffer == SCRATCH else at

    def scratch_chunks(self, unit: int) -> int:
        """All of them."""
        return sum((end - begin) // unit for begin, end in zip(self.begins, self.ends, strict=True))

    def chunk(self, buffer: int, at: int, unit: int) -> tuple[str, int]:
        """Buffer and chunk, as a step names them."""
        before = 0
        if buffer == SCRATCH:
            k = bisect_right(self.begins, at) - 1
            before = sum((self.ends[i] - self.begins[i]) // unit for i in range(k))
        return "o" if self.shared and buffer < SCRATCH else "ios"[buffer], before + self.offset(buffer, at) // unit


def text(t: Trace) -> str:
    """The whole file. A UsageError says why MSCCL cannot hold the schedule."""
    ops = operations(t)
    shared = t.raw["buffers"][0][0] == t.raw["buffers"][0][3]
    _check(t, ops, shared)
    places = [Places(of, shared) for of in ops]
    unit = _chunk_bytes(t, ops, places)
    by_index = [{op.index: op for op in of} for of in ops]
    gpus = [_gpu(rank, ops[rank], by_index, places, unit) for rank in range(t.ranks)]
    sizes = [
        {"i_chunks": row[2] // unit, "o_chunks": row[5] // unit, "s_chunks": place.scratch_chunks(unit)}
        for row, place in zip(t.raw["buffers"], places, strict=True)
    ]
    algo = ET.Element("algo", {
        "name": t.key, "proto": "Simple",
        "nchannels": str(1 + max((block[2] for gpu in gpus for block in gpu.blocks), default=0)),
        "nchunksperloop": str(max(max(size["i_chunks"], size["o_chunks"]) for size in sizes)),
        "ngpus": str(t.ranks), "coll": NAMES[t.collective], "inplace": str(int(shared)),
        "outofplace": str(int(not shared)), "minBytes": "0", "maxBytes": str(MAX_BYTES),
    })  # fmt: skip
    for rank, (gpu, size) in enumerate(zip(gpus, sizes, strict=True)):
        _put_gpu(algo, rank, gpu, size)
    ET.indent(algo)
    return ET.tostring(algo, encoding="unicode") + "\n"


def _check(t: Trace, ops: Sequence[Sequence[Operation]], shared: bool) -> None:
    """UsageError: MSCCL has no word for it."""
    if t.collective not in NAMES:
        raise UsageError(f"{t.collective}: MSCCL has no such collective; it has {', '.join(NAMES)}")
    if t.point and t.point.op == "affine":
        raise UsageError("MSCCL combines in any order; this operator does not commute")
    uneven = (
        t.count % t.ranks or (t.point and t.point.counts != UNIFORM) or len({row[5] for row in t.raw["buffers"]}) > 1
    )
    if t.collective == "reduce_scatter" and uneven:
        raise UsageError(f"MSCCL's reduce_scatter has equal blocks; choose a count that {t.ranks} divides")
    if NAMES[t.collective] == "reduce_scatter" and shared and t.ranks > 1:
        where = "in place each rank finds its block where it stands in the vector, by MPI at the vector's beginning"
        raise UsageError(f"MSCCL's reduce_scatter: {where}; leave --in-place away")
    for op in (op for of in ops for op in of):
        if op.kind not in ("wait", "reduce", "copy") and not op.is_message:
            raise UsageError(f"{op.kind}: MSCCL has messages, and no shared segments or calculations")
        if op.is_message and not op.bytes:
            raise UsageError(f"MSCCL has no empty messages; choose a count of at least {t.ranks} elements")


def _chunk_bytes(t: Trace, ops: Sequence[Sequence[Operation]], places: Sequence[Places]) -> int:
    """The largest chunk of which everything is a whole number."""
    sizes = {n for row in t.raw["buffers"] for n in (row[1], row[2], row[4], row[5])}
    for of, place in zip(ops, places, strict=True):
        sizes |= {end - begin for begin, end in zip(place.begins, place.ends, strict=True)}
        for op in of:
            sizes |= {n for buffer, at in _touched(op) for n in (op.bytes, place.offset(buffer, at))}
    unit = math.gcd(*sizes)
    if not unit:
        raise UsageError(f"MSCCL has no calls without data; choose a count of at least {t.ranks} elements")
    if max(max(row[2], row[5]) for row in t.raw["buffers"]) // unit > MAX_CHUNKS:
        raise UsageError(f"a buffer of more than {MAX_CHUNKS} chunks; choose a count that {t.ranks} divides")
    return unit


def _gpu(
    rank: int, ops: Sequence[Operation], by_index: Sequence[dict[int, Operation]], places: Sequence[Places], unit: int
) -> Gpu:
    gpu = Gpu()
    begun: dict[int, tuple[Block, int]] = {}
    for op in ops:
        if op.kind == "wait":
            for k in op.waited:
                block, n = begun[k]
                gpu.over[block] = max(n, gpu.over.get(block, -1))
            continue
        mine = places[rank].chunk(op.buffer, op.offset, unit)
        if op.is_message:
            other = by_index[op.peer][op.partner]
            theirs = places[op.peer].chunk(other.buffer, other.offset, unit)
            block = (op.peer, -1, op.label) if op.sends else (-1, op.peer, op.label)
            kind, source, target = ("s", mine, theirs) if op.sends else ("r", theirs, mine)
        else:
            block = (-1, -1, 0)
            kind, source, target = LOCAL[op.kind], mine, places[rank].chunk(op.target, op.target_offset, unit)
        begun[op.index] = (block, gpu.add(block, Step(kind, source, target, op.bytes // unit)))
        if op.kind not in ("isend", "irecv"):
            gpu.over[block] = begun[op.index][1]
    return gpu


def _touched(op: Operation) -> Iterator[tuple[int, int]]:
    if op.kind != "wait":
        yield op.buffer, op.offset
    if op.kind in LOCAL:
        yield op.target, op.target_offset


def _put_gpu(algo: ET.Element, rank: int, gpu: Gpu, sizes: dict[str, int]) -> None:
    number = {block: i for i, block in enumerate(sorted(gpu.blocks))}
    element = ET.SubElement(algo, "gpu", {"id": str(rank)} | {name: str(n) for name, n in sizes.items()})
    for block, i in number.items():
        send, recv, channel = block
        tb = ET.SubElement(element, "tb", {"id": str(i), "send": str(send), "recv": str(recv), "chan": str(channel)})
        for n, step in enumerate(gpu.blocks[block]):
            other, its = step.after or (None, -1)
            ET.SubElement(tb, "step", {
                "s": str(n), "type": step.kind,
                "srcbuf": step.source[0], "srcoff": str(step.source[1]),
                "dstbuf": step.target[0], "dstoff": str(step.target[1]), "cnt": str(step.chunks),
                "depid": str(number[other]) if other else "-1", "deps": str(its),
                "hasdep": str(int((block, n) in gpu.awaited)),
            })  # fmt: skip
