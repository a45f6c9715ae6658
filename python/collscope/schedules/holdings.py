"""What every rank holds after each round, as the prover's data flow has it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.catalogue.registry import Collective
from collscope.points import distribution
from collscope.schedules import record
from collscope.schedules.trace import Trace
from collscope.sources.outcome import OK

MAX_CELLS = 40_000_000  # rounds × ranks × blocks


class WrongDataFlow(UserError):
    """The schedule's proof fails, so that what ranks hold is not known."""


@dataclass(frozen=True)
class Holdings:
    """state[k, r, b]: what rank r holds of block b after round k (0: at the start). An index into `sets`: 0 is nothing; the
    bits of a set are the ranks whose data has gone into it. Where data only moves there is one set, 1."""

    state: np.ndarray
    sets: tuple[int, ...]
    block_bytes: tuple[int, ...]  # of each column
    combines: bool  # sets of ranks mean something
    what: str  # of a column

    @property
    def most(self) -> int:
        """Of how many ranks the largest set is."""
        return max(1, max(s.bit_count() for s in self.sets))

    @property
    def share(self) -> np.ndarray:
        """How much of what there is to combine has been combined: 0 … 1."""
        table = np.array([s.bit_count() / self.most for s in self.sets])
        return np.asarray(table[self.state])

    def since(self) -> np.ndarray:
        """since[k, r, b]: the round in which what is held after round k came to be."""
        made = np.zeros(self.state.shape, dtype=int)
        for k in range(1, len(self.state)):
            made[k] = np.where(self.state[k] != self.state[k - 1], k, made[k - 1])
        return made


def after_rounds(t: Trace) -> Holdings | None:
    """What every rank holds after each round; None where there is nothing to hold or too much for a picture. WrongDataFlow where the
    proof fails; another UserError when the prover does not answer."""
    if t.point is None:
        raise UserError(f"{t.key}: this trace does not know its point")
    if t.file:
        from collscope.schedules import from_file

        reply = from_file.holdings(t.file, t.machine)
    else:
        (reply,) = record.reply([t.point], t.ranks, t.machine, "--holdings")
    if reply["kind"] != OK:
        raise UserError(f"{t.key}: {reply['status']}")
    if "holdings" not in reply:
        raise WrongDataFlow(f"{t.key}: the proof fails, so what its ranks hold is not known")
    data = reply["holdings"]
    if not data or not data["width"]:
        return None
    about = registry.load().collective(t.collective)
    cuts = np.array(sorted(_cuts(data, about, t)))
    rounds = data["rounds"]
    if len(rounds) * t.ranks * len(cuts) > MAX_CELLS:
        return None
    state = np.zeros((len(rounds), t.ranks, len(cuts)), dtype=np.int64)
    for k, ranks in enumerate(rounds):
        for r, flat in enumerate(ranks):
            for start, end, number in _stretches(flat):
                a, b = np.searchsorted(cuts, (start, end))
                state[k, r, a:b] = number
    if not about.has_data:
        return Holdings(state, (0, 1), (0,) * t.ranks, False, "ranks it has heard from")
    sizes = np.diff(np.concatenate((cuts, [data["width"]])))
    sets = tuple(_bits(flat) for flat in data["sets"]) if data["combines"] else (0, 1)
    what = "blocks from each rank" if _personal(about) else "blocks of the vector"
    return Holdings(state, sets, tuple(int(s) for s in sizes), data["combines"], what)


def _personal(about: Collective) -> bool:
    """Each rank has a block for each other; what it holds is what is for itself."""
    return not about.has_operator and about.input.who == "every" and about.input.amount == "blocks"


def _stretches(flat: list[int]) -> list[tuple[int, int, int]]:
    return list(zip(flat[::3], flat[1::3], flat[2::3], strict=True))


def _bits(flat: list[int]) -> int:
    """A set as a number, from first and last of each run of its ranks."""
    return sum((1 << last + 1) - (1 << first) for first, last in zip(flat[::2], flat[1::2], strict=True))


def _cuts(data: dict[str, Any], about: Collective, t: Trace) -> set[int]:
    """Where columns begin: neighbours that always go together are one, but blocks of ranks stay apart."""
    width = data["width"]
    if not about.has_data:
        return set(range(width))
    found = {0}
    for ranks in data["rounds"]:
        for flat in ranks:
            found.update(flat[::3], flat[1::3])
    dealt = t.point.counts if t.point else distribution.UNIFORM
    if about.counts_blocks and (dealt == distribution.UNIFORM or not _personal(about)):
        blocks = distribution.counts(dealt, t.count * t.ranks, t.ranks)
        found.update(n * t.elem for n in accumulate(blocks))
    return {at for at in found if at < width}
