"""Which calls are compared: of every twin its parameters, sizes around every threshold, roots, operators, in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from collscope.catalogue import registry
from collscope.catalogue.keys import Key, stem_of
from collscope.catalogue.registry import Algorithm
from collscope.twins.call import FLOAT, Call
from collscope.twins.messages import own_messages

MAX_FLOATS = 1 << 20  # of a vector
MANY = 17  # ranks; with more of them roots and sizes are fewer: a launch takes minutes where ranks share cores
MAX_MOVED = 1 << 21  # floats of the larger buffer in a call of the grid
IN_PLACE = ("reduce", "gather", "scatter", "allgather", "allreduce", "reduce_scatter", "alltoall", "scan")
DECISIONS = {"4.0": "decision/ompi_4_0", "4.1": "decision/ompi_4_1", "5.0": "decision/ompi_5_0"}

# ---- what is forced ---------------------------------------------------------------------------------------

# Our parameters, and coll_tuned's variables behind the collective's name.
VARIABLES = {
    "s": "segmentsize",
    "first": "segmentsize",
    "chains": "chain_fanout",
    "k": "knomial_radix",
    "blocking_every": "max_requests",
    "max_requests": "max_requests",
}
# Values that are tried beside those that a decision passes: a segment that is not a whole number of blocks, several chains, …
VALUES = {
    "s": (0, 1000, 1024),
    "first": (0, 1024),
    "chains": (1, 3, 4),
    "k": (2, 3, 4, 8),
    "blocking_every": (0, 1, 3),
    "max_requests": (0, 1, 3),
}


def forced(key: str) -> tuple[tuple[str, int], ...]:
    """The variables that make Open MPI do what this key says: of the algorithm, and of the collectives it is made of."""
    known = registry.load()
    algorithm = known.algorithm(key)
    assert algorithm and algorithm.twin
    made = {f"{algorithm.collective}_algorithm": int(algorithm.twin["number"])}
    for name, text in Key.parse(key).values.items():
        part, _, rest = name.partition("_")
        if name in VARIABLES:
            made[f"{algorithm.collective}_algorithm_{VARIABLES[name]}"] = int(text)
        elif rest:  # reduce_s
            made[f"{part}_algorithm_{VARIABLES[rest]}"] = int(text)
        else:  # reduce=binomial
            twin = known.by_key[f"{name}/{text}"].twin
            assert twin
            made[f"{name}_algorithm"] = int(twin["number"])
    return tuple(sorted(made.items()))


def variants(a: Algorithm) -> list[str]:
    """Full keys: the defaults, every combination of VALUES, and each part that an algorithm can be made of."""
    choices = [VALUES[p.name] for p in a.params if p.name in VALUES]
    made = [a.full_key()]
    if len(choices) == len(a.params):
        names = [p.name for p in a.params]
        made += [a.full_key(dict(zip(names, values, strict=True))) for values in product(*choices)]
    else:
        for p in a.params:
            values = range(p.min, p.max + 1) if p.words else VALUES[p.name.partition("_")[2]]
            made += [a.full_key({p.name: value}) for value in values]
    return list(dict.fromkeys(made))


def twins(numbers: Iterable[tuple[str, int]]) -> list[Algorithm]:
    """Algorithms whose twin is among these of a library."""
    there = set(numbers)
    return [a for a in registry.load().algorithms if a.twin and (a.twin["collective"], int(a.twin["number"])) in there]


def decided(ranks: int) -> dict[str, list[str]]:
    """Full keys that the decision tables take on so many ranks, by algorithm."""
    calls = [call for decision in DECISIONS.values() for call in grid(decision, ranks, RANGES)]
    found: dict[str, list[str]] = {}
    for key in dict.fromkeys(own_messages(ranks, calls, "keys").keys.values()):
        found.setdefault(stem_of(key), []).append(key)
    return found


# ---- forced calls -----------------------------------------------------------------------------------------


def counts(a: Algorithm, key: str, ranks: int) -> list[int]:
    """Elements: none, one, around the number of ranks and its power of two, and around segments and several of them."""
    about = registry.load().collective(a.collective)
    if not about.has_data:
        return [0]
    power = 1 << (ranks.bit_length() - 1)
    made = {0, 1, 5, power - 1, power, ranks - 1, ranks, ranks + 1, 257, 1000}
    for name, text in Key.parse(key).values.items():
        floats = int(text) // FLOAT if text.isdigit() and name not in ("k", "chains", "max_requests") else 0
        if floats > 1:
            made |= {floats - 1, floats, floats + 1, 2 * floats - 1, 2 * floats, 2 * floats + 1, 5 * floats + 3}
        if floats > 1 and a.key == "allreduce/ring_segmented":  # needs a segment per rank
            made |= {ranks * floats - 1, ranks * floats, ranks * floats + 1, 2 * ranks * floats + 1}
    most = MAX_FLOATS // ranks if about.counts_blocks else MAX_FLOATS
    return sorted(n for n in made if 0 <= n <= most)


def shapes(a: Algorithm, key: str, ranks: int) -> Iterator[Call]:
    """The calls of one full key."""
    about = registry.load().collective(a.collective)
    force = forced(key)
    some = (1, ranks, 257, 1000)
    roots = sorted({0, 3 % ranks, ranks - 1} if ranks <= MANY else {0, ranks - 1}) if about.has_root else [0]
    for count in counts(a, key, ranks):
        yield from (Call(key, a.collective, count, root, forced=force) for root in roots)
        if about.has_operator and count in (*some, 0):
            yield Call(key, a.collective, count, commutes=False, forced=force)
        if a.collective in IN_PLACE and count in some:
            yield Call(key, a.collective, count, in_place=True, forced=force)
    if about.has_root and ranks <= MANY:
        yield from (Call(key, a.collective, 1000, root, forced=force) for root in range(ranks) if root not in roots)


def forced_calls(ranks: int, algorithms: Sequence[Algorithm]) -> list[Call]:
    """Every twin with its variants, and with the parameters that decisions pass."""
    taken = decided(ranks)
    return [
        call
        for a in algorithms
        for key in dict.fromkeys([*variants(a), *taken.get(a.key, [])])
        for call in shapes(a, key, ranks)
    ]


# ---- the decisions' grid ----------------------------------------------------------------------------------

# Almost all thresholds of the tables are powers of two, in bytes: these sizes meet every range, and EDGES its last bytes.
RANGES = tuple(2**k for k in range(19))
EDGES = tuple(2**k - 1 for k in range(2, 15))


def decided_calls(decision: str, ranks: int) -> list[Call]:
    """Calls with nothing forced; with many ranks fewer sizes."""
    return list(grid(decision, ranks, RANGES + EDGES if ranks <= MANY else RANGES))


def grid(decision: str, ranks: int, floats: Sequence[int]) -> Iterator[Call]:
    """Calls with nothing forced, beside what a decision table takes."""
    known = registry.load()
    table = next(d for d in known.decisions if d.key == decision)
    for collective in table.collectives:
        about = known.collective(collective)
        key = f"{decision}:{collective}"
        for count in floats if about.has_data else (0,):
            if about.counts_blocks and count * ranks > MAX_MOVED:
                continue
            for commutes in (True, False) if about.has_operator else (True,):
                yield Call(key, collective, count, 0, commutes)
            if about.has_root:
                yield Call(key, collective, count, ranks - 1)
            if collective in ("allgather", "alltoall", "reduce_scatter_block", "scan"):
                yield Call(key, collective, count, 0, in_place=True)
