"""Metrics as they are typed: a name, and for osu_avg the barrier before each call, osu_avg[barrier=decision/ompi_4_1]."""

from __future__ import annotations

from collscope.base.errors import UsageError, unknown
from collscope.catalogue import registry

WITH_BARRIER = "osu_avg[barrier="


def base(metric: str) -> str:
    """The metric's name, without its barrier: what two tables have in common whose barriers are the same or not known."""
    return metric.partition("[")[0]


def with_barrier(key: str) -> str:
    """osu_avg with this barrier or decision before each call."""
    return f"{WITH_BARRIER}{key}]"


def has_barrier(metric: str) -> bool:
    """Whether it is spelt as osu_avg with a barrier of its own."""
    return metric.startswith(WITH_BARRIER) and metric.endswith("]")


def check(metric: str) -> str:
    """The metric as tables spell it. UsageError: there is none of that name, or its barrier does not exist."""
    known = registry.load()
    if base(metric) not in known.metrics:
        raise unknown("metric", metric, known.metrics)
    if base(metric) == metric:
        return metric
    key = metric.removeprefix(WITH_BARRIER).removesuffix("]")
    if not has_barrier(metric):
        raise UsageError(f'--metric {metric}: write "{WITH_BARRIER}KEY]", where KEY is a barrier or a decision')
    _, full = known.resolve(key, "barrier")
    return with_barrier(full)
