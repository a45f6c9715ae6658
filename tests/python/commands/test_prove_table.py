"""collscope.commands.prove_table: what the table of verdicts says of failed points."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from collscope.base.grid import Grid
from collscope.commands import prove_table
from collscope.commands.prove_table import Line


def line(ranks: int, kind: str = "ok", **more: object) -> Line:
    """What the prover says of a broadcast of 4 bytes."""
    verdict = {"verdict": "proven" if kind == "ok" else "failed", "kind": kind}
    about = {"collective": "bcast", "algorithm": "bcast/wrong", "type": "float", "vector_bytes": 4, "root": 0}
    return {**about, "ranks": ranks, "status": "ok", "messages": 1, "bytes": 4, **verdict, **more}


def test_a_failed_proof_begins_with_the_failure_and_says_of_what_kind(capsys: pytest.CaptureFixture[str]) -> None:
    prove_table.show(
        [line(1), line(2, "deadlock", failure="rank 0: recv …"), line(3, "unmatched"), line(4, "deadlock")]
    )
    output = capsys.readouterr().out.splitlines()
    assert output[-1].startswith("FAILED: 3 of 4 points (p = 1 … 4, root 0, up to 4 B): 2 deadlock and 1 unmatched")
    assert not any(
        "no deadlock" in text or "recv" in text for text in output
    )  # why it failed is said once, below the table
    assert any(text.rstrip().endswith("FAILED: deadlock") for text in output)


def test_a_whole_proof_says_what_is_proven(capsys: pytest.CaptureFixture[str]) -> None:
    prove_table.show([line(1), line(2)])
    assert "2 of 2 points proven (p = 1 … 2, root 0, up to 4 B): every receive has its send" in capsys.readouterr().out


def test_points_that_took_too_long_or_were_not_tried_are_named_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    late = {k: v for k, v in line(2, "limit", failure="took longer …").items() if k not in ("messages", "bytes")}
    left = line(3) | {"status": "bcast/wrong goes on …", "verdict": None, "kind": "not tried"}
    prove_table.show([line(1), late, left])
    output = capsys.readouterr().out
    assert "FAILED: limit" in output
    assert "— 1 point not tried: bcast/wrong goes on …" in output


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Grid]:
    """The tables that are printed."""
    made: list[Grid] = []
    monkeypatch.setattr(Grid, "show", lambda self: made.append(self))
    return made


@pytest.mark.parametrize(
    ("costs", "exact", "says"),
    [
        (None, True, "—"),
        ([(1.0, None)], True, "—"),
        ([(1.0, 1.0)], True, "exact"),
        ([(3.0, 2.0)], False, "1.50"),
        ([(3.0, 2.0), (1.504, 1.0)], False, "1.50"),
        ([(3.0, 2.0), (1.506, 1.0)], False, "1.50 … 1.51"),
        ([(2.0, 1.0), (1.0, 2.0)], False, "0.50 … 2.00"),
        ([(1.0, 0.0)], False, "—"),
        ([(1.0, 0.0), (2.0, 1.0)], False, "2.00"),
    ],
)
def test_cost_beside_the_critical_path(costs: list[tuple[float, float]] | None, exact: bool, says: str) -> None:
    made = costs and [{"critical_s": critical, "cost_s": cost} for critical, cost in costs]
    assert prove_table.exactness(line(2, costs=made, exact=exact)) == says


def test_a_cost_that_differs_where_exact_holds_is_not_called_exact() -> None:
    assert prove_table.exactness(line(2, "cost", costs=[{"critical_s": 1.0, "cost_s": 2.0}], exact=True)) == "0.50"


def test_missing_data_come_before_a_wrong_cost(shown: list[Grid], capsys: pytest.CaptureFixture[str]) -> None:
    """In the row of a number of ranks, and in the sum; where a cost is wrong nothing is counted as exact."""
    wrong = [line(2, "cost", bytes=64, exact=True), line(2, "result"), line(3, "cost", exact=True), line(3, exact=True)]
    prove_table.show(wrong)
    assert [made.cells[-1] for made in shown[0].lines] == ["FAILED: result", "FAILED: cost"]
    assert capsys.readouterr().out.rstrip().endswith("1 result and 2 cost")
    costs = [{"cost_s": 1.0, "critical_s": 1.0}]
    prove_table.show_many({("bcast", "bcast/wrong"): [each | {"costs": costs} for each in wrong]})
    assert shown[1].lines[0].cells[:5] == ("bcast/wrong", "1", "", "3", "1")


def test_each_number_of_ranks_has_its_failed_point_else_the_one_that_moves_most(shown: list[Grid]) -> None:
    lines = [
        line(2, bytes=8), line(2, bytes=64, rounds=3.0, reduced_bytes=16, messages=5, vector_bytes=2048), line(2, bytes=16),
        line(2, bytes=64, rounds=4.0, reduced_bytes=16, messages=6, vector_bytes=4096),
        line(2, bytes=999, type="affine"),
        line(3, bytes=64), line(3, "data", bytes=8), line(3, bytes=70),
        line(4, bytes=4) | {"status": "no", "verdict": None, "bytes": 99}, line(4, bytes=6, messages=7),
        line(5) | {"status": "no", "verdict": None, "kind": None}, line(6) | {"status": "no", "kind": "not tried"},
    ]  # fmt: skip
    prove_table.show(lines)
    (table,) = shown
    assert table.title == "bcast/wrong"
    assert [(*made.cells, made.style) for made in table.lines] == [
        ("2", "2 KiB", "5", "64 B", "16 B", "3", "—", "proven", ""),
        ("3", "4 B", "1", "8 B", "0 B", "", "—", "FAILED: data", "bold red"),
        ("4", "4 B", "7", "6 B", "0 B", "", "—", "proven", ""),
        ("5", "4 B", *[""] * 5, "unsupported", "dim"),
        ("6", "4 B", *[""] * 5, "not tried", "dim"),
    ]


@pytest.mark.parametrize(
    ("most", "shows", "hidden"),
    [(16, list(range(1, 17)), 0), (17, [*range(1, 10), 12, 16, 17], 5), (50, [*range(1, 10), 12, 16, 24, 32, 48, 50], 35)],
)  # fmt: skip
def test_many_numbers_of_ranks_are_shortened(
    shown: list[Grid], capsys: pytest.CaptureFixture[str], most: int, shows: list[int], hidden: int
) -> None:
    prove_table.show(
        [line(p, vector_bytes=n) for p in range(1, most + 1) for n in (4, 8)]
    )  # a line for each number of them
    assert [int(made.cells[0]) for made in shown[0].lines] == shows
    output = capsys.readouterr().out
    assert (f"({hidden} more numbers of ranks are not shown; --json has all)" in output) == bool(hidden)
    assert "more numbers" not in output or hidden


def test_many_algorithms_have_a_line_each_and_sums(shown: list[Grid], capsys: pytest.CaptureFixture[str]) -> None:
    priced: dict[str, Any] = {"costs": [{"critical_s": 1.0, "cost_s": 1.0}]}
    unpriced: dict[str, Any] = {"costs": [{"critical_s": 1.0, "cost_s": None}]}
    none = line(4) | {"status": "no", "verdict": None}
    made = [
        line(2, **priced, exact=1), line(3, **priced, exact=0), none,
        *(each | {"algorithm": "bcast/b"} for each in (line(2, **unpriced), line(3, "data", **unpriced))),
        none | {"algorithm": "bcast/c"},
        *(each | {"algorithm": "decision/d"} for each in (line(2), line(2) | {"collective": "reduce"})),
    ]  # fmt: skip
    prove_table.show(made)
    assert [(*each.cells, each.style) for each in shown[0].lines] == [
        ("bcast/wrong", "2", "1", "", "1", "proven", ""),
        ("bcast/b", "1", "", "1", "—", "FAILED", "bold red"),
        ("bcast/c", "0", "1", "", "—", "nothing to prove", ""),
        ("decision/d (bcast)", "1", "", "", "—", "proven", ""),
        ("decision/d (reduce)", "1", "", "", "—", "proven", ""),
    ]
    output = "5 algorithms, p = 2 … 4, root 0, up to 4 B: 5 points proven, 2 unsupported, 1 failed"
    assert capsys.readouterr().out.strip() == output


@pytest.mark.parametrize(
    ("ranks", "roots", "says"),
    [
        ([4], [0], "p = 4, root 0"),
        ([4], [3], "p = 4, root 3"),
        ([2, 3, 4], [0, 1], "p = 2 … 4, roots 0 and 1"),
        ([2, 4], [0], "p = 2 and 4, root 0"),
        ([1, 2, 3, 4, 5, 6, 7, 9], [0], "p = 1, 2, 3, 4, 5, 6, 7 and 9, root 0"),
        ([1, 2, 3, 4, 5, 6, 7, 8, 10], [0], "9 numbers of ranks, root 0"),
        ([8], [0, 1, 2, 3], "p = 8, roots 0, 1, 2 and 3"),
        ([8], [0, 1, 2, 3, 4], "p = 8, roots 0, 1 and p-1"),
    ],
)
def test_ranks_and_roots_of_a_proof_are_summed_up(ranks: list[int], roots: list[int], says: str) -> None:
    lines = [line(p, vector_bytes=p) | {"root": r} for p, r in itertools.product(ranks, roots)]
    assert prove_table.sizes_of(lines) == f"{says}, up to {max(ranks)} B"


def test_reasons_of_unsupported_points_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    none = {"verdict": None, "status": "needs 2", "kind": None}
    prove_table.summary([line(1), line(2) | none, line(3) | none, line(4) | none | {"status": "other"}])
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "— 2 points unsupported: needs 2",
        "— 1 point unsupported: other",
    ]
    prove_table.summary([line(2) | none])
    assert "proven" not in capsys.readouterr().out
