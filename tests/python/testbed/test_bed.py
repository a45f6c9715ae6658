"""collscope.testbed.bed, collscope.testbed.check: beds that are made, used and taken away again; with --full their rates and latencies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.base.errors import UserError
from collscope.testbed import bed, check
from collscope.testbed.inside import TCP
from collscope.testbed.network import Network, address, hardware_address

SMALL = Network(hosts=3, bits_per_s=20e6)
missing = bed.missing()
pytestmark = pytest.mark.skipif(bool(missing), reason=f"no test bed here: {missing}")


@pytest.fixture(scope="module")
def small() -> Iterator[bed.Bed]:
    """A bed for several tests."""
    with bed.made(SMALL) as made:
        yield made


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams last as long as it takes to see that they are not too fast."""
    monkeypatch.setattr(check, "STREAM_S", 0.2)
    monkeypatch.setattr(check, "LEAD_S", 0.15)


def is_gone(pid: int) -> bool:
    """True once a process has ended; pytest's limit is the only one."""
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.02)
    return True


def output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.full
def test_no_pattern_is_faster_than_the_network_and_nothing_is_lost(small: bed.Bed) -> None:
    findings = {f.what: f for f in check.check(small)}
    assert set(check.patterns(SMALL)) < set(findings)
    for finding in findings.values():
        if finding.unit == "Mbit/s":
            assert 0 < finding.measured <= finding.claimed * (1 + check.WITHIN), finding
        elif finding.unit:
            assert finding.measured >= finding.claimed, finding


def test_the_switch_goes_before_others_where_it_may(small: bed.Bed) -> None:
    children = Path(f"/proc/{small.pid}/task/{small.pid}/children").read_text().split()
    (switch,) = (int(c) for c in children if Path(f"/proc/{c}/comm").read_text().startswith("collscope-switc"))
    assert os.sched_getscheduler(switch) == (os.SCHED_FIFO if small.realtime else os.SCHED_OTHER)


@pytest.mark.full
def test_an_uplink_is_no_faster_than_its_rate() -> None:
    network = Network(hosts=4, bits_per_s=20e6, leaves=2, oversubscription=2)
    with bed.made(network) as made, check.peers(made) as there:
        assert check.rate(there, {0: [2], 1: [3]}) <= network.ceiling_bytes_per_s / 2 * (1 + check.WITHIN)


def test_ranks_are_dealt_out_to_hosts_and_have_the_nic_of_each(small: bed.Bed) -> None:
    where = ["sh", "-c", 'echo "$OMPI_COMM_WORLD_RANK $(hostname) $(ip -4 -o addr show eth0)"']
    lines = sorted(output(small.mpirun(5, where)).split("\n"))[1:]
    assert [line.split()[:2] for line in lines] == [[str(r), f"h{r % 3}"] for r in range(5)]
    assert all(address(int(line.split()[0]) % 3) in line for line in lines)


@pytest.mark.skipif(not programs.PRELOAD.exists(), reason="build/mpi is not made")
def test_ranks_load_what_exec_puts_in_front_and_have_its_choice(
    small: bed.Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLLSCOPE_BCAST", "binomial")
    where = ["sh", "-c", 'echo "$COLLSCOPE_BCAST $LD_PRELOAD"']
    both = f"binomial {programs.IDLE}:{programs.PRELOAD}\n"
    assert output(small.mpirun(3, where, preload=str(programs.PRELOAD))) == both * 3


def test_hosts_know_each_other_and_send_plain_streams(small: bed.Bed) -> None:
    """Fixed neighbours, full packets, no time stamps in TCP, and a queue that keeps its order."""

    def inside(*words: str) -> str:
        return output(small.enter(["ip", "netns", "exec", "h1", *words]))

    neighbours = inside("ip", "neigh", "show", "dev", "eth0").splitlines()
    assert sorted(line.split()[0] for line in neighbours if "PERMANENT" in line) == [address(0), address(2)]
    assert all(f"lladdr {hardware_address(n)} " in "\n".join(neighbours) for n in (0, 2))
    assert "mtu 1500" in inside("ip", "link", "show", "eth0") and "pfifo" in inside(
        "tc", "qdisc", "show", "dev", "eth0"
    )
    settings = inside("sh", "-c", "cd /proc/sys/net/ipv4; cat " + " ".join(TCP))
    assert settings.split() == ["reno", "0", "0", "1"]
    assert f"inet {address(1, control=True)}/24" in inside("ip", "-4", "-o", "addr", "show", "control")


def test_peers_send_echo_and_count_what_tcp_sent_again(small: bed.Bed) -> None:
    requests = {
        0: {"echo": address(1), "times": 5}, 1: {"send": [address(0), address(2)], "bytes": 1000, "at": 0.0}, 2: {"sent_again": True},
    }  # fmt: skip
    with check.peers(small) as there:
        echo, send, again = there.ask(requests).values()
    assert len(list(echo["half_round_trips_s"])) == 5 and float(send["end"]) > 0 and int(again["sent_again"]) >= 0  # type: ignore[call-overload]


def test_a_bed_goes_with_its_block() -> None:
    with bed.made(Network(hosts=2)) as made:
        assert Path(f"/proc/{made.pid}").exists()
    assert is_gone(made.pid)


def test_a_bed_goes_with_its_owner_when_that_is_killed() -> None:
    code = (
        "import sys, time\nfrom collscope.testbed import bed\nfrom collscope.testbed.network import Network\n"
        "with bed.made(Network(hosts=2)) as made:\n    print(made.pid, flush=True)\n    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment()) as owner:
        assert owner.stdout
        inside = int(owner.stdout.readline())
        owner.send_signal(signal.SIGKILL)
    assert is_gone(inside)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(paths.ROOT / "python")}


@pytest.mark.parametrize(
    ("program", "when"), [("mount", ""), ("ip", "link add"), ("ip", "netns add h1"), ("ip", "-batch"), ("tc", "qdisc")]
)
def test_a_step_that_fails_is_named_and_leaves_nothing(
    program: str, when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = subprocess.run(["which", program], capture_output=True, text=True, check=True).stdout.strip()
    fake, log = tmp_path / program, tmp_path / "pids"
    fake.write_text(
        f'#!/bin/sh\ncase "$*" in *"{when}"*) echo $PPID >> {log}; echo no more of it >&2; exit 1;; esac\nexec {real} "$@"\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(UserError, match=f"could not be made: {program}.*no more of it"), bed.made(Network(hosts=2)):
        pass
    assert log.exists()
    assert not [p for p in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path) in read(p)]


def read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


@pytest.mark.full
def test_one_that_stays_does_so_when_its_maker_has_started_other_programs(workplace: Path) -> None:
    """Those are ended with their maker, by a mark in their environment (base/leftovers)."""
    code = (
        "from pathlib import Path\nimport os, sys\nfrom collscope.base import leftovers, paths\nfrom collscope.testbed import bed\n"
        "from collscope.testbed.network import Network\n"
        "paths.CACHE = Path(sys.argv[1])\nleftovers.watch()\nbed.up(Network(hosts=2))\nprint(leftovers._watchdogs[os.getpid()].pid)\n"
    )
    try:
        command = [sys.executable, "-c", code, str(paths.CACHE)]
        watchdog = int(subprocess.run(command, stdout=subprocess.PIPE, env=environment(), check=True).stdout)
        assert is_gone(watchdog) and bed.standing()
    finally:
        assert bed.down()


def test_one_that_stays_is_found_used_and_ended(workplace: Path) -> None:
    assert bed.standing() is None and not bed.down()
    made = bed.up(SMALL)
    try:
        found = bed.standing()
        assert found == made
        with bed.standing_or_made(Network(hosts=2)) as used:
            assert used == made
        with pytest.raises(UserError, match="up already"):
            bed.up(SMALL)
    finally:
        assert bed.down()
    assert is_gone(made.pid) and bed.standing() is None
