"""TOML files with fixed keys: pydantic models say what may stand there; every complaint starts with FILE:LINE.

A `Document` is one file. `read` makes a model of it, and reports all mistakes at once, in the order of their lines. A field's
`description` says what its value must be ("a list of numbers from 1 up") and stands in the complaint; without one, the type does.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from collscope.base.errors import UsageError, UserError, did_you_mean
from collscope.base.units import parse_sizes

Where = tuple[str | int, ...]  # ("collective", 1, "name"): keys of tables, and places in lists counted from 0
SHOWN = 5  # mistakes that are reported at once
MAX_FILE = 1 << 20  # bytes: nobody writes more, and binary files are often much larger
DEEPEST = 32  # levels of lists and tables inside each other
MAX_VALUE = 80  # characters of a wrong value that a complaint shows
MAX_COMPLAINT = 500
MAX_STATEMENT = 400  # lines of a value that are tried as its end
_INTEGER = re.compile(r"[0-9][0-9_]{4299,}")  # Python reads no longer ones

_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
}


class Table(BaseModel):
    """A table whose keys are all known; values are not converted, but a whole number may stand for a float."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


Model = TypeVar("Model", bound=Table)


def one_of(choices: Sequence[str]) -> AfterValidator:
    """For Annotated[str, …]: one of a few words, or a complaint that names them and the nearest."""

    def check(value: str) -> str:
        if value not in choices:
            raise ValueError(f'"{value}" is not one of {", ".join(choices)}{did_you_mean(value, choices)}')
        return value

    return AfterValidator(check)


def sizes_of(example: str) -> BeforeValidator:
    """For Annotated[tuple[int, …], …]: the bytes of sizes written as the example is, ascending."""

    def check(value: Any) -> tuple[int, ...]:
        if not isinstance(value, str):
            raise ValueError(f'must be sizes such as "{example}", not {value!r}')
        try:
            return tuple(sorted(parse_sizes(value)))
        except UsageError as error:
            raise ValueError(str(error)) from error

    return BeforeValidator(check)


def shown(value: Any) -> str:
    """A value in a complaint."""
    return _clipped(str(value).lower() if isinstance(value, bool) else repr(value), MAX_VALUE)


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def read_text(path: Path, shown: str, error: type[UserError] = UsageError) -> str:
    """The text of a TOML file. An `error` of FILE:LINE where it cannot be read or is not UTF-8; `shown` is its name in it."""
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise error(f"{shown}: is not a file")
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_FILE + 1)
    except FileNotFoundError:
        raise error(f"{shown}: there is no such file") from None
    except OSError as problem:
        raise error(f"{shown}:1: cannot be read: {problem.strerror}") from problem
    if len(data) > MAX_FILE:
        raise error(f"{shown}:1: is larger than {MAX_FILE >> 20} MiB; is it the right file?")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data:
        raise error(f"{shown}:1: is not text in UTF-8; save it as UTF-8 (UTF-16 and binary files cannot be read)")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise error(
            f"{shown}:{line}: the byte 0x{data[problem.start]:02x} is not UTF-8; save the file as UTF-8, not as Latin-1"
        ) from None


def _depth(data: Mapping[str, Any]) -> int:
    """Levels of tables and lists inside each other."""
    depth, level = 0, [*data.values()]
    while level:
        depth += 1
        level = [v for inner in level if isinstance(inner, (dict, list)) for v in _inside(inner)]
    return depth


def _inside(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


class Document:
    """A TOML text and where its keys stand. `path` is shown in complaints, which are of the class `error`."""

    def __init__(self, text: str, path: str, error: type[UserError] = UsageError) -> None:
        self.text, self.path, self.error = text, path, error
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            at = re.search(r"line (\d+)", str(problem))
            line = int(at.group(1)) if at else text.count("\n") + 1
            raise error(f"{path}:{line}: not TOML: {problem}") from problem
        except RecursionError:
            raise self._too_deep() from None
        except ValueError:  # an integer that Python does not read
            long = _INTEGER.search(text)
            line = text.count("\n", 0, long.start()) + 1 if long else 1
            raise error(f"{path}:{line}: not TOML: an integer has thousands of digits") from None
        if _depth(self.data) > DEEPEST:
            raise self._too_deep()

    def _too_deep(self) -> UserError:
        lines = self.text.split("\n")
        line = max(range(len(lines)), key=lambda i: sum(map(lines[i].count, "[{.")))
        return self.error(f"{self.path}:{line + 1}: lists or tables stand more than {DEEPEST} levels inside each other")

    def read(self, model: type[Model]) -> Model:
        """The file as a model, or an error with a line for each mistake."""
        try:
            return model.model_validate(self.data)
        except ValidationError as problem:
            found: dict[Where, list[Mapping[str, Any]]] = {}
            for one in problem.errors(include_url=False):
                found.setdefault(self._without_tags(one["loc"]), []).append(one)
            first = sorted(found, key=lambda where: (self.line(*where), self.name(where)))[:SHOWN]
            texts = list(
                dict.fromkeys(str(self._mistake(model, where, one)) for where in first for one in found[where])
            )
            more = [f"{self.path}: and {len(found) - len(first)} mistakes more"] if len(found) > len(first) else []
            raise self.error("\n".join(texts + more)) from None

    def fail(self, what: str, *where: str | int) -> UserError:
        """The error to raise for something wrong with this key or table: FILE:LINE: KEY: what."""
        name, what = _clipped(self.name(where), MAX_VALUE), _clipped(what, MAX_COMPLAINT)
        return self.error(f"{self.path}:{self.line(*where)}: {name + ': ' if name else ''}{what}")

    def unknown_key(self, known: Iterable[str], *where: str | int) -> UserError:
        """The error to raise for a key that nobody asked for; `known` are those that may stand there."""
        names = list(known)
        guess = did_you_mean(str(where[-1]), names)
        return self.fail("unknown key" + (guess or (f"; known: {', '.join(names)}" if len(names) <= 8 else "")), *where)

    def line(self, *where: str | int) -> int:
        """The line of a key; where it is missing, that of the table it belongs to."""
        return next((self._lines[where[:n]] for n in range(len(where), 0, -1) if where[:n] in self._lines), 1)

    @cached_property
    def _lines(self) -> dict[Where, int]:
        return key_lines(self.text)

    def name(self, where: Where) -> str:
        """A key in words: `setting.nodes`; tables in a list by their own name: `collective bcast.title`."""
        words = ""
        for at, part in enumerate(where):
            if isinstance(part, str):
                words += f".{part}" if words else part
            elif isinstance(value := self.value(where[: at + 1]), Mapping):
                words += f" {value.get('name', part + 1)}"
        return words

    def value(self, where: Where) -> Any:
        """What stands at this key; None where nothing does."""
        value: Any = self.data
        for part in where:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def _without_tags(self, loc: Where) -> Where:
        """Where pydantic found something, without the words that say which of several models a table was read as."""
        where: Where = ()
        for part in loc:
            value = self.value(where)
            tag = isinstance(value, Mapping) and part not in value and value.get("kind") == part
            where = where if tag else (*where, part)
        return where

    def _mistake(self, model: type[BaseModel], where: Where, problem: Mapping[str, Any]) -> UserError:
        """One of pydantic's findings, in our words."""
        kind = problem["type"]
        fields, description, depth = _field(model, where)
        if kind == "extra_forbidden":
            error = self.unknown_key(fields, *where)
        elif kind == "missing":
            error = self.fail("is missing" + (f"; {description}" if description else ""), *where)
        elif kind == "value_error":
            error = self.fail(str(problem["ctx"]["error"]), *where)
        elif description:
            value = self.value(where[:depth])  # None inside a table that stands there in another form
            given = shown(problem["input"] if value is None else value)
            error = self.fail(f"must be {description}, not {given}", *where[:depth])
        elif kind in _KINDS:
            error = self.fail(f"must be {_KINDS[kind]}, not {shown(problem['input'])}", *where)
        else:
            error = self.fail(problem["msg"][0].lower() + problem["msg"][1:], *where)
        return error


def _field(model: type[BaseModel], where: Where) -> tuple[list[str], str, int]:
    """Of the innermost model on the way to a key: its fields' names, and the description of the field that the key belongs to with the
    number of parts that lead to it."""
    inner: type[BaseModel] | None = model
    fields: list[str] = []
    description, depth = "", len(where)
    for at, part in enumerate(where):
        if isinstance(part, int) or inner is None:
            continue
        fields = list(inner.model_fields)
        info = inner.model_fields.get(part)
        description, depth = (_description(info), at + 1) if info else ("", len(where))
        inner = _model_in(info.annotation) if info else None
    return fields, description, depth


def _description(field: FieldInfo) -> str:
    """What a field's value must be, said of the field itself or of its type where it may also be missing (Type | None)."""
    kinds = get_args(field.annotation) if get_origin(field.annotation) in (Union, UnionType) else ()
    descriptions = [
        m.description for kind in kinds for m in getattr(kind, "__metadata__", ()) if isinstance(m, FieldInfo)
    ]
    return field.description or next((text for text in reversed(descriptions) if text), "")


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation such as list[Model] is about."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


def key_lines(text: str) -> dict[Where, int]:
    """The line, counted from 1, of each table and key of a TOML text that tomllib accepts."""
    found: dict[Where, int] = {}
    last: dict[Where, int] = {}  # list of tables → place of the one that was begun last
    base: Where = ()
    for line, statement, parsed in _statements(text):
        if statement.lstrip().startswith("["):
            names, value = _header(parsed)
            base = ()
            for name in names:
                found.setdefault((*base, name), line)
                base = _entered((*base, name), last)
            if isinstance(value, list):
                listed = (*base[:-1],) if isinstance(base[-1], int) else base
                last[listed] = last.get(listed, -1) + 1
                base = (*listed, last[listed])
            found.setdefault(base, line)
        else:
            for where in _paths(parsed):
                found.setdefault(base + where, line)
    return found


def _entered(where: Where, last: Mapping[Where, int]) -> Where:
    return (*where, last[where]) if where in last else where


def _statements(text: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(line, text, value) of each header and each key with its value. A statement ends where it can be read."""
    lines = text.split("\n")
    start = 0
    while start != len(lines):
        for end in _ends(lines, start):
            statement = "\n".join(lines[start:end])
            try:
                parsed = tomllib.loads(statement)
                break
            except tomllib.TOMLDecodeError:
                continue
        else:
            return
        if parsed:
            yield start + 1, statement, parsed
        start = end


def _ends(lines: Sequence[str], start: int) -> Iterator[int]:
    """Where the statement that begins in this line may end: at its own end, or where a bracket or a long text is closed."""
    yield start + 1
    for end in range(start + 2, min(len(lines), start + MAX_STATEMENT) + 1):
        if any(mark in lines[end - 1] for mark in ("]", "}", '"""', "'''")):
            yield end


def _header(parsed: dict[str, Any]) -> tuple[list[str], Any]:
    """Names of a header's table, and {} for a table or [{}] for one in a list."""
    names: list[str] = []
    value: Any = parsed
    while isinstance(value, dict) and value:
        name, value = next(iter(value.items()))
        names.append(name)
    return names, value


def _paths(value: Any, before: Where = ()) -> Iterator[Where]:
    """Every key and place inside a value."""
    inside: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list):
        inside = enumerate(value)
    for key, inner in inside:
        yield (*before, key)
        yield from _paths(inner, (*before, key))
