"""collscope.base.pages: templates escape what they show, and one converter makes pages of Markdown."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest
from lxml import etree
from markupsafe import Markup

from collscope.base import pages
from collscope.base.pages import Sheet

TEMPLATE = """\
a
  {% if true %}
{{ text }} | {{ text | cell }}
  {% endif %}
b
"""


def test_a_template_keeps_its_lines_and_begins_no_element_of_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / "x.md.j2").write_text(TEMPLATE)
    made = pages.environment(tmp_path)
    assert made.get_template("x.md.j2").render(text="1 < 2 <b>\n|") == "a\n1 < 2 &lt;b>\n| | 1 < 2 &lt;b> \\|\nb\n"
    assert made.get_template("x.md.j2").render(text=Markup("<b>")).startswith("a\n<b> | ")
    for words in ("</b>", "<!-- -->", "<?x"):
        assert f"&lt;{words[1:]}" in made.get_template("x.md.j2").render(text=words)
    with pytest.raises(jinja2.UndefinedError):
        made.get_template("x.md.j2").render()
    assert pages.environment(tmp_path) is made


def body(text: str, folder: Path = Path(), **options: bool) -> etree._Element:
    """The <main> of a page, which must be well-formed."""
    page = etree.fromstring(pages.html(text, folder, **options).encode())  # type: ignore[arg-type]
    (found,) = page.xpath("//main")
    return found


def inner(text: str) -> str:
    return "".join(etree.tostring(child, encoding="unicode", with_tail=False) for child in body(text)).strip()


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <script src='x'>b</script> c",
        "<details><summary><script>x</script></summary>\n\na\n\n</details>",
        "| a |\n|---|\n| <img src=x onerror=y> |",
        "# <style>x</style>",
        "<!-- a --> <iframe src='x'>",
        "[a](javascript:alert(1))",
        "<a id='x' onclick='y'></a>",
        "<https://x.y/><svg onload=z>",
    ],
)
def test_raw_html_is_text(text: str) -> None:
    page = body(text)
    assert not page.xpath(".//script | .//iframe | .//img | .//svg | .//style | .//title | .//@onclick | .//@onload")
    assert not [a for a in page.xpath("//@href") if a.startswith("javascript")]


def test_anchors_sections_and_small_print_are_kept() -> None:
    assert inner("a<br><small>*b*</small> 2^20") == "<p>a<br/><small><em>b</em></small> 2<sup>20</sup></p>"
    assert inner("<!-- note -->\na") == "<p>a</p>"
    made = inner("<details><summary>A `b`</summary>\n\nc\n\n</details>\n")
    assert "".join(made.split()) == "<details><summary>A<code>b</code></summary><p>c</p></details>"


def test_the_headings_are_the_contents_under_the_anchors_that_links_use() -> None:
    text = '# T `k`\n\n## A b, c\n\n<a id="x.y"></a>\n\n### [K](k.c)\n\n## <a id="z"></a>Z\n\n## A b c\n\n#### deep\n'
    page = etree.fromstring(pages.html(text, Path()).encode())
    assert page.xpath("//title/text()") == ["T k"]
    links = [(a.get("href"), "".join(a.itertext()), a.getparent().get("class")) for a in page.xpath("//nav/ul//a")]
    assert links == [
        ("#a-b-c", "A b, c", "h2"), ("#x.y", "K", "h3"), ("#z", "Z", "h2"), ("#a-b-c-1", "A b c", "h2"),
    ]  # fmt: skip
    assert page.xpath("//nav/a/@href | //header/@id") == ["top", "#top"], (
        "contents that cover a narrow page are closed again"
    )
    assert [e.get("id") for e in page.xpath("//main//*[@id]")][1:] == ["a-b-c", "x.y", "z", "a-b-c-1", "deep"]


def test_a_title_with_an_ampersand_is_escaped_once(tmp_path: Path) -> None:
    assert "<title>A &amp; B &lt;x&gt;</title>" in pages.html("# A & B <x>\n", tmp_path)


def test_tables_scroll_and_cells_are_marked_by_what_they_say() -> None:
    page = body("| a | b |\n|---|--:|\n| **partly** 1/2 | yes |\n| no (!) | c ✓ |\n| **other** | d ✗ |\n")
    (scrolled,) = page.xpath("div[@class='scroll']")
    assert (scrolled.get("tabindex"), scrolled.get("role"), scrolled.get("aria-label")) == ("0", "group", "a, b")
    (table,) = scrolled
    assert table.xpath(".//td/@class") == ["yes", "no surprise", "agrees", "differs"]
    assert [s.get("class") for s in table.iter("strong")] == ["verdict middling", None]
    assert len(table.xpath(".//td[contains(@style, 'right')]")) == 3 and table.get("class") is None
    long = body(f"| a |\n|---|\n| {'x' * 81} |\n| {'x' * 80} |\n")
    assert [td.get("class") for td in long.iter("td")] == ["long", None]
    assert body("| | |\n|---|---|\n| a | b |\n").xpath("//table/@class") == ["plain"]
    assert body("| a | b |\n|---|---|\n| **1** | **2** |\n").xpath("//table/@class") == ["cards"]


SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"></svg>'


def test_pictures_are_figures_with_their_captions_in_a_row(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text(SVG)
    text = "![A](a.svg)\\\n**A.** words\n\n![B](a.svg)\n![C](a.svg)\n\nafter\n\n- ![D](a.svg)\n"
    page = body(text, tmp_path)
    first, second = page.xpath("div[@class='figures']/figure")
    assert "".join(first.find("figcaption").itertext()).strip() == "A. words" and second.find("figcaption") is None
    assert [x.get("alt") for x in page.iter("img")] == ["A", "B", "C", "D"] and page.xpath("p/text()") == ["after"]
    assert all(x.get("src").startswith("data:image/svg+xml;base64,") for x in page.iter("img"))
    beside = body(text, tmp_path, embed=False)
    assert {(x.get("src"), x.get("width"), x.get("height")) for x in beside.iter("img")} == {("a.svg", "96", "48")}
    assert beside.xpath("//figure/a/@href") == ["a.svg"] * 3
    (tmp_path / "secret.txt").write_text("x")
    assert body("![x](secret.txt)", tmp_path).xpath("//img/@src") == ["secret.txt"], (
        "only pictures are put into the page"
    )


def test_a_picture_from_elsewhere_is_a_link_and_is_not_loaded() -> None:
    page = body(
        "![A](https://x.y/a.png)\n\nb ![](//x.y/b.svg) ![C](HTTP://x/c.svg) ![D](data:image/png;base64,AA) ![E](e:f)"
    )
    assert not page.xpath("//img | //@src") and "D E" in "".join(page.itertext())
    assert [(a.get("href"), a.text) for a in page.iter("a")] == [
        ("https://x.y/a.png", "A"), ("//x.y/b.svg", "//x.y/b.svg"), ("HTTP://x/c.svg", "C"),
    ]  # fmt: skip


def test_a_long_table_is_folded_under_the_names_of_its_columns() -> None:
    head = "| a & b | `c` | |\n|---|---|---|\n"
    assert not body(head + "| 1 | 2 | 3 |\n" * pages.MAX_OPEN).xpath(".//details")
    page = body(head + "| 1 | 2 | 3 |\n" * 17 + "\nafter\n\n" + head)
    (folded,) = page.iter("details")
    assert (
        folded.findtext("summary") == "a & b, c: 17 rows" and len(folded.xpath("div[@class='scroll']/table//tr")) == 18
    )
    assert [e.tag for e in page] == ["details", "p", "div"]


def test_a_page_of_several_leads_to_the_others() -> None:
    sheets = [Sheet("i.html", "Index"), Sheet("f/a.html", "A"), Sheet("f/b.html", "B")]
    places = {"#k": "f/b.html#k"}.get
    text = pages.html("# A\n\n## S\n\n[k](#k) [s](#s) [m](m.md) [w](https://x/y.md)", Path(), sheets=sheets, here=sheets[1],
                      places=lambda a: places(a, a))  # fmt: skip
    page = etree.fromstring(text.encode())
    assert page.xpath("//main/p[1]/a/@href") == ["../f/b.html#k", "#s", "../m.md", "https://x/y.md"]
    assert page.xpath("//nav/ul//a/@href") == ["../i.html", "../f/a.html", "#s", "../f/b.html"]
    assert page.xpath("//p[@class='turn']/a/@href") == ["../i.html", "../f/b.html"]
    assert etree.fromstring(pages.html("[a](b/r.md#c)", Path()).encode()).xpath("//p/a/@href") == ["b/r.html#c"]
    assert pages.html("# A", Path(), sheets=sheets, here=sheets[2]).count('class="next"') == 0
