"""Getting the machine ready: packages of the system, Python's libraries, the three builds.

Only the standard library is used here: this runs before anything is installed. What is ready is not touched again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from collscope.base import programs
from collscope.setup import needs, offline, own_simgrid, state
from collscope.setup.steps import Background, SetupError, Steps


@dataclass
class Setup:
    """Makes the machine at `root` ready, step by step, doing only what is needed."""

    root: Path
    steps: Steps = field(default_factory=Steps)

    @property
    def logs(self) -> Path:
        """Folder of the steps' logs."""
        return self.root / ".cache" / "log"

    @property
    def python(self) -> Path:
        """The interpreter of the virtual environment."""
        return self.root / ".venv" / "bin" / "python"

    def everything(self, presets: Sequence[str] = state.PRESETS) -> None:
        """Packages, libraries, builds. Python's libraries are fetched while the system's packages install."""
        background: Background | None = None
        try:
            self.wheels(presets)
            names, packages = needs.missing_packages(presets)
            if packages:
                apt = self.start_apt(names, packages)
                if "python3-venv" in packages:
                    self.apt_install(apt, ["python3-venv"], "installing Python's venv")
                    packages.remove("python3-venv")
                background = Background(self.libraries)
                self.apt_install(apt, packages, "installing " + ", ".join(n for n in names if n != "Python's venv"))
            else:
                background = Background(self.libraries)
            self.builds(presets)
        finally:
            if background:
                background.join()
        background.result()

    def start_apt(self, names: list[str], packages: list[str]) -> list[str]:
        """Updates the list of packages; how to call apt-get. SetupError where we may not: it names what to install."""
        apt = needs.apt_command()
        if apt is None:
            elsewhere = [f"    without root:  {n.elsewhere}" for n in needs.NEEDS if n.name in names and n.elsewhere]
            command = f"    as root:       apt-get update && apt-get install -y {' '.join(packages)}"
            raise SetupError("\n".join([f"missing: {', '.join(names)}", command, *elsewhere]))
        self.apt(apt, ["update", "-q"], "updating the list of packages", names, packages)
        return apt

    def apt_install(self, apt: list[str], packages: list[str], what: str) -> None:
        """Installs packages with apt-get, called as start_apt says; `what` is told."""
        if packages:
            # dpkg waits for the disk after each of many thousand files; one sync at the end halves the time.
            options = ["-y", "-q", "--no-install-recommends", "-o", "Dpkg::Options::=--force-unsafe-io"]
            self.apt(apt, ["install", *options, *packages], what, [what.removeprefix("installing ")], packages)
            os.sync()

    def apt(self, apt: list[str], words: list[str], what: str, names: list[str], packages: list[str]) -> None:
        """Calls apt-get; `names`, `packages`: what is missing without it. Without a network pip's part is told, too."""
        log = self.logs / "apt.log"
        try:
            self.steps.run(what, [*apt, *words], log, env=needs.apt_environment())
        except SetupError as error:
            if not offline.NO_NETWORK.search(str(error)):
                raise
            texts = [offline.packages(names, packages, log)]
            if not self.has_libraries() and not (self.root / offline.WHEELS).is_dir():
                texts.append(offline.libraries(self.root, needs.dependencies(self.root).split(), log))
            raise SetupError("\n".join(texts)) from error

    def wheels(self, presets: Sequence[str]) -> None:
        """Where nobody may install Debian's packages: those tools of the build that Python's packages bring too, into .venv."""
        required = [n.wheel for n in needs.missing(presets) if n.wheel]
        if required and needs.has_venv_module() and needs.apt_command() is None:
            self.libraries()
            self.pip(f"installing {', '.join(required)}", required, self.logs / "python.log")
            os.environ["PATH"] = own_simgrid.search_path(self.root, os.environ["PATH"])

    def has_libraries(self, extra: str = "") -> bool:
        """Whether the virtual environment has the libraries that pyproject.toml names now."""
        try:
            return (
                self.stamp(extra).read_text(encoding="utf-8") == needs.dependencies(self.root, extra) and self.works()
            )
        except OSError:
            return False

    def stamp(self, extra: str) -> Path:
        """What was installed last, as pyproject.toml named it."""
        return self.root / ".venv" / f"collscope-{extra or 'run'}.txt"

    def libraries(self, extra: str = "") -> None:
        """The virtual environment with the libraries that pyproject.toml names; `extra` adds a list of its own."""
        if self.has_libraries(extra):
            return
        required = needs.dependencies(self.root, extra)
        log = self.logs / f"python{'-' + extra if extra else ''}.log"
        if not self.works():
            command = [sys.executable, "-m", "venv", "--clear", str(self.root / ".venv")]
            self.steps.run("making .venv", command, log, quiet=True)
        what = "installing Python's libraries" if not extra else f"installing Python's libraries for {extra}"
        self.pip(what, required.split(), log)
        self.stamp(extra).write_text(required, encoding="utf-8")
        if not extra:
            self.warm_up()

    def pip(self, what: str, words: Sequence[str | Path], log: Path, command: str = "install") -> None:
        """Calls pip of the virtual environment, which asks nothing; `what` is told."""
        # Compiling all of the libraries takes longer than compiling, at first use, the parts that are used.
        options = ["--disable-pip-version-check", "--no-input", "-q"]
        options += ["--no-compile"] if command == "install" else []
        fetched = self.root / offline.WHEELS
        options += ["--no-index", "--find-links", str(fetched)] if fetched.is_dir() else []
        try:
            self.steps.run(what, [self.python, "-m", "pip", command, *options, *words], log)
        except SetupError as error:
            if not offline.NO_NETWORK.search(str(error)) or any(str(word).startswith("-") for word in words):
                raise
            raise SetupError(offline.libraries(self.root, [str(word) for word in words], log)) from error

    def works(self) -> bool:
        """Whether the virtual environment's Python starts and has pip."""
        if not self.python.exists():
            return False
        check = [str(self.python), "-c", "import pip"]
        return subprocess.run(check, capture_output=True, check=False).returncode == 0

    def warm_up(self) -> None:
        """Matplotlib looks at all fonts at its first import: let that happen beside the build."""
        with contextlib.suppress(SetupError):
            env = {**os.environ, "MPLCONFIGDIR": str(self.root / ".cache" / "matplotlib")}
            code = "import click, rich.table, pandas, matplotlib.pyplot, jinja2, lxml.etree, pydantic"
            self.steps.run("first import", [self.python, "-c", code], self.logs / "python.log", quiet=True, env=env)

    def builds(self, presets: Sequence[str], targets: Sequence[str] | None = None) -> None:
        """Configures and builds; Ninja decides what is out of date."""
        for preset in presets:
            self.build(preset, targets)

    def build(self, preset: str, targets: Sequence[str] | None = None) -> None:
        """Configures one preset where needed, and builds its targets (default: what collscope starts). SetupError: it failed."""
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
            cache = (tree / "CMakeCache.txt").read_text(encoding="utf-8")
        except OSError:
            return True
        return f"CMAKE_HOME_DIRECTORY:INTERNAL={self.root}\n" not in cache


@contextlib.contextmanager
def locked(root: Path) -> Iterator[None]:
    """One set-up at a time; a second call waits and then finds the work done."""
    import fcntl

    path = root / ".cache" / "setup.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError as error:
        raise SetupError(
            f"{root} is not set up for this, or has changed since, and cannot be written to ({error.strerror}): "
            "let its owner repeat the command (./collscope setup --real: all builds), or work in a clone of your own"
        ) from error
    with open(path, "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            Steps().say("another call is setting the machine up; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def ensure(root: Path, presets: Sequence[str] = state.PRESETS) -> None:
    """Makes the machine ready, unless it is."""
    if state.is_ready(root, presets):
        return
    with locked(root):
        if state.is_ready(root, presets):
            return
        before = [list(s) for s in state.sources(root)]
        Setup(root).everything(presets)
        state.remember(root, presets, before)


def ensure_python(root: Path, extra: str = "") -> None:
    """Only Python's libraries: enough for help texts; with `extra`, also the tools that tests need."""
    setup = Setup(root)
    if setup.has_libraries() and (not extra or setup.has_libraries(extra)):
        return
    with locked(root):
        if not needs.has_venv_module() and not setup.works():
            names, packages = needs.missing_packages([])
            apt = setup.start_apt(names, packages)
            setup.apt_install(apt, ["python3-venv"], "installing Python's venv")
        setup.libraries()
        if extra:
            setup.libraries(extra)


def ensure_packages(root: Path, presets: Sequence[str]) -> None:
    """What the system must have for these, and no build. SetupError where it cannot be installed: it names what to install."""
    names, packages = needs.missing_packages(presets)
    if packages:
        setup = Setup(root)
        with locked(root):
            setup.apt_install(setup.start_apt(names, packages), packages, "installing " + ", ".join(names))


def ensure_wasm(root: Path) -> None:
    """The prover as WebAssembly, for pages. SetupError where Emscripten cannot be installed, or the build fails."""
    ensure_packages(root, [needs.WASM])
    os.environ.setdefault("EMSCRIPTEN_ROOT", str(Path(shutil.which("emcc") or "emcc").resolve().parent))
    with locked(root):
        Setup(root).build(needs.WASM, ["collscope-prove"])
