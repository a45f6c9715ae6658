"""A campaign in two commands: predictions are sealed before anybody shows a time; then a table of times is judged with them, and no others.

The seal, predictions.json, has what they were made with, and the SHA-256 of their table, of the campaign and of each machine's file. Its
own SHA-256 is what whoever has the times keeps: whatever is changed afterwards, it is another one.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from collscope.analysis import prediction
from collscope.base import commit, console, folders, paths
from collscope.base.errors import UsageError, UserError
from collscope.base.files import write_atomically
from collscope.base.units import counted
from collscope.campaigns import judged_before, report, run
from collscope.campaigns.campaign import Campaign, load
from collscope.campaigns.preparation import Prepared, prepared
from collscope.catalogue import metrics
from collscope.machines import find
from collscope.points import table
from collscope.points.plan import Task
from collscope.points.table import Row, make_row
from collscope.sources import call_table, published
from collscope.sources.call_table import Times
from collscope.sources.outcome import OK, UNSUPPORTED

PREDICTIONS, SEAL = "predictions.csv", "predictions.json"
FILES = (*run.FILES, PREDICTIONS, SEAL)
NO_TIME = "no time above 0 in the table"


def predict(name: str, calls: str | None = None, out: str | None = None) -> tuple[Path, str]:
    """Predicts the calls of a list, or the campaign's own, and seals them; returns the folder and the seal's SHA-256. UsageError,
    UserError: what is wrong, where, and what to do."""
    campaign, folder = load(name), _folder(name, out)
    with prepared(campaign, folder) as ready:
        platform = run.platform_of(ready.platform)
        if calls is None:
            tasks, reasons = run.tasks_of(campaign, platform), Counter[str]()
        else:
            found, reasons = _listed(campaign, ready, calls, timed=False)
            tasks = list(found)
        if not tasks:
            raise UserError(
                f"{calls or campaign.path}: none of its calls can be predicted: {'; '.join(_words(reasons))}"
            )
        predicted = run.predict(campaign, tasks)
    for line in [*_words(reasons), *run.left(tasks, predicted, [])]:
        console.note(line)
    text = table.csv_text(predicted)
    typed = sorted({(at.platform.typed if at.platform else "") or ready.platform for at, _ in tasks})
    made_with = [campaign.path, *(path for one in typed if (path := find.file_of(one)))]
    names = sorted({row["platform"] for row in predicted})
    seal = {
        "campaign": campaign.name,
        "commit": commit.describe(),
        "list": "" if calls is None else Path(calls).name,
        "calls": len(tasks),
        "platform": ready.platform,
        "setting": ready.setting,
        "model_errors": {} if calls is None else judged_before.model_errors(names),
        **campaign.file.model_dump(include={"predict", "metric", "type", "noise", "draws", "baselines"}),
        "sha256": {PREDICTIONS: _hash(text.encode()), **{_path(path): _hash(path.read_bytes()) for path in made_with}},
    }
    if str(seal["commit"]).endswith("+"):
        console.note(
            f"commit {seal['commit']}: the sources differ from it, which nobody can check later; commit them first"
        )
    words = json.dumps(seal, indent=1) + "\n"
    for old in (SEAL, run.TABLE, *report.PAGES):  # of other predictions
        (folder / old).unlink(missing_ok=True)
    write_atomically(folder / PREDICTIONS, text)
    write_atomically(folder / SEAL, words)
    return folder, _hash(words.encode())


def judge(name: str, times: str, out: str | None = None, sha256: str | None = None) -> tuple[Path, list[str]]:
    """Compares a table of times with the predictions of a folder; returns the folder of the report, and what was left out, in words.
    `sha256`: of the seal, as it was printed. UserError: the predictions are not what was sealed, or were made with something else."""
    campaign, folder = load(name), _folder(name, out)
    sealed, own = _opened(campaign, folder, sha256)
    ready = Prepared(sealed["platform"], tuple((name, text) for name, text in sealed["setting"]))
    found, reasons = _listed(campaign, ready, times, timed=True)
    predicted = table.to_rows(table.read_csv(folder / PREDICTIONS))
    there = {_call(row): row for row in predicted}
    measured = {task: _measured(task, timed) for task, timed in found.items()}
    tasks = [task for task, row in measured.items() if _call(row) in there]
    reasons["they are not among the predictions"] += len(found) - len(tasks)
    reasons["the table does not have them"] += sealed["calls"] - len(tasks)
    reasons["predicted as 0 s"] += sum(there[_call(measured[task])]["median_s"] == 0 for task in tasks)
    rows = [measured[task] for task in tasks]
    if not tasks:
        raise UserError(f"{times}: has none of the predicted calls: {'; '.join(_words(reasons))}")
    left = [*_words(reasons), *run.left(tasks, predicted, rows)]
    ranks = sorted({layout.ranks for layout, _ in tasks})
    setting = [
        ("platform", ", ".join(sorted({row["platform"] for row in rows}))),
        *ready.setting,
        ("predicted by", f"{sealed['predict']}, metric {sealed['metric']}, commit {sealed['commit'] or 'not known'}"),
        ("predictions", f"sealed before the times were read, SHA-256 {own}"),
        ("measured", f"{Path(times).name}: {counted(len(found), 'call')}"),
        ("ranks", run.ranks_text(ranks)),
    ]
    more: dict[str, Any] = {"setting": setting, "unpredicted": left, "model_errors": sealed["model_errors"]}
    if sealed["list"]:  # of calls that the campaign's own words are not about
        title = f"{Path(times).name}: judged with predictions that were sealed before"
        about = f"The calls of {sealed['list']}, predicted as campaign {campaign.name} says."
        more |= {"title": title, "about": about, "floor": run.floor(rows)}
    run.compare(campaign, ready, tasks, predicted, rows, folder, **more)
    return folder, left


def _folder(name: str, out: str | None) -> Path:
    folder = out or str(run.RESULTS / load(name).name / "blind")
    return folders.own(folder, "predictions or a report of them", lambda there: folders.only(there, *FILES))


def _listed(campaign: Campaign, ready: Prepared, file: str, timed: bool) -> tuple[dict[Task, Times], Counter[str]]:
    """The calls of a file, with their times; how many cannot be made, by reason."""
    usual = published.usual(ready.platform, campaign.file.type)
    return call_table.tasks(call_table.read(file, usual, timed), campaign.file.metric)


def _opened(campaign: Campaign, folder: Path, sha256: str | None) -> tuple[dict[str, Any], str]:
    """What the seal of a folder says, and its SHA-256. UserError: it is broken."""
    path = folder / SEAL
    shown = paths.display(path)
    again = f"./collscope validate {campaign.name} --predict"
    try:
        words = path.read_bytes()
        sealed = json.loads(words)
        files, by, of = dict(sealed["sha256"]), sealed["commit"], sealed["campaign"]
        _ = [sealed[name] for name in ("list", "calls", "platform", "setting", "predict", "metric", "model_errors")]
    except FileNotFoundError:
        raise UsageError(
            f"{shown}: no such file: there are no predictions to judge; make them first: {again}"
        ) from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(f"{shown}: cannot be read ({error!r}); predict again: {again}") from None
    own = _hash(words)
    if sha256 is not None and sha256.lower() != own:
        raise UserError(f"{shown}: its SHA-256 is {own}, not {sha256}: these are not the predictions that had this one")
    if of != campaign.name:
        raise UserError(
            f"{shown}: the predictions are those of campaign {of}; name it, or another folder with --out DIR"
        )
    if by != (now := commit.describe()):
        raise UserError(
            f"{shown}: predicted by commit {by}, and this is {now}; check out {by}, or predict again: {again}"
        )
    for name, expected in files.items():
        file = folder / name if name == PREDICTIONS else paths.ROOT / name
        there = _hash(file.read_bytes()) if file.is_file() else "none: the file is missing"
        if there != expected:
            raise UserError(
                f"{paths.display(file)}: is not what the predictions were sealed with (SHA-256 {expected}, now {there}); "
                f"put it back, or predict again: {again}"
            )
    return sealed, own


def _measured(task: Task, times: Times) -> Row:
    layout, point = task
    cells = point.cells(layout.ranks) | {"metric": metrics.base(point.metric)}
    status = {"status": "ok", "kind": OK} if times.seconds else {"status": NO_TIME, "kind": UNSUPPORTED}
    return make_row(source=published.SOURCE.name, **layout.cells(), **cells, **times.cells(), **status)


def _call(row: Row) -> tuple[object, ...]:
    return tuple(metrics.base(row[c]) if c == "metric" else row[c] for c in (*prediction.CALL, "algorithm"))


def _words(reasons: Mapping[str, int]) -> list[str]:
    return [f"Left out: {counted(count, 'call')}: {reason}." for reason, count in sorted(reasons.items()) if count]


def _path(path: Path) -> str:
    """From the root where it lies below."""
    return str(path.relative_to(paths.ROOT)) if path.is_relative_to(paths.ROOT) else str(path.absolute())


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
