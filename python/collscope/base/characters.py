"""Characters that a terminal or a locale cannot show: what stands for them, so that every command prints everywhere."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import re
import sys

HANDLER = "collscope.plain"
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")  # all but tab and newline; nor can XML hold these
KEPT = 150  # characters of either end of an endless word in a message
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
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return PLAIN.get(character, "?")


def visible(text: str) -> str:
    """The text with control characters written out (\\x1b): what a file or an option says cannot steer a terminal."""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def short_words(text: str) -> str:
    """The text with the middle of each endless word left out, so that a message stays one."""
    return re.sub(rf"(\S{{{KEPT}}})\S{{{KEPT},}}(\S{{{KEPT}}})", r"\1…\2", text)


def open_streams() -> None:
    """Standard input, output and error are there: who has closed one (2>&-) reads nothing of it, and no file of ours takes its number."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)


def make_streams_print_all() -> None:
    """Standard output and error never fail on a character, whatever the locale."""
    open_streams()
    codecs.register_error(HANDLER, plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError, OSError):
                stream.reconfigure(errors=HANDLER)
