"""From what `tune` is given to a folder: search, rules, which of them hang on open numbers, files, and whether the library follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from collscope.base import console, folders, leftovers, paths
from collscope.base.errors import UsageError, UserError
from collscope.base.files import write_atomically
from collscope.base.units import counted, format_ranks, join_words
from collscope.catalogue import decision_files
from collscope.catalogue.keys import FILE, split_keys
from collscope.commands import requests, tune_confirm, tune_profile, tune_report, tune_search
from collscope.commands.tune_search import MAX_VERIFIED, Searched
from collscope.machines.platform import content_hash
from collscope.points.plan import Task
from collscope.sources import assumptions, model
from collscope.sources.assumptions import Choice, Judged, Unchecked
from collscope.tuning import confirm, decision_file, gain, mpich_rules, openmpi_rules, search, targets, verify
from collscope.tuning.gain import Confirmed, Part, Tuned
from collscope.tuning.origin import MODEL, SOURCES, Origin
from collscope.tuning.rules import OWN, Call, Rule, declined, filled
from collscope.tuning.search import Times
from collscope.tuning.targets import Target
from collscope.tuning.uses import Profile
from collscope.twins.library import Installed, Library, find
from collscope.twins.mpich_messages import Mpich

MAX_DRAWN = 16384  # ranks: a draw of a call on more takes seconds, and there are many


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command, as they were typed."""

    platform: str
    library: str
    collectives: str | None
    ranks: str
    ranks_per_node: str | None
    sizes: str
    loss: str
    verify: bool
    mpi: str | None
    confirm: str | None
    budget: str | None
    launcher: str | None
    hosts: str | None
    remeasure: bool
    profiles: Sequence[str]
    assume_world: bool
    out: str


def run(request: Request) -> bool:
    """Writes the folder. Whether the library follows the rules, as far as that was to be verified."""
    folder = folders.own(request.out, "of ./collscope tune", lambda path: folders.only(path, *tune_report.FILES))
    target = targets.find(request.library)
    if target.name == "collscope":
        decision_files.check_path(folder, "--out")
    programs = tune_profile.read(request.profiles, request.assume_world, target) if request.profiles else []
    if request.assume_world and not programs:
        raise UsageError("--assume-world goes with --profile, which names the programs whose calls are tuned")
    target = tune_profile.own_choice(programs, target) if programs else target
    collectives = read_collectives(request.collectives, target) if request.collectives is not None else None
    loss = read_share(request.loss)
    if request.mpi and not request.verify:
        raise UsageError("--mpi names the library that --verify runs: add --verify")
    library = installed(target, request.mpi) if request.verify else None
    kept = folder / (tune_report.SIMULATED if request.confirm == tune_confirm.SIM else tune_report.MEASURED)
    how = tune_confirm.read(
        request.confirm, request.budget, request.launcher, request.hosts, request.remeasure, request.platform, kept
    )
    tuned = tune(request, target, collectives, loss, how, programs)
    files, verified = written(tuned, folder), None
    with leftovers.scratch() as scratch:
        for name, text in files.items():
            write_atomically(scratch / name, text)
        if target.name == "collscope":
            key = f"{FILE}{scratch / tune_report.RULES}"
            if wrong := verify.decision_file(key, tuned.rules, sorted({p for r in tuned.rules for p in r.ranks})):
                raise UserError(f"a rule that our reader takes otherwise: {wrong[0]}; please report it")
        elif isinstance(library, Mpich):
            if max(tuned.nodes.values(), default=1) == 1:
                raise UsageError(
                    "--verify: MPICH's messages are seen between nodes: give --ranks-per-node below --ranks"
                )
            verified = verify.of_mpich(library, scratch, tuned.rules, target.default, runnable(tuned))
        elif isinstance(library, Library):
            file, ranks = scratch / openmpi_rules.FILE, list(runnable(tuned))
            verified = verify.open_mpi(library, file, tuned.rules, target.default, ranks, tuned.several_per_node)
    report = tune_report.made(tuned, verified)
    put_rules(folder, files)
    for name, content in report.items():
        write_atomically(folder / name, content)
    tune_report.show(tuned, verified)
    console.note(f"written: {paths.display(folder)}")
    return verified is None or all(v.is_right for v in verified)


def runnable(tuned: Tuned) -> dict[int, int]:
    """The numbers of ranks that rules are verified on, each with its nodes. UsageError: all are too many for this machine."""
    made = {p: nodes for p, nodes in tuned.nodes.items() if p <= MAX_VERIFIED}
    if not made:
        raise UsageError(
            f"--verify runs up to {MAX_VERIFIED} ranks here, and the rules are for {format_ranks(tuned.nodes)}: drop --verify"
        )
    return made


def installed(target: Target, folder: str | None) -> Installed | None:
    """The library that is to follow the rules: of this folder, or in PATH; None: ours. A UsageError where it is another version."""
    if target.name == "collscope":
        return None
    library: Installed = find(Mpich if target.family == "mpich" else Library, folder)
    if f"{target.family}-{library.series}" != target.name:
        raise UsageError(f"--verify: {library.name} {library.version} is there, and the rules are for {target.title}")
    return library


def read_collectives(text: str, target: Target) -> list[str]:
    """The collectives to tune. UsageError: one that the target's rules cannot speak of."""
    names = list(dict.fromkeys(split_keys(text)))
    for name in names:
        if name not in target.collectives:
            fit = ", ".join(target.collectives) if target.name != "collscope" else "those with data"
            raise UsageError(f"-c {name}: rules for {target.title} can speak of {fit} (docs/tuning.md)")
    return names


def read_share(text: str) -> float:
    """0.02 of "2%". UsageError: not a share."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"--loss {text}: a share of the time, such as 2%")
    return share


def tune(
    request: Request, target: Target, collectives: Sequence[str] | None, loss: float, how: tune_confirm.How | None = None,
    programs: Sequence[Profile] = (),
) -> Tuned:  # fmt: skip
    """Search, rules, what of them is confirmed, and which hang on numbers that the machine's file leaves open. `programs`: whose calls
    are tuned, of these `collectives` or all; else `collectives` on the grid of the options. UserError: no rule stands."""
    platform = requests.load_platform(request.platform, [model.SOURCE.name])
    assert platform
    is_real = how is not None and how.is_real
    if programs:
        found = tune_profile.of_programs(programs, platform, target, collectives, is_real)
    else:
        found = tune_search.on_grid(
            platform, target, collectives or (), request.ranks, request.ranks_per_node, request.sizes, is_real,
            None if how else loss,
        )  # fmt: skip
    parts: list[Part] = []
    left_s = how.budget_s if how else 0.0
    for searched in found.parts:
        parts.append(part := _part(searched, target, loss, how, left_s))
        left_s -= part.confirmed.spent_s if part.confirmed else 0.0
    measured_any = how and any(part.confirmed and part.confirmed.found for part in parts)
    origin = Origin(
        platform.name, content_hash(platform)[:12], how.source if how and measured_any else MODEL, found.ranks,
        found.per_node, found.sizes, loss,
    )  # fmt: skip
    tuned = Tuned(target, platform.name, parts, loss, found.nodes, origin, found.demands)
    if tuned.doubtful and all(g.key == g.default for part in parts for g in part.gains):
        reason = next((reason for _, reason in tuned.doubtful if " hangs on " in reason), "")
        advice = f"give {platform.name} that number, then tune again" if reason else "leave them to the library"
        raise UserError(
            f"no rule stands: {reason or tuned.doubtful[0][1]} ({counted(len(tuned.doubtful), 'rule')} in doubt); {advice}"
        )
    return tuned


def _part(searched: Searched, target: Target, loss: float, how: tune_confirm.How | None, left_s: float) -> Part:
    """The rules of what was timed for so many ranks on a node, with so many seconds left to confirm them."""
    times, tasks = searched.times, searched.tasks
    made, joined, undecided = gain.settled(times, loss)
    while undecided and searched.complete:
        times = searched.complete(undecided)
        made, joined, undecided = gain.settled(times, loss)
    doubts, confirmed = doubtful(made, times, tasks, target), None
    if how:
        calls = search.calls_of(tasks, target)
        found = confirm.contests(made, times, [rule for rule, _ in doubts])
        measured, spent_s = tune_confirm.run(found, calls, confirm.seconds_of(times), how, left_s)
        before = confirm.worth(made, times, measured)
        made, joined, after = confirmed_rules(times, measured, target, loss)
        gone = tune_confirm.gone(before, after)
        confirmed = Confirmed(how.source, measured, len(found), spent_s, gone, tune_confirm.left(after))
        reached = [contest.call for contest in found if contest.call in measured]
        left = [contest.call for contest in found if contest.call not in measured]
        doubts = [
            (rule, number)
            for rule, number in doubtful(made, times, tasks, target)
            if any(map(rule.covers, left)) or not any(map(rule.covers, reached))
        ]
    kept = declined(made, [rule for rule, _ in doubts])
    held = [replace(rule, per_node=searched.held) for rule in kept]
    return Part(searched.per_node, held, times, doubts, joined, confirmed)


def confirmed_rules(
    times: Times, measured: confirm.Found, target: Target, loss: float
) -> tuple[list[Rule], frozenset[Call], list[confirm.Worth]]:
    """The rules of confirmed times, the held-out calls that became samples, and what the rules are worth. Where one is slower than the
    library's own choice, which may be made of other collectives, that becomes a choice for its collective and number of ranks."""
    known = confirm.merged(times, measured)
    while True:
        made, joined, _ = gain.settled(known, loss)
        after = confirm.worth(made, times, measured)
        slower = [w.call for w in after if w.is_slower and w.key != w.default_key]
        more = confirm.with_own_choice(known, slower) if target.may_decline else known
        if len(more.frame) == len(known.frame):
            return made, joined, after
        known = more


def doubtful(rules: Sequence[Rule], times: Times, tasks: Sequence[Task], target: Target) -> list[tuple[Rule, str]]:
    """The rules that lose too much against the library's own choice in draws of what the machine's file leaves open, each with the number
    on which it hangs and how that is measured. A rule is drawn in the middle of its samples where the library takes another algorithm, of a
    program's calls at that which it makes most."""
    by_call = search.calls_of(tasks, target)
    choices, of, too_many = [], [], []
    for rule in rules:
        other = [call for call, (key, _) in times.default.items() if rule.covers(call) and key != rule.key]
        calls = [call for call in other if call not in times.held_out]
        if rule.key == OWN or not calls:
            continue
        call = calls[len(calls) // 2]
        if times.program:
            call = max(calls, key=lambda other, known=times.program.calls: known.get(other, 0.0))  # type: ignore[misc]
        layout, point = by_call[call]
        if call in times.at_least:  # far slower, whatever the numbers are
            continue
        if layout.ranks > MAX_DRAWN:
            too_many.append(rule)
            continue
        keys = (rule.key, times.default[call][0])
        choices.append(Choice(layout, {key: replace(point, algorithm=key) for key in keys}))
        of.append(rule)
    found = []
    all_judged = assumptions.judged(choices)
    if too_many:
        console.note(
            f"{counted(len(too_many), 'rule')} on more than {MAX_DRAWN} ranks not checked over what is not known of the machine"
        )
    if unchecked := [j for j in all_judged if isinstance(j, Unchecked)]:
        console.note(
            f"{counted(len(unchecked), 'rule')} not checked over what is not known of the machine: {unchecked[0].reason}"
        )
    for rule, judged in zip(of, all_judged, strict=True):
        if not isinstance(judged, Judged):
            continue
        if reason := judged.hangs_on(rule.key):
            found.append((rule, reason))
    return found


def written(tuned: Tuned, folder: Path) -> dict[str, str]:
    """Name → text of the files that a library reads."""
    by = SOURCES[tuned.origin.chosen_by]
    of = f", of the time of {join_words([d.profile.file for d in tuned.demands])}," if tuned.demands else ""
    about = f"{tuned.target.title} on {tuned.platform}, by ./collscope tune: at most {tuned.loss:.2%} lost{of} by {by}\n{tuned.origin}"
    rules = filled(tuned.rules) if tuned.target.may_decline else tuned.rules
    return rule_files(tuned.target, rules, about, tuned.several_per_node, tuned.shares_nodes, folder)


def put_rules(folder: Path, files: Mapping[str, str]) -> None:
    """Writes files of rules. Those that an earlier command left there and that are not among them go, with a note: a library would follow
    them."""
    for name, text in files.items():
        write_atomically(folder / name, text)
    old = [folder / name for name in tune_report.RULE_FILES if name not in files and (folder / name).is_file()]
    for path in old:
        path.unlink()
    if old:
        console.note(f"rules of an earlier command are gone: {join_words([paths.display(path) for path in old])}")


def rule_files(
    target: Target, rules: Sequence[Rule], about: str, several_per_node: bool, shares_nodes: bool, folder: Path
) -> dict[str, str]:
    """Name → text of the files with which a library follows rules, with lines `about` them. Communicators have several ranks on a
    node (`shares_nodes`), and lie on several nodes, too (`several_per_node`)."""
    if target.name == "collscope":
        script = f"export COLLSCOPE_RULES={folder / tune_report.RULES}\n"  # a path without blanks: check_path
        return {tune_report.RULES: decision_file.text(rules, about), tune_report.SCRIPT: script}
    if target.family == "mpich":
        script = mpich_rules.script(folder, shares_nodes, about)
        return {**mpich_rules.texts(rules, shares_nodes), mpich_rules.SCRIPT: script}
    series = target.name.partition("-")[2]
    return {
        openmpi_rules.FILE: openmpi_rules.text(rules, series, about),
        openmpi_rules.SCRIPT: openmpi_rules.script(folder / openmpi_rules.FILE, several_per_node),
    }
