"""A schedule as text, played a round at a time: who sends to whom, what every rank holds, and who waits for ever.

In a round a rank sends one message and receives one; a send waits for its receive. It is made for pictures of wrong schedules, which the
prover's own holdings refuse: it goes on as far as the schedule does."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

MAX_ROUNDS = 200
Value = tuple[int, tuple[int, ...]]
"""Of an element: which one it is of a rank's data, and whose data are combined in it, from left to right."""
PLACE = re.compile(r"(in|out|scratch)\+(\d+)")


@dataclass
class Message:
    """One side of a message."""

    rank: int
    peer: int
    place: tuple[str, int] | None
    bytes: int
    sends: bool
    done: bool = False


@dataclass
class Rank:
    """A rank's operations, what it holds, and where it stands."""

    operations: list[list[str]]
    memory: dict[tuple[str, int], Value] = field(default_factory=dict)
    at: int = 0
    open: dict[str, Message] = field(default_factory=dict)  # requests
    waits: list[Message] = field(default_factory=list)


@dataclass(frozen=True)
class Played:
    """What became of a schedule: messages of each round, and what each rank held after it ([0]: at the start)."""

    collective: str
    ranks: int
    count: int
    rounds: list[list[tuple[int, int]]]
    held: list[list[dict[tuple[str, int], Value]]]
    stuck: list[int]  # ranks that wait for ever


def read(text: str) -> tuple[dict[str, str], list[Rank]] | None:
    """The call and the ranks of a schedule; None where it has operations that are not played here."""
    call: dict[str, str] = {}
    ranks: list[Rank] = []
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "call" and len(words) > 2:
            call = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        elif words[0] == "rank":
            ranks.append(Rank([]))
        elif words[0] in ("segment", "seg_write", "seg_read", "publish", "await", "recv_any", "call"):
            return None
        elif ranks and words[0] not in ("piece", "calc", "mark"):
            ranks[-1].operations.append(words)
    return (call, ranks) if call and ranks else None


def play(text: str) -> Played | None:
    """Plays a schedule as far as it goes; None where it cannot be played here."""
    found = read(text)
    if not found:
        return None
    call, ranks = found
    elem, count = int(call.get("elem", 4)), int(call.get("count", 0))
    collective, root = call["collective"], int(call.get("root", 0))
    for r, rank in enumerate(ranks):
        _start(rank, r, collective, root, count, len(ranks))
    queues: dict[tuple[int, int, bool], deque[Message]] = {}
    rounds: list[list[tuple[int, int]]] = []
    for r, rank in enumerate(ranks):
        _advance(rank, r, elem, queues)
    held = [[dict(rank.memory) for rank in ranks]]
    while len(rounds) < MAX_ROUNDS:
        moved = _exchange(ranks, elem, queues)
        if not moved:
            break
        for r, rank in enumerate(ranks):
            _advance(rank, r, elem, queues)
        rounds.append(moved)
        held.append([dict(rank.memory) for rank in ranks])
    stuck = [r for r, rank in enumerate(ranks) if rank.at < len(rank.operations) or rank.waits]
    return Played(collective, len(ranks), count, rounds, held, stuck)


def _start(rank: Rank, r: int, collective: str, root: int, count: int, p: int) -> None:
    """What a rank holds before the call."""
    if collective == "bcast":
        if r == root:
            rank.memory.update({("out", i): (i, (r,)) for i in range(count)})
        return
    whole = collective in ("scatter", "alltoall", "reduce_scatter_block")
    if collective != "scatter" or r == root:
        rank.memory.update({("in", i): (i, (r,)) for i in range(count * p if whole else count)})


def _place(word: str, elem: int) -> tuple[str, int] | None:
    found = PLACE.fullmatch(word)
    return (found[1], int(found[2]) // elem) if found else None


def _advance(rank: Rank, r: int, elem: int, queues: dict[tuple[int, int, bool], deque[Message]]) -> None:
    """Goes on until the rank waits."""
    while True:
        rank.waits = [m for m in rank.waits if not m.done]
        if rank.waits or rank.at == len(rank.operations):
            return
        words = rank.operations[rank.at]
        rank.at += 1
        kind = words[0]
        if kind == "wait":
            rank.waits = [rank.open.pop(name) for name in words[1:] if name in rank.open]
        elif kind in ("send", "recv", "isend", "irecv"):
            sends = kind.endswith("send")
            nothing = words[1] == "nothing"
            place, size = (None, 0) if nothing else (_place(words[1], elem), int(words[2]))
            rest = words[2:] if nothing else words[3:]
            message = Message(r, int(rest[1]), place, size, sends)
            queues.setdefault((r, message.peer, sends), deque()).append(message)
            if kind.startswith("i"):
                rank.open[rest[rest.index("as") + 1]] = message
            else:
                rank.waits = [message]
        elif kind in ("copy", "reduce"):
            source, size, target = _place(words[1], elem), int(words[2]), _place(words[4], elem)
            if source and target:
                _local(rank, kind, source, target, size // elem)


def _local(rank: Rank, kind: str, source: tuple[str, int], target: tuple[str, int], n: int) -> None:
    """Copies, or combines: the source is the left operand."""
    left = [rank.memory.get((source[0], source[1] + i)) for i in range(n)]
    for i, value in enumerate(left):
        at = (target[0], target[1] + i)
        right = rank.memory.get(at)
        if kind == "reduce" and value and right:
            rank.memory[at] = (right[0], value[1] + right[1])
        elif kind == "copy" and value:
            rank.memory[at] = value


def _exchange(
    ranks: list[Rank], elem: int, queues: dict[tuple[int, int, bool], deque[Message]]
) -> list[tuple[int, int]]:
    """Delivers the messages of a round: of each rank one that it sends and one that it receives."""
    busy: set[tuple[int, bool]] = set()
    moved = []
    for (sender, receiver, sends), queue in list(queues.items()):
        if not sends or not queue or (sender, True) in busy or (receiver, False) in busy:
            continue
        waiting = queues.get((receiver, sender, False))
        if not waiting:
            continue
        busy |= {(sender, True), (receiver, False)}
        moved.append((queue.popleft(), waiting.popleft()))
    taken = []
    for out, into in moved:  # all are read before any is written
        n = min(out.bytes, into.bytes) // elem
        taken.append(
            [ranks[out.rank].memory.get((out.place[0], out.place[1] + i)) for i in range(n)] if out.place else []
        )
    for (out, into), values in zip(moved, taken, strict=True):
        out.done = into.done = True
        for i, value in enumerate(values):
            if into.place and value:
                ranks[into.rank].memory[into.place[0], into.place[1] + i] = value
    return sorted((out.rank, into.rank) for out, into in moved)


# ---- as text ----------------------------------------------------------------------------------------------------------------------


def picture(played: Played, root: int, width: int = 78) -> list[str]:
    """Lines: a row per rank, a column per round, what it holds in each; below, who sends to whom."""
    cells = [[_cell(played, r, memory, root) for r, memory in enumerate(state)] for state in played.held]
    names = ["start", *(f"{k}" for k in range(1, len(cells)))]
    columns = [[name, *column] for name, column in zip(names, cells, strict=True)]
    wide = [max(map(len, column)) for column in columns]
    left = len(f"rank {played.ranks - 1}")
    shown: list[int] = []
    for k in range(len(columns)):
        if left + sum(wide[i] + 2 for i in [*shown, k]) <= width:
            shown.append(k)
    lines = []
    for row in range(played.ranks + 1):
        head = f"rank {row - 1}" if row else "round"
        lines.append(f"{head:<{left}}" + "".join(f"  {columns[k][row]:<{wide[k]}}" for k in shown))
    lines = [line.rstrip() for line in lines]
    if len(shown) < len(columns):
        lines.append(f"(rounds {len(shown)} to {len(columns) - 1} have no room)")
    for k, messages in enumerate(played.rounds, 1):
        words = [f"{a}→{b}" for a, b in messages]
        line = f"round {k}: " + "  ".join(words)
        lines.append(line if len(line) <= width else line[: width - 1] + "…")
    return lines


def _cell(played: Played, r: int, memory: dict[tuple[str, int], Value], root: int) -> str:
    """What a rank holds, in a few characters."""
    p, count, name = played.ranks, played.count, played.collective
    if name == "bcast":
        have = sum(memory.get(("out", i)) == (i, (root,)) for i in range(count))
        return "x" if have == count and count else "." if not have else f"{have}/{count}"
    if name in ("reduce", "allreduce", "scan", "exscan"):
        if count == 1 or name == "reduce":
            return _combined(memory, 0)
        return "".join(_digit(memory, i, p) for i in range(min(count, 12)))
    if name == "scatter":
        return "x" if memory.get(("out", 0)) else "."
    blocks = [memory.get(("out", b * count)) for b in range(p if name != "rotation" else 1)]
    return "".join("." if not block else _letter(block[1][0]) for block in blocks)


def _combined(memory: dict[tuple[str, int], Value], element: int) -> str:
    """The ranks whose element is combined furthest, in the order of the operands: 0-3, or 1,0 where the order is wrong."""
    found = max((value[1] for value in memory.values() if value[0] == element), key=len, default=())
    runs: list[list[int]] = []
    for rank in found:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs) or "."


def _digit(memory: dict[tuple[str, int], Value], element: int, p: int) -> str:
    """Of how many ranks an element is combined: 1 … 9, + for more, * for all."""
    most = max((len(value[1]) for value in memory.values() if value[0] == element), default=0)
    return "." if not most else "*" if most >= p else str(most) if most < 10 else "+"


def _letter(rank: int) -> str:
    return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[rank % 52]
