"""golden_text: golden texts are compared, rewritten on request only, and each is used by a test."""

from __future__ import annotations

from pathlib import Path

import pytest

import golden_text


def test_a_golden_text_is_compared_and_rewritten_on_request_only(tmp_path: Path) -> None:
    kept = tmp_path / "golden" / "x.txt"
    with pytest.raises(pytest.fail.Exception, match=r"x\.txt: the printed text differs"):
        golden_text.check(kept, "one\n", update=False)
    golden_text.check(kept, "one  \ntwo", update=True)
    assert kept.read_text() == "one\ntwo\n"
    golden_text.check(kept, "one\ntwo", update=False)
    with pytest.raises(pytest.fail.Exception, match=r"(?s)-two\n\+2\n.*pytest --update-golden"):
        golden_text.check(kept, "one\n2", update=False)
    assert kept.read_text() == "one\ntwo\n"


def test_every_golden_text_is_named_by_a_test_of_its_room() -> None:
    for kept in golden_text.TESTS.glob("*/golden/*.txt"):
        tests = "".join(test.read_text(encoding="utf-8") for test in kept.parents[1].rglob("test_*.py"))
        assert f'"{kept.stem}"' in tests, kept


def test_texts_are_kept_in_the_golden_folder_of_the_room() -> None:
    assert golden_text.folder_of(Path(__file__).parent / "deep" / "test_x.py") == Path(__file__).parent / "golden"
