"""Asking the prover for schedules and their times on a model of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from collscope.base import leftovers
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.base.progress import Progress
from collscope.catalogue import prover
from collscope.catalogue.prover import Abandoned, Question
from collscope.points.plan import Point, plan_text
from collscope.schedules.modelled import by_calls
from collscope.schedules.one_port import nodes_in
from collscope.schedules.trace import Message, Span, Trace, idle
from collscope.sources.outcome import OK


def traces(points: Sequence[Point], ranks: int, machine: str, where: str, limit_s: float | None = None) -> list[Trace]:
    """Traces of points on a machine (the text of its file); `where` says what it is. A UserError says why a point is not
    supported, or that it took longer than `limit_s`."""
    replies = reply(points, ranks, machine, "--trace", limit_s)
    return [
        by_calls(replace(read(r, q, ranks, nodes_in(machine), where), machine=machine))
        for r, q in zip(replies, points, strict=True)
    ]


def reply(
    points: Sequence[Point], ranks: int, machine: str, option: str, limit_s: float | None = None
) -> list[dict[str, Any]]:
    """The prover's reply to each point, with --trace (model/trace.h) or --holdings (prove/holdings.h)."""
    questions = [
        Question(str(i), q.algorithm, f"{q.algorithm}, {ranks} ranks", plan_text([(str(i), q)], ranks))
        for i, q in enumerate(points)
    ]
    with leftovers.scratch() as folder:
        file = folder / "machine.txt"
        write_atomically(file, machine)
        found = dict(
            prover.stream(["--model", file, option], questions, folder, Progress("model", len(points)), limit_s)
        )
    return [_answer(found[q.name], q) for q in questions]


def _answer(reply: prover.Reply | Abandoned, question: Question) -> dict[str, Any]:
    if isinstance(reply, Abandoned):
        raise UserError(f"{question.what}: {'' if reply.limit else 'not tried: '}{reply.reason}")
    return reply


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
