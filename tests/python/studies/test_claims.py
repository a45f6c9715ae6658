"""collscope.studies.claims: all claims of all papers, from the committed tables."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner

from collscope.analysis.claims import Assertion, Claim
from collscope.base import paths
from collscope.base.errors import UsageError
from collscope.commands import explain
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


def test_a_reader_asks_for_a_study_or_a_claim_and_sees_the_numbers_that_decided(folder: Path) -> None:
    """Nothing is written then; a name that stands for nothing is refused."""
    before = sorted(folder.parent.iterdir())
    status, whole = run("bird")
    assert status == 0 and " B1 " in whole and " B9 " in whole and "Holds" not in whole
    status, one = run("b3")
    assert status == 0 and " B1 " not in one and one.count("\nB3, ") == 2, "with each of two libraries"
    assert "(V-C)" in one and "Holds: " in one and "Fails: " in one and "Found: " in one
    assert sorted(folder.parent.iterdir()) == before
    with pytest.raises(UsageError, match='unknown study or claim "B77"'):
        claims.every(["B3", "B77"])


def test_a_claim_counts_with_the_better_of_its_alternatives(every: list[claims.PaperClaims]) -> None:
    (bird,) = (p for p in every if p.study == "bird_schooner")
    both = {j.alternative: j.claim.verdict for j in bird.claims if j.claim.id == "B1"}
    assert sorted(both.values()) == ["not reproduced", "partly"]
    assert claims.count([bird])["partly"] == 8


def test_every_claim_that_is_not_reproduced_has_its_reason_and_that_stands_on_explain(
    every: list[claims.PaperClaims],
) -> None:
    judged = [j for p in every for j in p.claims]
    known = {(j.study, j.claim.id) for j in judged}
    for j in judged:
        found = j.claim.explanation
        if j.claim.verdict == "reproduced":
            assert "against theory" in found or not claims.reason(j.claim), "as theory has it: it needs no reason"
        elif j.claim.verdict != "not testable":
            others = re.findall(r"\b[A-Z]\d+\b", "".join(re.findall(r"\bsee ([^.;)]*)", found)))
            assert "`explain " in found or others, f"{j.study} {j.claim.id} {j.alternative}: {found}"
            assert {(j.study, other) for other in others} <= known


def test_each_run_of_explain_that_a_reason_cites_is_accepted(
    every: list[claims.PaperClaims], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(calls: object, points: object, layout: object) -> NoReturn:
        raise UsageError("all of it was read")

    monkeypatch.setattr(explain, "_paths", read)
    cited = {c for p in every for j in p.claims for c in re.findall(r"`explain ([^`]*)`", j.claim.explanation)}
    assert len(cited) > 30
    for words in cited:
        done = CliRunner().invoke(cli, ["explain", *shlex.split(words)])
        assert str(done.exception) == "all of it was read", f"{words}: {done.exception}"


def test_an_ambiguous_sentence_has_two_verdicts(every: list[claims.PaperClaims]) -> None:
    of = {(p.study, j.claim.id): j.claim.readings for p in every for j in p.claims if j.claim.readings}
    assert of["kandalla_allgather", "K8"] == {"strict": "not reproduced", "mild": "reproduced"}
    assert of["alessio_orfeo", "A4"] == {"strict": "partly", "mild": "partly"}
    assert [claims.count(every, reading)["reproduced"] for reading in ("", "strict", "mild")] == [16, 16, 21]


def test_an_assertion_without_a_reading_counts_in_both() -> None:
    def claim(*held: tuple[str, bool | None]) -> Claim:
        return Claim("X1", "", "", tuple(Assertion("", holds, "", "yes", reading=reading) for reading, holds in held))

    assert claim(("", True), ("", False)).readings == {}
    assert claim(("", True), ("strict", False), ("mild", True)).readings == {"strict": "partly", "mild": "reproduced"}
    found = claim(("", False), ("strict", True), ("mild", None)).readings
    assert found == {"strict": "partly", "mild": "not reproduced"}
    assert claims.readings(claim(("strict", False), ("mild", True))) == "strictly: not reproduced; mildly: reproduced"
    assert claims.readings(claim(("", True))) == ""


def test_the_pages_say_each_claim_with_its_verdict_and_its_task(folder: Path) -> None:
    status, printed = run("--out", str(folder.parent))
    assert status == 0, printed
    assert "1 reproduced, 8 partly, 3 not reproduced, 0 not testable of 12 claims." in printed
    page, html = ((folder.parent / f"claims.{kind}").read_text() for kind in ("md", "html"))
    assert (
        "| **reproduced** | 3 of 3 | reproduced | 33 of 33 |" in page.partition("B8a<br><small>Open MPI 4.0</small>")[2]
    )
    assert "B10, a task that the source left open" in page
    assert html.count("<tr>") == 2 + 1 + 24
    assert '<td><strong class="verdict bad">not reproduced</strong></td>' in html


def test_a_changed_verdict_is_reported(folder: Path) -> None:
    path = folder / "claims.csv"
    path.write_text(path.read_text().replace("decision/ompi_4_0,B1,partly", "decision/ompi_4_0,B1,reproduced"))
    status, printed = run("--check")
    assert status == 1
    assert "bird_schooner: B1 Open MPI 4.0: partly; committed: reproduced" in printed
    assert not (folder.parent / "claims.md").exists(), "--check writes nothing"


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    status, _ = run("--out", str(tmp_path / "nowhere"))
    assert status != 0


def judged(verdicts: list[bool | None], **more: Any) -> claims.Judged:
    made = tuple(Assertion(f"t{k}", holds, f"seen {k}", "yes", "") for k, holds in enumerate(verdicts))
    claim = Claim("X1", "text", "2", made, explanation=more.pop("explanation", ""))
    return claims.Judged(
        **{"study": "s", "alternative": "", "claim": claim, "committed": "partly", "ranges": "3 of 4", **more}
    )


def test_the_numbers_of_a_claim_are_those_of_the_first_that_fails() -> None:
    found = [judged(v).margin for v in ([True, False, False], [None, True], [None], [True, True])]
    assert found == ["seen 1", "seen 1", "–", "seen 0"]
    found = [judged([True, False], committed=word).changed for word in ("partly", "reproduced", "")]
    assert found == [False, True, True]


def test_a_failed_claim_has_a_reason_and_an_alternative_does_not_count_twice() -> None:
    one, two = judged([True, False, None]), judged([True], alternative="L", explanation="by luck")
    paper = claims.PaperClaims("s", "a paper", [one, two], [])
    assert claims.count([paper]) == {"reproduced": 1, "partly": 0, "not reproduced": 0, "not testable": 0}
    assert [claims.reason(j.claim) for j in (one, two)] == ["Not foreseen: t1", "Found: by luck"]
    assert claims.reason(judged([False], explanation="x").claim) == "Found: x. Not foreseen: t0"
    assert claims.reason(judged([True]).claim) == ""


def test_the_committed_pages_are_what_is_judged(every: list[claims.PaperClaims]) -> None:
    for name, text in claims.written(every, paths.RESULTS).items():
        assert text == (paths.RESULTS / name).read_text(encoding="utf-8"), name
