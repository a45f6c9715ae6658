"""The report of the preload library as preload/report.h describes it, checked: what a profile is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=1 << 62)]
Some = Annotated[int, Field(ge=1, le=1 << 62)]


class Skew(BaseModel):
    """Arrivals of sampled calls."""

    samples: Some
    mean_s: Seconds
    wait_s: Seconds


class Communicator(BaseModel):
    """Communicators of one size and placement."""

    name: str
    size: Some
    nodes: Some
    ranks_per_node: Some
    communicators: Count


class Row(BaseModel):
    """Calls of one collective and class of sizes."""

    collective: str
    communicator: Communicator
    bytes_from: Count
    bytes_to: Count
    algorithm: str | None
    passed_on: str | None
    calls: Some
    bytes: Count
    in_place: Count
    root: int | None
    type: str
    ranks: Some
    mean_s: Seconds
    skew: Skew | None


class Report(BaseModel):
    """A job."""

    complete: bool
    library: str
    ranks: Some
    run_s: Seconds
    profile: bool
    rows: list[Row]
