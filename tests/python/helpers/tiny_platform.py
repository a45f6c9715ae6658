"""As much of a platform as planning and simulating need: four nodes of four cores."""

from __future__ import annotations

from collscope.base.errors import UsageError


class Tiny:
    name, max_nodes, cores_per_node = "tiny", 4, 4

    def bound_parameters(self, nodes: int) -> tuple[float, float, float]:
        return 1e-6, 1e-9, 1e-10

    def content_hash(self) -> str:
        return "0123456789abcdef"

    def hosts(self, nodes: int, ranks: int, mapping: str) -> list[str]:
        if nodes > 4 or ranks > 4 * nodes:
            raise UsageError(f"tiny has 4 nodes of 4 cores; {ranks} ranks do not fit on {nodes}")
        return [f"host{r}" for r in range(ranks)]

    def smpirun_args(self) -> list[str]:
        return ["-platform", "tiny.xml"]

    def env(self) -> dict[str, str]:
        return {}
