"""Pictures of the reference."""

from __future__ import annotations

from collscope.reference.pictures import small


def test_small_keeps_boxes() -> None:
    svg = b'<path d="M 1.04 2.00 \nL 3.00 2.00 \nL 3.00 4.55 \nL 1.04 4.55 \nz\n" clip-path="url(#x)"/>'
    assert small(svg).startswith(b'<path d="M1.0 2.0H3.0V4.5H1.0z')
