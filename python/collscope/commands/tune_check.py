"""What `tune --check` does: whether the rules of a file are still right on a machine, by the model and, with --confirm, measured."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any

from collscope.base import console, leftovers
from collscope.base.errors import UsageError, UserError
from collscope.base.units import parse_ranks, parse_sizes
from collscope.catalogue import registry
from collscope.commands import requests, tune_check_text, tune_confirm, tune_rules
from collscope.commands.tune_confirm import How
from collscope.machines.platform import Platform, content_hash
from collscope.points.plan import Layout, Task
from collscope.sources import model
from collscope.sources.source import Options
from collscope.tuning import confirm, deciding, gain, rule_file, search, targets
from collscope.tuning.confirm import Contest
from collscope.tuning.origin import MODEL, Origin
from collscope.tuning.rule_file import RuleFile
from collscope.tuning.rules import OWN, Call, Rule
from collscope.tuning.search import Times
from collscope.tuning.targets import Target
from collscope.tuning.verdict import Scope, Verdict

BUDGET = "3min"
MAX_RANKS = 4096  # that rules with a higher end are checked on, where nothing says on how many they were made
SIZES, LOSS = "4..1MiB", 0.02  # where neither an option nor the file says


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command, as they were typed; None: not given."""

    platform: str
    file: str
    library: str | None
    ranks: str | None
    ranks_per_node: str | None
    sizes: str | None
    loss: str | None
    confirm: str | None
    budget: str | None
    launcher: str | None
    hosts: str | None


def request(file: str, options: Mapping[str, Any], typed: Collection[str]) -> Request:
    """Of the command's options; `typed`: those that were given. UsageError: one that has nothing to do with a check."""
    names = {"out": "--out", "verify": "--verify", "mpi": "--mpi", "collectives": "-c", "remeasure": "--remeasure",
             "profiles": "--profile", "assume_world": "--assume-world"}  # fmt: skip
    for name in names.keys() & set(typed):
        raise UsageError(f"--check writes nothing and looks at all rules of the file: drop {names[name]}")
    given: dict[str, Any] = {
        name: options[name] for name in ("platform", "library", "ranks_per_node", "confirm", "budget")
    }
    started = {name: options[name] for name in ("launcher", "hosts")}
    usual: dict[str, Any] = {name: options[name] if name in typed else None for name in ("ranks", "sizes", "loss")}
    return Request(file=file, **given, **started, **usual)


def scope_of(request: Request, found: RuleFile) -> Scope:
    """By the options, else by what the file says."""
    made = found.origin or Origin("", "")
    ranks, sizes = request.ranks or made.ranks, request.sizes or made.bytes or SIZES
    loss = tune_rules.read_share(request.loss) if request.loss else LOSS if made.loss is None else made.loss
    per_node = found.per_node
    if request.ranks_per_node:
        numbers = parse_ranks(request.ranks_per_node, "ranks-per-node")
        if len(numbers) > 1:
            text = request.ranks_per_node
            raise UsageError(f"--ranks-per-node {text}: --check looks at one placement; give one number")
        per_node = numbers[0]
    elif made.ranks_per_node and len(numbers := parse_ranks(made.ranks_per_node)) == 1:
        per_node = numbers[0]
    return Scope(parse_ranks(ranks) if ranks else None, per_node, parse_sizes(sizes), loss, made.chosen_by)


def run(request: Request) -> bool:
    """Prints what is wrong; whether every rule is right."""
    found = rule_file.read(request.file)
    if request.library and targets.find(request.library).name != found.target:
        raise UsageError(f"--for {request.library}: {request.file} is for {found.target}; leave --for out")
    target = targets.find(found.target)
    platform = requests.load_platform(request.platform, [model.SOURCE.name])
    assert platform
    scope = scope_of(request, found)
    _say_origin(request, found, platform)
    budget = request.budget or (BUDGET if request.confirm else None)
    with leftovers.scratch() as scratch:
        kept = scratch / "measured.csv"
        how = tune_confirm.read(request.confirm, budget, request.launcher, request.hosts, False, request.platform, kept)
        verdicts: list[Verdict] = []
        left_s = how.budget_s if how else 0.0
        for per_node in _groups(scope, found.rules):
            rules = [rule for rule in found.rules if rule.per_node == per_node]
            made, spent_s = _checked(scope, rules, per_node, platform, target, how, left_s)
            verdicts += made
            left_s -= spent_s
    for text in found.skipped:
        console.note(f"not checked: {text}")
    if not verdicts:
        raise UserError(
            f"{request.file}: no rule speaks of a call that {platform.name} can make; name ranks and sizes with --ranks, --bytes"
        )
    title = f"{target.title} on {platform.name}"
    tune_check_text.show(title, request.file, scope, found, verdicts, how)
    return not any(v.is_wrong for v in verdicts)


def _say_origin(request: Request, found: RuleFile, platform: Platform) -> None:
    made = found.origin
    if made is None:
        if not (request.ranks and request.sizes):
            console.note(
                f"{request.file} does not say how it was made: checked with --bytes {request.sizes or SIZES}"
                + (
                    ""
                    if request.ranks
                    else f", and where a rule has no last number of ranks up to {deciding.LAST_RANKS}"
                )
            )
        return
    now = content_hash(platform)[:12]
    if now != made.platform_hash:
        console.note(
            f"{request.file} was made for {made.platform} with other numbers than {platform.name} has now "
            f"({made.platform_hash}, now {now})"
        )


def _checked(
    scope: Scope, rules: Sequence[Rule], per_node: tuple[int, int] | None, platform: Platform, target: Target,
    how: How | None, left_s: float,
) -> tuple[list[Verdict], float]:  # fmt: skip
    """Of rules for one placement; and the seconds that were spent on measuring."""
    layouts = _layouts(scope, rules, per_node, platform, how)
    if not layouts:
        return [], 0.0
    tasks, of = _tasks(scope, rules, target, layouts)
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
        points = {search.call_of(task, target): task for task in tasks}
        open_ones = [contest for contest in contests if len(contest.keys) > 1]
        measured, spent_s = tune_confirm.run(open_ones, points, seconds, how, left_s)
    made = []
    for call, g in gains.items():
        rule = of[call]
        there = measured.get(call, {})
        if (own := there.get(rule.key)) and how:
            best = min(there, key=lambda key, known=there: known[key].median_s)  # type: ignore[misc]
            loss, allowed = own.median_s / there[best].median_s - 1, scope.allowed(how.source)
            wrong = loss > allowed and not own.ties(there[best])
            made.append(Verdict(rule, call, loss, best, how.source, allowed, wrong))
        else:
            lost, allowed = g.loss if g.time_s is not None else None, scope.allowed(MODEL)
            made.append(Verdict(rule, call, lost, g.best, MODEL, allowed, lost is None or lost > allowed))
    return made, spent_s


def _groups(scope: Scope, rules: Sequence[Rule]) -> list[tuple[int, int] | None]:
    """The ranks per node that rules are for and that are checked. UsageError: none of them."""
    groups = list(dict.fromkeys(rule.per_node for rule in rules))
    each = scope.per_node
    if each is None:
        return groups
    if not (inside := [g for g in groups if not g or g[0] <= each <= g[1]]):
        known = ", ".join(f"{low} to {high}" for low, high in filter(None, groups))
        raise UsageError(f"--ranks-per-node {each}: the file has rules for {known} ranks per node; give one of these")
    return inside


def _layouts(
    scope: Scope, rules: Sequence[Rule], per_node: tuple[int, int] | None, platform: Platform, how: How | None
) -> list[Layout]:
    """Those on which the rules are checked."""
    each = scope.per_node or (min(per_node[1], platform.cores_per_node) if per_node else None)
    most = max(MAX_RANKS, *scope.ranks) if scope.ranks else MAX_RANKS
    if not platform.grows:
        most = min(most, platform.max_nodes * (scope.per_node or platform.cores_per_node))
    least = per_node[0] if per_node else 2
    made = []
    for p in deciding.ranks_of(rules, most, scope.ranks):
        if p >= max(2, least):
            nodes = -(-p // each) if each else None
            made.append(requests.make_layout(platform, nodes, p, "block", how is not None and how.is_real))
    return made


def _tasks(
    scope: Scope, rules: Sequence[Rule], target: Target, layouts: Sequence[Layout]
) -> tuple[list[Task], dict[Call, Rule]]:
    """All that competes for the calls that decide, the rules' own keys among it; and the rule of each call. A rule that holds none of the
    sizes is checked in its middle."""
    names = list(dict.fromkeys(rule.collective for rule in rules))
    sizes = set(scope.sizes)
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
    of = deciding.calls(rules, dict.fromkeys(search.call_of(task, target) for task in every))
    tasks = dict.fromkeys(task for task in every if search.call_of(task, target) in of)
    for layout, point in list(tasks):
        tasks[layout, replace(point, algorithm=of[search.call_of((layout, point), target)].key)] = None
    return list(tasks), of
