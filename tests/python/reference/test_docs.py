"""The generated reference is up to date, and its links lead somewhere."""

from __future__ import annotations

import re

import pytest

from collscope.base import paths, programs
from collscope.reference import docs
from collscope.reference.model import reference

built = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


@built
def test_reference_is_up_to_date() -> None:
    problems = docs.stale(reference())
    assert not problems, "run ./collscope docs:\n" + "\n".join(problems)


def test_committed_links_lead_somewhere() -> None:
    text = (paths.ROOT / "docs" / "algorithms.md").read_text()
    anchors = set(re.findall(r'<a id="([^"]+)"', text))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not target.startswith("http"):
            assert (paths.ROOT / "docs" / target).exists(), target
