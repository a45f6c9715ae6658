"""How far the model is off by itself on machines whose campaigns were judged: part of the band of calls that nobody has measured yet."""

from __future__ import annotations

import json
from collections.abc import Iterable

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.campaigns import report
from collscope.campaigns.run import RESULTS


def model_errors(platforms: Iterable[str]) -> dict[str, float]:
    """Platform → size (analysis/model_error): that of the campaign about it; of a machine that no campaign is about the largest of all, as
    less is known of it than of any other. {} where nothing was judged. UserError: a campaign's summary cannot be read."""
    known: dict[str, float] = {}
    for path in sorted(RESULTS.glob(f"*/{report.SUMMARY}")):
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            of, size = found.get("platforms", []), found.get("model_error")
        except (OSError, ValueError, AttributeError) as error:
            raise UserError(
                f"{paths.display(path)}: cannot be read ({error!r}); ./collscope validate {path.parent.name} writes it again"
            ) from None
        if size is not None and len(of) == 1:
            known[of[0]] = size
    return {name: known.get(name.partition("[")[0], max(known.values())) for name in platforms} if known else {}
