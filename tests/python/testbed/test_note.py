"""collscope.testbed.bed, collscope.base.leftovers: a note of a bed ends no process but the one that it was written for."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from collscope.base import leftovers
from collscope.base.errors import UserError
from collscope.sources.launcher import launcher_of
from collscope.testbed import bed
from collscope.testbed.network import Network


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads a group of its own and holds no bed."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        yield process
        process.kill()


def note(process: int, **parts: str) -> Path:
    """A note of a bed that this process holds, with parts of its mark replaced."""
    found = leftovers.MARK.fullmatch(leftovers.mark(process))
    assert found
    owner = "-".join((found.groupdict() | parts).values())
    text = {"pid": process, "owner": owner, "machine": "node7", "network": Network().text(), "realtime": True}
    bed.state_file().parent.mkdir(parents=True, exist_ok=True)
    bed.state_file().write_text(json.dumps(text))
    return bed.state_file()


def test_a_bed_of_another_machine_is_neither_up_nor_ended_nor_forgotten(
    workplace: Path, stranger: subprocess.Popen[bytes]
) -> None:
    file = note(stranger.pid, host="00000000")
    assert bed.standing() is None
    for attempt in (bed.down, lambda: bed.up(Network()), lambda: bed.held(Network()).__enter__()):
        with pytest.raises(UserError, match=r"bed.json: a test bed was made on node7; end it there"):
            attempt()
    assert stranger.poll() is None and file.exists()
    with pytest.raises(UserError, match="no test bed is up"):
        launcher_of("testbed")


def test_a_command_takes_the_bed_that_is_up_or_refuses_it_by_its_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = bed.Bed(Network(latency_s=1e-3), 1, False, tmp_path)
    monkeypatch.setattr(bed, "standing", lambda: there)
    with bed.held(Network(latency_s=1e-3)) as found:
        assert found is there
    with pytest.raises(UserError, match="is up, of 8 hosts, .*, 1000 µs; this command needs 8 hosts, .*, 500 µs: "):
        bed.held(Network()).__enter__()


@pytest.mark.parametrize("parts", [{"boot": "00000000"}, {"start": "1"}, {"pid": str(os.getpid())}])
def test_a_process_number_that_is_used_again_is_not_the_bed_s(
    workplace: Path, stranger: subprocess.Popen[bytes], parts: dict[str, str]
) -> None:
    file = note(stranger.pid, **parts)
    assert bed.standing() is None and not bed.down()
    assert stranger.poll() is None and not file.exists()


def test_a_bed_whose_first_process_has_ended_is_not_up(workplace: Path, stranger: subprocess.Popen[bytes]) -> None:
    note(stranger.pid)  # without a child
    assert bed.standing() is None and not bed.down()
    assert stranger.poll() is None


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "3", "null", '{"owner":3}', "[" * 100_000, "\xff"]
    + [
        json.dumps({"owner": leftovers.mark(), "machine": "a", "network": Network().text(), "realtime": True} | wrong)
        for wrong in (
            {"owner": 3}, {"owner": "a-b-1-2"}, {"machine": 3}, {"network": "{}x"}, {"network": "[]"}, {"network": 3},
            {"network": '{"hosts": 2.5}'}, {"network": '{"hosts": "x"}'}, {"network": '{"hosts": 1}'}, {"network": '{"colour": 1}'},
        )
    ],
    ids=map(str, itertools.count()),  # the same for every worker: texts have this process's number
)  # fmt: skip
def test_a_damaged_note_is_an_error_that_names_the_file(workplace: Path, text: str) -> None:
    bed.state_file().parent.mkdir(parents=True)
    bed.state_file().write_bytes(text.encode("latin-1"))
    for attempt in (bed.down, bed.standing, lambda: launcher_of("testbed")):
        with pytest.raises(UserError, match=r"bed.json: expected the note of a test bed.*; delete this file$"):
            attempt()


def test_a_note_that_cannot_be_read_is_an_error(workplace: Path) -> None:
    bed.state_file().mkdir(parents=True)
    with pytest.raises(UserError, match=r"bed.json: Is a directory"):
        bed.standing()
