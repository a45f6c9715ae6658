"""ratchet: a list of files that break a rule may only shrink."""

from __future__ import annotations

from pathlib import Path

import pytest

import ratchet


def test_a_list_only_shrinks(tmp_path: Path) -> None:
    folder = tmp_path / "rule"
    folder.mkdir()
    kept, mended = "core/CMakeLists.txt", "model/CMakeLists.txt"
    ratchet.write(folder, {kept, mended})
    assert ratchet.listed(folder) == {folder / "core.txt": [kept], folder / "model.txt": [mended]}
    ratchet.check(folder, {kept: "", mended: ""}, update=False)
    with pytest.raises(pytest.fail.Exception, match="rule:\nsim/x.c: why$"):
        ratchet.check(folder, {kept: "", mended: "", "sim/x.c": "why"}, update=False)
    with pytest.raises(pytest.fail.Exception, match="takes them off the list:\nmodel/CMakeLists.txt$"):
        ratchet.check(folder, {kept: ""}, update=False)
    with pytest.raises(pytest.fail.Exception, match="rule:\nsim/x.c: why$"):
        ratchet.check(folder, {kept: "", "sim/x.c": "why"}, update=True)
    assert ratchet.listed(folder) == {folder / "core.txt": [kept]}


def test_a_file_that_moved_keeps_its_place_on_the_list(tmp_path: Path) -> None:
    ratchet.write(tmp_path, {"core/gone.c"})
    with pytest.raises(pytest.fail.Exception, match="sim/other.c: $"):
        ratchet.check(tmp_path, {"core/new.c": "", "sim/other.c": ""}, update=True)
    assert ratchet.listed(tmp_path) == {tmp_path / "core.txt": ["core/new.c"]}


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("python/collscope/machines/spec.py", "machines"),
        ("tests/python/machines/test_spec.py", "machines"),
        ("tests/python/conftest.py", "tests"),
        ("core/plan/plan.c", "core"),
        ("README.md", "README.md"),
    ],
)
def test_a_file_belongs_to_a_room(path: str, room: str) -> None:
    assert ratchet.room(path) == room


def test_lists_stand_under_the_room_of_their_files() -> None:
    for folder in ratchet.LISTS.glob("*"):
        for file, names in ratchet.listed(folder).items():
            assert {ratchet.room(path) for path in names} == {file.stem}
