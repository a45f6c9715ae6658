"""Files of algorithms on the command line: `prove ./mine.c`, `run -a mst,./mine.c`. Each stands for the keys that it defines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

COMMANDS = ("run", "prove", "show", "explain")
OPTIONS = ("-a", "--algorithms")  # whose values are keys; of other options ./x.c is another file
COMMAS = re.compile(r",(?![^\[]*\])")  # none within brackets


def replaced(arguments: Sequence[str]) -> list[str]:
    """The arguments of a command line with keys in place of files; the programs know these algorithms from then on.

    UserError: a file cannot be read or compiled, or one of its keys is taken."""
    if not arguments or arguments[0] not in COMMANDS:
        return list(arguments)
    places = [i for i in range(1, len(arguments)) if _holds_keys(arguments, i)]
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
    if made[0] != "run":  # each key is an argument of its own
        made = [key for i, word in enumerate(made) for key in (COMMAS.split(word) if i in places else [word])]
    return made


def _holds_keys(arguments: Sequence[str], i: int) -> bool:
    """Whether the argument names algorithms: the value of -a, or none of an option's."""
    before, word = arguments[i - 1], arguments[i]
    if before in OPTIONS or word.startswith("--algorithms="):
        return True
    return arguments[0] != "run" and not word.startswith("-") and not before.startswith("-")


def _words(argument: str) -> tuple[str, list[str]]:
    """(the option with its sign, if it is in the same argument; the keys)."""
    option, equals, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
    return option + equals, COMMAS.split(value)
