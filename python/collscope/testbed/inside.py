"""The process in which a test bed lives, the first of namespaces of its own: `python -m collscope.testbed.inside NETWORK SWITCH`.

It makes the hosts, starts the switch, says that it is ready in a line of JSON, and waits until its standard input is closed. When it ends,
however it ends, the kernel ends all processes of the bed and takes its namespaces away: nothing else has to be tidied up.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from collscope.testbed.network import CONTROL_GATE, MTU, Network, address, hardware_address, network_of

# What makes TCP a plain stream: acknowledgements may overtake data (no timestamps), windows are open from the start.
TCP = {
    "tcp_congestion_control": "reno",
    "tcp_timestamps": "0",
    "tcp_slow_start_after_idle": "0",
    "tcp_no_metrics_save": "1",
}


def call(*words: str, text: str | None = None) -> None:
    """Runs a program of the system; RuntimeError with what it said where it fails."""
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip() or done.stdout.strip()}")


def make_hosts(network: Network) -> None:
    """A namespace a host, all on a bridge that carries what is not measured."""
    call("mount", "-t", "tmpfs", "none", "/run")
    call("ip", "link", "set", "lo", "up")
    call("ip", "link", "add", "control", "type", "bridge")
    call("ip", "addr", "add", f"{CONTROL_GATE}/24", "dev", "control")
    call("ip", "link", "set", "control", "up")
    for n, name in enumerate(network.names()):
        call("ip", "netns", "add", name)
        call("ip", "link", "add", f"c{n}", "type", "veth", "peer", "name", "control", "netns", name)
        call("ip", "link", "set", f"c{n}", "master", "control", "up")


def start_switch(network: Network, switch: str) -> tuple[subprocess.Popen[str], bool]:
    """(the switch, whether it goes before all other processes). It makes a device eth0 in each host's namespace."""
    words = [switch, "--rate", repr(network.bits_per_s / 8), "--latency", repr(network.latency_s)]
    if network.leaves > 1:
        words += ["--leaves", str(network.leaves), "--uplink", repr(network.uplink_bits_per_s / 8)]
        words += ["--uplink-latency", repr(network.uplink_latency_s)]
    words += [f"/run/netns/{name}" for name in network.names()]
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stderr
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(process.stderr.read().strip())
    return process, bool(json.loads(line)["realtime"])


def address_hosts(network: Network) -> None:
    """Addresses, fixed neighbours (nothing asks for them while something is measured), queues that keep their order."""
    for n, name in enumerate(network.names()):
        lines = [
            "link set lo up",
            f"addr add {address(n, True)}/24 dev control",
            "link set control up",
            f"link set eth0 address {hardware_address(n)} mtu {MTU}",
            f"addr add {address(n)}/24 dev eth0",
            "link set eth0 up",
        ]
        lines += [
            f"neigh replace {address(peer)} lladdr {hardware_address(peer)} dev eth0 nud permanent"
            for peer in range(network.hosts)
            if peer != n
        ]
        call("ip", "-n", name, "-batch", "-", text="\n".join(lines) + "\n")
        call("tc", "-n", name, "qdisc", "replace", "dev", "eth0", "root", "pfifo", "limit", "20000")
        settings = "; ".join(f"echo {value} > /proc/sys/net/ipv4/{key}" for key, value in TCP.items())
        call("ip", "netns", "exec", name, "sh", "-c", settings)


def keep_cores_awake() -> None:
    """A loop of the lowest kind on each core: waking up an idle core takes longer than a small message."""
    loop = "while :; do :; done"
    for _ in os.sched_getaffinity(0):
        subprocess.Popen(["chrt", "-i", "0", "sh", "-c", loop], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> int:
    """Makes the bed and waits."""
    network, switch = network_of(sys.argv[1]), sys.argv[2]
    try:
        make_hosts(network)
        process, realtime = start_switch(network, switch)
        address_hosts(network)
        if realtime:  # without, ranks could not put themselves before these loops
            keep_cores_awake()
    except (OSError, RuntimeError) as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return 1
    print(json.dumps({"realtime": realtime}), flush=True)
    sys.stdin.read()
    process.terminate()
    assert process.stdout
    print(process.stdout.read().strip(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
