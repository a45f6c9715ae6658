"""docs/pictures/: two pictures of each algorithm. One is drawn again when its schedule, or the code that draws its kind, has
changed: index.json has their hashes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from collscope.base import cache, depends, paths
from collscope.base.files import write_atomically
from collscope.figures.schedule import kinds
from collscope.reference.entries import Entry

KINDS = ("graph", "table")


def folder() -> Path:
    """Where the pictures are."""
    return paths.ROOT / "docs" / "pictures"


def index() -> dict[str, str]:
    """What the pictures that are there were drawn from: the hash of each algorithm's schedule by its key, and of the code by
    "drawing" and the kind."""
    try:
        found: dict[str, str] = json.loads((folder() / "index.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def expected(all_: Iterable[Entry]) -> dict[str, str]:
    """What the index should say."""
    code = {f"drawing {kind}": cache.code_hash(*depends.DOCUMENTED_PICTURES[kind])[:16] for kind in KINDS}
    return code | {e.algorithm.key: e.hash for e in all_ if e.drawn}


def stale(all_: Sequence[Entry]) -> Iterator[str]:
    """What is out of date, in words. Changed code alone is not a reason: it may draw the same."""
    have, want = index(), expected(all_)
    for e in all_:
        key = e.algorithm.key
        if e.drawn and have.get(key) != want[key]:
            yield f"docs/pictures: {key}: the schedule has changed"
    for key in have:
        if key not in want:
            yield f"docs/pictures: {key}: there is no such algorithm"
    for e in all_:
        for kind in KINDS if e.drawn else ():
            if not (folder() / e.picture(kind)).exists():
                yield f"docs/pictures/{e.picture(kind)}: missing"


def draw(all_: Sequence[Entry]) -> int:
    """Draws what has changed and deletes what is gone; returns how many pictures were drawn."""
    from collscope.figures import files

    have, want, done = index(), expected(all_), 0
    for e in all_:
        for kind in KINDS if e.drawn else ():
            path = folder() / e.picture(kind)
            if path.exists() and all(have.get(name) == want[name] for name in (e.algorithm.key, f"drawing {kind}")):
                continue
            assert e.drawn
            fig = kinds.draw([e.drawn], kind)
            if fig is not None:
                files.write(small(files.render(fig, "svg")), path)
                done += 1
    names = {e.picture(kind) for e in all_ if e.drawn for kind in KINDS}
    for path in folder().glob("*.svg"):
        if path.name not in names:
            path.unlink()
    write_atomically(folder() / "index.json", json.dumps(want, indent=1) + "\n")
    return done


def small(svg: bytes) -> bytes:
    """The same picture in fewer characters: a tenth of a point is enough, and nothing need be clipped."""
    from collscope.figures import files

    text = files.shorter(svg, 1).decode()
    text = re.sub(r' clip-path="url\([^)]*\)"', "", text)
    text = re.sub(r" *\n *(?=[MLz])", " ", text)
    n = r"(-?[\d.]+)"
    box = rf"M {n} {n} L {n} \2 L \3 {n} L \1 \4(?: L \1 \2)? z"
    text = re.sub(box, r"M\1 \2H\3V\4H\1z", text)
    return re.sub(r"\n +", "\n", text).encode()
