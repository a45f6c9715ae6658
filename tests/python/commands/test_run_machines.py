"""collscope.commands.run_machines: one call on several machines: side by side in one table, one after the other in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import document_keys
from collscope.commands import requests, run_machines
from collscope.points import table
from command_line import call
from made_rows import row
from open_mpi import needs_prover

MACHINE = """\
name = "{name}"
nodes = 4
sockets = 2
cores_per_socket = 8
overhead_s = {overhead}
memory_bytes_per_s = 9e10
nic_gap_s = 0
[curve]
node = [[0, 0.7e-6, 2.5e-10]]
network = [[0, 1.8e-6, 1e-9]]
"""
WORDS = "-c bcast -a linear,binomial --bytes 8 --ranks 64 --source"


@pytest.fixture
def machines(tmp_path: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Two that differ in their overhead, which decides whether the linear algorithm wins."""
    monkeypatch.chdir(tmp_path)
    for name, overhead in (("cheap", "1e-9"), ("dear", "3e-7")):
        (tmp_path / f"{name}.toml").write_text(MACHINE.format(name=name, overhead=overhead))
    return "cheap.toml,dear.toml"


def cells(rows: list[table.Row]) -> list[list[str]]:
    return [list(line.cells) for line in run_machines.make_table(rows).lines]


@needs_prover
def test_each_machine_has_its_winner(machines: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In the table, in the tables of winners, in the file and in the document."""
    status, out, _ = call(capsys, "run", "--on", machines, *WORDS.split(), "model", "--csv", "t.csv")
    lines = [line.split() for line in out.splitlines()]
    heading = next(line for line in lines if line[:2] == ["bytes", "algorithm"])
    assert status == 0 and heading[2:] == ["cheap", "dear"]
    linear, binomial = ("".join(next(line for line in lines if key in line)) for key in ("linear", "binomial[s=0]"))
    assert linear.count("*") == binomial.count("*") == 1 and binomial.endswith("*") and not linear.endswith("*")
    for name in ("cheap", "dear"):
        assert f"who wins by model: bcast, 64 ranks on 4 nodes of {name}" in out
    assert set(table.read_csv("t.csv").platform) == {"cheap", "dear"}
    status, out, _ = call(capsys, "run", "--on", machines, *WORDS.split(), "model", "--json")
    winners = document_keys.check(out, "run")["winners"]
    assert [(w["platform"], w["algorithm"]) for w in winners] == [
        ("cheap", "bcast/linear"),
        ("dear", "bcast/binomial[s=0]"),
    ]
    assert all(w["libraries"] for w in winners), "what a library takes does not hang on the machine"


@needs_prover
def test_several_sources_give_each_machine_a_table_of_its_own(
    machines: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = call(capsys, "run", "--on", machines, *WORDS.split(), "model,published")
    assert status == 0 and "bcast · 64 ranks · makespan by model" in out
    assert "bcast · cheap · 64 ranks on 4 nodes, block" in out and "bcast · dear · 64 ranks on 4 nodes, block" in out


def on(platform: str, key: str, seconds: float | None, **more: Any) -> table.Row:
    return row(platform=platform, algorithm=f"bcast/{key}", seconds=seconds, ranks=16, **more)


def test_a_machine_without_a_time_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    """Its nodes stand in the heading where they differ; an algorithm that was not run there has an empty cell."""
    rows = [
        on("a", "mst", 2e-6),
        on("b", "mst", None, nodes=2),
        on("a", "chain", 1e-6),
        on("a", "mst", 3e-6, bytes=8192, block_bytes=512),
    ]
    made = run_machines.make_table(rows)
    assert [c.name for c in made.columns] == ["bytes", "block", "algorithm", "a, 4 nodes", "b, 2 nodes"]
    assert cells(rows) == [
        ["1 KiB", "1 KiB", "mst", "2.000 µs ", "— "],
        ["", "", "chain", "1.000 µs*", ""],
        ["8 KiB", "512 B", "mst", "3.000 µs*", ""],
    ]
    assert [line.ruled for line in made.lines] == [False, False, True]


def test_tables_are_of_one_collective_and_number_of_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    other = row(platform="b", collective="reduce", algorithm="reduce/mst", ranks=16, skew="linear:1us")
    run_machines.show([on("a", "mst", 1e-6), on("b", "mst", 1e-6), other, on("a", "mst", 1e-6, source="model")])
    out = capsys.readouterr().out
    assert (
        "bcast · 16 ranks · makespan by sim\n" in out and "reduce · 16 ranks · makespan by sim · skew linear:1us" in out
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("schooner", ["schooner"]),
        ("schooner[nodes=2,hosts=3], jaguar,schooner[nodes=2,hosts=3]", ["schooner[nodes=2,hosts=3]", "jaguar"]),
        ("a,b.toml[nodes=2]", ["a,b.toml[nodes=2]"]),
        ("c.toml[nodes=2],c.toml", ["c.toml[nodes=2]", "c.toml"]),
    ],
)
def test_commas_within_brackets_and_names_of_files_divide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, names: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a,b.toml", "c.toml"):
        Path(name).touch()
    assert requests.platforms(text) == names


def test_elements_are_switched_off_on_every_machine() -> None:
    assert requests.switched("schooner,orfeo_epyc", "gap") == "schooner[without=gap],orfeo_epyc[without=gap]"
