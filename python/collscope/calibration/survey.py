"""What a cluster is asked for: which pairs stand for a class of link, which sizes, which messages at once.

Not every pair is measured: of each class those that are spread most, so that the time does not grow with the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from collscope.calibration.p2p import Answers, Flow, Wanted

Place = tuple[int, int, int]  # node, socket, cache: numbers that are unique in the cluster

NETWORK = "network"
PAIRS = 3  # of a class
MAX_BYTES = 4 << 20
MAX_S = 0.2  # half a round trip: larger messages are not asked for
SAMPLE_S = 5e-3  # of round trips: more of them would not make the clock's error smaller
MEASURE_S = 0.8  # a measurement of long messages
QUICK_SAMPLES = 3
SINGLES, QUICK_SINGLES = 100, 25  # single round trips of a size, for how much they vary
SINGLE_BYTES = (1, 1 << 10, 1 << 14, 1 << 18)  # it changes with size less than the time does
SINGLE_S = 0.06  # half a round trip: larger messages are not asked for it
AT_ONCE_S = 0.25  # all messages of a measurement together
LATE_MS, LATE_TIMES = 10, 4.0  # a receive comes so late: milliseconds, times of its message
STREAM = (1, 8)  # messages, whose times' difference is that of the others
FEW = (1, 4)
MAX_PAIRS = 64
SCOUT_BYTES = 1 << 16
WORK = (8 << 10, 512 << 10, 16 << 20)  # bytes of local work: a core's own cache … memory


@dataclass(frozen=True)
class Shape:
    """The ranks of the cluster by where they sit."""

    places: tuple[Place, ...]

    @property
    def nodes(self) -> list[list[int]]:
        """The ranks of each node."""
        found: dict[int, list[int]] = {}
        for rank, (node, _, _) in enumerate(self.places):
            found.setdefault(node, []).append(rank)
        return [*found.values()]

    def node_of(self, rank: int) -> int:
        """The node's number."""
        return self.places[rank][0]

    def level(self, a: int, b: int) -> str:
        """The class of a message between two ranks."""
        one, other = self.places[a], self.places[b]
        return next(
            (name for at, name in ((0, NETWORK), (1, "node"), (2, "socket")) if one[at] != other[at]),
            "cache",
        )

    def pairs(self) -> dict[str, list[Flow]]:
        """Class → the pairs that stand for it, closest class first. Those on a node are of the first one; the others of its first rank."""
        all_pairs: dict[str, list[Flow]] = {}
        first = self.nodes[0]
        for a in first:
            for b in (r for r in first if r > a):
                all_pairs.setdefault(self.level(a, b), []).append((a, b))
        for ranks in self.nodes[1:]:
            all_pairs.setdefault(NETWORK, []).append((first[0], ranks[-1]))
        order = [lv for lv in ("cache", "socket", "node", NETWORK) if lv in all_pairs]
        return {lv: spread(all_pairs[lv], PAIRS) for lv in order}

    def disjoint(self, level: str) -> list[Flow]:
        """Pairs of a class that have no rank in common: on the first node, those within a socket within its first; between nodes, from
        each rank of the first to one of the second."""
        if level == NETWORK:
            return [*zip(self.nodes[0], self.nodes[1], strict=False)][:MAX_PAIRS] if len(self.nodes) > 1 else []
        taken: set[int] = set()
        found = []
        ranks = [r for r in self.nodes[0] if level == "node" or self.places[r][1] == self.places[self.nodes[0][0]][1]]
        for a in ranks:
            b = next((b for b in ranks if b > a and not {a, b} & taken and self.level(a, b) == level), None)
            if b is not None:
                taken |= {a, b}
                found.append((a, b))
        return found


def spread(items: Sequence[Flow], most: int) -> list[Flow]:
    """At most so many of them, from first to last."""
    if len(items) <= most:
        return [*items]
    return [items[k * (len(items) - 1) // (most - 1)] for k in range(most)]


def doubling(most: int) -> list[int]:
    """2, 4, … and `most` itself."""
    return sorted({*(1 << k for k in range(1, most.bit_length()) if 1 << k <= most), most} - {0, 1})


# ---- how long it will take --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pace:
    """Roughly half a round trip of a class: from 1 byte, and SCOUT_BYTES."""

    small_s: float
    large_s: float

    def time(self, size: int) -> float:
        """Of a message of so many bytes."""
        return self.small_s + max(self.large_s - self.small_s, 0.0) * size / SCOUT_BYTES

    def largest(self, messages: int, limit_s: float) -> int:
        """The largest power of two of which so many, one after the other, take no longer."""
        sizes = [1 << k for k in range(MAX_BYTES.bit_length()) if messages * self.time(1 << k) <= limit_s]
        return sizes[-1] if sizes else 1


def scout(shape: Shape) -> list[Wanted]:
    """A first look at each class."""
    return [
        Wanted("pingpong", (pairs[0],), size, 2, 3) for pairs in shape.pairs().values() for size in (1, SCOUT_BYTES)
    ]


def paces(shape: Shape, seen: Answers) -> dict[str, Pace]:
    """What the scout found."""

    def time(pair: Flow, size: int) -> float:
        return seen.of("pingpong", flows=(pair,), bytes=size)[0].typical

    return {level: Pace(time(p[0], 1), time(p[0], SCOUT_BYTES)) for level, p in shape.pairs().items()}


# ---- the plan ---------------------------------------------------------------------------------------------


def plan(shape: Shape, known: Mapping[str, Pace]) -> list[Wanted]:
    """All that is measured, each line once."""
    found: list[Wanted] = []
    for level, pairs in shape.pairs().items():
        pace = known[level]
        sizes = [1 << k for k in range(MAX_BYTES.bit_length()) if pace.time(1 << k) <= MAX_S]
        for at, pair in enumerate(pairs):
            found += [round_trip("pingpong", pair, n, pace) for n in sizes]
            if at == 0:
                found += [round_trip("pingpong_nonblocking", pair, n, pace) for n in sizes]
                found += [
                    round_trip("pingpong_fresh", pair, n, pace) for n in sizes if n in (1 << 12, 1 << 16, 1 << 20)
                ]
                found += _alone(pair, sizes, pace)
                found += singles(pair, pace)
        found += several(shape, level, pace)
    each = len(shape.nodes[0])
    found += [Wanted(p, (), n, k) for p in ("gamma", "copy", "touch") for n in WORK for k in sorted({1, each})]
    return [*dict.fromkeys(found)]


def singles(pair: Flow, pace: Pace) -> list[Wanted]:
    """Round trips one by one."""
    return [Wanted("pingpong", (pair,), n, 1, SINGLES, single=True) for n in SINGLE_BYTES if pace.time(n) <= SINGLE_S]


def fewer(wanted: Sequence[Wanted], shape: Shape) -> list[Wanted]:
    """What a quick survey keeps of a plan: of each class one pair, every second power of two, few samples."""
    first = {pairs[0] for pairs in shape.pairs().values()}
    kept = []
    for w in wanted:
        if w.single:
            kept.append(replace(w, samples=QUICK_SINGLES))
            continue
        if len(w.flows) == 1 and (w.flows[0] not in first or w.bytes.bit_length() % 2 == 0):
            continue
        kept.append(replace(w, samples=min(w.samples, QUICK_SAMPLES)))
    return kept


def round_trip(pattern: str, pair: Flow, size: int, pace: Pace) -> Wanted:
    """So many of them that neither clock nor patience suffers."""
    both = 2 * pace.time(size)
    count = min(max(int(SAMPLE_S / both), 1), 200)
    return Wanted(pattern, (pair,), size, count, samples(both * count))


def samples(seconds: float) -> int:
    """How many of so long a sample."""
    return min(max(int(MEASURE_S / seconds), 3), 9)


def _alone(pair: Flow, sizes: Sequence[int], pace: Pace) -> Iterator[Wanted]:
    """What one pair says beside its round trips: overheads, streams, sends whose receive is late."""
    yield Wanted("overhead", (pair,), 1, STREAM[1])
    for n in sizes:
        if pace.time(n) * STREAM[1] <= AT_ONCE_S:
            yield Wanted("receive", (pair,), n, STREAM[1])
            yield from flows((pair,), n, STREAM, pace)
    yield from late(pair, [n for n in sizes if n >= 64], pace)


def late(pair: Flow, sizes: Sequence[int], pace: Pace) -> Iterator[Wanted]:
    """Does a send of so many bytes wait for its receive?"""
    for n in sizes:
        after = max(LATE_MS, int(LATE_TIMES * pace.time(n) * 1e3))
        yield Wanted("late", (pair,), n, after, 2)
        yield Wanted("late_nonblocking", (pair,), n, after, 2)


def flows(of: Sequence[Flow], size: int, counts: Sequence[int], pace: Pace) -> Iterator[Wanted]:
    """So many messages on each flow, in two numbers: the difference knows no start and no latency."""
    for count in counts:
        yield Wanted("flows", tuple(of), size, count, samples(len(of) * count * pace.time(size)))


def several(shape: Shape, level: str, pace: Pace) -> Iterator[Wanted]:
    """Messages that meet: both directions at once, pairs side by side, one to many, many to one, and a ring of the nodes."""
    for of in [((a, b), (b, a)) for a, b in shape.pairs()[level][:1]] + groups(shape, level):
        yield from flows(of, pace.largest(len(of) * FEW[1], AT_ONCE_S), FEW, pace)
        if level == NETWORK:
            yield from flows(of, 1, FEW, pace)


def groups(shape: Shape, level: str) -> list[tuple[Flow, ...]]:
    """The flows of each measurement of a class with several pairs."""
    side = shape.disjoint(level)
    found = [tuple(side[:k]) for k in doubling(len(side))]
    if level == NETWORK:
        heads = [ranks[0] for ranks in shape.nodes]
        for k in doubling(len(heads) - 1):
            found.append(tuple((heads[0], to) for to in heads[1 : k + 1]))
            found.append(tuple((of, heads[0]) for of in heads[1 : k + 1]))
        if len(heads) > 2:
            found.append(tuple(zip(heads, heads[1:] + heads[:1], strict=True)))
    return found
