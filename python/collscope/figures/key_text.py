"""Keys as figures write them: sizes with a unit, what is switched off left out, shorter where there is less room."""

from __future__ import annotations

from collscope.analysis.crossover import size_text


def brief_key(key: str) -> str:
    """The key as people say it: bcast/pipeline[s=131072] → bcast/pipeline[s=128KiB], a parameter that is 0 left out."""
    stem, bracket, inner = key.partition("[")
    words = []
    for part in inner.rstrip("]").split(",") if bracket else ():
        name, _, value = part.partition("=")
        if value.isdigit() and int(value) >= 1024 and int(value) % 1024 == 0:
            value = size_text(int(value)).replace(" ", "")
        if value != "0":
            words.append(f"{name}={value}")
    return f"{stem}[{','.join(words)}]" if words else stem


def shorter(name: str) -> tuple[str, str, str]:
    """A brief key in three lengths: pipeline[s=128KiB], pipeline 128K, 128K."""
    stem, _, inner = name.partition("[")
    values = [_size_word(p.partition("=")[2]) for p in inner.rstrip("]").split(",") if p]
    shown = [v for v in values if v not in ("0", "")]
    return name, " ".join([stem, *shown]), "".join(shown)[:5]


def _size_word(value: str) -> str:
    if value.isdigit() and int(value) >= 1024:
        return size_text(int(value)).replace(" ", "").replace("iB", "")
    return value.replace("KiB", "K").replace("MiB", "M")


def leaf_text(key: str, most: int = 38) -> str:
    """A brief key without its collective, at most so many characters."""
    name = brief_key(key).partition("/")[2]
    return name if len(name) <= most else name[: most - 1] + "…"


def folded(key: str) -> str:
    """A key without its collective, which the title says; many parameters in a line of their own."""
    name, bracket, inner = key.partition("/")[2].partition("[")
    if len(name) + len(inner) < 36:
        return name + bracket + inner
    parts, lines = inner.split(","), [name + bracket]
    for part in (f"{p}," if p != parts[-1] else p for p in parts):
        if len(lines) == 1 and len(lines[0]) + len(part) > 40:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)
