"""README.md, docs/explain.md: a printed answer is what the command prints."""

from __future__ import annotations

import re
import shlex

import pytest

from collscope.base import paths, programs
from collscope.tuning import openmpi
from command_line import call

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")


ANSWER = re.compile(r"(^```console\n\$ \./collscope ([^\n]*)\n```\n\n```text\n)(.*?)(^```$)", re.M | re.S)
"""A command that stands alone, and the text below it."""


@pytest.mark.skipif(
    not programs.SIM_DRIVER.exists(), reason="needs build/smpi; ./collscope doctor says what is missing"
)
def test_a_table_of_the_page_on_validation_is_part_of_what_its_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "130")
    match = ANSWER.search((paths.ROOT / "docs" / "validation.md").read_text(encoding="utf-8"))
    assert match
    status, out, _ = call(capsys, *shlex.split(match[2]))
    assert status == 0 and match[3] in "".join(f"{line.rstrip()}\n" for line in out.splitlines())


@pytest.mark.parametrize("page", ["README.md", "docs/explain.md"])
def test_a_shown_answer_is_what_the_command_prints(
    page: str, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openmpi, "installed", lambda: None)  # the same words on every machine
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
