"""Who wins where, by families of algorithms: on each machine and at each size the fastest, and what it gains on what was there before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

import pandas as pd

from collscope.base.units import counted, join_words

BEFORE = "before"  # the family of what no pattern names
SAME = 1e-9  # relatively: times that differ by less are the same, and what was there before wins
PLACE = ["platform", "collective", "nodes", "ranks", "bytes"]
COLUMNS = [*PLACE, "winner", "family", "time_s", "before", "before_s", "gain"]


def family_of(key: str, families: Mapping[str, Sequence[str]]) -> str:
    """The first family that has a pattern for the key without its parameters."""
    stem = key.partition("[")[0]
    return next((name for name, patterns in families.items() if any(fnmatchcase(stem, p) for p in patterns)), BEFORE)


def winners(times: pd.DataFrame, families: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """COLUMNS, a row for each of PLACE, in the order of the times: the fastest, its family and time, the fastest of BEFORE with its time
    (empty and NaN where that has none), and how many times as long that takes. `times`: PLACE, key, short_label, time_s."""
    made = times.assign(family=[family_of(str(key), families) for key in times["key"]])
    old = made[made["family"] == BEFORE]
    best = _fastest(made)
    # Of times that are the same that of BEFORE.
    near = made.merge(best[[*PLACE, "time_s"]].rename(columns={"time_s": "least_s"}), on=PLACE)
    near = near[near["time_s"] <= near["least_s"] * (1 + SAME)]
    near = near.assign(rank=(near["family"] != BEFORE).astype(int)).sort_values("rank", kind="stable")
    best = best[PLACE].merge(near.drop_duplicates(PLACE), on=PLACE)
    before = _fastest(old)[[*PLACE, "short_label", "time_s"]]
    before = before.rename(columns={"short_label": "before", "time_s": "before_s"})
    found = best.merge(before, on=PLACE, how="left").rename(columns={"short_label": "winner"})
    found["before"] = found["before"].fillna("")
    found["gain"] = found["before_s"] / found["time_s"]
    return found[COLUMNS].reset_index(drop=True)


def _fastest(times: pd.DataFrame) -> pd.DataFrame:
    return times.loc[times.groupby(PLACE, sort=False)["time_s"].idxmin()]


def sentence(found: pd.DataFrame) -> str:
    """How often each family wins, and where it gains most."""
    new = found[found["family"] != BEFORE]
    if found.empty or new.empty:
        return ""
    counts = new["family"].value_counts()
    each = join_words([f"{name} {n}" for name, n in counts.items()])
    most = new.loc[new["gain"].fillna(0).idxmax()]
    return (
        f"At {len(new)} of {counted(len(found), 'point')} (collective, ranks, size and machine) the fastest is of a new family: {each}. "
        f"The largest gain on the best of what was there before is {most['gain']:.1f} times: {most['winner']} over {most['before']} "
        f"({most['collective']}, {most['ranks']} ranks, {most['platform']})."
    )


def moved(times: pd.DataFrame, pairs: Sequence[tuple[str, str]], column: str) -> pd.DataFrame:
    """Bytes of an algorithm over those of another, over all sizes that both have: platform, collective, nodes, ranks, key, than, share;
    only where the other moves some. `times`: PLACE, key and the column."""
    rows = []
    place = ["platform", "collective", "nodes", "ranks"]
    by = times.dropna(subset=[column]).groupby([*place, "key"], sort=False)
    sums = {key: part.set_index("bytes")[column] for key, part in by}
    for at in dict.fromkeys(key[:-1] for key in sums):
        for key, than in pairs:
            mine, theirs = sums.get((*at, key)), sums.get((*at, than))
            if mine is None or theirs is None:
                continue
            both = mine.index.intersection(theirs.index)
            if len(both) and theirs[both].sum() > 0:
                rows.append((*at, key, than, float(mine[both].sum() / theirs[both].sum())))
    return pd.DataFrame(rows, columns=[*place, "key", "than", "share"])
