"""Studies: what a file sim/NAME.toml asks for, from its points to its report.

A study varies collectives, algorithms, nodes, ranks and sizes on one platform. `run` simulates what is not cached, makes
the tidy table, and from the table all that is shown: figures, crossovers, a decision tree, a report. All of it appears at once in
results/NAME/fresh/; results/NAME/ itself holds the committed reference. What the keys of the file mean stands beside each field
of `Study` and its parts.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collscope.base import cache, depends, paths
from collscope.base.errors import UsageError, UserError, disk_error, nearest, unknown
from collscope.base.units import parse_sizes
from collscope.points import table
from collscope.points.plan import BLOCKS, MAPPINGS, Layout, Point, Task, check_layout, count_of_bytes

if TYPE_CHECKING:
    from collscope.catalogue.registry import Registry
    from collscope.machines.platform import Platform
    from collscope.points.table import Row
    from collscope.sources import simulate

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


# ---- running ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Origin:
    """How the numbers came to be: what the report says of it. Kept in run.json beside the table."""

    quick: bool
    points: int
    simulated: int  # of them, in the run that last simulated any
    wall_s: float  # of that run
    jobs: int
    peak_bytes: int  # the largest process of that run
    versions: Mapping[str, str]
    hashes: Mapping[str, str]


def run(
    name: str | Path,
    *,
    quick: bool = False,
    jobs: int | None = None,
    force: bool = False,
    write_reference: bool = False,
    vary_priors: bool = False,
) -> Path:
    """Runs a study and returns the folder of its results. What is cached is not simulated again, and what would come out the
    same is not drawn again. `vary_priors` also judges the claims over the ranges of the platform's priors, which takes minutes."""
    from collscope.base import console
    from collscope.catalogue import registry
    from collscope.machines import platform as platforms

    study = check_keys(load(name), registry.load())
    platform = platforms.load(study.platform)
    if write_reference and quick:
        raise UsageError("the reference is made of the whole study: leave --quick out")
    rows, origin = simulate_study(study, platform, quick=quick, jobs=jobs, force=force)
    folder = paths.RESULTS / study.name / "fresh"
    csv = table.csv_text(rows)
    priors = _priors(study, origin, folder, vary_priors, jobs)
    stamp = _stamp(study, platform, csv + priors, quick)
    old = _read_json(folder / "run.json")
    if force or old.get("stamp") != stamp or not _complete(folder, old):
        console.note(f"{study.name}: drawing figures and writing the report")
        start = time.monotonic()
        with _fresh(folder) as new:
            made = _write(study, platform, rows, csv, origin, new, jobs or _cpus(), priors)
            record = {"stamp": stamp, "files": made, "origin": _plain(origin)}
            (new / "run.json").write_text(json.dumps(record, indent=1) + "\n")
        console.note(f"{study.name}: {len(made)} files in {time.monotonic() - start:.1f} s")
    if write_reference:
        publish(folder, folder.parent)
        console.note(f"reference written to {paths.display(folder.parent)}")
    failures = [row for row in rows if row["source"] == "sim" and str(row["status"]) != "ok"]
    report_failures(failures)
    print(paths.display(folder / "report.html"))
    return folder


def report_failures(rows: Sequence[Row]) -> None:
    """Says which points have no number, grouped by reason."""
    from collections import Counter

    from collscope.base import console

    reasons = Counter((row["collective"], row["algorithm"], row["status"]) for row in rows if row["metric"] != "root")
    for (_, key, status), count in reasons.most_common(10):
        console.note(f"{key}: {count} point{'s' * (count > 1)} without a number: {status}")


def tasks_of(study: Study, platform: Platform, quick: bool) -> list[tuple[Task, Entry, int]]:
    """Every point in its layout, in the order of the table."""
    layouts: dict[tuple[int, int], Layout] = {}
    out = []
    for nodes, ranks, entry, point, size in study.points(quick):
        if (nodes, ranks) not in layouts:
            layouts[nodes, ranks] = check_layout(platform, nodes, ranks, study.mapping)
        out.append(((layouts[nodes, ranks], point), entry, size))
    return out


def simulate_study(
    study: Study, platform: Platform, *, quick: bool, jobs: int | None, force: bool
) -> tuple[list[Row], Origin]:
    """All rows of the study, the bound's among them, and where they came from."""
    import resource

    from collscope import __version__
    from collscope.base import console
    from collscope.sources import simulate

    tasks = [task for task, _, _ in tasks_of(study, platform, quick)]
    now = simulate.Origin.now(tasks)  # before the run: sources that are edited meanwhile belong to the next
    start = time.monotonic()
    todo = len(tasks) if force else simulate.uncached(tasks)
    if todo:
        console.note(f"{study.name}: {len(tasks)} points, {len(tasks) - todo} of them cached")
        with console.progress(study.name, len(tasks)) as progress:
            rows = simulate.run_tasks(tasks, jobs=jobs, progress=progress, force=force)
    else:
        rows = simulate.run_tasks(tasks, jobs=jobs)
    wall = time.monotonic() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    hashes = {
        "sources": str(rows[0]["sources_hash"]) if rows else "",
        "platform": str(rows[0]["platform_hash"]) if rows else "",
        "study": cache.digest(study.path.read_text(encoding="utf-8"))[:12],
    }
    versions = {"collscope": __version__, "SimGrid": simulate.simgrid_version()}
    origin = Origin(quick, len(tasks), todo, wall, jobs or simulate.default_jobs(), peak, versions, hashes)
    origin = _remember(study, origin)
    origin = replace(origin, versions={**origin.versions, "commit": _commit()})
    return [*rows, *_beside(study, tasks, rows, now), *_bounds(study, platform, tasks)], origin


def _commit() -> str:
    """The commit of the sources, with a + when they differ from it; "" outside a git repository."""
    import subprocess

    words = ["git", "-C", str(paths.ROOT), "describe", "--always", "--exclude=*", "--dirty=+"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _remember(study: Study, origin: Origin) -> Origin:
    """A run that found most in the cache says how long the simulation took when it was done: kept in the cache."""
    key = cache.digest(
        "study", study.name, json.dumps([origin.quick, origin.points, dict(origin.hashes), dict(origin.versions)])
    )
    with cache.Cache() as store:
        known = store.get_many([key]).get(key)
        if known and origin.simulated < known["simulated"]:
            return Origin(**known)
        store.put(key, _plain(origin))
    return origin


def _plain(origin: Origin) -> dict[str, Any]:
    return {k: dict(v) if isinstance(v, Mapping) else v for k, v in vars(origin).items()}


def _beside(study: Study, tasks: Sequence[Task], rows: Sequence[Row], origin: simulate.Origin) -> list[Row]:
    """Rows of the further metrics, from the very same simulated calls."""
    from collscope.sources import launch

    if not study.beside:
        return []
    keys = [origin.key(layout, point) for layout, point in tasks]
    with cache.Cache() as store:
        known = store.get_many(keys)
    out = []
    for metric in study.beside:
        for key, row in zip(keys, rows, strict=True):
            if key in known:
                out.append({**row, "metric": metric, **launch.summarise([known[key]["reps"]], metric)})
    return out


def _bounds(study: Study, platform: Platform, tasks: Sequence[Task]) -> list[Row]:
    """One row of source "bound" for each collective, layout and size."""
    from collscope.sources import bounds

    wanted: dict[tuple[str, int, int, int], Task] = {}
    for layout, point in tasks:
        wanted.setdefault((point.collective, layout.nodes, layout.ranks, point.count), (layout, point))
    return bounds.rows(list(wanted.values()))


# ---- writing ---------------------------------------------------------------------------------------------


def _write(
    study: Study,
    platform: Platform,
    rows: Sequence[Row],
    csv: str,
    origin: Origin,
    folder: Path,
    jobs: int,
    priors: str,
) -> list[str]:
    from collscope.studies import report

    (folder / "table.csv").write_text(csv, encoding="utf-8")
    if priors:
        (folder / PRIORS).write_text(priors, encoding="utf-8")
    names = report.write(study, platform, table.to_frame(rows), origin, folder, jobs=jobs, priors=priors)
    return ["table.csv", *([PRIORS] if priors else []), *names]


PRIORS = "priors.csv"


def _priors(study: Study, origin: Origin, folder: Path, vary: bool, jobs: int | None) -> str:
    """Verdicts over the ranges of the priors, as CSV: made now, or what was made before of the same platform; "" if never."""
    if vary and study.prior_sizes:
        from collscope.studies import sensitivity as priors

        return str(priors.run(study, study.prior_sizes, jobs).to_csv(index=False, lineterminator="\n"))
    for path in (folder / PRIORS, folder.parent / PRIORS):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            if f",{origin.hashes.get('platform')}," in text:
                return text
    return ""


def _stamp(study: Study, platform: Platform, csv: str, quick: bool) -> str:
    """Hash of all that the figures and the report follow from."""
    drawn_by = cache.code_hash(*depends.STUDY_PAGES)
    return cache.digest(csv, str(quick), study.path.read_text(encoding="utf-8"), platform.content_hash(), drawn_by)


def _complete(folder: Path, record: Mapping[str, Any]) -> bool:
    return all((folder / name).is_file() for name in record.get("files", ())) and bool(record.get("files"))


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


class _fresh:
    """A new folder that takes the place of `target` at the end, whole, or leaves no trace."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __enter__(self) -> Path:
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            self.new = Path(tempfile.mkdtemp(prefix=".fresh-", dir=self.target.parent))
            self.new.chmod(0o755)
        except OSError as error:
            raise disk_error(error, self.target.parent) from error
        return self.new

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if kind is not None:
            shutil.rmtree(self.new, ignore_errors=True)
            if isinstance(error, OSError) and not isinstance(error, UserError):
                raise disk_error(error, self.target) from error
            return
        old = self.new.with_name(self.new.name + "-old")
        try:
            if self.target.exists():
                os.replace(self.target, old)
            os.replace(self.new, self.target)
        except OSError as problem:
            raise disk_error(problem, self.target) from problem
        finally:
            shutil.rmtree(old, ignore_errors=True)


def publish(fresh: Path, reference: Path) -> None:
    """Makes the fresh results the committed reference: files that are no longer made are taken away."""
    record = _read_json(fresh / "run.json")
    keep = {*record.get("files", ()), "run.json"}
    for folder in ("figures",):
        for path in sorted((reference / folder).glob("*")):
            if f"{folder}/{path.name}" not in keep:
                path.unlink()
    for name in sorted(keep):
        table.write_atomically(reference / name, (fresh / name).read_bytes())


def main(words: Sequence[str] | None = None) -> None:
    """python -m collscope.study: what the command line has no option for."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m collscope.studies.study", description="Runs a study of sim/.")
    parser.add_argument("name")
    parser.add_argument("--quick", action="store_true", help="a few sizes only")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--force", action="store_true", help="simulate and draw again")
    parser.add_argument("--write-reference", action="store_true", help="make the results the committed reference")
    parser.add_argument(
        "--vary-priors", action="store_true", help="judge the claims over the ranges of the platform's priors"
    )
    a = parser.parse_args(words)
    try:
        run(
            a.name,
            quick=a.quick,
            jobs=a.jobs,
            force=a.force,
            write_reference=a.write_reference,
            vary_priors=a.vary_priors,
        )
    except UserError as error:
        raise SystemExit(f"collscope: {error}") from error


def _cpus() -> int:
    return max(1, len(os.sched_getaffinity(0)))


if __name__ == "__main__":
    main()
