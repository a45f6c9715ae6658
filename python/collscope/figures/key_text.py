"""Keys as figures write them: sizes with a unit, what is switched off left out, shorter where there is less room."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from collscope.base.units import rounded_size
from collscope.catalogue.decisions import library_name
from collscope.catalogue.keys import Key


def brief_key(key: str) -> str:
    """The key as people say it: bcast/pipeline[s=131072] → bcast/pipeline[s=128KiB], a parameter that is 0 left out."""
    written = Key.parse(key)
    shown = []
    for name, value in written.params:
        if value.isdigit() and int(value) >= 1024 and int(value) % 1024 == 0:
            value = rounded_size(int(value)).replace(" ", "")
        if value != "0":
            shown.append((name, value))
    return str(Key(written.stem, tuple(shown)))


def shorter(name: str) -> tuple[str, str, str]:
    """A brief key in three lengths: pipeline[s=128KiB], pipeline 128K, 128K."""
    written = Key.parse(name)
    values = [_size_word(value) for _, value in written.params]
    shown = [v for v in values if v not in ("0", "")]
    return name, " ".join([written.stem, *shown]), "".join(shown)[:5]


def _size_word(value: str) -> str:
    if value.isdigit() and int(value) >= 1024:
        return rounded_size(int(value)).replace(" ", "").replace("iB", "")
    return value.replace("KiB", "K").replace("MiB", "M")


MAX_LEAF = 38  # characters of a key in a leaf of the tree


def leaf_text(key: str) -> str:
    """A brief key without its collective, at most MAX_LEAF characters."""
    name = str(Key.parse(brief_key(key)).short)
    return name if len(name) <= MAX_LEAF else name[: MAX_LEAF - 1] + "…"


def folded(key: str) -> str:
    """A key without its collective, which the title says; many parameters in a line of their own."""
    name, bracket, inner = str(Key.parse(key).short).partition("[")
    lines = [name + bracket]
    for part in re.findall("[^,]+,?", inner):
        if len(lines) == 1 and len(lines[0]) + len(part) > 40:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def names(keys: Iterable[str], most: int = 24) -> dict[str, str]:
    """What a figure calls each key where its collective is known: of a long one its parameters only where they tell it from another."""
    brief = {key: Key.parse(brief_key(key)).short for key in keys}
    alike = Counter(written.stem for written in set(brief.values()))
    return {
        key: library_name(key) if Key.parse(key).is_decision
        else written.stem if len(str(written)) > most and alike[written.stem] == 1
        else str(written)
        for key, written in brief.items()
    }  # fmt: skip
