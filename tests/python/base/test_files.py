"""collscope.base.files: files that are written whole, or not at all."""

from __future__ import annotations

import errno
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from collscope.base import console, paths, programs
from collscope.base.errors import UserError, disk_error, nearest, unknown
from collscope.base.files import says, write_atomically


def test_a_file_is_as_readable_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    write_atomically(tmp_path / "whole", "x")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_threads_that_write_one_file_do_not_meet(tmp_path: Path) -> None:
    texts = [str(i) * 200_000 for i in range(8)]
    with ThreadPoolExecutor(len(texts)) as pool:
        list(pool.map(lambda text: write_atomically(tmp_path / "x", text), texts * 4))
    assert (tmp_path / "x").read_text() in texts
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_file_is_replaced_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old")
    os.link(tmp_path / "x", tmp_path / "kept")
    write_atomically(tmp_path / "x", "new")
    assert ((tmp_path / "x").read_text(), (tmp_path / "kept").read_text()) == ("new", "old")


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, "a,b\n")
    assert os.read(reader, 100) == b"a,b\n"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_full_disk_is_reported_and_a_link_is_followed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="full"):
        write_atomically("/dev/full", "x" * 10_000)
    assert not Path("/dev/full").is_file()
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    write_atomically(tmp_path / "link.csv", "new")
    assert (tmp_path / "real.csv").read_text() == "new" and (tmp_path / "link.csv").is_symlink()


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("blok", ["cyclic", "block"], "block"),
        ("BLOK", ["cyclic", "block"], "block"),
        ("sum", ["max", "checksum"], "checksum"),
        ("su", ["max", "checksumma"], None),
        ("KSU", ["max", "a_checksum_of_all"], "a_checksum_of_all"),
        ("xyz", ["max"], None),
        ("x", [], None),
    ],
)
def test_the_nearest_name(name: str, known: list[str], found: str | None) -> None:
    assert nearest(name, known) == found


def test_an_unknown_name_is_reported_with_the_known_ones() -> None:
    assert str(unknown("word", "blok", ["block"], "hint")) == 'unknown word "blok"; did you mean "block"? (hint)'
    few, many = [f"name{i}" for i in range(12)], [f"name{i}" for i in range(13)]
    assert str(unknown("word", "zzz", few)) == f'unknown word "zzz"; known: {", ".join(few)}'
    assert str(unknown("word", "zzz", many)) == str(unknown("word", "zzz", [])) == 'unknown word "zzz"'
    assert unknown("word", "z", []).exit_status == 2 and UserError("x").exit_status == 1


@pytest.mark.parametrize(("number", "full"), [(errno.ENOSPC, True), (errno.EDQUOT, True), (errno.EACCES, False)])
def test_an_error_of_the_disk_is_in_words(number: int, full: bool) -> None:
    message = str(disk_error(OSError(number, "no"), "x"))
    assert message == (
        "x: the disk is full; free some space and repeat the command (finished points are kept)" if full else "x: no"
    )
    assert str(disk_error(OSError("odd"), "x")) == "x: odd"


@pytest.mark.parametrize(
    ("writable", "database", "rights", "own"),
    [(True, False, False, False), (True, True, True, False), (True, True, False, True), (False, False, True, True)],
)
def test_a_tree_that_cannot_be_written_to_has_its_cache_with_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writable: bool, database: bool, rights: bool, own: bool
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "is_writable", lambda path: writable)
    (tmp_path / ".cache").mkdir()
    if database:
        (tmp_path / ".cache" / "results.sqlite").touch()
    monkeypatch.setattr(os, "access", lambda path, mode: rights)
    tree = tmp_path / ".cache"
    assert paths._caches() == ((tmp_path / "own" / "collscope", tree) if own else (tree, None))


@pytest.mark.parametrize("lacks", [None, "fresh", "show"])
def test_results_lie_in_the_tree_where_it_takes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks: str | None
) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    monkeypatch.setattr(paths, "is_writable", lambda path: path.name != lacks)
    assert paths.fresh("show") == (paths.own_place() / "results" / "show" if lacks else tmp_path / "show" / "fresh")


def test_a_path_is_shown_as_it_would_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert paths.display(tmp_path / "a" / "b") == "a/b"
    assert paths.display(tmp_path.parent / "x") == str(tmp_path.parent / "x")


@pytest.mark.parametrize(("reason", "says"), [("", "is missing; build it"), ("for it", "is missing; for it; build it")])
def test_a_program_that_is_not_built_is_reported_with_what_builds_it(tmp_path: Path, reason: str, says: str) -> None:
    program = tmp_path / "smpi" / "x"
    with pytest.raises(UserError, match=f"{says}: cmake --preset smpi && cmake --build --preset smpi"):
        programs.needed(program, reason)
    program.parent.mkdir()
    program.touch()
    assert programs.needed(program) == program


def test_every_program_that_is_called_is_built() -> None:
    drivers = (programs.SIM_DRIVER, programs.MPI_DRIVER)
    called = {
        programs.PROVER,
        programs.RECORDED,
        *drivers,
        programs.SWITCH,
        programs.IDLE,
        programs.PLUGIN,
        programs.UNTIMED,
        programs.SIM_LIBRARY,
        programs.PRELOAD,
    }
    built = {preset: {*files.values()} for preset, files in programs.BUILT.items()}
    assert called == {paths.BUILD / preset / name for preset, names in built.items() for name in names}
    assert [str(path.relative_to(paths.ROOT)) for path in drivers] == [
        *("build/smpi/collscope-driver", "build/mpi/collscope-driver")
    ]
    assert all(
        n in (t, f"{t}.so", f"lib{t}.so", f"{t}.o") for files in programs.BUILT.values() for t, n in files.items()
    )


def test_a_file_says_what_it_says(tmp_path: Path) -> None:
    assert not says(tmp_path / "x", "")
    (tmp_path / "x").write_text("µs", encoding="utf-8")
    assert says(tmp_path / "x", "µs") and not says(tmp_path / "x", "µ")


@pytest.mark.parametrize("terminal", [False, True])
def test_sentences_wrap_on_a_terminal(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("COLUMNS", "12")
    assert console.columns() == (12 if terminal else 0)
    assert console.wrapped("one two-three four", 2, 4) == (
        "  one\n    two-three\n    four" if terminal else "  one two-three four"
    )
    assert console.wrapped("one twooooo four", 2).split("\n")[-1] == ("  four" if terminal else "  one twooooo four")
