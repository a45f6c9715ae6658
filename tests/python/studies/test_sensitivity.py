"""collscope.studies.sensitivity: claims over the ranges of the undocumented numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from collscope.analysis.claims import Assertion, Claim
from collscope.base import paths
from collscope.catalogue import registry
from collscope.machines import find, spec_reader
from collscope.papers import papers
from collscope.sources.source import Options
from collscope.studies import reader, sensitivity
from made_platforms import LAYERED


def test_every_undocumented_number_is_moved_to_both_ends() -> None:
    spec = find.load_spec("schooner")
    made = list(sensitivity.variants(spec, 1))
    moved = {v.number for v in made}
    assert {"gamma_s_per_byte", "nic_bytes_per_s", "curve.network.latency_s", "curve.socket.s_per_byte"} <= moved
    assert not moved & {"nodes", "sockets", "cores_per_socket"}
    low = next(v for v in made if (v.number, v.end) == ("nic_bytes_per_s", "low"))
    assert low.spec.nic_bytes_per_s.value == spec.nic_bytes_per_s.range[0]  # type: ignore[index]
    assert low.spec.gamma_s_per_byte == spec.gamma_s_per_byte
    assert len({str(v.spec) for v in made} | {str(spec)}) == len(made) + 1, (
        "each differs from the platform and from the others"
    )


def test_the_links_and_curves_of_levels_are_moved_and_their_sizes_are_not() -> None:
    known = "{ value = 13e9, range = [9e9, 17e9] }"
    text = LAYERED.replace("bytes_per_s = 13e9", f"bytes_per_s = {known}")
    text = text.replace("cores = 8", "cores = { value = 8, range = [4, 8] }")
    text = text.replace("ccd = [[0, 3e-7,", "ccd = [[0, { value = 3e-7, range = [2e-7, 4e-7] },")
    made = {(v.number, v.end): v.spec for v in sensitivity.variants(spec_reader.parse_spec(text, "layered.toml"), 1)}
    assert {number for number, _ in made} == {"numa.bytes_per_s", "curve.ccd.latency_s"}
    assert [made["numa.bytes_per_s", end].levels[1].bytes_per_s.value for end in ("low", "high")] == [9e9, 17e9]
    assert made["curve.ccd.latency_s", "high"].curve["ccd"][0].latency.value == 4e-7


def test_the_sweep_is_summed_up() -> None:
    rows = []
    for number, end, kept, other in (
        (sensitivity.BASE, "", "partly", 1), ("a", "low", "partly", 1), ("a", "high", "reproduced", 4), ("b", "low", "partly", 3),
    ):  # fmt: skip
        for alternative, matching in (("decision/ompi_4_0", 3), ("decision/ompi_4_1", other)):
            rows.append((number, end, "", alternative, "B1", kept, 2 + (end == "high"), 5, matching, 9, "p", "s"))
    text = pd.DataFrame(rows, columns=list(sensitivity.COLUMNS)).to_csv(index=False)
    study = reader.load("bird_schooner")
    whole = Claim("B1", "", "", (Assertion("", True, "", "yes"),))
    made = sensitivity.summary(study, text, {a: [whole] for a in study.alternatives})
    assert (made["sizes"], made["numbers"], made["variants"]) == ("16 MiB and 64 MiB", 2, 3)
    found = [(c["whole"], c["verdict"], c["same"], c["held_low"], c["held_high"], c["changes"]) for c in made["claims"]]
    assert found == [("reproduced", "partly", 2, 2, 3, ["a high: reproduced"])] * 2
    ahead = [(a["alternative"], a["low"], a["high"], a["ahead"]) for a in made["ahead"]]
    assert ahead == [("Open MPI 4.0", 3, 3, 1), ("Open MPI 4.1", 1, 4, 1)], (
        "each in one variant; in another both are alike"
    )


def test_the_pieces_of_a_curve_move_together_and_no_number_alone() -> None:
    spec = find.load_spec("schooner")
    made = list(sensitivity.variants(spec, 1))
    for v in made:
        if not v.number.startswith("curve."):
            number = getattr(spec, v.number)
            value = min(number.range[v.end == "high"], sensitivity.LIMITS.get(v.number, float("inf")))
            assert getattr(v.spec, v.number).value == value != number.value
            assert v.value == f"{value:.4g}" and v.spec.curve == spec.curve
            continue
        _, level, kind = v.number.split(".")
        kind = "latency" if kind == "latency_s" else kind
        moved = [getattr(p, kind) for p in v.spec.curve[level]]
        were = [getattr(p, kind) for p in spec.curve[level]]
        assert [n.value for n in moved] == [n.range[v.end == "high"] if n.range else n.value for n in were]
        assert v.value == " ".join(f"{n.value:.4g}" for n in moved)
        same = {other for other in spec.curve if spec.curve[other] == spec.curve[level]}
        assert {other for other in spec.curve if v.spec.curve[other] != spec.curve[other]} == same


def test_claims_are_judged_at_the_few_sizes_and_in_the_mappings_that_they_speak_of() -> None:
    study = reader.load("kandalla_allgather")
    assert [(v.key, v.values) for v in sensitivity._mappings(study)] == [("mapping", ("block", "cyclic"))]
    assert [v.values for v in sensitivity._mappings(reader.load("donninelli_gather"))] == [("block",)]
    assert sensitivity._mappings(reader.load("bird_schooner")) == ()
    paper = papers.load("kandalla").narrowed((256, 4096), (64,))
    sizes = {c.id: [k.block_sizes for k in c.check] for c in paper.claim}
    assert sizes["K2"] == [(256,), (4096,)]
    ranks = {c.id: [k.ranks for k in c.check] for c in papers.load("donninelli").narrowed((1000,), (16, 64)).claim}
    assert ranks["D6"] == [(64,), (16, 64)] and ranks["D1b"][0] == (64,)
    assert sizes["K9"] == [(65536, 131072, 262144)] * 2, (
        "none of its sizes is run: it stays as it is, and cannot be tested"
    )


def test_no_range_is_cut_below_what_the_platform_has() -> None:
    """Beyond a limit of eager messages one point takes an hour; a platform that has more already is left at its own."""
    tried = {(v.number, v.end): v.value for v in sensitivity.variants(find.load_spec("orfeo_epyc"), 2)}
    assert not [key for key in tried if key[0] == "eager_bytes"]
    assert list(sensitivity._limits(find.load_spec("orfeo_epyc"))) == ["eager_bytes only to 131072"]
    assert list(sensitivity._limits(find.load_spec("schooner"))) == ["eager_bytes only to 32768"]
    assert list(sensitivity._limits(find.load_spec("jaguar"))) == [], "no range, no limit"


def test_links_between_nodes_are_moved_where_there_are_some() -> None:
    """Jaguar's torus: absent on one node. A curve that two classes share has the outer one's name."""
    spec = find.load_spec("jaguar")
    numbers = "overhead_s gamma_s_per_byte core_bytes_per_s memory_bytes_per_s interconnect_bytes_per_s"
    one, two = (list(sensitivity.variants(spec, nodes)) for nodes in (1, 2))
    link = spec.topology.link_bytes_per_s
    assert link.range
    moved = [
        (v.end, v.value, v.spec.topology.link_bytes_per_s.value) for v in two if v.number == "topology.link_bytes_per_s"
    ]
    assert moved == [(end, f"{value:.4g}", value) for end, value in zip(("low", "high"), link.range, strict=True)]
    assert [v for v in two if not v.number.startswith("topology.")] == one and {*numbers.split()} <= {
        v.number for v in one
    }
    assert len({(v.number, v.end) for v in two}) == len(two)
    shared = [v for v in sensitivity.variants(find.load_spec("ib_multicore"), 2) if v.number == "curve.far.latency_s"]
    assert [(v.end, v.value) for v in shared] == [("low", "1e-06 1.3e-06"), ("high", "1.4e-06 5.5e-06")]


def test_a_summary_says_what_was_left_out() -> None:
    ends = ((sensitivity.BASE, "", "partly", 2), ("a", "low", "partly", 1), ("b", "high", "reproduced", 4))
    rows = [(n, end, "", "", "C1", verdict, held, 4, 0, 0, "p", "s") for n, end, verdict, held in ends]
    text = pd.DataFrame(rows, columns=list(sensitivity.COLUMNS)).to_csv(index=False)
    study = reader.load("cheetah_jaguar")
    claims = [Claim(name, "", "", (Assertion("", False, "", "yes"),)) for name in ("C1", "C2")]
    assert sensitivity.summary(replace(study, prior_source="sim"), text, {"": claims}) == {
        "sizes": "1 B and 2 KiB", "ranks": " and on at most 3072 ranks", "by": ", simulated", "limits": "", "numbers": 2, "variants": 2,
        "claims": [{"claim": "C1", "alternative": "", "whole": "not reproduced", "verdict": "partly", "same": 1, "held_low": 1,
                    "held_high": 4, "total": 4, "changes": ["b high: reproduced"]}],
        "ahead": [],
    }, "nothing of a claim that was not judged again"  # fmt: skip
    whole = sensitivity.summary(replace(study, prior_ranks=max(study.ranks)), text, {"": claims})
    assert (whole["ranks"], whole["by"]) == ("", "")
    assert sensitivity.summary(reader.load("bird_schooner"), text, {})["limits"] == "eager_bytes only to 32768"


def test_each_variant_is_run_and_judged(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the model, at one size and on few ranks: the platform as modelled, and two others."""
    study = reader.check_keys(reader.load("cheetah_jaguar"), registry.load())
    two = list(sensitivity.variants(find.load_spec(study.platform), 4))[:2]
    monkeypatch.setattr(sensitivity, "variants", lambda spec, nodes: two)
    made = sensitivity.run(replace(study, prior_ranks=768), (1, 2048), Options(jobs=1))
    with (paths.RESULTS / "cheetah_jaguar" / "sensitivity.csv").open() as file:
        assert tuple(made.columns) == sensitivity.COLUMNS == tuple(file.readline().strip().split(","))
    moved = [(sensitivity.BASE, "", ""), *((v.number, v.end, v.value) for v in two)]
    ids = [c.id for c in papers.load("cheetah").claim]
    found = list(made[["number", "end", "value", "claim"]].itertuples(index=False, name=None))
    assert found == [(*of, claim) for of in moved for claim in ids]
    assert made["platform_hash"].nunique() == 3 and made["sources_hash"].nunique() == 1
    assert (made["held"] <= made["total"]).all() and made["total"].max() > 0
    assert [line.split(": ")[1] for line in capsys.readouterr().err.splitlines()] == ["1 of 3", "2 of 3", "3 of 3"]
