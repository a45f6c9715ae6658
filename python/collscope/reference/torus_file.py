"""A SimGrid platform file of a torus that is too large for a host per core and a route per pair: SimGrid's own <cluster>.

For ordinary MPI programs, without the plug-in. What the specification says beyond it is in LEAVES_OUT.
"""

from __future__ import annotations

from collscope.machines.platform import HOST_SPEED, NETWORK_SETTINGS, protocol_settings
from collscope.machines.spec import Spec, text_of, tidy
from collscope.machines.xml_writer import head

LEAVES_OUT = (
    "a node is one host of all its cores, without sockets, caches and memory: two of its ranks share nothing, and their message has the "
    "latency of one to a neighbour, less the hop",
    "what a message between neighbours takes beyond the hop is spent by both processors, half each, as SMPI has no other place for it; a "
    "rank that sends to many is slowed by that. Messages above the eager limit do without it",
    "a node's limit is one for both directions, as wide as one message's rate; what passes through a node on its way crosses its limit, "
    "too",
    "dimensions are crossed last first, and of two ways round that are as long one may lead downwards; no route is longer for that",
)


def cluster_xml(spec: Spec) -> str:
    """The platform file: host nodeN is the node at position N of the torus. ValueError: the machine is not a torus."""
    if spec.topology.kind != "torus":
        raise ValueError(f"{spec.name}: only a torus has such a file")
    network, inside = spec.curve["network"], spec.curve["socket"]
    hop = spec.topology.hop_latency_s.value
    end = tidy(max(network[0].latency.value - hop, 0.0) / 2)
    settings = {**NETWORK_SETTINGS, **protocol_settings(int(spec.eager_bytes.value), end)}
    limit = min(spec.nic_bytes_per_s.value, tidy(1 / network[-1].s_per_byte.value))
    attributes = {
        "id": spec.name,
        "prefix": "node",
        "suffix": "",
        "radical": f"0-{spec.topology.total - 1}",
        "speed": HOST_SPEED,
        "core": str(spec.cores_per_node),
        "topology": "TORUS",
        "topo_parameters": ",".join(
            map(str, reversed(spec.topology.shape))
        ),  # SimGrid's first dimension is the fastest
        "sharing_policy": "SPLITDUPLEX",
        "bw": f"{text_of(spec.topology.link_bytes_per_s.value)}Bps",
        "lat": f"{text_of(hop)}s",
        "limiter_link": f"{text_of(limit)}Bps",
        "loopback_bw": f"{text_of(tidy(1 / inside[-1].s_per_byte.value))}Bps",
        "loopback_lat": f"{text_of(tidy(max(inside[0].latency.value - 2 * end, 0.0)))}s",
    }
    words = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    return "\n".join([*head(spec.about, settings), f"  <cluster {words}/>", "</platform>", ""])
