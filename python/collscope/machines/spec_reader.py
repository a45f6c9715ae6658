"""Reading specifications: platforms/NAME.toml, NAME/spec.toml or a file of one's own becomes a Spec.

What may stand in the file is what the models below have fields for. Every number may stand plainly (`nic_bytes_per_s = 12.3e9`) or as
a table with its provenance: value, tag, source and range.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, create_model, field_validator

from collscope.base.errors import UsageError
from collscope.base.number import Number
from collscope.base.toml_table import Document, Table, Where, read_text
from collscope.machines.limits import (
    curve_contradictions,
    doubts,
    gap_contradictions,
    idle_links,
    link_contradictions,
    misfit,
    noise_contradictions,
    too_large,
)
from collscope.machines.overrides import WITHOUT, elements_of, override, present, without
from collscope.machines.spec import (
    CLASSES,
    COUNTS,
    FAR,
    LINKS,
    NUMBERS,
    OPTIONAL_LINKS,
    Level,
    Piece,
    Spec,
    SpecError,
    filled,
)
from collscope.machines.spec_fields import (
    EAGER,
    POSITIVE,
    SOCKET,
    Amount,
    AnyNumber,
    Count,
    Curve,
    NoiseCurve,
    TopologyTable,
    possible,
    topology_of,
)
from collscope.machines.topology import named_nodes

MAX_LEVELS, MAX_JOINED = 4, 256

Complete = Callable[[Spec, Collection[str]], Spec]
"""A specification and the keys of its file → the same with values for what is left open."""


def _level_name(name: str) -> str:
    if name in (*CLASSES, FAR, *COUNTS, *LINKS, *OPTIONAL_LINKS) or "core" in name:
        raise ValueError(f'"{name}" is a name that has a meaning already; choose another, such as ccd or numa')
    return name


class _Level(Table):
    name: Annotated[str, AfterValidator(_level_name)] = Field(
        pattern=r"^[a-z][a-z0-9_]{0,19}$", description="a word of up to 20 small letters, digits and _, such as ccd"
    )
    cores: Count
    bytes_per_s: Annotated[AnyNumber, POSITIVE] | None = None

    _checked = field_validator("bytes_per_s")(possible)

    @property
    def level(self) -> Level:
        """The level as a specification holds it."""
        return Level(self.name, self.cores.number, self.bytes_per_s.number if self.bytes_per_s else Number(0.0))


def _different(levels: list[_Level]) -> list[_Level]:
    names = [level.name for level in levels]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f'two levels are called "{twice}"; give each a name of its own')
    return levels


_SECONDS, _S_PER_BYTE = "a number of seconds, 0 to 1000", "a number of seconds per byte, 0 to 1"


class _Least(Table):
    o: float = Field(ge=0, le=1e3, description=_SECONDS)
    g: float = Field(ge=0, le=1e3, description=_SECONDS)
    L: float = Field(ge=0, le=1e3, description=_SECONDS)
    G: float = Field(ge=0, le=1, description=_S_PER_BYTE)
    gamma: float = Field(ge=0, le=1, description=_S_PER_BYTE)


class _File(Table):
    name: str = Field(
        pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,59}$", description="a word of up to 60 letters, digits, _ . and -"
    )
    about: str = ""
    unstable: str = ""
    oversubscribe: bool = False
    nodes: Count
    sockets: Count
    cores_per_socket: Count
    cores_per_cache: Count | None = None  # all of a socket
    interconnect_links: list[Annotated[list[int], Field(min_length=2, max_length=2)]] = Field(
        default_factory=list, max_length=MAX_JOINED, description="a list of pairs of sockets: [[0, 1], [1, 3], …]"
    )
    nic_socket: Annotated[AnyNumber, SOCKET] | None = None
    level: Annotated[list[_Level], AfterValidator(_different)] = Field(
        default_factory=list,
        max_length=MAX_LEVELS,
        description=f"up to {MAX_LEVELS} tables [[level]] with name and cores, closest first",
    )
    in_order: bool = Field(default=False, description="true or false")
    complete: bool = Field(default=True, description="true or false")
    topology: TopologyTable | None = Field(default=None, description="a table [topology] with kind = …")
    sources: dict[str, str] = Field(default_factory=dict, description="a table of short names and where they point")
    least: _Least | None = Field(default=None, description="a table with the numbers o, g, L, G and gamma")
    curve: Any  # these three as _file_model has them
    curve_nonblocking: Any = None
    noise: Any = None


def _optional(kind: Any, names: Iterable[str]) -> dict[str, Any]:
    return dict.fromkeys(names, (kind | None, None))


SPECIAL = {"fresh_from_bytes": Count} | dict.fromkeys(
    ("eager_bytes", "eager_bytes_nonblocking"), Annotated[AnyNumber, EAGER]
)


@lru_cache
def _file_model(levels: tuple[str, ...]) -> type[_File]:
    """What a file may hold where it names these levels: their curves may stand in it, too."""
    classes = (*CLASSES, FAR, *levels)
    curves = create_model("_Curves", __base__=Table, **_optional(Curve, classes))
    noises = create_model("_Noises", __base__=Table, **_optional(NoiseCurve, classes))
    numbers: dict[str, Any] = {name: (SPECIAL.get(name, Amount) | None, None) for name in NUMBERS}
    like = "with classes as in [curve]"
    fields: dict[str, Any] = {
        "curve": (curves, Field(description="a table [curve], for example with network = [[0, 1.6e-6, 2.2e-10]]")),
        "curve_nonblocking": (curves | None, Field(None, description=f"a table [curve_nonblocking], {like}")),
        "noise": (noises | None, Field(None, description=f"tables [[noise.CLASS]], {like}")),
    }
    checked: Any = {"checked": field_validator(*NUMBERS)(possible)}
    return create_model("_File", __base__=_File, __validators__=checked, **numbers, **fields)


def _named(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The levels of a file that has not been checked, as far as they may be curves' names."""
    levels = data.get("level")
    names = [level.get("name") for level in levels if isinstance(level, dict)] if isinstance(levels, list) else []
    own = [n for n in names[:MAX_LEVELS] if isinstance(n, str) and n not in (*CLASSES, FAR)]
    return tuple(dict.fromkeys(n for n in own if re.fullmatch(r"[a-z][a-z0-9_]{0,19}", n)))


def read_spec(
    path: Path,
    overrides: Mapping[str, str] | None = None,
    shown: str | None = None,
    say: Callable[[str], None] | None = None,
    complete: Complete | None = None,
) -> Spec:
    """Reads and checks a specification. `overrides` are `name=value` of counts and plain numbers, for what-if questions; `say` and
    `complete` as in parse_spec."""
    shown = shown or str(path)
    return parse_spec(read_text(path, shown, SpecError), shown, overrides, say, complete)


def parse_spec(
    text: str,
    shown: str,
    overrides: Mapping[str, str] | None = None,
    say: Callable[[str], None] | None = None,
    complete: Complete | None = None,
) -> Spec:
    """A specification from its text. SpecError: FILE:LINE: KEY: what is wrong; UsageError: an override does not fit. `say` gets
    what is doubtful, and what was overridden to no effect; `complete`: gives values to what the file leaves open, before any override."""
    document = Document(text, shown, SpecError)
    return _checked(document, _as_given(document), overrides or {}, say, complete or _as_it_is)


def given_spec(path: Path, shown: str, overrides: Mapping[str, str], complete: Complete) -> Spec:
    """What the file and overrides give, but for elements that are switched off: neither completed nor checked. A factor multiplies what
    `complete` says. SpecError, UsageError as in parse_spec."""
    document = Document(read_text(path, shown, SpecError), shown, SpecError)
    return _typed(_as_given(document), frozenset(document.data), overrides, complete)


def _as_it_is(spec: Spec, _: Collection[str]) -> Spec:
    return spec


def _typed(spec: Spec, given: Collection[str], overrides: Mapping[str, str], complete: Complete) -> Spec:
    values = {key: text for key, text in overrides.items() if key != WITHOUT}
    return override(spec, values, complete(spec, given)) if values else spec


def _as_given(document: Document) -> Spec:
    file = document.read(_file_model(_named(document.data)))
    counts = {key: getattr(file, key).number for key in (*COUNTS, "nic_socket") if getattr(file, key)}
    per_socket = int(file.cores_per_socket.value)
    per_cache = int(file.cores_per_cache.value) if file.cores_per_cache else per_socket
    if file.level and not file.cores_per_cache:
        raise document.fail("is missing: with levels a socket's cores do not all share a cache", "cores_per_cache")
    if problem := too_large(int(file.nodes.value), int(file.sockets.value) * per_socket):
        raise document.fail(problem, "nodes")
    spec = Spec(
        name=file.name,
        nodes=int(file.nodes.value),
        sockets=int(file.sockets.value),
        cores_per_socket=per_socket,
        cores_per_cache=per_cache,
        about=file.about,
        unstable=file.unstable,
        curve={},
        counts=counts,
        oversubscribe=file.oversubscribe,
        least={key: getattr(file.least, key) for key in document.data.get("least", ())},
        sources=file.sources,
        levels=tuple(level.level for level in file.level),
        interconnect_links=tuple((a, b) for a, b in file.interconnect_links),
        nic_socket=int(file.nic_socket.value) if file.nic_socket else None,
        in_order=file.in_order,
        complete=file.complete,
        topology=topology_of(document, file.topology, int(file.nodes.value)),
        **{key: getattr(file, key).number for key in NUMBERS if getattr(file, key)},
    )
    if wrong := misfit(spec):
        raise document.fail(wrong[0], *_key_of(spec, wrong[1]))
    if file.curve.far and FAR not in spec.classes:
        raise document.fail("no two sockets of a node are two links apart; see interconnect_links", "curve", FAR)
    curves = _curves(file.curve, spec.classes)
    if not curves:
        raise document.fail("names no class; the classes are " + ", ".join(spec.classes), "curve")
    own = tuple(class_ for class_ in spec.classes if getattr(file.curve, class_))
    spec = replace(spec, curve=curves, own_curves=own)
    if file.noise:
        given = {class_: getattr(file.noise, class_) for class_ in spec.classes if getattr(file.noise, class_)}
        spec = replace(spec, noise={class_: tuple(n.noise for n in pieces) for class_, pieces in given.items()})
    if file.curve_nonblocking:
        spec = replace(spec, curve_nonblocking=_nonblocking(spec, _given(file.curve_nonblocking, spec.classes)))
    return spec


def _checked(
    document: Document,
    given: Spec,
    overrides: Mapping[str, str],
    say: Callable[[str], None] | None,
    complete: Complete,
) -> Spec:
    """The specification with its overrides, with values for what is open, and with capacities that were not given."""
    keys = frozenset(document.data)
    before = complete(given, keys)
    left_out = elements_of(overrides[WITHOUT], given.name) if WITHOUT in overrides else ()
    typed = _typed(given, keys, overrides, complete)
    spec = filled(without(complete(typed, keys | overrides.keys()), left_out))
    # First as typed: a completion fits messages to links, and would hide that a link is too narrow for its curve.
    as_typed = link_contradictions(filled(without(typed, left_out))) if spec.complete else ()
    for class_, at, problem in (*as_typed, *curve_contradictions(spec)):
        drawn = (
            class_ if class_ in given.own_curves else next(one for one in given.own_curves if _same(given, one, class_))
        )
        error = document.fail(problem, "curve", drawn, at)
        raise UsageError(str(error)) if overrides else error  # what was typed does not fit the rest
    for key, problem in gap_contradictions(spec):
        error = document.fail(problem, *key)
        raise UsageError(str(error)) if overrides else error
    for where, problem in noise_contradictions(spec):
        if not overrides:
            raise document.fail(problem, *where)
        if say:
            say(str(document.fail(problem, *where)))
    if say:
        if spec.unstable:
            say(
                f"{spec.name}: unstable when it was calibrated: {spec.unstable}; calibrate it again when the machine is quiet"
            )
        if (unused := (named_nodes(spec.topology) or 0) - spec.nodes) > 0:
            more = f"more positions than {spec.nodes} nodes; the last {unused} are not used"
            say(f"{spec.name}: topology.allocation names {more}")
        for name in left_out:
            if name not in present(before):
                say(f"{spec.name}: without={name} changes nothing: this machine has no such element")
        for where, doubt in doubts(spec):
            say(str(document.fail(doubt, *where)))
        for text in idle_links(filled(before), spec, overrides):
            say(f"{spec.name}: {text}")
    return spec


def _same(spec: Spec, one: str, other: str) -> bool:
    return spec.curve[one] is spec.curve[other]


def _key_of(spec: Spec, name: str) -> Where:
    """The place in the file of a key that `misfit` names."""
    level, _, key = name.rpartition(".")
    names = [one.name for one in spec.levels]
    return ("level", names.index(level), key) if level in names else (name,)


def _given(file: Table, classes: Sequence[str]) -> dict[str, tuple[Piece, ...]]:
    return {class_: tuple(p.piece for p in getattr(file, class_)) for class_ in classes if getattr(file, class_)}


def _nonblocking(spec: Spec, given: Mapping[str, tuple[Piece, ...]]) -> dict[str, tuple[Piece, ...]]:
    """A class that has its curve from a neighbour has that of non-blocking sends from it, too."""
    made = {}
    for class_ in spec.classes:
        drawn = (
            class_ if class_ in spec.own_curves else next(one for one in spec.own_curves if _same(spec, one, class_))
        )
        if curve := given.get(class_) or given.get(drawn):
            made[class_] = curve
    return made


def _curves(file: Table, classes: Sequence[str]) -> dict[str, tuple[Piece, ...]]:
    """The curve of each class. One without a curve of its own has that of the next wider one, or failing that the next closer; `far`
    first that of `node`."""
    given = _given(file, classes)
    nearest = {class_: [*classes[i:], *reversed(classes[:i])] for i, class_ in enumerate(classes)}
    if FAR in nearest:
        nearest[FAR] = [FAR, "node", *nearest[FAR]]
    return {class_: given[next(one for one in nearest[class_] if one in given)] for class_ in classes} if given else {}
