"""Ranks of a bed sleep while they wait, and not when there is something to do."""

from __future__ import annotations

import ctypes
import os
import time

import pytest

from collscope.base import programs

pytestmark = pytest.mark.skipif(not programs.IDLE.exists(), reason="needs build/mpi")
YIELDS = 20


class _Polled(ctypes.Structure):
    _fields_ = (("fd", ctypes.c_int), ("events", ctypes.c_short), ("revents", ctypes.c_short))


def test_a_poll_in_vain_after_a_message_does_not_put_the_rank_to_sleep() -> None:
    idle = ctypes.CDLL(str(programs.IDLE))
    receive, send = os.pipe()
    asked = _Polled(receive, 1, 0)

    def yielding(messages: bool) -> float:
        began = time.monotonic()
        for _ in range(YIELDS):
            if messages:
                os.write(send, b"x")
                assert idle.poll(ctypes.byref(asked), 1, 0) == 1
                os.read(receive, 1)
            assert idle.poll(ctypes.byref(asked), 1, 0) == 0
            idle.sched_yield()
        return time.monotonic() - began

    try:
        sleeping = yielding(messages=False)
        assert sleeping > 0.5e-3 * YIELDS
        assert min(yielding(messages=True) for _ in range(5)) < sleeping / 3
    finally:
        os.close(receive)
        os.close(send)
