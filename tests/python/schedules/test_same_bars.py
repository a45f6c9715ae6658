"""collscope.schedules.modelled:
the model and the simulation of a point, without contention, draw the same picture: each bar is the same thing."""

from __future__ import annotations

import shutil
from collections import defaultdict

import pytest

from collscope.base import programs
from collscope.commands import one_call
from collscope.figures.schedule import gantt
from collscope.schedules.trace import Trace

pytestmark = pytest.mark.skipif(
    not (programs.PROVER.exists() and programs.SIM_DRIVER.exists() and shutil.which("smpirun")),
    reason="needs the prover, smpirun and the simulated driver",
)
NS = 1e-9
Bar = tuple[str, float, float]


def bars(t: Trace) -> dict[tuple[str, int, int], list[Bar]]:
    """(kind, rank, other rank) → what is drawn, in order."""
    found: dict[tuple[str, int, int], list[Bar]] = defaultdict(list)
    for m in t.arrows:
        alone = gantt.alone_s(m)
        found["out", m.src, m.dst].append(("line" if alone else "bar", *(alone or (m.start_s, m.end_s))))
        found["in", m.dst, m.src].append(("bar", gantt.taken_s(m), m.end_s))
    for s in t.spans:
        if s.end_s - s.start_s > NS:
            found[s.kind, s.rank, -1].append((s.kind, s.start_s, s.end_s))
    return {name: sorted(list_, key=lambda bar: bar[1:]) for name, list_ in found.items()}


@pytest.mark.parametrize("size", ["480", "96KiB"])  # eager, and not
@pytest.mark.parametrize(
    "key",
    [
        "bcast/binomial",
        "allreduce/recursive_doubling",
        "allgather/bucket",
        "gather/linear",
        "reduce/binary",
        "alltoall/pairwise",
    ],
)
def test_model_and_simulation_draw_the_same_bars(key: str, size: str) -> None:
    request = one_call.OneCall(key, 6, sizes=size, platform="schooner", nodes=6, source="model,sim", type_name="byte")
    model, sim = (bars(t) for t in one_call.make_traces(request))
    assert model.keys() == sim.keys()
    for name, list_ in model.items():
        assert [bar[0] for bar in list_] == [bar[0] for bar in sim[name]], name
        for mine, theirs in zip(list_, sim[name], strict=True):
            assert mine[1:] == pytest.approx(theirs[1:], abs=NS), name
    assert size != "480" or {"post", "take"} <= {kind for kind, *_ in model}
