"""The answer of `run` as a JSON document: rows, bounds, winners with their doubts and settings, refusals. Keys: docs/json.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from collscope.base import documents
from collscope.catalogue.decisions import library_name
from collscope.commands.run_advice import Winner, advice, over_default
from collscope.commands.run_table import CALL
from collscope.machines.completion import Unknown
from collscope.points.table import Row
from collscope.points.table_files import named_cells
from collscope.sources.assumptions import TIE, Doubt, Judged
from collscope.sources.draws import BAND
from collscope.sources.outcome import OK
from collscope.tuning import openmpi
from collscope.tuning.openmpi import OpenMpi


def show(
    rows: Sequence[Row], bounds: Sequence[Row], winners: Sequence[Winner], timed_all: bool, finished: bool = True
) -> None:
    """Prints the document; `bounds` as run_table.show has them, `timed_all` as run_winners.show;
    not `finished`: the user ended the work."""
    versions = openmpi.libraries(openmpi.installed())
    documents.show(
        "run",
        {
            "finished": finished,
            "rows": named_cells(rows),
            "bounds": named_cells(bounds),
            "winners": [_winner(winner, versions, timed_all) for winner in winners],
            "refusals": _refusals(rows),
        },
    )


def _winner(w: Winner, versions: Sequence[OpenMpi], timed_all: bool) -> dict[str, Any]:
    """What is known of the choice for one call; a ratio is to the fastest."""
    best = w.times[w.key]
    return {
        **{name: w.row[name] for name in ("source", "metric", *CALL)},
        "algorithm": w.key,
        "time_s": best,
        "tied": w.ties[1:],
        "tie_share": TIE,
        "unstable": w.row.get("unstable") or None,
        "algorithms": [{"algorithm": key, "time_s": time, "ratio": time / best} for key, time in w.times.items()],
        "libraries": [_library(w, decision, key) for decision, key in w.taken.items()],
        "doubt": _doubt(w.doubt) if w.doubt else None,
        "draws": _draws(w.judged) if w.judged else None,
        "unchecked": [_unknown(unknown) for unknown in (w.unchecked.unknowns if w.unchecked else ())],
        "unchecked_because": w.unchecked.reason if w.unchecked else None,
        "better_than_default": [*filter(None, (_better(w, v) for v in versions))] if w.doubt else [],
        "settings": [] if w.doubt or w.is_own_choice else [*filter(None, (_setting(w, v) for v in versions))],
        "advice": advice([w], versions, timed_all),
    }  # fmt: skip


def _doubt(doubt: Doubt) -> dict[str, Any]:
    """On what the winner hangs."""
    return {**_unknown(doubt.unknown), "algorithm": doubt.other, "loss_share": doubt.loss, "draws": doubt.draws}


def _draws(judged: Judged) -> dict[str, Any]:
    """The winner over draws of the numbers that the platform's file leaves open."""
    return {
        "count": judged.draws,
        "wins": judged.wins,
        "band": list(BAND),
        "low_s": judged.band_s[0],
        "high_s": judged.band_s[1],
        "numbers": [_unknown(unknown) for unknown in judged.unknowns],
    }


def _library(w: Winner, decision: str, key: str) -> dict[str, Any]:
    """What a library takes by itself; no algorithm where coll/han decides."""
    known = decision in w.defaults
    lead = w.lead(w.key, key) if known and key != w.key else None
    return {
        "decision": decision,
        "library": library_name(decision),
        "algorithm": key if known else None,
        "ratio": w.times[key] / w.times[w.key] if key in w.times and known else None,
        "slower_draws": lead.wins if lead else None,
        "low_ratio": lead.band[0] if lead else None,
        "high_ratio": lead.band[1] if lead else None,
    }


def _better(w: Winner, library: OpenMpi) -> dict[str, Any] | None:
    """How a version of Open MPI takes what is faster than its default in every draw."""
    key, words = over_default([w], library)
    return (
        {"library": openmpi.names([library]), "algorithm": key, "default": w.takes(library), "mca": words}
        if words
        else None
    )


def _unknown(unknown: Unknown) -> dict[str, Any]:
    return {"number": unknown.name, "keys": unknown.keys, "measure": unknown.measure}


def _setting(w: Winner, library: OpenMpi) -> dict[str, Any] | None:
    """How a version of Open MPI takes the fastest of the algorithms that it has."""
    for key, time in w.times.items():
        if words := w.words(key, library):
            return {
                "library": openmpi.names([library]),
                "algorithm": key,
                "ratio": time / w.times[w.key],
                "mca": words,
            }
    return None


def _refusals(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Why there is no time, each reason of an algorithm once."""
    names = ("source", "algorithm", "kind", "status")
    found: dict[tuple[Any, ...], int] = {}
    for row in rows:
        if row["kind"] != OK:
            reason = tuple(row[name] for name in names)
            found[reason] = found.get(reason, 0) + 1
    return [{**dict(zip(names, reason, strict=True)), "points": count} for reason, count in found.items()]
