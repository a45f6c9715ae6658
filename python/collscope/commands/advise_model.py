"""The model's part of `advise`: the times of what a program calls, of what it could call, and over draws of open numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from collscope.base.errors import UserError
from collscope.base.statistics import quantile
from collscope.base.units import counted, join_words
from collscope.catalogue import registry
from collscope.commands import requests
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Point, Task
from collscope.points.sweep import count_of, root_of
from collscope.sources import assumptions, model
from collscope.sources.assumptions import Choice, Judged, Unchecked
from collscope.sources.draws import BAND
from collscope.sources.source import Options
from collscope.tuning import mpich, mpich_rules, openmpi
from collscope.tuning.advice import Advice
from collscope.tuning.changes import MEAN, MERGED, Change, Timed
from collscope.tuning.search import competes
from collscope.tuning.targets import Target
from collscope.tuning.uses import Profile, Use

MAX_JUDGED = 20  # changes, those that save most, over draws
TYPES = {
    **dict.fromkeys(("MPI_DOUBLE", "MPI_DOUBLE_PRECISION", "MPI_REAL8"), "double"),
    **dict.fromkeys(("MPI_INT", "MPI_INTEGER", "MPI_INT32_T", "MPI_UNSIGNED"), "int"),
    **dict.fromkeys(("MPI_LONG", "MPI_INT64_T", "MPI_UINT64_T", "MPI_LONG_LONG_INT", "MPI_UNSIGNED_LONG"), "long"),
}
"""The catalogue's types for MPI's names; other data are taken for floats, as many as fit."""


def reason_against(use: Use, target: Target, decision: str | None) -> str:
    """Why no rule can be judged for calls; "": it can."""
    known = {c.name: c for c in registry.load().collectives if c.mpi}
    about = known.get(use.collective)
    if about is None:
        form = use.collective.removeprefix("i").removesuffix("_init")
        if form in known:
            return "not blocking: only the call itself was timed, not when it was over"
        return "blocks of several sizes, or neighbours: not a collective of the catalogue"
    if about.uneven and about.counts_blocks:
        return "blocks of several sizes, of which the profile has the mean"
    if use.ranks is None:
        return "the profile lacks the size of their communicators"
    if not about.has_data or use.bytes == (0, 0):
        return "no data"
    if use.bytes is None or use.mean_bytes is None:
        return "the profile lacks their sizes"
    if use.bytes[1] >= 2 * use.bytes[0]:
        return "sizes of several classes in one row, and the profile lacks how many calls have which"
    if use.collective not in target.collectives:
        return f"no rule of {target.title} can speak of it (docs/tuning.md)"
    if use.algorithm:
        return ""
    if decision is None or use.collective not in registry.load().decision(decision).collectives:
        return "which algorithm the MPI library takes is not known"
    if decision == mpich.DECISION and (use.per_node or 1) > 1 and use.collective in mpich_rules.FLAT:
        return "MPICH splits it on nodes of several ranks, which is not timed"
    library = next((v for v in openmpi.SERIES if v.decision == decision), None)
    if library and library.asks_han(use.collective, use.nodes or 1, use.ranks):
        return f"coll/han of Open MPI {library.version} decides, whose rules are not known"
    return ""


def check_fits(profile: Profile, platform: Platform) -> None:
    """UserError: the machine has no place for the program's ranks."""
    for use in profile.uses:
        each, nodes = use.per_node or 1, use.nodes or 1
        if (nodes > platform.max_nodes and not platform.grows) or each > platform.cores_per_node:
            has = f"{counted(platform.max_nodes, 'node')} of {counted(platform.cores_per_node, 'core')}"
            raise UserError(
                f"{profile.file}: {use.collective} ran on {counted(nodes, 'node')} with up to {counted(each, 'rank')} each; "
                f"{platform.name} has {has}; name the machine that the profile is of with --on"
            )


def timed(
    uses: Sequence[Use], platform: Platform, target: Target, decision: str | None
) -> tuple[list[Timed], list[str]]:
    """The uses with the model's times; and what could not be timed, in sentences."""
    plans = [_plan(use, platform, target, use.algorithm or str(decision)) for use in uses]
    tasks = list(dict.fromkeys(task for plan in plans for task in plan.values()))
    rows = model.rows(tasks, Options(title=f"algorithms for {target.title}")) if tasks else []
    times = dict(zip(tasks, rows, strict=True))
    made, lost = [], []
    for use, plan in zip(uses, plans, strict=True):
        at = {name: times[task] for name, task in plan.items()}
        own = [at[place, ""] for place in ("0", "1", "2")]
        if fault := next((row["status"] for row in own if not row["median_s"]), ""):
            lost.append(f"{use.collective}, {use.size_text}: {own[0]['algorithm']} has no time: {fault}")
            continue
        keys = [str(row["chose"] or row["algorithm"]) for row in own]
        found = {
            (int(place), key): float(row["median_s"])
            for (place, key), row in at.items()
            if place.isdigit() and key and row["median_s"]
        }
        found |= {(i, keys[i]): float(row["median_s"]) for i, row in enumerate(own)}
        merged_s, placed_s = (at[name, ""]["median_s"] if (name, "") in at else None for name in ("merged", "placed"))
        made.append(Timed(use, keys, use.algorithm is not None, found, merged_s, placed_s))
    return made, lost


def _plan(use: Use, platform: Platform, target: Target, own: str) -> dict[tuple[str, str], Task]:
    """(place of the size, key; "": what runs now) → task."""
    layout, mean = layout_of(use, platform), use.mean_bytes
    assert use.bytes and mean
    made: dict[tuple[str, str], Task] = {}
    for place, size in enumerate((use.bytes[0], round(mean), use.bytes[1])):
        point = point_of(use, own, size)
        made[str(place), ""] = (layout, point)
        for key in target.keys(use.collective):
            if competes(other := replace(point, algorithm=key), layout.ranks):
                made[str(place), key] = (layout, other)
    point = point_of(use, own, round(mean))
    made["merged", ""] = (layout, point_of(use, own, MERGED * round(mean)))
    about = registry.load().collective(use.collective)
    if not use.in_place and about.input.who == "every":
        made["placed", ""] = (layout, replace(point, in_place=True))
    return made


def layout_of(use: Use, platform: Platform, is_real: bool = False) -> Layout:
    """Where the model puts the communicator's ranks: as many on each node."""
    assert use.ranks
    return requests.make_layout(platform, use.nodes, use.ranks, "block", is_real)


def point_of(use: Use, key: str, size: int) -> Point:
    """A call of so many bytes, of a block or of the vector."""
    assert use.ranks
    kind, about = TYPES.get(use.type, "float"), registry.load().collective(use.collective)
    count = count_of(use.collective, size, use.ranks, kind, "block" if about.counts_blocks else "vector", "round")
    root = root_of(use.collective, min(use.root, use.ranks - 1), use.ranks)
    return Point(use.collective, key, count or 1, kind, root=root, in_place=use.in_place)


def advised(found: Sequence[Change], platform: Platform) -> list[Advice]:
    """The changes over draws of what the machine's file leaves open: of each the calls that it saves most of."""
    choices = []
    for change in found[:MAX_JUDGED]:
        part = change.main
        use, own = part.use, part.own[MEAN]
        assert use.mean_bytes
        points = {key: point_of(use, key, round(use.mean_bytes)) for key in (change.key, own)}
        choices.append(Choice(layout_of(use, platform), points, all_drawn=True))
    judged = assumptions.judged(choices) if choices else []
    rest = f"only the {MAX_JUDGED} changes that save most are"
    return [_advice(c, j) for c, j in zip(found[:MAX_JUDGED], judged, strict=True)] + [
        Advice(change, None, "", rest) for change in found[MAX_JUDGED:]
    ]


def _advice(change: Change, judged: Judged | Unchecked | None) -> Advice:
    if not isinstance(judged, Judged):
        return Advice(change, None, "", judged.reason if judged else "")
    pair = (judged.drawn[change.key], judged.drawn[change.main.own[MEAN]])
    shares = sorted(1 - taken / now for taken, now in zip(*pair, strict=True))
    ratio = change.saves_s / change.main.share(change.key)
    band = (ratio * quantile(shares, BAND[0]), ratio * quantile(shares, BAND[1]))
    doubt = judged.hangs_on(change.key)
    if not doubt and band[0] < 0:
        doubt = f"{change.key} may be slower: {join_words([u.keys for u in judged.unknowns])} would tell"
    return Advice(change, band, doubt, "")
