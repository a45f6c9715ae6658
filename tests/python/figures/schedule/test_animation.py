"""collscope.figures.schedule.animation: messages on their way."""

from __future__ import annotations

import dataclasses
import io
import itertools
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import same_picture
from collscope.base import programs
from collscope.base.units import format_time
from collscope.figures.schedule import animation
from collscope.figures.schedule.animation import FRAME_MS, FRAMES, REST_MS
from collscope.figures.schedule.rounds import round_colour
from made_trace import US, made_trace
from traced import traced

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def test_animated_svg_has_a_dot_a_message_and_a_ring_an_arrival() -> None:
    t = traced("allreduce/recursive_doubling", 8)
    root = ElementTree.fromstring(animation.svg(t))
    name = "{http://www.w3.org/2000/svg}"
    dots = root.findall(f".//{name}animateMotion")
    assert len(dots) == len(t.messages) == 24
    rings = [c for c in root.findall(f".//{name}circle") if c.get("fill") == "none"]
    assert len(rings) == 8 + len(t.messages)
    for dot in dots:  # in order, or browsers refuse it
        keys = [float(k) for k in str(dot.get("keyTimes")).split(";")]
        assert keys == sorted(keys) and keys[0] == 0 and keys[-1] == 1


def test_no_line_of_a_frame_is_cut_off_at_the_right() -> None:
    t = made_trace()
    frame = animation.frames(dataclasses.replace(t, transfers=t.transfers * 24))[0]
    assert (frame[:, -1] == 255).all() and (frame[:, -40] < 255).any(), "the longest line ends just before the edge"


def test_animated_svg_has_the_clock_of_the_gif() -> None:
    """At each moment one text is seen, and it says the round and the time of the trace."""
    t = traced("allgather/bucket", 5)
    root = ElementTree.fromstring(animation.svg(t))
    name = "{http://www.w3.org/2000/svg}"
    shown: list[tuple[float, float, str]] = []
    for text in root.iter(f"{name}text"):
        change = text.find(f"{name}animate")
        if change is None:
            continue
        times = [float(k) for k in str(change.get("keyTimes")).split(";")]
        values = str(change.get("values")).split(";")
        assert len(times) == len(values) and times[0] == 0 and times == sorted(times)
        at = times[values.index("1")]
        shown.append((at, (times[values.index("1") + 1 :] or [1.0])[0], str(text.text)))
    assert shown[0][0] == 0 and shown[-1][1] == 1
    assert all(a[1] == b[0] < b[1] for a, b in itertools.pairwise(shown))
    moving = FRAME_MS * animation.frame_count(t) / (FRAME_MS * animation.frame_count(t) + REST_MS)
    assert shown[0][2].startswith("round 1 of 4") and shown[-1][2] == f"round 4 of 4 · {format_time(t.time_s)}"
    assert shown[-1][0] == pytest.approx(moving, abs=1e-3)
    assert len(shown) >= 40


def test_an_animated_svg_is_the_kept_one(tmp_path: Path) -> None:
    same_picture.check(animation.svg(made_trace()), same_picture.EXPECTED / "animation.svg", tmp_path)


def test_frames_show_messages_in_flight_and_arrivals() -> None:
    """The colour of a round where its dot is and, once it is there, around the receiver."""
    t = made_trace(transfers=())
    scene = animation.scene_of(t)
    shown = animation.frames(t)
    assert len(shown) == FRAMES[0] + 1  # two rounds are few
    scene.fig.set_dpi(animation.DPI)
    tall = shown[0].shape[0]

    def colour(frame: int, at: np.ndarray) -> np.ndarray:
        x, y = scene.ax.transData.transform(at)
        return np.asarray(shown[frame][tall - 1 - int(y), int(x)]) / 255

    path = scene.stage.path(2, 3)  # from 5.5 to 7 of 8 µs, the second round
    around = [scene.stage.at[3] + np.array([0, k / 10 * scene.stage.size]) for k in range(8, 16)]
    second = round_colour(2, 2)
    assert np.allclose(colour(31, path[round(0.4667 * (len(path) - 1))]), second, atol=0.02)  # at 6.2 µs
    assert not np.allclose(colour(36, path[len(path) // 2]), second, atol=0.1)
    for frame, there in ((34, False), (35, True), (36, True)):
        assert any(np.allclose(colour(frame, at), second, atol=0.05) for at in around) == there
    assert [[k for _, k in turns] for turns in animation.arrivals(t)] == [[0], [1, 2], [1], [2]]
    assert len(animation.palette(t)) == 3 * 256


@pytest.mark.parametrize(
    ("us", "printed"), [(0.5, "500.0 ns"), (1.0, "round 1 of 2 · 1 µs"), (5.5, "round 2 of 2 · 5.5 µs")]
)
def test_the_clock_says_the_last_round_that_has_begun(us: float, printed: str) -> None:
    assert animation.clock(made_trace(transfers=()), us * US) == printed


def test_a_gif_plays_at_its_pace_and_rests_at_the_end() -> None:
    with Image.open(io.BytesIO(animation.gif(made_trace()))) as image:
        times = []
        for frame in range(image.n_frames):  # type: ignore[attr-defined]
            image.seek(frame)
            times.append(image.info["duration"])
        assert image.info["loop"] == 0
    assert times[-1] == REST_MS and sum(times) == FRAME_MS * FRAMES[0] + REST_MS


def test_a_gif_has_the_colours_of_its_frames() -> None:
    """256 of them are enough: what is drawn differs from what was to be drawn by what nobody sees, and in few places at that."""
    t = made_trace()
    shown = animation.frames(t)
    with Image.open(io.BytesIO(animation.gif(t))) as image:
        for frame in (0, FRAMES[0] // 2, FRAMES[0]):
            at, before = 0, 0
            while image.tell() < image.n_frames - 1 and before + image.info["duration"] <= FRAME_MS * frame:  # type: ignore[attr-defined]
                before += image.info["duration"]
                at += 1
                image.seek(at)
            away = abs(np.asarray(image.convert("RGB")).astype(int) - shown[frame].astype(int)).max(axis=2)
            assert away.mean() < 1 and (away > 40).mean() < 0.005
            image.seek(0)
