"""The machines' page and platform files are up to date, and any MPI program runs on those files without the plug-in."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.machines import find, spec_reader
from collscope.machines.spec import COUNTS, NUMBERS, Number
from collscope.machines.xml_reader import read_xml
from collscope.reference import docs, machines
from made_platforms import LAYERED, write

HELPERS = Path(__file__).parents[1] / "helpers"
COMMITTED = sorted(find.PLATFORMS.glob("*.xml"))


def test_the_page_and_the_platform_files_are_up_to_date() -> None:
    problems = machines.stale(docs.folder())
    assert not problems, "run ./collscope docs:\n" + "\n".join(problems)


def test_every_machine_stands_on_the_page_with_all_its_numbers() -> None:
    text = (paths.ROOT / "docs" / "machines.md").read_text(encoding="utf-8")
    for machine in machines.machines():
        section = text.partition(f'<a id="{machine.spec.name}">')[2].partition("\n## ")[0]
        for name, number in machine.spec.numbers():
            if name.startswith("curve.") and name.split("[")[0].removeprefix("curve.") not in machine.spec.own_curves:
                continue  # another class's
            assert f"| `{name}` |" in section or (name.endswith(".traffic") and number == Number(1.0)), name
            assert number.source.replace("|", "\\|") in section, name
        assert all(row.matters for row in machine.rows)


def test_each_file_says_how_many_nodes_it_has_and_is_no_larger_than_it_should_be() -> None:
    assert COMMITTED
    for path in COMMITTED:
        text = path.read_text(encoding="utf-8")
        assert len(text) <= machines.MOST_XML_BYTES, path
        said = re.search(r"<!-- (\d+) nodes? of (\d+) cores\. Generated", text)
        if said:
            read = read_xml(path, path.stem)
            assert (int(said[1]), int(said[2])) == (read.max_nodes, read.cores_per_node)


def test_a_number_in_words(tmp_path: Path) -> None:
    known = '{ value = 7e9, range = [6e9, 8e9], tag = "inferred", source = "a | b" }'
    text = LAYERED.replace("nic_bytes_per_s = 7e9", f"nic_bytes_per_s = {known}")
    path = Path(write(tmp_path, text))
    made = machines.Machine(path, spec_reader.read_spec(path))
    rows = {row.name: row for row in made.rows}
    assert rows["nic_bytes_per_s"] == machines.Row(
        "nic_bytes_per_s", "7", "GB/s", "inferred", "6 to 8", "a \\| b",
        "messages that leave or enter a node, together; 1.7 large messages of the class network fill it",
    )  # fmt: skip
    assert (rows["numa.cores"].value, rows["numa.cores"].matters) == ("8", "which messages are of the class numa")
    assert (rows["numa.bytes_per_s"].value, rows["numa.bytes_per_s"].unit) == ("13", "GB/s")
    assert rows["nic_other_socket_s"].value == "0.13"
    assert rows["gamma_s_per_byte"].source == "default"
    assert rows["curve.numa[0].latency_s"].matters == "messages of 0 B to below 3001 B between ranks in the same numa"
    assert rows["curve.network[5003].s_per_byte"].matters == "messages of 5003 B and more between ranks on two nodes"
    assert made.spec.shape == "2 nodes of 2 sockets of 16 cores (4 numa of 8, 8 ccd of 4, 16 caches a node)"


def test_every_number_that_a_machine_can_have_is_said_to_matter_somewhere() -> None:
    assert {*NUMBERS, *COUNTS, "nic_socket"} <= {*machines.MATTERS}


def test_what_is_out_of_date_is_named_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "PLATFORMS", tmp_path)
    write(tmp_path, LAYERED, "layered.toml")
    assert len(machines.stale(tmp_path)) == 2
    assert machines.write(tmp_path) == [tmp_path / "machines.md", tmp_path / "layered.xml"]
    assert machines.stale(tmp_path) == []
    (tmp_path / "layered.xml").write_text("old", encoding="utf-8")
    (problem,) = machines.stale(tmp_path)
    assert "layered.xml: not what the specifications say" in problem
    monkeypatch.setattr(machines, "MOST_XML_BYTES", 1000)
    assert machines.write(tmp_path) == [tmp_path / "machines.md"]


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("ordinary") / "ordinary"
    subprocess.run(["smpicc", "-O2", str(HELPERS / "ordinary.c"), "-o", str(program)], check=True)
    return program


@pytest.mark.skipif(not (shutil.which("smpirun") and shutil.which("smpicc")), reason="needs SimGrid")
@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_an_ordinary_program_runs_on_it_without_the_plug_in(path: Path, ordinary: Path, tmp_path: Path) -> None:
    read = read_xml(path, path.stem)
    hosts = [node[core].name for node in (read.nodes[0], read.nodes[-1]) for core in (0, -1)]
    (tmp_path / "hosts").write_text("\n".join(hosts) + "\n", encoding="utf-8")
    command = ["smpirun", "-np", "4", "-platform", path, "-hostfile", tmp_path / "hosts", ordinary]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "6 later" in done.stdout
