"""The specification of this machine as text: platforms/this_machine/spec.toml."""

from __future__ import annotations

import platform as python_platform
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from collscope.base import programs
from collscope.calibration.fit import Fit
from collscope.calibration.noise import sections
from collscope.calibration.topology import Topology

USUAL_EAGER_BYTES = 4095


@dataclass(frozen=True)
class Made:
    """How the numbers were measured, for their provenance."""

    ranks: int
    when: str
    library: str
    load: tuple[float, float]  # of the machine, before and after


def eager_limit() -> tuple[int, str]:
    """(bytes, source) of Open MPI's limit for shared memory; (the usual, "") where it does not say."""
    command = ["ompi_info", "--param", "btl", "all", "--level", "9", "--parsable"]
    try:
        said = programs.answer(command, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return USUAL_EAGER_BYTES, ""
    for transport in ("vader", "sm"):
        if match := re.search(rf"btl_{transport}_eager_limit:value:(\d+)", said):
            limit = match.group(1)
            return int(limit) - 1, f"ompi_info: btl_{transport}_eager_limit {limit}, header included"
    return USUAL_EAGER_BYTES, ""


def spec_text(fitted: Fit, machine: Topology, eager: tuple[int, str], made: Made) -> str:
    """The specification as TOML; `eager` as eager_limit gives it."""
    sockets, per_socket, per_cache = machine.shape
    processor = re.sub(r"[^\w .,()@/+-]", "", machine.model) or python_platform.machine()
    # Curves were made not to fall below two overheads: rounding must not undo that.
    overhead = float(f"{0.99 * fitted.overhead_s:.3g}")
    # A core that copies is busy throughout: the port moves what the fastest piece needs, slower pieces make more traffic.
    rate = float(f"{1 / min(s for pieces in fitted.curves.values() for _, _, s in pieces):.4g}")
    slowest = max(pieces[-1][2] for pieces in fitted.curves.values())
    # In the same traffic; one core has what it needs.
    memory = max(fitted.memory_bytes_per_s / sockets * slowest * rate, rate)
    out = [
        "# This machine, as `./collscope calibrate` measured it. Not tracked: measure again instead of editing.",
        'name = "this_machine"',
        f'about = "{processor}: {len(machine.cores)} cores"',
        f"nodes = {_number(1, 'documented', note='hwloc')}",
        f"sockets = {_number(sockets, 'documented', note='hwloc')}",
        f"cores_per_socket = {_number(per_socket, 'documented', note='hwloc')}",
        f"cores_per_cache = {_number(per_cache, 'documented', note='hwloc')}",
        "oversubscribe = true    # ranks may share cores, as they may when measured",
        f"gamma_s_per_byte = {_number(fitted.gamma[0], limits=fitted.gamma[1:])}",
        f"copy_s_per_byte = {_number(fitted.copy[0], limits=fitted.copy[1:])}",
        f"overhead_s = {_number(overhead)}",
        f"eager_bytes = {_number(eager[0], 'documented' if eager[1] else 'assumed', note=eager[1] or 'usual')}",
        f"core_bytes_per_s = {_number(rate, note='the fastest piece of the curves')}",
        f"memory_bytes_per_s = {_number(memory, note='copies by all ranks')}",
        "",
        "[sources]",
        f'here = "collscope calibrate, {made.when}, {made.library}, {made.ranks} ranks, '
        f'load {made.load[0]:.1f} before and {made.load[1]:.1f} after, {processor}"',
        "",
        "[least]    # what no message escapes: for the asserted bound",
        *(f"{key} = {value:.4g}" for key, value in fitted.least.items()),
        *_curves(fitted, rate),
        *(line for level, noise in fitted.noise.items() for line in sections(noise, level, "here")),
    ]
    return "\n".join(out) + "\n"


def _curves(fitted: Fit, rate: float) -> Iterator[str]:
    for level, pieces in sorted(fitted.curves.items()):
        yield ""
        yield f"# {level}: {fitted.quality[level].text}"
        for start, latency, slope in pieces:
            slope = float(f"{slope:.5g}")
            traffic = min(float(f"{slope * rate:.5g}"), slope * rate)
            yield ""
            yield f"[[curve.{level}]]"
            yield f"from_bytes = {start}"
            yield f"latency_s = {_number(latency)}"
            yield f's_per_byte = {{ value = {slope!r}, tag = "measured", source = "here" }}'
            yield f"traffic = {traffic!r}"


def _number(value: float, tag: str = "measured", limits: tuple[float, float] | None = None, note: str = "here") -> str:
    """A number with its provenance, four digits; its range where rounding does not push the value out of it."""
    shown = float(f"{value:.4g}")
    bounds = f", range = [{limits[0]:.4g}, {max(limits[1], shown):.4g}]" if limits else ""
    if limits and float(f"{limits[0]:.4g}") > shown:
        bounds = ""
    return f'{{ value = {value:.4g}, tag = "{tag}"{bounds}, source = "{note}" }}'
