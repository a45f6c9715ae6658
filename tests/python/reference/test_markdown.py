"""Texts in Markdown."""

from __future__ import annotations

from collscope.reference.markdown import cell, dots


def test_what_markdown_would_take_for_its_own_is_kept() -> None:
    assert cell("a | b * c < d") == "a \\| b \\* c &lt; d"


def test_gaps_become_dots() -> None:
    assert dots("  alpha + m beta     m = bytes ") == "alpha + m beta · m = bytes"
