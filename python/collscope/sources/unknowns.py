"""Numbers that a machine's file leaves open, and values for them: those of other machines (sources/priors).

What a specification does not give is computed with as 0, or with a default. That is a guess like any other. Numbers that go together on
every machine are drawn together: one draw for all messages within a node and one for those between nodes, small and large ones
alike; a local reduction follows a local copy.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import log2
from typing import Any

from collscope.base.number import Number
from collscope.machines import find, plain_hosts
from collscope.machines.machine import ROUTED
from collscope.machines.platform import Platform
from collscope.machines.spec import Piece, Spec
from collscope.sources.priors import MAX_BUSY, MIN_EAGER_BYTES, Range, ranges

RANGES = ranges()
MIB = 1 << 20

Values = Mapping[str, float]
"""Dimension of an Unknown → where in its range, 0 to 1."""


@dataclass(frozen=True)
class Unknown:
    """Numbers that a file leaves open. `keys`: as the file would give them; `measure`: what tells them; `dimensions`: what is varied by
    itself, empty: they cannot be drawn; `with_values`: the specification, of a SimGrid file the platform, that has them."""

    name: str
    keys: str
    measure: str
    dimensions: tuple[str, ...]
    with_values: Callable[[Any, Values], Any]


def at(limits: Range, place: float) -> float:
    """The value at a place of 0 to 1 in a range: its middle at 0.5."""
    low, middle, high = limits
    return low + 2 * place * (middle - low) if place < 0.5 else middle + (2 * place - 1) * (high - middle)


def _spent(piece: Piece, shares: tuple[float, float]) -> tuple[Number, Number]:
    return Number(shares[0] * piece.latency.value), Number(shares[1] * piece.s_per_byte.value)


def _busy(spec: Spec, values: Values) -> Spec:
    """Each message's processors spend their shares of its time on it."""

    def drawn(name: str) -> tuple[float, float]:
        return at(RANGES[name], values[name]), at(RANGES[f"{name} byte"], values[name])

    latency, byte = drawn("busy inside")
    part = at(RANGES["sender inside"], values["sender inside"])
    send, receive = drawn("send network"), drawn("receive network")
    within = (latency * part, byte * part), (latency * (1 - part), byte * (1 - part))
    between = send, (min(receive[0], MAX_BUSY - send[0]), min(receive[1], MAX_BUSY - send[1]))
    curve = {}
    eager = spec.eager_bytes.value
    for name, pieces in spec.curve.items():
        sender, receiver = between if name == "network" else within
        curve[name] = tuple(
            replace(p, gap=_spent(p, sender), receive_gap=_spent(p, receiver)) if p.start <= eager else p
            for p in pieces
        )
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


def _nic(spec: Spec, values: Values) -> Spec:
    return replace(spec, nic_gap_s=Number(at(RANGES["nic"], values["nic"]) * spec.curve["network"][0].latency.value))


def message_s_per_byte(spec: Spec, of_class: str = "") -> float:
    """Of a message of 1 MiB of a class, or of that within a node which is fastest."""
    classes = [of_class] if of_class else [name for name in spec.curve if name != "network"]
    last = [[p for p in spec.curve[name] if p.start <= MIB][-1] for name in classes]
    return min(p.s_per_byte.value + p.latency.value / MIB for p in last)


def _memory(spec: Spec, values: Values) -> Spec:
    return replace(spec, memory_bytes_per_s=Number(at(RANGES["memory"], values["memory"]) / message_s_per_byte(spec)))


def _interconnect(spec: Spec, values: Values) -> Spec:
    rate = at(RANGES["interconnect"], values["interconnect"]) * spec.memory_bytes_per_s.value
    return replace(spec, interconnect_bytes_per_s=Number(rate))


def _ports(spec: Spec, values: Values) -> Spec:
    """What a core moves to other sockets, and a cache's cores to other caches, may be less than their ports by themselves would."""
    made = spec
    if spec.sockets > 1:
        rate = at(RANGES["across"], values["across"]) / message_s_per_byte(spec, "node")
        made = replace(made, across_bytes_per_s=Number(rate))
    if spec.cores_per_cache < spec.cores_per_socket:
        rate = at(RANGES["cache"], values["cache"]) / message_s_per_byte(spec, "socket")
        made = replace(made, cache_bytes_per_s=Number(rate))
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


# ---- of SimGrid's own files ------------------------------------------------------------------------------------------


def _busy_hosts(platform: Platform, values: Values) -> Platform:
    latency_s = plain_hosts.latency_s(platform)
    return plain_hosts.with_processors(platform, *(at(RANGES[name], values[name]) * latency_s for name in BETWEEN))


def _local_hosts(platform: Platform, values: Values) -> Platform:
    copy = at(RANGES["copy by itself"], values["copy"])
    return plain_hosts.with_local(platform, at(RANGES["gamma"], values["gamma"]) * copy, copy)


BETWEEN = ("send network", "receive network")
PROCESSOR_XML = Unknown(
    "the processors' time per message",
    "smpi/os and smpi/or in <config>",
    "./collscope calibrate",
    BETWEEN,
    _busy_hosts,
)
LOCAL_XML = Unknown(
    "local reductions and copies",
    "a specification's gamma_s_per_byte, copy_s_per_byte",
    "./collscope calibrate",
    ("gamma", "copy"),
    _local_hosts,
)
MAX_DRAWN = 64  # nodes: a machine with single routes has as many as pairs, in each draw


def _of_hosts(platform: Platform, nodes: int) -> list[Unknown]:
    made = [LOCAL_XML] if plain_hosts.charges_processors(platform) else [PROCESSOR_XML, LOCAL_XML]
    return made if nodes <= MAX_DRAWN else [replace(unknown, dimensions=()) for unknown in made]


def unknowns(platform: Platform, nodes: int) -> list[Unknown]:
    """What the file of a platform leaves open and a call on so many nodes may hang on, in the order in which values are set; [] of `ideal`
    and of SimGrid's files with places."""
    if platform.machine.priced_by == ROUTED:
        return _of_hosts(platform, nodes)
    if not platform.typed or platform.typed.startswith("ideal") or ".xml" in platform.typed:
        return []
    spec, given = find.load_spec(platform.typed), find.given(platform.typed)
    has_gap = any(p.gap for pieces in spec.curve.values() for p in pieces)
    made = [PROCESSOR] if "overhead_s" not in given and not has_gap else []
    made += [NONBLOCKING] if not {"eager_bytes_nonblocking", "curve_nonblocking"} & given else []
    made += [NIC] if nodes > 1 and "nic_gap_s" not in given else []
    made += [SHARED_MEMORY] if "memory_bytes_per_s" not in given else []
    made += [SOCKETS] if spec.sockets > 1 and "interconnect_bytes_per_s" not in given else []
    inside = spec.sockets > 1 or spec.cores_per_cache < spec.cores_per_socket
    made += [PORTS] if inside and not {"across_bytes_per_s", "cache_bytes_per_s"} & given else []
    if "copy_s_per_byte" not in given:
        made += [COPY_OF_GAMMA if "gamma_s_per_byte" in given else COPY_TIME]
    made += [GAMMA_TIME] if "gamma_s_per_byte" not in given else []
    return made


@cache
def places(dimension: str, draws: int) -> tuple[float, ...]:
    """Where each draw lies in the range of a dimension: a Latin hypercube, one draw in each of equal parts, in an order that depends on
    the dimension's name alone."""
    parts = list(range(draws))
    random.Random(dimension).shuffle(parts)
    return tuple((part + 0.5) / draws for part in parts)


def drawn(platform: Platform, open_numbers: Sequence[Unknown], draws: int) -> Iterator[Platform]:
    """The platform with values for its open numbers, one for each draw."""
    routed = platform.machine.priced_by == ROUTED
    known: Any = platform if routed else find.load_spec(platform.typed)
    for i in range(draws):
        made = known
        for unknown in open_numbers:
            made = unknown.with_values(made, {name: places(name, draws)[i] for name in unknown.dimensions})
        yield made if routed else find.platform_of(made, platform.name)
