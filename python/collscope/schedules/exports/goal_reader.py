"""GOAL text, as LogGOPSim's txt2bin reads it → the text of a schedule that has a time and promises nothing.

A rank of the model does one thing after the other. So the operations of a rank are put in an order: all that can begin does, in the order
of the file; where nothing can, the rank waits for what the first operation left requires. Where that makes an operation wait for messages
that it does not depend on, the time may be too long, and `Goal.delayed` counts them.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from collscope.base.errors import UserError

MAX_RANKS = 1 << 20
MAX_BYTES = 1 << 39
MAX_NANOSECONDS = 1 << 53
MAX_LABELS = 256  # of one pair of ranks: see collscope.h
LABEL = r"[A-Za-z][A-Za-z0-9_]*"
OPERATION = re.compile(
    rf"(?:({LABEL})\s*:\s*)?(?:(send|recv)\s+(\d{{1,18}})\s*b\s+(to|from)\s+(-1|\d{{1,9}})"
    r"(?:\s+tag\s+(-1|\d{1,18}))?(?:\s+cpu\s+\d+)?(?:\s+nic\s+\d+)?|calc\s+(\d{1,18})(?:\s+cpu\s+\d+)?)"
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)  # what begins first: of the other kind, nothing begins within it
DEPENDENCY = re.compile(rf"({LABEL})\s+(requires|irequires)\s+({LABEL})")


@dataclass(frozen=True)
class Task:
    """An operation, and what it depends on: tasks that must be over, and tasks that must have begun."""

    kind: str  # send, recv, calc
    size: int  # bytes, or nanoseconds
    peer: int = -1
    tag: int = 0
    line: int = 0
    requires: list[int] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Goal:
    """What was read: a schedule's text, its ranks, and how many operations wait for more than the file requires."""

    text: str
    ranks: int
    messages: int
    delayed: int


def read(path: Path) -> Goal:
    """The schedule of a file. UserError, with its line, where the file is not GOAL or has what our model has not: messages from
    any source or with any tag."""
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise UserError(f"{path}: not a regular file")
    try:
        ranks = _parse(path, path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not a text (byte {error.start})") from error
    labels: dict[tuple[int, int], dict[int, int]] = {}
    lines = ["collscope-schedule 1", f"call collective=none ranks={len(ranks)}"]
    delayed = messages = 0
    for rank, tasks in enumerate(ranks):
        room = max((task.size for task in tasks if task.kind != "calc"), default=0)
        lines.append(f"rank {rank} scratch={room}")
        steps, late = _order(path, tasks)
        delayed += late
        messages += sum(task.kind == "send" for task in tasks)
        lines += [f"  {line}" for line in _lines(path, rank, tasks, steps, labels)]
    return Goal("\n".join(lines) + "\n", len(ranks), messages, delayed)


# ---- the file --------------------------------------------------------------------------------------------------


def _parse(path: Path, text: str) -> list[list[Task]]:
    text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), text)
    ranks: list[list[Task]] = []
    found_ranks: set[int] = set()
    rank = -1
    names: dict[str, int] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        where = f"{path}:{number}"
        if not line:
            continue
        if found := re.fullmatch(r"num_ranks\s+(\d{1,9})", line):
            if ranks or not 1 <= int(found[1]) <= MAX_RANKS:
                raise UserError(f"{where}: {line[:40]}: expected once, from 1 to {MAX_RANKS}")
            ranks = [[] for _ in range(int(found[1]))]
        elif found := re.fullmatch(r"rank\s+(\d{1,9})\s*\{", line):
            if rank >= 0 or int(found[1]) >= len(ranks) or int(found[1]) in found_ranks:
                raise UserError(f"{where}: {line[:40]}: expected each of {len(ranks)} ranks once, after num_ranks")
            rank, names = int(found[1]), {}
            found_ranks.add(rank)
        elif line == "}" and rank >= 0:
            rank = -1
        elif rank < 0:
            raise UserError(f'{where}: {line[:40]}: expected "num_ranks P" or "rank R {{"')
        elif found := DEPENDENCY.fullmatch(line):
            _depend(where, ranks[rank], names, found)
        elif found := OPERATION.fullmatch(line):
            if found[1] and found[1] in names:
                raise UserError(f"{where}: {found[1]}: this label is taken")
            ranks[rank].append(_task(where, found, len(ranks), number))
            names |= {found[1]: len(ranks[rank]) - 1} if found[1] else {}
        else:
            raise UserError(f'{where}: {line[:40]}: expected "L: send 8b to 1 tag 0", "L: calc 100" or "L requires K"')
    if not ranks or rank >= 0:
        raise UserError(f"{path}: {'a closing bracket is missing' if ranks else 'there is no line num_ranks P'}")
    return ranks


def _task(where: str, found: re.Match[str], ranks: int, line: int) -> Task:
    if found[7]:
        return Task("calc", _at_most(where, found[7], MAX_NANOSECONDS), line=line)
    if "-1" in (found[5], found[6]):
        raise UserError(f"{where}: messages from any source, or with any tag, have no fixed schedule")
    if (found[2] == "send") != (found[4] == "to") or int(found[5]) >= ranks:
        raise UserError(f"{where}: expected send … to RANK or recv … from RANK, a rank from 0 to {ranks - 1}")
    return Task(found[2], _at_most(where, found[3], MAX_BYTES), int(found[5]), int(found[6] or 0), line)


def _at_most(where: str, digits: str, most: int) -> int:
    if int(digits) > most:
        raise UserError(f"{where}: {digits}: at most {most}")
    return int(digits)


def _depend(where: str, tasks: list[Task], names: dict[str, int], found: re.Match[str]) -> None:
    for name in (found[1], found[3]):
        if name not in names:
            raise UserError(f"{where}: {name}: there is no such label above")
    task = tasks[names[found[1]]]
    (task.requires if found[2] == "requires" else task.begun).append(names[found[3]])


# ---- the order ---------------------------------------------------------------------------------------------------

Step = tuple[str, Any]


def _order(where: Path, tasks: list[Task]) -> tuple[list[Step], int]:
    """("begin", task) and ("wait", tasks) of a rank, and how many tasks wait for messages that they do not depend on."""
    missing = [len(task.requires) + len(task.begun) for task in tasks]
    over_for: list[list[int]] = [[] for _ in tasks]
    begun_for: list[list[int]] = [[] for _ in tasks]
    for i, task in enumerate(tasks):
        for k in task.requires:
            over_for[k].append(i)
        for k in task.begun:
            begun_for[k].append(i)
    ready = [i for i, n in enumerate(missing) if not n]  # ascending: a heap
    steps: list[Step] = []
    waited: dict[int, int] = {}  # messages that are over, each with its place in the order of waiting
    known = [0] * len(tasks)  # a task depends on so many of them, the first ones
    begun = [False] * len(tasks)
    left = 0  # the tasks before this one have begun
    delayed = 0

    def loosen(waiting: list[int]) -> None:
        for j in waiting:
            missing[j] -= 1
            if not missing[j]:
                heapq.heappush(ready, j)

    while left < len(tasks):
        if ready:
            i = heapq.heappop(ready)
            begun[i] = True
            exact = _reach(tasks[i], known, waited) == len(waited)
            delayed += not exact
            known[i] = len(waited)
            steps.append(("begin", i))
            loosen(begun_for[i])
            if tasks[i].kind == "calc":
                loosen(over_for[i])
        else:
            stuck = next((j for j in range(left, len(tasks)) if not begun[j] and _is_near(tasks[j], begun)), None)
            if stuck is None:
                raise UserError(f"{where}:{tasks[left].line}: this operation depends on itself")
            needed = [k for k in dict.fromkeys(tasks[stuck].requires) if k not in waited and tasks[k].kind != "calc"]
            steps.append(("wait", needed))
            for k in needed:
                waited[k] = len(waited)
                loosen(over_for[k])
        while left < len(tasks) and begun[left]:
            left += 1
    rest = [i for i, task in enumerate(tasks) if i not in waited and task.kind != "calc"]
    return steps + ([("wait", rest)] if rest else []), delayed


def _is_near(task: Task, begun: list[bool]) -> bool:
    """All that it depends on has begun: it can be waited for."""
    return all(begun[k] for k in [*task.requires, *task.begun])


def _reach(task: Task, known: list[int], waited: dict[int, int]) -> int:
    """How many of the messages that are over this task depends on, itself or by what it depends on, counted from the first."""
    reach = max((known[k] for k in [*task.requires, *task.begun]), default=0)
    direct = {waited[k] for k in task.requires if k in waited}
    while reach in direct:
        reach += 1
    return reach


# ---- the text --------------------------------------------------------------------------------------------------


def _lines(
    path: Path, rank: int, tasks: list[Task], steps: list[Step], labels: dict[tuple[int, int], dict[int, int]]
) -> Iterator[str]:
    """A message that is waited for at once, by an operation that does something, blocks. A calculation of no time is a wait."""
    for n, (what, which) in enumerate(steps):
        if what == "wait":
            if not (len(which) == 1 and n and steps[n - 1] == ("begin", which[0]) and _blocks(tasks, steps, n)):
                yield f"wait {' '.join(map(str, which))}"
            continue
        task = tasks[which]
        if task.kind == "calc":
            if task.size:
                yield f"calc {task.size}"
            continue
        pair = labels.setdefault((rank, task.peer) if task.kind == "send" else (task.peer, rank), {})
        label = pair.setdefault(task.tag, len(pair))
        if label >= MAX_LABELS:
            raise UserError(f"{path}:{task.line}: ranks {rank} and {task.peer} use more than {MAX_LABELS} tags")
        what = f"scratch+0 {task.size}" if task.size else "nothing"
        direction = "to" if task.kind == "send" else "from"
        blocks = n + 1 < len(steps) and steps[n + 1] == ("wait", [which]) and _blocks(tasks, steps, n + 1)
        yield (
            f"{'' if blocks else 'i'}{task.kind} {what} {direction} {task.peer}"
            + (f" label {label}" if label else "")
            + ("" if blocks else f" as {which}")
        )


def _blocks(tasks: list[Task], steps: list[Step], wait: int) -> bool:
    """Whether the wait is the message's own: what follows it is a message or takes time."""
    if wait + 1 == len(steps):
        return True
    what, which = steps[wait + 1]
    return not (what == "begin" and tasks[which].kind == "calc" and not tasks[which].size)
