"""The calls of ranks as the model has them, in the form in which a run's are observed: so that a picture of the model and one of a
simulation are made by the same rules (`retimed`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from collscope.schedules.observed import Costs, Event, Observed, Run
from collscope.schedules.retimed import retimed
from collscope.schedules.trace import Trace

AS_OBSERVED = {"recv_any": "recv", "seg_write": "write", "seg_read": "read"}


def costs_of(machine: str) -> Costs | None:
    """What a machine file says of eager messages; None in the telephone model, where a message keeps both its ports busy and
    the times of the wire are all there is."""
    words = {w[0]: w[1] for w in map(str.split, machine.splitlines()) if len(w) == 2}
    if words["ports"] != "fluid":
        return None
    other = words.get("eager_nonblocking")
    return Costs(
        int(words.get("eager", "-1")), float(words.get("overhead", "0")), None if other is None else int(other)
    )


def by_calls(t: Trace) -> Trace:
    """A trace of the model with its times told as those of a run are: from the calls of its ranks. In the telephone model: as it is."""
    costs = costs_of(t.machine)
    if costs is None:
        return t
    timed = observed(t.raw, costs)
    return retimed(t, Run((timed,), (t.time_s,), (), t.chose, ""), "model", t.where, costs)


def observed(reply: dict[str, Any], costs: Costs) -> Observed:
    """The events of all ranks; `reply`: of the prover, see model/trace.h."""
    ends = reply["rank_end_s"]
    by_op: dict[tuple[int, int], list[Any]] = {}
    for row in reply["messages"]:
        nonblocking = reply["operations"][row[0]][row[8]][0] == "isend"
        by_op[row[0], row[8]] = by_op[row[1], row[9]] = [*row, nonblocking]
    events = tuple(
        tuple(_events(rank, operations, end, by_op, costs))
        for rank, (operations, end) in enumerate(zip(reply["operations"], ends, strict=True))
    )
    return Observed(events, (0.0,) * len(ends), tuple(ends), 0.0)


def _events(
    rank: int, ops: Sequence[Any], end_s: float, by_op: dict[tuple[int, int], list[Any]], costs: Costs
) -> list[Event]:
    """Of one rank. An operation ends when the next one begins."""
    made: dict[int, Event] = {}
    i = 0
    while i < len(ops):
        kind, _, _, _, _, peer, size, begin = ops[i]
        n = 1 + (size if kind == "wait" else 0)  # operations of this call
        end = ops[i + n][7] if i + n < len(ops) else end_s
        if kind == "wait":
            waited = [op[5] for op in ops[i : i + n]]
            if n == 2 and waited == [i - 2, i - 1] and [made[k].kind for k in waited] == ["isend", "irecv"]:
                done = dict.fromkeys(waited, end)  # a sendrecv: nobody hears of its halves
            else:
                done = _taken(waited, begin, {k: by_op[rank, k] for k in waited}, rank, costs)
            made |= {k: replace(made[k], done_s=s) for k, s in done.items()}
            made[i] = Event("wait", -1, 0, 0, begin, end, end)
        else:
            row = by_op.get((rank, i))
            peer = peer if row is None else row[1] if row[0] == rank and row[8] == i else row[0]
            label = row[4] if row else 0
            made[i] = Event(
                AS_OBSERVED.get(kind, kind), peer, label, 0 if kind in ("publish", "await") else size, begin, end, end
            )
        i += n
    return [made[k] for k in sorted(made)]


def _taken(
    waited: Sequence[int], begin: float, messages: dict[int, list[Any]], rank: int, costs: Costs
) -> dict[int, float]:
    """When a wait for several finds each through: eager sends at once, the others as they arrive, one after the other."""
    arrival = {}
    for k in waited:
        src, _, size, _, _, _, _, end, send, _, nonblocking = messages[k]
        sends = src == rank and send == k
        taking = 0.0 if sends else costs.taking(size, nonblocking)
        arrival[k] = (begin if sends and costs.eager(size, nonblocking) else end, taking)
    now, found = begin, {}
    for k in sorted(waited, key=lambda k: arrival[k][0]):
        now = max(now, arrival[k][0]) + arrival[k][1]
        found[k] = now
    return found
