"""collscope.catalogue.decision_files: decisions from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.catalogue import decision_files, decisions, registry
from collscope.catalogue.keys import Key
from collscope.points.plan import Point

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")

RULES = """\
bcast bytes 0..8KiB binomial            # both ends belong to it
bcast ranks_per_node 4.. bytes 8KiB.. scatter_ring
bcast ranks 2..16 bytes 8KiB.. chain[chains=2,s=64KiB]
allreduce decision/ompi_5_0
allgather builtin
"""


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A decision in a file of the working folder."""
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "my.rules").write_text(RULES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "decision/file:some/my.rules"


def test_a_key_with_a_path_is_a_decision() -> None:
    key = Key.parse("decision/file:/a/b/builtin")
    assert (key.owner, key.name, key.is_decision, key.is_builtin) == ("decision", "file:/a/b/builtin", True, False)
    assert decisions.library_name("decision/file:/a/b/my.rules") == "my.rules"


@needs_prover
def test_the_first_rule_that_fits_decides(rules: str) -> None:
    def takes(collective: str, ranks: int, count: int, per_node: int = 1) -> str:
        line = decisions.ask(collective, ranks, count, 1, decisions=[rules], per_node=per_node)[0]
        assert line["decision"] == rules
        return decisions.taken(line)

    assert takes("bcast", 8, 8192) == "bcast/binomial[s=0]"
    assert takes("bcast", 8, 8193) == "bcast/chain[chains=2,s=65536]"
    assert takes("bcast", 8, 8193, per_node=4) == "bcast/scatter_ring"
    assert takes("bcast", 3, 8193, per_node=4) == "bcast/chain[chains=2,s=65536]"
    assert takes("bcast", 17, 8193) == "nothing: no rule"
    assert takes("allgather", 4, 100) == "allgather/builtin"
    library = decisions.ask("allreduce", 12, 4096, 4, decisions=["decision/ompi_5_0"])[0]["chose"]
    assert decisions.ask("allreduce", 12, 4096, 4, decisions=[rules])[0]["chose"] == library


@needs_prover
def test_a_file_serves_the_collectives_of_its_rules(rules: str, known: registry.Registry) -> None:
    assert known.resolve(rules, "bcast") == ("bcast", rules)
    assert known.decision(rules).collectives == ("bcast", "allreduce", "allgather")


@needs_prover
def test_a_wrong_line_is_named(rules: str, known: registry.Registry) -> None:
    Path("some/my.rules").write_text("bcast binomial\nbcast bytes 4.. binomail\n", encoding="utf-8")
    with pytest.raises(
        UserError, match=r'^some/my\.rules:2: unknown algorithm "bcast/binomail"; did you mean binomial\?'
    ):
        known.resolve(rules, "bcast")
    for key, message in (
        ("decision/file:nowhere", "there is no such file"),
        ("decision/file:some/a b", "there is no such file"),
        ("decision/file:", "there is no such file"),
    ):
        with pytest.raises(UserError, match=message):
            known.resolve(key, "bcast")
    Path("some/a#b").write_text(RULES, encoding="utf-8")
    with pytest.raises(UserError, match="the path has blanks, one of #"):
        known.resolve("decision/file:some/a#b", "bcast")


@needs_prover
def test_a_cache_finds_a_file_by_its_text(rules: str) -> None:
    point = Point("bcast", rules, 100, metric=f"osu_avg[barrier={rules}]")
    before = point.identity()
    assert "my.rules" not in before and str(Path.cwd()) in point.text() and point.text().count(str(Path.cwd())) == 2
    Path("some/my.rules").rename("other.rules")
    assert (
        Point("bcast", "decision/file:other.rules", 100, metric="osu_avg[barrier=decision/file:other.rules]").identity()
        == before
    )
    Path("some/my.rules").write_text(RULES + "bcast builtin\n", encoding="utf-8")
    assert point.identity() != before
    assert Point("bcast", "bcast/mst", 100).text() == decision_files.placed(Point("bcast", "bcast/mst", 100).text())
