"""collscope.setup.simgrid_source: SimGrid from its source package, with a set-up that only notes what it would call."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from collscope.setup import needs, own_simgrid, simgrid_source
from collscope.setup.machine import Setup
from collscope.setup.steps import SetupError, Steps


@pytest.fixture
def called(tree: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of every step; installing leaves a script as SimGrid's does, a boost brings its headers."""
    commands: list[list[str]] = []

    def run(self: Steps, what: str, command: list[str | Path], log: Path, **more: Any) -> None:
        commands.append([str(word) for word in command])
        if "-S" in commands[-1]:  # SimGrid's configure step leaves a program where it is called
            assert more["env"]["CFLAGS"] == more["env"]["CXXFLAGS"] == "-O2 -g0"
            (Path(more.get("cwd", ".")) / "test_stackgrowth").touch()
        if "--install" in commands[-1]:
            work = Path(commands[-1][-1]).parent
            folder = work.with_name(work.name.removesuffix("-build"))
            (folder / "bin").mkdir(parents=True)
            (folder / "bin" / "smpirun").write_text(f'LD_LIBRARY_PATH="{folder}/lib"')
        if simgrid_source.BOOST in commands[-1]:
            header = Path(commands[-1][-2]) / "x" / "include" / "boost" / "version.hpp"
            header.parent.mkdir(parents=True)
            header.touch()

    monkeypatch.setattr(Steps, "run", run)
    monkeypatch.setattr(Setup, "libraries", lambda self: None)
    monkeypatch.setattr(needs, "missing", lambda presets: [])
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.delenv("BOOST_ROOT", raising=False)
    source = tree / ".cache" / "simgrid-build" / f"simgrid-{simgrid_source.VERSION}"
    source.mkdir(parents=True)
    (source / "CMakeLists.txt").touch()
    return commands


def test_it_is_built_once_and_found_first(tree: Path, called: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simgrid_source, "HEADERS", ())
    simgrid_source.ensure(tree)
    assert not Path("test_stackgrowth").exists()
    boost, configure, build, install = called
    assert boost[2:4] == ["pip", "install"]
    assert f"-DCMAKE_INSTALL_PREFIX={tree}/.cache/simgrid" in configure
    assert "-Denable_smpi=ON" in configure
    headers = tree / ".cache" / "simgrid-build" / "boost" / "x" / "include"
    assert configure[-2:] == [f"-DBoost_INCLUDE_DIR={headers}", "-DBoost_NO_BOOST_CMAKE=ON"]
    assert boost[-4:] == ["--no-deps", "--target", str(headers.parents[1]), "boost-headers"]
    assert (build[:2], install[:2]) == (["cmake", "--build"], ["cmake", "--install"])
    assert os.environ["PATH"].startswith(f"{tree}/.cache/simgrid/bin:")
    assert not (tree / ".cache" / "simgrid-build").exists()
    assert not (tree / "build" / "smpi").exists()
    simgrid_source.ensure(tree)
    assert len(called) == 4


def test_another_version_lies_beside_it_with_a_build_of_its_own(
    tree: Path, called: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simgrid_source, "HEADERS", ("/usr/include", str(tree)))
    (tree / "boost").mkdir()
    (tree / "boost" / "version.hpp").touch()
    source = tree / ".cache" / "simgrid-4.1-build" / "simgrid-4.1"
    source.mkdir(parents=True)
    (source / "CMakeLists.txt").touch()
    before = os.environ["PATH"]
    simgrid_source.ensure_other(tree)
    assert f"-DCMAKE_INSTALL_PREFIX={tree}/.cache/simgrid-4.1" in called[0]
    assert called[3] == ["cmake", "--preset", "smpi", "-B", str(tree / "build" / "smpi-4.1")]
    assert called[4][:3] == ["cmake", "--build", str(tree / "build" / "smpi-4.1")]
    assert own_simgrid.is_there(tree, "4.1") and not own_simgrid.is_there(tree)
    assert os.environ["PATH"] == before, "commands go on with the one that the references were made with"
    simgrid_source.ensure_other(tree)
    assert [words[1] for words in called[5:]] == ["--preset", "--build"], "the library is not built again"


def test_the_systems_boost_is_taken_where_there_is_one(
    tree: Path, called: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "include" / "boost").mkdir(parents=True)
    (tmp_path / "include" / "boost" / "version.hpp").touch()
    monkeypatch.setattr(simgrid_source, "HEADERS", (str(tmp_path / "include"),))
    simgrid_source.ensure(tree)
    assert len(called) == 3


def test_without_a_compiler_it_says_so_first(
    tree: Path, called: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SetupError, match="missing: C compiler, C\\+\\+ compiler; SimGrid cannot be compiled"):
        simgrid_source.ensure(tree)
    assert not called


def test_simgrid_is_built_with_the_options_that_we_need(
    tree: Path, called: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOST_ROOT", "/boost")
    wheels: list[list[str]] = []
    monkeypatch.setattr(Setup, "wheels", lambda self, presets: wheels.append(presets))
    simgrid_source.ensure(tree)
    assert wheels == [["smpi"]]
    configure, build, _ = called
    off = [
        "compile_optimizations",
        "compile_warnings",
        "documentation",
        "java",
        "lto",
        "model-checking",
        "msg",
        "python",
    ]
    source, work = tree / ".cache" / "simgrid-build" / "simgrid-3.32", tree / ".cache" / "simgrid-build" / "tree"
    assert configure[:7] == ["cmake", "-S", str(source), "-B", str(work), "-G", "Ninja"]
    rest = {word for word in configure[7:] if not word.endswith(("=ON", "=OFF"))}
    place = f"-DCMAKE_INSTALL_PREFIX={tree}/.cache/simgrid"
    assert rest == {"-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_BUILD_TYPE=None", place}
    assert {word for word in configure if word.endswith("=OFF")} == {f"-Denable_{name}=OFF" for name in off}
    on = {"enable_smpi", "CMAKE_DISABLE_FIND_PACKAGE_pybind11", "CMAKE_DISABLE_FIND_PACKAGE_Eigen3"}
    assert {word for word in configure if word.endswith("=ON")} == {f"-D{name}=ON" for name in on}
    assert build[-2:] == ["-j", str(len(os.sched_getaffinity(0)))]
    assert simgrid_source.VERSION == "3.32"


@pytest.mark.parametrize("filters", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_the_source_package_is_fetched_and_unpacked(
    tree: Path, monkeypatch: pytest.MonkeyPatch, whole: bool, filters: bool
) -> None:
    if not filters:  # as in Debian 12's Python, 3.11.2
        extractall = tarfile.TarFile.extractall
        monkeypatch.delattr(tarfile, "data_filter", raising=False)
        monkeypatch.setattr(tarfile.TarFile, "extractall", lambda self, path: extractall(self, path))
    work = tree / "work"
    fetched: list[Any] = []

    def pip(self: Setup, what: str, words: list[Any], log: Path, command: str = "install") -> None:
        fetched.append((words, command))
        name = f"simgrid-{simgrid_source.VERSION}"
        (work / name).mkdir(parents=True)
        (work / name / "CMakeLists.txt").touch()
        with tarfile.open(work / f"{name}.tar.gz", "w:gz") as archive:
            archive.add(work / name, name)
        shutil.rmtree(work / name)
        if not whole:
            (work / f"{name}.tar.gz").write_bytes(b"half")

    monkeypatch.setattr(Setup, "pip", pip)
    if whole:
        for _ in range(2):
            assert (
                simgrid_source._source(Setup(tree), simgrid_source.VERSION, work, tree / "log") / "CMakeLists.txt"
            ).exists()
        options = ["--no-deps", "--no-binary", "simgrid", "-d", work, f"simgrid=={simgrid_source.VERSION}"]
        assert fetched == [(options, "download")]
    else:
        with pytest.raises(SetupError, match="the source package cannot be unpacked"):
            simgrid_source._source(Setup(tree), simgrid_source.VERSION, work, tree / "log")


def test_a_boost_without_headers_is_reported(
    tree: Path, called: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simgrid_source, "HEADERS", ())
    monkeypatch.setattr(simgrid_source, "BOOST", "no-headers")
    monkeypatch.setattr(Setup, "pip", lambda *_: None)
    with pytest.raises(SetupError, match="the package no-headers brought no boost/version.hpp; set BOOST_ROOT"):
        simgrid_source.ensure(tree)
