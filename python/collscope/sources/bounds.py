"""What no algorithm can beat: two different statements.

`bound` is the telephone model's, as Chan et al. print it: a rank sends and receives one message at a time and pays α for each. Real ranks
overlap the α of their messages, so measured and simulated times may lie below it. It is a reference line and never asserted.

`bound_loggp` rests on four numbers of the machine that no message escapes, and is asserted: no makespan, simulated or measured, lies below
it (measured ones within noise).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from collscope.catalogue import registry
from collscope.catalogue.sizes import vector_bytes
from collscope.machines.platform import content_hash
from collscope.points import distribution
from collscope.points.plan import Point, Task
from collscope.points.table import Row, make_row
from collscope.sources.outcome import OK
from collscope.sources.source import Options, Source

if TYPE_CHECKING:
    from collscope.machines.machine import WirePiece
    from collscope.machines.platform import Platform

TELEPHONE = "bound/telephone"
LOGGP = "bound/loggp"


def share(of: str, n: float, p: int) -> float:
    """A share of the vector's n bytes by its name in the catalogue."""
    return {"none": 0.0, "whole": n, "others": (p - 1) / p * n, "block": n / p}[of]


def bound(collective: str, p: int, n: float, alpha: float, beta: float, gamma: float) -> float:
    """Chan's lower bound in seconds; n is the whole vector in bytes, β and γ are per byte. The catalogue has its shares.

    The parts in α, β and γ come from separate arguments; one algorithm need not reach all three at once. A call without data
    sends nothing, except a barrier."""
    about = registry.load().collective(collective)
    if p < 2 or (n <= 0 and about.has_data):
        return 0.0
    rounds = 1 if about.bound.rounds == "one" else math.ceil(math.log2(p))
    sent, combined = share(about.bound.sent, n, p), share(about.bound.combined, n, p)
    if about.bound.sent == about.bound.combined:
        return rounds * alpha + sent * (about.bound.times * beta + gamma)
    return rounds * alpha + sent * (about.bound.times * beta) + combined * gamma


def loggp(platform: Platform, nodes: int, ranks: int) -> dict[str, float]:
    """o, g, L, G and gamma of a platform: the least that any message between two ranks of this layout costs.

    o  what a send that need not wait costs its sender, or its receiver, whichever is less; a send that does wait takes longer
    g  the least time between two sends of a rank (the machine's processors are all that limits it: the least gap, or else o)
    G  seconds per byte at the widest: what a core's port lets through when several messages share it
    L  such that every message of n bytes takes at least 2o + L + n G between two idle ranks
    gamma  seconds a reduced byte

    G and L are taken over all classes of link that occur: L is the least of T(n) - n G - 2o, and T is made of straight pieces, so the least
    lies at an end of one.

    A measured machine brings its own least values. There messages are copies that either side may make, so no port limits a rank:
    `copiers` cores share all the copying."""
    machine, overhead = platform.machine, platform.machine.overhead_s
    if least := machine.least:
        # A simulation of this machine has the overhead of the specification, which was rounded down.
        o = min(least["o"], overhead)
        return {**least, "o": o, "g": min(least["g"], o), "copiers": float(ranks)}
    classes = platform.classes(nodes) if ranks > 1 else platform.classes(nodes)[:1]
    rate = machine.core_bytes_per_s
    curves = [(platform.curve[name], machine.eager_bytes, False) for name in classes]
    curves += [
        (machine.curve_nonblocking[name], machine.eager_nonblocking, True)
        for name in classes
        if name in machine.curve_nonblocking
    ]
    # Times of non-blocking sends contain the sender's overhead where they have a curve of their own.
    spent = [p.gap[0] + p.start * p.gap[1] if p.gap else overhead for c, _, _ in curves for p in c]
    o, g = min(overhead, *spent), min(spent)
    per_byte = math.inf
    for pieces, _, _ in curves:
        for piece in pieces:
            per_byte = min(per_byte, piece.s_per_byte)
            if rate > 0:
                per_byte = min(per_byte, piece.traffic / rate)
    latency = math.inf
    for pieces, eager, nonblocking in curves:
        for i, piece in enumerate(pieces):
            ends = [piece.start]
            if i + 1 < len(pieces):
                ends.append(pieces[i + 1].start - 1)
            if piece.start <= eager:
                ends += [n for n in (eager, eager + 1) if n <= ends[-1] or i + 1 == len(pieces)]
            latency = min(
                [latency, *(_alone(overhead, piece, n, n <= eager, nonblocking) - n * per_byte - 2 * o for n in ends)]
            )
    return {"o": o, "g": g, "L": max(latency, 0.0), "G": per_byte, "gamma": platform.gamma_s_per_byte}


def _alone(overhead_s: float, piece: WirePiece, size: int, eager: bool, nonblocking: bool) -> float:
    """The time of a message between two idle ranks, its processors' overheads included."""
    sender = 0.0 if piece.gap else overhead_s
    overheads = (sender if eager or nonblocking else 0.0) + (overhead_s if eager else 0.0)
    return piece.latency_s + size * piece.s_per_byte + overheads


@lru_cache(maxsize=4096)
def broadcast_s(p: int, o: float, g: float, latency: float) -> float:
    """The least time for one item to reach p - 1 other ranks: everyone who has it keeps sending (Karp et al. 1993).

    A rank that has the item at t can hand it on with sends that begin at t, t + s, t + 2s …, s = max(o, g); each arrives
    o + L + o after its beginning. Always serving the earliest possible arrival is optimal: arrivals are then as early and as
    many as they can be."""
    if p < 2:
        return 0.0
    step, trip = max(o, g), 2 * o + latency
    if step <= 0:  # everyone can be sent to at once
        return trip
    # Arrivals are taken in order, so each of these two lists ascends: those who have it send on, and begin to send.
    arrival, i, k = trip, 0, 0
    again, first = array("d", [arrival + step]), array("d", [arrival + trip])
    for _ in range(p - 2):
        if again[i] <= first[k]:
            arrival, i = again[i], i + 1
        else:
            arrival, k = first[k], k + 1
        again.append(arrival + step)
        first.append(arrival + trip)
    return arrival


@dataclass(frozen=True)
class Least:
    """What a collective cannot do without, in the arguments of `bound_loggp`."""

    spread: bool  # somebody's data concerns everybody else
    port: str  # share of the n bytes that passes the port of some one rank: see `share`
    received: Callable[[int], float]  # by all ranks together, in vectors, of p ranks
    work: bool  # (p-1) n bytes are reduced


MIN_WORK = {
    "bcast": Least(True, "whole", lambda p: p - 1, False),
    "reduce": Least(True, "whole", lambda p: 1, True),
    "scatter": Least(True, "others", lambda p: (p - 1) / p, False),
    "gather": Least(True, "others", lambda p: (p - 1) / p, False),
    "allgather": Least(True, "others", lambda p: p - 1, False),
    "reduce_scatter": Least(True, "others", lambda p: 1, True),
    "reduce_scatter_block": Least(True, "others", lambda p: 1, True),
    "allreduce": Least(True, "whole", lambda p: p, True),
    "rotation": Least(False, "block", lambda p: 1, False),
    "barrier": Least(True, "none", lambda p: 0, False),
    "alltoall": Least(True, "others", lambda p: p - 1, False),
    "gatherv": Least(True, "others", lambda p: (p - 1) / p, False),
    "scatterv": Least(True, "others", lambda p: (p - 1) / p, False),
    "allgatherv": Least(True, "others", lambda p: p - 1, False),
    "alltoallv": Least(True, "others", lambda p: p - 1, False),
    "scan": Least(False, "whole", lambda p: 1, True),
    "exscan": Least(False, "whole", lambda p: 1, False),
}


def bound_loggp(
    collective: str,
    p: int,
    bytes: float,
    o: float,
    g: float,
    L: float,
    G: float,
    gamma: float = 0.0,
    copiers: float = 0,
) -> float:
    """A time that no makespan beats, for `bytes` in the whole vector (as in the table).

    Three independent arguments, each a true bound by itself; the largest is taken, not the sum, because they may overlap:

    spread   Somebody's data concerns everybody else: the root's (bcast, scatter), everyone's (allgather, allreduce,
             alltoall, barrier); reduce, gather and reduce_scatter are the same backwards in time. So an item takes the
             tree of `broadcast_s`, whose trips and steps are the shortest that occur. (Backwards, o is what a receive
             costs. Messages above the eager limit cost none in SMPI, but then each keeps the port for longer than o.)
    volume   So many bytes must pass the port of some one rank, at G each, and the last of them travels L + 2o. bcast,
             reduce, allreduce, scan: a rank that starts without the others' part of its result receives n bytes.
             scatter, gather, allgather, alltoall: (p-1)/p n leave the root, arrive at it, or arrive at everyone.
             reduce_scatter: (p-1)/p n leave everyone, for contributions to different blocks cannot be merged.
             rotation: n/p.
             Where there are no ports but `copiers` cores that copy (shared memory: either side may do it), what counts
             is the sum over all ranks of the bytes received, G each, shared by the cores: (p-1) n for bcast, allgather
             and alltoall, p n for allreduce, (p-1)/p n for scatter and gather, and no less than n for the others.
    work     (p-1) n reduced bytes shared by p ranks: one of them does at least (p-1)/p n γ.

    Nothing is claimed of calls without data, which may return at once."""
    about = registry.load().collective(collective)
    if p < 2 or (bytes <= 0 and about.has_data):
        return 0.0
    least = MIN_WORK[about.name]
    trip = 2 * o + L
    first = broadcast_s(p, o, g, L) if least.spread else trip
    work = (p - 1) / p * bytes * gamma if least.work else 0.0
    if copiers:
        return max(first, least.received(p) * bytes * G / copiers, work)
    return max(first, trip + share(least.port, bytes, p) * G if least.port != "none" else 0.0, work)


# ---- blocks that are not of one length ----


@dataclass(frozen=True)
class Uneven:
    """What a call of such blocks cannot do without: bytes in all and through the port of some one rank, ranks that one must hear from or
    reach, and bytes that all ranks together receive."""

    bytes: float
    through: float
    meets: int
    received: float

    @staticmethod
    def of(point: Point, p: int) -> Uneven:
        """Of a point on so many ranks. With a root: all but its block, of the ranks that have one. alltoallv: what the busiest rank sends
        or receives. Else a rank has at most the shortest block, or must keep the others' part of it, and everyone's data concern
        everybody."""
        about = registry.load().collective(point.collective)
        elem = registry.load().type_bytes(point.type)
        if point.collective == distribution.PAIRS:
            rows = distribution.pair_counts(point.counts, point.count * p, p)
            for r, row in enumerate(rows):
                row[r] = 0
            lines = [*rows, *map(list, zip(*rows, strict=True))]
            most, meets = max(map(sum, lines)), max(sum(map(bool, line)) for line in lines)
            return Uneven(point.bytes(p), most * elem, meets, sum(map(sum, rows)) * elem)
        own = [n * elem for n in distribution.counts(point.counts, point.bytes(p) // elem, p)]
        total = sum(own)
        if about.has_root:
            through = total - own[point.root]
            meets = sum(bool(n) for r, n in enumerate(own) if r != point.root)
            return Uneven(total, through, meets, through)
        everyone = total if about.has_operator else (p - 1) * total
        return Uneven(total, total - min(own), p - 1 if total else 0, everyone)

    def telephone(self, operator: bool, p: int, alpha: float, beta: float, gamma: float) -> float:
        """`bound` of it."""
        combined = (p - 1) / p * self.bytes if operator else 0.0
        return math.ceil(math.log2(self.meets + 1)) * alpha + self.through * beta + combined * gamma

    def loggp(
        self, operator: bool, p: int, o: float, g: float, L: float, G: float, gamma: float, copiers: float
    ) -> float:
        """`bound_loggp` of it."""
        work = (p - 1) / p * self.bytes * gamma if operator else 0.0
        first = broadcast_s(self.meets + 1, o, g, L)
        if copiers:
            return max(first, self.received * G / copiers, work)
        return max(first, 2 * o + L + self.through * G if self.through else 0.0, work)


# ---- rows ------------------------------------------------------------------------------------------------------------


def rows(tasks: Sequence[Task], options: Options) -> list[Row]:
    """Rows of source "bound": both kinds for each different call among the tasks."""
    return rows_of(tasks, (TELEPHONE, LOGGP))


SOURCE = Source("bound", rows)


def rows_of(tasks: Sequence[Task], kinds: Sequence[str] = (TELEPHONE,)) -> list[Row]:
    """Rows of source "bound": one for each different call among the tasks, and kind of bound."""
    known = registry.load()
    made: list[Row] = []
    done: set[tuple[Any, ...]] = set()
    numbers: dict[tuple[str, int, int], tuple[tuple[float, float, float], dict[str, float]]] = {}
    for layout, point in tasks:
        platform = layout.platform
        if platform is None:
            continue
        call = (layout, point.collective, point.count, point.type, point.op, point.in_place, point.root, point.counts)
        if call in done:
            continue
        done.add(call)
        key = (platform.name, layout.nodes, layout.ranks)
        if key not in numbers:
            numbers[key] = (platform.bound_parameters(layout.nodes), loggp(platform, layout.nodes, layout.ranks))
        (alpha, beta, gamma), least = numbers[key]
        size = vector_bytes(point.collective, point.count, layout.ranks, known.type_bytes(point.type))
        for kind in kinds:
            if point.counts != distribution.UNIFORM:
                about, blocks = known.collective(point.collective), Uneven.of(point, layout.ranks)
                if kind == TELEPHONE:
                    time = blocks.telephone(about.has_operator, layout.ranks, alpha, beta, gamma)
                else:
                    time = blocks.loggp(about.has_operator, layout.ranks, **({"copiers": 0.0, "gamma": 0.0} | least))
            elif kind == TELEPHONE:
                time = bound(point.collective, layout.ranks, size, alpha, beta, gamma)
            else:
                time = bound_loggp(point.collective, layout.ranks, size, **least)
            cells = point.cells(layout.ranks) | {"algorithm": kind, "metric": "makespan", "skew": "", "buffers": ""}
            made.append(
                make_row(
                    source="bound",
                    **layout.cells(),
                    **cells,
                    median_s=time,
                    min_s=time,
                    status="ok",
                    kind=OK,
                    platform_hash=content_hash(platform)[:12],
                )
            )
    return made
