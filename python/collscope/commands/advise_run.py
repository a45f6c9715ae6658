"""From what `advise` is given to what it prints and writes: profiles, the model's times, changes, draws, rules."""

from __future__ import annotations

from dataclasses import dataclass

from collscope.base import console, folders, paths
from collscope.base.errors import UsageError
from collscope.base.units import counted, format_ranks
from collscope.catalogue import decision_files
from collscope.catalogue.decisions import library_name
from collscope.commands import advise_json, advise_model, advise_text, requests, tune_report, tune_rules
from collscope.machines.platform import Platform, content_hash
from collscope.sources import model
from collscope.tuning import changes, profiles, program, targets
from collscope.tuning.advice import Answer
from collscope.tuning.origin import Origin
from collscope.tuning.rules import OWN
from collscope.tuning.targets import Target
from collscope.tuning.uses import Profile


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command, as they were typed."""

    files: tuple[str, ...]
    platform: str
    library: str | None
    assume_world: bool
    out: str | None
    as_json: bool


def run(request: Request) -> None:
    """Prints the answer, and writes the folder where one is named."""
    folder = None
    if request.out is not None:
        folder = folders.own(request.out, "of ./collscope advise", lambda path: folders.only(path, *tune_report.FILES))
    profile = profiles.joined(profiles.read_all(request.files, request.assume_world))
    target = find_target(request.library, profile)
    if folder and target.name == "collscope":
        decision_files.check_path(folder, "--out")
    platform = requests.load_platform(request.platform, [model.SOURCE.name])
    assert platform
    answer = advise(profile, platform, target)
    written = ""
    if folder and (sure := [a.change for a in answer.advice if not a.doubt]):
        rules = changes.rules_of(sure, target)
        placements = {use.per_node for use in profile.uses if use.per_node}
        origin = Origin(
            platform.name, content_hash(platform)[:12], ranks=format_ranks(c.ranks for c in sure),
            ranks_per_node=str(*placements) if len(placements) == 1 else "",
        )  # fmt: skip
        several = any(use.nodes and use.ranks and 1 < use.nodes < use.ranks for use in profile.uses)
        about = f"{target.title} on {platform.name}, by ./collscope advise: what saves time of {profile.file}, by the model\n{origin}"
        shares = any((use.per_node or 1) > 1 for use in profile.uses)
        tune_rules.put_rules(folder, tune_rules.rule_files(target, rules, about, several, shares, folder))
        console.note(f"written: {paths.display(folder)}, {counted(sum(r.key != OWN for r in rules), 'rule')}")
        written = str(folder)
    elif folder and folder.is_dir():
        tune_rules.put_rules(folder, {})
    if request.as_json:
        advise_json.show(answer, written)
    else:
        advise_text.show(answer)
        if folder and not written:
            console.say("no rules were written: no change stands")


def advise(profile: Profile, platform: Platform, target: Target) -> Answer:
    """UserError: the machine has no place for the program's ranks."""
    advise_model.check_fits(profile, platform)
    decision = profiles.decision_of(profile.library) if profile.library else target.default
    reasons = [(use, advise_model.reason_against(use, target, decision)) for use in profile.uses]
    timed, lost = advise_model.timed([use for use, why in reasons if not why], platform, target, decision)
    advice = advise_model.advised(changes.changes(timed), platform)
    notes = [*lost, *(f"{profile.file} lacks {text}" for text in profile.lacks)]
    if any(use.nodes and use.ranks and use.per_node != -(-use.ranks // use.nodes) for use in profile.uses):
        notes.append("some communicators have more ranks on some nodes than on others: the model spreads them evenly")
    own = library_name(decision) if decision else "not known"
    left_out = [(use, why) for use, why in reasons if why]
    hints = program.hints(profile, timed)
    return Answer(profile, platform.name, target.name, target.title, own, timed, advice, hints, left_out, notes)


def find_target(library: str | None, profile: Profile) -> Target:
    """What is to choose: as it is named, or the profile's library, else ours. UsageError: rules for another library than the profile's."""
    own = profiles.target_of(profile.library)
    if library is None:
        if not profile.library:
            raise UsageError(f"{profile.file}: {profile.tool} does not name the MPI library; name it with --for")
        return targets.find(own if own in targets.LIBRARIES else targets.OURS)
    target = targets.find(library)
    profiles.check_library(profile, target)
    return target
