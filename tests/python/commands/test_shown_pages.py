"""README.md, docs/explain.md, docs/your_own_cluster.md: a printed answer is what the command prints."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

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


OWN = (paths.ROOT / "docs" / "your_own_cluster.md").read_text(encoding="utf-8")


@pytest.fixture
def _mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the page's mine.toml, stood in."""
    match = re.search(r'^```toml\n(name = "mine"\n.*?)^```$', OWN, re.M | re.S)
    assert match
    (tmp_path / "mine.toml").write_text(match[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def found(pattern: str) -> re.Match[str]:
    """What the page on one's own cluster has there."""
    match = re.search(pattern, OWN)
    assert match, pattern
    return match


@pytest.mark.usefixtures("_mine")
def test_a_reduction_and_copies_take_the_share_that_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    words, share, time_us = found(
        r"`\./collscope (explain [^`]*)`\ngives reductions and copies (\d+) % of ([\d.]+) µs\."
    ).groups()
    status, out, _ = call(capsys, *shlex.split(words), "--json")
    (path,) = json.loads(out)["paths"]
    part = (path["parts_s"]["reduce"] + path["parts_s"]["copy"]) / path["time_s"]
    assert (status, f"{100 * part:.0f}", f"{path['time_s'] * 1e6:.1f}") == (0, share, time_us)


@pytest.mark.skipif(
    not programs.SIM_DRIVER.exists(), reason="needs build/smpi; ./collscope doctor says what is missing"
)
@pytest.mark.usefixtures("_mine")
def test_model_and_simulation_give_a_bucket_the_time_that_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    words = found(r"\$ \./collscope (run [^\n]* -a bucket,sparbit [^\n]*)")[1]
    time_us = found(r"both say ([\d.]+) µs for `bucket`")[1]
    status, out, _ = call(capsys, *shlex.split(words), "--json")
    times = {r["source"]: r["median_s"] for r in json.loads(out)["rows"] if r["algorithm"] == "allgather/bucket"}
    assert status == 0 and {f"{times[s] * 1e6:.1f}" for s in ("model", "sim")} == {time_us}


@pytest.mark.usefixtures("_mine")
def test_a_single_message_takes_the_times_that_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    words = found(r"\$ \./collscope (run [^\n]* -c bcast -a binomial --bytes 4,[^\n]*)")[1]
    times = found(r"It says ([\d., and]+) µs: the table above")[1].replace(" and", ",").split(", ")
    status, out, _ = call(capsys, *shlex.split(words), "--json")
    printed = [r["median_s"] * 1e6 for r in json.loads(out)["rows"] if r["source"] == "model"]
    assert status == 0 and [f"{time:.4g}" for time in printed] == [f"{float(time):.4g}" for time in times]
