"""Reading SimGrid platform files: generated ones and those written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.machines.platform import Host, Platform


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
    try:
        root = etree.fromstring(text, etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False))
    except etree.XMLSyntaxError as error:
        raise UserError(f"{shown}:{error.lineno or 1}: {error.msg}") from error
    if root.tag != "platform":
        raise UserError(f"{shown}:{root.sourceline}: a SimGrid platform file starts with <platform>, not <{root.tag}>")
    hosts = [_host(element, shown) for element in root.iter("host")]
    if not hosts:
        where = next((e.sourceline for e in root.iter("cluster")), root.sourceline)
        raise UserError(
            f"{shown}:{where}: there is no <host>; hosts made by a <cluster> cannot say where they sit, so write them "
            "out, or write a specification: see platforms/README.md"
        )
    zone = next((e for e in root if e.tag in ("zone", "AS")), None)
    properties = {p.get("id", ""): p.get("value", "") for p in zone.findall("prop")} if zone is not None else {}
    config = {p.get("id", ""): p.get("value", "") for p in root.findall("config/prop")}
    return Platform(name, path, properties, tuple(hosts), config)


HOST_PROPERTIES = ("node", "socket", "cache", "gamma", "copy")


def _host(element: Any, shown: str) -> Host:
    props: Mapping[str, str] = {p.get("id"): p.get("value") for p in element.findall("prop")}
    ident, line = element.get("id"), element.sourceline
    if ident is None:
        raise UserError(f"{shown}:{line}: a <host> has no id")
    for needed in HOST_PROPERTIES:
        if needed not in props:
            raise UserError(
                f'{shown}:{line}: host {ident} has no property "{needed}"; each host needs <prop id="…" value="…"/> '
                "for node, socket and cache (whole numbers, unique over the machine), gamma and copy (seconds a byte)"
            )
    try:
        node, socket, cache = (int(props[name]) for name in HOST_PROPERTIES[:3])
        gamma, copy = (float(props[name]) for name in HOST_PROPERTIES[3:])
    except ValueError as error:
        raise UserError(f"{shown}:{line}: host {ident}: a property is not the number it should be: {error}") from None
    return Host(ident, node, socket, cache, gamma, copy)
