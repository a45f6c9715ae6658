"""Numbers that a specification gives with a range: what is drawn of a machine besides what its file leaves open (completion).

The value is the middle: half of the draws lie below, half above. Numbers that go together are drawn together: the curve of a class as
a whole, and what processors spend on the messages of a class. That stays a part of the message's time, whatever is drawn. Where a measured
curve has no range, that of its messages' noise is taken: what nine tenths of single messages took.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import log

from collscope.base.number import Number
from collscope.machines.completion import Unknown, Values, at
from collscope.machines.spec import NUMBERS, SPENT, Noise, Piece, Spec

MBW = "osu_mbw_mr"
MEASURED_WITH = {
    "gamma_s_per_byte": ("local reductions", "./collscope calibrate"),
    "copy_s_per_byte": ("local copies", "./collscope calibrate"),
    "first_touch_s_per_byte": ("the first touch of memory", "./collscope calibrate"),
    "fresh_from_bytes": ("the size from which memory is newly mapped", "./collscope calibrate"),
    "invalidation_s_per_byte": ("what writing costs where another core has the lines, too", "./collscope calibrate"),
    "overhead_s": ("the processors' overhead", f"{MBW}, or ./collscope calibrate"),
    "eager_bytes": ("the eager limit", "osu_latency of sizes around it"),
    "eager_bytes_nonblocking": ("the limit of non-blocking sends", "./collscope calibrate"),
    "core_bytes_per_s": ("the rate of a core's link", f"{MBW} from one core to others"),
    "cache_bytes_per_s": ("the rate of a cache's link", f"{MBW} from the cores of one cache to others"),
    "across_bytes_per_s": ("the rate of a core to other sockets", f"{MBW} from one core to another socket"),
    "memory_bytes_per_s": ("the memory's rate", "STREAM on one socket"),
    "interconnect_bytes_per_s": ("the rate between sockets", f"{MBW} between the sockets of a node"),
    "nic_bytes_per_s": ("the NIC's rate", f"{MBW} with all ranks of two nodes"),
    "switch_bytes_per_s": ("the switch's rate", f"{MBW} with all ranks of two nodes"),
    "nic_gap_s": ("the NIC's time per message", f"{MBW} with all ranks of two nodes"),
    "nic_other_socket_s": ("the NIC's distance from the other socket", "osu_latency between nodes, from each socket"),
}
"""Each number of NUMBERS in words, and what measures it. Those of the network alone are not drawn for calls on one node: BETWEEN."""
BETWEEN = ("nic_bytes_per_s", "switch_bytes_per_s", "nic_gap_s", "nic_other_socket_s")
NOISE = (0.05, 0.95)  # of a class's messages took so much longer than the curve, at least and at most
MAX_SPENT = 1 - 1e-9  # of a message's time, by both processors


def _is_open(number: Number | None) -> bool:
    return number is not None and number.range is not None and number.range[0] < number.range[1]


def _drawn(number: Number, place: float) -> Number:
    """The number at a place of its range; what has none stays."""
    if number.range is None:
        return number
    low, high = min(number.range[0], number.value), max(number.range[1], number.value)
    return replace(number, value=at((low, number.value, high), place))


def _drawn_limit(number: Number, place: float) -> Number:
    """An eager limit: as many draws lie in each doubling of its range."""
    assert number.range
    low, high = min(number.range[0], number.value), max(number.range[1], number.value)
    if low < 1:
        return _drawn(number, place)
    return replace(number, value=float(round(2 ** (at((log(low, 2), log(number.value, 2), log(high, 2)), place)))))


# ---- curves ------------------------------------------------------------------------------------------------


def _at_quantile(noise: Noise, part: float) -> float:
    """How much longer than its curve so large a part of the messages takes at most."""
    low, high = (next(q for q in order if keep(q[0])) for order, keep in (
        (noise.quantiles[::-1], lambda p: p <= part), (noise.quantiles, lambda p: p >= part)
    ))  # fmt: skip
    share = (part - low[0]) / (high[0] - low[0]) if high[0] > low[0] else 0.0
    return low[1] + share * (high[1] - low[1])


def _with_noise(piece: Piece, noise: tuple[Noise, ...]) -> Piece:
    """A piece without ranges has that of the noise from its size on."""
    if not noise or piece.latency.range or piece.s_per_byte.range:
        return piece
    of = [n for n in noise if n.start <= piece.start][-1]
    low, high = (max(piece.latency.value + _at_quantile(of, part), 0.0) for part in NOISE)
    limits = min(low, piece.latency.value), max(high, piece.latency.value)
    return replace(piece, latency=replace(piece.latency, range=limits))


def _scaled(spent: tuple[Number, Number] | None, factors: tuple[float, float]) -> tuple[Number, Number] | None:
    if spent is None:
        return None
    times, per_byte = (
        Number(n.value * f, n.tag, n.source, n.range and (n.range[0] * f, n.range[1] * f))
        for n, f in zip(spent, factors, strict=True)
    )
    return times, per_byte


def _piece_at(piece: Piece, place: float) -> Piece:
    """Its time drawn; what processors spend is the same share of it as before."""
    latency, per_byte = _drawn(piece.latency, place), _drawn(piece.s_per_byte, place)
    old = piece.latency.value, piece.s_per_byte.value
    factors = latency.value / old[0] if old[0] else 1.0, per_byte.value / old[1] if old[1] else 1.0
    return replace(
        piece, latency=latency, s_per_byte=per_byte,
        gap=_scaled(piece.gap, factors), receive_gap=_scaled(piece.receive_gap, factors), turnaround=_scaled(piece.turnaround, factors),
    )  # fmt: skip


def _within(piece: Piece) -> Piece:
    """No more spent by both processors than the message takes."""
    made = piece
    for i, whole in enumerate((piece.latency.value, piece.s_per_byte.value)):
        both = sum(spent[i].value for spent in (made.gap, made.receive_gap) if spent)
        if both <= whole * MAX_SPENT:
            continue
        factors = (whole * MAX_SPENT / both, 1.0) if i == 0 else (1.0, whole * MAX_SPENT / both)
        made = replace(made, gap=_scaled(made.gap, factors), receive_gap=_scaled(made.receive_gap, factors))
    return made


def _spent_at(piece: Piece, place: float) -> Piece:
    drawn = {}
    for kind in SPENT:
        if spent := getattr(piece, kind):
            drawn[kind] = _drawn(spent[0], place), _drawn(spent[1], place)
    return _within(replace(piece, **drawn))  # type: ignore[arg-type]


def _traffic_at(piece: Piece, place: float) -> Piece:
    return replace(piece, traffic=_drawn(piece.traffic, place))


def _pieces_at(
    change: Callable[[Piece, float], Piece], names: Sequence[str], key: str, spec: Spec, values: Values
) -> Spec:
    """All pieces of these classes, blocking and not, at the place of one dimension."""

    def of(curves: Mapping[str, tuple[Piece, ...]]) -> dict[str, tuple[Piece, ...]]:
        return {
            name: tuple(change(piece, values[key]) for piece in pieces) if name in names else pieces
            for name, pieces in curves.items()
        }

    return replace(spec, curve=of(spec.curve), curve_nonblocking=of(spec.curve_nonblocking))


def _curve_at(names: Sequence[str], key: str, spec: Spec, values: Values) -> Spec:
    return _pieces_at(_piece_at, names, key, _noisy(spec, names), values)


def _noisy(spec: Spec, names: Sequence[str]) -> Spec:
    """The pieces of these classes, where they have no range, with that of their class's noise."""

    def of(curves: Mapping[str, tuple[Piece, ...]]) -> dict[str, tuple[Piece, ...]]:
        return {
            name: tuple(_with_noise(piece, spec.noise.get(name, ())) for piece in pieces) if name in names else pieces
            for name, pieces in curves.items()
        }

    return replace(spec, curve=of(spec.curve), curve_nonblocking=of(spec.curve_nonblocking))


# ---- all of them -------------------------------------------------------------------------------------------


def _number_at(name: str, spec: Spec, values: Values) -> Spec:
    number, draw = getattr(spec, name), _drawn_limit if name.startswith("eager_bytes") else _drawn
    return replace(spec, **{name: draw(number, values[name])})  # type: ignore[arg-type]


def _level_at(name: str, spec: Spec, values: Values) -> Spec:
    levels = (
        replace(v, bytes_per_s=_drawn(v.bytes_per_s, values[name])) if f"{v.name}.bytes_per_s" == name else v
        for v in spec.levels
    )
    return replace(spec, levels=tuple(levels))


def _topology_at(name: str, spec: Spec, values: Values) -> Spec:
    part = name.partition(".")[2]
    drawn = {part: _drawn(getattr(spec.topology, part), values[name])}
    topology = replace(spec.topology, **drawn)  # type: ignore[arg-type]
    return replace(spec, topology=topology)


def given(spec: Spec, nodes: int) -> list[Unknown]:
    """What the specification gives with a range, and a call on so many nodes may hang on, in the order in which values are set."""
    return [*_of_curves(spec, nodes), *_of_numbers(spec, nodes)]


def _of_curves(spec: Spec, nodes: int) -> Iterator[Unknown]:
    shared: dict[int, list[str]] = {}
    for name, pieces in spec.curve.items():
        if nodes > 1 or name != "network":
            shared.setdefault(id(pieces), []).append(name)
    for names in shared.values():
        of = next((name for name in names if name in spec.own_curves), names[0])
        every = [p for key in (spec.curve, spec.curve_nonblocking) for name in names for p in key.get(name, ())]
        noisy = any(spec.noise.get(name) for name in names)
        where = "between nodes" if of == "network" else f"of class {of}"
        if noisy or any(_is_open(n) for p in every for n in (p.latency, p.s_per_byte)):
            yield _curve(
                f"the time of single messages {where}", f"curve.{of}", f"osu_latency {where}", _piece_at, names
            )
        if any(_is_open(n) for p in every for kind in SPENT for n in getattr(p, kind) or ()):
            yield _curve(
                f"the processors' time per message {where}", f"gap_s, receive_gap_s and turnaround_s in curve.{of}",
                f"{MBW}, or ./collscope calibrate", _spent_at, names, f"spent {of}",
            )  # fmt: skip
        if any(_is_open(p.traffic) for p in every):
            yield _curve(
                f"how long a message keeps its links busy {where}", f"traffic in curve.{of}", f"{MBW} {where}", _traffic_at,
                names, f"traffic {of}",
            )  # fmt: skip


def _curve(
    name: str,
    keys: str,
    measure: str,
    change: Callable[[Piece, float], Piece],
    names: Sequence[str],
    dimension: str = "",
) -> Unknown:
    key = dimension or keys
    set_it = partial(_curve_at, names, key) if change is _piece_at else partial(_pieces_at, change, names, key)
    return Unknown(name, keys, measure, (key,), set_it, given=True)


def _of_numbers(spec: Spec, nodes: int) -> Iterator[Unknown]:
    for name in NUMBERS:
        if _is_open(getattr(spec, name)) and (nodes > 1 or name not in BETWEEN):
            words, measure = MEASURED_WITH[name]
            yield Unknown(words, name, measure, (name,), partial(_number_at, name), given=True)
    for level in spec.levels:
        key = f"{level.name}.bytes_per_s"
        if level.bytes_per_s.value and _is_open(level.bytes_per_s):
            yield Unknown(
                f"the rate of a {level.name}",
                key,
                f"{MBW} from one {level.name} to others",
                (key,),
                partial(_level_at, key),
                given=True,
            )
    if spec.topology.kind != "switch" and nodes > 1:
        for part in spec.topology.used:
            key = f"topology.{part}"
            if _is_open(getattr(spec.topology, part)):
                yield Unknown(
                    key, key, f"{MBW} between nodes far apart", (key,), partial(_topology_at, key), given=True
                )
