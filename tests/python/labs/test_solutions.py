"""collscope.labs.lab, collscope.labs.check, collscope.labs.quantities, collscope.labs.words, collscope.labs.play, collscope.labs.timing,
collscope.labs.rules, collscope.labs.prediction:
a reference solution gets all points, a common mistake the message that names it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collscope.labs import lab as labs
from collscope.labs.check import check
from collscope.labs.formats import reasons
from collscope.labs.lab import Mistake
from lab_folders import solution, with_mistake, words_of
from open_mpi import needs_prover

QUICK = {  # the others take some half a second of processor time each, or much more: ./collscope test --full
    "broadcast": (
        "binomial_power_of_two",
        "flat_root_zero",
        "binomial_is_flat",
        "calls_the_catalogue",
        "ratio_upside_down",
    ),
    "allgather": ("ring_deadlocks", "ring_forgets_its_own"),
    "reduction": ("doubling_order", "halving_even_blocks"),
    "pipelining": ("receives_then_sends",),
    "nodes": ("ranks_of_a_node_are_neighbours",),
    "calibration": ("one_line",),
    "decision": ("misspelt", "gap"),
    "challenge": ("whole_vectors",),
    "latency": ("both_send_first", "one_line_for_all"),
}
ALL = [(name, mistake) for name in labs.names() for mistake in labs.load(name).mistakes()]


def cases(quick: bool) -> list[object]:
    """The mistakes that are tried always, or those that are tried with --full."""
    return [pytest.param(n, m, id=f"{n}-{m.name}") for n, m in ALL if (m.name in QUICK.get(n, ())) == quick]


def judged(name: str, mistake: Mistake, folder: Path) -> str:
    """What is message of the task in which the mistake is."""
    lab = labs.load(name)
    with_mistake(lab, mistake, folder)
    only = replace(lab, file=lab.file.model_copy(update={"task": [t for t in lab.file.task if t.name == mistake.task]}))
    return words_of(check(folder, only, with_hidden=mistake.hidden), mistake.task)


def is_named(name: str, mistake: Mistake, folder: Path) -> None:
    """The message holds the words that help."""
    message = judged(name, mistake, folder)
    for part in mistake.message:
        assert part in message, f"{mistake.what}: {message}"


@needs_prover
@pytest.mark.parametrize(("name", "mistake"), cases(quick=True))
def test_a_common_mistake_is_named(name: str, mistake: Mistake, tmp_path: Path) -> None:
    is_named(name, mistake, tmp_path / "student")


@needs_prover
@pytest.mark.full
@pytest.mark.parametrize(("name", "mistake"), cases(quick=False))
def test_every_other_common_mistake_is_named(name: str, mistake: Mistake, tmp_path: Path) -> None:
    is_named(name, mistake, tmp_path / "student")


def test_there_are_forty_mistakes_and_each_is_in_the_guide() -> None:
    """The instructor's guide names each by its words."""
    from collscope.base import paths

    guide = (paths.ROOT / "docs" / "labs.md").read_text(encoding="utf-8")
    assert len(ALL) >= 40
    for name, mistake in ALL:
        assert f"| {name} | {mistake.task} | {mistake.what} |" in guide, f"{name}: {mistake.name}"


@needs_prover
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=[] if n in ("broadcast", "reduction", "latency") else [pytest.mark.full])
        for n in labs.names()
    ],
)
def test_a_solution_has_all_points_also_in_the_hidden_cases(name: str, tmp_path: Path) -> None:
    lab = labs.load(name)
    report = check(solution(lab, tmp_path / "student"), lab, with_hidden=True)
    assert report.earned == report.points, [reasons(graded) for graded in report.tasks]


@needs_prover
@pytest.mark.full
@pytest.mark.parametrize("name", labs.names())
def test_a_skeleton_compiles_and_has_no_points(name: str, tmp_path: Path) -> None:
    """It is a beginning that says what is missing, not a compiler's message."""
    from collscope.labs.start import start

    lab = labs.load(name)
    start(lab, tmp_path / "student")
    report = check(tmp_path / "student", lab)
    message = " ".join(reasons(graded) for graded in report.tasks)
    assert report.earned == 0 and "compile" not in message and "linked" not in message, message


@pytest.mark.parametrize("name", labs.names())
def test_a_handout_has_what_its_lab_asks_for(name: str) -> None:
    """Every expectation and answer is named in it, its figures are those that the lab draws, and no line of a block is too wide."""
    import re

    lab = labs.load(name)
    text = (lab.folder / "handout.md").read_text(encoding="utf-8")
    for task in lab.file.task:
        for question in [*task.expect, *task.answer]:
            assert f"`{question.name}" in text, question.name
    assert set(re.findall(r"!\[[^]]*\]\(([^)]+)\)", text)) == {figure.file for figure in lab.file.figure}
    blocks = re.findall(r"^```\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert all(len(line) <= 80 for block in blocks for line in block.splitlines())
    assert f"{lab.points} points" in text and f"{lab.file.minutes} minutes" in text
    assert set(re.findall(r"`(\d+) of (\d+) points`", text)) <= {(str(lab.points), str(lab.points))}
    if headings := re.findall(r"^## .*\(([^)]*points[^)]*)\)$", text, re.MULTILINE):
        assert sum(map(int, re.findall(r"\d+", " ".join(headings)))) + 1 == lab.points, "1 is for what one expects"
    for task in lab.file.task:
        for question in task.expect:
            numbered = re.match(r"Task \d+:", question.question)
            assert not numbered or f"## {numbered[0]}" in text, question.question
    assert "**What do you expect?**" in text


@needs_prover
def test_the_figures_of_lab_3_show_that_segments_are_faster() -> None:
    """Of one vector, as its text has it: the whole first, then its segments."""
    from collscope.commands import show

    figures = labs.load("pipelining").file.figure
    requests = [show.Request(algo=one.algorithm, ranks=one.ranks, sizes=one.bytes) for one in figures]
    whole, segments = (show.read_traces(request)[0][0] for request in requests)
    assert [one.file for one in figures] == ["whole.svg", "segments.svg"] and whole.count == segments.count
    assert segments.time_s < 0.7 * whole.time_s


@needs_prover
def test_the_handout_of_lab_2_shows_what_the_check_prints(tmp_path: Path) -> None:
    """Of the loop that ends one rank too early, line by line."""
    import re

    lab = labs.load("broadcast")
    text = (lab.folder / "handout.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```text\n(bcast/my_flat on 2 ranks.*?)```", text, re.DOTALL)
    (mistake,) = [m for m in lab.mistakes() if m.name == "flat_ends_early"]
    only = replace(lab, file=lab.file.model_copy(update={"task": [t for t in lab.file.task if t.name == "flat"]}))
    report = check(with_mistake(lab, mistake, tmp_path / "student"), only)
    assert "\n".join(report.tasks[0].parts[0].faults) == shown.rstrip("\n")


@needs_prover
def test_a_calibration_of_the_files_of_lab_7_predicts(tmp_path: Path) -> None:
    """As a student does it: begin, calibrate, check."""
    from collscope.commands import cli
    from collscope.labs.start import start

    lab, folder = labs.load("calibration"), tmp_path / "lab7"
    start(lab, folder)
    files = [word for at in ("network", "node", "socket") for word in ("--from", f"{at}={folder}/lat_{at}.txt")]
    shape = ["--shape", "nodes=16,sockets=2,cores_per_socket=8"]
    cli.main(["calibrate", "--name", "mine", *shape, *files, "--out", str(folder / "machine.toml")])
    only = replace(lab, file=lab.file.model_copy(update={"task": [t for t in lab.file.task if t.predict]}))
    report = check(folder, only, with_hidden=True)
    assert report.earned == report.points == 6, [reasons(graded) for graded in report.tasks]


def commands(handout: str) -> list[str]:
    """The calls of `show`, `run`, `prove`, `explain` and `list` in the handout of a lab, a line that ends with a backslash and the next
    as one; those on a test bed are left out."""
    import re

    text = (labs.load(handout).folder / "handout.md").read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    calls = re.findall(r"^\$ \./collscope ((?:show|run|prove|list) .*)$", "".join(blocks), re.MULTILINE)
    return [" ".join(call.split()) for call in calls if "--launcher testbed" not in call]


@needs_prover
@pytest.mark.parametrize(
    "command",
    [  # a comparison by model takes some seconds, and says how sure it is: ./collscope test --full
        pytest.param(call, marks=[pytest.mark.full] if call.startswith("run") else [], id=f"{name}: {call}")
        for name in labs.names()
        for call in commands(name)
    ],
)
def test_a_command_of_a_handout_works(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a student types it."""
    import shlex

    from collscope.commands import cli

    (tmp_path / "labs").symlink_to(labs.FOLDER)  # some name a machine of the labs, others the student's folder
    for name in labs.names():
        (tmp_path / f"lab{labs.load(name).file.number}").symlink_to(labs.FOLDER / name / "solution")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        cli.main(shlex.split(command))
    assert not end.value.code and capsys.readouterr().out


@pytest.mark.parametrize("name", labs.names())
def test_a_handout_has_commands(name: str) -> None:
    """That the test above finds."""
    assert any(call.startswith("run") for call in commands(name))
