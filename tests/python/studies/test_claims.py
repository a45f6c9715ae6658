"""All claims of all papers, from the committed tables."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from collscope.base import paths
from collscope.commands.cli import cli
from collscope.studies import claims


@pytest.fixture(scope="module")
def every() -> list[claims.PaperClaims]:
    """All committed claims, judged once."""
    return claims.every()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Committed results of one study."""
    mine = tmp_path / "results" / "bird_schooner"
    mine.mkdir(parents=True)
    for name in ("table.csv", "claims.csv", "sensitivity.csv"):
        shutil.copy(paths.RESULTS / "bird_schooner" / name, mine)
    monkeypatch.setattr(claims.every, "__defaults__", (mine.parent,))
    monkeypatch.setattr(paths, "RESULTS", mine.parent)
    return mine


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["claims", *words])
    return done.exit_code, done.output


def test_the_committed_verdicts_are_those_of_the_committed_tables(every: list[claims.PaperClaims]) -> None:
    assert {p.study for p in every} >= {"bird_schooner"}
    assert not [(j.study, j.claim.id) for p in every for j in p.claims if j.changed]
    counted = claims.count(every)
    assert sum(counted.values()) == sum(len({j.claim.id for j in p.claims}) for p in every)


def test_a_claim_counts_with_the_better_of_its_alternatives(every: list[claims.PaperClaims]) -> None:
    (bird,) = (p for p in every if p.study == "bird_schooner")
    both = {j.alternative: j.claim.verdict for j in bird.claims if j.claim.id == "B1"}
    assert sorted(both.values()) == ["not reproduced", "partly"]
    assert claims.count([bird])["partly"] == 8


def test_every_claim_that_is_not_reproduced_has_its_reason(every: list[claims.PaperClaims]) -> None:
    table = claims.frame(every)
    assert not table[(table.verdict != "reproduced") & (table.reason == "")][["study", "claim"]].to_numpy().tolist()
    found = table[(table.verdict == "reproduced") & (table.reason != "")]
    assert found.reason.str.contains("against theory").all(), "what is reproduced as theory has it needs no reason"


def test_the_pages_say_each_claim_with_its_verdict_and_its_task(folder: Path) -> None:
    status, said = run("--out", str(folder.parent))
    assert status == 0, said
    assert "1 reproduced, 8 partly, 3 not reproduced, 0 not testable of 12 claims." in said
    page, html = ((folder.parent / f"claims.{kind}").read_text() for kind in ("md", "html"))
    assert (
        "| B8a (Open MPI 4.0) | no class is best everywhere (V-H) | **reproduced** | 3 of 3 | reproduced | 33 of 33 |"
        in page
    )
    assert "B10, a task that the source left open" in page
    assert html.count("<tr>") == 1 + 24
    assert '<td class="v not-reproduced">not reproduced</td>' in html


def test_another_verdict_than_the_committed_one_is_told(folder: Path) -> None:
    path = folder / "claims.csv"
    path.write_text(path.read_text().replace("decision/ompi_4_0,B1,partly", "decision/ompi_4_0,B1,reproduced"))
    status, said = run("--check")
    assert status == 1
    assert "bird_schooner: B1 Open MPI 4.0: partly; committed: reproduced" in said
    assert not (folder.parent / "claims.md").exists(), "--check writes nothing"


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    status, _ = run("--out", str(tmp_path / "nowhere"))
    assert status != 0
