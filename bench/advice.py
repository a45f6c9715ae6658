#!/usr/bin/env python3
"""Advice from osu_latency's output alone, held against the whole calibration of the same machine.

Of a machine in platforms/ only shape and curves are kept, as a ping-pong gives them. For each call the winner over draws of what these
leave open is looked up in the model of the whole machine: what trusting it loses, and whether `run` calls it in doubt; beside it what the
winner with the curves' numbers alone would lose. With --left-out the ranges of the draws follow from all machines but the one that is
judged. Of the choices in doubt it also counts those that are faster than what Open MPI 4.1 takes by itself in every draw, which `run` says,
and those of them that are not by the whole machine. orfeo_thin is left out unless it is named: its own file knows no sender's time and
says 0.

    bench/advice.py [MACHINE …] [-c COLLECTIVE …] [--left-out] [--quick] [--max-ranks P]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from collscope.base.units import format_size
from collscope.catalogue import decisions, registry
from collscope.machines import completion, find, priors, spec_writer
from collscope.machines.spec import Piece, Spec
from collscope.points.plan import Layout, Point
from collscope.sources import assumptions, model
from collscope.sources.assumptions import LOSS, Choice, Judged
from collscope.sources.outcome import OK

MACHINES = ("orfeo_epyc", "schooner", "ib_multicore", "jaguar")
COLLECTIVES = ("bcast", "scatter", "gather", "allreduce", "alltoall")
SIZES = (8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20)  # bytes: of the vector, or of a block
LAYOUTS = ((1, 4), (1, 16), (1, 64), (2, 8), (2, 32), (2, 128))  # nodes, ranks; as many as fit
POINT_S = 300.0
LIBRARY = "decision/ompi_4_1"
CALL = ("root=0", "commutes=1", "in_place=0")
SHAPE = (
    "name",
    "nodes",
    "sockets",
    "cores_per_socket",
    "cores_per_cache",
    "levels",
    "about",
    "own_curves",
    "eager_bytes",
)
SHAPE += ("topology", "interconnect_links", "nic_socket", "counts")


def curves_alone(spec: Spec, folder: Path, complete: bool) -> str:
    """The path of a specification with the shape and the curves of a machine, as data sheets and osu_latency give them; all else is
    completed, or takes no time."""
    plain = {
        name: tuple(Piece(p.start, p.latency, p.s_per_byte) for p in pieces) for name, pieces in spec.curve.items()
    }
    bare = Spec(**{name: getattr(spec, name) for name in SHAPE}, curve=plain, complete=complete)
    path = folder / f"{spec.name}-{complete}.toml"
    path.write_text(spec_writer.spec_text(bare), encoding="utf-8")
    return str(path)


def times(layout: Layout, points: dict[str, Point]) -> dict[str, float]:
    """Modelled seconds of each key that has a time."""
    found = model.evaluate([(layout, point) for point in points.values()], limit_s=POINT_S)
    return {key: o["model_s"] for key, o in zip(points, found, strict=True) if o["kind"] == OK}


def taken(collective: str, cases: list[tuple[int, int, int]]) -> list[str]:
    """What the library takes for each case; "": it is not known."""
    counts = list(dict.fromkeys((ranks, size // 4) for _, ranks, size in cases))
    lines = decisions.ask_many(collective, counts, 4, CALL, [LIBRARY])
    chosen = {(line["ranks"], line["count"]): line["chose"] for line in lines if line["kind"] == "ok"}
    return [chosen.get((ranks, size // 4), "") for _, ranks, size in cases]


@dataclass
class Count:
    """What became of the choices: in doubt, not checked, within, silent; `lossy`: those that lose more than LOSS, said or not; `better`,
    `worse`: those in doubt that are faster than the library's own choice in every draw, and those of them that are not."""

    verdicts: Counter[str] = field(default_factory=Counter)
    lossy: int = 0
    lossy_without: int = 0  # of the winners with the curves' numbers alone
    silent: list[tuple[float, str]] = field(default_factory=list)
    better: int = 0
    worse: int = 0

    def add(self, verdict: str, loss: float, without: float, what: str) -> None:
        """Counts a choice."""
        self.verdicts[verdict] += 1
        self.lossy += loss > LOSS
        self.lossy_without += without > LOSS
        self.silent += [(loss, what)] if verdict == "silent" else []

    def compared(self, over_default: float | None) -> None:
        """Counts a choice in doubt that is faster than the library's own in every draw; None: it is not in all. `over_default`: how many
        times as long that takes by the whole machine."""
        if over_default is not None:
            self.better += 1
            self.worse += over_default < 1

    def cells(self) -> list[str]:
        """The columns of the table."""
        kinds = (self.verdicts[name] for name in ("within", "in doubt", "not checked", "silent"))
        return [
            str(n) for n in (self.verdicts.total(), *kinds, self.lossy, self.lossy_without, self.better, self.worse)
        ]


def main() -> None:
    """Prints a row per machine and collective, and the silent losses."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("machines", nargs="*", default=MACHINES)
    options.add_argument("-c", dest="collectives", action="append", choices=COLLECTIVES)
    options.add_argument("--left-out", action="store_true", help="a machine's ranges follow from the others alone")
    options.add_argument("--quick", action="store_true", help="every third size, two layouts")
    options.add_argument(
        "--max-ranks", type=int, default=LAYOUTS[-1][1], help="only layouts with so many ranks at most"
    )
    given = options.parse_args()
    known = registry.load()
    sizes, layouts = (SIZES[::3], LAYOUTS[1::3]) if given.quick else (SIZES, LAYOUTS)
    heads = ("choices", "within", "in doubt", "not checked", "silent", "lose", "curves alone lose")
    heads += ("better than default", "not so")
    print(" ".join(["machine      collective", *(f"{head:>{len(head) + 1}}" for head in heads)]), flush=True)
    total = Count()
    with tempfile.TemporaryDirectory() as folder:
        for machine in given.machines:
            completion.RANGES = priors.ranges(machine if given.left_out else "")
            whole = find.load(machine)
            bare, zero = (find.load(curves_alone(find.load_spec(machine), Path(folder), c)) for c in (True, False))
            fitting = [(n, p) for n, p in layouts if p <= min(n * whole.cores_per_node, given.max_ranks)]
            for collective in given.collectives or COLLECTIVES:
                count = Count()
                keys = [a.full_key() for a in known.of(collective)]
                cases = [(n, p, size) for n, p in fitting for size in sizes]
                choices, truths, plain = [], [], []
                defaults = taken(collective, cases)
                for (nodes, ranks, size), default in zip(cases, defaults, strict=True):
                    points = {key: Point(collective, key, size // 4) for key in keys}
                    every = points | ({default: Point(collective, default, size // 4)} if default else {})
                    truths.append(times(Layout(whole, nodes, ranks), every))
                    seconds = times(Layout(zero, nodes, ranks), points)
                    both = {key: points[key] for key in seconds if key in truths[-1]}
                    plain.append(min(both, key=lambda key, s=seconds: s[key]))
                    choices.append(Choice(Layout(bare, nodes, ranks), both, beside=frozenset({default} - {""})))
                found = assumptions.judged(choices)
                for case, truth, without, default, judged in zip(cases, truths, plain, defaults, found, strict=True):
                    best, is_judged = min(truth[key] for key in keys if key in truth), isinstance(judged, Judged)
                    winner = judged.winner if is_judged else without
                    loss = truth[winner] / best - 1
                    verdict = (
                        "not checked"
                        if not is_judged
                        else "in doubt"
                        if judged.doubt
                        else "silent"
                        if loss > LOSS
                        else "within"
                    )
                    what = (
                        f"{machine}: {collective}, {format_size(case[2])}, {case[1]} ranks on {case[0]} nodes: {winner}"
                    )
                    for each in (count, total):
                        each.add(verdict, loss, truth[without] / best - 1, what)
                        lead = judged.lead(winner, default) if verdict == "in doubt" else None
                        each.compared(truth[default] / truth[winner] if lead and lead.is_sure else None)
                row = [f"{c:>{len(head) + 1}}" for c, head in zip(count.cells(), heads, strict=True)]
                print(" ".join([f"{machine:<12} {collective:<10}", *row]), flush=True)
    print("all: " + ", ".join(f"{cell} {head}" for cell, head in zip(total.cells(), heads, strict=True)))
    for loss, what in sorted(total.silent, reverse=True):
        print(f"silent: {loss:.0%}: {what}")


if __name__ == "__main__":
    main()
