"""Calls are proven before any of their times is given: a wrong algorithm is often a fast one.

A call is proven in its own shape: algorithm, count, type, operator, root, in place, and where its ranks sit. Above MAX_RANKS, where
a proof may take longer than the simulation, it is proven for the first MAX_RANKS ranks of its layout. The prover's answer is kept
until an algorithm, the recorder or the prover changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from collscope.base import cache, depends, leftovers
from collscope.base.files import write_atomically
from collscope.base.progress import Progress
from collscope.catalogue import prover
from collscope.catalogue.prover import Abandoned, Question, Reply
from collscope.machines import placement
from collscope.points.plan import Layout, Point, Task, describe, plan_text
from collscope.points.table import Row, make_row
from collscope.sources.outcome import LIMIT, WRONG, Outcome
from collscope.sources.source import Options, Source, is_builtin

MAX_RANKS = 256  # all algorithms of a collective are proven there in less than a second


def failures(
    tasks: Sequence[Task], progress: Progress | None = None, limit_s: float | None = None
) -> dict[Task, Outcome]:
    """The tasks whose proof fails, each with the fault (WRONG), or takes longer than `limit_s` (LIMIT, which is not kept). The library's
    own calls cannot be proven and are left out.

    UserError: the prover cannot be run."""
    shapes = {task: _shape(task) for task in tasks if not is_builtin(task[1])}
    places = {layout: _places(layout) for layout in dict.fromkeys(layout for layout, _ in shapes.values())}
    sources = cache.sources_hash(*depends.MODEL)
    keys = {
        shape: cache.digest("proof", sources, places[shape[0]], f"ranks={shape[0].ranks}", shape[1].identity())
        for shape in dict.fromkeys(shapes.values())
    }
    late: dict[str, str] = {}
    with cache.Cache() as store:
        faults: dict[str, str] = store.get_many(keys.values())
        missing = {shape: key for shape, key in keys.items() if key not in faults}
        bar = progress or Progress("proof", len(missing))
        for layout in places:
            for key, reply in _replies(layout, places[layout], missing, bar, limit_s):
                if isinstance(reply, Abandoned) and reply.limit:
                    late[key] = reply.reason
                    continue
                faults[key] = _fault(reply)
                store.put(key, faults[key])
    found: dict[Task, Outcome] = {}
    for task, shape in shapes.items():
        if (key := keys[shape]) in late:
            found[task] = Outcome(LIMIT, f"its proof {late[key]}")
        elif faults[key]:
            found[task] = Outcome(WRONG, faults[key])
    return found


def _fault(reply: Reply | Abandoned) -> str:
    """Why a proof fails; empty: it holds, or the call is not supported."""
    if isinstance(reply, Abandoned):
        return reply.reason
    return str(reply["failure"] or reply["kind"]) if reply["verdict"] == "failed" else ""


def rows(source: Source, tasks: Sequence[Task], options: Options, faults: Mapping[Task, Outcome]) -> list[Row]:
    """The rows of a source, in the order of the tasks; one with a fault is not timed, and its row has that. A bound holds whoever runs."""
    if not faults or source.name == "bound":
        return source.rows(tasks, options)
    right = iter(source.rows([task for task in tasks if task not in faults], options))
    return [_untimed(source.name, task, faults[task]) if task in faults else next(right) for task in tasks]


def _untimed(source: str, task: Task, fault: Outcome) -> Row:
    layout, point = task
    cells = layout.cells() | point.cells(layout.ranks)
    status = f"the proof fails: {fault.status}" if fault.kind == WRONG else fault.status
    return make_row(source=source, **cells, status=status, kind=fault.kind, back_end="collscope-prove")


def _shape(task: Task) -> Task:
    """What a proof depends on: neither the metric nor how often and how cold a call is made."""
    layout, point = task
    root = point.root % MAX_RANKS if layout.ranks > MAX_RANKS else point.root
    return layout, Point(
        collective=point.collective,
        algorithm=point.algorithm,
        count=point.count,
        type=point.type,
        op=point.op,
        root=root,
        in_place=point.in_place,
    )


def _places(layout: Layout) -> str:
    """A line "NODE SOCKET CACHE" per rank; without a platform all ranks share one node."""
    ranks = min(layout.ranks, MAX_RANKS)
    if layout.platform is None:
        return "0 0 0\n" * ranks
    places = placement.places(layout.platform, layout.nodes, layout.ranks, layout.mapping)
    return "".join(f"{node} {socket} {cache}\n" for node, socket, cache in places[:ranks])


def _replies(
    layout: Layout, places: str, missing: Mapping[Task, str], progress: Progress, limit_s: float | None
) -> Iterator[tuple[str, Reply | Abandoned]]:
    """(key, reply) of each missing proof of one layout."""
    points = {key: shape[1] for shape, key in missing.items() if shape[0] == layout}
    if not points:
        return
    ranks = min(layout.ranks, MAX_RANKS)
    with leftovers.scratch() as folder:
        write_atomically(folder / "places.txt", places)
        names = {str(i): key for i, key in enumerate(points)}
        questions = [
            Question(name, point.algorithm, describe((layout, point)), plan_text([(name, point)], ranks))
            for name, point in zip(names, points.values(), strict=True)
        ]
        for name, reply in prover.stream(["--places", folder / "places.txt"], questions, folder, progress, limit_s):
            yield names[name], reply
