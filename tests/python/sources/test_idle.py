"""collscope.sources.idle: from counters of processors to what is busy, on this machine and on hosts."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.sources import idle
from collscope.sources.idle import Busy
from collscope.sources.launcher import LOCAL, Launcher

# user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice
BEFORE = [100, 10, 20, 1000, 50, 1, 2, 5, 60, 0]


def later(**ticks: int) -> list[int]:
    names = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice")
    return [old + ticks.get(name, 0) for old, name in zip(BEFORE, names, strict=True)]


def test_busy_is_what_is_neither_idle_nor_waiting_for_a_disk() -> None:
    """Two cores, 200 ticks; a guest's time is the user's already."""
    after = later(user=60, nice=10, system=20, irq=1, softirq=1, steal=28, idle=50, iowait=30, guest=60)
    assert idle.of_counters("n1", 2, BEFORE, after) == Busy("n1", 2, pytest.approx(1.2), pytest.approx(0.28))
    assert idle.of_counters("n1", 2, BEFORE, BEFORE).busy == 0, "no tick has passed"
    old = idle.of_counters("n1", 4, BEFORE[:7], later(user=50, idle=150)[:7])
    assert old == Busy("n1", 4, 1.0), "a kernel that does not count what a hypervisor takes"


def test_a_machine_that_does_less_than_a_tenth_of_a_core_is_idle() -> None:
    assert [Busy("", 64, busy).is_idle for busy in (0.0, 0.1, 0.11)] == [True, True, False]


def test_a_busy_machine_names_its_programs_and_their_cores() -> None:
    busy = Busy("", 2, 1.96, 0.2, (("cc1", 1.3), ("python", 0.4), ("sh", 0.04)))
    assert busy.text == "2.0 of 2 cores busy (cc1 1.3, python 0.4, other virtual machines 0.2)"
    assert Busy("", 1, 0.3).text == "0.3 of 1 core busy"
    many = Busy("", 4, 4.0, 0.0, tuple((name, 1.0) for name in "abcd"))
    assert many.text == "4.0 of 4 cores busy (a 1.0, b 1.0, c 1.0)"


# Number → name, ticks of user and system, the scheduler's policy.
Processes = dict[int, tuple[str, int, int, int]]


@pytest.fixture
def second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Processes, Processes], None]:
    """Sets what two cores' counters have before and after a second in which 150 of 200 ticks are busy."""

    def counters(ticks: Sequence[int], processes: Processes) -> None:
        (tmp_path / "stat").write_text(f"cpu  {' '.join(map(str, ticks))}\ncpu0 1 2 3\n")
        for number, (name, user, system, policy) in processes.items():
            (tmp_path / f"{number}").mkdir(exist_ok=True)
            line = f"{number} ({name}) R {' '.join(['0'] * 10)} {user} {system} 7 7 {' '.join(['0'] * 23)} {policy} 0\n"
            (tmp_path / f"{number}" / "stat").write_text(line)

    def passes(before: Processes, after: Processes) -> None:
        def sleep(seconds: float) -> None:
            assert seconds == 1.0
            counters(later(user=150, idle=50), after)

        counters(BEFORE, before)
        monkeypatch.setattr(idle, "PROC", tmp_path)
        monkeypatch.setattr(idle.time, "sleep", sleep)
        monkeypatch.setattr(idle.os, "cpu_count", lambda: 2)

    return passes


def test_programs_of_this_machine_share_what_they_used(
    tmp_path: Path, second: Callable[[Processes, Processes], None]
) -> None:
    """Two processes of one name count together; one that was not there before has all its ticks from the second."""
    second(
        {1: ("a (b) c", 40, 30, 0), 2: ("cc1", 5, 5, 0)},
        {1: ("a (b) c", 60, 40, 0), 2: ("cc1", 70, 10, 0), 3: ("cc1", 20, 0, 0)},
    )
    (tmp_path / "99").mkdir()  # has ended: its file is gone
    (found,) = idle.of_hosts(LOCAL, 1)
    assert (found.busy, found.programs) == (1.5, (("cc1", 0.9), ("a (b) c", 0.3)))


@pytest.mark.parametrize(
    ("kind", "busy", "busiest"), [("testbed", 0.5, (("cc1", 0.5),)), ("mpirun", 1.5, (("sh", 1.0), ("cc1", 0.5)))]
)
def test_loops_that_keep_the_cores_of_a_test_bed_awake_do_not_count(
    second: Callable[[Processes, Processes], None], kind: str, busy: float, busiest: tuple[tuple[str, float], ...]
) -> None:
    """They run where nobody else wants to; on a machine that is measured itself they count."""
    second({1: ("sh", 10, 0, 5), 2: ("cc1", 5, 5, 0)}, {1: ("sh", 110, 0, 5), 2: ("cc1", 50, 10, 0)})
    (found,) = idle.of_hosts(Launcher(kind), 1)
    assert (found.busy, found.programs) == (busy, busiest)


class Hosts(Launcher):
    def command(
        self, program: Sequence[str | Path], ranks: int, nodes: int = 1, mapping: str = "block"
    ) -> list[str | Path]:
        return [f"{ranks} on {nodes}", *program]


def test_hosts_answer_for_themselves_and_those_that_are_busy_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = {"n1": later(user=100, idle=100), "n2": later(idle=200), "n3": later(steal=40, idle=160)}
    text = "Warning: hello\n" + "".join(
        f"{host} 2 cpu {' '.join(map(str, BEFORE))} cpu {' '.join(map(str, after))}\n" for host, after in lines.items()
    )
    calls: list[Sequence[object]] = []

    def answer(words: Sequence[object], **_: object) -> subprocess.CompletedProcess[str]:
        calls.append(words)
        return subprocess.CompletedProcess([], 0, text, "")

    monkeypatch.setattr(programs, "answer", answer)
    hosts = Hosts(hosts=("n1", "n2", "n3"))
    assert idle.remark(hosts, 3) == "n1 1.0 of 2 cores busy; n3 0.4 of 2 cores busy (other virtual machines 0.4)"
    assert calls == [["3 on 3", "sh", "-c", idle.ASK]]
    assert "not idle: n1 1.0 of 2 cores busy; n3" in capsys.readouterr().err
    lines.pop("n1"), lines.pop("n3")
    text = "n2 64 cpu 1 1 1 100 1 1 1 1 cpu 1 1 1 300 1 1 1 1\n"
    assert idle.remark(hosts, 1) == "idle" and not capsys.readouterr().err
    text = "sh: not found\n"
    assert idle.remark(hosts, 1) == "not known: the hosts did not answer"


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="needs /proc/stat")
def test_the_shell_prints_what_is_read() -> None:
    (found,) = idle.answers(subprocess.run(["sh", "-c", idle.ASK], capture_output=True, text=True, check=True).stdout)
    assert 0 <= found.busy <= found.cores and found.host
