"""collscope.catalogue.registry: what the prover lists, and names that resolve to keys."""

import os
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.base.errors import UsageError, UserError
from collscope.catalogue import registry
from collscope.catalogue.keys import Param
from collscope.catalogue.registry import Algorithm, Registry


def test_parameters_are_filled_in(known: Registry) -> None:
    assert known.resolve("bcast/mst") == ("bcast", "bcast/mst[dest=first]")
    assert known.resolve("mst[dest=end]", "bcast") == ("bcast", "bcast/mst[dest=end]")
    assert known.resolve("knomial[s=64KiB]", "bcast") == ("bcast", "bcast/knomial[k=4,s=65536]")
    assert known.resolve("bcast/knomial[s=8,k=2]") == ("bcast", "bcast/knomial[k=2,s=8]")
    assert known.resolve("bcast/linear") == ("bcast", "bcast/linear")


def test_decisions_and_builtin(known: Registry) -> None:
    assert known.resolve("decision/ompi_4_1", "bcast") == ("bcast", "decision/ompi_4_1")
    assert known.resolve("builtin", "bcast") == ("bcast", "bcast/builtin")
    assert known.resolve("bcast/builtin") == ("bcast", "bcast/builtin")


@pytest.mark.parametrize(
    ("name", "collective", "says"),
    [
        ("bcast/mts", None, 'unknown algorithm "bcast/mts"; did you mean "bcast/mst"? (see ./collscope list)'),
        (
            "knomal",
            "bcast",
            'unknown bcast algorithm "knomal"; did you mean "knomial"? (see ./collscope list -c bcast)',
        ),
        ("linear", None, '"linear": name the collective with -c, or write one of bcast/linear, scatter/linear'),
        ("mst", "bcst", 'unknown collective "bcst"; did you mean "bcast"?'),
        ("bcast/mst", "allgather", "bcast/mst is an algorithm of bcast, but -c says allgather"),
        ("knomial[q=3]", "bcast", 'unknown parameter of bcast/knomial "q"; known: k, s'),
        ("knomial[k=1]", "bcast", "bcast/knomial: k=1: k is a number from 2 to 64"),
        ("knomial[k]", "bcast", "bcast/knomial: write k=VALUE"),
        ("mst[dest=middle]", "bcast", "bcast/mst: dest=middle: dest is one of first, end"),
        ("linear[k=2]", "bcast", "bcast/linear has no parameters, but got k"),
        ("decision/ompi_4_2", "bcast", 'unknown decision "decision/ompi_4_2"; did you mean "decision/ompi_4_1"?'),
        ("decision/ompi_4_1", None, "decision/ompi_4_1: say for which collective, with -c"),
        ("builtin", None, "builtin: name the collective with -c, or write bcast/builtin"),
        ("bcast/builtin", "allgather", "bcast/builtin is an algorithm of bcast, but -c says allgather"),
        ("bcast", None, "bcast is a collective; say which of its algorithms: bcast/mst, bcast/linear, bcast/knomial"),
        (
            "builtn",
            "bcast",
            'unknown bcast algorithm "builtn"; did you mean "builtin"? (see ./collscope list -c bcast)',
        ),
    ],
)
def test_an_unknown_key_is_explained(known: Registry, name: str, collective: str | None, says: str) -> None:
    with pytest.raises(UsageError) as error:
        known.resolve(name, collective)
    assert str(error.value) == says


def test_types_have_sizes(known: Registry) -> None:
    assert known.type_bytes("double") == 8
    with pytest.raises(UsageError, match='did you mean "float"'):
        known.type_bytes("flaot")


def test_every_field_is_read(known: Registry) -> None:
    bcast, reduce, barrier, scatter = (known.collective(c) for c in ("bcast", "reduce", "barrier", "scatter"))
    assert (bcast.mpi, bcast.has_root, bcast.has_operator, bcast.from_root) == ("MPI_Bcast", True, False, True)
    assert (reduce.has_operator, reduce.output.who, reduce.input.amount) == (True, "root", "vector")
    assert [c.counts_blocks for c in (bcast, barrier, scatter)] == [False, False, True] and not barrier.has_data
    assert (bcast.bound.rounds, bcast.bound.sent, bcast.bound.times, bcast.bound.combined) == (
        "log",
        "whole",
        1,
        "none",
    )
    mst = known.algorithm("bcast/mst[dest=end]")
    assert mst is known.by_key["bcast/mst"] and known.algorithm("bcast/nothing") is None
    assert mst == Algorithm(
        "bcast/mst", "what bcast/mst does", "a paper", (Param("dest", 0, 0, 1, ("first", "end"), "about dest"),), "bcast", "one", (),
        None, True,
    )  # fmt: skip
    assert known.decision("decision/ompi_4_1[x=1]").collectives == ("bcast", "allgather")
    assert (known.operators[-1], known.metrics[0], known.types["affine"]) == ("none", "makespan", 8)


def program(folder: Path, text: str, status: int = 0) -> Path:
    path = folder / "prover"
    path.write_text(f"#!/bin/sh\necho x >> {folder}/count\necho '{text}'\nexit {status}\n")
    path.chmod(0o755)
    return path


def test_the_list_is_kept_until_the_program_changes(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def calls() -> int:
        return (workplace / "count").read_text().count("x")

    monkeypatch.setattr(registry.programs, "PROVER", program(workplace, "one"))
    assert (registry.json_text(), registry.json_text(), calls()) == ("one\n", "one\n", 1)
    os.utime(program(workplace, "two"), ns=(5, 5))  # as many bytes as before
    assert (registry.json_text(), registry.json_text(), calls()) == ("two\n", "two\n", 2)
    for text, status in (("longer", 0), ("broken!", 3)):
        changed = program(workplace, text, status)
        os.utime(changed, ns=(1, 1))
        if status:
            with pytest.raises(UserError, match="--list --json failed: 3"):
                registry.json_text()
        else:
            assert registry.json_text() == "longer\n"
    assert calls() == 4
    for name in ("PROVER", "MPI_DRIVER", "SIM_DRIVER"):
        monkeypatch.setattr(registry.programs, name, workplace / "none")
    with pytest.raises(UserError, match="not built"):
        registry.json_text()


def test_a_file_that_is_not_registered_is_named(
    known: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the lines that are missing; a key without a file is unknown as ever."""
    (tmp_path / "algorithms" / "bcast").mkdir(parents=True)
    (tmp_path / "algorithms" / "bcast" / "mine.c").touch()
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    for name, collective in (("bcast/mine", None), ("mine", "bcast")):
        with pytest.raises(UserError, match=r"add X\(bcast_mine\) to algorithms/registry\.c and bcast/mine\.c to"):
            known.resolve(name, collective)
    with pytest.raises(UserError, match='no algorithm "bcast/other"|"bcast/other"'):
        known.resolve("bcast/other")
