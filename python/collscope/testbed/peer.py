"""A program for each host of a test bed that is checked: it sends streams and echoes when it is told to, line by line of JSON.

    {"send": [ADDRESS, …], "bytes": N, "at": T}   N bytes to each at once, from the moment T of the monotonic clock, which all hosts share;
                                                  answers {"end": when the last byte was there}
    {"echo": ADDRESS, "times": N}                 one byte there and back, N times; answers {"half_round_trips_s": […]}
    {"sent_again": true}                          answers {"sent_again": how many segments TCP has sent again}

Standard library only; it starts in a few milliseconds.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time

PORT = 7000
SINK, ECHO = b"s", b"e"


def serve(own: str) -> None:
    """Takes connections for ever: counts a stream to its end and answers when that was, or sends back each byte."""
    listener = socket.create_server((own, PORT), backlog=128)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=take, args=(connection,), daemon=True).start()


def take(connection: socket.socket) -> None:
    """One connection."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection:
        if connection.recv(1) == ECHO:
            while byte := connection.recv(1):
                connection.sendall(byte)
            return
        end = time.monotonic()
        while connection.recv(1 << 16):
            end = time.monotonic()
        connection.sendall(struct.pack("d", end))


def connect(address: str, kind: bytes) -> socket.socket:
    """A connection to another host's `serve`."""
    connection = socket.create_connection((address, PORT), timeout=120)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(kind)
    return connection


def send(addresses: list[str], count: int, at: float) -> float:
    """Streams to all addresses at once; when the last byte of all was there."""
    ends: list[float] = []

    def stream(connection: socket.socket) -> None:
        time.sleep(max(0.0, at - time.monotonic()))
        connection.sendall(bytes(count))
        connection.shutdown(socket.SHUT_WR)
        ends.append(struct.unpack("d", connection.recv(8, socket.MSG_WAITALL))[0])
        connection.close()

    threads = [threading.Thread(target=stream, args=(connect(a, SINK),)) for a in addresses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(ends) < len(addresses):
        raise RuntimeError("a stream ended early")
    return max(ends)


def echo(address: str, times: int) -> list[float]:
    """Half of each round trip of one byte, in seconds."""
    taken = []
    with connect(address, ECHO) as connection:
        for _ in range(times):
            start = time.monotonic()
            connection.sendall(b"x")
            connection.recv(1)
            taken.append((time.monotonic() - start) / 2)
    return taken


def sent_again() -> int:
    """Segments that TCP on this host has sent more than once."""
    with open("/proc/net/snmp", encoding="ascii") as file:
        names, values = (line.split() for line in file if line.startswith("Tcp:"))
    return int(values[names.index("RetransSegs")])


def main() -> None:
    """`python -m collscope.testbed.peer ADDRESS`, the host's own."""
    threading.Thread(target=serve, args=(sys.argv[1],), daemon=True).start()
    for line in sys.stdin:
        request = json.loads(line)
        if "send" in request:
            answer: dict[str, object] = {"end": send(request["send"], request["bytes"], request["at"])}
        elif "echo" in request:
            answer = {"half_round_trips_s": echo(request["echo"], request["times"])}
        else:
            answer = {"sent_again": sent_again()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
