"""A schedule as every rank's operations, without waits: read from a file, cut into shorter messages, put into another order, and written
with the waits that its bytes need."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from collscope.synthesis.operations import Operation, Place, woven

MESSAGES = {"send": "isend", "isend": "isend", "recv": "irecv", "irecv": "irecv"}
LOCAL = ("reduce", "copy")
HEAD = re.compile(r"call .*\belem=(\d+)\b")


@dataclass(frozen=True)
class Schedule:
    """`call`: the line of the call; scratch and operations of each rank, in the order in which they are begun. What belongs together in
    steps may have an end (None) behind it: everything before is over there."""

    call: str
    origin: str
    scratch: tuple[int, ...]
    ranks: tuple[tuple[Operation | None, ...], ...]

    @property
    def elem(self) -> int:
        """Bytes of an element."""
        found = HEAD.match(self.call)
        return int(found[1]) if found else 4

    def text(self) -> str:
        """The file."""
        head = ["collscope-schedule 1", f"algorithm {self.origin}", self.call]
        ranks = zip(self.scratch, self.ranks, strict=True)
        body = [f"rank {rank} scratch={scratch}\n{_lines(ops)}" for rank, (scratch, ops) in enumerate(ranks)]
        return "\n".join([*head, "".join(body)])


_WRITTEN: dict[int, tuple[tuple[Operation | None, ...], str]] = {}
MAX_WRITTEN = 4096  # ranks whose lines are kept: most of them are the same in the next schedule


def _lines(ops: tuple[Operation | None, ...]) -> str:
    kept = _WRITTEN.get(id(ops))
    if kept is None or kept[0] is not ops:
        if len(_WRITTEN) >= MAX_WRITTEN:
            _WRITTEN.clear()
        kept = _WRITTEN[id(ops)] = (ops, "".join(f"{line}\n" for line in woven(ops)))
    return kept[1]


def read(text: str) -> Schedule | None:
    """Of a file that the project has written. None: it holds more than messages, reductions and copies of one call, or receives from any
    source."""
    call, origin = "", ""
    scratch: list[int] = []
    ranks: list[list[Operation | None]] = []
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word in ("collscope-schedule", "piece", "mark", "wait", ""):
            continue
        if word == "algorithm":
            origin = rest
        elif word == "call" and not ranks:
            call = f"call {re.sub(r' calls=1$', '', rest)}"
        elif word == "rank":
            found = re.search(r"scratch=(\d+)", rest)
            scratch.append(int(found[1]) if found else 0)
            ranks.append([])
        elif (op := _operation(word, rest)) is not None:
            ranks[-1].append(op)
        else:
            return None
    return Schedule(call, origin, tuple(scratch), tuple(map(tuple, ranks))) if ranks and "calls=" not in call else None


def _operation(word: str, rest: str) -> Operation | None:
    words = rest.split()
    if word in LOCAL and len(words) == 4:
        place = _place(words[0], int(words[1]))
        target = _place(words[3], int(words[1]))
        return Operation(word, place, target=target) if place and target else None
    if word not in MESSAGES:
        return None
    if words[0] == "nothing":
        place, words = Place("out", 0, 0), words[1:]
    else:
        place, words = _place(words[0], int(words[1])), words[2:]  # type: ignore[assignment]
    label = int(words[words.index("label") + 1]) if "label" in words else 0
    return Operation(MESSAGES[word], place, int(words[1]), label) if place else None


def _place(text: str, size: int) -> Place | None:
    buffer, _, at = text.partition("+")
    return Place(buffer, int(at), size) if buffer in ("in", "out", "scratch") else None


# ---- other schedules that do the same ------------------------------------------------------------------------


def cut_into(schedule: Schedule, parts: int) -> Schedule:
    """Every operation in so many, of whole elements, so that a part can go on while the next one is still coming."""
    elem = schedule.elem
    ranks = tuple(tuple(p for op in of_rank for p in _parts(op, parts, elem)) for of_rank in schedule.ranks)
    return replace(schedule, ranks=ranks)


def _parts(op: Operation | None, parts: int, elem: int) -> list[Operation | None]:
    if op is None:
        return [None]
    count = op.place.bytes // elem
    if count < parts or op.place.bytes % elem:
        return [op]
    made: list[Operation | None] = []
    for part in range(parts):
        first, end = count * part // parts * elem, count * (part + 1) // parts * elem
        target = op.target and Place(op.target.buffer, op.target.at + first, end - first)
        made.append(replace(op, place=Place(op.place.buffer, op.place.at + first, end - first), target=target))
    return made


def without_barriers(schedule: Schedule) -> Schedule:
    """Nothing waits for the end of a step."""
    return replace(schedule, ranks=tuple(tuple(op for op in of_rank if op is not None) for of_rank in schedule.ranks))


def ordered(before: Operation, after: Operation) -> bool:
    """Whether the two must stay in this order: they touch the same bytes, or are messages of one channel."""
    if before.is_message and before.kind == after.kind and (before.peer, before.label) == (after.peer, after.label):
        return True
    return before.disturbs(after)


def early(schedule: Schedule) -> Schedule:
    """Each message as early as its bytes allow, receives first; work of the rank's own before it waits for anything."""
    plain = without_barriers(schedule)
    return replace(plain, ranks=tuple(tuple(_early([op for op in of_rank if op])) for of_rank in plain.ranks))


_URGENT = {"irecv": 0, "isend": 1, "reduce": 2, "copy": 3}


def _early(ops: Sequence[Operation]) -> list[Operation]:
    before = _before(ops)
    after: dict[int, list[int]] = {}
    for j, earlier in enumerate(before):
        for i in earlier:
            after.setdefault(i, []).append(j)
    left = [len(earlier) for earlier in before]
    waits = [{i for i, disturbs in earlier.items() if disturbs and ops[i].is_message} for earlier in before]
    waited: set[int] = set()
    ready = [j for j in range(len(ops)) if not left[j]]  # all that must be begun before has been
    made: list[Operation] = []
    while ready:
        free = [j for j in ready if waits[j] <= waited]
        if not free:  # it waits for what the first of them needs
            waited |= waits[min(ready)]
            continue
        take = min(free, key=lambda j: (_URGENT[ops[j].kind], j))
        ready.remove(take)
        made.append(ops[take])
        for j in after.get(take, ()):
            left[j] -= 1
            if not left[j]:
                ready.append(j)
    return made


def _before(ops: Sequence[Operation]) -> list[dict[int, bool]]:
    """Of each: those that must be begun before it, and whether they must be over."""
    found: list[dict[int, bool]] = []
    touched: dict[str, list[tuple[int, int, bool, int]]] = {}
    last: dict[tuple[str, int, int], int] = {}  # of a channel
    for j, op in enumerate(ops):
        mine: dict[int, bool] = {}
        if op.is_message:
            channel = op.kind, op.peer, op.label
            if channel in last:
                mine[last[channel]] = False
            last[channel] = j
        for buffer, begin, end, writes in op.spans:
            for its_begin, its_end, its_writes, i in touched.get(buffer, ()):
                if begin < its_end and its_begin < end and (writes or its_writes):
                    mine[i] = True
        for buffer, begin, end, writes in op.spans:
            touched.setdefault(buffer, []).append((begin, end, writes, j))
        found.append(mine)
    return found


def moved(schedule: Schedule, rank: int, draw: random.Random) -> Schedule | None:
    """One operation of a rank somewhere else, as far as may be. None: it cannot be moved."""
    ops = list(schedule.ranks[rank])
    if len(ops) < 2:
        return None
    at = int(draw.random() * len(ops))
    op = ops[at]
    if op is None:
        return replace(schedule, ranks=_with(schedule.ranks, rank, [*ops[:at], *ops[at + 1 :]]))
    direction = -1 if draw.random() < 0.7 else 1
    most = 1 + int(draw.random() ** 2 * len(ops))
    to = at
    while 0 <= to + direction < len(ops) and abs(to - at) < most:
        other = ops[to + direction]
        if other is not None and (ordered(other, op) if direction < 0 else ordered(op, other)):
            break
        to += direction
    if to == at:
        return None
    ops.insert(to, ops.pop(at))
    return replace(schedule, ranks=_with(schedule.ranks, rank, ops))


def _with(
    ranks: tuple[tuple[Operation | None, ...], ...], rank: int, ops: Sequence[Operation | None]
) -> tuple[tuple[Operation | None, ...], ...]:
    return (*ranks[:rank], tuple(ops), *ranks[rank + 1 :])
