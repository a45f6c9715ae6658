"""The generated reference is up to date, and the headers it is made of are whole."""

from __future__ import annotations

import re

import pytest

from collscope.base import paths, programs
from collscope.catalogue import headers as header
from collscope.catalogue import registry
from collscope.reference import docs

built = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def test_reads_a_header(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.c"
    path.write_text(
        "/* gather/some[k]\n * Idea     one thing,\n *          then another\n * Cost     alpha + m beta          m = bytes\n"
        " *\n *          rank 0   rank 1\n *  start   a        .\n */\nint x;\n"
    )
    found = header.read(path)
    assert found is not None
    assert found.title == "gather/some[k]"
    assert found.fields == {"Idea": "one thing, then another", "Cost": "alpha + m beta          m = bytes"}
    assert found.picture == ("        rank 0   rank 1", "start   a        .")
    assert found.missing == ["Rounds", "Needs", "Scratch", "Source"]


def test_no_header(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.c"
    path.write_text("int x;\n")
    assert header.read(path) is None


@built
def test_every_algorithm_has_a_whole_header() -> None:
    problems = []
    for a in registry.load().algorithms:
        about = header.of_key(a.key)
        if about is None:
            problems.append(f"{a.key}: no file below algorithms/ begins with a comment of this name")
        elif about.missing:
            problems.append(f"{about.path.relative_to(paths.ROOT)}: the header lacks {', '.join(about.missing)}")
    assert not problems, "\n".join(dict.fromkeys(problems))


@built
def test_reference_is_up_to_date() -> None:
    problems = docs.stale(docs.entries())
    assert not problems, "run ./collscope docs:\n" + "\n".join(problems)


def test_committed_links_lead_somewhere() -> None:
    text = (paths.ROOT / "docs" / "algorithms.md").read_text()
    anchors = set(re.findall(r'<a id="([^"]+)"', text))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not target.startswith("http"):
            assert (paths.ROOT / "docs" / target).exists(), target


def test_small_keeps_boxes() -> None:
    svg = b'<path d="M 1.04 2.00 \nL 3.00 2.00 \nL 3.00 4.55 \nL 1.04 4.55 \nz\n" clip-path="url(#x)"/>'
    assert docs.small(svg).startswith(b'<path d="M1.0 2.0H3.0V4.5H1.0z')
