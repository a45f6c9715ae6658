"""collscope.commands.origin: what pictures say of where they come from."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tiny_platform
from collscope.base import commit
from collscope.commands import origin
from collscope.commands.cli import main
from collscope.machines.platform import content_hash


@pytest.fixture(autouse=True)
def called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/some/where/collscope", "run", "-a", "bcast/knomial[k=4]", "\x01\udcff"])
    monkeypatch.setattr(commit, "describe", lambda: "abc123+")


def row(source: str, sources: str, platform: str) -> dict[str, str]:
    return {"source": source, "sources_hash": sources, "platform_hash": platform}


def test_rows_say_their_hashes_by_source() -> None:
    printed = origin.of_rows(
        [row("sim", "1a", "2b"), row("sim", "1a", "3c"), row("bound", "", "2b"), row("real", "", "")]
    )
    assert printed["Source"].endswith(", commit abc123+; sim: sources 1a, platform 2b 3c; bound: platform 2b; real")


def test_the_command_is_one_that_can_be_given_again() -> None:
    assert origin.of_rows([])["Description"] == "./collscope run -a 'bcast/knomial[k=4]' '??'"


def test_a_picture_made_now_has_the_hashes_of_now() -> None:
    platform = tiny_platform.tiny()
    model, sim = origin.of_sources(["model", "sim"], platform)["Source"].split("; ")[1:]
    assert model.startswith("model: sources ") and sim.startswith("sim: sources ")
    assert model.endswith(f", platform {content_hash(platform)[:12]}")
    assert "platform" not in origin.of_sources(["model"])["Source"]


def test_a_plot_of_a_run_names_its_command(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [
        "run",
        "--on",
        "tiny",
        "--nodes",
        "2",
        "--ranks",
        "4",
        "-a",
        "bcast/linear,bcast/mst",
        "--bytes",
        "4,8",
        "--plot",
        "t.svg",
    ]
    monkeypatch.setattr(sys, "argv", ["collscope", *words])
    with pytest.raises(SystemExit) as end:
        main(words)
        sys.exit(0)
    assert not end.value.code
    svg = ElementTree.parse(tiny / "t.svg")
    found = svg.findtext(".//{http://purl.org/dc/elements/1.1/}description")
    assert found == "./collscope " + " ".join(words)
