"""Platform files that somebody wrote by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.machines import find
from collscope.machines.hosts import machine_file, places
from collscope.machines.simgrid import smpirun_args
from made_platforms import write


def test_complaints_about_a_platform_file(tmp_path: Path) -> None:
    good = find.load("ideal[cores=512]").xml.read_text()
    with pytest.raises(UserError, match=r"broken\.xml:\d+: "):
        find.load(write(tmp_path, good[: len(good) // 2], "broken.xml"))
    bare = write(tmp_path, good.replace('<prop id="socket" value="0"/>', "", 1), "bare.xml")
    with pytest.raises(UserError, match=r'bare\.xml:\d+: host host0 has no property "socket"'):
        find.load(bare)
    with pytest.raises(UserError, match=r"cluster\.xml:2: there is no <host>.*<cluster>"):
        find.load(write(tmp_path, '<platform version="4.1">\n<cluster id="a"/></platform>', "cluster.xml"))
    with pytest.raises(UserError, match="starts with <platform>"):
        find.load(write(tmp_path, "<html/>", "page.xml"))


def test_a_platform_file_of_ones_own(tmp_path: Path) -> None:
    generated = find.load("schooner").xml.read_text()
    own = find.load(write(tmp_path, generated, "own.xml"))
    assert machine_file(own, 2, 32) == machine_file(find.load("schooner"), 2, 32)
    silent = re.sub(r' *<prop id="(collscope|curve)\..*/>\n', "", generated)
    p = find.load(write(tmp_path, silent, "silent.xml"))
    assert places(p, 2, 32) == places(own, 2, 32)
    assert not [a for a in smpirun_args(p) if "network/model" in a]  # its own <config> counts
    with pytest.raises(UserError, match="neither modelled nor bounded"):
        machine_file(p, 2, 32)
