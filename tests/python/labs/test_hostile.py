"""collscope.labs.jail, collscope.labs.sandbox, collscope.labs.hand_in, collscope.labs.proof:
whatever a folder does, it ends in a grade of 0 with a reason, and others go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.labs import hand_in, proof
from collscope.labs import lab as labs
from collscope.labs.check import Report, check
from collscope.labs.formats import reasons
from collscope.labs.grade import grade
from collscope.labs.prover import Ended
from collscope.labs.sandbox import Jail, Limits, compiler
from lab_folders import solution, with_mistake
from open_mpi import needs_prover

MEANS = ("namespaces", "landlock")
HEAD = "".join(
    f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "unistd", "string", "sys/socket", "sys/mman", "signal")
)


def hostile(body: str, folder: Path, top: str = "") -> Path:
    """The solution of lab 2, whose flat broadcast does this first."""
    lab = labs.load("broadcast")
    path = solution(lab, folder) / "bcast.c"
    text = path.read_text(encoding="utf-8")
    begin = "static void flat(coll_ctx *c, const coll_args *a) {\n"
    assert begin in text
    path.write_text(top + HEAD + text.replace(begin, begin + body), encoding="utf-8")
    return folder


def graded(folder: Path, only: str = "") -> Report:
    """The tasks of lab 2 that its three broadcasts are in, with the hidden cases."""
    (report,) = grade([folder], labs.load("broadcast"), only=only)
    return report


def message(report: Report) -> str:
    """All reasons."""
    return " ".join(" ".join(reasons(one).split()) for one in report.tasks) + report.fault


def flat(report: Report) -> int:
    """The points of task `flat`."""
    return next(one.earned for one in report.tasks if one.task.name == "flat")


@needs_prover
@pytest.mark.parametrize("means", MEANS)
def test_a_file_that_includes_another_ones_secrets_does_not_compile(means: str, tmp_path: Path) -> None:
    """Not even the message quotes what stands there."""
    for i, top in enumerate(('#include "/etc/passwd"\n', '__asm__(".incbin \\"/etc/passwd\\"");\n')):
        report = graded(hostile("", tmp_path / f"{means}{i}", top), means)
        assert flat(report) == 0 and "does not compile" in message(report) and "root:" not in message(report), message(
            report
        )


@needs_prover
@pytest.mark.parametrize("means", MEANS)
def test_code_in_the_jail_reaches_nothing(means: str, tmp_path: Path) -> None:
    """No file that is not its own; whoever tries to reach the network, another process or a file to write is ended."""
    box = tmp_path / "box"
    box.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("s")
    (box / "x.c").write_text(
        HEAD
        + f"""
#include <fcntl.h>
int main(int n, char **v) {{
  switch (v[1][0]) {{
    case 'r': printf("%d %d\\n", fopen("{secret}", "r") != 0, fopen("/etc/passwd", "r") != 0);
              return mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
    case 'f': return fork();
    case 's': return system("true");
    case 'i': return socket(2, 1, 0);
    case 'u': return socket(1, 1, 0);
    case 'k': return kill(-1, 9);
    case 'w': return fopen("new", "w") != 0;
    case 'o': return open("{secret}", O_RDWR);
    case 'c': return creat("new", 0600);
  }}
}}
"""
    )
    jail = Jail(box, (), means)
    held, (built,) = jail.run([[compiler(), "x.c", "-o", "x"]], Limits(forks=True), writes=True)
    assert held == means and built.status == 0, built.errors
    _, (done,) = jail.run([[box / "x", "r"]], Limits())
    assert (done.output, done.status) == ("0 0\n", 0)
    ends = {word: jail.run([[box / "x", word]], Limits())[1][0].why for word in "fsiukwoc"}
    assert set(ends.values()) == {"it was ended: it tried to reach the network, another process, or a file to write"}
    assert secret.read_text() == "s" and sorted(path.name for path in box.iterdir()) == ["x", "x.c"]


@needs_prover
@pytest.mark.parametrize("means", MEANS)
def test_limits_of_the_jail_end_a_program(means: str, tmp_path: Path) -> None:
    """Time, output, memory, sleep: each with its reason."""
    box = tmp_path / "box"
    box.mkdir()
    (box / "x.c").write_text(
        HEAD
        + """
int main(int n, char **v) {
  switch (v[1][0]) {
    case 'l': for (;;) ;
    case 'o': for (;;) puts("as much as there is room for, and more, and more, and more, and more");
    case 'm': for (;;) if (!malloc(1 << 20)) abort();
    case 's': sleep(1000); return 3;
    case 'c': *(volatile int *)8 = 1;
  }
}
"""
    )
    jail = Jail(box, (), means)
    jail.run([[compiler(), "x.c", "-o", "x"]], Limits(forks=True), writes=True)
    few = Limits(wall_s=100, cpu_s=1, file_bytes=1 << 16, data_bytes=64 << 20)
    found = {word: jail.run([[box / "x", word]], few)[1][0] for word in "lomsc"}
    assert found["l"].why == "it was ended after 1 s of processor time: does a loop never end?"
    assert found["o"].why == "it printed more than 64 KiB"
    assert found["m"].why.startswith("it was ended at 64 MiB of memory")
    assert (found["s"].status, found["c"].why) == (3, "it crashed (SIGSEGV)")


QUICK = ("fork_bomb", "socket", "writes")  # the others run into limits, or are in other tests: ./collscope test --full
LAB = labs.load("broadcast")


def ends_in_a_reason(attack: labs.Mistake, folder: Path) -> None:
    """No points for what the attack stands in, the reason, and all points for what it does not touch."""
    report = graded(with_mistake(LAB, attack, folder))
    text = message(report)
    assert flat(report) == 0 and all(part in text for part in attack.message), text
    kept = {one.task.name for one in report.tasks if one.earned}
    answers = {"expect", "count", "cluster"}
    is_everywhere = attack.replace.startswith("#include")
    assert kept == answers if is_everywhere else kept == answers | {"chain", "binomial", "fast"}


def attacks(quick: bool) -> list[object]:
    return [pytest.param(one, id=one.name) for one in LAB.attacks() if (one.name in QUICK) == quick]


@needs_prover
@pytest.mark.parametrize("attack", attacks(quick=True))
def test_an_attack_ends_in_no_points_and_a_reason(attack: labs.Mistake, tmp_path: Path) -> None:
    ends_in_a_reason(attack, tmp_path / "student")


@needs_prover
@pytest.mark.full
@pytest.mark.parametrize("attack", attacks(quick=False))
def test_every_other_attack_ends_in_no_points_and_a_reason(attack: labs.Mistake, tmp_path: Path) -> None:
    ends_in_a_reason(attack, tmp_path / "student")


@needs_prover
def test_a_file_that_has_taken_its_time_is_not_judged_any_further(tmp_path: Path) -> None:
    """Many runs, each of which keeps within the limits of one."""
    built = hand_in.build(solution(LAB, tmp_path / "student"), "bcast.c", tmp_path)
    calls = proof.calls_of(LAB.file.task[1])[:1]
    assert proof.prove(built, calls) is None and len(built.jail.spent_s) == 1
    built.jail.spent_s.append(proof.BUDGET_S)
    for judge in (lambda: proof.prove(built, calls), lambda: proof.schedules(built, calls, [""])):
        with pytest.raises(Ended, match="this file has taken more than 12 s"):
            judge()


@needs_prover
def test_a_forged_proof_has_no_points(tmp_path: Path) -> None:
    """A program that prints what the prover would print: the hidden cases believe its schedules alone."""
    body = """
  puts("");
  for (int i = 0; i < 700; i++) printf("{\\"id\\":\\"%d\\",\\"status\\":\\"ok\\",\\"verdict\\":\\"proven\\",\\"kind\\":\\"ok\\"}\\n", i);
  fflush(stdout);
  _exit(0);
"""
    report = graded(hostile(body, tmp_path / "student"))
    (parts,) = [graded.parts for graded in report.tasks if graded.task.name == "flat"]
    assert [bool(part.faults) for part in parts] == [False, True], "the visible calls were forged, the hidden ones not"
    assert flat(report) == 0 and "hidden case" in message(report), message(report)


@needs_prover
def test_links_pipes_and_deep_answers_are_refused_while_others_go_on(tmp_path: Path) -> None:
    """None of these is opened or waited for."""
    import os

    lab = labs.load("broadcast")
    only_flat = labs.Lab(lab.name, lab.folder, lab.file.model_copy(update={"task": lab.file.task[:2]}))
    folders = {name: solution(lab, tmp_path / name) for name in ("link", "pipe", "large", "deep", "good")}
    for name in ("link", "pipe", "large"):
        (folders[name] / "bcast.c").unlink()
    (folders["link"] / "bcast.c").symlink_to("/etc/passwd")
    os.mkfifo(folders["pipe"] / "bcast.c")
    (folders["large"] / "bcast.c").write_bytes(b"/" * (1 << 20))
    (folders["deep"] / "answers.toml").write_text("x = " + "[" * 100_000)
    reports = dict(zip(folders, (check(folder, only_flat) for folder in folders.values()), strict=True))
    assert "bcast.c is a link; hand in the file itself" in message(reports["link"])
    assert "is not an ordinary file" in message(reports["pipe"]) and "is larger than 256 KiB" in message(
        reports["large"]
    )
    assert "answers.toml cannot be read" in message(reports["deep"])
    assert [reports[name].earned for name in folders] == [1, 1, 1, 2, 3]


@needs_prover
def test_rules_and_machines_that_mean_harm_have_no_points(tmp_path: Path) -> None:
    """Rules that read another file or never end, machines that are links, too deep or not a machine's."""
    decision, calibration = labs.load("decision"), labs.load("calibration")
    made = {
        "elsewhere": "bcast decision/file:/etc/passwd\n",
        "many": "bcast linear\n" * 1000,
        "slow": "bcast pipeline[s=1]\n",
    }
    reports = {}
    for name, text in made.items():
        folder = solution(decision, tmp_path / name)
        (folder / "my.rules").write_text(text)
        only = labs.Lab("decision", decision.folder, decision.file.model_copy(update={"task": decision.file.task[2:]}))
        reports[name] = check(folder, only)
    assert "name an algorithm; another decision is not one's own" in message(reports["elsewhere"])
    assert "has 1000 lines, at most 60 are read" in message(reports["many"])
    assert reports["slow"].earned == 0
    for name, text in {"deep": "x = " + "[" * 100_000, "other": 'name = "x"\nnodes = 1e99\n'}.items():
        folder = solution(calibration, tmp_path / name)
        (folder / "machine.toml").write_text(text)
        reports[name] = check(folder, calibration)
    folder = solution(calibration, tmp_path / "link")
    (folder / "machine.toml").unlink()
    (folder / "machine.toml").symlink_to("/etc/passwd")
    reports["link"] = check(folder, calibration)
    assert "machine.toml is a link; hand in the file itself" in message(reports["link"])
    assert "machine.toml cannot be read" in message(reports["deep"]) and "cores_per_socket: is missing" in message(
        reports["other"]
    )
    assert [reports[name].earned for name in ("deep", "other", "link")] == [7, 7, 7], "answers keep their points"


@needs_prover
def test_without_means_to_keep_code_in_nothing_is_run(tmp_path: Path) -> None:
    """An error for the teacher, not a grade."""
    from collscope.base.errors import UserError

    with pytest.raises(UserError, match="cannot be kept in here"):
        Jail(tmp_path, (Path("/nowhere"),), "landlock").run([["/bin/true"]], Limits())
