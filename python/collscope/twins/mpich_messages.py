"""An MPICH to compare with: what it hands to its network in collective calls, beside what our schedules send.

`validate/twins/mpich_messages.c` sees the messages that pass UCX: those between nodes. The ranks of this machine are dealt out to as
many nodes as a comparison needs, in blocks, which MPICH does where its variables say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from collscope.base import leftovers
from collscope.twins.call import Call, Compared, Messages
from collscope.twins.judge import judge, same_sends
from collscope.twins.library import FOLDER, Installed, compiled
from collscope.twins.messages import own_messages, parse

NETWORK = {"MPIR_CVAR_CH4_NETMOD": "ucx", "UCX_TLS": "posix,self"}
UNSPLIT = {"MPIR_CVAR_BARRIER_COMPOSITION": "2"}
"""The barrier between calls does not pass shared memory, where 4.3.2's collectives can crash with more ranks than cores."""


class Mpich(Installed):
    """An MPICH."""

    name = "MPICH"
    sources = (FOLDER / "mpich_messages.c", FOLDER / "calls.h")
    answer = r"HYDRA build details:\s+Version:\s+(\d+\.\d+\.\d+)"
    commands = (("mpicc.mpich", "mpirun.mpich"), ("mpicc", "mpirun"))
    packages = "mpich and libmpich-dev"


def node_of(rank: int, ranks: int, nodes: int) -> int:
    """The node of a rank, of so many: in blocks, the first of which have one more (src/util/mpir_nodemap.c)."""
    each, more = divmod(ranks, nodes)
    return rank // (each + 1) if rank < more * (each + 1) else (rank - more) // each


def placement(ranks: int, nodes: int) -> Mapping[str, str]:
    """The variables that deal out the ranks."""
    if nodes == ranks:
        return {"MPIR_CVAR_NOLOCAL": "1"}
    return {"MPIR_CVAR_NUM_CLIQUES": str(nodes), "MPIR_CVAR_CLIQUES_BY_BLOCK": "1"}


def library_messages(library: Mpich, ranks: int, nodes: int, calls: Sequence[Call]) -> dict[tuple[int, int], Messages]:
    """What MPICH sends between nodes: call's index and rank → messages. One launch."""
    program = compiled(library)
    placed = replace(library, env={**library.env, **NETWORK, **UNSPLIT, **placement(ranks, nodes)})
    found = {}
    with leftovers.scratch() as folder:
        plan = "".join(f"call {i} {call.collective} {call.shape}\n" for i, call in enumerate(calls))
        (folder / "plan").write_text(plan, encoding="utf-8")
        placed.call(placed.mpirun, "-np", str(ranks), program, folder / "plan", folder / "out")
        for rank in range(ranks):
            for line in (folder / f"out.{rank}").read_text(encoding="utf-8").splitlines():
                index, *words = line.split()
                found[int(index), rank] = parse(words)
    return found


def compare(library: Mpich, ranks: int, nodes: int, calls: Sequence[Call]) -> list[Compared]:
    """Every call of the list, in its order, by what is sent between nodes. One launch."""
    theirs = library_messages(library, ranks, nodes, calls)
    own = own_messages(ranks, calls)
    made = []
    for i, call in enumerate(calls):
        if why := own.unsupported.get(i):
            made.append(Compared(ranks, call, "unsupported", text=why.reason, advice=why.advice))
            continue
        sent = [theirs[i, r] for r in range(ranks)]
        ours = [_between(own.messages[i, r], r, ranks, nodes) for r in range(ranks)]
        verdict, text = judge(sent, ours, library.name, same_sends)
        made.append(Compared(ranks, call, verdict, own.keys[i], text))
    return made


def _between(messages: Messages, rank: int, ranks: int, nodes: int) -> Messages:
    here = node_of(rank, ranks, nodes)
    return [message for message in messages if node_of(message[1], ranks, nodes) != here]
