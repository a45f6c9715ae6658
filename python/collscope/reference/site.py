"""All pages as one site with search, made by Sphinx from the Markdown as it stands; docs/site has its settings and contents."""

from __future__ import annotations

import http.server
import sys
from functools import partial
from pathlib import Path

from collscope.base import paths, programs
from collscope.base.errors import UserError

SETTINGS = paths.ROOT / "docs" / "site"


def build(out: Path) -> Path:
    """Writes the site into a folder; its first page. UserError: what Sphinx complains of, such as a link that leads nowhere."""
    words: list[str | Path] = [
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        "-c",
        SETTINGS,
        "-d",
        paths.cache_dir() / "site",
    ]
    done = programs.answer([sys.executable, *words, paths.ROOT, out])
    if done.returncode:
        raise UserError(f"the site was not made: {done.stderr.strip()}")
    return out / "README.html"


def serve(folder: Path, port: int) -> None:
    """Serves the folder to this machine until the user ends it. UserError: the port is taken."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise UserError(f"port {port}: {error.strerror}; choose another with --port") from error
    with server:
        print(f"http://127.0.0.1:{server.server_address[1]}/README.html   Ctrl-C ends it", flush=True)
        server.serve_forever()
