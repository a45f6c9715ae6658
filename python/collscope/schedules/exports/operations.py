"""The operations of a trace, as the prover lists them (model/trace.h)."""

from __future__ import annotations

from dataclasses import dataclass

from collscope.schedules.trace import Trace

MESSAGES = ("send", "recv", "isend", "irecv", "recv_any")


@dataclass(frozen=True)
class Operation:
    """One operation of a rank; of waits in one call, all of them."""

    index: int
    kind: str
    buffer: int
    offset: int
    target: int  # buffer that is written by a reduction or a copy, and where
    target_offset: int
    peer: int
    bytes: int
    label: int = 0
    partner: int = -1  # of a message: the other side's operation
    waited: tuple[int, ...] = ()  # of a wait: the operations that it waits for

    @property
    def is_message(self) -> bool:
        """It sends or receives."""
        return self.kind in MESSAGES

    @property
    def sends(self) -> bool:
        """It sends."""
        return self.kind in ("send", "isend")


def operations(t: Trace) -> list[list[Operation]]:
    """Those of each rank."""
    label: dict[tuple[int, int], int] = {}
    partner: dict[tuple[int, int], int] = {}
    for row in t.raw["messages"]:
        src, dst, send, recv = row[0], row[1], row[8], row[9]
        label[src, send] = label[dst, recv] = row[4]
        partner[src, send], partner[dst, recv] = recv, send
    made = []
    for rank, rows in enumerate(t.raw["operations"]):
        ops: list[Operation] = []
        waited: list[int] = []
        for i, (kind, buffer, offset, target, target_offset, peer, size, _begin) in enumerate(rows):
            if kind == "wait":
                waited.append(peer)
                if size:
                    continue  # more waits of this call follow
                ops.append(Operation(i, kind, 0, 0, 0, 0, -1, 0, waited=tuple(waited)))
                waited = []
            else:
                joined = label.get((rank, i), 0), partner.get((rank, i), -1)
                ops.append(Operation(i, kind, buffer, offset, target, target_offset, peer, size, *joined))
        made.append(ops)
    return made
