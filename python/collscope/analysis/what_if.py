"""What a study with [vary] says of its variants: times and winners, beside those of the first value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from collscope.base.units import counted, join_words, rounded_size
from collscope.machines import find
from collscope.machines.study_variants import BUFFERS, SIMULATED, Variant, Variation

if TYPE_CHECKING:
    import pandas as pd

STEM = "what_if"  # of the figure and of the table beside it
ALIKE = 5e-3  # relatively: a change that nobody speaks of
SAME = 1e-9  # relatively: times that differ by less are the same, and the first of them wins
COLUMNS = (
    "collective",
    "nodes",
    "ranks",
    "bytes",
    "platform",
    "mapping",
    "winner",
    "time_s",
    "before",
    "before_s",
    "ratio",
)


def of_variant(frame: pd.DataFrame, variant: Variant) -> pd.DataFrame:
    """The rows of a tidy table that are of this variant; a bound is the same for all buffers."""
    buffers = frame["buffers"].replace("", SIMULATED[0])
    mine = (buffers == variant.buffers) | (frame["source"] == "bound")
    return frame[(frame["platform"] == find.load(variant.platform).name) & (frame["mapping"] == variant.mapping) & mine]


def columns(variations: Sequence[Variation]) -> list[str]:
    """Of a table of winners: COLUMNS, and buffers where they are varied."""
    return [*COLUMNS, *(v.key for v in variations if v.key == BUFFERS)]


def _compared_with(variants: Sequence[Variant], variant: Variant, first: str) -> int:
    """Where the variant stands that has the first value of the first key, and all else as this one."""
    return next(k for k, v in enumerate(variants) if v.values == (first, *variant.values[1:]))


def _words(variations: Sequence[Variation], values: Sequence[str]) -> str:
    """Keys and values for people: nic_bytes_per_s 2×, mapping cyclic."""
    words = ((v.key if not v.names else "", v.label(value)) for v, value in zip(variations, values, strict=True))
    return ", ".join(f"{key} {label}".strip() for key, label in words)


@dataclass(frozen=True)
class WhatIf:
    """Times of all variants. `times`: collective, ranks, nodes, bytes, key, time_s, short_label, variant (place in `variants`), column and
    row (the value of the first key and those of the others, for people); `winners`: one per size and variant, see COLUMNS, with the last
    three."""

    titles: Mapping[str, str]  # collective → title, in the order in which they are shown
    variations: Sequence[Variation]
    variants: Sequence[Variant]
    times: pd.DataFrame
    winners: pd.DataFrame

    def blocks(self) -> list[dict[str, object]]:
        """A row for each collective, layout and variant: title, nodes, ranks, variant, row, best (who wins where), ratio (geometric mean of
        the best time over that of the first value), least, most, changes (sizes with another winner), sizes."""
        import numpy as np

        out = []
        for collective, title in self.titles.items():
            mine = self.winners[self.winners["collective"] == collective]
            for (nodes, ranks, _), part in mine.groupby(["nodes", "ranks", "variant"], sort=False):
                ratio = part["ratio"].to_numpy()
                out.append(
                    {"title": title, "nodes": nodes, "ranks": ranks, "column": part["column"].iloc[0], "row": part["row"].iloc[0],
                     "best": _sequence(list(part["winner"]), list(part["bytes"])), "ratio": float(np.exp(np.log(ratio).mean())),
                     "least": float(ratio.min()), "most": float(ratio.max()),
                     "changes": int((part["winner"] != part["before"]).sum()), "sizes": len(part)}
                )  # fmt: skip
        return out

    def sentence(self) -> str:
        """What the variants change, in a sentence for each value but the first."""
        words = []
        first = self.variations[0]
        for value in first.values[1:]:
            variants = [k for k, v in enumerate(self.variants) if v.values[0] == value]
            mine = self.winners[self.winners["variant"].isin(variants)]
            if mine.empty:
                continue
            changed = mine[mine["winner"] != mine["before"]]
            instead = f"With {first.key} {first.label(value)} instead of {first.label(first.values[0])}"
            if changed.empty and (abs(mine["ratio"] - 1) < ALIKE).all():
                words.append(
                    f"{instead} the best time is the same everywhere, by the same algorithm. {self._each(variants)}"
                )
                continue
            least = mine.loc[mine["ratio"].idxmin()]
            size = f", {rounded_size(int(least['bytes']))}" if least["bytes"] else ""
            where = f"{least['collective']}{size}" + (f", {least['row']}" if least["row"] else "")
            words.append(
                f"{instead} the best time is {least['ratio']:.2f} to "
                f"{mine['ratio'].max():.2f} times as long (least: {where}), and another algorithm wins at {len(changed)} of "
                f"{counted(len(mine), 'point')}."
            )
        return " ".join(words)

    def _each(self, variants: Sequence[int]) -> str:
        """How many times as long each algorithm takes in these variants, as geometric mean over places and sizes."""
        import numpy as np

        place = ["collective", "nodes", "ranks", "bytes", "short_label"]
        own = self.times.set_index(["variant", *place])["time_s"]
        ratios: dict[str, list[float]] = {}
        for k in variants:
            base = _compared_with(self.variants, self.variants[k], self.variations[0].values[0])
            for name, ratio in (own[k] / own[base]).groupby("short_label", sort=False):
                ratios.setdefault(str(name), []).extend(ratio.dropna())
        means = {name: float(np.exp(np.log(some).mean())) for name, some in ratios.items()}
        shares = [f"{name} {mean:.2f}" for name, mean in sorted(means.items(), key=lambda m: m[1])]
        return "Each algorithm by itself takes so many times as long, as geometric mean: " + "; ".join(shares) + "."


def _sequence(winners: Sequence[str], sizes: Sequence[int]) -> str:
    """Who wins from the smallest size to the largest."""
    runs: list[tuple[str, int]] = []
    for name, size in zip(winners, sizes, strict=True):
        if runs and runs[-1][0] == name:
            runs[-1] = (name, size)
        else:
            runs.append((name, size))
    if len(runs) == 1:
        return f"{runs[0][0]} at every size"
    return join_words([f"{name} to {rounded_size(size)}" for name, size in runs])


def make(
    titles: Mapping[str, str],
    variations: Sequence[Variation],
    variants: Sequence[Variant],
    timed: Sequence[pd.DataFrame],
) -> WhatIf:
    """`timed`: for each of the variants collective, ranks, nodes, bytes, key, time_s and short_label."""
    import pandas as pd

    parts = []
    for at, (variant, frame) in enumerate(zip(variants, timed, strict=True)):
        column, row = _words(variations[:1], variant.values[:1]), _words(variations[1:], variant.values[1:])
        name = find.load(variant.platform).name
        parts.append(
            frame.assign(
                variant=at, column=column, row=row, mapping=variant.mapping, platform=name, buffers=variant.buffers
            )
        )
    times = pd.concat(parts, ignore_index=True)
    place = ["collective", "nodes", "ranks", "bytes"]
    least = times.groupby(["variant", *place])["time_s"].transform("min")
    best = times[times["time_s"] <= least * (1 + SAME)].drop_duplicates(["variant", *place])
    best = best.assign(winner=best["short_label"])
    base = {at: _compared_with(variants, v, variations[0].values[0]) for at, v in enumerate(variants)}
    before = best[["variant", *place, "winner", "time_s"]]
    before = before.rename(columns={"variant": "base", "winner": "before", "time_s": "before_s"})
    winners = best.assign(base=best["variant"].map(base)).merge(before, on=["base", *place])
    winners["ratio"] = winners["time_s"] / winners["before_s"]
    order = {name: k for k, name in enumerate(titles)}
    winners = winners.assign(at=winners["collective"].map(order))
    winners = winners.sort_values(["at", "ranks", "nodes", "variant", "bytes"], kind="stable")
    return WhatIf(titles, variations, variants, times, winners.drop(columns=["at", "base"]).reset_index(drop=True))
