"""Rules as our own decision file: docs/decisions.md."""

from __future__ import annotations

from collections.abc import Sequence

from collscope.catalogue.keys import Key
from collscope.tuning.rules import Rule


def text(rules: Sequence[Rule], about: str) -> str:
    """The file, with lines `about` it behind #."""
    lines = [f"# {line}" for line in about.splitlines()]
    for rule in rules:
        ranks, sizes = (f"{low}..{high}" if low < high else f"{low}" for low, high in (rule.ranks, rule.bytes))
        lines.append(
            f"{rule.collective} ranks {ranks} bytes {sizes} {Key.parse(rule.key).short if rule.key else 'builtin'}"
        )
    return "\n".join(lines) + "\n"
