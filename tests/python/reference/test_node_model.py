"""collscope.reference.node_model:
docs/node_model.md is what the timing engine says today, and each of its pictures shows what its element is for."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.units import format_ratio, format_time
from collscope.figures import files
from collscope.figures.schedule import gantt
from collscope.machines import overrides
from collscope.reference import docs, node_model

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def test_the_page_is_up_to_date() -> None:
    problems = list(node_model.stale(docs.folder()))
    assert not problems, "run ./collscope docs:\n" + "\n".join(problems)


def test_every_element_has_its_picture_and_changes_the_time_that_it_shows() -> None:
    assert tuple(e.element for e in node_model.EXAMPLES) == overrides.ELEMENTS
    for example in node_model.EXAMPLES:
        without, having = node_model.show(example).traces
        assert abs(having.time_s / without.time_s - 1) > 0.1, example.element
        assert (without.source, having.source) == (f"without {example.element}", f"with {example.element}")
        picture = (docs.folder() / "pictures" / example.picture).read_text(encoding="utf-8")
        times = f"{format_time(having.time_s)}  = {format_ratio(having.time_s / without.time_s)} × {without.source}<"
        assert times in picture and f"{without.source}  {format_time(without.time_s)}<" in picture


def test_stale_pages_and_pictures_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_model, "show", cache(node_model.show))
    monkeypatch.setattr(gantt, "gantt", lambda traces: [t.source for t in traces])
    monkeypatch.setattr(files, "render", lambda words, kind: f"<{kind} x='1.25'>{', '.join(words)} 1.25".encode())
    pictures = [tmp_path / "pictures" / "node_model" / f"{name}.svg" for name in overrides.ELEMENTS]
    assert node_model.write(tmp_path) == [tmp_path / "node_model.md", *pictures]
    assert pictures[0].read_text() == "<svg x='1.2'>without gap, with gap 1.25"
    kept = docs.folder() / "pictures" / "node_model" / "index.json"
    assert (tmp_path / "pictures" / "node_model" / "index.json").read_bytes() == kept.read_bytes()
    assert list(node_model.stale(tmp_path)) == []
    (tmp_path / "pictures" / "node_model" / "gap.svg").unlink()
    (tmp_path / "node_model.md").write_text("something else")
    assert list(node_model.stale(tmp_path)) == [
        f"{tmp_path / 'node_model.md'}: not what the timing engine says",
        "docs/pictures/node_model/gap.svg: missing",
    ]
    (tmp_path / "pictures" / "node_model" / "index.json").write_text("{}")
    (tmp_path / "pictures" / "node_model" / "gap.svg").touch()
    (tmp_path / "node_model.md").write_text((docs.folder() / "node_model.md").read_text())
    changed = [f"docs/pictures/node_model/{name}.svg: the times have changed" for name in overrides.ELEMENTS]
    assert list(node_model.stale(tmp_path)) == changed
    (tmp_path / "pictures" / "node_model" / "index.json").unlink()
    assert list(node_model.stale(tmp_path)) == changed
