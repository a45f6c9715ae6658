"""The ratchet of structure tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

import ratchet


@pytest.fixture
def only_listed(request: pytest.FixtureRequest) -> Callable[[str, Mapping[str, str]], None]:
    """only_listed(RULE, breaches): no file breaks the rule but those listed in ratchet/RULE; see ratchet.py."""
    update = request.config.getoption("--update-golden")
    return lambda rule, breaches: ratchet.check(ratchet.LISTS / rule, breaches, update)
