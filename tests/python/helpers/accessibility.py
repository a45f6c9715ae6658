"""What axe-core finds wrong with a page: contrast, labels, roles, order."""

from __future__ import annotations

from typing import Any


def faults(page: Any) -> list[str]:
    """A line a rule that the page breaks, with the first place; empty when it breaks none."""
    from axe_playwright_python.sync_playwright import Axe

    broken = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {rule['help']}: {rule['nodes'][0]['html']}" for rule in broken]
