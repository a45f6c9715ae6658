"""collscope.commands.decide_table: what decision tables take, as tables."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.base.grid import KEY, WHOLE, WORDS, Grid
from collscope.commands import decide_table


def rule(number: int, **more: Any) -> dict[str, Any]:
    plain = {
        "ranks": (16, 31),
        "unit": "vector",
        "bytes": (4096, 8192),
        "block": (0, 0),
        "elements": "",
        "number_of_ranks": "",
    }
    flags = {"commutes": -1, "in_place": False, "root_zero": False, "bytes_multiple": 0, "line": None}
    return {"number": number, **plain, **flags, **more}


LINES = [
    {"decision": "decision/ompi_4_1", "chose": "allreduce/ring", "status": "ok", "rule": rule(7, commutes=1)},
    {"decision": "decision/mpich_4", "chose": None, "status": "no row", "rule": None},
    {"decision": "decision/x", "chose": "allreduce/a[k=4,s=0]", "status": "refused", "rule": rule(12, ranks=(4, 0))},
]


def test_a_call_and_which_columns_go_first_where_a_terminal_is_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Grid] = []
    monkeypatch.setattr(Grid, "show", lambda made: shown.append(made))
    decide_table.show(LINES)
    (table,) = shown
    assert [(c.name, c.goes, c.right, c.pieces) for c in table.columns] == [
        ("decision", 0, False, KEY),
        ("takes", 0, False, KEY),
        ("rule", 3, True, WHOLE),
        ("ranks", 2, False, WHOLE),
        ("sizes", 1, False, WORDS),
        ("needs", 4, False, WORDS),
    ]
    size = "vector 4 KiB … below 8 KiB"
    assert [line.cells for line in table.lines] == [
        ("decision/ompi_4_1", "allreduce/ring", "7", "16 … 31", size, "an operator that commutes"),
        ("decision/mpich_4", "nothing: no row", "—", "—", "—", "—"),
        ("decision/x", "allreduce/a[k=4,s=0]: refused", "12", "from 4", size, "—"),
    ]
