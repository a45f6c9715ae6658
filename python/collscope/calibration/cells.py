"""The cells of a table that somebody made: numbers, or a message that names the line."""

from __future__ import annotations

import math
import re

from collscope.base.errors import UserError
from collscope.base.number import MAX_BYTES

MAX_VALUE = 1e9  # microseconds, megabytes or messages per second


def is_number(text: str) -> bool:
    """Whether this is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def size_of(text: str, where: str, what: str) -> int:
    """A whole number of a table. UserError: `where` (FILE:LINE) and `what` it should have been."""
    if not re.fullmatch(r"\d{1,16}", text) or int(text) > MAX_BYTES:
        raise UserError(f'{where}: {what}: "{text[:40]}" is not a whole number up to {MAX_BYTES}')
    return int(text)


def number_of(text: str, where: str, what: str) -> float:
    """A time or a rate of a table, in its own unit. UserError as size_of."""
    value = float(text) if is_number(text) else math.nan
    if not 0 < value < MAX_VALUE:
        raise UserError(f'{where}: {what}: "{text[:40]}" is not a number above 0; correct the line or remove it')
    return value
