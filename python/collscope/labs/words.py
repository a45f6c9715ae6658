"""A fault in a student's words: which rank lacks what, after which round, with the line of the file, a picture, and a hint."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from collscope.base.units import format_ranks
from collscope.labs import play
from collscope.labs.proof import Call, Fault

WIDTH = 78
PICTURED_RANKS = 16
SITE = r"\((?:(?P<at>[^ ,()]+:\d+), )?operation \d+[^)]*\)"
MESSAGE = rf"rank (?P<rank>\d+): i?(?P<kind>send|recv) of (?P<bytes>\d+) bytes (?:to|from) rank (?P<peer>\d+) {SITE}"


def explain(fault: Fault, lines: Sequence[str]) -> list[str]:
    """Lines of at most 78 characters: the call, what is wrong, the line of the file, what is known of the other calls, the picture."""
    call, q = fault.call, fault.call.point
    shape = f"{q.algorithm} on {call.ranks} rank{'s' * (call.ranks != 1)}, count {q.count}"
    if re.match("bcast|reduce/|scatter/|gather", q.algorithm):
        shape += f", root {q.root}"
    if q.type == "affine":
        shape += ", an operator that does not commute"
    text = [f"{shape}:", *wrapped(_sentence(fault))]
    for site in dict.fromkeys(re.findall(r"[\w.]+\.c:\d+", fault.failure)):
        text += _quoted(site, lines)
    text += [line for hint in _hints(fault) for line in wrapped(hint)]
    played = play.play(fault.schedule) if fault.schedule and call.ranks <= PICTURED_RANKS else None
    if played and fault.kind != "cost" and q.count:
        text += ["", *wrapped(f"What each rank holds after each round ({_legend(played)}):")]
        text += [f"  {line}" for line in play.picture(played, q.root, WIDTH - 2)]
        if played.stuck:
            who = (
                f"ranks {format_ranks(played.stuck)} wait" if len(played.stuck) > 1 else f"rank {played.stuck[0]} waits"
            )
            text.append(f"  After round {len(played.rounds)} nothing moves any more: {who} for ever.")
    return text


def _legend(played: play.Played) -> str:
    if played.collective == "allreduce" and played.count > 1:
        return "per element of how many ranks it has combined, *: all"
    return {
        "bcast": "x: the root's data, .: nothing",
        "scatter": "x: its block, .: nothing",
        "reduce": "whose data it has combined, in order",
        "allreduce": "whose data it has combined, in order",
    }.get(played.collective, "a: rank 0's block, b: rank 1's, …, .: nothing")


# ---- what is wrong ----------------------------------------------------------------------------------------------------------------


def _sentence(fault: Fault) -> str:
    """What is wrong, in one or two sentences; the proof's own words where none are better."""
    text = fault.failure
    if found := re.match(r"rank (\d+): (\w+) names rank (-?\d+) of a group of (\d+); called at (.+)", text):
        rank, operation, peer, ranks, site = found.groups()
        does = {"send": "sends to", "isend": "sends to", "recv": "receives from", "irecv": "receives from"}.get(
            operation, "names"
        )
        return f"Rank {rank} {does} rank {peer} at {site}, but there is no such rank: ranks are 0 to {int(ranks) - 1}."
    return SENTENCES.get(fault.kind, _plain)(text)


def _plain(text: str) -> str:
    """The proof's words without the numbers of operations."""
    return re.sub(r" ?\((?:([^ ,()]+:\d+), )?operation \d+[^)]*\)", lambda m: f" at {m[1]}" if m[1] else "", text) + "."


def _result(text: str) -> str:
    found = re.match(r"rank (\d+): element (\d+)[^ ]* of (\w+) holds (.+), expected (.+)", text)
    if not found:
        return _plain(text)
    rank, element, buffer, value, expected = found.groups()
    if value == "nothing":
        return f"Rank {rank} never gets {expected}: at the end element {element} of its `{buffer}` is still empty."
    if " ranks" in expected or ("rank" in value and expected.startswith("element")):
        where = f"in element {element} of its `{buffer}`"
        return f"Rank {rank} ends with {value} {where}; it must be {expected}: a contribution is missing or misplaced."
    return f"Rank {rank} ends with {value} in element {element} of its `{buffer}`; {expected} belongs there."


def _unmatched(text: str) -> str:
    made = []
    for found in re.finditer(MESSAGE + " has no (?:send|receive)", text):
        at = f" at {found['at']}" if found["at"] else ""
        if found["kind"] == "recv":
            made.append(
                f"Rank {found['rank']} waits{at} for a message from rank {found['peer']}, which rank {found['peer']} never sends."
            )
        else:
            made.append(
                f"Rank {found['rank']} sends to rank {found['peer']}{at}, but rank {found['peer']} never receives that message."
            )
    return " ".join(made[:2]) or _plain(text)


def _size(text: str) -> str:
    found = re.match(
        rf"{MESSAGE} meets rank \d+'s i?(?:send|recv) of (?P<other>\d+) bytes (?:to|from) rank \d+ {SITE.replace('<at>', '<at2>')}",
        text,
    )
    if not found:
        return _plain(text)
    one, two = (found["rank"], found["bytes"], found["at"]), (found["peer"], found["other"], found["at2"])
    receiver, sender = (one, two) if found["kind"] == "recv" else (two, one)
    return (
        f"Rank {receiver[0]} expects {receiver[1]} bytes from rank {sender[0]}{_at(receiver[2])}, but rank {sender[0]} sends "
        f"{sender[1]} bytes{_at(sender[2])}: both sides must name the same number of elements."
    )


def _at(site: str | None) -> str:
    return f" at {site}" if site else ""


def _deadlock(text: str) -> str:
    steps = [f"rank {m['rank']} {'sends to' if m['kind'] == 'send' else 'waits for'} rank {m['peer']}{_at(m['at'])}"
             for m in re.finditer(MESSAGE, text)]  # fmt: skip
    if not steps:
        return _plain(text)
    alone = {m["rank"]: m for m in re.finditer(MESSAGE, text) if m["rank"] == m["peer"]}
    if len(alone) == len(steps):
        rank, message = next(iter(alone.items()))
        does = "sends to" if message["kind"] == "send" else "waits for a message from"
        return f"Rank {rank} {does} itself{_at(message['at'])}, and waits for ever: it cannot do the other half meanwhile. Leave it out."
    circle = "; ".join(steps[:6]) + ("; …" if len(steps) > 6 else "")
    if "every send waits" in text:
        return (
            f"Deadlock as soon as messages are too large to be buffered (above the eager limit): a send then waits for its receive, and "
            f"these ranks send before anybody receives: {circle}. Use coll_sendrecv, or let one side receive first."
        )
    return f"Deadlock: these ranks wait for each other in a circle: {circle}."


def _order(text: str) -> str:
    found = re.match(
        r"rank (\d+): reduce of \d+ bytes (?:\((?:([^ ,()]+:\d+), )?[^)]*\)) puts element (\d+) of (.+?) to the left of (.+?), but",
        text,
    )
    if not found:
        return _plain(text)
    return (
        f"Rank {found[1]} combines in the wrong order{_at(found[2])}: it puts the data of {found[4]} to the left of those of {found[5]}. "
        "coll_reduce(c, left, right, n) makes right = left op right; where the operator does not commute "
        "the data of lower ranks must stand on the left, "
        "and the ranks combined must be neighbours."
    )


def _twice(text: str) -> str:
    found = re.match(
        r"rank (\d+): reduce of \d+ bytes (?:\((?:([^ ,()]+:\d+), )?[^)]*\)) combines element (\d+) of (.+) with (.+): some",
        text,
    )
    if not found:
        return _plain(text)
    return f"Rank {found[1]} counts a contribution twice{_at(found[2])}: it combines the data of {found[4]} with those of {found[5]}."


def _uninitialised(text: str) -> str:
    found = re.match(
        r"rank (\d+): (i?send|i?recv|copy|reduce) of \d+ bytes (?:(?:to|from) rank (\d+) )?(?:\((?:([^ ,()]+:\d+), )?[^)]*\)) "
        r"reads element (\d+) of (\w+), which holds nothing",
        text,
    )
    if not found:
        return _plain(text)
    rank, what, peer, site, element, buffer = found.groups()
    does = {"send": "sends", "isend": "sends", "copy": "copies", "reduce": "combines"}.get(what, what)
    to = f" to rank {peer}" if peer else ""
    where = f"element {element} of its `{buffer}` has not been written yet (uninitialised memory)"
    return f"Rank {rank} {does} data that it does not have{to}{_at(site)}: {where}."


def _endless(text: str) -> str:
    return "It never ends: " + _plain(text).replace("it seems to loop for ever", "does a loop never end?")


def _ended(text: str) -> str:
    return f"The program did not get through this call: {text.rstrip('?')}{'?' if text.endswith('?') else '.'}"


def _refused(text: str) -> str:
    return f"supports() refuses this call, which the task asks for: {text}."


SENTENCES: dict[str, Callable[[str], str]] = {
    "result": _result, "unmatched": _unmatched, "size": _size, "deadlock": _deadlock, "order": _order, "twice": _twice,
    "uninitialised": _uninitialised, "endless": _endless, "ended": _ended, "refused": _refused,
}  # fmt: skip


# ---- what is known of the other calls ---------------------------------------------------------------------------------------------


def _hints(fault: Fault) -> list[str]:
    """What tells the calls that fail from those that hold."""
    held = [call for call, fine in fault.others if fine]
    bad = [call for call, fine in fault.others if not fine]
    if not held or not bad:
        return []

    def splits(test: Callable[[Call], bool]) -> bool:
        """All that hold pass the test, as some do, and no other one."""
        return any(map(test, held)) and all(map(test, held)) and not any(map(test, bad))

    hints = []
    large_held, large_bad = [[c for c in calls if c.ranks > 2 and c.point.count] for calls in (held, bad)]
    if (
        large_held
        and large_bad
        and all(_is_power(c.ranks) for c in large_held)
        and not any(_is_power(c.ranks) for c in large_bad)
    ):
        hints.append(f"It holds where the number of ranks is a power of two, and fails at {_ranks(large_bad)}.")
    elif any(c.point.count for c in held) and all(c.point.count == 0 for c in bad):
        hints.append("It fails only where there are no data (count 0): return at once then.")
    elif splits(lambda c: c.point.root == 0 or c.point.count == 0 or c.ranks == 1):
        hints.append(
            "It holds where the root is rank 0, and fails with every other root: count ranks from the root, "
            "v = (rank - root + p) % p, and name each partner by its rank, (v + root) % p."
        )
    elif splits(lambda c: c.point.type != "affine" or c.ranks < 2 or c.point.count == 0) or (
        all(c.point.type == "affine" for c in bad) and any(c.point.type != "affine" for c in held)
    ):
        hints.append("It fails only where the operator does not commute: the order of operands matters there.")
    elif (small := [c for c in held if c.ranks == 1 or c.point.count == 0]) and len(small) == len(held):
        hints.append("Nothing but calls without data, or on one rank, holds.")
    elif all(c.point.count % c.ranks for c in bad) and any(
        c.point.count % c.ranks == 0 and c.point.count and c.ranks in {b.ranks for b in bad} for c in held
    ):
        hints.append(
            "It fails only where the count is not a multiple of the number of ranks: blocks then differ in size (coll_block)."
        )
    else:
        hints.append(f"It fails at {_ranks(bad)}; {len(held)} of {len(held) + len(bad)} calls hold.")
    return hints


def _is_power(p: int) -> bool:
    return p & (p - 1) == 0


def _ranks(calls: Sequence[Call]) -> str:
    numbers = sorted({c.ranks for c in calls})
    first = ", ".join(str(p) for p in numbers[:6])
    return f"p = {first}{', …' if len(numbers) > 6 else ''}"


# ---- lines ------------------------------------------------------------------------------------------------------------------------


def _quoted(site: str, lines: Sequence[str]) -> list[str]:
    number = int(site.rpartition(":")[2])
    return [f"  {site}:  {lines[number - 1].strip()}"[:WIDTH]] if 0 < number <= len(lines) else []


def wrapped(text: str) -> list[str]:
    """Lines of at most 78 characters."""
    import textwrap

    return textwrap.wrap(text, WIDTH, break_long_words=True, break_on_hyphens=False)
