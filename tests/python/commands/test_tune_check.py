"""collscope.commands.tune_check, collscope.commands.tune_check_text, collscope.tuning.verdict:
whether the rules of a file are still right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.commands import tune_check, tune_check_text
from collscope.machines import find
from collscope.tuning import decision_file, openmpi_rules, targets
from collscope.tuning.confirm import Contest, Measured
from collscope.tuning.origin import Origin
from collscope.tuning.rule_file import RuleFile
from collscope.tuning.rules import Call, Rule
from collscope.tuning.verdict import Scope, Verdict
from command_line import call
from open_mpi import needs_prover

TUNED = ("tune", "--on", "ideal", "-c", "bcast,allgather", "--ranks", "2,3,4", "--bytes", "64..64KiB", "--loss", "5%")
WRONG = [
    Rule("bcast", (4, 8), (0, 4095), "bcast/binomial[s=0]"),
    Rule("bcast", (4, 8), (4096, 65536), "bcast/linear"),  # the root sends it to each
]
# Than the best, by more than rules may lose and less than the model's error.
SLOWER = Rule("bcast", (8, 8), (65536, 65536), "bcast/knomial_scatter_allgather[k=8]")


@pytest.fixture
def folder(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(workplace)
    return workplace


@needs_prover
@pytest.mark.parametrize(
    ("library", "file"),
    [
        ("openmpi-4.1", "openmpi.conf"),
        ("mpich-4.3", "mpich.json"),
        pytest.param("collscope", "collscope.rules", marks=pytest.mark.full),
    ],
)
def test_rules_are_right_on_the_machine_that_they_were_made_for(
    library: str, file: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, *TUNED, "--for", library, "--out", "out")[0] == 0
    status, out, err = call(capsys, "tune", "--on", "ideal", "--check", f"out/{file}")
    assert status == 0, err
    assert "every rule that was checked is right: it loses at most 5.00% against the best" in out
    assert "2..4 ranks" in out and "does not say how it was made" not in err and "other numbers" not in err
    status, _, err = call(capsys, "tune", "--on", "ideal[alpha=9us]", "--check", f"out/{file}")
    assert f"out/{file} was made for ideal with other numbers than ideal" in err


@needs_prover
def test_a_rule_that_is_not_right_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], golden: Callable[[str, str], None]
) -> None:
    (folder / "x.rules").write_text(decision_file.text(WRONG, "of a test"), encoding="utf-8")
    on = ("tune", "--on", "schooner[nodes=8]", "--ranks-per-node", "1", "--check", "x.rules")
    status, out, err = call(capsys, *on)
    assert status == 1 and "not right; check with the --ranks" in err
    golden("tune_check", out)
    assert call(capsys, *on, "--loss", "100%", "--ranks", "4")[0] == 0


@needs_prover
def test_measured_choices_are_not_called_wrong_by_what_the_model_cannot_tell(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model is off by some percent: there it may prefer another algorithm than the measured times."""
    on = ("tune", "--on", "schooner[nodes=8]", "--check", "x.rules")
    for chosen_by, wrong in (("model", True), ("real", False)):
        about = str(Origin("schooner[nodes=8]", "0" * 12, chosen_by, "8", "1", "64KiB", 0.02))
        (folder / "x.rules").write_text(decision_file.text([SLOWER], about), encoding="utf-8")
        status, out, err = call(capsys, *on)
        assert (status, "10.2%" in out) == (wrong, wrong), out + err
    assert "measurement chose these rules, among what the model cannot tell apart" in err
    assert "by the model only what loses more than 14.6% is wrong" in err


@needs_prover
@pytest.mark.parametrize(("spread", "status"), [(0.1, 1), (3.0, 0)])
def test_measured_times_decide_where_they_are_further_apart_than_they_scatter(
    spread: float,
    status: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The rule takes 2 s and all else 1 s, whatever the model says; its quartiles are `spread` around."""
    (folder / "x.conf").write_text(openmpi_rules.text(WRONG[:1], "4.1", "of a test"), encoding="utf-8")

    def measured(
        contests: Sequence[Contest], tasks: Mapping[Call, object], seconds: object, how: object, left_s: float
    ) -> tuple[dict[Call, dict[str, Measured]], float]:
        assert contests and {contest.call for contest in contests} <= set(tasks)
        found = {}
        for contest in contests:
            assert contest.keys[0] == WRONG[0].key
            found[contest.call] = {key: Measured(1.0, 1.0, 1.0) for key in contest.keys} | {
                WRONG[0].key: Measured(2.0, 2.0 - spread, 2.0 + spread)
            }
        return found, 1.0

    monkeypatch.setattr(tune_check.tune_confirm, "run", measured)
    words = ("tune", "--on", "schooner[nodes=8]", "--ranks-per-node", "1", "--check", "x.conf", "--confirm", "sim")
    found, out, _ = call(capsys, *words)
    assert found == status and "simulated" in out


@needs_prover
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--check", "nowhere"), "nowhere: No such file"),
        (("--check", "x.rules", "--out", "y"), "--check writes nothing and looks at all rules of the file: drop --out"),
        (("--check", "x.rules", "--for", "openmpi-4.1"), "x.rules is for collscope; leave --for out"),
        (("--check", "x.rules", "--ranks", "9"), "no rule speaks of a call that ideal can make"),
        (("--check", "x.rules", "--ranks-per-node", "1,2"), "--check looks at one placement; give one number"),
        (("--check", "x.rules", "--budget", "1s"), "--budget goes with --confirm"),
        (("--for", "collscope"), "--for LIBRARY and --out DIR are needed, or --check FILE"),
    ],
)
def test_bad_input_is_named(
    words: Sequence[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "x.rules").write_text(decision_file.text(WRONG, "of a test"), encoding="utf-8")
    status, _, err = call(capsys, "tune", "--on", "ideal", *words)
    assert status in (1, 2) and message in err


@pytest.mark.parametrize(
    ("typed", "made", "loss"), [("3%", 0.01, 0.03), (None, 0.01, 0.01), (None, 0.0, 0.0), (None, None, 0.02)]
)
def test_a_rule_may_lose_as_much_as_is_typed_or_else_as_its_file_says(
    typed: str | None, made: float | None, loss: float
) -> None:
    """A file that was made without any loss is checked so."""
    names = ("platform", "library", "ranks", "ranks_per_node", "sizes", "confirm", "budget", "launcher", "hosts")
    request = tune_check.request("x", dict.fromkeys(names) | {"loss": typed}, {"loss"} if typed else ())
    assert tune_check.scope_of(request, RuleFile("collscope", WRONG, [], Origin("a", "b", loss=made))).loss == loss


def test_rules_are_checked_on_as_many_ranks_as_fill_the_nodes_in_this_placement() -> None:
    platform, rule = find.load("schooner[nodes=8]"), replace(WRONG[0], ranks=(4, 1 << 20))
    for each, ranks in ((1, [4, 6, 8]), (2, [4, 10, 16])):
        layouts = tune_check._layouts(Scope(None, each, [4], 0.02, "model"), [rule], None, platform, None)
        assert [(at.ranks, at.nodes) for at in layouts] == [(p, p // each) for p in ranks]


def test_a_placement_belongs_to_the_rules_between_whose_ends_it_lies() -> None:
    """And to those that speak of any."""
    rules = [replace(WRONG[0], per_node=each) for each in ((1, 4), (2, 2), None, (8, 8))]
    for each, groups in ((2, [(1, 4), (2, 2), None]), (4, [(1, 4), None]), (8, [None, (8, 8)]), (16, [None])):
        assert tune_check._groups(Scope(None, each, [4], 0.02, "model"), rules) == groups


@needs_prover
@pytest.mark.parametrize(
    ("name", "bytes", "checked"),
    [
        ("bcast", (1024, 1500), {1024}),
        ("bcast", (2048, 8192), {4096}),
        ("allgather", (512, 2048), {4096 // 4}),  # four ranks' blocks
        ("bcast", (131072, 262144), set()),
    ],
)
def test_a_rule_that_holds_none_of_the_sizes_is_checked_in_its_middle(
    name: str, bytes: tuple[int, int], checked: set[int]
) -> None:
    rules, scope = [Rule(name, (4, 4), bytes, f"{name}/linear")], Scope((4,), 1, [1024, 65536], 0.02, "model")
    layouts = tune_check._layouts(scope, rules, None, find.load("schooner[nodes=8]"), None)
    _, of = tune_check._tasks(scope, rules, targets.find("openmpi-4.1"), layouts)
    assert {call[2] for call in of} == checked


@needs_prover
def test_a_placement_is_measured_within_what_others_left_of_the_budget(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = [replace(WRONG[0], per_node=(each, each)) for each in (1, 2)]
    (folder / "x.rules").write_text(decision_file.text(rules, "of a test"), encoding="utf-8")
    left: list[float] = []
    monkeypatch.setattr(tune_check.tune_confirm, "run", lambda *given: left.append(given[-1]) or ({}, 50.0))
    words = ("--confirm", "sim", "--budget", "3min", "--ranks", "4", "--bytes", "1KiB")
    call(capsys, "tune", "--on", "schooner[nodes=8]", "--check", "x.rules", *words)
    assert left == [180.0, 130.0]


def test_rules_that_lose_most_are_named_first_and_those_without_a_time_before_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    verdicts = [Verdict(SLOWER, ("bcast", 8, 64), loss, "bcast/x", "model", 0.02, True) for loss in (0.1, None, 0.5)]
    found = RuleFile("collscope", [SLOWER], [])
    tune_check_text.show("t", "x.rules", Scope(None, None, [64], 0.02, "model"), found, verdicts, None)
    out = capsys.readouterr().out
    assert out.index("no time") < out.index("50.0%") < out.index("10.0%")
