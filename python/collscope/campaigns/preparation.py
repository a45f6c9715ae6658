"""What a campaign on the test bed needs: the bed, whether it is what it claims, and its platform, calibrated in the same run.

All of it is kept in the campaign's folder, so that a campaign that was ended goes on with the platform that its first calls belong to.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from collscope.base import console, programs
from collscope.base.files import write_atomically
from collscope.calibration import calibrate
from collscope.calibration.samples import csv_text
from collscope.campaigns.campaign import Campaign
from collscope.sources import measure
from collscope.sources.launcher import launcher_of
from collscope.testbed import bed, check
from collscope.testbed.network import Network

SPEC, MESSAGES, NOTED = "platform.toml", "calibration.csv", "bed.json"


@dataclass(frozen=True)
class Prepared:
    """The platform to predict with, as --on takes it; `setting`: what the report says of it; `moved`: what was measured before was
    measured elsewhere."""

    platform: str
    setting: tuple[tuple[str, str], ...] = ()
    moved: bool = False


@contextlib.contextmanager
def prepared(campaign: Campaign, folder: Path, quick: bool = False, recalibrate: bool = False) -> Iterator[Prepared]:
    """What the campaign needs, for the time of a block; without a bed, its platform as it is. UserError: there can be no bed."""
    if campaign.file.bed is None:
        yield Prepared(campaign.file.platform)
        return
    if not programs.IDLE.exists() or not programs.SWITCH.exists():
        measure.build()
    network = network_of(campaign)
    with bed.held(network) as there:
        folder.mkdir(parents=True, exist_ok=True)
        noted = _noted(folder)
        moved = recalibrate or noted.get("network") != network.text() or not (folder / SPEC).is_file()
        if moved:
            noted = _prepare(campaign, there, folder, quick)
        else:
            console.note(
                f"{campaign.name}: the platform that was calibrated before is taken; --recalibrate measures it again"
            )
        wrong = [finding for finding in noted["findings"] if not finding["fine"]]
        claims = "; ".join(map(_claim, wrong))
        held = f"does not hold: {claims}" if wrong else f"all {len(noted['findings'])} claims of its check hold"
        setting = (("bed", f"{network.describe()}; {held}"), ("calibrated", noted["source"]))
        yield Prepared(str(folder / SPEC), setting, moved)


def network_of(campaign: Campaign) -> Network:
    """The network of the campaign's bed."""
    own = campaign.file.bed
    assert own
    return Network(
        hosts=own.hosts, bits_per_s=own.bits_per_s, latency_s=own.latency_s, leaves=own.leaves,
        oversubscription=own.oversubscription, own_limits=own.default_eager_limits,
    )  # fmt: skip


def _noted(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / NOTED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _claim(finding: dict[str, Any]) -> str:
    return f"{finding['what']} {finding['measured']:.1f} of {finding['claimed']:.1f} {finding['unit']}"


def _prepare(campaign: Campaign, there: bed.Bed, folder: Path, quick: bool) -> dict[str, Any]:
    """Checks the bed and calibrates it; what is noted of both."""
    console.note(f"{campaign.name}: checking the bed ({there.network.describe()})")
    findings = [asdict(finding) for finding in check.check(there)]
    for f in findings:
        if not f["fine"]:
            console.note(f"{campaign.name}: {_claim(f)}; is the machine busy?")
    console.note(f"{campaign.name}: calibrating it")
    each = max(calls.ranks_per_node for calls in campaign.file.calls)
    made = calibrate.calibrate(campaign.file.platform, launcher_of("testbed"), None, each, folder / SPEC, quick)
    write_atomically(folder / MESSAGES, csv_text(made.samples))
    noted = {"network": there.network.text(), "findings": findings, "source": made.source}
    write_atomically(folder / NOTED, json.dumps(noted, indent=1) + "\n")
    return noted
