"""Calls of the command line within the process of a test."""

from __future__ import annotations

import pytest

from collscope.commands import cli

RUN = ("run", "--on", "tiny", "--ranks", "4")


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = 0
    try:
        cli.main(list(words))
    except SystemExit as error:
        status = int(error.code or 0)
    said = capsys.readouterr()
    return status, said.out, said.err
