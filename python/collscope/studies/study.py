"""What a study varies: collectives, algorithms, nodes, ranks and sizes on one platform; and the points that follow from it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UsageError
from collscope.machines import study_variants as vary
from collscope.machines.study_variants import Variant, Variation
from collscope.points import distribution
from collscope.points.plan import Point
from collscope.points.sweep import Sweep, Unit

DRAWINGS = ("times", "winners", "traffic")  # kinds of figures
# The types of studies, so that one can be listed before a build.
ELEMENT_BYTES = {"byte": 1, "float": 4, "double": 8, "int": 4}


def spelt(metric: str) -> str:
    """A metric as a parameter of a key: overlap wait calls."""
    return metric.replace("[", " ").replace(",", " ").removesuffix("]")


def keyed(algorithm: str, metric: str) -> str:
    """The key of an entry with a metric of its own: bcast/binomial[s=0,as=overlap wait calls]."""
    if not metric:
        return algorithm
    return f"{algorithm.removesuffix(']')}{',' if algorithm.endswith(']') else '['}as={spelt(metric)}]"


@dataclass(frozen=True)
class Entry:
    """One competitor: an algorithm or decision, and the class it stands for (its own key where a study has no classes)."""

    collective: str
    name: str
    key: str  # the algorithm's; of another metric than the study's with that among its parameters, as "as"
    most_ranks: int = 0  # it does not compete on more; 0: on any number
    metric: str = ""  # another than the study's

    @property
    def algorithm(self) -> str:
        """The key of what runs."""
        return (
            self.key.replace(f"as={spelt(self.metric)}", "").replace("[]", "").replace(",]", "]")
            if self.metric
            else self.key
        )


def entry_of(collective: str, name: str, text: str, most_ranks: int = 0) -> Entry:
    """KEY, or KEY as METRIC, which is timed by another metric than the study's. A name that is the text is the key."""
    key, _, metric = (word.strip() for word in text.partition(" as "))
    return Entry(collective, key if name == text else name, key, most_ranks, metric)


@dataclass(frozen=True)
class Collective:
    """A collective of a study and what competes in it."""

    name: str
    title: str  # for people
    figure: str  # number of the source's figures, or ""
    entries: tuple[Entry, ...]
    classes: bool  # entries stand for classes: they take part in crossovers and the decision tree
    line: int = 1  # of the file, for complaints
    every: bool = False  # all algorithms of the catalogue compete; until the catalogue is known, entries are those that are named besides
    counts: str = distribution.UNIFORM  # how long each rank's block is


@dataclass(frozen=True)
class Sample:
    """Points of the model that are simulated, too: one of so many, on at most so many ranks."""

    every: int
    most_ranks: int


@dataclass(frozen=True)
class Drawing:
    """A figure that the study asks for: what competes, where and at which sizes; what is empty is not restricted."""

    stem: str  # of its files
    title: str
    number: str  # of the source's figure, or ""
    caption: str
    collective: str
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    ranks: tuple[int, ...]
    nodes: tuple[int, ...]
    mappings: tuple[str, ...]
    kind: str = DRAWINGS[0]
    platforms: tuple[str, ...] = ()  # their names; none: the first for times, all for the others
    pairs: tuple[tuple[str, str], ...] = ()  # of traffic: an algorithm, and the one that it is compared with

    def shows(self, entry: Entry) -> bool:
        """Whether it competes in the figure."""
        if self.kind != DRAWINGS[0]:
            return not self.pairs or any(entry.algorithm in pair for pair in self.pairs)
        return entry.collective == self.collective and (not self.names or entry.name in self.names)


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
    layouts: tuple[tuple[int, int], ...]  # (nodes, ranks) in the order of the table
    mapping: str
    type: str
    op: str
    root: int
    in_place: bool
    buffers: str  # of variations.SIMULATED
    metric: str
    also_metrics: tuple[str, ...]  # further metrics that the same calls give
    numbers_from: str  # the source of the times: sim or model
    sizes: tuple[int, ...]
    blocks: bool  # sizes are those of a rank's block, not of the whole vector
    quick: tuple[int, ...]
    quick_ranks: int  # the most ranks of a quick run; 0: all
    focus: tuple[int, ...]  # sizes that get attention of their own: shaded in figures, judged by claims
    focus_label: str
    classes: Mapping[str, str]  # class → what it is
    collectives: tuple[Collective, ...]
    tolerance: float  # share of the time that a point may lose when rules of the decision tree are merged
    prior_sizes: tuple[int, ...]  # where claims are judged again over the ranges of the platform's priors
    prior_ranks: int  # and the most ranks
    prior_source: str  # and the source of the times
    variations: tuple[Variation, ...] = ()  # of platform and mapping: what [vary] says
    drawings: tuple[Drawing, ...] = ()  # in place of a figure for each collective and layout
    traffic: bool = False  # rows have the bytes that cross links between nodes
    families: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # name → patterns of keys; the rest was there before
    sample: Sample | None = None

    @property
    def nodes(self) -> tuple[int, ...]:
        """The numbers of nodes."""
        return tuple(dict.fromkeys(nodes for nodes, _ in self.layouts))

    @property
    def ranks(self) -> tuple[int, ...]:
        """The numbers of ranks."""
        return tuple(dict.fromkeys(ranks for _, ranks in self.layouts))

    @contextlib.contextmanager
    def at_fault(self, key: str = "setting") -> Iterator[None]:
        """A UsageError raised within is told as one of this file's [setting], or of a key in it."""
        try:
            yield
        except UsageError as error:
            raise UsageError(f"{paths.display(self.path)}: {key}: {error}") from None

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
        """Platform, mapping and buffers in all variants; the first is what all but the section on what-if is about."""
        return vary.variants(self.platform, self.mapping, self.variations, self.buffers)

    @property
    def machines(self) -> dict[str, str]:
        """Platform → its name, of a study that compares several; the first is what all but comparisons are about."""
        compared = next((v for v in self.variations if v.key == vary.PLATFORM), None)
        return {value: compared.label(value) for value in compared.values} if compared else {}

    def machine(self, variant: Variant) -> str:
        """The name of a variant's platform among several; "" where there is one."""
        return self.machines.get(variant.values[0], "") if self.machines else ""

    @property
    def on(self) -> str:
        """The platform, or what several are called, for people."""
        return f"{len(self.machines)} machines" if self.machines else self.platform

    @property
    def every(self) -> bool:
        """Whether all algorithms of the catalogue compete in a collective."""
        return any(c.every for c in self.collectives)

    @property
    def titles(self) -> dict[str, str]:
        """Collective → its title."""
        return {c.name: c.title for c in self.collectives}

    @cached_property
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
        elements for each rank are left out for collectives that move blocks; a barrier has one point. Buffers are warm; a variant
        has its own."""
        like = Point("", "", 0, self.type, self.op, self.root, self.in_place, self.metric)
        for c in self.collectives:
            for nodes, ranks in self.layouts:
                for entry in c.entries:
                    if ranks > min(most for most in (entry.most_ranks, quick and self.quick_ranks, ranks) if most):
                        continue
                    unit: Unit = "block" if self.blocks else "vector"
                    timed = replace(like, metric=entry.metric or self.metric, counts=c.counts)
                    sweep = Sweep(
                        [(c.name, entry.algorithm)], self.chosen_sizes(quick), unit=unit, fit="skip", like=timed
                    )
                    for point in sweep.points(ranks):
                        yield nodes, ranks, entry, point, point.bytes(ranks)
