"""What `tune` says of its rules: a table on the terminal, table.csv with every call, and report.md."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from collscope.base import console, pages
from collscope.base.grid import WORDS, Column, Grid
from collscope.base.units import counted, format_ranks, format_size, format_time
from collscope.tuning.gain import Gain, Tuned, gains
from collscope.tuning.verify import Verified

RULES, SCRIPT, TABLE, REPORT, FIGURE = "collscope.rules", "collscope.sh", "table.csv", "report.md", "gain.svg"
FILES = (RULES, "*.sh", "*.conf", TABLE, REPORT, FIGURE)
TEMPLATES = Path(__file__).parent / "templates"
WORST = 20  # calls in the report, those that lose most first
COLUMNS = (
    *("collective", "ranks", "bytes", "held_out", "default", "default_s", "rule", "rule_s", "best", "best_s"),
    *("default_loss", "rule_loss"),
)


def made(tuned: Tuned, verified: Sequence[Verified] | None) -> dict[str, str | bytes]:
    """Name → content of table, figure and report."""
    found = sorted(gains(tuned.rules, tuned.times, tuned.joined), key=lambda g: -g.loss)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for g in found:
        times = (g.default, g.default_s, g.key, g.time_s, g.best, g.best_s, g.default_loss, g.loss)
        writer.writerow([*g.call, int(g.held_out), *times])
    env = pages.environment(TEMPLATES)
    env.filters |= {"percent": percent, "size": format_size, "time": format_time}
    text = env.get_template("tune.md.j2").render(
        tuned=tuned,
        summary=summary(tuned, found),
        worst=found[:WORST],
        verified=verified,
        checked=checked(verified),
        figure=FIGURE,
    )
    return {TABLE: out.getvalue(), FIGURE: _figure(tuned, out.getvalue()), REPORT: text.rstrip() + "\n"}


def _figure(tuned: Tuned, table: str) -> bytes:
    import matplotlib as mpl
    import pandas as pd

    mpl.use("Agg")
    from collscope.figures import files
    from collscope.figures.tuning import tuning_figure

    frame = pd.read_csv(io.StringIO(table))
    return files.render(
        tuning_figure(frame, f"Rules for {tuned.target.title} on {tuned.platform}, by the model"), "svg"
    )


def percent(share: float) -> str:
    """0.0213 → 2.1 %."""
    return f"{100 * share:.1f} %"


def summary(tuned: Tuned, found: Sequence[Gain]) -> list[dict[str, str]]:
    """A row per collective: how many rules it has, and what they and the library's own choice lose, in the mean and at worst."""
    rows = []
    for name in dict.fromkeys(rule.collective for rule in tuned.rules):
        mine = [g for g in found if g.call[0] == name]
        rules = [rule for rule in tuned.rules if rule.collective == name]
        runs = {rule.ranks: sum(r.ranks == rule.ranks for r in rules) for rule in rules}
        rows.append(
            {
                "collective": name,
                "rules": str(len(rules)),
                "most": str(max(runs.values())),
                "default": _losses([g.default_loss for g in mine]),
                "rule": _losses([g.loss for g in mine if not g.held_out]),
                "held out": _losses([g.loss for g in mine if g.held_out]),
            }
        )
    return rows


def _losses(losses: Sequence[float]) -> str:
    return f"{percent(sum(losses) / len(losses))} (max {percent(max(losses))})" if losses else "—"


def checked(verified: Sequence[Verified] | None) -> str:
    """How much of what was verified is as predicted, in words."""
    if verified is None:
        return "not verified; --verify runs the library with the rules"
    right = sum(v.is_right for v in verified)
    ranks = format_ranks(v.compared.ranks for v in verified)
    return f"{right} of {counted(len(verified), 'call')} take what the rules say, by their messages, on {ranks} ranks"


def show(tuned: Tuned, verified: Sequence[Verified] | None) -> None:
    """Prints a line per collective, what is in doubt, and which rules the library does not follow."""
    table = Grid(
        (
            Column("collective"),
            Column("rules", right=True),
            Column("most per number of ranks", 3, right=True),
            Column("lost by the rules", pieces=WORDS),
            Column("by the rules, held out", 2, pieces=WORDS),
            Column("by its own choice", 1, pieces=WORDS),
        ),
        title=f"{tuned.target.title} on {tuned.platform}: against the best that it has, by the model",
    )
    for row in summary(tuned, gains(tuned.rules, tuned.times, tuned.joined)):
        table.add(*(row[name] for name in ("collective", "rules", "most", "rule", "held out", "default")))
    table.show()
    for reason in dict.fromkeys(reason for _, reason in tuned.doubtful):
        console.note(f"in doubt, left to the library: {reason}")
    console.say(checked(verified))
    for v in verified or ():
        if not v.is_right:
            console.complain(str(v))
