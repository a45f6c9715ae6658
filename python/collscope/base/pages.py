"""Pages: templates in Markdown, and the one converter and page shell that make HTML of it.

Reports and references are written as Markdown alone. Text of a user's file cannot bring HTML of its own: the templates escape what they
show, and the converter passes only the few elements that Markdown has no words for.
"""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from collscope.base.units import join_words

if TYPE_CHECKING:
    import jinja2
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

SHARED = Path(__file__).parent / "templates"  # page.html.j2, page.css
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
# Elements that may stand in a Markdown text: a section that opens, an anchor, a line's end, small print.
_DETAILS = re.compile(r"<details><summary>(.*)</summary>")
_ANCHOR = re.compile(r'<a id="([\w.-]+)"></a>')
_INLINE = re.compile(r'<a id="[\w.-]+">|<br>|</?(?:small|sup|sub)>')
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_POWER = re.compile(r"\b(\d+)\^(\d+)")
# Words that have a colour where they stand in bold, or as the whole of a cell.
_VERDICTS = {"reproduced": "good", "partly": "middling", "not reproduced": "bad", "not testable": "faint"}
_CELLS = {"yes": "yes", "no": "no", "yes (!)": "yes surprise", "no (!)": "no surprise"}
LONG = 80  # characters of a cell that keeps some width where the page is narrow
MAX_OPEN = 16  # rows of a table that stands open
_REMOTE = re.compile(r"(?:https?:)?//", re.I)
_MEDIA = {".svg": "image/svg+xml", ".png": "image/png"}


def cell(text: object) -> str:
    """Text in a cell of a table: on one line, its bars meant as they are."""
    return re.sub(r"\s*[\r\n]\s*", " ", str(text)).replace("|", "\\|")


@cache
def environment(folder: Path) -> jinja2.Environment:
    """The templates of a folder, which are Markdown: what they show begins no HTML element. One for each folder: its filters are its
    owner's."""
    import jinja2
    from markupsafe import Markup

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder, encoding="utf-8"),
        finalize=lambda value: value if isinstance(value, Markup) else _TAG.sub("&lt;", str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    made.filters.update(cell=cell, words=join_words)
    return made


@dataclass(frozen=True)
class Heading:
    """A heading of a page: its level, its anchor, its text as HTML."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True)
class Sheet:
    """A page of several that belong together: its file, relative to the folder of the first, and its title."""

    path: str
    title: str

    @property
    def root(self) -> str:
        """What leads from the page to that folder."""
        return "../" * self.path.count("/")


def html(
    text: str,
    folder: Path,
    *,
    embed: bool = True,
    sheets: Sequence[Sheet] = (),
    here: Sheet | None = None,
    places: Callable[[str], str] = lambda address: re.sub(r"^([^:#]*)\.md(?=#|$)", r"\1.html", address),
) -> str:
    """A whole page of a text in Markdown whose pictures are below `folder`: with them inside (embed), or beside it.

    A paragraph that begins with a picture is a figure, its further words are the caption. A long table is folded. Headings of levels 2
    and 3 are the contents. Nothing is loaded from elsewhere: a picture with a remote address is a link to it.
    `sheets`: all pages, where this one, `here`, is one of several. `places`: where a relative address leads.
    """
    made = _converter()
    env: dict[str, Any] = {"folder": folder, "embed": embed, "root": here.root if here else "", "places": places}
    tokens = [*_arranged(made.parse(text))]
    headings = [*_headings(tokens, env)]
    body = made.renderer.render(tokens, made.options, env)
    title = next((unescape(re.sub("<[^>]+>", "", h.text)) for h in headings if h.level == 1), "")
    place = sheets.index(here) if here else 0
    return _shell().render(
        title=title,
        body=body,
        headings=[h for h in headings if h.level in (2, 3)],
        sheets=sheets,
        here=here,
        before=sheets[place - 1] if here and place else None,
        after=sheets[place + 1] if here and place + 1 < len(sheets) else None,
    )


@cache
def _shell() -> jinja2.Template:
    """The page around a body; all but body and headings are escaped."""
    import jinja2

    loader = jinja2.FileSystemLoader(SHARED, encoding="utf-8")
    made = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return made.get_template("page.html.j2")


@cache
def _converter() -> MarkdownIt:
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": True}).enable("table")
    for name, rule in {"html_block": _block, "html_inline": _inline, "text": _text, "image": _image}.items():
        made.add_render_rule(name, rule)
    made.add_render_rule("fold", lambda _, tokens, at, *__: tokens[at].content)
    made.add_render_rule("link_open", _link)
    return made


# ---- arranging tokens: figures, tables, anchors of headings --------------------------------------------------


def _arranged(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with figures in place of paragraphs that begin with a picture, and classes of tables and cells."""
    inside = folded = False  # in a row of figures, in a long table
    for k, token in enumerate(tokens := [*_anchored(tokens)]):
        following = tokens[k + 1] if k + 1 < len(tokens) else None
        figure = token.type == "paragraph_open" and following is not None and _is_figure(following)
        if inside and token.level == 0 and token.nesting >= 0 and not figure:
            inside = False
            yield _made("row", "div", -1)
        if figure:
            if not inside and token.level == 0:
                inside = True
                yield _made("row", "div", 1, "figures")
            token.tag, tokens[k + 2].tag = "figure", "figure"
            assert following
            following.children = _captioned(following.children or [])
        elif token.type == "table_open":
            end = next(i for i, t in enumerate(tokens[k:], k) if t.type == "table_close")
            rows = sum(t.type == "tr_open" for t in tokens[k:end]) - 1
            folded = rows > MAX_OPEN
            if folded:
                yield _fold(f"<details><summary>{_columns(tokens[k:end])}: {rows} rows</summary>")
            scrolled = _made("scroll", "div", 1, "scroll")
            # Who has no mouse scrolls a wide table by keys: it takes the focus, and says its columns.
            scrolled.attrs |= {"tabindex": "0", "role": "group", "aria-label": unescape(_columns(tokens[k:end]))}
            yield scrolled
            _name_columns(token, tokens[k:end])
        elif token.type == "table_close":
            yield token
            yield _made("scroll", "div", -1)
            if folded:
                yield _fold("</details>")
            continue
        elif token.type == "td_open" and following is not None:
            _mark_cell(token, following)
        elif token.type == "inline":
            _mark_words(token)
        yield token
    if inside:
        yield _made("row", "div", -1)


def _anchored(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with a block of HTML in place of each paragraph that is an anchor alone."""
    rest = iter(enumerate(tokens))
    for k, token in rest:
        if token.type == "paragraph_open" and _ANCHOR.fullmatch(tokens[k + 1].content):
            token = _made("html_block", "", 0)
            token.content = tokens[k + 1].content
            yield token
            next(rest)
            next(rest)
        else:
            yield token


def _made(kind: str, tag: str, nesting: Any, name: str = "") -> Token:
    from markdown_it.token import Token

    return Token(kind, tag, nesting, attrs={"class": name} if name else {}, block=True)


def _fold(text: str) -> Token:
    token = _made("fold", "", 0)
    token.content = f"{text}\n"
    return token


def _columns(table: Sequence[Token]) -> str:
    """The names of a table's columns, as HTML."""
    end = next(k for k, t in enumerate(table) if t.type == "thead_close")
    names = ["".join(c.content for c in t.children or []) for t in table[:end] if t.type == "inline"]
    return escape(", ".join(name for name in names if name) or "Table")


def _is_figure(token: Token) -> bool:
    return token.type == "inline" and (token.children or [token])[0].type == "image"


def _captioned(children: Sequence[Token]) -> list[Token]:
    """The pictures at the beginning, and what follows them as their caption."""
    breaks = ("softbreak", "hardbreak")
    first = next((k for k, c in enumerate(children) if c.type not in ("image", *breaks)), len(children))
    pictures = [c for c in children[:first] if c.type == "image"]
    rest = children[first:]
    return [
        *pictures,
        *([_made("caption", "figcaption", 1), *rest, _made("caption", "figcaption", -1)] if rest else []),
    ]


def _name_columns(table: Token, tokens: Sequence[Token]) -> None:
    """Classes of a table: `cards` is one row of numbers in bold, `plain` has an empty head."""
    cells = [t for t in tokens if t.type == "inline"]
    columns = sum(t.type == "th_open" for t in tokens)
    if not any(c.content for c in cells[:columns]):
        table.attrSet("class", "plain")
    elif len(cells) == 2 * columns and all(re.fullmatch(r"\*\*[^*]+\*\*", c.content) for c in cells[columns:]):
        table.attrSet("class", "cards")


def _mark_cell(token: Token, inline: Token) -> None:
    text = inline.content
    name = _CELLS.get(text) or ("agrees" if text.endswith("✓") else "differs" if text.endswith("✗") else "")
    if name := " ".join(filter(None, [name, "long" if len(text) > LONG else ""])):
        token.attrSet("class", name)


def _mark_words(token: Token) -> None:
    children = token.children or []
    for strong, text in itertools.pairwise(children):
        if strong.type == "strong_open" and text.content in _VERDICTS:
            strong.attrSet("class", f"verdict {_VERDICTS[text.content]}")


def _headings(tokens: Sequence[Token], env: dict[str, Any]) -> Iterator[Heading]:
    """The headings, which get their anchors: the one that stands before or in them, or their text as GitHub makes one of it."""
    used: set[str] = set()
    for k, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        inline, before = tokens[k + 1], tokens[k - 1] if k else None
        named = _ANCHOR.match(inline.content) or (
            _ANCHOR.fullmatch(before.content.strip()) if before and before.type == "html_block" else None
        )
        if named and before and before.type == "html_block":
            before.content = ""
        children = [c for c in inline.children or [] if not (named and c.type == "html_inline")]
        words = "".join(c.content for c in children)
        anchor = named[1] if named else re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", words.strip().lower()))
        while anchor in used:
            anchor += "-1"
        used.add(anchor)
        inline.children = children
        token.attrSet("id", anchor)
        plain = [c for c in children if c.type not in ("link_open", "link_close")]
        yield Heading(int(token.tag[1:]), anchor, _rendered(plain, env))


def _rendered(children: Sequence[Token], env: dict[str, Any]) -> str:
    inline = _made("inline", "", 0)
    inline.children = [*children]
    made = _converter()
    return str(made.renderer.render([inline], made.options, env))


# ---- rendering tokens ----------------------------------------------------------------------------------------


def _text(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return _POWER.sub(r"\1<sup>\2</sup>", escape(tokens[at].content, quote=False))


def _inline(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    text = tokens[at].content
    if _INLINE.fullmatch(text) or (text == "</a>" and at and _ANCHOR.fullmatch(tokens[at - 1].content + text)):
        return text.replace("<br>", "<br/>")
    return "" if _COMMENT.fullmatch(text) else escape(text)


def _block(_: Any, tokens: Sequence[Token], at: int, __: Any, env: dict[str, Any]) -> str:
    """HTML that stands by itself: sections that open, anchors. Comments go, all else is text."""
    out = []
    for line in _COMMENT.sub("", tokens[at].content).splitlines():
        if found := _DETAILS.fullmatch(line):
            out.append(f"<details><summary>{_converter().renderInline(found[1], env)}</summary>")
        elif line == "</details>" or _ANCHOR.fullmatch(line):
            out.append(line)
        elif line:
            out.append(escape(line))
    return "".join(f"{line}\n" for line in out)


def _link(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: dict[str, Any]) -> str:
    token = tokens[at]
    address = str(token.attrGet("href") or "")
    token.attrSet("href", _address(address, env))
    return str(renderer.renderToken(tokens, at, options, env))


def _address(address: str, env: dict[str, Any]) -> str:
    """A relative address as the page needs it."""
    if ":" in address:
        return address
    place = str(env["places"](address))
    return place if place.startswith("#") else env["root"] + place


def _image(_: Any, tokens: Sequence[Token], at: int, __: Any, env: dict[str, Any]) -> str:
    """A picture inside the page, or one that is loaded when it is seen; it has its place before. One from elsewhere is a link."""
    token = tokens[at]
    source, words = str(token.attrGet("src") or ""), escape(token.content)
    if ":" in source or source.startswith("//"):
        address = escape(source)
        return f'<a href="{address}">{words or address}</a>' if _REMOTE.match(source) else words
    path = env["folder"] / unquote(source)
    shown, shape = escape(_address(source, env)), ""
    if path.suffix in _MEDIA and path.is_file():
        data = path.read_bytes()
        size = re.search(rb'width="([\d.]+)pt" height="([\d.]+)pt"', data[:2000])
        shape = ' width="{}" height="{}"'.format(*(round(float(n) * 4 / 3) for n in size.groups())) if size else ""
        if env["embed"]:
            shown = f"data:{_MEDIA[path.suffix]};base64,{base64.b64encode(data).decode()}"
    image = f'<img loading="lazy" src="{shown}"{shape} alt="{words}"/>'
    return image if env["embed"] else f'<a href="{shown}">{image}</a>'
