"""collscope.twins.differences: what ran instead."""

from __future__ import annotations

import re
from dataclasses import replace

from collscope.catalogue import registry
from collscope.catalogue.keys import stem_of
from collscope.twins import differences, messages, records
from collscope.twins.call import Call, Compared
from open_mpi import needs_open_mpi, needs_prover, some


@needs_prover
@needs_open_mpi
def test_recorded_differences_still_hold() -> None:
    version = some().library.version
    rows = records.read("differences")
    known = {(row["key"], row["runs"]) for row in rows if row["version"] in (version, rows[0]["version"])}
    noted = {(row["key"], row["runs"]) for row in differences.differences(version, some().forced)}
    assert len(noted) > 30
    assert noted <= known, noted - known


@needs_prover
@needs_open_mpi
def test_the_key_that_ran_is_found_by_its_messages() -> None:
    """A call that is said to be unsupported, with what each number really sends: it is named, and nothing else is."""
    library = some().library
    requests = [Call("bcast/linear", "bcast", 1000, forced=(("bcast_algorithm", n),)) for n in (5, 6, 9)]
    requests += [replace(call, key="bcast/scatter_recursive_doubling") for call in requests]
    sent = messages.library_messages(library, 7, requests)
    spoilt = [
        Compared(7, call, "unsupported", text="spoilt", advice="and more", theirs=tuple(sent[i, r] for r in range(7)))
        for i, call in enumerate(requests)
    ]
    found = differences.differences(library.version, [*spoilt, Compared(7, requests[0], "same")])
    runs = {(row["key"], row["runs"]) for row in found}
    assert runs == {
        (key, ran)
        for key in ("bcast/linear", "bcast/scatter_recursive_doubling")
        for ran in ("bcast/binary", "bcast/binomial", "bcast/scatter_ring")
    }
    unknown = replace(spoilt[0], theirs=tuple([("S", (r + 1) % 7, 12345)] for r in range(7)))
    assert [row["runs"] for row in differences.differences(library.version, [unknown])] == [differences.FAILED]


@needs_prover
def test_recorded_differences_fit_the_registry() -> None:
    known = registry.load().by_key
    rows = records.read("differences")
    unsupported = sum(int(row["unsupported"]) for row in records.read("table"))
    assert 0 < sum(int(row["calls"]) for row in rows) <= unsupported
    for row in rows:
        runs = stem_of(row["runs"].partition(" (")[0])
        assert row["runs"] == differences.REFUSED or known[runs].collective == row["collective"], row
    conditions = [(row["key"], row["version"], row["condition"]) for row in rows]
    assert len(set(conditions)) == len(conditions)  # each says when it is


@needs_prover
@needs_open_mpi
def test_reasons_say_what_open_mpi_takes() -> None:
    """Where a reason names what Open MPI takes instead, that is what was seen."""
    noted: dict[tuple[str, str], set[str]] = {}
    rows = records.read("differences")
    for c in some().forced:
        named = c.advice.startswith("Open MPI takes ") and stem_of(c.call.key).split("/")[0] in c.advice
        if c.verdict == "unsupported" and named:
            noted.setdefault((stem_of(c.call.key), c.text), set()).update(re.findall(r"[a-z]+/[a-z_]+", c.advice))
    assert len(noted) >= 8
    for (key, reason), printed in noted.items():
        ran = {stem_of(r["runs"]) for r in rows if r["key"] == key and r["condition"].startswith(reason)}
        assert printed == ran, (key, reason)
