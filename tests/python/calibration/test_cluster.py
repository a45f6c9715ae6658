"""Known answers: a platform that is simulated, calibrated by the same patterns, gives back the numbers of its specification."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.calibration import cluster, cluster_text, p2p, survey, topology
from collscope.calibration.cluster_text import About, text_of
from collscope.calibration.curves import Point
from collscope.calibration.numbers import Found, busiest, numbers
from collscope.calibration.survey import Shape
from collscope.commands.calibrate import write_page
from collscope.figures import calibration as figures
from collscope.figures import files
from collscope.machines import find
from collscope.machines.hosts import hosts_of
from collscope.machines.simgrid import smpirun_args, smpirun_env
from collscope.machines.spec import Spec
from collscope.sources.launcher import Launcher
from collscope.testbed import bed
from collscope.testbed.network import Network
from command_line import call

simulated = pytest.mark.skipif(
    not (shutil.which("smpirun") and programs.SIM_DRIVER.exists() and programs.PLUGIN.exists()),
    reason="needs smpirun and build/smpi",
)
WITHIN = 0.02

TWO_NODES = """\
name = "known"
nodes = 2
sockets = 2
cores_per_socket = 2
cores_per_cache = 2
gamma_s_per_byte = 3.1e-10
copy_s_per_byte = 7e-11
overhead_s = 1.3e-7
eager_bytes = 12000
core_bytes_per_s = 12e9
nic_bytes_per_s = 5e9
switch_bytes_per_s = 4e9
in_order = true
[curve]
cache = [[0, 6e-7, 2e-10, 1, 2e-7, 3e-11, 0, 4e-11], [16384, 1.5e-6, 1e-10]]
node = [[0, 9e-7, 3e-10, 1, 3e-7, 5e-11, 1.5e-7, 6e-11], [16384, 2.5e-6, 1.4e-10]]
network = [[0, 2e-6, 6e-10, 1, 4e-7, 5e-11, 2.5e-7, 7e-11], [16384, 6e-6, 2.6e-10]]
"""
ONE_A_NODE = """\
name = "known"
nodes = 4
sockets = 1
cores_per_socket = 1
overhead_s = 2e-7
eager_bytes = 65536
core_bytes_per_s = 1e10
nic_bytes_per_s = 1e9
nic_gap_s = 2e-6
[curve]
network = [[0, 2e-5, 1.1e-9, 1, 5e-7]]
"""


def calibrated(text: str, folder: Path) -> tuple[Spec, Spec, Found]:
    """The specification that is simulated, the one that calibrating finds, and what was found."""
    (folder / "known.toml").write_text(text)
    on = find.load(str(folder / "known.toml"))
    spec = find.load_spec(str(folder / "known.toml"))
    ranks = spec.nodes * spec.cores_per_node
    (folder / "hosts").write_text("\n".join(hosts_of(on, spec.nodes, ranks)) + "\n")
    words = ["smpirun", "-np", str(ranks), "-hostfile", str(folder / "hosts"), *map(str, smpirun_args(on))]
    env = {**os.environ, **smpirun_env(on), "TMPDIR": str(folder)}

    def once(w: p2p.Wanted) -> p2p.Wanted:
        """What repeats digit by digit is measured once, and no cache is there to be exceeded."""
        trips = 2 if w.pattern.startswith("pingpong") else w.count
        return replace(w, samples=1, count=trips, bytes=w.bytes if w.flows else min(w.bytes, 1 << 16))

    def measure(plan: Sequence[p2p.Wanted]) -> p2p.Answers:
        plan = [*dict.fromkeys(map(once, plan))]
        return p2p.ask(plan, ranks, lambda file: [*words, programs.SIM_DRIVER, "--p2p", file], environment=env)

    shape, seen = cluster.measured(measure)
    found = numbers(shape, seen)
    about = About(
        "found", "found", (spec.nodes, spec.sockets, spec.cores_per_socket, spec.cores_per_cache), "a simulation"
    )
    (folder / "found.toml").write_text(text_of(found, about))
    find.load(str(folder / "found.toml"))
    return spec, find.load_spec(str(folder / "found.toml")), found


def time(spec: Spec, level: str, size: int) -> float:
    piece = [p for p in spec.curve[level] if p.start <= size][-1]
    return piece.latency.value + size * piece.s_per_byte.value


def gap(spec: Spec, level: str, size: int) -> float:
    piece = [p for p in spec.curve[level] if p.start <= size][-1]
    return piece.gap[0].value + size * piece.gap[1].value if piece.gap else spec.overhead_s.value


def receiving(spec: Spec, level: str, size: int) -> float:
    piece = [p for p in spec.curve[level] if p.start <= size][-1]
    seconds, per_byte = (g.value for g in piece.receive_gap) if piece.receive_gap else (0.0, 0.0)
    return spec.overhead_s.value + seconds + size * per_byte


@simulated
@pytest.mark.parametrize("text", [TWO_NODES, ONE_A_NODE], ids=["two nodes of four cores", "four nodes of one core"])
def test_a_simulated_cluster_gives_back_its_numbers(text: str, tmp_path: Path, workplace: Path) -> None:
    known, seen, found = calibrated(text, tmp_path)
    given = [
        line.split(" = ")[0]
        for line in text.splitlines()
        if line.partition(" = ")[0].endswith(("_s", "_per_byte", "_bytes"))
    ]
    for name in given:
        if name == "core_bytes_per_s" and known.cores_per_node == 1:
            continue  # wider than the NIC that all its messages cross: nothing tells it
        assert getattr(seen, name).value == pytest.approx(getattr(known, name).value, rel=WITHIN), name
    assert seen.in_order == known.in_order
    assert (seen.nic_gap_s.value > 0) == (known.nic_gap_s.value > 0)
    for level in found.times:
        for size in (1 << k for k in range(21)):
            assert time(seen, level, size) == pytest.approx(time(known, level, size), rel=WITHIN), (level, size)
            if size <= known.eager_bytes.value:
                assert gap(seen, level, size) == pytest.approx(gap(known, level, size), rel=WITHIN), (level, size)
                assert receiving(seen, level, size) == pytest.approx(receiving(known, level, size), rel=WITHIN), (
                    level,
                    size,
                )


def test_pairs_of_each_class_are_few_and_spread() -> None:
    shape = Shape(tuple((n, 2 * n + s, 2 * n + s) for n in range(8) for s in (0, 1) for _ in range(4)))
    pairs = shape.pairs()
    assert {level: len(of) for level, of in pairs.items()} == {"cache": 3, "node": 3, "network": 3}
    assert [b // 8 for _, b in pairs["network"]] == [1, 4, 7]
    assert all(shape.level(*pair) == level for level, of in pairs.items() for pair in of)
    assert shape.disjoint("network") == [(r, 8 + r) for r in range(8)]
    assert shape.disjoint("cache") == [(0, 1), (2, 3)]
    assert shape.disjoint("node") == [(0, 4), (1, 5), (2, 6), (3, 7)]


def test_a_slow_network_is_asked_for_less() -> None:
    shape = Shape(tuple((n, n, n) for n in range(8)))
    slow, fast = ({"network": survey.Pace(small, large)} for small, large in ((1e-3, 12e-3), (2e-6, 1e-5)))
    most = {
        name: max(w.bytes for w in survey.plan(shape, pace) if w.flows)
        for name, pace in (("slow", slow), ("fast", fast))
    }
    assert most == {"slow": 1 << 20, "fast": 4 << 20}
    plan = survey.plan(shape, slow)
    assert len(plan) == len({w.text for w in plan})

    def seconds(w: p2p.Wanted) -> float:
        if w.pattern.startswith("late"):
            return 1e-3 * w.count * w.samples
        return slow["network"].time(w.bytes) * w.count * len(w.flows) * busiest(shape, w.flows) * w.samples

    assert sum(seconds(w) for w in plan if w.flows) < 180


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hosts", "a,b"], "--hosts needs the cluster's --name"),
        (["--hosts", "a,b", "--name", "this_machine"], "--name this_machine: is taken"),
        (["--hosts", "a,b", "--name", "schooner"], "there is platforms/schooner.toml already"),
        (
            ["--nodes", "2", "--from", "x.csv", "--name", "n"],
            "--nodes is for measuring, and --from takes times from files",
        ),
        (["--hosts", "a,b", "--name", "n", "--jumps", "network=8KiB"], "--jumps goes with --from FILE"),
        (["--ranks-per-node", "2", "--name", "n"], "this machine does not say how many nodes there are; add --nodes N"),
        (["--name", "n"], "--name goes with --from FILE"),
    ],
)
def test_what_cannot_be_meant_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "calibrate", *words)
    assert status == 2 and said in err


class Reaches(Launcher):
    """A launcher that reaches so many nodes and starts nothing."""

    def nodes(self) -> int | None:
        return len(self.hosts) or None

    def command(
        self, program: Sequence[str | Path], ranks: int, nodes: int = 1, mapping: str = "block"
    ) -> list[str | Path]:
        return [*program, f"{ranks} on {nodes}"]


def pretended(monkeypatch: pytest.MonkeyPatch, cores: int = 4, nodes: int = 2) -> list[tuple[int, list[str], bool]]:
    """A node with so many cores; ranks that are found on so many nodes. What is asked for: ranks, words, quick or not."""
    asked: list[tuple[int, list[str], bool]] = []
    seen = p2p.Answers(library="L 1", hosts=[(f"n{r % nodes}", r) for r in range(4)])
    local = {"gamma": (2e-10, 1e-10, 3e-10), "copy": (5e-11, 4e-11, 7e-11)}
    curve: dict[str, list[tuple[int, float, float]]] = {"network": [(0, 2e-6, 1e-9)]}
    found = Found(times={"network": [Point(1, 2.001e-6)]}, curves=curve, eager=(64, 128), local=local)

    def measured(measure: cluster.Measure, quick: bool = False) -> tuple[Shape, p2p.Answers]:
        measure([p2p.Wanted("pingpong")])
        asked[-1] = (*asked[-1][:2], quick)
        return Shape(tuple((n, n, n) for n in range(nodes))), seen

    def ask(plan: Sequence[p2p.Wanted], ranks: int, start: p2p.Start, folder: Path | None) -> p2p.Answers:
        asked.append((ranks, [str(word) for word in start(Path("plan"))], False))
        return seen

    machine = topology.Topology("x", tuple(topology.Cpu(n, n, n // 2, n) for n in range(cores)))
    for where, name, what in (
        (topology, "read", lambda: machine), (programs, "needed", lambda program: Path("driver")), (cluster, "measured", measured),
        (cluster, "ask", ask), (cluster, "numbers", lambda shape, answers: found), (os, "getloadavg", lambda: (0.25, 0.0, 0.0)),
    ):  # fmt: skip
        monkeypatch.setattr(where, name, what)
    return asked


@pytest.mark.parametrize(
    ("cores", "hosts", "nodes", "each", "ranks", "on"),
    [
        (4, "ab", None, None, 8, 2),
        (4, "ab", None, 1, 2, 2),
        (4, "abc", 2, 3, 6, 2),
        (4, "abcdefghi", None, None, 32, 8),  # eight at most, where nobody says how many
        (70, "ab", None, None, 128, 2),  # and 64 ranks on each
        (4, "", 2, None, 8, 2),
    ],
)
def test_how_many_ranks_measure_a_cluster(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cores: int, hosts: str, nodes: int | None, each: int | None, ranks: int, on: int
) -> None:  # fmt: skip
    asked = pretended(monkeypatch, cores, on)
    made = cluster.calibrate("mine", Reaches(hosts=tuple(hosts)), nodes, each, tmp_path / "mine.toml", quick=ranks == 2)
    assert asked == [(ranks, ["driver", "--p2p", "plan", f"{ranks} on {on}"], ranks == 2)]
    assert made.path.read_text().splitlines()[1:7] == [
        'name = "mine"',
        f'about = "mine: {on} nodes as measured point to point"',
        *(
            f'{key} = {{ value = {n}, tag = "documented", source = "where the ranks that measured sat" }}'
            for key, n in (("nodes", on), ("sockets", cores // 2), ("cores_per_socket", 2), ("cores_per_cache", 1))
        ),
    ]
    when, library, count, load = made.source.removeprefix("collscope calibrate, ").split(", ", 3)
    assert (library, count) == (
        "L 1",
        f"{ranks} ranks on {on} nodes of {Reaches(hosts=tuple(hosts)).describe()}".split(", ")[0],
    )
    assert load.endswith("load of this one 0.2 before and 0.2 after, in 0 s") and len(when) == len("2026-01-02 03:04")


def test_a_host_of_the_test_bed_is_a_node_of_one_core(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its leaves and their rate are known from how it was made."""
    wire = Network(4, leaves=2, oversubscription=2)
    monkeypatch.setattr(bed, "standing", lambda: bed.Bed(wire, 1, False, tmp_path))
    for each, cores in ((None, 1), (2, 2)):
        asked = pretended(monkeypatch, cores=4, nodes=4)
        on_bed = Reaches(kind="testbed", hosts=tuple("abcd"))
        monkeypatch.setattr(Reaches, "describe", lambda self: "the bed")
        text = cluster.calibrate("mine", on_bed, None, each, tmp_path / "mine.toml").path.read_text()
        assert asked[0][0] == 4 * cores
        shape = ("nodes", 4), ("sockets", 1), ("cores_per_socket", cores), ("cores_per_cache", cores)
        assert all(f"\n{key} = {{ value = {n}, " in text for key, n in shape)
        lines, rate = cluster.leaves_of(wire)
        assert text.endswith("\n".join(["", "[topology]", *lines, ""])) and rate == wire.ceiling_bytes_per_s
    apart = cluster.calibrate("mine", Reaches(hosts=tuple("abcd")), None, 1, tmp_path / "apart.toml")
    assert "[topology]" not in apart.path.read_text()


@pytest.mark.parametrize(
    ("hosts", "nodes", "each", "said"),
    [
        ("", None, None, "this machine does not say how many nodes there are; add --nodes N"),
        ("", 1, 1, "one rank alone sends no message; add --nodes or --ranks-per-node"),
        ("ab", 3, None, "3 nodes were asked for and ranks sit on 2: n0, n1"),
    ],
)
def test_what_cannot_be_measured_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, hosts: str, nodes: int | None, each: int | None, said: str
) -> None:
    pretended(monkeypatch)
    with pytest.raises(UserError) as refused:
        cluster.calibrate("mine", Reaches(hosts=tuple(hosts)), nodes, each, tmp_path / "mine.toml")
    assert str(refused.value) == said
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UserError, match="cannot be written; --out FILE writes elsewhere, for --on FILE$"):
        cluster.calibrate("mine", Reaches(), target=tmp_path)
    with pytest.raises(
        UserError, match="^--name schooner: there is platforms/schooner.toml already; take another name, or --out FILE$"
    ):
        cluster.calibrate("schooner", Reaches())


def test_a_survey_is_three_launches_and_a_quick_one_asks_for_less() -> None:
    """A first look, the scout, the survey; and sizes between where sends begin to wait, where some do."""
    asked: list[list[p2p.Wanted]] = []

    def measure(plan: Sequence[p2p.Wanted]) -> p2p.Answers:
        asked.append([*plan])
        late = [11e-3 if w.pattern.startswith("late") and w.bytes > 4096 else 1e-5 for w in plan]
        return p2p.Answers([(0, 0, 0), (1, 1, 1)], all=[p2p.Answer(w, (t,)) for w, t in zip(plan, late, strict=True)])

    shape, seen = cluster.measured(measure)
    assert shape == Shape(((0, 0, 0), (1, 1, 1)))
    pace = {"network": survey.Pace(1e-5, 1e-5)}
    assert asked[:3] == [[p2p.Wanted("pingpong", ((0, 1),), 1, 1, 1)], survey.scout(shape), survey.plan(shape, pace)]
    finer = [*range(4352, 8192, 256), 8191]
    assert [(w.pattern, w.bytes) for w in asked[3]] == [(p, n) for n in finer for p in ("late", "late_nonblocking")]
    assert [a.wanted for a in seen.all] == [*asked[2], *asked[3]]
    cluster.measured(measure, quick=True)
    assert asked[6] == survey.fewer(asked[2], shape)


def test_page_picture_and_data_lie_beside_the_specification(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Found(times={"network": [Point(8, 1e-6)]}, curves={"network": [(0, 1e-6, 0.0)]}, in_order=True)
    drawn: list[tuple[object, str]] = []
    monkeypatch.setattr(figures, "calibration_figure", lambda *asked: drawn.append(asked))
    monkeypatch.setattr(files, "save", lambda _, path, __: Path(path).touch())
    for name, before in (("spec.toml", ""), ("mine.toml", "mine_")):
        (tmp_path / name).mkdir()
        made = cluster.Calibrated(
            tmp_path / name / name, found, p2p.Answers(), Shape(((0, 0, 0), (1, 1, 1))), "here, now"
        )
        write_page(made, "mine")
        lie = sorted(path.name for path in made.path.parent.iterdir())
        assert lie == [f"{before}calibration.{kind}" for kind in ("csv", "md", "png")]
        text = (made.path.parent / f"{before}calibration.md").read_text()
        assert (
            text.startswith("# mine: ")
            and f"({before}calibration.csv)" in text
            and f"({before}calibration.png)" in text
        )
    assert drawn == [({"network": ([(8, 1e-6)], [(0, 1e-6, 0.0)])}, "mine, point to point")] * 2


def test_what_rounding_leaves_of_a_piece_is_nobodys_time() -> None:
    """A sender may spend all of a message's time but 1e-20 s, which a specification does not take."""
    known = [(1, 1e-6), (4096, 1e-6)]
    assert cluster_text._spent(known, 1, 4097, 1e-20, 0.0) == (0.0, 0.0)
    assert cluster_text._spent(known, 1, 4097, 2e-12, 0.0)[0] == pytest.approx(2e-12, rel=1e-3)
    assert cluster_text._spent(known, 1, 4097, 1.0, 0.0)[0] == pytest.approx(1e-6, rel=1e-3)
