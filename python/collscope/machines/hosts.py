"""Where ranks sit: the host of each, their places, and the machine file of the prover's model."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from collscope.base.errors import UsageError, UserError
from collscope.base.units import counted
from collscope.machines import mappings, seats, topology
from collscope.machines.platform import EqualNodes, Platform
from collscope.machines.plausible import too_large
from collscope.machines.seats import Place
from collscope.machines.spec import LINKS, OPTIONAL_LINKS, text_of

SMPI_ENVELOPE_BYTES = 16  # what SMPI adds to each message


def fit_nodes(platform: Platform, ranks: int, mapping: str = "block") -> int:
    """As many nodes as the ranks fill, or as the mapping's file names; all nodes where the machine has too few."""
    if path := mappings.file_of(mapping):
        return mappings.used_nodes(mappings.file_runs(path, platform, ranks))
    nodes = -(-ranks // platform.cores_per_node)
    return nodes if platform.grows else min(nodes, platform.max_nodes)


@lru_cache
def grown(platform: Platform, nodes: int) -> Platform:
    """The platform with so many nodes where it has fewer and grows (`ideal` without a number of nodes), else itself."""
    if not platform.grows or nodes <= platform.max_nodes or too_large(nodes, platform.cores_per_node):
        return platform
    assert isinstance(platform.nodes, EqualNodes)
    return replace(platform, nodes=replace(platform.nodes, total=nodes))


def _check(platform: Platform, nodes: int, ranks: int) -> None:
    """UsageError: the ranks do not fit, with what would do; every command it gives works."""
    if ranks < 1 or nodes < 1:
        raise UsageError(f"{platform.name}: {nodes} nodes and {ranks} ranks; both must be 1 or more")
    cores = platform.cores_per_node
    needed = nodes if platform.oversubscribes else max(nodes, -(-ranks // cores))
    if nodes > platform.max_nodes:
        occupied = min(needed, ranks)  # no node is empty
        more = _hint(platform, nodes, occupied)
        if occupied < nodes and (fewer := min(occupied, platform.max_nodes)) * cores >= ranks:
            more = f"; {ranks} ranks: use --nodes {fewer}"
        raise UsageError(f"{platform.name} has {counted(platform.max_nodes, 'node')}; {nodes} were asked for{more}")
    if needed > nodes:
        if needed <= platform.max_nodes:
            help_text = f"; use {needed} nodes or more"
        else:
            help_text = f"; it has {platform.max_nodes * cores} cores in all{_hint(platform, nodes, needed)}"
        raise UsageError(
            f"{platform.name} has {counted(cores, 'core')} a node; {ranks} ranks do not fit on {counted(nodes, 'node')} "
            f"({nodes * cores}){help_text}"
        )
    if nodes > 1 and platform.lacks_network:
        raise UserError(
            f"{platform.asked or platform.xml}: there is no curve for messages between nodes, and {nodes} nodes were asked for; "
            "add network = [[0, latency_s, s_per_byte], …] to its [curve] (osu_latency between two nodes prints them), or use 1 node"
        )


def _hint(platform: Platform, nodes: int, needed: int) -> str:
    """What to type for a machine of `needed` nodes, where there can be one; `nodes` were asked for."""
    base, _, old = platform.asked.partition("[")
    if not base:
        return ""
    if problem := too_large(needed, platform.cores_per_node):
        return f"; {problem}"
    kept = [p for p in old.rstrip("]").split(",") if p and p.partition("=")[0].strip() != "nodes"]
    text = f"; say --on '{base}[{','.join([*kept, f'nodes={needed}'])}]'"
    return text if needed == nodes else f"{text} --nodes {needed}"


def fitted(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> list[seats.Run]:
    """Where the ranks sit, as runs. UsageError: they do not fit, or there is no such mapping."""
    _check(platform, nodes, ranks)
    return mappings.runs(platform, nodes, ranks, mapping)


def hosts_of(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> list[str]:
    """The host of each rank. block: an even share a node, consecutive ranks together; cyclic: rank r on node r mod nodes; both spread
    a node's ranks evenly over its sockets, consecutive ranks on a socket. packed: as block, but core after core of a
    node. fill: core after core, node after node.
    core, socket, node: as mpirun --map-by. file:PATH: as the file says. UsageError: the ranks do not fit."""
    return [h.name for h in seats.hosts(platform, fitted(platform, nodes, ranks, mapping))]


def places(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> list[Place]:
    """(node, socket, cache) of each rank; each number is unique over the whole machine."""
    return [(h.node, h.socket, h.cache) for h in seats.hosts(platform, fitted(platform, nodes, ranks, mapping))]


def elements_lines(platform: Platform) -> list[str]:
    """Lines of the machine file for what docs/node_model.md explains; none of a machine without such."""
    lines = []
    if platform.eager_bytes_nonblocking != platform.eager_bytes:
        lines.append(f"eager_nonblocking {platform.eager_bytes_nonblocking}")
    if "collscope.in_order" in platform.properties:
        lines.append("in_order")
    if gap := platform.number("nic_gap_s"):
        lines.append(f"nic_gap {text_of(gap)}")
    touch, fresh = platform.number("first_touch_s_per_byte"), int(platform.number("fresh_from_bytes"))
    if touch and fresh > 0:  # in a platform's file it may be what an eager limit may be, -1
        lines.append(f"first_touch {text_of(touch)} {fresh}")
    return lines


def machine_file(platform: Platform, nodes: int, ranks: int, mapping: str = "block", noise: bool = False) -> str:
    """The machine file of `collscope-prove --model`: a line for each number, class and link, then where ranks sit. `noise`: with what is
    known of it, to be drawn from. UserError: a platform without curves."""
    uniform = platform.curves == "uniform"
    lines = [
        "ports fluid",
        f"control {SMPI_ENVELOPE_BYTES}",
        f"gamma {text_of(platform.gamma_s_per_byte)}",
        f"copy {text_of(platform.copy_s_per_byte)}",
        f"eager {platform.eager_bytes}",
        f"overhead {text_of(platform.overhead_s)}",
    ]
    inside = platform.inside
    lines += [f"level {unit.name} {unit.caches} {text_of(unit.bytes_per_s)}" for unit in inside.levels]
    lines += [f"mesh {a} {b}" for a, b in inside.mesh]
    if nic := inside.nic:
        lines.append(f"nic_socket {nic.socket} {nic.sockets} {text_of(nic.other_s)}")
    for key, curves in (("class", platform.wire), ("class_nonblocking", platform.wire_nonblocking)):
        for level, pieces in curves.items():
            for p in pieces:
                more = "" if uniform else " ".join(["", *map(text_of, (p.traffic, *(p.gap or ())))])
                lines.append(f"{key} {level} {p.start} {text_of(p.latency_s)} {text_of(p.s_per_byte)}{more}")
    for level, noises in platform.noise.items() if noise else ():
        for start, quantiles in noises:
            lines += [f"noise {level} {start} {text_of(part)} {text_of(s)}" for part, s in quantiles]
    for level, spent in platform.receive_gap.items():
        lines += [f"receive_gap {level} {start} {text_of(s)} {text_of(per_byte)}" for start, s, per_byte in spent]
    lines += elements_lines(platform)
    if not uniform:
        for link in (*LINKS, *OPTIONAL_LINKS):
            if rate := platform.number(f"{link}_bytes_per_s"):
                lines.append(f"{link} {text_of(rate)}")
        lines += topology.machine_lines(platform.properties)
    lines += seats.lines(platform, fitted(platform, nodes, ranks, mapping))
    lines.append("bound " + " ".join(text_of(x) for x in platform.bound_parameters(nodes)))
    return "\n".join(lines) + "\n"
