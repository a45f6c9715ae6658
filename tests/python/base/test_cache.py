import threading
from pathlib import Path

import pytest

from collscope.base import cache, paths
from collscope.base.cache import Cache, digest
from collscope.base.errors import UserError


def test_values_come_back_and_last(tmp_path: Path) -> None:
    file = tmp_path / "c.sqlite"
    with Cache(file) as store:
        store.put("a", {"reps": [[1.0000000000000002, 2.0]]})
        store.put_many({str(i): i for i in range(1200)})
    with Cache(file) as store:
        assert store.get_many(["a", "none"]) == {"a": {"reps": [[1.0000000000000002, 2.0]]}}
        assert len(store.get_many(map(str, range(1500)))) == 1200


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


def test_a_damaged_file_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "c.sqlite"
    file.write_bytes(b"this is no database" * 100)
    with pytest.raises(UserError, match="delete it"):
        Cache(file)


def test_digests_see_boundaries() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("ab", "c") == digest("ab", "c")


def test_sources_hash_sees_names_and_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    folder = tmp_path / "algorithms" / "bcast"
    folder.mkdir(parents=True)
    (folder / "mst.c").write_text("one")
    (folder / "notes.md").write_text("not a source")
    first = cache.sources_hash("algorithms")
    (folder / "notes.md").write_text("changed")
    assert cache.sources_hash("algorithms") == first
    (folder / "mst.c").write_text("two")
    second = cache.sources_hash("algorithms")
    (folder / "mst.c").rename(folder / "chain.c")
    assert len({first, second, cache.sources_hash("algorithms")}) == 3
