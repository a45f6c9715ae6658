"""Files of algorithms on the command line: `prove ./mine.c`, `run -a mst,./mine.c`. Each stands for the keys that it defines."""

from __future__ import annotations

import importlib
import re
from collections.abc import Collection, Sequence
from pathlib import Path

COMMANDS = ("run", "prove", "show", "explain")
OPTIONS = ("-a", "--algorithms")  # whose values are keys; of other options ./x.c is another file
COMMAS = re.compile(r",(?![^\[]*\])")  # none within brackets


def replaced(arguments: Sequence[str]) -> list[str]:
    """The arguments of a command line with keys in place of files; the programs know these algorithms from then on.

    UserError: a file cannot be read or compiled, or one of its keys is taken."""
    if not arguments or arguments[0] not in COMMANDS or not any(".c" in word for word in arguments):
        return list(arguments)
    flags = _flags(arguments[0])
    places = [i for i in range(1, len(arguments)) if _holds_keys(arguments, i, flags)]
    names = [word for i in places for word in _words(arguments[i])[1] if word.endswith(".c")]
    if not names:
        return list(arguments)
    from collscope.catalogue import headers, registry
    from collscope.setup import own_algorithms

    keys = own_algorithms.use(names)
    registry.load.cache_clear()
    for name in names:
        headers.add(Path(name))
    made = list(arguments)
    for i in places:
        option, words = _words(arguments[i])
        made[i] = option + ",".join(key for word in words for key in keys.get(word, [word]))
    if made[0] not in ("run", "prove"):  # each key is an argument of its own
        made = [key for i, word in enumerate(made) for key in (COMMAS.split(word) if i in places else [word])]
    return made


def _flags(command: str) -> set[str]:
    """The options of a command that take no value."""
    params = importlib.import_module(f"collscope.commands.{command}").command.params
    return {option for p in params if getattr(p, "is_flag", False) for option in p.opts}


def _holds_keys(arguments: Sequence[str], i: int, flags: Collection[str]) -> bool:
    """Whether the argument names algorithms: the value of -a, or none of an option's."""
    before, word = arguments[i - 1], arguments[i]
    if before in OPTIONS or word.startswith("--algorithms=") or _is_short(word):
        return True
    valued = before.startswith("-") and before not in flags and "=" not in before
    return arguments[0] != "run" and not word.startswith("-") and not valued


def _is_short(word: str) -> bool:
    """-aKEY, in one word."""
    return word.startswith(OPTIONS[0]) and word != OPTIONS[0]


def _words(argument: str) -> tuple[str, list[str]]:
    """(the option with its sign, if it is in the same argument; the keys)."""
    if _is_short(argument):
        return OPTIONS[0], COMMAS.split(argument.removeprefix(OPTIONS[0]))
    option, equals, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
    return option + equals, COMMAS.split(value)
