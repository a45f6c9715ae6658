"""collscope.reference.entries: what the reference says of an algorithm, a decision and a picture, in words and as HTML."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.catalogue import registry
from collscope.catalogue.headers import Header
from collscope.reference import entries, model, tables
from collscope.reference.entries import Entry
from made_trace import made_trace


@pytest.fixture
def entry(known: registry.Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entry:
    """An algorithm with two parameters whose file stands below a root of its own."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    file = tmp_path / "algorithms" / "bcast" / "knomial.c"
    file.parent.mkdir(parents=True)
    file.write_text("/* bcast/knomial */\n\nint x; /* a */\n")
    fields = {"Source": "doi:10.1/x", "Idea": "a tree", "Rounds": "log p"}
    return Entry(known.by_key["bcast/knomial"], Header(file, "bcast/knomial", fields, ()), made_trace(), "")


def test_an_entry_has_the_facts_of_its_header_and_parameters(entry: Entry) -> None:
    assert (entry.anchor, entry.name, entry.full_key) == ("bcast-knomial", "knomial", "bcast/knomial[k=4,s=0]")
    assert (entry.path, entry.code) == ("algorithms/bcast/knomial.c", "int x; /* a */")
    assert (entry.summary, entry.rounds) == ("What bcast/knomial does.", "log p")
    assert (entry.twin_name, entry.picture("graph")) == ("", "bcast-knomial-graph.svg")
    assert entry.facts == [
        ("Idea", "a tree"),
        ("Rounds", "log p"),
        ("Source", "doi:10.1/x"),
        ("[k]", "about k; 2 to 64, 4 unless given"),
        ("[s]", "about s; 0 to 1073741824, 0 unless given"),
        ("Twin", entry.facts[-1][1]),
    ]


def test_the_catalogue_completes_the_opening_comment(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    a = replace(
        entry.algorithm, ports="several", flags=("places", "any_order"), has_cost=False, summary="pass on …", params=()
    )
    other = Entry(a, replace(entry.header, path=paths.ROOT / "algorithms" / "none.c", fields={}), None, "it cannot")
    assert other.facts[:-1] == [
        ("Source", "a paper"),
        ("Flags", "several messages at once, any order"),
        ("cost()", "none: no closed form"),
    ]
    assert (other.summary, other.code, other.rounds, other.hash) == ("Pass on …", "", "", "")
    worded = Entry(registry.load().by_key["bcast/mst"], entry.header, None, "")
    assert ("[dest]", "about dest; first or end, first unless given") in worded.facts
    twin = replace(entry, algorithm=replace(a, twin={"library": "Open MPI", "collective": "bcast", "number": 3}))
    assert (twin.twin_name, twin.twin_number) == ("Open MPI 3", 3)
    monkeypatch.setattr(entries.records, "instead_text", lambda _: [("p > 2", "linear"), ("p < 3", "ring")])
    assert twin.facts[-1] == (
        "Told 3", "Open MPI runs something else where this one does not run: p > 2 → linear; p < 3 → ring",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("key", "anchor"), [("bcast/mst", "bcast-mst"), ("Bcast/chain[s=1]", "bcast-chain-s-1"), ("a_b//c", "a_b-c")]
)
def test_anchors(key: str, anchor: str) -> None:
    assert entries.anchor_of(key) == anchor


def test_the_hash_is_of_what_a_picture_shows(entry: Entry) -> None:
    assert len(entry.hash) == 16 and entry.caption == "`bcast/mst` on 4 ranks on 2 nodes"
    t = made_trace()
    changed = [{"key": "x"}, {"ranks": 5}, {"count": 1}, {"nodes": ()}, {"messages": t.messages[1:]}, {"transfers": ()}]
    parts = ("src", "dst", "bytes", "round", "send", "recv")
    changed += [{"messages": (replace(t.messages[0], **{name: 9}), *t.messages[1:])} for name in parts]
    hashes = {replace(entry, drawn=replace(t, **more)).hash for more in changed}
    assert len(hashes - {entry.hash}) == len(changed)
    assert replace(entry, drawn=replace(t, time_s=1.0)).hash == entry.hash  # times are not shown
    assert replace(entry, drawn=replace(t, nodes=())).caption == "`bcast/mst` on 4 ranks"


def test_long_pipelines_are_drawn_in_segments_of_1_kib_and_hierarchies_on_two_nodes(
    known: registry.Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, int, int | None]] = []
    monkeypatch.setattr(entries.one_port, "telephone", lambda ranks, nodes: (ranks, nodes))
    monkeypatch.setattr(
        entries.record,
        "traces",
        lambda points, ranks, machine, _: calls.append((points[0].algorithm, *machine)) or ["t"],
    )
    a = known.by_key["bcast/knomial"]
    k, s = a.params
    for flags, segment in (((), 1024), ((), 1025), (("places",), 65536)):
        entries.drawing(replace(a, flags=flags, params=(k, replace(s, default=segment))))
    assert calls == [
        ("bcast/knomial[k=4,s=1024]", 8, None), ("bcast/knomial[k=4,s=1024]", 8, None), ("bcast/knomial[k=4,s=1024]", 8, 2),
    ]  # fmt: skip


def test_a_decision_and_its_rules(known: registry.Registry) -> None:
    keys = ("bcast/mst", "allgather/bucket", "bcast/knomial[k=2]", "bcast/knomial[k=4]")
    rules = [tables.Rule(key.partition("/")[0], "2 to 8", "any size", "", key, "") for key in keys]
    table = tables.Table(known.decisions[0], rules, None)
    again = tables.Table(known.decisions[0], rules, table)
    result = (table.anchor, table.path, table.shown, again.shown)
    assert result == ("decision-ompi_4_1", "algorithms/decision/ompi_4_1.c", table, table)
    assert table.by_collective == [("bcast", [rules[0], *rules[2:]]), ("allgather", [rules[1]])]
    assert (rules[2].takes, rules[2].stem, rules[2].anchor) == ("knomial[k=2]", "bcast/knomial", "bcast-knomial")
    found = tables.choices("bcast", "bcast/knomial", [table, again])
    assert [(c.table, list(c.numbers), c.rules, c.text) for c in found] == [
        (table, [2, 3], 3, "rules 2, 3 of 3"), (again, [2, 3], 3, "rules 2, 3 of 3"),
    ]  # fmt: skip
    assert tables.choices("bcast", "bcast/linear", [table]) == []
    assert tables.Choice(table, [1], 1).text == "rule 1 of 1"
    assert tables.Choice(table, range(1, 9), 9).text == "rules 1, 2, 3, 4, 5, 6, 7, 8 of 9"
    assert tables.Choice(table, range(1, 10), 10).text == "9 of 10 rules"


def test_differences_anchors_and_choices_of_a_reference(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    of = model.Reference([entry], [tables.Table(registry.load().decisions[0], [], None)])
    monkeypatch.setattr(model.records, "instead", lambda _: [("p > 2", "linear", "4.1")])
    assert of.differences == [(entry, "p > 2", "linear", "4.1")] and of.twins == 0
    assert of.anchors == {"bcast/knomial": "bcast-knomial", "decision/ompi_4_1": "decision-ompi_4_1"}
    assert [c.text for c in of.choices(entry)] == []
