"""The registry as the C programs print it: algorithms, decisions, collectives. Nothing of it is typed again in Python."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from collscope.base import paths, programs
from collscope.base.errors import UsageError, UserError, unknown
from collscope.base.units import parse_size


@dataclass(frozen=True)
class Param:
    name: str
    default: int
    min: int
    max: int
    words: tuple[str, ...] | None
    help: str

    def text(self, value: int) -> str:
        return self.words[value - self.min] if self.words else str(value)

    def parse(self, key: str, text: str) -> int:
        if self.words and text in self.words:
            return self.min + self.words.index(text)
        try:
            value = int(text) if text.lstrip("-").isdigit() else parse_size(text)
        except UsageError:
            value = None
        if value is None or not self.min <= value <= self.max:
            choice = "one of " + ", ".join(self.words) if self.words else f"a number from {self.min} to {self.max}"
            raise UsageError(f"{key}: {self.name}={text}: {self.name} is {choice}")
        return value


def full_key(key: str, params: tuple[Param, ...], values: dict[str, int] | None = None) -> str:
    """The key with all parameters, in the descriptor's order: the spelling of tables."""
    if not params:
        return key
    given = values or {}
    return f"{key}[{','.join(f'{p.name}={p.text(given.get(p.name, p.default))}' for p in params)}]"


@dataclass(frozen=True)
class Algorithm:
    key: str
    collective: str
    summary: str
    source: str
    params: tuple[Param, ...]
    ports: str
    flags: tuple[str, ...]
    twin: dict[str, Any] | None
    has_cost: bool

    def full_key(self, values: dict[str, int] | None = None) -> str:
        return full_key(self.key, self.params, values)


@dataclass(frozen=True)
class Decision:
    key: str
    summary: str
    source: str
    collectives: tuple[str, ...]
    params: tuple[Param, ...] = ()

    def full_key(self, values: dict[str, int] | None = None) -> str:
        return full_key(self.key, self.params, values)


@dataclass(frozen=True)
class Collective:
    name: str
    has_root: bool
    has_operator: bool


# What the programs' plans know (core/plan/plan.h); taken from the list itself where it carries them.
_TYPES = {"float": 4, "double": 8, "int": 4, "byte": 1, "long": 8, "affine": 8}
_OPERATORS = ("sum", "prod", "max", "min", "affine", "none")
METRICS = ("makespan", "osu_avg", "root", "loop")


@dataclass(frozen=True)
class Registry:
    algorithms: tuple[Algorithm, ...]
    decisions: tuple[Decision, ...]
    collectives: tuple[Collective, ...]
    types: dict[str, int]
    operators: tuple[str, ...] = _OPERATORS

    @cached_property
    def by_key(self) -> dict[str, Algorithm]:
        return {a.key: a for a in self.algorithms}

    def collective(self, name: str) -> Collective:
        for c in self.collectives:
            if c.name == name:
                return c
        raise unknown("collective", name, [c.name for c in self.collectives])

    def of(self, collective: str) -> list[Algorithm]:
        """Algorithms of one collective, in the registry's order."""
        self.collective(collective)
        return [a for a in self.algorithms if a.collective == collective]

    def type_bytes(self, name: str) -> int:
        if name not in self.types:
            raise unknown("type", name, self.types)
        return self.types[name]

    def resolve(self, name: str, collective: str | None = None) -> tuple[str, str]:
        """(collective, canonical key) of what the user wrote: a full key, the part after the slash when the collective
        is known, `decision/…`, `builtin`. Parameters not given get their defaults."""
        stem, bracket, inner = name.partition("[")
        if stem.startswith("decision/") or (collective and f"decision/{stem}" in {d.key for d in self.decisions}):
            key = stem if "/" in stem else f"decision/{stem}"
            if collective is None:
                raise UsageError(f"{key}: say for which collective, with -c")
            self.collective(collective)
            decision = self.decision(key)
            return collective, decision.full_key(_parameters(key, decision.params, bracket, inner))
        if stem == "builtin" or stem.endswith("/builtin"):
            owner = stem.rpartition("/")[0] or collective
            if not owner:
                raise UsageError("builtin: say of which collective, with -c, or write bcast/builtin")
            self._same(name, owner, collective)
            return self.collective(owner).name, f"{owner}/builtin"
        key = stem if "/" in stem else f"{collective}/{stem}" if collective else stem
        algorithm = self.by_key.get(key)
        if algorithm is None:
            raise self._unknown_key(stem, key, collective)
        self._same(name, algorithm.collective, collective)
        return algorithm.collective, algorithm.full_key(_parameters(key, algorithm.params, bracket, inner))

    def decision(self, key: str) -> Decision:
        """The decision that a key names, with or without parameters."""
        stem = key.partition("[")[0]
        for d in self.decisions:
            if d.key == stem:
                return d
        raise unknown("decision", stem, [d.key for d in self.decisions])

    def _same(self, name: str, owner: str, collective: str | None) -> None:
        if collective and owner != collective:
            raise UsageError(f"{name} is an algorithm of {owner}, but -c says {collective}")

    def _unknown_key(self, stem: str, key: str, collective: str | None) -> UserError:
        if collective:
            self.collective(collective)
            names = [a.key.partition("/")[2] for a in self.of(collective)]
            names += [d.key for d in self.decisions if collective in d.collectives] + ["builtin"]
            if "/" not in stem:
                return unknown(f"{collective} algorithm", stem, names, f"see ./collscope list -c {collective}")
        elif "/" not in stem:
            owners = [a.key for a in self.algorithms if a.key.partition("/")[2] == stem]
            if owners:
                return UsageError(f'"{stem}": say of which collective, with -c, or write one of {", ".join(owners)}')
        keys = [*self.by_key, *(d.key for d in self.decisions), *(f"{c.name}/builtin" for c in self.collectives)]
        return unknown("algorithm", key, keys, "see ./collscope list")


def _parameters(key: str, params: tuple[Param, ...], bracket: str, inner: str) -> dict[str, int]:
    if not bracket:
        return {}
    if not inner.endswith("]"):
        raise UsageError(f"{key}[{inner}: parameters end in ]")
    known = {p.name: p for p in params}
    values: dict[str, int] = {}
    for part in filter(None, inner[:-1].split(",")):
        name, equals, text = (x.strip() for x in part.partition("="))
        if name not in known:
            if not known:
                raise UsageError(f"{key} has no parameters, but got {name}")
            raise unknown(f"parameter of {key}", name, known)
        if not equals:
            raise UsageError(f"{key}: write {name}=VALUE")
        values[name] = known[name].parse(key, text)
    return values


def _params(listed: Iterable[dict[str, Any]]) -> tuple[Param, ...]:
    return tuple(
        Param(
            p["name"],
            p["default"],
            p["min"],
            p["max"],
            tuple(p["words"]) if p.get("words") else None,
            p.get("help", ""),
        )
        for p in listed
    )


def parse(text: str) -> Registry:
    """The registry from its JSON."""
    data = json.loads(text)
    types = data.get("types") or _TYPES
    if isinstance(types, list):
        types = {
            t["name"]: t["bytes"] if isinstance(t, dict) else _TYPES[t]
            for t in types
            if isinstance(t, dict) or t in _TYPES
        }
    return Registry(
        algorithms=tuple(
            Algorithm(
                key=a["key"],
                collective=a["collective"],
                summary=a["summary"],
                source=a.get("source", ""),
                params=_params(a["params"]),
                ports=a["ports"],
                flags=tuple(a["flags"]),
                twin=a.get("twin"),
                has_cost=a["has_cost"],
            )
            for a in data["algorithms"]
        ),
        decisions=tuple(
            Decision(d["key"], d["summary"], d.get("source", ""), tuple(d["collectives"]), _params(d.get("params", ())))
            for d in data["decisions"]
        ),
        collectives=tuple(Collective(c["name"], c["has_root"], c["has_operator"]) for c in data["collectives"]),
        types=types,
        operators=tuple(data.get("operators") or _OPERATORS),
    )


def json_text() -> str:
    """The registry's JSON as the prover prints it, kept until the program changes."""
    program = next((p for p in (programs.PROVER, programs.MPI_DRIVER, programs.SIM_DRIVER) if p.exists()), None)
    if program is None:
        raise UserError(f"{programs.PROVER}: not built; run ./collscope doctor to see what is missing")
    stat = program.stat()
    stamp = f"{program}:{stat.st_mtime_ns}:{stat.st_size}"
    kept = paths.CACHE / "registry.json"
    try:
        head, _, text = kept.read_text().partition("\n")
        if head == stamp:
            return text
    except OSError:
        pass
    done = subprocess.run([program, "--list", "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(f"{program} --list --json failed: {done.stderr.strip() or done.returncode}")
    try:
        temporary = Path(f"{paths.cache_dir() / 'registry.json'}.{os.getpid()}")
        temporary.write_text(f"{stamp}\n{done.stdout}")
        os.replace(temporary, kept)
    except OSError:
        pass  # only a convenience
    return done.stdout


@lru_cache(maxsize=1)
def load() -> Registry:
    """The registry of the programs as they are built now."""
    return parse(json_text())
