"""Reading what OSU's benchmarks of messages print: osu_latency, osu_bw, osu_bibw, osu_mbw_mr and osu_multi_lat.

The first line names the benchmark. How many pairs there were says osu_mbw_mr; of osu_multi_lat it stands before the file's name,
network:4=FILE.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.base.toml_table import read_text
from collscope.base.units import counted
from collscope.calibration.cells import is_number, number_of, size_of

BENCHMARKS = {
    "Latency": "osu_latency",
    "Bandwidth": "osu_bw",
    "Bi-Directional Bandwidth": "osu_bibw",
    "Multiple Bandwidth / Message Rate": "osu_mbw_mr",
    "Multi Latency": "osu_multi_lat",
    "Multi-pair Latency": "osu_multi_lat",
}
"""What their first line calls them → their names."""

MEGABYTE = 1e6  # OSU's


@dataclass(frozen=True)
class Output:
    """What one file says. `pairs` at once, 0: not known; `rows`: (bytes, value) ascending, empty messages left out. Values are seconds of
    half a round trip, of osu_bw, osu_bibw and osu_mbw_mr bytes per second of all pairs and directions together."""

    file: str
    benchmark: str
    pairs: int
    rows: tuple[tuple[int, float], ...]

    @property
    def highest(self) -> float:
        """The highest value."""
        return max(value for _, value in self.rows)


def read(name: str, pairs: int = 0) -> Output:
    """A file's output; `pairs`: as many as its user says there were. UserError: FILE:LINE: what is wrong and what to do."""
    path = paths.expanded(name)
    shown = paths.display(path)
    benchmark, unit, rates = "", 0.0, False
    rows: dict[int, float] = {}
    for number, line in enumerate(read_text(path, shown).splitlines(), 1):
        at, cells = f"{shown}:{number}", line.split()
        if line.startswith("#"):
            benchmark = _benchmark(line, at) or benchmark
            if found := re.search(r"pairs:\s*(\d+)", line):
                pairs = _pairs(int(found[1]), pairs, at)
            unit, rates = _unit(line, at) or unit, rates or "Messages/s" in line
        elif cells and not cells[0].isdigit():  # a launcher's words are passed over
            if unit and (len(cells) == 2 or is_number(cells[0])):
                raise UserError(
                    f'{at}: "{" ".join(cells)[:40]}" is not a size and a value; correct the line or remove it'
                )
        elif cells:
            if len(cells) < 2 + rates:
                raise UserError(
                    f"{at}: a size without {'both its values' if rates else 'a value'}; is the file cut off?"
                )
            if not unit:
                raise UserError(f"{at}: numbers before a heading with (us) or (MB/s): is it what osu_latency printed?")
            size = size_of(cells[0], at, "size")
            if size in rows:
                raise UserError(f"{at}: {size} bytes stand here twice; keep one of them")
            value = number_of(cells[1], at, "value") * unit
            # OSU rounds megabytes of short messages to two digits, and prints their number per second in full.
            rows[size] = size * number_of(cells[2], at, "Messages/s") if rates else value
    if not unit:
        raise UserError(f"{shown}:1: no heading with Latency (us) or Bandwidth (MB/s): is it what osu_latency printed?")
    benchmark = benchmark or ("osu_bw" if unit == MEGABYTE else "osu_latency")
    known = tuple(sorted((size, value) for size, value in rows.items() if size > 0))
    if not known:
        raise UserError(f"{shown}: has no sizes above 0 bytes; is the file cut off?")
    if benchmark not in ("osu_mbw_mr", "osu_multi_lat"):
        pairs = _pairs(1, pairs, f"{shown}:1")
    return Output(Path(name).name, benchmark, pairs, known)


def _pairs(printed: int, given: int, at: str) -> int:
    if printed < 1 or given not in (0, printed):
        raise UserError(f"{at}: was measured with {counted(printed, 'pair')}, and --from says {given}; correct one")
    return printed


def _benchmark(heading: str, at: str) -> str:
    """The benchmark that a first line names; "": it is another line."""
    found = re.search(r"OSU MPI(\S*)\s+(.*?)\s+Test\b", heading)
    if not found:
        return ""
    if found[1].startswith("_") or found[2] not in BENCHMARKS:
        words = heading.strip("# \n")
        raise UserError(
            f"{at}: {words[:80]}: cannot be used here; take {', '.join(dict.fromkeys(BENCHMARKS.values()))}"
        )
    return BENCHMARKS[found[2]]


def _unit(heading: str, at: str) -> float:
    """What a line of a heading says of the values' unit; 0: nothing."""
    words = heading.strip("# \n")
    if re.search(r"\((ms|s|ns|GB/s|MiB/s)\)", words):
        raise UserError(f"{at}: {heading.strip()}: only Latency (us) and Bandwidth (MB/s) are understood")
    return 1e-6 if "(us)" in words else MEGABYTE if "MB/s" in words else 0.0
