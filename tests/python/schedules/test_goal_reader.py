"""collscope.schedules.exports.goal_reader: GOAL files, the order in which a rank does what they ask, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.schedules import from_file
from collscope.schedules.exports import goal_reader

ONE_US = "ports one_port\nclass network 0 1e-6 0\n"


def read(tmp_path: Path, text: str) -> goal_reader.Goal:
    path = tmp_path / "x.goal"
    path.write_text(text, encoding="utf-8")
    return goal_reader.read(path)


def rank(goal: goal_reader.Goal, number: int) -> list[str]:
    """The operations of a rank."""
    return [line.strip() for line in goal.text.split("\nrank ")[number + 1].splitlines()[1:]]


def test_operations_without_dependencies_all_begin_and_are_waited_for_at_the_end(tmp_path: Path) -> None:
    goal = read(
        tmp_path,
        "num_ranks 2\nrank 0 {\nsend 8b to 1\nsend 4b to 1 tag 7 cpu 0 nic 0\n}\nrank 1 {\nrecv 8b from 0\nrecv 4b from 0 tag 7\n}\n",
    )
    assert rank(goal, 0) == ["isend scratch+0 8 to 1 as 0", "isend scratch+0 4 to 1 label 1 as 1", "wait 0 1"]
    assert rank(goal, 1) == ["irecv scratch+0 8 from 0 as 0", "irecv scratch+0 4 from 0 label 1 as 1", "wait 0 1"]
    assert (goal.ranks, goal.messages, goal.delayed) == (2, 2, 0)


def test_a_message_that_is_required_at_once_blocks(tmp_path: Path) -> None:
    body = (
        "a: recv 8b from 1\nb: send 0b to 1\nb requires a\nc: calc 500 cpu 0\nc requires b\nd: calc 0\nd requires c\n"
    )
    goal = read(
        tmp_path, f"num_ranks 2\nrank 0 {{\n{body}}}\nrank 1 {{\n/* two\nlines */ a: send 8b to 0 // comment\n}}\n"
    )
    assert rank(goal, 0) == ["recv scratch+0 8 from 1", "send nothing to 1", "calc 500"]
    assert rank(goal, 1) == ["send scratch+0 8 to 0"]


def test_a_comment_does_not_begin_within_a_comment(tmp_path: Path) -> None:
    body = "calc 1000 // of traces/*.txt\ncalc 5000\n/* see // above */ calc 10 /* the last */\n"
    assert rank(read(tmp_path, f"num_ranks 1\nrank 0 {{\n{body}}}\n"), 0) == ["calc 1000", "calc 5000", "calc 10"]


def test_a_calculation_of_no_time_waits_for_what_it_requires(tmp_path: Path) -> None:
    body = "a: recv 8b from 1\nb: recv 8b from 1\nw: calc 0\nw requires b\nw requires a\nc: calc 9\nc requires w\n"
    goal = read(tmp_path, f"num_ranks 2\nrank 0 {{\n{body}}}\nrank 1 {{\n}}\n")
    assert rank(goal, 0) == ["irecv scratch+0 8 from 1 as 0", "irecv scratch+0 8 from 1 as 1", "wait 1 0", "calc 9"]
    assert rank(goal, 1) == []


def test_an_operation_that_stands_later_in_the_file_comes_first_where_it_is_required(tmp_path: Path) -> None:
    body = "a: calc 1\nb: calc 2\nc: calc 3\na requires c\nb irequires c\n"
    assert rank(read(tmp_path, f"num_ranks 1\nrank 0 {{\n{body}}}\n"), 0) == ["calc 3", "calc 1", "calc 2"]


def test_chains_that_do_not_depend_on_each_other_are_counted_as_delayed(tmp_path: Path) -> None:
    """The answer to rank 2 waits for rank 1's message, which the file does not ask for; that to rank 1 waits for nothing else."""
    body = "a: recv 8b from 1\nb: send 8b to 1\nb requires a\nc: recv 8b from 2\nd: send 8b to 2\nd requires c\n"
    both = "rank 1 {\nsend 8b to 0\nrecv 8b from 0\n}\nrank 2 {\nsend 8b to 0\nrecv 8b from 0\n}\n"
    goal = read(tmp_path, f"num_ranks 3\nrank 0 {{\n{body}}}\n{both}")
    assert rank(goal, 0) == [
        "irecv scratch+0 8 from 1 as 0", "irecv scratch+0 8 from 2 as 2", "wait 0", "isend scratch+0 8 to 1 as 1",
        "wait 2", "isend scratch+0 8 to 2 as 3", "wait 1 3",
    ]  # fmt: skip
    assert goal.delayed == 1
    together = read(tmp_path, f"num_ranks 3\nrank 0 {{\n{body}d requires a\n}}\n{both}")
    assert together.delayed == 0


@pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
def test_a_binomial_tree_of_eight_takes_three_rounds(tmp_path: Path) -> None:
    lines = ["num_ranks 8"]
    for me in range(8):
        lines.append(f"rank {me} {{")
        low = me.bit_length()
        if me:
            lines.append(f"r: recv 1b from {me - (1 << low - 1)} tag 0")
        for k in range(low, 3):
            lines.append(f"s{k}: send 1b to {me + (1 << k)} tag 0")
            if me:
                lines.append(f"s{k} requires r")
        lines.append("}")
    (tmp_path / "tree.goal").write_text("\n".join(lines))
    file = from_file.read(tmp_path / "tree.goal")
    assert from_file.time(file, ONE_US)["model_s"] == pytest.approx(3e-6)
    with pytest.raises(UserError, match="GOAL does not say which data move, so that nothing can be proved"):
        from_file.prove(file)
    with pytest.raises(UserError, match="so that there is nothing to show"):
        from_file.trace(file, ONE_US, "")


@pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
def test_messages_of_different_tags_may_overtake_each_other(tmp_path: Path) -> None:
    text = (
        "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 5\nb: send 8b to 1 tag 900\nb requires a\n}\n"
        "rank 1 {\na: recv 8b from 0 tag 900\nb: recv 8b from 0 tag 5\n}\n"
    )
    path = tmp_path / "x.goal"
    path.write_text(text)
    assert from_file.time(from_file.read(path), ONE_US)["model_s"] == pytest.approx(2e-6)
    path.write_text(
        text.replace("tag 900\nb: recv", "tag 900\nb requires a\nb: recv").replace(
            "b requires a\nb: recv 8b from 0 tag 5", "b: recv 8b from 0 tag 5\nb requires a"
        )
    )
    with pytest.raises(UserError, match="x.goal: deadlock: rank 0 waits for ever in operation 0"):
        from_file.time(from_file.read(path), ONE_US)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"x.goal: there is no line num_ranks P"),
        ("rank 0 {\n}\n", r"x.goal:1: rank 0 {: expected each of 0 ranks once, after num_ranks"),
        ("num_ranks 0\n", r"x.goal:1: num_ranks 0: expected once, from 1 to 1048576"),
        ("num_ranks 1\nnum_ranks 1\n", r"x.goal:2: num_ranks 1: expected once"),
        ("num_ranks 9999999999\n", r"x.goal:1: num_ranks 9999999999: expected \"num_ranks P\" or \"rank R {\""),
        ("num_ranks 1\nsend 1b to 0\n", r"x.goal:2: send 1b to 0: expected \"num_ranks P\""),
        ("num_ranks 1\nrank 1 {\n", r"x.goal:2: rank 1 {: expected each of 1 ranks once"),
        ("num_ranks 1\nrank 0 {\n}\nrank 0 {\n", r"x.goal:4: rank 0 {: expected each of 1 ranks once"),
        ("num_ranks 1\nrank 0 {\n", r"x.goal: a closing bracket is missing"),
        ("num_ranks 1\nrank 0 {\nsend 1 to 0\n}\n", r"x.goal:3: send 1 to 0: expected \"L: send 8b to 1 tag 0\""),
        ("num_ranks 1\n/* a\nb */\nrank 0 {\nsend 1 to 0\n}\n", r"x.goal:5: send 1 to 0: expected"),
        ("num_ranks 1\nrank 0 {\nsend 1b from 0\n}\n", r"x.goal:3: expected send … to RANK or recv … from RANK"),
        (
            "num_ranks 1\nrank 0 {\nsend 1b to 1\n}\n",
            r"x.goal:3: expected send … to RANK or recv … from RANK, a rank from 0 to 0",
        ),
        ("num_ranks 1\nrank 0 {\nrecv 1b from -1\n}\n", r"x.goal:3: messages from any source, or with any tag"),
        ("num_ranks 1\nrank 0 {\nrecv 1b from 0 tag -1\n}\n", r"x.goal:3: messages from any source, or with any tag"),
        ("num_ranks 1\nrank 0 {\nsend 549755813889b to 0\n}\n", r"x.goal:3: 549755813889: at most 549755813888"),
        ("num_ranks 1\nrank 0 {\ncalc 9007199254740993\n}\n", r"x.goal:3: 9007199254740993: at most 9007199254740992"),
        ("num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}\n", r"x.goal:4: a: this label is taken"),
        ("num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}\n", r"x.goal:4: b: there is no such label above"),
        (
            "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n",
            r"x.goal:3: this operation depends on itself",
        ),
        (
            "num_ranks 1\nrank 0 {\n" + "".join(f"send 1b to 0 tag {k}\n" for k in range(257)) + "}\n",
            r"x.goal:259: ranks 0 and 0 use more than 256 tags",
        ),
    ],
)
def test_lines_that_are_not_goal_are_refused_with_their_number(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        read(tmp_path, text)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="none.goal: No such file or directory"):
        goal_reader.read(tmp_path / "none.goal")
    with pytest.raises(UserError, match="not a regular file"):
        goal_reader.read(tmp_path)
    (tmp_path / "binary.goal").write_bytes(b"num_ranks 1\n\xff")
    with pytest.raises(UserError, match=r"binary.goal: not a text \(byte 12\)"):
        goal_reader.read(tmp_path / "binary.goal")
