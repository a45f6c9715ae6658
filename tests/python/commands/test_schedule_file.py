"""collscope.commands.schedule_file, collscope.schedules.from_file: prove, run and show take a schedule from a file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.base.units import counted
from command_line import call

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")

RING = """collscope-schedule 1
call collective=allgather ranks=2 count=2
rank 0
  copy in+0 8 into out+0
  isend in+0 8 to 1 as 0
  irecv out+8 8 from 1 as 1
  wait 0 1
rank 1
  copy in+0 8 into out+8
  isend in+0 8 to 0 as 0
  irecv out+0 8 from 0 as 1
  wait 0 1
"""
PING = "num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n"


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    path = tmp_path / "ring.schedule"
    path.write_text(RING)
    return path


def test_a_right_file_is_proven(ring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "prove", "--schedule", str(ring))
    assert status == 0
    assert "ring.schedule: allgather, 2 ranks, a vector of 16 B" in out and "1 of 1 points proven" in out


def test_json_has_every_message_of_the_file(ring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "prove", "--schedule", str(ring), "--json")
    answer = json.loads(out)
    assert (status, answer["verdict"]) == (0, "proven")
    assert [(m["src"], m["dst"], m["bytes"]) for m in answer["points"][0]["schedule"]] == [(0, 1, 8), (1, 0, 8)]


GATHER = """collscope-schedule 1
call collective=gather ranks=3 count=1
rank 0
  copy in+0 4 into out+0
  {kind} out+4 4 from 1
  {kind} out+8 4 from 2
rank 1
  send in+0 4 to 0
rank 2
  send in+0 4 to 0
"""


@pytest.mark.parametrize("kind", ["recv", "recv_any"])
def test_one_order_of_arrival_is_not_all(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Were the message of rank 2 first, these blocks would be exchanged."""
    path = tmp_path / "gather.schedule"
    path.write_text(GATHER.format(kind=kind))
    status, _, err = call(capsys, "prove", "--schedule", str(path))
    assert status == 0
    assert ("proven for the order of arrival in the file alone" in " ".join(err.split())) == (kind == "recv_any")
    point = json.loads(call(capsys, "prove", "--schedule", str(path), "--json")[1])["points"][0]
    assert point["verdict"] == "proven" and point["one_arrival_order"] == (kind == "recv_any")


HALVES = "  copy in+0 2 into scratch+2\n  copy in+2 2 into scratch+0\n"
IN_ORDER = "  copy in+2 2 into scratch+2\n  copy in+0 2 into scratch+0\n"
EXCHANGED = """  isend scratch+0 4 to {other} as 0
  irecv scratch+4 4 from {other} as 1
  wait 0 1
  copy scratch+0 4 into scratch+8
  reduce scratch+4 4 into scratch+8
"""


def test_an_element_is_combined_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its halves may be moved one by one, but not combined while they are exchanged."""
    path = tmp_path / "halves.schedule"
    for begins, first, second, verdict in ((HALVES, 8, 10, "failed"), (IN_ORDER, 10, 8, "proven")):
        ends = f"  copy scratch+{first} 2 into out+2\n  copy scratch+{second} 2 into out+0\n"
        ranks = (f"rank {r} scratch=16\n{begins}{EXCHANGED.format(other=1 - r)}{ends}" for r in (0, 1))
        path.write_text("collscope-schedule 1\ncall collective=allreduce ranks=2 count=1\n" + "".join(ranks))
        point = json.loads(call(capsys, "prove", "--schedule", str(path), "--json")[1])["points"][0]
        assert point["verdict"] == verdict
        if verdict == "failed":
            assert point["kind"] == "operands"
            assert "combines a part of element 0; an operator takes whole elements of 4 bytes" in point["failure"]


def test_a_time_is_that_of_the_first_call_and_the_proof_of_all(ring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a file with two calls, rank by rank; in a wrong one the second call's receive lies elsewhere."""
    head, *ranks = RING.replace("count=2", "count=2 calls=2").split("rank ")
    again = [f"rank {text}  call 2\n{text.partition(chr(10))[2]}" for text in ranks]
    two = ring.with_name("two.schedule")
    two.write_text(head + "".join(again))
    found = {}
    for path in (ring, two):
        status, out, _ = call(capsys, "prove", "--schedule", str(path), "--json")
        assert status == 0
        found[path] = json.loads(out)["points"][0]["rounds"]
    assert found[two] == found[ring] == 1
    times = {
        call(capsys, "run", "--schedule", str(path), "--on", "ideal")[1].rpartition(": ")[2] for path in (ring, two)
    }
    assert len(times) == 1
    two.write_text(head + again[0] + "irecv out+8 8 from 0".join(again[1].rsplit("irecv out+0 8 from 0", 1)))
    status, out, _ = call(capsys, "prove", "--schedule", str(two), "--json")
    assert status == 1 and json.loads(out)["points"][0]["verdict"] != "proven"


RANK_0 = "  isend in+0 8 to 1 as 0\n  irecv out+8 8 from 1 as 1\n  wait 0 1\n"
RANK_1 = "  isend in+0 8 to 0 as 0\n  irecv out+0 8 from 0 as 1\n  wait 0 1\n"


@pytest.mark.parametrize(
    ("edits", "kind", "lines"),
    [
        ({RANK_0: RANK_0 + "  send in+0 8 to 1\n"}, "unmatched", [8]),
        ({"irecv out+8 8": "irecv out+0 8"}, "result", []),
        (
            {RANK_0: "  isend out+0 8 to 1 as 0\n  copy in+0 8 into out+0\n  irecv out+8 8 from 1 as 1\n  wait 0 1\n"},
            "pending",
            [6, 5],
        ),
        ({"copy in+0 8 into out+8": "copy in+0 4 into out+8"}, "result", []),
        ({"  copy in+0 8 into out+0\n": "", "isend in+0 8 to 1": "isend out+0 8 to 1"}, "uninitialised", [4]),
        (
            {
                RANK_0: "  recv out+8 8 from 1\n  send in+0 8 to 1\n",
                RANK_1: "  recv out+0 8 from 0\n  send in+0 8 to 0\n",
            },
            "deadlock",
            [5, 9],
        ),
        ({"isend in+0 8 to 0": "isend in+0 4 to 0"}, "size", [10, 6]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_in_the_file_is_found_as_an_algorithms_is(
    edits: dict[str, str], kind: str, lines: list[int], ring: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the lines of the file."""
    text = RING
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new, 1)
    ring.write_text(text)
    status, out, err = call(capsys, "prove", "--schedule", str(ring), "--json")
    answer = json.loads(out)["points"][0]
    assert (status, answer["verdict"], answer["kind"]) == (1, "failed", kind)
    named = [int(number) for number in re.findall(r"ring\.schedule:(\d+)", answer["failure"])]
    assert named == lines, answer["failure"]
    assert answer["failure"].split("(")[0] in " ".join(err.split())


def test_the_example_of_the_documentation_is_right_and_its_fault_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # messages break at the same places, however long the folder's name is
    page = (paths.ROOT / "docs" / "schedules.md").read_text(encoding="utf-8")
    example = next(block for block in page.split("```text\n") if block.startswith("collscope-schedule 1")).partition(
        "```"
    )[0]
    path = Path("wrong.schedule")
    path.write_text(example)
    assert call(capsys, "prove", "--schedule", str(path))[0] == 0
    lines = example.splitlines()
    lines[13] = lines[13].replace("from 0", "from 2")
    path.write_text("\n".join(lines))
    status, _, err = call(capsys, "prove", "--schedule", str(path))
    printed = " ".join(err.split())
    assert (
        status == 1
        and "wrong.schedule:8, operation 5) has no receive; rank 1: irecv of 400 bytes from rank 2 (wrong.schedule:14"
        in printed
    )
    assert "wrong.schedule:8, operation 5) has no receive;" in page


@pytest.mark.parametrize("command", ["prove", "show", "run --on tiny --source model"])
def test_a_broken_line_is_named(command: str, ring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ring.write_text(RING.replace("out+8 8 from 1", "out+9 8 from 1"))
    status, _, err = call(capsys, *command.split(), "--schedule", str(ring))
    assert status != 0
    assert "ring.schedule:6: out+9: 8 bytes from there end past this buffer of rank 0, which has 16" in " ".join(
        err.split()
    )


def test_a_wrong_file_is_named_by_show_and_has_no_time_in_run(
    ring: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of an algorithm; of its pictures only that of the data is missing."""
    ring.write_text(RING.replace("irecv out+8 8", "irecv out+0 8"))
    status, out, err = call(capsys, "run", "--on", "schooner", "--source", "model", "--schedule", str(ring))
    assert status == 1 and "model of" not in out
    assert "a wrong schedule is not timed; the proof fails: rank 0: element 0 of out" in " ".join(err.split())
    status, out, err = call(capsys, "show", "--schedule", str(ring), "--out", str(tmp_path / "drawn"))
    printed = " ".join(err.split())
    assert (
        status == 1 and printed.count("ring.schedule is wrong, and so are its times; the proof fails: rank 0: ele") == 1
    )
    assert "no table: ring.schedule: the proof fails, so what its ranks hold is not known" in printed
    assert sorted(path.stem.rpartition("-")[2] for path in (tmp_path / "drawn").glob("*.svg")) == [
        "gantt",
        "graph",
        "matrix",
    ]
    for more in (("--out", str(tmp_path / "ring.goal")), ("--no-pictures",)):
        assert call(capsys, "show", "--schedule", str(ring), *more)[0] == 1, more


def test_a_file_is_timed_on_a_platform(ring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(
        capsys, "run", "--on", "schooner", "--nodes", "2", "--source", "model", "--schedule", str(ring)
    )
    assert status == 0
    assert "model of schooner, 2 nodes, mapping block: " in out
    one, far, _ = call(capsys, "run", "--on", "schooner", "--nodes", "1", "--source", "model", "--schedule", str(ring))
    assert one == 0 and far != out


def test_goal_is_timed_and_never_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ping.goal"
    path.write_text(PING)
    status, out, err = call(capsys, "run", "--on", "schooner", "--source", "model", "--schedule", str(path))
    assert status == 0 and "ping.goal: 2 ranks, 1 message" in out
    assert "this is a time, and nothing is proved" in err
    for command in ("prove", "show"):
        status, _, err = call(capsys, command, "--schedule", str(path))
        assert status != 0 and "./collscope run times it" in " ".join(err.split())


@pytest.mark.parametrize(("sent", "received"), [(1000, 999), (1, 1000)])
def test_a_message_with_a_size_at_each_end_has_no_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sent: int, received: int
) -> None:
    path = tmp_path / "ping.goal"
    path.write_text(PING.replace("send 1000b", f"send {sent}b").replace("recv 1000b", f"recv {received}b"))
    status, out, err = call(capsys, "run", "--on", "schooner", "--source", "model", "--schedule", str(path))
    assert status == 1 and "model of" not in out
    both = f"rank 0 sends {counted(sent, 'byte')} to rank 1, which receives {received} there; give both the same size"
    assert f"ping.goal: {both}" in " ".join(err.split())


def test_operations_that_wait_for_more_than_the_file_asks_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "a: recv 8b from 1\nb: send 8b to 1\nb requires a\nc: recv 8b from 2\nd: send 8b to 2\nd requires c\n"
    others = "".join(f"rank {r} {{\nsend 8b to 0\nrecv 8b from 0\n}}\n" for r in (1, 2))
    (tmp_path / "two.goal").write_text(f"num_ranks 3\nrank 0 {{\n{body}}}\n{others}")
    status, _, err = call(
        capsys, "run", "--on", "schooner", "--source", "model", "--schedule", str(tmp_path / "two.goal")
    )
    assert status == 0 and "1 operation may be late" in err


def test_an_exported_schedule_is_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "made.schedule"
    status, first, _ = call(capsys, "show", "bcast/binomial", "--ranks", "4", "--out", str(made))
    assert status == 0 and "made.schedule" in first
    status, second, _ = call(capsys, "show", "--schedule", str(made), "--no-pictures")
    assert status == 0 and "4 ranks, root 0, a vector of 4 KiB: 3 messages, 12 KiB sent, 2 rounds" in second
    assert "4 ranks, root 0, a vector of 4 KiB: 3 messages, 12 KiB sent, 2 rounds" in first


def test_ranks_that_share_a_segment_must_sit_on_one_node(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "flags.schedule"
    ranks = "".join(
        f"rank {r} segments=0\n  publish segment0 of {r} flag 0 value 1\n  await segment0 of {1 - r} flag 0 value 1\n"
        for r in (0, 1)
    )
    path.write_text(
        f"collscope-schedule 1\ncall collective=barrier ranks=2\nsegment 0 bytes=0 flags=1 ranks=0,1\n{ranks}"
    )
    run = ("run", "--on", "schooner", "--source", "model", "--schedule", str(path))
    assert call(capsys, "prove", "--schedule", str(path))[0] == 0
    assert call(capsys, *run, "--nodes", "1")[0] == 0
    status, _, err = call(capsys, *run, "--nodes", "2")
    assert status != 0 and "ranks 0 and 1 share segment 0, but sit on two nodes of this machine" in " ".join(
        err.split()
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("prove", "no algorithm: name one, or a schedule from a file with --schedule FILE"),
        ("show", "no algorithm: name one, or a schedule from a file with --schedule FILE"),
        (
            "run --on schooner --ranks 2",
            "no algorithm: name some with -a KEY, or all of a collective with -c COLLECTIVE -a all, or a schedule",
        ),
        ("prove bcast/mst --schedule FILE", "ALGO does not go with --schedule; leave one of them out"),
        ("prove --ranks 2 --schedule FILE", "--ranks does not go with --schedule"),
        ("show --root 1 --schedule FILE", "--root does not go with --schedule"),
        ("show --source sim --schedule FILE", "--source does not go with --schedule"),
        ("run --on schooner --source model --bytes 4K --schedule FILE", "--bytes does not go with --schedule"),
        (
            "run --on schooner --source bound --schedule FILE",
            "a schedule from a file is timed by one of model, sim or real",
        ),
        (
            "run --on schooner --source model --nodes 1,2 --schedule FILE",
            "--nodes 1,2: give one number of nodes with --schedule",
        ),
        (
            "run --on schooner --source model --noise 3 --schedule FILE",
            "does not say how much its messages' times vary",
        ),
        ("prove --schedule nowhere", "nowhere: No such file or directory"),
    ],
)
def test_options_that_the_file_decides_are_refused(
    words: str, message: str, ring: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = call(capsys, *(str(ring) if word == "FILE" else word for word in words.split()))
    assert status in (1, 2) and message in " ".join(err.split())
