"""Puts what git tracks into the wheel, without large pictures and the tests in Python."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LEFT_OUT = (".ci/", "packaging/", "docs/pictures/", "tests/python/")


class Tree(BuildHookInterface):
    """Every tracked file below collscope_tree/tree, and the commit."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Called before the wheel is written."""
        root = Path(self.root).parents[1]

        def git(*words: str) -> str:
            return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout

        files = [name for name in git("ls-files").splitlines() if not name.startswith(LEFT_OUT)]
        build_data["force_include"] |= {str(root / name): f"collscope_tree/tree/{name}" for name in files}
        commit = Path(self.directory) / "COMMIT"
        commit.parent.mkdir(parents=True, exist_ok=True)
        commit.write_text(git("rev-parse", "HEAD"))
        build_data["force_include"][str(commit)] = "collscope_tree/tree/COMMIT"
