"""collscope.commands.run_table: the table that `run` prints."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.base.grid import Grid
from collscope.catalogue.registry import Registry
from collscope.commands import run_table
from collscope.points.table import Row, make_row
from collscope.sources import bounds

BASE: dict[str, Any] = {
    "platform": "tiny", "nodes": 1, "ranks": 2, "mapping": "block", "collective": "bcast", "bytes": 4, "block_bytes": 4,
    "type": "float", "in_place": 0, "root": 0, "metric": "makespan", "status": "ok",
}  # fmt: skip


def row(source: str, algorithm: str, seconds: float, **more: Any) -> Row:
    times = dict.fromkeys(("median_s", "q1_s", "q3_s"), seconds)
    return make_row(**(BASE | times | {"source": source, "algorithm": algorithm} | more))


def column(made: Grid, name: str) -> list[str]:
    place = [column.name for column in made.columns].index(name)
    return [line.cells[place] for line in made.lines]


def test_winners_are_about_the_last_source(known: Registry) -> None:
    times = {("sim", "a"): 1.0, ("sim", "b"): 2.0, ("real", "a"): 3.0, ("real", "b"): 1.5}
    made = run_table.make_table([row(s, f"bcast/{a}", t) for (s, a), t in times.items()], [])
    assert [c.name for c in made.columns] == [
        "bytes", "algorithm", "sim", "real", "quartiles", "× fastest", "real/sim",
    ]  # fmt: skip
    assert column(made, "× fastest") == ["2.00", "1.00"]
    assert [line.style for line in made.lines] == ["", "bold green"]


def test_a_time_of_zero_is_a_time_and_what_has_none_has_no_time(known: Registry) -> None:
    made = run_table.make_table([row("sim", "bcast/a", 0.0), row("sim", "bcast/b", 2.0, median_s=None)], [])
    assert column(made, "sim") == ["0 s", "—"]


def test_ratios_are_to_the_bound_that_holds(known: Registry) -> None:
    limits = [row("bound", bounds.TELEPHONE, 4.0), row("bound", bounds.LOGGP, 1.0)]
    made = run_table.make_table([row("sim", "bcast/a", 2.0)], limits)
    assert "telephone" not in [c.name for c in made.columns]  # which nobody asked for
    assert column(made, "bound") == ["1.000 s"]
    assert column(made, "× bound") == ["2.00"]
    made = run_table.make_table([row("sim", "bcast/a", 2.0), *limits], limits)
    assert column(made, "telephone") == ["4.000 s"]
    assert column(made, "× bound") == ["2.00"]


def test_no_bound_holds_of_another_metric(known: Registry) -> None:
    made = run_table.make_table([row("sim", "bcast/a", 0.5, metric="root")], [row("bound", bounds.LOGGP, 1.0)])
    assert not {"bound", "× bound"} & {c.name for c in made.columns}


def cells(made: Grid) -> list[tuple[str, ...]]:
    return [tuple(line.cells) for line in made.lines]


def test_a_block_of_lines_for_each_call(known: Registry) -> None:
    """The size once, a rule above each further block, the fastest of at least two marked, ties both."""
    more = {"bytes": 2048, "block_bytes": 1024}
    rows = [
        row("sim", "bcast/a", 2.0), row("sim", "bcast/b", 1.0), row("sim", "bcast/c", 1.0),
        row("sim", "bcast/a", 30.0, **more), row("sim", "bcast/b", 2.0, **more),
        row("sim", "bcast/a", 5.0, bytes=8, block_bytes=8),
    ]  # fmt: skip
    made = run_table.make_table(rows, [])
    assert [c.name for c in made.columns] == ["bytes", "block", "algorithm", "sim", "× fastest"]
    assert cells(made) == [
        ("4 B", "4 B", "a", "2.000 s", "2.00"),
        ("", "", "b", "1.000 s", "1.00"),
        ("", "", "c", "1.000 s", "1.00"),
        ("2 KiB", "1 KiB", "a", "30.00 s", "15.0"),
        ("", "", "b", "2.000 s", "1.00"),
        ("8 B", "8 B", "a", "5.000 s", "1.00"),
    ]
    assert [line.style for line in made.lines] == ["", "bold green", "bold green", "", "bold green", ""]
    assert [line.ruled for line in made.lines] == [False, False, False, True, False, False]
    assert made.title == "bcast · tiny · 2 ranks on 1 node · makespan"
    far = run_table.make_table([row("sim", "bcast/a", 1.0, nodes=2, mapping="cyclic", metric="root")], [])
    assert far.title == "bcast · tiny · 2 ranks on 2 nodes, cyclic · root"
    near = run_table.make_table([row("sim", "bcast/a", 1.0, mapping="socket")], [])
    assert near.title == "bcast · tiny · 2 ranks on 1 node, socket · makespan", (
        "sockets are told apart on one node, too"
    )


def test_sources_stand_side_by_side_with_what_has_no_time(known: Registry) -> None:
    rows = [
        row("model", "bcast/a", 2.0), row("sim", "bcast/a", 3.0), row("sim", "bcast/b", 4.0),
        row("real", "bcast/a", 6.0, q1_s=5.0, q3_s=7.0), make_row(**BASE | {"source": "real", "algorithm": "bcast/b"}),
        row("real", "bcast/d", 8.0, chose="bcast/x"), row("sim", "bcast/d", 4.0, chose=""),
    ]  # fmt: skip
    made = run_table.make_table(rows, [])
    heads = ["bytes", "algorithm", "model", "sim", "real", "quartiles", "× fastest", "real/model", "real/sim", "chose"]
    assert [c.name for c in made.columns] == heads
    assert cells(made) == [
        ("4 B", "a", "2.000 s", "3.000 s", "6.000 s", "5.000 s … 7.000 s", "1.00", "3.00", "2.00", ""),
        ("", "b", "", "4.000 s", "—", "", "", "", "", ""),
        ("", "d", "", "4.000 s", "8.000 s", "8.000 s … 8.000 s", "1.33", "", "2.00", "x"),
    ]
    assert [c.goes for c in made.columns] == [0, 0, 3, 3, 0, 9, 1, 2, 2, 0]


@pytest.mark.parametrize(
    ("calls", "metric", "heads"),
    [
        ((), "makespan", ["bytes", "algorithm", "bound", "sim", "× fastest", "× bound"]),
        ((bounds.TELEPHONE,), "makespan", ["bytes", "algorithm", "bound", "telephone", "sim", "× fastest", "× bound"]),
        ((bounds.LOGGP, bounds.TELEPHONE), "root", ["bytes", "algorithm", "bound", "telephone", "sim", "× fastest"]),
        ((bounds.TELEPHONE,), "root", ["bytes", "algorithm", "telephone", "sim", "× fastest"]),
        ((), "root", ["bytes", "algorithm", "sim", "× fastest"]),
    ],
)
def test_bounds_are_shown_where_they_hold_or_are_requested(
    known: Registry, calls: tuple[str, ...], metric: str, heads: list[str]
) -> None:
    limits = [row("bound", kind, 1.0, metric=metric) for kind in (bounds.LOGGP, bounds.TELEPHONE)]
    rows = [row("sim", "bcast/a", 2.0, metric=metric), *(limit for limit in limits if limit["algorithm"] in calls)]
    assert [c.name for c in run_table.make_table(rows, limits).columns] == heads


def test_bounds_alone_are_a_line_a_size(known: Registry) -> None:
    limits = [row("bound", kind, t) for kind, t in ((bounds.LOGGP, 1.0), (bounds.TELEPHONE, 2.0))]
    made = run_table.make_table(limits, limits)
    assert [(c.name, c.goes) for c in made.columns] == [("bytes", 0), ("bound", 0), ("telephone", 0)]
    assert cells(made) == [("4 B", "1.000 s", "2.000 s")]


@pytest.mark.parametrize(
    ("time", "base", "says"),
    [(1.0, None, ""), (None, 1.0, ""), (1.0, 0.0, ""), (1.234, 1.0, "1.23"), (9.99, 1.0, "9.99"), (10.0, 1.0, "10.0"),
     (99.94, 1.0, "99.9"), (100.0, 1.0, "100"), (0.5, 2.0, "0.25")],
)  # fmt: skip
def test_ratios_have_three_digits(time: float | None, base: float | None, says: str) -> None:
    assert run_table._ratio(time, base) == says


def test_a_table_for_each_layout_and_each_reason_once(known: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    bad = {"status": "needs [2]", "kind": "unsupported", "median_s": None}
    rows = [row("sim", "bcast/a", 1.0), row("sim", "bcast/b", 1.0) | bad, row("real", "bcast/b", 1.0, bytes=8) | bad]
    run_table.show([*rows, row("sim", "bcast/a", 1.0, ranks=4)], [])
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if "·" in line] == [
        "bcast · tiny · 2 ranks on 1 node · makespan",
        "bcast · tiny · 4 ranks on 1 node · makespan",
    ]
    assert out.splitlines()[-1] == "— sim/real bcast/b: needs [2] (2 points)"
    run_table.reasons(rows[1:2])
    assert capsys.readouterr().out == "— sim bcast/b: needs [2]\n"


def test_columns_go_in_order_where_a_terminal_is_narrow(known: Registry) -> None:
    """What can be worked out from others goes first; sizes, keys, the last source's times and what was chosen stay."""
    kinds = (bounds.LOGGP, bounds.TELEPHONE)
    limits = [row("bound", kind, 1.0, block_bytes=block) for kind in kinds for block in (2, 4)]
    rows = [
        row("model", "bcast/a", 1.0, block_bytes=2, noise_low_s=0.5, noise_high_s=2.0), row("sim", "bcast/a", 2.0, block_bytes=2),
        row("real", "bcast/a", 2.0, block_bytes=2, chose="bcast/b"), *limits,
    ]  # fmt: skip
    made = run_table.make_table(rows, limits)
    assert {column.name: column.goes for column in made.columns} == {
        "bytes": 0, "block": 6, "algorithm": 0, "bound": 5, "telephone": 7, "model": 3, "5 … 95 %": 9, "sim": 3, "real": 0,
        "quartiles": 9, "× fastest": 1, "× bound": 4, "real/model": 2, "real/sim": 2, "chose": 0,
    }  # fmt: skip
    assert [c.name for c in made.columns if not c.right] == ["algorithm", "chose"]
    assert {c.name for c in made.columns if c.style} == {"bound", "telephone"}
    late = ("4 B", "4 B", "", "1.000 s", "1.000 s", *[""] * 10)
    assert cells(made)[1:] == [late], "what is not timed yet has its bounds"


@pytest.mark.parametrize(
    ("moved", "names"),
    [
        ({"network_bytes": 10, "link_bytes": 2048}, ["between nodes", "over links"]),
        ({"network_bytes": 10, "link_bytes": 2048, "global_bytes": 512}, ["between nodes", "over global links"]),
        ({"network_bytes": 10}, ["between nodes", "over links"]),
        ({}, []),
    ],
)
def test_bytes_over_links_are_those_over_global_links_where_there_are_such(
    known: Registry, moved: dict[str, int], names: list[str]
) -> None:
    made = run_table.make_table([row("model", "bcast/a", 1.0, **moved), row("model", "bcast/b", 1.0)], [])
    assert [c.name for c in made.columns if c.name in run_table.MOVED.values()] == names
    if "global_bytes" in moved:
        assert column(made, "over global links") == ["512 B", ""]
    if names:
        assert column(made, "between nodes") == ["10 B", ""]


def test_overlap_stands_beside_what_was_available(known: Registry) -> None:
    """In per cent; nothing where it is not known."""
    rows = [row("model", "bcast/a", 1.0, overlap=0.25, available=0.9999), row("model", "bcast/b", 1.0)]
    made = run_table.make_table(rows, [])
    assert (column(made, "overlap"), column(made, "available")) == (["25.0 %", ""], ["100.0 %", ""])
    assert [c.name for c in made.columns if not c.right] == ["algorithm"], "numbers end below one another"
    plain = run_table.make_table([row("model", "bcast/a", 1.0)], [])
    assert not {"overlap", "available"} & {c.name for c in plain.columns}
