"""Platforms: specifications, the files made from them, placement, complaints, and what SimGrid makes of it all."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.base.errors import UsageError, UserError
from collscope.machines import platform
from collscope.machines import spec as platform_spec
from collscope.sources import bounds

HELPERS = Path(__file__).parents[1] / "helpers"


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated files of a test lie in its own folder."""
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")


# ---- specifications ---------------------------------------------------------------------------------------

SMALL = """\
name = "small"
nodes = 3
sockets = 2
cores_per_socket = 2
nic_bytes_per_s = 1e9
[curve]
socket = [[0, 1e-6, 2e-10]]
network = [[0, 3e-6, 2e-9], [1024, 4e-6, 1e-9]]
"""


def write(folder: Path, text: str, name: str = "small.toml") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def readme_spec() -> str:
    match = re.search(r"```toml\n(name = .*?)```", (paths.ROOT / "platforms/README.md").read_text(), re.DOTALL)
    assert match
    return match.group(1)


def test_the_ten_lines_of_the_readme_are_ten_and_work(tmp_path: Path) -> None:
    text = readme_spec()
    assert len([line for line in text.splitlines() if not line.startswith("[curve]")]) <= 10
    p = platform.load(write(tmp_path, text))
    assert (p.name, p.max_nodes, p.cores_per_node) == ("mine", 8, 32)
    assert p.half_round_trip_s("network", 0) == pytest.approx(1.8e-6)
    assert p.wire["cache"] == p.wire["socket"]


def test_every_number_of_the_committed_specifications_has_its_provenance() -> None:
    specs = sorted(platform.PLATFORMS.glob("*.toml"))
    assert specs
    for path in specs:
        spec = platform_spec.read_spec(path)
        text = path.read_text()
        for name, number in spec.numbers():
            if name.endswith(".traffic") and number == platform_spec.Number(1.0):
                continue  # no traffic given: a message is worth its bytes
            assert number.source, f"{path.name}: {name} has no source"
            if number.tag in ("assumed", "inferred") and name not in ("sockets",):
                assert number.range, f"{path.name}: {name} is {number.tag} and has no range"
        for short in spec.sources:
            assert re.search(rf"\b{short}\b", text.partition("# ---- shape")[2]), (
                f"{path.name}: source {short} is not used"
            )


def test_the_file_is_a_function_of_the_specification(tmp_path: Path) -> None:
    spec = platform_spec.parse_spec(SMALL, "small.toml")
    assert platform_spec.xml_of(spec) == platform_spec.xml_of(platform_spec.parse_spec(SMALL, "elsewhere.toml"))
    first = platform.load(write(tmp_path, SMALL))
    again = platform.load(write(tmp_path, SMALL + "# a comment\n", "other.toml"))
    assert first.xml == again.xml
    assert first.content_hash() == again.content_hash()
    changed = platform.load(write(tmp_path, SMALL.replace("1e9", "2e9").replace("1e-9", "1.1e-9")))
    assert changed.content_hash() != first.content_hash()


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("nodes = 3", "nodes = 0"), 2, "nodes must be a whole number"),
        (("nodes = 3", "nodes = = 3"), 2, "Invalid value"),
        (("nodes = 3", "nods = 3"), 2, 'did you mean "nodes"'),
        (("nic_bytes_per_s = 1e9", 'nic_bytes_per_s = "fast"'), 5, "must be a number"),
        (("nic_bytes_per_s = 1e9", 'nic_bytes_per_s = { value = 1e9, tag = "guess" }'), 5, 'unknown tag "guess"'),
        (("nic_bytes_per_s = 1e9", "nic_bytes_per_s = { value = 1e9, range = [2e9, 3e9] }"), 5, "outside its range"),
        (("nic_bytes_per_s = 1e9", "nic_bytes_per_s = 1e8"), 8, "faster than the narrowest link"),
        (("\nsocket =", "\nsockett ="), 7, "unknown class"),
        (("[0, 1e-6, 2e-10]", "[0, 1e-6]"), 7, "from_bytes"),
        (("[1024,", "[0,"), 8, "start at 0 bytes and ascend"),
        (("[0, 1e-6, 2e-10]", "[0, -1e-6, 2e-10]"), 7, "negative"),
        (("sockets = 2", "sockets = 2\noverhead_s = 6e-7"), 8, "two overheads"),
    ],
)
def test_a_broken_specification_is_told_with_file_and_line(
    tmp_path: Path, change: tuple[str, str], line: int, words: str
) -> None:
    path = write(tmp_path, SMALL.replace(*change))
    with pytest.raises(UserError) as caught:
        platform.load(path)
    assert f"small.toml:{line}: " in str(caught.value)
    assert words in str(caught.value)


# ---- names ------------------------------------------------------------------------------------------------


def test_unknown_platforms_name_the_nearest() -> None:
    with pytest.raises(UsageError, match='did you mean "schooner"'):
        platform.load("scooner")
    with pytest.raises(UserError, match="no such file"):
        platform.load("/nowhere/x.toml")
    with pytest.raises(UsageError, match="cannot read the platform"):
        platform.load("schooner[nodes=2")


def test_list_platforms() -> None:
    assert {"ideal", "schooner"} <= set(platform.list_platforms())


def test_numbers_in_brackets() -> None:
    p = platform.load("schooner[nodes=40,gamma_s_per_byte=5e-10]")
    assert (p.name, p.max_nodes, p.gamma_s_per_byte) == ("schooner[nodes=40,gamma_s_per_byte=5e-10]", 40, 5e-10)
    with pytest.raises(UserError, match='did you mean "gamma_s_per_byte"'):
        platform.load("schooner[gamma=1]")
    with pytest.raises(UserError, match="write key=value"):
        platform.load("schooner[nodes]")
    with pytest.raises(UserError, match="faster than the narrowest link"):
        platform.load("schooner[nic_bytes_per_s=1e9]")


def test_ideal() -> None:
    p = platform.load("ideal[alpha=2us, beta=1e-10, gamma=0, cores=4]")
    assert p.bound_parameters(3) == (2e-6, 1e-10, 0.0)
    assert (p.max_nodes, p.cores_per_node) == (256, 4)
    assert platform.load("ideal").max_nodes == 1024
    assert platform.load("ideal[alpha=500ns]").bound_parameters(1)[0] == 5e-7
    with pytest.raises(UsageError, match='no parameter "alfa"; did you mean "alpha"'):
        platform.load("ideal[alfa=1]")
    with pytest.raises(UsageError, match="cannot read alpha"):
        platform.load("ideal[alpha=1fortnight]")
    with pytest.raises(UsageError, match="beta must be more than 0"):
        platform.load("ideal[beta=0]")


# ---- placement --------------------------------------------------------------------------------------------


def test_block_is_an_even_share_a_node_and_socket() -> None:
    p = platform.load("schooner")
    places = p.places(4, 32, "block")
    assert [n for n, _, _ in places] == sorted(n for n, _, _ in places)
    assert all(sum(place[0] == n for place in places) == 8 for n in range(4))
    assert all(sum(place[1] == s for place in places) == 4 for s in range(8))
    assert [sum(place[0] == n for place in p.places(4, 10)) for n in range(4)] == [3, 3, 2, 2]


def test_cyclic_and_fill() -> None:
    p = platform.load("schooner")
    assert [n for n, _, _ in p.places(4, 6, "cyclic")] == [0, 1, 2, 3, 0, 1]
    fill = p.places(2, 32, "fill")
    assert [n for n, _, _ in fill] == [0] * 20 + [1] * 12
    assert [s for _, s, _ in fill[:20]] == [0] * 10 + [1] * 10
    for mapping in platform.MAPPINGS:
        for nodes, ranks in ((1, 1), (2, 40), (3, 17), (16, 320)):
            hosts = p.hosts(nodes, ranks, mapping)
            assert len(set(hosts)) == ranks
    with pytest.raises(UsageError, match="unknown mapping"):
        p.hosts(2, 4, "blok")


def test_ranks_that_do_not_fit() -> None:
    p = platform.load("schooner")
    with pytest.raises(
        UsageError, match=r"20 cores a node; 100 ranks do not fit on 4 nodes \(80\); use 5 nodes or more"
    ):
        p.hosts(4, 100)
    with pytest.raises(UsageError, match=r"schooner has 16 nodes; 17 were asked for; say schooner\[nodes=17\]"):
        p.hosts(17, 17)
    with pytest.raises(UsageError, match=r"ideal has 1 core a node; .*; use 8 nodes or more"):
        platform.load("ideal").hosts(2, 8)
    assert p.fit_nodes(41) == 3


# ---- platform files ---------------------------------------------------------------------------------------


def test_complaints_about_a_platform_file(tmp_path: Path) -> None:
    good = platform.load("ideal[cores=512]").xml.read_text()
    with pytest.raises(UserError, match=r"broken\.xml:\d+: "):
        platform.load(write(tmp_path, good[: len(good) // 2], "broken.xml"))
    bare = write(tmp_path, good.replace('<prop id="socket" value="0"/>', "", 1), "bare.xml")
    with pytest.raises(UserError, match=r'bare\.xml:\d+: host host0 has no property "socket"'):
        platform.load(bare)
    with pytest.raises(UserError, match=r"cluster\.xml:2: there is no <host>.*<cluster>"):
        platform.load(write(tmp_path, '<platform version="4.1">\n<cluster id="a"/></platform>', "cluster.xml"))
    with pytest.raises(UserError, match="starts with <platform>"):
        platform.load(write(tmp_path, "<html/>", "page.xml"))


def test_a_platform_file_of_ones_own(tmp_path: Path) -> None:
    generated = platform.load("schooner").xml.read_text()
    own = platform.load(write(tmp_path, generated, "own.xml"))
    assert own.machine(2, 32) == platform.load("schooner").machine(2, 32)
    silent = re.sub(r' *<prop id="(collscope|curve)\..*/>\n', "", generated)
    p = platform.load(write(tmp_path, silent, "silent.xml"))
    assert p.places(2, 32) == own.places(2, 32)
    assert not [a for a in p.smpirun_args() if "network/model" in a]  # its own <config> counts
    with pytest.raises(UserError, match="neither modelled nor bounded"):
        p.machine(2, 32)


# ---- in words for the prover ------------------------------------------------------------------------------


def test_machine_text() -> None:
    p = platform.load("schooner")
    lines = [line.split() for line in p.machine(2, 4).splitlines()]
    by_key: dict[str, list[list[str]]] = {}
    for key, *rest in lines:
        by_key.setdefault(key, []).append(rest)
    assert by_key["ports"] == [["fluid"]]
    assert by_key["control"] == [["16"]]
    links = {"core": 12e9, "memory": 55e9, "interconnect": 30e9, "nic": 4.5e9, "switch": 5e9}
    assert {link: float(by_key[link][0][0]) for link in links} == links
    assert [int(x) for x in by_key["place"][3]] == [3, 1, 3, 3]
    assert {rest[0] for rest in by_key["class"]} == set(platform_spec.LEVELS)
    first = next(rest for rest in by_key["class"] if rest[:2] == ["network", "0"])
    assert float(first[2]) == pytest.approx(1.4e-6)  # 1.6 µs less two overheads
    assert "nic" not in platform.load("ideal").machine(2, 2)
    assert "control 16" in platform.load("ideal").machine(2, 2)


def test_loading_is_quick() -> None:
    platform.load("ideal")  # imports
    start = time.perf_counter()
    platform.load("schooner")
    assert time.perf_counter() - start < 1


# ---- what SimGrid makes of it -----------------------------------------------------------------------------

missing = [name for name in ("smpirun", "smpicc") if not shutil.which(name)]
missing += [str(f) for f in (programs.PLUGIN, programs.SIM_DRIVER) if not f.exists()]
simulated = pytest.mark.skipif(bool(missing), reason=f"not there: {', '.join(missing)}")


def smpirun(p: platform.Platform, nodes: int, ranks: int, folder: Path, *program: str | Path) -> str:
    hostfile = folder / "hosts"
    hostfile.write_text("\n".join(p.hosts(nodes, ranks)) + "\n")
    command = ["smpirun", "-np", str(ranks), "-hostfile", str(hostfile), *p.smpirun_args(), *map(str, program)]
    done = subprocess.run(
        command, env={**os.environ, **p.env()}, capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def ping_pong(
    p: platform.Platform, nodes: int, ranks: int, folder: Path, sizes: str = "0..1048576"
) -> dict[tuple[int, int], float]:
    """Half round trips by (other rank, bytes)."""
    out = smpirun(p, nodes, ranks, folder, programs.SIM_DRIVER, "--pingpong", "--bytes", sizes)
    lines = [json.loads(line) for line in out.splitlines() if line.startswith('{"pingpong"')]
    return {(e["b"], e["bytes"]): e["half_round_trip_s"] for e in (line["pingpong"] for line in lines)}


@pytest.fixture(scope="session")
def streams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("contention") / "contention"
    subprocess.run(["smpicc", "-O2", str(HELPERS / "contention.c"), "-o", str(program)], check=True)
    return program


def pairs(*of: tuple[int, int]) -> list[str]:
    return [str(rank) for pair in of for rank in pair]


@simulated
def test_a_ping_pong_gives_back_the_curves(tmp_path: Path) -> None:
    p = platform.load("schooner")
    for (_, size), seconds in ping_pong(p, 2, 2, tmp_path).items():
        assert seconds == pytest.approx(p.half_round_trip_s("network", size), rel=1e-5)
    inside = ping_pong(p, 1, 3, tmp_path)  # ranks 0 and 1 on a socket, 2 on the other
    for (other, size), seconds in inside.items():
        assert seconds == pytest.approx(p.half_round_trip_s("cache" if other == 1 else "node", size), rel=1e-5)


@simulated
def test_schooner_is_what_is_known_of_it(tmp_path: Path) -> None:
    times = ping_pong(platform.load("schooner"), 2, 2, tmp_path, "1..4194304")
    assert 1.5e-6 <= times[1, 1] <= 1.7e-6
    assert 4.3e9 <= (1 << 22) / times[1, 1 << 22] <= 4.7e9


@simulated
def test_ideal_is_alpha_beta_and_the_envelope(tmp_path: Path) -> None:
    p = platform.load("ideal[alpha=2us,beta=1e-10]")
    for (_, size), seconds in ping_pong(p, 2, 2, tmp_path, "0..65536").items():
        assert seconds == pytest.approx(2e-6 + (size + 16) * 1e-10, rel=1e-9)


@simulated
def test_the_same_digits_again(tmp_path: Path) -> None:
    p = platform.load("schooner")
    points = (
        "collective=allgather algorithm=allgather/bucket count=999",
        "collective=gather algorithm=gather/mst count=70000",
    )
    assert makespans(p, 4, 32, tmp_path, *points) == makespans(p, 4, 32, tmp_path, *points)


@simulated
def test_contention(tmp_path: Path, streams: Path) -> None:
    p = platform.load("schooner")
    size = 8 << 20

    def run(nodes: int, mode: str, *of: tuple[int, int]) -> float:
        return float(smpirun(p, nodes, 16 * nodes, tmp_path, streams, str(size), mode, *pairs(*of)))

    nic, memory, core = 4.5e9, 55e9, 12e9
    across = [(i, 16 + i) for i in range(16)]
    alone = run(2, "one", across[0])
    assert alone == pytest.approx(p.half_round_trip_s("network", size), rel=1e-3)
    # A NIC is shared by the ranks of its node, and full duplex.
    assert run(2, "both", across[0]) == pytest.approx(alone, rel=1e-3)
    assert run(2, "one", *across[:2]) == pytest.approx(2 * size / nic, rel=1e-2)
    assert run(2, "one", *across) == pytest.approx(16 * size / nic, rel=1e-2)
    assert run(2, "both", *across) == pytest.approx(16 * size / nic, rel=1e-2)
    # Two streams on a socket fit into its memory, eight do not.
    near = run(1, "one", (0, 1))
    assert near == pytest.approx(2.5 * size / core, rel=1e-2)
    assert run(1, "one", (0, 1), (2, 3)) == pytest.approx(near, rel=1e-3)
    ring = [(i, (i + 1) % 8) for i in range(8)]
    assert run(1, "one", *ring) == pytest.approx(8 * 2.5 * size / memory, rel=1e-2)
    # A core's port is shared by its own messages.
    assert run(1, "one", (0, 1), (0, 2)) == pytest.approx(2 * near, rel=1e-2)


def makespans(p: platform.Platform, nodes: int, ranks: int, folder: Path, *points: str) -> list[float]:
    plan = folder / "plan.txt"
    plan.write_text("".join(f"id={i} {point} type=float\n" for i, point in enumerate(points)))
    out = smpirun(p, nodes, ranks, folder, programs.SIM_DRIVER, "--shared-buffers", "--plan", plan)
    found = {int(line["id"]): line["max_s"] for line in map(json.loads, out.splitlines()) if "max_s" in line}
    assert len(found) == len(points), out
    return [found[i] for i in range(len(points))]


@simulated
def test_time_reacts_to_the_machine_as_it_must(tmp_path: Path) -> None:
    small, large = "collective=bcast algorithm=bcast/mst count=1", "collective=bcast algorithm=bcast/mst count=262144"
    reduce = "collective=reduce algorithm=reduce/mst count=262144 op=sum"

    def run(name: str, nodes: int = 8) -> list[float]:
        return makespans(platform.load(name), nodes, 8, tmp_path, small, large, reduce)

    base = run("ideal[alpha=1us,beta=1e-9,gamma=1e-10]")
    latency = run("ideal[alpha=2us,beta=1e-9,gamma=1e-10]")
    bandwidth = run("ideal[alpha=1us,beta=2e-9,gamma=1e-10]")
    gamma = run("ideal[alpha=1us,beta=1e-9,gamma=2e-10]")
    n = 4 * 262144
    assert latency[0] - base[0] == pytest.approx(3e-6, rel=1e-6)
    assert latency[1] - base[1] == pytest.approx(3e-6, rel=1e-6)
    assert bandwidth[1] - base[1] == pytest.approx(3 * (n + 16) * 1e-9, rel=1e-6)
    assert gamma[:2] == base[:2]
    assert gamma[2] - base[2] == pytest.approx(3 * n * 1e-10, rel=1e-6)
    # Fewer nodes: small messages cross fewer networks.
    assert run("schooner", 1)[0] < run("schooner", 2)[0] < run("schooner", 8)[0]


@simulated
@pytest.mark.parametrize(("name", "nodes"), [("ideal", 16), ("schooner", 1), ("schooner", 2), ("schooner", 8)])
def test_no_simulated_makespan_lies_below_the_bound(tmp_path: Path, name: str, nodes: int) -> None:
    p = platform.load(name)
    points = [
        (collective, f"collective={collective} algorithm={collective}/{algorithm} count={count} op=sum", count)
        for collective, algorithm in (
            ("bcast", "mst"),
            ("reduce", "mst"),
            ("scatter", "linear"),
            ("scatter", "mst"),
            ("gather", "linear_nb"),
            ("gather", "mst"),
            ("allgather", "bucket"),
            ("reduce_scatter", "bucket"),
            ("allreduce", "bucket"),
            ("rotation", "shift"),
        )
        for count in (16, 1024, 4096, 65536, 1 << 20)
    ]
    times = makespans(p, nodes, 16, tmp_path, *(text for _, text, _ in points))
    for (collective, text, count), seconds in zip(points, times, strict=True):
        blocks = collective in ("scatter", "gather", "allgather", "rotation")
        limit = bounds.bound_loggp_s(p, nodes, collective, 16, 4 * count * (16 if blocks else 1))
        assert 0 < limit <= seconds * (1 + 1e-9), text


@simulated
@pytest.mark.skipif(not programs.PROVER.exists(), reason=f"not there: {programs.PROVER}")
@pytest.mark.parametrize(("name", "nodes"), [("ideal", 16), ("schooner", 1), ("schooner", 2)])
def test_the_prover_is_told_the_same_machine(tmp_path: Path, name: str, nodes: int) -> None:
    p = platform.load(name)
    points = [
        f"collective={algorithm.partition('/')[0]} algorithm={algorithm} count={count} op=sum"
        for algorithm in ("bcast/mst", "allgather/bucket", "gather/linear_nb", "scatter/mst", "allreduce/bucket")
        for count in (16, 4096, 1 << 20)
    ]
    (tmp_path / "machine").write_text(p.machine(nodes, 16))
    plan = "".join(f"id={i} {point} type=float ranks=16\n" for i, point in enumerate(points))
    (tmp_path / "priced").write_text(plan)
    command = [programs.PROVER, "--model", tmp_path / "machine", "--plan", tmp_path / "priced"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    model = [json.loads(line)["model_s"] for line in done.stdout.splitlines() if "model_s" in line]
    assert model == pytest.approx(makespans(p, nodes, 16, tmp_path, *points), rel=1e-9)


@simulated
def test_the_file_alone_is_an_ordinary_platform(tmp_path: Path) -> None:
    p = platform.load("schooner")
    (tmp_path / "hosts").write_text("\n".join(p.hosts(2, 2)) + "\n")
    plain = [
        "smpirun",
        "-np",
        "2",
        "-hostfile",
        str(tmp_path / "hosts"),
        "-platform",
        str(p.xml),
        "--log=root.thresh:warning",
    ]
    plain += ["--cfg=network/model:CM02", "--cfg=smpi/simulate-computation:no", "--cfg=smpi/host-speed:1Gf"]
    done = subprocess.run(
        [*plain, str(programs.SIM_DRIVER), "--pingpong", "--bytes", "1..1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    line = next(json.loads(text) for text in done.stdout.splitlines() if text.startswith('{"pingpong"'))
    assert line["pingpong"]["half_round_trip_s"] == pytest.approx(1.6e-6, rel=0.02)


@simulated
def test_the_plug_in_says_what_is_wrong(tmp_path: Path) -> None:
    p = platform.load("schooner")
    broken = tmp_path / "broken.xml"
    broken.write_text(p.xml.read_text().replace('id="curve.node"', 'id="curve.nude"'))
    (tmp_path / "hosts").write_text("node0_core0\n")
    command = [
        "smpirun",
        "-np",
        "1",
        "-hostfile",
        str(tmp_path / "hosts"),
        *p.smpirun_args(),
        str(programs.SIM_DRIVER),
        "--pingpong",
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "COLLSCOPE_PLATFORM": str(broken)},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode != 0
    assert "no property 'curve.node'" in done.stderr
