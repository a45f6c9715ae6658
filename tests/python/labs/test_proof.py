"""collscope.labs.proof: the messages of a schedule that a student's algorithm made."""

from __future__ import annotations

from collscope.labs import proof

SCHEDULE = """\
collscope-schedule 1
call collective=bcast ranks=3 count=4
rank 0 scratch=0 segments=
  isend in+0 4 to 2 as 1  # send in+0 4 to 0
  send nothing to 1
  wait 1
rank 2 scratch=0 segments=
  irecv out+0 4 from 0 as 1
  wait 1
  send out+0 4 to 1
"""


def test_every_send_is_a_message_whether_it_blocks_or_not() -> None:
    assert proof.messages(SCHEDULE) == [(0, 2), (0, 1), (2, 1)]
