"""What a function refuses, as its user reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from collscope.base.errors import UserError


def refusal(function: Callable[..., Any], *words: Any, **options: Any) -> str:
    """The message of the UserError that a call raises."""
    with pytest.raises(UserError) as refused:
        function(*words, **options)
    return str(refused.value)
