"""collscope.commands.twins: the `twins` command."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import libraries
from collscope.base.errors import UsageError, UserError
from collscope.base.grid import Grid
from collscope.base.units import parse_ranks
from collscope.catalogue import registry
from collscope.catalogue.registry import Registry
from collscope.commands import twins
from collscope.twins import calls, compare, differences, records
from collscope.twins.call import Call, Compared
from collscope.twins.library import Library, find_library
from command_line import call
from open_mpi import needs_open_mpi, needs_prover


@needs_prover
@needs_open_mpi
def test_command() -> None:
    out_text = CliRunner().invoke(twins.command, ["-a", "barrier", "--ranks", "2,3"])
    assert out_text.exit_code == 0, out_text.output
    assert "barrier/two_proc" in out_text.output and differences.REFUSED in out_text.output
    assert "11 of 11 calls send the same messages" in out_text.output


@needs_prover
@pytest.mark.parametrize(
    "words",
    (
        ["-a", "bcast/mst"],
        ["-a", "rotation"],
        ["-a", "bcast", "--out", "x"],
        ["--ranks", "1..4"],
        ["--mpi", "/nowhere"],
    ),
)
def test_keys_ranks_and_libraries_that_there_are_not_are_refused(words: list[str]) -> None:
    assert isinstance(CliRunner().invoke(twins.command, words).exception, UsageError)


@needs_prover
@needs_open_mpi
def test_a_twin_that_this_library_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing nothing fails."""
    there = [a for a in calls.twins(find_library().numbers) if a.key != "barrier/tree"]
    monkeypatch.setattr(calls, "twins", lambda _: there)
    alone = CliRunner().invoke(twins.command, ["-a", "barrier/tree", "--ranks", "2"])
    assert isinstance(alone.exception, UserError) and "does not have barrier/tree" in str(alone.exception)
    out_text = CliRunner().invoke(twins.command, ["-a", "barrier/tree,barrier/linear", "--ranks", "2"])
    assert (
        out_text.exit_code == 0
        and "does not have barrier/tree" in out_text.output
        and "1 of 1 calls" in out_text.output
    )


def of_this_machine() -> Library:
    return find_library()


def open_mpi_5() -> Library:
    found = libraries.openmpi_5()
    path = os.pathsep.join((str(found.mpirun.parent), os.environ.get("PATH", "")))
    return Library(str(found.mpicc), str(found.mpirun), {**found.env, "PATH": path})


@needs_prover
@needs_open_mpi
@pytest.mark.full
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("library", (of_this_machine, open_mpi_5))
def test_all_twins_on_all_ranks(library: Callable[[], Library]) -> None:
    """And what comes of it is what is recorded, where the version is the same."""
    found = twins.run(library(), parse_ranks(twins.RANKS))
    assert not found.bad, "\n".join(map(str, found.bad[:20]))
    version = found.library.version
    for name, rows in found.tables().items():
        recorded = [row for row in records.read(name) if row["version"] == version]
        assert rows == recorded or not recorded, name


VERDICTS = ("same", "order", "different", "unsupported")


@pytest.fixture
def twinned(known: Registry, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry with two twins of Open MPI: 1 and 6 of bcast."""
    twin = {"library": "Open MPI", "collective": "bcast"}
    numbers = {"bcast/linear": 1, "bcast/knomial": 6}
    made = replace(
        known,
        algorithms=tuple(
            replace(a, twin={**twin, "number": numbers[a.key]} if a.key in numbers else None) for a in known.algorithms
        ),
    )
    monkeypatch.setattr(registry, "load", lambda: made)
    return made


def library() -> Any:
    return SimpleNamespace(version="4.1.4", numbers={}, check=lambda: None)


def compared(verdict: Any, ranks: int = 2, key: str = "bcast/linear") -> Compared:
    return Compared(ranks, Call(key, "bcast", 1), verdict)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_difference_is_bad_where_calls_should_be_alike(verdict: str) -> None:
    """A decision supports every call."""
    one = compared(verdict)
    assert twins.Found(library(), forced=[one]).bad == [one] * (verdict in ("order", "different"))
    assert twins.Found(library(), decided=[one]).bad == [one] * (verdict != "same")


@pytest.mark.parametrize(
    ("expected", "keys", "decided", "note"),
    [
        (None, ["bcast/linear", "bcast/knomial"], True, ""),
        (["bcast/linear"], ["bcast/linear"], False, ""),
        (["bcast/linear", "x/y"], ["bcast/linear"], False, "collscope: Open MPI 4.1.4 does not have x/y\n"),
    ],
)
def test_each_number_of_ranks_is_compared(
    twinned: Registry,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    expected: list[str] | None,
    keys: list[str],
    decided: bool,
    note: str,
) -> None:
    monkeypatch.setattr(calls, "twins", lambda _: [a for a in twinned.algorithms if a.twin])
    monkeypatch.setattr(calls, "forced_calls", lambda p, twins: [Call(a.key, "bcast", p) for a in twins])
    monkeypatch.setattr(calls, "decided_calls", lambda name, p: [Call(f"decision/{name}:bcast", "bcast", p)])

    def same(library: Any, ranks: int, calls: Sequence[Call]) -> list[Compared]:
        return [Compared(ranks, call, "same") for call in calls]

    monkeypatch.setattr(compare, "compare", same)
    found = twins.run(library(), [2, 5], expected)
    assert [(c.ranks, c.call.key, c.call.count) for c in found.forced] == [(p, key, p) for p in (2, 5) for key in keys]
    assert [c.ranks for c in found.decided] == [2, 5] * decided
    assert capsys.readouterr().err == note
    about = twins.origin(found)
    assert (about["forced_calls"], about["decided_calls"], about["ranks"]) == (2 * len(keys), 2 * decided, "2,5")
    assert len(str(about["sources"])) == 12
    with pytest.raises(UserError, match="nothing to compare: Open MPI 4.1.4 does not have a/b, x/y"):
        twins.run(library(), [2], ["x/y", "a/b"])


@pytest.mark.parametrize(
    ("verdicts", "status"), [("same same", 0), ("same order", 1), ("different same", 1), ("unsupported same", 0)]
)
@pytest.mark.parametrize("out", [None, "tables"])
def test_one_call_that_differs_fails_the_command(
    twinned: Registry,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    verdicts: str,
    status: int,
    out: str | None,
) -> None:
    requests: list[Any] = []
    found = twins.Found(library(), [compared(v, p) for p, v in enumerate(verdicts.split(), 2)], [compared("same", 7)])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(calls, "twins", lambda _: [a for a in twinned.algorithms if a.twin])
    monkeypatch.setattr(differences, "differences", lambda *_: [])
    monkeypatch.setattr(twins, "find_library", lambda folder: requests.append(folder))
    monkeypatch.setattr(twins, "run", lambda *words: requests.append(words) or found)
    monkeypatch.setattr(records, "write", lambda *words: requests.append((words[0], words[1], sorted(words[2]))))
    words = ["--ranks", "2..4", "--mpi", "m", *(["--out", out] if out else ["-a", "bcast/linear"])]
    done, printed, err = call(capsys, "twins", *words)
    assert done == status
    expected = None if out else ["bcast/linear"]
    written = [(Path("tables"), "4.1.4", ["decisions", "differences", "table"])] if out else []
    assert requests == ["m", (None, [2, 3, 4], expected), *written]
    assert err == "collscope: written: tables\n" * bool(out) + "".join(f"collscope: {c}\n" for c in found.bad)
    compared_ = 3 - verdicts.count("unsupported")
    same = verdicts.count("same") + 1
    assert f"{same} of {compared_} calls send the same messages in the same order, on " in printed
    assert twins.RANKS == "2..17,32"


def test_names_stand_for_twins(twinned: Registry) -> None:
    both = ["bcast/linear", "bcast/knomial"]
    for text, keys in (
        (None, None), ("bcast", both), ("bcast/knomial[k=2]", both[1:]), ("bcast/linear,bcast", [both[0], *both]),
    ):  # fmt: skip
        assert twins.read_keys(text) == keys
    for text in ("scatter", "bcast/mst"):
        with pytest.raises(UsageError, match=f"{text} has no twin in Open MPI"):
            twins.read_keys(text)


@pytest.mark.parametrize("number", [20, 21])
def test_twenty_that_differ_are_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    found = SimpleNamespace(bad=[f"call {i}" for i in range(number)])
    monkeypatch.setattr(twins, "find_library", lambda _: None)
    monkeypatch.setattr(twins, "run", lambda *_: found)
    monkeypatch.setattr(twins, "show", lambda _: None)
    assert call(capsys, "twins") == (1, "", "".join(f"collscope: call {i}\n" for i in range(20)))


def test_a_row_with_a_difference_stands_out(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Grid] = []
    monkeypatch.setattr(Grid, "show", lambda made: shown.append(made))
    counts = dict(zip(records.COUNTS, ("6", "4", "0", "0", "2"), strict=True))
    rows = [{"key": f"bcast/{equal}", "number": "1", **counts, "equal": equal} for equal in ("4", "3")]
    tables = {"table": rows, "decisions": [], "differences": []}
    found = SimpleNamespace(library=library(), forced=[], decided=[], tables=lambda: tables)
    twins.show(found)  # type: ignore[arg-type]
    assert [line.style for line in shown[0].lines] == ["", "bold red"]
