"""collscope.calibration.stability, collscope.calibration.estimates: rounds that were disturbed, and machines that drift, planted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.calibration import calibrate, estimates, stability, topology
from collscope.calibration.samples import Placement, Probe, Reading, Samples
from collscope.calibration.survey import FORWARDS
from collscope.machines import find
from collscope.machines.spec import Spec
from collscope.machines.spec_reader import parse_spec
from collscope.sources import idle
from collscope.sources.idle import Busy
from collscope.sources.launcher import Launcher
from command_line import call
from made_samples import ONE_FLOW, ONE_SOCKET, TWO_CORES, changed, made_samples, reading, together

Capture, Patch = pytest.CaptureFixture[str], pytest.MonkeyPatch
NODE = 'name = "mine"\nnodes = 1\nsockets = 1\ncores_per_socket = 2\n[curve]\nsocket = [[0, 1e-6, 1e-9], [8192, 0, 2e-9]]\n'


def slowed(samples: Samples, factor: float) -> Samples:
    return changed(samples, lambda r: Reading(r.probe, tuple(factor * t for t in r.samples)))


@pytest.mark.parametrize("factor", [0.3, 8.0])
def test_one_disturbed_launch_of_three_is_outvoted_in_every_number_but_the_least(factor: float) -> None:
    """Whether it comes first, in the middle or last."""
    singles = [reading("flows", ONE_FLOW, n, *[4.1e-7 + n * 2e-10] * 20, single=True) for n in (1, 1024)]
    quiet = together(ONE_SOCKET, made_samples().readings, singles)
    disturbed = slowed(quiet, factor)
    expected = estimates.of_machine(quiet + quiet + quiet)
    for order in ((disturbed, quiet, quiet), (quiet, disturbed, quiet), (quiet, quiet, disturbed)):
        found = estimates.of_machine(order[0] + order[1] + order[2])
        for name in ("curves", "overhead_s", "rates", "noise"):
            assert getattr(found, name) == getattr(expected, name), name
        assert {w: v[0] for w, v in found.local.items()} == {w: v[0] for w, v in expected.local.items()}
        assert (found.least == expected.least) == (factor > 1), "no message is faster than the fastest"


def test_noise_has_the_rounds_that_differ_a_little() -> None:
    rounds = [reading("flows", ONE_FLOW, 1, t, t, t) for t in (1.0, 1.2, 1.0, 1.3, 0.8)]
    assert [r.samples[0] for r in estimates.undisturbed(rounds)] == [1.0, 1.2, 1.0, 0.8]


# ---- what is predicted, and what is measured again --------------------------------------------------------


def spec() -> Spec:
    return parse_spec(NODE, "mine.toml")


def test_times_are_compared_by_range_with_the_piece_of_their_size() -> None:
    of = spec()
    assert [stability.predicted(of, "socket", n) for n in (1, 8191, 8192)] == pytest.approx(
        [1.001e-6, 9.191e-6, 1.6384e-5]
    )
    sizes = (1, 64, 512, 4096, 65536, 262144, 1 << 20)
    exact = {n: stability.predicted(of, "socket", n) for n in sizes}
    assert not list(stability.differences(of, {"socket": exact}))
    for factor, count in ((1.09, 0), (0.91, 0), (1.11, 3), (0.89, 3)):
        drifted = {n: factor * t for n, t in exact.items()}
        assert len(list(stability.differences(of, {"socket": drifted}))) == count
    one_size = exact | {64: 2 * exact[64]}
    assert not list(stability.differences(of, {"socket": one_size})), "the others of its range outvote it"
    large = exact | {n: 1.5 * exact[n] for n in (262144, 1 << 20)}
    (found,) = stability.differences(of, {"socket": large})
    assert found.text == "socket, from 256 KiB on: +50% (1 MiB took 3.15 ms, 2.1 ms is predicted)"
    small = exact | {n: 1.2 * exact[n] for n in (1, 64, 512)}
    (found,) = stability.differences(of, {"socket": small})
    assert found.text.startswith("socket, below 4 KiB: +20% (")
    middle = exact | {n: 0.8 * exact[n] for n in (4096, 65536)}
    (found,) = stability.differences(of, {"socket": middle})
    assert found.text.startswith("socket, 4 KiB to below 256 KiB: -20% (")


def test_a_hop_takes_a_message_its_copy_and_the_lines_that_are_taken_back() -> None:
    of = parse_spec(
        f"invalidation_s_per_byte = 3e-10\ncopy_s_per_byte = 2e-11\neager_bytes = 4096\n{NODE}", "mine.toml"
    )
    alone = stability.predicted(of, "socket", 16384)
    assert stability.predicted(of, "socket", 16384, "relay") == pytest.approx(alone + 16384 * 3e-10)
    assert stability.predicted(of, "socket", 16384, "relay_copied") == pytest.approx(alone + 16384 * 3.2e-10)
    assert stability.predicted(of, "socket", 4096, "relay") == stability.predicted(of, "socket", 4096), "it is eager"
    (found,) = stability.differences(of, {"socket": {16384: 2 * alone}}, "relay")
    assert found.text.startswith("sent back from the buffer that it came into, socket, 4 KiB to below 256 KiB: +7")


# ---- a machine that drifts ---------------------------------------------------------------------------------


class Machine:
    """Two cores whose messages take `pace` times 1 µs and 1 ns per byte; each launch has the next pace."""

    def __init__(self, *paces: float) -> None:
        self.paces = itertools.chain(paces, itertools.repeat(paces[-1]))
        self.launches = 0
        self.forwards = 1.0  # times a message, of those that are sent on

    def ask(self, plan: Sequence[Probe], *_: object) -> Samples:
        self.launches += 1
        pace = next(self.paces)

        def read(p: Probe) -> Reading:
            time = pace * (1e-6 + p.bytes * 1e-9) if p.flows else 1e-10
            if p.pattern == "relay_copied":
                time += 1e-10 * p.bytes
            if p.pattern in FORWARDS:
                time *= self.forwards
            others = {"copy_exchanged": 1e-10, "gamma_exchanged": 1e-10, "late": 2e-5, "late_nonblocking": 2e-5}
            taken = {"overhead": 1e-7, "receive": 1e-7} | others
            return Reading(p, (taken.get(p.pattern, time),) * 20, (1e-7,), (time,))

        return Samples(Placement(((0, 0, 0), (0, 0, 0))), tuple(map(read, plan)), "L 1", ("n", "n"))


@pytest.fixture
def machine(monkeypatch: Patch) -> type[Machine]:
    monkeypatch.setattr(topology, "read", lambda: TWO_CORES)
    monkeypatch.setattr(programs, "needed", lambda program: Path("driver"))
    monkeypatch.setattr(calibrate.mpirun, "share_cores", lambda ranks, nodes=1: False)
    monkeypatch.setattr(idle, "of_hosts", lambda launcher, nodes: [Busy("", 2, 0.0)])
    return Machine


WHOLE = 5  # launches of a calibration, and one that checks it


def test_a_machine_that_stays_as_it_is_is_calibrated_once(
    machine: type[Machine], monkeypatch: Patch, tmp_path: Path, capsys: Capture
) -> None:
    steady = machine(1.0)
    monkeypatch.setattr(calibrate, "ask", steady.ask)
    made = calibrate.calibrate(target=tmp_path / "mine.toml")
    assert steady.launches == WHOLE + 1 and not made.unstable and not capsys.readouterr().err
    assert "unstable" not in made.path.read_text() and not find.load(str(made.path)).unstable


def test_a_drift_of_a_fifth_is_noticed_and_what_comes_after_it_is_written(
    machine: type[Machine], monkeypatch: Patch, tmp_path: Path, capsys: Capture
) -> None:
    drifted = machine(*[1.0] * WHOLE, 1.2)
    monkeypatch.setattr(calibrate, "ask", drifted.ask)
    made = calibrate.calibrate(target=tmp_path / "mine.toml")
    assert drifted.launches == 2 * (WHOLE + 1) and not made.unstable
    err = capsys.readouterr().err
    assert "does not hold: cache, below 4 KiB: +20% (" in err and "calibrating again (1 of 3)" in err
    assert find.load_spec(str(made.path)).curve["cache"][0].latency.value == pytest.approx(1.2e-6, rel=1e-3)


def test_a_machine_that_drifts_on_is_marked_after_three_repetitions(
    machine: type[Machine], monkeypatch: Patch, tmp_path: Path, capsys: Capture
) -> None:
    falling = machine(*[1.2**k for k in range(4) for _ in range(WHOLE + 1)])
    paces = list(itertools.islice(falling.paces, 24))
    for k in range(WHOLE, 24, WHOLE + 1):
        paces[k] *= 1.2  # the launch that checks
    falling.paces = iter(paces)
    monkeypatch.setattr(calibrate, "ask", falling.ask)
    path = tmp_path / "mine.toml"
    status, out, err = call(capsys, "calibrate", "--out", str(path))
    assert status == 0 and falling.launches == 4 * (WHOLE + 1)
    assert [f"calibrating again ({n} of 3)" in err for n in (1, 2, 3, 4)] == [True, True, True, False]
    text = "cache, below 4 KiB: +20% (64 B took 2.21 µs, 1.84 µs is predicted); cache, 4 KiB to"
    assert f"unstable: {text}" in out and f'\nunstable = "{text}' in path.read_text()
    assert "it is marked as unstable" in err
    spec, platform = find.load_spec(str(path)), find.load(str(path))
    assert spec.unstable == platform.unstable and spec.unstable.startswith(text)


@pytest.mark.parametrize(("forwards", "marked"), [(1.05, False), (1.3, True), (0.8, True)])
def test_a_machine_whose_messages_are_right_and_are_sent_on_otherwise_than_predicted_is_marked(
    forwards: float, marked: bool, machine: type[Machine], monkeypatch: Patch, tmp_path: Path
) -> None:
    steady = machine(1.0)
    steady.forwards = forwards
    monkeypatch.setattr(calibrate, "ask", steady.ask)
    monkeypatch.setattr(stability, "MAX_REPEATS", 0)
    made = calibrate.calibrate(target=tmp_path / "mine.toml")
    assert bool(made.unstable) == marked
    assert all(text.startswith("sent back ") for text in filter(None, made.unstable.split("; ")))
    now = calibrate.differs_here(tmp_path / "mine.toml")
    assert now == made.unstable and find.load_spec(str(made.path)).unstable == made.unstable


def test_every_command_that_reads_an_unstable_platform_says_so(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "mine.toml").write_text('unstable = "socket: +20%"\n' + NODE)
    assert find.load(str(tmp_path / "mine.toml")).unstable == "socket: +20%"
    note = (
        "collscope: mine: unstable when it was calibrated: socket: +20%; calibrate it again when the machine is quiet\n"
    )
    assert capsys.readouterr().err == note


class Hosts(Launcher):
    def nodes(self) -> int | None:
        return 2

    def command(self, program: Sequence[str | Path], *_: object) -> list[str | Path]:
        return [*program]


def test_a_cluster_s_round_trips_are_timed_again(machine: type[Machine], monkeypatch: Patch, tmp_path: Path) -> None:
    steady = machine(*[1.0] * 3, 1.5)
    found = steady.ask

    def ask(plan: Sequence[Probe], *_: object) -> Samples:
        return replace(found(plan), placement=Placement(((0, 0, 0), (1, 1, 1))))

    monkeypatch.setattr(calibrate, "ask", ask)
    monkeypatch.setattr(stability, "MAX_REPEATS", 0)
    made = calibrate.calibrate("two", Hosts(hosts=("a", "b")), None, 1, tmp_path / "two.toml", quick=True)
    assert made.unstable.startswith("network, ") and "+50%" in made.unstable and steady.launches == 4
    assert find.load_spec(str(made.path)).unstable == made.unstable
