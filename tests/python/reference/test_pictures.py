"""Pictures of the reference."""

from __future__ import annotations

from pathlib import Path

import pytest

import same_picture
from collscope.base import paths, programs
from collscope.catalogue import registry
from collscope.catalogue.headers import Header
from collscope.figures import files
from collscope.figures.schedule import kinds
from collscope.reference import entries, pictures
from collscope.reference.pictures import small


def test_small_keeps_boxes() -> None:
    svg = b'<path d="M 1.04 2.00 \nL 3.00 2.00 \nL 3.00 4.55 \nL 1.04 4.55 \nz\n" clip-path="url(#x)"/>'
    assert small(svg).startswith(b'<path d="M1.0 2.0H3.0V4.5H1.0z')


@pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
@pytest.mark.parametrize(
    "key",
    [
        "bcast/binomial",  # a tree that grows
        "reduce/pipeline",  # a long one, towards its root
        "allreduce/hierarchical",  # nodes, and more than one message on an edge
        "alltoall/pairwise",  # a circle
        "gather/linear",
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
