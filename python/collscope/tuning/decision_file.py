"""Rules as our own decision file: docs/decisions.md."""

from __future__ import annotations

from collections.abc import Sequence

from collscope.catalogue.keys import Key
from collscope.tuning.rules import Rule


def text(rules: Sequence[Rule], about: str) -> str:
    """The file, with lines `about` it behind #."""
    lines = [f"# {line}" for line in about.splitlines()]
    for rule in rules:
        words = [rule.collective, "ranks", _range(rule.ranks)]
        words += ["ranks_per_node", _range(rule.per_node)] if rule.per_node else []
        words += ["bytes", _range(rule.bytes), str(Key.parse(rule.key).short) if rule.key else "builtin"]
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def _range(ends: tuple[int, int]) -> str:
    low, high = ends
    return f"{low}..{high}" if low < high else f"{low}"
