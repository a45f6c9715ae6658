"""What `tune --profile` says of a program: how much of its time in collectives the rules save, by the model."""

from __future__ import annotations

from collscope.base.units import counted, format_time
from collscope.tuning.demand import Demand
from collscope.tuning.gain import Tuned
from collscope.tuning.uses import share_text

SHOWN = 12  # rows of a profile in the report, those that take longest


def text(demand: Demand, tuned: Tuned) -> str:
    """In a sentence, without a stop."""
    p, saved_s = demand.profile, sum(load.saved_s(tuned.rules_for(load)) for load in demand.loads)
    waiting = f" ({format_time(demand.waiting_s)} of it waiting for late ranks)" if demand.waiting_s > 0 else ""
    verb = "saves" if saved_s >= 0 else "costs"
    spoken = f"the rules speak of {format_time(demand.seconds)} of this{waiting}"
    return (
        f"{p.file}: {share_text(p.seconds, p.run_s)}; {spoken}, and the file {verb} {format_time(abs(saved_s))} by the model: "
        f"{abs(saved_s) / p.seconds:.1%} of the time in collectives"
    )


def rows(demand: Demand, tuned: Tuned) -> list[dict[str, str]]:
    """A row per use, those that take longest first."""
    made = []
    for load in sorted(demand.loads, key=lambda load: -load.use.seconds)[:SHOWN]:
        rules = tuned.rules_for(load)
        saved_s = load.saved_s(rules)
        made.append(
            {
                "collective": load.use.collective,
                "communicator": load.use.where,
                "bytes": load.use.size_text,
                "calls": f"{load.use.calls:,.0f}",
                "time": format_time(load.use.seconds),
                "now": load.now,
                "rule": load.key(rules),
                "saves": f"{'−' if saved_s < 0 else ''}{format_time(abs(saved_s))}",
            }
        )
    return made


def left_out(demand: Demand) -> list[str]:
    """The calls that no rule is made for, with the reason, those that take longest first; and how many rows of the table are not shown."""
    found = sorted(demand.left_out, key=lambda one: -one[0].seconds)
    lines = [
        f"{use.collective}, {use.size_text}, {use.where} ({format_time(use.seconds)}): {why}" for use, why in found
    ]
    more = len(demand.loads) - SHOWN
    return [*lines, *([f"{counted(more, 'row')} that take less are in table.csv alone"] if more > 0 else [])]
