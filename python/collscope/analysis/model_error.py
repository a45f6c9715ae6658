"""How far a model is off by itself: what draws of a machine's open numbers (DRAWN_BAND) do not explain of measured collectives.

Its size is s where the logarithm of measured over predicted time has, besides what the draws spread, a standard deviation of s: 0.1 are
some 10 %. It is never taken from the calls that it is then said of: of a collective from the others of its campaign, of calls that were
predicted before they were measured from another campaign. No prediction is moved by it, only its band is as wide as it has to be.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from collscope.analysis.prediction import DRAWN, DRAWN_BAND, WHOLE_BAND, has_band
from collscope.base.statistics import REACH


def size(both: pd.DataFrame) -> float:
    """The least with which DRAWN of the measured times lie inside their bands; `both` as prediction.joined has it, a call at least."""
    off = _logarithm(both.measured_s, both.predicted_s) / REACH
    low, high = _spread(both)
    rest = off**2 - pd.Series(np.where(off < 0, low, high), both.index) ** 2
    return float(np.sqrt(rest.clip(lower=0)).quantile(DRAWN, interpolation="higher"))


def of_others(both: pd.DataFrame) -> pd.Series:
    """Of each call the size that the other collectives have; NaN where it is the only one."""
    names = both.collective.unique()
    sizes = {name: size(both[both.collective != name]) for name in names} if len(names) > 1 else {}
    return both.collective.map(sizes).astype(float)


def with_band(both: pd.DataFrame, sizes: pd.Series | float) -> pd.DataFrame:
    """The same with WHOLE_BAND: between its ends DRAWN of the times are to lie, by the draws and a model error of this size together; NaN
    where that is NaN."""
    low, high = _spread(both)
    ends = (np.exp(sign * REACH * np.sqrt(side**2 + sizes**2)) for sign, side in ((-1, low), (1, high)))
    return both.assign(**{name: both.predicted_s * end for name, end in zip(WHOLE_BAND, ends, strict=True)})


def _logarithm(times: pd.Series, of: pd.Series) -> pd.Series:
    return pd.Series(np.log(times / of), times.index)


def _spread(both: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Standard deviations of the logarithm of a call's draws, below and above its prediction; 0 where nothing was drawn."""
    if not has_band(both, DRAWN_BAND):
        nothing = pd.Series(0.0, both.index)
        return nothing, nothing
    below, above = (
        (sign * _logarithm(both[end], both.predicted_s)).fillna(0.0).clip(lower=0) / REACH
        for sign, end in ((-1, DRAWN_BAND[0]), (1, DRAWN_BAND[1]))
    )
    return below, above
