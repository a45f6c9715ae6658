"""Polynomials of the number of ranks through the times of one algorithm at one size, beside those that a source prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from collscope.analysis.check import Sizes
from collscope.analysis.times import Times
from collscope.base.toml_table import Table
from collscope.catalogue.sizes import vector_of_blocks


class FitText(Table):
    """A table [[fit]] of a paper: which times are fitted, by which degree, and what the source prints."""

    collective: str
    name: str
    block_sizes: Sizes = Field(
        min_length=1, max_length=1
    )  # of a rank's block, or of the message where there are no blocks
    degree: int = Field(ge=1, le=6)
    printed: list[float] = Field(
        default_factory=list
    )  # coefficients of the powers 0, 1, 2, ..., in µs; none: not in print
    printed_r2: float | None = None
    note: str = ""  # what stands in print in its place


@dataclass(frozen=True)
class Fit:
    """A polynomial of the ranks, in microseconds: coefficients by ascending powers."""

    text: FitText
    ranks: tuple[int, ...]
    ours: tuple[float, ...]
    r2: float

    def at(self, coefficients: Sequence[float], ranks: Sequence[float] | np.ndarray) -> np.ndarray:
        """Microseconds of one of its polynomials, ours or the printed one, on these numbers of ranks."""
        return np.asarray(np.polynomial.Polynomial(list(coefficients))(np.asarray(ranks, float)))

    @property
    def off(self) -> float:
        """How far the printed polynomial is from ours, as a share of it: the median over the ranks. NaN where none is printed."""
        if not self.text.printed:
            return float("nan")
        return float(np.median(np.abs(self.at(self.ours, self.ranks) / self.at(self.text.printed, self.ranks) - 1)))

    @property
    def bytes(self) -> int:
        """The size that is fitted."""
        return self.text.block_sizes[0]


def fits(texts: Sequence[FitText], times: Times) -> Iterator[Fit]:
    """The least-squares fits of those that have more numbers of ranks than coefficients."""
    for text in texts:
        seconds = {}
        for place in times.places(text.collective):
            size = vector_of_blocks(text.collective, text.block_sizes[0], place.ranks)
            line = times.line(place, text.name, (size,))
            if len(line):
                seconds[place.ranks] = float(line.iloc[0])
        if len(seconds) <= text.degree + 1:
            continue
        ranks = sorted(seconds)
        ours, r2 = polynomial(np.array(ranks, float), np.array([1e6 * seconds[p] for p in ranks]), text.degree)
        yield Fit(text, tuple(ranks), tuple(ours), r2)


def polynomial(x: np.ndarray, y: np.ndarray, degree: int) -> tuple[list[float], float]:
    """Coefficients of the least-squares fit by ascending powers, and its R²."""
    fitted = np.polynomial.Polynomial.fit(x, y, degree)
    rest, spread = ((y - fitted(x)) ** 2).sum(), ((y - y.mean()) ** 2).sum()
    return [float(c) for c in fitted.convert().coef], float(1 - rest / spread) if spread > 0 else 1.0


def formula(coefficients: Sequence[float]) -> str:
    """0.644 + 0.0442 p + 1.39e-4 p², of coefficients by ascending powers."""
    powers = ("", " p", " p²", " p³", " p⁴", " p⁵", " p⁶")
    text = ""
    for value, power in zip(coefficients, powers, strict=False):
        sign = (" − " if value < 0 else " + ") if text else ("−" if value < 0 else "")
        text += f"{sign}{abs(value):.4g}{power}"
    return text
