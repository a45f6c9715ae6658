"""The templates of reports."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from collscope.base import pages

TEXT = """\
a
  {% if true %}
{{ text }}
  {% endif %}
b
"""


@pytest.mark.parametrize(("name", "shown"), [("x.html.j2", "1 &lt; 2"), ("x.md.j2", "1 < 2")])
def test_a_template_keeps_its_lines_and_html_escapes(tmp_path: Path, name: str, shown: str) -> None:
    (tmp_path / name).write_text(TEXT)
    made = pages.environment(tmp_path)
    assert made.get_template(name).render(text="1 < 2") == f"a\n{shown}\nb\n"
    with pytest.raises(jinja2.UndefinedError):
        made.get_template(name).render()
    assert "font" in made.get_template("page.css").render()
    assert pages.environment(tmp_path) is made
