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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
SIZE = "Message size for "
MAX_BYTES = float(1 << 62)
OF_ROOT = ("gather",)  # whose event the root alone has
_FUNCTION = re.compile(r'"(.*)" (\d{1,18}) \d+ \S+ (\S+) \S+ GROUP=".*" *')
_EVENT = re.compile(r'"(.*)" (\d{1,18}) (\S+) (\S+) (\S+) \S+ *')
_HOST = re.compile(r"<name>(?:MPI Processor Name|Hostname|Node Name)</name><value>([^<]*)</value>")
_FILE = re.compile(r"profile\.(\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True)
class _Sizes:
    """Of an event: how many entries, and their bytes."""

    count: int
    total: float
    smallest: float
    largest: float


@dataclass(frozen=True)
class _Rank:
    """What a file has. calls, seconds: by function; events: by what stands behind "Message size for"."""

    calls: Mapping[str, int]
    seconds: Mapping[str, float]
    events: Mapping[str, _Sizes]
    host: str
    run_s: float


def is_profile(path: str, text: str) -> bool:
    """Whether TAU wrote it: one of its files, or a folder of them."""
    return bool(HEAD.match(text)) if text else any(_files(Path(path)))


def profile(path: str) -> tuple[Profile, Counter[str]]:
    """Of the file of a rank, with those of all other ranks beside it, or of their folder; and how many ranks each host had. UserError: one
    is missing, was cut short, or is of a metric that is not a time."""
    files = _of_all_ranks(path)
    if len(files) == 1:
        raise UserError(f"{path}: the profile of one rank; copy the files of all ranks into one folder, and name that")
    ranks = [_rank(str(file), _text(file)) for file in files]
    found = [_use(name, ranks) for name in uses.functions() if any(name in rank.calls for rank in ranks)]
    lacks = [
        uses.COMMUNICATORS,
        "how many calls had which size, roots, types, MPI_IN_PLACE, the MPI library, when ranks arrive",
    ]
    hosts = Counter(rank.host for rank in ranks)
    run_s = sum(rank.run_s for rank in ranks) / len(ranks)
    return Profile(path, "TAU", "", len(ranks), run_s or None, found, lacks), hosts


def on_world(found: Profile, hosts: Counter[str]) -> Profile:
    """The profile with all communicators taken for MPI_COMM_WORLD. UserError: its files do not say where ranks were."""
    if hosts[""]:
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


def _rank(path: str, text: str) -> _Rank:
    """Of a file."""
    head = HEAD.match(text)
    if not head:
        raise UserError(f"{path}: not a profile of TAU; profile again")
    if head[2] and head[2] not in TIMES:
        raise UserError(f"{path}: of the metric {head[2]}; name the profile of TIME, which is in MULTI__TIME")
    lines = text.split("\n")
    functions, rest = lines[2 : 2 + int(head[1])], lines[2 + int(head[1]) :]
    calls: dict[str, int] = {}
    seconds: dict[str, float] = {}
    run_s = 0.0
    for line in functions:
        found = _match(path, _FUNCTION, line)
        if name := re.fullmatch(r"MPI_(\w+)\(\) *", found[1]):
            key = name[1].lower()
            calls[key] = calls.get(key, 0) + int(found[2])
            seconds[key] = seconds.get(key, 0.0) + _number(path, found[3]) * 1e-6
        elif found[1].strip() == ".TAU application":
            run_s = _number(path, found[3]) * 1e-6
    if not rest or rest[0] != "0 aggregates":
        raise UserError(f"{path}: it ends before its last function: it was cut short; copy it again, or profile again")
    host = _HOST.search(lines[1])
    return _Rank(calls, seconds, _events(path, rest[1:]), host[1] if host else "", run_s)


def _events(path: str, lines: Sequence[str]) -> dict[str, _Sizes]:
    """Those of sizes of messages, of the lines behind the functions."""
    head = re.fullmatch(r"(\d{1,9}) userevents", lines[0]) if lines else None
    count = int(head[1]) if head else 0
    if len(lines) < 2 + count and head:
        raise UserError(f"{path}: it ends before its last event: it was cut short; copy it again, or profile again")
    made: dict[str, _Sizes] = {}
    for line in lines[2 : 2 + count]:
        found = _match(path, _EVENT, line)
        largest, smallest, mean = (_number(path, found[i]) if found[1].startswith(SIZE) else 0.0 for i in (3, 4, 5))
        if not smallest <= largest <= MAX_BYTES or mean > MAX_BYTES:
            raise UserError(f'{path}: "{line[:60]}": these are not sizes; the profile was changed')
        if found[1].startswith(SIZE) and int(found[2]):
            made[found[1].removeprefix(SIZE)] = _Sizes(int(found[2]), int(found[2]) * mean, smallest, largest)
    return made


def _use(name: str, ranks: Sequence[_Rank]) -> Use:
    """All calls of a function."""
    event, blocks = EVENTS.get(name, ("", 1))
    count = sum(rank.calls.get(name, 0) for rank in ranks)
    of = {i: rank.events[event] for i, rank in enumerate(ranks) if event in rank.events}
    mixed = (
        any(f"{name}v" in rank.calls for rank in ranks)
        if name in OF_ROOT
        else sum(sizes.count for sizes in of.values()) != count
    )
    sized = list(of.values()) if not mixed else []
    smallest, largest = (min(s.smallest for s in sized), max(s.largest for s in sized)) if sized else (0.0, 0.0)
    return Use(
        collective=name,
        where="all calls",
        ranks=None,
        nodes=None,
        per_node=None,
        communicators=None,
        bytes=uses.classes(smallest / blocks, largest / blocks) if sized else None,
        mean_bytes=sum(s.total for s in sized) / sum(s.count for s in sized) / blocks if sized else None,
        calls=count / len(ranks),
        call_count=max(1, count // len(ranks)),
        in_place=False,
        root=next(iter(of)) if sized and name in OF_ROOT and len(of) == 1 else 0,
        type="",
        algorithm=None,
        passed_on="",
        seconds=sum(rank.seconds.get(name, 0.0) for rank in ranks) / len(ranks),
        arrival=None,
    )


def _match(path: str, pattern: re.Pattern[str], line: str) -> re.Match[str]:
    found = pattern.fullmatch(line)
    if not found:
        raise UserError(f'{path}: "{line[:60]}" where TAU has a function or an event; it was changed or cut short')
    return found


def _number(path: str, word: str) -> float:
    return uses.number(path, word, "TAU")
