"""The answer of `advise` as a JSON document. Keys: docs/json.md."""

from __future__ import annotations

from typing import Any

from collscope.base import documents
from collscope.sources.draws import BAND
from collscope.tuning.advice import Advice, Answer
from collscope.tuning.changes import MEAN, Timed
from collscope.tuning.uses import Use


def show(answer: Answer, written: str) -> None:
    """Prints the document; `written`: the folder with the rules, "": none."""
    p = answer.profile
    by_use = {id(t.use): t for t in answer.timed}
    reasons = {id(use): why for use, why in answer.left_out}
    documents.show(
        "advise",
        {
            "profile": p.file,
            "tool": p.tool,
            "library": p.library or None,
            "own_choice": answer.own,
            "platform": answer.platform,
            "target": answer.target,
            "ranks": p.ranks,
            "run_s": p.run_s,
            "collectives_s": p.seconds,
            "uses": [_use(use, by_use.get(id(use)), reasons.get(id(use))) for use in p.uses],
            "changes": [_change(advice) for advice in answer.advice],
            "hints": [
                {
                    "kind": h.kind,
                    "collective": h.use.collective,
                    "saves_s": h.saves_s,
                    "measured": h.is_measured,
                    "text": h.text,
                }
                for h in answer.hints
            ],
            "notes": list(answer.notes),
            "written": written or None,
        },
    )


def _use(use: Use, part: Timed | None, reason: str | None) -> dict[str, Any]:
    return {
        "collective": use.collective,
        "communicator": use.where,
        "ranks": use.ranks,
        "nodes": use.nodes,
        "bytes_from": use.bytes[0] if use.bytes else None,
        "bytes_to": use.bytes[1] if use.bytes else None,
        "calls": use.calls,
        "time_s": use.seconds,
        "waiting_s": use.waiting_s,
        "algorithm": part.own[MEAN] if part else use.algorithm,
        "algorithm_known": use.algorithm is not None,
        "model_call_s": part.own_s if part else None,
        "ratio": part.over_model if part and use.working_s else None,
        "not_judged_because": reason,
    }


def _change(advice: Advice) -> dict[str, Any]:
    c = advice.change
    low, high = advice.band_s or (None, None)
    return {
        "collective": c.collective,
        "ranks": c.ranks,
        "bytes_from": c.bytes[0],
        "bytes_to": c.bytes[1],
        "algorithm": c.key,
        "now": c.main.own[MEAN],
        "now_known": c.main.is_known,
        "time_s": c.seconds,
        "saves_s": c.saves_s,
        "saves_share": c.saves_s / c.seconds,
        "band": list(BAND),
        "low_s": low,
        "high_s": high,
        "doubt": advice.doubt or None,
        "unchecked_because": advice.unchecked or None,
    }
