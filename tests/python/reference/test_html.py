"""The reference as pages of HTML: well formed, small, every link and picture is there, and they say what the Markdown page says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from lxml import etree

from collscope.base import paths, programs
from collscope.reference import html
from collscope.reference.model import Reference, reference

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")

MAX_PAGE_BYTES = 300 * 1024  # bytes of a page
DOCS = paths.ROOT / "docs"
# What may stand in a paragraph, a heading, a cell of a list: text and what belongs to a line.
INLINE = {"a", "code", "b", "i", "img"}
LINES = {"p", "h1", "h2", "summary", "code", "b", "i", "title", "pre", "a"}
INSIDE = {"li": {"ul"}, "tr": {"thead", "tbody"}, "td": {"tr"}, "th": {"tr"}, "tbody": {"table"}, "thead": {"table"}}
ELSEWHERE = {"head", "meta", "title", "link", "body", "header", "main", "nav", "div", "section", "figure", "figcaption"}
KNOWN = INLINE | LINES | ELSEWHERE | set(INSIDE) | {"html", "ul", "table", "details"}
EMPTY = {"meta", "link", "img"}


@pytest.fixture(scope="module")
def made() -> Reference:
    return reference()


@pytest.fixture(scope="module")
def texts(made: Reference) -> dict[str, str]:
    """Every file by its path below docs/."""
    return dict(html.render(made))


@pytest.fixture(scope="module")
def pages(texts: dict[str, str]) -> dict[str, etree._Element]:
    """The pages, read as XML: what is not closed or not escaped is an error."""
    return {path: etree.fromstring(text.encode()) for path, text in texts.items() if path.endswith(".html")}


def anchors(page: etree._Element) -> Counter[str]:
    return Counter(page.xpath("//@id"))


def faults(page: etree._Element) -> list[str]:
    """What HTML does not allow, in words."""
    found = [f"id {name} twice" for name, times in anchors(page).items() if times > 1]
    for element in page.iter(etree.Element):
        parent = element.getparent()
        name, where = element.tag, parent.tag if parent is not None else ""
        if name not in KNOWN:
            found.append(f"<{name}>")
        if where not in INSIDE.get(name, {where}) or (where in LINES and name not in INLINE):
            found.append(f"<{name}> in <{where}>")
        if where in ("ul", "tbody", "tr", "table") and where not in INSIDE.get(name, ()):
            found.append(f"<{name}> in <{where}>")
        if name == "a" and (not element.get("href") or "a" in [e.tag for e in element.iterancestors()]):
            found.append("<a> within <a> or without href")
        if name == "img" and not all(element.get(a) for a in ("alt", "src", "width", "height")):
            found.append("<img> without alt, src or size")
        if (
            name not in EMPTY
            and name != "td"
            and not len(element)
            and not (element.text or "").strip()
            and name != "th"
        ):
            found.append(f"<{name}> is empty")
    return found


def test_pages_are_html(pages: dict[str, etree._Element]) -> None:
    assert {path: found for path, page in pages.items() if (found := faults(page))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "<p>a<table><tbody><tr><td>b</td></tr></tbody></table></p>",
        "<ul><a href='x'>b</a></ul>",
        "<p id='a'>b <code id='a'>c</code></p>",
        "<p><a href='x'>b <code><a href='y'>c</a></code></a></p>",
        "<figure><img src='x' width='1' height='1'/></figure>",
        "<p><centre>a</centre></p>",
    ],
)
def test_faults_are_noticed(text: str) -> None:
    assert faults(etree.fromstring(f"<body>{text}</body>"))


def test_every_page_is_small_and_reads_nothing_but_files(
    texts: dict[str, str], pages: dict[str, etree._Element]
) -> None:
    sizes = {path: len(text.encode()) for path, text in texts.items()}
    assert max(sizes.values()) <= MAX_PAGE_BYTES, sizes
    for path, page in pages.items():
        loaded = page.xpath("//@src | //link/@href")
        assert loaded and not page.xpath("//script | //style | //iframe")
        assert not [address for address in loaded if ":" in address or address.startswith("/")], path


def test_every_link_and_picture_leads_somewhere(pages: dict[str, etree._Element]) -> None:
    ids = {path: anchors(page) for path, page in pages.items()}
    links = 0
    for path, page in pages.items():
        for address in page.xpath("//@href | //@src"):
            if address.startswith("https://doi.org/"):
                continue
            links += 1
            target, fragment = urldefrag(unquote(address))
            # Resolved, for docs/algorithms/ is there only once ./collscope docs has run.
            file = ((DOCS / path).parent / target if target else DOCS / path).resolve()
            name = file.relative_to(paths.ROOT.resolve()).as_posix().removeprefix("docs/")
            assert name in ids or name == html.STYLE or file.is_file(), f"{path}: {address}"
            assert not fragment or fragment in ids[name], f"{path}: {address}"
    assert links > 3000


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
    for e in made.entries:
        (section,) = pages[f"algorithms/{e.algorithm.collective}.html"].xpath(f"//section[h2/@id='{e.anchor}']")
        names = section.xpath(".//table[@class='facts']//th/text()")
        assert names == ["Key", *(name for name, _ in e.facts), "Chosen by"]
        pre = ["".join(x.itertext()) for x in section.xpath(".//pre")]
        assert pre == ["\n".join(e.header.picture)] * bool(e.header.picture) + [e.code]
        pictures = section.xpath(".//img/@src")
        assert pictures == [f"../pictures/{e.picture(kind)}" for kind in ("graph", "table") if e.drawn]
        assert all(x.get("loading") == "lazy" for x in section.iter("img"))


def test_a_decision_has_every_rule_and_the_way_back(made: Reference, pages: dict[str, etree._Element]) -> None:
    stems = {e.algorithm.key for e in made.entries}
    for t in made.decisions:
        page = pages[f"algorithms/{t.anchor}.html"]
        rows = page.xpath("//table[@class='rules']/tbody/tr")
        assert len(rows) == (0 if t.same_as else len(t.rules)) and t.rules
        printed = [rule for _, rules in t.by_collective for rule in rules]
        for rule, row in zip(printed, rows, strict=bool(rows)):
            assert [*row.itertext()][1:3] == [rule.ranks, rule.sizes]
            assert not rule.key or rule.stem in stems
    for e in made.entries:
        for c in made.choices(e):
            rules = c.table.of(e.algorithm.collective)
            assert c.numbers and {rules[n - 1].stem for n in c.numbers} == {e.algorithm.key}
    chosen = sum(len(c.numbers) for e in made.entries for c in made.choices(e))
    assert chosen == sum(bool(rule.key) for t in made.decisions for rule in t.rules)


def test_differences_are_there(made: Reference, pages: dict[str, etree._Element]) -> None:
    assert len(pages["algorithms/differences.html"].xpath("//tbody/tr")) == len(made.differences) > 40


def test_what_no_longer_belongs_there_is_taken_away(made: Reference, texts: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "algorithms").mkdir()
    for name in ("gone.html", "mine.txt"):
        (tmp_path / "algorithms" / name).touch()
    assert html.write(made, tmp_path) == len(html.plan(made))
    there = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert there == {*texts, "algorithms/mine.txt"}
