"""collscope.commands.docs: where the site is made, and whether it is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.reference import site
from collscope.setup import machine
from command_line import call


@pytest.mark.parametrize(("words", "port"), [((), None), (("--serve",), 8000), (("--serve", "--port", "0"), 0)])
def test_a_site_is_served_where_the_command_line_says_so_at_any_port(
    words: tuple[str, ...],
    port: int | None,
    workplace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(machine, "ensure_python", lambda *_: None)
    monkeypatch.setattr(site, "build", lambda folder: folder / "README.html")
    served: list[object] = []
    monkeypatch.setattr(site, "serve", lambda folder, at: served.append((folder, at)))
    out = workplace / "made"
    status, printed, _ = call(capsys, "docs", "--site", str(out), *words)
    assert status == 0 and "README.html" in printed
    assert served == ([(out, port)] if port is not None else [])
