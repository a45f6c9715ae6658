"""collscope.figures.schedule.gantt: when each rank does what: bars, their edges and words, the scale below and the key above."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matplotlib.axes import Axes

from collscope.figures.schedule import gantt
from collscope.figures.schedule.rounds import round_colour
from collscope.schedules.trace import Span
from made_trace import made_trace


def test_the_key_names_what_is_drawn() -> None:
    t = made_trace()
    assert [(shape, text) for shape, text, _ in gantt._names([t])] == [
        ("bar", "sends"), ("bar", "receives"), ("line", "on its way, sender free"), ("bar", "overhead"), ("bar", "combines"),
        ("bar", "copies"), ("band", "waits"), ("hatch", "send waits for its receiver"),
    ]  # fmt: skip
    for kind, text in (
        ("take", "overhead"),
        ("post", "overhead"),
        ("reduce", "combines"),
        ("blocked", "send waits for its receiver"),
    ):
        some = replace(t, messages=t.messages[1:2], transfers=(), spans=(Span(0, kind, 0, 1),))
        assert [name[1] for name in gantt._names([some])] == ["sends", "receives", text]
        bare = replace(some, spans=())
        assert [name[1] for name in gantt._names([bare, some])] == ["sends", "receives", text], "of any source"
    assert gantt._names([replace(t, rounds=1)])[0][2] == round_colour(1, 2)


@pytest.mark.parametrize(
    ("end", "own", "panel", "ticks", "printed"),
    [
        (8e-6, 8e-6, 9, 9, ["0 µs", "1", "2", "3", "4", "5", "6", "7", "8 µs"]),
        (8e-6, 4.5e-6, 9, 9, ["0 µs", "1", "2", "3", "6", "7", "8", "4.5 µs"]),  # those beside its own end give way
        (8e-6, 8e-6, 1.0, 2, ["0 µs", "8 µs"]),
        (3.0, 3.0, 2.7, 4, ["0 s", "1", "2", "3 s"]),
        (2e-3, 2e-3, 1.0, 3, ["0 ms", "2 ms"]),
        (1e-3, 1e-3, 3.6, 3, ["0 ms", "0.5", "1 ms"]),
        (5e-10, 5e-10, 9, 11, ["0 ns", *(f"{k / 20:g}" for k in range(1, 10)), "0.5 ns"]),
        (10.005e-6, 10.005e-6, 9, 11, ["0 µs", *"123456789", "10 µs"]),  # as good as ten steps
        (9.9995e-6, 9.9995e-6, 9, 11, ["0 µs", *"123456789", "10 µs"]),
    ],
)
def test_a_scale_of_times(end: float, own: float, panel: float, ticks: int, printed: list[str], ax: Axes) -> None:
    ax.set_ylim(3.5, -0.5)
    gantt._time_ticks(ax, end, own, panel, True)
    assert [t.get_text() for t in ax.texts] == printed
    assert [line.get_zorder() for line in ax.lines] == [0.5] * ticks + [2]
    assert list(ax.lines[-1].get_xdata()) == [own, own] and list(ax.lines[0].get_ydata()) == [3.5, -0.5]
    gantt._time_ticks(ax, end, own, panel, False)
    assert len(ax.texts) == len(printed) and len(ax.lines) == 2 * (ticks + 1)


def test_ports_are_of_both_ends() -> None:
    t = made_trace(transfers=())
    a, b, c, d = t.messages
    assert gantt.ports(t) == {
        (0, True): [(a, 0, 2), (b, 1, 2)],
        (1, False): [(a, 0, 1), (d, 0, 1)],
        (2, False): [(b, 0, 1)],
        (2, True): [(c, 0, 2), (d, 1, 2)],
        (3, False): [(c, 0, 1)],
    }
