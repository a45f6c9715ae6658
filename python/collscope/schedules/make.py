"""What is drawn where nobody says how much: counts that show an algorithm well."""

from __future__ import annotations

import math

from collscope.catalogue import registry
from collscope.catalogue.keys import Key


def default_count(collective: str, key: str, ranks: int, elem: int) -> int:
    """Blocks of 1 KiB; a pipelined vector has some segments at least."""
    about = registry.load().collective(collective)
    if not about.has_data:
        return 0
    block = 1024 // elem
    if about.counts_blocks:
        return block
    segment = _segment(key)
    pieces = ranks if "ring" in key else 6
    return max(block, math.ceil(pieces * segment / elem / ranks)) * ranks


def _segment(key: str) -> int:
    """The value of a key's segment size, if it has one."""
    written = Key.parse(key)
    algorithm = registry.load().algorithm(key)
    for param in algorithm.params if algorithm else ():
        if param.name == "s" and not param.words and "s" in written.values:
            value = param.parse(written.stem, written.values["s"])
            return value if value < 1 << 24 else 0
    return 0
