"""collscope.base.toml_table: files with fixed keys: the line of each key, and the message for each mistake."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from collscope.base.errors import UsageError, UserError
from collscope.base.toml_table import Document, Table, key_lines, one_of, read_text, sizes_of

TEXT = """\
# a comment with a = sign
title = \'\'\'
two = 2
lines\'\'\'
"with space" = 1
a.b.c = 3
[table]  # [not.this]
list = [
  1,
  2,
]
inline = { x = 1, y = { z = 2 } }
[[one]]
name = "first"
[[one]]
name = "second"
[one.inner]
key = 1
[[one.more]]
[[one.more]]
key = 2
"""


def test_every_key_has_its_line() -> None:
    lines = key_lines(TEXT)
    assert lines[("title",)] == 2
    assert ("two",) not in lines
    assert lines[("with space",)] == 5
    assert lines["a", "b", "c"] == 6
    assert lines[("table",)] == 7
    assert lines["table", "list"] == lines["table", "list", 1] == 8
    assert lines["table", "inline", "y", "z"] == 12
    assert lines[("one",)] == lines["one", 0] == 13
    assert lines["one", 1, "name"] == 16
    assert lines["one", 1, "inner", "key"] == 18
    assert lines["one", 1, "more", 1, "key"] == 21


class Inner(Table):
    name: str
    share: float = Field(default=0.5, le=1, description="a share from 0 to 1")


class File(Table):
    title: str
    mode: Annotated[str, one_of(("block", "cyclic"))] = "block"
    flag: bool = False
    inner: list[Inner] = Field(default_factory=list)
    maybe: Annotated[list[int], Field(description="a list of whole numbers")] | None = None


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", ["f.toml:1: title: is missing"]),
        ("title = 3", ["f.toml:1: title: must be text, not 3"]),
        ("title = ''\nflag = 1", ["f.toml:2: flag: must be true or false, not 1"]),
        ("title = ''\nmode = 'blok'", ["f.toml:2: mode: \"blok\" is not one of block, cyclic; did you mean \"block\"?"]),
        ("title = ''\n\n[[inner]]\nname='a'\nshare=2", ["f.toml:5: inner a.share: must be a share from 0 to 1, not 2"]),
        ("title = ''\n\n[[inner]]\nshare=true", [
            "f.toml:3: inner 1.name: is missing", "f.toml:4: inner 1.share: must be a share from 0 to 1, not true"]),
        ("titel = ''", ["f.toml:1: title: is missing", 'f.toml:1: titel: unknown key; did you mean "title"?']),
        ("title = ''\ninner = 3", ["f.toml:2: inner: must be a list, not 3"]),
        ("title = ''\ninner = [3]", ["f.toml:2: inner: must be a table, not 3"]),
        ("title = ''\nmaybe = 3", ["f.toml:2: maybe: must be a list of whole numbers, not 3"]),
        ("title = ''\nmaybe = ['a']", ["f.toml:2: maybe: must be a list of whole numbers, not ['a']"]),
        ("title = ", ["f.toml:1: not TOML: Invalid value (at end of document)"]),
    ],
)  # fmt: skip
def test_all_mistakes_are_reported_with_line_and_key(text: str, printed: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        Document(text, "f.toml").read(File)
    assert sorted(str(caught.value).splitlines()) == sorted(printed)


def test_a_whole_number_may_stand_for_a_float() -> None:
    assert Document("title = ''\ninner = [{ name = 'a', share = 1 }]", "f.toml").read(File).inner[0].share == 1.0


def complaint(text: str, model: type[Table] = File) -> str:
    with pytest.raises(UsageError) as caught:
        Document(text, "f.toml").read(model)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xef\xbb\xbfa = 1\r\nb = 2\n", "a = 1\nb = 2\n"),
        (b"x" * (1 << 20), "x" * (1 << 20)),
        (b"x" * ((1 << 20) + 1), "f:1: is larger than 1 MiB; is it the right file?"),
        (b"\xff\xfea", "f:1: is not text in UTF-8; save it as UTF-8 (UTF-16 and binary files cannot be read)"),
        (b"\xfe\xffa", "f:1: is not text in UTF-8; save it as UTF-8 (UTF-16 and binary files cannot be read)"),
        (b"a\n\0", "f:1: is not text in UTF-8; save it as UTF-8 (UTF-16 and binary files cannot be read)"),
        (b"a = 1\n# \xb5s\n", "f:2: the byte 0xb5 is not UTF-8; save the file as UTF-8, not as Latin-1"),
    ],
    ids=["windows", "full", "large", "utf-16", "utf-16 big", "binary", "latin-1"],
)
def test_a_file_is_text_in_utf_8(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "f").write_bytes(data)
    if says.startswith("f:"):
        with pytest.raises(UsageError) as caught:
            read_text(tmp_path / "f", "f")
        assert str(caught.value) == says
    else:
        assert read_text(tmp_path / "f", "f") == says


def test_only_regular_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, says in (("pipe", "f: is not a file"), (".", "f: is not a file"), ("none", "f: there is no such file")):
        with pytest.raises(UserError) as caught:
            read_text(tmp_path / name, "f", UserError)
        assert (type(caught.value), str(caught.value)) == (UserError, says)
    (tmp_path / "closed").touch()

    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", fail)
    with pytest.raises(UsageError, match="^f:1: cannot be read: Permission denied$"):
        read_text(tmp_path / "closed", "f")


def test_levels_and_digits_have_an_end() -> None:
    deep = "lists or tables stand more than 32 levels inside each other"
    assert Document("a = " + "[" * 31 + "1" + "]" * 31, "f.toml").data
    for text, line in (("\na = " + "[" * 32 + "1" + "]" * 32, 2), ("b.c = [1]\n\na = " + "[" * 9999 + "]" * 9999, 3)):
        assert complaint(text) == f"f.toml:{line}: {deep}"
    assert complaint("x = {" + "y = {" * 32 + "}" * 33) == f"f.toml:1: {deep}"
    assert Document(f"a = {'9' * 4300}", "f.toml").data
    assert complaint(f"\n\na = {'9' * 4301}") == "f.toml:3: not TOML: an integer has thousands of digits"
    assert complaint("a = 1\nb = 2\nb = 3\nc = 4").startswith("f.toml:3: not TOML: ")


class Wide(Table):
    a: int
    b: int = 0
    c: int = 0
    d: int = 0
    e: int = 0
    f: int = 0
    g: int = 0
    h: int = Field(default=0, ge=0)


def test_five_mistakes_are_reported_and_the_rest_counted() -> None:
    printed = [f"f.toml:{i}: {name}: must be a whole number, not true" for i, name in enumerate("abcdefg", 1)]
    for most, more in ((5, []), (6, ["f.toml: and 1 mistakes more"]), (7, ["f.toml: and 2 mistakes more"])):
        text = "".join(f"{name} = true\n" for name in "abcdefg"[:most])
        assert complaint(text, Wide).splitlines() == [*printed[:5], *more]
    assert complaint("a = 1\nh = -1", Wide) == "f.toml:2: h: input should be greater than or equal to 0"


class Kinds(Table):
    share: float = 0.0
    whole: int = 0
    names: dict[str, str] = Field(default_factory=dict)
    inner: Inner | None = None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("share = 'a'", "share: must be a number, not 'a'"),
        ("share = inf", "share: must be a finite number, not inf"),
        ("share = nan", "share: must be a finite number, not nan"),
        ("whole = 1.5", "whole: must be a whole number, not 1.5"),
        ("names = 1", "names: must be a table, not 1"),
        ("names = { a = 1 }", "names.a: must be text, not 1"),
        ("inner = 1", "inner: must be a table, not 1"),
        ("inner = {}", "inner.name: is missing"),
    ],
)
def test_a_wrong_value_is_reported_with_what_it_must_be(text: str, says: str) -> None:
    assert complaint(text, Kinds) == f"f.toml:1: {says}"


class Wider(Wide):
    i: int = 0


def test_an_unknown_key_is_reported_with_the_known_ones() -> None:
    assert complaint("a = 1\nzzz = 2", Wide) == "f.toml:2: zzz: unknown key; known: a, b, c, d, e, f, g, h"
    assert complaint("a = 1\nzzz = 2", Wider) == "f.toml:2: zzz: unknown key"


def test_long_values_names_and_complaints_are_cut() -> None:
    assert complaint("title = ''\nflag = '" + "x" * 78 + "'").endswith(f"not '{'x' * 78}'")
    assert complaint("title = ''\nflag = '" + "x" * 79 + "'").endswith(f"not '{'x' * 79}…")
    document = Document("", "f.toml")
    assert str(document.fail("y" * 500, "x" * 80)) == f"f.toml:1: {'x' * 80}: {'y' * 500}"
    assert str(document.fail("y" * 501, "x" * 81)) == f"f.toml:1: {'x' * 80}…: {'y' * 500}…"
    assert str(document.fail("what")) == "f.toml:1: what"


class Sized(Table):
    sizes: Annotated[tuple[int, ...], sizes_of("1KiB..4MiB")]


def test_sizes_are_read_as_they_are_typed() -> None:
    assert Document("sizes = '1KiB,4..8,4'", "f.toml").read(Sized).sizes == (4, 8, 1024)
    assert complaint("sizes = 4", Sized) == 'f.toml:1: sizes: must be sizes such as "1KiB..4MiB", not 4'
    assert complaint("sizes = '4x'", Sized).startswith(
        'f.toml:1: sizes: cannot read the size "4x": the unit is none of B,'
    )


class Cat(Table):
    kind: Literal["cat"]
    lives: int


class Dog(Table):
    kind: Literal["dog"]


class Animals(Table):
    animal: list[Annotated[Cat | Dog, Field(discriminator="kind")]]


def test_the_kind_of_a_table_is_not_part_of_a_name() -> None:
    text = "\n[[animal]]\nkind = 'dog'\n[[animal]]\nname = 'tom'\nkind = 'cat'\nlives = 'nine'"
    printed = complaint(text, Animals).splitlines()
    assert "f.toml:7: animal tom.lives: must be a whole number, not 'nine'" in printed


def test_keys_and_tables_are_found_by_line() -> None:
    document = Document(TEXT, "f.toml")
    assert document.value(("table", "inline", "y")) == {"z": 2}
    assert [document.value(where) for where in (("table", "none"), ("one", 7), ("title", "x"))] == [None] * 3
    assert document.name(("one", 1, "inner", "key")) == "one second.inner.key"
    assert document.name(("one", 1, "more", 1, "key")) == "one second.more 2.key"
    assert (document.line("one", 1, "none"), document.line("none")) == (15, 1)


def test_a_long_statement_is_followed_to_its_end() -> None:
    """As far as four hundred lines; keys behind a longer one have the line of nothing."""
    for lines, found in ((399, True), (400, False)):
        text = "a = [\n" + "1,\n" * (lines - 1) + "]\nb = 2"
        made = key_lines(text)
        assert (made.get(("a",)), made.get(("b",))) == ((1, lines + 2) if found else (None, None)), lines
