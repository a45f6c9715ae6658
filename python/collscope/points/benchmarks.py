"""What the collective benchmarks of OSU (osu_bcast, osu_allreduce, …) and Intel (IMB-MPI1) printed, as rows of the table.

Units: sizes in bytes, times in µs in the files and in seconds in the rows. Sources: OSU micro-benchmarks, mpi/collective/osu_coll.c
and osu_*.c; intel/mpi-benchmarks, src_c/IMB_output.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from collscope.base import console
from collscope.base.errors import UserError
from collscope.base.units import join_words
from collscope.catalogue import registry
from collscope.catalogue.sizes import vector_of_blocks
from collscope.points.table import Row, make_row

OSU_TITLE = re.compile(r"#\s*OSU MPI\S*\s+(?P<name>.+?) Latency Test")
IMB_TITLE = re.compile(r"#\s*Benchmarking\s+(?P<name>\w+)")
IMB_RANKS = re.compile(r"#\s*#processes = (\d+)")
IMB_GROUPS = re.compile(r"#\s*\(\s*\d+ groups of")
IMB_FAILED = re.compile(r"\s*\d+\s+(?P<why>time-out|out-of-mem|int-overflow)\b")
OSU_TYPE = re.compile(r"#\s*Datatype:\s*(?P<name>\w+)")  # of OSU 7
MAX_US = 1e9  # a call that takes longer is a mistake of the file

COLLECTIVES = {  # as the benchmarks call them, in small letters
    "broadcast": "bcast",
    "bcast": "bcast",
    "reduce": "reduce",
    "scatter": "scatter",
    "gather": "gather",
    "allgather": "allgather",
    "allreduce": "allreduce",
    "reduce_scatter": "reduce_scatter",
    "reduce_scatter_block": "reduce_scatter_block",
    "all-to-all personalized exchange": "alltoall",
    "alltoall": "alltoall",
    "barrier": "barrier",
}
TYPES = {  # as OSU calls them
    "MPI_CHAR": "byte",
    "MPI_BYTE": "byte",
    "MPI_INT": "int",
    "MPI_FLOAT": "float",
    "MPI_DOUBLE": "double",
}
BLOCKS = frozenset({"scatter", "gather", "allgather", "alltoall"})  # whose printed size is that of one rank's block


def vector_bytes(collective: str, printed: int, ranks: int) -> int:
    """Bytes of the whole vector of a call whose size OSU's benchmarks print so."""
    return vector_of_blocks(collective, printed, ranks) if collective in BLOCKS else printed


@dataclass(frozen=True)
class Launch:
    """What a benchmark does not print, and its user knows: how many ranks on how many nodes, how they were mapped, the algorithm
    that the library was forced to take (a key, with or without its collective; empty: the library chose), and the type of its elements,
    which some do print."""

    ranks: int | None = None
    nodes: int = 1
    mapping: str = "block"
    algorithm: str = ""
    type_name: str = "float"


@dataclass(frozen=True)
class _Part:
    """A benchmark of a file: its collective, ranks and type (empty: not printed), and the places of its columns (size, avg, min, max)."""

    program: str
    collective: str
    ranks: int | None
    columns: Mapping[str, int]
    count: int  # of columns
    type_name: str = ""


def is_printed(text: str) -> bool:
    """Whether a text is what one of these benchmarks printed."""
    return bool(OSU_TITLE.search(text) or IMB_TITLE.search(text))


def read(name: str, text: str, launch: Launch) -> list[Row]:
    """The rows of a file of this name, one per size and benchmark, of source "real": metric osu_avg (OSU: a barrier before each call) or
    loop (IMB: none), median_s the average that was printed. Percentiles are passed over; a line whose average is 0.00 is left out, with
    a remark, as is a size that IMB gave up.

    UserError with file and line: a line that cannot be read, a negative time, a size that is there twice, ranks that neither the file
    nor `launch` has, or no time at all."""
    rows: list[Row] = []
    lines: dict[tuple[str, int, int], int] = {}
    others: dict[str, UserError] = {}  # collective → why its times are not the algorithm's
    for number, part, words in _numbers(name, text):
        size, average, least, most = (_number(name, number, part, words, c) for c in ("size", "avg", "min", "max"))
        ranks = part.ranks or launch.ranks
        if ranks is None:
            raise UserError(f"{name}:{number}: how many ranks? {part.program} does not print it; add --ranks P")
        if part.ranks and launch.ranks and part.ranks != launch.ranks:
            continue  # of a sweep over ranks, those that the user named
        if average is None:
            raise UserError(f"{name}:{number}: no average time")
        if int(size or 0) == 0 and part.collective != "barrier":
            continue  # IMB calls with nothing to move
        if average == 0:
            console.note(f"{name}:{number}: left out: the average is printed as 0 µs, less than its digits show")
            continue
        try:
            algorithm = registry.load().resolve(launch.algorithm or "builtin", part.collective)[1]
        except UserError as error:
            others.setdefault(part.collective, error)
            continue
        call = (part.collective, ranks, int(size or 0))
        if call in lines:
            raise UserError(
                f"{name}:{number}: {part.collective} of {call[2]} bytes stands in line {lines[call]} already"
            )
        lines[call] = number
        rows.append(_row(part, launch, algorithm, ranks, call[2], average, least, most))
    if others and not rows:
        raise next(iter(others.values()))
    if others:
        console.note(
            f"{name}: left out, as {launch.algorithm} is not one of their algorithms: {join_words(list(others))}"
        )
    if not rows:
        raise UserError(
            f"{name}: no time of a collective; expected what osu_bcast, osu_allreduce, … or IMB-MPI1 print"
            + (f" on {launch.ranks} ranks" if launch.ranks else "")
        )
    return rows


def read_file(path: str, launch: Launch) -> list[Row]:
    """The rows of a file; UserError as `read`, and where it cannot be opened."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    return read(path, text, launch)


def _numbers(name: str, text: str) -> Iterator[tuple[int, _Part, Sequence[str]]]:
    """(line, its benchmark, words) of every line of numbers; other lines outside of benchmarks are passed over."""
    part: _Part | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if title := OSU_TITLE.search(line) or IMB_TITLE.search(line):
            part = _begun(name, number, title["name"], "OSU" if title.re is OSU_TITLE else "IMB")
        elif part and IMB_GROUPS.search(line):
            part = None  # several groups at once: their times are not one call's
        elif part and (ranks := IMB_RANKS.search(line)):
            part = replace(part, ranks=int(ranks[1]))
        elif part and (named := OSU_TYPE.search(line)):
            part = replace(part, type_name=_type(name, number, named["name"]))
        elif part and (head := _columns(line, part.collective)):
            part = replace(part, columns=head[0], count=head[1])
        elif part and part.columns and (failed := IMB_FAILED.match(line)):
            console.note(f"{name}:{number}: left out: {part.collective} was not measured ({failed['why']})")
        elif part and part.columns and re.match(r"\s*[-+.\d]", line):
            words = line.split()
            if len(words) != part.count and not (len(words) == part.count + 1 and words[-1] in ("Pass", "Fail")):
                raise UserError(f"{name}:{number}: {len(words)} columns; expected {part.count}, as the heading has")
            if "Fail" in words:
                raise UserError(f"{name}:{number}: the benchmark's own check of the data failed")
            yield number, part, words


def _begun(name: str, number: int, title: str, program: str) -> _Part | None:
    """The benchmark of a title; None: not a blocking collective of the catalogue, its lines are passed over."""
    collective = COLLECTIVES.get(title.lower())
    return _Part(program, collective, None, {}, 0) if collective else None


def _type(name: str, number: int, printed: str) -> str:
    """The type of a Datatype line, as the catalogue calls it."""
    if printed not in TYPES:
        raise UserError(f"{name}:{number}: times of {printed}; measure with one of {join_words(list(TYPES), 'or')}")
    return TYPES[printed]


def _columns(line: str, collective: str) -> tuple[dict[str, int], int] | None:
    """(name → place, how many) of a heading; None: it is not one."""
    if "(us)" not in line and "[usec]" not in line:
        return None
    heads = re.findall(
        r"P\d+ Tail Lat\(us\)|Transmit Size|Size|(?:Avg |Min |Max )?Latency\s*\(us\)|Iterations|Validation|#\w+|t_\w+\[usec\]|\S+",
        line.lstrip("# "),
    )
    if "bytes" in heads[:1]:  # of "#bytes", whose # is gone
        heads[0] = "#bytes"
    names = {}
    for place, head in enumerate(heads):
        low = head.lower()
        if low in ("size", "#bytes"):
            names["size"] = place
        elif "latency" in low or low.startswith("t_"):
            names["min" if "min" in low else "max" if "max" in low else "avg"] = place
    return names, len(heads)


def _number(name: str, number: int, part: _Part, words: Sequence[str], column: str) -> float | None:
    """The number of a column; None: the benchmark has no such column."""
    place = part.columns.get(column)
    if place is None:
        return None
    text = words[place]
    if not re.fullmatch(r"\d+" if column == "size" else r"\d+(\.\d*)?([eE][-+]?\d+)?", text):
        raise UserError(f'{name}:{number}: "{text}" is not a {"size in bytes" if column == "size" else "time in µs"}')
    value = float(text)
    if column != "size" and value > MAX_US:
        raise UserError(f"{name}:{number}: a call of {text} µs; expected at most {MAX_US:g}")
    return value


def _row(
    part: _Part,
    launch: Launch,
    algorithm: str,
    ranks: int,
    size: int,
    average: float,
    least: float | None,
    most: float | None,
) -> Row:
    """A row of one printed line."""
    known = registry.load()
    about = known.collective(part.collective)
    whole = about.output.amount == "part" and part.collective not in BLOCKS
    return make_row(
        source="real",
        platform="",
        nodes=launch.nodes,
        ranks=ranks,
        mapping=launch.mapping,
        collective=part.collective,
        algorithm=algorithm,
        bytes=vector_bytes(part.collective, size, ranks),
        block_bytes=-(-size // ranks) if whole else size,
        type=part.type_name or launch.type_name,
        op="sum" if about.has_operator else "",
        in_place=0,
        root=0,
        metric="osu_avg" if part.program == "OSU" else "loop",
        launches=1,
        repetitions=1,
        median_s=average * 1e-6,
        q1_s=average * 1e-6,
        q3_s=average * 1e-6,
        min_s=None if least == 0 else (least or average) * 1e-6,
        max_s=(most or average) * 1e-6,
        status="ok",
        kind="ok",
        back_end=part.program,
    )
