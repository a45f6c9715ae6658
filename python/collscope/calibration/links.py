"""What streams and messages that meet say of links and of a node's two ends of a message.

A rate is the slope between two numbers of messages, so neither start nor latency is in it. A capacity is known where messages that meet
are slower than alone; where they are not, it is left out, with a note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from collscope.calibration.curves import NETWORK, Limits, Point, line_of
from collscope.calibration.samples import FEW, STREAM, Flow, Placement, Samples

MEETING = 0.90  # of what pairs would move if they did not meet: below, a link is shared
SAME = 0.03
LINK_SHARE = 0.98  # a rate is not known better
NIC_SLOWER = 1.25  # a NIC's gap shows where messages leave so much slower than processors send and receive
MAX_GAP = 0.95  # of its message
AT_LEAST = "here, at least: nothing that met was slower than alone"

CROSSED = {
    "cache": ("core", "memory"),
    "socket": ("core", "memory"),
    "node": ("core", "memory", "interconnect"),
    NETWORK: ("core", "nic", "switch"),
}
"""The links that a message of each class crosses."""


@dataclass(frozen=True)
class Rate:
    """Bytes per second of a link, and what says so."""

    bytes_per_s: float
    source: str = "here"

    @property
    def text(self) -> str:
        """In words."""
        unit, size = ("GB", 1e9) if self.bytes_per_s >= 1e10 else ("MB", 1e6)
        return f"{'at least ' if self.source == AT_LEAST else ''}{self.bytes_per_s / size:.4g} {unit}/s"


def narrowest(rates: Mapping[str, Rate], level: str) -> float:
    """Bytes per second of the narrowest link that was measured and that a class crosses; infinite where none was."""
    return min((rates[link].bytes_per_s for link in CROSSED[level] if link in rates), default=float("inf"))


def slope(
    samples: Samples, of: Sequence[Flow], size: int, counts: tuple[int, int], value: str = "samples"
) -> float | None:
    """Seconds by which a further message on each flow is later; None: not measured, or lost in the noise."""
    both = [samples.of("flows", flows=tuple(of), bytes=size, count=count) for count in counts]
    if not all(both):
        return None
    first, last = (sorted(getattr(b[0], value)) for b in both)
    if not first or not last:
        return None
    return (last[len(last) // 4] - first[len(first) // 4]) / (counts[1] - counts[0])


def rate(samples: Samples, of: Sequence[Flow], counts: tuple[int, int] = FEW) -> float | None:
    """Bytes per second of all flows together, at the largest size that was measured."""
    sizes = [r.probe.bytes for r in samples.of("flows", flows=tuple(of), count=counts[1])]
    each = slope(samples, of, max(sizes), counts) if sizes else None
    return len(of) * max(sizes) / each if each and each > 0 else None


# ---- the two ends of a message ----------------------------------------------------------------------------


def gaps(samples: Samples, level: str, times: Sequence[Point], limit: int) -> list[tuple[int, float]]:
    """What a sender spends on a message that need not wait, up to `limit` bytes, by size."""
    pair = samples.placement.pairs()[level][0]
    made = []
    for point in times:
        gap = slope(samples, (pair,), point.bytes, STREAM, "issue")
        if gap and gap > 0 and point.bytes <= limit:
            made.append((point.bytes, min(gap, MAX_GAP * point.seconds)))
    return made


def receives(
    samples: Samples, level: str, times: Sequence[Point], sender: Mapping[int, float], overhead: float, limit: int
) -> list[tuple[int, float]]:
    """What a receiver spends on an eager message that has arrived, by size; nothing where that is the overhead at every size."""
    whole = {p.bytes: p.seconds for p in times}
    made = []
    for r in sorted(samples.of("receive", flows=(samples.placement.pairs()[level][0],)), key=lambda r: r.probe.bytes):
        size = r.probe.bytes
        if size <= limit and size in whole:
            most = MAX_GAP * whole[size] - sender.get(size, overhead)
            made.append((size, max(min(r.typical, most), overhead)))
    return made if any(seconds > (1 + SAME) * overhead for _, seconds in made) else []


def relayed(samples: Samples, level: str, is_nonblocking: bool = False) -> list[tuple[int, float, float]]:
    """A token's hop, and half a round trip of the same pairs, by size; nothing where no hop is longer."""
    ring, kind = samples.placement.ring(level), "_nonblocking" if is_nonblocking else ""

    def time(pattern: str, flows: Sequence[Flow], size: int) -> float:
        return median(r.typical for r in samples.of(f"{pattern}{kind}", flows=tuple(flows), bytes=size))

    sizes = sorted({r.probe.bytes for r in samples.of(f"relay{kind}", flows=ring)})
    made = [(n, time("relay", ring, n), mean(time("pingpong", (pair,), n) for pair in ring)) for n in sizes]
    return made if any(hop > (1 + SAME) * half for _, hop, half in made) else []


def gap_line(known: Sequence[tuple[int, float]], start: int, end: int) -> tuple[float, float]:
    """Seconds, and seconds per byte, that a sender spends on messages of a piece from `start` bytes to `end`."""
    within = [Point(n, t) for n, t in known if start <= n < end]
    if len(within) > 1:
        return line_of(within, Limits())
    at = within[0].bytes if within else max(start, 1)
    return min(known, key=lambda k: abs(k[0] - at))[1], 0.0


def is_in_order(samples: Samples) -> bool | None:
    """Whether the first message of a stream arrives as if it were alone, or with the last; None: no stream was measured."""
    *_, (pair, *_) = samples.placement.pairs().values()
    if not (streams := samples.of("flows", flows=(pair,), count=STREAM[1])):
        return None
    many = max(streams, key=lambda r: r.probe.bytes)
    alone = samples.of("flows", flows=(pair,), count=STREAM[0], bytes=many.probe.bytes)
    return median(many.first) < (alone[-1].typical + many.typical) / 2 if alone else None


# ---- messages that meet -----------------------------------------------------------------------------------


def capacities(samples: Samples) -> tuple[dict[str, Rate], list[str]]:
    """Rates by link, and notes."""
    placement = samples.placement
    alone = {level: one for level, pairs in placement.pairs().items() if (one := rate(samples, pairs[:1], STREAM))}
    together = {
        level: {len(of): r for of in placement.groups(level) if is_side(of) and (r := rate(samples, of))}
        for level in alone
    }
    stars = [
        r * busiest(placement, of) for of in placement.groups(NETWORK) if not is_side(of) and (r := rate(samples, of))
    ]
    of_ranks = [_to_and_from_several(samples, level) for level in alone if level != NETWORK]
    return capacities_of(alone, together, stars, of_ranks)


def _to_and_from_several(samples: Samples, level: str) -> tuple[float, float]:
    """What a rank sends to several of its node, and what it receives from several: the highest rates, 0 where none was measured."""
    stars = [of for of in samples.placement.groups(level) if not is_side(of)]
    out, into = (
        [r for of in stars if len({flow[end] for flow in of}) == 1 and (r := rate(samples, of))] for end in (0, 1)
    )
    return max(out, default=0.0), max(into, default=0.0)


def capacities_of(
    alone: Mapping[str, float],
    together: Mapping[str, Mapping[int, float]],
    stars: Sequence[float] = (),
    of_ranks: Sequence[tuple[float, float]] = (),
) -> tuple[dict[str, Rate], list[str]]:
    """Rates by link, and notes, from bytes per second: of one stream of each class, of so many pairs side by side, of what one node moves
    in one direction, and of what a rank moves within its node to several and from several. One stream's rate is that of the narrowest link
    that it crosses; what is shared is known where streams that meet are slower than alone."""
    notes: list[str] = []
    rates: dict[str, tuple[float, bool]] = {}  # and whether it is known, not only a lower bound
    if inside := [r for level, r in alone.items() if level != NETWORK]:
        # A core has one rate each way: where it sends and receives differently, that which both reach.
        rates["core"] = (max([*inside, *map(min, of_ranks)]), True)
        notes += [
            f"core_bytes_per_s: a rank moves {Rate(out).text} to several others, {Rate(into).text} from them; the model has one number"
            for out, into in of_ranks
            if min(out, into) < MEETING * max(out, into) and min(out, into) > 0
        ]
    for level, link in (("cache", "memory"), ("socket", "memory"), ("node", "interconnect"), (NETWORK, "nic")):
        if level not in alone:
            continue
        if side := together.get(level):
            k = max(side)
            is_known = side[k] < MEETING * k * alone[level]
            if is_known or level == NETWORK:
                best = max([*side.values(), alone[level]])
                rates[link] = (max(best, rates.get(link, (0.0, False))[0]), is_known)
    if NETWORK in alone:
        nic, is_known = rates.get("nic", (0.0, False))
        if stars and max(stars) > nic:
            nic, is_known = max(stars), max(stars) < MEETING * 2 * alone[NETWORK]
        rates["nic"] = (max(nic, alone[NETWORK]), is_known)
        core = rates.get("core", (float("inf"), False))[0]
        if alone[NETWORK] < (1 - SAME) * min(core, nic):
            rates["switch"] = (alone[NETWORK], True)
        if not is_known:
            notes.append("nic_bytes_per_s: streams that met were not slower than alone; it is at least this")
    for link, levels in (("memory", ("cache", "socket")), ("interconnect", ("node",))):
        if link not in rates and any(level in alone for level in levels):
            notes.append(f"{link}_bytes_per_s: left out, no streams that met there were slower than alone")
    return {link: Rate(r, "here" if is_known else AT_LEAST) for link, (r, is_known) in rates.items()}, notes


def is_side(of: Sequence[Flow]) -> bool:
    """Whether these are pairs side by side: no rank in two of them."""
    ranks = [r for flow in of for r in flow]
    return len(set(ranks)) == len(ranks)


def busiest(placement: Placement, of: Sequence[Flow]) -> float:
    """The share of these flows that one node's NIC has in one direction."""
    ends = [Counter(placement.node_of(flow[at]) for flow in of) for at in (0, 1)]
    return max(max(end.values()) for end in ends) / len(of)


def nic_gap(samples: Samples, sender: float, overhead: float, cores_per_node: int = 0) -> float | None:
    """Seconds between two one-byte messages that leave a node; 0 where its senders (0 s: not known) and their receivers need as long. None:
    not known, as no two pairs of nodes sent at once and one does not show it; where a node has one core that is 0, too."""
    placement = samples.placement
    if NETWORK not in placement.pairs():
        return None
    pair = placement.pairs()[NETWORK][0]
    tried: list[tuple[int, float | None]] = [(1, slope(samples, (pair,), 1, STREAM))]
    side = [of for of in placement.groups(NETWORK) if is_side(of) and len({placement.node_of(f[0]) for f in of}) == 1]
    tried += [(len(of), each / len(of)) for of in side if (each := slope(samples, of, 1, FEW))]
    k, between = tried[-1]
    if between is None:
        return None
    if between <= NIC_SLOWER * max(sender, overhead) / k:
        return 0.0 if k > 1 or cores_per_node == 1 else None
    return between
