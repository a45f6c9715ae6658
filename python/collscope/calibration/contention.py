"""What a sender and a receiver spend on each message, and how links are shared, from flat trees inside one class of link.

A root that sends to k children by non-blocking sends is done with the last one a gap later for each child, as long as messages are eager;
where they are not, the children share the links from the root. The slope of the slowest rank's time per child gives both. One child gives
the time of a non-blocking message that waits for its receive. A root that reduces what k children send takes their messages in one after
another: the slope of its time per child is what it spends on one, with the combining. Only some rows are used (`is_fitted`): the others
are for judging.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.base.toml_table import read_text
from collscope.calibration.cells import number_of, size_of
from collscope.calibration.curves import Limits, Piece, Point, curve_at, line_of

COLUMNS = ("channel", "collective", "processes", "bytes", "latency_us", "max_us")
EVERY = 4  # of the numbers of processes is fitted
FEWEST = 3  # such numbers; a channel with fewer uses all of its rows
MAX_BUSY_SHARE = 0.95  # of a message's time, that its sender may be busy
CHANNELS = {"cache": "cache", "core": "socket", "socket": "node", "node": "network"}
"""Where all children sit, as the table has it → the class; what lies between cache and socket is as the socket."""


@dataclass(frozen=True)
class Tree:
    """A flat broadcast or reduction: root and children in one class, OSU's mean over ranks, and the slowest rank; seconds."""

    level: str
    processes: int
    bytes: int
    mean_s: float
    slowest_s: float


@dataclass(frozen=True)
class Gaps:
    """class → (bytes, seconds that a sender is busy with an eager message), ascending, and class → (bytes, time of a non-blocking one
    that waits); both at sizes that were measured."""

    gap: Mapping[str, Sequence[tuple[int, float]]] = field(default_factory=dict)
    waiting: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    source: str = ""
    fitted: int = 0  # broadcasts that this is made from
    rows: int = 0
    received: Mapping[str, Sequence[tuple[int, float]]] = field(default_factory=dict)
    """class → (bytes, seconds that a receiver is busy with an eager one), without the combining."""
    received_source: str = ""


@dataclass(frozen=True)
class Trees:
    """The flat trees of a table, and what it is called."""

    source: str
    rows: tuple[Tree, ...]  # broadcasts
    reductions: tuple[Tree, ...] = ()


def read(name: str) -> Trees:
    """The flat broadcasts and reductions of a table with COLUMNS. UserError: FILE:LINE: what is wrong and what to do."""
    path = paths.expanded(name)
    shown = paths.display(path)
    lines = read_text(path, shown).splitlines()
    columns = [c.strip() for c in lines[0].split(",")] if lines else []
    if missing := [c for c in COLUMNS if c not in columns]:
        raise UserError(f"{shown}:1: no column {missing[0]}; a table of flat trees has {', '.join(COLUMNS)}")
    trees: dict[str, list[Tree]] = {"bcast": [], "reduce": []}
    for number, cells in enumerate(csv.reader(lines[1:]), 2):
        at = f"{shown}:{number}"
        if len(cells) != len(columns):
            raise UserError(f"{at}: {len(cells)} values for {len(columns)} columns; complete the line or remove it")
        row = dict(zip(columns, cells, strict=True))
        if row["collective"] not in trees:
            continue
        if row["channel"] not in CHANNELS:
            raise UserError(f'{at}: channel: "{row["channel"][:40]}" is not one of {", ".join(CHANNELS)}')
        times = (number_of(row[c], at, c) * 1e-6 for c in ("latency_us", "max_us"))
        size, processes = size_of(row["bytes"], at, "bytes"), size_of(row["processes"], at, "processes")
        if processes < 2:
            raise UserError(f"{at}: processes: a tree has a root and a child at least; remove the line")
        trees[row["collective"]].append(Tree(CHANNELS[row["channel"]], processes, size, *times))
    return Trees(path.name, tuple(trees["bcast"]), tuple(trees["reduce"]))


def is_fitted(tree: Tree, trees: Trees, limit: int) -> bool:
    """Whether numbers are made from this row: every fourth number of processes, at the smallest size and from 1 KiB to the limit of
    non-blocking sends; one child, for the first size above."""
    of_class = [t for t in trees.rows if t.level == tree.level]
    sizes = sorted({t.bytes for t in of_class})
    if tree.bytes > limit:
        return tree.processes == 2 and tree.bytes == min(s for s in sizes if s > limit)
    few = len({t.processes for t in of_class if t.processes % EVERY == 0}) < FEWEST
    return (tree.bytes == sizes[0] or tree.bytes >= 1024) and (few or tree.processes % EVERY == 0)


def _fitted(trees: Trees, limit: int) -> dict[tuple[str, int], list[Tree]]:
    rows: dict[tuple[str, int], list[Tree]] = {}
    for tree in trees.rows:
        if is_fitted(tree, trees, limit):
            rows.setdefault((tree.level, tree.bytes), []).append(tree)
    return dict(sorted(rows.items()))


def _slope(trees: Sequence[Tree]) -> float:
    """Seconds by which the slowest rank is later for each child."""
    return line_of([Point(t.processes - 1, t.slowest_s) for t in trees], Limits(0.0, -1.0))[1]


def gaps_of(
    trees: Trees, limit: int, gamma_s_per_byte: float = 0.0, nic_gap_s: float = 0.0, nic_s_per_byte: float = 0.0
) -> Gaps:
    """Gaps and waiting times of each class from the rows that are fitted; `limit`: the largest non-blocking message that need not wait;
    gamma_s_per_byte: of the combining; what a NIC takes for a message and its bytes is not the receiver's."""
    rows = _fitted(trees, limit)
    gap: dict[str, list[tuple[int, float]]] = {}
    waiting: dict[str, tuple[int, float]] = {}
    for (level, size), found in rows.items():
        if size > limit:
            waiting[level] = (size, found[0].slowest_s)
        elif len(found) > 1:
            gap.setdefault(level, []).append((size, _slope(found)))
    received: dict[str, list[tuple[int, float]]] = {}
    for (level, size), found in _fitted(replace(trees, rows=trees.reductions), limit).items():
        if size <= limit and len(found) > 1:
            other = size * gamma_s_per_byte
            other += max(nic_gap_s, size * nic_s_per_byte) if level == "network" else 0.0
            received.setdefault(level, []).append((size, max(_slope(found) - other, 0.0)))
    return Gaps(
        gap,
        waiting,
        f"{trees.source}: slope of the slowest rank per child",
        sum(map(len, rows.values())),
        len(trees.rows),
        received,
        f"{trees.source}: slope of a flat reduction's root per child",
    )


def gap_at(known: Sequence[tuple[int, float]], size: float) -> float:
    """A sender's time for a message of so many bytes: straight between sizes that are known, level below, and further at the last
    slope."""
    if len(known) == 1 or size <= known[0][0]:
        return known[0][1]
    for (low, a), (high, b) in pairwise(known):
        if size <= high or (high, b) == known[-1]:
            return a + (b - a) * (size - low) / (high - low)
    raise AssertionError


def scaled(
    known: Sequence[tuple[int, float]], pieces: Sequence[Piece], others: Sequence[Piece]
) -> list[tuple[int, float]]:
    """The gaps of a class with another curve: the same share of its times."""
    return [(size, gap * curve_at(others, size) / curve_at(pieces, size)) for size, gap in known]


def split(pieces: Sequence[Piece], known: Sequence[tuple[int, float]], limit: int) -> list[Piece]:
    """The same curve in shorter pieces, at the known sizes and at powers of two from there to the limit: of each piece the sender has a
    share of its own."""
    at = {size for size, _ in known} | {1 << k for k in range(10, 40) if 1 << k <= limit} | {limit + 1}
    starts = sorted({p[0] for p in pieces} | {s for s in at if s > 1})
    return [(start, *[p for p in pieces if p[0] <= start][-1][1:]) for start in starts]


def gap_of(
    pieces: Sequence[Piece],
    at: int,
    known: Sequence[tuple[int, float]],
    end: int,
    wire: float,
    taken: tuple[float, float] = (0.0, 0.0),
) -> tuple[float, float]:
    """Seconds, and seconds per byte, that a processor is busy in the piece `at` of a curve that ends before `end` bytes: at its middle
    what is known, in the same parts as the piece, but for `wire` seconds per byte, which are left to the links, and what is `taken`
    already."""
    start, latency, slope = pieces[at]
    first = max(start, 1)
    middle = int((first * max(min(end, 4 * first) - 1, first)) ** 0.5)
    gap = max(gap_at(known, middle), 0.0)
    part = min(gap / curve_at(pieces, middle), MAX_BUSY_SHARE)
    per_byte = min(part * slope, max(min(slope - wire, MAX_BUSY_SHARE * slope) - taken[1], 0.0))
    return min(gap - per_byte * middle, max(MAX_BUSY_SHARE * latency - taken[0], 0.0)), per_byte
