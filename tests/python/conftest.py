"""What several tests share: a registry that needs no build, and folders of their own."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import failing_names
import fake_list
import golden_text
import once
from collscope.base import console, paths
from collscope.catalogue import registry

# A busy machine fails no test, and the same examples come every time.
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
settings.register_profile("calm", deadline=None, derandomize=True, database=None, suppress_health_check=CALM)
settings.load_profile("calm")

# tests/libraries/resting.c: ranks that wait leave the cores to other tests.
RESTING = paths.BUILD / "mpi" / "libresting.so"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden texts that differ")


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(100_000, 50, 1000)  # a tenth of these processes' time went into searches for garbage
    config.pluginmanager.register(failing_names)
    if RESTING.exists() and not hasattr(config, "workerinput"):  # what tests start has it, too; workers have it already
        os.environ["LD_PRELOAD"] = ":".join(filter(None, (str(RESTING), os.environ.get("LD_PRELOAD"))))


def pytest_collection_finish() -> None:
    """What has been collected stays till the end: no search for garbage looks at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """golden(NAME, text): the text is the one in golden/NAME.txt of the test's room; see golden_text.py."""
    folder = golden_text.folder_of(request.path)
    update = request.config.getoption("--update-golden")
    return lambda name, text: golden_text.check(folder / f"{name}.txt", text, update)


@pytest.fixture(scope="session", autouse=True)
def shared_folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> None:
    """Where the processes of one run of the tests find what one of them has made."""
    own = tmp_path_factory.getbasetemp()
    once.folder = own.parent if hasattr(request.config, "workerinput") else own


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[registry.Registry]:
    """The small registry of fake_list, in place of the programs' own."""
    made = registry.parse(fake_list.TEXT)
    monkeypatch.setattr(registry, "load", lambda: made)
    monkeypatch.setattr(registry, "json_text", lambda: fake_list.TEXT)
    yield made


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium, driven by playwright."""
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium")
    if not program:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as started:
        made = started.chromium.launch(executable_path=program, args=["--no-sandbox"] * (os.geteuid() == 0))
        yield made
        made.close()


@pytest.fixture(autouse=True)
def plain_console(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are as wide as without a terminal, whatever width the shell has; a test that wants another one sets it. No test before this
    one has kept a point."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(console, "_kept", False)
    console.out.cache_clear()  # of a test before this one, which wanted another
    console.err.cache_clear()


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds caches and results of this test alone."""
    monkeypatch.setattr(paths, "CACHE", tmp_path / ".cache")
    return tmp_path
