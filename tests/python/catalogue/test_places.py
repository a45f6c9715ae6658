"""core/plan, prove: ranks of a plan sit where its places file says."""

from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.catalogue import prover, registry
from collscope.points.plan import Point, plan_text

PLACES = {
    "apart": [(r, r, r) for r in range(8)],
    "together": [(0, 0, 0)] * 8,
    "dealt out": [(r % 2, 2 * (r % 2) + r // 6, 4 * (r % 2) + r // 4) for r in range(8)],
}


@pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
def test_only_algorithms_that_look_at_places_depend_on_them(tmp_path: Path) -> None:
    """Every algorithm on 8 ranks in three places: what the catalogue says without the flag sends the same messages."""
    known = registry.load()
    count = {a.key: 0 if not known.collective(a.collective).has_data else 64 for a in known.algorithms}
    points = [(a.key, Point(a.collective, a.full_key(), count[a.key])) for a in known.algorithms]
    (tmp_path / "plan").write_text(plan_text(points, 8), encoding="utf-8")
    found: list[dict[str, Any]] = []
    for places in PLACES.values():
        (tmp_path / "places").write_text("".join(f"{n} {s} {c}\n" for n, s, c in places), encoding="utf-8")
        printed = prover.replies(["--messages", "--plan", tmp_path / "plan", "--places", tmp_path / "places"])
        found.append({line["id"]: (line["status"], line.get("schedule")) for line in printed})
    differ = {key for key in count if len({str(sorted(map(str, s[key][1] or []))) + s[key][0] for s in found}) > 1}
    assert differ == {a.key for a in known.algorithms if "places" in a.flags}
