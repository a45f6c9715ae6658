"""collscope.figures.schedule.gantt: when each rank does what: bars, their edges and words, the scale below and the key above."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from collscope.figures.schedule import gantt, sheet
from collscope.figures.schedule.rounds import round_colour
from collscope.schedules.trace import Message, Span, Trace
from made_trace import US, made_trace


def one(seconds: float, **more: object) -> Trace:
    """A message from rank 0 to rank 1 that takes so long, from the second second on."""
    message = Message(0, 1, 8, 1, 1.0, 1.0 + seconds, 0, 0, **more)  # type: ignore[arg-type]
    return made_trace(messages=(message,), transfers=(), rounds=1)


def boxes(ax: Axes, edged: bool) -> list[tuple[float, ...]]:
    """Left, right, top, bottom of the bars with or without an edge, those of one colour together."""
    found = []
    for patch in ax.patches:
        if bool(patch.get_linewidth()) == edged:
            at = np.asarray(patch.get_path().vertices).reshape(-1, 5, 2)
            found += [(*np.unique(x[:, 0]), *np.unique(x[:, 1])) for x in at]
    return found


@pytest.mark.parametrize(
    ("seconds", "lane", "edged", "size"),
    [
        (1.0, 0.4, True, 8.0),
        (0.161, 0.4, True, 8.0),
        (0.159, 0.4, True, None),
        (0.041, 0.4, True, None),
        (0.039, 0.4, False, None),
        (1.0, 0.206, True, 60 * 0.39 * 0.206),
        (1.0, 0.204, True, None),
        (1.0, 0.103, True, None),
        (1.0, 0.102, False, None),
    ],
)
def test_a_bar_has_an_edge_and_a_number_where_there_is_room(
    seconds: float, lane: float, edged: bool, size: float | None, ax: Axes
) -> None:
    gantt._bars(ax, one(seconds), 1.0, lane)
    assert boxes(ax, not edged) == []
    end = pytest.approx(1 + seconds)
    found = boxes(ax, edged)
    assert found == [(1, end, -0.42, pytest.approx(-0.03)), (1, end, pytest.approx(1.03), pytest.approx(1.42))]
    printed = [(t.get_text(), t.get_position(), t.get_fontsize()) for t in ax.texts]
    middle = pytest.approx(1 + seconds / 2)
    high = [-0.42 + 0.39 * 0.52, 1.03 + 0.39 * 0.52]
    words = [("→1", (middle, pytest.approx(high[0])), size), ("←0", (middle, pytest.approx(high[1])), size)]
    assert printed == (words if size else [])


def test_work_that_takes_no_time_is_a_hair(ax: Axes) -> None:
    gantt._bars(ax, one(0.0), 2.0, 0.4)
    assert [box[:2] for box in boxes(ax, False)] == [(1, 1.004)] * 2


def test_a_sender_that_is_free_leaves_a_thin_line(ax: Axes) -> None:
    gantt._bars(ax, one(2.0, sent_s=2.0), 1.0, 0.4)
    middle = -0.42 + 0.39 / 2
    assert boxes(ax, False) == [(2, 3, pytest.approx(middle - 0.05), pytest.approx(middle + 0.05))]
    assert [box[:2] for box in boxes(ax, True)] == [(1, 2), (1, 3)]
    assert ax.texts[0].get_position()[0] == 1.5
    at_once = Axes(Figure(), (0, 0, 1, 1))
    t = made_trace(messages=tuple(Message(0, k, 8, 1, 0.0, 4.0, 0, 0, sent_s=1.0) for k in (1, 2)), transfers=())
    gantt._bars(at_once, t, 1.0, 0.4)
    thin = [box[3] - box[2] for box in boxes(at_once, False)]
    assert thin == pytest.approx([2 * 0.2 * 0.39 / 2] * 2), "of half a lane a fifth at either side"
    ends = [box[2:] for box in boxes(at_once, True)][:2]
    assert ends == [pytest.approx((-0.42, -0.42 + 0.195 * 0.94)), pytest.approx((-0.225, -0.225 + 0.195 * 0.94))]


def test_colours_of_bars(ax: Axes) -> None:
    gantt._bars(ax, replace(one(1.0), rounds=2), 1.0, 0.4)
    first = round_colour(1, 2)
    assert [p.get_facecolor() for p in ax.patches] == [to_rgba(first), to_rgba(sheet.light(first, 0.5))]
    assert [p.get_edgecolor() for p in ax.patches] == [to_rgba("white")] * 2
    gantt._bars(ax, replace(one(1.0), ranks=33), 1.0, 0.4)
    assert [p.get_linewidth() for p in ax.patches] == [0.5, 0.5, 0, 0]
    gantt._bars(ax, replace(one(1.0), ranks=32), 1.0, 0.4)
    assert [p.get_linewidth() for p in ax.patches[4:]] == [0.5, 0.5]


@pytest.mark.parametrize(("arrows", "ranks", "drawn"), [(1, 4, 0), (2, 4, 2), (48, 16, 48), (49, 16, 0), (48, 17, 0)])
def test_few_messages_have_lines_to_their_receivers(
    arrows: int, ranks: int, drawn: int, ax: Axes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rank_labels", "_bars"):
        monkeypatch.setattr(gantt, name, lambda *_: None)
    messages = tuple(Message(k % 2, 1 - k % 2, 8, 1, k * US, (k + 1) * US, 0, 0) for k in range(arrows))
    t = made_trace(ranks=ranks, messages=messages, transfers=(), spans=(), nodes=(), rank_end_s=(1.0,) * ranks)
    gantt._lanes(ax, t, 1.0, 1.0, 1.0)
    points = [np.asarray(p.get_path().vertices) for p in ax.patches if p.get_zorder() == 2]
    assert sum(map(len, points)) == 2 * drawn
    if drawn:  # down to the upper edge of the receiver's bar, up to the lower one
        assert points[0][:4].tolist() == [[0, -0.03], [0, 1.03], [US, 0.97], [US, 0.42]]


@pytest.mark.parametrize(("ranks", "lane", "mark"), [(32, 0.7, 1.1), (33, 0.4, 0.7)])
def test_many_lanes_are_thin(ranks: int, lane: float, mark: float, ax: Axes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gantt, "rank_labels", lambda *_: None)
    starts = tuple(0.1 * r for r in range(ranks))
    t = made_trace(
        ranks=ranks, messages=(), transfers=(), spans=(), nodes=(), rank_end_s=(9.0,) * ranks, rank_start_s=starts
    )
    gantt._lanes(ax, t, 9.0, 1.0, 1.0)
    lanes, ends = (next(p for p in ax.patches if p.get_zorder() == z) for z in (1, 4))
    assert (lanes.get_linewidth(), ends.get_linewidth()) == (lane, mark)
    at = np.asarray(lanes.get_path().vertices)
    assert at[2:4].tolist() == [[0.1, 1], [9, 1]]
    assert np.asarray(ends.get_path().vertices)[2:4].tolist() == [[9, 0.7], [9, 1.3]]


def test_the_sheet_has_room_for_lanes_and_captions(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_lanes", "_key", "_time_ticks"):
        monkeypatch.setattr(gantt, name, lambda *_: None)

    def size(ranks: int, sources: int = 1, **more: object) -> tuple[float, float]:
        t = made_trace(ranks=ranks, rank_end_s=(0.0,) * ranks, spans=(), transfers=(), **more)
        t = replace(t, messages=t.messages[1:])
        fig = gantt.gantt([t] * sources)
        assert [ax.get_xlim() for ax in fig.axes] == [(0, pytest.approx(8 * US * 1.002))] * sources
        return fig.get_figwidth(), fig.get_figheight()

    head, foot, caption = sheet.HEAD, 0.62, 0.36
    assert size(4) == pytest.approx((9.6, head + 2.4 + foot))
    assert size(20) == pytest.approx((9.6, head + 8 + foot))
    assert size(21) == pytest.approx((11, head + 8 + foot))
    assert size(32, 2) == pytest.approx((11, head + 2 * (8 + caption) + foot))
    assert size(33, 2) == pytest.approx((11, head + 2 * (6.4 + caption) + foot))
    assert size(33) == pytest.approx((11, head + 8 + foot))
    names = (0.46 + 0.062 * 5, 0.46 + 0.062 * 8)
    monkeypatch.setattr(gantt, "round_key_width", lambda _: 9.0)
    assert size(4)[0] == pytest.approx(0.09 + 9 + 0.3 + sum(names) + 0.12)


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
