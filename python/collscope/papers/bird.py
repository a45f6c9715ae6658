"""What S. Bird's paper on Schooner says, as assertions (B1 ... B9), and its Table III.

Times are judged by their geometric mean over the marked sizes (the paper's 2^20 ... 2^27 floats) at each node count. The
expectations were written from Chan's cost formulas, the decision functions of the two versions of Open MPI and the shape of
the machine, before the study was first run; they are not changed afterwards. "builtin" is one candidate at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from collscope.analysis.claims import NO, OPEN, YES, Assertion, Claim

BEST = 0.001  # "best": within 0.1 % of the smallest time, so that one message pattern under two names ties
TIED = 0.05  # Table III: classes within 5 % of the best share the cell
EQUAL = 0.10  # "about equal", "roughly equal"
NEARLY = 0.05  # "nearly identical"
CLEAR = 0.10  # "clearly", "significantly", "markedly": at least 10 % longer
WIDE = 0.25  # "by a wide margin": at least 25 % longer
SMALL = 0.10  # "not important": at most 10 % of the time

CLASSES = ("short", "long", "builtin")
COLLECTIVES = ("bcast", "reduce", "scatter", "gather", "allgather", "reduce_scatter", "allreduce")

# Table III: the labels of a cell that agree with the paper. Scatter's row says "long", and V-C says of the same figures that long
# and builtin are roughly equal, so both readings agree.
TABLE_III = {
    "bcast": ("builtin",),
    "reduce": ("builtin",),
    "scatter": ("long",),
    "gather": ("short",),
    "allgather": ("long",),
    "reduce_scatter": ("long", "builtin"),
    "allreduce": ("builtin",),
}
ALSO_AGREES = {"scatter": (("long", "builtin"),)}


def label_text(classes: Sequence[str]) -> str:
    return "/".join(c for c in ("short", "long", "builtin") if c in classes)


def agrees(collective: str, classes: Sequence[str]) -> bool:
    mine = set(classes)
    return any(mine == set(c) for c in (TABLE_III[collective], *ALSO_AGREES.get(collective, ())))


# ---- Table III -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """One collective on one node count (None: all of them together)."""

    collective: str
    nodes: int | None
    winners: tuple[str, ...]  # the best, and every class within 5 % of it
    best: str
    margin: float  # how much longer the best of the other classes takes
    ratios: dict[str, float]  # geometric mean over the best's
    agrees: bool

    @property
    def text(self) -> str:
        return label_text(self.winners)


# Reasons found after the first run, where theory had no word or another. Each was checked by taking the named cost away from the
# platform (schooner[copy_s_per_byte=1e-16] and the like). For a candidate, or for both ("").
FOUND = {
    (
        "B2",
        "ompi_4_0",
    ): "adding up costs about as much a byte as the network, and a segment is added up before it is passed on, so a "
    "pipeline takes about n(β + γ) where long takes about n(2β + γ): the lead is real but not wide. A faster processor widens it",
    (
        "B3",
        "",
    ): "messages inside a node take other pieces of the node's curve: long's blocks are small enough for the cache up to some size, the "
    "halves that short passes on are not",
    (
        "B3",
        "ompi_4_1",
    ): "its sends are under way together, so the network card and the links inside the root's node work at the same time; long "
    "waits for each send",
    (
        "B4",
        "",
    ): "nothing in the model makes a root that receives block after block clearly slower than a tree; on the real machine unexpected "
    "messages and their copies may",
    (
        "B4",
        "ompi_4_0",
    ): "the root already calls the next rank while the rest of a block arrives, so the network card and the links inside its "
    "node work at the same time",
    (
        "B5",
        "ompi_4_0",
    ): "in every other step of the neighbour exchange both ends of a node's run of ranks use its network card at once, and in "
    "the steps between it idles; the ring keeps it busy throughout",
    (
        "B6",
        "",
    ): "Open MPI's ring copies the whole input aside before it starts; bucket reduces from the input itself. Without the cost of copies "
    "the two take the same time to four digits. The paper's bucket may have copied, too",
    (
        "B7",
        "ompi_4_0",
    ): "the ring copies the input to the output before it starts; without the cost of copies it takes the time of long",
    (
        "B7",
        "ompi_4_1",
    ): "in Rabenseifner's exchanges all ranks of a node use its network card and memory at once, where the ring crosses it "
    "once; with both unlimited the two take the same time",
    (
        "B8",
        "",
    ): "all three classes of scatter and gather lie so near each other that small differences change their order",
    (
        "B8",
        "ompi_4_0",
    ): "segments of 8 and 16 KiB are too small for the pipeline of the broadcast to reach the bandwidth of the network",
    ("B8b", ""): "see B7: the copies of the ring, and the shared network card under Rabenseifner's exchanges",
    (
        "B8c",
        "",
    ): "a start-up between nodes takes about 4 µs from the rendezvous limit on, twice what was assumed: the penalty is visible at the "
    "smallest size and halves with each doubling",
    ("B9", ""): "see B3 to B7",
}


class View:
    """The marked sizes of one candidate's table. `times`: collective, nodes, bytes, name (class), time_s, chose."""

    def __init__(self, times: pd.DataFrame, sizes: Sequence[int]) -> None:
        self.times = times[times["bytes"].isin(list(sizes))]
        self.nodes = sorted(int(n) for n in times["nodes"].unique())
        by = self.times.sort_values("bytes").groupby(["collective", "nodes", "name"], observed=True)
        self._parts = {(str(c), int(n), str(k)): part for (c, n, k), part in by}
        logs = self.times.assign(log=np.log(self.times["time_s"]))
        means = logs.groupby(["collective", "nodes", "name"], observed=True)["log"].agg(["mean", "size"])
        # A class that lacks some of the sizes has no mean: it would be a mean over other points.
        full = means["size"].groupby(level=[0, 1]).transform("max")
        self._means = {k: math.exp(v) for k, v in means.loc[means["size"] == full, "mean"].items()}

    def mean(self, collective: str, nodes: int, name: str) -> float:
        return self._means.get((collective, nodes, name), math.nan)

    def ratio(self, collective: str, nodes: int, a: str, b: str) -> float:
        """Time of a over time of b."""
        return self.mean(collective, nodes, a) / self.mean(collective, nodes, b)

    def means(self, collective: str, nodes: int) -> dict[str, float]:
        have = {c: self.mean(collective, nodes, c) for c in CLASSES}
        return {c: t for c, t in have.items() if not math.isnan(t)}

    def at(self, collective: str, nodes: int, name: str) -> pd.DataFrame:
        return self._parts.get((collective, nodes, name), self.times.iloc[:0])


def cell(view: View, collective: str, nodes: int | None) -> Cell | None:
    """The classes' order; over all node counts the geometric mean of the counts' means."""
    if nodes is None:
        each = [view.means(collective, n) for n in view.nodes]
        if not all(len(m) == len(CLASSES) for m in each):
            return None
        means = {c: math.exp(sum(math.log(m[c]) for m in each) / len(each)) for c in CLASSES}
    else:
        means = view.means(collective, nodes)
        if len(means) < len(CLASSES):
            return None
    least = min(means.values())
    best = next(c for c in ("builtin", "long", "short") if means[c] <= least * (1 + 1e-9))
    winners = tuple(c for c in CLASSES if means[c] <= least * (1 + TIED))
    others = [t for c, t in means.items() if c not in winners]
    margin = min(others) / least - 1 if others else math.nan
    ratios = {c: t / least for c, t in means.items()}
    return Cell(collective, nodes, winners, best, margin, ratios, agrees(collective, winners))


@dataclass(frozen=True)
class TableThree:
    candidate: str
    rows: tuple[tuple[str, Cell | None, tuple[Cell | None, ...]], ...]  # collective, over all nodes, at each node count

    @property
    def matching_rows(self) -> int:
        return sum(1 for _, total, _ in self.rows if total and total.agrees)

    @property
    def matching_cells(self) -> int:
        return sum(1 for _, _, cells in self.rows for c in cells if c and c.agrees)

    @property
    def cells(self) -> int:
        return sum(1 for _, _, cells in self.rows for c in cells if c)


def table_three(times: pd.DataFrame, sizes: Sequence[int], candidate: str) -> TableThree:
    view = View(times, sizes)
    rows = []
    for collective in COLLECTIVES:
        if not (times["collective"] == collective).any():
            continue
        rows.append((collective, cell(view, collective, None), tuple(cell(view, collective, n) for n in view.nodes)))
    return TableThree(candidate, tuple(rows))


def fits_better(tables: Sequence[TableThree]) -> list[TableThree]:
    """The candidates that agree with most rows of Table III; rows that tie are told apart by cells. More than one: a draw."""
    if not tables:
        return []
    score = max((t.matching_rows, t.matching_cells) for t in tables)
    return [t for t in tables if (t.matching_rows, t.matching_cells) == score]


# ---- claims ----------------------------------------------------------------------------------------------


def _longer(ratio: float) -> str:
    """1.12 → "12 % longer", 0.9 → "10 % less"."""
    change = 100 * (ratio - 1)
    if abs(change) < 0.05:
        return "as long"
    size = f"{abs(change):.1f} %" if abs(change) < 10 else f"{abs(change):.0f} %"
    return f"{size} {'longer' if change > 0 else 'less'}"


def _share(value: float, digits: int = 0) -> str:
    return f"{100 * value:.{digits}f} %"


class Judge:
    """Makes the assertions of one candidate."""

    def __init__(self, times: pd.DataFrame, sizes: Sequence[int], candidate: str) -> None:
        self.view = View(times, sizes)
        self.sizes = sorted(sizes)
        self.candidate = candidate.partition("/")[2]
        self.nodes = self.view.nodes

    def by(self, **expected: str) -> str:
        """The expectation for this candidate: by(ompi_4_0=YES, ompi_4_1=NO); OPEN for others."""
        return expected.get(self.candidate, OPEN)

    # -- atomic assertions

    def _order(self, collective: str, nodes: int) -> str:
        means = self.view.means(collective, nodes)
        least = min(means.values())
        return ", ".join(f"{c} {t / least:.2f}" for c, t in sorted(means.items(), key=lambda i: i[1]))

    def extreme(self, collective: str, nodes: int, name: str, best: bool, expected: str, theory: str) -> Assertion:
        means = self.view.means(collective, nodes)
        text = f"{collective}, {nodes} nodes: {name} is {'best' if best else 'worst'}"
        if len(means) < len(CLASSES):
            return Assertion(text, None, "points are missing", expected, theory)
        others = [t for c, t in means.items() if c != name]
        holds = means[name] <= min(others) * (1 + BEST) if best else means[name] >= max(others) * (1 - BEST)
        return Assertion(text, holds, self._order(collective, nodes), expected, theory)

    def beats(
        self,
        collective: str,
        nodes: int,
        a: str,
        b: str,
        expected: str,
        theory: str,
        margin: float = 0.0,
        word: str = "beats",
    ) -> Assertion:
        """b takes at least `margin` longer than a."""
        text = f"{collective}, {nodes} nodes: {a} {word} {b}"
        ratio = self.view.ratio(collective, nodes, b, a)
        if math.isnan(ratio):
            return Assertion(text, None, "points are missing", expected, theory)
        holds = ratio > 1 + 1e-9 if margin == 0 else ratio >= 1 + margin
        return Assertion(text, holds, f"{b} takes {_longer(ratio)}", expected, theory)

    def equal(
        self, collective: str, nodes: int, a: str, b: str, within: float, expected: str, theory: str
    ) -> Assertion:
        text = f"{collective}, {nodes} nodes: {a} and {b} within {_share(within)}"
        ratio = self.view.ratio(collective, nodes, b, a)
        if math.isnan(ratio):
            return Assertion(text, None, "points are missing", expected, theory)
        return Assertion(text, max(ratio, 1 / ratio) <= 1 + within, f"{b} takes {_longer(ratio)}", expected, theory)

    # -- the claims

    def all(self) -> list[Claim]:
        return [replace(c, explanation=self._found(c)) for c in self._claims()]

    def _found(self, claim: Claim) -> str:
        """What was found out about a claim that does not hold as a whole."""
        if claim.verdict == "reproduced":
            return ""
        return ". ".join(FOUND[claim.id, who] for who in ("", self.candidate) if (claim.id, who) in FOUND)

    def _claims(self) -> list[Claim]:
        return [
            self.b1(), self.b2(), self.b3(), self.b4(), self.b5(), self.b6(), self.b7(), self.b8(), self.b8a(), self.b8b(),
            self.b8c(), self.b9(),
        ]  # fmt: skip

    def b1(self) -> Claim:
        best = self.by(ompi_4_0=YES, ompi_4_1=NO)
        why = (
            "4.0 pipelines in segments: about nβ, less than any other; 4.1 sends whole vectors down a tree of radix 4: seven of them "
            "one after the other at worst, where short sends five and long the worth of two"
        )
        out = [self.extreme("bcast", n, "builtin", True, best, why) for n in self.nodes]
        if 2 in self.nodes:
            out.append(
                self.extreme(
                    "bcast",
                    2,
                    "long",
                    False,
                    NO,
                    "long moves 2nβ, short 5nβ: fast links inside a node make up for some, not all",
                )
            )
        if 8 in self.nodes:
            out.append(
                self.extreme(
                    "bcast", 8, "short", False, self.by(ompi_4_0=YES, ompi_4_1=NO),
                    "short carries the whole vector over the network three times, but the radix-4 tree of 4.1 is slower still",
                )
            )  # fmt: skip
        return Claim(
            "B1",
            "bcast: builtin is best on 2, 4 and 8 nodes; long is worst on 2 nodes, short is worst on 8",
            "V-A",
            tuple(out),
        )

    def b2(self) -> Claim:
        wide = self.by(ompi_4_0=YES, ompi_4_1=NO)
        why = "4.0 pipelines in segments: about n(β+γ); 4.1 reduces whole vectors up a binomial tree, the messages of short"
        out = []
        for n in self.nodes:
            for other in ("short", "long"):
                out.append(self.beats("reduce", n, "builtin", other, wide, why, WIDE, "beats by a wide margin"))
        chan = "lg p (nβ + nγ) against about 2nβ + nγ"
        out += [self.beats("reduce", n, "short", "long", NO, chan) for n in self.nodes]
        return Claim(
            "B2", "reduce: builtin is best by a wide margin on all; short beats long", "V-B", tuple(out),
            f"wide margin: the other takes at least {_share(WIDE)} longer",
        )  # fmt: skip

    def b3(self) -> Claim:
        why = "the β terms are equal and long pays p−1 start-ups, short lg p: a small lead of short"
        out = [self.beats("scatter", n, "long", "short", NO, why) for n in self.nodes]
        same = "both candidates send each block from the root: 4.0 as long does, 4.1 without waiting in between"
        out += [self.equal("scatter", n, "long", "builtin", EQUAL, YES, same) for n in self.nodes]
        return Claim(
            "B3", "scatter: long (simple) beats short (MST) on all; long is about equal to builtin", "V-C", tuple(out),
            f"about equal: within {_share(EQUAL)}",
        )  # fmt: skip

    def b4(self) -> Claim:
        why = "the β terms are equal; p−1 start-ups against lg p are some microseconds in milliseconds"
        out = [self.beats("gather", n, "short", "long", NO, why, CLEAR, "clearly beats") for n in self.nodes]
        built = (
            "4.0 receives blocks one after the other with a first small piece each: equal β; "
            "4.1 gathers up a binomial tree: the messages of short"
        )
        out += [self.beats("gather", n, "short", "builtin", NO, built, CLEAR, "clearly beats") for n in self.nodes]
        return Claim(
            "B4", "gather: short (MST) beats long (simple) and builtin clearly on all", "V-D", tuple(out),
            f"clearly: the other takes at least {_share(CLEAR)} longer",
        )  # fmt: skip

    def b5(self) -> Claim:
        best = self.by(ompi_4_0=NO, ompi_4_1=YES)
        why = (
            "4.0 exchanges between neighbours in half as many steps, and only every other of them crosses the network; "
            "4.1 takes the ring, the messages of long, so the two tie for the best place"
        )
        out = [self.extreme("allgather", n, "long", True, best, why) for n in self.nodes]
        lead = {n: self.view.ratio("allgather", n, "builtin", "long") for n in self.nodes}
        text = ", ".join(f"{n} nodes {_longer(r)}" for n, r in lead.items())
        none = "4.0 leads itself, 4.1 ties everywhere: there is no lead to be largest"
        known = 2 in lead and not any(math.isnan(r) for r in lead.values())
        out.append(
            Assertion("allgather: the lead of long over builtin is largest on 2 nodes",
                      lead[2] > 1 + BEST and all(lead[2] > r * (1 + BEST) for n, r in lead.items() if n != 2) if known else None,
                      f"builtin takes {text}", NO, none)
        )  # fmt: skip
        for n in (4, 8):
            if n in lead:
                out.append(
                    Assertion(f"allgather, {n} nodes: builtin is closer to long than on 2",
                              abs(math.log(lead[n])) < abs(math.log(lead[2])) - 1e-6 if known else None,
                              f"builtin takes {text}", self.by(ompi_4_0=OPEN, ompi_4_1=NO), none)
                )  # fmt: skip
        behind = {n: self.view.ratio("allgather", n, "short", "long") for n in self.nodes}
        seen = ", ".join(f"{n} nodes {r:.2f}×" for n, r in behind.items())
        for a, b in zip(self.nodes, self.nodes[1:], strict=False):
            known = not (math.isnan(behind[a]) or math.isnan(behind[b]))
            out.append(
                Assertion(f"allgather: short falls further behind from {a} to {b} nodes", behind[b] > behind[a] if known else None,
                          f"short / long: {seen}", YES, "its broadcast crosses the network once, twice, three times")
            )  # fmt: skip
        return Claim(
            "B5", "allgather: long is best on all; its lead is largest on 2 nodes; builtin is closer on 4 and 8; short falls further "
            "behind as nodes grow", "V-E", tuple(out),
        )  # fmt: skip

    def b6(self) -> Claim:
        same = "both candidates reduce around a ring: the messages of long"
        out = [self.equal("reduce_scatter", n, "long", "builtin", NEARLY, YES, same) for n in self.nodes]
        chan = "lg p (nβ + nγ) and a scatter, against nβ + nγ"
        out += [self.beats("reduce_scatter", n, "long", "short", YES, chan, CLEAR, "clearly beats") for n in self.nodes]
        return Claim(
            "B6", "reduce-scatter: long and builtin are nearly identical; short is clearly worse", "V-F", tuple(out),
            f"nearly identical: within {_share(NEARLY)}; clearly: at least {_share(CLEAR)} longer",
        )  # fmt: skip

    def b7(self) -> Claim:
        why = (
            "4.0 reduces and gathers around a ring as long does, from 32 MiB in segments; "
            "4.1 takes Rabenseifner's: equal β, fewer start-ups"
        )
        out = [self.extreme("allreduce", n, "builtin", True, YES, why) for n in self.nodes]
        out += [
            self.beats("allreduce", n, "long", "short", YES, "2nβ + nγ against 2 lg p nβ + lg p nγ") for n in self.nodes
        ]
        return Claim("B7", "allreduce: builtin is best, then long", "V-G", tuple(out))

    def b8(self) -> Claim:
        out = []
        for collective in COLLECTIVES:
            for n in self.nodes:
                out.append(self._no_crossover(collective, n))
        for collective in COLLECTIVES:
            out.append(self._no_switch(collective))
        return Claim(
            "B8", "no crossover between classes between 2^20 and 2^27 for any collective, and builtin shows no switch of algorithm", "V-H",
            tuple(out), "no crossover: the class that is best over all sizes is within 1 % of the best at each",
        )  # fmt: skip

    def _no_crossover(self, collective: str, nodes: int) -> Assertion:
        text = f"{collective}, {nodes} nodes: one class is best at all sizes"
        close = collective in ("scatter", "gather")
        expected = OPEN if close else YES
        theory = (
            "equal β terms: start-ups decide, and they fade"
            if close
            else "all sizes are far above any crossover of the formulas"
        )
        means = self.view.means(collective, nodes)
        if len(means) < len(CLASSES):
            return Assertion(text, None, "points are missing", expected, theory)
        best = min(means, key=lambda c: means[c])
        wide = pd.DataFrame({c: self.view.at(collective, nodes, c).set_index("bytes")["time_s"] for c in means})
        loss = wide[best] / wide.min(axis=1) - 1
        worst = loss.idxmax()
        if loss.max() <= 0.01:
            return Assertion(text, True, f"{best}, never more than {100 * loss.max():.2g} % behind", expected, theory)
        other = wide.loc[worst].idxmin()
        seen = f"{best} over all; {100 * loss.max():.1f} % behind {other} at {int(worst) // 4:,} floats".replace(
            ",", "\u202f"
        )
        return Assertion(text, False, seen, expected, theory)

    def _no_switch(self, collective: str) -> Assertion:
        text = f"{collective}: builtin takes one algorithm at all sizes"
        switches = {"ompi_4_0": ("bcast", "reduce", "allreduce")}
        expected = NO if collective in switches.get(self.candidate, ()) else self.by(ompi_4_0=YES, ompi_4_1=YES)
        theory = "the decision function" + (
            " changes the segment size between 4 and 64 MiB" if expected == NO else " has no threshold there"
        )
        chose = self.view.times[(self.view.times["collective"] == collective) & (self.view.times["name"] == "builtin")]
        names = list(dict.fromkeys(chose.sort_values("bytes")["chose"]))
        if not names or "" in names:
            return Assertion(text, None, "points are missing", expected, theory)
        return Assertion(text, len(names) == 1, " → ".join(n.partition("/")[2] for n in names), expected, theory)

    def b8a(self) -> Claim:
        out = []
        for name in CLASSES:
            lost = []
            cells = 0
            for collective in COLLECTIVES:
                for n in self.nodes:
                    means = self.view.means(collective, n)
                    if len(means) == len(CLASSES):
                        cells += 1
                        if means[name] > min(means.values()) * (1 + BEST):
                            lost.append(f"{collective} on {n}")
            theory = "no one class has the smallest formula for all seven"
            text = f"{name} is not best everywhere"
            out.append(
                Assertion(text, bool(lost) if cells else None, f"beaten in {len(lost)} of {cells} cells", YES, theory)
            )
        return Claim("B8a", "no class is best everywhere", "V-H", tuple(out))

    def b8b(self) -> Claim:
        out = []
        why = (
            "4.0 takes the ring of long itself and 4.1 an algorithm with the same β: "
            "builtin is no slower, but not clearly faster than long"
        )
        for n in self.nodes:
            out.append(self.beats("allreduce", n, "builtin", "short", YES, "long's β terms against short's"))
            out.append(self.beats("allreduce", n, "builtin", "long", self.by(ompi_4_0=YES, ompi_4_1=YES), why))
        parts = (
            ("reduce", "short", "MST reduce", self.by(ompi_4_0=NO, ompi_4_1=YES),
             "pipelined in 4.0, the same tree in 4.1 (V-B says the opposite)"),
            ("reduce_scatter", "long", "bucket reduce-scatter", YES, "the same ring in both"),
            ("allgather", "long", "bucket allgather", self.by(ompi_4_0=NO, ompi_4_1=YES),
             "4.0 exchanges between neighbours, 4.1 takes the ring"),
        )  # fmt: skip
        for collective, name, words, expected, theory in parts:
            for n in self.nodes:
                ratio = self.view.ratio(collective, n, name, "builtin")
                text = f"{collective}, {n} nodes: {words} matches or beats builtin"
                holds = None if math.isnan(ratio) else ratio <= 1 + TIED
                out.append(Assertion(text, holds, f"takes {_longer(ratio)}", expected, theory))
        return Claim(
            "B8b", "composing allreduce from other collectives' primitives does not pay (builtin beats both), though those primitives "
            "match or beat builtin in their own collectives", "V-G", tuple(out), f"matches: within {_share(TIED)}",
        )  # fmt: skip

    def b8c(self) -> Claim:
        out = []
        for n in self.nodes:
            text = f"allgather, {n} nodes: start-ups are a small part of the bucket's time at the smallest size"
            part = self.view.at("allgather", n, "long")
            holds, seen = None, "points are missing"
            if len(part) >= 2:
                size, time = part["bytes"].to_numpy(float)[:2], part["time_s"].to_numpy()[:2]
                fixed = (time[0] * size[1] - time[1] * size[0]) / (size[1] - size[0])
                share = max(fixed, 0.0) / time[0]
                holds, seen = (
                    bool(share <= SMALL),
                    f"{_share(share, 1)} of the time at {int(size[0]) >> 20} MiB does not grow with the size",
                )
            out.append(Assertion(text, holds, seen, YES, "31 start-ups of about 2 µs against about a millisecond"))
        for n in self.nodes:
            both = [self.view.at("allgather", n, c).set_index("bytes")["time_s"] for c in ("long", "short")]
            holds = bool((both[0] < both[1]).all()) if len(both[0]) and len(both[0]) == len(both[1]) else None
            seen = (
                f"short takes at least {(both[1] / both[0]).min():.2f}× as long"
                if holds is not None
                else "points are missing"
            )
            out.append(
                Assertion(
                    f"allgather, {n} nodes: bucket beats short at every size",
                    holds,
                    seen,
                    YES,
                    "nβ against (lg p + 1) nβ",
                )
            )
        return Claim(
            "B8c", "the ring's latency penalty (p messages) is unimportant at these sizes, even across nodes", "V-E", tuple(out),
            f"small: at most {_share(SMALL)}, from the line through the two smallest sizes",
        )  # fmt: skip

    def b9(self) -> Claim:
        expected = {
            "ompi_4_0": {
                "bcast": YES,
                "reduce": YES,
                "scatter": NO,
                "gather": NO,
                "allgather": NO,
                "reduce_scatter": YES,
                "allreduce": NO,
            },
            "ompi_4_1": {
                "bcast": NO,
                "reduce": NO,
                "scatter": NO,
                "gather": NO,
                "allgather": NO,
                "reduce_scatter": YES,
                "allreduce": NO,
            },
        }.get(self.candidate, {})
        theory = {
            "bcast": "pipelined in 4.0; 4.1's tree of whole vectors loses to long",
            "reduce": "pipelined in 4.0; 4.1's tree is short's, which loses to long",
            "scatter": "equal β terms: all three tie",
            "gather": "equal β terms: all three tie",
            "allgather": "4.0 halves the steps across the network; 4.1 is long itself, a tie",
            "reduce_scatter": "the same ring",
            "allreduce": "equal β terms: builtin and long tie",
        }
        out = []
        for collective in COLLECTIVES:
            total = cell(self.view, collective, None)
            want = label_text(TABLE_III[collective])
            text = f"{collective}: {want}"
            if total is None:
                out.append(
                    Assertion(text, None, "points are missing", expected.get(collective, OPEN), theory[collective])
                )
                continue
            seen = f"{total.text}; " + ", ".join(
                f"{c} {r:.2f}" for c, r in sorted(total.ratios.items(), key=lambda i: i[1])
            )
            out.append(Assertion(text, total.agrees, seen, expected.get(collective, OPEN), theory[collective]))
        return Claim(
            "B9", "Table III as a whole: winners bcast builtin, reduce builtin, scatter long, gather short, allgather long, reduce-scatter "
            "long/builtin, allreduce builtin", "V-H", tuple(out),
            f"the winner over all node counts; classes within {_share(TIED)} of the best share the place",
        )  # fmt: skip


def judge(times: pd.DataFrame, sizes: Sequence[int], candidate: str) -> list[Claim]:
    """All claims for one candidate of builtin. `times`: collective, nodes, bytes, name (class), time_s, chose."""
    return Judge(times, sizes, candidate).all()
