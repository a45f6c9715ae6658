"""The generated reference: docs/algorithms.md and docs/pictures/, written or checked; and the same as HTML, not committed:
docs/algorithms.html and docs/algorithms/. Also the machines: docs/machines.md and the SimGrid files in platforms/;
what a node's model may have: docs/node_model.md; and what a machine is completed with: docs/priors.md.

All of it comes from the registry, from the opening comments of the files and from the specifications; nothing is typed twice.
"""

from __future__ import annotations

from pathlib import Path

import click

from collscope.base import console, paths
from collscope.base.files import says, write_atomically
from collscope.reference import commands, html, machines, node_model, pictures, priors
from collscope.reference.markdown import markdown
from collscope.reference.model import Reference, reference


def folder() -> Path:
    """Where the reference is."""
    return paths.ROOT / "docs"


def stale(all_: Reference) -> list[str]:
    """What of the committed part is out of date, in words."""
    found = []
    path = folder() / "algorithms.md"
    if not says(path, markdown(all_)):
        found.append(f"{path.relative_to(paths.ROOT)}: not what the registry and the headers say")
    return [*found, *pictures.stale(all_.entries)]


def run(group: click.Group, check: bool = False) -> int:
    """Writes the reference, or says what of it is out of date; returns the exit status."""
    all_ = reference()
    for e in all_.entries:
        if e.header.missing:
            console.note(f"{e.path}: the header lacks {', '.join(e.header.missing)}")
    if check:
        problems = [*stale(all_), *machines.stale(folder()), *node_model.stale(folder()), *priors.stale(folder()),
                    *commands.stale(folder(), group)]  # fmt: skip
        for text in problems:
            console.note(text)
        if problems:
            console.note("run ./collscope docs")
        return 1 if problems else 0
    drawn = pictures.draw(all_.entries)
    write_atomically(folder() / "algorithms.md", markdown(all_))
    pages = html.write(markdown(all_, code=True), folder())
    print(f"written: docs/algorithms.md; {drawn} of {2 * len(all_.entries)} pictures redrawn")
    of_machines = machines.write(folder())
    print(f"written: docs/machines.md and {len(of_machines) - 1} platform files beside their specifications")
    of_elements = node_model.write(folder())
    print(f"written: docs/node_model.md and {len(of_elements) - 1} pictures")
    print(f"written: docs/{priors.write(folder()).name}")
    print(f"written: docs/{commands.write(folder(), group).name}")
    print(f"{pages} pages of HTML: open docs/{html.INDEX}")
    return 0
