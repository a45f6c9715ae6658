"""Asking the prover: one process, JSON lines back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from collscope.base import programs
from collscope.base.errors import UserError


def replies(words: Sequence[str | Path], text: str = "") -> list[dict[str, Any]]:
    """The prover's JSON lines to these words and this standard input; prove/main.c says what is in them.

    UserError when it cannot be run or fails. Exit status 1 with lines is an answer: a proof that failed."""
    try:
        done = programs.answer([programs.PROVER, *words], input=text)
    except OSError as error:
        raise UserError(f"{programs.PROVER}: {error.strerror}; run ./collscope doctor") from error
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode not in (0, 1) or (done.returncode and not lines):
        raise UserError(f"the prover failed: {done.stderr.strip() or f'exit status {done.returncode}'}")
    return lines
