"""The lines of a driver that measured a machine of two cores, and that machine."""

from __future__ import annotations

from typing import Any

from collscope.calibration.fit import fit
from collscope.calibration.spec_text import Made, spec_text
from collscope.calibration.topology import Cpu, Topology

TWO_CORES = Topology("a processor", (Cpu(0, 0, 0, 0), Cpu(1, 1, 0, 0)))


def line(kind: str, samples: list[float], **values: Any) -> dict[str, Any]:
    return {kind: {**values, "samples": samples}}


def made_lines(latency: float = 4e-7, slope: float = 2e-10) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [{"place": {"rank": r, "host": "h", "cpu": r}} for r in range(2)]
    for size in [0, *(2**k for k in range(21))]:
        t = latency + size * slope
        lines.append(line("message", [t, t, t, 1.1 * t, 2 * t], bytes=size, a=0, b=1))
    lines.append(line("overhead", [1e-7, 1e-7, 2e-7], bytes=1, a=0, b=1))
    lines.append(line("gap", [9e-8, 1e-7], bytes=1, a=0, b=1))
    lines += [line("copy_exchanged", [6e-11, 6e-11, 6e-11], bytes=size, a=0, b=1) for size in (8192, 1 << 16, 1 << 19)]
    for kind, cached, uncached in (("gamma", 4e-11, 2e-10), ("copy", 2e-11, 1e-10)):
        for ranks in (1, 2):
            for size, value in ((8192, cached), (1 << 19, 2 * cached), (1 << 24, uncached)):
                lines.append(line(kind, [value, value, value], bytes=size, ranks=ranks))
    return lines


def made_spec(lines: list[dict[str, Any]]) -> str:
    made = Made(2, "2026-01-01 00:00", "Open MPI 4.1.4", (0.1, 2.1))
    return spec_text(fit(lines, TWO_CORES), TWO_CORES, (4095, "ompi_info"), made)
