"""Reading studies: sim/NAME.toml becomes a Study. What may stand in the file is what the models of study_file have fields for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collscope.base import paths
from collscope.base.errors import UsageError, UserError, did_you_mean, unknown
from collscope.base.toml_table import Document, read_text
from collscope.base.units import MAX_RANKS
from collscope.catalogue import metrics
from collscope.machines import placement
from collscope.machines import study_variants as vary
from collscope.points import distribution
from collscope.studies.study import DRAWINGS, Collective, Drawing, Entry, Sample, Study, entry_of, keyed
from collscope.studies.study_file import EVERY, ONE_CALL, FileTable, SettingTable
from collscope.studies.study_file import keys as listed_keys

if TYPE_CHECKING:
    from collscope.catalogue.registry import Registry

STUDIES = paths.ROOT / "sim"


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
        many = f"{points} points; {quick} with --quick" if not study.every else "every algorithm of the catalogue"
        out.append((name, f"{study.title} ({study.on}, {many})"))
    return out


def parse(text: str, path: Path) -> Study:
    """A study from its text; `path` names it and stands in complaints. UsageError: FILE:LINE: KEY: what is wrong."""
    document = Document(text, paths.display(path))
    file = document.read(FileTable)
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
    _check_machines(document, file)
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
    _check_counts(document, file, [ranks for _, ranks in layouts])
    return Study(
        name=path.stem,
        path=path,
        title=file.title,
        source=file.source,
        about=file.about.strip(),
        differences=tuple(file.differences),
        paper=file.paper,
        platform=_relative_to(path.parent, setting.platform or next(iter(file.platforms.values()))),
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
        drawings=tuple(_drawings(document, file, path)),
        traffic=setting.traffic,
        families={name: tuple(patterns) for name, patterns in file.families.items()},
        sample=Sample(file.sample.every, file.sample.most_ranks) if file.sample else None,
    )


def _check_machines(document: Document, file: FileTable) -> None:
    """One platform or several, and what only the model has."""
    setting = file.setting
    if bool(setting.platform) == bool(file.platforms):
        beside = "stands beside [platforms]; take one of them out" if setting.platform else "is missing"
        raise document.fail(beside, "setting", "platform")
    for table, key, given in (("setting", "traffic", setting.traffic), ("sample", "every", file.sample)):
        if given and setting.source != "model":
            raise document.fail('is for source = "model"', table, key)
    values = list(file.platforms.values())
    if twice := next((v for v in values if values.count(v) > 1), ""):
        raise document.fail(f"{twice} stands twice", "platforms")


def _check_counts(document: Document, file: FileTable, layouts: Sequence[int]) -> None:
    """A distribution names no rank that one of the layouts has not."""
    for at, one in enumerate(file.collective):
        for ranks in layouts:
            try:
                distribution.check_ranks(one.counts, one.name, ranks)
            except UsageError as error:
                raise document.fail(str(error).removeprefix("--counts "), "collective", at, "counts") from None


def _layouts(document: Document, setting: SettingTable) -> tuple[tuple[int, int], ...]:
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


def _drawings(document: Document, file: FileTable, path: Path) -> Iterator[Drawing]:
    """The tables [[figure]]; the names in them are checked here, their keys are not known yet."""
    names = {c.name: [name for name, _ in c.algorithms] or list(file.classes) for c in file.collective}
    open_names = {c for c, known in names.items() if EVERY in known}  # check_keys looks at those
    stems: set[str] = set()
    layouts = _layouts(document, file.setting)
    places: dict[str, list[Any]] = {
        "ranks": sorted({ranks for _, ranks in layouts}),
        "nodes": sorted({nodes for nodes, _ in layouts}),
        "mapping": list(file.vary.get(vary.MAPPING, (file.setting.mapping,))),
    }
    for at, one in enumerate(file.figure):
        collective = one.collective or file.collective[0].name
        if collective not in names:
            raise document.fail(
                f'"{collective}" is none of the study\'s{did_you_mean(collective, names)}', "figure", at, "collective"
            )
        for name in one.platforms:
            if name not in file.platforms:
                raise document.fail(
                    f'"{name}" is not in [platforms]{did_you_mean(name, file.platforms)}', "figure", at, "platforms"
                )
        if bool(one.pairs) != (one.kind == "traffic"):
            raise document.fail('is for kind = "traffic", which needs some', "figure", at, "pairs")
        for name in () if collective in open_names else one.names:
            if name not in names[collective]:
                known = names[collective]
                raise document.fail(
                    f'"{name}" does not compete in {collective}{did_you_mean(name, known)}', "figure", at, "names"
                )
        for size in one.sizes:
            if size not in (file.sizes.bytes or file.sizes.block_bytes):
                raise document.fail(f"{size} B is not among the study's sizes", "figure", at, "sizes")
        if one.kind != DRAWINGS[0] and len(one.mapping) > 1:
            raise document.fail(f'kind = "{one.kind}" shows one mapping', "figure", at, "mapping")
        for key, known in places.items():
            for value in getattr(one, key):
                if value not in known:
                    which = ", ".join(str(k) for k in known)
                    raise document.fail(f"{value} is not among the study's: {which}", "figure", at, key)
        number, stem = one.number, f"figure_{one.number}"
        if stem in stems:
            raise document.fail(f"{number} stands twice", "figure", at, "number")
        stems.add(stem)
        of = collective if one.kind == DRAWINGS[0] else ""
        yield Drawing(
            stem, one.title, number if number[0].isdigit() else "", one.caption, of, tuple(one.names), one.sizes, tuple(one.ranks),
            tuple(one.nodes), tuple(_beside(path, m) for m in one.mapping), one.kind, tuple(one.platforms),
            tuple((a, b) for a, b in one.pairs),
        )  # fmt: skip


def _variations(document: Document, file: FileTable, path: Path) -> tuple[vary.Variation, ...]:
    """[vary], with files of mappings as seen from the study's folder."""
    own = file.setting.model_fields_set & {vary.MAPPING, vary.BUFFERS}
    found = vary.read(document, file.vary, own)
    if file.platforms:
        machines = tuple(_relative_to(path.parent, one) for one in file.platforms.values())
        several = vary.Variation(vary.PLATFORM, machines, document.line("platforms"), tuple(file.platforms))
        found = (several, *found)
    return tuple(
        replace(v, values=tuple(_beside(path, one) for one in v.values)) if v.key == vary.MAPPING else v for v in found
    )


def _collectives(document: Document, file: FileTable) -> Iterator[Collective]:
    names: set[str] = set()
    for at, one in enumerate(file.collective):
        if one.name in names:
            raise document.fail("stands twice", "collective", at, "name")
        names.add(one.name)
        for key in one.model_extra or {}:
            if one.algorithms or key not in file.classes:
                known = (*type(one).model_fields, *(() if one.algorithms else file.classes))
                raise document.unknown_key(known, "collective", at, key)
        named = {name: text for name, text in one.algorithms if text != EVERY}
        for name in one.most_ranks:
            if name not in named:
                raise document.fail(
                    "is none of algorithms" + did_you_mean(name, named), "collective", at, "most_ranks", name
                )
        entries = [entry_of(one.name, name, text, one.most_ranks.get(name, 0)) for name, text in named.items()]
        entries = entries or list(_classes(document, file, at))
        every = len(named) < len(one.algorithms)
        if not entries and not every:
            classes = "".join(f", or {c} = ..." for c in file.classes)
            raise document.fail(f"names no algorithms; write algorithms = [...]{classes}", "collective", at)
        for entry in entries:
            if entry.key.partition("/")[0] not in (one.name, "decision"):
                raise document.fail(f"{entry.key} is not an algorithm of {one.name}", "collective", at)
        line = document.line("collective", at)
        title = one.title or one.name
        yield Collective(one.name, title, one.figure, tuple(entries), not one.algorithms, line, every, one.counts)


def _classes(document: Document, file: FileTable, at: int) -> Iterator[Entry]:
    """What competes in a collective for each class."""
    one = file.collective[at]
    given: Mapping[str, Any] = one.model_extra or {}
    for name in file.classes:
        try:
            keys: Sequence[str] = listed_keys(given[name]) if name in given else file.common.get(name, ())
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
        entries: list[Entry] = []
        place = f"{paths.display(study.path)}:{c.line}: collective {c.name}"
        try:
            distribution.check_collective(c.counts, c.name)
            whole = [a.full_key() for a in registry.of(c.name)] if c.every else []
            for e in (*(Entry(c.name, key, key) for key in whole), *c.entries):
                registry.collective(c.name)
                _, key = registry.resolve(e.algorithm, c.name)
                own = metrics.check(e.metric) if e.metric else ""
                key = keyed(key, own)
                entry = replace(e, key=key, name=key if e.name == e.key else e.name, metric=own)
                if entry in entries:
                    raise UsageError(f"{key} stands twice")
                entries.append(entry)
        except UsageError as error:
            raise UsageError(f"{place}: {str(error).removeprefix('--')}") from error
        collectives.append(replace(c, entries=tuple(entries)))
    checked = replace(study, metric=metric, collectives=tuple(collectives))
    return replace(checked, drawings=tuple(_known(checked, d, registry) for d in study.drawings))


def _known(study: Study, d: Drawing, registry: Registry) -> Drawing:
    """A drawing with canonical keys, where what competes was not known before the catalogue."""

    def full(name: str) -> str:
        with study.at_fault(f"figure {d.number or d.stem}"):
            key = registry.resolve(name)[1]
            if key not in {e.key for c in study.collectives for e in c.entries}:
                raise UsageError(f"{key} does not compete")
            return key

    pairs = tuple((full(a), full(b)) for a, b in d.pairs)
    if not any(c.every for c in study.collectives if c.name == d.collective):
        return replace(d, pairs=pairs)
    return replace(d, names=tuple(full(name) for name in d.names), pairs=pairs)


def _relative_to(folder: Path, platform: str) -> str:
    """A platform's file is looked for beside the study first, then where the user stands."""
    name, bracket, values = platform.partition("[")
    beside = folder / name
    if not name.endswith((".toml", ".xml")) or not beside.exists():
        return platform
    return os.path.relpath(beside) + bracket + values
