"""Measuring one machine: the driver's --p2p under mpirun, each rank on a core of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.calibration import p2p
from collscope.calibration.p2p import Wanted
from collscope.calibration.survey import SINGLE_BYTES, SINGLES
from collscope.sources import mpirun

MAX_BYTES = 4 << 20
PROBE_S = 300
SAMPLES = 15
MESSAGES = 45  # from a common start: single ones
WINDOW = 32  # messages of a stream
WORK = (8 << 10, 512 << 10, 64 << 20)  # bytes of local work: a core's own cache … memory
EXCHANGED = (8 << 10, 64 << 10, 512 << 10)


def plan(ranks: int, others: Iterable[int]) -> Iterator[Wanted]:
    """The first rank with each of `others`, then what a rank does alone."""
    sizes = [0, *(1 << k for k in range(MAX_BYTES.bit_length()))]
    for other in others:
        pair = ((0, other),)
        for n in sizes:
            yield Wanted("pingpong", pair, n, max(2, (2 << 20) // (n + (16 << 10))), SAMPLES)
            yield Wanted("flows", pair, n, 1, MESSAGES)
            yield Wanted("flows", (*pair, (other, 0)), n, 1, MESSAGES)
        for n in SINGLE_BYTES:
            yield Wanted("flows", pair, n, 1, SINGLES, single=True)
        for n in EXCHANGED:
            yield Wanted("copy_exchanged", pair, n, 10, SAMPLES)
        yield Wanted("overhead", pair, 1, WINDOW, SAMPLES)
        for n in (1, 1024, 1 << 20):
            yield Wanted("flows", pair, n, WINDOW, SAMPLES)
    for pattern in ("gamma", "copy"):
        for n in WORK:
            yield from (Wanted(pattern, (), n, at_once, SAMPLES) for at_once in (1, ranks))


def probe(ranks: int, others: Iterable[int], driver: Path = programs.MPI_DRIVER) -> list[dict[str, Any]]:
    """Samples of the first rank with each of `others` as `fit` takes them: entries with one key, place, message (from a common start:
    alone, or with one the other way), single (such a message, for how much they vary), pingpong, overhead, gap, copy_exchanged, copy or
    gamma. UserError: what could not be measured and why."""
    words = ["--bind-to", "core", str(programs.needed(driver)), "--p2p"]
    if mpirun.share_cores(ranks):
        raise UserError(f"{ranks} ranks do not have a core each; calibrate with at most {len(os.sched_getaffinity(0))}")
    found = p2p.ask([*plan(ranks, others)], ranks, lambda file: [*mpirun.command(ranks), *words, file], limit_s=PROBE_S)
    places = [{"place": {"rank": r, "host": host, "cpu": cpu}} for r, (host, cpu) in enumerate(found.hosts)]
    return [*places, *map(entry, found.all)]


def entry(answer: p2p.Answer) -> dict[str, Any]:
    """An answer as `fit` takes it."""
    wanted = answer.wanted
    if not wanted.flows:
        return {wanted.pattern: {"bytes": wanted.bytes, "ranks": wanted.count, "samples": sorted(answer.samples)}}
    (a, b), *_ = wanted.flows
    each, name = 1, wanted.pattern
    if name == "flows":
        each, name = wanted.count, "single" if wanted.single else "gap" if wanted.count > 1 else "message"
    samples = sorted(t / each for t in answer.samples)
    return {name: {"bytes": wanted.bytes, "a": a, "b": b, "samples": samples}}
