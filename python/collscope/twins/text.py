"""What is recorded about an algorithm's twin, as text for a page or a table."""

from __future__ import annotations

from itertools import groupby

from collscope.catalogue.registry import Algorithm
from collscope.twins import records


def twin(a: Algorithm) -> str:
    """Which algorithm of which library is the twin, and how it was compared; "none" without a twin."""
    if not a.twin:
        return "none"
    return f"{a.twin['library']}: {a.twin['collective']} {a.twin['number']}; {status(a.key)}"


def number(a: Algorithm) -> int:
    """The twin's number in its library, 0 without a twin."""
    return int(a.twin["number"]) if a.twin else 0


def status(key: str) -> str:
    """How a twin was compared, in one line."""
    rows = [row for row in records.recorded()[0] if row["key"] == key]
    if not rows:
        return "not compared yet"
    parts = []
    for (equal, compared), same in groupby(rows, lambda r: (r["equal"], records.supported(r))):
        members = list(same)
        versions = " and ".join(row["version"] for row in members)
        where = members[0]["ranks"].replace("..", "…").replace(",", ", ")
        calls = f"{equal} of {compared} calls send the same messages in the same order"
        parts.append(f"{calls} ({versions}, {where} ranks)")
    return "; ".join(parts)


def instead(a: Algorithm) -> list[tuple[str, str]]:
    """(condition, what runs) of calls for which the library, told to take this algorithm's twin, runs something else."""
    rows = records.instead(a.key)
    versions = {versions for _, _, versions in rows}
    return [(condition, f"{runs} ({named})" if len(versions) > 1 else runs) for condition, runs, named in rows]
