"""A machine in a few lines of TOML, and the SimGrid platform file that follows from it.

platforms/README.md explains the format. Every number may stand plainly (`nic_bytes_per_s = 12.3e9`) or as a table with its
provenance: value, tag (documented, measured, inferred or assumed), source, and for a number that nobody documented the plausible
range. The XML is a function of the specification alone: the same text, byte for byte, each time.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from collscope.base.errors import UsageError, UserError, nearest

TAGS = ("documented", "measured", "inferred", "assumed")
LEVELS = ("cache", "socket", "node", "network")  # the closest level two ranks share; node: another socket of it
HOST_SPEED = "1Gf"


class SpecError(UserError):
    """A specification that cannot be used; the text starts with FILE:LINE."""


@dataclass(frozen=True)
class Number:
    value: float
    tag: str = "assumed"
    source: str = ""
    range: tuple[float, float] | None = None


@dataclass(frozen=True)
class Piece:
    """From `start` bytes up, a message takes latency + bytes · s_per_byte: half a round trip, overheads included.

    traffic: bytes that the links move for each byte of the message (a copy through memory reads, fills and writes)."""

    start: int
    latency: Number
    s_per_byte: Number
    traffic: Number = Number(1.0)


@dataclass(frozen=True)
class Spec:
    name: str
    nodes: int
    sockets: int
    cores_per_socket: int
    cores_per_cache: int
    about: str
    curve: Mapping[str, tuple[Piece, ...]]
    gamma_s_per_byte: Number = Number(2.5e-10)
    copy_s_per_byte: Number = Number(2e-10)
    overhead_s: Number = Number(0.0)
    eager_bytes: Number = Number(8192.0)
    core_bytes_per_s: Number = Number(0.0)  # 0: as fast as the fastest piece of a curve needs
    memory_bytes_per_s: Number = Number(0.0)  # 0: never the bottleneck
    interconnect_bytes_per_s: Number = Number(0.0)
    nic_bytes_per_s: Number = Number(0.0)
    switch_bytes_per_s: Number = Number(0.0)
    counts: Mapping[str, Number] = field(default_factory=dict)  # provenance of nodes, sockets, …
    oversubscribe: bool = False  # more ranks than cores are allowed
    least: Mapping[str, float] = field(default_factory=dict)  # measured minima for bounds.loggp
    sources: Mapping[str, str] = field(default_factory=dict)  # what the short names in Number.source stand for

    @property
    def cores_per_node(self) -> int:
        return self.sockets * self.cores_per_socket

    def numbers(self) -> Iterator[tuple[str, Number]]:
        """Every number with its name, for tables of provenance and for sweeps."""
        yield from self.counts.items()
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, Number):
                yield f.name, value
        for level, pieces in self.curve.items():
            for piece in pieces:
                where = f"curve.{level}[{piece.start}]"
                yield f"{where}.latency_s", piece.latency
                yield f"{where}.s_per_byte", piece.s_per_byte
                yield f"{where}.traffic", piece.traffic


_NUMBERS = tuple(f.name for f in fields(Spec) if f.type == "Number")
_COUNTS = ("nodes", "sockets", "cores_per_socket", "cores_per_cache")
_LEAST = ("o", "g", "L", "G", "gamma")
_KNOWN = ("name", "about", "curve", "sources", "least", "oversubscribe", *_COUNTS, *_NUMBERS)


# ---- reading ---------------------------------------------------------------------------------------------------------


class _Reader:
    """Knows the text beside the parsed values, so that a complaint can name the line."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            match = re.search(r"line (\d+)", str(error))
            line = int(match.group(1)) if match else text.count("\n") + 1
            raise SpecError(f"{path}:{line}: {error}") from error

    def fail(self, what: str, *where: str | int) -> SpecError:
        return SpecError(f"{self.path}:{self.line(*where)}: {what}")

    def line(self, *where: str | int) -> int:
        """The line of a key: ("nic_bytes_per_s", "tag") or ("curve", "network", 1, "latency_s")."""
        lines = self.text.splitlines()
        names = [w for w in where if isinstance(w, str)]
        index = next((w for w in where if isinstance(w, int)), 0)
        at = 0
        for depth in range(len(names), 0, -1):
            header = re.compile(r"\s*\[\[?\s*" + r"\s*\.\s*".join(map(re.escape, names[:depth])) + r"\s*\]")
            found = [i for i, line in enumerate(lines) if header.match(line)]
            if found:
                at = found[min(index, len(found) - 1)] + 1
                names = names[depth:]
                break
        if names:
            pattern = re.compile(
                r"\s*(" + r"\s*\.\s*".join(map(re.escape, names)) + "|" + re.escape(names[0]) + r")\s*="
            )
            for i in range(at, len(lines)):
                if pattern.match(lines[i]):
                    return i + 1
        return max(at, 1)

    def number(self, value: Any, *where: str | int) -> Number:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return Number(float(value))
        if not isinstance(value, dict):
            raise self.fail(f"{where[-1]} must be a number, or a table with value, tag, source and range", *where)
        extra = [k for k in value if k not in ("value", "tag", "source", "range")]
        if extra:
            raise self.fail(f'unknown key "{extra[0]}"; a number has value, tag, source and range', *where)
        raw = value.get("value")
        if not isinstance(raw, (int, float)) or isinstance(raw, bool):
            raise self.fail(f"{where[-1]} lacks its value, a number", *where)
        tag = value.get("tag", "assumed")
        if tag not in TAGS:
            raise self.fail(f'unknown tag "{tag}"; use one of {", ".join(TAGS)}', *where)
        bounds = value.get("range")
        if bounds is not None:
            if not (isinstance(bounds, list) and len(bounds) == 2 and all(isinstance(b, (int, float)) for b in bounds)):
                raise self.fail("range must be [least, greatest]", *where)
            if not bounds[0] <= raw <= bounds[1]:
                raise self.fail(f"the value {raw} lies outside its range {bounds}", *where)
            bounds = (float(bounds[0]), float(bounds[1]))
        source = value.get("source", "")
        return Number(float(raw), tag, str(source), bounds)

    def piece(self, entry: Any, level: str, i: int) -> Piece:
        where = ("curve", level, i)
        if isinstance(entry, list):
            if not 3 <= len(entry) <= 4:
                raise self.fail("a piece is [from_bytes, latency_s, s_per_byte] and may add traffic", *where)
            entry = dict(zip(("from_bytes", "latency_s", "s_per_byte", "traffic"), entry, strict=False))
        known = ("from_bytes", "latency_s", "s_per_byte", "traffic")
        if not isinstance(entry, dict):
            raise self.fail("a piece is a list or a table with " + ", ".join(known), *where)
        for key in entry:
            if key not in known:
                raise self.fail(f'unknown key "{key}"; a piece has {", ".join(known)}', *where, key)
        for key in known[:3]:
            if key not in entry:
                raise self.fail(f"a piece of the curve lacks {key}", *where)
        start = entry["from_bytes"]
        if not isinstance(start, int) or start < 0:
            raise self.fail("from_bytes must be a whole number of bytes", *where, "from_bytes")
        numbers = [self.number(entry[k], *where, k) if k in entry else Number(1.0) for k in known[1:]]
        for key, number in zip(known[1:], numbers, strict=True):
            if number.value < 0 or (key == "traffic" and number.value == 0):
                raise self.fail(f"{key} must not be negative", *where, key)
        return Piece(start, *numbers)

    def curves(self) -> dict[str, tuple[Piece, ...]]:
        given = self.data.get("curve")
        if not isinstance(given, dict) or not given:
            raise self.fail("there is no [curve]: give for example network = [[0, 1.6e-6, 2.2e-10]]", "curve")
        for level in given:
            if level not in LEVELS:
                raise self.fail(f'unknown class "{level}"; the classes are {", ".join(LEVELS)}', "curve", level)
        curves: dict[str, tuple[Piece, ...]] = {}
        for level, entries in given.items():
            if not isinstance(entries, list) or not entries:
                raise self.fail("a curve is a list of pieces: [[0, latency_s, s_per_byte], …]", "curve", level)
            pieces = tuple(self.piece(entry, level, i) for i, entry in enumerate(entries))
            starts = [p.start for p in pieces]
            if starts[0] != 0 or any(a >= b for a, b in pairwise(starts)):
                raise self.fail("the pieces of a curve start at 0 bytes and ascend", "curve", level)
            curves[level] = pieces
        # A class without a curve of its own has that of the next wider one, or failing that the next closer.
        filled: dict[str, tuple[Piece, ...]] = {}
        for i, level in enumerate(LEVELS):
            candidates = [*LEVELS[i:], *reversed(LEVELS[:i])]
            filled[level] = curves[next(c for c in candidates if c in curves)]
        return filled


def read_spec(path: Path, overrides: Mapping[str, str] | None = None, shown: str | None = None) -> Spec:
    """Reads and checks a specification. `overrides` are `name=value` of counts and plain numbers, for what-if questions."""
    shown = shown or str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpecError(f"{shown}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{shown}:1: cannot be read: {error}") from error
    return parse_spec(text, shown, overrides)


def parse_spec(text: str, shown: str, overrides: Mapping[str, str] | None = None) -> Spec:
    reader = _Reader(text, shown)
    data = reader.data
    for key in data:
        if key not in _KNOWN:
            match = nearest(key, _KNOWN)
            raise reader.fail(f'unknown key "{key}"' + (f'; did you mean "{match}"?' if match else ""), key)
    name = data.get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", name):
        raise reader.fail("name must be a word of letters, digits, _ . and -", "name")
    counts: dict[str, int] = {}
    provenance: dict[str, Number] = {}
    for key in _COUNTS:
        if key == "cores_per_cache" and key not in data:
            counts[key] = counts["cores_per_socket"]
            continue
        if key not in data:
            raise reader.fail(f"{key} is missing: a whole number, 1 or more", key)
        number = reader.number(data[key], key)
        if number.value < 1 or number.value != int(number.value):
            raise reader.fail(f"{key} must be a whole number, 1 or more", key)
        counts[key], provenance[key] = int(number.value), number
    if counts["cores_per_socket"] % counts["cores_per_cache"]:
        raise reader.fail("cores_per_cache must divide cores_per_socket", "cores_per_cache")
    numbers = {key: reader.number(data[key], key) for key in _NUMBERS if key in data}
    for key, number in numbers.items():
        if number.value < (-1 if key == "eager_bytes" else 0):
            raise reader.fail(f"{key} must not be negative", key)
    sources = data.get("sources", {})
    if not isinstance(sources, dict):
        raise reader.fail("[sources] is a table of short names and where they point", "sources")
    least = data.get("least", {})
    if least and (set(least) != set(_LEAST) or any(not isinstance(v, (int, float)) or v < 0 for v in least.values())):
        raise reader.fail(f"[least] has the numbers {', '.join(_LEAST)}, none of them negative", "least")
    known: dict[str, Any] = {**counts, **numbers}
    spec = Spec(
        name=name,
        about=str(data.get("about", "")),
        curve=reader.curves(),
        sources=sources,
        least=least,
        oversubscribe=data.get("oversubscribe") is True,
        counts=provenance,
        **known,
    )
    if overrides:
        spec = override(spec, overrides)
    try:
        spec = _fill(spec)
        _check(spec, reader)
    except SpecError as error:
        if overrides:  # what was typed does not fit the rest
            raise UsageError(str(error)) from error
        raise
    return spec


def override(spec: Spec, values: Mapping[str, str]) -> Spec:
    """The specification with some counts and numbers replaced: `schooner[nodes=32,nic_bytes_per_s=9e9]`."""
    changes: dict[str, Any] = {}
    for key, text in values.items():
        known = (*_COUNTS, *_NUMBERS)
        if key not in known:
            match = nearest(key, known)
            raise UsageError(
                f'{spec.name}: no parameter "{key}"'
                + (f'; did you mean "{match}"?' if match else "")
                + f"; known: {', '.join(known)}"
            )
        try:
            number = float(text)
        except ValueError:
            raise UsageError(f'{spec.name}: {key} must be a number, not "{text}"') from None
        if key in _COUNTS:
            if not math.isfinite(number) or number != int(number) or number < 1:
                raise UsageError(f"{spec.name}: {key} must be a whole number, 1 or more")
            changes[key] = int(number)
        else:
            if number < (-1 if key == "eager_bytes" else 0) or not math.isfinite(number):
                raise UsageError(f"{spec.name}: {key} must be a number, 0 or more")
            changes[key] = Number(number, "assumed", "given with the platform's name")
    if (
        "cores_per_socket" in changes
        and "cores_per_cache" not in changes
        and spec.cores_per_cache == spec.cores_per_socket
    ):
        changes["cores_per_cache"] = changes["cores_per_socket"]
    changed = replace(spec, **changes)
    if changed.cores_per_socket % changed.cores_per_cache:
        raise UsageError(f"{spec.name}: cores_per_cache must divide cores_per_socket")
    return changed


def _fill(spec: Spec) -> Spec:
    """Capacities that were not given: just what the curves need, and memory that is never the bottleneck."""

    def need(levels: Sequence[str]) -> float:
        rates = [
            p.traffic.value / p.s_per_byte.value for lv in levels for p in spec.curve[lv] if p.s_per_byte.value > 0
        ]
        return max(rates, default=1e12)

    def given(number: Number, value: float) -> Number:
        return number if number.value > 0 else Number(tidy(value), "assumed", "as much as the curves need")

    core = given(spec.core_bytes_per_s, need(LEVELS))
    memory = given(spec.memory_bytes_per_s, 4 * core.value * spec.cores_per_socket)
    nic = given(spec.nic_bytes_per_s, need(("network",)))
    return replace(
        spec,
        core_bytes_per_s=core,
        memory_bytes_per_s=memory,
        nic_bytes_per_s=nic,
        interconnect_bytes_per_s=given(spec.interconnect_bytes_per_s, memory.value),
        switch_bytes_per_s=given(spec.switch_bytes_per_s, nic.value),
    )


def narrowest(spec: Spec, level: str) -> float:
    """Bandwidth of the narrowest link that a message of this class crosses."""
    rates = [spec.core_bytes_per_s.value, spec.memory_bytes_per_s.value]
    if level == "node":
        rates.append(spec.interconnect_bytes_per_s.value)
    if level == "network":
        rates += [spec.nic_bytes_per_s.value, spec.switch_bytes_per_s.value]
    return min(rates)


def occurring(spec: Spec) -> tuple[str, ...]:
    """The classes that two ranks of this machine can be in."""
    there = {
        "cache": spec.cores_per_cache > 1,
        "socket": spec.cores_per_socket > spec.cores_per_cache,
        "node": spec.sockets > 1,
        "network": spec.nodes > 1,
    }
    return tuple(level for level in LEVELS if there[level])


def _check(spec: Spec, reader: _Reader) -> None:
    for level in occurring(spec):
        rate = narrowest(spec, level)
        drawn = reader.data["curve"]  # the class whose curve this one uses
        given = level if level in drawn else next(lv for lv in drawn if spec.curve[lv] is spec.curve[level])
        for i, piece in enumerate(spec.curve[level]):
            where = ("curve", given, i)
            eager = piece.start <= spec.eager_bytes.value
            if eager and piece.latency.value < 2 * spec.overhead_s.value:
                raise reader.fail(
                    f"class {level} from {piece.start} bytes: latency_s {piece.latency.value} is less than the "
                    f"two overheads of {spec.overhead_s.value} s that it contains",
                    *where,
                )
            if piece.traffic.value / rate > piece.s_per_byte.value * (1 + 1e-9) + 1e-15:
                raise reader.fail(
                    f"class {level} from {piece.start} bytes: {piece.s_per_byte.value} s a byte is faster than the narrowest "
                    f"link allows ({piece.traffic.value} / {rate} B/s = {piece.traffic.value / rate:.3g}); raise "
                    "s_per_byte or the link's bandwidth, or lower traffic",
                    *where,
                )


# ---- writing ---------------------------------------------------------------------------------------------------------


def tidy(value: float) -> float:
    """Without the dust of floating point: 1.6e-6 - 2e-7 is 1.4e-6."""
    return float(f"{value:.12g}")


def text_of(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e6 else repr(value)


def wire_curve(spec: Spec, level: str) -> list[tuple[int, float, float, float]]:
    """The curve without the processor's overheads, which SMPI charges by itself (for eager messages only)."""
    eager = int(spec.eager_bytes.value)
    both = 2 * spec.overhead_s.value
    pieces = spec.curve[level]
    wire = []
    for i, p in enumerate(pieces):
        end = pieces[i + 1].start if i + 1 < len(pieces) else None
        rest = (p.s_per_byte.value, p.traffic.value)
        if p.start <= eager:
            wire.append((p.start, tidy(max(p.latency.value - both, 0.0)), *rest))
            if both > 0 and (end is None or end > eager + 1):
                wire.append((eager + 1, p.latency.value, *rest))
        else:
            wire.append((p.start, p.latency.value, *rest))
    return wire


NETWORK_SETTINGS = {  # a plain fluid network: no corrections that describe TCP
    "network/model": "CM02",
    "network/crosstraffic": "0",
    "network/weight-S": "0",
    "network/TCP-gamma": "0",
    "smpi/wtime": "0",
}
# SimGrid refuses to have these set (aliases of each other in 4.x) beside the plug-in's callbacks; CM02's own default is 1.
FACTOR_SETTINGS = {
    "network/latency-factor": "1",
    "network/bandwidth-factor": "1",
    "smpi/lat-factor": "1",
    "smpi/bw-factor": "1",
}


def protocol_settings(eager_bytes: int, overhead_s: float) -> dict[str, str]:
    """SMPI's thresholds are the first size that is not eager any more."""
    threshold = str(eager_bytes + 1)
    cost = f"0:{text_of(overhead_s)}:0"
    return {
        "smpi/async-small-thresh": threshold,
        "smpi/send-is-detached-thresh": threshold,
        "smpi/os": cost,
        "smpi/ois": cost,
        "smpi/or": cost,
    }


def _prop(name: str, value: object) -> str:
    return f"<prop id={quoteattr(name)} value={quoteattr(str(value))}/>"


def _link(name: str, bandwidth: float, latency: float, policy: str = "SHARED") -> str:
    sharing = "" if policy == "SHARED" else f' sharing_policy="{policy}"'
    return f'<link id="{name}" bandwidth="{text_of(bandwidth)}Bps" latency="{text_of(latency)}s"{sharing}/>'


def _head(about: str, settings: Mapping[str, str], root: str, properties: Mapping[str, object]) -> list[str]:
    comment = about.replace("--", "- -")
    lines = [
        "<?xml version='1.0'?>",
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
        f"<!-- {comment} -->" if comment else "<!-- collscope -->",
        '<platform version="4.1">',
        "  <config>",
    ]
    lines += [f"    {_prop(k, v)}" for k, v in settings.items()]
    lines += ["  </config>", f'  <zone id="{root}" routing="Full">']
    lines += [f"    {_prop(k, v)}" for k, v in properties.items()]
    return lines


def _host(name: str, node: int, socket: int, cache: int, gamma: float, copy: float) -> str:
    props = {"node": node, "socket": socket, "cache": cache, "gamma": text_of(gamma), "copy": text_of(copy)}
    return f'<host id="{name}" speed="{HOST_SPEED}">' + "".join(_prop(k, v) for k, v in props.items()) + "</host>"


def xml_of(spec: Spec) -> str:
    """The platform file: a Floyd zone a node, joined by a switch. A message crosses its core's port, the NICs and the switch or the
    interconnect of the sockets where it must, the memory of the receiver's socket, and the receiver's port."""
    curves = {level: wire_curve(spec, level) for level in LEVELS}
    eager, overhead = int(spec.eager_bytes.value), spec.overhead_s.value
    properties: dict[str, object] = {
        "collscope.format": 1,
        "collscope.name": spec.name,
        "collscope.curves": "plug-in",
        "collscope.eager_bytes": eager,
        "collscope.overhead_s": text_of(overhead),
        "collscope.core_bytes_per_s": text_of(spec.core_bytes_per_s.value),
        "collscope.memory_bytes_per_s": text_of(spec.memory_bytes_per_s.value),
        "collscope.interconnect_bytes_per_s": text_of(spec.interconnect_bytes_per_s.value),
        "collscope.nic_bytes_per_s": text_of(spec.nic_bytes_per_s.value),
        "collscope.switch_bytes_per_s": text_of(spec.switch_bytes_per_s.value),
    }
    if spec.oversubscribe:
        properties["collscope.oversubscribe"] = 1
    for key, value in spec.least.items():
        properties[f"least.{key}"] = text_of(value)
    for level in LEVELS:
        properties[f"curve.{level}"] = "; ".join(" ".join(text_of(x) for x in piece) for piece in curves[level])
    # Latencies for a reader without the plug-in: the first piece of each curve, shared out over the route.
    close = curves["cache"][0][1]
    port = tidy(close / 2)
    across = tidy(max(curves["node"][0][1] - close, 0.0))
    switch = tidy(max(curves["network"][0][1] - close, 0.0))

    out = _head(spec.about, {**NETWORK_SETTINGS, **protocol_settings(eager, overhead)}, spec.name, properties)
    for n in range(spec.nodes):
        out.append(f'    <zone id="node{n}" routing="Floyd">')
        cores = [(c, c // spec.cores_per_socket, c // spec.cores_per_cache) for c in range(spec.cores_per_node)]
        caches = spec.cores_per_node // spec.cores_per_cache
        out += [
            "      "
            + _host(
                f"node{n}_core{c}",
                n,
                n * spec.sockets + s,
                n * caches + k,
                spec.gamma_s_per_byte.value,
                spec.copy_s_per_byte.value,
            )
            for c, s, k in cores
        ]
        for s in range(spec.sockets):
            out += [f'      <router id="node{n}_socket{s}"/>', f'      <router id="node{n}_socket{s}_memory"/>']
        out.append(f'      <router id="node{n}_nic"/>')
        for c, _, _ in cores:
            out += [
                "      " + _link(f"node{n}_core{c}_{way}", spec.core_bytes_per_s.value, port) for way in ("up", "down")
            ]
        pairs = [(a, b) for a in range(spec.sockets) for b in range(spec.sockets) if a != b]
        out += ["      " + _link(f"node{n}_memory{s}", spec.memory_bytes_per_s.value, 0.0) for s in range(spec.sockets)]
        out += [
            "      " + _link(f"node{n}_socket{a}_to_{b}", spec.interconnect_bytes_per_s.value, across) for a, b in pairs
        ]
        out += ["      " + _link(f"node{n}_nic_{way}", spec.nic_bytes_per_s.value, 0.0) for way in ("up", "down")]

        def route(src: str, dst: str, link: str, n: int = n) -> str:
            return (
                f'      <route src="node{n}_{src}" dst="node{n}_{dst}" symmetrical="NO">'
                f'<link_ctn id="node{n}_{link}"/></route>'
            )

        for c, s, _ in cores:
            out += [
                route(f"core{c}", f"socket{s}", f"core{c}_up"),
                route(f"socket{s}_memory", f"core{c}", f"core{c}_down"),
            ]
        for s in range(spec.sockets):
            out += [
                route(f"socket{s}", f"socket{s}_memory", f"memory{s}"),
                route(f"socket{s}", "nic", "nic_up"),
                route("nic", f"socket{s}", "nic_down"),
            ]
        out += [route(f"socket{a}", f"socket{b}", f"socket{a}_to_{b}") for a, b in pairs]
        out.append("    </zone>")
    if spec.nodes > 1:
        out.append("    " + _link("switch", spec.switch_bytes_per_s.value, switch, "FATPIPE"))
    out += [
        f'    <zoneRoute src="node{a}" dst="node{b}" gw_src="node{a}_nic" gw_dst="node{b}_nic"><link_ctn id="switch"/>'
        "</zoneRoute>"
        for a in range(spec.nodes)
        for b in range(a + 1, spec.nodes)
    ]
    return "\n".join([*out, "  </zone>", "</platform>", ""])


def ideal_xml(alpha_s: float, beta_s_per_byte: float, gamma_s_per_byte: float, cores: int, hosts: int) -> str:
    """Hosts with one link up and one down, α on the route, every send waits for its receive, copies free: the network that
    cost formulas assume. `cores` neighbours share a node, which matters to algorithms that ask, not to the network."""
    curve = f"0 {text_of(alpha_s)} {text_of(beta_s_per_byte)} 1"
    bandwidth = tidy(1 / beta_s_per_byte)
    properties: dict[str, object] = {
        "collscope.format": 1,
        "collscope.name": "ideal",
        "collscope.curves": "uniform",
        "collscope.eager_bytes": -1,
        "collscope.overhead_s": 0,
        "collscope.core_bytes_per_s": text_of(bandwidth),
        **{f"curve.{level}": curve for level in LEVELS},
    }
    settings = {**NETWORK_SETTINGS, **FACTOR_SETTINGS, **protocol_settings(-1, 0.0)}
    out = _head(
        f"alpha {alpha_s} s, beta {beta_s_per_byte} s/B, gamma {gamma_s_per_byte} s/B", settings, "ideal", properties
    )
    out.append('    <zone id="network" routing="Cluster">')
    for h in range(hosts):
        out.append("      " + _host(f"host{h}", h // cores, h // cores, h // cores, gamma_s_per_byte, 0.0))
    for h in range(hosts):
        out += ["      " + _link(f"host{h}_{way}", bandwidth, alpha_s / 2) for way in ("up", "down")]
    out += [f'      <host_link id="host{h}" up="host{h}_up" down="host{h}_down"/>' for h in range(hosts)]
    return "\n".join([*out, "    </zone>", "  </zone>", "</platform>", ""])
