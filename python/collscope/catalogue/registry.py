"""The registry as the C programs print it: algorithms, decisions, collectives. Nothing of it is typed again in Python."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any

from collscope.base import paths, programs
from collscope.base.errors import UsageError, UserError, nearest, unknown
from collscope.base.files import write_atomically
from collscope.catalogue import decision_files
from collscope.catalogue.keys import FILE, Key, Param, full_key, read_values, stem_of


@dataclass(frozen=True)
class _Listed:
    """What the programs say of everything that has a key."""

    key: str
    summary: str
    source: str
    params: tuple[Param, ...]

    def full_key(self, values: dict[str, int] | None = None) -> str:
        """The key with all parameters; defaults where no value is given."""
        return full_key(self.key, self.params, values)


@dataclass(frozen=True)
class Algorithm(_Listed):
    """One algorithm; see coll_alg in algorithms/collscope.h."""

    collective: str
    ports: str
    flags: tuple[str, ...]
    twin: dict[str, Any] | None
    has_cost: bool


@dataclass(frozen=True)
class Decision(_Listed):
    """One table that chooses; see algorithms/decision/rules.h."""

    collectives: tuple[str, ...]


@dataclass(frozen=True)
class Side:
    """Which ranks have data in a buffer, and how much: core/catalogue/list.h names the words."""

    who: str  # "every", "root", "none"
    amount: str  # "block", "blocks" (of all ranks), "vector", "part" (this rank's of the vector), "nothing"


@dataclass(frozen=True)
class Bound:
    """The telephone model's lower bound in shares of the n bytes of the vector."""

    rounds: str  # "one", "log"
    sent: str  # "none", "whole": n, "others": (p-1)/p n, "block": n/p
    times: int  # sent so often
    combined: str


@dataclass(frozen=True)
class Collective:
    """The facts of a collective: one row of the table in core/catalogue/collective.c."""

    name: str
    mpi: str | None  # MPI's function
    has_root: bool
    has_operator: bool  # else data only moves
    uneven: bool  # a call may say how long each rank's block is
    unit: str  # what count counts: "block", "vector", "none"
    input: Side
    output: Side
    in_place: str  # what a call in place shares: "never", "always" one buffer, "same", "in_out", "out_in"
    bound: Bound

    @property
    def has_in_place(self) -> bool:
        """Whether a call may be in place or not."""
        return self.in_place not in ("never", "always")

    @property
    def counts_blocks(self) -> bool:
        """count is one rank's block, the vector is p of them."""
        return self.unit == "block"

    @property
    def has_data(self) -> bool:
        """Whether its calls move data: a barrier does not."""
        return self.unit != "none"

    @property
    def from_root(self) -> bool:
        """All data are the root's at the start."""
        return self.input.who == "root"


@dataclass(frozen=True)
class Registry:
    """All that the programs know, as `collscope-prove --list --json` prints it."""

    algorithms: tuple[Algorithm, ...]
    decisions: tuple[Decision, ...]
    collectives: tuple[Collective, ...]
    types: dict[str, int]  # bytes of each
    operators: tuple[str, ...]
    metrics: tuple[str, ...]

    @cached_property
    def by_key(self) -> dict[str, Algorithm]:
        """Key without parameters → algorithm."""
        return {a.key: a for a in self.algorithms}

    def collective(self, name: str) -> Collective:
        """The facts of a collective; a UsageError that names the nearest for one that does not exist."""
        for c in self.collectives:
            if c.name == name:
                return c
        names = [c.name for c in self.collectives]
        raise unknown("collective", name, names, "" if nearest(name, names) else f"there are {', '.join(names)}")

    def of(self, collective: str) -> list[Algorithm]:
        """Algorithms of one collective, in the registry's order."""
        self.collective(collective)
        return [a for a in self.algorithms if a.collective == collective]

    def type_bytes(self, name: str) -> int:
        """Bytes of an element; a UsageError that names the nearest for a type that does not exist."""
        if name not in self.types:
            raise unknown("type", name, self.types)
        return self.types[name]

    def resolve(self, name: str, collective: str | None = None) -> tuple[str, str]:
        """(collective, canonical key) of what the user wrote: a full key, the part after the slash when the collective
        is known, `decision/…`, `builtin`. Parameters not given get their defaults."""
        written = Key.parse(name)
        stem = written.stem
        if written.is_decision or (collective and f"decision/{stem}" in {d.key for d in self.decisions}):
            key = stem if "/" in stem else f"decision/{stem}"
            if collective is None:
                raise UsageError(f"{key}: say for which collective, with -c")
            self.collective(collective)
            return collective, self._full(self.decision(key), written)
        if written.is_builtin:
            owner = written.owner or collective
            if not owner:
                raise UsageError("builtin: name the collective with -c, or write bcast/builtin")
            self._same(name, owner, collective)
            return self.collective(owner).name, f"{owner}/builtin"
        key = stem if "/" in stem else f"{collective}/{stem}" if collective else stem
        algorithm = self.by_key.get(key)
        if algorithm is None:
            raise self._unknown_key(stem, key, collective)
        self._same(name, algorithm.collective, collective)
        return algorithm.collective, self._full(algorithm, written)

    @staticmethod
    def _full(named: _Listed, written: Key) -> str:
        return named.full_key(read_values(Key(named.key, written.params), named.params))

    def algorithm(self, key: str) -> Algorithm | None:
        """The algorithm that a key names, with or without parameters; None: it names none."""
        return self.by_key.get(stem_of(key))

    def decision(self, key: str) -> Decision:
        """The decision that a key names, with or without parameters; of a file its rules are read."""
        if key.startswith(FILE):
            return Decision(key, "rules of a file", key.removeprefix(FILE), (), decision_files.collectives_of(key))
        stem = stem_of(key)
        for d in self.decisions:
            if d.key == stem:
                return d
        raise unknown("decision", stem, [d.key for d in self.decisions])

    def _same(self, name: str, owner: str, collective: str | None) -> None:
        if collective and owner != collective:
            raise UsageError(f"{name} is an algorithm of {owner}, but -c says {collective}")

    def _unknown_key(self, stem: str, key: str, collective: str | None) -> UserError:
        if re.fullmatch(r"\w+/\w+", key) and (paths.ROOT / "algorithms" / f"{key}.c").is_file():
            return UserError(
                f"{key}: algorithms/{key}.c is not in the catalogue; add X({key.replace('/', '_')}) to algorithms/registry.c and {key}.c "
                "to algorithms/CMakeLists.txt"
            )
        if collective:
            self.collective(collective)
            names = [Key.parse(a.key).name for a in self.of(collective)]
            names += [d.key for d in self.decisions if collective in d.collectives] + ["builtin"]
            if "/" not in stem:
                return unknown(f"{collective} algorithm", stem, names, f"see ./collscope list -c {collective}")
        elif stem in {c.name for c in self.collectives}:
            own = ", ".join(a.key for a in self.of(stem))
            return UsageError(f"{stem} is a collective; say which of its algorithms: {own}")
        elif "/" not in stem:
            owners = [a.key for a in self.algorithms if Key.parse(a.key).name == stem]
            if owners:
                return UsageError(f'"{stem}": name the collective with -c, or write one of {", ".join(owners)}')
        keys = [*self.by_key, *(d.key for d in self.decisions), *(f"{c.name}/builtin" for c in self.collectives)]
        return unknown("algorithm", key, keys, "see ./collscope list")


def _made(kind: type[Any], listed: Mapping[str, Any], **own: Any) -> Any:
    """The dataclass of an entry that has its names; `own`: what is not as listed."""
    values = {f.name: listed[f.name] for f in fields(kind) if f.name not in own}
    return kind(**own, **{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})


def parse(text: str) -> Registry:
    """The registry from its JSON."""
    data = json.loads(text)

    def keyed(kind: type[Any], part: str) -> tuple[Any, ...]:
        return tuple(_made(kind, one, params=tuple(_made(Param, p) for p in one["params"])) for one in data[part])

    return Registry(
        keyed(Algorithm, "algorithms"),
        keyed(Decision, "decisions"),
        tuple(
            _made(Collective, c, input=Side(**c["in"]), output=Side(**c["out"]), bound=Bound(**c["bound"]))
            for c in data["collectives"]
        ),
        {t["name"]: t["bytes"] for t in data["types"]},
        tuple(data["operators"]),
        tuple(data["metrics"]),
    )


def json_text() -> str:
    """The registry's JSON as the prover prints it, kept until the program changes."""
    program = next((p for p in (programs.PROVER, programs.MPI_DRIVER, programs.SIM_DRIVER) if p.exists()), None)
    if program is None:
        raise UserError(f"{programs.PROVER}: not built; run ./collscope doctor to see what is missing")
    stat = program.stat()
    stamp = f"{program}:{stat.st_mtime_ns}:{stat.st_size}"
    kept = paths.CACHE / "registry.json"
    with contextlib.suppress(OSError):
        head, _, text = kept.read_text(encoding="utf-8").partition("\n")
        if head == stamp:
            return text
    done = programs.answer([program, "--list", "--json"])
    if done.returncode:
        raise UserError(f"{program} --list --json failed: {done.stderr.strip() or done.returncode}")
    with contextlib.suppress(OSError, UserError):  # only a convenience
        write_atomically(paths.cache_dir() / kept.name, f"{stamp}\n{done.stdout}")
    return done.stdout


@lru_cache(maxsize=1)
def load() -> Registry:
    """The registry of the programs as they are built now."""
    return parse(json_text())
