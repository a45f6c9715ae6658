"""Messages on their way."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest
from PIL import Image

from collscope.base import programs
from collscope.figures.schedule import animation
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
