"""collscope.machines.spec_fields, collscope.machines.limits: both sides of every limit of a specification that no machine comes near."""

from __future__ import annotations

import pytest

from collscope.base.errors import UsageError
from collscope.machines.spec import SpecError
from collscope.machines.spec_reader import parse_spec
from made_platforms import ELEMENTS, PRIME, SMALL

MIN_ELEMENTS = "[least]\no = O\ng = G\nL = L\nG = B\ngamma = A\n"


def refused(text: str, **values: str) -> str:
    """What is said of a file; "" where it is taken."""
    try:
        parse_spec(text, "f", values)
    except (SpecError, UsageError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("key", ["O", "G", "L", "B", "A"])
def test_the_least_of_everything(key: str) -> None:
    seconds, limit = key in "OGL", 1000 if key in "OGL" else 1
    printed = f"a number of seconds, 0 to {limit}" if seconds else f"a number of seconds per byte, 0 to {limit}"
    for value, fits in ((0, True), (limit, True), (1.001 * limit, False), (-1e-9, False)):
        least = "".join(line.replace(f"= {key}", f"= {value}") + "\n" for line in MIN_ELEMENTS.splitlines())
        for other in "OGLBA":
            least = least.replace(f"= {other}\n", "= 1e-9\n")
        text = SMALL.replace("[curve]", f"{least}[curve]")
        assert (refused(text) == "") == fits and (fits or printed in refused(text)), (key, value)


@pytest.mark.parametrize("at", [1, 2, 4, 5, 6, 7, 8, 9])
def test_no_number_of_a_piece_is_longer_than_any_message(at: int) -> None:
    """Latency, gaps and turnaround in seconds, each with its part per byte."""
    piece = ["0", "1e-6", "1e-9", "1", *["0"] * 6]
    piece[at] = "1001" if at in (1, 4, 6, 8) else "1.1"
    head = SMALL.partition("[curve]")[0].replace("nodes = 3", "nodes = 1")
    message = refused(f"{head}[curve]\nsocket = [[{', '.join(piece)}]]\n")
    assert "f:" in message and " must be 0 or " in message and "seconds" in message, message


def levels(count: int) -> str:
    """Levels of 2, 4, … cores of one socket of 64."""
    tables = "".join(f'[[level]]\nname = "l{k}"\ncores = {2 << k}\n' for k in range(count))
    return f'name = "x"\nnodes = 1\nsockets = 1\ncores_per_socket = 64\ncores_per_cache = 1\n{tables}[curve]\nsocket = [[0, 1e-6, 1e-9]]\n'


def test_levels_pieces_and_quantiles_have_a_greatest_number() -> None:
    assert refused(levels(4)) == ""
    assert "must be up to 4 tables [[level]] with name and cores, closest first" in refused(levels(5))
    pieces = "[curve]\nsocket = [" + ", ".join(f"[{n}, 1e-6, 1e-9]" for n in range(1000))
    head = SMALL.partition("[curve]")[0].replace("nodes = 3", "nodes = 1")
    assert refused(f"{head}{pieces}]\n") == ""
    assert "must be a list of 1 to 1000 pieces: [[0, latency_s, s_per_byte], …]" in refused(
        f"{head}{pieces}, [1000, 1e-6, 1e-9]]\n"
    )
    assert "must be a list of 1 to 1000 pieces" in refused(f"{head}[curve]\nsocket = []\n")
    noise = "[[noise.socket]]\nfrom_bytes = 0\nquantiles_s = ["
    for count, printed in (
        (32, ""),
        (33, "a list of 2 to 32 pairs of a part and seconds: [[0, -1e-6], [0.5, 0], [1, 5e-6]]"),
        (1, "a list of 2 to 32"),
    ):
        knots = ", ".join(f"[{k / max(count - 1, 1)}, 0]" for k in range(count))
        assert printed in refused(f"{SMALL}{noise}{knots}]\n") and bool(printed) == bool(
            refused(f"{SMALL}{noise}{knots}]\n")
        )
    many = ", ".join(["[0, 1]"] * 257)
    printed = "must be a list of pairs of sockets: [[0, 1], [1, 3], …]"
    assert printed in refused(SMALL.replace("[curve]", f"interconnect_links = [{many}]\n[curve]"))
    for size, fits in (((1 << 50), True), ((1 << 50) + 1, False)):
        text = SMALL.replace("[1024,", f"[{size},")
        assert (refused(text) == "") == fits and (
            fits or f"a whole number of bytes, at most {1 << 50}" in refused(text)
        )


@pytest.mark.parametrize(("earliest", "refuses"), [(-1.9e-6, True), (-1.8e-6, False)])
def test_noise_takes_less_than_the_whole_of_a_message(earliest: float, refuses: bool) -> None:
    text = PRIME + f"[[noise.network]]\nfrom_bytes = 0\nquantiles_s = [[0, {earliest}], [1, 1e-6]]\n"
    found = refused(text)
    assert ("class network from 0 bytes: a message takes 1.9e-06 s and its noise -1.9e-06 s" in found) == refuses
    assert refused(text.replace("nodes = 3", "nodes = 1")) == "", "which has no such message"
    notes: list[str] = []
    parse_spec(text, "f", {"gamma_s_per_byte": "0"}, notes.append)
    assert bool(notes) == refuses, "a variant is not refused"


def test_a_class_that_does_not_occur_contradicts_nothing() -> None:
    wrong = ELEMENTS.replace("4e-10, 1, 3e-7, 1e-11,", "4e-10, 1, 1.6e-6, 1e-11,")
    assert "class network from 0 bytes: of the 1.5e-06 s" in refused(wrong)
    assert refused(wrong.replace("nodes = 4", "nodes = 1")) == ""


@pytest.mark.parametrize(("eager", "says"), [(1024, ""), (8192, "that a message of 8192 bytes takes, the gap of")])
def test_the_largest_eager_message_has_room_for_both_processors_within_a_piece(eager: int, says: str) -> None:
    head = SMALL.partition("[curve]")[0].replace("nodes = 3", f"nodes = 1\neager_bytes = {eager}")
    found = refused(f"{head}[curve]\nsocket = [[0, 1e-7, 1e-10, 1, 0, 6e-11, 0, 6e-11]]\n")
    assert says in found and bool(says) == bool(found)
