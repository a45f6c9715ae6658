"""Numbers that a specification leaves open, and values for them: those of other machines (priors).

What a file does not give is not known to be zero. A machine is completed with the middle of each range, and a winner judged over draws of
it (sources/unknowns). Numbers that go together on every machine are drawn together: one draw for all messages within a node and
one for those between nodes, small and large ones alike; a local reduction follows a local copy. Whatever is drawn, a single message takes
as long as the file's curve says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, log2
from typing import Any

from collscope.base.errors import UserError
from collscope.base.number import Number
from collscope.machines.limits import SMALL
from collscope.machines.priors import MAX_BUSY, MIN_EAGER_BYTES, Range, ranges
from collscope.machines.spec import AS_NEEDED, FAR, NUMBERS, SPENT, Piece, Spec, filled, narrowest, tidy

RANGES = ranges()
MIB = 1 << 20
NOTHING = 1e-6  # of a byte's time: where the rest is less, processors spend all of it, and links none
ALONE = "the links are busy as long as the message by itself"
SOURCE = "other machines: docs/priors.md"

Values = Mapping[str, float]
"""Dimension of an Unknown → where in its range, 0 to 1."""


@dataclass(frozen=True)
class Unknown:
    """Numbers that a file leaves open. `keys`: as the file would give them; `measure`: what tells them; `dimensions`: what is varied by
    itself, empty: they cannot be drawn; `with_values`: the specification, of a SimGrid file the platform, that has them; `given`: the file
    has a value, with a range (ranges)."""

    name: str
    keys: str
    measure: str
    dimensions: tuple[str, ...]
    with_values: Callable[[Any, Values], Any] = field(compare=False)
    given: bool = False


def at(limits: Range, place: float) -> float:
    """The value at a place of 0 to 1 in a range: its middle at 0.5."""
    low, middle, high = limits
    return low + 2 * place * (middle - low) if place < 0.5 else middle + (2 * place - 1) * (high - middle)


def _busy_piece(piece: Piece, sender: tuple[float, float], receiver: tuple[float, float], wire: float) -> Piece:
    """With shares of its time, and of each byte's, that its processors spend. wire: seconds per byte that are the network's, whatever they
    do; within a node the links are busy for what is left."""
    byte = piece.s_per_byte.value
    both = sender[1] + receiver[1]
    most = 1.0 if not wire else 1 - piece.traffic.value * wire / byte if byte else 0.0
    most = most if most > NOTHING else 0.0
    part = min(1.0, most / both) if both else 1.0
    gap, receive_gap = (
        (Number(share[0] * piece.latency.value), Number(part * share[1] * byte)) for share in (sender, receiver)
    )
    traffic = piece.traffic if wire else Number(piece.traffic.value * (1 - both))
    return replace(piece, traffic=traffic, gap=gap, receive_gap=receive_gap)


def _busy(spec: Spec, values: Values) -> Spec:
    """Each message's processors spend their shares of its time on it."""

    def drawn(name: str) -> tuple[float, float]:
        return at(RANGES[name], values[name]), at(RANGES[f"{name} byte"], values[name])

    latency, byte = drawn("busy inside")
    part = at(RANGES["sender inside"], values["sender inside"])
    send, receive = drawn("send network"), drawn("receive network")
    within = (latency * part, byte * part), (latency * (1 - part), byte * (1 - part))
    between = send, (min(receive[0], MAX_BUSY - send[0]), min(receive[1], MAX_BUSY - send[1]))
    wire = 1 / narrowest(filled(spec), "network")
    eager = int(spec.eager_bytes.value)
    curve, made = {}, dict[tuple[int, bool], tuple[Piece, ...]]()  # classes that share a curve go on sharing it
    for name, pieces in spec.curve.items():
        far = name == "network"
        if far and name not in spec.own_curves:
            curve[name] = pieces  # a node's: there are no messages between nodes
            continue
        last = [p for p in pieces if p.start <= eager + 1][-1]  # whatever waits for its receive goes on as it was
        busy = [_busy_piece(p, *(between if far else within), wire * far) for p in pieces if p.start <= eager]
        busy += [replace(last, start=eager + 1), *(p for p in pieces if p.start > eager + 1)]
        curve[name] = made.setdefault((id(pieces), far), tuple(busy))
    return replace(spec, curve=curve)


def _waiting(spec: Spec, values: Values) -> Spec:
    """Non-blocking sends wait for their receive from a smaller size on; those that do take their own time within a node."""
    eager = spec.eager_bytes.value
    if eager <= MIN_EAGER_BYTES:
        return spec
    limit = int(2.0 ** at((log2(MIN_EAGER_BYTES / eager), 0.0, 0.0), values["waits from"]) * eager)
    if limit == eager:
        return spec
    factor = at(RANGES["waiting"], values["waiting"])
    curve = {}
    for name, pieces in spec.curve.items():
        of_class = factor if name != "network" else 1.0
        made = [p for p in pieces if p.start <= limit]
        waiting = [replace(made[-1], start=limit + 1), *(p for p in pieces if limit < p.start <= eager)]
        made += [
            replace(p, latency=_times(p.latency, of_class), s_per_byte=_times(p.s_per_byte, of_class), gap=None, receive_gap=None)
            for p in {p.start: p for p in waiting}.values()
        ]  # fmt: skip
        last = [p for p in pieces if p.start <= eager + 1][-1]
        made += [replace(last, start=int(eager) + 1), *(p for p in pieces if p.start > eager + 1)]
        curve[name] = tuple(replace(p, receive_gap=None) for p in made)
    return replace(spec, curve_nonblocking=curve, eager_bytes_nonblocking=Number(float(limit)))


def _times(number: Number, factor: float) -> Number:
    return Number(number.value * factor)


def _turnaround(spec: Spec, values: Values) -> Spec:
    """A share of what both processors spend on a message, in the middle of those ranges, of every size."""
    share = at(RANGES["turnaround"], values["turnaround"])
    between = [sum(RANGES[f"{who} network{byte}"][1] for who in ("send", "receive")) for byte in ("", " byte")]
    within = [RANGES[f"busy inside{byte}"][1] for byte in ("", " byte")]

    def of(curves: Mapping[str, tuple[Piece, ...]]) -> dict[str, tuple[Piece, ...]]:
        made: dict[tuple[int, bool], tuple[Piece, ...]] = {}  # classes that share a curve go on sharing it
        for name, pieces in curves.items():
            parts = between if name == "network" else within
            sends_on = (
                replace(p, turnaround=(_times(p.latency, share * parts[0]), _times(p.s_per_byte, share * parts[1])))
                for p in pieces
            )
            made.setdefault((id(pieces), name == "network"), tuple(sends_on))
        return {name: made[id(pieces), name == "network"] for name, pieces in curves.items()}

    return replace(spec, curve=of(spec.curve), curve_nonblocking=of(spec.curve_nonblocking))


def _first_touch(spec: Spec, values: Values) -> Spec:
    return replace(spec, first_touch_s_per_byte=Number(at(RANGES["first touch"], values["first touch"])))


def _nic(spec: Spec, values: Values) -> Spec:
    return replace(spec, nic_gap_s=Number(at(RANGES["nic"], values["nic"]) * spec.curve["network"][0].latency.value))


def message_s_per_byte(spec: Spec, of_class: str = "") -> float:
    """Of a message of 1 MiB of a class, or of that within a node which is fastest."""
    classes = [of_class] if of_class else [name for name in spec.curve if name != "network"]
    last = [[p for p in spec.curve[name] if p.start <= MIB][-1] for name in classes]
    return min(p.s_per_byte.value + p.latency.value / MIB for p in last)


def _need(spec: Spec, classes: Collection[str]) -> float:
    """What a single message of these classes needs of a link; of small ones, whose curve is flat, not how fast their few bytes go."""
    needs = [
        p.traffic.value / p.flow_s_per_byte
        for name in classes
        for p, end in zip(spec.curve[name], _ends(spec.curve[name]), strict=True)
        if end > SMALL and p.flow_s_per_byte > NOTHING * p.s_per_byte.value
    ]
    if not needs:
        own = [f"curve.{name}" for name in classes if name in spec.own_curves]
        raise UserError(
            f"{spec.name}: {', '.join(own)}: a large message needs a time per byte: give s_per_byte a value of more than 0"
        )
    return max(needs)


def _ends(pieces: Sequence[Piece]) -> list[float]:
    return [*(p.start for p in pieces[1:]), inf]


def _enough(spec: Spec, rate: float, classes: Collection[str]) -> Number:
    """The rate, or what a single message of one of these classes needs."""
    return Number(max(rate, _need(spec, [name for name in classes if name in spec.classes])))


def _with_links(spec: Spec) -> Spec:
    """With a core and a NIC that were not given: just what single messages need."""
    if not spec.core_bytes_per_s.value:
        spec = replace(spec, core_bytes_per_s=Number(tidy(_need(spec, spec.classes)), "assumed", AS_NEEDED))
    if not spec.nic_bytes_per_s.value:
        spec = replace(spec, nic_bytes_per_s=Number(tidy(_need(spec, ["network"])), "assumed", AS_NEEDED))
    return spec


def _fitting(spec: Spec) -> Spec:
    """Messages that are faster than a link that they cross keep it busy as long as they take by themselves."""
    whole = filled(spec)

    def fit(name: str, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        rate = narrowest(whole, name) * (1 - 1e-9)
        return tuple(
            replace(p, traffic=Number(most, "inferred", ALONE, (most / 10, most)))
            if 0 < (most := p.flow_s_per_byte * rate) < p.traffic.value * (1 - 1e-9)
            else p
            for p in pieces
        )

    curves = {}
    for key in ("curve", "curve_nonblocking"):
        made: dict[tuple[tuple[Piece, ...], int], tuple[Piece, ...]] = {}  # classes that share a curve go on sharing it
        found = {name: (pieces, fit(name, pieces)) for name, pieces in getattr(spec, key).items()}
        curves[key] = {name: made.setdefault((new, id(old)), new) for name, (old, new) in found.items()}
    return replace(spec, **curves)  # type: ignore[arg-type]


def _memory(spec: Spec, values: Values) -> Spec:
    rate = at(RANGES["memory"], values["memory"]) / message_s_per_byte(spec)
    return replace(spec, memory_bytes_per_s=_enough(spec, rate, spec.classes))


def _interconnect(spec: Spec, values: Values) -> Spec:
    rate = at(RANGES["interconnect"], values["interconnect"]) * spec.memory_bytes_per_s.value
    crossing = ("node", FAR) if spec.nic_socket is None else ("node", FAR, "network")
    return replace(spec, interconnect_bytes_per_s=_enough(spec, rate, crossing))


def _ports(spec: Spec, values: Values) -> Spec:
    """What a core moves to other sockets, and a cache's cores to other caches, may be less than their ports by themselves would."""
    made = spec
    if spec.sockets > 1:
        rate = at(RANGES["across"], values["across"]) / message_s_per_byte(spec, "node")
        made = replace(made, across_bytes_per_s=_enough(spec, rate, ("node", FAR)))
    if spec.cores_per_cache < spec.cores_per_socket:
        rate = at(RANGES["cache"], values["cache"]) / message_s_per_byte(spec, "socket")
        made = replace(made, cache_bytes_per_s=_enough(spec, rate, spec.classes[1:]))
    return made


def _copy(spec: Spec, values: Values) -> Spec:
    return replace(spec, copy_s_per_byte=Number(at(RANGES["copy"], values["copy"]) * message_s_per_byte(spec)))


def _copy_of_gamma(spec: Spec, values: Values) -> Spec:
    return replace(spec, copy_s_per_byte=Number(spec.gamma_s_per_byte.value / at(RANGES["gamma"], values["gamma"])))


def _gamma(spec: Spec, values: Values) -> Spec:
    """After the copy, which it follows."""
    return replace(spec, gamma_s_per_byte=Number(at(RANGES["gamma"], values["gamma"]) * spec.copy_s_per_byte.value))


PROCESSOR = Unknown(
    "the processors' time per message",
    "overhead_s, or gap_s in [curve]",
    "osu_mbw_mr, or ./collscope calibrate",
    ("busy inside", "sender inside", "send network", "receive network"),
    _busy,
)
NONBLOCKING = Unknown(
    "the limit of non-blocking sends",
    "eager_bytes_nonblocking, [curve_nonblocking]",
    "./collscope calibrate",
    ("waits from", "waiting"),
    _waiting,
)
TURNAROUND = Unknown(
    "what a rank spends before it sends on to another rank",
    "turnaround_s and turnaround_s_per_byte in [curve]",
    "./collscope calibrate, with three ranks or more of a class",
    ("turnaround",),
    _turnaround,
)
FIRST_TOUCH = Unknown(
    "the first touch of newly mapped memory",
    "first_touch_s_per_byte",
    "./collscope calibrate",
    ("first touch",),
    _first_touch,
)
NIC = Unknown("the NIC's time per message", "nic_gap_s", "osu_mbw_mr with all ranks of two nodes", ("nic",), _nic)
SHARED_MEMORY = Unknown(
    "the memory's rate", "memory_bytes_per_s", "STREAM on one socket, or its data sheet", ("memory",), _memory
)
SOCKETS = Unknown(
    "the rate between sockets",
    "interconnect_bytes_per_s",
    "osu_mbw_mr between the sockets of a node, or its data sheet",
    ("interconnect",),
    _interconnect,
)
PORTS = Unknown(
    "the rates of a core and of a cache to others",
    "across_bytes_per_s, cache_bytes_per_s",
    "osu_mbw_mr from one core, and from one cache, to others",
    ("across", "cache"),
    _ports,
)
GAMMA_TIME = Unknown("local reductions", "gamma_s_per_byte", "./collscope calibrate", ("gamma",), _gamma)
COPY_TIME = Unknown("local copies", "copy_s_per_byte", "./collscope calibrate", ("copy",), _copy)
COPY_OF_GAMMA = replace(COPY_TIME, dimensions=("gamma",), with_values=_copy_of_gamma)


EVERY = (PROCESSOR, NONBLOCKING, TURNAROUND, FIRST_TOUCH, NIC, SHARED_MEMORY, SOCKETS, PORTS, COPY_TIME, GAMMA_TIME)


def open_numbers(spec: Spec, given: Collection[str], nodes: int) -> list[Unknown]:
    """What a file with these keys leaves open and a call on so many nodes may hang on, in the order in which values are set. What a
    turnaround and a first touch take is open where the file is to be completed: `calibrate` looked for them, and papers know none."""
    has_gap = any(p.gap for pieces in spec.curve.values() for p in pieces)
    made = [PROCESSOR] if "overhead_s" not in given and not has_gap else []
    made += [NONBLOCKING] if not {"eager_bytes_nonblocking", "curve_nonblocking"} & set(given) else []
    sends_on = any(p.turnaround for pieces in spec.curve.values() for p in pieces)
    made += [TURNAROUND] if spec.complete and not sends_on else []
    made += [FIRST_TOUCH] if spec.complete and "first_touch_s_per_byte" not in given else []
    made += [NIC] if nodes > 1 and "nic_gap_s" not in given else []
    made += [SHARED_MEMORY] if "memory_bytes_per_s" not in given else []
    made += [SOCKETS] if spec.sockets > 1 and "interconnect_bytes_per_s" not in given else []
    inside = spec.sockets > 1 or spec.cores_per_cache < spec.cores_per_socket
    made += [PORTS] if inside and not {"across_bytes_per_s", "cache_bytes_per_s"} & set(given) else []
    if "copy_s_per_byte" not in given:
        made += [COPY_OF_GAMMA if "gamma_s_per_byte" in given else COPY_TIME]
    made += [GAMMA_TIME] if "gamma_s_per_byte" not in given else []
    return made


def with_places(spec: Spec, unknown: Sequence[Unknown], place: Callable[[str], float]) -> Spec:
    """The specification with values for these numbers. place: of a dimension, where in its range, 0 to 1."""
    spec = _with_links(spec)
    for one in unknown:
        spec = one.with_values(spec, {name: place(name) for name in one.dimensions})
    return _fitting(spec)


def completed(spec: Spec, given: Collection[str]) -> Spec:
    """The specification with the middle of each range for what its file, with these keys, leaves open: assumed, with that range. A file
    that says `complete = false` stays as it is."""
    unknown = open_numbers(spec, given, spec.nodes)
    if not unknown or not spec.complete:
        return spec
    spec = _with_links(spec)
    for one in unknown:
        low, middle, high = (one.with_values(spec, dict.fromkeys(one.dimensions, at)) for at in (0.0, 0.5, 1.0))
        spec = _assumed(spec, middle, (low, high))
    return _fitting(spec)


def _assumed(before: Spec, middle: Spec, ends: tuple[Spec, Spec]) -> Spec:
    """The middle, its new numbers with their provenance."""

    def number(made: Number, others: Sequence[Number]) -> Number:
        values = [made.value, *(other.value for other in others)]
        return Number(made.value, "assumed", SOURCE, (min(values), max(values)))

    changed = {
        name: number(getattr(middle, name), [getattr(end, name) for end in ends])
        for name in NUMBERS
        if getattr(middle, name) != getattr(before, name)
    }
    for key in ("curve", "curve_nonblocking"):
        curves, olds = getattr(middle, key), getattr(before, key)
        if curves == olds:
            continue
        pieces: dict[int, tuple[Piece, ...]] = {}
        for name, of_class in curves.items():
            rows = zip(of_class, *(getattr(end, key)[name] for end in ends), strict=True)
            pieces.setdefault(id(of_class), tuple(_assumed_piece(p, others, number) for p, *others in rows))
        changed[key] = {name: pieces[id(of_class)] for name, of_class in curves.items()}  # type: ignore[assignment]
        if (
            any(p.gap for of_class in curves.values() for p in of_class)
            and "overhead_s" not in changed
            and not any(p.gap for of_class in olds.values() for p in of_class)
        ):
            changed["overhead_s"] = Number(0.0, "assumed", "contained in the gaps of the curves", (0.0, 0.0))
    return replace(middle, **changed)  # type: ignore[arg-type]


def _assumed_piece(piece: Piece, ends: Sequence[Piece], number: Callable[[Number, Sequence[Number]], Number]) -> Piece:
    spent: dict[str, Any] = {}
    if any(end.traffic != piece.traffic for end in ends):
        spent["traffic"] = number(piece.traffic, [end.traffic for end in ends])
    for who in SPENT:
        if any(getattr(end, who) != getattr(piece, who) for end in ends):
            spent[who] = tuple(number(getattr(piece, who)[i], [getattr(end, who)[i] for end in ends]) for i in (0, 1))
    return replace(piece, **spent)
