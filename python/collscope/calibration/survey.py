"""What is measured: which pairs stand for a class of link, which sizes, which messages at once.

Two patterns. A machine is asked for messages from a common start, as collectives have them; a cluster for round trips, streams and
messages that meet. Not every pair is measured: of each class those that are spread most, so that the time does not grow with the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from collscope.calibration.samples import FEW, NETWORK, PAIRS, STREAM, Flow, Placement, Probe, Reading, Samples

SIZES = tuple(1 << k for k in range(23))  # up to 4 MiB
MAX_HALF_TRIP_S = 0.2  # larger messages are left out
SAMPLE_S = 5e-3  # of round trips: more of them would not make the clock's error smaller
MEASURE_S = 0.8  # a measurement of long messages
QUICK_SAMPLES = 3
ROUNDS = 3  # in which the samples of a cluster are taken
SINGLES, QUICK_SINGLES = 100, 25  # single messages of a size, for how much they vary
SINGLE_BYTES = (1, 1 << 10, 1 << 14, 1 << 18)  # this changes with size less than the time does
SINGLE_S = 0.06  # half a round trip: larger messages are left out
AT_ONCE_S = 0.25  # all messages of a measurement together
LATE_MS, LATE_TIMES = 10, 4.0  # a receive comes so late: milliseconds, times of its message
SCOUT_BYTES = 1 << 16
WORK = (8 << 10, 512 << 10, 16 << 20)  # bytes of local work: a core's own cache … memory
LOOK = (Probe("pingpong", ((0, 1),), 1, 1, 1),)  # who sits where
RELAYED = (
    4,
    1 << 8,
    1 << 10,
    1 << 14,
    1 << 16,
    1 << 20,
)  # of those that a quick survey keeps, none that is timed again
FINER = 15  # sizes that are tried where sends begin to wait

Measure = Callable[[Sequence[Probe]], Samples]
"""Makes the measurements of a plan in one launch."""


def of_cluster(measure: Measure, quick: bool = False) -> Samples:
    """All samples of a cluster, in four launches: who sits where, how long a message takes, the survey in rounds, and the sizes between
    which sends begin to wait. A quick survey has fewer of them."""
    placement = measure(LOOK).placement
    known = paces(measure(scout(placement)))
    probes = plan(placement, known)
    probes = fewer(probes, placement) if quick else probes
    found = joined(probes, measure(in_rounds(probes)))
    finer = list(between(found, known))
    return found + measure(finer) if finer else found


def of_machine(measure: Measure, ranks: int, quick: bool = False) -> Samples:
    """All samples of one machine. Launches differ more than repetitions do, so there are several, each a round: the first has the pairs
    of rank 0 with every other, which on many cores takes as long as the rest together; the others few of each class. A quick survey has
    one pair of each class and fewer rounds."""
    if quick:
        look = measure(LOOK)
        few = [*common_start(ranks, few_of_each_class(look.placement, 1)), *together(look.placement)]
        left = ROUNDS - 1
        found = measure(few)
    else:
        found = measure(common_start(ranks, range(1, ranks)))
        few = [*common_start(ranks, few_of_each_class(found.placement, PAIRS)), *together(found.placement)]
        left = LAUNCHES - 1
    for _ in range(left):
        found += measure(few)
    return found


def in_rounds(probes: Sequence[Probe]) -> list[Probe]:
    """The same samples, dealt to rounds: what disturbs the machine for a while meets few samples of each probe. One sample more than
    there are rounds is of the first."""
    return [
        replace(p, samples=len(range(number, p.samples, ROUNDS)))
        for number in range(ROUNDS)
        for p in probes
        if p.samples > number
    ]


def joined(probes: Sequence[Probe], found: Samples) -> Samples:
    """The readings of all rounds, those of the same probe together, in the order of the probes."""
    rounds: dict[Probe, list[Reading]] = {}
    for r in found.readings:
        rounds.setdefault(replace(r.probe, samples=0), []).append(r)

    def all_of(name: str, readings: Sequence[Reading]) -> tuple[float, ...]:
        return tuple(value for r in readings for value in getattr(r, name))

    readings = [
        Reading(p, *(all_of(name, rounds[replace(p, samples=0)]) for name in ("samples", "issue", "first")))
        for p in probes
    ]
    return replace(found, readings=tuple(readings))


def again(probes: Iterable[Probe], pattern: str) -> list[Probe]:
    """Those of messages by themselves, each once, every third size: to be measured once more."""
    return [
        *dict.fromkeys(
            p
            for p in probes
            if (p.pattern, p.single) == (pattern, False)
            and p.bytes.bit_length() % 3 == 1
            and (pattern != "flows" or p.count == 1)
        )
    ]


def forwards(probes: Iterable[Probe], least: int) -> list[Probe]:
    """Messages of at least so many bytes that the two ranks of each pair send to and fro in one buffer, and by way of a copy: no number is
    found from these, so they show whether the numbers hold."""
    pairs = dict.fromkeys(p.flows[0] for p in probes if p.pattern == "flows_returned")
    return [
        Probe(pattern, ((a, b), (b, a)), n, 20, NODE_SAMPLES)
        for a, b in pairs
        for n in FORWARDED
        for pattern in FORWARDS
        if n >= least
    ]


# ---- one machine: messages from a common start ------------------------------------------------------------

LAUNCHES = 5
NODE_SAMPLES = 15
MESSAGES = 45  # from a common start: single ones
WINDOW = 32  # messages of a stream
SIDE = (2, 8)  # messages of streams side by side, whose times' difference is that of the others
NODE_WORK = (8 << 10, 64 << 10, 512 << 10, 64 << 20)
EXCHANGED = (8 << 10, 64 << 10, 512 << 10)
FORWARDED = (16 << 10, 32 << 10, 128 << 10, 256 << 10)
FORWARDS = ("relay", "relay_copied")


def few_of_each_class(placement: Placement, most: int) -> list[int]:
    """The first ranks of each class of messages to rank 0."""
    found: dict[str, list[int]] = {}
    for other in range(1, len(placement.places)):
        found.setdefault(placement.level(0, other), []).append(other)
    return sorted(other for others in found.values() for other in others[:most])


def common_start(ranks: int, others: Iterable[int]) -> list[Probe]:
    """The first rank with each of `others`, then what a rank does alone."""
    made: list[Probe] = []
    for other in others:
        pair = ((0, other),)
        for n in (0, *SIZES):
            made.append(Probe("pingpong", pair, n, max(2, (2 << 20) // (n + (16 << 10))), NODE_SAMPLES))
            made.append(Probe("flows", pair, n, 1, MESSAGES))
            made.append(Probe("flows", (*pair, (other, 0)), n, 1, MESSAGES))
        made += [Probe("flows", pair, n, 1, SINGLES, single=True) for n in SINGLE_BYTES]
        for n in EXCHANGED:
            made += [Probe(p, pair, n, 10, NODE_SAMPLES) for p in ("copy_exchanged", "gamma_exchanged")]
            made.append(Probe("flows_returned", pair, n, 1, NODE_SAMPLES))
        made.append(Probe("overhead", pair, 1, WINDOW, NODE_SAMPLES))
        made += [Probe("flows", pair, n, WINDOW, NODE_SAMPLES) for n in (1, 1024, 1 << 20)]
    return made + [Probe(p, (), n, k, NODE_SAMPLES) for p in ("gamma", "copy") for n in NODE_WORK for k in (1, ranks)]


def together(placement: Placement) -> list[Probe]:
    """What takes more than two ranks: a token round a ring of each class, and streams between sockets, of one pair and of several."""
    side = placement.between_sockets()
    return [
        *rings(placement),
        *(Probe("flows", of, 1 << 20, count, NODE_SAMPLES) for of in side for count in SIDE),
    ]


def rings(placement: Placement) -> Iterator[Probe]:
    """A token round a ring of each class, and round trips of its pairs."""
    for ring in filter(None, map(placement.ring, placement.pairs())):
        for n in RELAYED:
            trips = Probe("pingpong", ring[:1], n, max(2, (2 << 20) // (n + (16 << 10))), NODE_SAMPLES)
            yield from (replace(trips, flows=(pair,)) for pair in ring)
            yield replace(trips, pattern="relay", flows=ring)


# ---- a cluster: how long a message takes ------------------------------------------------------------------


@dataclass(frozen=True)
class Pace:
    """Roughly half a round trip of a class: of 1 byte, and of SCOUT_BYTES."""

    small_s: float
    large_s: float

    def time(self, size: int) -> float:
        """Of a message of so many bytes."""
        return self.small_s + max(self.large_s - self.small_s, 0.0) * size / SCOUT_BYTES

    def largest(self, messages: int, limit_s: float) -> int:
        """The largest power of two of which so many, one after the other, take no longer."""
        sizes = [n for n in SIZES if messages * self.time(n) <= limit_s]
        return sizes[-1] if sizes else 1


def scout(placement: Placement) -> list[Probe]:
    """A first look at each class."""
    first = [pairs[0] for pairs in placement.pairs().values()]
    return [Probe("pingpong", (pair,), size, 2, 3) for pair in first for size in (1, SCOUT_BYTES)]


def paces(samples: Samples) -> dict[str, Pace]:
    """The pace of each class, from what the scout measured."""

    def time(pair: Flow, size: int) -> float:
        return samples.of("pingpong", flows=(pair,), bytes=size)[0].typical

    return {level: Pace(time(p[0], 1), time(p[0], SCOUT_BYTES)) for level, p in samples.placement.pairs().items()}


def late_limit(samples: Samples, pattern: str) -> tuple[int, int]:
    """The largest message whose send did not wait for its receive; the smallest whose send did, 0: none did. Of the widest class: a
    simulation has one limit for all."""
    *_, (pair, *_) = samples.placement.pairs().values()
    largest = 0
    for reading in sorted(samples.of(pattern, flows=(pair,)), key=lambda r: r.probe.bytes):
        if min(reading.samples) >= 0.9e-3 * reading.probe.count:
            return largest, reading.probe.bytes
        largest = reading.probe.bytes
    return largest, 0


def between(samples: Samples, known: Mapping[str, Pace]) -> Iterator[Probe]:
    """Sizes between the largest message that did not wait for its receive and the smallest that did, of the widest class."""
    *_, (level, pairs) = samples.placement.pairs().items()
    sizes: set[int] = set()
    for low, high in (late_limit(samples, pattern) for pattern in ("late", "late_nonblocking")):
        if low and high:
            sizes |= {low + k * (high - low) // (FINER + 1) for k in range(1, FINER + 1)}
            sizes |= {high - 1}
    yield from late(pairs[0], sorted(sizes), known[level])


# ---- a cluster: the plan ----------------------------------------------------------------------------------


def plan(placement: Placement, known: Mapping[str, Pace]) -> list[Probe]:
    """All that is measured, each line once."""
    found: list[Probe] = []
    for level, pairs in placement.pairs().items():
        pace = known[level]
        sizes = [n for n in SIZES if pace.time(n) <= MAX_HALF_TRIP_S]
        for at, pair in enumerate(pairs):
            found += [round_trip("pingpong", pair, n, pace) for n in sizes]
            if at == 0:
                found += [round_trip("pingpong_nonblocking", pair, n, pace) for n in sizes]
                found += [
                    round_trip("pingpong_fresh", pair, n, pace) for n in sizes if n in (1 << 12, 1 << 16, 1 << 20)
                ]
                found += _alone(pair, sizes, pace)
                found += singles(pair, pace)
        found += relays(placement.ring(level), sizes, pace)
        found += several(placement, level, pace)
    each = len(placement.nodes[0])
    found += [Probe(p, (), n, k) for p in ("gamma", "copy", "touch") for n in WORK for k in sorted({1, each})]
    return [*dict.fromkeys(found)]


def relays(ring: Sequence[Flow], sizes: Sequence[int], pace: Pace) -> Iterator[Probe]:
    """A token round the ring, and round trips of its pairs."""
    for n in (n for n in RELAYED if ring and n in sizes and pace.time(n) <= SINGLE_S):
        for trip, pattern in (("pingpong", "relay"), ("pingpong_nonblocking", "relay_nonblocking")):
            each = [round_trip(trip, pair, n, pace) for pair in ring]
            yield from each
            yield replace(each[0], pattern=pattern, flows=tuple(ring))


def singles(pair: Flow, pace: Pace) -> list[Probe]:
    """Round trips one by one."""
    return [Probe("pingpong", (pair,), n, 1, SINGLES, single=True) for n in SINGLE_BYTES if pace.time(n) <= SINGLE_S]


def fewer(probes: Sequence[Probe], placement: Placement) -> list[Probe]:
    """What a quick survey keeps of a plan: of each class one pair, every second power of two, few samples."""
    first = {pair for level, pairs in placement.pairs().items() for pair in (pairs[0], *placement.ring(level))}
    kept = []
    for w in probes:
        if w.single:
            kept.append(replace(w, samples=QUICK_SINGLES))
            continue
        if len(w.flows) == 1 and (w.flows[0] not in first or w.bytes.bit_length() % 2 == 0):
            continue
        kept.append(replace(w, samples=min(w.samples, QUICK_SAMPLES)))
    return kept


def round_trip(pattern: str, pair: Flow, size: int, pace: Pace) -> Probe:
    """So many of them that neither clock nor patience suffers."""
    both = 2 * pace.time(size)
    count = min(max(int(SAMPLE_S / both), 1), 200)
    return Probe(pattern, (pair,), size, count, repetitions(both * count))


def repetitions(seconds: float) -> int:
    """How many samples that each take so long."""
    return min(max(int(MEASURE_S / seconds), 3), 9)


def _alone(pair: Flow, sizes: Sequence[int], pace: Pace) -> Iterator[Probe]:
    """What one pair says beside its round trips: overheads, streams, sends whose receive is late."""
    yield Probe("overhead", (pair,), 1, STREAM[1])
    for n in sizes:
        if pace.time(n) * STREAM[1] <= AT_ONCE_S:
            yield Probe("receive", (pair,), n, STREAM[1])
            yield from flows((pair,), n, STREAM, pace)
    yield from late(pair, [n for n in sizes if n >= 64], pace)


def late(pair: Flow, sizes: Sequence[int], pace: Pace) -> Iterator[Probe]:
    """Does a send of so many bytes wait for its receive?"""
    for n in sizes:
        after = max(LATE_MS, int(LATE_TIMES * pace.time(n) * 1e3))
        yield Probe("late", (pair,), n, after, 2)
        yield Probe("late_nonblocking", (pair,), n, after, 2)


def flows(of: Sequence[Flow], size: int, counts: Sequence[int], pace: Pace) -> Iterator[Probe]:
    """So many messages on each flow, in two numbers: the difference knows no start and no latency."""
    for count in counts:
        yield Probe("flows", tuple(of), size, count, repetitions(len(of) * count * pace.time(size)))


def several(placement: Placement, level: str, pace: Pace) -> Iterator[Probe]:
    """Messages that meet: both directions at once, pairs side by side, one to many, many to one, and a ring of the nodes."""
    for of in [((a, b), (b, a)) for a, b in placement.pairs()[level][:1]] + placement.groups(level):
        yield from flows(of, pace.largest(len(of) * FEW[1], AT_ONCE_S), FEW, pace)
        if level == NETWORK:
            yield from flows(of, 1, FEW, pace)
