"""packaging: recipes for images and for Spack say what the tree itself says."""

from __future__ import annotations

import re
import sys
import tomllib
import types
from typing import Any

import pytest

from collscope.base import paths

PACKAGING = paths.ROOT / "packaging"


def text(name: str) -> str:
    return (PACKAGING / name).read_text(encoding="utf-8")


def test_images_of_both_kinds_are_made_by_one_script() -> None:
    """On the same system, without what a clone has built for its own folders."""
    docker, apptainer, script = text("Dockerfile"), text("collscope.def"), text("image.sh")
    (base,) = re.findall(r"^FROM (.*)$", docker, re.M)
    assert re.findall(r"^From: (.*)$", apptainer, re.M) == [base]
    run = "sh /opt/collscope/packaging/image.sh"
    assert re.findall(r"^RUN (.*)$", docker, re.M) == [run]
    assert re.findall(r"^%post\n((?:    .*\n)+)", apptainer, re.M) == [f"    {run}\n"]
    (removed,) = re.findall(r"^rm -rf (\.venv[^#\n]*)", script, re.M)
    ignored = (paths.ROOT / ".dockerignore").read_text(encoding="utf-8")
    assert {f"/{name}" for name in removed.split()} <= {*ignored.splitlines()}


def test_the_recipe_of_spack_asks_for_what_is_built_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its directives, as Spack calls them; not the installation itself."""
    needs: dict[str, dict[str, Any]] = {}
    spack = types.ModuleType("spack.package")
    spack.__dict__.update(
        depends_on=lambda spec, **how: needs.update({re.split(r"[@ ]", spec)[0]: {"spec": spec, **how}}),
        version=lambda *_: None, variant=lambda *_, **__: None, license=lambda *_: None, EnvironmentModifications=object,
    )  # fmt: skip
    generic = types.ModuleType("generic")
    generic.__dict__["Package"] = object
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "spack.package", spack)
    monkeypatch.setitem(sys.modules, "spack_repo.builtin.build_systems.generic", generic)
    exec(compile(text("spack/package.py"), "package.py", "exec"), {})
    cmake = re.findall(r"cmake_minimum_required\(VERSION ([\d.]+)", (paths.ROOT / "CMakeLists.txt").read_text())
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
    assert needs["cmake"]["spec"] == f"cmake@{cmake[0]}:"
    assert needs["python"]["spec"] == f"python@{project['requires-python'].removeprefix('>=')}:"
    assert {"c", "cxx", "ninja", "mpi", "hwloc", "simgrid"} <= {*needs}
    assert all("run" in needs[name]["type"] for name in ("mpi", "simgrid", "python", "cmake", "ninja")), (
        "started by commands"
    )
