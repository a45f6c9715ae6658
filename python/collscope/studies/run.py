"""Runs a study: simulates what is not cached, makes the tidy table, and from the table all that is shown.

Figures, crossovers, a decision tree and the report appear at once in results/NAME/fresh/.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Sequence
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
from collscope.sources.cluster import Cluster
from collscope.studies import results, rows
from collscope.studies.agreement import with_reference
from collscope.studies.origin import Origin
from collscope.studies.reader import check_keys, load
from collscope.studies.study import Study


def run(
    name: str | Path,
    *,
    quick: bool = False,
    jobs: int | None = None,
    force: bool = False,
    write_reference: bool = False,
    vary_ranges: bool = False,
    out: str | None = None,
    point_limit: float | None = None,
    cluster: str | None = None,
) -> Path:
    """Runs a study and returns the folder of its results: `out`, or the study's own place. What is cached is not simulated again, and
    what would come out the same is not drawn again. `vary_ranges` also judges the claims with the platform's undocumented numbers at the
    ends of their ranges, which takes minutes. A point that takes longer than `point_limit` seconds has no number. `cluster`: whose
    workers simulate and draw, as `--cluster` says it. It ends with how many
    rows equal the committed reference; that they do not is no failure, as another version of SimGrid may do it. Raises a UsageError when
    a reference would be made of a quick run, or of one with a limit."""
    study = check_keys(load(name), registry.load())
    with study.at_fault():
        platform = find.load(study.platform)
    _, platform = next(rows.platforms(study, platform))
    if write_reference and quick:
        raise UsageError("the reference is made of the whole study: leave --quick out")
    if write_reference and point_limit:
        raise UsageError("the reference has a number for every point: leave --point-limit out")
    if next(iter(study.points(quick)), None) is None:
        raise UsageError(
            f"{paths.display(study.path)}: sizes: none can be cut into a block of whole elements for each rank; take multiples of "
            f"{' or '.join(map(str, study.ranks))} ranks times the element's bytes"
        )
    folder = results.fresh_folder(study.name, out)
    with clusters.opened(cluster) as workers:
        return _run(study, platform, folder, quick, jobs, force, write_reference, vary_ranges, point_limit, workers)


def _run(
    study: Study, platform: Platform, folder: Path, quick: bool, jobs: int | None, force: bool, write_reference: bool, vary_ranges: bool,
    point_limit: float | None, workers: Cluster | None,
) -> Path:  # fmt: skip
    """As `run`, where everything that was asked for is known to be possible."""
    made, origin = rows.simulate_study(
        study, platform, quick=quick, jobs=jobs, force=force, limit_s=point_limit, cluster=workers
    )
    csv = table.csv_text(made)
    varied = _varied(study, origin, folder, vary_ranges, jobs, workers)
    stamp = results.stamp(csv + varied, str(quick), study.path.read_text(encoding="utf-8"), content_hash(platform))
    old = results.record(folder)
    if force or old.get("stamp") != stamp or not results.is_complete(folder, old):
        console.note(f"{study.name}: drawing figures and writing the report")
        start = time.monotonic()
        with results.replacing(folder) as new:
            names = _write(study, platform, made, csv, origin, new, jobs or _cpus(), varied, workers)
            record = {"stamp": stamp, "files": names, "origin": origin.plain()}
            (new / results.RUN).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        console.note(f"{study.name}: {len(names)} files in {time.monotonic() - start:.1f} s")
    agreement = with_reference(csv, paths.RESULTS / study.name)  # before another takes its place
    if write_reference:
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


def _write(
    study: Study, platform: Platform, made: Sequence[Row], csv: str, origin: Origin, folder: Path, jobs: int, varied: str,
    workers: Cluster | None,
) -> list[str]:  # fmt: skip
    from collscope.studies.report import report  # matplotlib: not needed when all is there already

    (folder / "table.csv").write_text(csv, encoding="utf-8")
    if varied:
        (folder / results.SENSITIVITY).write_text(varied, encoding="utf-8")
    names = report.write(
        study, platform, table.to_frame(made), origin, folder, jobs=jobs, varied=varied, cluster=workers
    )
    return ["table.csv", *([results.SENSITIVITY] if varied else []), *names]


def _varied(
    study: Study, origin: Origin, folder: Path, vary: bool, jobs: int | None, workers: Cluster | None = None
) -> str:
    """Verdicts over the ranges, as CSV: made now, or what was made before of the same platform; "" if never."""
    if vary and study.prior_sizes:
        from collscope.studies import sensitivity

        return str(sensitivity.run(study, study.prior_sizes, jobs, workers).to_csv(index=False, lineterminator="\n"))
    for path in (folder / results.SENSITIVITY, paths.RESULTS / study.name / results.SENSITIVITY):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            if f",{origin.hashes.get('platform')}," in text:
                return text
    return ""


def _cpus() -> int:
    return len(os.sched_getaffinity(0))
