"""Opening comments: they are read, and every algorithm's is whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.catalogue import headers, registry


def test_reads_a_header(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        "/* gather/some[k]\n * Idea     one thing,\n *          then another\n * Cost     alpha + m beta          m = bytes\n"
        " *\n *          rank 0   rank 1\n *  start   a        .\n */\nint x;\n"
    )
    found = headers.read(path)
    assert found is not None
    assert found.title == "gather/some[k]"
    assert found.fields == {"Idea": "one thing, then another", "Cost": "alpha + m beta          m = bytes"}
    assert found.picture == ("        rank 0   rank 1", "start   a        .")
    assert found.missing == ["Rounds", "Needs", "Scratch", "Source"]


def test_no_header(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("int x;\n")
    assert headers.read(path) is None


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
