"""collscope.tuning.rule_file, collscope.tuning.deciding: files with rules are read as those who follow them read them, and checked at few
calls, which decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.tuning import deciding, decision_file, openmpi_rules, rule_file
from collscope.tuning.rule_file import NO_END
from collscope.tuning.rules import OWN, Rule, chosen
from open_mpi import needs_prover

RULES = [
    Rule("bcast", (2, 3), (0, 1000), "bcast/linear"),
    Rule("bcast", (2, 3), (1001, 65536), "bcast/chain[chains=2,s=1024]"),
    Rule("bcast", (4, 5), (0, 65536), OWN),
    Rule("allgather", (3, 5), (0, 99), "allgather/bruck"),
]


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "rules"
    path.write_text(text, encoding="utf-8")
    return str(path)


@needs_prover
@pytest.mark.parametrize("series", ["4.1", "5.0"])
def test_open_mpis_file_says_what_was_written(series: str, tmp_path: Path) -> None:
    made = rule_file.read(written(tmp_path, openmpi_rules.text(RULES, series, "of a test")))
    assert (made.target, list(made.skipped)) == (f"openmpi-{series}", [])
    for rule in RULES:
        for ranks in rule.ranks:
            for size in rule.bytes:
                found = chosen(made.rules, (rule.collective, ranks, size))
                assert found and found.key == rule.key
    beyond = [chosen(made.rules, call) for call in (("bcast", 2, 65537), ("bcast", 6, 8), ("allgather", 2, 8))]
    assert [rule.key for rule in beyond if rule] == [OWN] * 3


@needs_prover
def test_our_file_says_what_was_written(tmp_path: Path) -> None:
    rules = [*RULES, Rule("bcast", (6, 9), (8, 99), "bcast/binomial[s=0]", per_node=(2, 4))]
    made = rule_file.read(written(tmp_path, decision_file.text(rules, "of a test")))
    assert (made.target, list(made.rules)) == ("collscope", rules)


@needs_prover
def test_rules_without_ends_and_those_that_pass_on_are_read(tmp_path: Path) -> None:
    made = rule_file.read(written(tmp_path, "bcast bytes 8KiB.. linear\nreduce decision/ompi_4_1\n"))
    assert made.rules == [Rule("bcast", (2, NO_END), (8192, NO_END), "bcast/linear")]
    assert made.skipped == ["reduce: decision/ompi_4_1 decides, whose rules are not in this file"]


@needs_prover
def test_numbers_are_read_as_c_reads_them(tmp_path: Path) -> None:
    """010 is 8; an algorithm that is made of others is not checked, and a collective without rules here neither."""
    text = "3\n7\n1\n010 2\n0 1 0 0\n020 6 0 0\n2\n1\n0 1\n0 2 0 0\n9\n1\n0 1\n0 1 0 0\n"
    made = rule_file.read(written(tmp_path, text))
    assert list(made.rules) == [
        Rule("bcast", (8, NO_END), (0, 15), "bcast/linear"),
        Rule("bcast", (8, NO_END), (16, NO_END), "bcast/binomial[s=0]"),
    ]
    assert made.skipped == [
        "allreduce, algorithm 2: not one that can be timed as a rule",
        "collective 9 has no rules here",
    ]


@needs_prover
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no rule; name a file that ./collscope tune or advise wrote"),
        ("# nothing\n", "there is no rule"),
        ("1\n7\n1\n0 2\n0 1 0 0\n", "ends before its last rule; Open MPI would ignore it silently"),
        ("1\n7\n1\n0 1\n0 1 0 0\n5\n", "numbers behind the last rule"),
        ("1\n7\n1\n0 1\n0 1 x 0\n", '"x" where Open MPI has a number'),
        ("1\n7\n1\n0 1\n0 1 08 0\n", '"08" where Open MPI has a number'),
        ("rule-file-version-9\n1\n", "rule-file-version-9: a version that is not known here"),
        ("1\n9\n1\n0 1\n0 1 0 0\n", "no rule that can be checked: collective 9 has no rules here"),
        ('{"collective": {}}', "rules in JSON cannot be checked yet"),
        ("bcast bytes 1.. binomail\n", "did you mean binomial"),
    ],
)
def test_a_file_with_an_error_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UserError) as error:
        rule_file.read(path)
    assert message in str(error.value)


def test_both_sides_of_each_edge_decide() -> None:
    known = [("bcast", p, size) for p in (2, 3, 4) for size in (4, 100, 1000, 1004, 5000, 65536, 70000)]
    found = deciding.calls(RULES, known)
    assert [call[2] for call in found if call[1] == 3] == [4, 1000, 1004, 65536]
    assert all(found[call].covers(call) for call in found)
    assert not any(call[1] == 4 for call in found)  # left to the library


def test_a_rule_is_looked_at_on_its_first_a_middle_and_its_last_number_of_ranks() -> None:
    assert deciding.ranks_of([Rule("bcast", (2, 9), (0, 1), "bcast/linear")], 64) == [2, 5, 9]
    assert deciding.ranks_of([Rule("bcast", (2, NO_END), (0, 1), "bcast/linear")], 8) == [2, 5, 8]
    assert deciding.ranks_of([Rule("bcast", (9, 12), (0, 1), "bcast/linear")], 8) == []


def test_a_rule_is_measured_beside_its_neighbours_the_librarys_choice_and_the_best() -> None:
    seconds = {"bcast/linear": 2.0, "bcast/chain[chains=2,s=1024]": 3.0, "bcast/x": 1.0, "bcast/y": 4.0, "bcast/z": 5.0}
    keys = deciding.keys(("bcast", 2, 1000), RULES[0], RULES, "bcast/y", seconds)
    assert keys == ("bcast/linear", "bcast/y", "bcast/x", "bcast/chain[chains=2,s=1024]")
