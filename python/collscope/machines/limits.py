"""What a machine's numbers can be, and what they hardly are: hard limits, contradictions, and doubts, which are reported and not refused.

The limits stand in platforms/README.md, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from collscope.base.number import GIVEN, Number
from collscope.base.units import format_time
from collscope.machines.spec import (
    CLASSES,
    Piece,
    Spec,
    links_crossed,
    narrowest,
    occurring,
    socket_distances,
    tidy,
)
from collscope.machines.topology import Topology

MAX_CORES = 1 << 22  # of the whole machine
MAX_OF_A_NODE = 1 << 16
SIMULATED_NODES = 2048  # routes between pairs of nodes: a quarter of a GiB of XML
SIMULATED_CORES = 1 << 16
MAX_PIECES = 1000  # of a curve: the bound tries each with each
# From here on somebody may have written microseconds for seconds, or megabytes for bytes: (network, within a node).
SLOW_LATENCY_S = (1e-3, 1e-4)
SLOW_S_PER_BYTE = (1e-7, 1e-8)  # 10 and 100 MB/s
SLOW_OVERHEAD_S = 1e-4
_FAST = "1 GB/s or more"
Where = tuple[str | int, ...]  # as in base.toml_table
SMALL = 4096  # bytes: below, the slope of a curve says little of links
BULK_BYTES = 1 << 20  # the latency of pieces from here on is a straight line's intercept, no message's time


def too_large(nodes: int, cores_per_node: int) -> str:
    """Why a machine of so many nodes cannot be made; nothing where it can."""
    if cores_per_node > MAX_OF_A_NODE:
        return f"{cores_per_node} cores of a node are too many: at most {MAX_OF_A_NODE}"
    if nodes * cores_per_node > MAX_CORES:
        return f"{nodes} nodes of {cores_per_node} cores are {nodes * cores_per_node} cores: at most {MAX_CORES} in all"
    return ""


def beyond_simulation(nodes: int, cores_per_node: int) -> str:
    """Why SimGrid is not given so large a machine; nothing where it is."""
    if nodes > SIMULATED_NODES and cores_per_node > 1:
        return f"{nodes} nodes are too many for a simulation: at most {SIMULATED_NODES}"
    if nodes * cores_per_node > SIMULATED_CORES:
        return f"{nodes * cores_per_node} cores are too many for a simulation: at most {SIMULATED_CORES}"
    return ""


def misfit(spec: Spec) -> tuple[str, str] | None:
    """(what is wrong, key) where caches, levels and sockets do not fit into each other, or sockets into their links."""
    if spec.cores_per_socket % spec.cores_per_cache:
        return "must divide cores_per_socket", "cores_per_cache"
    inner, cores = "a cache", spec.cores_per_cache
    for level in spec.levels:
        if level.cores % cores or level.cores <= cores:
            return f"must be a multiple of the {cores} cores of {inner}, and more", f"{level.name}.cores"
        inner, cores = f"a unit of {level.name}", level.cores
    if spec.levels and (spec.cores_per_socket % cores or spec.cores_per_socket <= cores):
        return f"must be a multiple of the {cores} cores of {inner}, and more", "cores_per_socket"
    if spec.nic_socket is not None and spec.nic_socket >= spec.sockets:
        return f"must be a socket from 0 to {spec.sockets - 1}", "nic_socket"
    return _unjoined(spec)


def _unjoined(spec: Spec) -> tuple[str, str] | None:
    key = "interconnect_links"
    for a, b in spec.interconnect_links:
        if a == b or not 0 <= min(a, b) <= max(a, b) < spec.sockets:
            return f"must be pairs of two sockets from 0 to {spec.sockets - 1}, not [{a}, {b}]", key
    if len({frozenset(pair) for pair in spec.interconnect_links}) < len(spec.interconnect_links):
        return "must name each pair of sockets once", key
    if spec.interconnect_links:
        for socket, steps in enumerate(socket_distances(spec.sockets, spec.interconnect_links)[0]):
            if steps < 0:
                return f"must join all sockets; no links lead from socket 0 to socket {socket}", key
    return None


# ---- numbers that contradict each other ---------------------------------------------------------------------


def curve_contradictions(spec: Spec) -> Iterator[tuple[str, int, str]]:
    """(class, place of the piece in its curve, what is wrong) where a curve and the links or overheads cannot both be right."""
    for class_ in occurring(spec):
        if class_ == "network" and class_ not in spec.own_curves:
            continue  # nothing is known of it, and several nodes are refused
        rate = narrowest(spec, class_)
        for at, piece in enumerate(spec.curve[class_]):
            eager = piece.start <= spec.eager_bytes.value
            if eager and not piece.gap and piece.latency.value < 2 * spec.overhead_s.value:
                yield (
                    class_,
                    at,
                    f"class {class_} from {piece.start} bytes: latency_s {piece.latency.value} is less than the "
                    f"two overheads of {spec.overhead_s.value} s that it contains",
                )
            if piece.traffic.value / rate > piece.s_per_byte.value * (1 + 1e-9) + 1e-15:
                yield (
                    class_,
                    at,
                    f"class {class_} from {piece.start} bytes: {piece.s_per_byte.value} s per byte is faster than the narrowest "
                    f"link allows ({piece.traffic.value:g} / {rate:.4g} B/s = {piece.traffic.value / rate:.3g}); raise "
                    "s_per_byte or the link's bandwidth, or lower traffic",
                )


def _numbers(gap: tuple[Number, Number] | None) -> tuple[float, float]:
    """Seconds, and seconds per byte; of none, 0."""
    return (gap[0].value, gap[1].value) if gap else (0.0, 0.0)


def _received(spec: Spec, class_: str, n: float) -> tuple[float, bool]:
    """Seconds that the receiver of an eager message of n bytes spends, and whether a gap is part of them."""
    gap = next(p for p in reversed(spec.curve[class_]) if p.start <= n).receive_gap
    seconds, per_byte = _numbers(gap)
    return spec.overhead_s.value + seconds + n * per_byte, bool(gap)


def gap_contradictions(spec: Spec) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """(key in the file, what is wrong) where what both processors spend and the links together take longer than the message that contains
    them; and where a receive gap is not in `curve`."""
    kinds = (
        ("curve", spec.curve, spec.eager_bytes),
        ("curve_nonblocking", spec.curve_nonblocking, spec.eager_nonblocking),
    )
    for key, curves, limit in kinds:
        for class_ in (
            other for other in occurring(spec) if other in curves and (other != "network" or spec.nodes > 1)
        ):
            rate, pieces = narrowest(spec, class_), curves[class_]
            for at, p in enumerate(pieces):
                if key != "curve" and p.receive_gap:
                    yield (
                        (key, class_, at),
                        f"class {class_} from {p.start} bytes: a receive is the same however its message was sent; say receive_gap_s in "
                        f"[[curve.{class_}]]",
                    )
                    break
                end = pieces[at + 1].start - 1 if at + 1 < len(pieces) else max(2 * p.start, 1 << 30)
                for n in sorted({p.start, end, *([int(limit.value)] if p.start <= limit.value < end else [])}):
                    gap, per_byte = _numbers(p.gap) if p.gap else (spec.overhead_s.value, 0.0)
                    sent = gap + n * per_byte
                    received, by_gap = _received(spec, class_, n) if n <= limit.value else (0.0, False)
                    whole, wire = p.latency.value + n * p.s_per_byte.value, n * p.traffic.value / rate
                    if (p.gap or by_gap) and sent + received + wire > whole * (1 + 1e-9) + 1e-15:
                        yield (
                            (key, class_, at),
                            f"class {class_} from {p.start} bytes: of the {whole:.4g} s that a message of {n} bytes takes, the gap of its "
                            f"sender is {sent:.4g} s, what its receiver spends {received:.4g} s and the narrowest link {wire:.4g} s: more "
                            "than the whole; lower gap_s, receive_gap_s, what they are a byte, or traffic",
                        )
                        break


def link_contradictions(spec: Spec) -> Iterator[tuple[str, int, str]]:
    """As curve_contradictions, of a specification that will be completed: those of pieces that only small messages are in are left out, as
    their links are taken to be busy no longer than the message by itself."""
    for class_, at, problem in curve_contradictions(spec):
        pieces = spec.curve[class_]
        if at + 1 == len(pieces) or pieces[at + 1].start > SMALL:
            yield class_, at, problem


def noise_contradictions(spec: Spec) -> Iterator[tuple[Where, str]]:
    """(key in the file, what is wrong) where noise takes more from a message than the whole of its time."""
    for name, pieces in spec.noise.items():
        for at, noise in enumerate(pieces):
            curve = next(p for p in reversed(spec.curve[name]) if p.start <= noise.start)
            whole, (_, earliest) = curve.latency.value + noise.start * curve.s_per_byte.value, noise.quantiles[0]
            if name in occurring(spec) and whole + earliest <= 0:
                yield (
                    ("noise", name, at),
                    f"class {name} from {noise.start} bytes: a message takes {whole:.4g} s and its noise {earliest:.4g} s: it would "
                    "arrive before it is sent; the first of quantiles_s must take less",
                )


# ---- doubts -----------------------------------------------------------------------------------------------


def doubts(spec: Spec) -> Iterator[tuple[Where, str]]:
    """(key in the file, what is doubtful): times that look a thousand times too large. Nobody has typed what was measured."""
    for class_ in spec.own_curves:
        if not any(spec.curve[other] is spec.curve[class_] for other in occurring(spec)):
            continue
        near = int(class_ != "network")
        for at, piece in enumerate(spec.curve[class_]):
            latency, per_byte = _typed(piece.latency), _typed(piece.s_per_byte)
            where = ("curve", class_, at)
            if latency >= SLOW_LATENCY_S[near] and piece.start < BULK_BYTES:
                usual = "0.2 to 2 µs" if near else "1 to 30 µs"
                yield where, f"latency_s {_usual(latency, format_time(latency), usual)}; were microseconds meant?"
                break
            if per_byte >= SLOW_S_PER_BYTE[near]:
                yield where, f"s_per_byte {_usual(per_byte, _rate(1 / per_byte), _FAST)}; were nanoseconds meant?"
                break
    if (value := _typed(spec.overhead_s)) >= SLOW_OVERHEAD_S:
        yield ("overhead_s",), f"{_usual(value, format_time(value), '0.05 to 1 µs')}; were microseconds meant?"
    for name in ("gamma_s_per_byte", "copy_s_per_byte", "invalidation_s_per_byte", "first_touch_s_per_byte"):
        if (value := _typed(getattr(spec, name))) >= SLOW_S_PER_BYTE[1]:
            yield (name,), f"{_usual(value, _rate(1 / value), _FAST)}; were nanoseconds meant?"


def _typed(number: Number) -> float:
    """What somebody may have written in another unit; 0 of what was measured."""
    return 0.0 if number.tag == "measured" else number.value


def _usual(value: float, means: str, usual: str) -> str:
    return f"{value:g} is {means} where {usual} is usual"


def _rate(bytes_per_s: float) -> str:
    for unit, name in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        if bytes_per_s >= unit:
            return f"{bytes_per_s / unit:.3g} {name}"
    return f"{bytes_per_s:.3g} B/s"


# ---- what-if questions that ask for nothing ---------------------------------------------------------------


def idle_links(before: Spec, after: Spec, overrides: Mapping[str, str]) -> Iterator[str]:
    """A line for each link of a variant that is wider than before though a message alone takes as long as before: its time is its
    class's curve. Says what would make messages faster. `overrides` is what stood in the brackets."""
    for class_ in CLASSES:
        for link in links_crossed(class_)[::-1]:
            name = f"{link}_bytes_per_s"
            old, new = getattr(before, name).value, getattr(after, name).value
            own = {"network": ("nic", "switch"), "node": ("interconnect", "across")}.get(class_, ())
            if link not in own or name not in overrides or new <= old or class_ not in occurring(after):
                continue
            if any(key.startswith(f"{class_}.s_per_byte") for key in overrides):
                continue
            words = faster(after, class_, tidy(float(f"{old / new:.3g}")))
            rest = ",".join([*(f"{k}={v}" for k, v in overrides.items()), *words])
            yield (
                f"{name} {new:g} instead of {old:g}: a message alone takes as long as before, as curve.{class_} says; only ranks "
                f"that send at once share it more widely{f'. With the curve: [{rest}]' if words else ''}"
            )
            break


def faster(spec: Spec, class_: str, factor: float) -> list[str]:
    """What to add to a variant so that messages of this class take `factor` of their time per byte: the curve, and links that are too
    narrow for it."""
    words = [f"{class_}.s_per_byte=x{factor:g}"]
    changed = scaled(spec, class_, "s_per_byte", factor)
    names = [f"{link}_bytes_per_s" for link in links_crossed(class_)]
    if class_ == "network" and changed.topology.kind != "switch":
        names += [f"topology.{name}" for name in changed.topology.used if name.endswith("bytes_per_s")]
    need = max(p.traffic.value / p.s_per_byte.value for p in changed.curve[class_] if p.s_per_byte.value > 0)
    wide = Number(float(f"{need * 1.001:.4g}"))
    for name in names:
        table, _, key = name.rpartition(".")
        owner: Spec | Topology = changed.topology if table else changed
        if 0 < getattr(owner, key).value < need:
            words.append(f"{name}={wide.value:g}")
            wider = replace(owner, **{key: wide})  # type: ignore[arg-type]
            changed = replace(changed, topology=wider) if isinstance(wider, Topology) else wider
    return [] if any(True for _ in curve_contradictions(changed)) else words


def scaled(spec: Spec, class_: str, kind: str, factor: float) -> Spec:
    """The specification with one kind of number (latency_s or s_per_byte) of a class's curve multiplied; classes that have their
    curve from this one follow."""
    part = "latency" if kind == "latency_s" else kind

    def piece(one: Piece) -> Piece:
        value = Number(tidy(getattr(one, part).value * factor), "assumed", GIVEN)
        return replace(one, **{part: value})  # type: ignore[arg-type]

    pieces = tuple(map(piece, spec.curve[class_]))
    followers = [
        other
        for other in spec.classes
        if other == class_ or (other not in spec.own_curves and spec.curve[other] is spec.curve[class_])
    ]
    return replace(spec, curve={**spec.curve, **dict.fromkeys(followers, pieces)})
