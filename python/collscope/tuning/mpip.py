"""Profiles of mpiP: its verbose text report (LLNL/mpiP 3.4 and 3.5, report.c: mpiPi_profile_print_verbose).

Per call site it has calls, time, and bytes that ranks passed (make-wrappers.py, messParamDict: what its send count says, which is a
call's block or vector where all ranks give it). It has neither the sizes of communicators nor the placement of their ranks, nor roots,
types, MPI_IN_PLACE, the MPI library's name, or when ranks arrive. Whoever knows that all collectives are on MPI_COMM_WORLD may say so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from collscope.base.errors import UserError
from collscope.tuning import uses
from collscope.tuning.uses import Profile, Use

HEAD, END = "@ mpiP", "@--- End of Report"
HOW = "write it with mpiP's verbose report: MPIP without -c and -d"
SIZED = ("bcast", "reduce", "gather", "allgather", "allreduce", "alltoall", "scan")
"""Whose bytes mpiP knows from every rank; of scatter the root alone has to give the count."""
_TIMES = re.compile(r"(\w+) +(\d+) +\* +(\d+) +\S+ +(\S+) +\S+ +\S+ +\S+")
_SENT = re.compile(r"(\w+) +(\d+) +\* +\d+ +(\S+) +(\S+) +(\S+) +\S+")
_COMM = re.compile(r"(\w+) +\S+ +(\d+) - +(\d+) +\d+ - +\d+")


def is_report(text: str) -> bool:
    """Whether mpiP wrote it."""
    return text.startswith(HEAD)


def profile(path: str, text: str) -> Profile:
    """UserError: it was cut short, or is of a kind that does not hold what each call site took."""
    if END not in text:
        raise UserError(f"{path}: mpiP's report has no end: it was cut short; copy it again, or profile again")
    times = list(_section(text, "Callsite Time statistics (all, milliseconds)"))
    hosts = re.findall(r"^@ MPI Task Assignment +: \d+ (\S+)", text, re.MULTILINE)
    if not times or not hosts:
        raise UserError(f"{path}: mpiP's report has no statistics of all call sites with their counts; {HOW}")
    app = re.search(r"^ +\* +(\S+) +\S+ +\S+$", "\n".join(_section(text, "MPI Time (seconds)")), re.MULTILINE)
    total = _number(path, app[1]) if app else 0.0
    sent = {
        (m[1], m[2]): m for line in _section(text, "Callsite Message Sent statistics (all") if (m := _SENT.match(line))
    }
    names = uses.functions()
    by_kind: dict[tuple[str, tuple[float, ...]], list[tuple[str, int, float]]] = {}
    for found in filter(None, map(_TIMES.match, times)):
        if (name := found[1].lower()) in names:
            bytes_of = sent.get((found[1], found[2])) if name in SIZED else None
            size = tuple(_number(path, bytes_of[i]) for i in (5, 4, 3)) if bytes_of else ()
            site = (found[2], int(found[3]), _number(path, found[4]) / 1e3)
            by_kind.setdefault((name, size), []).append(site)
    found_uses = [_use(name, size, sites, len(hosts)) for (name, size), sites in by_kind.items()]
    lacks = [
        uses.COMMUNICATORS,
        "roots, types, MPI_IN_PLACE, the MPI library, when ranks arrive",
    ]
    return Profile(path, "mpiP", "", len(hosts), total / len(hosts) or None, found_uses, lacks)


def on_world(profile: Profile, text: str) -> Profile:
    """The profile with all communicators taken for MPI_COMM_WORLD. UserError: its histogram has others."""
    hosts = Counter(re.findall(r"^@ MPI Task Assignment +: \d+ (\S+)", text, re.MULTILINE))
    for line in _section(text, "Aggregate Collective Time"):
        found = _COMM.match(line)
        if found and not int(found[2]) <= profile.ranks <= int(found[3]):
            raise UserError(
                f"{profile.file}: --assume-world: {found[1]} was called on communicators of {found[2]} to {found[3]} ranks, "
                f"and the job had {profile.ranks}; leave --assume-world out"
            )
    return uses.on_world(profile, hosts)


def _use(name: str, size: tuple[float, ...], sites: list[tuple[str, int, float]], ranks: int) -> Use:
    """Of all call sites of a collective that have the same sizes: a site may have another number at each rank. The report rounds sizes to
    four digits, so that they are known by their class."""
    count = sum(calls for _, calls, _ in sites)
    numbers = [site for site, _, _ in sites]
    where = f"call site {numbers[0]}" if len(sites) == 1 else f"{len(sites)} call sites"
    smallest, mean, largest = size or (0.0, None, 0.0)
    return Use(
        collective=name,
        where=where,
        ranks=None,
        nodes=None,
        per_node=None,
        communicators=None,
        bytes=uses.classes(smallest, largest) if size else None,
        mean_bytes=mean,
        calls=count / ranks,
        call_count=max(1, count // ranks),
        in_place=False,
        root=0,
        type="",
        algorithm=None,
        passed_on="",
        seconds=sum(calls * mean_s for _, calls, mean_s in sites) / ranks,
        arrival=None,
    )


def _section(text: str, heading: str) -> Iterator[str]:
    """The lines below a heading, up to the next."""
    _, found, rest = text.partition(f"@--- {heading}")
    for line in rest.split("\n")[2:] if found else ():
        if line.startswith("-----"):
            return
        yield line


def _number(path: str, word: str) -> float:
    return uses.number(path, word, "mpiP")
