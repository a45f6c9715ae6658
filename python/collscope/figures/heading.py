"""What stands above the panels of a figure of `run`: a title, what else there is to say, and what lines and greys mean."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from collscope.figures.axes import text_inches
from collscope.figures.style import FAINT

_TITLE, _WORDS, _LEGEND = 12.5, 8.8, 8.4  # points
_LINE = 0.19  # inches
_HANDLE = 0.62  # inches that a legend's line and its gaps take


class Heading:
    """Title, subtitle and legend for a figure of a width, in inches; longer ones take several lines."""

    def __init__(self, title: str, subtitle: str, handles: Sequence[Line2D], width: float) -> None:
        self.title = _wrapped(title, _TITLE, width, "bold")
        self.subtitle = _wrapped(subtitle, _WORDS, width)
        self.handles = handles
        widths = [text_inches(str(h.get_label()), _LEGEND) + _HANDLE for h in handles]
        rows = next((n for n in range(1, len(widths)) if _fits(widths, -(-len(widths) // n), width)), len(widths))
        self.columns = -(-len(widths) // max(rows, 1))
        self.lines = (0.25 * len(self.title), _LINE * len(self.subtitle), 0.17 * rows)

    @property
    def height(self) -> float:
        """Inches."""
        return 0.08 + sum(self.lines) + 0.06

    def draw(self, fig: Figure, left: float) -> None:
        """Writes it at the top of a figure, `left` inches from its edge."""
        wide, tall = fig.get_figwidth(), fig.get_figheight()
        at, down = left / wide, 0.08
        fig.suptitle(
            "\n".join(self.title), x=at, y=1 - down / tall, ha="left", va="top", fontsize=_TITLE, fontweight="bold"
        )
        down += self.lines[0]
        if self.subtitle:
            fig.text(at, 1 - down / tall, "\n".join(self.subtitle), ha="left", va="top", fontsize=_WORDS, color=FAINT)
        down += self.lines[1]
        if self.handles:
            fig.legend(
                handles=list(self.handles), loc="upper left", bbox_to_anchor=(at, 1 - down / tall), ncols=self.columns,
                fontsize=_LEGEND, borderaxespad=0, borderpad=0.25, handlelength=2.9, columnspacing=1.6, labelspacing=0.3,
            )  # fmt: skip


def _wrapped(text: str, size: float, width: float, weight: str = "normal") -> list[str]:
    letter = text_inches(text, size, weight) / max(len(text), 1)
    return textwrap.wrap(text, max(20, int(width / letter)), break_long_words=False) if text else []


def _fits(widths: Sequence[float], columns: int, width: float) -> bool:
    return sum(max(column) for column in np.array_split(widths, columns)) <= width  # as matplotlib fills columns
