"""What mpirun says of where ranks sit, on machines that it is told of.

As a program it asks the Open MPI of this machine and writes the table that is kept with the tests:
`PYTHONPATH=python .venv/bin/python tests/python/helpers/mpirun_maps.py`.
"""

from __future__ import annotations

import csv
import io
import os
import re
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

NETWORK = "198.51.100."  # addresses that nobody has, of which no name server is asked
TABLE = Path(__file__).parent.parent / "machines" / "mpirun_maps.csv"
COLUMNS = ("mapping", "sockets", "cores_per_socket", "nodes", "ranks", "seats")
MACHINES = ((2, 10), (2, 12), (2, 64), (2, 3), (4, 4), (1, 8))  # sockets, cores of each
MAPPINGS = ("core", "socket", "node")
RANKFILE = "rankfile"  # in the column mapping; the seats are those that mpirun bound, `lines` what it read

Seat = tuple[str, int, int]
"""Node, socket and core in its node."""


def reported(sockets: int, cores: int, *words: str) -> str:
    """What mpirun prints on a machine whose nodes have these cores."""
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    made_up = os.environ | {"HWLOC_SYNTHETIC": f"pack:{sockets} core:{cores} pu:1"}
    printed = []
    with subprocess.Popen(
        ["mpirun", *root, *words, "true"], env=made_up, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout
        for line in process.stdout:
            printed.append(line)
            if "LAUNCH MSG" in line:  # the map is whole; what does not launch may wait for seconds
                process.kill()
    return "".join(printed)


def mapped(text: str) -> dict[int, Seat]:
    """The seat of each rank of --display-devel-map: where it is bound, else the core that it is mapped to."""
    seats: dict[int, Seat] = {}
    node, rank, locale = "", 0, ""
    for line in text.splitlines():
        if found := re.search(rf"Data for node: {re.escape(NETWORK)}(\d+)", line):
            node = f"node{found[1]}"
        elif found := re.search(r"Data for proc: \[\[\d+,\d+\],(\d+)\]", line):
            rank = int(found[1])
        elif found := re.search(r"Locale:\s*(\S+)", line):
            locale = found[1]
        elif found := re.search(r"Binding:\s*(\S+)", line):
            sockets = re.findall(r"\[(.*?)\]", locale if found[1] == "UNBOUND" else found[1])
            cores = [(s, c) for s, text in enumerate(sockets) for c in text.split("/")]
            (core,) = (i for i, (_, c) in enumerate(cores) if c == "B")
            seats[rank] = node, cores[core][0], core
    return seats


def display(sockets: int, cores: int, nodes: int, ranks: int, *words: str) -> str:
    """What mpirun prints of its map of so many ranks on so many nodes, with these words for its mapper."""
    allocation = ",".join(f"{NETWORK}{n}:{sockets * cores}" for n in range(nodes))
    binding = ("--do-not-launch", "--display-devel-map", "--bind-to", "core:overload-allowed")
    return reported(sockets, cores, *binding, "--host", allocation, "-np", str(ranks), *words)


def by_rankfile(sockets: int, cores: int, lines: str, ranks: int) -> list[int]:
    """The core of each rank on one node that mpirun bound by a rankfile; HOST in its lines is this machine."""
    here = socket.gethostname()
    with tempfile.NamedTemporaryFile("w", suffix=".ranks") as file:
        file.write(lines.replace("HOST", here))
        file.flush()
        host = f"{here}:{sockets * cores}"
        text = reported(sockets, cores, "--display-map", "--host", host, "-np", str(ranks), "--rankfile", file.name)
    theirs = dict(re.findall(r"Process rank: (\d+) Bound: socket \d+\[core (\d+)\[", text))
    return [int(theirs[str(rank)]) for rank in range(ranks)]


def words(seats: list[Seat]) -> str:
    """Seats in the order of the ranks: node0:0-9 node1:3, runs of cores that follow one another as one."""
    made = []
    for (node, _), run in groupby(enumerate(seats), key=lambda at: (at[1][0], at[1][2] - at[0])):
        cores = [seat[2] for _, seat in run]
        made.append(f"{node}:{cores[0]}" + (f"-{cores[-1]}" if len(cores) > 1 else ""))
    return " ".join(made)


def layouts() -> Iterator[tuple[int, int, int, int]]:
    """Sockets, cores of each, nodes and ranks of every row; ranks fill all, divide by nothing, or leave nodes empty."""
    for sockets, cores in MACHINES:
        node = sockets * cores
        for nodes in (1, 2, 3, 5):
            for ranks in sorted({1, nodes + 1, node - 1, node * nodes // 2 + 1, node * nodes - 3, node * nodes}):
                if 0 < ranks <= node * nodes:
                    yield sockets, cores, nodes, ranks


def lines_of(sockets: int, cores: int) -> str:
    """A rankfile for three ranks: a core of a socket, a core of the node, the last core."""
    return f"rank 0=HOST slot={sockets - 1}:0\nrank 2=HOST slot={sockets - 1}:{cores - 1}\nrank 1=HOST slot=1\n"


def table() -> str:
    """The table as CSV: COLUMNS."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for sockets, cores, nodes, ranks in layouts():
        for mapping in MAPPINGS:
            printed = mapped(display(sockets, cores, nodes, ranks, "--map-by", mapping))
            seats = [printed[rank] for rank in range(ranks)]
            writer.writerow([mapping, sockets, cores, nodes, ranks, words(seats)])
    for sockets, cores in MACHINES:
        bound = by_rankfile(sockets, cores, lines_of(sockets, cores), 3)
        writer.writerow([RANKFILE, sockets, cores, 1, 3, words([("node0", core // cores, core) for core in bound])])
    return out.getvalue()


if __name__ == "__main__":
    TABLE.write_text(table())
