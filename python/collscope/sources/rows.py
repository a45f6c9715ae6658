"""The sources of numbers there are, by name. A new source is one module with a SOURCE, and one line here."""

from __future__ import annotations

from collections.abc import Sequence

from collscope.base.errors import unknown
from collscope.points.table import Row
from collscope.sources import bounds, measure, model, published, simulate
from collscope.sources.outcome import FAILURES
from collscope.sources.source import Source

SOURCES: dict[str, Source] = {
    s.name: s for s in (bounds.SOURCE, model.SOURCE, simulate.SOURCE, measure.SOURCE, published.SOURCE)
}


def named(text: str) -> list[Source]:
    """The sources of a list as typed, "bound,sim", each once; UsageError for an unknown name."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in SOURCES:
            raise unknown("source", name, SOURCES)
    return [SOURCES[name] for name in dict.fromkeys(names)]


def failed(rows: Sequence[Row]) -> list[Row]:
    """Rows whose point broke the program that ran it, or whose data is wrong: failures, unlike unsupported points."""
    return [row for row in rows if row["kind"] in FAILURES]
