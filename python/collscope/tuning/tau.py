"""Profiles of TAU: its text files profile.N.0.0, one per rank (UO-OACISS/tau2, src/Profile/Profiler.cpp: writeHeader, writeFunctionData,
writeUserEvents).

Per MPI function a file has calls and microseconds, and beside them user events with what TauMpi.c takes for a call's bytes: how many,
largest, smallest and mean, not how many calls had which. Two functions share an event where one has blocks of several sizes: an event
with more entries than its function has calls tells nothing of the function. It has neither communicators nor roots, types,
MPI_IN_PLACE, the MPI library's name, or when ranks arrive. Hosts are in the metadata, so that whoever knows that all collectives are on
MPI_COMM_WORLD may say so."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from collscope.base.errors import UserError
from collscope.tuning import uses
from collscope.tuning.uses import Profile, Use

HEAD = re.compile(r"^(\d{1,9}) templated_functions(?:_MULTI_(\S+))?\n")
TIMES = ("TIME", "GET_TIME_OF_DAY", "LINUX_TIMERS", "P_WALL_CLOCK_TIME", "CLOCK_GETTIME")
"""Metrics that are microseconds of a clock on the wall."""
EVENTS = {
    "bcast": ("broadcast", 1), "reduce": ("reduce", 1), "allreduce": ("all-reduce", 1), "scan": ("scan", 1),
    "gather": ("gather", 1), "allgather": ("all-gather", 1), "alltoall": ("all-to-all", 2),
}  # fmt: skip
"""Of a function: its event behind "Message size for", and how many blocks, or vectors, its bytes are. Of scatter and reduce_scatter they
are what a rank passes where MPI looks at the root, and the first of all blocks."""
MAX_BYTES = float(1 << 62)
OF_ROOT = ("gather",)  # whose event the root alone has
_FUNCTION = re.compile(r'"(.*)" (\d{1,18}) \d+ \S+ (\S+) \S+ GROUP=".*" *')
_EVENT = re.compile(r'"(.*)" (\d{1,18}) (\S+) (\S+) (\S+) \S+ *')
_HOST = re.compile(r"<name>(?:MPI Processor Name|Hostname|Node Name)</name><value>([^<]*)</value>")
_FILE = re.compile(r"profile\.(\d+)\.(\d+)\.(\d+)")


@dataclass
class _Sizes:
    """Of an event, of all ranks."""

    count: int = 0
    total: float = 0.0
    smallest: float = float("inf")
    largest: float = 0.0
    ranks: list[int] = field(default_factory=list)


@dataclass
class _Sum:
    """Of all ranks: calls and seconds of a function, and what the events have."""

    calls: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    events: dict[str, _Sizes] = field(default_factory=dict)
    hosts: Counter[str] = field(default_factory=Counter)
    run_s: float = 0.0


def is_profile(path: str, text: str) -> bool:
    """Whether TAU wrote it: one of its files, or a folder of them."""
    return bool(HEAD.match(text)) if text else any(_files(Path(path)))


def profile(path: str) -> tuple[Profile, Counter[str]]:
    """Of the file of a rank, with those of all other ranks beside it, or of their folder; and how many ranks each host had. UserError: one
    is missing, was cut short, or is of a metric that is not a time."""
    files = _of_all_ranks(path)
    if len(files) == 1:
        raise UserError(f"{path}: the profile of one rank; copy the files of all ranks into one folder, and name that")
    made = _Sum()
    for rank, file in enumerate(files):
        _add(made, rank, str(file), _text(file))
    if sum(made.hosts.values()) != len(files):
        made.hosts.clear()
    found = [_use(name, made, len(files)) for name in uses.functions() if made.calls[name]]
    lacks = [
        "sizes of communicators; if all collectives are on MPI_COMM_WORLD, say so with --assume-world",
        "how many calls had which size, roots, types, MPI_IN_PLACE, the MPI library, when ranks arrive",
    ]
    return Profile(path, "TAU", "", len(files), made.run_s / len(files) or None, found, lacks), made.hosts


def on_world(found: Profile, hosts: Counter[str]) -> Profile:
    """The profile with all communicators taken for MPI_COMM_WORLD. UserError: its files do not say where ranks were."""
    if not hosts:
        raise UserError(
            f"{found.file}: --assume-world: no host in the metadata of some rank; profile again without TAU_METADATA=0"
        )
    return uses.on_world(found, hosts)


def _files(folder: Path) -> list[tuple[int, Path]]:
    """Rank → file, of its first thread."""
    if not folder.is_dir():
        return []
    named = [(found, file) for file in folder.iterdir() if (found := _FILE.fullmatch(file.name))]
    return sorted((int(found[1]), file) for found, file in named if found[2] == found[3] == "0")


def _of_all_ranks(path: str) -> list[Path]:
    files = _files(Path(path) if Path(path).is_dir() else Path(path).parent)
    if Path(path).is_file() and not any(file.name == Path(path).name for _, file in files):
        raise UserError(
            f"{path}: TAU's files are named profile.RANK.0.0, one per rank: keep the names, all in one folder"
        )
    for expected, (rank, _) in enumerate(files):
        if rank != expected:
            raise UserError(f"{path}: profile.{expected}.0.0 is missing beside the others; copy the files of all ranks")
    return [file for _, file in files]


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: cannot be read as text: {error}") from error


def _add(made: _Sum, rank: int, path: str, text: str) -> None:
    """A rank."""
    head = HEAD.match(text)
    if not head:
        raise UserError(f"{path}: not a profile of TAU; profile again")
    if head[2] and head[2] not in TIMES:
        raise UserError(f"{path}: of the metric {head[2]}; name the profile of TIME, which is in MULTI__TIME")
    lines = text.split("\n")
    if host := _HOST.search(lines[1]):
        made.hosts[host[1]] += 1
    functions, rest = lines[2 : 2 + int(head[1])], lines[2 + int(head[1]) :]
    for line in functions:
        found = _match(path, _FUNCTION, line)
        name = re.fullmatch(r"MPI_(\w+)\(\) *", found[1])
        if name:
            key = name[1].lower()
            made.calls[key] += int(found[2])
            made.seconds[key] = made.seconds.get(key, 0.0) + _number(path, found[3]) * 1e-6
        elif found[1].strip() == ".TAU application":
            made.run_s += _number(path, found[3]) * 1e-6
    if not rest or rest[0] != "0 aggregates":
        raise UserError(f"{path}: it ends before its last function: it was cut short; copy it again, or profile again")
    count = re.fullmatch(r"(\d{1,9}) userevents", rest[1]) if len(rest) > 1 else None
    for line in rest[3 : 3 + int(count[1])] if count else ():
        found = _match(path, _EVENT, line)
        if found[1].startswith("Message size for ") and int(found[2]):
            largest, smallest, mean = (_number(path, found[i]) for i in (3, 4, 5))
            if not smallest <= largest <= MAX_BYTES:
                raise UserError(f'{path}: "{line[:60]}": these are not sizes; the profile was changed')
            sizes = made.events.setdefault(found[1].removeprefix("Message size for "), _Sizes())
            sizes.count += int(found[2])
            sizes.total += int(found[2]) * mean
            sizes.smallest, sizes.largest = min(sizes.smallest, smallest), max(sizes.largest, largest)
            sizes.ranks.append(rank)
    if count and len(rest) < 3 + int(count[1]):
        raise UserError(f"{path}: it ends before its last event: it was cut short; copy it again, or profile again")


def _use(name: str, made: _Sum, ranks: int) -> Use:
    """All calls of a function."""
    event, blocks = EVENTS.get(name, ("", 1))
    sizes = made.events.get(event)
    if sizes and sizes.count != made.calls[name] and name not in OF_ROOT:
        sizes = None
    if name in OF_ROOT and made.calls[f"{name}v"]:
        sizes = None
    count = made.calls[name]
    return Use(
        collective=name,
        where="all calls",
        ranks=None,
        nodes=None,
        per_node=None,
        communicators=None,
        bytes=uses.classes(sizes.smallest / blocks, sizes.largest / blocks) if sizes else None,
        mean_bytes=sizes.total / sizes.count / blocks if sizes else None,
        calls=count / ranks,
        call_count=max(1, count // ranks),
        in_place=False,
        root=sizes.ranks[0] if sizes and name in OF_ROOT and len(sizes.ranks) == 1 else 0,
        type="",
        algorithm=None,
        passed_on="",
        seconds=made.seconds[name] / ranks,
        arrival=None,
    )


def _match(path: str, pattern: re.Pattern[str], line: str) -> re.Match[str]:
    found = pattern.fullmatch(line)
    if not found:
        raise UserError(f'{path}: "{line[:60]}" where TAU has a function or an event; it was changed or cut short')
    return found


def _number(path: str, word: str) -> float:
    return uses.number(path, word, "TAU")
