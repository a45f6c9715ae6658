"""Messages on their way."""

from __future__ import annotations

import io
import itertools
from xml.etree import ElementTree

import pytest
from PIL import Image

from collscope.base import programs
from collscope.base.units import format_time
from collscope.figures.schedule import animation
from collscope.figures.schedule.animation import FRAME_MS, REST_MS
from traced import traced

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def test_animation() -> None:
    with Image.open(io.BytesIO(animation.gif(traced("bcast/binomial", 4)))) as image:
        assert image.n_frames >= 20  # type: ignore[attr-defined]


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
