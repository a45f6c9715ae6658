#!/usr/bin/env python3
"""Rules made by the model, judged by published times in place of measured ones: what they lose against the fastest algorithm that was
published for each call, beside Open MPI's own choice.

    ./collscope validate orfeo_published
    .venv/bin/python bench/tune_published.py [--table results/validation/orfeo_published/table.csv] [--loss 2%]
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

import pandas as pd

from collscope.base.errors import UserError
from collscope.base.statistics import quantile
from collscope.commands.tune_rules import read_share
from collscope.points import table
from collscope.tuning.rules import Call, chosen, fitted

OWN = "decision/ompi_4_1"
TABLE = ROOT / "results" / "validation" / "orfeo_published" / "table.csv"


def times(frame: pd.DataFrame, source: str) -> pd.DataFrame:
    """Of one source as tuning/rules has them, without decisions."""
    frame = frame.assign(bytes=frame["block_bytes"])  # as the table has it; blocks of different ranks share no vector
    of = frame[(frame["source"] == source) & (frame["kind"] == "ok") & ~frame["algorithm"].str.startswith("decision/")]
    return of.rename(columns={"algorithm": "name", "median_s": "time_s"})[
        ["collective", "ranks", "bytes", "name", "time_s"]
    ]


def own(frame: pd.DataFrame) -> dict[Call, str]:
    """What Open MPI takes by itself."""
    of = frame[(frame["source"] == "model") & (frame["algorithm"] == OWN) & (frame["kind"] == "ok")]
    return {
        (c, int(p), int(n)): key
        for c, p, n, key in of[["collective", "ranks", "block_bytes", "chose"]].itertuples(index=False)
    }


def line(what: str, losses: Sequence[float], rules: int | None = None) -> str:
    """Mean, nine tenths and worst of what is lost."""
    ascending = sorted(losses)
    count = "" if rules is None else f"{rules:5d}"
    return (
        f"{what:28s} {count:>5s} {len(losses):6d} {100 * statistics.fmean(losses):8.1f} % {100 * quantile(ascending, 0.5):8.1f} % "
        f"{100 * quantile(ascending, 0.9):8.1f} % {100 * ascending[-1]:8.0f} %"
    )


def main() -> int:
    """Prints the losses of each collective."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    options.add_argument("--table", type=Path, default=TABLE, help="as the campaign has written it")
    options.add_argument("--loss", default="2%")
    given = options.parse_args()
    if not given.table.is_file():
        raise UserError(f"{given.table}: not there; ./collscope validate orfeo_published writes it")
    frame = table.read_csv(given.table)
    model, published, default = times(frame, "model"), times(frame, "published"), own(frame)
    modelled = {(c, int(p), int(n), key): t for c, p, n, key, t in model.itertuples(index=False)}
    default_s = {call: modelled[(*call, key)] for call, key in default.items() if (*call, key) in modelled}
    known: dict[Call, dict[str, float]] = {}
    for collective, ranks, size, key, time_s in published.itertuples(index=False):
        known.setdefault((collective, int(ranks), int(size)), {})[key] = time_s
    print(
        f"{'lost against the best':28s} {'most':>5s} {'calls':>6s} {'mean':>10s} {'median':>10s} {'p90':>10s} {'worst':>10s}"
    )
    for collective in ("bcast", "scatter"):
        mine = model[model["collective"] == collective]
        rules = [rule for _, part in mine.groupby("ranks") for rule in fitted(part, default_s, read_share(given.loss))]
        most = max(sum(rule.ranks == other.ranks for other in rules) for rule in rules)
        taken = {call: rule.key for call in known if (rule := chosen(rules, call))}
        best = {call: min(known[call].values()) for call in taken if taken[call] in known[call]}
        both = [call for call in best if default.get(call) in known[call]]
        print(line(f"{collective}: rules", [known[c][taken[c]] / best[c] - 1 for c in best], most))
        print(line("  where Open MPI's is known", [known[c][taken[c]] / best[c] - 1 for c in both], most))
        print(line("  Open MPI's own", [known[c][default[c]] / best[c] - 1 for c in both]))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"tune_published: {error}")
