"""collscope.sources.launch: one launch of a program that prints the driver's lines: what is handed over, and how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.sources import launch
from collscope.sources.launch import Children, Interrupted, Report
from collscope.sources.outcome import Outcome, overlaps

REP = '{"id":"%s","rep":0,"min_s":1,"mean_s":2,"max_s":3,"root_s":2}'
FOR_EVER = "exec('import time\\nwhile True: time.sleep(60)')"
DONE = '{"id":"%s","done":true,"kind":"%s","status":"%s"}'


def run(folder: Path, program: str, ids: str, **options: float) -> tuple[Report, dict[str, Outcome]]:
    """Runs Python lines in place of a launcher."""
    made: dict[str, Outcome] = {}
    command = [sys.executable, "-ISuc", program]
    return launch.run(command, list(ids), made.__setitem__, children=Children(), folder=folder, **options), made  # type: ignore[arg-type]


def lines(*texts: str) -> str:
    """A program that prints these."""
    return f"print({chr(10).join(texts)!r})"


def test_points_are_handed_over_and_strange_lines_are_not(tmp_path: Path) -> None:
    printed = ['{"meta":{"library":"MPICH 4.0.2"}}', "hello", "{broken", REP % "a", DONE % ("x", "ok", "ok")]
    report, made = run(tmp_path, lines(*printed, DONE % ("a", "ok", "ok"), DONE % ("b", "unsupported", "odd")), "ab")
    assert made["a"] == Outcome("ok", "ok", [[1.0, 2.0, 3.0, 2.0]], back_end="MPICH 4.0.2")
    assert made["b"] == Outcome("unsupported", "odd", back_end="MPICH 4.0.2")
    assert (report.status, report.unfinished, report.reason) == (0, [], "")


def test_a_call_that_takes_no_time_has_nothing_available_and_no_overlap(tmp_path: Path) -> None:
    rep = '{"id":"a","rep":%d,"min_s":%g,"mean_s":%g,"max_s":%g,"root_s":0,"pure_s":%g,"work_s":%g,"available":%s}'
    _, made = run(tmp_path, lines(rep % (0, 0, 0, 0, 0, 0, "null"), DONE % ("a", "ok", "ok")), "a")
    assert overlaps([made["a"].reps], "overlap[wait,calls]") == {"pure_s": 0, "work_s": 0}
    _, made = run(tmp_path, lines(rep % (0, 4, 4, 4, 2, 3, "0.75"), DONE % ("a", "ok", "ok")), "a")
    expected = {"pure_s": 2, "work_s": 3, "overlap": 0.5, "available": 0.75}
    assert overlaps([made["a"].reps], "overlap[wait,calls]") == expected


def test_a_point_that_died_gives_the_last_line_of_standard_error(tmp_path: Path) -> None:
    program = "import sys; sys.stderr.write('[0.1] [xbt/INFO] all fine\\n[0.2] [s4u/CRITICAL] Deadlock detected\\n')"
    _, made = run(tmp_path, f"{program}; sys.stderr.flush(); {lines(DONE % ('a', 'died', 'ended by signal 6'))}", "a")
    assert (made["a"].kind, made["a"].status) == (
        "died",
        "simulation failed: deadlock: ranks wait for what never comes",
    )
    program = f"import sys; sys.stderr.write('fail 1\\nfail {'x' * 400}\\n')"
    _, made = run(tmp_path, f"{program}; sys.stderr.flush(); {lines(DONE % ('a', 'died', 'ended by signal 6'))}", "a")
    assert made["a"].status == f"simulation failed: fail {'x' * 295}"
    _, made = run(tmp_path, lines(DONE % ("a", "died", "ended by signal 6")), "a")
    assert made["a"].status == "simulation failed: ended by signal 6"


def test_a_launch_that_breaks_names_what_is_left_and_why(tmp_path: Path) -> None:
    program = f"import sys; {lines(REP % 'a', DONE % ('a', 'ok', 'ok'))}; sys.exit('error: no room')"
    report, made = run(tmp_path, program, "abc")
    assert list(made) == ["a"]
    assert (report.status, report.unfinished, report.reason) == (1, ["b", "c"], "error: no room")
    report, _ = run(tmp_path, "import os; os.kill(os.getpid(), 9)", "a")
    assert report.reason == "ended by signal 9"


def test_silence_ends_a_launch(tmp_path: Path) -> None:
    report, _ = run(tmp_path, FOR_EVER, "a", silence_s=0.1)
    assert report.silent and report.status == -signal.SIGTERM
    assert "a deadlock?" in report.reason


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no_such_launcher: not found"):
        launch.run(["no_such_launcher"], [], print, children=Children(), folder=tmp_path)


def test_ranks_that_do_not_find_each_other_end_the_launch(tmp_path: Path) -> None:
    program = f'print(\'{{"meta":{{"ranks":1}}}}\'); {FOR_EVER}'
    with pytest.raises(UserError) as error:
        run(tmp_path, program, "a", ranks=4)
    assert str(error.value) == (
        "4 ranks were started, and the driver finds 1: launcher and MPI library do not know each other; take the library's own "
        "mpirun, or with Slurm set SLURM_MPI_TYPE=pmix (srun --mpi=list names what there is)"
    )


def test_a_program_that_has_ended_is_not_ended_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number may be another program's by then."""
    children = Children()
    launch.run([sys.executable, "-c", ""], [], print, children=children, folder=tmp_path)
    monkeypatch.setattr(launch, "end_group", lambda process: pytest.fail("ended again"))
    children.stop()


def test_after_a_stop_nothing_starts(tmp_path: Path) -> None:
    children = Children()
    children.stop()
    with pytest.raises(Interrupted):
        launch.run([sys.executable, "-c", ""], [], print, children=children, folder=tmp_path)


def test_each_time_has_its_place_and_who_waits_hears_each_beginning(tmp_path: Path) -> None:
    """Least, mean, largest, the root's; lines about points that are closed or strange count for nothing; every line is kept."""
    rep = '{"id":"%s","rep":0,"min_s":%d,"mean_s":%d,"max_s":%d,"root_s":%d}'
    printed = [
        '{"meta":{"back_end":"smpi"}}', rep % ("a", 1, 2, 5, 4), rep % ("a", 3, 6, 9, 7), '{"id":"a","trace":[1]}',
        DONE % ("a", "ok", "ok"), rep % ("a", 0, 0, 0, 0), '["id"]', DONE % ("b", "ok", "ok"),
    ]  # fmt: skip
    began: list[str] = []
    with open(tmp_path / "raw", "wb") as raw:
        report, made = run(tmp_path, lines(*printed), "abc", on_start=began.append, raw=raw)  # type: ignore[arg-type]
    assert made["a"] == Outcome("ok", "ok", [[1, 2, 5, 4], [3, 6, 9, 7]], back_end="smpi")
    assert (made["b"].kind, made["b"].status) == ("failed", "the driver gave no repetition")
    assert (began, report.unfinished, report.reason) == (["a", "b", "c"], ["c"], "it ended early")
    assert report.traces == [{"id": "a", "trace": [1]}]
    assert (tmp_path / "raw").read_text().splitlines() == printed


@pytest.mark.parametrize(
    ("errors", "status", "reason"),
    [
        (["one", "two", "three"], 0, "one; two"),  # none is telling
        (["one", "Error 1", "[h:1] [xbt/X] cannot 2", "fail 3"], 0, "Error 1; cannot 2"),
        (["same fault", "", "same fault", "abort"], 0, "same fault; abort"),
        (["error " + "x" * 500], 0, "error " + "x" * 394),
        ([], 3, "exit status 3"),
    ],
)
def test_the_end_of_a_launch_is_explained_in_few_words(
    tmp_path: Path, errors: list[str], status: int, reason: str
) -> None:
    program = f"import sys; {lines(chr(123) + chr(34) + 'meta' + chr(34) + ':{}}')}; sys.stderr.write({chr(10).join(errors)!r})"
    report, _ = run(tmp_path, f"{program}; sys.exit({status})", "a")
    assert (report.reason, report.status) == (reason, status)


def test_only_a_program_that_did_not_start_is_explained(tmp_path: Path) -> None:
    def explain(errors: str) -> str:
        return f"explained: {errors.strip()}" if "word" in errors else ""

    program = "import sys; sys.stderr.write('a word'); sys.exit(2)"
    assert run(tmp_path, program, "a", explain=explain)[0].reason == "explained: a word"  # type: ignore[arg-type]
    started = 'print(\'{"meta":{"library":"x"}}\'); ' + program
    assert run(tmp_path, started, "a", explain=explain)[0].reason == "a word"  # type: ignore[arg-type]
    assert run(tmp_path, program.replace("word", "sigh"), "a", explain=explain)[0].reason == "a sigh"  # type: ignore[arg-type]


def test_a_point_over_its_limit_ends_the_launch_and_its_clock_starts_with_it(tmp_path: Path) -> None:
    """Three points that take longer together, each within its own time; the fourth goes on. The program waits until each is taken."""
    taken = "".join(
        f"print({DONE % (name, 'unsupported', 'x')!r})\nwhile not os.path.exists('{name}'): pass\n" for name in "abc"
    )
    program = f'import os\nprint(\'{{"meta":{{"library":"x"}}}}\')\n{taken}{FOR_EVER}'
    now, made = [0.0], list[str]()

    def take(name: str, outcome: Outcome) -> None:
        made.append(name)
        (tmp_path / name).touch()

    def begin(name: str) -> None:
        now[0] += 1.0 if name != "d" else 1.3

    command = [sys.executable, "-ISuc", program]
    report = launch.run(
        command, list("abcd"), take, children=Children(), folder=tmp_path, limit_s=1.2, on_start=begin, clock=lambda: now[0]
    )  # fmt: skip
    assert (made, report.unfinished, report.over_limit_s, report.silent) == (["a", "b", "c"], ["d"], 1.2, False)
    assert report.status == -signal.SIGTERM


def test_a_launch_runs_in_its_folder_with_what_is_added_to_the_environment(tmp_path: Path) -> None:
    (tmp_path / "here").touch()
    done = DONE % ("a", "unsupported", "%s %s %s")
    program = f"import os; print({done!r} % (os.environ['ADDED'], 'PATH' in os.environ, os.listdir('.').count('here')))"
    _, made = run(tmp_path, program, "a", env={"ADDED": "x"})  # type: ignore[arg-type]
    assert made["a"].status == "x True 1"


STAYS = """
import os, signal, sys, time
here, there = os.pipe()
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(there, b"x")
    time.sleep(60)
os.read(here, 1)
print("both are there", flush=True)
time.sleep(60)
"""


def test_a_child_that_stays_when_its_parent_ends_is_made_to_end() -> None:
    command = [sys.executable, "-c", STAYS]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout and process.stdout.readline()
    launch.end_group(process)
    assert process.returncode == -signal.SIGTERM
    assert process.stdout.read() == b""  # ends when nobody can write any more
