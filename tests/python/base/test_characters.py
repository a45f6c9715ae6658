"""collscope.base.characters: what stands for characters that a terminal, a locale or a message cannot hold."""

from __future__ import annotations

import codecs

import pytest

from collscope.base import characters
from collscope.base.characters import HANDLER, short_words, visible


@pytest.fixture(autouse=True)
def handler() -> None:
    codecs.register_error(HANDLER, characters.plain)


def test_each_character_of_ours_has_an_ascii_spelling() -> None:
    spelt = {
        "→←↔…⋮": "-><-<->......", "×µ·−–—": "xu----", "≤≥≠≈": "<=>=!=~", "²∞⊕■√": "^2inf+#sqrt", "1\u2009000": "1 000",
        "αβγ": "alphabetagamma", "⌈p⌉⌊q⌋": "ceil(p)floor(q)", "│─": "|-", "é♞": "??",
    }  # fmt: skip
    assert {text: text.encode("ascii", HANDLER).decode() for text in spelt} == spelt
    assert set("".join(spelt)) - {*"1000pqé♞"} == set(characters.PLAIN)


def test_bytes_of_a_name_that_is_no_utf_8_are_spelt_as_such() -> None:
    text = "\udc7f \udc80 \udcff \udd00"
    assert text.encode("utf-8", HANDLER) == b"? \\x80 \\xff ?"
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", HANDLER)


def test_control_characters_are_written_out() -> None:
    assert visible("\0\x08\t\n\x0b\x1f ~\x7f\x9f\xa0\ufffd\ufffe\uffff") == (
        "\\x00\\x08\t\n\\x0b\\x1f ~\\x7f\\x9f\xa0\ufffd\\xfffe\\xffff"
    )


def test_an_endless_word_loses_its_middle() -> None:
    word = "a" * 150 + "b" * 149 + "c" * 150
    assert short_words(f"x {word} y") == f"x {word} y"
    assert short_words(f"x {word[:150]}b{word[150:]} y") == f"x {'a' * 150}…{'c' * 150} y"
    assert short_words("a" * 1000) == f"{'a' * 150}…{'a' * 150}"
