"""Platforms with other numbers: `schooner[nodes=32,nic_bytes_per_s=9e9]`, `ideal[alpha=2us]`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from collscope.base.errors import UsageError, did_you_mean
from collscope.machines.spec import COUNTS, NUMBERS, Number, Spec, smallest, tidy

NAME = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*(?:\[(.*)\])?\s*\Z", re.DOTALL)
IDEAL_HOSTS = 1024
IDEAL = {"alpha": 1e-6, "beta": 1e-9, "gamma": 2.5e-10, "cores": 1.0}  # seconds, seconds a byte, cores of a node
_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


def values_of(text: str, name: str) -> dict[str, str]:
    """What stands in the brackets of a platform's name: "nodes=32, gamma=0" → {"nodes": "32", "gamma": "0"}. A UsageError names `name`."""
    values: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals or not value.strip():
            raise UsageError(f'{name}: cannot read "{part}"; write key=value')
        values[key.strip()] = value.strip()
    return values


def override(spec: Spec, values: Mapping[str, str]) -> Spec:
    """The specification with some counts and numbers replaced. UsageError: an unknown key, or a value that it cannot have."""
    changes: dict[str, Any] = {key: _value(spec.name, key, text) for key, text in values.items()}
    shared = spec.cores_per_cache == spec.cores_per_socket
    if "cores_per_socket" in changes and "cores_per_cache" not in changes and shared:
        changes["cores_per_cache"] = changes["cores_per_socket"]
    changed = replace(spec, **changes)
    if changed.cores_per_socket % changed.cores_per_cache:
        raise UsageError(f"{spec.name}: cores_per_cache must divide cores_per_socket")
    return changed


def _value(name: str, key: str, text: str) -> int | Number:
    known = (*COUNTS, *NUMBERS)
    if key not in known:
        raise UsageError(f'{name}: no parameter "{key}"{did_you_mean(key, known)}; known: {", ".join(known)}')
    try:
        number = float(text)
    except ValueError:
        raise UsageError(f'{name}: {key} must be a number, not "{text}"') from None
    if key in COUNTS:
        if not math.isfinite(number) or number != int(number) or number < 1:
            raise UsageError(f"{name}: {key} must be a whole number, 1 or more")
        return int(number)
    if number < smallest(key) or not math.isfinite(number):
        raise UsageError(f"{name}: {key} must be a number, 0 or more")
    return Number(number, "assumed", "given with the platform's name")


def ideal_numbers(values: Mapping[str, str]) -> dict[str, float]:
    """The numbers of the ideal network: the keys of IDEAL, with some of them replaced. UsageError as in override."""
    numbers = dict(IDEAL)
    for key, text in values.items():
        if key not in numbers:
            raise UsageError(
                f'ideal: no parameter "{key}"{did_you_mean(key, numbers)}; it has alpha (s), beta and gamma (s a byte) and '
                "cores (of a node)"
            )
        parsed = re.fullmatch(r"([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-zµ]*)", text)
        try:
            number = float(parsed.group(1)) * _SECONDS[parsed.group(2)] if parsed else None
        except (ValueError, KeyError):
            number = None
        if number is None:
            raise UsageError(f'ideal: cannot read {key}="{text}"; write for example 1e-6 or 1us')
        numbers[key] = tidy(number)
    cores = numbers["cores"]
    if cores != int(cores) or not 1 <= cores <= IDEAL_HOSTS:
        raise UsageError(f"ideal: cores must be a whole number from 1 to {IDEAL_HOSTS}")
    if numbers["beta"] <= 0:
        raise UsageError("ideal: beta must be more than 0; a very fast network is beta=1e-15")
    return numbers
