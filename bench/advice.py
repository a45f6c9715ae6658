#!/usr/bin/env python3
"""Advice from osu_latency's output alone, held against the whole calibration of the same machine.

Of a machine in platforms/ only the curves are kept, as a ping-pong gives them. For each call the winner by these is looked up in the
model of the whole machine: what trusting it loses, and whether `run` calls it in doubt.

    bench/advice.py [MACHINE] [--ranks 64] [--quick]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from collscope.base.number import Number
from collscope.base.units import format_size
from collscope.catalogue import registry
from collscope.machines import find, spec_writer
from collscope.machines.spec import Spec
from collscope.points.plan import Layout, Point
from collscope.sources import assumptions, model
from collscope.sources.assumptions import LOSS, Choice, Doubt, Unchecked
from collscope.sources.outcome import OK

COLLECTIVES = ("bcast", "scatter", "gather", "allreduce", "alltoall")
SIZES = (8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20)  # bytes: of the vector, or of a block
LAYOUTS = ((1, 4), (1, 16), (1, 64), (2, 8), (2, 32), (2, 128))  # nodes, ranks
POINT_S = 5.0


def curves_alone(spec: Spec, folder: Path) -> str:
    """The path of a specification with the shape and the curves of a machine, as osu_latency gives them."""
    plain = {
        name: tuple(replace(p, gap=None, receive_gap=None, traffic=Number(1.0)) for p in pieces)
        for name, pieces in spec.curve.items()
    }
    kept = ("name", "nodes", "sockets", "cores_per_socket", "cores_per_cache", "about", "own_curves", "eager_bytes")
    bare = Spec(**{name: getattr(spec, name) for name in kept}, curve=plain, levels=spec.levels)
    path = folder / "curves.toml"
    path.write_text(spec_writer.spec_text(bare), encoding="utf-8")
    return str(path)


def times(layout: Layout, points: dict[str, Point]) -> dict[str, float]:
    """Modelled seconds of each key that has a time."""
    found = model.evaluate([(layout, point) for point in points.values()], limit_s=POINT_S)
    return {key: o["model_s"] for key, o in zip(points, found, strict=True) if o["kind"] == OK}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("machine", nargs="?", default="orfeo_epyc")
    options.add_argument("--quick", action="store_true", help="every third size, two layouts")
    given = options.parse_args()
    known = registry.load()
    sizes, layouts = (SIZES[::3], LAYOUTS[1::3]) if given.quick else (SIZES, LAYOUTS)
    print(f"{given.machine}: curves alone beside the whole calibration; a loss counts above {LOSS:.0%}")
    total = doubted = unchecked = silent = right = 0
    worst = (0.0, "")
    with tempfile.TemporaryDirectory() as folder:
        whole = find.load(given.machine)
        bare = find.load(curves_alone(find.load_spec(given.machine), Path(folder)))
        for collective in COLLECTIVES:
            choices: list[tuple[Choice, dict[str, float], str]] = []
            for nodes, ranks in layouts:
                for size in sizes:
                    count = size // 4
                    points = {a.full_key(): Point(collective, a.full_key(), count) for a in known.of(collective)}
                    seconds = times(Layout(bare, nodes, ranks), points)
                    truth = times(Layout(whole, nodes, ranks), points)
                    both = {key: s for key, s in seconds.items() if key in truth}
                    winner = min(both, key=lambda key, s=both: s[key])
                    what = f"{collective}, {format_size(size)}, {ranks} ranks on {nodes} nodes"
                    choices.append((Choice(Layout(bare, nodes, ranks), points, both, winner), truth, what))
            for (choice, truth, what), doubt in zip(
                choices, assumptions.doubts([c for c, _, _ in choices]), strict=True
            ):
                loss = truth[choice.winner] / min(truth.values()) - 1
                total += 1
                unchecked += isinstance(doubt, Unchecked)
                doubted += isinstance(doubt, Doubt)
                right += doubt is None and loss <= LOSS
                if doubt is None and loss > LOSS:
                    silent += 1
                    worst = max(worst, (loss, f"{what}: {choice.winner}"))
            counts = f"{doubted} in doubt, {unchecked} not checked, {right} within, {silent} lose more silently"
            print(f"{collective:<10} {total:>4} choices so far: {counts}", flush=True)
    print(f"silent losses: {silent} of {total}; the worst {worst[0]:.0%} ({worst[1]})" if silent else "no silent loss")


if __name__ == "__main__":
    main()
