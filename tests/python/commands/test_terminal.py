"""collscope.base.grid, collscope.base.console, collscope.commands.explain, collscope.commands.claims:
what a user sees in terminals of 60, 80 and 120 columns: names and verdicts whole, nothing wider than the screen."""

from __future__ import annotations

import json
import re

import pytest

from once import once
from terminal import shown, widest

WIDTHS = (60, 80, 120)

# All commands in all widths in one process: a start costs more than a table, and the second width finds what the first has computed.
PROGRAM = """
import fcntl, json, struct, sys, termios
from types import SimpleNamespace as made
from collscope.commands import cli, twins
from collscope.studies import reader
from collscope.twins import records
reader.names = lambda: ["alessio_orfeo"]
known = {name: [r for r in records.read(name) if r["version"] == "4.1.4"] for name in ("table", "decisions", "differences")}
widths, commands = json.loads(sys.argv[1])
for columns in widths:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    for words in commands:
        print("====", columns, *words, flush=True)
        try:
            cli.main(words)
        except SystemExit as error:
            print("status", error.code)
    print("====", columns, "twins", flush=True)
    twins.show(made(library=made(version="4.1.4"), tables=lambda: known, forced=[], decided=[]))
"""
PROVE = ("prove", "bcast/mst", "--ranks", "1..4")
PROVE_MANY = ("prove", "allgather", "--ranks", "1..4")
RUN = (
    *("run", "--on", "schooner", "--nodes", "4", "--ranks", "32", "-c", "bcast", "--source", "bound,model"),
    *("-a", "mst,mst_scatter_bucket_allgather,hierarchical_known_root,ompi_4_1", "--bytes", "1KiB,1MiB"),
)
PUBLISHED = (
    *(
        "run",
        "--on",
        "orfeo_epyc",
        "--nodes",
        "2",
        "--ranks",
        "64",
        "--mapping",
        "packed",
        "-c",
        "bcast",
        "-a",
        "chain,binary,linear,pipeline",
    ),
    *("--type", "byte", "--bytes", "4", "--metric", "osu_avg", "--source", "model,published"),
)
MACHINES = (
    *(
        "run",
        "--on",
        "schooner,orfeo_epyc",
        "--ranks",
        "64",
        "-c",
        "bcast",
        "-a",
        "mst_scatter_bucket_allgather,knomial",
    ),
    *("--bytes", "8,1MiB", "--source", "model"),
)
EXPLAIN = (
    *(
        "explain",
        "bcast/chain",
        "bcast/mst_scatter_bucket_allgather",
        "--on",
        "schooner",
        "--ranks",
        "32",
        "--nodes",
        "4",
    ),
    *("--bytes", "64KiB"),
)
CLAIMS = ("claims", "--check")
DECIDE = ("decide", "-c", "bcast", "--ranks", "64", "--bytes", "4KiB")
LIST = ("list",)
LIST_ONE = ("list", "-c", "bcast")


def shown_by_all() -> dict[str, str]:
    """What each command shows, by the width and its words."""
    commands = [PROVE, PROVE_MANY, RUN, PUBLISHED, MACHINES, EXPLAIN, CLAIMS, DECIDE, LIST, LIST_ONE]
    status, text = shown([json.dumps([WIDTHS, commands])], WIDTHS[0], program=("-c", PROGRAM))
    assert status == 0, text
    made = {}
    for part in text.split("==== ")[1:]:
        head, _, rest = part.partition("\n")
        made[head] = rest
    return made


def screen(columns: int, *words: str) -> str:
    return once("screens", shown_by_all)[" ".join((str(columns), *words))]


@pytest.mark.parametrize("columns", WIDTHS)
def test_prove_shows_its_verdicts(columns: int) -> None:
    text = screen(columns, *PROVE)
    assert widest(text) <= columns
    assert text.count("proven") == 4 + 1  # each number of ranks, and all together
    assert "…" not in text.split("44 of 44")[0]


@pytest.mark.parametrize("columns", WIDTHS)
def test_prove_of_many_says_what_is_unsupported(columns: int) -> None:
    text = screen(columns, *PROVE_MANY)
    assert widest(text) <= columns
    for word in ("allgather/recursive_doubling", "failed", "unsupported: ", "proven, "):
        assert word in text


@pytest.mark.parametrize("columns", WIDTHS)
def test_run_shows_names_times_and_choices(columns: int) -> None:
    text = screen(columns, *RUN)
    # The bar of the model draws over itself, and words for mpirun are to be copied in one piece.
    table = [line for line in text.splitlines() if not line.startswith("model ") and "--mca" not in line]
    assert max(map(len, table)) <= columns
    for name in ("mst_scatter_bucket_allgather", "decision/ompi_4_1", "[levels=node"):
        assert any(name in line for line in table)
    times = [line for line in table if re.search(r"\d [mµ]s", line) and "…" not in line]  # bands stand with the winners
    assert len(times) == 2 * 4
    assert any(re.search(r"[mµ]s.* knomial", line) for line in times)  # what the decision chose
    if columns < 80:
        assert "no room for" in text
    else:
        assert "× fastest" in text


@pytest.mark.parametrize("columns", WIDTHS)
def test_published_times_have_their_ratio_to_the_prediction(columns: int) -> None:
    """Calls that nobody published share one reason."""
    text = screen(columns, *PUBLISHED)
    heading = text.partition("───")[0].split()
    assert "published" in heading and {"published/", "published/model"} & set(heading)
    assert " ".join(text.split()).count("bcast/linear, bcast/pipeline[s=65536]: nobody has published") == 1


@pytest.mark.parametrize("columns", WIDTHS)
def test_machines_stand_side_by_side(columns: int) -> None:
    """Each with the mark of its own fastest."""
    text = screen(columns, *MACHINES)
    table = text.partition("* the fastest on that machine")[0].splitlines()
    times = [line for line in table if re.search(r"\d [mµ]s", line)]
    assert max(map(len, times)) <= columns and len(times) == 2 * 2
    assert all(len(re.findall(r"\d [mµn]s", line)) == 2 for line in times)
    assert sum(line.count("*") for line in times) == 2 * 2


@pytest.mark.parametrize("columns", WIDTHS)
def test_explain_breaks_no_column_into_single_words(columns: int) -> None:
    text = screen(columns, *EXPLAIN)
    table = [line for line in text.splitlines() if not line.startswith("crossings ")]
    assert max(map(len, table)) <= columns
    for words in ("waiting for a ", "NIC of node 0, out  ", "nowhere from 1 to 16", "speed of the NIC"):
        assert any(words in line for line in table)


@pytest.mark.parametrize("columns", WIDTHS)
def test_claims_say_their_sentences_in_lines_that_can_be_read(columns: int) -> None:
    """Other columns make room for them."""
    text = screen(columns, *CLAIMS)
    assert widest(text) <= columns
    for words in (" bcast linear at 4 B:", "not reproduced", "11 of 13"):
        assert words in text


@pytest.mark.parametrize("columns", WIDTHS)
def test_list_stays_within_the_screen(columns: int) -> None:
    for words in (LIST, LIST_ONE):
        text = screen(columns, *words)
        assert widest(text) <= columns
        assert "hierarchical_unknown_root" in text


@pytest.mark.parametrize("columns", WIDTHS)
def test_decide_shows_what_each_takes(columns: int) -> None:
    text = screen(columns, *DECIDE)
    assert widest(text) <= columns
    for name in ("decision/ompi_4_0", "bcast/split_binary", "decision/mpich_4"):
        assert name in text


@pytest.mark.parametrize("columns", WIDTHS)
def test_twins_show_names_and_what_is_equal(columns: int) -> None:
    text = screen(columns, "twins")
    assert widest(text) <= columns
    assert "equal" in text
    assert "bcast/" in text
