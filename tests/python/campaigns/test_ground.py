"""collscope.campaigns.ground:
what a campaign on a bed stands on, with a bed that is not there: it is checked and calibrated once, and again where it is another."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from collscope.campaigns import campaign as campaigns
from collscope.campaigns import ground
from collscope.campaigns.ground import Ground
from collscope.testbed.check import Finding
from collscope.testbed.network import Network

FILE = {"title": "t", "platform": "small", "measure": {"source": "real", "launcher": "testbed"}}
CALLS = [{"collectives": ["bcast"], "bytes": "4B", "ranks_per_node": each} for each in (2, 3, 1)]


def campaign(**bed: object) -> campaigns.Campaign:
    return campaigns.Campaign(
        "mine", Path("mine.toml"), campaigns._File.model_validate(FILE | {"bed": bed, "calls": CALLS})
    )


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was asked: beds, checks and calibrations."""
    said: list[Any] = []

    @contextlib.contextmanager
    def held(network: Network) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(network=network)

    def check(there: SimpleNamespace) -> Iterator[Finding]:
        said.append(there.network.hosts)
        yield Finding("ring", 50, 48.26, "Mbit/s", False)
        yield Finding("one byte", 500, 510.0, "µs", True)

    def calibrate(*words: object) -> SimpleNamespace:
        said.append(words)
        Path(str(words[4])).write_text("a platform")
        return SimpleNamespace(samples="messages", source="calibrated by hand")

    monkeypatch.setattr(ground.bed, "held", held)
    monkeypatch.setattr(ground.check, "check", check)
    monkeypatch.setattr(ground.calibrate, "calibrate", calibrate)
    monkeypatch.setattr(ground, "csv_text", lambda seen: f"table of {seen}")
    monkeypatch.setattr(ground, "launcher_of", lambda kind: f"launcher {kind}")
    monkeypatch.setattr(ground.os, "getloadavg", lambda: (1.25, 2.0, 3.0))
    for name in ("IDLE", "SWITCH"):
        monkeypatch.setattr(ground.programs, name, tmp_path)
    return said


def made(folder: Path, of: campaigns.Campaign, **options: bool) -> Ground:
    with ground.ground_of(of, folder, **options) as found:
        return found


def test_without_a_bed_the_platform_is_as_it_is(tmp_path: Path, asked: list[Any]) -> None:
    plain = campaigns.Campaign("mine", Path("x"), campaigns._File.model_validate(FILE))
    assert made(tmp_path / "none", plain) == Ground("small", (), False) and not asked


def test_a_bed_is_checked_and_calibrated_once(
    tmp_path: Path, asked: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "deep" / "out"
    first = made(folder, campaign(hosts=4), quick=True)
    spec = folder / "platform.toml"
    describes = "4 hosts, 50 Mbit/s each way, 500 µs"
    setting = (("bed", f"{describes}; does not hold: ring 48.3 of 50.0 Mbit/s"), ("calibrated", "calibrated by hand"))
    assert first == Ground(str(spec), setting, True)
    assert asked == [4, ("small", "launcher testbed", None, 3, spec, True)]
    lines = [
        f"checking the bed ({describes})",
        "calibrating it (load 1.2)",
        "the platform that was calibrated before is taken; --force calibrates anew",
    ]
    busy = "collscope: ring: 48.3 of 50.0 Mbit/s; is the machine busy?"
    told = [f"collscope: mine: {line}" for line in lines]
    assert capsys.readouterr().err.splitlines() == [told[0], busy, told[1]]
    assert (folder / "calibration.csv").read_text() == "table of messages"
    again = made(folder, campaign(hosts=4))
    assert again == Ground(str(spec), setting, False)
    assert len(asked) == 2 and capsys.readouterr().err.splitlines() == [told[2]]
    noted = json.loads((folder / "bed.json").read_text())
    assert noted == {
        "network": ground.network_of(campaign(hosts=4)).text(), "source": "calibrated by hand", "findings": [
            {"what": "ring", "claimed": 50, "measured": 48.26, "unit": "Mbit/s", "fine": False},
            {"what": "one byte", "claimed": 500, "measured": 510.0, "unit": "µs", "fine": True},
        ],
    }  # fmt: skip
    noted["findings"] = noted["findings"][1:]
    (folder / "bed.json").write_text(json.dumps(noted))
    assert made(folder, campaign(hosts=4)).setting[0][1] == f"{describes}; all 1 claims of its check hold"


def test_what_was_calibrated_elsewhere_is_not_taken(tmp_path: Path, asked: list[Any]) -> None:
    of = campaign(hosts=4)
    made(tmp_path, of)
    assert not made(tmp_path, of).anew
    assert made(tmp_path, of, force=True).anew
    assert made(tmp_path, campaign(hosts=5)).anew and made(tmp_path, of).anew
    for spoilt in ("no json", "[]"):
        (tmp_path / "bed.json").write_text(spoilt)
        assert made(tmp_path, of).anew
    (tmp_path / "platform.toml").unlink()
    assert made(tmp_path, of).anew and asked[-1][5] is False


@pytest.mark.parametrize("lacking", ["IDLE", "SWITCH"])
def test_what_a_bed_needs_is_built_first(
    lacking: str, tmp_path: Path, asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ground.programs, lacking, tmp_path / "none")
    monkeypatch.setattr(ground.measure, "build", lambda: asked.append("built"))
    made(tmp_path, campaign())
    assert asked[0] == "built"


def test_a_bed_is_as_its_table_says() -> None:
    """Without a word it is that of ./collscope testbed."""
    assert ground.network_of(campaign()) == Network()
    said = {"hosts": 6, "bits_per_s": 2e6, "latency_s": 1e-3, "leaves": 3, "oversubscription": 2.0, "own_limits": True}
    assert ground.network_of(campaign(**said)) == Network(**said)  # type: ignore[arg-type]
