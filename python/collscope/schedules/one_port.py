"""Machine files of the telephone model (one_port), and the places of ranks in a machine file."""

from __future__ import annotations

from collections.abc import Sequence

from collscope.machines.machine_file import PLACE_LINES, places_in

# The telephone network that pictures use where no platform is named: a message of 1 KiB pays about as much for its start
# as for its bytes, so that both can be seen.
TELEPHONE = "telephone network"
ALPHA_S, BETA_S_PER_BYTE, GAMMA_S_PER_BYTE = 1e-6, 1e-9, 0.25e-9
NEAR_ALPHA_S, NEAR_BETA_S_PER_BYTE = 0.3e-6, 0.25e-9  # within a node


def telephone(ranks: int, nodes: int | None = None) -> str:
    """A machine file of Chan's model; with nodes, ranks in blocks on them, and cheaper messages within."""
    lines = ["ports one_port", "control 0", f"gamma {GAMMA_S_PER_BYTE}", "copy 0"]
    lines.append(f"class network 0 {ALPHA_S} {BETA_S_PER_BYTE}")
    lines.append(f"bound {ALPHA_S} {BETA_S_PER_BYTE} {GAMMA_S_PER_BYTE}")
    if nodes:
        lines += [f"class {c} 0 {NEAR_ALPHA_S} {NEAR_BETA_S_PER_BYTE}" for c in ("cache", "socket", "node")]
        node = node_of_rank(ranks, nodes)
        for r in range(ranks):
            first, size = node.index(node[r]), node.count(node[r])
            half = 2 * (r - first) // size
            lines.append(f"place {r} {node[r]} {2 * node[r] + half} {2 * node[r] + half}")
    return "\n".join(lines) + "\n"


def node_of_rank(ranks: int, nodes: int) -> list[int]:
    """Even blocks of consecutive ranks."""
    return [r * nodes // ranks for r in range(ranks)]


def with_places(machine: str, places: Sequence[tuple[int, int, int]]) -> str:
    """The machine with its ranks at other places: node, socket, cache of each."""
    lines = [line for line in machine.splitlines() if line.split()[0] not in PLACE_LINES]
    lines += [f"place {r} {n} {s} {c}" for r, (n, s, c) in enumerate(places)]
    return "\n".join(lines) + "\n"


def nodes_in(machine: str) -> tuple[int, ...]:
    """The node of each rank as a machine file has it; nothing where every rank is alone, or all are together."""
    found = tuple(node for node, _, _ in places_in(machine))
    return found if 1 < len(set(found)) < len(found) else ()
