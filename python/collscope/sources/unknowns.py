"""Numbers that a machine's file leaves open, and values for them: those of other machines.

What a specification does not give is computed with as 0, or with a default. That is a guess like any other.
Each range is that of the machines of platforms/, least, median and greatest (a test holds it against their files), as a share of what the
file does give: a processor's part of a message's time, a rate as a multiple of that of one message of 1 MiB within a node.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from collscope.base.number import Number
from collscope.machines import find, plain_hosts
from collscope.machines.machine import ROUTED
from collscope.machines.platform import Platform
from collscope.machines.spec import Piece, Spec

Range = tuple[float, float, float]
"""Least, middle and greatest; as many draws lie below the middle as above it."""
Share = tuple[Range, Range]
"""Of a message's latency, and of its time per byte."""

# Processors: at 8 bytes, and the growth with the size, which orfeo_epyc alone has measured; elsewhere it is assumed to be 0. Messages
# within a cache of orfeo_epyc are apart: their receivers spend nearly all of the time.
SEND_INSIDE: Share = (0.17, 0.37, 0.55), (0.0, 0.64, 0.92)
SEND_NETWORK: Share = (0.06, 0.10, 0.29), (0.0, 0.17, 0.26)
RECEIVE_INSIDE: Share = (0.10, 0.22, 0.42), (0.0, 0.20, 0.32)
RECEIVE_NETWORK: Share = (0.0, 0.08, 0.11), (0.0, 0.13, 0.32)
# Of orfeo_epyc alone; other machines have none.
NIC_GAP: Range = (0.0, 0.06, 0.12)  # of the network's latency
WAITS_FROM: Range = (
    -4.0,
    0.0,
    0.0,
)  # log2 of the largest non-blocking send that does not wait, over the largest blocking one
WAITING: Range = (0.34, 1.0, 2.1)  # the time of one that waits, of a blocking one that does not, within a node
# In messages of 1 MiB within a node.
MEMORY: Range = (1.5, 5.7, 13.3)  # of a socket
ACROSS: Range = (1.1, 2.1, 3.7)  # of one core, to another socket
CACHE: Range = (1.1, 2.3, 3.4)  # of the cores of a cache, to others of the socket
GAMMA: Range = (0.45, 1.2, 2.3)  # of the time of one
COPY: Range = (0.51, 0.98, 1.6)
GAMMA_S_PER_BYTE: Range = (
    3.75e-11,
    2.5e-10,
    6.75e-10,
)  # the same by themselves, where no message within a node is known
COPY_S_PER_BYTE: Range = (4.2e-11, 2.1e-10, 5.6e-10)
INTERCONNECT: Range = (0.33, 0.55, 0.64)  # of the memory's rate
MAX_BUSY = 0.95  # of a message's time, both processors together
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
    """Each message's processors spend their shares of its time on it; one draw for all classes within a node, one for the network."""

    def drawn(share: Share, name: str) -> tuple[float, float]:
        return at(share[0], values[f"{name} latency"]), at(share[1], values[f"{name} byte"])

    curve = {}
    for name, pieces in spec.curve.items():
        network = name == "network"
        where = "network" if network else "inside"
        send = drawn(SEND_NETWORK if network else SEND_INSIDE, f"send {where}")
        receive = drawn(RECEIVE_NETWORK if network else RECEIVE_INSIDE, f"receive {where}")
        rest = min(receive[0], MAX_BUSY - send[0]), min(receive[1], MAX_BUSY - send[1])
        eager = spec.eager_bytes.value
        curve[name] = tuple(
            replace(p, gap=_spent(p, send), receive_gap=_spent(p, rest)) if p.start <= eager else p for p in pieces
        )
    return replace(spec, curve=curve)


def _waiting(spec: Spec, values: Values) -> Spec:
    """Non-blocking sends wait for their receive from a smaller size on; those that do take their own time within a node."""
    eager = spec.eager_bytes.value
    limit = int(2.0 ** at(WAITS_FROM, values["waits from"]) * eager)
    if eager <= 0 or limit == eager:
        return spec
    factor = at(WAITING, values["waiting"])
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
    return replace(spec, nic_gap_s=Number(at(NIC_GAP, values["nic"]) * spec.curve["network"][0].latency.value))


def message_s_per_byte(spec: Spec, of_class: str = "") -> float:
    """Of a message of 1 MiB of a class, or of that within a node which is fastest."""
    classes = [of_class] if of_class else [name for name in spec.curve if name != "network"]
    last = [[p for p in spec.curve[name] if p.start <= MIB][-1] for name in classes]
    return min(p.s_per_byte.value + p.latency.value / MIB for p in last)


def _memory(spec: Spec, values: Values) -> Spec:
    return replace(spec, memory_bytes_per_s=Number(at(MEMORY, values["memory"]) / message_s_per_byte(spec)))


def _interconnect(spec: Spec, values: Values) -> Spec:
    rate = at(INTERCONNECT, values["interconnect"]) * spec.memory_bytes_per_s.value
    return replace(spec, interconnect_bytes_per_s=Number(rate))


def _ports(spec: Spec, values: Values) -> Spec:
    """What a core moves to other sockets, and a cache's cores to other caches, may be less than their ports by themselves would."""
    made = spec
    if spec.sockets > 1:
        rate = at(ACROSS, values["across"]) / message_s_per_byte(spec, "node")
        made = replace(made, across_bytes_per_s=Number(rate))
    if spec.cores_per_cache < spec.cores_per_socket:
        rate = at(CACHE, values["cache"]) / message_s_per_byte(spec, "socket")
        made = replace(made, cache_bytes_per_s=Number(rate))
    return made


def _gamma(spec: Spec, values: Values) -> Spec:
    return replace(spec, gamma_s_per_byte=Number(at(GAMMA, values["gamma"]) * message_s_per_byte(spec)))


def _copy(spec: Spec, values: Values) -> Spec:
    return replace(spec, copy_s_per_byte=Number(at(COPY, values["copy"]) * message_s_per_byte(spec)))


PROCESSOR = Unknown(
    "the processors' time per message",
    "overhead_s, or gap_s in [curve]",
    "osu_mbw_mr, or ./collscope calibrate",
    tuple(f"{who} {where} {what}" for who in ("send", "receive") for where in ("inside", "network") for what in ("latency", "byte")),
    _busy,
)  # fmt: skip
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


# ---- of SimGrid's own files ------------------------------------------------------------------------------------------


def _busy_hosts(platform: Platform, values: Values) -> Platform:
    latency_s = plain_hosts.latency_s(platform)
    spent = (at(share[0], values[f"{who} network latency"]) for who, share in NETWORK_SHARES.items())
    return plain_hosts.with_processors(platform, *(share * latency_s for share in spent))


def _local_hosts(platform: Platform, values: Values) -> Platform:
    return plain_hosts.with_local(platform, at(GAMMA_S_PER_BYTE, values["gamma"]), at(COPY_S_PER_BYTE, values["copy"]))


NETWORK_SHARES = {"send": SEND_NETWORK, "receive": RECEIVE_NETWORK}
PROCESSOR_XML = Unknown(
    "the processors' time per message",
    "smpi/os and smpi/or in <config>",
    "./collscope calibrate",
    tuple(f"{who} network latency" for who in NETWORK_SHARES),
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
    made += [GAMMA_TIME] if "gamma_s_per_byte" not in given else []
    made += [COPY_TIME] if "copy_s_per_byte" not in given else []
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
