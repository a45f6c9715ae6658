"""collscope.machines.platform: the words of SimGrid's command line, as a golden text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.machines import find
from collscope.machines.platform import Platform, smpirun_args, smpirun_env
from collscope.machines.xml_reader import OWN_SETTINGS
from xml_of_one_host import platform_xml

NAMES = (
    "ideal[alpha=2us,beta=1e-10]",
    "schooner",
    "orfeo_epyc",
)  # classic; by the plug-in; with curves per kind of send


def lines(folder: Path) -> Iterator[str]:
    """A block per machine; and the names that a platform file may set itself."""
    plain = folder / "plain.xml"
    plain.write_text(platform_xml())
    for name in (*NAMES, str(plain)):
        platform = find.load(name)
        words = [word.replace("/FILE", "FILE") for word in smpirun_args(platform)]
        words = [word.replace(str(programs.PLUGIN), "PLUGIN") for word in words]
        assert smpirun_env(platform) == {"COLLSCOPE_PLATFORM": "/FILE"}
        yield from ("", platform.name, *words)
    yield from ("", "a file's own", *sorted(OWN_SETTINGS))


def test_smpirun_is_called_with_the_golden_words(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, golden: Callable[[str, str], None]
) -> None:
    monkeypatch.setattr(programs, "needed", lambda program, why: program)
    monkeypatch.setattr(Platform, "xml", Path("/FILE"))  # not written: the words hold its path only
    golden("settings", "\n".join(lines(workplace)).strip())
