"""Judges claims: each is a text and the checks it is made of, read from a paper's TOML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field

from collscope.analysis import link_checks as links
from collscope.analysis import place_checks as at
from collscope.analysis import series_checks as over
from collscope.analysis.check import Context
from collscope.analysis.claims import Claim
from collscope.analysis.times import share_text
from collscope.base.toml_table import Table

AnyCheck = Annotated[
    at.Extreme
    | at.Faster
    | at.Equal
    | at.NoSlower
    | at.Ratio
    | at.Order
    | at.FasterAtEverySize
    | at.OneFastest
    | at.Crossover
    | at.LeadShrinks
    | at.StartUp
    | over.Grows
    | over.LargestAt
    | over.NearerThanAt
    | over.Polynomial
    | over.OneChoice
    | over.NotAlwaysFastest
    | over.Winners
    | links.FewerBytes
    | links.LeadUpTo,
    Field(discriminator="kind"),
]


def _for_all(value: object) -> object:
    return value if isinstance(value, dict) else {"all": value}


class ClaimText(Table):
    """A table [[claim]]: what a source says, in our words, and how that is checked."""

    id: str
    text: str
    where: str  # the section of the source
    tolerance: str = ""  # what its words were taken to mean; {names} are tolerances of the paper
    # The reason found after the run, where the claim is not reproduced or came out against theory: "all" for every alternative, and one
    # each by name.
    explanation: Annotated[dict[str, str], BeforeValidator(_for_all)] = Field(default_factory=dict)
    check: list[AnyCheck] = Field(min_length=1, description="tables [[claim.check]]")


def judge(claims: Iterable[ClaimText], context: Context) -> list[Claim]:
    """The claims with their verdicts, in order."""
    return [_judged(claim, context) for claim in claims]


def _judged(text: ClaimText, context: Context) -> Claim:
    assertions = tuple(a for check in text.check for a in check.assertions(context))
    rule = text.tolerance.format_map(percents(context.tolerances))
    claim = Claim(text.id, text.text, text.where, assertions, rule)
    if claim.verdict == "reproduced" and not any(a.surprise for a in assertions):
        return claim
    known = text.explanation
    found = "; ".join(known[who] for who in ("all", context.alternative) if who in known)
    return Claim(text.id, text.text, text.where, assertions, rule, found)


def percents(tolerances: Mapping[str, float]) -> dict[str, str]:
    """Each tolerance as text: 0.25 → "25 %"."""
    return {name: share_text(value) for name, value in tolerances.items()}
