"""collscope: the launcher: what each command asks for, and what it says before anything is installed."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from collscope.base import paths


@pytest.fixture
def launcher() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("launcher", str(paths.ROOT / "collscope"))
    spec = importlib.util.spec_from_loader("launcher", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    loader.exec_module(module)
    sys.path[:] = before
    return module


@pytest.mark.parametrize(
    ("words", "need"),
    [
        ([], "python"),
        (["--help"], "python"),
        (["run", "--help"], "python"),
        (["test", "--full"], "python"),
        (["doctor"], "nothing"),
        (["doctor", "--help"], "python"),
        (["exec", "--", "mpirun", "./x", "--help"], ["prove", "mpi"]),
        (["report", "x.json"], "python"),
        (["setup", "--simgrid-from-source"], "python"),
        (["study", "list"], "python"),
        (["list", "--json"], ["prove"]),
        (["prove", "all"], ["prove"]),
        (["decide", "-c", "bcast"], ["prove"]),
        (["twins"], ["prove"]),
        (["docs"], ["prove"]),
        (["study", "run", "x"], ["prove", "smpi"]),
        (["run", "--on", "x"], ["prove", "smpi"]),
        (["run", "--on", "./x.xml", "--source", "model"], ["prove", "smpi"]),  # SimGrid reads it
        (["run", "--on", "x", "--source", "bound,model"], ["prove"]),
        (["run", "--on", "x", "--source", "sim, real"], ["prove", "smpi", "mpi"]),
        (["run", "--source=real"], ["prove", "mpi"]),
        (["show", "bcast/mst", "--source", "model"], ["prove"]),
        (["show", "bcast/mst"], ["prove"]),
        (["show", "bcast/mst", "--source", "model,sim"], ["prove", "smpi"]),
        (["calibrate"], ["mpi"]),
        (["calibrate", "--name", "x", "--from", "y.csv"], "python"),
        (["calibrate", "--from=y.csv"], "python"),
    ],
)
def test_each_command_asks_for_what_it_needs(launcher: ModuleType, words: list[str], need: object) -> None:
    assert launcher.need(words) == need


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The launcher in a tree of its own, whose .venv is a script that tells how it was called."""
    root = tmp_path / "a place with blanks"
    package, skip = Path("python") / "collscope", shutil.ignore_patterns("__pycache__")
    for room in ("base", "setup"):  # all that runs before .venv does
        shutil.copytree(paths.ROOT / package / room, root / package / room, ignore=skip)
    shutil.copy(paths.ROOT / package / "__init__.py", root / package)
    shutil.copy(paths.ROOT / "collscope", root)
    shutil.copy(paths.ROOT / "pyproject.toml", root)
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$PYTHONPATH" "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    return root


def call(program: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | env
    return subprocess.run(
        [program, *words],
        capture_output=True,
        text=True,
        cwd="/",
        env=environment,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_from_elsewhere_and_through_a_link(copy: Path, tmp_path: Path) -> None:
    link = tmp_path / "cs"
    link.symlink_to(copy / "collscope")
    for program in (copy / "collscope", link):
        done = call(program, "doctor", "two words")
        assert done.stdout == f"{copy / 'python'} -m collscope doctor two words\n"
        assert done.returncode == 0


def test_compiled_python_is_kept_whatever_the_environment_is(copy: Path) -> None:
    (copy / ".venv" / "bin" / "python").write_text('#!/bin/sh\necho "asked: $PYTHONDONTWRITEBYTECODE"\n')
    assert call(copy / "collscope", "doctor", PYTHONDONTWRITEBYTECODE="1").stdout == "asked: \n"
    assert list((copy / "python" / "collscope" / "base" / "__pycache__").glob("paths.*.pyc"))


def test_doctor_speaks_before_anything_is_installed(copy: Path) -> None:
    shutil.rmtree(copy / ".venv")
    done = call(copy / "collscope", "doctor")
    assert done.returncode == 1
    assert "MISSING  build prove" in done.stdout
    assert "./collscope list makes it" in done.stdout
    assert not (copy / ".venv").exists()


def test_a_missing_compiler_without_apt(copy: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python3").symlink_to(sys.executable)
    (programs / "env").symlink_to("/usr/bin/env")
    done = call(copy / "collscope", "list", PATH=str(programs))
    assert done.returncode == 1
    assert "missing: C compiler, CMake, Ninja\n" in done.stderr
    assert "apt-get install -y build-essential cmake ninja-build\n" in done.stderr
    assert done.stdout == ""


FAKE_CMAKE = """#!/bin/sh
case "$*" in
  "--preset "*) mkdir -p build/$2; echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" > build/$2/CMakeCache.txt; touch build/$2/build.ninja ;;
  *) touch build/$3/collscope-prove build/$3/collscope-recorded ;;
esac
"""


@pytest.fixture
def login_node(copy: Path, tmp_path: Path) -> tuple[Path, str]:
    """A tree, and a PATH with a compiler and CMake, but without SimGrid, MPI and apt-get."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (("gcc", ""), ("make", ""), ("g++", ""), ("ninja", ""), ("cmake", FAKE_CMAKE)):
        (folder / name).write_text(text or "#!/bin/sh\n")
        (folder / name).chmod(0o755)
    (folder / "python3").symlink_to(sys.executable)
    for name in ("env", "mkdir", "touch", "sh"):
        (folder / name).symlink_to(f"/usr/bin/{name}")
    return copy, str(folder)


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("prove", "bcast/mst"),
        ("decide", "-c", "bcast"),
        ("run", "--source", "bound,model"),
        ("show", "bcast/mst", "--no-pictures"),
    ],
)
def test_commands_that_do_not_simulate_work_without_simgrid(
    login_node: tuple[Path, str], words: tuple[str, ...]
) -> None:
    root, path = login_node
    done = call(root / "collscope", *words, PATH=path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"-m collscope {' '.join(words)}\n")
    assert [p.name for p in (root / "build").iterdir()] == ["prove"]


def test_a_simulation_without_simgrid_says_what_to_do(login_node: tuple[Path, str]) -> None:
    root, path = login_node
    done = call(root / "collscope", "run", "--on", "schooner", PATH=path)
    assert done.returncode == 1
    assert "missing: SimGrid with SMPI\n" in done.stderr
    assert "apt-get install -y libsimgrid-dev\n" in done.stderr
    assert "./collscope setup --simgrid-from-source" in done.stderr
    assert "run --source bound,model" in done.stderr
    done = call(root / "collscope", "run", "--source", "real", PATH=path)
    assert "missing: MPI\n" in done.stderr
    assert "module load" in done.stderr
    assert "SimGrid" not in done.stderr


def test_a_simgrid_of_ones_own_is_found_first_unless_it_was_made_elsewhere(copy: Path) -> None:
    own = copy / ".cache" / "simgrid" / "bin"
    own.mkdir(parents=True)
    python = copy / ".venv" / "bin" / "python"
    python.write_text('#!/bin/sh\necho "$PATH"\n')
    for prefix, found in ((own.parent, True), (Path("/somewhere/else"), False)):
        (own / "smpirun").write_text(f'#!/bin/sh\nexport LD_LIBRARY_PATH="{prefix}/lib"\n')
        assert call(copy / "collscope", "doctor").stdout.startswith(f"{own}:") == found
