"""Runs a study: simulates what is not cached, makes the tidy table, and from the table all that is shown.

Figures, crossovers, a decision tree and the report appear at once in results/NAME/fresh/.
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from collscope.base import console, paths
from collscope.base.errors import UsageError
from collscope.base.units import counted
from collscope.catalogue import registry
from collscope.machines import find
from collscope.machines.platform import Platform, content_hash
from collscope.points import table
from collscope.points.table import Row
from collscope.sources import cluster as clusters
from collscope.sources import simulate
from collscope.sources.source import Options
from collscope.studies import results, rows
from collscope.studies.agreement import with_reference
from collscope.studies.origin import Origin
from collscope.studies.reader import check_keys, load
from collscope.studies.request import Request
from collscope.studies.study import Study

USUAL = Request()


@dataclass(frozen=True)
class Numbers:
    """All that a study's pages are made of."""

    rows: Sequence[Row]
    origin: Origin
    varied: str  # CSV of the verdicts over the platform's ranges; "": none

    @cached_property
    def csv(self) -> str:
        """The rows as a file has them."""
        return table.csv_text(self.rows)


def run(name: str | Path, request: Request = USUAL) -> Path:
    """Runs a study and returns the folder of its results. It ends with how many rows equal the committed reference: differences are
    reported, not failed, as another SimGrid version may cause them. UsageError: a reference would be made of a quick run, or of
    one with a time limit."""
    study = check_keys(load(name), registry.load())
    with study.at_fault():
        platform = find.load(study.platform)
    _, platform = next(rows.platforms(study, platform))
    if request.write_reference and request.quick:
        raise UsageError("the reference is made of the whole study: leave --quick out")
    if request.write_reference and request.point_timeout:
        raise UsageError("the reference has a number for every point: leave --point-timeout out")
    if next(iter(study.points(request.quick)), None) is None:
        raise UsageError(
            f"{paths.display(study.path)}: sizes: none can be cut into a block of whole elements for each rank; take multiples of "
            f"{' or '.join(map(str, study.ranks))} ranks times the element's bytes"
        )
    folder = results.fresh_folder(study.name, request.out)
    with clusters.opened(request.cluster) as workers:
        return _run(study, platform, folder, request, request.options(workers))


def _run(study: Study, platform: Platform, folder: Path, request: Request, options: Options) -> Path:
    """As `run`, where everything that was requested is known to be possible."""
    made, origin = rows.of_study(study, platform, request.quick, options)
    numbers = Numbers(made, origin, _varied(study, origin, folder, request.vary_ranges, options))
    text = study.path.read_text(encoding="utf-8")
    stamp = results.stamp(numbers.csv + numbers.varied, str(request.quick), text, content_hash(platform))
    old = results.record(folder)
    if request.force or old.get("stamp") != stamp or not results.is_complete(folder, old):
        console.note(f"{study.name}: drawing figures and writing the report")
        start = time.monotonic()
        with results.replacing(folder) as new:
            names = _write(study, platform, numbers, new, options)
            record = {"stamp": stamp, "files": names, "origin": origin.plain()}
            (new / results.RUN).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        console.note(f"{study.name}: {len(names)} files in {time.monotonic() - start:.1f} s")
    agreement = with_reference(numbers.csv, paths.RESULTS / study.name)  # before another takes its place
    if request.write_reference:
        results.publish(folder, paths.RESULTS / study.name)
        console.note(f"reference written to {paths.display(paths.RESULTS / study.name)}")
    report_failures([row for row in made if row["source"] == "sim" and str(row["status"]) != "ok"])
    print(paths.display(folder / "report.html"))
    for line in agreement.lines() if agreement else ():
        console.note(f"{study.name}: {line}")
    return folder


def report_failures(failures: Sequence[Row]) -> None:
    """Says which points have no number, grouped by reason."""
    reasons = Counter(
        (row["collective"], row["algorithm"], row["status"]) for row in failures if row["metric"] != "root"
    )
    for (_, key, status), count in reasons.most_common(10):
        console.note(f"{key}: {counted(count, 'point')} without a number: {status}")


def _write(study: Study, platform: Platform, numbers: Numbers, folder: Path, options: Options) -> list[str]:
    """The names of the files that were written."""
    from collscope.studies.report import report  # matplotlib: not needed when all is there already

    names = {"table.csv": numbers.csv} | ({results.SENSITIVITY: numbers.varied} if numbers.varied else {})
    for name, text in names.items():
        (folder / name).write_text(text, encoding="utf-8")
    frame, jobs = table.to_frame(numbers.rows), options.jobs or simulate.default_jobs()
    pages = report.write(
        study, platform, frame, numbers.origin, folder, jobs=jobs, varied=numbers.varied, cluster=options.cluster
    )
    return [*names, *pages]


def _varied(study: Study, origin: Origin, folder: Path, again: bool, options: Options) -> str:
    """Verdicts over the ranges, as CSV: made now, or what was made before of the same platform; "" if never."""
    if again and study.prior_sizes:
        from collscope.studies import sensitivity

        return str(sensitivity.run(study, study.prior_sizes, options).to_csv(index=False, lineterminator="\n"))
    for path in (folder / results.SENSITIVITY, paths.RESULTS / study.name / results.SENSITIVITY):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            first = next(csv.DictReader(io.StringIO(text)), {})
            if first.get("platform_hash") == origin.hashes.get("platform"):
                return text
    return ""
