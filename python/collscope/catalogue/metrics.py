"""Metrics as they are typed: a name; for osu_avg the barrier before each call, osu_avg[barrier=decision/ompi_4_1]; for calls that go on
while their ranks compute how these do so and who advances them: nonblocking[calls], overlap[poll,offload]."""

from __future__ import annotations

from collscope.base.errors import UsageError, unknown
from collscope.catalogue import registry

WITH_BARRIER = "osu_avg[barrier="
NONBLOCKING, OVERLAP = "nonblocking", "overlap"
METHODS = ("wait", "poll")  # a rank computes and then waits; it computes and polls until the call is through
PROGRESS = ("calls", "thread", "offload")  # who advances a call: MPI's calls, a thread on a core of its own, the NIC
TRAFFIC = (
    "network_bytes",
    "link_bytes",
    "global_bytes",
    "busiest_bytes",
)  # what a call moves between nodes: model/traffic.h


def base(metric: str) -> str:
    """The metric's name, without its barrier: what two tables have in common whose barriers are the same or not known."""
    return metric.partition("[")[0]


def with_barrier(key: str) -> str:
    """osu_avg with this barrier or decision before each call."""
    return f"{WITH_BARRIER}{key}]"


def has_barrier(metric: str) -> bool:
    """Whether it is spelt as osu_avg with a barrier of its own."""
    return metric.startswith(WITH_BARRIER) and metric.endswith("]")


def goes_on(metric: str) -> bool:
    """Whether it times a call that goes on while its ranks compute."""
    return base(metric) in (NONBLOCKING, OVERLAP)


def progress(metric: str) -> str:
    """Of such a metric: who advances the call, of PROGRESS."""
    return metric.removesuffix("]").rpartition("[")[2].rpartition(",")[2]


def going_on(metric: str, method: str | None = None, advanced_by: str | None = None) -> str:
    """The metric of calls that go on, in full: with these in place of what it says, or of the first of METHODS and PROGRESS where it says
    nothing. UsageError: it is no such metric, or there is no such method or progress."""
    name, _, words = metric.partition("[")
    if name not in (NONBLOCKING, OVERLAP):
        option = "--overlap" if method else "--progress"
        raise UsageError(f"{option} goes with --metric overlap or nonblocking, not with {metric}")
    if name == NONBLOCKING and method:
        raise UsageError(f"--overlap {method} goes with --metric overlap: {NONBLOCKING} waits at once")
    known = {"method": METHODS, "progress": PROGRESS} if name == OVERLAP else {"progress": PROGRESS}
    typed = words.removesuffix("]").split(",") if words.endswith("]") else []
    if words and len(typed) != len(known):
        form = f"{OVERLAP}[{'|'.join(METHODS)},PROGRESS]" if name == OVERLAP else f"{NONBLOCKING}[PROGRESS]"
        raise UsageError(f"--metric {metric}: write {form}, with PROGRESS {', '.join(PROGRESS)}")
    chosen = dict(zip(known, typed or [names[0] for names in known.values()], strict=True))
    chosen |= {"method": method} if method else {}
    chosen |= {"progress": advanced_by} if advanced_by else {}
    for what, word in chosen.items():
        if word not in known[what]:
            raise unknown({"method": "method of overlap", "progress": "progress"}[what], word, known[what])
    return f"{name}[{','.join(chosen[what] for what in known)}]"


def check(metric: str) -> str:
    """The metric as tables spell it. UsageError: there is none of that name, or its barrier does not exist."""
    known = registry.load()
    if base(metric) not in known.metrics:
        raise unknown("metric", metric, known.metrics)
    if goes_on(metric):
        return going_on(metric)
    if base(metric) == metric:
        return metric
    key = metric.removeprefix(WITH_BARRIER).removesuffix("]")
    if not has_barrier(metric):
        raise UsageError(f'--metric {metric}: write "{WITH_BARRIER}KEY]", where KEY is a barrier or a decision')
    _, full = known.resolve(key, "barrier")
    return with_barrier(full)
