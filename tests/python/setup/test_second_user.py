"""collscope.setup.state:
A tree that belongs to somebody else: what its owner computed is found, what is new lies in one's own place, and nothing in the
tree changes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tree_copy
from collscope.base import cache, paths
from collscope.base.errors import UsageError
from collscope.setup import state
from collscope.studies import results

Call = Callable[..., subprocess.CompletedProcess[str]]
POINT = ("run", "--on", "schooner", "--ranks", "4", "-c", "bcast", "-a", "mst", "--source", "model", "--bytes")
NO_OVERRIDE = ["setpriv", "--bounding-set=-dac_override"]  # root, too, obeys what a folder allows


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """A tree with the prover built; what a test takes its rights to write from gets them back at the end."""
    root = tree_copy.made(tmp_path / "tree", state.PRESETS)
    yield root
    subprocess.run(["chmod", "-R", "u+w", str(root)], check=True)


@pytest.fixture
def call(tree: Path, tmp_path: Path) -> Call:
    """Calls the tree's collscope, as one who may do no more than the folders say."""
    hidden = ("PYTHONPATH", "COLLSCOPE_ROOT", "PYTHONDONTWRITEBYTECODE")
    env = {k: v for k, v in os.environ.items() if k not in hidden} | {"XDG_CACHE_HOME": str(tmp_path / "own")}
    prefix = NO_OVERRIDE if os.geteuid() == 0 else []

    def made(*words: str) -> subprocess.CompletedProcess[str]:
        command = [*prefix, str(tree / "collscope"), *words]
        return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)

    return made


def listing(root: Path) -> dict[str, int]:
    return {str(p): p.lstat().st_mtime_ns for p in root.rglob("*") if "__pycache__" not in p.parts}


@pytest.mark.full
def test_a_tree_of_somebody_elses(tree: Path, call: Call, tmp_path: Path) -> None:
    owned = call(*POINT, "4,1KiB")
    assert (owned.returncode, owned.stderr) == (0, "")
    subprocess.run(["chmod", "-R", "a-w", str(tree)], check=True)
    before = listing(tree)

    again = call(*POINT, "4,1KiB")
    assert (again.stdout, again.stderr) == (owned.stdout, "")

    new = call(*POINT, "2KiB")
    assert new.returncode == 0
    assert new.stderr.count("\n") == 1
    assert f"{tree}/.cache cannot be written to; what is computed now is kept in {tmp_path}/own/collscope" in new.stderr

    assert "bcast/mst" in call("show", "bcast/mst", "--ranks", "4", "--no-pictures").stdout
    assert listing(tree) == before


def test_a_tree_that_is_not_set_up_for_it_says_so(tree: Path, call: Call) -> None:
    (tree / "algorithms" / "registry.c").touch()
    subprocess.run(["chmod", "-R", "a-w", str(tree)], check=True)
    done = call("list")
    assert done.returncode == 1
    assert "let its owner repeat the command" in done.stderr
    assert "Traceback" not in done.stderr


def test_results_lie_in_ones_own_place_where_the_tree_takes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    assert results.fresh_folder("bird") == paths.RESULTS / "bird" / "fresh"
    monkeypatch.setattr(paths, "is_writable", lambda path: path.is_relative_to(tmp_path))
    assert results.fresh_folder("bird") == tmp_path / "own" / "collscope" / "results" / "bird"
    assert "--out DIR: elsewhere" in capsys.readouterr().err
    assert results.fresh_folder("bird", str(tmp_path / "new")) == tmp_path / "new"
    with pytest.raises(UsageError, match="cannot be written to"):
        results.fresh_folder("bird", "/nowhere/new")


def test_results_never_replace_what_is_none(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="contains files that are not study results"):
        results.fresh_folder("bird", str(tmp_path))
    (tmp_path / "empty").mkdir()
    assert results.fresh_folder("bird", str(tmp_path / "empty")) == tmp_path / "empty"


def test_values_that_its_owner_is_writing_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "CACHE", tmp_path / "own")
    monkeypatch.setattr(paths, "SHARED_CACHE", tmp_path / "shared")
    with cache.Cache(tmp_path / "shared" / cache.FILE) as owner:
        owner.put("a", 1)
        with cache.Cache() as store:
            assert store.get_many(["a", "b"]) == {"a": 1}
            store.put("b", 2)
            owner.put("c", 3)
            assert store.get_many(["a", "b", "c"]) == {"a": 1, "b": 2, "c": 3}
        assert owner.get_many(["b"]) == {}


def test_a_shared_file_that_cannot_be_read_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "CACHE", tmp_path / "own")
    monkeypatch.setattr(paths, "SHARED_CACHE", tmp_path / "shared")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / cache.FILE).write_bytes(b"not a database" * 100)
    with cache.Cache() as store:
        store.put("b", 2)
        assert store.get_many(["a", "b"]) == {"b": 2}
