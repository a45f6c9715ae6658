"""Simulations on the workers of a cluster. Each finished point comes back at once, so that what is finished is kept whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache as once_a_worker
from typing import Any

from collscope.base import cache, depends, paths, programs
from collscope.base.errors import UserError
from collscope.points.plan import Layout
from collscope.sources import smpirun
from collscope.sources.batches import Batch, Numbered, simulate
from collscope.sources.cluster import Cluster, Lost, tell
from collscope.sources.launch import Children, OnOutcome
from collscope.sources.outcome import DIED, Outcome

OnNews = Callable[[int, str | None], None]
"""Told the place of a batch and the id of the point that begins; None: its work has ended."""


def run(
    cluster: Cluster, todo: Sequence[Batch], sources: str, limit_s: float | None, on_outcome: OnOutcome, on_news: OnNews
) -> None:
    """Simulates the batches on the cluster; `sources`: the hash of the sources that the workers must have, too. A point may be told
    twice. UserError: a worker cannot do it."""

    def heard(news: dict[str, Any]) -> None:
        if "outcome" in news:
            on_outcome(news["name"], Outcome(**news["outcome"]))
        else:
            on_news(news["batch"], news["name"])

    items = [(k, batch.layout, batch.points, sources, smpirun.version(), limit_s) for k, batch in enumerate(todo)]
    for place, found in cluster.call(on_worker, items, heard):
        if isinstance(found, Lost):
            found = [(name, Outcome(DIED, f"simulation failed: {found}").plain()) for name, _ in todo[place].points]
        for name, plain in found:
            on_outcome(name, Outcome(**plain))
        on_news(place, None)


def on_worker(
    batch: int,
    layout: Layout,
    points: Sequence[Numbered],
    sources: str,
    simgrid: str,
    limit_s: float | None,
    topic: str,
) -> list[tuple[str, dict[str, Any]]]:
    """(id, plain outcome) of each point of a batch, simulated here."""
    if problem := unfit(sources, simgrid):
        raise UserError(problem)
    found = []

    def done(name: str, outcome: Outcome) -> None:
        found.append((name, outcome.plain()))
        tell(topic, {"name": name, "outcome": outcome.plain()})

    def started(name: str) -> None:
        tell(topic, {"batch": batch, "name": name})

    simulate(layout, points, done, children=Children(), limit_s=limit_s, on_start=started)
    return found


@once_a_worker
def unfit(sources: str, simgrid: str) -> str:
    """Why this worker's numbers would not be the caller's; "" where they would."""
    import socket

    where = f"the worker on {socket.gethostname()}"
    if cache.sources_hash(*depends.SIMULATION) != sources:
        return f"{where} has other sources in {paths.ROOT}; bring them to the same commit, and start the worker again"
    if smpirun.version() != simgrid:
        return f"{where} has SimGrid {smpirun.version()}, and here it is {simgrid}; the digits would differ"
    if not programs.SIM_DRIVER.exists():
        return f"{where} has no {programs.SIM_DRIVER}; run ./collscope setup there"
    return ""
