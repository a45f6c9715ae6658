"""driver: calls whose blocks have several lengths: every rank ends with the right data, by the algorithms and by the library's own."""

from __future__ import annotations

import json
from pathlib import Path

from collscope.base import programs
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points.plan import Point, plan_text
from simulated import simulated, smpirun

RANKS = 6
DISTRIBUTIONS = ("linear", "zipf:2", "one:4")


@simulated
def test_data_are_right_whatever_the_counts(tmp_path: Path) -> None:
    known = registry.load()
    uneven = [c for c in known.collectives if c.uneven]
    keys = [(a.collective, a.full_key()) for a in known.algorithms if "any_blocks" in a.flags]
    keys += [(c.name, f"{c.name}/builtin") for c in uneven]
    assert {c for c, _ in keys} == {c.name for c in uneven} and len(keys) > 25
    points = [Point(name, key, 31, root=5, check=True, counts=counts) for name, key in keys for counts in DISTRIBUTIONS]
    (tmp_path / "plan").write_text(plan_text((str(i), point) for i, point in enumerate(points)))
    printed = smpirun(find.load("schooner"), 2, RANKS, tmp_path, programs.SIM_DRIVER, "--plan", tmp_path / "plan")
    ended = {int(line["id"]): line for line in map(json.loads, printed.splitlines()) if line.get("done")}
    for i, point in enumerate(points):
        fits = not point.algorithm.endswith(("/recursive_doubling", "/two_proc"))  # for other numbers of ranks
        assert ended[i]["kind"] == ("ok" if fits else "unsupported"), (point, ended[i])
        assert ended[i]["checked"] == fits
