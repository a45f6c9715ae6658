"""Claims over the ranges of the numbers that nobody documented."""

from __future__ import annotations

import pandas as pd

from collscope.analysis.claims import Assertion, Claim
from collscope.machines import find
from collscope.studies import reader, sensitivity


def test_every_undocumented_number_is_moved_to_both_ends() -> None:
    spec = find.load_spec("schooner")
    made = list(sensitivity.variants(spec))
    moved = {v.number for v in made}
    assert {"gamma_s_per_byte", "nic_bytes_per_s", "curve.network.latency_s", "curve.socket.s_per_byte"} <= moved
    assert not moved & {"nodes", "sockets", "cores_per_socket"}
    low = next(v for v in made if (v.number, v.end) == ("nic_bytes_per_s", "low"))
    assert low.spec.nic_bytes_per_s.value == spec.nic_bytes_per_s.range[0]  # type: ignore[index]
    assert low.spec.gamma_s_per_byte == spec.gamma_s_per_byte
    assert len({str(v.spec) for v in made} | {str(spec)}) == len(made) + 1, (
        "each differs from the platform and from the others"
    )


def test_the_sweep_is_summed_up() -> None:
    rows = []
    for number, end, kept in ((sensitivity.BASE, "", "partly"), ("a", "low", "partly"), ("a", "high", "reproduced")):
        for alternative, matching in (("decision/ompi_4_0", 3), ("decision/ompi_4_1", 4 if end == "high" else 1)):
            rows.append((number, end, "", alternative, "B1", kept, 2 + (end == "high"), 5, matching, 9, "p", "s"))
    text = pd.DataFrame(rows, columns=list(sensitivity.COLUMNS)).to_csv(index=False)
    study = reader.load("bird_schooner")
    whole = Claim("B1", "", "", (Assertion("", True, "", "yes"),))
    made = sensitivity.summary(study, text, {a: [whole] for a in study.alternatives})
    assert (made["sizes"], made["numbers"], made["variants"]) == ("16 MiB and 64 MiB", 1, 2)
    found = [(c["whole"], c["verdict"], c["same"], c["held_low"], c["held_high"], c["changes"]) for c in made["claims"]]
    assert found == [("reproduced", "partly", 1, 2, 3, ["a high: reproduced"])] * 2
    ahead = [(a["alternative"], a["low"], a["high"], a["ahead"]) for a in made["ahead"]]
    assert ahead == [("Open MPI 4.0", 3, 3, 1), ("Open MPI 4.1", 1, 4, 1)], "the platform as modelled is no variant"
