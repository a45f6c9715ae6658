"""Finding platforms.

`load` takes a machine's name (`schooner`, `ideal`, `this_machine`), a name with other numbers (`schooner[nodes=32]`,
`ideal[alpha=2us,beta=1e-9]`), or the path of a specification (TOML) or of a SimGrid platform file (XML).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from collscope.base import console, paths
from collscope.base.errors import UsageError, UserError, unknown
from collscope.machines import plain_hosts
from collscope.machines.completion import completed
from collscope.machines.machine import Machine, ideal, machine_of
from collscope.machines.overrides import FILE, NAME, WITHOUT, elements_of, ideal_numbers, values_of
from collscope.machines.platform import EqualNodes, Platform
from collscope.machines.spec import CLASSES, Spec
from collscope.machines.xml_reader import read_xml
from collscope.machines.xml_writer import xml_of

PLATFORMS = paths.ROOT / "platforms"
HERE = "this_machine"
"""The machine that this runs on, once calibrated."""
COMPLETE = re.compile(
    r"\[\s*complete\s*=\s*\w+\s*\]|(?<=\[)\s*complete\s*=\s*\w+\s*,|,\s*complete\s*=\s*\w+\s*(?=[,\]])"
)
"""How a file is read, which is no other machine: `complete` in the brackets of a name, which is not shown."""


def own_folder() -> Path:
    """Where machines lie that a user made and kept by name; of a tree that somebody else keeps, in the user's own place."""
    return paths.machine_folders(PLATFORMS)[1]


def spec_path(name: str) -> Path:
    """Where the specification of a machine lies, or would lie. Of HERE a user's own goes before that of the tree."""
    folders = paths.machine_folders(PLATFORMS)
    there = [path for folder in folders for end in ("/spec", "") if (path := folder / f"{name}{end}.toml").exists()]
    return there[-1 if name == HERE else 0] if there else own_folder() / f"{name}.toml"


def measured_path(name: str) -> Path:
    """Where a machine that is measured goes, in a folder of its own: where it lies already, where that can be written to."""
    before = spec_path(name)
    if before.name == "spec.toml" and before.exists() and paths.is_writable(before.parent):
        return before
    folder = PLATFORMS / name
    return (folder if name == HERE and paths.is_writable(folder) else own_folder() / name) / "spec.toml"


def list_platforms() -> list[str]:
    """Names that `load` knows; this_machine only once it has been measured."""
    return ["ideal", *sorted(set().union(*map(paths.machines_in, paths.machine_folders(PLATFORMS))))]


def load_spec(name: str) -> Spec:
    """The specification behind a name or a path, with the provenance of its numbers. Not for `ideal` or an XML file."""
    path, values, _ = _find(name)
    if path is None or path.suffix != ".toml":
        raise UserError(f"{name} has no specification")
    return _read_spec(path, values)


def file_of(name: str) -> Path | None:
    """The file that says a machine's numbers; None of `ideal`, which has no file."""
    return _find(name)[0]


def as_given(name: str) -> tuple[Spec, tuple[str, ...]]:
    """The specification behind a name or a path with what its file and its brackets give alone, and the elements that are switched off."""
    from collscope.machines.spec_reader import given_spec

    path, values, _ = _find(name)
    if path is None or path.suffix != ".toml":
        raise UserError(f"{name} has no specification")
    spec = given_spec(path, paths.display(path), values, completed)
    return spec, elements_of(values[WITHOUT], spec.name) if WITHOUT in values else ()


def given(name: str) -> frozenset[str]:
    """The keys that a specification's file, or the brackets behind its name, give; what is not among them has a default."""
    import tomllib

    path, values, _ = _find(name)
    if path is None or path.suffix != ".toml":
        return frozenset(values)
    return frozenset(tomllib.loads(path.read_text(encoding="utf-8"))) | frozenset(values)


def load(name_or_path: str | os.PathLike[str]) -> Platform:
    """The platform of this name or path: the same object each time, until its file changes. UsageError: an unknown
    name or value; UserError: a file that cannot be used, with FILE:LINE."""
    name = os.fspath(name_or_path)
    path, _, _ = _find(name)
    try:
        text = path.read_bytes() if path else b""
    except OSError as error:
        raise UserError(f"{path}:1: cannot be read: {error.strerror}") from error
    return _load(name, text, paths.CACHE)


@lru_cache
def _load(name: str, text: bytes, cache: Path) -> Platform:
    path, values, base = _find(name)
    if path is None:
        return replace(_ideal(values, name.strip()), typed=name.strip())
    if path.suffix == ".xml":
        return read_xml(path, path.stem.encode("utf-8", "replace").decode(), _plain)
    spec = _read_spec(path, values, console.note)
    outside, bracket, inner = COMPLETE.sub("", name.strip()).partition("[")
    of_file = "/" in outside or outside.endswith(".toml")
    shown = f"{spec.name if of_file else outside}{bracket}{inner}"
    return replace(platform_of(spec, shown), unstable=spec.unstable, typed="" if base == HERE else name.strip())


def _plain(path: Path, name: str, config: Mapping[str, str]) -> Platform:
    platform = plain_hosts.platform_of(path, name, config)
    assumed = "; ".join(plain_hosts.assumptions(platform, config))
    console.note(f"{paths.display(path)}: assumed, as it does not say: {assumed}")
    return platform


def _read_spec(path: Path, values: dict[str, str], say: Callable[[str], None] | None = None) -> Spec:
    from collscope.machines.spec_reader import read_spec  # pydantic takes a while to import

    return read_spec(path, values, paths.display(path), say, completed)


def platform_of(spec: Spec, name: str) -> Platform:
    """The platform of a specification; `name` is what tables show."""
    caches = spec.cores_per_node // spec.cores_per_cache
    numbers = spec.gamma_s_per_byte.value, spec.copy_s_per_byte.value
    nodes = EqualNodes(spec.nodes, spec.cores_per_node, spec.sockets, caches, *numbers)
    return _platform(name, machine_of(spec), nodes)


def _platform(name: str, machine: Machine, nodes: EqualNodes, grows: bool = False) -> Platform:
    return Platform(name, machine, nodes, lambda count: xml_of(machine, replace(nodes, total=count)), grows)


def _find(name: str) -> tuple[Path | None, dict[str, str], str]:
    """Path of the specification or file (None: ideal), the values in brackets, and the name without them."""
    outside = name.partition("[")[0]
    of_file = "/" in outside or outside.strip().endswith((".toml", ".xml"))
    match = (FILE if of_file else NAME).match(name)
    if not match:
        raise UsageError(
            f'cannot read the platform "{name}"; write a name, name[key=value,…] or the path of a .toml or .xml file'
        )
    base, values = match.group(1), values_of(match.group(2) or "", name)
    if of_file:
        path = paths.expanded(base)
        if path.is_dir():
            path = path / "spec.toml"
        if path.suffix not in (".toml", ".xml"):
            raise UsageError(f"{path}: a platform is a specification (.toml) or a SimGrid platform file (.xml)")
        if not path.exists():
            raise UsageError(f"{path}: there is no such file")
        if not path.is_file():
            raise UsageError(f"{path}: not a regular file")
        if values and path.suffix == ".xml":
            raise UsageError(f"{path}: values in brackets belong to specifications; edit the file instead")
        return path, values, path.stem
    if base == "ideal":
        return None, values, base
    path = spec_path(base)
    if not path.exists():
        if base == HERE:
            raise UserError(f"{HERE} has not been measured yet; ./collscope calibrate does it in about a minute")
        beside = next((f"./{base}{s}" for s in (".toml", ".xml") if Path(f"{base}{s}").is_file()), None)
        if beside:
            raise UsageError(f'unknown platform "{base}"; did you mean {beside}{name.strip()[len(base) :]}?')
        raise unknown("platform", base, [*list_platforms(), HERE], "a path to a .toml or .xml file will do, too")
    return path, values, base


def _ideal(values: dict[str, str], name: str) -> Platform:
    numbers = ideal_numbers(values)
    cores, costs = int(numbers["cores"]), (numbers["alpha"], numbers["beta"], numbers["gamma"])
    nodes = EqualNodes(int(numbers["nodes"]), cores, 1, 1, numbers["gamma"], 0.0, "host{number}")
    return _platform(name, ideal(*costs, CLASSES), nodes, grows="nodes" not in values)
