"""Reading studies: sim/NAME.toml becomes a Study. What may stand in the file is what the models below have fields for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from collscope.base import paths
from collscope.base.errors import UsageError, UserError, did_you_mean, unknown
from collscope.base.toml_table import Document, Table, one_of, read_text, sizes_of
from collscope.base.units import MAX_RANKS
from collscope.catalogue import metrics
from collscope.machines import placement
from collscope.machines import study_variants as vary
from collscope.machines.study_variants import Values as VaryValues
from collscope.papers import names as papers
from collscope.studies.study import ELEMENT_BYTES, Collective, Drawing, Entry, Study, entry_of, keyed

if TYPE_CHECKING:
    from collscope.catalogue.registry import Registry

STUDIES = paths.ROOT / "sim"
ONE_CALL = ("makespan", "root")  # metrics that one and the same simulated call gives
METRICS = (*ONE_CALL, "osu_avg", "loop")
WITH_BARRIER = metrics.with_barrier("KEY")
SOURCES = ("sim", "model")
OPERATORS = ("sum", "max", "min", "prod")


def _at_least_one(sizes: tuple[int, ...]) -> tuple[int, ...]:
    if min(sizes) < 1:
        raise ValueError("sizes begin at 1 B")
    return sizes


def _keys(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise ValueError(f"must be a key or a list of keys, not {value!r}")
    return tuple(value)


def _mapping(value: str) -> str:
    if value not in placement.MAPPINGS and not value.startswith(placement.FILE_PREFIX):
        known = (*placement.MAPPINGS, f"{placement.FILE_PREFIX}PATH")
        raise ValueError(f'"{value}" is not one of {", ".join(known)}{did_you_mean(value, known)}')
    return value


def _metric(value: str) -> str:
    """One of METRICS, or osu_avg with a barrier, whose key nobody knows before the C programs are built: check_keys looks at it."""
    if value not in METRICS and not metrics.has_barrier(value):
        known = (*METRICS, WITH_BARRIER)
        raise ValueError(f'"{value}" is not one of {", ".join(known)}{did_you_mean(value, known)}')
    return value


def _algorithms(value: Any) -> tuple[tuple[str, str], ...]:
    """(name, key): a list of keys, or a table of names with their keys."""
    if isinstance(value, dict):
        if not value or not all(isinstance(key, str) for key in value.values()):
            raise ValueError("must be a table of names, each with a key")
        return tuple(value.items())
    return tuple((key, key) for key in _keys(value))


Sizes = Annotated[tuple[int, ...], sizes_of("4B,1KiB..4MiB"), AfterValidator(_at_least_one)]
Algorithms = Annotated[tuple[tuple[str, str], ...], BeforeValidator(_algorithms)]
Keys = Annotated[tuple[str, ...], BeforeValidator(_keys)]
Number = Annotated[int, Field(ge=1, le=MAX_RANKS, description="a whole number from 1 up")]
Layout = Annotated[list[int], Field(min_length=2, max_length=2, description="[nodes, ranks]")]


class _Setting(Table):
    platform: str
    source: Annotated[str, one_of(SOURCES)] = "sim"
    nodes: list[Number] = Field(default_factory=list, description="a list of whole numbers from 1 up")
    ranks: list[Number] = Field(default_factory=list, description="a list of whole numbers from 1 up")
    layouts: list[Layout] = Field(default_factory=list)  # in place of nodes and ranks, where not all go together
    mapping: Annotated[str, AfterValidator(_mapping)] = "block"
    type: Annotated[str, one_of(tuple(ELEMENT_BYTES))] = "float"
    op: Annotated[str, one_of(OPERATORS)] = "sum"
    root: int = 0
    in_place: bool = False
    buffers: Annotated[str, one_of(vary.SIMULATED)] = vary.SIMULATED[0]
    metric: Annotated[str, AfterValidator(_metric)] = "makespan"
    also_metrics: list[str] = Field(default_factory=list)


class _Sizes(Table):
    bytes: Sizes = ()  # of the whole vector
    block_bytes: Sizes = ()  # or of each rank's block
    quick: Sizes = ()  # all of them
    quick_ranks: int = Field(default=0, ge=0)  # layouts with more are left out with --quick; 0: none
    focus: Sizes = ()
    focus_label: str = "focus"


class _Tree(Table):
    tolerance: float = Field(default=0.02, ge=0, lt=1, description="a share of the time, from 0 to 1")


class _Priors(Table):
    bytes: Sizes = ()
    most_ranks: int = Field(default=0, ge=0)  # layouts with more are left out; 0: none
    source: Annotated[str, one_of(SOURCES)] | None = None  # of the times; none: the study's own


class _Collective(Table):
    model_config = ConfigDict(extra="allow")  # classes: [classes] says which

    name: str
    title: str = ""
    figure: str = Field(
        default="", pattern=r"^[A-Za-z0-9_.-]{0,40}$", description="a figure's number: letters, digits and _ . -"
    )
    algorithms: Algorithms = ()
    most_ranks: dict[str, Number] = Field(default_factory=dict)  # name → it does not compete on more


class _Figure(Table):
    """What is drawn where this is given: one figure a table [[figure]]."""

    number: str = Field(  # the source's; with a letter first, a name of our own
        pattern=r"^[A-Za-z0-9_.-]{1,40}$", description="a figure's number: letters, digits and _ . -"
    )
    title: str
    caption: str = ""
    collective: str = ""
    names: list[str] = Field(default_factory=list)  # of what competes; none: all
    sizes: Sizes = ()  # in the unit of [sizes]; none: all
    ranks: list[int] = Field(default_factory=list)
    nodes: list[int] = Field(default_factory=list)
    mapping: list[str] = Field(default_factory=list)  # none: the study's first


class _File(Table):
    title: str
    source: str = ""
    about: str = ""
    differences: list[str] = Field(default_factory=list)
    paper: Annotated[str, one_of(papers.names())] = ""
    setting: _Setting
    vary: dict[str, VaryValues] = Field(default_factory=dict)
    sizes: _Sizes
    classes: dict[str, str] = Field(default_factory=dict)
    common: dict[str, Keys] = Field(default_factory=dict)  # class → keys that compete in every collective with classes
    tree: _Tree = Field(default_factory=_Tree)
    priors: _Priors = Field(default_factory=_Priors)
    collective: list[_Collective] = Field(min_length=1, description="tables [[collective]] with name and algorithms")
    figure: list[_Figure] = Field(default_factory=list)


def load(name: str | Path) -> Study:
    """The study of that name in sim/, or of that file (.toml)."""
    path = Path(name) if str(name).endswith(".toml") else STUDIES / f"{name}.toml"
    if not path.is_file():
        if str(name).endswith(".toml"):
            raise UsageError(f"{paths.display(path)}: no such file")
        raise unknown("study", str(name), names(), "./collscope study list shows them")
    return parse(read_text(path, paths.display(path)), path)


def _beside(study: Path, mapping: str) -> str:
    """The mapping, a file as seen from the study's folder."""
    file = mapping.partition(placement.FILE_PREFIX)[2]
    return f"{placement.FILE_PREFIX}{paths.display(study.parent / file)}" if file else mapping


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
            out.append((name, f"cannot be read: {str(error).splitlines()[0]}"))
            continue
        points, quick = (sum(1 for _ in study.points(q)) * len(study.variants) for q in (False, True))
        out.append((name, f"{study.title} ({study.platform}, {points} points; {quick} with --quick)"))
    return out


def parse(text: str, path: Path) -> Study:
    """A study from its text; `path` names it and stands in complaints. UsageError: FILE:LINE: KEY: what is wrong."""
    document = Document(text, paths.display(path))
    file = document.read(_File)
    setting, sizes = file.setting, file.sizes
    for key in file.common:
        if key not in file.classes:
            classes = ", ".join(file.classes) or "none"
            raise document.fail(f"is not a class; [classes] names {classes}", "common", key)
    others = [m for m in ONE_CALL if m != setting.metric and setting.metric in ONE_CALL and setting.source == "sim"]
    for metric in setting.also_metrics:
        if metric not in others:
            known = ", ".join(others) or "those that the same call gives: there are no others"
            raise document.fail(f'"{metric}" is not one of {known}', "setting", "also_metrics")
    if setting.source == "model" and setting.metric == "loop":
        raise document.fail('the model does not know "loop"; take source = "sim"', "setting", "metric")
    if setting.metric == "loop" and "fresh" in (setting.buffers, *file.vary.get(vary.BUFFERS, ())):
        raise document.fail(
            "calls of a loop follow each other on the same buffers; take another metric", "setting", "metric"
        )
    if file.priors.source == "model" and setting.metric == "loop":
        raise document.fail('the model does not know "loop"; take source = "sim"', "priors", "source")
    if bool(sizes.bytes) == bool(sizes.block_bytes):
        raise document.fail("give either bytes, of the whole vector, or block_bytes, of a rank's block", "sizes")
    if sizes.focus and sizes.block_bytes:
        raise document.fail(
            "a focus is of bytes; with block_bytes claims and figures name their sizes", "sizes", "focus"
        )
    every = sizes.bytes or sizes.block_bytes
    layouts = _layouts(document, setting)
    for table, key, chosen in (
        ("sizes", "quick", sizes.quick),
        ("sizes", "focus", sizes.focus),
        ("priors", "bytes", file.priors.bytes),
    ):
        strange = [s for s in chosen if s not in every]
        if strange:
            unit = "bytes" if sizes.bytes else "block_bytes"
            raise document.fail(f"{strange[0]} B is not among the sizes of {unit}", table, key)
    fewest = min(ranks for _, ranks in layouts)
    if not 0 <= setting.root < fewest:
        raise document.fail(f"there is no rank {setting.root} among {fewest}", "setting", "root")
    return Study(
        name=path.stem,
        path=path,
        title=file.title,
        source=file.source,
        about=file.about.strip(),
        differences=tuple(file.differences),
        paper=file.paper,
        platform=_relative_to(path.parent, setting.platform),
        layouts=layouts,
        mapping=_beside(path, setting.mapping),
        type=setting.type,
        op=setting.op,
        root=setting.root,
        in_place=setting.in_place,
        buffers=setting.buffers,
        metric=setting.metric,
        also_metrics=tuple(setting.also_metrics),
        numbers_from=setting.source,
        sizes=every,
        blocks=bool(sizes.block_bytes),
        quick=sizes.quick or every,
        quick_ranks=sizes.quick_ranks,
        focus=sizes.focus,
        focus_label=sizes.focus_label,
        classes=file.classes,
        collectives=tuple(_collectives(document, file)),
        tolerance=file.tree.tolerance,
        prior_sizes=file.priors.bytes,
        prior_source=file.priors.source or setting.source,
        prior_ranks=file.priors.most_ranks or max(ranks for _, ranks in layouts),
        variations=_variations(document, file, path),
        drawings=tuple(_drawings(document, file)),
    )


def _layouts(document: Document, setting: _Setting) -> tuple[tuple[int, int], ...]:
    """(nodes, ranks): every number of ranks on every number of nodes, or those that the file lists."""
    if bool(setting.layouts) == bool(setting.nodes or setting.ranks):
        raise document.fail("give nodes and ranks, or layouts = [[nodes, ranks], ...]", "setting")
    for key in ("nodes", "ranks"):
        if not setting.layouts and not getattr(setting, key):
            raise document.fail("is missing: a list of whole numbers from 1 up", "setting", key)
    for nodes, ranks in setting.layouts:
        if not 1 <= nodes <= ranks <= MAX_RANKS:
            raise document.fail(f"[{nodes}, {ranks}]: nodes from 1 to the number of ranks", "setting", "layouts")
    pairs = [(nodes, ranks) for nodes, ranks in setting.layouts]
    return tuple(dict.fromkeys(pairs or [(nodes, ranks) for ranks in setting.ranks for nodes in setting.nodes]))


def _drawings(document: Document, file: _File) -> Iterator[Drawing]:
    """The tables [[figure]]; the names in them are checked here, their keys are not known yet."""
    names = {c.name: [name for name, _ in c.algorithms] or list(file.classes) for c in file.collective}
    stems: set[str] = set()
    for at, one in enumerate(file.figure):
        collective = one.collective or file.collective[0].name
        if collective not in names:
            raise document.fail(
                f'"{collective}" is none of the study\'s{did_you_mean(collective, names)}', "figure", at, "collective"
            )
        for name in one.names:
            if name not in names[collective]:
                known = names[collective]
                raise document.fail(
                    f'"{name}" does not compete in {collective}{did_you_mean(name, known)}', "figure", at, "names"
                )
        for size in one.sizes:
            if size not in (file.sizes.bytes or file.sizes.block_bytes):
                raise document.fail(f"{size} B is not among the study's sizes", "figure", at, "sizes")
        number, stem = one.number, f"figure_{one.number}"
        if stem in stems:
            raise document.fail(f"{number} stands twice", "figure", at, "number")
        stems.add(stem)
        yield Drawing(
            stem, one.title, number if number[0].isdigit() else "", one.caption, collective, tuple(one.names), one.sizes, tuple(one.ranks),
            tuple(one.nodes), tuple(one.mapping),
        )  # fmt: skip


def _variations(document: Document, file: _File, path: Path) -> tuple[vary.Variation, ...]:
    """[vary], with files of mappings as seen from the study's folder."""
    own = file.setting.model_fields_set & {vary.MAPPING, vary.BUFFERS}
    found = vary.read(document, file.vary, own)
    return tuple(
        replace(v, values=tuple(_beside(path, one) for one in v.values)) if v.key == vary.MAPPING else v for v in found
    )


def _collectives(document: Document, file: _File) -> Iterator[Collective]:
    names: set[str] = set()
    for at, one in enumerate(file.collective):
        if one.name in names:
            raise document.fail("stands twice", "collective", at, "name")
        names.add(one.name)
        for key in one.model_extra or {}:
            if one.algorithms or key not in file.classes:
                known = (*type(one).model_fields, *(() if one.algorithms else file.classes))
                raise document.unknown_key(known, "collective", at, key)
        named = dict(one.algorithms)
        for name in one.most_ranks:
            if name not in named:
                raise document.fail(
                    "is none of algorithms" + did_you_mean(name, named), "collective", at, "most_ranks", name
                )
        entries = [entry_of(one.name, name, text, one.most_ranks.get(name, 0)) for name, text in one.algorithms]
        entries = entries or list(_classes(document, file, at))
        if not entries:
            classes = "".join(f", or {c} = ..." for c in file.classes)
            raise document.fail(f"names no algorithms; write algorithms = [...]{classes}", "collective", at)
        for entry in entries:
            if entry.key.partition("/")[0] not in (one.name, "decision"):
                raise document.fail(f"{entry.key} is not an algorithm of {one.name}", "collective", at)
        line = document.line("collective", at)
        yield Collective(one.name, one.title or one.name, one.figure, tuple(entries), not one.algorithms, line)


def _classes(document: Document, file: _File, at: int) -> Iterator[Entry]:
    """What competes in a collective for each class."""
    one = file.collective[at]
    given: Mapping[str, Any] = one.model_extra or {}
    for name in file.classes:
        try:
            keys: Sequence[str] = _keys(given[name]) if name in given else file.common.get(name, ())
        except ValueError as error:
            raise document.fail(str(error), "collective", at, name) from error
        if len(keys) > 1 and not all(key.startswith("decision/") for key in keys):
            where = ("collective", at, name) if name in given else ("common", name)
            raise document.fail("a class is one algorithm; only decisions may stand for it in turn", *where)
        for key in keys:
            yield Entry(one.name, name, key)


def check_keys(study: Study, registry: Registry) -> Study:
    """The study with canonical keys: with all parameters, as tables spell them. Unknown ones are named with file and place."""
    with study.at_fault("setting.metric"):
        metric = metrics.check(study.metric)
    collectives = []
    for c in study.collectives:
        entries = []
        for e in c.entries:
            try:
                registry.collective(c.name)
                _, key = registry.resolve(e.algorithm, c.name)
                own = metrics.check(e.metric) if e.metric else ""
            except UsageError as error:
                raise UsageError(f"{paths.display(study.path)}:{c.line}: collective {c.name}: {error}") from error
            key = keyed(key, own)
            entry = replace(e, key=key, name=key if e.name == e.key else e.name, metric=own)
            if entry in entries:
                raise UsageError(f"{paths.display(study.path)}:{c.line}: collective {c.name}: {key} stands twice")
            entries.append(entry)
        collectives.append(replace(c, entries=tuple(entries)))
    return replace(study, metric=metric, collectives=tuple(collectives))


def _relative_to(folder: Path, platform: str) -> str:
    """A platform's file is looked for beside the study first, then where the user stands."""
    name, bracket, values = platform.partition("[")
    beside = folder / name
    if not name.endswith((".toml", ".xml")) or not beside.exists():
        return platform
    return os.path.relpath(beside) + bracket + values
