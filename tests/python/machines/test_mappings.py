"""collscope.machines.placement: mappings as Open MPI has them, compared with what mpirun prints for described machines."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

import made_platforms
import mpirun_maps
from collscope.base.errors import UsageError, UserError
from collscope.machines import find, placement
from collscope.machines.machine_file import machine_file, places_in
from collscope.machines.placement import fit_nodes, fitted, hosts_in, hosts_of, places
from collscope.machines.platform import EqualNodes, Host, Platform
from collscope.points import plan
from mpirun_maps import by_rankfile, display, mapped

NEEDS_MPIRUN = pytest.mark.skipif(not shutil.which("mpirun"), reason="needs mpirun")
SHAPES = [  # sockets, cores of each, nodes, ranks
    (2, 4, 2, 11),
    (2, 10, 3, 47),
    (2, 3, 4, 9),
    (4, 2, 3, 21),
]


def machine(sockets: int, cores: int, nodes: int, oversubscribes: bool = False) -> Platform:
    equal = EqualNodes(nodes, sockets * cores, sockets, sockets, 0.0, 0.0)
    return made_platforms.platform(equal, made_platforms.machine(oversubscribes=oversubscribes))


@NEEDS_MPIRUN
@pytest.mark.parametrize("mapping", placement.OPEN_MPI_MAPPINGS)
@pytest.mark.parametrize(("sockets", "cores", "nodes", "ranks"), SHAPES)
def test_ranks_sit_where_mpirun_puts_them(sockets: int, cores: int, nodes: int, ranks: int, mapping: str) -> None:
    printed = mapped(display(sockets, cores, nodes, ranks, "--map-by", mapping))
    assert len(printed) == ranks
    there = machine(sockets, cores, nodes)
    seats = zip(places(there, nodes, ranks, mapping), hosts_of(there, nodes, ranks, mapping), strict=True)
    ours = [(node, on - node * sockets, name) for (node, on, _), name in seats]
    theirs = [(int(node[4:]), on, f"{node}_core{core}") for _, (node, on, core) in sorted(printed.items())]
    assert ours == theirs
    assert placement.used_nodes(fitted(there, nodes, ranks, mapping)) == len({node for node, _, _ in theirs})


@NEEDS_MPIRUN
@pytest.mark.parametrize("mapping", placement.OPEN_MPI_MAPPINGS)
def test_more_ranks_than_cores_share_them_as_mpirun_says_or_are_refused(mapping: str) -> None:
    assert "not enough slots" in display(2, 4, 2, 19, "--map-by", mapping)
    with pytest.raises(UsageError, match="do not fit on 2 nodes"):
        hosts_of(machine(2, 4, 2), 2, 19, mapping)
    printed = mapped(display(2, 4, 2, 19, "--map-by", mapping, "--oversubscribe"))
    theirs = [f"{node}_core{core}" for _, (node, _, core) in sorted(printed.items())]
    assert hosts_of(machine(2, 4, 2, oversubscribes=True), 2, 19, mapping) == theirs


@NEEDS_MPIRUN
def test_rankfiles_mean_what_mpirun_reads_in_them(tmp_path: Path) -> None:
    lines = "rank 0=HOST slot=1:2\nrank 3=HOST slot=0:0 # last\n\nrank 1=HOST slot=6\nrank  2 = HOST slots=1\n"
    (tmp_path / "ours").write_text(lines.replace("HOST", "+n0"))
    theirs = by_rankfile(2, 5, lines, 4)
    at = hosts_of(machine(2, 5, 1), 1, 4, f"file:{tmp_path / 'ours'}")
    assert at == [f"node0_core{core}" for core in theirs]
    written = placement.rankfile_for_mpirun(tmp_path / "ours", machine(2, 5, 1), 4, "h")
    assert written == "rank 0=h slot=7\nrank 1=h slot=6\nrank 2=h slot=1\nrank 3=h slot=0\n"


def test_cores_count_socket_by_socket_where_a_platform_file_has_them_in_turn(tmp_path: Path) -> None:
    node = tuple(Host(f"h{core}", 0, core % 2, core, 0.0, 0.0) for core in range(4))
    file, there = tmp_path / "ours", made_platforms.platform((node,))
    file.write_text("rank 0=+n0 slot=0:1\nrank 1=+n0 slot=1:0\n")
    assert hosts_of(there, 1, 2, f"file:{file}") == ["h2", "h1"]
    assert placement.rankfile_for_mpirun(file, there, 2, "h") == "rank 0=h slot=1\nrank 1=h slot=2\n"


@NEEDS_MPIRUN
def test_mpirun_wants_rank_0_in_the_first_line_and_gets_it(tmp_path: Path) -> None:
    lines = "rank 1=HOST slot=6\nrank 0=HOST slot=1\n"
    with pytest.raises(KeyError):  # it says that rank 0 has a seat already
        by_rankfile(2, 5, lines, 2)
    (tmp_path / "ours").write_text(lines.replace("HOST", "+n0"))
    assert by_rankfile(2, 5, placement.rankfile_for_mpirun(tmp_path / "ours", machine(2, 5, 1), 2, "HOST"), 2) == [1, 6]


def test_all_layouts_of_the_table_are_as_mpirun_had_them(tmp_path: Path) -> None:
    """What Open MPI 4.1.4 printed, kept: also where there is no mpirun. helpers/mpirun_maps.py makes it again."""
    with mpirun_maps.TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * len(list(mpirun_maps.layouts())) + len(mpirun_maps.MACHINES)
    for row in rows:
        sockets, cores, nodes, ranks = (int(row[c]) for c in mpirun_maps.COLUMNS[1:5])
        mapping = row["mapping"]
        if mapping == mpirun_maps.RANKFILE:
            (tmp_path / "ranks").write_text(mpirun_maps.lines_of(sockets, cores).replace("HOST", "+n0"))
            placement.rankfile_text.cache_clear()
            mapping = f"file:{tmp_path / 'ranks'}"
        there = machine(sockets, cores, nodes)
        names = hosts_of(there, nodes, ranks, mapping)
        seats = [(name.partition("_")[0], 0, int(name.rpartition("core")[2])) for name in names]
        assert mpirun_maps.words(seats) == row["seats"], row


def test_nodes_with_fewer_cores_are_full_sooner() -> None:
    # mpirun --host a:2,b:8,c:4 -np 12: a is left out once it has 2 ranks.
    node = machine(2, 4, 3).nodes[0]
    three = [
        [h.__class__(f"n{n}_{i}", n, h.socket, h.cache, 0, 0) for i, h in enumerate(node[:c])]
        for n, c in enumerate((2, 8, 4))
    ]
    uneven = made_platforms.platform(tuple(map(tuple, three)))

    def seated(mapping: str) -> list[str]:
        return [h.name for h in hosts_in(uneven, placement.runs(uneven, 3, 12, mapping))]

    by_node = "n0_0 n1_0 n2_0 n0_1 n1_1 n2_1 n1_2 n2_2 n1_3 n2_3 n1_4 n1_5"
    assert seated("node") == by_node.split()
    assert seated("core") == [*(f"n0_{c}" for c in range(2)), *(f"n1_{c}" for c in range(8)), "n2_0", "n2_1"]
    assert seated("socket")[2:10] == [f"n1_{c}" for c in (0, 4, 1, 5, 2, 6, 3, 7)]


def test_files_name_any_nodes_in_any_order(tmp_path: Path) -> None:
    file = tmp_path / "ranks"
    file.write_text("rank 1=node5 slot=1:3\nrank 0=+n2 slot=19\nrank 2=node5 slot=0:0\nrank 9=node1 slot=0\n")
    on, mapping = find.load("schooner"), f"file:{file}"
    assert hosts_of(on, 2, 3, mapping) == ["node2_core19", "node5_core13", "node5_core0"]
    assert (
        places_in(machine_file(on, 2, 3, mapping)) == places(on, 2, 3, mapping) == [(2, 5, 5), (5, 11, 11), (5, 10, 10)]
    )
    assert fit_nodes(on, 3, mapping) == 2
    with pytest.raises(UsageError, match=r"--nodes 4: .*ranks puts 3 ranks on 2 nodes; leave --nodes out"):
        plan.check_layout(on, 4, 3, mapping)
    with pytest.raises(UsageError, match="for real runs on one node only"):
        plan.check_layout(on, 2, 3, mapping, real=True)
    before = placement.identity(mapping)
    (tmp_path / "other").write_text("rank 0=node0 slot=0\n")
    assert before != placement.identity(f"file:{tmp_path / 'other'}") != placement.identity("block") == "block"
    (tmp_path / "same").write_text(file.read_text())
    assert before == placement.identity(f"file:{tmp_path / 'same'}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rank 0=node0 slot=0\nrank 1=c012 slot=0:1\n", r":2: schooner has no host c012; its nodes are node0 … node15, or \+n0"),
        ("rank 0=node16 slot=0\n", ":1: schooner has no host node16; its nodes"),
        ("rank 0=node0 slot=0:3\n\nrank 1=node0 slot=3\n",
         ":3: rank 1 is on core 3 of node0, as is rank 0 in line 1; put each rank on its own core"),
        ("rank 0=node0 slot=0\nrank 0=node0 slot=1\n", ":2: rank 0 has a seat already, in line 1; take one"),
        ("rank 0=node0 slot=0\nrank 2=node0 slot=1\n", ": no line says where rank 1 of 2 is; add rank 1=HOST .* take --ranks 1"),
        ("", ": no line says where rank 0 of 2 is; add rank 0=HOST slot=SOCKET:CORE$"),
        ("rank 0=node0 slot=2:0\n", r":1: there is no socket 2 on node0; its sockets are 0 … 1"),
        ("rank 0=node0 slot=1:10\n", r":1: there is no core 10 on socket 1 of node0; its cores are 0 … 9"),
        ("rank 0=node0 slot=20\n", r":1: there is no core 20 on node0; its cores are 0 … 19"),
        ("rank 0=node0 slot=0:0-3\n", ":1: slot=0:0-3: a rank has one core here; write"),
        ("node0 slots=16\n", ":1: expected 'rank N=HOST slot=SOCKET:CORE' or 'slot=CORE', not 'node0 slots=16'"),
    ],
)  # fmt: skip
def test_a_wrong_line_of_a_rankfile_is_refused_with_its_number(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "ranks").write_text(text)
    with pytest.raises(UserError, match="ranks" + says):
        fit_nodes(find.load("schooner"), 2, f"file:{tmp_path / 'ranks'}")


def test_lines_of_ranks_that_a_call_does_not_have_are_reported_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "five"
    file.write_text("".join(f"rank {rank}=node0 slot={rank}\n" for rank in range(5)))
    schooner = find.load("schooner")
    assert len(hosts_of(schooner, 1, 5, f"file:{file}")) == 5
    assert capsys.readouterr().err == ""
    for _ in range(2):
        assert len(hosts_of(schooner, 1, 3, f"file:{file}")) == 3
    printed = capsys.readouterr().err
    assert printed.count("places 5 ranks, this call has 3; the lines of the others are not used") == 1


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.txt: No such file"):
        hosts_of(find.load("schooner"), 1, 2, "file:none.txt")
    (tmp_path / "ranks").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="ranks: is not text"):
        hosts_of(find.load("schooner"), 1, 2, f"file:{tmp_path / 'ranks'}")
    with pytest.raises(UsageError, match='unknown mapping "file:"'):
        hosts_of(find.load("schooner"), 1, 2, "file:")
