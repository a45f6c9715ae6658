"""collscope.studies.reader, collscope.studies.rows, collscope.studies.report: machines beside each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from collscope.base.errors import UsageError
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points import table
from collscope.points.plan import Layout, Point
from collscope.sources import model
from collscope.sources.source import Options
from collscope.studies import reader, rows
from collscope.studies.report import analysis as analyses
from collscope.studies.report import drawings, sentences, tables
from collscope.studies.study import Sample, Study

SMALL = """
title = "small"
setting = { source = "model", nodes = [8], ranks = [8], traffic = true }
sizes = { bytes = "1KiB,64KiB" }
sample = { every = 5 }
families = { "Bine trees" = ["*/bine*"], "the rest" = ["scan/recursive*"] }

[platforms]
"one switch" = "schooner[nodes=8,topology=switch]"
"two leaves" = "schooner[nodes=8,topology.allocation=0-3+27-30]"
ring = "jaguar[nodes=8,topology.dims=8]"

[[collective]]
name = "scan"
title = "Scan"
algorithms = "all"

[[collective]]
name = "allreduce"
title = "Allreduce"
algorithms = ["allreduce/recursive_doubling", "allreduce/bine"]

[[figure]]
kind = "winners"
number = "who"
title = "Who"

[[figure]]
kind = "traffic"
number = "moved"
title = "Bytes"
pairs = [["allreduce/bine", "allreduce/recursive_doubling"]]

[[figure]]
number = "rings"
title = "Scan on a ring"
collective = "scan"
names = ["scan/linear"]
platforms = ["ring", "two leaves"]
"""


def read(text: str = SMALL) -> Study:
    return reader.check_keys(reader.parse(text, Path("sim/small.toml")), registry.load())


@pytest.fixture(scope="module")
def made() -> analyses.Analysis:
    """The study by the model, without its sample in simulation."""
    study = read()
    tasks = [task for task, _, _ in rows.tasks_of(study, find.load(study.platform), quick=False)]
    return analyses.analyse(study, table.to_frame(model.rows(tasks, Options(quiet=True, traffic=True))))


def test_each_machine_is_a_variant_with_a_name() -> None:
    study = read()
    assert list(study.machines.values()) == ["one switch", "two leaves", "ring"]
    assert [study.machine(v) for v in study.variants] == ["one switch", "two leaves", "ring"]
    assert study.platform == "schooner[nodes=8,topology=switch]"


def test_all_stands_for_the_catalogue_and_for_nothing_before_it_is_known() -> None:
    scan, allreduce = read().collectives
    assert [e.key for e in scan.entries] == [a.full_key() for a in registry.load().of("scan")]
    assert [e.key for e in allreduce.entries] == ["allreduce/recursive_doubling", "allreduce/bine"]
    assert reader.parse(SMALL, Path("sim/small.toml")).collectives[0].entries == ()


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('source = "model"', 'source = "model", platform = "ideal"', "setting.platform: stands beside [platforms]; take one of them out"),
        ('source = "model"', 'source = "sim"', 'setting.traffic: is for source = "model"'),
        ('ring = "jaguar[nodes=8,topology.dims=8]"', 'ring = "schooner[nodes=8,topology=switch]"',
         "platforms: schooner[nodes=8,topology=switch] stands twice"),
        ('platforms = ["ring", "two leaves"]', 'platforms = ["rings"]',
         'figure 3.platforms: "rings" is not in [platforms]; did you mean "ring"?'),
        ('kind = "winners"', 'kind = "winners"\npairs = [["a", "b"]]', 'is for kind = "traffic", which needs some'),
        ('kind = "winners"', 'kind = "winners"\nmapping = ["block", "cyclic"]', 'figure 1.mapping: kind = "winners" shows one mapping'),
        ('number = "who"', 'number = "who"\nranks = [16]', "figure 1.ranks: 16 is not among the study's: 8"),
        ('number = "who"', 'number = "who"\nnodes = [4, 8]', "figure 1.nodes: 4 is not among the study's: 8"),
        ('number = "who"', 'number = "who"\nmapping = ["cyclic"]', "figure 1.mapping: cyclic is not among the study's: block"),
        ('pairs = [["allreduce/bine"', 'pairs = [["allreduce/ring"', "figure figure_moved: allreduce/ring does not compete"),
        ('names = ["scan/linear"]', 'names = ["scan/lienar"]', 'unknown algorithm "scan/lienar"; did you mean "scan/linear"'),
        ('algorithms = "all"', 'algorithms = ["all", "scan/linear"]', "collective scan: scan/linear stands twice"),
    ],
)  # fmt: skip
def test_mistakes_are_named(old: str, new: str, complaint: str) -> None:
    assert old in SMALL
    with pytest.raises(UsageError) as found:
        read(SMALL.replace(old, new, 1))
    assert complaint in str(found.value)


def test_the_table_says_who_wins_and_what_is_moved(made: analyses.Analysis) -> None:
    cells = {(r["title"], r["machine"]): r["cells"] for r in tables.winner_rows(made)}
    assert set(cells) == {(c, m) for c in ("Scan", "Allreduce") for m in ("one switch", "two leaves", "ring")}
    assert all(len(some) == 2 for some in cells.values())
    f = made.everywhere()
    (small,) = {int(b) for b in f["bytes"] if b < 2000}
    on = f[(f["platform"] == "ring") & (f["bytes"] == small) & (f["collective"] == "allreduce")]
    times = on.set_index("short_label")["time_s"]
    first = cells["Allreduce", "ring"][0]
    assert first["winner"] == times.idxmin()
    if first["family"] == "Bine trees":
        assert first["gain"] == pytest.approx(times["recursive_doubling"] / times["bine"])


def test_the_figures_of_a_study_of_machines_can_be_drawn(made: analyses.Analysis) -> None:
    found = [drawings.drawing(made, d, "modelled", {}) for d in made.study.drawings]
    who, moved, ring = (p for p in found if p)
    assert "of a new family" in who.caption
    assert ring.collective == "scan"
    for picture in (who, moved, ring):
        assert picture.make().axes
    words = {t.get_text() for ax in ring.make().axes for t in ax.texts} | {
        ax.get_title(loc="left") for ax in ring.make().axes
    }
    assert any("two leaves" in w for w in words), words


def test_a_figure_of_winners_has_the_machines_ranks_and_sizes_that_it_names(
    made: analyses.Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[pd.DataFrame] = []
    monkeypatch.setattr(drawings.families, "winners", lambda frame, families: given.append(frame) or pd.DataFrame())
    who = next(d for d in made.study.drawings if d.kind == "winners")
    size = min(made.everywhere()["bytes"])
    for changed in ({"platforms": ("ring",)}, {"sizes": (size,)}, {"ranks": (9,)}, {}):
        drawings.drawing(made, replace(who, **changed), "modelled", {})  # type: ignore[arg-type]
    ring, small, none, every = given
    assert set(ring["platform"]) == {"ring"} and set(small["bytes"]) == {size}
    assert len(every) == len(made.everywhere()) > len(ring) and none.empty


def test_classes_are_compared_on_every_machine() -> None:
    head = SMALL.partition("[[collective]]")[0].replace(
        '= ["scan/recursive*"] }', '= ["scan/recursive*"] }\nclasses = { short = "s" }'
    )
    study = read(head + '[[collective]]\nname = "allreduce"\nshort = "allreduce/recursive_doubling"\n')
    tasks = [task for task, _, _ in rows.tasks_of(study, find.load(study.platform), quick=False)]
    made = analyses.analyse(study, table.to_frame(model.rows(tasks, Options(quiet=True, traffic=True))))
    assert list(dict.fromkeys(made.winners["platform"])) == ["one switch", "two leaves", "ring"]


def test_winners_are_of_one_mapping_and_of_the_blocks_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    text = SMALL.replace("[platforms]", '[vary]\nmapping = ["block", "cyclic"]\n[platforms]').replace(
        "nodes = [8]", "nodes = [4]"
    )
    study = read(text.replace("bytes =", "block_bytes =").replace("allreduce", "allgather"))
    tasks = [task for task, _, _ in rows.tasks_of(study, find.load(study.platform), quick=False)]
    frame = table.to_frame(model.rows(tasks, Options(quiet=True, traffic=True)))
    made = analyses.analyse(study, frame)
    given: list[pd.DataFrame] = []
    who = next(d for d in study.drawings if d.kind == "winners")
    with monkeypatch.context() as m:
        m.setattr(drawings.families, "winners", lambda frame, families: given.append(frame) or pd.DataFrame())
        for changed in ({}, {"mappings": ("cyclic",)}, {"sizes": (study.sizes[0],)}):
            drawings.drawing(made, replace(who, **changed), "modelled", {})  # type: ignore[arg-type]
    block, cyclic, small = given
    assert set(block["mapping"]) == {"block"} and set(cyclic["mapping"]) == {"cyclic"}
    assert len(block) == len(cyclic) == len(made.everywhere()) and len(small) == len(block) / len(study.sizes)
    assert set(small["block_bytes"]) == {study.sizes[0]}
    own = frame[(frame["mapping"] == "block") & (frame["status"] == "ok")]
    assert min(made.winners["time_s"]) == min(own["median_s"])


def test_a_sample_is_simulated_and_lies_beside_the_model(made: analyses.Analysis) -> None:
    study = made.study
    tasks = [task for task, _, _ in rows.tasks_of(study, find.load(study.platform), quick=False)]
    timed = model.rows(tasks, Options(quiet=True))
    ok = [task for task, row in zip(tasks, timed, strict=True) if row["kind"] == "ok"]
    assert rows.sampled(study, tasks, timed) == ok[::5]
    small, large = Layout(None, 1, 2), Layout(None, 1, 8)
    mixed = [(at, Point("scan", "", n)) for n, at in enumerate((small, large, small, large, large, small, small))]
    few = replace(study, sample=Sample(every=2, most_ranks=4))
    assert rows.sampled(few, mixed, [{"kind": "ok"}] * 7) == [mixed[0], mixed[5]], "of those on at most 4 ranks"
    frame = table.to_frame([*timed, *(row | {"source": "sim", "median_s": row["median_s"] * 2} for row in timed[:3])])
    both = analyses.analyse(study, frame).sample
    assert list(both["off"]) == [0.5] * 3
    assert made.sample.empty and not tables.sample_rows(made) and not sentences.sample_sentence(made)


def test_the_report_says_how_far_the_sample_is_from_the_model(made: analyses.Analysis) -> None:
    """Two points of one machine are the model's, one takes a quarter longer than it says; of the next machine one is the model's."""
    study = made.study
    tasks = [task for task, _, _ in rows.tasks_of(study, find.load(study.platform), quick=False)]
    timed = [row for row in model.rows(tasks, Options(quiet=True)) if row["kind"] == "ok"]
    first, second = list(dict.fromkeys(row["platform"] for row in timed))[:2]
    one = [row for row in timed if row["platform"] == first][:3]
    simulated = [*one, next(row for row in timed if row["platform"] == second)]
    factors = (1, 1 + 1e-9, 1.25, 1)
    rows_of_both = [
        *timed,
        *(row | {"source": "sim", "median_s": row["median_s"] * f} for row, f in zip(simulated, factors, strict=True)),
    ]
    both = analyses.analyse(study, table.to_frame(rows_of_both))
    shown = tables.sample_rows(both)
    assert [(row["machine"], row["points"]) for row in shown] == [("one switch", 3), ("two leaves", 1)]
    assert [row["largest"] for row in shown] == [pytest.approx(0.2), 0] and shown[0]["median"] == pytest.approx(1e-9)
    where = f"{one[2]['algorithm']}, {one[2]['ranks']} ranks, "
    assert str(shown[0]["where"]).startswith(where)
    sentence = sentences.sample_sentence(both)
    assert "4 were simulated, too: 3 agree with the model to 1e-06 of the time" in sentence
    assert f"the largest difference is 20 % ({where}one switch)" in sentence


def test_a_platforms_file_is_sought_beside_the_study_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "studies").mkdir()
    monkeypatch.chdir(tmp_path)
    text = (
        'title = "t"\nsetting = { platform = "here.toml[nodes=40]", nodes = [2], ranks = [4] }\nsizes = { bytes = "4,8" }\n'
        '[[collective]]\nname = "bcast"\nalgorithms = "bcast/mst"'
    )
    Path("here.toml").touch()
    assert reader.parse(text, Path("studies/mine.toml")).platform == "here.toml[nodes=40]"
    Path("studies/here.toml").touch()
    assert reader.parse(text, Path("studies/mine.toml")).platform == "studies/here.toml[nodes=40]"
