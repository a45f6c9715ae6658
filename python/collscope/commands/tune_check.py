"""What `tune --check` does: whether the rules of a file are still right on a machine, by the model and, with --confirm, measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isqrt
from pathlib import Path
from typing import Any

from collscope.base import console, leftovers
from collscope.base.errors import UsageError, UserError
from collscope.base.grid import KEY, Column, Grid
from collscope.base.units import counted, format_ranks, format_size, parse_ranks, parse_sizes
from collscope.catalogue import registry
from collscope.commands import requests, tune_confirm, tune_rules
from collscope.commands.tune_confirm import How
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Task
from collscope.sources import model
from collscope.sources.source import Options
from collscope.tuning import confirm, deciding, gain, rule_file, search, targets
from collscope.tuning.confirm import Contest
from collscope.tuning.rule_file import NO_END
from collscope.tuning.rules import OWN, Call, Rule
from collscope.tuning.search import Times
from collscope.tuning.targets import Target

BUDGET = "3min"
SHOWN = 20
MAX_RANKS = 4096  # that rules without an end are checked on


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command, as they were typed; None: not given."""

    platform: str
    file: str
    library: str | None
    ranks: str | None
    ranks_per_node: str | None
    sizes: str
    loss: float
    confirm: str | None
    budget: str | None
    launcher: str | None
    hosts: str | None


def request(file: str, options: Mapping[str, Any], typed: Collection[str]) -> Request:
    """Of the command's options; `typed`: those that were given. UsageError: one that has nothing to do with a check."""
    names = {"out": "--out", "verify": "--verify", "mpi": "--mpi", "collectives": "-c", "remeasure": "--remeasure"}
    for name in names.keys() & set(typed):
        raise UsageError(f"--check writes nothing and looks at all rules of the file: drop {names[name]}")
    given = {name: options[name] for name in ("platform", "library", "ranks_per_node", "sizes", "confirm", "budget")}
    started = {name: options[name] for name in ("launcher", "hosts")}
    ranks = options["ranks"] if "ranks" in typed else None
    return Request(file=file, ranks=ranks, loss=tune_rules.read_share(options["loss"]), **given, **started)


@dataclass(frozen=True)
class Verdict:
    """A call at which a rule was checked. loss: of the rule against the best, None: what it takes has no time; measured: by what was
    measured or simulated, else by the model."""

    rule: Rule
    call: Call
    loss: float | None
    best: str
    measured: bool
    is_wrong: bool


def run(request: Request) -> bool:
    """Prints what is wrong; whether every rule is right."""
    found = rule_file.read(request.file)
    if request.library and targets.find(request.library).name != found.target:
        raise UsageError(f"--for {request.library}: {request.file} is for {found.target}; leave --for out")
    target = targets.find(found.target)
    platform = requests.load_platform(request.platform, [model.SOURCE.name])
    assert platform
    budget = request.budget or (BUDGET if request.confirm else None)
    with leftovers.scratch() as scratch:
        kept = scratch / "measured.csv"
        how = tune_confirm.read(request.confirm, budget, request.launcher, request.hosts, False, request.platform, kept)
        verdicts: list[Verdict] = []
        left_s = how.budget_s if how else 0.0
        for per_node in _groups(request, found.rules):
            rules = [rule for rule in found.rules if rule.per_node == per_node]
            made, spent_s = _checked(request, rules, per_node, platform, target, how, left_s)
            verdicts += made
            left_s -= spent_s
    for text in found.skipped:
        console.note(f"not checked: {text}")
    if not verdicts:
        raise UserError(
            f"{request.file}: no rule speaks of a call that {platform.name} can make; name ranks and sizes with --ranks, --bytes"
        )
    show(request, target, platform.name, found.rules, verdicts, how)
    return not any(v.is_wrong for v in verdicts)


def _checked(
    request: Request, rules: Sequence[Rule], per_node: tuple[int, int] | None, platform: Platform, target: Target,
    how: How | None, left_s: float,
) -> tuple[list[Verdict], float]:  # fmt: skip
    """Of rules for one placement; and the seconds that were spent on measuring."""
    layouts = _layouts(request, rules, per_node, platform, how)
    if not layouts:
        return [], 0.0
    tasks, of = _tasks(request, rules, target, layouts)
    rows = model.rows(tasks, Options(title=f"check for {target.title}"))
    times = search.times_of(rows, target, search.Grid(tuple(x.ranks for x in layouts), (), (), ()))
    times = Times(times.frame, times.default, frozenset())
    gains = {g.call: g for g in gain.gains(rules, times) if g.call in of}
    measured: dict[Call, dict[str, confirm.Measured]] = {}
    spent_s = 0.0
    if how:
        seconds = confirm.seconds_of(times)
        contests = [
            Contest(call, deciding.keys(call, of[call], rules, g.default, seconds[call]), g.loss)
            for call, g in sorted(gains.items(), key=lambda item: -item[1].loss)
        ]
        points = {_call(task, target): task for task in tasks}
        open_ones = [contest for contest in contests if len(contest.keys) > 1]
        measured, spent_s = tune_confirm.run(open_ones, points, seconds, how, left_s)
    made = []
    for call, g in gains.items():
        rule = of[call]
        there = measured.get(call, {})
        if own := there.get(rule.key):
            best = min(there, key=lambda key, known=there: known[key].median_s)  # type: ignore[misc]
            loss = own.median_s / there[best].median_s - 1
            made.append(Verdict(rule, call, loss, best, True, loss > request.loss and not own.ties(there[best])))
        else:
            lost = g.loss if g.time_s is not None else None
            made.append(Verdict(rule, call, lost, g.best, False, lost is None or lost > request.loss))
    return made, spent_s


def _placement(ranks_per_node: str) -> int:
    numbers = parse_ranks(ranks_per_node, "ranks-per-node")
    if len(numbers) > 1:
        raise UsageError(f"--ranks-per-node {ranks_per_node}: --check looks at one placement; give one number")
    return numbers[0]


def _groups(request: Request, rules: Sequence[Rule]) -> list[tuple[int, int] | None]:
    """The ranks per node that rules are for and that are checked. UsageError: none of them."""
    groups = list(dict.fromkeys(rule.per_node for rule in rules))
    if not request.ranks_per_node:
        return groups
    each = _placement(request.ranks_per_node)
    if not (inside := [g for g in groups if not g or g[0] <= each <= g[1]]):
        known = ", ".join(f"{low} to {high}" for low, high in filter(None, groups))
        raise UsageError(f"--ranks-per-node {each}: the file has rules for {known} ranks per node; give one of these")
    return inside


def _layouts(
    request: Request, rules: Sequence[Rule], per_node: tuple[int, int] | None, platform: Platform, how: How | None
) -> list[Layout]:
    """Those on which the rules are checked."""
    most = MAX_RANKS if platform.grows else min(MAX_RANKS, platform.max_nodes * platform.cores_per_node)
    each = min(per_node[1], platform.cores_per_node) if per_node else None
    if request.ranks_per_node:
        each = _placement(request.ranks_per_node)
        most = most if platform.grows else min(most, platform.max_nodes * each)
    chosen_ranks = set(parse_ranks(request.ranks)) if request.ranks else None
    ranks = sorted(p for p in chosen_ranks if p <= most) if chosen_ranks else deciding.ranks_of(rules, most)
    least = per_node[0] if per_node else 2
    made = []
    for p in ranks:
        if p >= max(2, least):
            nodes = -(-p // each) if each else None
            made.append(requests.make_layout(platform, nodes, p, "block", how is not None and how.is_real))
    return made


def _tasks(
    request: Request, rules: Sequence[Rule], target: Target, layouts: Sequence[Layout]
) -> tuple[list[Task], dict[Call, Rule]]:
    """All that competes for the calls that decide, the rules' own keys among it; and the rule of each call. A rule that holds none of the
    sizes is checked in its middle."""
    names = list(dict.fromkeys(rule.collective for rule in rules))
    sizes = set(parse_sizes(request.sizes))
    largest = max(sizes)
    for layout in layouts:
        for rule in rules:
            blocks = registry.load().collective(rule.collective).counts_blocks and not target.per_vector
            whole = layout.ranks if blocks else 1
            low, high = rule.bytes[0] * whole, min(rule.bytes[1] * whole, largest)
            inside = any(low <= n <= high for n in sizes)
            if rule.key != OWN and rule.ranks[0] <= layout.ranks <= rule.ranks[1] and not inside and low <= high:
                sizes.add(max(4, isqrt(max(low, 1) * high)))
    every = search.Grid(tuple(layout.ranks for layout in layouts), tuple(sorted(sizes)), (), ()).tasks(
        target, names, layouts
    )
    of = deciding.calls(rules, dict.fromkeys(_call(task, target) for task in every))
    tasks = dict.fromkeys(task for task in every if _call(task, target) in of)
    for layout, point in list(tasks):
        tasks[layout, replace(point, algorithm=of[_call((layout, point), target)].key)] = None
    return list(tasks), of


def _call(task: Task, target: Target) -> Call:
    layout, point = task
    return point.collective, layout.ranks, target.bytes(point.collective, point.bytes(layout.ranks), layout.ranks)


def show(
    request: Request, target: Target, where: str, rules: Sequence[Rule], verdicts: Sequence[Verdict], how: How | None
) -> None:
    """Prints the rules that are wrong, worst first, and what was checked."""
    wrong = sorted((v for v in verdicts if v.is_wrong), key=lambda v: -(v.loss if v.loss is not None else float("inf")))
    measured = sum(v.measured for v in verdicts)
    by = f"{counted(measured, 'call')} {'measured' if how.is_real else 'simulated'}" if how else ""
    checked = f"{counted(len({v.rule for v in verdicts}), 'rule')} of {sum(r.key != OWN for r in rules)}"
    rest = f", {by}, the others by the model" if how else ", by the model"
    ranks = format_ranks(v.call[1] for v in verdicts)
    console.say(
        f"{target.title} on {where}: {checked} checked at {counted(len(verdicts), 'call')} on {ranks} ranks{rest}"
    )
    if not wrong:
        console.say(f"every rule that was checked is right: it loses at most {request.loss:.2%} against the best")
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
        title=f"Rules that lose more than {request.loss:.2%}",
    )
    for v in wrong[:SHOWN]:
        loss = "no time" if v.loss is None else f"{v.loss:.1%}"
        source = (("measured" if how.is_real else "simulated") if v.measured else "model",) if how else ()
        table.add(
            v.rule.collective, _range(v.rule.ranks, str), _range(v.rule.bytes, format_size), v.rule.key,
            f"{v.call[1]} ranks, {format_size(v.call[2])}", loss, v.best, *source,
        )  # fmt: skip
    table.show()
    bad = counted(len({v.rule for v in wrong}), "rule")
    console.complain(
        f"{Path(request.file).name}: {bad} not right; check with the --ranks, --ranks-per-node and --bytes that they were made "
        "for, or tune again"
    )


def _range(ends: tuple[int, int], text: Callable[[int], str]) -> str:
    low, high = ends
    return text(low) if low == high else f"{text(low)}..{'' if high == NO_END else text(high)}"
