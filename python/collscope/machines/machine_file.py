"""The machine file of `collscope-prove --model`: a machine's numbers and the places of ranks, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from collscope.machines import plain_hosts
from collscope.machines.machine import ROUTED, SMPI_ENVELOPE_BYTES, SPENT_KEYS, UNIFORM, Machine
from collscope.machines.placement import Place, Run, fitted, hosts_in
from collscope.machines.platform import EqualNodes, Platform
from collscope.machines.spec import LINKS, OPTIONAL_LINKS, text_of

PLACE_LINES = ("place", "seats", "nodes")  # the first words of lines that say places


def machine_file(platform: Platform, nodes: int, ranks: int, mapping: str = "block", noise: bool = False) -> str:
    """A line for each number, class and link, then where ranks sit. `noise`: with what is known of it, to be drawn from. UserError: a
    platform without curves or routes."""
    seated = fitted(platform, nodes, ranks, mapping)
    routed = platform.machine.priced_by == ROUTED
    if not routed:
        _ = platform.curve
    lines = [
        "ports fluid",
        f"control {SMPI_ENVELOPE_BYTES}",
        f"gamma {text_of(platform.gamma_s_per_byte)}",
        f"copy {text_of(platform.copy_s_per_byte)}",
        *(_routed_lines(platform, seated) if routed else _machine_lines(platform.machine, noise)),
        *_place_lines(platform, seated),
    ]
    if not routed:
        lines.append(_line("bound", *platform.bound_parameters(nodes)))
    return "\n".join(lines) + "\n"


def _routed_lines(platform: Platform, seated: Sequence[Run]) -> list[str]:
    used = {node for run in seated for node in range(run.first, run.first + run.times)}
    return plain_hosts.machine_lines(platform, sorted(used))


def _line(*words: str | float) -> str:
    return " ".join(word if isinstance(word, str) else text_of(word) for word in words)


def _machine_lines(machine: Machine, noise: bool) -> Iterator[str]:
    uniform = machine.priced_by == UNIFORM
    yield _line("eager", str(machine.eager_bytes))
    yield _line("overhead", machine.overhead_s)
    for level in machine.levels:
        yield _line("level", level.name, level.caches, level.bytes_per_s)
    for pair in machine.socket_links:
        yield _line("mesh", *pair)
    if nic := machine.nic:
        yield _line("nic_socket", nic.socket, nic.sockets, nic.other_s)
    for key, curves in (("class", machine.curve), ("class_nonblocking", machine.curve_nonblocking)):
        for name, pieces in curves.items():
            for p in pieces:
                more = () if uniform else (p.traffic, *(p.gap or ()))
                yield _line(key, name, str(p.start), p.latency_s, p.s_per_byte, *more)
    for name, quantiles_from in machine.noise.items() if noise else ():
        for start, quantiles in quantiles_from:
            yield from (_line("noise", name, str(start), part, s) for part, s in quantiles)
    for key in SPENT_KEYS:
        for name, pieces in getattr(machine, key).items():
            yield from (_line(key, name, str(start), s, per_byte) for start, s, per_byte in pieces)
    yield from _feature_lines(machine)
    if uniform:
        return
    for link in (*LINKS, *OPTIONAL_LINKS):
        if rate := machine.links.get(link):
            yield _line(link, rate)
    if machine.network:
        yield _line("topology", machine.network.text)
        yield from (_line("positions", str(first), str(count)) for first, count in machine.network.runs)


def _feature_lines(machine: Machine) -> Iterator[str]:
    """Lines for what docs/node_model.md explains; none of a machine without such."""
    if machine.eager_nonblocking != machine.eager_bytes:
        yield _line("eager_nonblocking", str(machine.eager_nonblocking))
    if machine.in_order:
        yield "in_order"
    if machine.nic_gap_s:
        yield _line("nic_gap", machine.nic_gap_s)
    if machine.invalidation_s_per_byte:
        yield _line("invalidation", machine.invalidation_s_per_byte, str(max(machine.eager_bytes + 1, 1)))
    if machine.first_touch_s_per_byte and machine.fresh_from_bytes > 0:  # in a hand-written file it may be -1
        yield _line("first_touch", machine.first_touch_s_per_byte, str(machine.fresh_from_bytes))


def _place_lines(platform: Platform, seated: Sequence[Run]) -> list[str]:
    """The places of all ranks. Equal nodes: `seats COUNT SOCKET CACHE` for the ranks of a node, then `nodes TIMES FIRST SOCKETS CACHES`,
    so many nodes on which they sit; SOCKETS, CACHES: of a node. Others: a line per rank."""
    nodes = platform.nodes
    if not isinstance(nodes, EqualNodes):
        return [f"place {r} {h.node} {h.socket} {h.cache}" for r, h in enumerate(hosts_in(platform, seated))]
    made = []
    for run in seated:
        for (socket, cache), cores in groupby(run.cores, key=nodes.place):
            made.append(f"seats {len(list(cores))} {socket} {cache}")
        made.append(f"nodes {run.times} {run.first} {nodes.sockets} {nodes.caches}")
    return made


def places_in(machine: str) -> list[Place]:
    """The place of each rank that a machine file names, whichever way."""
    found: list[Place] = []
    here: list[tuple[int, int]] = []
    for key, *rest in filter(None, map(str.split, machine.splitlines())):
        if key == "place":
            _, node, socket, cache = map(int, rest)
            found.append((node, socket, cache))
        elif key == "seats":
            count, socket, cache = map(int, rest)
            here += [(socket, cache)] * count
        elif key == "nodes":
            times, first, sockets, caches = map(int, rest)
            found += [(n, n * sockets + s, n * caches + c) for n in range(first, first + times) for s, c in here]
            here = []
    return found
