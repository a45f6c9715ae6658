"""Samples as a driver would take them, from formulas: of a machine of two cores, and of any pattern."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from collscope.calibration import calibrate, estimates
from collscope.calibration.samples import Flow, Placement, Probe, Reading, Samples
from collscope.calibration.specification import spec_of
from collscope.calibration.topology import Cpu, Topology
from collscope.machines.spec_writer import spec_text

TWO_CORES = Topology("a processor", (Cpu(0, 0, 0, 0), Cpu(1, 1, 0, 0)))
ONE_SOCKET = Placement(((0, 0, 0), (0, 0, 0)))
ONE_FLOW = ((0, 1),)
SIZES = [0, *(2**k for k in range(21))]


def reading(
    pattern: str,
    flows: Sequence[Flow],
    size: int,
    *samples: float,
    count: int = 1,
    single: bool = False,
    **more: object,
) -> Reading:
    return Reading(Probe(pattern, tuple(flows), size, count, single=single), samples, **more)  # type: ignore[arg-type]


def together(placement: Placement, *readings: Reading | Sequence[Reading]) -> Samples:
    every = [one for r in readings for one in ([r] if isinstance(r, Reading) else r)]
    return Samples(placement, tuple(every), "Open MPI v4.1.4", ("n0",), {"btl_vader_eager_limit": 4096})


def made_samples(latency: float = 4e-7, slope: float = 2e-10) -> Samples:
    """Messages of latency + bytes · slope, and what belongs to them."""
    readings = []
    for size in SIZES:
        t = latency + size * slope
        readings.append(reading("flows", ONE_FLOW, size, t, t, t, 1.1 * t, 2 * t))
    readings.append(reading("overhead", ONE_FLOW, 1, 1e-7, 1e-7, 2e-7, count=32))
    readings.append(reading("flows", ONE_FLOW, 1, 32 * 9e-8, 32 * 1e-7, count=32))
    readings += [
        reading("copy_exchanged", ONE_FLOW, n, 6e-11, 6e-11, 6e-11, count=10) for n in (8192, 1 << 16, 1 << 19)
    ]
    for pattern, cached, uncached in (("gamma", 4e-11, 2e-10), ("copy", 2e-11, 1e-10)):
        for ranks in (1, 2):
            for size, value in ((8192, cached), (1 << 19, 2 * cached), (1 << 24, uncached)):
                readings.append(reading(pattern, (), size, value, value, value, count=ranks))
    return together(ONE_SOCKET, readings)


def changed(samples: Samples, change: Callable[[Reading], Reading | None]) -> Samples:
    """With other readings; None leaves one out."""
    return replace(samples, readings=tuple(one for r in samples.readings if (one := change(r))))


def without(samples: Samples, *patterns: str) -> Samples:
    return changed(samples, lambda r: None if r.probe.pattern in patterns else r)


def made_spec(samples: Samples) -> str:
    """The specification that is written of this machine."""
    return spec_text(
        spec_of(estimates.of_machine(samples), calibrate.about_machine(TWO_CORES, samples.variables, "made up"))
    )
