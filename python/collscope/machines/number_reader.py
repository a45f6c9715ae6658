"""Numbers in a specification: plain (`nic_bytes_per_s = 12.3e9`), or a table with value, tag, source and range."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator

from collscope.base.number import TAGS, Number, outside
from collscope.base.toml_table import Table, one_of


class NumberTable(Table):
    """A number with its provenance."""

    value: float
    tag: Annotated[str, one_of(TAGS)] = "assumed"
    source: str = ""
    range: Annotated[list[float], Field(min_length=2, max_length=2, description="[least, greatest]")] | None = None

    @model_validator(mode="after")
    def _inside(self) -> NumberTable:
        if self.range and not self.range[0] <= self.value <= self.range[1]:
            raise ValueError(f"the value {self.value} lies outside its range {self.range}")
        return self

    @property
    def number(self) -> Number:
        """The number with its provenance, as a specification holds it."""
        return Number(self.value, self.tag, self.source, (self.range[0], self.range[1]) if self.range else None)


def as_table(value: Any) -> Any:
    """A plain number is a table with nothing but its value."""
    return {"value": value} if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def whole(number: NumberTable) -> NumberTable:
    """Only a whole number from 1 up. ValueError: another."""
    if number.value < 1 or number.value != int(number.value):
        raise ValueError("must be a whole number, 1 or more")
    return number


def not_negative(number: NumberTable) -> NumberTable:
    """Only 0 or more. ValueError: less."""
    if number.value < 0:
        raise ValueError("must not be negative")
    return number


def socket(number: NumberTable) -> NumberTable:
    """Only a whole number from 0 up. ValueError: another."""
    if number.value < 0 or number.value != int(number.value):
        raise ValueError("must be a socket of a node, counted from 0")
    return number


def positive(number: NumberTable) -> NumberTable:
    """Only more than 0. ValueError: less."""
    if number.value <= 0:
        raise ValueError("must be more than 0")
    return number


def eager(number: NumberTable) -> NumberTable:
    """Only 0 or more, or -1. ValueError: another."""
    if number.value < -1:
        raise ValueError("must not be negative, but for -1: every send waits for its receive")
    return number


AnyNumber = Annotated[
    NumberTable, BeforeValidator(as_table), Field(description="a number, or a table with value, tag, source and range")
]
Count = Annotated[
    AnyNumber, AfterValidator(whole), Field(description="a whole number, 1 or more, or a table with value …")
]
Amount = Annotated[AnyNumber, AfterValidator(not_negative)]


def possible(number: Any, info: ValidationInfo) -> Any:
    """A number within the limits of its kind, which its name says."""
    value = number.value if isinstance(number, NumberTable) else number
    if isinstance(value, float) and (problem := outside(str(info.field_name), value)):
        raise ValueError(problem)
    return number
