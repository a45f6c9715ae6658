"""Platforms with other numbers: `schooner[nodes=32,nic_bytes_per_s=9e9]`, `schooner[without=gap]`, `ideal[alpha=2us]`.

Elements of a node's model may be switched off: docs/node_model.md explains each.

    gap           what a sender's processor spends on a message, by class and size (pieces' gap_s, gap_s_per_byte)
    receive_gap   what a receiver's processor spends on an eager message, likewise (receive_gap_s, receive_gap_s_per_byte)
    turnaround    what a rank spends before it sends on what it received, to another rank (turnaround_s, turnaround_s_per_byte)
    nonblocking   curves and eager limit of non-blocking sends
    in_order      messages from one rank to another flow one after the other
    nic_gap       the least time between two messages that leave a node by its NIC
    invalidation  what writing a byte costs that another core's cache has, too
    first_touch   what writing a byte of newly mapped scratch for the first time costs
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from collscope.base.errors import UsageError, did_you_mean
from collscope.base.number import GIVEN, outside
from collscope.base.units import SECONDS
from collscope.machines import topology
from collscope.machines.limits import MAX_CORES, MAX_OF_A_NODE, misfit, scaled, too_large
from collscope.machines.spec import COUNTS, NUMBERS, SPENT, Level, Number, Piece, Spec, filled, smallest, tidy
from collscope.machines.topology import Topology

NAME = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*(?:\[(.*)\])?\s*\Z", re.DOTALL)
FILE = re.compile(r"\s*([^[]*?)\s*(?:\[(.*)\])?\s*\Z", re.DOTALL)
FLAGS = ("in_order", "complete")
IDEAL_HOSTS = 1024  # in all, unless `nodes` says more
IDEAL = {"alpha": 1e-6, "beta": 1e-9, "gamma": 2.5e-10, "cores": 1.0}  # seconds, seconds per byte, cores of a node
_SECONDS = {"": 1.0} | SECONDS


def values_of(text: str, name: str) -> dict[str, str]:
    """What stands in the brackets of a platform's name: "nodes=32, gamma=0" → {"nodes": "32", "gamma": "0"}. A UsageError names `name`."""
    values: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals or not value.strip():
            raise UsageError(f'{name}: cannot read "{part}"; write key=value')
        if key.strip() in values:
            raise UsageError(f"{name}: {key.strip()} is given twice; give it once")
        values[key.strip()] = value.strip()
    return values


MAX_VALUE_CHARACTERS = 90  # characters of a key or value that can be meant


def _check_lengths(name: str, values: Mapping[str, str]) -> None:
    for part in (part for pair in values.items() for part in pair):
        if len(part) > MAX_VALUE_CHARACTERS:
            raise UsageError(f'{name}: "{part[:MAX_VALUE_CHARACTERS]}…" is too long; write key=value')


def curve_keys(spec: Spec) -> tuple[str, ...]:
    """What of the curves can be multiplied."""
    return tuple(f"{class_}.{kind}" for class_ in reversed(spec.classes) for kind in ("latency_s", "s_per_byte"))


def level_keys(spec: Spec) -> dict[str, Level]:
    """Links of the levels that the specification names itself."""
    return {f"{level.name}.bytes_per_s": level for level in spec.levels if level.bytes_per_s.value}


def override(spec: Spec, values: Mapping[str, str], completed: Spec | None = None) -> Spec:
    """The specification with some counts and numbers replaced, or multiplied (`x2`, of what is open as `completed` has it); curves are
    multiplied. UsageError: an unknown key, or a value that it cannot have."""
    curves, levels = curve_keys(spec), level_keys(spec)
    known = (*COUNTS, *NUMBERS, *curves, *levels, *topology.variables(spec.topology), *FLAGS, WITHOUT)
    whole = filled(completed or spec)
    changes: dict[str, Any] = {}
    left_out: tuple[str, ...] = ()
    _check_lengths(spec.name, values)
    for key, text in values.items():
        if key not in known:
            raise UsageError(f'{spec.name}: no parameter "{key}"{did_you_mean(key, known)}; known: {", ".join(known)}')
        if key in FLAGS:
            changes[key] = _switch(spec, key, text)
        elif key == WITHOUT:
            left_out = elements_of(text, spec.name)
        elif key in curves:
            class_, _, kind = key.partition(".")
            spec = scaled(spec, class_, kind, _factor(spec, key, text))
        elif key.partition(".")[0] == "topology":
            spec = replace(spec, topology=_varied(spec, key, text))
        elif key in levels:
            number = _number(spec, key, text, levels[key].bytes_per_s.value)
            changed_level = replace(levels[key], bytes_per_s=Number(number, "assumed", GIVEN))
            spec = replace(spec, levels=tuple(changed_level if v is levels[key] else v for v in spec.levels))
        else:
            changes[key] = _value(whole, key, text)
    shared = spec.cores_per_cache == spec.cores_per_socket
    if "cores_per_socket" in changes and "cores_per_cache" not in changes and shared:
        changes["cores_per_cache"] = changes["cores_per_socket"]
    try:
        if "topology.allocation" in values and "nodes" not in changes:
            changes["nodes"] = topology.named_nodes(spec.topology) or spec.nodes
        changed = without(replace(spec, **changes), left_out)
        if problem := too_large(changed.nodes, changed.cores_per_node):
            raise UsageError(f"{spec.name}: {problem}")
        topology.positions(spec.topology, changed.nodes)
    except ValueError as wrong_there:
        raise UsageError(f"{spec.name}: topology.allocation={spec.topology.allocation}: {wrong_there}") from None
    if wrong := misfit(changed):
        raise UsageError(f"{spec.name}: {wrong[1]} {wrong[0]}")
    for name, given in changed.numbers():
        if given.source == GIVEN and (problem := outside(name, given.value)):
            raise UsageError(f"{spec.name}: {name} {problem}")
    return changed


def _varied(spec: Spec, key: str, text: str) -> Topology:
    try:
        changed = topology.varied(spec.topology, key, text)
    except ValueError as problem:
        raise UsageError(f"{spec.name}: {key} {problem}") from None
    if wrong := topology.problem_of(changed):
        raise UsageError(f"{spec.name}: {key}={text}: the topology {wrong}")
    return changed


def _value(spec: Spec, key: str, text: str) -> int | Number:
    defaults = {"eager_bytes_nonblocking": spec.eager_nonblocking, "fresh_from_bytes": spec.fresh_from}
    old = defaults[key] if key in defaults else getattr(spec, key)
    number = _number(spec, key, text, old.value if isinstance(old, Number) else old)
    if key in COUNTS:
        if number != int(number) or number < 1:
            raise UsageError(f"{spec.name}: {key} must be a whole number, 1 or more")
        return int(number)
    return Number(number, "assumed", GIVEN)


def _number(spec: Spec, key: str, text: str, old: float) -> float:
    """What a number of the specification becomes: another value, or the old one multiplied."""
    try:
        factor = text.startswith("x")
        number = float(text[factor:])
    except ValueError:
        raise UsageError(f'{spec.name}: {key} must be a number, or a factor such as x2, not "{text}"') from None
    if factor and number == 0 and key.endswith("bytes_per_s"):  # a rate of 0 is one that is not given
        raise UsageError(f'{spec.name}: {key} takes a factor above 0, as in {key}=x0.5, not "{text}"')
    if factor and math.isfinite(number):
        number = tidy(number * old)
    if not math.isfinite(number) or number < smallest(key):
        least = "a whole number, 1 or more" if key in COUNTS else "a number, 0 or more"
        raise UsageError(f"{spec.name}: {key} must be {least}")
    return number


def _switch(spec: Spec, key: str, text: str) -> bool:
    words = {"true": True, "1": True, "false": False, "0": False}
    if text not in words:
        raise UsageError(f'{spec.name}: {key} is true or false, not "{text}"')
    return words[text]


def _factor(spec: Spec, key: str, text: str) -> float:
    """What a curve is multiplied with."""
    class_ = key.partition(".")[0]
    try:
        factor = float(text[1:]) if text.startswith("x") else 0.0
    except ValueError:
        factor = 0.0
    if not math.isfinite(factor) or factor <= 0:
        raise UsageError(
            f'{spec.name}: {key} takes a factor for the whole curve, as in {key}=x0.5, not "{text}"; single pieces '
            "are changed in the file"
        )
    if class_ not in spec.own_curves:
        raise UsageError(f"{spec.name}: there is no curve.{class_} to multiply; there are {', '.join(spec.own_curves)}")
    return factor


def ideal_numbers(values: Mapping[str, str]) -> dict[str, float]:
    """The numbers of the ideal network: the keys of IDEAL, with some of them replaced, and nodes. UsageError as in override."""
    numbers = dict(IDEAL)
    _check_lengths("ideal", values)
    for key, text in values.items():
        if key not in (*IDEAL, "nodes"):
            raise UsageError(
                f'ideal: no parameter "{key}"{did_you_mean(key, [*IDEAL, "nodes"])}; it has alpha (s), beta and gamma '
                "(s per byte), nodes and cores (per node)"
            )
        parsed = re.fullmatch(r"([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-zµ]*)", text)
        try:
            number = float(parsed.group(1)) * _SECONDS[parsed.group(2)] if parsed else None
        except (ValueError, KeyError):
            number = None
        if number is None:
            raise UsageError(f'ideal: cannot read {key}="{text}"; write for example 1e-6 or 1us')
        numbers[key] = tidy(number)
    for key, name in (("alpha", "latency_s"), ("beta", "s_per_byte"), ("gamma", "s_per_byte")):
        if problem := outside(name, numbers[key]):
            raise UsageError(f"ideal: {key} {problem}")
    cores = numbers["cores"]
    if not 1 <= cores <= MAX_OF_A_NODE or cores != int(cores):
        raise UsageError(f"ideal: cores must be a whole number from 1 to {MAX_OF_A_NODE}")
    numbers.setdefault("nodes", max(1.0, IDEAL_HOSTS // cores))
    most = MAX_CORES // int(cores)
    if not 1 <= numbers["nodes"] <= most or numbers["nodes"] != int(numbers["nodes"]):
        raise UsageError(
            f"ideal: nodes must be a whole number from 1 to {most}, as it has at most {MAX_CORES} cores in all"
        )
    if numbers["beta"] <= 0:
        raise UsageError("ideal: beta must be more than 0; a very fast network is beta=1e-15")
    return numbers


# ---- elements of a node's model -----------------------------------------------------------------------------


ELEMENTS = (*SPENT, "nonblocking", "in_order", "nic_gap", "invalidation", "first_touch")
SWITCHES = {  # of those that a number switches on
    "nic_gap": "nic_gap_s",
    "invalidation": "invalidation_s_per_byte",
    "first_touch": "first_touch_s_per_byte",
}
WITHOUT = "without"  # the key that switches elements off in a platform's name: schooner[without=gap+nic_gap]


def present(spec: Spec) -> tuple[str, ...]:
    """The elements that this machine has."""
    pieces = [*spec.curve.values(), *spec.curve_nonblocking.values()]
    there = {
        **{kind: any(getattr(p, kind) for c in pieces for p in c) for kind in SPENT},
        "nonblocking": bool(spec.curve_nonblocking) or spec.eager_bytes_nonblocking is not None,
        "in_order": spec.in_order,
        **{name: getattr(spec, number).value for name, number in SWITCHES.items()},
    }
    return tuple(name for name in ELEMENTS if there[name])


def elements_of(text: str, where: str) -> tuple[str, ...]:
    """The elements in "in_order+nic_gap" or "in_order,nic_gap". UsageError: there is no such element; it names `where`."""
    names = tuple(part.strip() for part in text.replace("+", ",").split(","))
    for name in names:
        if name not in ELEMENTS:
            raise UsageError(
                f'{where}: there is no element "{name[:60]}"{did_you_mean(name, ELEMENTS)}; a node\'s model may have '
                + ", ".join(ELEMENTS)
            )
    return tuple(dict.fromkeys(names))


def without(spec: Spec, names: tuple[str, ...]) -> Spec:
    """The machine without these elements: what is left of it stays."""
    for kind in (name for name in SPENT if name in names):
        nonblocking = _without_kind(spec.curve_nonblocking, kind)
        spec = replace(spec, curve=_without_kind(spec.curve, kind), curve_nonblocking=nonblocking)
    if "nonblocking" in names:
        spec = replace(spec, curve_nonblocking={}, eager_bytes_nonblocking=None)
    if "in_order" in names:
        spec = replace(spec, in_order=False)
    if "first_touch" in names:
        spec = replace(spec, fresh_from_bytes=None)
    zero = {number: Number(0.0) for name, number in SWITCHES.items() if name in names}
    return replace(spec, **zero)  # type: ignore[arg-type]


def _without_kind(curves: Mapping[str, tuple[Piece, ...]], kind: str) -> dict[str, tuple[Piece, ...]]:
    """Classes that have one curve between them go on having one."""
    made: dict[int, tuple[Piece, ...]] = {}
    for pieces in curves.values():
        made[id(pieces)] = tuple(replace(p, **{kind: None}) for p in pieces)  # type: ignore[arg-type]
    return {class_: made[id(pieces)] for class_, pieces in curves.items()}


def left_out(platform: str, names: str) -> str:
    """A platform's name as it is typed, with these elements switched off. UsageError: there is no such element."""
    off = "+".join(elements_of(names, "--without"))
    base, bracket, rest = platform.rstrip().partition("[")
    if base.strip() == "ideal":
        raise UsageError("--without: ideal has no element of a node's model; it is for specifications")
    parts = [part.strip() for part in rest.removesuffix("]").split(",") if part.strip()] if bracket else []
    before = next((part for part in parts if part.partition("=")[0].strip() == WITHOUT), None)
    if before is None:
        return f"{base}[{','.join([*parts, f'{WITHOUT}={off}'])}]"
    return f"{base}[{','.join(f'{part}+{off}' if part is before else part for part in parts)}]"
