"""collscope.commands: the table that each command prints, as a golden text: headings, columns, rules, lines below."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import fake_list
from collscope.analysis import prediction
from collscope.base import console
from collscope.catalogue import headers, registry
from collscope.catalogue.decisions import Span
from collscope.commands import compare, decide_table, prove_table, run_table, run_winners, show_page, testbed, twins
from collscope.commands.claims import command as claims_command
from collscope.points.table import make_row, to_frame
from collscope.schedules.trace import Message, Trace
from collscope.sources import bounds
from collscope.studies import claims
from collscope.studies.claims import Judged
from collscope.testbed import bed, check
from collscope.twins import records

US = 1e-6


def prove() -> None:
    about = {"collective": "bcast", "type": "float", "vector_bytes": 4096, "root": 0, "status": "ok", "kind": "ok"}
    moved = {"messages": 7, "bytes": 28672, "reduced_bytes": 512, "rounds": 3.0, "verdict": "proven"}
    one = {**about, **moved, "algorithm": "bcast/mst[dest=first]", "ranks": 8, "exact": False}
    one["costs"] = [{"critical_s": 3.0, "cost_s": 2.0}]
    dead = {**one, "ranks": 9, "verdict": "failed", "kind": "deadlock"}
    none = {**about, "algorithm": one["algorithm"], "ranks": 16, "status": "needs [2] ranks", "kind": "unsupported"}
    prove_table.show([one, dead, none])
    exact = {**one, "algorithm": "bcast/linear", "exact": True}
    prove_table.show([one, dead, exact, none | {"algorithm": "bcast/chain[chains=4,s=65536]"}])


def decide() -> None:
    rule = {"number": 7, "ranks": (16, 31), "unit": "vector", "bytes": (4096, 8192), "block": (0, 0), "elements": ""}
    rule |= {
        "number_of_ranks": "",
        "commutes": 1,
        "in_place": False,
        "root_zero": False,
        "bytes_multiple": 0,
        "line": None,
    }
    some = {"decision": "decision/ompi_4_1", "chose": "allreduce/ring", "status": "ok", "rule": rule}
    decide_table.show([some, {"decision": "decision/mpich_4", "chose": None, "status": "no row", "rule": None}])
    taken = {2: "ab", 3: "ab", 4: "ac"}
    spans = [
        Span("decision/x", p, first, last, f"allgather/{names[i]}")
        for p, names in taken.items()
        for i, (first, last) in enumerate(((1, 7), (8, 99)))
    ]
    decide_table.show_map("allgather", spans, 4, block=True)


def row(source: str, algorithm: str, seconds: float | None, size: int, **more: Any) -> dict[str, Any]:
    cells: dict[str, Any] = dict.fromkeys(("median_s", "q1_s", "q3_s"), seconds)
    cells |= {"platform": "tiny", "nodes": 2, "ranks": 4, "mapping": "block", "collective": "scatter", "type": "float"}
    cells |= {"bytes": size, "block_bytes": size // 4, "in_place": 0, "root": 0, "metric": "makespan", "status": "ok"}
    return make_row(**cells | {"source": source, "algorithm": f"scatter/{algorithm}", **more})


def run() -> None:
    none = {"status": "needs [2]", "kind": "unsupported"}
    rows = [
        row("model", "linear", 2e-6, 4096, noise_low_s=US, noise_high_s=3e-6), row("sim", "linear", 2.5e-6, 4096),
        row("real", "linear", 3e-6, 4096, q1_s=2.5e-6, q3_s=4e-6),
        row("real", "knomial[k=4,s=0]", 6e-6, 4096, chose="scatter/mst"), row("real", "builtin", 4.5e-6, 4096),
        row("sim", "linear", 1e-3, 8192), row("real", "linear", 2e-3, 8192), row("real", "mst", None, 8192, **none),
    ]  # fmt: skip
    limits = [
        row("bound", "", t, 4096) | {"algorithm": kind} for kind, t in ((bounds.LOGGP, US), (bounds.TELEPHONE, 2e-6))
    ]
    run_table.show([*rows, limits[1]], limits)


def winners() -> None:
    first = row("sim", "linear", US, 4096)
    times = {"scatter/linear": US, "scatter/mst": 1.5 * US}
    taken = {"decision/ompi_4_1": "scatter/mst", "decision/mpich_4": "scatter/knomial[k=4,s=0]"}
    run_winners._show_table(
        [run_winners.Winner(first, times, taken), run_winners.Winner({**first, "bytes": 8192}, times, {})]
    )


def twin() -> None:
    counts = {"calls": "12", "equal": "9", "order": "1", "different": "0", "unsupported": "2"}
    counts = dict(zip(records.COUNTS, counts.values(), strict=True))
    tables = {
        "table": [
            {"key": "bcast/linear", "number": "1", **counts},
            {"key": "bcast/x", "number": "2", **counts, "calls": "0"},
        ],
        "decisions": [{"key": "decision/ompi_4_1", "collective": "bcast", **counts, records.COUNTS[1]: "10"}],
        "differences": [{"key": "bcast/linear", "condition": "p = 2", "runs": "bcast/mst", "calls": "3"}],
    }
    compared = [SimpleNamespace(verdict=v, ranks=p) for v, p in (("same", 2), ("order", 3), ("unsupported", 9))]
    found = SimpleNamespace(
        library=SimpleNamespace(version="4.1.4"), forced=compared, decided=[], tables=lambda: tables
    )
    twins.show(found)  # type: ignore[arg-type]


def test_bed() -> None:
    findings = [
        check.Finding("a ring of all hosts", 48.2, 24.1, "Mbit/s", False),
        check.Finding("sent again", 0, 0, "", True),
    ]
    made = SimpleNamespace(network=testbed.network_of(8, "50Mbit", "500us", 1, 1.0, False), realtime=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testbed, "ensure_tools", lambda: None)
        patch.setattr(bed, "standing", lambda: made)
        patch.setattr(bed, "standing_or_made", lambda _: contextlib.nullcontext(made))
        patch.setattr(check, "check", lambda _: findings)
        with contextlib.suppress(Exception):
            testbed.command.main(["check"], standalone_mode=False)


def show() -> None:
    messages = tuple(
        Message(0, dst, size, k, 0.0, end * US, 0, 0)
        for dst, k, size, end in ((1, 0, 1024, 1), (2, 1, 2048, 2), (3, 1, 512, 3))
    )
    trace = Trace(
        "bcast/knomial[k=4,s=0]", "", "bcast", 4, 256, 4, 0, 2 * US, US, False, 2, messages, (), (), (0.0,) * 4, (0, 0, 1, 1),
        "a model",
    )  # fmt: skip
    about = SimpleNamespace(fields={"Idea": "k children each", "Cost": "[s] segments"}, picture=["0  1  2", "|--+--+"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(headers, "of_key", lambda _: about)
        show_page.show([trace])
        shared = Message(0, 1, 4096, 0, 0.0, US, 0, 0, shared=True)
        twice = Trace(
            **{**vars(trace), "source": "sim", "time_s": 4 * US, "chose": "bcast/linear", "transfers": (shared,)}
        )
        show_page.show([twice, trace])


def compared() -> None:
    times = {"linear": (1.0, 1.1, 1.3), "mst": (2.0, 1.9, 0.9)}
    measured, predicted = (
        to_frame(
            row(source, name, each[at] * US, size)
            for name, each in times.items()
            for at, size in ((0, 4096), (2 - late, 8192))
        )
        for source, late in (("real", 0), ("model", 1))
    )
    compare.show(prediction.joined(predicted, measured))


def judged() -> None:
    verdicts = {"B1": ("reproduced", 3, "reproduced", "all"), "B2": ("partly", 1, "not reproduced", "")}
    made = [
        Judged("bird", "Open MPI" * (name == "B2"), SimpleNamespace(
            id=name, verdict=verdict, held=held, testable=[1, 2, 3], expected_verdict=expected, text=f"what {name} says",
            readings={"strict": "partly", "mild": "reproduced"} if name == "B2" else {},
        ), verdict, ranges)
        for name, (verdict, held, expected, ranges) in verdicts.items()
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "every", lambda _names: [claims.PaperClaims("bird", "Bird et al.", made, ())])
        patch.setattr(claims, "count", lambda _, reading="": {"reproduced": 1 + (reading == "mild"), "partly": 1})
        claims_command.main(["--check"], standalone_mode=False)


TABLES: dict[str, Callable[[], None]] = {
    "prove": prove, "decide": decide, "run": run, "winners": winners, "twins": twin, "testbed_check": test_bed, "show": show,
    "compare": compared, "claims": judged,
}  # fmt: skip


def printed(make: Callable[[], None]) -> str:
    """What it prints where there is room."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        known = registry.parse(fake_list.TEXT)
        patch.setattr(registry, "load", lambda: known)
        patch.setattr(console, "out", console.out.__wrapped__)
        patch.setenv("COLUMNS", "200")  # all that there is
        make()
    return out.getvalue()


@pytest.mark.parametrize("name", TABLES)
def test_a_command_prints_its_golden_table(name: str, golden: Callable[[str, str], None]) -> None:
    golden(name, printed(TABLES[name]))
