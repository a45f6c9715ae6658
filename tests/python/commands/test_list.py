"""collscope.commands.list_: what `list` prints."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from collscope.base import console
from collscope.catalogue import registry
from collscope.catalogue.registry import Registry
from collscope.commands import list_
from collscope.machines import find
from command_line import call


def test_all_stands_by_collective(known: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    out = call(capsys, "list")[1].splitlines()
    assert out[:9] == [
        "bcast",
        "  bcast/mst[dest=first]   what bcast/mst does",
        "  bcast/linear            what bcast/linear does",
        "  bcast/knomial[k=4,s=0]  what bcast/knomial does",
        "",
        "scatter",
        "  scatter/linear          what scatter/linear does",
        "",
        "allgather",
    ]
    assert out[-4:] == [
        "decisions",
        "  decision/ompi_4_1       Open MPI's",
        "",
        "values in brackets are the defaults; ./collscope list -c COLLECTIVE says more of each",
    ]
    assert "gather" not in out, "nothing of what has no algorithm"


@pytest.mark.parametrize(
    ("key", "width", "columns", "lines"),
    [
        ("short", 5, 0, ["  short  one two"]),
        ("0123456", 5, 0, ["  0123456", "         one two"]),
        ("short", 5, 64, ["  short", "      one two"]),
        ("short", 5, 65, ["  short  one two"]),
        ("k[a=1,b=2]", 9, 10, ["  k[a=1,", "   b=2]", "      one", "      two"]),
    ],
)
def test_a_summary_stands_beside_the_key_or_below_it(
    monkeypatch: pytest.MonkeyPatch, key: str, width: int, columns: int, lines: list[str]
) -> None:
    monkeypatch.setattr(console, "columns", lambda: columns)
    assert list_._line(key, "one two", width).splitlines() == lines


def test_all_that_is_known_of_a_collective(
    known: Registry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = {"library": "Open MPI", "collective": "bcast", "number": 6}
    full = {"ports": "many", "flags": ("needs_power_of_two", "x"), "twin": twin, "has_cost": False, "source": ""}
    first = replace(known.algorithms[1], **full)  # type: ignore[arg-type]
    made = replace(known, algorithms=(first, known.algorithms[3], known.algorithms[2]))
    monkeypatch.setattr(registry, "load", lambda: made)
    assert call(capsys, "list", "-c", "bcast")[1].splitlines() == [
        "bcast: 2 algorithms",
        "",
        "bcast/linear",
        "    what bcast/linear does",
        "    several messages at once; needs power of two; x; twin of Open MPI bcast 6; no closed form of its cost",
        "",
        "bcast/knomial",
        "    what bcast/knomial does",
        "    [k=4]  2 … 64  about k",
        "    [s=0]  0 … 1073741824  about s",
        "    from a paper",
        "",
        "decisions that know bcast",
        "    decision/ompi_4_1  Open MPI's",
    ]
    assert call(capsys, "list", "-c", "scatter")[1] == "scatter: 0 algorithms\n"
    assert call(capsys, "list", "-c", "allgather")[1].startswith("allgather: 1 algorithm\n")


def test_the_catalogue_as_json_is_whole_or_of_one_collective(
    known: Registry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    every, some = (json.loads(call(capsys, "list", "--json", *more)[1]) for more in ((), ("-c", "scatter")))
    assert [a["key"] for a in some["algorithms"]] == ["scatter/linear"]
    assert {**every, "algorithms": 0} == {**some, "algorithms": 0} and len(every["algorithms"]) == 6
    assert call(capsys, "list", "--json", "-c", "foo")[0] == 2
    out = call(capsys, "list", "--platforms")[1].splitlines()
    assert out[0] == "ideal" and "schooner" in [line.split()[0] for line in out]
    (square,) = [line.split() for line in out if line.startswith("ib_multicore")]
    assert " ".join(square[1:]) == (
        "4 nodes of 4 sockets of 4 cores (4 caches per node); classes cache, socket, node, far, network"
    )
    monkeypatch.setattr(find, "list_platforms", lambda: ["a", "b"])
    assert call(capsys, "list", "--platforms") == (0, "a\nb\n", "")
    assert call(capsys, "list", "--platforms", "--json", "-c", "bcast") == (0, '["a", "b"]\n', "")
    monkeypatch.setattr(find, "list_platforms", list)
    assert call(capsys, "list", "--platforms")[0] == 2
    assert call(capsys, "list", "--platforms", "--json") == (0, "[]\n", "")
