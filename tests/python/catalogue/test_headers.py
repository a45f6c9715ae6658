"""collscope.catalogue.headers: opening comments: they are read, and every algorithm's is whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.catalogue import headers, registry


def test_a_picture_keeps_its_blank_lines_and_loses_its_margin(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        "/* bcast/a, bcast/b_2\n * Idea     one thing,\n *   then another\n * Cost     alpha\n *\n *\n *    start\n *\n *   Needs   x\n"
        " *  1\n * \n */\nint x; /* Source */\n"
    )
    found = headers.read(tmp_path / "a.c")
    assert found and found.picture == ("  start", "", " Needs   x", "1") and found.title == "bcast/a, bcast/b_2"
    assert found.fields == {"Idea": "one thing, then another", "Cost": "alpha"}
    assert found.missing == ["Rounds", "Needs", "Scratch", "Source"]
    (tmp_path / "a.c").write_text("int x;\n")
    assert headers.read(tmp_path / "a.c") is None


def test_a_file_speaks_for_the_keys_in_its_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "algorithms" / "bcast").mkdir(parents=True)
    titles = {"b.c": "bcast/a, bcast/b_2[k]", "a.c": "bcast/a", "c.h": "bcast/c", "d.c": ""}
    for name, title in titles.items():
        (tmp_path / "algorithms" / "bcast" / name).write_text(f"/* {title}\n */\n" if title else "int x;\n")
    found = headers.all_headers.__wrapped__()
    assert {key: header.path.name for key, header in found.items()} == {"bcast/a": "a.c", "bcast/b_2": "b.c"}


def test_a_file_outside_of_the_tree_is_taken_in_where_it_has_an_idea(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[str, headers.Header] = {}
    monkeypatch.setattr(headers, "all_headers", lambda: found)
    for name, text in {
        "mine": "/* bcast/mine\n * Idea  one\n */\n",
        "other": "/* see bcast/mst\n */\n",
        "no": "",
    }.items():
        (tmp_path / name).write_text(text)
        headers.add(tmp_path / name)
    assert list(found) == ["bcast/mine"]


@pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
def test_every_algorithm_has_a_whole_header() -> None:
    problems = []
    for a in registry.load().algorithms:
        about = headers.of_key(a.key)
        if about is None:
            problems.append(f"{a.key}: no file below algorithms/ begins with a comment of this name")
        elif about.missing:
            problems.append(f"{about.path.relative_to(paths.ROOT)}: the header lacks {', '.join(about.missing)}")
    assert not problems, "\n".join(dict.fromkeys(problems))


def test_plain_text_comes_in_paragraphs(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("/* one: two\n * three\n *\n * four\n */\nint x;\n")
    assert headers.prose(path).strip() == "one: two three\n\nfour"
