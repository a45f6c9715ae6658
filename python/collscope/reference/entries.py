"""What the reference says of each algorithm: facts as text, and the schedule that is drawn."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.catalogue import headers, registry
from collscope.catalogue.headers import Header
from collscope.catalogue.registry import Algorithm, Collective
from collscope.points.plan import Point
from collscope.schedules import make, one_port, record
from collscope.schedules.trace import Trace
from collscope.twins import records

RANKS = 8
DRAWN_SEGMENT = 1024  # of pipelined algorithms, so that a small picture shows the pipeline


def anchor_of(key: str) -> str:
    """A key as the anchor of a link."""
    return re.sub(r"[^a-z0-9_]+", "-", key.lower()).strip("-")


@dataclass(frozen=True)
class Entry:
    """An algorithm: what its file's opening comment says, and the schedule that is drawn, or why none is."""

    algorithm: Algorithm
    header: Header
    drawn: Trace | None
    why_not: str

    @property
    def anchor(self) -> str:
        """The entry's anchor in a page."""
        return anchor_of(self.algorithm.key)

    @property
    def name(self) -> str:
        """The key's part after the slash."""
        return self.algorithm.key.partition("/")[2]

    @property
    def full_key(self) -> str:
        """The key with the defaults of its parameters."""
        return self.algorithm.full_key()

    @property
    def path(self) -> str:
        """Of its file, from the root of the repository."""
        return self.header.path.relative_to(paths.ROOT).as_posix()

    @property
    def code(self) -> str:
        """What its file has below the opening comment."""
        path = self.header.path
        return path.read_text(encoding="utf-8").partition("*/")[2].strip() if path.exists() else ""

    @property
    def summary(self) -> str:
        """One sentence, from its capital to its full stop."""
        text = self.algorithm.summary
        return text[:1].upper() + text[1:] + ("" if text.endswith("…") else ".")

    @property
    def rounds(self) -> str:
        """What the opening comment says of rounds."""
        return self.header.fields.get("Rounds", "")

    @property
    def twin_name(self) -> str:
        """Open MPI 3; "" where there is no twin."""
        twin = self.algorithm.twin
        return f"{twin['library']} {twin['number']}" if twin else ""

    @property
    def twin_number(self) -> int:
        """The library's number of its twin, or nothing."""
        return records.number(self.algorithm)

    def picture(self, kind: str) -> str:
        """The name of a picture's file."""
        return f"{self.anchor}-{kind}.svg"

    @cached_property
    def hash(self) -> str:
        """Of what the pictures show: who sends what to whom in which round; "" without pictures."""
        t = self.drawn
        if t is None:
            return ""
        arrows = [(m.src, m.dst, m.bytes, m.round, m.send, m.recv, m.shared) for m in t.arrows]
        shown = json.dumps([t.key, t.ranks, t.count, t.nodes, arrows])
        return hashlib.sha256(shown.encode()).hexdigest()[:16]

    @property
    def caption(self) -> str:
        """What is drawn, or why nothing is; Markdown."""
        t = self.drawn
        if t is None:
            return f"No picture: {self.why_not}."
        nodes = f" on {len(set(t.nodes))} nodes" if t.nodes else ""
        return f"`{t.key}` on {t.ranks} ranks{nodes}"

    @cached_property
    def facts(self) -> list[tuple[str, str]]:
        """(name, text) of all that is known: the comment's fields, parameters, flags, the twin."""
        a, fields = self.algorithm, self.header.fields
        rows = [(name, fields[name]) for name in headers.FIELDS if name in fields]
        if not fields.get("Source") and a.source:
            rows.append(("Source", a.source))
        for p in a.params:
            kind = " or ".join(p.words) if p.words else f"{p.min} to {p.max}"
            rows.append((f"[{p.name}]", f"{p.help}; {kind}, {p.text(p.default)} unless given"))
        if flags := _flags(a):
            rows.append(("Flags", ", ".join(flags)))
        if not a.has_cost:
            rows.append(("cost()", "none: no closed form"))
        rows.append(("Twin", records.twin(a)))
        if others := records.instead_text(a.key):
            cases = "; ".join(f"{condition} → {runs}" for condition, runs in others)
            text = f"Open MPI runs something else where this one does not run: {cases}"
            rows.append((f"Told {self.twin_number}", text))
        return rows


def _flags(a: Algorithm) -> list[str]:
    """What the catalogue says of an algorithm beside its file's opening comment. That it looks at where ranks sit is seen in the
    caption: it is drawn on two nodes."""
    several = [] if a.ports == "one" else ["several messages at once"]
    return several + [flag.replace("_", " ") for flag in a.flags if flag != "places"]


@dataclass(frozen=True)
class Group:
    """The algorithms of one collective."""

    collective: Collective
    entries: Sequence[Entry]

    @property
    def name(self) -> str:
        """The collective's."""
        return self.collective.name

    @property
    def about(self) -> str:
        """What it is in MPI and what its calls are told; Markdown."""
        c = self.collective
        has = " and ".join(["a root"] * c.has_root + ["an operator"] * c.has_operator)
        words = [f"`{c.mpi}`" if c.mpi else "No function of MPI", f"with {has}" if has else ""]
        counted = {"block": "a count is that of one rank's block", "vector": "a count is that of the whole vector"}
        return "; ".join(filter(None, [", ".join(filter(None, words)), counted.get(c.unit, "")])) + "."


def entries() -> list[Entry]:
    """All algorithms, in the registry's order."""
    made = []
    for a in registry.load().algorithms:
        header = headers.of_key(a.key)
        if header is None:
            header = Header(paths.ROOT / "algorithms" / f"{a.key}.c", a.key, {}, ())
        made.append(Entry(a, header, *drawing(a)))
    return made


def groups(all_: Sequence[Entry]) -> list[Group]:
    """By collective, in the registry's order; those without algorithms are left out."""
    found = [Group(c, [e for e in all_ if e.algorithm.collective == c.name]) for c in registry.load().collectives]
    return [group for group in found if group.entries]


def drawing(a: Algorithm) -> tuple[Trace | None, str]:
    """The schedule that is drawn: 8 ranks, on two nodes where it matters where they sit, or 2 or 9 where it takes those; and "", or None
    and why it is absent."""
    values = {p.name: DRAWN_SEGMENT for p in a.params if p.name == "s" and p.default > DRAWN_SEGMENT and not p.words}
    key = a.full_key(values)
    why = ""
    for ranks, in_place in ((RANKS, False), (RANKS, True), (2, False), (9, False)):
        machine = one_port.telephone(ranks, 2 if "places" in a.flags and ranks > 2 else None)
        point = Point(a.collective, key, make.default_count(a.collective, key, ranks, 4), in_place=in_place)
        try:
            return record.traces([point], ranks, machine, "telephone network")[0], ""
        except UserError as error:
            why = why or str(error)
    return None, why
