"""What a student hands in, read with care: it may be a link, a pipe, or without end. And its program, built in the jail."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from collscope.base import paths
from collscope.base.errors import UsageError, UserError
from collscope.labs import sandbox
from collscope.labs.lab import Lab, load
from collscope.labs.sandbox import Jail, Limits
from collscope.setup import own_algorithms

MAX_BYTES = 256 << 10  # of a file
HEADERS = ("collscope.h", "patterns/*.h")  # that students may include
MAY_CALL = ("coll_sub", "coll_grouping_make", "coll_grouping_free")
COMPILING = Limits(cpu_s=8, data_bytes=1 << 30, file_bytes=16 << 20, forks=True)
MAX_LINES = 12  # of a compiler's message


class Missing(UserError):
    """Something that was to be handed in is not there, or cannot be read."""


class NotBuilt(UserError):
    """The file does not become a program."""


def read(folder: Path, name: str) -> bytes:
    """A file of the folder. Missing: it does not exist, is not an ordinary file, or too large."""
    try:
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Missing(f"{name} is missing{_below(folder, name)}") from None
    except OSError as error:
        link = (folder / name).is_symlink()
        raise Missing(
            f"{name} {'is a link; hand in the file itself' if link else f'cannot be read: {error.strerror}'}"
        ) from error
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Missing(f"{name} is not an ordinary file")
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Missing(f"{name} is larger than {MAX_BYTES >> 10} KiB")
    return data


def _below(folder: Path, name: str) -> str:
    """Where a file of this name lies instead, as archives unpack to a folder within a folder; "": nowhere."""
    inner = next((path.parent.name for path in sorted(folder.glob(f"*/{name}"))), "")
    return f"; there is one in {inner}/: name that folder" if inner else ""


def table(folder: Path, name: str) -> dict[str, Any]:
    """A TOML file of the folder. Missing: it is not there, or not TOML."""
    text = ""
    try:
        text = read(folder, name).decode("utf-8-sig")
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise Missing(f"{name} cannot be read: {str(error)[:200] or 'it is too deep'}{_line(text, error)}") from error


def _line(text: str, error: Exception) -> str:
    """The line of a TOML file that is wrong, and what is mostly wrong with it; "" where the error names none."""
    found = re.search(r"at line (\d+)", str(error))
    lines = text.splitlines()
    if not found or not 0 < int(found[1]) <= len(lines):
        return ""
    return f': `{lines[int(found[1]) - 1].strip()[:60]}`; a text stands in quotes, "…", a number by itself'


def answers(folder: Path) -> dict[str, Any]:
    """answers.toml as a table. Missing: it is not there, or not TOML."""
    return table(folder, "answers.toml")


def lab_of(folder: Path) -> Lab:
    """The lab that a student's folder is for: the line `lab = …` of its answers.toml. UsageError: it does not say."""
    name = answers(folder).get("lab")
    if not isinstance(name, str):
        raise UsageError(f'{folder}/answers.toml: no line lab = "NAME"; begin with ./collscope lab start NAME {folder}')
    return load(name)


@dataclass(frozen=True)
class Built:
    """A student's program: the prover with the algorithms of one file."""

    jail: Jail
    program: Path
    keys: tuple[str, ...]
    lines: tuple[str, ...]  # of the file
    held: str  # what kept it in while it was built


@lru_cache(maxsize=1)
def _recipe() -> tuple[list[str], list[str]]:
    return own_algorithms.recipe(own_algorithms.programs_of("prove"), "collscope-prove")


def build(folder: Path, name: str, scratch: Path, only: str = "") -> Built:
    """Builds the file of a student's folder in a folder below `scratch`. Missing or NotBuilt say why it cannot be."""
    data = read(folder, name)
    box = scratch / "box"
    box.mkdir(parents=True)
    source = box / name
    source.write_bytes(data)
    try:
        own = own_algorithms.read(str(source))
    except UserError as error:
        raise NotBuilt(str(error).replace(f"{box}/", "")) from error
    tree = own_algorithms.programs_of("prove")
    include = box / "include"
    for pattern in HEADERS:
        for header in (paths.ROOT / "algorithms").glob(pattern):
            target = include / header.relative_to(paths.ROOT / "algorithms")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(header, target)
    registry = paths.ROOT / own_algorithms.ROOTED
    decisions = paths.ROOT / "algorithms" / "decision" / "rules.h"
    compiling, link = _recipe()
    listed = " ".join(f"X({symbol})" for symbol in own.algorithms.values())
    compiler = sandbox.compiler()
    words = [compiler, *(w for w in compiling[1:] if not w.startswith(("-I", "-fmacro-prefix-map")))]
    more = [f"-I{include}", f"-fmacro-prefix-map={box}/=", "-fdiagnostics-color=never"]
    objects = [box / "own.o", box / "registry.o"]
    program = box / "program"
    place = link.index("-o")
    libraries = [str(tree / w) if (tree / w).exists() else w for w in [*link[1:place], *link[place + 2 :]]]
    commands = [
        [*own_algorithms.compiling(words, source, objects[0]), *more],
        [str(Path(shutil.which("nm") or "nm").resolve()), "-u", str(objects[0])],
        [compiler, *own_algorithms.compiling(compiling, registry, objects[1])[1:], f"-DOWN_ALGORITHMS(X)={listed}"],
        [compiler, *map(str, objects), "-o", str(program), *libraries],
    ]
    reads = (tree, paths.ROOT / "algorithms" / "collscope.h", registry, decisions)
    held, done = Jail(box, reads, only).run(commands, COMPILING, writes=True)
    if done[0].status:
        raise NotBuilt(
            f"{name} does not compile{done[0].why and ': '}{done[0].why}\n{_clipped(done[0].errors, box)}".strip()
        )
    calls = [w for w in re.findall(r"\bU (\w+)", done[1].output) if w.startswith("coll_") and w not in MAY_CALL]
    if calls:
        raise NotBuilt(
            f"{name} calls {', '.join(sorted(set(calls)))}, which does the work of the lab; use the operations of collscope.h"
        )
    if done[-1].status or len(done) < len(commands):
        raise NotBuilt(
            f"{name} cannot be linked{done[-1].why and ': '}{done[-1].why}\n{_clipped(done[-1].errors, box)}".strip()
        )
    text = data.decode(errors="replace").splitlines()
    return Built(Jail(box, (), only), program, tuple(own.algorithms), tuple(text), held)


def _clipped(text: str, box: Path) -> str:
    """The first lines of a compiler's message, with the file's own name."""
    lines = text.replace(f"{box}/", "").splitlines()
    more = [f"… {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    return "\n".join([line[:200] for line in lines[:MAX_LINES]] + more)
