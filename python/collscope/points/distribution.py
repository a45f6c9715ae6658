"""How long the blocks of a call's ranks are, as `--counts` takes it and plans say it.

core/plan/distribution.h has the distributions and their formula; the counts themselves are found there, for proof, model, simulation and
real runs alike, and once more here for bounds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from collscope.base.errors import UsageError
from collscope.base.units import join_words
from collscope.catalogue import registry
from collscope.points import named_file

UNIFORM = "uniform"
DISTRIBUTIONS = ("uniform", "linear", "zipf:S", "one:R", "file:PATH")
PAIRS = "alltoallv"
"""The collective that has a block for each pair of ranks."""
MAX_PAIRED = 2048  # ranks
MAX_EXPONENT = 16
MAX_WEIGHT = 1 << 40
_UNIT = 1 << 31  # of the weights of zipf


def parse(text: str) -> str:
    """A distribution as a plan has it: "zipf:1.50" → "zipf:1.5". A UsageError says what there is."""
    text = text.strip()
    kind, _, rest = text.partition(":")
    if text in ("", UNIFORM, "linear"):
        return text or UNIFORM
    if kind == "file" and rest:
        return named_file.parse("--counts", rest, "the weight of a rank")
    if kind == "zipf" and re.fullmatch(r"\d+(\.\d*)?|\.\d+", rest) and float(rest) <= MAX_EXPONENT:
        return f"zipf:{float(rest):.12g}"
    if kind == "one" and rest.isdecimal() and int(rest) < 1 << 22:
        return f"one:{int(rest)}"
    raise UsageError(
        f"--counts {text}: choose {', '.join(DISTRIBUTIONS)}; S is an exponent from 0 to {MAX_EXPONENT}, R a rank"
    )


def check_collective(distribution: str, collective: str) -> None:
    """UsageError: the distribution is another than uniform, and the collective has blocks of one length."""
    known = registry.load()
    if distribution == UNIFORM or known.collective(collective).uneven:
        return
    names = join_words([c.name for c in known.collectives if c.uneven])
    raise UsageError(f"--counts {distribution}: goes with {names}; blocks of {collective} are of one length")


def check_ranks(distribution: str, collective: str, ranks: int) -> None:
    """UsageError: there is no such rank, the file does not have one line for each of so many ranks (alltoallv: or pair of ranks), or pairs
    are more than a call may have counts for."""
    if collective != PAIRS:
        weights(distribution, ranks)
    elif distribution != UNIFORM:
        if ranks > MAX_PAIRED:
            raise UsageError(f"--counts {distribution}: counts of {PAIRS} are known for at most {MAX_PAIRED} ranks")
        _pair_weights(distribution, ranks)


def for_fewer(distribution: str, ranks: int) -> str:
    """A distribution alike that so many ranks have, too: those of a proof may be the first of a call's."""
    kind, _, rest = distribution.partition(":")
    if kind == "one":
        return f"one:{int(rest) % ranks}"
    return "linear" if kind == "file" and len(named_file.lines(rest)) not in (ranks, ranks**2) else distribution


def counts(distribution: str, elements: int, ranks: int) -> list[int]:
    """The elements of each rank's block, of so many in all. Uniform: as even as can be, longer blocks first."""
    if distribution == UNIFORM:
        return [elements // ranks + (r < elements % ranks) for r in range(ranks)]
    own = weights(distribution, ranks)
    before, total = [0, *accumulate(own)], sum(own)
    begins = [elements * w // total for w in before]
    return [b - a for a, b in pairwise(begins)]


def pair_counts(distribution: str, elements: int, ranks: int) -> list[list[int]]:
    """Of alltoallv, whose ranks send so many elements each on average: those of the block for each receiver, by sender."""
    own = _pair_weights(distribution, ranks)
    before, total = [0, *accumulate(own)], sum(own)
    begins = [elements * ranks * w // total for w in before]
    cut = [b - a for a, b in pairwise(begins)]
    return [cut[s * ranks : (s + 1) * ranks] for s in range(ranks)]


def _pair_weights(distribution: str, ranks: int) -> Sequence[int]:
    kind, _, rest = distribution.partition(":")
    if kind == "file" and len(named_file.lines(rest)) == ranks**2:
        return _read(distribution, rest, ranks**2)
    own = weights(distribution, ranks)
    turned = kind != "one"
    return [own[(to - s) % ranks if turned else to] for s in range(ranks) for to in range(ranks)]


def weights(distribution: str, ranks: int) -> Sequence[int]:
    """The weight of each rank's block."""
    kind, _, rest = distribution.partition(":")
    if kind == "linear":
        return range(1, ranks + 1)
    if kind == "zipf":
        return [int(_UNIT * (r + 1.0) ** -float(rest) + 0.5) for r in range(ranks)]
    if kind == "one":
        if int(rest) >= ranks:
            raise UsageError(f"--counts {distribution}: with {ranks} ranks the rank is 0 … {ranks - 1}")
        return [int(r == int(rest)) for r in range(ranks)]
    if kind == "file":
        return _read(distribution, rest, ranks)
    return [1] * ranks


def _read(distribution: str, path: str, ranks: int) -> list[int]:
    lines = named_file.lines(path)
    if len(lines) != ranks:
        raise UsageError(
            f"--counts {distribution}: has weights for {len(lines)} ranks, and there are {ranks}; give one line per rank"
        )
    for line in lines:
        if not line.isdecimal() or int(line) > MAX_WEIGHT:
            raise UsageError(f"--counts {distribution}: {line[:40]}: give whole numbers up to 2^40, one per line")
    made = [int(line) for line in lines]
    if not any(made):
        raise UsageError(f"--counts {distribution}: all weights are 0; give some block another one")
    return made
