"""Characters that a terminal or a locale cannot show: what stands for them, so that every command prints everywhere."""

from __future__ import annotations

import codecs
import contextlib
import io
import sys

HANDLER = "collscope.plain"
PLAIN = {
    **{
        "→": "->",
        "←": "<-",
        "↔": "<->",
        "…": "...",
        "⋮": "...",
        "×": "x",
        "µ": "u",
        "·": "-",
        "−": "-",
        "–": "-",
        "—": "-",
    },
    **{
        "≤": "<=",
        "≥": ">=",
        "≠": "!=",
        "≈": "~",
        "²": "^2",
        "∞": "inf",
        "⊕": "+",
        "■": "#",
        "√": "sqrt",
        "\u2009": " ",
    },
    **{"α": "alpha", "β": "beta", "γ": "gamma", "⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")", "│": "|", "─": "-"},
}


def plain(error: UnicodeError) -> tuple[str, int]:
    """What is written for characters that an encoding lacks: an ASCII spelling, the bytes of a file's name, or a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a name that is no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return character if character.isascii() else PLAIN.get(character, "?")


def make_streams_print_all() -> None:
    """Standard output and error never fail on a character, whatever the locale."""
    codecs.register_error(HANDLER, plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError, OSError):
                stream.reconfigure(errors=HANDLER)
