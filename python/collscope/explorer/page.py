"""The files of the page: its shell, its scripts, the prover as WebAssembly, machines, and tables that are loaded when they are chosen."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collscope.base import programs
from collscope.base.files import write_atomically
from collscope.catalogue import headers
from collscope.catalogue import registry as catalogue
from collscope.explorer import machines, tables
from collscope.explorer.tables import Table
from collscope.schedules.critical_path import PARTS

if TYPE_CHECKING:
    import jinja2

PAGE = Path(__file__).parent / "page"
SCRIPTS = ("call", "draw", "engine", "charts", "schedule", "timeline", "traffic", "compare", "times", "results", "app")
VIEWS = {
    "schedule": "Schedule",
    "timeline": "Timeline",
    "traffic": "Traffic",
    "compare": "Compare",
    "times": "Times",
    "results": "Results",
}
FILES = ("index.html", "app.js", "data.js", "prover.js", "machines", "results")  # of a page's folder


def write(folder: Path, platforms: Sequence[str], results: Sequence[Table]) -> list[Path]:
    """Writes the page into a folder; returns its files. The prover must have been built (setup.machine.ensure_wasm). UserError: a
    machine that the page cannot show."""
    files = dict(_files(platforms, results))
    for part in ("machines", "results"):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for old in (folder / part).glob("*.js"):
            if f"{part}/{old.name}" not in files:
                old.unlink()
    for name, text in files.items():
        write_atomically(folder / name, text)
    return [folder / name for name in files]


def _files(platforms: Sequence[str], results: Sequence[Table]) -> Iterator[tuple[str, str]]:
    style = (PAGE / "page.css").read_text(encoding="utf-8")
    made = [machines.telephone(), *map(machines.described, platforms)]
    yield "data.js", f"const COLLSCOPE = {_json(_data(made, results))};\n"
    for number, machine in enumerate(made):
        yield f"machines/{number}.js", f"loaded({_json(machine['name'])}, {_json(machine['variants'])});\n"
    yield "prover.js", f"const COLLSCOPE_ENGINE = {_json(_prover())};\n"
    yield "app.js", "\n".join((PAGE / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    for table in results:
        yield f"results/{table.name}.js", f"loaded({_json(table.name)}, {_json(tables.content(table))});\n"
    yield "index.html", _shell().render(style=style, views=VIEWS.items())


def _data(made: Sequence[dict[str, Any]], results: Sequence[Table]) -> dict[str, Any]:
    registry = json.loads(catalogue.json_text())
    return {
        "version": 1,
        "registry": registry,
        "about": {key: about for key in _keys(registry) if (about := _about(key))},
        "machines": [{name: value for name, value in machine.items() if name != "variants"} for machine in made],
        "parts": dict(PARTS),
        "results": [{"name": table.name} for table in results],
    }


def _keys(registry: dict[str, Any]) -> list[str]:
    return [entry["key"] for kind in ("algorithms", "decisions") for entry in registry[kind]]


def _about(key: str) -> dict[str, Any] | None:
    """What an algorithm's file says of it."""
    header = headers.of_key(key)
    return {"fields": header.fields, "picture": "\n".join(header.picture)} if header else None


def _prover() -> dict[str, str]:
    """The program: the script that loads it, and itself in Base64, since a page from a file cannot fetch another file."""
    glue = programs.WASM.with_suffix(".js").read_text(encoding="utf-8")
    return {"glue": glue, "wasm": base64.b64encode(programs.WASM.read_bytes()).decode()}


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")


@cache
def _shell() -> jinja2.Template:
    import jinja2

    loader = jinja2.FileSystemLoader(PAGE, encoding="utf-8")
    return jinja2.Environment(loader=loader, trim_blocks=True, lstrip_blocks=True).get_template("page.html.j2")
