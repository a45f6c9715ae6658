"""Answers of programs as snapshots keep them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def rounded(value: Any, without: Collection[str] = ()) -> Any:
    """The value with each real number as text of nine digits, and without some keys, at any depth."""
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, dict):
        return {k: rounded(v, without) for k, v in value.items() if k not in without}
    return [rounded(v, without) for v in value] if isinstance(value, list) else value
