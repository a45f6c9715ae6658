"""collscope.testbed.inside, collscope.testbed.peer, collscope.testbed.bed: launches, and peers that talk over this machine's loopback."""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from collscope.testbed import bed, inside, peer
from collscope.testbed.network import Network


def test_a_program_that_fails_is_reported_with_its_message() -> None:
    inside.call("sh", "-c", "grep -q words", text="some words")
    for script, printed in (("echo out; echo err >&2; exit 1", "err"), ("echo out; exit 1", "out")):
        with pytest.raises(RuntimeError) as error:
            inside.call("sh", "-c", script)
        assert str(error.value) == f"sh -c {script}: {printed}"


# ---- launches ------------------------------------------------------------------------------------------------


def test_ranks_start_through_an_agent_with_what_the_bed_and_its_user_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user's namespaces, eager limits that no message reaches, and a priority below the switch's."""

    def words(user: int, realtime: bool, own_limits: bool) -> str:
        monkeypatch.setattr(os, "geteuid", lambda: user)
        there = bed.Bed(Network(hosts=3, own_limits=own_limits), 77, realtime, tmp_path)
        return " ".join(there.mpirun(4, ["p", Path("x")], 2, "ppr:2:node"))

    root, other = words(0, False, True), words(7, True, False)
    assert root.startswith("nsenter --target 77 --net") and "--allow-run-as-root" in root and root.endswith(".so p x")
    assert other.startswith("nsenter --target 77 --user") and "as-root" not in other and other.endswith("chrt -f 2 p x")
    assert "--host h0:4,h1:4 --map-by ppr:2:node" in root and f"plm_rsh_agent {tmp_path}/agent.sh" in root
    assert "limit" not in root and all(f"btl_tcp_{name} 2097152" in other for name in ("eager_limit", "max_send_size"))
    assert (tmp_path / "agent.sh").read_text() == bed.AGENT and os.access(tmp_path / "agent.sh", os.X_OK)


def test_a_switch_starts_with_bytes_per_second_and_the_latency_of_hosts_and_of_leaves(tmp_path: Path) -> None:
    switch = tmp_path / "switch"
    switch.write_text(f'#!/bin/sh\necho "$*" > {tmp_path}/words\necho \'{{"realtime": true}}\'\n')
    switch.chmod(0o755)

    def words(network: Network) -> str:
        process, realtime = inside.start_switch(network, str(switch))
        with process:
            assert realtime
        return (tmp_path / "words").read_text().strip()

    alone = "--rate 1000000.0 --latency 0.001 "
    leaves = "--leaves 2 --uplink 500000.0 --uplink-latency 0.0002 "
    hosts = "/run/netns/h0 /run/netns/h1"
    assert words(Network(2, 8e6, 1e-3)) == alone + hosts
    assert words(Network(2, 8e6, 1e-3, 2, 2.0, 2e-4)) == alone + leaves + hosts


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


def test_a_stream_is_answered_with_the_time_of_its_end(serving: str) -> None:
    """Eight bytes, when the stream has ended; nothing before."""
    with peer.connect(serving, peer.SINK) as connection:
        connection.sendall(bytes(70_000))
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(None)
        (end,) = struct.unpack("d", connection.recv(8, socket.MSG_WAITALL))
        assert end <= time.monotonic() and connection.recv(1) == b""
