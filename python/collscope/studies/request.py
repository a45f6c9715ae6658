"""How a study is run: the options of `study run`."""

from __future__ import annotations

from dataclasses import dataclass

from collscope.sources.cluster import Cluster
from collscope.sources.source import Options


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options, as they were typed."""

    quick: bool = False
    jobs: int | None = None
    force: bool = False  # what is cached is simulated again, what would come out the same is drawn again
    write_reference: bool = False
    vary_ranges: bool = (
        False  # also judge the claims with the platform's undocumented numbers at the ends of their ranges
    )
    out: str | None = None  # the folder of the results; None: the study's own
    point_timeout: float | None = None  # seconds; a point that takes longer has no number
    cluster: str | None = None  # whose workers simulate and draw

    def options(self, workers: Cluster | None) -> Options:
        """How its rows are made."""
        return Options(jobs=self.jobs, force=self.force, point_timeout_s=self.point_timeout, cluster=workers)
