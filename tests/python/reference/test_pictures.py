"""collscope.reference.pictures: pictures of the reference."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure

import same_picture
from collscope.base import paths, programs
from collscope.catalogue import registry
from collscope.catalogue.headers import Header
from collscope.figures import files
from collscope.figures.schedule import kinds
from collscope.reference import entries, pictures
from collscope.reference.pictures import small
from made_trace import made_trace


def test_small_keeps_boxes() -> None:
    svg = b'<path d="M 1.04 2.00 \nL 3.00 2.00 \nL 3.00 4.55 \nL 1.04 4.55 \nz\n" clip-path="url(#x)"/>'
    assert small(svg).startswith(b'<path d="M1.0 2.0H3.0V4.5H1.0z')


def test_small_keeps_the_digits_of_texts() -> None:
    assert small(b'<text x="1.234" y="5.6">2.86 \xc2\xb5s</text>') == b'<text x="1.2" y="5.6">2.86 \xc2\xb5s</text>'


@pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
@pytest.mark.parametrize(
    "key",
    [
        "bcast/binomial",  # a tree that grows
        "reduce/pipeline",  # a long one, towards its root
        "allreduce/hierarchical",  # nodes, and more than one message on an edge
        "alltoall/pairwise",  # a circle
        "gather/binomial",  # a tree towards its root
        "reduce_scatter/recursive_halving",  # shares of blocks
        "barrier/dissemination",
    ],
)
def test_committed_pictures_are_what_the_code_draws(key: str, tmp_path: Path) -> None:
    algorithm = registry.load().by_key[key]
    trace, why = entries.drawing(algorithm)
    assert trace and not why
    for kind in pictures.KINDS:
        fig = kinds.draw([trace], kind)
        assert fig
        name = entries.Entry(algorithm, Header(paths.ROOT, key, {}, ()), trace, "").picture(kind)
        same_picture.check(pictures.small(files.render(fig, "svg")), pictures.folder() / name, tmp_path)


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> entries.Entry:
    """An algorithm of two ranks, and an empty folder for pictures."""
    monkeypatch.setattr(pictures, "folder", lambda: tmp_path)
    key = "barrier/two_proc"
    trace = replace(made_trace(), key=key, collective="barrier", count=0)
    return entries.Entry(registry.load().by_key[key], Header(paths.ROOT, key, {}, ()), trace, "")


@pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
def test_changed_pictures_are_drawn_and_stale_ones_deleted(
    one: entries.Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(kinds, "draw", lambda traces, kind: drawn.append(kind) or Figure())
    (tmp_path / "gone.svg").touch()
    (tmp_path / "mine.txt").touch()
    names = [one.picture(kind) for kind in pictures.KINDS]
    key = one.algorithm.key
    printed = list(pictures.stale([one]))
    assert printed == [
        f"docs/pictures: {key}: the schedule has changed",
        *(f"docs/pictures/{name}: missing" for name in names),
    ]
    assert pictures.draw([one]) == 2 and drawn == ["graph", "table"]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*names, "index.json", "mine.txt"])
    assert pictures.draw([one]) == 0 and list(pictures.stale([one])) == []
    assert list(pictures.stale([])) == [f"docs/pictures: {key}: there is no such algorithm"]
    have = pictures.index()
    assert list(have) == ["drawing graph", "drawing table", key] and have[key] == one.hash
    assert {len(h) for h in have.values()} == {16} and have["drawing graph"] != have["drawing table"]
    assert (tmp_path / "index.json").read_text() == json.dumps(have, indent=1) + "\n"
    (tmp_path / "index.json").write_text(json.dumps({**have, "drawing table": "other code"}))
    assert list(pictures.stale([one])) == []  # it may draw the same
    assert pictures.draw([one]) == 1 and drawn[2:] == ["table"]
    other = replace(one, drawn=replace(made_trace(), key=key, collective="barrier", count=0, ranks=5))
    assert other.hash != one.hash and len(one.hash) == 16
    assert pictures.draw([other]) == 2
    nothing = replace(one, drawn=None, why_not="it cannot")
    assert (
        nothing.hash == ""
        and nothing.caption == "No picture: it cannot."
        and one.caption == f"`{key}` on 4 ranks on 2 nodes"
    )
    assert pictures.draw([nothing]) == 0 and not list(tmp_path.glob("*.svg"))
