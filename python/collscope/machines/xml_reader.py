"""Reading SimGrid platform files: generated ones and those written by hand. What the outermost zone says becomes a Machine:

collscope.levels = "ccd 2 0; numa 4 1.7e+10"        name, caches of a group, bytes per second of its link (0: none); closest first
collscope.mesh = "0 1; 0 2; 1 3; 2 3"                sockets with a link between them; without it any two have one
collscope.nic_socket = "1 2 1.1e-07"                 socket, of so many, seconds for each end of a message on another
collscope.topology = "torus 5e-08 1e+10 4 4"         kind, hop latency, rates, shape; collscope.positions = "first count; …"
curve.CLASS, curve_nonblocking.CLASS                 "from latency s_per_byte traffic [gap gap_per_byte]; …"
receive_gap.CLASS, turnaround.CLASS, turnaround_nonblocking.CLASS   "from seconds s_per_byte; …"
noise.CLASS                                          "from part seconds part seconds …; …"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.base.number import outside
from collscope.machines.machine import PLUG_IN, SPENT_KEYS, UNIFORM, Machine, Network, NicSocket, NodeLevel, WirePiece
from collscope.machines.platform import COMMON_SETTINGS, FACTOR_SETTINGS, NETWORK_SETTINGS, Host, Platform, nodes_of
from collscope.machines.spec import LINKS, OPTIONAL_LINKS, Pair, socket_distances

HOST_ID = re.compile(r"[A-Za-z0-9_.@/-]{1,200}\Z")  # smpirun reads HOST:NUMBER as so many ranks
MAX_WHOLE, MAX_PLACE = 1 << 16, (1 << 31) - 1
HOST_PROPERTIES = ("node", "socket", "cache", "gamma", "copy")
_QUANTITY = re.compile(r"\s*([-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|nan|inf(?:inity)?))\s*([a-zA-Z]*)\s*\Z", re.IGNORECASE)
_UNITS = {
    "latency": (*("", "s", "ms", "us", "ns", "ps"), *("m", "h", "d", "w")),
    "bandwidth": ("", *(f"{p}{unit}" for unit in ("Bps", "bps") for p in ("", *"kMGTPEZY", *(f"{x}i" for x in "KMGTPEZY")))),
}  # fmt: skip
# What a platform file's own <config> may set: how fast things go. Others make SimGrid write files, load code or check models.
OWN_SETTINGS = {
    *COMMON_SETTINGS, *NETWORK_SETTINGS, *FACTOR_SETTINGS,
    "bmf/max-iterations", "bmf/precision", "cpu/maxmin-selective-update", "cpu/model", "cpu/optim", "cpu/solver",
    "host/model", "host/solver", "maxmin/concurrency-limit", "maxmin/precision", "network/bandwidth-factor",
    "network/concurrency-limit", "network/loopback-bw", "network/loopback-lat", "network/maxmin-selective-update",
    "network/solver", "precision/timing", "precision/work-amount", "smpi/IB-penalty-factors",
    "smpi/async-small-thresh", "smpi/barrier-collectives", "smpi/buffering", "smpi/coll-selector",
    "smpi/cpu-threshold", "smpi/finalization-barrier", "smpi/grow-injected-times", "smpi/init", "smpi/iprobe",
    "smpi/iprobe-cpu-usage", "smpi/ois", "smpi/or", "smpi/os", "smpi/send-is-detached-thresh", "smpi/test",
}  # fmt: skip
Row = TypeVar("Row")


Plain = Callable[[Path, str, Mapping[str, str]], Platform]  # path, name, settings of <config> → platform


def read_xml(path: Path, name: str, plain: Plain | None = None) -> Platform:
    """The platform of a file; `name` is what tables show. `plain` reads a file whose hosts do not say where they sit; None: it is
    refused. UserError: FILE:LINE: what is wrong."""
    shown = paths.display(path)
    root = _parsed(path, shown)
    _check_settings_and_links(root, shown)
    if not any(_places(element) for element in root.iter("host")):
        for element in root.iter("host"):
            _host_id(element, shown)
        config = {prop.get("id", ""): prop.get("value", "") for prop in root.iterfind(".//config/prop")}
        if plain is None:
            raise UserError(f"{shown}:{root.sourceline}: no host has the properties {', '.join(HOST_PROPERTIES)}")
        return plain(path, name, config)
    memories = {element.get("id") for element in root.iter("host") if _is_memory(element)}
    hosts = [_host(element, shown, memories) for element in root.iter("host") if not _is_memory(element)]
    if (cluster := next(root.iter("cluster"), None)) is not None:
        raise UserError(
            f"{shown}:{cluster.sourceline}: hosts of a <cluster> cannot say where they sit, and others of this file do; write "
            "all out, or take the properties node, socket, cache, gamma and copy away"
        )
    zone = next((e for e in root if e.tag in ("zone", "AS")), None)
    properties = {p.get("id", ""): p.get("value", "") for p in zone.findall("prop")} if zone is not None else {}
    try:
        machine = machine_from(properties)
    except ValueError as error:
        raise UserError(f"{shown}:{zone.sourceline if zone is not None else 1}: {error}") from None
    return Platform(name, machine, nodes_of(hosts), path)


def _host_id(element: Any, shown: str) -> str:
    """A host's name. UserError: it has none, or smpirun cannot read it."""
    ident: str | None = element.get("id")
    if ident is None:
        raise UserError(f"{shown}:{element.sourceline}: a <host> has no id")
    if not HOST_ID.match(ident):
        raise UserError(
            f"{shown}:{element.sourceline}: host {ident[:40]!r}: a host's id is made of letters, digits and _ . - @ /"
        )
    return ident


def _places(element: Any) -> set[str]:
    """What a host says of its place and costs."""
    return {p.get("id", "") for p in element.findall("prop")} & {*HOST_PROPERTIES, "stands_for", "shared"}


def _check_settings_and_links(root: Any, shown: str) -> None:
    """UserError: FILE:LINE: a setting that is not taken from a file, or a link that cannot be."""
    for prop in root.iterfind(".//config/prop"):
        if (setting := prop.get("id", "")) not in OWN_SETTINGS:
            raise UserError(
                f"{shown}:{prop.sourceline}: the setting {setting[:80]} is not taken from a platform file; take it out of <config>: "
                "what may stand there concerns the network, processors, precision and SMPI's protocol"
            )
    for element in root.iter("link"):
        if element.get("sharing_policy") == "WIFI":
            continue  # a list of bandwidths
        for attribute in _UNITS:
            if problem := _link_problem(attribute, element.get(attribute, "0")):
                ident = element.get("id", "")[:40]
                raise UserError(f"{shown}:{element.sourceline}: link {ident}: {attribute} {problem}")


def _parsed(path: Path, shown: str) -> Any:
    """The file's root."""
    from lxml import etree

    try:
        text = path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"{shown}: there is no such file") from None
    except OSError as error:
        raise UserError(f"{shown}:1: cannot be read: {error.strerror}") from error
    if b"<!ENTITY" in text.replace(b"\0", b""):  # UTF-16 has zeros between
        raise UserError(
            f"{shown}:1: declares an entity (<!ENTITY …>), which is not read; write its text where it is used"
        )
    try:
        root = etree.fromstring(text, etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False))
    except etree.XMLSyntaxError as error:
        raise UserError(f"{shown}:{error.lineno or 1}: {str(error.msg)[:200]}") from error
    if root.tag != "platform":
        raise UserError(
            f"{shown}:{root.sourceline}: a SimGrid platform file starts with <platform>, not <{str(root.tag)[:40]}>"
        )
    return root


def _link_problem(attribute: str, text: str) -> str:
    """What is wrong with a link's latency or bandwidth; nothing where it can be."""
    match = _QUANTITY.match(text)
    try:
        value, unit = (float(match[1]), match[2]) if match else (0.0, "?")
    except ValueError:
        unit = "?"
    if unit not in _UNITS[attribute]:
        example = "1.5us" if attribute == "latency" else "12.5GBps"
        return f'must be a number with a unit, such as {example}, not "{text[:40]}"'
    problem = outside("", value)
    return f'{problem}, not "{text[:40]}"' if problem else ""


# ---- hosts ------------------------------------------------------------------------------------------------


def _is_memory(element: Any) -> bool:
    return any(p.get("id") == "stands_for" for p in element.findall("prop"))


def _host(element: Any, shown: str, memories: Set[str | None]) -> Host:
    props: Mapping[str, str] = {p.get("id", ""): p.get("value", "") for p in element.findall("prop")}
    ident, line = _host_id(element, shown), element.sourceline
    for needed in HOST_PROPERTIES:
        if needed not in props:
            raise UserError(
                f'{shown}:{line}: host {ident} has no property "{needed}"; each host needs <prop id="…" value="…"/> '
                "for node, socket and cache (whole numbers, unique over the machine), gamma and copy (seconds per byte)"
            )
    if (memory := props.get("shared")) is not None and memory not in memories:
        raise UserError(
            f'{shown}:{line}: host {ident}: no host "{memory[:40]}" stands for memory (property "stands_for"); name one that '
            'does, or leave the property "shared" out'
        )
    try:
        node, socket, cache = (int(props[name]) for name in HOST_PROPERTIES[:3])
        gamma, copy = (float(props[name]) for name in HOST_PROPERTIES[3:])
    except ValueError as error:
        text = str(error).partition(" (")[0]
        raise UserError(
            f"{shown}:{line}: host {ident}: a property is not the number it should be: {text[:120]}"
        ) from None
    if not all(0 <= place <= MAX_PLACE for place in (node, socket, cache)):
        raise UserError(f"{shown}:{line}: host {ident}: node, socket and cache are numbers from 0 to {MAX_PLACE}")
    for name, value in (("gamma", gamma), ("copy", copy)):
        if problem := outside("s_per_byte", value):
            raise UserError(f"{shown}:{line}: host {ident}: {name} {problem}, not {value}")
    return Host(ident, node, socket, cache, gamma, copy)


# ---- properties -------------------------------------------------------------------------------------------


class _OutOfRange(ValueError):
    """A number that is one, and cannot be: the text says why."""


def machine_from(properties: Mapping[str, str]) -> Machine:
    """What properties of the outermost zone say of a machine. ValueError: which of them cannot be, and what was expected."""

    def number(name: str) -> float:
        key = f"collscope.{name}"
        return _number(key, name, properties.get(key, "0"))

    def of_classes(kind: str, form: str, read_one: Callable[[Sequence[str]], Row]) -> dict[str, tuple[Row, ...]]:
        found = {name: tuple(_items(properties, f"{kind}.{name}", form, read_one)) for name in classes}
        for name in (name for name, rows in found.items() if rows):
            starts = [float(one.split()[0]) for one in properties[f"{kind}.{name}"].split(";") if one.strip()]
            if starts[0] != 0 or any(a >= b for a, b in pairwise(starts)):
                raise ValueError(f"the property {kind}.{name}: its pieces start at 0 bytes and ascend")
        return {name: rows for name, rows in found.items() if rows}

    levels = tuple(_items(properties, "collscope.levels", "NAME CACHES BYTES_PER_S; …", _level))
    if any(b <= a or b % a for a, b in pairwise([1, *(level.caches for level in levels)])):
        raise ValueError(
            "the property collscope.levels: each level has a multiple of the caches of the one before it, and more"
        )
    pairs = tuple(_items(properties, "collscope.mesh", "SOCKET SOCKET; …, which join all sockets", _pair))
    if pairs and min(socket_distances(1 + max(map(max, pairs)), pairs)[0]) < 0:
        raise ValueError("the property collscope.mesh does not join all sockets")
    nic = _items(properties, "collscope.nic_socket", "SOCKET SOCKETS SECONDS", _nic)
    priced_by = properties.get("collscope.curves", "")
    if priced_by not in ("", PLUG_IN, UNIFORM):
        raise ValueError(f'the property collscope.curves must be {PLUG_IN} or {UNIFORM}, not "{priced_by[:40]}"')
    classes = Machine("", "", {}, levels=levels, socket_links=pairs).classes
    form = "from latency s_per_byte traffic [gap gap_per_byte]; …"
    curve = of_classes("curve", form, _piece) if priced_by else {}
    if missing := next((name for name in classes if priced_by and name not in curve), ""):
        raise ValueError(
            f"the outermost zone has no curve of the class {missing}; add "
            f'<prop id="curve.{missing}" value="0 LATENCY_S S_PER_BYTE 1"/>'
        )
    noise = of_classes("noise", "from part seconds part seconds …; …, parts from 0 to 1, both ascending", _noise)
    received, turns, turns_nonblocking = (of_classes(key, "from seconds s_per_byte; …", _gap) for key in SPENT_KEYS)
    links = {link: number(f"{link}_bytes_per_s") for link in (*LINKS, *OPTIONAL_LINKS)}
    own_eager = "collscope.eager_bytes_nonblocking" in properties
    machine = Machine(
        properties.get("collscope.name", ""),
        priced_by,
        curve,
        of_classes("curve_nonblocking", form, _piece),
        received,
        turns,
        turns_nonblocking,
        noise,
        eager_bytes=int(number("eager_bytes")),
        own_eager_nonblocking=int(number("eager_bytes_nonblocking")) if own_eager else None,
        overhead_s=number("overhead_s"),
        links={link: rate for link, rate in links.items() if rate},
        levels=levels,
        socket_links=pairs,
        nic=nic[0] if nic else None,
        network=_network(properties),
        in_order="collscope.in_order" in properties,
        nic_gap_s=number("nic_gap_s"),
        invalidation_s_per_byte=number("invalidation_s_per_byte"),
        first_touch_s_per_byte=number("first_touch_s_per_byte"),
        fresh_from_bytes=int(number("fresh_from_bytes")),
        least={k[6:]: _number(k, "", v) for k, v in properties.items() if k.startswith("least.")},
        lacks_network=properties.get("collscope.no_network") == "1",
        oversubscribes=properties.get("collscope.oversubscribe") == "1",
    )
    for name in noise if curve else ():
        if any(quantiles[0][1] + machine.half_round_trip_s(name, start) <= 0 for start, quantiles in noise[name]):
            raise ValueError(f"the property noise.{name} takes more from a message than the whole of its time")
    return machine


def _number(key: str, kind: str, text: str) -> float:
    """A property's number within the limits of its kind. ValueError: it is not one."""
    try:
        return _within(kind, text)
    except _OutOfRange as problem:
        raise ValueError(f"the property {key} {problem}") from None
    except ValueError:
        raise ValueError(f"the property {key} must be a number, not {text[:40]}") from None


def _network(properties: Mapping[str, str]) -> Network | None:
    found = _items(properties, "collscope.topology", "KIND HOP_LATENCY_S BYTES_PER_S … SIZE …", _described)
    runs = tuple(_items(properties, "collscope.positions", "FIRST COUNT; …", _run))
    return replace(found[0], runs=runs) if found else None


def _items(properties: Mapping[str, str], key: str, form: str, read_one: Callable[[Sequence[str]], Row]) -> list[Row]:
    """What stands between a property's semicolons. ValueError: it is not of the form, or a number is out of range."""
    text = properties.get(key, "")
    try:
        return [read_one(one.split()) for one in text.split(";") if one.strip()]
    except _OutOfRange as problem:
        raise ValueError(f"the property {key} {problem}") from None
    except (ValueError, KeyError, OverflowError):
        raise ValueError(f"the property {key} must be '{form}', not '{text[:60]}'") from None


def _piece(words: Sequence[str]) -> WirePiece:
    start, latency, per_byte, traffic, *gap = (_within("", word) for word in words)
    if len(gap) not in (0, 2):
        raise ValueError
    return WirePiece(int(start), latency, per_byte, traffic, (gap[0], gap[1]) if gap else None)


def _gap(words: Sequence[str]) -> tuple[int, float, float]:
    start, seconds, per_byte = words
    return int(start), _within("", seconds), _within("", per_byte)


def _noise(words: Sequence[str]) -> tuple[int, tuple[tuple[float, float], ...]]:
    start, *numbers = map(float, words)
    quantiles = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    parts, seconds = [part for part, _ in quantiles], [s for _, s in quantiles]
    if not parts or parts[0] != 0 or parts[-1] != 1 or any(a >= b for a, b in pairwise(parts)):
        raise ValueError
    if any(outside("_s", abs(s)) for s in seconds) or any(a > b for a, b in pairwise(seconds)):
        raise ValueError
    return int(start), quantiles


def _level(words: Sequence[str]) -> NodeLevel:
    name, caches, rate = words
    return NodeLevel(name, _whole(caches), _within("bytes_per_s", rate))


def _pair(words: Sequence[str]) -> Pair:
    a, b = map(_whole, words)
    if a == b:
        raise ValueError
    return a, b


def _nic(words: Sequence[str]) -> NicSocket:
    socket, sockets, seconds = words
    found = NicSocket(_whole(socket), _whole(sockets), _within("_s", seconds))
    if found.socket >= found.sockets:
        raise ValueError
    return found


def _described(words: Sequence[str]) -> Network:
    kind, hop, rate, *rest = words
    sizes = {"torus": len(rest), "fat_tree": 3, "dragonfly": 4}[kind]
    if not rest or len(rest) != sizes:
        raise ValueError
    far = _within("bytes_per_s", rest.pop(0)) if kind == "dragonfly" else 0.0
    shape = tuple(_whole(size, MAX_PLACE) for size in rest)
    return Network(kind, shape, _within("_s", hop), _within("bytes_per_s", rate), far, ())


def _run(words: Sequence[str]) -> tuple[int, int]:
    first, count = (_whole(word, MAX_PLACE) for word in words)
    return first, count


def _whole(text: str, greatest: int = MAX_WHOLE) -> int:
    number = int(text)
    if not 0 <= number <= greatest:
        raise ValueError
    return number


def _within(kind: str, text: str) -> float:
    """A number within the limits of its kind."""
    value = float(text)
    if problem := outside(kind, value):
        raise _OutOfRange(f"{problem}, not {text[:40]}")
    return value
