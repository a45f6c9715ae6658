"""collscope.commands.prove: what `prove` says when there is nothing to prove, or no room for it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.base.errors import UsageError, UserError
from collscope.catalogue import prover, registry
from collscope.catalogue.prover import Abandoned, Question
from collscope.catalogue.registry import Registry
from collscope.commands import prove
from collscope.points.plan import Point
from command_line import call


@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_a_proof_of_nothing_says_why(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, extra: tuple[str, ...]
) -> None:
    def answers(_: Any, questions: Sequence[Question], *more: Any) -> Iterator[tuple[str, Any]]:
        for question in questions:
            p: dict[str, Any] = dict(word.split("=", 1) for word in question.line.split())
            numbers = ("ranks", "count", "root", "in_place")
            yield question.name, p | {k: int(p[k]) for k in numbers} | {"status": "needs 2 ranks", "verdict": None}

    monkeypatch.setattr(prover, "stream", answers)
    status, _, err = call(capsys, "prove", "bcast/mst", "--ranks", "4", *extra)
    assert (status, err) == (2, "collscope: bcast/mst[dest=first]: needs 2 ranks\n")


@pytest.mark.skipif(not programs.PROVER.exists(), reason="needs the prover; ./collscope doctor says more")
def test_a_vector_that_no_record_holds_is_no_fault_of_the_algorithm(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    why = "a vector of more than 512 GiB has no room in a recorded schedule"
    status, out, err = call(capsys, "prove", "bcast/mst", "--ranks", "4", "--bytes", "1024TiB")
    assert status == 2 and why in err and "FAILED" not in out
    words = ("--on", "ideal", "--nodes", "2", "--ranks", "2", "-a", "allgather/bucket", "--source", "model")
    status, out, _ = call(capsys, "run", *words, "--bytes", "1024TiB,1KiB")
    assert status == 0 and why in out and "1 KiB" in out


def points(collective: str, ranks: int, **options: Any) -> list[tuple[int, int, str, str]]:
    """Count, root, type and operator of each call with two buffers."""
    made = prove.points(prove.Request("x", **options), collective, f"{collective}/x", ranks)
    return [(p.count, p.root, p.type, p.op) for p in made if not p.in_place]


def test_an_algorithm_is_proved_over_counts_roots_and_operators(known: Registry) -> None:
    plain = [0, 1, 5, 6, 1000]
    assert points("bcast", 5) == [(n, r, "float", "sum") for r in (0, 1, 4) for n in plain]
    assert points("bcast", 1) == [(n, 0, "float", "sum") for n in (0, 1, 2, 1000)]
    assert points("bcast", 2) == [(n, r, "float", "sum") for r in (0, 1) for n in (0, 1, 2, 3, 1000)]
    assert points("allgather", 5) == [(n, 0, "float", "sum") for n in plain]
    both = (("float", "sum"), ("affine", "affine"))
    assert points("allreduce", 5) == [(n, 0, *kind) for n in plain for kind in both]
    assert points("allreduce", 5, type_name="affine") == [(n, 0, "affine", "affine") for n in plain]
    assert points("barrier", 5) == [(0, 0, "float", "sum")]
    assert points("barrier", 5, sizes="8") == [(0, 0, "float", "sum")]
    assert points("bcast", 5, sizes="8,16", root=2) == [(2, 2, "float", "sum"), (4, 2, "float", "sum")]
    assert points("bcast", 5, root=4, type_name="double", sizes="8") == [(1, 4, "double", "sum")]
    assert points("bcast", 5, root=5) == []
    assert points("allgather", 5, root=3, sizes="20") == [(1, 0, "float", "sum")]
    assert points("bcast", 5, as_json=True) == [(1000, 0, "float", "sum")]
    assert points("allreduce", 5, as_json=True) == [(1000, 0, "float", "sum")]
    assert points("bcast", 5, as_json=True, root=2, sizes="4") == [(1, 2, "float", "sum")]


def test_a_call_that_may_be_in_place_is_proved_with_two_buffers_and_in_place(known: Registry) -> None:
    def made(collective: str, **options: Any) -> list[Point]:
        return list(prove.points(prove.Request("x", **options), collective, f"{collective}/x", 5))

    for collective in ("allreduce", "allgather", "gather", "scatter", "rotation"):
        apart = [p for p in made(collective) if not p.in_place]
        assert sorted(map(str, made(collective))) == sorted(
            str(replace(p, in_place=x)) for p in apart for x in (False, True)
        )
    for collective in ("bcast", "barrier"):
        assert not any(p.in_place for p in made(collective))
    assert [p.in_place for p in made("allgather", as_json=True)] == [False]


def test_a_sweep_is_of_calls_without_options_of_their_own() -> None:
    assert prove.Request("all").is_plain and prove.Request("all", "2").is_plain
    for more in ({"sizes": "4"}, {"root": 0}, {"type_name": "double"}, {"point_timeout": 1.0}, {"as_json": True}):
        assert not prove.Request("all", **more).is_plain  # type: ignore[arg-type]


def test_decisions_are_not_swept_and_parameters_are(known: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="a decision and algorithms are proven apart"):
        prove.run(prove.Request("bcast/mst,decision/ompi_4_1"))
    assert prove.read_keys("decision/ompi_4_1") == [
        ("bcast", "decision/ompi_4_1"),
        ("allgather", "decision/ompi_4_1"),
    ]
    assert prove.read_keys("bcast/knomial[k=2|3]") == [("bcast", f"bcast/knomial[k={k},s=0]") for k in (2, 3)]

    def gone(*_: Any, **__: Any) -> None:
        raise OSError(2, "No such file")

    monkeypatch.setattr(subprocess, "run", gone)
    with pytest.raises(UserError, match="No such file; run ./collscope doctor"):
        prove.run(prove.Request("bcast"))
    with pytest.raises(UsageError, match="--root 7 needs at least 8 ranks; --ranks 2..4 has no such number"):
        prove.run(prove.Request("bcast/mst", ranks="2..4", root=7))


@pytest.mark.parametrize(
    ("verdicts", "verdict", "status"),
    [
        (["proven", "proven"], "proven", 0),
        (["proven", None], "proven", 0),
        ([None, None], "unsupported", 2),
        (["proven", "failed", "proven"], "failed", 1),
        ([None, "failed"], "failed", 1),
    ],
)
def test_one_failed_point_fails_the_proof(
    capsys: pytest.CaptureFixture[str], verdicts: list[str | None], verdict: str, status: int
) -> None:
    shape = {
        "algorithm": "bcast/mst",
        "ranks": 4,
        "root": 1,
        "count": 2,
        "in_place": 1,
        "kind": "deadlock",
        "failure": "why",
    }
    lines = [shape | {"status": "ok" if each else "no", "verdict": each} for each in verdicts]
    assert (prove.verdict(lines), prove.report_failures(lines)) == (verdict, status)
    reasons = {0: "", 1: "bcast/mst, 4 ranks, count 2, root 1, in place: why\n", 2: "bcast/mst: no\n"}
    assert capsys.readouterr().err == (f"collscope: {reasons[status]}" if status else "")


def test_a_failure_is_printed_once_and_a_wrong_cost_last(capsys: pytest.CaptureFixture[str]) -> None:
    shape = {
        "collective": "bcast",
        "algorithm": "bcast/x",
        "root": 0,
        "in_place": 0,
        "status": "ok",
        "verdict": "failed",
    }
    cost, data = ({"kind": kind, "failure": why} for kind, why in (("cost", "too dear"), ("result", "rank 1 lacks it")))
    points = [
        (2, 1, cost),
        (2, 9, cost),
        (3, 1, data),
        (4, 1, data | {"failure": "rank 3 lacks it"}),
        (5, 1, data),
        (5, 9, data),
    ]
    assert prove.report_failures([shape | {"ranks": p, "count": n} | why for p, n, why in points]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "collscope: bcast/x, 3 ranks, count 1, root 0: rank 1 lacks it (and at 2 more points)",
        "collscope: bcast/x, 2 ranks, count 1, root 0: too dear (and at 1 more point)",
        "collscope: bcast/x, 4 ranks, count 1, root 0: rank 3 lacks it",
    ]


def test_replies_are_completed_and_in_order(known: Registry, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(*_: Any) -> Iterator[tuple[str, Any]]:
        yield "2", Abandoned("not tried, it goes on", False)
        yield "1", Abandoned("took longer than 3 s", True)
        yield "0", {"id": "0", "verdict": "proven", "status": "ok"}

    monkeypatch.setattr(prover, "stream", answers)
    targets = [(4, Point("allgather", "allgather/bucket", 2, root=r, type="double", op="max")) for r in (0, 1, 0)]
    made = prove.ask(targets, False, 3.0)
    common = {"collective": "allgather", "type": "double", "op": "max", "vector_bytes": 64, "block_bytes": 16}
    shape = {"algorithm": "allgather/bucket", "ranks": 4, "count": 2, "in_place": 0}
    late = {"status": "ok", "verdict": "failed", "kind": "limit", "failure": "took longer than 3 s"}
    left = {"status": "not tried, it goes on", "verdict": None, "kind": "not tried"}
    assert made == [
        {**common, "verdict": "proven", "status": "ok"},
        {**common, **shape, "root": 1, **late},
        {**common, **shape, "root": 0, **left},
    ]


@pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")
def test_sums_are_those_of_one_call() -> None:
    """Of all algorithms; with segments two calls are proved."""
    keys = [(a.collective, a.full_key()) for a in registry.load().algorithms]
    keys.append(("allgather", "allgather/leaders[per_node=1,aggregate=shm,inter=ring,placement=per_socket]"))
    count = {c.name: 24 if c.has_data else 0 for c in registry.load().collectives}
    proved = [r for r in prove.ask([(8, Point(c, key, count[c])) for c, key in keys], True) if r["status"] == "ok"]
    assert len(proved) > len(keys) / 2
    for reply in proved:
        sent = [message["bytes"] for message in reply["schedule"]]
        assert (reply["messages"], reply["bytes"]) == (len(sent), sum(sent)), reply["algorithm"]
