"""Algorithms in files outside the tree: each is compiled and linked with the programs that are built, beside the whole catalogue.

The programs lie in .cache/own/DIGEST/PRESET; how to compile and link them is asked of the build itself (ninja -t commands).
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from collscope.base import paths, programs
from collscope.base.errors import UserError

MAX_BYTES = 1 << 20  # of a file
DESCRIPTOR = re.compile(r"^(?:extern\s+)?const\s+coll_alg\s+(\w+)\s*=\s*\{(.*?)\}\s*;", re.MULTILINE | re.DOTALL)
KEY = re.compile(r'\.key\s*=\s*"([^"]+)"')
COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', re.DOTALL)
"""A comment; or a string, the group, which may hold what looks like one."""
HEADER = re.compile(r'^\s*#\s*include\s*"([^"\n]+)"', re.MULTILINE)
TARGETS = {
    "prove": ("collscope-prove", "collscope-recorded"),
    "smpi": ("collscope-driver",),
    "mpi": ("collscope-driver",),
}
ROOTED = "algorithms/registry.c"


@dataclass(frozen=True)
class Own:
    """A file outside the tree, and its algorithms: key → the name of its descriptor."""

    path: Path
    text: str
    algorithms: dict[str, str]
    headers: tuple[Path, ...] = ()  # that lie beside it, and those that they include


def is_file_name(word: str) -> bool:
    """Whether a word of an option names a C file rather than an algorithm."""
    return word.endswith(".c")


def read(name: str) -> Own:
    """The file of this name. UserError: it cannot be read, or has no descriptor with a key."""
    path = Path(name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{name}: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise UserError(f"{name}: larger than {MAX_BYTES >> 20} MiB, which is not a file of an algorithm")
    text = data.decode("utf-8", errors="replace")
    code = _code(text)
    found: dict[str, str] = {}
    for symbol, body in DESCRIPTOR.findall(code):
        key = KEY.search(body)
        if not key:
            raise UserError(f'{name}: {symbol} has no key; add .key = "COLLECTIVE/NAME"')
        if key[1] in found:
            raise UserError(f"{name}: two descriptors have the key {key[1]}; rename one")
        found[key[1]] = symbol
    if not found:
        raise UserError(
            f"{name}: no algorithm: expected `const coll_alg NAME = {{ .key = …, .run = … }};` (docs/your_own_algorithm.md)"
        )
    return Own(path.resolve(), text, found, tuple(_headers(path.resolve(), text)))


def _code(text: str) -> str:
    """C without its comments."""
    return COMMENT.sub(lambda found: found[1] or "", text)


def _headers(path: Path, text: str) -> list[Path]:
    """The files that a file includes by a name beside itself, and those that they include; what it has from the tree is not among them."""
    found: dict[Path, None] = {}
    todo = [(path, text)]
    while todo:
        at, text = todo.pop()
        for name in HEADER.findall(_code(text)):
            header = (at.parent / name).resolve()
            if header.is_file() and header not in found:
                found[header] = None
                todo.append((header, header.read_text(encoding="utf-8", errors="replace")))
    return list(found)


def check_keys(files: Sequence[Own], folder: Path) -> None:
    """UserError, with both files: a key or a descriptor's name is in the catalogue, whose sources lie in `folder`, or in two files."""
    owners: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.c")):
        for symbol, body in DESCRIPTOR.findall(_code(path.read_text(encoding="utf-8"))):
            owners[symbol] = path
            if key := KEY.search(body):
                owners[key[1]] = path
    for own in files:
        for name in (name for pair in own.algorithms.items() for name in pair):
            if name in owners:
                raise UserError(f"{own.path}: {name} is in {paths.display(owners[name])} already; choose another name")
            owners[name] = own.path


def use(names: Sequence[str]) -> dict[str, list[str]]:
    """From here on every program of this process knows the algorithms of these files, too. Name of a file → its keys.

    UserError: a file cannot be read or compiled, or a key is taken."""
    files = {name: read(name) for name in dict.fromkeys(names)}
    check_keys(list(files.values()), paths.ROOT / "algorithms")
    made = {}
    for preset, targets in TARGETS.items():
        for target in targets:
            if (programs_of(preset) / target).exists():
                made[preset, target] = _build(preset, target, list(files.values()))
    programs.use_own(made, [path for own in files.values() for path in (own.path, *own.headers)])
    return {name: list(own.algorithms) for name, own in files.items()}


def programs_of(preset: str) -> Path:
    """The folder of a preset's programs."""
    return paths.BUILD / preset


def _build(preset: str, target: str, files: Sequence[Own]) -> Path:
    """The program of a target with these algorithms, made where it is not there yet."""
    tree = programs_of(preset)
    base = tree / target
    stat = base.stat()
    parts = [f"{base}:{stat.st_mtime_ns}:{stat.st_size}", *(f"{own.path}\0{own.text}" for own in files)]
    parts += [
        f"{header}\0{header.read_text(encoding='utf-8', errors='replace')}" for own in files for header in own.headers
    ]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    folder = paths.cache_dir() / "own" / digest
    program = folder / target
    if program.exists():
        return program
    paths.make_dir(folder)
    compile_registry, link = recipe(tree, target)
    listed = " ".join(f"X({symbol})" for own in files for symbol in own.algorithms.values())
    objects = []
    for i, own in enumerate(files):
        objects.append(folder / f"own{i}.o")
        _run(compiling(compile_registry, own.path, objects[-1]), tree, own.path)
    objects.append(folder / "registry.o")
    source = paths.ROOT / ROOTED
    _run([*compiling(compile_registry, source, objects[-1]), f"-DOWN_ALGORITHMS(X)={listed}"], tree, source)
    place = link.index("-o")
    unfinished = folder / f"{target}.{os.getpid()}"
    _run([*link[:place], *map(str, objects), "-o", str(unfinished), *link[place + 2 :]], tree, files[0].path)
    os.replace(unfinished, program)
    return program


def recipe(tree: Path, target: str) -> tuple[list[str], list[str]]:
    """(the words that compile the registry, those that link a target). UserError: the build does not say."""
    commands = _commands(tree, target)
    compile_registry = next((c for c in commands if c[-1].endswith(ROOTED)), None)
    link = commands[-1] if commands else None
    if compile_registry is None or link is None or "-o" not in link:
        raise UserError(f"{tree}: how {target} is built cannot be found out; run ./collscope setup")
    return compile_registry, link


def _commands(tree: Path, target: str) -> list[list[str]]:
    """The commands that build a target, as words; the last one links it."""
    try:
        done = programs.answer(["ninja", "-C", tree, "-t", "commands", target])
    except OSError as error:
        raise UserError(f"ninja: {error.strerror}; run ./collscope doctor") from error
    words = [shlex.split(line) for line in done.stdout.splitlines() if " -o " in line]
    return [[w for w in line if w not in (":", "&&")] for line in words]


def compiling(command: Sequence[str], source: Path, target: Path) -> list[str]:
    """The words that compile `source` as the registry is compiled."""
    words = list(command[:-2])  # without "-c registry.c"
    for option in ("-MF", "-MT", "-o"):
        place = words.index(option) if option in words else -1
        if place >= 0:
            del words[place : place + 2]
    return [*(w for w in words if w != "-MD"), "-o", str(target), "-c", str(source)]


def _run(command: Sequence[str], tree: Path, source: Path) -> None:
    """UserError with the compiler's words: it fails."""
    try:
        done = programs.answer(command, cwd=tree, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise UserError(f"{command[0]}: {error.strerror}; run ./collscope doctor") from error
    if done.returncode:
        words = (done.stderr or done.stdout).strip()
        raise UserError(f"{paths.display(source)} does not compile:\n{words}")
    if done.stderr.strip():
        import sys

        print(done.stderr.strip(), file=sys.stderr)
