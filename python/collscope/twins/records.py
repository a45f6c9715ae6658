"""What was found about twins, as tables: results/twins/. Made by `./collscope twins --out`, read by `docs` and `show`.

table.csv        one row per twin and library: how many calls were compared, and what came of them
decisions.csv    the same of decision tables, one row per collective
differences.csv  where Open MPI, told to take an algorithm, takes another: found by comparing what it sent with what each
                 of our algorithms of that collective sends
run.json         where the numbers come from
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UserError, disk_error
from collscope.base.files import write_atomically
from collscope.base.units import format_ranks
from collscope.catalogue.keys import stem_of
from collscope.catalogue.registry import Algorithm
from collscope.twins.call import Compared

FOLDER = paths.RESULTS / "twins"
COUNTS = ("calls", "equal", "other_order", "different", "unsupported")
COLUMNS = {
    "table": ("key", "collective", "number", "library", "version", "ranks", *COUNTS, "reasons"),
    "decisions": ("key", "collective", "library", "version", "ranks", *COUNTS, "keys", "reasons"),
    "differences": (
        *("key", "collective", "number", "library", "version"),
        *("condition", "runs", "calls", "ranks", "counts"),
    ),
}
LIBRARY = "Open MPI"

Row = dict[str, str]
"""A row of one of the tables: all cells are texts."""


# ---- rows -------------------------------------------------------------------------------------------------


def tally(calls: Sequence[Compared]) -> Row:
    """The cells COUNTS, ranks and reasons of these calls."""
    count = Counter(c.verdict for c in calls)
    values = (len(calls), count["same"], count["order"], count["different"], count["unsupported"])
    reasons = Counter(c.text for c in calls if c.verdict == "unsupported")
    return {
        **dict(zip(COUNTS, map(str, values), strict=True)),
        "ranks": format_ranks(c.ranks for c in calls if c.verdict != "unsupported"),
        "reasons": "; ".join(f"{number} {why}" for why, number in sorted(reasons.items())),
    }


def table(version: str, twins: Sequence[Algorithm], found: Sequence[Compared]) -> list[Row]:
    """One row per twin, in the registry's order."""
    by_key: dict[str, list[Compared]] = {}
    for c in found:
        by_key.setdefault(stem_of(c.call.key), []).append(c)
    return [{**twin_cells(a, version), **tally(by_key.get(a.key, []))} for a in twins]


def twin_cells(a: Algorithm, version: str) -> Row:
    """The cells that say which twin of which library a row is about."""
    assert a.twin
    return {
        "key": a.key,
        "collective": a.twin["collective"],
        "number": str(a.twin["number"]),
        "library": LIBRARY,
        "version": version,
    }


def decisions(version: str, found: Sequence[Compared]) -> list[Row]:
    """One row per collective; `keys` is how many different keys the table took."""
    made = []
    for collective in dict.fromkeys(c.call.collective for c in found):
        calls = [c for c in found if c.call.collective == collective]
        keys = str(len({c.key for c in calls} - {""}))
        key = calls[0].call.key.partition(":")[0]
        made.append(
            {"key": key, "collective": collective, "library": LIBRARY, "version": version, "keys": keys, **tally(calls)}
        )
    return made


# ---- files ------------------------------------------------------------------------------------------------


def text_of(name: str, rows: Iterable[Row]) -> str:
    """The rows of a table as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS[name], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def read(name: str, folder: Path = FOLDER) -> list[Row]:
    """The rows of a table; none when it is not there. A UserError where the file is another table."""
    path = folder / f"{name}.csv"
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise disk_error(error, path) from error
    if any(tuple(row) != COLUMNS[name] for row in rows):
        raise UserError(f"{path}: not a table of ./collscope twins; write it again")
    return rows


def write(folder: Path, version: str, tables: dict[str, list[Row]], origin: dict[str, object]) -> None:
    """Puts this version's rows in the place of those that were there; other versions' stay."""
    for name, rows in tables.items():
        others = [row for row in read(name, folder) if row["version"] != version]
        both = sorted([*others, *rows], key=lambda row: row["version"])
        write_atomically(folder / f"{name}.csv", text_of(name, both))
    path = folder / "run.json"
    all_ = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    write_atomically(path, json.dumps({**all_, f"{LIBRARY} {version}": origin}, indent=1, sort_keys=True) + "\n")


@lru_cache(maxsize=1)
def recorded() -> tuple[list[Row], list[Row]]:
    """The committed rows of `table` and `differences`, read once."""
    return read("table"), read("differences")


def supported(row: Row) -> str:
    """How many calls of a row were compared: those that ours can run."""
    return str(int(row["calls"]) - int(row["unsupported"]))


# ---- as text for a page or a table --------------------------------------------------------------------------


def number(a: Algorithm) -> int:
    """The twin's number in its library, 0 without a twin."""
    return int(a.twin["number"]) if a.twin else 0


def twin(a: Algorithm) -> str:
    """Which algorithm of which library is the twin, and how it was compared; "none" without a twin."""
    if not a.twin:
        return "none"
    return f"{a.twin['library']}: {a.twin['collective']} {a.twin['number']}; {status(a.key)}"


def status(key: str) -> str:
    """How a twin was compared, in one line."""
    parts = []
    rows = [row for row in recorded()[0] if row["key"] == key]
    for (equal, compared), same in groupby(rows, lambda r: (r["equal"], supported(r))):
        members = list(same)
        versions = " and ".join(row["version"] for row in members)
        where = members[0]["ranks"].replace("..", "…").replace(",", ", ")
        calls = f"{equal} of {compared} calls send the same messages in the same order"
        parts.append(f"{calls} ({versions}, {where} ranks)")
    return "; ".join(parts) or "not compared yet"


def instead(key: str) -> list[tuple[str, str, str]]:
    """(condition, what runs, versions) of calls for which Open MPI, told to take this twin, runs something else."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in recorded()[1]:
        if row["key"] == key:
            found.setdefault((row["condition"], row["runs"]), []).append(row["version"])
    return [(condition, runs, " and ".join(versions)) for (condition, runs), versions in found.items()]


def instead_text(key: str) -> list[tuple[str, str]]:
    """(condition, what runs) of the same, with the versions where these differ."""
    rows = instead(key)
    alike = len({versions for _, _, versions in rows}) <= 1
    return [(condition, runs if alike else f"{runs} ({versions})") for condition, runs, versions in rows]
