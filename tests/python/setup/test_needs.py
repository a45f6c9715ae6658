"""What is missing, and which packages and libraries bring it."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import paths
from collscope.setup import needs


def test_needs_name_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    names, packages = needs.missing_packages(["prove", "smpi", "mpi"])
    assert "C compiler" in names
    assert {"build-essential", "cmake", "ninja-build", "libsimgrid-dev", "openmpi-bin", "libopenmpi-dev"} <= set(
        packages
    )
    assert len(packages) == len(set(packages))
    names, packages = needs.missing_packages(["prove", "smpi"])
    assert "MPI" not in names
    assert "SimGrid with SMPI" not in needs.missing_packages(["prove"])[0]
    assert "libsimgrid-dev" in packages


def test_dependencies_come_from_pyproject(tree: Path) -> None:
    assert needs.dependencies(tree) == "click>=8\nrich\n"
    assert "numpy" in needs.dependencies(paths.ROOT)
    assert "pytest" in needs.dependencies(paths.ROOT, "dev")
    assert "pytest" not in needs.dependencies(paths.ROOT)
