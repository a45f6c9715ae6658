"""Numbers that a machine's file leaves open, and whether a winner hangs on one of them.

What a specification does not give is computed with as 0, or with a default. That is a guess like any other: here each such number is
set to the least and the greatest of what was measured or documented on the machines of platforms/, and the model says
whether the same algorithm still wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from collscope.base import progress
from collscope.base.number import Number
from collscope.catalogue import registry
from collscope.machines import find, plain_hosts
from collscope.machines.machine import ROUTED
from collscope.machines.platform import Platform
from collscope.machines.spec import Piece, Spec
from collscope.points.plan import Layout, Point, Task
from collscope.sources import model
from collscope.sources.outcome import OK

LOSS = 0.10  # of time, that trusting a winner may cost: more is a doubt
POINT_S = 5.0  # for a modelled time of one variant
# Of the ranks of a call that is checked; above, eight variants take longer than what they are about.
MAX_ROOTED, MAX_UNROOTED, MAX_ALLTOALL = 4096, 128, 32
HINT = "the times are above; Ctrl-C ends the command without this check"
NEAR = 20.0  # times the fastest: what takes longer is not asked again

# (least, middle, greatest) of what was measured or documented: as shares of a message's time in orfeo_epyc (point to point,
# classes within a node and the network), and as rates in the specifications of platforms/.
Range = tuple[float, float, float]
SEND_INSIDE: Range = (0.41, 0.64, 0.93)
SEND_NETWORK: Range = (0.16, 0.20, 0.31)
RECEIVE_INSIDE: Range = (0.02, 0.22, 0.33)
RECEIVE_NETWORK: Range = (0.0, 0.10, 0.30)
NIC_GAP: Range = (0.0, 0.06, 0.12)  # of the network's latency
MEMORY: Range = (6.5e9, 90e9, 160e9)  # bytes per second of a socket
GAMMA: Range = (3.75e-11, 2.5e-10, 6.75e-10)
COPY: Range = (4.2e-11, 2e-10, 5.6e-10)
MAX_BUSY = 0.95  # of a message's time, both processors together


@dataclass(frozen=True)
class Unknown:
    """Numbers that a file leaves open. `keys`: as the file would give them; `measure`: what tells them; `with_value`: the specification
    with the least (0), middle (1) or greatest (2) of them."""

    name: str
    keys: str
    measure: str
    with_value: Callable[[Spec, int], Spec]


@dataclass(frozen=True)
class Doubt:
    """A winner that hangs on a number: which, what it would be replaced by, and the share of time that trusting it may lose."""

    unknown: Unknown
    other: str
    loss: float


@dataclass(frozen=True)
class Unchecked:
    """A winner that may hang on these numbers: too many ranks to try, or a call that the model does not know."""

    unknowns: tuple[Unknown, ...]


def _spent(piece: Piece, share: float) -> tuple[Number, Number]:
    return Number(share * piece.latency.value), Number(share * piece.s_per_byte.value)


def _busy(spec: Spec, i: int) -> Spec:
    """Each message's processors spend their shares of its time on it."""
    curve = {}
    for name, pieces in spec.curve.items():
        send, receive = (SEND_NETWORK, RECEIVE_NETWORK) if name == "network" else (SEND_INSIDE, RECEIVE_INSIDE)
        rest = min(receive[i], MAX_BUSY - send[i])
        eager = spec.eager_bytes.value
        curve[name] = tuple(
            replace(p, gap=_spent(p, send[i]), receive_gap=_spent(p, rest) if p.start <= eager else None)
            for p in pieces
        )
    return replace(spec, curve=curve)


def _nic(spec: Spec, i: int) -> Spec:
    return replace(spec, nic_gap_s=Number(NIC_GAP[i] * spec.curve["network"][0].latency.value))


def _memory(spec: Spec, i: int) -> Spec:
    return replace(spec, memory_bytes_per_s=Number(MEMORY[i]))


def _compute(spec: Spec, i: int) -> Spec:
    return replace(spec, gamma_s_per_byte=Number(GAMMA[i]), copy_s_per_byte=Number(COPY[i]))


PROCESSOR = Unknown(
    "the processors' time per message", "overhead_s, or gap_s in [curve]", "osu_mbw_mr, or ./collscope calibrate", _busy
)
NIC = Unknown("the NIC's time per message", "nic_gap_s", "osu_mbw_mr with all ranks of two nodes", _nic)
SHARED_MEMORY = Unknown("the memory's rate", "memory_bytes_per_s", "STREAM on one socket, or its data sheet", _memory)
LOCAL_XML, PROCESSOR_XML = (
    Unknown(name, keys, "./collscope calibrate", lambda spec, i: spec)
    for name, keys in (
        ("local reductions and copies", "a specification's gamma_s_per_byte, copy_s_per_byte"),
        ("the processors' time per message", "smpi/os and smpi/or in <config>"),
    )
)
"""Of SimGrid's own files, where no variant is timed: they are named only."""
LOCAL = Unknown("local reductions and copies", "gamma_s_per_byte, copy_s_per_byte", "./collscope calibrate", _compute)


def unknowns(platform: Platform, nodes: int) -> list[Unknown]:
    """What the file of a platform leaves open and a call on so many nodes may hang on; [] of `ideal` and of SimGrid's files with places."""
    if platform.machine.priced_by == ROUTED:
        return [LOCAL_XML] if plain_hosts.charges_processors(platform) else [PROCESSOR_XML, LOCAL_XML]
    if not platform.typed or platform.typed.startswith("ideal") or ".xml" in platform.typed:
        return []
    spec, given = find.load_spec(platform.typed), find.given(platform.typed)
    has_gap = any(p.gap for pieces in spec.curve.values() for p in pieces)
    made = [PROCESSOR] if "overhead_s" not in given and not has_gap else []
    made += [NIC] if nodes > 1 and "nic_gap_s" not in given else []
    made += [SHARED_MEMORY] if "memory_bytes_per_s" not in given else []
    made += [LOCAL] if not {"gamma_s_per_byte", "copy_s_per_byte"} & given else []
    return made


@dataclass(frozen=True)
class Choice:
    """A call with the algorithms that were timed for it, and the one that won. `points`: full key → its point; `seconds`: its time."""

    layout: Layout
    points: Mapping[str, Point]
    seconds: Mapping[str, float]
    winner: str


def max_ranks(collective: str) -> int:
    """Of a call of this collective that is checked: p messages or so where there is a root, p² in an alltoall."""
    if collective == "alltoall":
        return MAX_ALLTOALL
    about = registry.load().collective(collective)
    return MAX_ROOTED if about.has_root or not about.has_data else MAX_UNROOTED


def doubts(choices: Sequence[Choice]) -> list[Doubt | Unchecked | None]:
    """For each choice, the unknown number on which its winner hangs most; None: nothing is unknown, or against those
    that are NEAR it loses at most LOSS whatever the numbers are. Each is varied by itself, the others in the middle of their ranges."""
    tasks: list[Task] = []
    places: list[list[tuple[Unknown, dict[str, int]]]] = []  # of each choice: unknown, key → place in tasks
    open_numbers: list[tuple[Unknown, ...]] = []
    machines: dict[tuple[str, bool], list[tuple[Unknown, Platform]]] = {}
    for choice in choices:
        at = choice.layout
        machine = (at.platform.typed, at.nodes > 1) if at.platform else ("", False)
        if machine not in machines:
            machines[machine] = list(_variants(at.platform, at.nodes)) if at.platform else []
        open_numbers.append(tuple(unknowns(at.platform, at.nodes)) if at.platform else ())
        places.append([])
        if at.ranks > max_ranks(choice.points[choice.winner].collective):
            continue
        near = NEAR * choice.seconds[choice.winner]
        keys = [key for key, seconds in choice.seconds.items() if seconds <= near]
        for unknown, platform in machines[machine]:
            places[-1].append((unknown, {key: len(tasks) + i for i, key in enumerate(keys)}))
            tasks += [model.timed((replace(at, platform=platform), choice.points[key])) for key in keys]
    with progress.progress("numbers that the file leaves open", len(tasks), HINT) as bar:
        found = model.evaluate(tasks, progress=bar, limit_s=POINT_S)
    times = [o.get("model_s") if o["kind"] == OK else None for o in found]
    return [_worst(*each, times) for each in zip([c.winner for c in choices], open_numbers, places, strict=True)]


def _worst(
    winner: str,
    open_numbers: tuple[Unknown, ...],
    variants: Sequence[tuple[Unknown, Mapping[str, int]]],
    times: Sequence[float | None],
) -> Doubt | Unchecked | None:
    worst: Doubt | None = None
    incomplete = bool(open_numbers) and not variants
    for unknown, places in variants:
        found = {key: time for key, place in places.items() if (time := times[place])}
        incomplete = incomplete or len(found) < len(places)
        if winner not in found:
            continue
        best = min(found, key=lambda key: found[key])
        loss = found[winner] / found[best] - 1
        if loss > LOSS and (worst is None or loss > worst.loss):
            worst = Doubt(unknown, best, loss)
    return worst or (Unchecked(open_numbers) if incomplete else None)


def _variants(base: Platform, nodes: int) -> Iterator[tuple[Unknown, Platform]]:
    """Each unknown number at the ends of its range, the others in the middle of theirs, with the platform that has it so."""
    found = unknowns(base, nodes)
    if not found or base.machine.priced_by == ROUTED:
        return
    spec = find.load_spec(base.typed)
    for unknown in found:
        for i in (0, 2):
            made = spec
            for other in found:
                made = other.with_value(made, i if other is unknown else 1)
            yield unknown, find.platform_of(made, base.name)
