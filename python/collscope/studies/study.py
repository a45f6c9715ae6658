"""Studies: what a file sim/NAME.toml asks for, from its points to its report.

A study varies collectives, algorithms, nodes, ranks and sizes on one platform. `run` simulates what is not cached, makes
the tidy table, and from the table all that is shown: figures, crossovers, a decision tree, a report. All of it appears at once in
results/NAME/fresh/; results/NAME/ itself holds the committed reference. What the keys of the file mean stands beside each field
of `Study` and its parts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collscope.base import paths
from collscope.base.errors import UsageError, UserError, nearest, unknown
from collscope.base.units import parse_sizes
from collscope.points.plan import BLOCKS, MAPPINGS, Point, count_of_bytes

if TYPE_CHECKING:
    from collscope.catalogue.registry import Registry

STUDIES = paths.ROOT / "sim"
METRICS = ("makespan", "root")  # those that one and the same simulated call gives


@dataclass(frozen=True)
class Entry:
    """One competitor: an algorithm or decision, and the class it stands for (its own key where a study has no classes)."""

    collective: str
    name: str
    key: str


@dataclass(frozen=True)
class Collective:
    name: str
    title: str  # for people
    figure: str  # number of the source's figures, or ""
    entries: tuple[Entry, ...]
    classes: bool  # entries stand for classes: they take part in crossovers and the decision tree


@dataclass(frozen=True)
class Study:
    name: str
    path: Path
    title: str
    source: str
    about: str
    differences: tuple[str, ...]  # from the source's experiment, said in the report
    claims: str  # "bird": python/collscope/claims_bird.py; "" none
    platform: str
    nodes: tuple[int, ...]
    ranks: tuple[int, ...]
    mapping: str
    type: str
    op: str
    root: int
    in_place: bool
    metric: str
    beside: tuple[str, ...]  # further metrics that the same calls give
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    marked: tuple[int, ...]  # sizes that get attention of their own: shaded in figures, judged by claims
    marked_label: str
    classes: Mapping[str, str]  # class → what it is
    collectives: tuple[Collective, ...]
    tolerance: float
    prior_sizes: tuple[int, ...]  # where claims are judged again over the ranges of the platform's priors

    def chosen_sizes(self, quick: bool) -> tuple[int, ...]:
        return self.quick if quick else self.sizes

    def collective(self, name: str) -> Collective:
        return next(c for c in self.collectives if c.name == name)

    @property
    def titles(self) -> dict[str, str]:
        return {c.name: c.title for c in self.collectives}

    @property
    def candidates(self) -> tuple[str, ...]:
        """Keys that stand for one and the same class in turn: the decisions that "builtin" may be."""
        shared: dict[str, list[str]] = {}
        for c in self.collectives:
            for e in c.entries:
                if c.classes and e.key not in shared.setdefault(e.name, []) and e.key.startswith("decision/"):
                    shared[e.name].append(e.key)
        return tuple(k for keys in shared.values() if len(keys) > 1 for k in keys)

    def points(self, quick: bool = False) -> Iterator[tuple[int, int, Entry, Point, int]]:
        """(nodes, ranks, entry, point, bytes) in the order of the table."""
        elem = _elem(self.type)
        for c in self.collectives:
            for ranks in self.ranks:
                for nodes in self.nodes:
                    for entry in c.entries:
                        for size in self.chosen_sizes(quick):
                            if size % (elem * (ranks if c.name in BLOCKS else 1)):
                                continue
                            count = count_of_bytes(c.name, size, ranks, elem)
                            yield nodes, ranks, entry, Point(
                                c.name, entry.key, count, type=self.type, op=self.op, root=self.root,
                                in_place=self.in_place, metric=self.metric,
                            ), size  # fmt: skip


def _elem(name: str) -> int:
    # The two element sizes that studies use, so that a study can be listed before anything is built.
    return {"float": 4, "int": 4, "double": 8}[name]


# ---- reading ---------------------------------------------------------------------------------------------


_ABSENT = object()


class _Reader:
    """A table of a TOML file that complains with file and key."""

    def __init__(self, path: Path, data: Mapping[str, Any], where: str = "") -> None:
        self.path, self.data, self.where = path, dict(data), where
        self.seen: set[str] = set()

    def fail(self, key: str, what: str) -> UsageError:
        name = f"{self.where}.{key}" if self.where and key else self.where or key
        return UsageError(f"{paths.display(self.path)}: {name + ': ' if name else ''}{what}")

    def get(self, key: str, kind: type, default: Any = _ABSENT, what: str = "") -> Any:
        self.seen.add(key)
        value = self.data.get(key, default)
        if value is _ABSENT:
            raise self.fail(key, "is missing" + (f"; {what}" if what else ""))
        if value is default:
            return value
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            names = {
                str: "text",
                int: "a whole number",
                float: "a number",
                bool: "true or false",
                list: "a list",
                dict: "a table",
            }
            raise self.fail(key, f"must be {names[kind]}, not {value!r}")
        return value

    def word(self, key: str, choices: Sequence[str], default: Any = _ABSENT) -> str:
        value = str(self.get(key, str, default))
        if value not in choices:
            match = nearest(value, choices)
            raise self.fail(
                key, f'"{value}" is not one of {", ".join(choices)}' + (f'; did you mean "{match}"?' if match else "")
            )
        return value

    def numbers(self, key: str) -> tuple[int, ...]:
        value = self.get(key, list, what="a list of whole numbers")
        if not value or not all(isinstance(v, int) and not isinstance(v, bool) and v > 0 for v in value):
            raise self.fail(key, f"must be a list of numbers from 1 up, not {value!r}")
        return tuple(dict.fromkeys(value))

    def sizes(self, key: str, default: Any = _ABSENT) -> tuple[int, ...]:
        text = self.get(key, str, default)
        if text is default:
            return tuple(default or ())
        try:
            sizes = parse_sizes(text)
        except UsageError as error:
            raise self.fail(key, str(error)) from error
        if min(sizes) < 1:
            raise self.fail(key, "sizes begin at 1 B")
        return tuple(sorted(sizes))

    def strings(self, key: str, default: Any = _ABSENT) -> tuple[str, ...]:
        value = self.data.get(key, default)
        self.seen.add(key)
        if isinstance(value, str):
            return (value,)
        if value is default and default is not _ABSENT:
            return tuple(default)
        if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
            raise self.fail(key, f"must be a key or a list of keys, not {value!r}")
        return tuple(value)

    def table(self, key: str, default: Any = _ABSENT) -> _Reader:
        return _Reader(self.path, self.get(key, dict, default), f"{self.where}.{key}" if self.where else key)

    def done(self) -> None:
        for key in self.data:
            if key not in self.seen:
                match = nearest(key, self.seen)
                raise self.fail(key, "unknown key" + (f'; did you mean "{match}"?' if match else ""))


def load(name: str | Path) -> Study:
    """The study of that name in sim/, or of that file."""
    path = Path(name) if str(name).endswith(".toml") else STUDIES / f"{name}.toml"
    if not path.is_file():
        if str(name).endswith(".toml"):
            raise UsageError(f"{paths.display(path)}: no such file")
        raise unknown("study", str(name), names(), "./collscope study list shows them")
    return parse(path.read_text(encoding="utf-8"), path)


def names() -> list[str]:
    """The studies in sim/, by name."""
    return sorted(p.stem for p in STUDIES.glob("*.toml"))


def list_studies() -> list[tuple[str, str]]:
    """(name, one line) of every study in sim/. A file that cannot be read is listed with the reason."""
    out = []
    for name in names():
        try:
            study = load(name)
        except UserError as error:
            out.append((name, f"cannot be read: {error}"))
            continue
        points, quick = (sum(1 for _ in study.points(q)) for q in (False, True))
        out.append((name, f"{study.title} ({study.platform}, {points} points; {quick} with --quick)"))
    return out


def parse(text: str, path: Path) -> Study:
    """A study from its text; `path` is named in complaints."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{paths.display(path)}: not TOML: {error}") from error
    top = _Reader(path, data)
    setting, sizes, tree = top.table("setting"), top.table("sizes"), top.table("tree", {})
    prior = top.table("priors", {})
    classes = top.table("classes", {})
    class_text = {k: str(classes.get(k, str)) for k in classes.data}
    common = top.table("common", {})
    shared = {k: common.strings(k) for k in common.data}
    for key in shared:
        if key not in class_text:
            raise common.fail(key, "is no class; [classes] names " + (", ".join(class_text) or "none"))
    every = sizes.sizes("bytes")
    study = Study(
        name=path.stem,
        path=path,
        title=top.get("title", str),
        source=top.get("source", str, ""),
        about=str(top.get("about", str, "")).strip(),
        differences=top.strings("differences", ()),
        claims=top.word("claims", ("bird", ""), ""),
        platform=setting.get("platform", str),
        nodes=setting.numbers("nodes"),
        ranks=setting.numbers("ranks"),
        mapping=setting.word("mapping", MAPPINGS, "block"),
        type=setting.word("type", ("float", "double", "int"), "float"),
        op=setting.word("op", ("sum", "max", "min", "prod"), "sum"),
        root=setting.get("root", int, 0),
        in_place=setting.get("in_place", bool, False),
        metric=setting.word("metric", METRICS, "makespan"),
        beside=setting.strings("beside", ()),
        sizes=every,
        quick=sizes.sizes("quick", every),
        marked=sizes.sizes("marked", ()),
        marked_label=sizes.get("marked_label", str, "marked"),
        classes=class_text,
        collectives=tuple(_collectives(top, class_text, shared)),
        tolerance=tree.get("tolerance", float, 0.02),
        prior_sizes=prior.sizes("bytes", ()),
    )
    for metric in study.beside:
        if metric not in METRICS or metric == study.metric:
            raise setting.fail(
                "beside", f'"{metric}" is not one of {", ".join(m for m in METRICS if m != study.metric)}'
            )
    for where, key, chosen in (
        (sizes, "quick", study.quick),
        (sizes, "marked", study.marked),
        (prior, "bytes", study.prior_sizes),
    ):
        strange = [s for s in chosen if s not in every]
        if strange:
            raise where.fail(key, f"{strange[0]} B is not among the sizes of bytes")
    if not 0 <= study.tolerance < 1:
        raise tree.fail("tolerance", "is a share of the time, from 0 to 1")
    if study.root < 0 or study.root >= min(study.ranks):
        raise setting.fail("root", f"there is no rank {study.root} among {min(study.ranks)}")
    for reader in (top, setting, sizes, tree, classes, common, prior):
        reader.done()
    return study


def _collectives(top: _Reader, classes: Mapping[str, str], shared: Mapping[str, Sequence[str]]) -> Iterator[Collective]:
    listed = top.get("collective", list, what="write [[collective]] with name and algorithms")
    seen: set[str] = set()
    for at, data in enumerate(listed):
        if not isinstance(data, dict):
            raise top.fail("collective", f"must be tables [[collective]], not {data!r}")
        one = _Reader(top.path, data, f"collective {data.get('name', at + 1)}")
        name = one.get("name", str)
        if name in seen:
            raise one.fail("name", "stands twice")
        seen.add(name)
        entries = [Entry(name, key, key) for key in one.strings("algorithms", ())]
        with_classes = not entries
        if with_classes:
            for cls in classes:
                keys = one.strings(cls, shared.get(cls, ()))
                entries += [Entry(name, cls, key) for key in keys]
        if not entries:
            raise one.fail(
                "", "names no algorithms; write algorithms = [...]" + "".join(f", or {c} = ..." for c in classes)
            )
        title, figure = one.get("title", str, name), one.get("figure", str, "")
        one.done()
        for entry in entries:
            owner = entry.key.partition("/")[0]
            if owner not in (name, "decision"):
                raise one.fail("", f"{entry.key} is no algorithm of {name}")
        yield Collective(name, title, figure, tuple(entries), with_classes)


def check_keys(study: Study, registry: Registry) -> Study:
    """The study with canonical keys: with all parameters, as tables spell them. Unknown ones are named with file and place."""
    collectives = []
    for c in study.collectives:
        entries = []
        for e in c.entries:
            try:
                registry.collective(c.name)
                _, key = registry.resolve(e.key, c.name)
            except UsageError as error:
                raise UsageError(f"{paths.display(study.path)}: collective {c.name}: {error}") from error
            entries.append(replace(e, key=key, name=key if e.name == e.key else e.name))
        collectives.append(replace(c, entries=tuple(entries)))
    return replace(study, collectives=tuple(collectives))
