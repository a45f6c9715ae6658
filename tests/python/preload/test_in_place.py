"""preload/form.c: what supports a call with two buffers supports it in place, too, except for the collectives that it keeps apart."""

from __future__ import annotations

from collscope.catalogue import prover, registry
from collscope.points.plan import Point, plan_text
from open_mpi import needs_prover

SEPARATE = {"alltoall", "exscan"}  # minds_in_place


@needs_prover
def test_algorithms_of_two_collectives_alone_refuse_to_work_in_place() -> None:
    """Whether an algorithm supports a shape is found once, and calls of one shape come with two buffers and in place."""
    known = registry.load()
    refused = set()
    for ranks in (4, 5, 8):
        points = [
            Point(a.collective, a.full_key(), 8 * ranks, in_place=in_place)
            for a in known.algorithms
            for in_place in (False, True)
        ]
        plan = plan_text(((str(i), point) for i, point in enumerate(points)), ranks)
        proven = [reply["verdict"] == "proven" for reply in prover.replies(["--plan", "-"], plan)]
        pairs = zip(points[::2], proven[::2], proven[1::2], strict=True)
        refused |= {point.collective for point, apart, in_place in pairs if apart and not in_place}
    assert refused == SEPARATE
