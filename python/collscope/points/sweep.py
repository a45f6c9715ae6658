"""Sweeps: the points of every combination of layout, size and key, as a run, a study and a campaign have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from collscope.base.errors import UsageError, unknown
from collscope.catalogue import registry
from collscope.catalogue.sizes import count_of_block_bytes, count_of_bytes
from collscope.points import arrival, distribution
from collscope.points.plan import Layout, Point, Task

Unit = Literal["vector", "block"]
"""What a size is of: the whole vector, or one rank's block."""

Fit = Literal["refuse", "skip", "round"]
"""What becomes of a size that is not a whole number of elements for each rank: an error, no point, or the nearest smaller size."""


@dataclass(frozen=True)
class Sweep:
    """Calls that differ in layout, size and key and share all else.

    `keys` are pairs of collective and full key; `like` is a point with what they share: type, operator, root, metric, timing."""

    keys: Sequence[tuple[str, str]]
    sizes: Sequence[int]  # bytes
    layouts: Sequence[Layout] = ()
    unit: Unit = "vector"
    fit: Fit = "refuse"
    like: Point = Point("", "", 0)  # noqa: RUF009

    def tasks(self) -> list[Task]:
        """Every point in its layout: by layout, then size, then key. UsageError: the root, or a size with fit "refuse", does not
        exist."""
        return [(layout, point) for layout in self.layouts for point in self.points(layout.ranks)]

    def points(self, ranks: int) -> list[Point]:
        """The points on so many ranks, by size, then key; calls without data are there once."""
        arrival.check_ranks(self.like.skew, ranks)
        for collective in dict(self.keys):
            distribution.check_ranks(self.like.counts, collective, ranks)
        return list(dict.fromkeys(self._points(ranks)))

    def _points(self, ranks: int) -> Iterator[Point]:
        for size in self.sizes:
            for collective, key in self.keys:
                count = count_of(collective, size, ranks, self.like.type, self.unit, self.fit)
                if count is not None:
                    root = root_of(collective, self.like.root, ranks)
                    yield replace(self.like, collective=collective, algorithm=key, count=count, root=root)


def count_of(
    collective: str,
    size: int,
    ranks: int,
    type_name: str,
    unit: Unit = "vector",
    fit: Fit = "refuse",
    or_block: bool = True,
) -> int | None:
    """The count of a call of so many bytes; 0 without data. None: `fit` is "skip", and the size does not fit. `or_block`: whoever
    asks has --block-bytes, which an error then names."""
    known = registry.load()
    about, elem = known.collective(collective), known.type_bytes(type_name)
    if not about.has_data:
        return 0
    whole = elem * (ranks if unit == "vector" and about.counts_blocks else 1)
    if size % whole and fit == "skip":
        return None
    if fit == "round":
        size = max(whole, size // whole * whole)
    if unit == "block":
        return count_of_block_bytes(collective, size, ranks, elem)
    return count_of_bytes(collective, size, ranks, elem, or_block)


def root_of(collective: str, root: int, ranks: int) -> int:
    """The root of a call, 0 where the collective has none. UsageError: there is no such rank."""
    if not registry.load().collective(collective).has_root:
        return 0
    if root >= ranks:
        raise UsageError(f"--root {root}: with {ranks} ranks the root is 0 … {ranks - 1}")
    return root


def operator_of(type_name: str, op: str | None = None) -> str:
    """The operator as it is named, or the usual one of the type. UsageError: there is no such operator, or type and operator do not go
    together: affine maps are composed, and nothing else is."""
    known = registry.load()
    if op is None:
        return "affine" if type_name == "affine" else "sum"
    if op not in known.operators:
        raise unknown("operator", op, known.operators)
    if (op == "affine") != (type_name == "affine"):
        fitting = "--type affine" if op == "affine" else "--op affine, or leave out --op"
        raise UsageError(
            f"--op {op} with --type {type_name}: affine maps have their own operator and type; add {fitting}"
        )
    return op


def have_data(keys: Iterable[tuple[str, str]]) -> bool:
    """Whether one of the keys (collective, key) moves data, so that a sweep needs sizes."""
    return any(registry.load().collective(collective).has_data for collective, _ in keys)
