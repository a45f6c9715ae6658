"""SimGrid's settings (--cfg and <config>) for the platforms made here."""

from __future__ import annotations

from collscope.machines.spec import text_of

HOST_SPEED = "1Gf"

COMMON_SETTINGS = {
    "smpi/privatization": "no",  # the sources have no mutable globals, so ranks can share them
    "smpi/simulate-computation": "no",  # only what is charged takes time, so results repeat exactly
    "smpi/shared-malloc": "global",
    "smpi/host-speed": HOST_SPEED,
    "surf/precision": "1e-12",  # with the default of 1 ns, events that are that near are merged (4.x: precision/timing)
    "network/optim": "Full",  # Lazy lets a link carry too much when two flows of a sender begin at once: see model/timing.h
}
NETWORK_SETTINGS = {  # a plain fluid network: no corrections that describe TCP
    "network/model": "CM02",
    "network/crosstraffic": "0",
    "network/weight-S": "0",
    "network/TCP-gamma": "0",
    "smpi/wtime": "0",
}
# SimGrid refuses to have these set (aliases of each other in 4.x) beside the plug-in's callbacks; CM02's own default is 1.
FACTOR_SETTINGS = {
    "network/latency-factor": "1",
    "network/bandwidth-factor": "1",
    "smpi/lat-factor": "1",
    "smpi/bw-factor": "1",
}

# What a platform file's own <config> may set: how fast things go. Others make SimGrid write files, load code or check models.
OWN_SETTINGS = frozenset(
    {
        *COMMON_SETTINGS,
        *NETWORK_SETTINGS,
        *FACTOR_SETTINGS,
        *("network/maxmin-selective-update", "network/loopback-lat", "network/loopback-bw", "network/bandwidth-factor"),
        *(
            "network/concurrency-limit",
            "cpu/model",
            "cpu/optim",
            "cpu/maxmin-selective-update",
            "host/model",
            "cpu/solver",
        ),
        *("network/solver", "host/solver", "maxmin/precision", "maxmin/concurrency-limit", "bmf/precision"),
        *("precision/timing", "precision/work-amount", "bmf/max-iterations"),
        *("smpi/async-small-thresh", "smpi/send-is-detached-thresh", "smpi/os", "smpi/ois", "smpi/or", "smpi/init"),
        *(
            "smpi/iprobe",
            "smpi/test",
            "smpi/iprobe-cpu-usage",
            "smpi/cpu-threshold",
            "smpi/buffering",
            "smpi/coll-selector",
        ),
        *(
            "smpi/IB-penalty-factors",
            "smpi/grow-injected-times",
            "smpi/barrier-collectives",
            "smpi/finalization-barrier",
        ),
    }
)


def protocol_settings(eager_bytes: int, overhead_s: float) -> dict[str, str]:
    """Eager limit and overheads. SMPI's thresholds are the first size that is not eager any more."""
    threshold = str(eager_bytes + 1)
    cost = f"0:{text_of(overhead_s)}:0"
    return {
        "smpi/async-small-thresh": threshold,
        "smpi/send-is-detached-thresh": threshold,
        "smpi/os": cost,
        "smpi/ois": cost,
        "smpi/or": cost,
    }
