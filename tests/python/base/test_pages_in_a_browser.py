"""collscope.base.pages: the pages that the project keeps can be read on any screen, in both schemes, and by screen readers."""

from __future__ import annotations

from pathlib import Path

import pytest

import accessibility
from collscope.base import paths

pytestmark = pytest.mark.full

PAGES = sorted(
    page
    for kept in ("*.html", "*/report.html", "validation/orfeo_published/report.html")  # others are what a user made
    for page in (paths.ROOT / "results").glob(kept)
)
assert PAGES


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(paths.ROOT / "results")))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_breaks_no_rule_of_accessibility(browser, file: Path, scheme: str) -> None:
    page = browser.new_page(viewport={"width": 1400, "height": 1000}, color_scheme=scheme)
    try:
        page.goto(file.as_uri())
        assert accessibility.faults(page) == []
    finally:
        page.close()


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(paths.ROOT / "results")))
def test_a_report_fits_a_telephone(browser, file: Path) -> None:
    page = browser.new_page(viewport={"width": 400, "height": 800})
    try:
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
    finally:
        page.close()
