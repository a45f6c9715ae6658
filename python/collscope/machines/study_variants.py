"""What is varied of a platform: the keys of [vary] in a study's file, and the variants of platform and mapping that follow."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

from collscope.base.errors import UsageError, did_you_mean
from collscope.base.toml_table import Document
from collscope.machines import placement

MAPPING, WITHOUT, BUFFERS = "mapping", "without", "buffers"
PLATFORM = "platform"  # of [platforms]: whole machines; the first key where there are some
SIMULATED = ("warm", "fresh")  # buffers of a call that is simulated or modelled: no cache is
LAYOUT = ("nodes", "ranks")  # of [setting]: a platform's own number of nodes is not one
MAX_VARIANTS = 64  # variants: more is a mistake, or no figure that can be read
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,2})?")
_FACTOR = re.compile(r"x([0-9][0-9.eE+-]*)|([0-9][0-9.eE+-]*)x")


def _values(given: Any) -> tuple[str, ...]:
    """Values as a platform's brackets take them: 2x → x2, and 1x → "", as the platform is."""
    if isinstance(given, dict):
        raise ValueError('is a table; a key with a point stands in quotes: "network.latency_s" = ["1x", "0.5x"]')
    if not isinstance(given, list) or not given:
        raise ValueError(f'must be a list of values such as ["1x", "2x"] or [4.5e9, 9.0e9], not {given!r}')
    made = tuple(_value(one) for one in given)
    for at, one in enumerate(made):
        if one in made[:at]:
            raise ValueError(f"{given[at]!r} stands twice")
    return made


def _value(one: Any) -> str:
    if isinstance(one, bool):
        return str(one).lower()
    if isinstance(one, (int, float)) and math.isfinite(one):
        return _shortest(one)
    if not isinstance(one, str) or re.search(r"[\[\]=]", one):
        raise ValueError(f'{one!r} is not a value; write a number, a factor ("2x"), or what platform[key=value] takes')
    factor = _FACTOR.fullmatch(one.strip())
    if not factor:
        return _shortest(float(one)) if _NUMBER.fullmatch(one.strip()) else one.strip()
    number = factor[1] or factor[2]
    try:
        return "" if float(number) == 1 else f"x{_shortest(float(number))}"
    except ValueError:
        raise ValueError(f'"{one}" is not a factor; write "2x"') from None


def _shortest(number: float) -> str:
    """A number has one text, however it was written."""
    return min((f"{number:.12g}", _scientific(number)), key=len)


def _scientific(number: float) -> str:
    """9e9, 2.5e-10."""
    digits, _, power = f"{number:.11e}".partition("e")
    return f"{digits.rstrip('0').rstrip('.')}e{int(power)}"


Values = Annotated[tuple[str, ...], BeforeValidator(_values)]


@dataclass(frozen=True)
class Variation:
    """One key of [vary] and its values, the first of them what the others are compared with; "": as the platform is."""

    key: str
    values: tuple[str, ...]
    line: int  # of the file, for complaints
    names: tuple[str, ...] = ()  # of the values, for people; none: the values themselves

    @property
    def where(self) -> str:
        """Its place in the file, for complaints."""
        return "platforms" if self.key == PLATFORM else f"vary.{self.key}"

    def label(self, value: str) -> str:
        """A value for people."""
        if self.names:
            return self.names[self.values.index(value)]
        if self.key in (MAPPING, WITHOUT, BUFFERS):
            return value or "nothing"
        return f"{value[1:] or 1}×" if value[:1] in ("", "x") else value


@dataclass(frozen=True)
class Variant:
    """A platform, as `--on` takes it, a mapping and the call's buffers; and the value of each key of [vary] that makes them."""

    platform: str
    mapping: str
    values: tuple[str, ...] = ()
    buffers: str = SIMULATED[0]


def read(document: Document, values: dict[str, tuple[str, ...]], own: Collection[str]) -> tuple[Variation, ...]:
    """[vary] of a study's file. `own`: keys of [setting] that stand there. UsageError: FILE:LINE: vary.KEY: what is wrong."""
    made = []
    for key, given in values.items():
        if key in LAYOUT:
            raise document.fail(f"stands in [setting], as a list: {key} = [4, 8]", "vary", key)
        if key in own:
            raise document.fail("stands in [setting] too; leave it out there", "vary", key)
        for one in given if key == BUFFERS else ():
            if one not in SIMULATED:
                known = f"{', '.join(SIMULATED)}{did_you_mean(one, SIMULATED)}"
                raise document.fail(f'"{one}" is not one of {known}', "vary", key)
        if key == MAPPING:
            for one in given:
                try:
                    placement.file_of(one)
                except UsageError as error:
                    raise document.fail(str(error), "vary", key) from None
        if key == WITHOUT:  # as --without has it, a list with commas, which are other values' in brackets
            given = tuple("+".join(re.findall(r"[^\s,+]+", one)) for one in given)
        made.append(Variation(key, given, document.line("vary", key)))
    if (count := math.prod(len(v.values) for v in made)) > MAX_VARIANTS:
        raise document.fail(f"makes {count} variants; take values out until there are at most {MAX_VARIANTS}", "vary")
    return tuple(made)


def variants(
    platform: str, mapping: str, variations: Sequence[Variation], buffers: str = SIMULATED[0]
) -> tuple[Variant, ...]:
    """Every combination, the last key's values fastest; the first is the platform as the others are compared with it."""
    return tuple(
        variant(platform, mapping, variations, chosen, buffers)
        for chosen in itertools.product(*(v.values for v in variations))
    )


def variant(
    platform: str, mapping: str, variations: Sequence[Variation], chosen: tuple[str, ...], buffers: str = SIMULATED[0]
) -> Variant:
    """The variant with these values, one of each variation."""
    platform = next((value for v, value in zip(variations, chosen, strict=True) if v.key == PLATFORM), platform)
    base, bracket, old = platform.partition("[")
    parts = [old.rstrip().removesuffix("]")] if bracket else []
    for variation, value in zip(variations, chosen, strict=True):
        if variation.key == MAPPING:
            mapping = value
        elif variation.key == BUFFERS:
            buffers = value
        elif value and variation.key != PLATFORM:
            several = value.replace(",", "+") if variation.key == WITHOUT else value  # a comma separates keys
            parts.append(f"{variation.key}={several}")
    return Variant(f"{base}[{','.join(parts)}]" if parts else platform, mapping, chosen, buffers)
