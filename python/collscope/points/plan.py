"""Points, layouts and plans: what is wanted, before anything runs.

A *point* is one call (collective, algorithm, count, type, …). A *layout* says where the ranks sit. A *task* is a point in a
layout.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from collscope.base.errors import UsageError
from collscope.base.units import counted, format_size
from collscope.catalogue import decision_files, registry, sizes
from collscope.catalogue.keys import Key
from collscope.machines import placement
from collscope.machines.placement import fitted, grown
from collscope.points import arrival, distribution, named_file

if TYPE_CHECKING:
    from collscope.machines.platform import Platform

BUFFERS = ("warm", "cold", "fresh")  # as the call before left them; in no cache; on pages that are yet to be mapped


@dataclass(frozen=True)
class Timing:
    """How a call is timed. `repetitions` None: as often as the source of the numbers finds enough."""

    repetitions: int | None = None
    warmup: int = 0  # calls before those that count
    # Repeat until the median's interval is so narrow, as a part of the median; 0: `repetitions` times.
    until_ci: float = 0.0
    budget_s: float = 0.0  # with until_ci: seconds that a launch spends on the point
    buffers: str = BUFFERS[0]  # of BUFFERS
    group: int = 0  # points of one group are measured in rounds; 0: by itself


@dataclass(frozen=True)
class Point:
    """One call. `algorithm` is the full key with its parameters, a `decision/…`, or `<collective>/builtin`."""

    collective: str
    algorithm: str
    count: int
    type: str = "float"
    op: str = "sum"
    root: int = 0
    in_place: bool = False
    metric: str = "makespan"
    check: bool = False
    skew: str = arrival.NONE  # arrival pattern, as a plan has it
    timing: Timing = Timing()
    counts: str = distribution.UNIFORM  # how long each rank's block is, as a plan has it

    @cached_property
    def key(self) -> Key:
        """The algorithm's key, taken apart."""
        return Key.parse(self.algorithm)

    def text(self) -> str:
        """The point as a plan says it, without id and ranks."""
        return decision_files.placed(self._text())

    def _text(self) -> str:
        # What is usual is left out: texts name points in caches.
        timing = self.timing
        words = [
            f"collective={self.collective}",
            f"algorithm={self.algorithm}",
            f"count={self.count}",
            f"type={self.type}",
            f"op={self.op}",
            f"root={self.root}",
            f"in_place={int(self.in_place)}",
            f"metric={self.metric}",
            f"repetitions={timing.repetitions or 1}",
            f"warmup={timing.warmup}",
            f"check={int(self.check)}",
        ]
        usual = Timing()
        words += [
            f"{name}={getattr(timing, name)}"
            for name in ("until_ci", "budget_s", "buffers", "group")
            if getattr(timing, name) != getattr(usual, name)
        ]
        words += [f"counts={self.counts}"] if self.counts != distribution.UNIFORM else []
        return " ".join([*words, f"skew={self.skew}"] if self.skew != arrival.NONE else words)

    def identity(self) -> str:
        """The point for caches: its text, with what a file says in place of the file's name."""
        named = replace(self, skew=named_file.identity(self.skew), counts=named_file.identity(self.counts))
        return decision_files.identity(named._text())

    def bytes(self, ranks: int) -> int:
        """Bytes of the whole vector on so many ranks."""
        return sizes.vector_bytes(self.collective, self.count, ranks, sizes.elem_bytes(self.type))

    def block_bytes(self, ranks: int) -> int:
        """Bytes of one block on so many ranks."""
        return sizes.block_bytes(self.collective, self.count, ranks, sizes.elem_bytes(self.type))

    def cells(self, ranks: int) -> dict[str, Any]:
        """The columns of a table that describe the point itself."""
        about = registry.load().collective(self.collective)
        return {
            "collective": self.collective,
            "algorithm": self.algorithm,
            "bytes": self.bytes(ranks),
            "block_bytes": self.block_bytes(ranks),
            "type": self.type,
            "op": self.op if about.has_operator else "",
            "in_place": int(self.in_place),
            "root": self.root,
            "metric": self.metric,
            "buffers": self.timing.buffers if self.timing.buffers != BUFFERS[0] else "",
            "skew": self.skew if self.skew != arrival.NONE else "",
        } | ({"counts": self.counts} if self.counts != distribution.UNIFORM else {})


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the ranks of a launch sit. `platform` may be None only for real runs on a machine nobody has described yet."""

    platform: Platform | None
    nodes: int
    ranks: int
    mapping: str = "block"

    # Layouts name groups of points; a platform itself need not be hashable.
    def _identity(self) -> tuple[int, int, int, str]:
        return id(self.platform), self.nodes, self.ranks, self.mapping

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    @property
    def platform_name(self) -> str:
        """The platform's name in tables."""
        return self.platform.name if self.platform else "this_machine"

    def cells(self) -> dict[str, Any]:
        """The columns of a table that say where: platform, nodes, ranks, mapping."""
        return {"platform": self.platform_name, "nodes": self.nodes, "ranks": self.ranks, "mapping": self.mapping}


Task = tuple[Layout, Point]


def describe(task: Task) -> str:
    """A task in a line, for people who wait for it."""
    layout, point = task
    size = (
        f", {format_size(point.bytes(layout.ranks))}" if registry.load().collective(point.collective).has_data else ""
    )
    owner = f" ({point.collective})" if not point.algorithm.startswith(f"{point.collective}/") else ""
    nodes = counted(layout.nodes, "node")
    return f"{point.algorithm}{owner}{size}, {layout.ranks} ranks on {nodes}"


def plan_text(points: Iterable[tuple[str, Point]], ranks: int | None = None) -> str:
    """A plan file: one point per line, each with its id; `ranks` where the program has no launch to take it from."""
    ending = f" ranks={ranks}" if ranks else ""
    return "".join(f"id={name} {point.text()}{ending}\n" for name, point in points)


def check_layout(platform: Platform, nodes: int, ranks: int, mapping: str, real: bool = False) -> Layout:
    """A layout that fits the platform, or a UsageError that says what would. Real ranks may share cores. Its nodes are those that have
    ranks: those that fill one after the other may leave some empty. Where the platform grows, it has as many as are asked for."""
    platform = grown(platform, nodes)
    if real and placement.file_of(mapping) is None:  # ranks may share cores, nodes must exist
        seated = fitted(platform, nodes, min(ranks, nodes * platform.cores_per_node), mapping)
    else:
        seated = fitted(platform, nodes, ranks, mapping)
    used = placement.used_nodes(seated)
    if used < nodes and mapping in placement.EVEN_MAPPINGS:
        raise UsageError(f"{ranks} ranks cannot occupy {nodes} nodes; use --nodes {ranks}")
    if real and used > 1:
        _check_mpirun(used, ranks, mapping)
    return Layout(platform, used, ranks, mapping)


def _check_mpirun(nodes: int, ranks: int, mapping: str) -> None:
    """UsageError: mpirun cannot be told to place ranks on several nodes as this layout says."""
    if placement.file_of(mapping):
        raise UsageError(f"--mapping {mapping}: for real runs on one node only; use {', '.join(placement.MAPPINGS)}")
    each = -(-ranks // nodes)
    if mapping in placement.EVEN_MAPPINGS and nodes * each - ranks > 1:  # it fills up all but the last
        fewer, more = nodes * (each - 1), nodes * each
        raise UsageError(
            f"--mapping {mapping}: real runs put as many ranks on each of {nodes} nodes; use --ranks {fewer} or {more}"
        )
