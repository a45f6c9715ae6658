"""Files with fixed keys: which line a key stands on, and what is said of mistakes."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field

from collscope.base.errors import UserError
from collscope.base.toml_table import Document, Table, key_lines, one_of

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
    ("text", "said"),
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
def test_all_mistakes_are_told_with_line_and_key(text: str, said: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        Document(text, "f.toml").read(File)
    assert sorted(str(caught.value).splitlines()) == sorted(said)


def test_a_whole_number_may_stand_for_a_float() -> None:
    assert Document("title = ''\ninner = [{ name = 'a', share = 1 }]", "f.toml").read(File).inner[0].share == 1.0
