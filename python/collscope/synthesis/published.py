"""What was published of exact synthesis, and the same question asked again: which steps, rounds and chunks are there on this network?

SCCL walks from the fewest steps on: of each number of steps the fewest rounds per chunk, until the bound is met (Cai et al., PPoPP 2021).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from collscope.base import paths
from collscope.base.units import counted
from collscope.synthesis import pareto
from collscope.synthesis.demand import BOTH, Design, design_of
from collscope.synthesis.exact import FOUND, NONE
from collscope.synthesis.network import Network, of_links

MAX_PARTS = 6


@dataclass(frozen=True)
class Published:
    """A point of a publication: whether such a schedule exists. steps and rounds are those of the collective itself."""

    network: str
    collective: str
    parts: int
    steps: int
    rounds: int
    exists: bool
    source: str


@dataclass(frozen=True)
class Walk:
    """What is asked. parts, steps, rounds: None: all that are worth a look."""

    name: str  # of the network
    network: Network
    collective: str
    root: int
    parts: int | None
    steps: int | None
    rounds: int | None
    time_s: float


@dataclass(frozen=True)
class Line:
    """An answer, in steps and rounds of the collective itself."""

    parts: int
    steps: int
    rounds: int
    status: str
    seconds: float
    published: str

    @property
    def rounds_per_part(self) -> Fraction:
        """What the time of large calls follows."""
        return Fraction(self.rounds, self.parts)


@dataclass(frozen=True)
class Walked:
    """All answers, and the designs of what was found by name."""

    lines: tuple[Line, ...]
    designs: Mapping[str, Design]
    sentences: tuple[str, ...]
    stopped: bool = False  # by the user


def networks() -> Mapping[str, Network]:
    """Those of synthesis/published.toml."""
    return {name: of_links(each["title"], each["links"]) for name, each in table()["networks"].items()}


def points() -> list[Published]:
    """Those of synthesis/published.toml, with their sources in words."""
    found = table()
    return [Published(**{**each, "source": found["sources"][each["source"]]}) for each in found["points"]]


def table() -> dict[str, Any]:
    """All that synthesis/published.toml says."""
    path = paths.ROOT / "python" / "collscope" / "synthesis" / "published.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def run(walk: Walk, say: Callable[[str], None] = lambda text: None) -> Walked:
    """Asks the solver until the time is over, or the user stops it: then what was found so far is the answer."""
    search = pareto.search_of(walk.network, walk.collective, walk.root, MAX_PARTS, walk.parts, walk.steps, walk.rounds)
    stops: list[bool] = []
    tries = pareto.frontier(
        search,
        walk.time_s,
        lambda s: say(f"{s.parts} chunks, {s.steps} steps, {s.rounds} rounds"),
        lambda: stops.append(True),
    )
    times = 2 if walk.collective in BOTH else 1
    known = {
        (p.parts, p.steps, p.rounds): p for p in points() if (p.network, p.collective) == (walk.name, walk.collective)
    }
    lines, designs = [], {}
    for each in tries:
        shape, answer = each.shape, each.answer
        here = (shape.parts, times * shape.steps, times * shape.rounds)
        point = known.get(here)
        lines.append(Line(*here, answer.status, answer.seconds, _agreement(point, answer.status)))
        if answer.status == FOUND:
            name = f"{walk.collective}.chunks{here[0]}.steps{here[1]}.rounds{here[2]}"
            designs[name] = design_of(walk.collective, walk.network, walk.root, shape.parts, answer.sends, shape.rounds)
    return Walked(tuple(lines), designs, _sentences(search, times, lines), bool(stops))


def _agreement(point: Published | None, status: str) -> str:
    if point is None:
        return ""
    says = "exists" if point.exists else "does not exist"
    if status not in (FOUND, NONE):
        return says
    return says if point.exists == (status == FOUND) else f"{says}: contradicted"


def _sentences(search: pareto.Search, times: int, lines: list[Line]) -> tuple[str, ...]:
    fewest, least = search.bounds
    steps, rounds = times * fewest, times * least
    made = [
        f"No schedule has fewer than {counted(steps, 'step')}, or than {rounds} rounds per chunk: by distance and by what enters a rank."
    ]
    found = [line for line in lines if line.status == FOUND]
    if any(line.rounds_per_part == rounds for line in found):
        made.append("The bound of rounds per chunk is met.")
    elif not search.rounds:
        made.append("The bound of rounds per chunk was not met: more time, steps or chunks may find more.")
    if undecided := sum(line.status not in (FOUND, NONE) for line in lines):
        made.append(f"{counted(undecided, 'shape')} could not be decided in the time.")
    return tuple(made)
