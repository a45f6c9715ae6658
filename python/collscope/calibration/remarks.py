"""What a user should doubt in a specification that calibrate makes: said in what it prints, and in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from statistics import mean, median

from collscope.base.units import counted, join_words
from collscope.calibration.cross_validation import left_out
from collscope.calibration.curves import MIN_S_PER_BYTE, NETWORK, CurveFit, Error, Limits, pieces_of
from collscope.machines.spec import AS_NEEDED, Spec, occurring

LINES_GBIT = (1, 10, 25, 40, 50, 56, 100, 200, 400, 800)  # what NICs are sold as
FASTER = 1.025  # than its NIC a curve may be: neither is known better
ABOVE = 1.10  # of a line's rate: a rate beyond is that of a faster line
COARSER = (2, 3, 5)  # times the noise that a fit assumes
FEWER = 2 / 3  # of the pieces
MAX_COUNTED = 0.2  # of a left-out error: sizes that no fit predicts say nothing of noise


def of_spec(spec: Spec) -> Iterator[str]:
    """Of a rate of long messages that no NIC has, and of classes that take another's times."""
    given = spec.nic_bytes_per_s
    if NETWORK in spec.own_curves and spec.nodes > 1:
        rate = 1 / spec.curve[NETWORK][-1].s_per_byte.value
        yield from of_rate("network", rate)
        if given.source != AS_NEEDED and rate > FASTER * given.value:
            yield (
                f"network: long messages move {rate / 1e9:.4g} GB/s, and nic_bytes_per_s is {given.value / 1e9:.4g} GB/s: one is wrong"
            )
    if given.tag == "measured":
        yield from of_rate("nic_bytes_per_s", given.value)
    within = [level for level in occurring(spec) if level != NETWORK]
    if lacking := [lv for lv in within if not {*within[within.index(lv) :]} & {*spec.own_curves}]:
        yield (
            f"{join_words(lacking)}: no times of such messages are known, so they take as long as the network's; measure two ranks "
            "of one node"
        )


def of_rate(what: str, bytes_per_s: float) -> Iterator[str]:
    """Of a rate a little above what a NIC of the next lower line rate can carry."""
    gbit = bytes_per_s * 8e-9
    for line in LINES_GBIT:
        if line < gbit <= ABOVE * line:
            yield (
                f"{what}: {bytes_per_s / 1e9:.4g} GB/s is {gbit:.4g} Gbit/s, and a NIC of {line} Gbit/s carries at most "
                f"{line / 8:g} GB/s, headers included: is it another NIC, or are there several?"
            )


def of_fit(level: str, fit: CurveFit) -> Iterator[str]:
    """Of a curve whose pieces predict sizes that they have not met no better than fewer pieces do."""
    limits = Limits(MIN_S_PER_BYTE)
    fewer: tuple[int, float] | None = None
    known = _missed(left_out(fit.points, limits, fit.jumps))
    for factor in COARSER:
        points = [replace(point, noise=point.noise * factor) for point in fit.points]
        pieces = pieces_of(points, limits, fit.jumps)
        if len(pieces) <= FEWER * len(fit.pieces):
            errors = left_out(points, limits, fit.jumps)
            if _missed(errors) <= known * (1 + 1e-9):
                fewer = len(pieces), median(abs(error.share) for error in errors)
    if fewer:
        yield (
            f"{level}: {counted(fewer[0], 'piece')} would predict sizes that were left out as well as the {len(fit.pieces)} of the curve "
            f"({fewer[1]:.1%} median): the others may be noise; measure again with more repetitions (osu_latency -i)"
        )


def _missed(errors: list[Error]) -> float:
    return mean(min(abs(error.share), MAX_COUNTED) for error in errors)
