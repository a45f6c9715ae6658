"""What a study varies: collectives, algorithms, nodes, ranks and sizes on one platform; and the points that follow from it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UsageError
from collscope.catalogue import registry
from collscope.catalogue.sizes import count_of_bytes
from collscope.machines import variations as vary
from collscope.machines.variations import Variant, Variation
from collscope.points.plan import Point

ELEMENT_BYTES = {"float": 4, "double": 8, "int": 4}  # the types of studies: so that one can be listed before a build


@dataclass(frozen=True)
class Entry:
    """One competitor: an algorithm or decision, and the class it stands for (its own key where a study has no classes)."""

    collective: str
    name: str
    key: str


@dataclass(frozen=True)
class Collective:
    """A collective of a study and what competes in it."""

    name: str
    title: str  # for people
    figure: str  # number of the source's figures, or ""
    entries: tuple[Entry, ...]
    classes: bool  # entries stand for classes: they take part in crossovers and the decision tree
    line: int = 1  # of the file, for complaints


@dataclass(frozen=True)
class Study:
    """A file sim/NAME.toml, read and checked; see collscope.studies.reader for how it is written."""

    name: str
    path: Path
    title: str
    source: str
    about: str
    differences: tuple[str, ...]  # from the source's experiment, said in the report
    paper: str  # whose claims are judged (collscope.papers); "": none
    platform: str
    nodes: tuple[int, ...]
    ranks: tuple[int, ...]
    mapping: str
    type: str
    op: str
    root: int
    in_place: bool
    metric: str
    also_metrics: tuple[str, ...]  # further metrics that the same calls give
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    focus: tuple[int, ...]  # sizes that get attention of their own: shaded in figures, judged by claims
    focus_label: str
    classes: Mapping[str, str]  # class → what it is
    collectives: tuple[Collective, ...]
    tolerance: float  # share of the time that a point may lose when rules of the decision tree are merged
    prior_sizes: tuple[int, ...]  # where claims are judged again over the ranges of the platform's priors
    variations: tuple[Variation, ...] = ()  # of platform and mapping: what [vary] says

    @contextlib.contextmanager
    def at_fault(self) -> Iterator[None]:
        """A UsageError raised within is told as one of this file's [setting]."""
        try:
            yield
        except UsageError as error:
            raise UsageError(f"{paths.display(self.path)}: setting: {error}") from None

    def chosen_sizes(self, quick: bool) -> tuple[int, ...]:
        """Bytes of the whole vector, ascending: all, or the few of a quick run."""
        return self.quick if quick else self.sizes

    def collective(self, name: str) -> Collective:
        """The collective of that name; StopIteration where the study has none."""
        return next(c for c in self.collectives if c.name == name)

    def figure(self, c: Collective, nodes: int, ranks: int) -> tuple[str, str]:
        """Number of the source's figure of a collective in a layout, or "", and the name of ours without its ending."""
        number = f"{c.figure}.{self.nodes.index(nodes) + 1}" if c.figure and len(self.ranks) == 1 else ""
        several = f"_{ranks}_ranks" if len(self.ranks) > 1 else ""
        return number, f"{number + '_' if number else ''}{c.name}_{nodes}_nodes{several}"

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Platform and mapping in all variants; the first is what all but the section on what-if is about."""
        return vary.variants(self.platform, self.mapping, self.variations)

    @property
    def titles(self) -> dict[str, str]:
        """Collective → its title."""
        return {c.name: c.title for c in self.collectives}

    @property
    def alternatives(self) -> tuple[str, ...]:
        """Keys that stand for one and the same class in turn: the decisions that "builtin" may be."""
        shared: dict[str, list[str]] = {}
        for c in self.collectives:
            for e in c.entries:
                if c.classes and e.key not in shared.setdefault(e.name, []) and e.key.startswith("decision/"):
                    shared[e.name].append(e.key)
        return tuple(k for keys in shared.values() if len(keys) > 1 for k in keys)

    def points(self, quick: bool = False) -> Iterator[tuple[int, int, Entry, Point, int]]:
        """(nodes, ranks, entry, point, bytes) of a variant in the order of the table. Sizes that cannot be cut into one block of whole
        elements for each rank are left out for collectives that move blocks."""
        elem, known = ELEMENT_BYTES[self.type], registry.load()
        for c in self.collectives:
            blocks = known.collective(c.name).counts_blocks
            for ranks in self.ranks:
                for nodes in self.nodes:
                    for entry in c.entries:
                        for size in self.chosen_sizes(quick):
                            if size % (elem * (ranks if blocks else 1)):
                                continue
                            count = count_of_bytes(c.name, size, ranks, elem)
                            yield nodes, ranks, entry, Point(
                                c.name, entry.key, count, type=self.type, op=self.op, root=self.root,
                                in_place=self.in_place, metric=self.metric,
                            ), size  # fmt: skip
