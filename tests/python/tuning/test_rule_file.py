"""collscope.tuning.rule_file, collscope.tuning.mpich_file, collscope.tuning.origin, collscope.tuning.deciding: files with rules are read as
those who follow them read them, and checked at few calls, which decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.tuning import deciding, decision_file, mpich_rules, openmpi_rules, rule_file
from collscope.tuning.deciding import NO_END
from collscope.tuning.origin import Origin
from collscope.tuning.rules import OWN, Rule, chosen
from open_mpi import needs_prover

RULES = [
    Rule("bcast", (2, 3), (0, 1000), "bcast/linear"),
    Rule("bcast", (2, 3), (1001, 65536), "bcast/chain[chains=2,s=1024]"),
    Rule("bcast", (4, 5), (0, 65536), OWN),
    Rule("allgather", (3, 5), (0, 99), "allgather/bruck"),
]


MADE = "# @platform=x\n# @platform_hash=0123456789ab\n# @ranks={}\n1\n7\n1\n0 1\n0 1 0 0\n"
OF_MPICH = [
    Rule("bcast", (2, 4), (0, 1000), "bcast/linear"),
    Rule("bcast", (2, 4), (1001, 5000), OWN),
    Rule("bcast", (6, 8), (0, 5000), "bcast/hierarchical_nary[levels=flat,n=3]"),
    Rule("allreduce", (3, 8), (0, 5000), "allreduce/reduce_scatter_allgather"),
    Rule("allreduce", (3, 8), (5001, 9000), "allreduce/linear"),
]
ORIGIN = Origin("schooner[nodes=8]", "0123456789ab", "real", "2..8", "1", "4..1MiB", 0.02)


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
@pytest.mark.parametrize("shares_nodes", [False, True])
def test_mpichs_table_says_what_was_put_into_it(shares_nodes: bool, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(mpich_rules.texts(OF_MPICH, shares_nodes)[mpich_rules.FILE], encoding="utf-8")
    made = rule_file.read(str(tmp_path / "x.json"))
    assert sorted(map(str, made.rules)) == sorted(map(str, OF_MPICH))
    assert (made.target, made.per_node, made.origin) == ("mpich-4.3", None if shares_nodes else 1, None)
    (tmp_path / "x.sh").write_text(mpich_rules.script(tmp_path, shares_nodes, f"of a test\n{ORIGIN}"), encoding="utf-8")
    assert rule_file.read(str(tmp_path / "x.json")).origin == ORIGIN


@needs_prover
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"comm_size<=4"', '"comm_size<=9"', "bcast, comm_size<=5 comes too late"),
        ("Bcast_intra_tree", "Bcast_intra_bush", "bcast, for 2 to 4 ranks: not what a rule of ./collscope tune says"),
        ("Barrier_intra_k_dissemination", "Barrier_intra_smp", "barrier, in comm_type=intra: not what a rule"),
        ('"avg_msg_size<=5000"', '"count<=5000"', "bcast, where total_msg_size is asked: "),
    ],
)
def test_a_table_that_says_something_else_is_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    text = mpich_rules.texts(OF_MPICH, False)[mpich_rules.FILE]
    assert old in text
    (tmp_path / "x.json").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError, match=message):
        rule_file.read(str(tmp_path / "x.json"))


@needs_prover
@pytest.mark.parametrize("of", [ORIGIN, Origin("x", "0123456789ab")])
def test_files_say_how_they_were_made(of: Origin, tmp_path: Path) -> None:
    about = f"of a test\n{of}"
    for text in (
        openmpi_rules.text(RULES, "4.1", about),
        openmpi_rules.text(RULES, "5.0", about),
        decision_file.text(RULES, about),
    ):
        assert rule_file.read(written(tmp_path, text)).origin == of
    assert rule_file.read(written(tmp_path, decision_file.text(RULES, "of a test"))).origin is None


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
def test_rules_that_no_collective_call_can_take_are_left_out(tmp_path: Path) -> None:
    """Those of one rank; of sizes, those that end before they begin."""
    made = rule_file.read(written(tmp_path, "1\n7\n2\n0 1\n0 1 0 0\n2 3\n0 1 0 0\n8 6 0 0\n8 1 0 0\n"))
    assert [(rule.ranks, rule.bytes) for rule in made.rules] == [((2, NO_END), (0, 7)), ((2, NO_END), (8, NO_END))]


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
        ('{"collective": {}}', "nothing is said of bcast: a call of it would end the program"),
        ("{", "not JSON: "),
        ("# @loss=much\n1\n7\n1\n0 1\n0 1 0 0\n", "the lines that begin with # @ were changed"),
        (MADE.format("0..1"), "@ranks=0..1: not as ./collscope tune writes it"),
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
    endless = [Rule("bcast", (2, NO_END), (0, 1), "bcast/linear"), Rule("bcast", (100, NO_END), (2, 3), "bcast/linear")]
    assert deciding.ranks_of(endless, 4096) == [2, 33, 64, 100]
    assert deciding.ranks_of(endless, 4096, [2, 4, 8, 16, 128, 256]) == [2, 8, 128, 256]


def test_a_rule_is_measured_beside_its_neighbours_the_librarys_choice_and_the_best() -> None:
    seconds = {"bcast/linear": 2.0, "bcast/chain[chains=2,s=1024]": 3.0, "bcast/x": 1.0, "bcast/y": 4.0, "bcast/z": 5.0}
    keys = deciding.keys(("bcast", 2, 1000), RULES[0], RULES, "bcast/y", seconds)
    assert keys == ("bcast/linear", "bcast/y", "bcast/x", "bcast/chain[chains=2,s=1024]")
