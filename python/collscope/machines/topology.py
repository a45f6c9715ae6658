"""How nodes are linked: one switch, a torus, a fat tree or a dragonfly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from collscope.base.number import GIVEN, Number
from collscope.machines.spec import TOPOLOGY_SHAPES, Topology

ALLOCATIONS = "contiguous, scattered, a block such as 4x4x8, positions such as 0-15+64-79, or file:PATH"
MAX_LINKS = 256  # of a route; as in model/routes.h, like the next two
MAX_POSITIONS = 1 << 22
MAX_LINKS_IN_ALL = 1 << 24
MAX_DIMENSIONS = 6


def problem_of(t: Topology) -> str:
    """Why there can be no such network; nothing where there can."""
    if t.kind == "switch":
        return ""
    if t.total > MAX_POSITIONS:
        return f"has {t.total} positions; at most {MAX_POSITIONS}"
    shape = t.whole_shape
    links = {
        "torus": 2 * len(shape) * t.total,
        "fat_tree": 2 * shape[0] * shape[-1],
        "dragonfly": shape[0] * shape[-2] ** 2 + shape[0] ** 2 if len(shape) == 3 else 0,
    }[t.kind]
    if links > MAX_LINKS_IN_ALL:
        return f"has {links} links; at most {MAX_LINKS_IN_ALL}"
    if t.kind == "torus" and (longest := sum(size // 2 for size in shape)) > MAX_LINKS:
        return f"has routes of {longest} links; at most {MAX_LINKS}"
    if t.narrowest <= 0:
        return "needs the bandwidth of its links: link_bytes_per_s" + ", global_bytes_per_s" * (t.kind == "dragonfly")
    return ""


def varied(t: Topology, key: str, text: str) -> Topology:
    """With another value, or a number multiplied (`x2`), of what `variables` names. ValueError: it cannot be that."""
    if key == "topology":
        if text != "switch":
            raise ValueError(f'is "switch" (one, wide enough for all), not "{text}"; another kind is written in a file')
        return Topology()
    if t.kind == "switch":
        raise ValueError("says nothing beside topology=switch; take one of them out")
    name = key.removeprefix("topology.")
    if name == "allocation":
        return replace(t, allocation=text)
    if name in ("first", "seed"):
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise ValueError("must be a whole number, 0 or more")
        return replace(t, first=int(text)) if name == "first" else replace(t, seed=int(text))
    if name in TOPOLOGY_SHAPES[t.kind]:
        return _reshaped(t, TOPOLOGY_SHAPES[t.kind].index(name), text)
    try:
        value = float(text[text.startswith("x") :]) * (getattr(t, name).value if text.startswith("x") else 1)
    except ValueError:
        raise ValueError(f'must be a number, or a factor such as x2, not "{text}"') from None
    if not 0 <= value < float("inf") or (value == 0 and name != "hop_latency_s"):
        raise ValueError("must be a number, more than 0")
    return replace(t, **{name: Number(float(f"{value:.12g}"), "assumed", GIVEN)})  # type: ignore[arg-type]


def _reshaped(t: Topology, at: int, text: str) -> Topology:
    if not re.fullmatch(r"[1-9][0-9]{0,6}", text):
        raise ValueError("must be a whole number, 1 or more")
    shape = (*t.shape[:at], int(text), *t.shape[at + 1 :])
    numbers = (*t.shape_from[:at], Number(float(text), "assumed", GIVEN), *t.shape_from[at + 1 :])
    return replace(t, shape=shape, shape_from=numbers)


def variables(t: Topology) -> tuple[str, ...]:
    """What a variant can change."""
    if t.kind == "switch":
        return ()
    shape = TOPOLOGY_SHAPES[t.kind] if t.kind != "torus" else ()
    names = (*t.used, *shape, "allocation", "first", "seed")
    return ("topology", *(f"topology.{name}" for name in names))


POSITIONS, DESCRIBED = "collscope.positions", "collscope.topology"


def machine_lines(properties: Mapping[str, str]) -> list[str]:
    """The lines of the machine file for these properties."""
    if DESCRIBED not in properties:
        return []
    return [
        f"topology {properties[DESCRIBED]}",
        *(f"positions {run.strip()}" for run in properties.get(POSITIONS, "").split(";") if run.strip()),
    ]
