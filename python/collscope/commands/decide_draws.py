"""How good a decision's choice is on a machine: over draws of what is not known of it, how often it is the fastest and what it loses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from collscope.base import console
from collscope.base.errors import UserError
from collscope.base.grid import KEY, Column, Grid
from collscope.base.statistics import quantile
from collscope.base.units import format_time, join_words
from collscope.catalogue import registry
from collscope.catalogue.decisions import Line
from collscope.points.plan import Layout, Point
from collscope.sources import assumptions, draws, model
from collscope.sources.assumptions import Choice, Judged, Unchecked
from collscope.sources.outcome import OK


def judged(lines: Sequence[Line], layout: Layout, like: Point) -> Judged:
    """The choices among all algorithms of the collective that can do the call. `like`: the call. UserError: none can, or a choice cannot,
    nothing of the machine is unknown, or it cannot be drawn."""
    known = registry.load()
    chosen = [line["chose"] for line in lines if line["kind"] == "ok"]
    keys = dict.fromkeys([*chosen, *(one.full_key() for one in known.of(like.collective))])
    points = {key: replace(like, algorithm=key) for key in keys}
    outcomes = model.evaluate([model.timed((layout, point)) for point in points.values()], limit_s=assumptions.POINT_S)
    timed = {key: point for (key, point), found in zip(points.items(), outcomes, strict=True) if found["kind"] == OK}
    if lost := next((key for key in chosen if key not in timed), ""):
        reason = next(found["status"] for key, found in zip(points, outcomes, strict=True) if key == lost)
        raise UserError(f"{lost}: has no time on {layout.platform_name}: {reason}")
    if not timed:
        raise UserError(f"no algorithm of {like.collective} has a time on {layout.platform_name}")
    (found,) = assumptions.judged([Choice(layout, timed, kept=frozenset(chosen))])
    if found is None:
        raise UserError(
            f"{layout.platform_name}: its file leaves nothing open and gives no range: nothing is to be drawn; "
            "./collscope run compares the algorithms with its numbers"
        )
    if isinstance(found, Unchecked):
        raise UserError(
            f"{layout.platform_name}: not drawn: {found.reason}; ./collscope run compares with the file's numbers"
        )
    return found


def rows(lines: Sequence[Line], found: Judged) -> list[dict[str, Any]]:
    """Of each decision that takes an algorithm: how it does over the draws, as docs/json.md has it."""
    made = []
    for line in lines:
        if line["kind"] != "ok":
            continue
        key = line["chose"]
        lost = sorted(found.lost(key))
        low, high = found.bands[key]
        cause = found.decisive(key, found.winner) if key != found.winner else None
        made.append(
            {
                "decision": line["decision"],
                "algorithm": key,
                "time_s": found.seconds[key],
                "low_s": low,
                "high_s": high,
                "wins": found.wins_of(key),
                "mean_regret_share": sum(lost) / len(lost),
                "p90_regret_share": quantile(lost, 0.9),
                "worst_regret_share": lost[-1],
                "hangs_on": _number(cause) if cause else None,
            }
        )
    return made


def _number(unknown: assumptions.Unknown) -> dict[str, str]:
    return {"number": unknown.name, "keys": unknown.keys, "measure": unknown.measure}


def document(lines: Sequence[Line], layout: Layout, found: Judged) -> dict[str, Any]:
    """The same for programs."""
    return {
        **{name: layout.cells()[name] for name in ("platform", "nodes", "mapping")},
        "count": found.draws,
        "band": list(draws.BAND),
        "fastest": found.winner,
        "choices": rows(lines, found),
        "numbers": [_number(unknown) for unknown in found.unknowns],
    }


def show(lines: Sequence[Line], layout: Layout, found: Judged) -> None:
    """Prints it, and what to measure where the order of a choice and the fastest is not certain."""
    grid = Grid(
        (
            Column("decision", pieces=KEY),
            Column("takes", pieces=KEY),
            Column("fastest", right=True),
            Column("time in 8 of 10 draws", right=True),
            Column("loses: mean", right=True),
            Column("p90", goes=1, right=True),
            Column("worst", right=True),
        ),
        title=f"over {found.draws} draws of what is not known of {layout.platform_name}",
    )
    made = rows(lines, found)
    for row in made:
        grid.add(
            row["decision"],
            row["algorithm"],
            f"{row['wins']} of {found.draws}",
            " … ".join(format_time(row[name]) for name in ("low_s", "high_s")),
            *(f"{row[f'{name}_regret_share']:.1%}" for name in ("mean", "p90", "worst")),
        )
    grid.show()
    low, high = map(format_time, found.band_s)
    console.say(f"{found.winner} loses least: fastest in {found.wins} of {found.draws} draws, {low} … {high}.")
    hanging: dict[str, list[str]] = {}
    measures = {row["hangs_on"]["number"]: row["hangs_on"] for row in made if row["hangs_on"]}
    for row in made:
        if row["hangs_on"]:
            hanging.setdefault(row["hangs_on"]["number"], []).append(row["algorithm"])
    for name, keys in hanging.items():
        others = join_words(list(dict.fromkeys(keys)), "or")
        console.say(
            f"Whether it is faster than {others} hangs most on {name} ({measures[name]['keys']}): "
            f"measure it with {measures[name]['measure']}."
        )
