"""Points, layouts and plans: what is wanted, before anything runs.

A *point* is one call (collective, algorithm, count, type, …). A *layout* says where the ranks sit. A *task* is a point in a
layout. Sizes: `bytes` is the whole vector, `block_bytes` what one rank contributes or receives where the collective moves
blocks; both follow from the count that MPI's call is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from collscope.base.errors import UsageError
from collscope.base.units import format_size
from collscope.catalogue import registry

if TYPE_CHECKING:
    from collscope.machines.platform import Platform

# count is one block, the vector is p of them
BLOCKS = frozenset({"scatter", "gather", "allgather", "alltoall", "rotation", "reduce_scatter_block"})
MAPPINGS = ("block", "cyclic", "fill")
METRICS = registry.METRICS


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
    repetitions: int = 1
    warmup: int = 0
    check: bool = False

    def text(self) -> str:
        """The point as a plan says it, without id and ranks: also its name in caches."""
        words = [
            f"collective={self.collective}",
            f"algorithm={self.algorithm}",
            f"count={self.count}",
            f"type={self.type}",
            f"op={self.op}",
            f"root={self.root}",
            f"in_place={int(self.in_place)}",
            f"metric={self.metric}",
            f"repetitions={self.repetitions}",
            f"warmup={self.warmup}",
            f"check={int(self.check)}",
        ]
        return " ".join(words)

    def bytes(self, ranks: int) -> int:
        return vector_bytes(self.collective, self.count, ranks, elem_bytes(self.type))

    def block_bytes(self, ranks: int) -> int:
        return block_bytes(self.collective, self.count, ranks, elem_bytes(self.type))

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
        }


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
        return self.platform.name if self.platform else "this_machine"

    def cells(self) -> dict[str, Any]:
        return {"platform": self.platform_name, "nodes": self.nodes, "ranks": self.ranks, "mapping": self.mapping}


Task = tuple[Layout, Point]


def plan_text(points: Iterable[tuple[str, Point]], ranks: int | None = None) -> str:
    """A plan file: one point a line, each with its id; `ranks` where the program has no launch to take it from."""
    ending = f" ranks={ranks}" if ranks else ""
    return "".join(f"id={name} {point.text()}{ending}\n" for name, point in points)


def elem_bytes(type_name: str) -> int:
    return registry.load().type_bytes(type_name)


def vector_bytes(collective: str, count: int, ranks: int, elem: int) -> int:
    """`bytes` n of a call."""
    if collective == "barrier":
        return 0
    return count * elem * (ranks if collective in BLOCKS else 1)


def block_bytes(collective: str, count: int, ranks: int, elem: int) -> int:
    """`block_bytes` m of a call."""
    if collective == "barrier":
        return 0
    if collective == "reduce_scatter":
        return -(-count // ranks) * elem
    return count * elem


def count_of_bytes(collective: str, size: int, ranks: int, elem: int) -> int:
    """The count whose vector has exactly `size` bytes; an error names the nearest sizes that exist."""
    if collective == "barrier":
        return 0
    unit = elem * (ranks if collective in BLOCKS else 1)
    return _divide(collective, size, unit, ranks, elem)


def count_of_block_bytes(collective: str, size: int, ranks: int, elem: int) -> int:
    """The count whose block has exactly `size` bytes (reduce_scatter: p blocks of that size)."""
    if collective == "barrier":
        return 0
    count = _divide(collective, size, elem, 1, elem)
    return count * ranks if collective == "reduce_scatter" else count


def _divide(collective: str, size: int, unit: int, ranks: int, elem: int) -> int:
    if size % unit == 0:
        return size // unit
    below, above = size // unit * unit, (size // unit + 1) * unit
    if unit == elem:
        what = f"whole elements of {elem} bytes"
        hint = ""
    else:
        what = f"{ranks} blocks of whole {elem}-byte elements, as {collective} on {ranks} ranks needs"
        hint = "; or give the size of one block with --block-bytes"
    near = f"{format_size(below)} or {format_size(above)}" if below else format_size(above)
    if max(below, above) >= 1024:
        near += f" ({below} or {above} bytes)" if below else f" ({above} bytes)"
    raise UsageError(f"{format_size(size)} cannot be cut into {what}; nearest: {near}{hint}")


def check_layout(platform: Platform, nodes: int, ranks: int, mapping: str, real: bool = False) -> Layout:
    """A layout that fits the platform, or a UsageError that says what would. Real ranks may share cores."""
    if mapping not in MAPPINGS:
        from collscope.base.errors import unknown

        raise unknown("mapping", mapping, MAPPINGS)
    if real:  # ranks may share cores, nodes must exist
        platform.hosts(nodes, min(ranks, nodes * platform.cores_per_node), mapping)
    else:
        platform.hosts(nodes, ranks, mapping)
    if ranks < nodes and mapping != "fill":
        raise UsageError(f"{ranks} ranks cannot occupy {nodes} nodes; use --nodes {ranks}")
    return Layout(platform, nodes, ranks, mapping)
