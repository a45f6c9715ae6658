"""Getting the machine ready: packages of the system, Python's libraries, the three builds.

Only the standard library is used here: this runs before anything is installed. What is ready is not touched again: a stamp
(.cache/setup.json) remembers what the last complete set-up saw, and comparing it takes a few hundred file stats.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from collscope.base import depends, programs

PRESETS = ("prove", "smpi")  # most commands need these; "mpi" only what runs for real
SOURCE_FILES = ("CMakeLists.txt", "CMakePresets.json")
SOURCE_SUFFIXES = (".c", ".h", ".cpp", ".hpp", ".cmake", "CMakeLists.txt")
HEAVY_FOLDERS = frozenset({"__pycache__", "python", "this_machine", "fresh"})


class SetupError(Exception):
    """The machine cannot be made ready; the message says what to do."""


# ---- what the system must have --------------------------------------------------------------------------


@dataclass(frozen=True)
class Need:
    """Something of the system, how to see that it is there, and the Debian packages that bring it."""

    name: str
    packages: tuple[str, ...]
    commands: tuple[str, ...]
    preset: str = ""  # the build that needs it; "": all

    def present(self) -> bool:
        return all(map(shutil.which, self.commands))


NEEDS = (
    Need("C compiler", ("build-essential",), ("gcc", "make")),
    Need("C++ compiler", ("build-essential",), ("g++",)),
    Need("CMake", ("cmake",), ("cmake",)),
    Need("Ninja", ("ninja-build",), ("ninja",)),
    Need("SimGrid with SMPI", ("libsimgrid-dev",), ("smpicc", "smpirun"), "smpi"),
    Need("MPI", ("openmpi-bin", "libopenmpi-dev", "libhwloc-dev"), ("mpicc", "mpirun"), "mpi"),
)


def has_venv_module() -> bool:
    """Debian splits ensurepip off; without it `python3 -m venv` makes nothing useful."""
    import importlib.util

    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


def missing_packages(presets: Sequence[str]) -> tuple[list[str], list[str]]:
    """(names of what these builds miss, Debian packages that would bring it)."""
    missing = [need for need in NEEDS if (not need.preset or need.preset in presets) and not need.present()]
    names = [need.name for need in missing]
    packages = [package for need in missing for package in need.packages]
    if not has_venv_module():
        names.append("Python's venv")
        packages.insert(0, "python3-venv")
    return names, list(dict.fromkeys(packages))


def apt_command() -> list[str] | None:
    """How to call apt-get here, or None when we may not."""
    apt = shutil.which("apt-get")
    if not apt:
        return None
    if os.geteuid() == 0:
        return [apt]
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return [sudo, "-n", "DEBIAN_FRONTEND=noninteractive", apt]
    return None


# ---- state ------------------------------------------------------------------------------------------------


def sources(root: Path) -> Iterator[tuple[str, int, int]]:
    """(path, time of change, size) of everything the builds are made from."""
    for name in SOURCE_FILES:
        with contextlib.suppress(OSError):
            stat = (root / name).stat()
            yield name, stat.st_mtime_ns, stat.st_size
    for folder in depends.PROGRAMS:
        yield from _scan(str(root / folder), folder)


def _scan(path: str, name: str) -> Iterator[tuple[str, int, int]]:
    try:
        entries = sorted(os.scandir(path), key=lambda e: e.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.endswith(SOURCE_SUFFIXES):
            stat = entry.stat()
            yield f"{name}/{entry.name}", stat.st_mtime_ns, stat.st_size
        elif entry.name not in HEAVY_FOLDERS and entry.is_dir(follow_symlinks=False):
            yield from _scan(entry.path, f"{name}/{entry.name}")


def state(root: Path) -> dict[str, object]:
    """What a complete set-up depends on, as it is now."""
    built = {}
    for preset, files in programs.BUILT.items():
        for name in files.values():
            path = root / "build" / preset / name
            built[f"{preset}/{name}"] = path.stat().st_mtime_ns if path.exists() else 0
    project = (root / "pyproject.toml").stat()
    python = (root / ".venv" / "bin" / "python").exists()
    return {
        "root": str(root),
        "sources": [list(s) for s in sources(root)],
        "built": built,
        "pyproject": [project.st_mtime_ns, project.st_size],
        "python": python,
    }


def stamp_path(root: Path) -> Path:
    return root / ".cache" / "setup.json"


def stamp_of(root: Path) -> dict[str, object]:
    """The state at the end of the last set-up; builds that it did not make have no time of change."""
    try:
        stamp = json.loads(stamp_path(root).read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def is_ready(root: Path, presets: Sequence[str] = PRESETS) -> bool:
    """True when nothing has changed since the last set-up that made these builds."""
    stamp, now = stamp_of(root), state(root)
    then_built, now_built = stamp.pop("built", None), now.pop("built")
    if stamp != now or not isinstance(then_built, dict) or not isinstance(now_built, dict):
        return False
    files = [f"{preset}/{name}" for preset in presets for name in programs.BUILT[preset].values()]
    return all(then_built.get(f) and then_built[f] == now_built[f] for f in files)


def remember(root: Path, presets: Sequence[str], before: list[list[object]]) -> None:
    """Writes the stamp after these builds were made from the sources as they were before."""
    now = state(root)
    if now["sources"] != before:
        return  # somebody edited while it was built: the next call looks again
    old = stamp_of(root)
    kept = old.get("built") if old.get("sources") == before else None
    built = now["built"]
    assert isinstance(built, dict)
    for name in built:
        if name.partition("/")[0] not in presets:
            built[name] = kept.get(name, 0) if isinstance(kept, dict) else 0
    temporary = root / ".cache" / f"setup.json.{os.getpid()}"
    temporary.write_text(json.dumps(now))
    os.replace(temporary, stamp_path(root))


# ---- telling what happens ---------------------------------------------------------------------------------


class Steps:
    """Long steps, told on standard error: a line each; on a terminal the line shows the time and the latest news."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.terminal = sys.stderr.isatty()

    def say(self, text: str) -> None:
        with self.lock:
            if self.terminal:
                sys.stderr.write("\r\033[K")
            sys.stderr.write(f"collscope: {text}\n")
            sys.stderr.flush()

    def tick(self, text: str) -> None:
        if self.terminal:
            with self.lock:
                width = shutil.get_terminal_size().columns - 1
                sys.stderr.write(f"\r\033[K{text[:width]}")
                sys.stderr.flush()

    def run(
        self, what: str, command: Sequence[str | Path], log: Path, *, quiet: bool = False, **options: object
    ) -> None:
        """Runs a command with its output in a log; complains with the log's telling lines when it fails."""
        start = time.monotonic()
        if not quiet:
            self.say(f"{what} …")
        log.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(log, "ab") as out:
                out.write(f"$ {' '.join(map(str, command))}\n".encode())
                out.flush()
                begin = out.tell()
                process = subprocess.Popen(
                    [str(c) for c in command],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    **options,  # type: ignore[call-overload]
                )
                try:
                    while True:
                        try:
                            status = process.wait(timeout=0.5)
                            break
                        except subprocess.TimeoutExpired:
                            if not quiet:
                                self.tick(f"  {what}, {time.monotonic() - start:.0f} s  {_last_line(log)}")
                except BaseException:
                    process.terminate()
                    process.wait()
                    raise
        except OSError as error:
            raise SetupError(f"{what}: {error.filename or command[0]}: {error.strerror}") from error
        if status:
            raise SetupError(f"{what} failed (exit status {status}); the whole log is {log}\n{_excerpt(log, begin)}")
        seconds = time.monotonic() - start
        if not quiet and (seconds >= 1 or self.terminal):
            self.say(f"{what}: done in {seconds:.0f} s")


def _last_line(log: Path) -> str:
    try:
        with open(log, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 400))
            lines = file.read().decode(errors="replace").replace("\r", "\n").strip().splitlines()
        return lines[-1] if lines else ""
    except OSError:
        return ""


def _excerpt(log: Path, begin: int) -> str:
    """The lines of a failed step that tell why: its errors if there are any, else its end."""
    with open(log, "rb") as file:
        file.seek(begin)
        lines = file.read().decode(errors="replace").splitlines()
    errors = [i for i, line in enumerate(lines) if "error" in line.lower() or line.startswith(("E: ", "FAILED"))]
    part = lines[max(0, errors[0] - 1) : errors[0] + 14] if errors else lines[-12:]
    return "\n".join(f"    {line}" for line in part)


# ---- the steps --------------------------------------------------------------------------------------------


@dataclass
class Setup:
    """Makes the machine at `root` ready, step by step, doing only what is needed."""

    root: Path
    steps: Steps = field(default_factory=Steps)

    @property
    def logs(self) -> Path:
        return self.root / ".cache" / "log"

    @property
    def python(self) -> Path:
        return self.root / ".venv" / "bin" / "python"

    def everything(self, presets: Sequence[str] = PRESETS) -> None:
        """Packages, libraries, builds. Python's libraries are fetched while the system's packages install."""
        background: _Background | None = None
        try:
            names, packages = missing_packages(presets)
            if packages:
                apt = self.start_apt(names, packages)
                if "python3-venv" in packages:
                    self.apt_install(apt, ["python3-venv"], "installing Python's venv")
                    packages.remove("python3-venv")
                background = _Background(self.libraries)
                self.apt_install(apt, packages, "installing " + ", ".join(n for n in names if n != "Python's venv"))
            else:
                background = _Background(self.libraries)
            self.builds(presets)
        finally:
            if background:
                background.join()
        background.result()

    def start_apt(self, names: list[str], packages: list[str]) -> list[str]:
        apt = apt_command()
        if apt is None:
            raise SetupError(
                f"missing: {', '.join(names)}\n    as root:  apt-get update && apt-get install -y {' '.join(packages)}\n"
                "    (without these packages, or root or sudo rights to install them, collscope cannot go on)"
            )
        self.steps.run("updating the list of packages", [*apt, "update", "-q"], self.logs / "apt.log", env=_apt_env())
        return apt

    def apt_install(self, apt: list[str], packages: list[str], what: str) -> None:
        if packages:
            # dpkg waits for the disk after each of many thousand files; one sync at the end halves the time.
            options = ["-y", "-q", "--no-install-recommends", "-o", "Dpkg::Options::=--force-unsafe-io"]
            self.steps.run(what, [*apt, "install", *options, *packages], self.logs / "apt.log", env=_apt_env())
            os.sync()

    def libraries(self, extra: str = "") -> None:
        """The virtual environment with the libraries that pyproject.toml names; `extra` adds a list of its own."""
        wanted = dependencies(self.root, extra)
        stamp = self.root / ".venv" / f"collscope-{extra or 'run'}.txt"
        with contextlib.suppress(OSError):
            if stamp.read_text() == wanted and self.works():
                return
        log = self.logs / f"python{'-' + extra if extra else ''}.log"
        if not self.works():
            command = [sys.executable, "-m", "venv", "--clear", str(self.root / ".venv")]
            self.steps.run("making .venv", command, log, quiet=True)
        # Compiling all of the libraries takes longer than compiling, at first use, the parts that are used.
        pip = [
            str(self.python),
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--no-compile",
            "--no-input",
            "-q",
        ]
        what = "installing Python's libraries" if not extra else f"installing Python's libraries for {extra}"
        self.steps.run(what, [*pip, *wanted.split()], log)
        stamp.write_text(wanted)
        if not extra:
            self.warm_up()

    def works(self) -> bool:
        if not self.python.exists():
            return False
        check = [str(self.python), "-c", "import pip"]
        return subprocess.run(check, capture_output=True, check=False).returncode == 0

    def warm_up(self) -> None:
        """Matplotlib looks at all fonts at its first import: let that happen beside the build."""
        with contextlib.suppress(SetupError):
            env = {**os.environ, "MPLCONFIGDIR": str(self.root / ".cache" / "matplotlib")}
            code = "import click, rich.table, pandas, matplotlib.pyplot, jinja2, lxml.etree"
            self.steps.run("first import", [self.python, "-c", code], self.logs / "python.log", quiet=True, env=env)

    def builds(self, presets: Sequence[str], targets: Sequence[str] | None = None) -> None:
        """Configures and builds; Ninja decides what is out of date."""
        for preset in presets:
            self.build(preset, targets)

    def build(self, preset: str, targets: Sequence[str] | None = None) -> None:
        log = self.logs / f"build-{preset}.log"
        log.unlink(missing_ok=True)
        tree = self.root / "build" / preset
        if not (tree / "build.ninja").exists() or self.moved(tree):
            if tree.exists():
                shutil.rmtree(tree)  # not finished, or made for another place
            try:
                self.steps.run(f"configuring {preset}", ["cmake", "--preset", preset], log, quiet=True, cwd=self.root)
            except SetupError:
                shutil.rmtree(tree, ignore_errors=True)
                raise
        names = list(targets) if targets is not None else list(programs.BUILT[preset])
        command = ["cmake", "--build", "--preset", preset, "-j", "2", "--target", *names]
        self.steps.run(f"building {preset}", command, log, cwd=self.root)

    def moved(self, tree: Path) -> bool:
        """True for a build tree that was configured in another folder: CMake refuses to go on with it."""
        try:
            cache = (tree / "CMakeCache.txt").read_text()
        except OSError:
            return True
        return f"CMAKE_HOME_DIRECTORY:INTERNAL={self.root}\n" not in cache


class _Background:
    """A step on the side; what went wrong there is raised by result()."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.error: BaseException | None = None

        def call() -> None:
            try:
                work()
            except BaseException as error:
                self.error = error

        self.thread = threading.Thread(target=call, daemon=True)
        self.thread.start()

    def join(self) -> None:
        self.thread.join()

    def result(self) -> None:
        if self.error:
            raise self.error


def _apt_env() -> dict[str, str]:
    return {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_MODE": "a"}


def dependencies(root: Path, extra: str = "") -> str:
    """One requirement a line, from pyproject.toml."""
    import tomllib

    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    wanted = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return "\n".join(wanted) + "\n"


@contextlib.contextmanager
def locked(root: Path) -> Iterator[None]:
    """One set-up at a time; a second call waits and then finds the work done."""
    import fcntl

    folder = root / ".cache"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "setup.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            Steps().say("another call is setting the machine up; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def ensure(root: Path, presets: Sequence[str] = PRESETS) -> None:
    """Makes the machine ready, unless it is."""
    if is_ready(root, presets):
        return
    with locked(root):
        if is_ready(root, presets):
            return
        before = [list(s) for s in sources(root)]
        Setup(root).everything(presets)
        remember(root, presets, before)


def ensure_python(root: Path, extra: str = "") -> None:
    """Only Python's libraries: enough for help texts; with `extra`, also the tools that tests need."""
    with locked(root):
        setup = Setup(root)
        if not has_venv_module() and not setup.works():
            names, packages = missing_packages([])
            apt = setup.start_apt(names, packages)
            setup.apt_install(apt, ["python3-venv"], "installing Python's venv")
        setup.libraries()
        if extra:
            setup.libraries(extra)
