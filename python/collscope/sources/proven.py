"""Calls are proven before any of their times is given: a wrong algorithm is often a fast one.

A call is proven in its own shape: algorithm, count, type, operator, root, in place, and where its ranks sit. Above MAX_RANKS, where
a proof may take longer than the simulation, it is proven for the first MAX_RANKS ranks of its layout. The prover's answer is kept
until an algorithm, the recorder or the prover changes, in the sources or as it was built.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from collscope.base import cache, leftovers
from collscope.base.files import write_atomically
from collscope.base.progress import Progress
from collscope.catalogue import prover
from collscope.catalogue.prover import Abandoned, Question, Reply
from collscope.machines import placement
from collscope.points import distribution
from collscope.points.plan import Layout, Point, Task, describe, plan_text
from collscope.sources.outcome import LIMIT, WRONG, Outcome

MAX_RANKS = 256  # all algorithms of a collective are proven there in less than a second


@dataclass(frozen=True)
class _Proof:
    """Of one call: why it fails ("": it does not, or is not supported), and how many operations all ranks do; late: it took too long."""

    fault: str
    operations: float = 0.0
    late: bool = False


def failures(
    tasks: Sequence[Task], progress: Progress | None = None, limit_s: float | None = None
) -> dict[Task, Outcome]:
    """The tasks whose proof fails, each with the fault (WRONG), or takes longer than `limit_s` (LIMIT, which is not kept). The library's
    own calls cannot be proven and are left out.

    UserError: the prover cannot be run."""
    able = [task for task in tasks if not task[1].key.is_builtin]
    proofs = _proofs([(task, MAX_RANKS) for task in able], progress, limit_s)
    return {
        task: Outcome(LIMIT, f"its proof {proof.fault}") if proof.late else Outcome(WRONG, proof.fault)
        for task, proof in zip(able, proofs, strict=True)
        if proof.fault
    }


def operations(tasks: Sequence[Task]) -> list[float]:
    """How many sends, receives, waits and local steps all ranks of each task do together; 0 of what is not known. Above MAX_RANKS they
    grow as they do from half as many."""
    able = [task for task in tasks if not task[1].key.is_builtin]
    larger = [task for task in able if task[0].ranks > MAX_RANKS]
    made = dict.fromkeys(tasks, 0.0)
    made |= {task: p.operations for task, p in zip(able, _proofs([(task, MAX_RANKS) for task in able]), strict=True)}
    for task, half in zip(larger, _proofs([(task, MAX_RANKS // 2) for task in larger]), strict=True):
        if half.operations and made[task]:
            made[task] *= (task[0].ranks / MAX_RANKS) ** math.log2(made[task] / half.operations)
    return [made[task] for task in tasks]


def _proofs(
    calls: Sequence[tuple[Task, int]], progress: Progress | None = None, limit_s: float | None = None
) -> list[_Proof]:
    """The proof of each task for the first so many of its ranks; kept until an algorithm, the recorder or the prover changes."""
    shapes = [_shape(task, limit) for task, limit in calls]
    places = {place: _places(*place) for place in dict.fromkeys((layout, ranks) for layout, _, ranks in shapes)}
    made_by = prover.made_by()
    keys = {
        shape: cache.digest("proof, counts", *made_by, places[shape[0], shape[2]], f"ranks={shape[0].ranks}", shape[1].identity())
        for shape in dict.fromkeys(shapes)
    }  # fmt: skip
    with cache.Cache() as store:
        known = {key: _Proof(*kept) for key, kept in store.get_many(keys.values()).items()}
        missing = {shape: key for shape, key in keys.items() if key not in known}
        bar = progress or Progress("proof", len(missing))
        for layout, ranks in places:
            points = {key: q for (at, q, p), key in missing.items() if (at, p) == (layout, ranks)}
            for key, reply in _replies(layout, ranks, places[layout, ranks], points, bar, limit_s):
                if isinstance(reply, Abandoned):
                    known[key] = _Proof(reply.reason, late=reply.limit)
                else:
                    failed = reply["verdict"] == "failed"
                    fault = str(reply["failure"] or reply["kind"]) if failed else ""
                    known[key] = _Proof(fault, float(reply.get("operations") or 0))
                if not known[key].late:
                    store.put_soon(key, [known[key].fault, known[key].operations])
    return [known[keys[shape]] for shape in shapes]


def _shape(task: Task, limit: int) -> tuple[Layout, Point, int]:
    """What a proof depends on, neither the metric nor how often and how cold a call is made; and for how many ranks it is."""
    layout, point = task
    ranks = min(layout.ranks, limit)
    return (
        layout,
        Point(
            collective=point.collective,
            algorithm=point.algorithm,
            count=point.count,
            type=point.type,
            op=point.op,
            root=point.root % ranks,
            in_place=point.in_place,
            counts=distribution.for_fewer(point.counts, ranks),
        ),
        ranks,
    )


def _places(layout: Layout, ranks: int) -> str:
    """A line "NODE SOCKET CACHE" for each of the first ranks; without a platform all share one node."""
    if layout.platform is None:
        return "0 0 0\n" * ranks
    places = placement.places(layout.platform, layout.nodes, layout.ranks, layout.mapping)
    return "".join(f"{node} {socket} {cache}\n" for node, socket, cache in places[:ranks])


def _replies(
    layout: Layout, ranks: int, places: str, points: Mapping[str, Point], progress: Progress, limit_s: float | None
) -> Iterator[tuple[str, Reply | Abandoned]]:
    """(key, reply) of each point, which are named by their keys."""
    if not points:
        return
    with leftovers.scratch() as folder:
        write_atomically(folder / "places.txt", places)
        names = {str(i): key for i, key in enumerate(points)}
        questions = [
            Question(name, point.algorithm, describe((layout, point)), plan_text([(name, point)], ranks))
            for name, point in zip(names, points.values(), strict=True)
        ]
        for name, reply in prover.stream(["--places", folder / "places.txt"], questions, folder, progress, limit_s):
            yield names[name], reply
