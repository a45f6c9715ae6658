"""collscope.studies.study: what competes in a study, each by the study's metric or by one of its own."""

from __future__ import annotations

from dataclasses import replace

from collscope.catalogue import registry
from collscope.studies import reader
from collscope.studies.study import Collective, Entry, entry_of


def test_an_entry_names_its_metric_behind_its_key() -> None:
    assert entry_of("bcast", "a", "bcast/mst") == Entry("bcast", "a", "bcast/mst")
    assert entry_of("bcast", "a", "bcast/mst as overlap", 8) == Entry("bcast", "a", "bcast/mst", 8, "overlap")


def test_an_entry_may_be_timed_by_a_metric_of_its_own_and_has_a_key_of_its_own() -> None:
    usual = Entry("bcast", "a", "bcast/binomial")
    beside = Entry("bcast", "b", "bcast/binomial", metric="overlap")
    collective = Collective("bcast", "", "", (usual, beside), False)
    study = reader.load("cheetah_jaguar")
    checked = reader.check_keys(replace(study, collectives=(collective,)), registry.load())
    first, second = checked.collectives[0].entries
    assert (first.key, first.algorithm) == ("bcast/binomial[s=0]", "bcast/binomial[s=0]")
    assert second.key == "bcast/binomial[s=0,as=overlap wait calls]"
    assert (second.algorithm, second.metric) == ("bcast/binomial[s=0]", "overlap[wait,calls]")
    metrics = {point.metric for _, _, entry, point, _ in checked.points() if entry == second}
    assert metrics == {"overlap[wait,calls]"}


def test_only_decisions_that_stand_for_a_class_are_alternatives() -> None:
    """A name may be one decision in one collective and another in the next, where names do not stand for classes."""
    keys = ("decision/ompi_4_0", "decision/ompi_4_1")
    one, other = (
        Collective(c, "", "", (Entry(c, "own", k),), False) for c, k in zip(("bcast", "reduce"), keys, strict=True)
    )
    study = replace(reader.load("cheetah_jaguar"), collectives=(one, other))
    assert study.alternatives == ()
    classes = tuple(replace(collective, classes=True) for collective in study.collectives)
    assert replace(study, collectives=classes).alternatives == keys
