"""collscope.reference.site: the site of all pages."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.reference import site


@pytest.mark.full
def test_the_site_has_every_page_and_no_link_that_leads_nowhere(tmp_path: Path) -> None:
    out = tmp_path / "site"
    done = subprocess.run([paths.ROOT / "collscope", "docs", "--site", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr  # Sphinx's warnings are errors
    written = {str(page.relative_to(out).with_suffix("")) for page in out.glob("docs/*.html")}
    assert written == {f"docs/{page.stem}" for page in (paths.ROOT / "docs").glob("*.md")}
    assert (out / "search.html").exists()


def test_a_page_that_another_one_links_to_is_on_the_site() -> None:
    patterns = runpy.run_path(str(site.SETTINGS / "conf.py"))["include_patterns"]
    pages = {page.resolve() for pattern in patterns for page in paths.ROOT.glob(pattern)}
    links = [
        (page, page.parent / link) for page in pages for link in re.findall(r"\]\(([^)#:]+\.md)[)#]", page.read_text())
    ]
    assert len(links) > 150
    assert [f"{page}: {link}" for page, link in links if link.resolve() not in pages] == []


def test_a_warning_of_sphinx_is_an_error_that_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str | Path]] = []

    def answer(words: list[str | Path]) -> subprocess.CompletedProcess[str]:
        calls.append(words)
        return subprocess.CompletedProcess(words, len(calls) - 1, "", "x.md:3: no such page\n")

    monkeypatch.setattr(site.programs, "answer", answer)
    assert site.build(tmp_path) == tmp_path / "README.html" and "-W" in calls[0]
    with pytest.raises(UserError, match=r"^the site was not made: x\.md:3: no such page$"):
        site.build(tmp_path)
