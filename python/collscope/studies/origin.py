"""Where the numbers of a study come from: what its report says of the run that made them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from collscope.base import cache, commit


@dataclass(frozen=True)
class Origin:
    """How the numbers came to be. Kept in run.json beside the table."""

    quick: bool
    points: int
    simulated: int  # of them, in the run that last simulated any
    wall_s: float  # of that run
    jobs: int
    peak_bytes: int  # the largest process of that run
    versions: Mapping[str, str]  # program or library → version; "commit" of the sources
    hashes: Mapping[str, str]  # "sources", "platform", "study" → the first digits of the content's hash

    def plain(self) -> dict[str, Any]:
        """The fields as JSON can hold them: Origin(**plain) is the same again."""
        return {k: dict(v) if isinstance(v, Mapping) else v for k, v in vars(self).items()}


def remember(study: str, origin: Origin) -> Origin:
    """The origin with the wall time of the run that simulated most, and with the commit.

    A run that finds its points in the cache still reports how long they took: the longest run of the same numbers is kept there.
    """
    same = json.dumps([origin.quick, origin.points, dict(origin.hashes), dict(origin.versions)])
    key = cache.digest("study", study, same)
    with cache.Cache() as store:
        known = store.get_many([key]).get(key)
        if known and origin.simulated < known["simulated"]:
            origin = Origin(**known)
        else:
            store.put(key, origin.plain())
    return replace(origin, versions={**origin.versions, "commit": commit.describe()})
