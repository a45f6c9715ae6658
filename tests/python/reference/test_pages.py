"""collscope.commands.cli, collscope.machines.spec_reader:
what the pages for users show is so: files in TOML can be read, links lead somewhere, commands have the options they are given."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from collscope.base import paths
from collscope.commands.cli import cli
from collscope.machines.spec_reader import parse_spec
from collscope.studies import reader

CLUSTER, STUDY = (paths.ROOT / "docs" / f"your_own_{name}.md" for name in ("cluster", "study"))
README, GOALS = paths.ROOT / "README.md", paths.ROOT / "docs" / "README.md"
OTHERS = [paths.ROOT / "CONTRIBUTING.md", *(paths.ROOT / "docs" / f"{name}.md" for name in ("architecture", "metrics"))]
shown = pytest.mark.parametrize(
    "page", [README, GOALS, CLUSTER, STUDY], ids=lambda page: f"{page.parent.name}/{page.stem}"
)


def blocks(page: Path, kind: str) -> list[str]:
    found = re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    assert found, f"{page.name} shows no {kind}"
    return found


def command_lines(page: Path) -> list[str]:
    """The words after ./collscope: in consoles, and in the text where nothing is left out."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^\$ (?:\w+=\S+ )*\./collscope (.*)$", text, re.M) + re.findall(
        r"`\./collscope ([^`…\n]+)`", text
    )


def parsed(words: list[str]) -> click.Context:
    """The command line as click understands it; nothing is run. click.UsageError: an option or a value does not exist."""
    command: click.Command = cli
    context = click.Context(cli, help_option_names=["-h", "--help"])  # commands keep what they are asked with first
    while isinstance(command, click.Group):
        name, found, words = command.resolve_command(context, words)
        assert found and name
        command = found
        context = click.Context(found, info_name=name, parent=context)
    return command.make_context(context.info_name, words, parent=context.parent)


def test_every_specification_is_read_without_a_remark() -> None:
    for text in blocks(CLUSTER, "toml"):
        output: list[str] = []
        assert parse_spec(text, CLUSTER.name, say=output.append).nodes
        assert not output


def test_a_curve_gives_back_the_latencies_that_it_was_made_from() -> None:
    spec = parse_spec(blocks(CLUSTER, "toml")[0], CLUSTER.name)
    printed = re.findall(r"^(\d+) +([\d.]+)$", blocks(CLUSTER, "text")[0], re.M)
    assert len(printed) == 6
    for size, microseconds in printed:
        piece = [p for p in spec.curve["network"] if p.start <= int(size)][-1]
        time = piece.latency.value + int(size) * piece.s_per_byte.value
        assert time * 1e6 == pytest.approx(float(microseconds), abs=0.006)


def test_every_study_is_read() -> None:
    first, *_ = texts = blocks(STUDY, "toml")
    assert len(first.splitlines()) == 6
    assert len(texts) > 2
    for text in (t for t in texts if "[[collective]]" in t):  # others are parts of one
        assert reader.parse(text, paths.ROOT / "page.toml").collectives


@pytest.mark.parametrize(
    "page", [README, GOALS, CLUSTER, STUDY, *OTHERS], ids=lambda page: f"{page.parent.name}/{page.stem}"
)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [t for t in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")) if "://" not in t]
    assert targets or page in OTHERS
    for target in targets:
        name, _, anchor = target.partition("#")
        goal = page.parent / name if name else page
        assert goal.exists(), target
        places = re.findall(r'^#+ (.+)$|<a id="(.+?)">', goal.read_text(encoding="utf-8"), re.M) if anchor else []
        slugs = [re.sub(r"[^\w -]", "", (head or named).lower()).replace(" ", "-") for head, named in places]
        assert not anchor or anchor in slugs, target


@shown
def test_commands_have_the_options_that_they_are_given(page: Path) -> None:
    lines = [line for line in command_lines(page) if line != "--version"]  # which is answered at once
    assert len(lines) > 4
    for line in lines:
        parsed(shlex.split(line, comments=True))


def test_an_option_that_does_not_exist_is_noticed() -> None:
    with pytest.raises(click.UsageError, match="--speed"):
        parsed(["study", "run", "six.toml", "--speed", "9"])


@pytest.mark.parametrize("page", ["README.md", "docs/architecture.md", "CONTRIBUTING.md"])
def test_a_reader_finds_both_pages(page: str) -> None:
    text = (paths.ROOT / page).read_text(encoding="utf-8")
    assert all(name in text for name in (CLUSTER.name, STUDY.name))
