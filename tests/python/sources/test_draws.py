"""collscope.sources.draws: the band of a prediction over draws of what is not known of a machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base.progress import Progress
from collscope.machines import find
from collscope.points.plan import Layout, Point
from collscope.sources import draws, model
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
def test_nothing_unknown_has_no_band_nor_has_what_cannot_run(workplace: Path, tmp_path: Path) -> None:
    known = Layout(find.load(machine(tmp_path, *KNOWN)), 2, 4)
    open_file = tmp_path / "open"
    open_file.mkdir()
    left_open = Layout(find.load(machine(open_file)), 2, 4)
    builtin = replace(LINEAR, algorithm="bcast/builtin")
    found = draws.bands([(known, LINEAR), (left_open, builtin), (left_open, LINEAR)], 10, Progress("draws", 3))
    assert found[:2] == [None, None] and found[2] and found[2][0] < found[2][1]
