"""How far the model is off by itself on machines whose campaigns were judged: part of the band of calls that nobody has measured yet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import exp

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.base.statistics import LIKELY, REACH

RESULTS = paths.RESULTS / "validation"
SUMMARY = "summary.json"  # of a campaign's folder


def by_platform() -> dict[str, float]:
    """Platform → size (analysis/model_error) as the campaign about it has it. UserError: a campaign's summary cannot be read."""
    known: dict[str, float] = {}
    for path in sorted(RESULTS.glob(f"*/{SUMMARY}")):
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            of, size = found.get("platforms", []), found.get("model_error")
        except (OSError, ValueError, AttributeError) as error:
            raise UserError(
                f"{paths.display(path)}: cannot be read ({error!r}); ./collscope validate {path.parent.name} writes it again"
            ) from None
        if size is not None and len(of) == 1:
            known[of[0]] = size
    return known


def model_errors(platforms: Iterable[str]) -> dict[str, float]:
    """Platform → size; of a machine that no campaign is about the largest of all, as less is known of it than of any other. {} where
    nothing was judged. UserError as above."""
    known = by_platform()
    return {name: known.get(_own(name), max(known.values())) for name in platforms} if known else {}


def remark(platform: str) -> str:
    """What calls of a platform took that were measured, beside the model, in a sentence; "" where no campaign is about it."""
    size = by_platform().get(_own(platform))
    if size is None:
        return ""
    low, high = (exp(sign * REACH * size) for sign in (-1, 1))
    return (
        f"Of the collectives that were measured on {_own(platform)}, {LIKELY:.0%} took {low:.2f} to {high:.2f} times what the model says, "
        "beside what the draws spread."
    )


def _own(platform: str) -> str:
    """Without what was changed of it."""
    return platform.partition("[")[0]
