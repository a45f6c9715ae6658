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
    """2 MiB of round trips and 16 KiB each for their start, two at least; messages alone, and with one the other way."""
    trips = [128, *[127] * 8, 126, 124, 120, 113, 102, 85, 64, 42, 25, 14, 7, 3, 2, 2, 2]
    sizes = [0, *(1 << k for k in range(23))]

    def of(other: int) -> list[str]:
        to, back = f"flows=0>{other}", f"flows=0>{other},{other}>0"
        lines = [
            line for n, count in zip(sizes, trips, strict=True)
            for line in (f"pingpong {to} bytes={n} count={count} samples=15", f"flows {to} bytes={n} count=1 samples=45",
                         f"flows {back} bytes={n} count=1 samples=45")
        ]  # fmt: skip
        lines += [f"flows {to} bytes={n} count=1 samples=100" for n in (1, 1024, 16384, 262144)]
        lines += [f"copy_exchanged {to} bytes={n} count=10 samples=15" for n in (8192, 65536, 524288)]
        lines += [f"overhead {to} bytes=1 count=32 samples=15"]
        return [*lines, *(f"flows {to} bytes={n} count=32 samples=15" for n in (1, 1024, 1048576))]

    alone = [
        f"{work} bytes={n} count={ranks} samples=15"
        for work in ("gamma", "copy") for n in (8192, 524288, 67108864) for ranks in (1, 3)
    ]  # fmt: skip
    asked = list(plan(3, [1, 2]))
    assert [w.text for w in asked] == [*of(1), *of(2), *alone]
    assert [w.samples for w in asked if w.single] == [100] * 8


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
