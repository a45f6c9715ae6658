"""collscope.reference.docs: the generated reference is up to date, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from collscope.base import paths, programs
from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.points.plan import Point
from collscope.reference import docs, entries
from collscope.reference.model import Reference, reference

built = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


@built
def test_reference_is_up_to_date() -> None:
    problems = docs.stale(reference())
    assert not problems, "run ./collscope docs:\n" + "\n".join(problems)


def test_committed_links_lead_somewhere() -> None:
    text = (paths.ROOT / "docs" / "algorithms.md").read_text()
    anchors = set(re.findall(r'<a id="([^"]+)"', text))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not target.startswith("http"):
            assert (paths.ROOT / "docs" / target).exists(), target


def test_the_check_says_what_is_out_of_date_and_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = Reference([], [])
    monkeypatch.setattr(docs, "reference", lambda: empty)
    monkeypatch.setattr(docs, "write_atomically", lambda path, text: pytest.fail(f"{path} is written"))
    for problems, status in (([], 0), (["a page is old"], 1)):
        monkeypatch.setattr(docs, "stale", lambda _, found=problems: found)
        for part in (docs.machines, docs.node_model, docs.priors, docs.commands):
            monkeypatch.setattr(part, "stale", lambda *_, found=problems: found[:1])
        assert docs.run(click.Group(), check=True) == status
        printed = capsys.readouterr()
        lines = [line.removeprefix("collscope: ") for line in printed.err.splitlines()]
        assert lines == (["a page is old"] * 5 + ["run ./collscope docs"] if status else []) and printed.out == ""


def test_writing_says_how_much(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(docs, "reference", lambda: Reference([], []))
    monkeypatch.setattr(docs, "folder", lambda: tmp_path)
    monkeypatch.setattr(docs.pictures, "draw", lambda _: 3)
    monkeypatch.setattr(docs.pictures, "stale", lambda _: iter(["a picture is old"]))
    monkeypatch.setattr(docs.machines, "write", lambda _: [tmp_path] * 5)
    monkeypatch.setattr(docs.node_model, "write", lambda _: [tmp_path] * 7)
    assert docs.run(click.Group()) == 0
    assert capsys.readouterr().out.splitlines() == [
        "written: docs/algorithms.md; 3 of 0 pictures redrawn",
        "written: docs/machines.md and 4 platform files beside their specifications",
        "written: docs/node_model.md and 6 pictures",
        "written: docs/priors.md",
        "written: docs/commands.md",
        "1 pages of HTML: open docs/algorithms.html",
    ]
    assert docs.priors.stale(tmp_path) == [] and (tmp_path / "algorithms.html").exists()
    assert docs.stale(Reference([], [])) == ["a picture is old"]
    monkeypatch.setattr(docs.paths, "ROOT", tmp_path.parent)
    (tmp_path / "algorithms.md").write_text("old")
    assert docs.stale(Reference([], [])) == [
        f"{tmp_path.name}/algorithms.md: not what the registry and the headers say", "a picture is old",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("bcast", "`MPI_Bcast`, with a root; a count is that of the whole vector."),
        ("reduce", "`MPI_Reduce`, with a root and an operator; a count is that of the whole vector."),
        ("allgather", "`MPI_Allgather`; a count is that of one rank's block."),
        ("rotation", "No function of MPI; a count is that of one rank's block."),
        ("barrier", "`MPI_Barrier`."),
    ],
)
def test_a_collective_in_one_sentence(name: str, about: str, known: registry.Registry) -> None:
    assert entries.Group(known.collective(name), []).about == about
    assert entries.groups([]) == []


def test_a_drawing_shows_a_call_that_the_algorithm_can_do(
    monkeypatch: pytest.MonkeyPatch, known: registry.Registry
) -> None:
    """Eight ranks, in place where nothing else goes, or two; and the first reason where none does."""
    calls: list[tuple[int, bool, str]] = []

    def traces(points: list[Point], ranks: int, *_: object) -> list[object]:
        calls.append((ranks, points[0].in_place, points[0].algorithm))
        if ranks == fits:
            return ["drawn"]
        raise UserError(f"not on {ranks}")

    monkeypatch.setattr(entries.record, "traces", traces)
    pipelined = known.by_key["bcast/knomial"]
    fits = 2
    assert entries.drawing(pipelined) == ("drawn", "")
    assert calls == [
        (8, False, "bcast/knomial[k=4,s=0]"),
        (8, True, "bcast/knomial[k=4,s=0]"),
        (2, False, "bcast/knomial[k=4,s=0]"),
    ]
    fits = 0
    assert entries.drawing(pipelined) == (None, "not on 8")
