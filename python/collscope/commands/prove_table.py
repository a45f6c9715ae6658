"""Verdicts of the prover as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from collscope.base import console
from collscope.base.grid import KEY, WORDS, Column, Grid
from collscope.base.units import counted, format_size, join_words

SHOWN_RANKS = 16  # rows of the table of one algorithm

Line = dict[str, Any]
"""What the prover says of a point, and vector_bytes."""


def show(replies: Sequence[Line]) -> None:
    """One algorithm: one line per number of ranks. Several: one line per algorithm."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in replies:
        groups.setdefault((line["collective"], line["algorithm"]), []).append(line)
    if len(groups) == 1:
        ((_, key), lines) = next(iter(groups.items()))
        show_one(key, lines)
    else:
        show_many(groups)


def exactness(line: Line) -> str:
    """How cost() compares with the critical path of the schedule at the prover's (α, β, γ)."""
    pairs = [(c["critical_s"], c["cost_s"]) for c in line.get("costs") or [] if c["cost_s"] is not None]
    if not pairs:
        return "—"
    if line.get("exact") and line.get("kind") != "cost":
        return "exact"
    ratios = [critical / cost for critical, cost in pairs if cost]
    if not ratios:
        return "—"
    low, high = min(ratios), max(ratios)
    return f"{low:.2f}" if high - low < 0.005 else f"{low:.2f} … {high:.2f}"


def show_one(key: str, lines: Sequence[Line]) -> None:
    """Prints a line for each number of ranks, of many only some."""
    shown: dict[int, Line] = {}
    for line in lines:  # of each number of ranks the point that moves most, a failed one first
        best = shown.get(line["ranks"])
        if best is None or _rank(line) > _rank(best):
            shown[line["ranks"]] = line
    table = Grid(
        (
            Column("ranks", right=True),
            Column("vector", goes=2, right=True),
            Column("messages", goes=3, right=True),
            Column("bytes sent", goes=4, right=True),
            Column("bytes reduced", goes=6, right=True),
            Column("rounds", goes=5, right=True),
            Column("critical path / cost()", goes=1, right=True),
            Column("verdict", pieces=WORDS),
        ),
        title=key,
    )
    for p in _some(sorted(shown)):
        line = shown[p]
        if line["status"] != "ok":
            table.add(
                str(p), format_size(line["vector_bytes"]), *[""] * 5, line.get("kind") or "unsupported", style="dim"
            )
            continue
        rounds = line.get("rounds")
        proven = line["verdict"] == "proven"
        table.add(
            str(p),
            format_size(line["vector_bytes"]),
            *_moved(line),
            "" if rounds is None else str(int(rounds)),
            exactness(line),
            "proven" if proven else f"FAILED: {line['kind']}",
            style="" if proven else "bold red",
        )
    table.show()
    hidden = len(shown) - len(_some(sorted(shown)))
    if hidden:
        console.say(f"[dim]({hidden} more numbers of ranks are not shown; --json has all)[/dim]", markup=True)
    summary(lines)


def show_many(groups: Mapping[tuple[str, str], Sequence[Line]]) -> None:
    """Prints a line for each (collective, key), and the sums."""
    table = Grid(
        (
            Column("algorithm", pieces=KEY),
            Column("proven", goes=3, right=True),
            Column("unsupported", goes=2, right=True),
            Column("failed", goes=1, right=True),
            Column("cost() exact", goes=4, right=True),
            Column("verdict", pieces=WORDS),
        )
    )
    total: Counter[str] = Counter()
    for (collective, key), lines in groups.items():
        count = _count(lines)
        total += count
        exact = sum(bool(x.get("exact")) and x["kind"] != "cost" for x in lines)
        priced = any(x.get("costs") and x["costs"][0]["cost_s"] is not None for x in lines)
        shown = f"{key} ({collective})" if key.startswith("decision/") else key
        table.add(
            shown,
            str(count["proven"]),
            str(count["unsupported"] or ""),
            str(count["failed"] or ""),
            str(exact) if priced else "—",
            "FAILED" if count["failed"] else "proven" if count["proven"] else "nothing to prove",
            style="bold red" if count["failed"] else "",
        )
    table.show()
    everything = [line for lines in groups.values() for line in lines]
    console.say(
        f"{len(groups)} algorithms, {sizes_of(everything)}: {total['proven']} points proven, "
        f"{total['unsupported']} unsupported, {total['failed']} failed"
    )


def _moved(line: Line) -> tuple[str, str, str]:
    """Messages, bytes sent, bytes reduced; nothing where the schedule is not known."""
    if "messages" not in line:
        return ("", "", "")
    return (str(line["messages"]), format_size(line["bytes"]), format_size(line.get("reduced_bytes") or 0))


def summary(lines: Sequence[Line]) -> None:
    """Prints what is proven, and why the rest is not."""
    count = _count(lines)
    points = count["proven"] + count["failed"]
    if count["failed"]:
        kinds = Counter(x["kind"] for x in lines if x.get("verdict") == "failed")
        most = sorted(kinds.most_common(), key=lambda kind: kind[0] == "cost")
        what = join_words([f"{number} {kind}" for kind, number in most])
        text = f"{count['failed']} of {points} points ({sizes_of(lines)}): {what}"
        console.say(f"[bold red]FAILED[/bold red]: {_safe(text)}", markup=True)
    elif points:
        console.say(
            f"{count['proven']} of {points} points proven ({sizes_of(lines)}): every receive has its send, "
            "no deadlock even if every send waits, the right data everywhere"
        )
    else:
        return  # why is on standard error, where errors go
    for (kind, reason), number in Counter(
        (x.get("kind") or "unsupported", x["status"]) for x in lines if x["status"] != "ok"
    ).items():
        console.say(f"[yellow]—[/yellow] {counted(number, 'point')} {kind}: {_safe(reason)}", markup=True)


def _count(lines: Sequence[Line]) -> Counter[str]:
    return Counter("unsupported" if x["status"] != "ok" else x["verdict"] for x in lines)


def _rank(line: Line) -> tuple[int, bool, int, int]:
    plain = line["type"] != "affine"
    worst = 0 if line.get("verdict") != "failed" else 1 if line["kind"] == "cost" else 2
    return (worst, line["status"] == "ok", int(plain), line.get("bytes") or 0)


def _some(ranks: list[int]) -> list[int]:
    """All of few; of many the small ones, powers of two, and the last."""
    if len(ranks) <= SHOWN_RANKS:
        return ranks
    return [p for p in ranks if p <= 9 or p & (p - 1) == 0 or p == ranks[-1] or p in (12, 24, 48)]


def _safe(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def sizes_of(lines: Sequence[Line]) -> str:
    """What was proven over, in words."""
    ranks = sorted({line["ranks"] for line in lines})
    roots = sorted({line["root"] for line in lines})
    span = f"p = {ranks[0]}" if len(ranks) == 1 else f"p = {ranks[0]} … {ranks[-1]}"
    if len(ranks) > 1 and ranks[-1] - ranks[0] + 1 != len(ranks):
        span = "p = " + join_words([str(r) for r in ranks]) if len(ranks) <= 8 else f"{len(ranks)} numbers of ranks"
    largest = max((line["vector_bytes"] for line in lines), default=0)
    about = f"roots {join_words([str(r) for r in roots])}" if len(roots) <= 4 else "roots 0, 1 and p-1"
    return f"{span}, {about if len(roots) > 1 else f'root {roots[0]}'}, up to {format_size(largest)}"
