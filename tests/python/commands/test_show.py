"""collscope.commands.show, collscope.commands.one_call, collscope.commands.show_page: a page, its pictures, and their call."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from collscope.base import paths, programs
from collscope.catalogue.registry import Registry
from collscope.commands import one_call, show, show_page
from collscope.points.plan import Point
from collscope.schedules import observed, one_port
from collscope.schedules.trace import Message, Trace
from command_line import call
from driven import needs_simulation

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def shown(capsys: pytest.CaptureFixture[str], words: str) -> tuple[int, str, str]:
    return call(capsys, "show", *words.split())


@needs_prover
def test_pictures_are_written_where_out_says(
    workplace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workplace)
    status, out, _ = shown(capsys, "scatter/mst --ranks 4 --kind graph,matrix --out d")
    assert status == 0
    names = {p.name for p in Path("d").iterdir()}
    assert names == {f"scatter-mst-p4-{kind}{ending}" for kind in ("graph", "matrix") for ending in (".svg", ".png")}
    assert all(f"d/{name}" in out for name in names)
    assert "graph of scatter/mst, 4 ranks" in Path("d/scatter-mst-p4-graph.svg").read_text()
    assert shown(capsys, "scatter/mst --ranks 4 --kind graph --out x.PDF")[0] == 0
    assert Path("x.PDF").read_bytes().startswith(b"%PDF")
    Path("a").mkdir()
    assert shown(capsys, "scatter/mst --ranks 3 --kind graph --out a/b.svg --animate")[0] == 0
    assert {p.name for p in Path("a").iterdir()} == {"b.svg", "b.gif", "b.animated.svg"}
    status, out, _ = shown(capsys, "scatter/mst --ranks 4 --no-pictures --out e")
    assert status == 0 and "pictures" not in out and not Path("e").exists()


@needs_prover
@pytest.mark.parametrize("on", ["", "--on schooner --nodes 2"])
def test_a_goal_file_names_its_machine_and_is_noted_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], on: str
) -> None:
    status, _, err = shown(capsys, f"allgather/bruck --ranks 4 --out {tmp_path / 'x.goal'} {on}")
    noted = "calculations take their time on the telephone network" in err and "choose a machine with --on" in err
    assert status == 0 and noted != bool(on) == (not err)
    assert ("schooner" if on else "telephone network") in (tmp_path / "x.goal").read_text().splitlines()[1]


@needs_prover
def test_a_picture_that_is_too_large_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collscope.figures.schedule.kinds.draw", lambda traces, kind: None)
    assert show.draw([drawn()], ["table"], str(tmp_path)) == []
    show.list_pictures([], 4)
    words = "the table of bcast/knomial[k=4,s=0] at this size would take too much memory"
    printed = capsys.readouterr()
    assert words in printed.err and printed.out == "", "no heading over no pictures"


@needs_prover
def test_a_call_of_no_bytes_has_no_table_and_needs_no_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = shown(capsys, f"gather/binomial --ranks 5 --bytes 0 --kind table --out {tmp_path}")
    assert status == 0 and "pictures" not in out
    assert "no table: gather/binomial of 0 B moves nothing that a rank could hold" in err and "memory" not in err


@needs_prover
@pytest.mark.parametrize("source", ["sim", "real"])
def test_inner_costs_of_messages_are_known_of_a_simulation_alone(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    """A real run spends what it spends, whatever the platform's file says."""
    costs: list[Any] = []
    run = observed.Run((), (1e-6,), ((0, 0, 0),) * 4, "", "fake")
    for name in ("simulated", "measured"):
        monkeypatch.setattr(observed, name, lambda *_: run)
    monkeypatch.setattr(observed, "text", lambda *_: "")
    monkeypatch.setattr("collscope.schedules.retimed.retimed", lambda *given: costs.append(given[-1]) or drawn())
    r = one_call.OneCall(algo="bcast/linear", ranks=4, platform="schooner", source=source)
    one_call._trace_of(source, r, one_call.make_point(r), one_call.make_layout(r, [source]))
    assert [found is not None for found in costs] == [source == "sim"]


@needs_simulation()
def test_a_simulation_stands_beside_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    """The simulated record has the simulation's time and places, and cost() the platform's numbers."""
    words = "bcast/binomial --on schooner --nodes 2 --ranks 4 --bytes 64KiB --no-pictures"
    status, out, _ = shown(capsys, f"{words} --source sim,model")
    assert status == 0
    times = {line.split()[0]: line for line in out.splitlines() if line.startswith(("sim ", "model "))}
    assert "= 1.00 × sim" in times["model"] and "model of schooner, 2 nodes" in times["model"]
    heads = next(line for line in out.splitlines() if "done: sim" in line)
    assert "done: model" in heads and "4 ranks on 2 nodes, root 0, a vector of 64 KiB: 3 messages" in out
    assert "cost() says" in out


def message(src: int, dst: int, round: int, size: int = 1024, end_s: float = 1e-6, **more: Any) -> Message:
    return Message(src, dst, size, round, 0.0, end_s, 0, 0, **more)


def drawn(**more: Any) -> Trace:
    """A schedule of two rounds that nobody timed."""
    messages = (message(0, 1, 0), message(0, 2, 1, 2048, 2e-6), message(1, 3, 1, 512, 3e-6))
    about: dict[str, Any] = {
        "key": "bcast/knomial[k=4,s=0]", "chose": "", "collective": "bcast", "ranks": 4, "count": 256, "elem": 4, "root": 0,
        "time_s": 2e-6, "cost_s": None, "exact": False, "rounds": 2, "messages": messages, "transfers": (), "spans": (),
        "rank_end_s": (0.0,) * 4, "nodes": (), "where": "a model",
    }  # fmt: skip
    return Trace(**(about | more))


@pytest.mark.parametrize(
    ("more", "sources", "stem"),
    [
        ({}, ["model"], "bcast-knomial-k4-s0-p4"),
        ({"nodes": (0, 0, 1, 1)}, ["model"], "bcast-knomial-k4-s0-p4-n2"),
        ({"root": 3, "nodes": (0, 1, 2, 0)}, ["model"], "bcast-knomial-k4-s0-p4-n3-r3"),
        ({}, ["sim"], "bcast-knomial-k4-s0-p4-sim"),
        ({"key": "bcast/mst"}, ["model", "real"], "bcast-mst-p4-model-real"),
    ],
)
def test_a_picture_s_name_says_what_it_is_of(more: dict[str, Any], sources: list[str], stem: str) -> None:
    traces = [drawn(source=source, **more) for source in sources]
    assert show.stem_of(traces) == stem
    assert show.animation_path(traces, "d/x.SVG") == Path("d/x.gif")
    assert show.animation_path(traces, "d") == Path("d") / f"{stem}.gif"
    assert show.animation_path(traces, None) == paths.fresh("show") / f"{stem}.gif"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [("all", show.KINDS), ("", show.KINDS), (" , ", show.KINDS), ("graph", ["graph"]), ("graph,all", show.KINDS),
     ("matrix, graph,matrix", ["matrix", "graph"])],
)  # fmt: skip
def test_kinds_of_pictures_are_read_each_once(text: str, kinds: Any) -> None:
    assert show.read_kinds(text) == list(kinds)


@pytest.mark.parametrize(
    ("more", "changed"),
    [
        ({}, {"count": 2048}),
        ({"sizes": "64"}, {"count": 16}),
        ({"sizes": "64", "type_name": "double"}, {"count": 8, "type": "double"}),
        ({"sizes": "64", "type_name": "affine"}, {"count": 8, "type": "affine", "op": "affine"}),
        ({"sizes": "64", "root": 5, "in_place": True}, {"count": 16, "root": 5, "in_place": True}),
    ],
)
def test_options_make_the_call_that_is_shown(known: Registry, more: dict[str, Any], changed: dict[str, Any]) -> None:
    made = one_call.make_point(show.Request("linear", collective="bcast", **more))
    assert made == replace(Point("bcast", "bcast/linear", 0), **changed)


@needs_prover
@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ("", ["4 ranks, root 0", "telephone network, α = 1 µs, 1/β = 1 GB/s"]),
        ("--nodes 2", ["4 ranks on 2 nodes, root 0", "1/β = 1 GB/s, within a node 300.0 ns, 4 GB/s"]),
        ("--on schooner", ["4 ranks, root 0", "model of schooner, 1 node"]),
        ("--on schooner --nodes 2 --mapping cyclic", ["4 ranks on 2 nodes, root 0", "model of schooner, 2 nodes"]),
        ("--root 3 --bytes 64", ["4 ranks, root 3, a vector of 64 B"]),
    ],
)
def test_ranks_sit_where_platform_and_nodes_say(
    capsys: pytest.CaptureFixture[str], words: str, facts: list[str]
) -> None:
    status, out, _ = shown(capsys, f"bcast/linear --ranks 4 --no-pictures {words}")
    assert status == 0 and [fact for fact in facts if fact not in " ".join(out.split())] == []


@pytest.mark.parametrize(("size", "large"), [(2 << 20, False), ((2 << 20) + 1, True)])
@pytest.mark.parametrize("ranks", [8, 9])
@pytest.mark.parametrize("names", [["a.svg"], ["a.png"], ["a.svg", "a.png"]])
def test_large_pictures_come_with_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], size: int, large: bool, ranks: int, names: list[str]
) -> None:
    for name in names:
        with open(tmp_path / name, "wb") as file:
            file.truncate(size)
    show.list_pictures([tmp_path / name for name in names], ranks)
    printed = capsys.readouterr()
    assert printed.out.splitlines()[:2] == ["", "pictures"]
    assert ("   2 MiB" in printed.out) == large
    remedies = [*(["the PNG of the same name" if len(names) > 1 else "--out NAME.png"] * ("a.svg" in names))]
    remedies += ["fewer --ranks" if ranks == 9 else "fewer --bytes", "--kind for some of them"]
    text = f"collscope: more than 2 MiB are slow to open: take {', '.join(remedies)} or --no-pictures\n"
    assert printed.err == text * large


def test_times_stand_beside_the_first(known: Registry) -> None:
    model, sim = drawn(cost_s=1e-6), drawn(source="sim", time_s=3e-6, where="b", cost_s=1e-6)
    assert show_page.times([model, sim]) == [
        ("model", "2 µs", "a model"), ("", "", "cost() says 1 µs in the telephone model"), ("sim", "3 µs = 1.50 × model", "b"),
    ]  # fmt: skip
    tele = drawn(cost_s=2e-6, exact=True, where=f"{one_port.TELEPHONE}, x")
    assert show_page.times([tele])[1][2] == "cost() says 2 µs and is exact"
    assert show_page.times([replace(tele, exact=False)])[1][2] == "cost() says 2 µs"
    assert show_page.times([replace(tele, cost_s=2.1e-6)])[1][2] == "cost() says 2.1 µs", (
        "exact() is wrong, or ranks are late"
    )
    assert show_page.times([drawn(time_s=0.0), sim])[1][1] == "3 µs"
    late = drawn(source="real", messages=(message(0, 1, 0, end_s=-1.0),), clock_error_s=2e-6)
    assert show_page.times([late])[1][2].startswith(
        "1 message came before they were sent, by clocks that agree within 2 µs;"
    )


@pytest.mark.parametrize(
    ("width", "several", "largest"), [(120, False, True), (60, False, True), (99, True, False), (100, True, True)]
)
def test_rounds_have_one_row_each(width: int, several: bool, largest: bool) -> None:
    more = [drawn(source="sim", messages=tuple(replace(m, end_s=m.end_s * 2) for m in drawn().messages))] * several
    table = show_page.rounds_table([drawn(), *more], width)
    heads = [
        "round",
        "messages",
        "bytes",
        *["largest"] * largest,
        *(["done: model", "done: sim"] if several else ["done at"]),
        "who",
    ]
    assert [str(c.header) for c in table.columns] == heads
    rows = list(zip(*(map(str, c.cells) for c in table.columns), strict=True))
    times = [("1.000 µs", "2.000 µs"), ("3.000 µs", "6.000 µs")]
    ends = [t if several else t[:1] for t in times]
    big = [("1 KiB",), ("2 KiB",)] if largest else [(), ()]
    assert [row[:-1] for row in rows] == [
        ("■ 0", "1", "1 KiB", *big[0], *ends[0]),
        ("■ 1", "2", "2560 B", *big[1], *ends[1]),
    ]
    assert rows[1][-1] == ("  …" if width == 60 else "0→2  1→3"), "whole pairs only"


@pytest.mark.parametrize(("rounds", "shows"), [(24, [*range(24)]), (25, [*range(20), "⋮", 22, 23, 24])])
def test_many_rounds_are_cut_in_the_middle(rounds: int, shows: list[Any]) -> None:
    table = show_page.rounds_table([drawn(rounds=rounds, messages=tuple(message(0, 1, k) for k in range(rounds)))], 120)
    assert [str(cell).removeprefix("■ ") for cell in table.columns[0].cells] == [str(k) for k in shows]
