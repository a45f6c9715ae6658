"""collscope.base.cache: what is kept, under which hash, and found again."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from collscope.base import cache, paths
from collscope.base.cache import Cache, digest
from collscope.base.errors import UserError
from collscope.base.files import write_atomically


def test_values_come_back_and_last(tmp_path: Path) -> None:
    file = tmp_path / "c.sqlite"
    with Cache(file) as store:
        store.put("a", {"reps": [[1.0000000000000002, 2.0]]})
        store.put_many({str(i): i for i in range(1200)})
    with Cache(file) as store:
        assert store.get_many(["a", "none"]) == {"a": {"reps": [[1.0000000000000002, 2.0]]}}
        assert len(store.get_many(map(str, range(1500)))) == 1200
    for use in (lambda: store.put("a", 1), lambda: store.get_many(["a"])):
        with pytest.raises(UserError, match=r"c\.sqlite: Cannot operate on a closed database"):
            use()


def test_two_at_once(tmp_path: Path) -> None:
    file = tmp_path / "c.sqlite"
    stores = [Cache(file), Cache(file)]

    def fill(store: Cache, name: str) -> None:
        for i in range(100):
            store.put(f"{name}{i}", i)

    threads = [threading.Thread(target=fill, args=(s, n)) for s, n in zip(stores, "ab", strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(stores[0].get_many([f"{n}{i}" for n in "ab" for i in range(100)])) == 200


def test_values_of_a_moment_are_kept_together_and_none_waits_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock of the test's own: the first at once, then those of a moment with the first one after it, the rest at the end."""
    now = [100.0]
    monkeypatch.setattr(cache, "time", SimpleNamespace(monotonic=lambda: now[0]))
    file, names = tmp_path / "c.sqlite", "abcde"
    with Cache(file) as other:
        with pytest.raises(KeyboardInterrupt), Cache(file) as store:
            for name, passed, kept in zip(names, (0, 0.5, 0.4, 0.2, 0), ("a", "a", "a", "abcd", "abcd"), strict=True):
                now[0] += passed * cache.MOMENT_S
                store.put_soon(name, name)
                assert "".join(other.get_many(names)) == kept
            raise KeyboardInterrupt
        assert other.get_many(names) == dict(zip(names, names, strict=True))


def test_a_damaged_file_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "c.sqlite"
    file.write_bytes(b"this is not a database" * 100)
    with pytest.raises(UserError, match="delete it"):
        Cache(file)


def test_digests_see_boundaries() -> None:
    assert len({digest(*parts) for parts in (("ab", "c"), ("a", "bc"), ("ab", "d"), ("ac", "c"), ("abc",))}) == 5
    assert digest("ab", "c") == digest("ab", "c")


@pytest.mark.parametrize(("hash_of", "kind"), [(cache.sources_hash, "c"), (cache.code_hash, "py")])
def test_a_hash_sees_which_file_says_what(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hash_of: Callable[[str], str], kind: str
) -> None:
    """Also where the end of one file is read as the beginning of the next."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    folder = tmp_path / ("core" if kind == "c" else "python/collscope/core")
    folder.mkdir(parents=True)
    trees = (
        {"a": "x", "b": "y"},
        {"a": "y", "b": "x"},
        {"a": "x", "c": "y"},
        {"a": f"xcore/b.{kind}\0y"},
        {"a": "xy", "b": ""},
    )
    noted = set()
    for tree in trees:
        for name, text in tree.items():
            (folder / f"{name}.{kind}").write_text(text)
        noted.add(hash_of("core"))
        for name in tree:
            (folder / f"{name}.{kind}").unlink()
    assert len(noted) == len(trees)


@pytest.mark.parametrize(
    ("hash_of", "places", "counts"),
    [
        (cache.sources_hash, "core", ("x.c", "x.h", "x.cpp", "x.hpp", "x.cmake", "CMakeLists.txt", "deep/x.c")),
        (cache.code_hash, "studies", ("x.py", "x.j2", "x.toml", "deep/x.py")),
    ],
)
def test_every_kind_of_source_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hash_of: object, places: str, counts: tuple[str, ...]
) -> None:
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    base = (tmp_path if places == "core" else tmp_path / "python" / "collscope") / places
    (base / "deep").mkdir(parents=True)
    other = base.parent / "one.py"
    other.write_text("alone")

    def now() -> str:
        return str(hash_of(places, "one.py"))  # type: ignore[operator]

    noted = {now()}
    for name in counts:
        (base / name).write_text("a")
        noted.add(now())
        (base / name).write_text("b")
        noted.add(now())
    other.write_text("changed")
    noted.add(now())
    assert len(noted) == 2 + 2 * len(counts)
    (base / "notes.md").write_text("no source")
    assert now() in noted


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        ("database or disk is full", "the disk is full; free some space and repeat the command"),
        ("disk image is malformed",
         "damaged (disk image is malformed); delete it, it holds nothing that cannot be computed again"),
        ("file is not a database",
         "damaged (file is not a database); delete it, it holds nothing that cannot be computed again"),
        ("locked", "locked"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_an_error_that_says_how(tmp_path: Path, problem: str, says: str) -> None:
    with Cache(tmp_path / "c.sqlite") as store:
        assert str(store._failed(sqlite3.OperationalError(problem))) == f"{tmp_path}/c.sqlite: {says}"
        store.put("a", 1)
        with pytest.raises(TypeError):
            store.put_many({"a": 2, "b": object()})
        assert store.get_many(["a", "b"]) == {"a": 1}, "all or none"
        store.put("a", 3)
        assert store.get_many(["a", "a"]) == {"a": 3}


def test_a_cache_of_somebody_else_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "CACHE", tmp_path / "own")
    monkeypatch.setattr(paths, "SHARED_CACHE", tmp_path / "shared")
    for _ in range(2):
        with Cache() as store:
            store.put("a", 1)
            store.put("b", 1)
    assert capsys.readouterr().err.count("what is computed now is kept in") == 1
    with Cache(tmp_path / "elsewhere" / "c.sqlite") as store:
        store.put("a", 1)
    monkeypatch.setattr(paths, "SHARED_CACHE", None)
    monkeypatch.setattr(paths, "CACHE", tmp_path / "third")
    with Cache() as store:
        store.put("a", 1)
    assert capsys.readouterr().err == ""


def test_every_thread_reads_the_cache_of_a_tree_of_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Cache(tmp_path / "shared" / cache.FILE) as theirs:
        theirs.put_many({"a": 1, "b": 1})
    monkeypatch.setattr(paths, "CACHE", tmp_path / "own")
    monkeypatch.setattr(paths, "SHARED_CACHE", tmp_path / "shared")
    found: dict[str, int] = {}
    with Cache() as store:
        store.put("b", 2)
        thread = threading.Thread(target=lambda: found.update(store.get_many(["a", "b", "c"])))
        thread.start()
        thread.join()
    assert found == {"a": 1, "b": 2}, "what is our own comes first"


@pytest.mark.parametrize(("free", "says"), [(4096, "the disk is full; free some space"), (1 << 30, "disk I/O error")])
def test_an_io_error_of_sqlite_is_a_full_disk_where_nothing_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, says: str
) -> None:
    """Its index beside the file finds no room."""
    with Cache(tmp_path / "c.sqlite") as store:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
        assert says in str(store._failed(sqlite3.OperationalError("disk I/O error")))


def test_a_folder_that_cannot_be_made_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    message = "file/x: Not a directory; name another folder for the cache with COLLSCOPE_CACHE"
    with pytest.raises(UserError, match=message):
        Cache(tmp_path / "file" / "x" / "c.sqlite")


def test_a_full_disk_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    """sqlite has taken the transaction back by then; what was kept before is there, and a later value is taken again."""
    with Cache(tmp_path / "c.sqlite") as store:
        store.put("kept", 1)
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(UserError, match=r"c\.sqlite: the disk is full; free some space"):
            store.put("more", "x" * 100_000)
        assert store.get_many(["kept", "more"]) == {"kept": 1}
        store._db.execute("PRAGMA max_page_count = 1000000")
        store.put("more", 2)
        assert store.get_many(["kept", "more"]) == {"kept": 1, "more": 2}


def test_a_group_names_the_folder_of_its_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of the tree's own and of a user's. Who may not write there reads it, as a tree's that somebody else keeps."""
    folder = tmp_path / "group"
    monkeypatch.setenv("COLLSCOPE_CACHE", str(folder))
    assert paths._caches() == (folder, None)
    folder.mkdir()
    monkeypatch.setattr(paths, "is_writable", lambda path: path != folder)
    assert paths._caches() == (paths.own_place(), folder)
    folder.rmdir()
    assert paths._caches() == (folder, None), "one that cannot be made is an error later, and names it"
    monkeypatch.delenv("COLLSCOPE_CACHE")
    assert folder not in paths._caches()


def test_members_of_a_group_may_write_what_one_of_them_made_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the umask of the member that makes it; nothing is shared in a folder of one's own, or beside the cache."""
    monkeypatch.setattr(paths, "CACHE", tmp_path / "group")
    for rights, file_mode, folder_mode in ((0o2770, 0o660, 0o770), (0o750, 0o600, 0o700)):
        paths.CACHE.mkdir(mode=rights)
        paths.CACHE.chmod(rights)
        before = os.umask(0o077)
        try:
            Cache().close()
            write_atomically(paths.CACHE / "a" / "b" / "x", "text")
            write_atomically(tmp_path / "beside" / "x", "text")
        finally:
            os.umask(before)
        assert (paths.CACHE / cache.FILE).stat().st_mode & 0o777 == file_mode
        assert {path.stat().st_mode & 0o777 for path in (paths.CACHE / "a", paths.CACHE / "a" / "b")} == {folder_mode}
        assert (tmp_path / "beside").stat().st_mode & 0o077 == 0
        shutil.rmtree(paths.CACHE)


MOUNTS = r"""21 1 254:0 / / rw - ext4 /dev/vda rw
30 21 0:30 / /net rw shared:1 - nfs4 server:/net rw
31 30 0:31 / /net/local rw - xfs /dev/sdb rw
32 21 0:32 / /my\040work rw - autofs systemd-1 rw
33 32 0:33 / /my\040work rw - lustre server@tcp:/work rw
"""


@pytest.mark.parametrize(
    ("folder", "kind", "shared"),
    [
        ("/nets", "ext4", False),
        ("/net/x", "nfs4", True),
        ("/net/local/x", "xfs", False),
        ("/my work", "lustre", True),
    ],
)
def test_a_folder_s_file_system_is_that_of_the_nearest_mount(folder: str, kind: str, shared: bool) -> None:
    assert cache._file_system(MOUNTS, folder) == kind
    assert bool(cache._NETWORK.match(kind)) == shared


def test_a_file_that_several_hosts_share_has_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that another command has open with its log keeps it."""
    file = tmp_path / "c.sqlite"

    def journal(store: Cache) -> str:
        return str(store._db.execute("PRAGMA journal_mode").fetchone()[0])

    with Cache(file) as local:
        monkeypatch.setattr(cache, "_is_on_network", lambda _: True)
        local.put("a", 1)
        with Cache(file) as beside:
            assert journal(beside) == "wal" and beside.get_many(["a"]) == {"a": 1}
    with Cache(file) as alone:
        alone.put("b", 2)
        assert journal(alone) == "delete" and alone.get_many(["a", "b"]) == {"a": 1, "b": 2}
