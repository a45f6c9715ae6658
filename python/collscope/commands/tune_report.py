"""What `tune` says of its rules: a table on the terminal, table.csv with every call, and report.md."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from collscope.base import console, pages
from collscope.base.grid import WORDS, Column, Grid
from collscope.base.units import counted, format_ranks, format_size, format_time
from collscope.commands import tune_saved
from collscope.tuning import mpich_rules, openmpi_rules
from collscope.tuning.confirm import Worth, worth
from collscope.tuning.gain import Part, Tuned
from collscope.tuning.rules import NOISE
from collscope.tuning.verify import Verified

RULES, SCRIPT, TABLE, REPORT, FIGURE = "collscope.rules", "collscope.sh", "table.csv", "report.md", "gain.svg"
RULE_FILES = (
    RULES,
    SCRIPT,
    openmpi_rules.FILE,
    openmpi_rules.SCRIPT,
    mpich_rules.FILE,
    mpich_rules.DEVICE,
    mpich_rules.SCRIPT,
)
MEASURED, SIMULATED = "measured.csv", "simulated.csv"
FILES = (*RULE_FILES, TABLE, REPORT, FIGURE, MEASURED, SIMULATED)
TEMPLATES = Path(__file__).parent / "templates"
SLOWER = f"slower than the library's own choice, by at most {NOISE:.0%}"
WORST = 20  # calls in the report, those that lose most first
COLUMNS = (
    *("collective", "ranks_per_node", "ranks", "bytes", "held_out"),
    *("default", "default_s", "rule", "rule_s", "best", "best_s", "default_loss", "rule_loss", "default_at_least"),
    *("confirmed_by", "default_confirmed_s", "rule_confirmed_s", "best_confirmed", "best_confirmed_s"),
)
WORDS_OF = {"real": ("measured", "by measurement"), "sim": ("simulated", "by simulation")}


def made(tuned: Tuned, verified: Sequence[Verified] | None) -> dict[str, str | bytes]:
    """Name → content of table, figure and report."""
    found = sorted(((part, g) for part in tuned.parts for g in part.gains), key=lambda one: -one[1].loss)
    confirmed = {id(part): {w.call: w for w in worth_of(part)} for part in tuned.parts}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for part, g in found:
        collective, *call = g.call
        times = (g.default, g.default_s, g.key, g.time_s, g.best, g.best_s, g.default_loss, g.loss, int(g.at_least))
        cells = [collective, part.per_node or "", *call, int(g.held_out), *times]
        if (w := confirmed[id(part)].get(g.call)) and part.confirmed:
            rule_s = w.rule.median_s if w.rule else ""
            cells += [part.confirmed.source, w.default.median_s, rule_s, w.best_key, w.best.median_s]
        writer.writerow([*cells, *[""] * (len(COLUMNS) - len(cells))])
    env = pages.environment(TEMPLATES)
    env.filters |= {"percent": percent, "size": format_size, "time": format_time}
    text = env.get_template("tune.md.j2").render(
        tuned=tuned,
        summary=[row for part in tuned.parts for row in summary(part)],
        several=len(tuned.parts) > 1,
        worst=found[:WORST],
        confirmed=[
            (part, part.confirmed, worth_of(part), confirmed_text(part)) for part in tuned.parts if part.confirmed
        ],
        words=WORDS_OF,
        slower=SLOWER,
        programs=[
            (tune_saved.text(demand, tuned), tune_saved.rows(demand, tuned), tune_saved.left_out(demand))
            for demand in tuned.demands
        ],
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


def worth_of(part: Part) -> list[Worth]:
    """What was confirmed of the part, worst first; nothing where nothing was."""
    return worth(part.rules, part.times, part.confirmed.found) if part.confirmed else []


def confirmed_text(part: Part) -> str:
    """How many open calls were confirmed, and what rules and the library's own choice lose there."""
    assert part.confirmed
    done, by = part.confirmed, WORDS_OF[part.confirmed.source][0]
    text = (
        f"{len(done.found)} of {counted(done.contests, 'call')} that the model leaves open {by} in {done.spent_s:.0f} s"
    )
    if len(done.found) < done.contests:
        text += "; the others stay as the model says (a larger --budget measures on)"
    known = [w for w in worth_of(part) if w.rule]
    if not known:
        return text
    mine, own = _losses([w.loss for w in known]), _losses([w.default_loss for w in known])
    return f"{text}; there the rules lose {mine} against the best, the library's own choice {own}"


def summary(part: Part) -> list[dict[str, str]]:
    """A row per collective: how many rules it has, and what they and the library's own choice lose, in the mean and at worst."""
    rows, found = [], part.gains
    for name in dict.fromkeys(rule.collective for rule in part.rules):
        mine = [g for g in found if g.call[0] == name]
        rules = [rule for rule in part.rules if rule.collective == name]
        runs = {rule.ranks: sum(r.ranks == rule.ranks for r in rules) for rule in rules}
        rows.append(
            {
                "collective": name,
                "per node": str(part.per_node or ""),
                "rules": str(len(rules)),
                "most": str(max(runs.values())),
                "default": _losses([g.default_loss for g in mine], any(g.at_least for g in mine)),
                "rule": _losses([g.loss for g in mine if not g.held_out]),
                "held out": _losses([g.loss for g in mine if g.held_out]),
            }
        )
    return rows


def _losses(losses: Sequence[float], at_least: bool = False) -> str:
    more = "> " if at_least else ""
    return f"{more}{percent(sum(losses) / len(losses))} (max {more}{percent(max(losses))})" if losses else "—"


def checked(verified: Sequence[Verified] | None) -> str:
    """How much of what was verified is as predicted, in words."""
    if verified is None:
        return "not verified; --verify runs the library with the rules"
    right = sum(v.is_right for v in verified)
    ranks = format_ranks(v.compared.ranks for v in verified)
    return f"{right} of {counted(len(verified), 'call')} take what the rules say, by their messages, on {ranks} ranks"


def show(tuned: Tuned, verified: Sequence[Verified] | None) -> None:
    """Prints a line per collective, what was confirmed, what is in doubt, and which rules the library does not follow."""
    several = len(tuned.parts) > 1
    table = Grid(
        (
            Column("collective"),
            *([Column("per node", right=True)] if several else []),
            Column("rules", right=True),
            Column("most per number of ranks", 3, right=True),
            Column("lost by the rules", pieces=WORDS),
            Column("by the rules, held out", 2, pieces=WORDS),
            Column("by its own choice", 1, pieces=WORDS),
        ),
        title=f"{tuned.target.title} on {tuned.platform}: against the best that it has, by the model",
    )
    names = ("collective", *(["per node"] if several else []), "rules", "most", "rule", "held out", "default")
    for part in tuned.parts:
        for row in summary(part):
            table.add(*(row[name] for name in names))
    table.show()
    for demand in tuned.demands:
        console.say(tune_saved.text(demand, tuned))
        if demand.left_out:
            seconds = format_time(sum(use.seconds for use, _ in demand.left_out))
            rest = counted(len(demand.left_out), "row")
            console.note(f"{demand.profile.file}: no rules for {rest} of it, which take {seconds}; report.md says why")
    for part in tuned.parts:
        if part.confirmed:
            console.say(confirmed_text(part))
            for line in part.confirmed.gone:
                console.note(f"a rule of the model that is slower than the library's own choice is gone: {line}")
            for line in part.confirmed.left:
                console.note(f"{SLOWER}: {line}")
    for reason in dict.fromkeys(reason for _, reason in tuned.doubtful):
        console.note(f"in doubt, left to the library: {reason}")
    if tuned.remark:
        console.note(tuned.remark)
    console.say(checked(verified))
    for v in verified or ():
        if not v.is_right:
            console.complain(str(v))
