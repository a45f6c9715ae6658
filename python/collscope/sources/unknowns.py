"""What is not known of a platform, and draws of it: of a specification what its file leaves open (machines/completion) or gives a range for
(machines/ranges), and what SimGrid's own files leave open."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from collscope.machines import completion, find, overrides, plain_hosts, ranges
from collscope.machines.completion import Unknown, Values, at
from collscope.machines.machine import ROUTED
from collscope.machines.platform import Platform
from collscope.machines.spec import filled


def _busy_hosts(platform: Platform, values: Values) -> Platform:
    latency_s = plain_hosts.latency_s(platform)
    return plain_hosts.with_processors(
        platform, *(at(completion.RANGES[name], values[name]) * latency_s for name in BETWEEN)
    )


def _local_hosts(platform: Platform, values: Values) -> Platform:
    copy = at(completion.RANGES["copy by itself"], values["copy"])
    return plain_hosts.with_local(platform, at(completion.RANGES["gamma"], values["gamma"]) * copy, copy)


BETWEEN = ("send network", "receive network")
PROCESSOR_XML = Unknown(
    "the processors' time per message",
    "smpi/os and smpi/or in <config>",
    "./collscope calibrate",
    BETWEEN,
    _busy_hosts,
)
LOCAL_XML = Unknown(
    "local reductions and copies",
    "a specification's gamma_s_per_byte, copy_s_per_byte",
    "./collscope calibrate",
    ("gamma", "copy"),
    _local_hosts,
)
MAX_DRAWN = 64  # nodes: a machine with single routes has as many as pairs, in each draw


def _of_hosts(platform: Platform, nodes: int) -> list[Unknown]:
    made = [LOCAL_XML] if plain_hosts.charges_processors(platform) else [PROCESSOR_XML, LOCAL_XML]
    return made if nodes <= MAX_DRAWN else [replace(unknown, dimensions=()) for unknown in made]


def unknowns(platform: Platform, nodes: int) -> list[Unknown]:
    """What the file of a platform gives with a range or leaves open, and a call on so many nodes may hang on, in the order in which values
    are set; [] of `ideal` and of SimGrid's files with places."""
    if platform.machine.priced_by == ROUTED:
        return _of_hosts(platform, nodes)
    if not platform.typed or platform.typed.startswith("ideal") or ".xml" in platform.typed:
        return []
    return list(_of_spec(platform, nodes))


@lru_cache(maxsize=16)
def _of_spec(platform: Platform, nodes: int) -> tuple[Unknown, ...]:
    spec, _ = find.as_given(platform.typed)
    return (*ranges.given(spec, nodes), *completion.open_numbers(spec, find.given(platform.typed), nodes))


@cache
def places(dimension: str, draws: int) -> tuple[float, ...]:
    """Where each draw lies in the range of a dimension: a Latin hypercube, one draw in each of equal parts, in an order that depends on
    the dimension's name alone."""
    parts = list(range(draws))
    random.Random(dimension).shuffle(parts)
    return tuple((part + 0.5) / draws for part in parts)


def drawn(platform: Platform, open_numbers: Sequence[Unknown], draws: int) -> Iterator[Platform]:
    """The platform with values for its open numbers, one for each draw."""
    if platform.machine.priced_by == ROUTED:
        for i in range(draws):
            made = platform
            for unknown in open_numbers:
                made = unknown.with_values(made, {name: places(name, draws)[i] for name in unknown.dimensions})
            yield made
        return
    spec, left_out = find.as_given(platform.typed)
    for i in range(draws):
        of_draw = completion.with_places(spec, open_numbers, lambda name, i=i: places(name, draws)[i])  # type: ignore[misc]
        yield find.platform_of(filled(overrides.without(of_draw, left_out)), platform.name)
