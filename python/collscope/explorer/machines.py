"""Machines as the explorer's page has them: files for the model without the ranks' places, and what places are made from."""

from __future__ import annotations

from typing import Any

from collscope.base.errors import UserError
from collscope.machines import find
from collscope.machines.machine_file import PLACE_LINES, machine_file
from collscope.machines.placement import fitted
from collscope.machines.platform import EqualNodes, Platform
from collscope.schedules import one_port
from collscope.sources.unknowns import drawn, unknowns

DRAWS = 20  # of the numbers that a machine's file leaves open or gives with a range
NODES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)  # that the page offers
MAX_RANKS = 256  # of the page


def described(name: str) -> dict[str, Any]:
    """A machine by its name or file: name, title, cores per node, sockets and caches of a node.

    `seats`: of each number of ranks on a node the socket and cache of each; `variants`: the text of its file, and what each draw changes
    in it as [line, text], or all of the draw's text; and which variant belongs to a number of nodes. UserError: its nodes differ, or it
    has no curves."""
    platform = find.load(name)
    nodes = platform.nodes
    if not isinstance(nodes, EqualNodes):
        raise UserError(
            f"{name}: its nodes are not alike, which the page cannot show; take ./collscope show --on {name}"
        )
    variants = [_variant(platform, 1)]
    many = [n for n in NODES if 1 < n <= platform.max_nodes and n <= MAX_RANKS]
    if many:
        variants.append(_variant(platform, 2))
    for n in many[1:]:
        if _text(platform, n) != variants[1]["text"]:
            raise UserError(f"{name}: its file for {n} nodes differs from that for two, which the page cannot show")
    seats = {
        ranks: [nodes.place(core) for run in fitted(platform, 1, ranks) for core in run.cores]
        for ranks in range(1, min(nodes.cores, MAX_RANKS) + 1)
    }
    return {
        "name": platform.name,
        "title": platform.name,
        "cores": nodes.cores,
        "sockets": nodes.sockets,
        "caches": nodes.caches,
        "seats": seats,
        "variants": variants,
        "variant_of_nodes": {1: 0} | dict.fromkeys(many, 1),
    }


def telephone() -> dict[str, Any]:
    """The telephone network: every rank by itself, one message at a time."""
    return {
        "name": "telephone",
        "title": one_port.TELEPHONE,
        "cores": MAX_RANKS,
        "seats": None,
        "variants": [{"text": one_port.telephone(1), "draws": []}],
        "variant_of_nodes": {1: 0},
    }


def _text(platform: Platform, nodes: int) -> str:
    """The machine's file without places."""
    lines = machine_file(platform, nodes, nodes).splitlines()
    return "".join(f"{line}\n" for line in lines if line.split()[0] not in PLACE_LINES)


def _variant(platform: Platform, nodes: int) -> dict[str, Any]:
    text = _text(platform, nodes)
    open_numbers = unknowns(platform, nodes)
    if not open_numbers or not all(unknown.dimensions for unknown in open_numbers):
        return {"text": text, "draws": []}
    drawn_texts = [_text(other, nodes) for other in drawn(platform, open_numbers, DRAWS)]
    return {"text": text, "draws": [_changes(text, other) for other in drawn_texts]}


def _changes(text: str, other: str) -> list[tuple[int, str]] | str:
    """The lines in which the other text differs; all of it, where it has more or fewer lines."""
    before, after = text.split("\n"), other.split("\n")
    if len(before) != len(after):
        return other
    return [(i, new) for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
