"""collscope.reference.markdown: texts in Markdown, and what they are taken apart into."""

from __future__ import annotations

from collscope.reference.markdown import linked

ANCHORS = {"bcast/chain": "bcast-chain"}


def test_characters_of_markdown_are_escaped() -> None:
    assert linked("a | b * c < d, `p | q`", {}) == "a \\| b \\* c &lt; d, `p \\| q`"


def test_gaps_become_dots() -> None:
    assert linked("  alpha + m beta     m = bytes ", {}) == "alpha + m beta · m = bytes"


def test_keys_and_papers_become_links() -> None:
    text = "as bcast/chain[chains=1,s=s] and bcast/none do; `bcast/chain`; doi:10.1002/cpe.1206; more"
    assert linked(text, ANCHORS) == (
        "as [bcast/chain[chains=1,s=s]](#bcast-chain) and bcast/none do; [`bcast/chain`](#bcast-chain); "
        "[doi:10.1002/cpe.1206](https://doi.org/10.1002/cpe.1206); more"
    )


def test_text_between_links_stays() -> None:
    text = " `a`bcast/chain[s=1]  x/y doi:10.1/x.y. bcast/chain/b 1/2 d/e[f"
    assert linked(text, ANCHORS) == (
        "`a`[bcast/chain[s=1]](#bcast-chain) · x/y [doi:10.1/x.y](https://doi.org/10.1/x.y). [bcast/chain](#bcast-chain)/b 1/2 d/e[f"
    )
