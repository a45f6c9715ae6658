"""collscope.analysis.what_if: what a study with other numbers says of its winners."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd

from collscope.analysis.what_if import WhatIf


def test_another_winner_is_reported_although_the_best_time_stays() -> None:
    vary: Any = SimpleNamespace(key="mapping", values=("block", "cyclic"), names=(), label=str)
    variants: Any = [SimpleNamespace(values=(value,)) for value in vary.values]
    won = [("bcast", 8, 1, "", 1.001, name, "mst") for name in ("mst", "linear")]
    winners = pd.DataFrame(won, columns=["collective", "bytes", "variant", "row", "ratio", "winner", "before"])
    found = WhatIf({"bcast": "Broadcast"}, [vary], variants, pd.DataFrame(), winners).sentence()
    assert "With mapping cyclic instead of block" in found
    assert found.endswith("another algorithm wins at 1 of 2 points.")
