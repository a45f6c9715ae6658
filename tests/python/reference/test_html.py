"""collscope.reference.html: the pages are well-formed, small, complete, and every link and picture leads somewhere."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from lxml import etree

from collscope.base import paths, programs
from collscope.reference import html
from collscope.reference.markdown import markdown
from collscope.reference.model import Reference, reference

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")

MAX_BYTES = 400 * 1024  # of a page
DOCS = paths.ROOT / "docs"


@pytest.fixture(scope="module")
def made() -> Reference:
    return reference()


@pytest.fixture(scope="module")
def pages(made: Reference) -> dict[str, etree._Element]:
    """Every page by its path below docs/, read as XML: what is not closed or not escaped is an error."""
    texts = dict(html.render(markdown(made, code=True)))
    assert max(len(text.encode()) for text in texts.values()) <= MAX_BYTES
    return {path: etree.fromstring(text.encode()) for path, text in texts.items()}


def test_every_anchor_is_there_once_and_pages_load_nothing_but_files(pages: dict[str, etree._Element]) -> None:
    for path, page in pages.items():
        assert max(Counter(page.xpath("//@id")).values()) == 1, path
        assert len(page.xpath("//script[not(@src)]")) == 1 and not page.xpath("//script/@src | //iframe | //link")
        assert not [address for address in page.xpath("//@src") if ":" in address or address.startswith("/")], path


def test_every_link_and_picture_leads_somewhere(pages: dict[str, etree._Element]) -> None:
    ids = {path: set(page.xpath("//@id")) for path, page in pages.items()}
    links = 0
    for path, page in pages.items():
        for address in page.xpath("//@href | //@src"):
            if address.startswith("https://doi.org/") or address == "#":
                continue
            links += 1
            target, fragment = urldefrag(unquote(address))
            # Resolved, for docs/algorithms/ is there only once ./collscope docs has run.
            file = ((DOCS / path).parent / target if target else DOCS / path).resolve()
            name = file.relative_to(paths.ROOT.resolve()).as_posix().removeprefix("docs/")
            assert name in ids or file.is_file(), f"{path}: {address}"
            assert not fragment or fragment in ids[name], f"{path}: {address}"
    assert links > 2000


def test_every_page_leads_to_every_other_and_from_the_index_to_every_algorithm(
    made: Reference, pages: dict[str, etree._Element]
) -> None:
    for path, page in pages.items():
        root = "../" * path.count("/")
        assert {root + other for other in pages} <= set(page.xpath("//nav//a/@href"))
    index = set(pages[html.INDEX].xpath("//main//a/@href"))
    for e in made.entries:
        assert f"algorithms/{e.algorithm.collective}.html#{e.anchor}" in index


def test_an_algorithm_has_its_facts_its_pictures_and_its_code(
    made: Reference, pages: dict[str, etree._Element]
) -> None:
    for group in made.groups:
        page = pages[f"algorithms/{group.name}.html"]
        assert page.xpath("//main/h1/text()") == [group.name]
        assert page.xpath("//main/h2/@id") == [e.anchor for e in group.entries]
        names = [name for e in group.entries for name in (*(n for n, _ in e.facts), "Chosen by")]
        assert page.xpath("//table[@class='plain']//tr/td[1]/text()") == names
        code = ["".join(x.itertext()).strip() for x in page.xpath("//details//pre")]
        assert code == [e.code for e in group.entries if e.code]
        pictures = [f"../pictures/{e.picture(kind)}" for e in group.entries if e.drawn for kind in ("graph", "table")]
        assert page.xpath("//figure//img/@src") == pictures
        assert all(x.get("loading") and x.get("width") for x in page.xpath("//figure//img"))


def test_a_decision_has_every_rule_and_a_link_back(made: Reference, pages: dict[str, etree._Element]) -> None:
    page = pages["algorithms/decisions.html"]
    rows = page.xpath("//details//tbody/tr")
    printed = [rule for t in made.decisions if not t.same_as for _, rules in t.by_collective for rule in rules]
    assert [tuple(row.xpath("td/text()"))[1:3] for row in rows] == [(r.ranks, r.sizes) for r in printed]
    for e in made.entries:
        for c in made.choices(e):
            rules = c.table.of(e.algorithm.collective)
            assert c.numbers and {rules[n - 1].stem for n in c.numbers} == {e.algorithm.key}
    chosen = sum(len(c.numbers) for e in made.entries for c in made.choices(e))
    assert chosen == sum(bool(rule.key) for t in made.decisions for rule in t.rules)


def test_differences_are_there(made: Reference, pages: dict[str, etree._Element]) -> None:
    assert len(pages["algorithms/differences.html"].xpath("//tbody/tr")) == len(made.differences) > 40


def test_stale_pages_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "algorithms").mkdir()
    for name in ("gone.html", "mine.txt"):
        (tmp_path / "algorithms" / name).touch()
    assert html.write('# A\n\n<a id="b"></a>\n\n## B\n', tmp_path) == 2
    there = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert there == {"algorithms.html", "algorithms/b.html", "algorithms/mine.txt"}
