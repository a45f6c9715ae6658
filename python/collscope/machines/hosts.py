"""Where ranks sit: the host of each, their places, and the machine file of the prover's model."""

from __future__ import annotations

from collections.abc import Sequence

from collscope.base.errors import UsageError, unknown
from collscope.machines.platform import Host, Platform
from collscope.machines.spec import LEVELS, LINKS, text_of

MAPPINGS = ("block", "cyclic", "fill")
SMPI_ENVELOPE_BYTES = 16  # what SMPI adds to each message


def fit_nodes(platform: Platform, ranks: int) -> int:
    """The fewest nodes that have a core for every rank. UsageError: the machine has not so many."""
    nodes = -(-ranks // platform.cores_per_node)
    _check(platform, nodes, ranks)
    return nodes


def _check(platform: Platform, nodes: int, ranks: int) -> None:
    if ranks < 1 or nodes < 1:
        raise UsageError(f"{platform.name}: {nodes} nodes and {ranks} ranks; both must be 1 or more")
    cores, plural = platform.cores_per_node, "core" if platform.cores_per_node == 1 else "cores"
    if nodes > platform.max_nodes:
        more = "" if platform.name == "this_machine" else _hint(platform, nodes=nodes)
        raise UsageError(
            f"{platform.name} has {platform.max_nodes} node{'s' * (platform.max_nodes != 1)}; {nodes} were asked for{more}"
        )
    if ranks > nodes * cores and not platform.oversubscribes:
        needed = -(-ranks // cores)
        if needed <= platform.max_nodes:
            help_text = f"; use {needed} nodes or more"
        elif platform.name.startswith("ideal"):
            help_text = _hint(platform, cores=-(-ranks // nodes))
        else:
            help_text = f"; it has {platform.max_nodes * cores} cores in all"
        raise UsageError(
            f"{platform.name} has {cores} {plural} a node; {ranks} ranks do not fit on {nodes} "
            f"node{'s' * (nodes != 1)} ({nodes * cores}){help_text}"
        )


def _hint(platform: Platform, **change: int) -> str:
    key, value = next(iter(change.items()))
    base, _, old = platform.name.partition("[")
    if platform.properties.get("collscope.name") != base:
        return ""
    kept = [p for p in old.rstrip("]").split(",") if p and not p.startswith(f"{key}=")]
    return f"; say {base}[{','.join([*kept, f'{key}={value}'])}]"


def _ranks(platform: Platform, nodes: int, ranks: int, mapping: str) -> list[Host]:
    _check(platform, nodes, ranks)
    if mapping not in MAPPINGS:
        raise unknown("mapping", mapping, MAPPINGS)
    if mapping == "fill":
        cores = [host for node in platform.nodes[:nodes] for host in node[: platform.cores_per_node]]
        return [cores[r % len(cores)] for r in range(ranks)]
    share = [ranks // nodes + (n < ranks % nodes) for n in range(nodes)]
    seats = [_spread(platform.nodes[n], share[n]) for n in range(nodes)]
    if mapping == "block":
        return [host for node in seats for host in node]
    return [seats[r % nodes][r // nodes] for r in range(ranks)]


def hosts_of(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> list[str]:
    """The host of each rank. block: an even share a node, consecutive ranks together; cyclic: rank r on node r mod nodes; both spread
    a node's ranks evenly over its sockets, consecutive ranks on a socket. fill: core after core, node after node.
    UsageError: the ranks do not fit."""
    return [h.name for h in _ranks(platform, nodes, ranks, mapping)]


def places(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> list[tuple[int, int, int]]:
    """(node, socket, cache) of each rank; each number is unique over the whole machine."""
    return [(h.node, h.socket, h.cache) for h in _ranks(platform, nodes, ranks, mapping)]


def machine_file(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> str:
    """The machine file of `collscope-prove --model`: a line for each number, class, link and rank. UserError: a platform without curves."""
    uniform = platform.curves == "uniform"
    lines = [
        "ports fluid",
        f"control {SMPI_ENVELOPE_BYTES}",
        f"gamma {text_of(platform.gamma_s_per_byte)}",
        f"copy {text_of(platform.copy_s_per_byte)}",
        f"eager {platform.eager_bytes}",
        f"overhead {text_of(platform.overhead_s)}",
    ]
    for level in LEVELS:
        for p in platform.wire[level]:
            traffic = "" if uniform else f" {text_of(p.traffic)}"
            lines.append(f"class {level} {p.start} {text_of(p.latency_s)} {text_of(p.s_per_byte)}{traffic}")
    if not uniform:
        for link in LINKS:
            if (rate := platform.number(f"{link}_bytes_per_s")) > 0:
                lines.append(f"{link} {text_of(rate)}")
    lines += [f"place {r} {n} {s} {c}" for r, (n, s, c) in enumerate(places(platform, nodes, ranks, mapping))]
    lines.append("bound " + " ".join(text_of(x) for x in platform.bound_parameters(nodes)))
    return "\n".join(lines) + "\n"


def _spread(node: Sequence[Host], ranks: int) -> list[Host]:
    """An even share of the ranks on every socket, consecutive ranks together."""
    if ranks > len(node):
        return [node[r * len(node) // ranks] for r in range(ranks)]
    sockets: dict[int, list[Host]] = {}
    for host in node:
        sockets.setdefault(host.socket, []).append(host)
    groups = list(sockets.values())
    share = [ranks // len(groups) + (i < ranks % len(groups)) for i in range(len(groups))]
    # Sockets of different sizes (a hand-written file): what does not fit on one goes to the others.
    spare = sum(max(0, s - len(g)) for s, g in zip(share, groups, strict=True))
    for i, group in enumerate(groups):
        share[i] = min(share[i], len(group))
        room = min(spare, len(group) - share[i])
        share[i] += room
        spare -= room
    return [host for s, group in zip(share, groups, strict=True) for host in group[:s]]
