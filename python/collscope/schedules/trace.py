"""A point's schedule with its times, and what every rank holds after each round: all that pictures are made of.

The prover plays the schedule (`--model MACHINE --trace`); here its operations are worked through once more on symbolic
memory, a round at a time, to see what lies where.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from collscope.base.errors import UserError, disk_error
from collscope.catalogue import prover, registry
from collscope.catalogue.sizes import vector_bytes
from collscope.points import plan
from collscope.points.plan import Point

# The telephone network that pictures use where no platform is named: a message of 1 KiB pays about as much for its start
# as for its bytes, so that both can be seen.
TELEPHONE = "telephone network"
ALPHA_S, BETA_S_PER_BYTE, GAMMA_S_PER_BYTE = 1e-6, 1e-9, 0.25e-9
NEAR_ALPHA_S, NEAR_BETA_S_PER_BYTE = 0.3e-6, 0.25e-9  # within a node
DATA_OPERATIONS = {"send", "recv", "isend", "irecv", "recv_any", "reduce", "copy", "seg_write", "seg_read"}
MOST_CELLS = 40_000_000  # of memory and rounds together, in which holdings are followed


@dataclass(frozen=True)
class Message:
    src: int
    dst: int
    bytes: int
    round: int
    start_s: float
    end_s: float
    send: int  # operation of the source, and of the destination
    recv: int
    shared: bool = False  # bytes that cross a shared segment; no message of MPI's
    sent_s: float | None = None  # where ranks were observed: the sender was free again, and the receiver asked for it
    asked_s: float | None = None


@dataclass(frozen=True)
class Span:
    """What a rank does when it neither sends nor receives."""

    rank: int
    kind: str  # reduce, copy, wait, blocked (a send that waits for its receiver)
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Trace:
    key: str  # as it was asked for
    chose: str  # what a decision chose, or nothing
    collective: str
    ranks: int
    count: int
    elem: int
    root: int
    time_s: float
    cost_s: float | None
    exact: bool
    rounds: int
    messages: tuple[Message, ...]
    transfers: tuple[Message, ...]
    spans: tuple[Span, ...]
    rank_end_s: tuple[float, ...]
    nodes: tuple[int, ...]  # of each rank; nothing where that tells nothing: see nodes_in
    where: str  # what the times are of, in words
    source: str = "model"  # or sim, real
    rank_start_s: tuple[float, ...] = ()  # nothing: all at 0
    clock_error_s: float = 0.0  # by how much two ranks' times may be off each other
    raw: dict[str, Any] = field(repr=False, compare=False, default_factory=dict)

    @property
    def vector_bytes(self) -> int:
        return vector_bytes(self.collective, self.count, self.ranks, self.elem)

    @property
    def arrows(self) -> tuple[Message, ...]:
        return self.messages + self.transfers

    @property
    def backwards(self) -> int:
        """Messages that were received before they were sent, by clocks that do not agree."""
        return sum(m.end_s < m.start_s for m in self.arrows)


# ---- asking the prover ------------------------------------------------------------------------------------


def telephone(ranks: int, nodes: int | None = None) -> str:
    """A machine file of Chan's model; with nodes, ranks in blocks on them, and cheaper messages within."""
    lines = ["ports one_port", "control 0", f"gamma {GAMMA_S_PER_BYTE}", "copy 0"]
    lines.append(f"class network 0 {ALPHA_S} {BETA_S_PER_BYTE}")
    lines.append(f"bound {ALPHA_S} {BETA_S_PER_BYTE} {GAMMA_S_PER_BYTE}")
    if nodes:
        lines += [f"class {c} 0 {NEAR_ALPHA_S} {NEAR_BETA_S_PER_BYTE}" for c in ("cache", "socket", "node")]
        node = node_of_rank(ranks, nodes)
        for r in range(ranks):
            first, size = node.index(node[r]), node.count(node[r])
            half = 2 * (r - first) // size
            lines.append(f"place {r} {node[r]} {2 * node[r] + half} {2 * node[r] + half}")
    return "\n".join(lines) + "\n"


def node_of_rank(ranks: int, nodes: int) -> list[int]:
    """Even blocks of consecutive ranks."""
    return [r * nodes // ranks for r in range(ranks)]


def with_places(machine: str, places: Sequence[tuple[int, int, int]]) -> str:
    """The machine with its ranks at other places: node, socket, cache of each."""
    lines = [line for line in machine.splitlines() if not line.startswith("place ")]
    lines += [f"place {r} {n} {s} {c}" for r, (n, s, c) in enumerate(places)]
    return "\n".join(lines) + "\n"


def nodes_in(machine: str) -> tuple[int, ...]:
    """The node of each rank as a machine file has it; nothing where every rank is alone, or all are together."""
    place = {int(w[1]): int(w[2]) for w in map(str.split, machine.splitlines()) if w[:1] == ["place"]}
    found = tuple(place[r] for r in sorted(place))
    return found if 1 < len(set(found)) < len(found) else ()


def default_count(collective: str, key: str, ranks: int, elem: int) -> int:
    """Blocks of 1 KiB; a pipelined vector has some segments at least."""
    about = registry.load().collective(collective)
    if not about.has_data:
        return 0
    block = 1024 // elem
    if about.counts_blocks:
        return block
    segment = _segment(key)
    pieces = ranks if "ring" in key else 6
    return max(block, math.ceil(pieces * segment / elem / ranks)) * ranks


def _segment(key: str) -> int:
    """The value of a key's segment size, if it has one."""
    stem, _, inner = key.partition("[")
    algorithm = registry.load().by_key.get(stem)
    if algorithm is None:
        return 0
    for param, text in zip(algorithm.params, filter(None, inner.rstrip("]").split(",")), strict=False):
        if param.name == "s" and not param.words:
            value = param.parse(stem, text.partition("=")[2])
            return value if value < 1 << 24 else 0
    return 0


def ask(points: list[Point], ranks: int, machine: str, where: str) -> list[Trace]:
    """Traces of points that the algorithm supports; a UserError says why one is not."""
    with tempfile.TemporaryDirectory(prefix="collscope-") as name:
        folder = Path(name)
        try:
            (folder / "machine.txt").write_text(machine, encoding="utf-8")
            (folder / "plan.txt").write_text(
                plan.plan_text([(str(i), q) for i, q in enumerate(points)], ranks), encoding="utf-8"
            )
        except OSError as error:
            raise disk_error(error, folder) from error
        said = prover.replies(["--model", folder / "machine.txt", "--trace", "--plan", folder / "plan.txt"])
    by_id = {int(line["id"]): line for line in said}
    return [read(by_id[i], q, ranks, nodes_in(machine), where) for i, q in enumerate(points)]


def read(said: dict[str, Any], point: Point, ranks: int, nodes: tuple[int, ...], where: str) -> Trace:
    if said["status"] != "ok":
        raise UserError(f"{point.algorithm} on {ranks} ranks, count {point.count}: {said['status']}")

    def messages(name: str, shared: bool) -> tuple[Message, ...]:
        return tuple(
            Message(src, dst, size, max(1, rnd), max(start, posted) if shared else start, end, send, recv, shared)
            for src, dst, size, rnd, _label, posted, start, end, send, recv in said[name]
        )

    spans = tuple(Span(*s) for s in said["spans"])
    arrows = messages("messages", False) + messages("transfers", True)
    return Trace(
        key=point.algorithm,
        chose=said.get("chose") or "",
        collective=point.collective,
        ranks=ranks,
        count=point.count,
        elem=said["elem"],
        root=point.root,
        time_s=said["model_s"],
        cost_s=said["cost_s"],
        exact=bool(said["exact"]),
        rounds=max(said["rounds"], 1 if said["messages"] or said["transfers"] else 0),
        messages=messages("messages", False),
        transfers=messages("transfers", True),
        spans=spans + tuple(_idle(arrows, spans, said["rank_end_s"])),
        rank_end_s=tuple(said["rank_end_s"]),
        nodes=nodes,
        where=where,
        raw=said,
    )


def without(spans: Iterable[tuple[float, float]], busy: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """What is left of spans where nothing of `busy` is; slivers that rounding makes are nothing."""
    cuts = sorted(busy)
    left = []
    for at, end in spans:
        least = 1e-9 * max(abs(end), 1e-9)
        for a, b in cuts:
            if b <= at or a >= end:
                continue
            if a - at > least:
                left.append((at, a))
            at = max(at, b)
        if end - at > least:
            left.append((at, end))
    return left


def _idle(arrows: Sequence[Message], spans: Sequence[Span], rank_end_s: Sequence[float]) -> list[Span]:
    """A rank that is not done, with nothing under way and no work of its own, waits."""
    busy: dict[int, list[tuple[float, float]]] = {r: [] for r in range(len(rank_end_s))}
    for m in arrows:
        busy[m.src].append((m.start_s, m.end_s))
        busy[m.dst].append((m.start_s, m.end_s))
    for s in spans:
        busy[s.rank].append((s.start_s, s.end_s))
    return [Span(r, "wait", a, b) for r, end in enumerate(rank_end_s) for a, b in without([(0.0, end)], busy[r])]


def taken_by_receiver(t: Trace, m: Message) -> bool:
    """Who does a transfer: reads and waits for flags are the receiver's, writes the sender's."""
    mine = t.raw["operations"][m.dst][m.recv : m.recv + 1]
    return bool(mine) and mine[0][0] in ("seg_read", "await")


# ---- what lies where --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Holdings:
    """state[k, r, b]: what rank r holds of block b after round k (0: at the start). An index into `sets`: 0 is nothing; the
    bits of a set are the ranks whose data has gone into it. Where data only moves there is one set, 1."""

    state: np.ndarray
    sets: tuple[int, ...]
    block_bytes: tuple[int, ...]  # of each column
    combines: bool  # sets of ranks mean something
    what: str  # of a column

    @property
    def share(self) -> np.ndarray:
        """How much of what there is to combine has been combined: 0 … 1."""
        most = max(1, max(s.bit_count() for s in self.sets))
        table = np.array([s.bit_count() / most for s in self.sets])
        return np.asarray(table[self.state])

    def since(self) -> np.ndarray:
        """since[k, r, b]: the round in which what is held after round k came to be."""
        made = np.zeros(self.state.shape, dtype=int)
        for k in range(1, len(self.state)):
            made[k] = np.where(self.state[k] != self.state[k - 1], k, made[k - 1])
        return made


class _Player:
    """Ranks work through their operations; messages of later rounds wait."""

    def __init__(self, t: Trace) -> None:
        self.t, self.ops, self.p = t, t.raw["operations"], t.ranks
        self.reduces = registry.load().collective(t.collective).has_operator
        sizes: dict[tuple[int, int], int] = {}
        numbers = {t.count * t.elem} - {0}

        def stretch(rank: int, buf: int, off: int, size: int) -> None:
            if size:
                numbers.update((off, size))
                sizes[rank, buf] = max(sizes.get((rank, buf), 0), off + size)

        for r, (ib, io, isz, ob, oo, osz) in enumerate(t.raw["buffers"]):
            if ib is not None:
                stretch(r, ib, io, isz)
            if ob is not None:
                stretch(r, ob, oo, osz)
        for r, list_ in enumerate(self.ops):
            for kind, buf, off, buf2, off2, _peer, size in list_:
                if kind not in DATA_OPERATIONS:
                    continue
                if kind == "seg_write":
                    stretch(r, buf, off, size)
                    numbers.update((off2, size))
                elif kind == "seg_read":
                    stretch(r, buf2, off2, size)
                    numbers.update((off, size))
                else:
                    stretch(r, buf, off, size)
                    if kind in ("reduce", "copy"):
                        stretch(r, buf2, off2, size)
        numbers.discard(0)
        for per_rank in t.raw["segments"]:
            numbers.update(size for _, size, _ in per_rank if size)
        self.unit = math.gcd(*numbers) if numbers else 1
        g = self.unit
        self.cells = sum(sizes.values()) // g
        self.coord: dict[tuple[int, int], np.ndarray] = {}
        self.value: dict[tuple[int, int], np.ndarray] = {}
        if self.cells * (t.rounds + 1) > MOST_CELLS:
            return
        for key, size in sizes.items():
            self.coord[key] = np.zeros(size // g, dtype=np.int64)
            self.value[key] = np.zeros(size // g, dtype=np.int64)
        self.segment = t.raw["segments"]
        self.part: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
        for per_rank in self.segment:
            for group, size, members in per_rank:
                for home in members:
                    if (group, home) not in self.part:
                        self.part[group, home] = (np.zeros(size // g, np.int64), np.zeros(size // g, np.int64))
        self.flags: dict[tuple[int, int, int], int] = {}
        self.sets: list[int] = [0, 1] if not self.reduces else [0]
        self.names: dict[int, int] = {}
        self.joined: dict[tuple[int, int], int] = {}
        self.knows = [1 << r for r in range(self.p)]
        self.told: dict[tuple[int, int, int], int] = {}
        self.begin()
        self.of_send = {(m.src, m.send): i for i, m in enumerate(t.messages)}
        self.of_recv = {(m.dst, m.recv): i for i, m in enumerate(t.messages)}
        self.of_transfer = {
            (m.dst, m.recv) if taken_by_receiver(t, m) else (m.src, m.send): m.round for m in t.transfers
        }
        self.sent: dict[int, tuple[int, int, int, int]] = {}
        self.awaited: dict[int, tuple[int, int]] = {}
        self.done: set[int] = set()
        self.at = [0] * self.p
        self.posted = [-1] * self.p
        self.held: set[int] = set()  # both sides are there, the round is not

    def name(self, ranks: int) -> int:
        if ranks not in self.names:
            self.names[ranks] = len(self.sets)
            self.sets.append(ranks)
        return self.names[ranks]

    def join(self, a: int, b: int) -> int:
        if not a or not b:
            return a or b
        if (a, b) not in self.joined:
            self.joined[a, b] = self.name(self.sets[a] | self.sets[b])
        return self.joined[a, b]

    def begin(self) -> None:
        block = self.t.count * self.t.elem // self.unit
        for r, (buf, off, size, *_rest) in enumerate(self.t.raw["buffers"]):
            if buf is None or not size or (self.t.collective == "bcast" and r != self.t.root):
                continue
            first = {"gather": r, "allgather": r, "rotation": r, "alltoall": r * self.p}.get(
                self.t.collective, 0
            ) * block
            a, n = off // self.unit, size // self.unit
            self.coord[r, buf][a : a + n] = np.arange(first, first + n)
            self.value[r, buf][a : a + n] = self.name(1 << r) if self.reduces else 1

    def slices(self, rank: int, buf: int, off: int, size: int, home: int = 0) -> tuple[np.ndarray, np.ndarray]:
        a, n = off // self.unit, size // self.unit
        if buf >= 3:
            group = self.segment[rank][buf - 3][0]
            coord, value = self.part[group, home]
        else:
            coord, value = self.coord[rank, buf], self.value[rank, buf]
        return coord[a : a + n], value[a : a + n]

    def move(self, source: tuple[np.ndarray, np.ndarray], target: tuple[np.ndarray, np.ndarray]) -> None:
        # A stretch of a buffer may be copied onto itself, shifted.
        coord, value = source[0].copy(), source[1].copy()
        target[0][:], target[1][:] = coord, value

    def deliver(self, i: int) -> None:
        (src, buf, off, size), (dst, op) = self.sent[i], self.awaited[i]
        _kind, buf2, off2, *_rest = self.ops[dst][op]
        if size:
            self.move(self.slices(src, buf, off, size), self.slices(dst, buf2, off2, size))
        self.knows[dst] |= self.told[src, i, 0]
        self.done.add(i)

    def meet(self, i: int, until: int) -> bool:
        """Is the message through? Delivers it when it may be."""
        if i in self.done:
            return True
        if i in self.sent and i in self.awaited and self.t.messages[i].round <= until:
            self.deliver(i)
            return True
        return False

    def step(self, r: int, until: int) -> bool:
        """Works off what rank r can do; says whether it did anything."""
        ops, moved = self.ops[r], False
        while self.at[r] < len(ops):
            i = self.at[r]
            kind, buf, off, buf2, off2, peer, size = ops[i]
            if kind in ("send", "isend"):
                m = self.of_send[r, i]
                if self.posted[r] < i:
                    self.sent[m], self.posted[r], moved = (r, buf, off, size), i, True
                    self.told[r, m, 0] = self.knows[r]
                if not self.meet(m, until) and kind == "send":
                    return moved
            elif kind in ("recv", "irecv", "recv_any"):
                m = self.of_recv[r, i]
                if self.posted[r] < i:
                    self.awaited[m], self.posted[r], moved = (r, i), i, True
                if not self.meet(m, until) and kind != "irecv":
                    return moved
            elif kind == "wait":
                m = self.of_send[r, peer] if ops[peer][0] == "isend" else self.of_recv[r, peer]
                if not self.meet(m, until):
                    return moved
            elif kind == "reduce":
                (lc, lv), (_, rv) = self.slices(r, buf, off, size), self.slices(r, buf2, off2, size)
                for a, b in {(int(x), int(y)) for x, y in zip(lv, rv, strict=True)}:
                    rv[(lv == a) & (rv == b)] = -self.join(a, b)
                np.abs(rv, out=rv)
                self.slices(r, buf2, off2, size)[0][:] = lc
            elif kind == "copy":
                if size:
                    self.move(self.slices(r, buf, off, size), self.slices(r, buf2, off2, size))
            elif self.of_transfer.get((r, i), 0) > until:
                return moved
            elif kind == "seg_write":
                if size:
                    self.move(self.slices(r, buf, off, size), self.slices(r, buf2, off2, size, peer))
            elif kind == "seg_read":
                if size:
                    self.move(self.slices(r, buf, off, size, peer), self.slices(r, buf2, off2, size))
            elif kind == "publish":
                flag = (self.segment[r][buf - 3][0], peer, off)
                self.flags[flag] = off2
                self.told[-1 - flag[0], flag[1], flag[2]] = (
                    self.told.get((-1 - flag[0], flag[1], flag[2]), 0) | self.knows[r]
                )
            elif kind == "await":
                flag = (self.segment[r][buf - 3][0], peer, off)
                if self.flags.get(flag, 0) < off2:
                    return moved
                self.knows[r] |= self.told.get((-1 - flag[0], flag[1], flag[2]), 0)
            self.at[r], moved = i + 1, True
        return moved

    def advance(self, until: int) -> None:
        moved = True
        while moved:
            moved = False
            for m in list(self.sent.keys() & self.awaited.keys()):
                if m not in self.done and self.meet(m, until):
                    moved = True
            for r in range(self.p):
                moved = self.step(r, until) or moved

    def look(self, width: int) -> np.ndarray:
        """[rank, coordinate]: the fullest value that a rank's memory holds of it, its out before anything else."""
        sizes = np.array([s.bit_count() for s in self.sets])
        found = np.zeros((self.p, width), dtype=np.int64)
        for r in range(self.p):
            for buf in (1, 0, 2):
                if (r, buf) not in self.value:
                    continue
                coord, value = self.coord[r, buf], self.value[r, buf]
                used = value > 0
                at, new = coord[used], value[used]
                order = np.argsort(sizes[new], kind="stable")
                at, new = at[order], new[order]
                best = np.zeros(width, dtype=np.int64)
                best[at] = new  # the last of several is the fullest
                better = sizes[best] > sizes[found[r]]
                found[r][better] = best[better]
        return found


def holdings(t: Trace) -> Holdings | None:
    """What every rank holds after each round; None where that would take too much memory."""
    player = _Player(t)
    p = t.ranks
    if not player.coord and t.collective != "barrier":
        return None
    if t.collective == "barrier":
        states = []
        for k in range(t.rounds + 1):
            player.advance(k)
            states.append([[int(player.knows[r] >> b & 1) for b in range(p)] for r in range(p)])
        return Holdings(np.array(states), (0, 1), (0,) * p, False, "ranks it has heard from")
    block = t.count * t.elem // player.unit
    width = {
        "scatter": p,
        "gather": p,
        "allgather": p,
        "rotation": p,
        "reduce_scatter_block": p,
        "alltoall": p * p,
    }.get(t.collective, 1) * block
    if width * p * (t.rounds + 1) > MOST_CELLS:
        return None
    seen = []
    for k in range(t.rounds + 1):
        player.advance(k)
        seen.append(player.look(width))
    stuck = [r for r in range(p) if player.at[r] < len(player.ops[r])]
    if stuck:
        raise UserError(
            f"{t.key}: rank {stuck[0]} is not through after {t.rounds} rounds; that is a fault of this program"
        )
    state = np.array(seen)
    if t.collective == "alltoall":
        # Of p² blocks a rank's own column: from whom it has what is for it.
        mine = state.reshape(len(state), p, p, p, block)  # round, rank, source, destination, unit
        state = np.stack([mine[:, r, :, r, :].reshape(len(state), p * block) for r in range(p)], axis=1)
        width = p * block
    # Neighbours that always go together are one block.
    cuts = np.flatnonzero((state[:, :, 1:] != state[:, :, :-1]).any(axis=(0, 1))) + 1
    if (
        registry.load().collective(t.collective).counts_blocks
    ):  # blocks of ranks stay apart even where they move together
        cuts = np.union1d(cuts, np.arange(block, width, block))
    first = np.concatenate(([0], cuts)).astype(int)
    sizes = np.diff(np.concatenate((first, [width]))) * player.unit
    what = "blocks from each rank" if t.collective == "alltoall" else "blocks of the vector"
    return Holdings(state[:, :, first], tuple(player.sets), tuple(int(s) for s in sizes), player.reduces, what)
