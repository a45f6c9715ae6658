"""The messages of both sides: what a library hands to its point-to-point layer, and what our schedules send.

`validate/twins/messages.c` writes down the library's messages, `prove/messages.c` ours, one launch for many calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from collscope.base import leftovers, programs
from collscope.base.errors import UserError
from collscope.twins.call import REFUSAL, Call, Messages
from collscope.twins.library import Library, compiled


def parse(words: Iterable[str]) -> Messages:
    """Messages of one rank and call, as both programs write them: S3:16 is sixteen bytes to rank 3, R-1:16 from any."""
    made = []
    for word in words:
        if word == "refused":
            return REFUSAL
        peer, size = word[1:].split(":")
        made.append((word[0], int(peer), int(size)))
    return made


def plan_text(calls: Sequence[Call]) -> str:
    """The lines of `messages`. Calls that force alike share a communicator."""
    lines: list[str] = []
    now: tuple[tuple[str, int], ...] = ()
    for i in sorted(range(len(calls)), key=lambda i: calls[i].forced):
        call = calls[i]
        if call.forced != now:
            lines += ["reset", *(f"set coll_tuned_{name} {value}" for name, value in call.forced), "comm"]
            now = call.forced
        lines.append(f"call {i} {call.collective} {call.shape}")
    return "\n".join(lines) + "\n"


def library_messages(
    library: Library, ranks: int, calls: Sequence[Call], *, every_component: bool = False
) -> dict[tuple[int, int], Messages]:
    """What Open MPI sends: call's index and rank → messages. One launch. Of coll/tuned and what comes with Open MPI, but where
    `every_component` that it would take is wanted."""
    program = compiled(library)
    options = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    if not every_component:
        options += ["--mca", "coll", "^hcoll,ucc"]  # what vendors add would go before coll/tuned
    if any(call.forced for call in calls):
        options += ["--mca", "coll_tuned_use_dynamic_rules", "1"]
    found = {}
    with leftovers.scratch() as folder:
        (folder / "plan").write_text(plan_text(calls), encoding="utf-8")
        library.call(library.mpirun, *options, "-np", str(ranks), program, folder / "plan", folder / "out")
        for rank in range(ranks):
            for line in (folder / f"out.{rank}").read_text(encoding="utf-8").splitlines():
                index, *words = line.split()
                found[int(index), rank] = parse(words)
    return found


@dataclass(frozen=True)
class Unsupported:
    """Why ours cannot run a call, and what to take instead or what the library takes ("" where that is not said)."""

    reason: str
    advice: str


@dataclass
class Own:
    """Of calls by index: full keys; messages by index and rank; and which are not supported."""

    keys: dict[int, str] = field(default_factory=dict)
    messages: dict[tuple[int, int], Messages] = field(default_factory=dict)
    unsupported: dict[int, Unsupported] = field(default_factory=dict)


def own_messages(ranks: int, calls: Sequence[Call], *options: str) -> Own:
    """What our schedules send; with the option `keys`, only which they are."""
    return recorded("".join(f"{i} {c.key} {ranks} {c.shape}\n" for i, c in enumerate(calls)), *options)


def recorded(text: str, *options: str) -> Own:
    """What `collscope-recorded` answers to these lines, which prove/messages.c describes; a UserError where it fails."""
    try:
        done = programs.answer([programs.RECORDED, *options], input=text)
    except OSError as error:
        raise UserError(f"{programs.RECORDED}: {error.strerror}; run ./collscope doctor") from error
    if done.returncode:
        raise UserError(f"{programs.RECORDED.name} failed: {done.stderr.strip() or done.returncode}")
    own = Own()
    for line in done.stdout.splitlines():
        index, second, *rest = line.split(" ")
        if second == "-":
            reason, _, advice = " ".join(rest).partition("\t")
            own.unsupported[int(index)] = Unsupported(reason, advice)
        elif second == "key":
            own.keys[int(index)] = rest[0]
        else:
            own.messages[int(index), int(second)] = parse(rest)
    return own
