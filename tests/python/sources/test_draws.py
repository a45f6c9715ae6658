"""collscope.sources.draws: the band of a prediction over draws of what is not known of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base.progress import Progress
from collscope.catalogue.prover import Question
from collscope.machines import find
from collscope.machines.completion import NIC
from collscope.points.plan import Layout, Point
from collscope.sources import draws, model
from collscope.sources.unknowns import unknowns
from open_mpi import needs_prover
from osu_alone import KNOWN, machine

LINEAR = Point("bcast", "bcast/linear", 2)
RANGE = "nic_gap_s = { value = 1e-6, range = [5e-7, 2e-6] }"


def test_a_band_has_eight_of_ten_of_the_times() -> None:
    assert draws.band([float(n) for n in range(11)]) == (1.0, 9.0)


@needs_prover
def test_the_band_is_that_of_the_number_that_is_not_known(workplace: Path, tmp_path: Path) -> None:
    """Seven messages leave the root's node, one after the other; each waits for the gap of the NIC, which alone has a range."""
    lines = [RANGE if line.startswith("nic_gap") else line for line in KNOWN]
    layout = Layout(find.load(machine(tmp_path, *lines)), 8, 8)
    (band,) = draws.bands([(layout, LINEAR)], 40, Progress("draws", 1))
    assert band
    at = {}
    for gap in (5e-7, 6e-7, 1e-6, 1.8e-6, 2e-6):
        made = find.load(
            machine(tmp_path, *(line if "nic_gap" not in line else f"nic_gap_s = {gap}" for line in KNOWN))
        )
        (found,) = model.evaluate([(replace(layout, platform=made), LINEAR)])
        at[gap] = found["model_s"]
    assert at[5e-7] < band[0] < at[1e-6] < band[1] < at[2e-6]
    assert band == pytest.approx((at[6e-7], at[1.8e-6]), rel=0.02), "a tenth of the draws lies on either side"


@needs_prover
def test_nothing_unknown_has_no_band_nor_has_what_cannot_run(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Layout(find.load(machine(tmp_path, *KNOWN)), 2, 4)
    open_file = tmp_path / "open"
    open_file.mkdir()
    left_open = Layout(find.load(machine(open_file)), 2, 4)
    builtin = replace(LINEAR, algorithm="bcast/builtin")
    found = draws.bands([(known, LINEAR), (left_open, builtin), (left_open, LINEAR)], 10, Progress("draws", 3))
    assert found[:2] == [None, None] and found[2] and found[2][0] < found[2][1]
    monkeypatch.setattr(draws, "unknowns", lambda platform, nodes: [replace(NIC, dimensions=())])
    assert draws.bands([(left_open, LINEAR)], 10, Progress("draws", 1)) == [None], "too many routes to be drawn"


@needs_prover
def test_draws_are_kept_for_one_call_in_one_layout_by_one_prover(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    def draw(machines: Sequence[str], questions: Sequence[Question], bar: Progress) -> dict[str, list[float]]:
        drawn.append(len(machines))
        return {q.name: [1.0] * len(machines) for q in questions}

    def is_drawn(layout: Layout, point: Point = LINEAR, number: int = 10) -> bool:
        drawn.clear()
        assert layout.platform
        numbers = unknowns(layout.platform, layout.nodes)
        assert draws.timed(layout, numbers, number, [point], Progress("draws", number)) == {point: [1.0] * number}
        return bool(drawn)

    monkeypatch.setattr(draws, "_draw", draw)
    at = Layout(find.load(machine(tmp_path)), 4, 8)
    assert [is_drawn(at), is_drawn(at)] == [True, False]
    assert [is_drawn(other) for other in (replace(at, nodes=2), replace(at, ranks=12))] == [True, True]
    assert is_drawn(at, replace(LINEAR, root=1)) and is_drawn(at, number=11)
    monkeypatch.setattr(draws.prover, "made_by", lambda: ("other sources", "another build"))
    assert is_drawn(at)
