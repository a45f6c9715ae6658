"""collscope.calibration.calibrate, collscope.commands.calibrate: this machine and clusters, with a driver that answers by formulas."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.base.number import Number
from collscope.calibration import calibrate, estimates, topology
from collscope.calibration.samples import Placement, Probe, Reading, Samples, Start
from collscope.calibration.survey import FORWARDS
from collscope.machines import find
from collscope.machines.spec import Topology
from collscope.sources import bounds, idle, mpirun
from collscope.sources.idle import Busy
from collscope.sources.launcher import Launcher
from collscope.testbed import bed
from collscope.testbed.network import Network
from command_line import call
from refusals import refusal


@pytest.mark.full
@pytest.mark.skipif(
    not programs.MPI_DRIVER.exists() or len(os.sched_getaffinity(0)) < 2,
    reason="needs build/mpi/collscope-driver and two cores",
)
@pytest.mark.parametrize("quick", [False, True])
def test_this_machine_gets_a_specification_of_its_own(tmp_path: Path, workplace: Path, quick: bool) -> None:
    path = calibrate.calibrate(ranks_per_node=2, target=tmp_path / "machine" / "spec.toml", quick=quick).path
    assert [p.name for p in path.parent.iterdir()] == ["spec.toml"]
    p = find.load(str(path))
    assert 1e-8 < p.machine.half_round_trip_s("cache", 1) < 1e-3
    assert 0 < p.gamma_s_per_byte < 1e-7
    assert bounds.loggp(p, 1, 2)["L"] >= 0


def answer(probe: Probe) -> Reading:
    """Messages of 1 µs and 1 ns per byte, eager up to 8 KiB; of several at once each takes a third of that longer."""
    time = 1e-6 + probe.bytes * 1e-9
    if not probe.flows:
        return Reading(probe, (1e-10,))
    if probe.pattern == "flows":
        whole = time * (1 + (probe.count * len(probe.flows) - 1) / 3)
        return Reading(probe, (whole,) * 3, (probe.count * 2e-7,), (time,))
    if probe.pattern.startswith("late"):
        return Reading(probe, (1e-5 if probe.bytes <= 8192 else 2e-3 * probe.count,))
    if probe.pattern in FORWARDS:  # between one alone and one of two, as the curve is
        copied = 1e-10 * probe.bytes * (probe.pattern == "relay_copied")
        return Reading(probe, (time * 7 / 6 + copied,) * 3)
    taken = {"overhead": 1e-7, "receive": 1e-7, "copy_exchanged": 1e-10, "gamma_exchanged": 1e-10}
    return Reading(probe, (taken.get(probe.pattern, time),) * 3)


DATA = paths.ROOT / "platforms" / "data" / "orfeo_p2p.csv"
Launches = list[tuple[int, list[str], Path | None]]  # ranks, words, folder of the plan
Driver = Callable[..., Launches]
Capture, Patch = pytest.CaptureFixture[str], pytest.MonkeyPatch


@pytest.fixture
def driver(monkeypatch: Patch) -> Driver:
    """`driver(cores, nodes, busy)`: the launches of a driver that finds its ranks on so many nodes of so many cores, two per socket;
    of them others compute on `busy`."""

    def play(cores: int = 2, nodes: int = 1, busy: float = 0.0) -> Launches:
        launches: Launches = []

        def ask(plan: Sequence[Probe], ranks: int, start: Start, folder: Path | None, _: object) -> Samples:
            launches.append((ranks, [str(word) for word in start(Path("plan"))], folder))
            each = -(-ranks // nodes)
            places = tuple((r // each, r // 2 if cores > 2 else 0, r if cores > 2 else 0) for r in range(ranks))
            hosts = tuple(f"n{r // each}" for r in range(ranks))
            return Samples(Placement(places), tuple(map(answer, plan)), "L 1", hosts, {"btl_vader_eager_limit": 4096})

        machine = topology.Topology("An AMD® X;2 'y'", tuple(topology.Cpu(n, n, n // 2, n) for n in range(cores)))
        monkeypatch.setattr(topology, "read", lambda: machine)
        monkeypatch.setattr(calibrate, "ask", ask)
        monkeypatch.setattr(programs, "needed", lambda program: Path("driver"))
        monkeypatch.setattr(mpirun, "command", lambda ranks, nodes=1, mapping="block": ["mpirun", f"{ranks}"])
        monkeypatch.setattr(mpirun, "share_cores", lambda ranks, nodes=1: ranks > cores)
        monkeypatch.setattr(idle, "of_hosts", lambda launcher, nodes: [Busy("", cores, busy, 0.0, (("cc1", busy),))])
        return launches

    return play


# ---- this machine -----------------------------------------------------------------------------------------


def test_the_command_prints_source_pieces_and_errors_and_what_else_ran_and_so_does_the_file(
    tmp_path: Path, driver: Driver, capsys: Capture, workplace: Path
) -> None:
    launches, path = driver(busy=1.24), tmp_path / "mine.toml"
    status, out, err = call(capsys, "calibrate", "--out", str(path))
    assert status == 0 and launches == [(2, ["mpirun", "2", "--bind-to", "core", "driver", "--p2p", "plan"], None)] * 6
    assert (
        err.count("not idle: 1.2 of 2 cores busy (cc1 1.2); times will be too long: measure again when it is quiet")
        == 2
    )
    first, second, third, *_, last = out.splitlines()
    source = r"collscope calibrate, [-\d]{10} [:\d]{5}, L 1, 2 ranks on 1 node of this machine, in \d+ s; before: X, after: X".replace(
        "X", re.escape("1.2 of 2 cores busy (cc1 1.2)")
    )
    assert re.fullmatch(source, first)
    assert second.startswith("cache: 23 sizes in 1 piece; error 0.0% median, 0.0% max (at ")
    assert third == "  from      0 B: α = 1.17 µs, β = 1.17 ns/B", "alone, and with one the other way"
    assert "core: 857.1 MB/s" in out and last.endswith(f"simulate it with --on {path}")
    text, spec = path.read_text(), find.load_spec(str(path))
    assert f"# {second}\n" in text and spec.sources["here"] == first
    assert (spec.name, spec.about, spec.oversubscribe) == ("this_machine", "An AMD X2 y: 2 cores", True)
    assert (spec.nodes, spec.sockets, spec.cores_per_socket, spec.cores_per_cache) == (1, 1, 2, 1)
    assert spec.eager_bytes.value == 4095 and spec.counts["sockets"] == Number(1, "documented", "hwloc")


def test_a_quick_calibration_has_three_rounds_between_a_look_and_what_checks_it(
    tmp_path: Path, driver: Driver, workplace: Path
) -> None:
    launches = driver()
    made = calibrate.calibrate(target=tmp_path / "q.toml", quick=True)
    assert find.load(str(made.path)).machine.half_round_trip_s("cache", 1) > 1e-6 and len(launches) == 5


@pytest.mark.parametrize(
    ("cores", "ranks", "measured"), [(2, None, 2), (16, None, 16), (40, None, 16), (40, 3, 3), (40, 2, 2)]
)
def test_a_rank_per_core_measures_and_sixteen_at_most(
    tmp_path: Path, driver: Driver, cores: int, ranks: int | None, measured: int
) -> None:
    launches = driver(cores)
    made = calibrate.calibrate(ranks_per_node=ranks, target=tmp_path / "spec.toml")
    assert {count for count, *_ in launches} == {measured} and f"{measured} ranks on 1 node" in made.source
    assert {r.probe.count for r in made.samples.of("copy")} == {1, measured}
    memory = made.estimates.rates["memory"].bytes_per_s
    assert memory == pytest.approx(measured * 1e10 / (cores // 2), rel=1e-3), (
        "copies by all ranks, of each socket its share"
    )


def test_a_machine_without_cores_or_a_place_to_write_is_refused_before_anything_is_measured(
    tmp_path: Path, driver: Driver, monkeypatch: Patch
) -> None:
    launches = driver(cores=3)
    for ranks, message in ((1, "needs two cores"), (4, "4 ranks do not have a core each; calibrate with at most")):
        assert message in refusal(calibrate.calibrate, ranks_per_node=ranks, target=tmp_path / "spec.toml")
    no = "cannot be written; --out FILE writes elsewhere, for --on FILE"
    assert refusal(calibrate.calibrate, target=tmp_path).endswith(no)
    monkeypatch.setattr(paths, "is_writable", lambda _: False)
    assert refusal(calibrate.calibrate).endswith(f"this_machine/spec.toml {no}")
    assert list(tmp_path.iterdir()) == [] and not launches


def test_a_specification_that_cannot_be_used_is_not_written(tmp_path: Path, driver: Driver, monkeypatch: Patch) -> None:
    driver()
    monkeypatch.setattr(calibrate, "spec_text", lambda *_: "name = 3\n")
    assert "spec.toml:1: name: " in refusal(calibrate.calibrate, target=tmp_path / "spec.toml")
    assert list(tmp_path.iterdir()) == []


def test_a_calibration_that_is_stopped_writes_nothing(
    tmp_path: Path, driver: Driver, monkeypatch: Patch, capsys: Capture
) -> None:
    def stop(*_: object) -> Samples:
        raise KeyboardInterrupt

    driver()
    monkeypatch.setattr(calibrate, "ask", stop)
    status, _, err = call(capsys, "calibrate", "--out", str(tmp_path / "mine.toml"))
    assert (status, err) == (1, "collscope: stopped; nothing was written\n") and list(tmp_path.iterdir()) == []


def test_the_eager_limit_is_that_of_the_library() -> None:
    both = calibrate.eager_limit({"btl_sm_eager_limit": 32768, "btl_vader_eager_limit": 4096})
    assert both == Number(4095, "documented", "btl_vader_eager_limit 4096 of the library, header included")
    assert calibrate.eager_limit({"btl_sm_eager_limit": "32768"}).value == 32767
    assert calibrate.eager_limit({}) == Number(4095, "assumed", "usual")


# ---- a cluster --------------------------------------------------------------------------------------------


class Reaches(Launcher):
    """A launcher that reaches so many nodes and starts nothing."""

    def nodes(self) -> int | None:
        return len(self.hosts) or None

    def command(
        self, program: Sequence[str | Path], ranks: int, nodes: int = 1, mapping: str = "block"
    ) -> list[str | Path]:
        return [*program, f"{ranks} on {nodes}"]


@pytest.mark.parametrize(
    ("cores", "hosts", "nodes", "each", "ranks", "on"),
    [
        (4, "ab", None, None, 8, 2),
        (4, "ab", None, 1, 2, 2),
        (4, "abc", 2, 3, 6, 2),
        (4, "abcdefghi", None, None, 32, 8),  # eight at most, where the number is not given
        (70, "ab", None, None, 128, 2),  # and 64 ranks on each
        (4, "", 2, None, 8, 2),
    ],
)
def test_a_cluster_is_measured_by_a_rank_per_core_of_its_nodes(
    driver: Driver, tmp_path: Path, cores: int, hosts: str, nodes: int | None, each: int | None, ranks: int, on: int
) -> None:  # fmt: skip
    launches, launcher = driver(cores, on), Reaches(hosts=tuple(hosts))
    made = calibrate.calibrate("mine", launcher, nodes, each, tmp_path / "mine.toml", quick=True)
    assert launches == [(ranks, ["driver", "--p2p", "plan", f"{ranks} on {on}"], launcher.folder)] * 5
    spec = find.load_spec(str(made.path))
    assert (spec.name, spec.nodes, spec.sockets, spec.cores_per_socket) == ("mine", on, cores // 2, 2)
    assert spec.counts["nodes"] == Number(on, "documented", "where the ranks that measured sat")
    what, how_long = made.source.split(", in ")
    assert what.endswith(f"L 1, {ranks} ranks on {on} nodes of {launcher.describe()}")
    assert how_long.endswith(" s; before: idle, after: idle")
    assert spec.sources == {"here": made.source} and not spec.oversubscribe and "network" in spec.own_curves
    text = made.path.read_text()
    assert text.startswith("# As `./collscope calibrate --name mine` measured it") and all(
        f"\n# {note}\n" in text for note in made.estimates.notes
    )


def test_a_planted_cluster_comes_out_again(driver: Driver, tmp_path: Path) -> None:
    driver(cores=4, nodes=2)
    made = calibrate.calibrate("mine", Reaches(hosts=("a", "b")), target=tmp_path / "mine.toml")
    spec = find.load_spec(str(made.path))
    for curve in (spec.curve["network"], spec.curve["cache"]):
        assert curve[0].latency.value == pytest.approx(1e-6) and curve[0].s_per_byte.value == pytest.approx(1e-9)
    assert (spec.eager_bytes.value, spec.eager_bytes.range) == (8192, (8192, 8703)), "of the finer sizes"
    assert spec.overhead_s.value == 1e-7


def test_a_curve_that_was_disturbed_is_left_out_with_a_note(driver: Driver, monkeypatch: Patch, tmp_path: Path) -> None:
    driver(cores=4, nodes=2)
    found = estimates.of_cluster
    fast, slow = {"network": [(0, 1.5e-7, 1e-9)]}, {"network": [(1, 3e-7)]}
    monkeypatch.setattr(estimates, "of_cluster", lambda *given: replace(found(*given), nonblocking=fast, receives=slow))
    made = calibrate.calibrate("mine", Reaches(hosts=("a", "b")), target=tmp_path / "mine.toml", quick=True)
    note = "curve_nonblocking.network: left out, its messages are shorter than what their two ends spend; measure again when"
    assert made.estimates.notes[-1].startswith(note) and f"\n# {note}" in made.path.read_text()
    assert not find.load_spec(str(made.path)).curve_nonblocking


def test_a_host_of_the_test_bed_is_a_node_of_one_core(driver: Driver, monkeypatch: Patch, tmp_path: Path) -> None:
    """Its leaves have one uplink each, of the rate that the bed was made with."""
    wire = Network(4, leaves=2, oversubscription=4, uplink_latency_s=3e-5)  # two hosts send four times an uplink
    monkeypatch.setattr(bed, "standing", lambda: bed.Bed(wire, 1, False, tmp_path))
    monkeypatch.setattr(Reaches, "describe", lambda self: "the bed")
    for each, cores in ((None, 1), (2, 2)):
        launches = driver(cores=4, nodes=4)
        launcher = Reaches(kind="testbed", hosts=tuple("abcd"))
        spec = find.load_spec(str(calibrate.calibrate("mine", launcher, None, each, tmp_path / "mine.toml").path))
        assert launches[0][0] == 4 * cores and (spec.nodes, spec.sockets, spec.cores_per_socket) == (4, 1, cores)
        tree = spec.topology
        assert (tree.kind, tree.shape, tree.oversubscription.value) == ("fat_tree", (2, 2), 2)
        assert (
            tree.link_bytes_per_s.value == pytest.approx(wire.ceiling_bytes_per_s / 2)
            and tree.hop_latency_s.value == 3e-5
        )
    apart = calibrate.calibrate("mine", Reaches(hosts=tuple("abcd")), None, 1, tmp_path / "apart.toml")
    assert find.load_spec(str(apart.path)).topology == calibrate.leaves_of(Network(8)) == Topology()


@pytest.mark.parametrize(
    ("hosts", "nodes", "each", "message"),
    [
        ("", None, None, "this machine does not say how many nodes there are; add --nodes N"),
        ("", 1, 1, "one rank alone sends no message; add --nodes or --ranks-per-node"),
        ("ab", 3, None, "3 nodes were requested and ranks sit on 2: n0, n1"),
    ],
)
def test_a_cluster_that_cannot_be_measured_is_refused(
    driver: Driver, tmp_path: Path, hosts: str, nodes: int | None, each: int | None, message: str
) -> None:
    driver(cores=4, nodes=2)
    launcher, target = Reaches(hosts=tuple(hosts)), tmp_path / "mine.toml"
    assert refusal(calibrate.calibrate, "mine", launcher, nodes, each, target) == message
    assert list(tmp_path.iterdir()) == []
    taken = "--name schooner: there is platforms/schooner.toml already; take another name, or --out FILE"
    assert refusal(calibrate.calibrate, "schooner", Reaches()) == taken


def test_page_picture_and_data_of_a_cluster_lie_beside_its_specification(
    tmp_path: Path, driver: Driver, capsys: Capture
) -> None:
    driver(cores=2, nodes=2)
    for name, before in (("spec.toml", ""), ("mine.toml", "mine_")):
        (folder := tmp_path / before / "x").mkdir(parents=True)
        words = ["--hosts", "a,b", "--name", "mine", "--quick", "--out", str(folder / name)]
        status, out, _ = call(capsys, "calibrate", *words)
        assert status == 0 and out.splitlines()[-1].endswith(f"--on {folder / name}")
        beside = {f"{before}calibration.{kind}" for kind in ("csv", "md", "png")}
        assert {path.name for path in folder.iterdir()} == {name, *beside}
        text = (folder / f"{before}calibration.md").read_text()
        assert text.startswith("# mine: ")
        assert all(f"({before}calibration.{kind})" in text for kind in ("csv", "png"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--hosts a,b", "--hosts needs the cluster's --name"),
        ("--hosts a,b --name this_machine", "--name this_machine: is taken"),
        ("--hosts a,b --name schooner", "there is platforms/schooner.toml already"),
        ("--nodes 2 --from x.csv --name n", "--nodes is for measuring, and --from takes times from files"),
        ("--quick --from x.csv --name n", "--quick is for measuring, and --from takes times from files"),
        ("--hosts a,b --name n --jumps network=8KiB", "--jumps goes with --from FILE; a cluster is measured"),
        ("--ranks-per-node 2 --name n", "this machine does not say how many nodes there are; add --nodes N"),
        ("--name n", "--name goes with --from FILE"),
        ("--out mine.xml", "--out mine.xml: a specification's name ends in .toml"),
        ("--contention t.csv", "--contention goes with --from FILE"),
        ("--from a.csv", "--from needs the machine's --name"),
        ("--from a.csv --name -no", "--from needs the machine's --name"),
        ("--from a.csv --name x --where node_type", 'cannot read "node_type"; write KEY=VALUE'),
        (f"--from {DATA} --name x --shape nodes=many", '--shape: cannot read "nodes=many"; write some of nodes=N'),
        (f"--from {DATA} --name x --where node_type=THIN --jumps network=1KB", "write 1KiB"),
        (
            f"--from {DATA} --name x --where node_type=THIN --jumps netwrk=1KiB",
            '--jumps netwrk=…: no time of class netwrk was given; did you mean "network"?',
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(words: str, message: str, driver: Driver, capsys: Capture) -> None:
    driver()
    status, _, err = call(capsys, "calibrate", *words.split())
    assert status == 2 and message in err.replace("\n", " ")
