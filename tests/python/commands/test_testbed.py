"""collscope.commands.testbed: the `testbed` command: what it reads, starts and prints."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from collscope.base import paths
from collscope.base.errors import UsageError, UserError
from collscope.commands import testbed
from collscope.setup import needs
from collscope.setup.steps import SetupError
from collscope.testbed import bed, check
from collscope.testbed.network import Network

USUAL = Network()


def call(*words: str) -> Result:
    return CliRunner().invoke(testbed.command, list(words))


@pytest.mark.parametrize(
    ("rate", "latency", "bits_per_s", "seconds"),
    [
        ("50Mbit", "500us", 50e6, 500e-6),
        ("1gbit", "1.5 ms", 1e9, 1.5e-3),
        ("100kbit", "0s", 1e5, 0),
        ("2Mbit", "7µs", 2e6, 7e-6),
    ],
)
def test_rates_and_times_have_units(rate: str, latency: str, bits_per_s: float, seconds: float) -> None:
    made = testbed.network_of(4, rate, latency, 2, 3.0, False)
    assert made == Network(4, bits_per_s, pytest.approx(seconds), 2, 3.0)


@pytest.mark.parametrize(
    ("rate", "latency", "what"),
    [
        ("50", "1us", '--rate: cannot read "50"; write a number and one of kbit, mbit, gbit'),
        ("50MB", "1us", '--rate: cannot read "50MB"'),
        ("-1Mbit", "1us", '--rate: cannot read "-1Mbit"'),
        ("50Mbit", "1", '--latency: cannot read "1"; write a number and one of ns, us, µs, ms, s, min'),
        ("50Mbit", "9" * 60 + "x", '--latency: cannot read "' + "9" * 40 + '"'),
    ],
)
def test_rates_and_times_without_a_unit_are_refused(rate: str, latency: str, what: str) -> None:
    with pytest.raises(UsageError) as error:
        testbed.network_of(4, rate, latency, 1, 1.0, False)
    assert str(error.value).startswith(what)


@dataclass(frozen=True)
class FakeBed:
    """Not a real bed: its programs are started as they are."""

    network: Network
    realtime = True

    def mpirun(self, ranks: int, program: tuple[str, ...], preload: str) -> list[str]:
        return ["env", f"RANKS={ranks}", f"OWN={self.network.own_limits}", f"FOR_RANKS={preload}", *program]


@pytest.fixture
def beds(monkeypatch: pytest.MonkeyPatch) -> list[Network]:
    """The networks that beds are made of; no bed is."""
    made: list[Network] = []

    def make(network: Network) -> FakeBed:
        made.append(network)
        return FakeBed(network)

    monkeypatch.setattr(testbed, "ensure_tools", lambda: None)
    monkeypatch.setattr(bed, "standing", lambda: None)
    up = FakeBed(USUAL)  # one is up, with none of the options
    monkeypatch.setattr(bed, "standing_or_made", lambda network: contextlib.nullcontext(make(network) and up))
    monkeypatch.setattr(bed, "up", make)
    return made


@pytest.mark.parametrize(("end", "status"), [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137)])
def test_a_program_runs_with_its_own_options_and_status(
    beds: list[Network], capfd: pytest.CaptureFixture[str], end: str, status: int
) -> None:
    words = (
        "--hosts",
        "2",
        "-n",
        "4",
        "--default-eager-limits",
        "sh",
        "-c",
        f'echo "$RANKS $OWN $@"; {end}',
        "-",
        "--hosts",
        "7",
    )
    assert call("run", *words).exit_code == status
    assert capfd.readouterr().out == "4 True --hosts 7\n" and beds == [Network(hosts=2, own_limits=True)]


def test_only_ranks_load_what_exec_preloads(
    beds: list[Network], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/nowhere/libcollscope.so")
    monkeypatch.setenv("COLLSCOPE_BCAST", "binomial")
    assert call("run", "-n", "2", "sh", "-c", 'echo "$COLLSCOPE_BCAST $FOR_RANKS $LD_PRELOAD"').exit_code == 0
    assert capfd.readouterr() == ("binomial /nowhere/libcollscope.so \n", "")


def test_a_bed_that_is_up_says_what_it_is(beds: list[Network]) -> None:
    done = call("up", "--leaves", "2", "--oversubscription", "4")
    assert done.output.startswith("up: 8 hosts, 50 Mbit/s each way, 500 µs, 2 leaves, 4:1 oversubscribed;")
    assert beds == [Network(leaves=2, oversubscription=4)]


WORDS = (["up"], ["check"], ["run", "-n", "1", "./p"])


@pytest.mark.parametrize("words", WORDS)
def test_no_bed_is_made_before_its_tools_are_there(
    beds: list[Network], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    def fail() -> None:
        raise UserError("no tools")

    monkeypatch.setattr(testbed, "ensure_tools", fail)
    assert str(call(*words).exception) == "no tools" and not beds


@pytest.mark.parametrize("words", WORDS[:2])
@pytest.mark.parametrize("realtime", [False, True])
def test_a_bed_that_others_may_disturb_has_a_note(
    beds: list[Network], monkeypatch: pytest.MonkeyPatch, words: list[str], realtime: bool
) -> None:
    monkeypatch.setattr(FakeBed, "realtime", realtime)
    monkeypatch.setattr(check, "check", lambda _: iter(()))
    printed = "collscope: without root the switch cannot go before other programs: keep this machine quiet while it measures\n"
    assert call(*words).stderr == printed * (not realtime)


def test_tools_are_installed_where_we_may(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setattr("collscope.setup.machine.ensure_packages", lambda *words: calls.append(words))
    testbed.ensure_tools()
    assert calls == [(paths.ROOT, [needs.TEST_BED])]

    def fail(*_: Any) -> None:
        raise SetupError("no apt-get")

    monkeypatch.setattr("collscope.setup.machine.ensure_packages", fail)
    with pytest.raises(UserError, match="^no apt-get$"):
        testbed.ensure_tools()


def test_down_without_a_bed_says_so(monkeypatch: pytest.MonkeyPatch, workplace: Path) -> None:
    assert call("down").output == "no test bed is up\n"


@pytest.mark.parametrize("fine", [False, True])
def test_a_claim_that_does_not_hold_is_an_error(
    beds: list[Network], monkeypatch: pytest.MonkeyPatch, fine: bool
) -> None:
    findings = [check.Finding("ring", 48.2, 24.1, "Mbit/s", fine), check.Finding("sent again", 0, 0, "", True)]
    monkeypatch.setattr(check, "check", lambda bed: iter(findings))
    done = call("check")
    assert "ring" in done.output and "0.500" in done.output and "24.1 Mbit/s" in done.output
    assert ("DOES NOT HOLD" in done.output) == (not fine)
    assert isinstance(done.exception, UserError) == (not fine)
    assert fine or str(done.exception).startswith("1 of the bed's claims do not hold")


def test_a_bed_that_cannot_be_made_has_its_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bed.shutil, "which", lambda name: None if name in ("tc", "chrt") else name)
    assert bed.missing() == "it needs iproute2 and util-linux: apt-get install iproute2 util-linux"
    monkeypatch.setattr(bed.shutil, "which", lambda name: name)
    monkeypatch.setattr(bed.os, "access", lambda *_: False)
    assert bed.missing().startswith("/dev/net/tun cannot be opened")
    monkeypatch.setattr(bed.os, "access", lambda *_: True)
    answer = SimpleNamespace(returncode=1, stderr="unshare: unshare failed: Operation not permitted\n")
    monkeypatch.setattr(bed.programs, "answer", lambda *_, **__: answer)
    assert bed.missing().startswith(
        "namespaces are not allowed here (unshare: unshare failed: Operation not permitted)"
    )
    monkeypatch.setattr(bed.programs, "answer", lambda *_, **__: SimpleNamespace(returncode=0, stderr=""))
    assert bed.missing() == ""
