"""What SimGrid is told of each machine: every word of its command line, as it is kept beside (settings.txt)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.machines import find, simgrid_settings
from collscope.machines.platform import Platform
from collscope.machines.simgrid import smpirun_args, smpirun_env
from xml_of_one_host import platform_xml

KEPT = Path(__file__).with_name("settings.txt")
NAMES = [name for name in find.list_platforms() if name != "this_machine"]


def lines(folder: Path) -> Iterator[str]:
    """A block a machine; and the names that a platform file may set itself."""
    plain = folder / "plain.xml"
    plain.write_text(platform_xml())
    shipped = [name + "[nodes=64]" * (name == "jaguar") for name in NAMES]  # larger than can be simulated
    for name in [*shipped, "ideal[alpha=2us,beta=1e-10]", str(plain)]:
        platform = find.load(name)
        words = [word.replace("/FILE", "FILE") for word in smpirun_args(platform)]
        words = [word.replace(str(programs.PLUGIN), "PLUGIN") for word in words]
        assert smpirun_env(platform) == {"COLLSCOPE_PLATFORM": "/FILE"}
        yield from ("", platform.name, *words)
    yield from ("", "a file's own", *sorted(simgrid_settings.OWN_SETTINGS))


def test_each_machine_s_command_line_is_the_kept_one(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "needed", lambda program, why: program)
    monkeypatch.setattr(Platform, "xml", Path("/FILE"))  # not written: the words say no more of it than where it is
    made = "\n".join(lines(workplace)).strip() + "\n"
    (workplace / KEPT.name).write_text(made)
    assert made == KEPT.read_text(), f"if it is meant, copy {workplace / KEPT.name}"
