"""Fields of a specification: numbers, plain (`nic_bytes_per_s = 12.3e9`) or a table with value, tag, source and range; and [topology]."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from collscope.base.number import MAX_BYTES, TAGS, Number, outside
from collscope.base.toml_table import Document, Table, one_of
from collscope.machines import topology
from collscope.machines.limits import MAX_PIECES
from collscope.machines.spec import Noise, Piece
from collscope.machines.topology import TOPOLOGY_NUMBERS, TOPOLOGY_OWN, TOPOLOGY_SHAPES, Topology


class NumberTable(Table):
    """A number with its provenance."""

    value: float
    tag: Annotated[str, one_of(TAGS)] = "assumed"
    source: str = ""
    range: Annotated[list[float], Field(min_length=2, max_length=2, description="[least, greatest]")] | None = None

    @model_validator(mode="after")
    def _inside(self) -> NumberTable:
        if self.range and not self.range[0] <= self.value <= self.range[1]:
            raise ValueError(f"the value {self.value} lies outside its range {self.range}")
        return self

    @property
    def number(self) -> Number:
        """The number with its provenance, as a specification holds it."""
        return Number(self.value, self.tag, self.source, (self.range[0], self.range[1]) if self.range else None)


def as_table(value: Any) -> Any:
    """A plain number is a table with nothing but its value."""
    return {"value": value} if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def only(fits: Callable[[float], bool], problem: str) -> AfterValidator:
    """Takes only numbers that fit; `problem`: what others are told."""

    def check(number: NumberTable) -> NumberTable:
        if not fits(number.value):
            raise ValueError(problem)
        return number

    return AfterValidator(check)


NOT_NEGATIVE = only(lambda value: value >= 0, "must not be negative")
POSITIVE = only(lambda value: value > 0, "must be more than 0")
WHOLE = only(lambda value: value >= 1 and value == int(value), "must be a whole number, 1 or more")
SOCKET = only(lambda value: value >= 0 and value == int(value), "must be a socket of a node, counted from 0")
EAGER = only(lambda value: value >= -1, "must not be negative, but for -1: every send waits for its receive")

AnyNumber = Annotated[
    NumberTable, BeforeValidator(as_table), Field(description="a number, or a table with value, tag, source and range")
]
Count = Annotated[AnyNumber, WHOLE, Field(description="a whole number, 1 or more, or a table with value …")]
Amount = Annotated[AnyNumber, NOT_NEGATIVE]


def possible(number: Any, info: ValidationInfo) -> Any:
    """A number within the limits of its kind, which its name says."""
    value = number.value if isinstance(number, NumberTable) else number
    if isinstance(value, float) and (problem := outside(str(info.field_name), value)):
        raise ValueError(problem)
    return number


# ---- pieces of curves and of noise --------------------------------------------------------------------------


MAX_KNOTS = 32  # model/noise.h
_PIECE = (
    "from_bytes",
    "latency_s",
    "s_per_byte",
    "traffic",
    "gap_s",
    "gap_s_per_byte",
    "receive_gap_s",
    "receive_gap_s_per_byte",
    "turnaround_s",
    "turnaround_s_per_byte",
)


def _spent(seconds: NumberTable | None, per_byte: NumberTable | None) -> tuple[Number, Number] | None:
    """A processor's gap; None: the piece says nothing of it."""
    if not seconds and not per_byte:
        return None
    return (seconds.number if seconds else Number(0.0), per_byte.number if per_byte else Number(0.0))


class PieceTable(Table):
    """A piece of a curve."""

    from_bytes: int = Field(ge=0, le=MAX_BYTES, description=f"a whole number of bytes, at most {MAX_BYTES}")
    latency_s: Amount
    s_per_byte: Amount
    traffic: Annotated[AnyNumber, POSITIVE] = NumberTable(value=1.0)
    gap_s: Amount | None = None
    gap_s_per_byte: Amount | None = None
    receive_gap_s: Amount | None = None
    receive_gap_s_per_byte: Amount | None = None
    turnaround_s: Amount | None = None
    turnaround_s_per_byte: Amount | None = None

    _checked = field_validator(*_PIECE[1:])(possible)

    @property
    def piece(self) -> Piece:
        """The piece as a specification holds it."""
        whole = (self.from_bytes, self.latency_s.number, self.s_per_byte.number, self.traffic.number)
        gap = _spent(self.gap_s, self.gap_s_per_byte)
        received = _spent(self.receive_gap_s, self.receive_gap_s_per_byte)
        return Piece(*whole, gap, received, _spent(self.turnaround_s, self.turnaround_s_per_byte))


def _piece(value: Any) -> Any:
    """A list is a piece without its keys."""
    if not isinstance(value, list):
        return value
    if not 3 <= len(value) <= len(_PIECE):
        raise ValueError(
            "a piece is [from_bytes, latency_s, s_per_byte] and may add traffic, then gap_s and gap_s_per_byte, then "
            "receive_gap_s and receive_gap_s_per_byte, then turnaround_s and turnaround_s_per_byte"
        )
    return dict(zip(_PIECE, value, strict=False))


_Starting = TypeVar("_Starting", "PieceTable", "NoiseTable")


def _ascending(pieces: list[_Starting]) -> list[_Starting]:
    starts = [p.from_bytes for p in pieces]
    if starts[0] != 0 or any(a >= b for a, b in pairwise(starts)):
        raise ValueError("the pieces start at 0 bytes and ascend")
    return pieces


Curve = Annotated[
    list[Annotated[PieceTable, BeforeValidator(_piece)]],
    Field(
        min_length=1,
        max_length=MAX_PIECES,
        description=f"a list of 1 to {MAX_PIECES} pieces: [[0, latency_s, s_per_byte], …]",
    ),
    AfterValidator(_ascending),
]


def _distribution(knots: list[list[float]]) -> list[list[float]]:
    parts, seconds = [k[0] for k in knots], [k[1] for k in knots]
    if parts[0] != 0 or parts[-1] != 1 or any(a >= b for a, b in pairwise(parts)):
        raise ValueError("the parts ascend from 0 to 1")
    if any(a > b for a, b in pairwise(seconds)):
        raise ValueError("the seconds must not descend")
    if problem := next((p for s in seconds if (p := outside("_s", abs(s)))), ""):
        raise ValueError(f"the seconds {problem}, or the same below 0")
    return knots


class NoiseTable(Table):
    """A piece of a class's noise."""

    from_bytes: int = Field(ge=0, le=MAX_BYTES, description=f"a whole number of bytes, at most {MAX_BYTES}")
    quantiles_s: Annotated[
        list[Annotated[list[float], Field(min_length=2, max_length=2)]],
        Field(
            min_length=2,
            max_length=MAX_KNOTS,
            description=f"a list of 2 to {MAX_KNOTS} pairs of a part and seconds: [[0, -1e-6], [0.5, 0], [1, 5e-6]]",
        ),
        AfterValidator(_distribution),
    ]
    tag: Annotated[str, one_of(TAGS)] = "assumed"
    source: str = ""

    @property
    def noise(self) -> Noise:
        """The piece as a specification holds it."""
        return Noise(self.from_bytes, tuple((part, s) for part, s in self.quantiles_s), self.tag, self.source)


NoiseCurve = Annotated[
    list[NoiseTable],
    Field(min_length=1, max_length=MAX_PIECES, description="tables [[noise.CLASS]] with from_bytes and quantiles_s"),
    AfterValidator(_ascending),
]


# ---- [topology] ---------------------------------------------------------------------------------------------


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

    kind: Annotated[str, one_of(topology.TOPOLOGY_SHAPES)]
    dims: Annotated[_Dims, BeforeValidator(_plain)] | None = Field(
        default=None, description=f"a list of 1 to {topology.MAX_DIMENSIONS} whole numbers, or a table with value …"
    )
    leaves: Count | None = None
    nodes_per_leaf: Count | None = None
    groups: Count | None = None
    routers: Count | None = None
    nodes_per_router: Count | None = None
    link_bytes_per_s: Annotated[Amount, POSITIVE] | None = None
    global_bytes_per_s: Annotated[Amount, POSITIVE] | None = None
    oversubscription: Annotated[Amount, POSITIVE] | None = None
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
        topology.positions(made, nodes)
    except ValueError as problem:
        where = "allocation" if "allocation" in document.data["topology"] else "kind"
        raise document.fail(str(problem), "topology", where) from None
    return made
