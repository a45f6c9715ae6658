"""SimGrid built from its source package into the tree, for machines where nobody may install the system's.

The source package is the one that PyPI carries for SimGrid's Python bindings: it holds the C++ sources, SMPI among them. The boost headers
that it is compiled with come from PyPI, too, where the system has none.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from collscope.base import programs
from collscope.setup import needs, own_simgrid
from collscope.setup.machine import Setup, locked
from collscope.setup.steps import SetupError

VERSION = "3.32"  # Debian 12's, with which the references were made: the same digits
OTHER = "4.1"  # that ./collscope test --full compares with it
BOOST = "boost-headers"
HEADERS = ("/usr/include", "/usr/local/include")
OPTIONS = {
    "enable_smpi": "ON",
    "CMAKE_INSTALL_LIBDIR": "lib",
    "CMAKE_BUILD_TYPE": "None",
    **dict.fromkeys(
        (
            "enable_compile_optimizations",  # its -O3 and -g3 take three times as long to compile; FLAGS stand instead
            "enable_compile_warnings",
            "enable_documentation",
            "enable_java",
            "enable_lto",
            "enable_model-checking",
            "enable_msg",
            "enable_python",
        ),
        "OFF",
    ),
    **dict.fromkeys(("CMAKE_DISABLE_FIND_PACKAGE_pybind11", "CMAKE_DISABLE_FIND_PACKAGE_Eigen3"), "ON"),
}
FLAGS = "-O2 -g0"


def ensure(root: Path) -> None:
    """A SimGrid below the tree, unless there is one. SetupError as in `make`."""
    with locked(root):
        if own_simgrid.is_there(root):
            return
        make(Setup(root))
        shutil.rmtree(root / "build" / "smpi", ignore_errors=True)  # configured with another SimGrid, if at all
        os.environ["PATH"] = own_simgrid.search_path(root, os.environ["PATH"])


def other_tree(root: Path) -> Path:
    """The build of what simulates with the other SimGrid."""
    return root / "build" / f"smpi-{OTHER}"


def ensure_other(root: Path) -> None:
    """The other SimGrid beside, and in a tree of its own what simulates, built with it. SetupError as in `make`."""
    setup, tree, log = Setup(root), other_tree(root), root / ".cache" / "log" / f"build-smpi-{OTHER}.log"
    with locked(root):
        make(setup, OTHER)
        folder = own_simgrid.folder(root, OTHER) / "bin"
        env = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        configure: list[str | Path] = ["cmake", "--preset", "smpi", "-B", tree]
        if setup.moved(tree):
            shutil.rmtree(tree, ignore_errors=True)
            setup.steps.run(f"configuring with SimGrid {OTHER}", configure, log, quiet=True, env=env, cwd=root)
        words: list[str | Path] = ["cmake", "--build", tree, "-j", "2", "--target", *programs.BUILT["smpi"]]
        setup.steps.run(f"building with SimGrid {OTHER}", words, log, env=env, cwd=root)


def make(setup: Setup, other: str = "") -> None:
    """Fetches, compiles and installs it, unless it is there; SetupError says what went wrong. What was fetched and compiled is kept
    until it is installed, so that a second call goes on. `other`: this version, in a place of its own."""
    root, version = setup.root, other or VERSION
    if own_simgrid.is_there(root, other):
        return
    lacking = [n.name for n in needs.NEEDS if "compiler" in n.name and not n.present()]
    if lacking:
        raise SetupError(f"missing: {', '.join(lacking)}; SimGrid cannot be compiled without (module load gcc, say)")
    setup.wheels(["smpi"])
    setup.libraries()
    place = own_simgrid.folder(root, other)
    work, log = place.with_name(f"{place.name}-build"), setup.logs / f"{place.name}.log"
    source = _source(setup, version, work, log)
    words = [f"-D{name}={value}" for name, value in OPTIONS.items()]
    words += [f"-DCMAKE_INSTALL_PREFIX={place}", *_boost(setup, work, log)]
    env = {**os.environ, "CFLAGS": FLAGS, "CXXFLAGS": FLAGS}
    configure: list[str | Path] = ["cmake", "-S", source, "-B", work / "tree", "-G", "Ninja", *words]
    setup.steps.run("configuring SimGrid", configure, log, quiet=True, env=env, cwd=work)  # it leaves test programs
    jobs = str(len(os.sched_getaffinity(0)))
    setup.steps.run(f"building SimGrid {version}", ["cmake", "--build", work / "tree", "-j", jobs], log)
    setup.steps.run("installing SimGrid", ["cmake", "--install", work / "tree"], log, quiet=True)
    shutil.rmtree(work)


def _source(setup: Setup, version: str, work: Path, log: Path) -> Path:
    source = work / f"simgrid-{version}"
    if not (source / "CMakeLists.txt").exists():
        words: list[str | Path] = ["--no-deps", "--no-binary", "simgrid", "-d", work, f"simgrid=={version}"]
        setup.pip(f"fetching SimGrid {version}", words, log, "download")
        import tarfile

        try:
            with tarfile.open(work / f"simgrid-{version}.tar.gz") as archive:
                if hasattr(tarfile, "data_filter"):  # which Python 3.11 has from 3.11.4 on, and Debian 12's is 3.11.2
                    archive.extraction_filter = tarfile.data_filter
                archive.extractall(work)
        except (OSError, tarfile.TarError) as error:
            shutil.rmtree(source, ignore_errors=True)
            raise SetupError(f"{work}: the source package cannot be unpacked: {error}") from error
    return source


def _boost(setup: Setup, work: Path, log: Path) -> list[str]:
    """What CMake is to be told of boost's headers: nothing where the system has them."""
    if any((Path(place) / "boost" / "version.hpp").exists() for place in HEADERS) or os.environ.get("BOOST_ROOT"):
        return []
    setup.pip("fetching boost's headers", ["--no-deps", "--target", work / "boost", BOOST], log)
    found = next((work / "boost").rglob("boost/version.hpp"), None)
    if found is None:
        raise SetupError(f"the package {BOOST} brought no boost/version.hpp; set BOOST_ROOT to the folder of a boost")
    return [f"-DBoost_INCLUDE_DIR={found.parents[1]}", "-DBoost_NO_BOOST_CMAKE=ON"]
