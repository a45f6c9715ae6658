"""Writing specifications: a Spec as the text that spec_reader reads back, every number with its provenance."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields

from collscope.base.number import Number
from collscope.machines.spec import (
    AS_NEEDED,
    COUNTS,
    NUMBERS,
    SPENT,
    Noise,
    Piece,
    Spec,
    text_of,
)
from collscope.machines.topology import TOPOLOGY_NUMBERS, TOPOLOGY_SHAPES, Topology

Comments = Mapping[str, Sequence[str]]
"""Class → lines above its first piece; "nonblocking CLASS" → those above its curve of non-blocking sends."""


def spec_text(spec: Spec, head: Iterable[str] = (), comments: Comments | None = None) -> str:
    """The whole file; `head`: comments at its beginning. Capacities that only follow from the curves stay away."""
    lines = [*(f"# {line}" for line in head), f"name = {_string(spec.name)}"]
    for key in ("about", "unstable"):
        lines += [f"{key} = {_string(text)}"] if (text := getattr(spec, key)) else []
    whole = not spec.levels and spec.cores_per_cache == spec.cores_per_socket  # one cache per socket: need not be said
    for key in COUNTS[:3] if whole and COUNTS[3] not in spec.counts else COUNTS:
        lines.append(f"{key} = {_number(spec.counts.get(key, Number(getattr(spec, key))))}")
    for key in ("oversubscribe", "in_order"):
        lines += [f"{key} = true"] if getattr(spec, key) else []
    lines += [] if spec.complete else ["complete = false"]
    default = {field.name: field.default for field in fields(Spec)}
    for key in NUMBERS:
        number = getattr(spec, key)
        if number not in (None, default[key]) and number.source != AS_NEEDED:
            lines.append(f"{key} = {_number(number)}")
    if spec.nic_socket is not None:
        lines.append(f"nic_socket = {_number(spec.counts.get('nic_socket', Number(spec.nic_socket)))}")
    if spec.interconnect_links:
        lines.append(f"interconnect_links = {[list(pair) for pair in spec.interconnect_links]}")
    lines += _table("sources", ((_key(key), _string(text)) for key, text in spec.sources.items()))
    lines += _table("least", ((key, text_of(value)) for key, value in spec.least.items()))
    for unit in spec.levels:
        rate = [("bytes_per_s", _number(unit.bytes_per_s))] if unit.bytes_per_s.value else []
        lines += _table("[level]", [("name", _string(unit.name)), ("cores", _number(unit.number)), *rate])
    lines += _table("topology", _topology(spec.topology))
    own = {level: spec.curve[level] for level in spec.own_curves if level in spec.curve}
    waiting = {level: spec.curve_nonblocking[level] for level in spec.own_curves if level in spec.curve_nonblocking}
    others = {level: pieces for level, pieces in spec.curve_nonblocking.items() if pieces not in waiting.values()}
    lines += curve_lines(own, waiting | others, comments)
    for level, noises in spec.noise.items():
        for noise in noises:
            lines += _table(f"[noise.{level}]", _noise(noise))
    return "\n".join(lines) + "\n"


def curve_lines(
    curve: Mapping[str, Sequence[Piece]],
    nonblocking: Mapping[str, Sequence[Piece]] | None = None,
    comments: Comments | None = None,
) -> Iterator[str]:
    """The tables [[curve.CLASS]], then [[curve_nonblocking.CLASS]]."""
    for table, before, curves in (("curve", "", curve), ("curve_nonblocking", "nonblocking ", nonblocking or {})):
        for level, pieces in curves.items():
            if above := (comments or {}).get(before + level):
                yield from ("", *(f"# {line}" for line in above))
            for piece in pieces:
                yield from _table(f"[{table}.{level}]", _piece(piece))


def _table(name: str, entries: Iterable[tuple[str, str]]) -> list[str]:
    lines = [f"{key} = {value}" for key, value in entries]
    return ["", f"[{name}]", *lines] if lines else []


def _piece(piece: Piece) -> Iterator[tuple[str, str]]:
    yield "from_bytes", str(piece.start)
    yield "latency_s", _number(piece.latency)
    yield "s_per_byte", _number(piece.s_per_byte)
    if piece.traffic != Number(1.0):
        yield "traffic", _number(piece.traffic)
    for name in SPENT:
        if spent := getattr(piece, name):
            yield f"{name}_s", _number(spent[0])
            yield f"{name}_s_per_byte", _number(spent[1])


def _noise(noise: Noise) -> Iterator[tuple[str, str]]:
    yield "from_bytes", str(noise.start)
    yield "quantiles_s", "[" + ", ".join(f"[{text_of(part)}, {text_of(s)}]" for part, s in noise.quantiles) + "]"
    yield "tag", _string(noise.tag)
    yield "source", _string(noise.source)


def _topology(topology: Topology) -> Iterator[tuple[str, str]]:
    if topology == Topology():
        return
    yield "kind", _string(topology.kind)
    if topology.kind == "torus":
        sizes, (first, *_) = [int(size) for size in topology.shape], topology.shape_from
        yield "dims", f"{{ value = {sizes}, tag = {_string(first.tag)}, source = {_string(first.source)} }}"
    else:
        for name, number in zip(TOPOLOGY_SHAPES[topology.kind], topology.shape_from, strict=True):
            yield name, _number(number)
    for name in TOPOLOGY_NUMBERS:
        if (number := getattr(topology, name)) != getattr(Topology(), name):
            yield name, _number(number)
    for name in ("allocation", "first", "seed"):
        if (value := getattr(topology, name)) != getattr(Topology(), name):
            yield name, _string(value) if isinstance(value, str) else str(value)


def _number(number: Number) -> str:
    """Plain where nothing but the value is known."""
    value = text_of(number.value)
    if number == Number(number.value):
        return value
    limits = f", range = [{', '.join(map(text_of, number.range))}]" if number.range else ""
    return f"{{ value = {value}, tag = {_string(number.tag)}{limits}, source = {_string(number.source)} }}"


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _string(text)


def _string(text: str) -> str:
    """As TOML has it, on one line; what no UTF-8 can hold is a question mark."""
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007f")
