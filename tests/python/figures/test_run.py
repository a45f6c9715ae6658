"""Figures of any table: whatever varies is shown."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from collscope.figures import files
from collscope.figures.run import run_figure
from collscope.points import table


def row(**cells: object) -> table.Row:
    base = {"source": "sim", "platform": "ideal", "nodes": 4, "ranks": 16, "mapping": "block", "collective": "bcast",
            "algorithm": "bcast/mst",
            "bytes": 1024, "block_bytes": 1024, "type": "float", "in_place": 0, "root": 0, "metric": "makespan", "launches": 1,
            "repetitions": 1, "status": "ok"}  # fmt: skip
    seconds = cells.pop("seconds", 1e-6)
    return table.make_row(**{**base, **cells}, **dict.fromkeys(("median_s", "q1_s", "q3_s", "min_s", "max_s"), seconds))


def figure(*rows: table.Row) -> Figure:
    return run_figure(table.to_frame(rows))


@pytest.mark.parametrize(
    ("vary", "panels", "axis"),
    [
        ({"bytes": [1024, 2048, 4096]}, 1, "size of the vector"),
        ({"ranks": [2, 4, 8]}, 1, "ranks"),
        ({"nodes": [2, 4, 8]}, 1, "nodes"),
        ({"bytes": [4, 8], "nodes": [2, 4]}, 2, "size of the vector"),
        ({"bytes": [4, 8], "source": ["sim", "real", "model", "bound"]}, 1, "size of the vector"),
        ({"bytes": [4, 8], "collective": ["bcast", "reduce"]}, 2, "size of the vector"),
    ],
)
def test_run_figure_shows_whatever_varies(vary: dict[str, list[object]], panels: int, axis: str) -> None:
    points: list[dict[str, object]] = [{}]
    for name, values in vary.items():
        points = [{**p, name: v} for p in points for v in values]
    made = figure(*(row(**p, seconds=1e-6 * (k + 1)) for k, p in enumerate(points)))
    assert len(made.axes) == panels
    assert made.axes[0].get_xlabel() == axis
    assert files.render(made, "png")


def test_run_figure_says_what_no_axis_says() -> None:
    made = figure(row(mapping="cyclic", metric="root"), row(algorithm="bcast/linear", mapping="cyclic", metric="root"))
    assert made.texts[0].get_text() == "bcast · 1 KiB · 16 ranks · 4 nodes · ideal · cyclic · root"
    plain = figure(row(), row(bytes=2048)).axes[0].get_title(loc="left")
    assert plain == "bcast · 16 ranks · 4 nodes · ideal"


def test_run_figure_ranks_algorithms_where_nothing_else_varies() -> None:
    times = {"bcast/mst": 3e-6, "bcast/linear": 1e-6, "bcast/binomial[s=0]": 2e-6}
    rows = [
        row(algorithm=key, seconds=factor * seconds, source=source)
        for source, factor in (("sim", 1), ("real", 2))
        for key, seconds in times.items()
    ]
    ax = figure(*rows, row(algorithm="bound/telephone", source="bound", seconds=5e-7)).axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["linear", "binomial[s=0]", "mst"]
    assert ax.yaxis_inverted()  # the first on top
    assert [t.get_text() for t in ax.texts] == ["1 µs", "2 µs", "3 µs"]
    assert len(figure(row(), row(algorithm="reduce/mst", collective="reduce")).axes) == 2


def test_run_figure_leaves_out_what_has_no_time() -> None:
    made = figure(
        row(), row(bytes=2048, status="p=6 is not a power of two", seconds=None), row(bytes=4096, seconds=2e-6)
    )
    assert list(made.axes[0].lines[0].get_xdata()) == [1024, 4096]
    with pytest.raises(ValueError, match="nothing to draw"):
        figure(row(status="simulation failed", seconds=None))
