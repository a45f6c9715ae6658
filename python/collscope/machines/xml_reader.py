"""Reading SimGrid platform files: generated ones and those written by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.base.number import outside
from collscope.machines import elements, inside
from collscope.machines.platform import Host, Platform, nodes_of
from collscope.machines.simgrid_settings import OWN_SETTINGS
from collscope.machines.spec import LINKS, OPTIONAL_LINKS


def read_xml(path: Path, name: str) -> Platform:
    """The platform of a file; `name` is what tables show. UserError: FILE:LINE: what is wrong."""
    from lxml import etree

    shown = paths.display(path)
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
    memories = {element.get("id") for element in root.iter("host") if _is_memory(element)}
    hosts = [_host(element, shown, memories) for element in root.iter("host") if not _is_memory(element)]
    if not hosts:
        where = next((e.sourceline for e in root.iter("cluster")), root.sourceline)
        raise UserError(
            f"{shown}:{where}: there is no <host>; hosts made by a <cluster> cannot say where they sit, so write them "
            "out, or write a specification: see platforms/README.md"
        )
    zone = next((e for e in root if e.tag in ("zone", "AS")), None)
    properties = {p.get("id", ""): p.get("value", "") for p in zone.findall("prop")} if zone is not None else {}
    for prop in root.iterfind(".//config/prop"):
        if (setting := prop.get("id", "")) not in OWN_SETTINGS:
            raise UserError(
                f"{shown}:{prop.sourceline}: the setting {setting[:80]} is not taken from a platform file; take it out of <config>: "
                "what may stand there concerns the network, processors, precision and SMPI's protocol"
            )
    line = zone.sourceline if zone is not None else 1
    for key, value in properties.items():
        _check_property(key, value, shown, line)
    try:
        classes = inside.read(properties).classes
    except ValueError as error:
        raise UserError(f"{shown}:{line}: {error}") from None
    for level in classes if properties.get("collscope.curves") else ():
        if f"curve.{level}" not in properties:
            raise UserError(
                f"{shown}:{line}: the outermost zone has no curve of the class {level}; add "
                f'<prop id="curve.{level}" value="0 LATENCY_S S_PER_BYTE 1"/>'
            )
    return Platform(name, path, properties, nodes_of(hosts))


_RATES = tuple(f"{link}_bytes_per_s" for link in (*LINKS, *OPTIONAL_LINKS))
NUMBERS_SAID = (
    *("eager_bytes", "overhead_s", "eager_bytes_nonblocking", "fresh_from_bytes"),
    *elements.NUMBERS.values(),
)


def _check_property(key: str, value: str, shown: str, line: int) -> None:
    """Numbers of the outermost zone are numbers, within their limits."""
    name = key.removeprefix("collscope.")
    if key.startswith(("curve.", "curve_nonblocking.")):
        numbers = [("", word) for word in value.replace(";", " ").split()]
    elif key.startswith("least.") or name in (*NUMBERS_SAID, *_RATES):
        numbers = [(name, value)]
    else:
        return
    for kind, text in numbers:
        try:
            problem = outside(kind, float(text))
        except ValueError:
            problem = "must be a number"
        if problem:
            raise UserError(f"{shown}:{line}: the property {key} {problem}, not {text[:40]}")


MAX_PLACE = (1 << 31) - 1
_HOST_ID = re.compile(r"[A-Za-z0-9_.@/-]{1,200}\Z")  # smpirun reads HOST:NUMBER as so many ranks
HOST_PROPERTIES = ("node", "socket", "cache", "gamma", "copy")


def _is_memory(element: Any) -> bool:
    return any(p.get("id") == "stands_for" for p in element.findall("prop"))


def _host(element: Any, shown: str, memories: Set[str | None]) -> Host:
    props: Mapping[str, str] = {p.get("id", ""): p.get("value", "") for p in element.findall("prop")}
    ident, line = element.get("id"), element.sourceline
    if ident is None:
        raise UserError(f"{shown}:{line}: a <host> has no id")
    if not _HOST_ID.match(ident):
        raise UserError(f"{shown}:{line}: host {ident[:40]!r}: a host's id is made of letters, digits and _ . - @ /")
    for needed in HOST_PROPERTIES:
        if needed not in props:
            raise UserError(
                f'{shown}:{line}: host {ident} has no property "{needed}"; each host needs <prop id="…" value="…"/> '
                "for node, socket and cache (whole numbers, unique over the machine), gamma and copy (seconds a byte)"
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
