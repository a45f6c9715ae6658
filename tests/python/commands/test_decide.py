"""What `decide` says, beside what the libraries' sources say."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from collscope.base import programs
from collscope.base.errors import UsageError, UserError
from collscope.catalogue import decisions
from collscope.commands import decide

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")


@needs_prover
def test_command(tmp_path: Path) -> None:
    words = ["-c", "bcast", "--ranks", "64", "--bytes", "4KiB"]
    said = CliRunner().invoke(decide.command, words)
    assert said.exit_code == 0
    assert (
        "bcast/knomial[k=4,s=0]" in said.output
        and "64 … 127" in said.output
        and "2 KiB … below 362.0 KiB" in said.output
    )
    data = json.loads(CliRunner().invoke(decide.command, [*words, "--json"]).output)
    assert data["count"] == 1024 and len(data["decisions"]) >= 3
    for bad in ([], ["--block-bytes", "1KiB", "--bytes", "1KiB"]):
        wrong = CliRunner().invoke(decide.command, ["-c", "bcast", "--ranks", "4", *bad])
        assert isinstance(wrong.exception, UsageError)
    assert isinstance(CliRunner().invoke(decide.command, ["-c", "bast", "--ranks", "4"]).exception, UserError)
    for words in (["--block-bytes", "4"], ["--map"], ["--plot", str(tmp_path / "map.svg")]):
        nobody = CliRunner().invoke(decide.command, ["-c", "rotation", "--ranks", "4", *words])
        assert "no decision table knows rotation" in str(nobody.exception)


@needs_prover
def test_map_command(tmp_path: Path) -> None:
    words = ["-c", "allgather", "--ranks", "4..6", "--map", "--decision", "rd_ring[threshold=64KiB]"]
    said = CliRunner().invoke(decide.command, words)
    assert said.exit_code == 0 and "rd_ring[threshold=65536,bruck=81920]" in said.output
    assert "from 16 KiB" in said.output and "bruck" in said.output
    picture = tmp_path / "map.svg"
    assert CliRunner().invoke(decide.command, [*words, "--plot", str(picture)]).exit_code == 0
    wrong = CliRunner().invoke(decide.command, [*words, "--plot", str(tmp_path / "map.jpg")])
    assert isinstance(wrong.exception, UsageError) and not (tmp_path / "map.jpg").exists()
    text = picture.read_text()
    assert "what decisions take" in text and "recursive_doubling" in text and "bucket" in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        words = ["-c", "bcast", "--ranks", "2", "--bytes", "4", "--plot", str(tmp_path / "one.svg")]
        assert CliRunner().invoke(decide.command, words).exit_code == 0
    sizeless = CliRunner().invoke(
        decide.command, ["-c", "barrier", "--ranks", "2..9", "--plot", str(tmp_path / "none.svg")]
    )
    assert isinstance(sizeless.exception, UsageError) and not (tmp_path / "none.svg").exists()


@needs_prover
def test_a_map_is_of_powers_of_two_unless_all_are_asked_for() -> None:
    assert decide.map_ranks("2..64") == [2, 4, 8, 16, 32, 64]
    assert decide.map_ranks("3..20,24,7") == [3, 4, 7, 8, 16, 20, 24]
    words = ["-c", "bcast", "--ranks", "2..16", "--map", "--decision", "mpich_4", "--json"]
    some = CliRunner().invoke(decide.command, words)
    assert "4 of 15 numbers of ranks" in some.stderr
    assert {span["ranks"] for span in json.loads(some.stdout)} == {2, 4, 8, 16}
    every = json.loads(CliRunner().invoke(decide.command, [*words, "--all-ranks"]).stdout)
    assert {span["ranks"] for span in every} == set(range(2, 17))
    alone = CliRunner().invoke(decide.command, ["-c", "bcast", "--ranks", "8", "--bytes", "4", "--all-ranks"])
    assert isinstance(alone.exception, UsageError)


@needs_prover
def test_a_map_says_where_it_cannot_hold() -> None:
    """What divides the count comes and goes between the sizes that a map asks for."""
    (span,) = (s for s in decisions.spans("bcast", [5], 2**17, 4, decisions=["decision/smpi_ompi"]) if s.first == 2048)
    inside = decisions.ask("bcast", 5, 20000, 4, decisions=["decision/smpi_ompi"])[0]
    assert span.last >= 20000 and span.takes != decisions.taken(inside)
    words = ["-c", "bcast", "--ranks", "5", "--map"]
    said = CliRunner().invoke(decide.command, words).output
    assert "decision/smpi_ompi: the map holds for powers of two" in said
    assert "decision/ompi_4_1: the map" not in said
    assert "the map holds" not in CliRunner().invoke(decide.command, [*words, "--decision", "mpich_4"]).output
