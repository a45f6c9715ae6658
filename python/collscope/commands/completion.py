"""What the shell's Tab key offers for the value of an option or argument: keys, collectives, platforms, studies, files …"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module

import click
from click.shell_completion import CompletionItem, FishComplete, add_completion_class

from collscope.base.errors import UserError

Names = Callable[[click.Context], Iterable[str]]


class Fish(FishComplete):
    """click's function for fish, which takes what stands behind the first comma as the value: lists have more of them."""

    source_template = FishComplete.source_template.replace('string split ","', 'string split --max 1 ","')


def register() -> None:
    """Lets `click` speak to shells as this module does."""
    add_completion_class(Fish)


def offer(command: click.Command) -> None:
    """Gives the command's parameters their completions: by name, or by what help calls their value."""
    for param in command.params:
        kind = {"FILE": "file", "DIR": "dir"}.get(str(param.metavar).split("|")[-1])
        if names := NAMES.get(str(param.name)):
            param.shell_complete = partial(_of_list, names)  # type: ignore[method-assign]
        elif kind:
            param.shell_complete = partial(_of_files, kind)  # type: ignore[method-assign]


def _of_files(kind: str, _: click.Context, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type=kind)]


def _of_list(names: Names, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """The names that begin with what is typed, of a list with what is typed behind the last comma; files where that is a path."""
    before, comma, last = incomplete.rpartition(",")
    if last.startswith((".", "/", "~")):
        return _of_files("file", ctx, incomplete)
    try:
        return [CompletionItem(before + comma + name) for name in names(ctx) if name.startswith(last)]
    except UserError:  # what is not set up, or typed wrongly, has no names; the command says why
        return []


def _keys(ctx: click.Context) -> Iterable[str]:
    """All keys; with -c also the part after the slash; collectives where a command takes all of one."""
    from collscope.catalogue import registry

    known = registry.load()
    keys = [a.key for a in known.algorithms] + [d.key for d in known.decisions]
    chosen = ctx.params.get("collective") or ()
    for name in ",".join([chosen] if isinstance(chosen, str) else chosen).split(","):
        keys += [key.removeprefix(f"{name}/") for key in keys if key.startswith(f"{name}/")]
    if ctx.command.name == "run":
        return [*keys, *(["all", "twins", "builtin"] if chosen else [])]
    return [*keys, *([c.name for c in known.collectives] if ctx.command.name in ("prove", "twins") else [])]


def _listed(module: str, name: str) -> Names:
    """A module's constant, or what its function returns; imported when it is needed."""

    def names(_: click.Context) -> Iterable[str]:
        found = getattr(import_module(f"collscope.{module}"), name)
        return found() if callable(found) else found

    return names


def _collectives(_: click.Context) -> Iterable[str]:
    from collscope.catalogue import registry

    return [c.name for c in registry.load().collectives]


def _metrics(_: click.Context) -> Iterable[str]:
    from collscope.catalogue import registry

    return registry.load().metrics


def _sources(ctx: click.Context) -> Iterable[str]:
    return _listed(*(("sources.rows", "SOURCES") if ctx.command.name == "run" else ("commands.one_call", "SOURCES")))(
        ctx
    )


NAMES: Mapping[str, Names] = {
    "algo": _keys,
    "algorithms": _keys,
    "collective": _collectives,
    "collective_name": _collectives,
    "platform": _listed("machines.find", "list_platforms"),
    "source": _sources,
    "metric": _metrics,
    "mapping": _listed("machines.placement", "MAPPINGS"),
    "kinds": _listed("figures.schedule.kinds", "KINDS"),
    "buffers": _listed("points.plan", "BUFFERS"),
    "order": _listed("commands.run_repetitions", "ORDERS"),
    "launcher": _listed("sources.launcher", "KINDS"),
    "campaign": _listed("campaigns.campaign", "names"),
    "study": _listed("studies.reader", "names"),
}
"""Of a parameter of this name."""
