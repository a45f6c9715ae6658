"""The table [topology] of a specification."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from collscope.base.number import TAGS, Number
from collscope.base.toml_table import Document, Table, one_of
from collscope.machines import allocation, routes, topology
from collscope.machines.number_reader import Amount, Count, positive, possible
from collscope.machines.spec import TOPOLOGY_NUMBERS, TOPOLOGY_OWN, TOPOLOGY_SHAPES, Topology

_Size = Annotated[int, Field(ge=1, le=topology.MAX_POSITIONS, description="a whole number, 1 or more")]


class _Dims(Table):
    value: list[_Size] = Field(min_length=1, max_length=topology.MAX_DIMENSIONS)
    tag: Annotated[str, one_of(TAGS)] = "assumed"
    source: str = ""


def _plain(value: Any) -> Any:
    return {"value": value} if isinstance(value, list) else value


def _text(value: Any) -> Any:
    """A list of positions or coordinates as text: 0+1+5, or 0.0.1+0.0.2."""
    if not isinstance(value, list):
        return value
    rows = [row if isinstance(row, list) else [row] for row in value]
    if not rows or not all(isinstance(x, int) and not isinstance(x, bool) and x >= 0 for row in rows for x in row):
        raise ValueError("must be a list of positions, or of their coordinates in a torus: [[0, 0, 0], [0, 0, 1], …]")
    return "+".join(".".join(map(str, row)) for row in rows)


class TopologyTable(Table):
    """What may stand in [topology]."""

    kind: Annotated[str, one_of(routes.KINDS)]
    dims: Annotated[_Dims, BeforeValidator(_plain)] | None = Field(
        default=None, description=f"a list of 1 to {topology.MAX_DIMENSIONS} whole numbers, or a table with value …"
    )
    leaves: Count | None = None
    nodes_per_leaf: Count | None = None
    groups: Count | None = None
    routers: Count | None = None
    nodes_per_router: Count | None = None
    link_bytes_per_s: Annotated[Amount, AfterValidator(positive)] | None = None
    global_bytes_per_s: Annotated[Amount, AfterValidator(positive)] | None = None
    oversubscription: Annotated[Amount, AfterValidator(positive)] | None = None
    hop_latency_s: Amount | None = None
    allocation: Annotated[str, BeforeValidator(_text)] = Field(
        default="contiguous", description=topology.ALLOCATIONS + ", or a list of positions"
    )
    first: int = Field(default=0, ge=0, description="a position, counted from 0")
    seed: int = Field(default=0, ge=0, description="a whole number, 0 or more")

    _checked = field_validator("link_bytes_per_s", "global_bytes_per_s", "hop_latency_s")(possible)


def topology_of(document: Document, table: TopologyTable | None, nodes: int) -> Topology:
    """The topology of a file. Raises the document's error: FILE:LINE: what is wrong."""
    if table is None:
        return Topology()
    needed = TOPOLOGY_SHAPES[table.kind]
    every = {key for keys in (*TOPOLOGY_SHAPES.values(), *TOPOLOGY_OWN.values()) for key in keys}
    for key in document.data["topology"]:
        if key in every and key not in (*needed, *TOPOLOGY_OWN.get(table.kind, ())):
            raise document.fail(
                f"a {table.kind} has none; it has {', '.join(needed) or 'nothing to say'}", "topology", key
            )
    for key in needed:
        if getattr(table, key) is None:
            raise document.fail(f"is missing: {key} says the shape of a {table.kind}", "topology", key)
    dims = table.dims
    sizes = (
        [Number(float(size), dims.tag, dims.source) for size in dims.value]
        if dims
        else [getattr(table, key).number for key in needed]
    )
    given = {key: getattr(table, key).number for key in TOPOLOGY_NUMBERS if getattr(table, key)}
    made = Topology(
        table.kind,
        tuple(int(size.value) for size in sizes),
        tuple(sizes),
        allocation=table.allocation,
        first=table.first,
        seed=table.seed,
        **given,
    )
    if problem := topology.problem_of(made):
        raise document.fail(problem, "topology")
    try:
        allocation.positions(made, nodes)
    except ValueError as problem:
        where = "allocation" if "allocation" in document.data["topology"] else "kind"
        raise document.fail(str(problem), "topology", where) from None
    return made
