"""collscope.sources.rows: the list of sources."""

from __future__ import annotations

import pytest

from collscope.base.errors import UsageError
from collscope.sources import rows


def test_sources_are_found_by_name() -> None:
    assert list(rows.SOURCES) == ["bound", "model", "sim", "real", "published"]
    assert [source.name for source in rows.named("sim, real,sim")] == ["sim", "real"]
    with pytest.raises(UsageError, match='did you mean "real"'):
        rows.named("sim,reel")


def test_only_what_broke_is_a_failure() -> None:
    made = [{"kind": kind} for kind in ("ok", "unsupported", "failed", "wrong", "died", "")]
    assert [row["kind"] for row in rows.failed(made)] == ["failed", "wrong", "died"]
