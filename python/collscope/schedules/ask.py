"""Asking the prover for schedules and their times on a model of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from collscope.base import leftovers
from collscope.base.errors import UserError, disk_error
from collscope.catalogue import prover
from collscope.points import plan
from collscope.points.plan import Point
from collscope.schedules.one_port import nodes_in
from collscope.schedules.trace import Message, Span, Trace, idle
from collscope.sources.outcome import OK


def traces(points: Sequence[Point], ranks: int, machine: str, where: str) -> list[Trace]:
    """Traces of points on a machine (the text of its file); `where` says what it is. A UserError says why a point is not
    supported."""
    replies = reply(points, ranks, machine, "--trace")
    return [
        replace(read(r, q, ranks, nodes_in(machine), where), machine=machine)
        for r, q in zip(replies, points, strict=True)
    ]


def reply(points: Sequence[Point], ranks: int, machine: str, option: str) -> list[dict[str, Any]]:
    """The prover's reply to each point, with --trace (model/trace.h) or --holdings (prove/holdings.h)."""
    with leftovers.scratch() as folder:
        try:
            (folder / "machine.txt").write_text(machine, encoding="utf-8")
            (folder / "plan.txt").write_text(
                plan.plan_text([(str(i), q) for i, q in enumerate(points)], ranks), encoding="utf-8"
            )
        except OSError as error:
            raise disk_error(error, folder) from error
        replies = prover.replies(["--model", folder / "machine.txt", option, "--plan", folder / "plan.txt"])
    by_id = {int(reply["id"]): reply for reply in replies}
    return [by_id[i] for i in range(len(points))]


def read(reply: dict[str, Any], point: Point, ranks: int, nodes: tuple[int, ...], where: str) -> Trace:
    """The trace that a reply means. A UserError when the point is not supported."""
    if reply["kind"] != OK:
        raise UserError(f"{point.algorithm} on {ranks} ranks, count {point.count}: {reply['status']}")

    def messages(name: str, shared: bool) -> tuple[Message, ...]:
        return tuple(
            Message(src, dst, size, max(1, rnd), max(start, posted) if shared else start, end, send, recv, shared)
            for src, dst, size, rnd, _label, posted, start, end, send, recv in reply[name]
        )

    spans = tuple(Span(*s) for s in reply["spans"])
    arrows = messages("messages", False) + messages("transfers", True)
    return Trace(
        key=point.algorithm,
        chose=reply.get("chose") or "",
        collective=point.collective,
        ranks=ranks,
        count=point.count,
        elem=reply["elem"],
        root=point.root,
        time_s=reply["model_s"],
        cost_s=reply["cost_s"],
        exact=bool(reply["exact"]),
        rounds=max(reply["rounds"], 1 if reply["messages"] or reply["transfers"] else 0),
        messages=messages("messages", False),
        transfers=messages("transfers", True),
        spans=spans + tuple(idle(arrows, spans, reply["rank_end_s"])),
        rank_end_s=tuple(reply["rank_end_s"]),
        nodes=nodes,
        where=where,
        raw=reply,
        point=point,
    )
