"""Profiles as libcollscope.so writes them, made up: for tests of their readers and of what is advised."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WORLD: dict[str, Any] = {"name": "MPI_COMM_WORLD", "size": 8, "nodes": 8, "ranks_per_node": 1, "communicators": 1}


def row(collective: str, size: int, calls: int, mean_s: float, **other: Any) -> dict[str, Any]:
    """A row of calls on WORLD of one class of sizes, all of `size` bytes, passed on to the MPI library."""
    first = 1 << size.bit_length() - 1 if size else 0
    made = {
        "collective": collective,
        "communicator": WORLD,
        "bytes_from": first,
        "bytes_to": 2 * first - 1 if size else 0,
        "algorithm": None,
        "passed_on": "no algorithm was chosen",
        "calls": calls,
        "bytes": calls * size,
        "in_place": 0,
        "root": None,
        "type": "MPI_DOUBLE",
        "ranks": 8,
        "mean_s": mean_s,
        "max_s": 1.1 * mean_s,
        "completion_s": None,
        "skew": None,
    }
    return made | other


def skew(samples: int, mean_s: float, wait_s: float) -> dict[str, float]:
    """Of a row: arrivals."""
    return {"samples": samples, "mean_s": mean_s, "max_s": 2 * mean_s, "wait_s": wait_s, "spent_s": 1e-4}


def profile(*rows: Mapping[str, Any], **other: Any) -> dict[str, Any]:
    """Of 8 ranks, under Open MPI 4.1."""
    made = {
        "collscope_report": 1,
        "complete": True,
        "library": "Open MPI v4.1.4, package: Debian",
        "ranks": 8,
        "run_s": 2.0,
        "profile": True,
        "choices": {},
        "rows": list(rows),
    }
    return made | other


def write(path: Path, *rows: Mapping[str, Any], **other: Any) -> str:
    """A file of it; its name."""
    path.write_text(json.dumps(profile(*rows, **other)), encoding="utf-8")
    return str(path)
