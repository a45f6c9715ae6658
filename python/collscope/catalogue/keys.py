"""Keys as they are written everywhere: `bcast/knomial[k=4,s=65536]`, `decision/ompi_4_1`, `bcast/builtin`; and their parameters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collscope.base.errors import UsageError, unknown
from collscope.base.units import parse_size

DECISION = "decision"  # what stands before the slash of a decision's key
FILE = f"{DECISION}/file:"  # and the path of a decision's rules
BUILTIN = "builtin"  # what stands behind the slash of the MPI library's own


@dataclass(frozen=True)
class Key:
    """A key taken apart. Values are texts, as they were written; nothing is known here of what exists."""

    stem: str  # "bcast/knomial"
    params: tuple[tuple[str, str], ...] = ()  # names and values, in the order written

    @staticmethod
    def parse(text: str) -> Key:
        """The key of a text. A UsageError when its bracket is not closed at the end."""
        stem, bracket, inner = text.partition("[")
        if bracket and not inner.endswith("]"):
            raise UsageError(f"{text}: parameters end in ]")
        parts = [part.partition("=") for part in inner[:-1].split(",") if part] if bracket else []
        return Key(stem, tuple((name.strip(), value.strip()) for name, _, value in parts))

    def __str__(self) -> str:
        inner = ",".join(f"{name}={value}" for name, value in self.params)
        return f"{self.stem}[{inner}]" if inner else self.stem

    @property
    def owner(self) -> str:
        """The collective, or "decision"; nothing when the text was a name alone."""
        return self.stem.partition("/")[0] if "/" in self.stem else ""

    @property
    def name(self) -> str:
        """What stands behind the slash, without parameters."""
        return self.stem.partition("/")[2] or self.stem

    @property
    def values(self) -> dict[str, str]:
        """Parameter → value, as text."""
        return dict(self.params)

    @property
    def is_decision(self) -> bool:
        """Whether it names a table that chooses, not an algorithm."""
        return self.owner == DECISION

    @property
    def is_builtin(self) -> bool:
        """Whether it names the MPI library's own call."""
        return self.name == BUILTIN

    @property
    def short(self) -> Key:
        """The same behind the slash: what is shown where the collective is known."""
        return Key(self.name, self.params)


def stem_of(text: str) -> str:
    """`bcast/knomial` of `bcast/knomial[k=4]`."""
    return Key.parse(text).stem


def split_keys(text: str) -> list[str]:
    """Splits "mst,chain[chains=4,s=64KiB]" at the commas outside brackets. A UsageError for brackets that do not pair."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
            if depth < 0:
                raise UsageError(f'"{text}": there is a "]" without its "["')
        elif char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    if depth:
        raise UsageError(f'"{text}": a "[" is never closed')
    parts.append(text[start:])
    parts = [part.strip() for part in parts]
    if not all(parts):
        raise UsageError(f'"{text}": there is an empty name in the list')
    return parts


def swept(text: str) -> list[str]:
    """The keys of a key whose parameters have several values: knomial[k=2|4,s=0] → knomial[k=2,s=0], knomial[k=4,s=0]."""
    written = Key.parse(text)
    choices = [[(name, value.strip()) for value in values.split("|")] for name, values in written.params]
    return [str(Key(written.stem, made)) for made in itertools.product(*choices)] if choices else [text]


@dataclass(frozen=True)
class Param:
    """A parameter of an algorithm or a decision, as the catalogue lists it."""

    name: str
    default: int
    min: int
    max: int
    words: tuple[str, ...] | None  # names of min … max, written instead of numbers
    help: str

    def text(self, value: int) -> str:
        """A value as keys spell it: its word, or the number."""
        return self.words[value - self.min] if self.words else str(value)

    def parse(self, key: str, text: str) -> int:
        """The value of a text; sizes may have units. A UsageError names the key and says what would do."""
        if self.words and text in self.words:
            return self.min + self.words.index(text)
        try:
            value = int(text) if re.fullmatch("-?[0-9]{1,20}", text) else parse_size(text)
        except UsageError:
            value = None
        if value is None or not self.min <= value <= self.max:
            choice = "one of " + ", ".join(self.words) if self.words else f"a number from {self.min} to {self.max}"
            raise UsageError(f"{key}: {self.name}={text[:40]}: {self.name} is {choice}")
        return value


def full_key(stem: str, params: Sequence[Param], values: Mapping[str, int] | None = None) -> str:
    """The key with all parameters, in the catalogue's order: the one spelling that tables have."""
    given = values or {}
    return str(Key(stem, tuple((p.name, p.text(given.get(p.name, p.default))) for p in params)))


def read_values(key: Key, params: Sequence[Param]) -> dict[str, int]:
    """The numbers of the parameters that the key gives. A UsageError for those that the catalogue does not know."""
    known = {p.name: p for p in params}
    values: dict[str, int] = {}
    for name, text in key.params:
        if name not in known:
            if not known:
                raise UsageError(f"{key.stem} has no parameters, but got {name}")
            raise unknown(f"parameter of {key.stem}", name, known)
        if not text:
            raise UsageError(f"{key.stem}: write {name}=VALUE")
        if name in values:
            raise UsageError(f"{key.stem}: {name} is given twice; give it once")
        values[name] = known[name].parse(key.stem, text)
    return values
