"""collscope.testbed.inside:
what makes a bed, and what its hosts do when it is checked: commands that are noted, and peers that talk over this machine's loopback."""

from __future__ import annotations

import io
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from collscope.base import programs
from collscope.testbed import bed, inside, peer
from collscope.testbed.network import Network

Called = list[tuple[str, str | None]]
TWO = Network(hosts=2, bits_per_s=20e6, latency_s=1e-3)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Called:
    """Programs of the system, and what each is given to read."""
    commands: Called = []
    monkeypatch.setattr(inside, "call", lambda *words, text=None: commands.append((" ".join(words), text)))
    return commands


def test_hosts_are_namespaces_on_a_bridge(called: Called) -> None:
    inside.make_hosts(TWO)
    assert [words for words, _ in called] == [
        "mount -t tmpfs none /run",
        "ip link set lo up",
        "ip link add control type bridge",
        "ip addr add 10.9.0.254/24 dev control",
        "ip link set control up",
        "ip netns add h0",
        "ip link add c0 type veth peer name control netns h0",
        "ip link set c0 master control up",
        "ip netns add h1",
        "ip link add c1 type veth peer name control netns h1",
        "ip link set c1 master control up",
    ]
    assert {text for _, text in called} == {None}


def test_hosts_know_each_other_and_keep_their_order(called: Called) -> None:
    inside.address_hosts(TWO)
    assert called[0] == (
        "ip -n h0 -batch -",
        "link set lo up\n"
        "addr add 10.9.0.1/24 dev control\n"
        "link set control up\n"
        "link set eth0 address 02:00:00:00:00:00 mtu 1500\n"
        "addr add 10.8.0.1/24 dev eth0\n"
        "link set eth0 up\n"
        "neigh replace 10.8.0.2 lladdr 02:00:00:00:00:01 dev eth0 nud permanent\n",
    )
    settings = (
        "echo reno > /proc/sys/net/ipv4/tcp_congestion_control; echo 0 > /proc/sys/net/ipv4/tcp_timestamps; "
        "echo 0 > /proc/sys/net/ipv4/tcp_slow_start_after_idle; echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save"
    )
    assert called[1:3] == [
        ("tc -n h0 qdisc replace dev eth0 root pfifo limit 20000", None),
        (f"ip netns exec h0 sh -c {settings}", None),
    ]
    assert [words for words, _ in called[3:]] == [words.replace(" h0", " h1") for words, _ in called[:3]]
    assert (called[3][1] or "").endswith("neigh replace 10.8.0.1 lladdr 02:00:00:00:00:00 dev eth0 nud permanent\n")


class Program:
    """A program that prints this."""

    def __init__(self, printed: str, errors: str = "") -> None:
        self.stdout, self.stderr, self.ended = io.StringIO(printed), io.StringIO(errors), False

    def terminate(self) -> None:
        self.ended = True


def test_the_switch_is_told_what_it_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    switch = Program('{"realtime": true}\n')
    reported: list[dict[str, Any]] = []
    monkeypatch.setattr(
        inside.subprocess, "Popen", lambda words, **how: started.append(words) or reported.append(how) or switch
    )
    assert inside.start_switch(TWO, "switch") == (switch, True)
    hosts = ["/run/netns/h0", "/run/netns/h1"]
    first = ["switch", "--rate", "2500000.0", "--latency", "0.001"]
    assert started == [[*first, *hosts]]
    pipe = subprocess.PIPE
    assert reported == [{"stdin": subprocess.DEVNULL, "stdout": pipe, "stderr": pipe, "text": True}]
    switch = Program('{"realtime": false}\n')
    leaves = Network(hosts=2, bits_per_s=20e6, latency_s=1e-3, leaves=2, oversubscription=4, uplink_latency_s=0.5)
    assert inside.start_switch(leaves, "switch") == (switch, False)
    assert started[1] == [*first, "--leaves", "2", "--uplink", "625000.0", "--uplink-latency", "0.5", *hosts]
    switch = Program('{"realtime": false}\n')
    inside.start_switch(Network(leaves=2), "switch")
    assert started[2][started[2].index("--uplink-latency") + 1] == "0.0"
    switch = Program("", " no tun \n")
    with pytest.raises(RuntimeError, match="^no tun$"):
        inside.start_switch(TWO, "switch")


def test_a_core_without_work_has_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(inside.subprocess, "Popen", lambda words, **_: started.append(words))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3})
    inside.keep_cores_awake()
    assert started == [["chrt", "-i", "0", "sh", "-c", "while :; do :; done"]] * 2


def test_a_program_that_fails_is_told_with_its_words() -> None:
    inside.call("sh", "-c", "grep -q words", text="some words")
    for script, printed in (("echo out; echo err >&2; exit 1", "err"), ("echo out; exit 1", "out")):
        with pytest.raises(RuntimeError) as error:
            inside.call("sh", "-c", script)
        assert str(error.value) == f"sh -c {script}: {printed}"


@pytest.mark.parametrize("realtime", [False, True])
def test_the_first_process_says_that_it_is_ready_and_waits(
    realtime: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[object] = []
    switch = Program(" 3 packets \n")
    monkeypatch.setattr(sys, "argv", ["inside", TWO.text(), "switch"])
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(read=lambda: done.append("waited")))
    monkeypatch.setattr(inside, "make_hosts", lambda network: done.append(network))
    monkeypatch.setattr(inside, "start_switch", lambda network, name: done.append(name) or (switch, realtime))
    monkeypatch.setattr(inside, "address_hosts", lambda network: done.append(network.hosts))
    monkeypatch.setattr(inside, "keep_cores_awake", lambda: done.append("awake"))
    assert inside.main() == 0
    assert done == [TWO, "switch", 2, *(["awake"] if realtime else []), "waited"]
    assert capsys.readouterr().out == f'{{"realtime": {json.dumps(realtime)}}}\n3 packets\n' and switch.ended

    def fail(_: Network) -> None:
        raise RuntimeError("ip: no")

    monkeypatch.setattr(inside, "make_hosts", fail)
    assert inside.main() == 1 and capsys.readouterr().out == '{"error": "ip: no"}\n'


# ---- launches ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("user", "realtime", "own"), [(0, False, True), (7, True, False)])
def test_every_word_that_starts_ranks(
    user: int, realtime: bool, own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    there = bed.Bed(Network(hosts=3, own_limits=own), 77, realtime, tmp_path)
    agent = tmp_path / "agent.sh"
    settings = [
        ("pml", "ob1"), ("btl", "tcp,self"), ("btl_tcp_if_include", "10.8.0.0/24"), ("oob_tcp_if_include", "10.9.0.0/24"),
        ("mpi_yield_when_idle", "1"), ("plm_rsh_agent", str(agent)), ("plm_rsh_no_tree_spawn", "1"), ("orte_tmpdir_base", str(tmp_path)),
    ]  # fmt: skip
    if not own:
        eager = ("btl_tcp_eager_limit", "btl_tcp_rndv_eager_limit", "btl_tcp_max_send_size")
        settings += [(name, "2097152") for name in eager]
    assert there.mpirun(4, ["p", Path("x")], 2, "ppr:2:node") == [
        *("nsenter", "--target", "77", *(["--user", "--preserve-credentials"] if user else []), "--net", "--mount", "--pid", "--"),
        *("mpirun", *(["--allow-run-as-root"] if not user else []), "--host", "h0:4,h1:4", "--map-by", "ppr:2:node"),
        *("--bind-to", "none", "-np", "4", "-wdir", str(Path.cwd())),
        *(word for pair in settings for word in ("--mca", *pair)),
        *("-x", f"LD_PRELOAD={programs.IDLE}", *(["chrt", "-f", "2"] if realtime else []), "p", "x"),
    ]  # fmt: skip
    assert agent.read_text() == bed.AGENT and os.access(agent, os.X_OK)
    agent.write_text("kept")
    assert there.mpirun(4, ["p"])[there.mpirun(4, ["p"]).index("--host") + 1 :][:3] == [
        "h0:4,h1:4,h2:4",
        "--map-by",
        "node",
    ]
    assert agent.read_text() == "kept"
    assert there.enter(["p"], "h1")[-5:] == ["ip", "netns", "exec", "h1", "p"]
    spaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    assert bed._spaces() == ["unshare", *(["--user", "--map-root-user"] if user else []), *spaces]


# ---- peers ---------------------------------------------------------------------------------------------------


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a peer that serves, in this process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setattr(peer, "PORT", port)
    threading.Thread(target=peer.serve, args=("127.0.0.1",), daemon=True).start()
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(peer.ECHO + b"x")
                assert connection.recv(1) == b"x"
        except OSError:
            continue
        return "127.0.0.1"
    pytest.fail("nobody serves")


def test_a_stream_ends_when_its_last_byte_is_there(serving: str) -> None:
    before = time.monotonic()
    at = before + 0.05
    assert at <= peer.send([serving, serving], 1 << 18, at) <= time.monotonic()
    assert before <= peer.send([serving], 1, before - 5) <= time.monotonic(), "what should have begun begins at once"


def test_an_echo_takes_half_of_its_round_trip(serving: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as slow:
        clock = iter([1.0, 3.0, 4.0, 4.5])
        slow.setattr(peer, "time", SimpleNamespace(monotonic=lambda: next(clock)))
        assert peer.echo(serving, 2) == [1.0, 0.25]
    with peer.connect(serving, peer.ECHO) as connection:
        connection.settimeout(None)  # with a limit it would hand out what is there
        connection.sendall(b"abc")
        assert connection.recv(3, socket.MSG_WAITALL) == b"abc"
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_stream_that_breaks_off_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def sendall(self, data: bytes) -> None: ...

        def shutdown(self, how: int) -> None: ...

        def recv(self, size: int, flags: int) -> bytes:
            return b""

    monkeypatch.setattr(peer, "connect", lambda *_: Broken())
    with pytest.raises(RuntimeError, match="^a stream ended early$"):
        peer.send(["a"], 1, 0.0)


def test_a_peer_answers_line_by_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    calls: list[Any] = []
    lines = [{"send": ["a"], "bytes": 3, "at": 2.5}, {"echo": "b", "times": 4}, {"sent_again": True}]
    monkeypatch.setattr(sys, "argv", ["peer", "10.8.0.1"])
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{json.dumps(line)}\n" for line in lines)))
    monkeypatch.setattr(peer, "serve", calls.append)
    monkeypatch.setattr(peer, "send", lambda *words: calls.append(words) or 7.5)
    monkeypatch.setattr(peer, "echo", lambda *words: calls.append(words) or [0.5])
    table = "Ip: A\nIp: 1\nTcp: InSegs RetransSegs OutRsts\nTcp: 9 12 3\nUdp: RetransSegs\nUdp: 5\n"
    monkeypatch.setattr(peer, "open", lambda *_, **__: io.StringIO(table), raising=False)
    peer.main()
    assert sorted(calls, key=str) == sorted(["10.8.0.1", (["a"], 3, 2.5), ("b", 4)], key=str)
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert answers == [{"end": 7.5}, {"half_round_trips_s": [0.5]}, {"sent_again": 12}]


def test_a_stream_is_answered_with_the_time_of_its_end(serving: str) -> None:
    """Eight bytes, when the stream has ended; nothing before."""
    with peer.connect(serving, peer.SINK) as connection:
        connection.sendall(bytes(70_000))
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(None)
        (end,) = struct.unpack("d", connection.recv(8, socket.MSG_WAITALL))
        assert end <= time.monotonic() and connection.recv(1) == b""
