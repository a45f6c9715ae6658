"""validate/testbed/idle.c: ranks of a bed sleep while they wait, and not when there is something to do."""

from __future__ import annotations

import ctypes
import os

import pytest

from collscope.base import programs

pytestmark = pytest.mark.skipif(not programs.IDLE.exists(), reason="needs build/mpi")
YIELDS = 20


class _Polled(ctypes.Structure):
    _fields_ = (("fd", ctypes.c_int), ("events", ctypes.c_short), ("revents", ctypes.c_short))


def test_a_rank_sleeps_while_it_waits_and_not_after_a_message_that_one_more_poll_in_vain_followed() -> None:
    idle = ctypes.CDLL(str(programs.IDLE))
    waits = ctypes.c_uint.in_dll(idle, "collscope_waits")
    receive, send = os.pipe()
    polled = _Polled(receive, 1, 0)

    def yields(messages: bool) -> int:
        """How often the rank slept meanwhile."""
        before = waits.value
        for _ in range(YIELDS):
            if messages:
                os.write(send, b"x")
                assert idle.poll(ctypes.byref(polled), 1, 0) == 1
                os.read(receive, 1)
            assert idle.poll(ctypes.byref(polled), 1, 0) == 0
            idle.sched_yield()
        return waits.value - before

    try:
        assert yields(messages=False) == YIELDS
        assert yields(messages=True) == 0
        assert yields(messages=False) == YIELDS, "and again, once there is nothing to do"
    finally:
        os.close(receive)
        os.close(send)
