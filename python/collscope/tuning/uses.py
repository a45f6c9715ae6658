"""What a program's collective calls took, whichever tool measured it. Nothing is guessed: what a profile does not hold stays open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from collscope.base.errors import UserError
from collscope.base.units import format_size, format_time
from collscope.catalogue import registry

COMMUNICATORS = "sizes of communicators; if all collectives are on MPI_COMM_WORLD, say so with --assume-world"
"""What profiles lack that know no communicator."""
VECTORS = ("gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw")


@dataclass(frozen=True)
class Arrival:
    """Of sampled calls: for how long the first rank waited for the last, and a rank on average; and of how many calls."""

    skew_s: float
    wait_s: float
    samples: int


@dataclass(frozen=True)
class Use:
    """Calls of one collective, of one class of sizes, on communicators of one size and placement.

    ranks, nodes, per_node: of the communicator; bytes: the class, both ends belong to it; mean_bytes: of a call's block or vector;
    calls: of each rank of the job on average; call_count: of the communicators together; seconds: inside, of each rank of the job on
    average; algorithm: the full key that our library ran, None: the MPI library's own function."""

    collective: str
    where: str
    ranks: int | None
    nodes: int | None
    per_node: int | None
    communicators: int | None
    bytes: tuple[int, int] | None
    mean_bytes: float | None
    calls: float
    call_count: int
    in_place: bool
    root: int
    type: str
    algorithm: str | None
    passed_on: str
    seconds: float
    arrival: Arrival | None

    @property
    def waiting_s(self) -> float | None:
        """Of `seconds`, what a rank waits for late ones: the mean of the samples at every call that was none. None: not sampled."""
        if self.arrival is None:
            return None
        others = 1 - min(1.0, self.arrival.samples / self.call_count)
        return min(self.seconds, self.arrival.wait_s * self.calls * others)

    @property
    def working_s(self) -> float:
        """`seconds` without waiting for late ranks."""
        return self.seconds - (self.waiting_s or 0)

    @property
    def size_text(self) -> str:
        """The class of sizes."""
        if self.bytes is None:
            return "not known"
        first, last = self.bytes
        end = last + 1 if last & (last + 1) == 0 else last
        return format_size(first) if first == last else f"{format_size(first)}..{format_size(end)}"


@dataclass(frozen=True)
class Profile:
    """A run. library: as it names itself, "": not known; run_s: from MPI_Init to MPI_Finalize, None: not known; lacks: what the format
    does not hold, in sentences."""

    file: str
    tool: str
    library: str
    ranks: int
    run_s: float | None
    uses: Sequence[Use]
    lacks: Sequence[str] = ()

    @property
    def seconds(self) -> float:
        """In collectives, of a rank on average."""
        return sum(use.seconds for use in self.uses)


def functions() -> list[str]:
    """MPI's collective functions, blocking and not, without MPI_ and in small letters."""
    blocking = [*(c.name for c in registry.load().collectives if c.mpi), *VECTORS]
    return [*blocking, *(f"i{name}" for name in blocking)]


def classes(smallest: float, largest: float) -> tuple[int, int]:
    """The first and the last size of the classes, powers of two, that sizes lie in."""
    low, high = (1 << int(max(1.0, size)).bit_length() - 1 for size in (smallest, largest))
    return low, 2 * high - 1


def number(path: str, word: str, tool: str) -> float:
    """A number in a tool's text. UserError: it is another word, or below 0."""
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise UserError(f'{path}: "{word}" where {tool} has a number; the profile was changed or cut')
    return value


def on_world(profile: Profile, hosts: Mapping[str, int]) -> Profile:
    """The profile with all communicators taken for MPI_COMM_WORLD, of which each host has so many ranks."""
    nodes, each = len(hosts), max(hosts.values())
    made = [
        replace(use, where=f"{use.where}, all ranks", ranks=profile.ranks, nodes=nodes, per_node=each, communicators=1)
        for use in profile.uses
    ]
    return replace(profile, uses=made, lacks=[text for text in profile.lacks if text != COMMUNICATORS])


def share_text(seconds: float, run_s: float | None) -> str:
    """How much of a run collectives took of each rank on average, as a line."""
    share = f" of {format_time(run_s)}, {seconds / run_s:.1%}" if run_s else "; how long the run took is not known"
    return f"in collectives: {format_time(seconds)} of each rank on average{share}"
