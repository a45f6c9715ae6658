"""What one machine is asked for, and a driver that cannot measure."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.calibration import p2p
from collscope.calibration.p2p import Wanted
from collscope.calibration.probe import entry, plan, probe
from collscope.sources import mpirun


def test_a_failing_driver_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="missing; build it"):
        probe(2, [1], tmp_path / "nothing")
    if shutil.which("mpirun") and len(os.sched_getaffinity(0)) > 1:
        broken = tmp_path / "driver"
        broken.write_text("#!/bin/sh\necho out of luck >&2\nexit 3\n")
        broken.chmod(0o755)
        with pytest.raises(UserError, match=r"--p2p failed \(exit [1-9]"):
            probe(2, [1], broken)


def test_more_ranks_than_cores_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpirun, "share_cores", lambda ranks: ranks > 3)
    (tmp_path / "driver").touch()
    with pytest.raises(UserError, match="4 ranks do not have a core each; calibrate with at most"):
        probe(4, [1, 2, 3], tmp_path / "driver")


def test_one_machine_is_asked_for_every_pair_with_the_first_rank_and_for_local_work() -> None:
    lines = [w.text for w in plan(3, [1, 2])]
    assert "pingpong flows=0>1 bytes=0 count=128 samples=15" in lines
    assert "pingpong flows=0>2 bytes=4194304 count=2 samples=15" in lines
    assert {line.split()[0] for line in lines} == {"pingpong", "overhead", "flows", "copy_exchanged", "gamma", "copy"}
    assert "gamma bytes=8192 count=3 samples=15" in lines
    assert "flows flows=0>2,2>0 bytes=1024 count=1 samples=45" in lines, "with one the other way"
    assert len(lines) == len(set(lines))


def said(wanted: Wanted, *samples: float, **more: object) -> str:
    return json.dumps({wanted.pattern: {"bytes": wanted.bytes, "count": wanted.count, "samples": samples, **more}})


def test_answers_become_the_entries_that_are_fitted() -> None:
    asked = [
        Wanted("pingpong", ((0, 2),), 8), Wanted("flows", ((0, 1),), 16, count=4), Wanted("gamma", (), 64, count=2),
        Wanted("flows", ((0, 1), (1, 0)), 16), Wanted("flows", ((0, 1),), 16, single=True), Wanted("copy_exchanged", ((0, 1),), 64),
    ]  # fmt: skip
    text = "\n".join(["hello", *(said(w, 3.0, 1.0, issue=[1.0]) for w in asked)])
    found = p2p.read(text, asked)
    assert [entry(a) for a in found.all] == [
        {"pingpong": {"bytes": 8, "a": 0, "b": 2, "samples": [1.0, 3.0]}},
        {"gap": {"bytes": 16, "a": 0, "b": 1, "samples": [0.25, 0.75]}},
        {"gamma": {"bytes": 64, "ranks": 2, "samples": [1.0, 3.0]}},
        {"message": {"bytes": 16, "a": 0, "b": 1, "samples": [1.0, 3.0]}},
        {"single": {"bytes": 16, "a": 0, "b": 1, "samples": [1.0, 3.0]}},
        {"copy_exchanged": {"bytes": 64, "a": 0, "b": 1, "samples": [1.0, 3.0]}},
    ]
    assert found.all[1].issue == (1.0,) and found.all[0].typical == 1.5
    assert found.of("flows", count=4) == [found.all[1]] and not found.of("flows", count=5)


def test_what_a_driver_may_say_and_what_not(tmp_path: Path) -> None:
    asked = [Wanted("pingpong", ((0, 1),), 8)]

    def start(text: str) -> p2p.Answers:
        return p2p.ask(asked, 2, lambda _: ["sh", "-c", text])

    good = said(asked[0], 1.0)
    meta = '{"meta": {"ranks": 2, "library": "L 1, x", "places": [[0,0,0],[1,1,1]]}}'
    place = '{"place": {"rank": 0, "host": "h", "cpu": 3}}'
    found = start(f"echo '{meta}'; echo '{place}'; echo '{good}'")
    assert (found.library, found.places, found.hosts) == ("L 1", [(0, 0, 0), (1, 1, 1)], [("h", 3)])
    for text, says in (
        ("echo '{broken'", "a line that is not JSON: {broken"),
        (f"echo '{meta.replace('2,', '1,')}'", "2 ranks were started, and the driver finds 1"),
        (f"echo '{said(asked[0])}'", "measured nothing for: pingpong flows=0>1 bytes=8"),
        (f"echo '{good}'; exit 3", r"--p2p failed \(exit 3\)"),
        ("true", r"--p2p failed \(exit 0\): nothing"),
    ):
        with pytest.raises(UserError, match=says):
            start(text)
    with pytest.raises(UserError, match=r"took more than 0.1 s"):
        p2p.ask(asked, 2, lambda _: ["sleep", "5"], limit_s=0.1)
    with pytest.raises(UserError, match="no-such-program: not found"):
        p2p.ask(asked, 2, lambda _: ["no-such-program"])
