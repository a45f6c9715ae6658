"""What the messages of a round have in common: a rule that says who sends to whom, for text and pictures."""

from __future__ import annotations

from collections.abc import Collection

Pair = tuple[int, int]  # source, destination


def rule(pairs: Collection[Pair], p: int) -> str | None:
    """Who sends to whom among p ranks, as "every rank r → r+1"; ↔ where both directions are in the round. None where there is no
    such rule, or too few pairs for one."""
    known = set(pairs)
    swapped = all((b, a) in known for a, b in known)
    flips = {a ^ b for a, b in known}
    if swapped and len(known) > 3 and len(flips) == 1:
        return f"{_who(len(known), p)} r ↔ r xor {flips.pop()}"
    steps = {(b - a) % p for a, b in known}
    d = min(steps, default=0)
    if steps == {d, p - d} and len(known) == p * len(steps) and p > 2 and swapped:
        return f"every rank r ↔ r+{d}"
    if len(known) == p > 2 and len(steps) == 1:
        return f"every rank r → r{f'+{d}' if d <= p // 2 else f'-{p - d}'}"
    return None


def _who(ranks: int, p: int) -> str:
    return "every rank" if ranks == p else f"{ranks} ranks"


def listed(pairs: Collection[Pair], most: int) -> str:
    """The first so many pairs, each exchange once."""
    known = set(pairs)
    done = [
        f"{a}{'↔' if (b, a) in known else '→'}{b}" for a, b in sorted(known) if a < b or (b, a) not in known
    ]  # fmt: skip
    return "  ".join(done[:most]) + (f"  … {len(done) - most} more" if len(done) > most else "")
