"""Which algorithm the library's own call was: recognised from the messages that it sends, never guessed.

The same calls are made once more on this machine, by a program that notes what Open MPI hands to its point-to-point layer, under the same
settings. What the version's decision table takes is compared first, then every twin; a key is named only where all ranks' messages
are its own, in their order, and, without the table's word, no other key's.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from collscope.base.errors import UserError
from collscope.catalogue import registry, sizes
from collscope.points.plan import Point, Task
from collscope.points.table import Row
from collscope.sources.outcome import OK
from collscope.sources.source import is_builtin
from collscope.twins.call import Call
from collscope.twins.calls import DECISIONS
from collscope.twins.judge import alike
from collscope.twins.library import Library, find_library
from collscope.twins.messages import library_messages, own_messages

FLOAT = 4
MAX_FLOATS = 1 << 24  # of all ranks: the program that notes messages has buffers of so many at each rank
FORCING = "OMPI_MCA_coll_tuned_use_dynamic_rules"  # where it is set, the decision table says nothing


def name_builtins(tasks: Sequence[Task], rows: Sequence[Row]) -> list[Row]:
    """The rows of these tasks, with the key that ran as `chose` of the library's own calls; "" where it is not known: of another library
    than Open MPI 4.0 to 5.0, of several nodes, of elements that are not 4 bytes, of messages that no key of ours sends alone."""
    calls: dict[int, dict[Point, None]] = {}
    for (layout, point), row in zip(tasks, rows, strict=True):
        if is_builtin(point) and row["kind"] == OK and layout.nodes == 1 and _is_recognisable(point, layout.ranks):
            calls.setdefault(layout.ranks, {})[point] = None
    found = {ranks: _recognised(ranks, list(points)) for ranks, points in calls.items()}
    return [
        row | {"chose": found[layout.ranks][point]}
        if point in calls.get(layout.ranks, {}) and layout.nodes == 1
        else row
        for (layout, point), row in zip(tasks, rows, strict=True)
    ]


def _is_recognisable(point: Point, ranks: int) -> bool:
    return ranks > 1 and sizes.elem_bytes(point.type) == FLOAT and point.count * ranks <= MAX_FLOATS


def _recognised(ranks: int, points: Sequence[Point]) -> dict[Point, str]:
    """Point → full key, or ""."""
    try:
        library = find_library()
        library.check()
        return _compared(library, ranks, points)
    except UserError:
        return dict.fromkeys(points, "")


def _compared(library: Library, ranks: int, points: Sequence[Point]) -> dict[Point, str]:
    decision = "" if FORCING in os.environ else DECISIONS[library.version.rpartition(".")[0]]
    theirs = library_messages(library, ranks, [_call(p, p.algorithm) for p in points], every_component=True)
    ours = [(i, key) for i, p in enumerate(points) for key in _candidates(p, decision)]
    own = own_messages(ranks, [_call(points[i], key) for i, key in ours])
    named: dict[Point, str] = {}
    for i, point in enumerate(points):
        sent = [theirs[i, r] for r in range(ranks)]
        same = {
            key: own.keys[k]
            for k, (at, key) in enumerate(ours)
            if at == i and k in own.keys and k not in own.unsupported
            if alike(sent, [own.messages[k, r] for r in range(ranks)])
        }
        by_table = next((full for key, full in same.items() if decision and key.startswith(decision)), None)
        named[point] = by_table or (next(iter(same.values())) if len(set(same.values())) == 1 else "")
    return named


def _candidates(point: Point, decision: str) -> list[str]:
    known = registry.load()
    table = [f"{decision}:{point.collective}"] if decision and point.collective in _decides(decision) else []
    return table + [a.full_key() for a in known.of(point.collective) if a.twin]


def _decides(decision: str) -> Sequence[str]:
    return next((d.collectives for d in registry.load().decisions if d.key == decision), ())


def _call(point: Point, key: str) -> Call:
    return Call(key, point.collective, point.count, point.root, in_place=point.in_place)
