"""The `list` command: algorithms, decisions, platforms."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from collscope.base import console
from collscope.base.errors import UsageError, UserError
from collscope.base.grid import KEY, wrapped
from collscope.base.units import counted
from collscope.catalogue import registry

SUMMARY = 60  # characters that a summary needs beside the keys


def show(collective: str | None = None, platforms: bool = False, as_json: bool = False) -> None:
    """Prints what the options ask for."""
    if platforms:
        show_platforms(as_json)
    elif as_json:
        show_json(collective)
    elif collective:
        show_collective(collective)
    else:
        show_all()


def show_json(collective: str | None) -> None:
    """The catalogue as the programs print it; with a collective, its algorithms alone."""
    text = registry.json_text()
    if collective:
        import json

        registry.load().collective(collective)
        data = json.loads(text)
        data["algorithms"] = [a for a in data["algorithms"] if a["collective"] == collective]
        text = json.dumps(data, indent=1) + "\n"
    sys.stdout.write(text)


def show_all() -> None:
    """One line per algorithm. Plain text: it is often piped into grep, and it starts faster."""
    known = registry.load()
    keys = [a.full_key() for a in known.algorithms] + [d.full_key() for d in known.decisions]
    width = min(58, max(map(len, keys)))
    for collective in known.collectives:
        members = [a for a in known.algorithms if a.collective == collective.name]
        if not members:
            continue
        print(_bold(collective.name))
        for algorithm in members:
            print(_line(algorithm.full_key(), algorithm.summary, width))
        print()
    if known.decisions:
        print(_bold("decisions"))
        for decision in known.decisions:
            print(_line(decision.full_key(), decision.summary, width))
        print()
    print(console.wrapped("values in brackets are the defaults; ./collscope list -c COLLECTIVE says more of each"))


def _line(key: str, summary: str, width: int) -> str:
    """The key, and what it does beside it; below it on a terminal that has no room for both, or where the key is long."""
    room = console.columns()
    if room and room < width + SUMMARY:
        name = "\n".join(f"  {line}" for line in _key_lines(key, room))
        return f"{name}\n{console.wrapped(summary, 6)}"
    if len(key) > width:
        return f"  {key}\n{console.wrapped(summary, width + 4)}"
    return f"  {key:<{width}}{console.wrapped(summary, width + 4)[width + 2 :]}"


def _key_lines(key: str, room: int) -> list[str]:
    """A key that is too long for the terminal breaks at its bracket and commas."""
    first, *rest = wrapped(key, KEY, room - 2)
    return [first, *(f" {line}" for line in rest)]


def _bold(text: str) -> str:
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() else text


def show_collective(name: str) -> None:
    """All that is known of a collective's algorithms."""
    known = registry.load()
    members = known.of(name)
    print(f"{_bold(name)}: {counted(len(members), 'algorithm')}")
    for algorithm in members:
        print(f"\n{_bold(algorithm.key)}\n{console.wrapped(algorithm.summary, 4)}")
        show_params(algorithm.params)
        remarks = [] if algorithm.ports == "one" else ["several messages at once"]
        remarks += [flag.replace("_", " ") for flag in algorithm.flags]
        if algorithm.twin:
            remarks.append(
                f"twin of {algorithm.twin['library']} {algorithm.twin['collective']} {algorithm.twin['number']}"
            )
        if not algorithm.has_cost:
            remarks.append("no closed form of its cost")
        if remarks:
            print(console.wrapped("; ".join(remarks), 4))
        if algorithm.source:
            print(console.wrapped(f"from {algorithm.source}", 4))
    decisions = [d for d in known.decisions if name in d.collectives]
    if decisions:
        print(f"\n{_bold('decisions')} that know {name}")
        for decision in decisions:
            print(console.wrapped(f"{decision.key}  {decision.summary}", 4, 6))
            show_params(decision.params)


def show_params(params: Sequence[registry.Param]) -> None:
    """One line per parameter: default, range, what it means."""
    for param in params:
        kind = " | ".join(param.words) if param.words else f"{param.min} … {param.max}"
        about = f"[{param.name}={param.text(param.default)}]  {kind}" + (f"  {param.help}" if param.help else "")
        print(console.wrapped(about, 4, 6))


def show_platforms(as_json: bool = False) -> None:
    """The names of the platforms, and what each is like; a UsageError where there is not one."""
    from collscope.machines import find

    names = find.list_platforms()
    if as_json:
        import json

        print(json.dumps(names))
        return
    if not names:
        raise UsageError("there is no platform in platforms/")
    width = max(map(len, names))
    for name in names:
        about = _about_platform(name)
        print(f"{name:<{width}}{console.wrapped(about, width + 2)[width:]}" if about else name)


def _about_platform(name: str) -> str:
    """Shape and classes of a platform with a specification."""
    from collscope.machines import find

    try:
        spec = find.load_spec(name)
    except UserError:
        return ""
    return f"{spec.shape}; classes {', '.join(spec.classes)}"


@click.command("list", epilog="\b\nExamples:\n  ./collscope list\n  ./collscope list bcast\n  ./collscope list --json")
@click.argument("collective_name", required=False, metavar="[COLLECTIVE]")
@click.option("-c", "--collective", metavar="COLLECTIVE", help="Only the algorithms of this collective, in full.")
@click.option("--platforms", is_flag=True, help="List the platforms instead.")
@click.option("--json", "as_json", is_flag=True, help="The whole registry as JSON.")
def command(collective_name: str | None, collective: str | None, platforms: bool, as_json: bool) -> None:
    """List algorithms, decisions and platforms.

    Of a collective that is named its algorithms, in full."""
    if collective_name and "/" in collective_name:
        raise UsageError(f"{collective_name}: name a collective; ./collscope show {collective_name} has an algorithm")
    if collective_name and collective:
        raise UsageError(f"{collective_name} and -c {collective}: name the collective once")
    show(collective or collective_name, platforms, as_json)
