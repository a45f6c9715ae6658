"""What `tune --check` prints: the rules that are not right, worst first, and by which times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from collscope.base import console
from collscope.base.grid import KEY, Column, Grid
from collscope.base.units import counted, format_ranks, format_size
from collscope.commands.tune_confirm import How
from collscope.tuning.deciding import NO_END
from collscope.tuning.origin import MODEL, SOURCES
from collscope.tuning.rule_file import RuleFile
from collscope.tuning.rules import OWN
from collscope.tuning.verdict import Scope, Verdict

SHOWN = 20


def show(title: str, file: str, scope: Scope, found: RuleFile, verdicts: Sequence[Verdict], how: How | None) -> None:
    """Prints the rules that are wrong, and what was checked."""
    wrong = sorted((v for v in verdicts if v.is_wrong), key=lambda v: -(v.loss if v.loss is not None else float("inf")))
    measured = sum(v.source != MODEL for v in verdicts)
    by = f"{counted(measured, 'call')} {'measured' if how.is_real else 'simulated'}" if how else ""
    checked = f"{counted(len({v.rule for v in verdicts}), 'rule')} of {sum(r.key != OWN for r in found.rules)}"
    rest = f", {by}, the others by the model" if how else ", by the model"
    ranks = format_ranks(v.call[1] for v in verdicts)
    console.say(f"{title}: {checked} checked at {counted(len(verdicts), 'call')} on {ranks} ranks{rest}")
    by_source = {v.source: v.allowed for v in verdicts if v.allowed != scope.loss}
    for source, allowed in by_source.items():
        console.note(
            f"{SOURCES[scope.chosen_by]} chose these rules, among what the model cannot tell apart: by {SOURCES[source]} only what "
            f"loses more than {allowed:.1%} is wrong; --confirm compares measured times"
        )
    if not wrong:
        most = max(v.allowed for v in verdicts)
        console.say(f"every rule that was checked is right: it loses at most {most:.2%} against the best")
        return
    table = Grid(
        (
            Column("collective"),
            Column("ranks", right=True),
            Column("bytes", goes=2, right=True),
            Column("rule", pieces=KEY),
            Column("at", right=True),
            Column("loses", right=True),
            Column("best", pieces=KEY),
            *((Column("by", goes=1),) if how else ()),
        ),
        title=f"Rules that lose more than {' or '.join(f'{a:.2%}' for a in sorted({v.allowed for v in wrong}))}",
    )
    for v in wrong[:SHOWN]:
        loss = "no time" if v.loss is None else f"{v.loss:.1%}"
        by_what = (SOURCES[v.source].removeprefix("the "),) if how else ()
        table.add(
            v.rule.collective, _range(v.rule.ranks, str), _range(v.rule.bytes, format_size), v.rule.key,
            f"{v.call[1]} ranks, {format_size(v.call[2])}", loss, v.best, *by_what,
        )  # fmt: skip
    table.show()
    bad = counted(len({v.rule for v in wrong}), "rule")
    how_made = (
        "" if found.origin else "check with the --ranks, --ranks-per-node and --bytes that they were made for, or "
    )
    console.complain(f"{Path(file).name}: {bad} not right; {how_made}tune again")


def _range(ends: tuple[int, int], text: Callable[[int], str]) -> str:
    low, high = ends
    return text(low) if low == high else f"{text(low)}..{'' if high == NO_END else text(high)}"
