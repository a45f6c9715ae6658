"""collscope.campaigns.preparation: a bed that is not there is checked and calibrated once, and again where it is another."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from collscope.campaigns import campaign as campaigns
from collscope.campaigns import preparation
from collscope.campaigns.preparation import Prepared
from collscope.testbed.check import Finding
from collscope.testbed.network import Network

FILE = {"title": "t", "platform": "small", "measure": {"source": "real", "launcher": "testbed"}}
CALLS = [{"collectives": ["bcast"], "bytes": "4B", "ranks_per_node": each} for each in (2, 3, 1)]


def campaign(**bed: object) -> campaigns.Campaign:
    return campaigns.Campaign(
        "mine", Path("mine.toml"), campaigns._File.model_validate(FILE | {"bed": bed, "calls": CALLS})
    )


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls: beds, checks and calibrations."""
    calls: list[Any] = []

    @contextlib.contextmanager
    def held(network: Network) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(network=network)

    def check(there: SimpleNamespace) -> Iterator[Finding]:
        calls.append(there.network.hosts)
        yield Finding("ring", 50, 48.26, "Mbit/s", False)
        yield Finding("one byte", 500, 510.0, "µs", True)

    def calibrate(*words: object) -> SimpleNamespace:
        calls.append(words)
        Path(str(words[4])).write_text("a platform")
        return SimpleNamespace(samples="messages", source="calibrated by hand")

    monkeypatch.setattr(preparation.bed, "held", held)
    monkeypatch.setattr(preparation.check, "check", check)
    monkeypatch.setattr(preparation.calibrate, "calibrate", calibrate)
    monkeypatch.setattr(preparation, "csv_text", lambda samples: f"table of {samples}")
    monkeypatch.setattr(preparation, "launcher_of", lambda kind: f"launcher {kind}")
    for name in ("IDLE", "SWITCH"):
        monkeypatch.setattr(preparation.programs, name, tmp_path)
    return calls


def made(folder: Path, of: campaigns.Campaign, **options: bool) -> Prepared:
    with preparation.prepared(of, folder, **options) as found:
        return found


def test_without_a_bed_the_platform_is_as_it_is(tmp_path: Path, calls: list[Any]) -> None:
    plain = campaigns.Campaign("mine", Path("x"), campaigns._File.model_validate(FILE))
    assert made(tmp_path / "none", plain) == Prepared("small", (), False) and not calls


def test_a_bed_is_checked_and_calibrated_once(
    tmp_path: Path, calls: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "deep" / "out"
    first = made(folder, campaign(hosts=4), quick=True)
    spec = folder / "platform.toml"
    network = "4 hosts, 50 Mbit/s each way, 500 µs"
    setting = (("bed", f"{network}; does not hold: ring 48.3 of 50.0 Mbit/s"), ("calibrated", "calibrated by hand"))
    assert first == Prepared(str(spec), setting, True)
    assert calls == [4, ("small", "launcher testbed", None, 3, spec, True)], "as many ranks as the widest call has"
    err = capsys.readouterr().err
    assert f"mine: checking the bed ({network})" in err and "mine: calibrating it" in err
    assert "mine: ring 48.3 of 50.0 Mbit/s; is the machine busy?" in err
    assert (folder / "calibration.csv").read_text() == "table of messages"
    assert made(folder, campaign(hosts=4)) == Prepared(str(spec), setting, False)
    assert len(calls) == 2 and "the platform that was calibrated before is taken" in capsys.readouterr().err
    noted = json.loads((folder / "bed.json").read_text())
    noted["findings"] = noted["findings"][1:]
    (folder / "bed.json").write_text(json.dumps(noted))
    assert made(folder, campaign(hosts=4)).setting[0][1] == f"{network}; all 1 claims of its check hold"


def test_a_platform_calibrated_elsewhere_is_not_taken(tmp_path: Path, calls: list[Any]) -> None:
    of = campaign(hosts=4)
    made(tmp_path, of)
    assert not made(tmp_path, of).moved
    assert made(tmp_path, of, recalibrate=True).moved
    assert made(tmp_path, campaign(hosts=5)).moved and made(tmp_path, of).moved
    for spoilt in ("no json", "[]"):
        (tmp_path / "bed.json").write_text(spoilt)
        assert made(tmp_path, of).moved
    (tmp_path / "platform.toml").unlink()
    assert made(tmp_path, of).moved and calls[-1][5] is False


def test_a_bed_is_as_its_table_says() -> None:
    """By default it is that of ./collscope testbed."""
    assert preparation.network_of(campaign()) == Network()
    shape = {"hosts": 6, "bits_per_s": 2e6, "latency_s": 1e-3, "leaves": 3, "oversubscription": 2.0}
    found = preparation.network_of(campaign(**shape, default_eager_limits=True))
    assert found == Network(**shape, own_limits=True)  # type: ignore[arg-type]
