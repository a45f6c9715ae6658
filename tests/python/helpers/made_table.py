"""A table as a study makes it, from formulas: for tests of what is computed from tables."""

from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd

from collscope.catalogue import registry
from collscope.points import table
from collscope.studies.study import ELEMENT_BYTES, Study

Time = Callable[[str, str, int, int], float]  # collective, class or key, nodes, bytes → seconds


def paper(collective: str, name: str, nodes: int, size: int) -> float:
    """Times that agree with every claim of Bird's paper in its range."""
    base = 1e-5 + size * 1e-9
    slow = {
        "bcast": {"builtin": 1.0, "short": 1.2 if nodes == 2 else 2.0, "long": 1.6},
        "reduce": {"builtin": 1.0, "short": 2.0, "long": 3.0},
        "scatter": {"builtin": 1.02, "short": 1.5, "long": 1.0},
        "gather": {"builtin": 1.4, "short": 1.0, "long": 1.5},
        "allgather": {"builtin": {2: 1.5, 4: 1.2, 8: 1.15}.get(nodes, 1.3), "short": 2.0 + nodes / 4, "long": 1.0},
        "reduce_scatter": {"builtin": 1.01, "short": 2.0, "long": 1.0},
        "allreduce": {"builtin": 1.0, "short": 2.0, "long": 1.3},
    }
    return base * slow.get(collective, {}).get(name, 1.0)


def swap(
    collective: str, name: str, factor: float, only: Callable[[int, int], bool] = lambda nodes, size: True
) -> Time:
    """The paper's times, with one class of one collective `factor` times as slow, where `only` says so."""

    def time(c: str, n: str, nodes: int, size: int) -> float:
        seconds = paper(c, n, nodes, size)
        return seconds * factor if (c, n) == (collective, name) and only(nodes, size) else seconds

    return time


def rows(study: Study, time: Time = paper, quick: bool = False) -> list[table.Row]:
    out = []
    elem = ELEMENT_BYTES[study.type]
    metrics = {study.metric: 1.0} | ({"root": 0.9} if study.metric == "makespan" else {})
    catalogue = registry.load()
    for nodes, ranks, entry, point, size in study.points(quick):
        seconds = time(entry.collective, entry.name, nodes, size)
        chose = f"{entry.collective}/linear" if entry.key.startswith("decision/") else ""
        for metric, factor in metrics.items():
            out.append(
                table.make_row(
                    source="sim", platform=study.platform, nodes=nodes, ranks=ranks, mapping=study.mapping,
                    collective=entry.collective, algorithm=entry.key, bytes=size,
                    block_bytes=point.count * elem, type=study.type, op="", in_place=0, root=0, metric=metric, launches=1,
                    repetitions=1, median_s=seconds * factor, q1_s=seconds * factor, q3_s=seconds * factor,
                    min_s=seconds * factor, max_s=seconds * factor, chose=chose, status="ok",
                )
            )  # fmt: skip
    for collective in study.collectives:
        for nodes in study.nodes:
            for size in study.chosen_sizes(quick):
                if catalogue.collective(collective.name).counts_blocks and size < 32 * elem:
                    continue
                seconds = math.ceil(math.log2(32)) * 1e-6 + size * 0.5e-9
                out.append(
                    table.make_row(
                        source="bound", platform=study.platform, nodes=nodes, ranks=32, mapping=study.mapping,
                        collective=collective.name, algorithm="bound/telephone", bytes=size, block_bytes=size, type="float",
                        metric="makespan", median_s=seconds, q1_s=seconds, q3_s=seconds, min_s=seconds, max_s=seconds, status="ok",
                    )
                )  # fmt: skip
    return out


def frame(study: Study, time: Time = paper, quick: bool = False) -> pd.DataFrame:
    return table.to_frame(rows(study, time, quick))
