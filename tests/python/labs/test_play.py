"""collscope.labs.play: a schedule is played round by round, and what each rank holds is drawn."""

from __future__ import annotations

from collscope.labs import play


def played(collective: str, ranks: list[str], count: int = 1, root: int = 0) -> play.Played:
    """A schedule of elements of four bytes: of each rank its operations, with ; between them."""
    head = f"# a schedule\ncall collective={collective} ranks={len(ranks)} count={count} elem=4 root={root}\n"
    lines = [f"rank {r}\n" + operations.replace("; ", "\n") + "\n" for r, operations in enumerate(ranks)]
    made = play.play(head + "".join(lines))
    assert made
    return made


def drawn(collective: str, ranks: list[str], count: int = 1, root: int = 0, width: int = 78) -> list[str]:
    return [" ".join(line.split()) for line in play.picture(played(collective, ranks, count, root), root, width)]


def test_a_chain_takes_a_round_per_hop() -> None:
    """Of the root that is rank 1; a rank sends what it has received."""
    lines = drawn("bcast", ["recv out+0 8 from 1; send out+0 8 to 2", "send out+0 8 to 0", "recv out+0 8 from 0"], 2, 1)
    assert lines == ["round start 1 2", "rank 0 . x x", "rank 1 x x x", "rank 2 . . x", "round 1: 1→0", "round 2: 0→2"]


def test_part_of_a_vector_is_counted() -> None:
    lines = drawn("bcast", ["send out+4 8 to 1", "recv out+4 8 from 0"], 3)
    assert lines[1:3] == ["rank 0 x x", "rank 1 . 2/3"]
    for sent, taken in ((12, 4), (4, 12)):
        lines = drawn("bcast", [f"send out+0 {sent} to 1", f"recv out+0 {taken} from 0"], 3)
        assert lines[2] == "rank 1 . 1/3", "no more than both sides name"
    lines = drawn("bcast", ["send out+0 4 to 1", "recv out+4 4 from 0"], 3)
    assert lines[2] == "rank 1 . .", "an element in another's place counts for nothing"


def test_a_rank_sends_and_receives_one_message_per_round() -> None:
    """Both at once where neither waits for the other; two to one rank take two rounds."""
    swap = "isend in+0 4 to {0} as a; irecv out+0 4 from {0} as b; wait a b"
    assert played("alltoall", [swap.format(1), swap.format(0)]).rounds == [[(0, 1), (1, 0)]]
    both = ["recv out+0 4 from 1; recv out+0 4 from 2", "send in+0 4 to 0", "send in+0 4 to 0"]
    assert played("gather", both).rounds == [[(1, 0)], [(2, 0)]]


def test_a_rank_whose_partner_never_comes_is_stuck() -> None:
    made = played("bcast", ["send out+0 4 to 1; send nothing to 1", "recv out+0 4 from 0", "recv nothing from 1"])
    assert (made.rounds, made.stuck) == ([[(0, 1)]], [0, 2])
    waits = played("bcast", ["isend out+0 4 to 1 as a; wait a", ""])
    assert waits.stuck == [0], "at its last operation, too"


def test_operands_are_drawn_in_their_order() -> None:
    """The source is the left operand: rank 1 has rank 0's on the left, then on the wrong side."""
    copies = "copy in+0 4 into out+0; "
    lines = drawn("reduce", ["send in+0 4 to 1", copies + "recv scratch+0 4 from 0; reduce scratch+0 4 into out+0"])
    assert lines[:3] == ["round start 1", "rank 0 0 0", "rank 1 1 0-1"]
    lines = drawn("reduce", ["send in+0 4 to 1", "recv scratch+0 4 from 0; reduce in+0 4 into scratch+0"])
    assert lines[2] == "rank 1 1 1,0"


def test_elements_of_a_vector_are_counted_by_ranks_combined() -> None:
    copies = "copy in+0 12 into out+0; "
    first = copies + "recv scratch+0 4 from 1; reduce scratch+0 4 into out+0; recv scratch+0 4 from 2; "
    lines = drawn("allreduce", [first + "reduce scratch+0 4 into out+0", "send in+0 4 to 0", "send in+0 4 to 0"], 3)
    assert lines[1] == "rank 0 111 211 *11" and lines[2] == "rank 1 111 111 111"
    many = [
        copies
        + "".join(f"recv scratch+0 4 from {r}; reduce scratch+0 4 into out+0; " for r in range(1, 11)).rstrip("; ")
    ]
    lines = drawn("allreduce", many + ["send in+0 4 to 0"] * 10 + [""], 3, width=120)
    assert lines[1].split()[-3:-1] == ["911", "+11"], "ten of twelve have no digit"


def test_blocks_are_letters_of_the_ranks_they_come_from() -> None:
    place = ["copy in+0 4 into out+0; recv out+4 4 from 1; send in+0 4 to 1"]
    place += ["copy in+0 4 into out+4; send in+0 4 to 0; recv out+0 4 from 0"]
    assert drawn("allgather", place)[1:3] == ["rank 0 a. ab ab", "rank 1 .b .b ab"]
    assert drawn("scatter", ["copy in+0 4 into out+0; send in+4 4 to 1", "recv out+0 4 from 0"])[1:3] == [
        "rank 0 x x",
        "rank 1 . x",
    ]


def test_rounds_without_room_are_counted() -> None:
    """And a line of messages that is too long ends with an ellipsis."""
    rounds = 9
    ends = ["; ".join(["send out+0 4 to 1"] * rounds), "; ".join(["recv out+0 4 from 0"] * rounds)]
    lines = drawn("bcast", ends, width=30)
    assert lines[0] == "round start 1 2 3 4 5" and lines[3] == "(rounds 6 to 9 have no room)"
    pairs = [f"send in+0 4 to {r + 1}" if r % 2 == 0 else f"recv out+0 4 from {r - 1}" for r in range(16)]
    line = drawn("alltoall", pairs, width=30)[-1]
    assert line == "round 1: 0→1 2→3 4→5 6→7 …"


def test_shared_memory_and_broken_texts_have_no_picture() -> None:
    assert play.play("rank 0\nsend out+0 4 to 1\n") is None
    assert play.play("call collective=bcast ranks=2 count=1\n") is None
    for operation in ("segment 0 8 2", "recv_any out+0 4", "await 0 0 1", "publish 0 0 1"):
        assert play.play(f"call collective=bcast ranks=1 count=1\nrank 0\n{operation}\n") is None
    made = play.play("call collective=bcast ranks=1 count=1 elem=4\nrank 0\nmark 0\npiece 0 8\ncalc 1e-6\n")
    assert made and made.rounds == [] and made.stuck == []
