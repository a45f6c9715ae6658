"""collscope.base.console: what is said on a terminal, in a file or a pipe."""

from __future__ import annotations

import fcntl
import io
import os
import struct
import sys
import termios

import pytest

from collscope.base import console

LONG = "word " * 39 + "end"  # 198 characters


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A terminal of 40 columns on both outputs."""
    made = Screen()
    monkeypatch.setattr(sys, "stdout", made)
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr(console, "out", console.out.__wrapped__)
    for name, value in {"TERM": "xterm", "COLUMNS": "40", "LINES": "20"}.items():
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return made


def test_numbers_and_words_have_no_colour_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    for made in (console.out(), console.err.__wrapped__()):
        made.print("1.5 True None 'a' http://x.y")
        assert made.size == (40, 20)
    assert screen.getvalue() == "1.5 True None 'a' http://x.y\n" * 2


def test_errors_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    console.err.__wrapped__().print("x")
    assert capsys.readouterr() == ("", "x\n")


def test_a_sentence_is_broken_between_words_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    console.say(f"[bold]a[/bold] {LONG}", markup=True)
    lines = screen.getvalue().splitlines()
    assert lines[0] == "\033[1ma\033[0m word word word word word word word "
    assert [len(line) for line in lines[1:]] == [40, 40, 40, 40, 3]


def test_a_sentence_is_one_line_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    console.say(f"[a] {LONG}")
    assert capsys.readouterr().out == f"[a] {LONG}\n"


@pytest.mark.parametrize(
    ("columns", "width"),
    [(None, 100), ("", 100), ("0", 100), ("1", 1), ("10000", 10_000), ("10001", 100), ("-5", 100), ("wide", 100)],
)
def test_tables_in_a_file_are_as_wide_as_COLUMNS(
    monkeypatch: pytest.MonkeyPatch, columns: str | None, width: int
) -> None:
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert console._size(terminal=False) == (width, 25)


def test_tables_in_front_of_a_pager_fit_its_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """`run … | less`: standard error is the terminal still."""
    monkeypatch.delenv("COLUMNS", raising=False)
    main, side = os.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("4H", 30, 72, 0, 0))
    with os.fdopen(side, "w") as screen:
        monkeypatch.setattr(sys, "stderr", screen)
        assert console._size(terminal=False) == (72, 25)
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("4H", 0, 0, 0, 0))
        assert console._size(terminal=False) == (100, 25), "one that does not know its width"
        monkeypatch.setenv("COLUMNS", "130")
        assert console._size(terminal=False) == (130, 25)
    os.close(main)


def test_a_note_is_one_line_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    console.note("a\x1b[2J " + "x" * 500)
    assert capsys.readouterr() == ("", f"collscope: a\\x1b[2J {'x' * 150}…{'x' * 150}\n")


def test_remarks_are_left_out_meanwhile_and_errors_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with console.quiet():
        console.note("a remark")
        with console.quiet(False):
            console.note("inside")
        assert console.is_quiet()
        console.complain("an error")
    console.note("after")
    assert capsys.readouterr().err == "".join(f"collscope: {text}\n" for text in ("inside", "an error", "after"))
