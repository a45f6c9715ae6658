"""What `advise` prints: where the time is, what would save some of it, and what the program could change."""

from __future__ import annotations

from collscope.base import console
from collscope.base.grid import KEY, WORDS, Column, Grid
from collscope.base.units import counted, format_ratio, format_size, format_time
from collscope.tuning.advice import Advice, Answer
from collscope.tuning.changes import MEAN
from collscope.tuning.uses import share_text

SHOWN = 12  # rows of a table
FAR = 3.0  # times as long as the model says: then something else takes the time
REASONS = 6


def show(answer: Answer) -> None:
    """Prints all of it."""
    _head(answer)
    _times(answer).show()
    _far(answer)
    if answer.advice:
        console.say("")
        _changes(answer).show()
        _sums(answer)
    elif answer.timed:
        console.say(
            f"no algorithm of {answer.title} would save a fiftieth of the time of any of these calls, by the model"
        )
    if answer.hints:
        console.say("\nWhat the program could change:")
        for hint in answer.hints:
            console.say(console.wrapped(f"- {hint.text}", 0, 2))
    _rest(answer)


def _head(answer: Answer) -> None:
    p = answer.profile
    library = f", {p.library}" if p.library else ""
    console.say(f"{p.file}: {counted(p.ranks, 'rank')}{library}, measured by {p.tool}")
    console.say(f"{share_text(p.seconds, p.run_s)}\n")


def _times(answer: Answer) -> Grid:
    """A line per use, the longest first; the model's time beside it where there is one."""
    run = answer.profile.run_s
    by_use = {id(t.use): t for t in answer.timed}
    waits = any(use.arrival for use in answer.profile.uses)
    grid = Grid(
        (
            Column("collective"),
            Column("communicator", goes=3, pieces=WORDS),
            Column("bytes", right=True),
            Column("calls", goes=2, right=True),
            Column("time per rank", right=True),
            *((Column("of the run", goes=1, right=True),) if run else ()),
            *((Column("waiting for late ranks", right=True, pieces=WORDS),) if waits else ()),
            Column("× model", goes=4, right=True),
            Column("runs now", goes=5, pieces=KEY),
        ),
        title="Where the time is (measured; × model and what runs now: by the model, but for what our library ran)",
    )
    for use in sorted(answer.profile.uses, key=lambda u: -u.seconds)[:SHOWN]:
        part = by_use.get(id(use))
        waiting = "" if use.waiting_s is None or not use.seconds else f"{use.waiting_s / use.seconds:.0%}"
        grid.add(
            use.collective,
            use.where,
            use.size_text,
            f"{use.calls:,.0f}",
            format_time(use.seconds, aligned=True),
            *((f"{use.seconds / run:.2%}",) if run else ()),
            *((waiting,) if waits else ()),
            format_ratio(part.over_model) if part and use.working_s else "",
            f"{part.own[MEAN]}{'' if part.is_known else ' (predicted)'}" if part else "",
        )
    return grid


def _far(answer: Answer) -> None:
    """What the model does not explain."""
    far = [t for t in answer.timed if t.over_model > FAR and t.use.seconds > 0.01 * answer.profile.seconds]
    if far:
        worst = max(far, key=lambda t: t.use.seconds)
        rows = counted(len(far), "row")
        worst_text = f"{worst.use.collective}, {worst.use.size_text}: {format_ratio(worst.over_model)} times"
        console.say(
            f"{rows} of these take more than {FAR:g} times as long as the model says ({worst_text}): something else takes that "
            "time, such as more ranks than cores, ranks that arrive late, or another job; what an algorithm saves may then be "
            "less than the share below"
        )


def _changes(answer: Answer) -> Grid:
    grid = Grid(
        (
            Column("collective"),
            Column("ranks", right=True),
            Column("bytes", right=True),
            Column("takes now", goes=2, pieces=KEY),
            Column("would take", pieces=KEY),
            Column("saves per rank", right=True, pieces=WORDS),
            Column("in 8 of 10 draws", goes=1, right=True, pieces=WORDS),
            Column("of its time", goes=3, right=True, pieces=WORDS),
        ),
        title=f"What would save time: algorithms of {answer.title} (predicted: the model's share of the measured time)",
    )
    for advice in answer.advice[:SHOWN]:
        c = advice.change
        main = c.main
        now = f"{main.own[MEAN]}{'' if main.is_known else ' (predicted)'}"
        first, last = c.bytes
        grid.add(
            c.collective, str(c.ranks), f"{format_size(first)}..{format_size(last + 1)}", now,
            c.key, format_time(c.saves_s), _band(advice), f"{c.saves_s / c.seconds:.0%}",
            style="dim" if advice.doubt else "",
        )  # fmt: skip
    return grid


def _band(advice: Advice) -> str:
    if advice.band_s is None:
        return "not checked" if advice.unchecked else "nothing open"
    low, high = advice.band_s
    return f"{format_time(low)} … {format_time(high)}{', in doubt' if advice.doubt else ''}"


def _sums(answer: Answer) -> None:
    p, sure = answer.profile, [a for a in answer.advice if not a.doubt]
    total = sum(a.change.saves_s for a in sure)
    share = f", {total / p.run_s:.1%} of the run" if p.run_s else ""
    console.say(f"all together, without what is in doubt: {format_time(total)} of each rank{share}")
    for advice in answer.advice:
        if advice.doubt:
            console.note(
                f"in doubt, not in the rules: {advice.change.collective}, {advice.change.ranks} ranks: {advice.doubt}"
            )


def _rest(answer: Answer) -> None:
    """What no rule was judged for, and what is not known."""
    by_reason: dict[str, list[float]] = {}
    for use, why in answer.left_out:
        by_reason.setdefault(why, []).append(use.seconds)
    if by_reason:
        console.say("\nNot judged:")
    for why, seconds in sorted(by_reason.items(), key=lambda item: -sum(item[1]))[:REASONS]:
        console.say(
            console.wrapped(
                f"- {format_time(sum(seconds))} of each rank in {counted(len(seconds), 'row')}: {why}", 0, 2
            )
        )
    for text in answer.notes:
        console.note(text)
    if any(not t.is_known for t in answer.timed):
        console.note(f"which algorithms run now is not in the profile: predicted by the rules of {answer.own}")
