"""What the commands about calls share: the call as it was typed, and the options that say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from collscope.base.units import parse_time
from collscope.points import arrival, distribution


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call, or calls, as typed. What a command does not offer keeps its default."""

    collective: str | None = None
    sizes: str | None = None  # bytes of the whole vector
    block_sizes: str | None = None  # bytes of one rank's block
    type_name: str = "float"
    op: str | None = None
    root: int | None = None
    in_place: bool = False
    skew: str = arrival.NONE
    counts: str = distribution.UNIFORM
    point_timeout: float | None = None  # seconds


def _seconds(_: click.Context, param: click.Parameter, value: str | None) -> float | None:
    return None if value is None else parse_time(param.opts[0], value)


# field → how it is written, and click's settings
OPTIONS: Mapping[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "platform": (("--on",), {"metavar": "PLATFORM",
        "help": "Platform: a name, or a file (.toml, or SimGrid's .xml) (default: the telephone model)."}),
    "without": (("--without",), {"metavar": "ELEMENT[,…]",
        "help": "Elements of the node's model to switch off: gap, receive_gap, turnaround, nonblocking, in_order, nic_gap, "
                "invalidation, first_touch."}),
    "nodes": (("--nodes",), {"type": click.IntRange(min=1), "metavar": "N",
        "help": "Number of nodes (default: as many as the ranks fill)."}),
    "ranks": (("--ranks",), {"type": click.IntRange(min=1), "metavar": "P", "default": 8, "show_default": True,
        "help": "Number of ranks."}),
    "mapping": (("--mapping",), {"default": "block", "show_default": True, "metavar": "M",
        "help": "Which rank sits on which core: block (an even share per node, consecutive ranks together), packed (the same, "
        "core after core), cyclic (around the nodes), fill (node 0 first); core, socket, node, as mpirun --map-by; file:RANKFILE."}),
    "collective": (("-c", "--collective"), {"metavar": "COLLECTIVE",
        "help": "Collective, for decisions and for keys without their first part."}),
    "sizes": (("--bytes",), {"metavar": "SIZE", "help": "Size of the vector (default: blocks of 1 KiB)."}),
    "block_sizes": (("--block-bytes",), {"metavar": "SIZE", "help": "Bytes of one rank's block, instead of --bytes."}),
    "type_name": (("--type",), {"default": "float", "show_default": True, "metavar": "T", "help": "Type of an element."}),
    "op": (("--op",), {"metavar": "O", "help": "Operator of reductions (default: sum)."}),
    "root": (("--root",), {"type": click.IntRange(min=0), "metavar": "R",
        "help": "Root rank, for collectives that have one (default: 0)."}),
    "in_place": (("--in-place",), {"is_flag": True, "help": "MPI_IN_PLACE: input and output share memory."}),
    "skew": (("--skew",), {"default": arrival.NONE, "show_default": True, "metavar": "S",
        "help": "How late ranks enter: none; linear:T, the last rank T later than the first; random:T[:SEED]; one_late:T[:RANK] "
        "(the last rank); file:PATH, one line per rank, in seconds. T is a time with its unit: 10us, 1.5ms."}),
    "counts": (("--counts",), {"default": distribution.UNIFORM, "show_default": True, "metavar": "D",
        "help": "How long each rank's block is, of vector forms and reduce_scatter: uniform; linear (weights 1 … p); zipf:S (1/r^S); "
        "one:R, rank R has all; file:PATH, a weight per line. The size is that of all blocks, or of a block on average."}),
    "source": (("--source",), {"default": "model", "show_default": True, "metavar": "S",
        "help": "Source of times: model, sim or real."}),
    "repetitions": (("--repetitions",), {"type": click.IntRange(min=1), "metavar": "N",
        "help": "Timed calls of a real run (default: 10)."}),
    "point_timeout": (("--point-timeout",), {"callback": _seconds, "metavar": "TIME",
        "help": "Abandon points that take longer, such as 30s or 5min, and continue."}),
}  # fmt: skip


def options(*fields: str, **changed: Mapping[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The click options of these fields in their order; `changed`: field → settings of this command's own."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for field in reversed(fields):
            words, settings = OPTIONS[field]
            command = click.option(*words, field, **(settings | dict(changed.get(field, {}))))(command)
        return command

    return add
