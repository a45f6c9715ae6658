"""The answer of `compare` as a JSON document: every call, errors, winners, what is left out. Keys: docs/json.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from collscope.analysis import prediction
from collscope.base import documents

if TYPE_CHECKING:
    import pandas as pd

SIDES = ("predicted", "measured")


def show(both: pd.DataFrame, sides: Sequence[tuple[str, str]], left: Sequence[Mapping[str, Any]]) -> None:
    """Prints the document. `both` as prediction.joined has it; `sides`: file and source of the predicted and the measured times; `left`:
    rows that are left out, as file, count and reason."""
    won = prediction.winners(both)
    documents.show(
        "compare",
        {
            **{name: {"file": file, "source": source} for name, (file, source) in zip(SIDES, sides, strict=True)},
            "calls": [_call(row) for row in both.to_dict("records")],
            "left_out": list(left),
            "errors": [
                {"by": by or "all", "value": str(row[0]), "calls": row[1], **_shares(("median", "p90", "max", "bias", "floor"), row[2:])}
                for by in (None, *prediction.BY)
                for row in prediction.errors(both, by).itertuples(index=False, name=None)
            ],
            "coverage": [
                {"calls": row.calls, **_shares(("inside", "below", "above"), (row.inside, row.below, row.above)),
                 "repetitions": row.repetitions, "repetitions_inside_share": row.repetitions_inside}
                for row in prediction.coverage(both).itertuples(index=False)
            ],
            "band": [
                {"calls": row.calls, **_shares(("inside", "below", "above"), (row.inside, row.below, row.above))}
                for row in prediction.coverage(both, band=prediction.DRAWN_BAND).itertuples(index=False)
            ],
            "winners": None if won is None else _winners(won),
        },
    )  # fmt: skip


def _call(row: Mapping[Any, Any]) -> dict[str, Any]:
    names = [*prediction.CALL, "algorithm", "predicted_s", "measured_s"]
    bands = (*prediction.NOISE_BAND, *prediction.DRAWN_BAND)
    return {
        **{name: row[name] for name in names},
        "chose": row["chose"] or None,
        "measured_low_s": row["low_s"],
        "measured_high_s": row["high_s"],
        **{name: row.get(name) for name in bands},
        "error_share": row["error"],
        "ratio": row["predicted_s"] / row["measured_s"],
    }


def _shares(names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    return {f"{name}_share": value for name, value in zip(names, values, strict=True)}


def _winners(won: prediction.Winners) -> dict[str, Any]:
    found = asdict(won)
    kept = ("calls", "same", "ties", "undecided", "worst_call")
    regrets = ("mean_regret", "p90_regret", "worst_regret")
    return {
        **{name: found[name] for name in kept},
        "wrong": won.wrong,
        "agreement_share": won.agreement,
        **_shares(regrets, [found[name] for name in regrets]),
        "rank_correlation": won.correlation,
    }
