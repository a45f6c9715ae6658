"""README.md, docs/explain.md, docs/your_own_algorithm.md: a printed answer is what the command prints, and the shown algorithm works."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.catalogue import registry
from command_line import call

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")
BUILD = paths.BUILD / "prove"
LIBRARIES = ("prover", "model", "recorder", "schedule", "core", "algorithms")


ANSWER = re.compile(r"(^```console\n\$ \./collscope ([^\n]*)\n```\n\n```text\n)(.*?)(^```$)", re.M | re.S)
"""A command that stands alone, and the text below it."""


@pytest.mark.parametrize("page", ["README.md", "docs/explain.md"])
def test_a_shown_answer_is_what_the_command_prints(
    page: str, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    file = paths.ROOT / page
    text = file.read_text(encoding="utf-8")

    def printed(match: re.Match[str]) -> str:
        status, out, _ = call(capsys, *shlex.split(match[2]))
        assert status == 0
        return match[1] + "".join(f"{line.rstrip()}\n" for line in out.strip("\n").splitlines()) + match[4]

    made, found = ANSWER.subn(printed, text)
    assert found
    if request.config.getoption("--update-golden"):
        file.write_text(made, encoding="utf-8")
    else:
        assert made == text, f"{page}: pytest --update-golden writes what is printed now"


def test_the_shown_algorithm_is_built_and_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (paths.ROOT / "docs" / "your_own_algorithm.md").read_text(encoding="utf-8")
    listed = (paths.ROOT / "algorithms" / "registry.c").read_text(encoding="utf-8")
    (tmp_path / "shown.c").write_text(re.findall(r"^```c\n(.*?)^```$", page, re.M | re.S)[0])
    (tmp_path / "registry.c").write_text(
        listed.replace("  X(bcast_mst) \\", "  X(bcast_mst) \\\n  X(bcast_linear_backwards) \\")
    )
    sources = [tmp_path / "shown.c", tmp_path / "registry.c", paths.ROOT / "prove" / "main.c"]
    found = [next(BUILD.rglob(f"lib{name}.a")) for name in LIBRARIES]
    flags = ["-std=gnu11", "-Wall", "-Werror", f"-I{paths.ROOT / 'algorithms'}", f"-I{paths.ROOT}"]
    made = tmp_path / "collscope-prove"
    compiler = shutil.which("cc") or pytest.skip("needs a C compiler")
    subprocess.run([compiler, *flags, *sources, *found, "-lm", "-o", made], check=True)
    monkeypatch.setattr(programs, "PROVER", made)
    registry.load.cache_clear()
    try:
        status, out, _ = call(capsys, "prove", "bcast/linear_backwards", "--ranks", "1..8")
    finally:
        registry.load.cache_clear()
    assert status == 0
    assert re.search(r"\b(\d+) of \1 points proven \(p = 1 … 8", out), out
