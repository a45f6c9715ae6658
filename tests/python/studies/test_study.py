"""Studies: what is concluded from tables, what is written, and the committed reference."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import fake_list
import made_table
from collscope.analysis import claims
from collscope.base import paths, programs
from collscope.base.errors import UsageError, UserError
from collscope.catalogue import registry
from collscope.machines import find
from collscope.papers import bird as claims_bird
from collscope.points import table
from collscope.sources import simulate, smpirun
from collscope.studies import reader, report, run
from collscope.studies import rows as study_rows
from collscope.studies import sensitivity as priors
from collscope.studies.origin import Origin
from collscope.studies.study import Study

# ---- conclusions -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bird() -> Study:
    return reader.load("bird_schooner")


def analysis(bird: Study, time: made_table.Time = made_table.paper) -> report.Analysis:
    return report.analyse(bird, made_table.frame(bird, time))


def judged(
    bird: Study, time: made_table.Time = made_table.paper, candidate: str = "decision/ompi_4_0"
) -> dict[str, claims.Claim]:
    made = analysis(bird, time)
    return {c.id: c for c in claims_bird.judge(made.of_candidate(candidate), made.marked, candidate)}


def test_a_table_that_agrees_with_the_paper(bird: Study) -> None:
    made = analysis(bird)
    for t in report.table_three_rows(made):
        assert t.matching_rows == 7
        assert t.matching_cells == t.cells == 21
    verdicts = {k: c.verdict for k, c in judged(bird).items()}
    # B8b is no table's to fulfil: V-G says that MST reduce matches builtin in its own collective, V-B the opposite.
    assert {k for k, v in verdicts.items() if v != "reproduced"} == {"B8b"}
    failed = [a.text for a in judged(bird)["B8b"].assertions if not a.holds]
    assert all(t.startswith("reduce,") for t in failed)


def swap(
    collective: str, name: str, factor: float, only: Callable[[int, int], bool] = lambda nodes, size: True
) -> made_table.Time:
    def time(c: str, n: str, nodes: int, size: int) -> float:
        seconds = made_table.paper(c, n, nodes, size)
        return seconds * factor if (c, n) == (collective, name) and only(nodes, size) else seconds

    return time


@pytest.mark.parametrize(
    ("claim", "time", "verdict"),
    [
        ("B1", swap("bcast", "builtin", 5), "not reproduced"),
        ("B1", swap("bcast", "builtin", 5, lambda nodes, size: nodes == 8), "partly"),
        ("B2", swap("reduce", "builtin", 1.9), "partly"),
        ("B2", swap("reduce", "short", 0.2), "partly"),
        ("B3", swap("scatter", "short", 0.5), "partly"),
        ("B4", swap("gather", "short", 1.45), "not reproduced"),
        ("B5", swap("allgather", "long", 5), "not reproduced"),
        ("B6", swap("reduce_scatter", "builtin", 1.2), "partly"),
        ("B7", swap("allreduce", "long", 3), "partly"),
        ("B8", swap("bcast", "short", 0.1, lambda nodes, size: size > 2**27), "partly"),
        ("B8b", swap("allreduce", "builtin", 5), "not reproduced"),
        ("B9", swap("gather", "short", 2), "partly"),
    ],
)
def test_claims_fail_when_they_should(claim: str, time: made_table.Time, verdict: str, bird: Study) -> None:
    made = judged(bird, time)[claim]
    assert made.verdict == verdict, [(a.text, a.holds, a.seen) for a in made.assertions]
    assert made.reason


def test_no_class_may_be_best_everywhere(bird: Study) -> None:
    def dominated(c: str, n: str, nodes: int, size: int) -> float:
        return (1e-5 + 1e-9 * size) * {"long": 1.0}.get(n, 2.0)

    made = judged(bird, dominated)["B8a"]
    assert [a.holds for a in made.assertions] == [True, False, True]


def test_start_ups_are_told_from_bytes(bird: Study) -> None:
    def slow_start(c: str, n: str, nodes: int, size: int) -> float:
        return made_table.paper(c, n, nodes, size) + (5e-3 if (c, n) == ("allgather", "long") else 0)

    assert not any(a.holds for a in judged(bird, slow_start)["B8c"].assertions[:3])
    assert all(a.holds for a in judged(bird)["B8c"].assertions)


def test_a_switch_of_builtin_is_seen(bird: Study) -> None:
    frame = made_table.frame(bird)
    late = (frame["algorithm"] == "decision/ompi_4_0") & (frame["collective"] == "bcast") & (frame["bytes"] > 2**25)
    frame.loc[late, "chose"] = "bcast/pipeline[s=131072]"
    made = report.analyse(bird, frame)
    b8 = next(
        c
        for c in claims_bird.judge(made.of_candidate("decision/ompi_4_0"), made.marked, "decision/ompi_4_0")
        if c.id == "B8"
    )
    switch = next(a for a in b8.assertions if a.text.startswith("bcast: builtin takes one"))
    assert switch.holds is False
    assert switch.seen == "linear → pipeline[s=131072]"


def test_missing_points_are_not_testable(bird: Study) -> None:
    frame = made_table.frame(bird)
    made = report.analyse(bird, frame[frame["collective"] != "gather"])
    claims_now = {
        c.id: c for c in claims_bird.judge(made.of_candidate("decision/ompi_4_0"), made.marked, "decision/ompi_4_0")
    }
    assert claims_now["B4"].verdict == "not testable"
    assert claims_now["B9"].verdict == "partly"
    assert claims_now["B1"].verdict == "reproduced"


def test_the_rule_of_table_three(bird: Study) -> None:
    made = analysis(bird, swap("gather", "long", 1.049 / 1.5))
    row = next(c for c in report.table_three_rows(made)[0].rows if c[0] == "gather")
    assert row[1] is not None
    assert row[1].text == "short/long", "4.9 % is within 5 %"
    assert not row[1].agrees
    assert row[1].margin == pytest.approx(0.4)
    made = analysis(bird, swap("gather", "long", 1.051 / 1.5))
    row = next(c for c in report.table_three_rows(made)[0].rows if c[0] == "gather")
    assert row[1] is not None
    assert row[1].text == "short"
    assert row[1].margin == pytest.approx(0.051)


def test_the_better_candidate_is_named(bird: Study) -> None:
    frame = made_table.frame(bird)
    worse = (frame["algorithm"] == "decision/ompi_4_1") & (frame["collective"] == "reduce")
    frame.loc[worse, "median_s"] *= 10
    tables = report.table_three_rows(report.analyse(bird, frame))
    assert [t.candidate for t in claims_bird.fits_better(tables)] == ["decision/ompi_4_0"]
    assert len(claims_bird.fits_better(report.table_three_rows(analysis(bird)))) == 2


def test_expectations_were_written_for_both_candidates(bird: Study) -> None:
    for candidate in bird.alternatives:
        for claim in judged(bird, candidate=candidate).values():
            for a in claim.assertions:
                assert a.expected in (claims.YES, claims.NO, claims.OPEN)
                assert a.theory, f"{claim.id}: {a.text}"


# ---- over the ranges of the priors -----------------------------------------------------------------------


def test_every_undocumented_number_is_moved_to_both_ends() -> None:
    spec = find.load_spec("schooner")
    made = list(priors.variants(spec))
    moved = {v.number for v in made}
    assert {"gamma_s_per_byte", "nic_bytes_per_s", "curve.network.latency_s", "curve.socket.s_per_byte"} <= moved
    assert not moved & {"nodes", "sockets", "cores_per_socket"}
    low = next(v for v in made if (v.number, v.end) == ("nic_bytes_per_s", "low"))
    assert low.spec.nic_bytes_per_s.value == spec.nic_bytes_per_s.range[0]  # type: ignore[index]
    assert low.spec.gamma_s_per_byte == spec.gamma_s_per_byte
    assert len({str(v.spec) for v in made} | {str(spec)}) == len(made) + 1, (
        "each differs from the platform and from the others"
    )


def test_the_sweep_is_summed_up(bird: Study) -> None:
    rows = []
    for number, end, kept in ((priors.BASE, "", "partly"), ("a", "low", "partly"), ("a", "high", "reproduced")):
        for candidate, matching in (("decision/ompi_4_0", 3), ("decision/ompi_4_1", 4 if end == "high" else 1)):
            rows.append((number, end, "", candidate, "B1", kept, 2 + (end == "high"), 5, matching, 9, "p", "s"))
    frame = pd.DataFrame(rows, columns=list(priors.COLUMNS))
    said = priors.summary(frame, {c: [judged(bird)["B1"]] for c in bird.alternatives})
    assert [(s["same"], s["variants"], s["held_low"], s["held_high"], s["changes"]) for s in said] == [
        (1, 2, 2, 3, ["a high: reproduced"])
    ] * 2
    ahead = priors.table_three_range(frame)
    assert [(a["low"], a["high"], a["ahead"], a["variants"]) for a in ahead] == [(3, 3, 2, 3), (1, 4, 1, 3)]


# ---- what is written -------------------------------------------------------------------------------------


class Fake:
    """A study whose numbers come from formulas; counts how often it is drawn."""

    def __init__(self, bird: Study, monkeypatch: pytest.MonkeyPatch, workplace: Path) -> None:
        self.time: made_table.Time = made_table.paper
        self.drawn = 0
        monkeypatch.setattr(paths, "RESULTS", workplace / "results")
        monkeypatch.setattr(run, "check_keys", lambda s, r: s)
        known = registry.parse(fake_list.TEXT)
        monkeypatch.setattr("collscope.catalogue.registry.load", lambda: known)

        def simulate_study(s: Study, platform: object, *, quick: bool, **_: object) -> tuple[list[table.Row], Origin]:
            rows = made_table.rows(s, self.time, quick)
            return rows, Origin(quick, len(rows), len(rows), 1.0, 1, 1 << 20, {"SimGrid": "0"}, {"sources": "0"})

        monkeypatch.setattr(study_rows, "simulate_study", simulate_study)
        draw = report.draw

        def counted(made: list[report.Picture], folder: Path, jobs: int) -> list[str]:
            self.drawn += 1
            return draw(
                [p for p in made if p.stem in ("5.1.1_bcast_2_nodes", "crossovers", "decision_tree")], folder, 1
            )

        monkeypatch.setattr(report, "draw", counted)
        # Only some pictures are drawn, so the page must not ask for the others.
        whole = report.pictures
        keep = ("5.1.1_bcast_2_nodes", "crossovers", "decision_tree")
        monkeypatch.setattr(report, "pictures", lambda *a: [p for p in whole(*a) if p.stem in keep])


@pytest.fixture
def fake(bird: Study, monkeypatch: pytest.MonkeyPatch, workplace: Path) -> Fake:
    return Fake(bird, monkeypatch, workplace)


def test_a_run_writes_everything_once(fake: Fake) -> None:
    folder = run.run("bird_schooner", quick=True)
    names = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert names >= {
        "table.csv", "report.md", "report.html", "crossovers.csv", "winners.csv", "decision_tree.txt", "decision_tree.json", "run.json",
        "figures/5.1.1_bcast_2_nodes.svg", "figures/5.1.1_bcast_2_nodes.png", "figures/crossovers.svg",
    }  # fmt: skip
    assert [p.name for p in folder.parent.iterdir()] == ["fresh"], "nothing half-written is left"
    page = (folder / "report.html").read_text()
    assert "Quick run" in page
    assert page.count("data:image/svg+xml;base64") == 3
    text = (folder / "report.md").read_text()
    assert "| Broadcast | builtin | builtin (" in text
    assert "nan" not in text.lower().replace("nanosecond", "")
    # Again, and nothing is drawn; other times, and it is.
    run.run("bird_schooner", quick=True)
    assert fake.drawn == 1
    fake.time = swap("bcast", "builtin", 1.1)
    run.run("bird_schooner", quick=True)
    assert fake.drawn == 2
    # A figure that somebody deleted comes back.
    (folder / "figures/crossovers.png").unlink()
    run.run("bird_schooner", quick=True)
    assert fake.drawn == 3
    assert (folder / "figures/crossovers.png").exists()


def test_a_failure_leaves_the_old_results(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run.run("bird_schooner", quick=True)
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}

    def full(*_: object, **__: object) -> list[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report, "draw", full)
    fake.time = swap("bcast", "builtin", 1.1)
    with pytest.raises(UserError, match="the disk is full"):
        run.run("bird_schooner", quick=True)
    assert {p: p.read_bytes() for p in folder.parent.rglob("*") if p.is_file()} == before


def test_the_reference_is_the_whole_study(fake: Fake) -> None:
    with pytest.raises(UsageError, match="leave --quick out"):
        run.run("bird_schooner", quick=True, write_reference=True)
    folder = run.run("bird_schooner", write_reference=True)
    kept = folder.parent
    assert (kept / "table.csv").read_bytes() == (folder / "table.csv").read_bytes()
    stale = kept / "figures" / "old.png"
    stale.write_bytes(b"")
    run.run("bird_schooner", write_reference=True)
    assert not stale.exists()
    assert "Quick run" not in (kept / "report.html").read_text()


def test_the_report_can_do_without_classes(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = reader.parse(
        'title = "plain"\n[setting]\nplatform = "schooner"\nnodes = [2]\nranks = [4]\n[sizes]\nbytes = "16B..64B"\n'
        '[[collective]]\nname = "rotation"\nalgorithms = ["rotation/shift", "rotation/serial"]\n',
        Path("sim/plain.toml"),
    )
    origin = Origin(False, 1, 1, 1.0, 1, 1, {}, {})
    names = report.write(plain, find.load("schooner"), made_table.frame(plain), origin, workplace)
    assert "figures/rotation_2_nodes.svg" in names
    text = (workplace / "report.md").read_text()
    assert "Table III" not in text
    assert "Decision tree" not in text


# ---- the committed reference -----------------------------------------------------------------------------

REFERENCE = paths.ROOT / "results" / "bird_schooner" / "table.csv"
CHECKED = ("bcast", "allgather", "allreduce", "rotation")
COMPARED = ("median_s", "q1_s", "q3_s", "min_s", "max_s", "chose", "status")


@pytest.mark.skipif(not REFERENCE.exists(), reason="there is no committed reference")
def test_the_reference_says_the_same_again(bird: Study, workplace: Path) -> None:
    """A part of the study through the real simulator: the same digits as in the committed table."""
    if not shutil.which("smpirun"):
        pytest.skip("smpirun is not installed")
    if not programs.SIM_DRIVER.exists() or not programs.PROVER.exists():
        pytest.skip("the driver or the prover is not built")
    with REFERENCE.open(newline="") as file:
        committed = list(csv.DictReader(file))
    made_with = {row["back_end"] for row in committed if row["source"] == "sim"}
    if made_with != {f"SimGrid {smpirun.version()}"}:
        pytest.skip(f"the reference was made with {', '.join(made_with)}, this is SimGrid {smpirun.version()}")
    key = ("collective", "algorithm", "nodes", "ranks", "bytes", "metric")
    known = {tuple(row[k] for k in key): row for row in committed if row["source"] == "sim"}
    checked = reader.check_keys(bird, registry.load())
    platform = find.load(bird.platform)
    tasks = [
        task for task, entry, size in study_rows.tasks_of(checked, platform, quick=False)
        if entry.collective in CHECKED and task[0].nodes == 2 and size in (128, 4096, 65536)
    ]  # fmt: skip
    rows = simulate.run_tasks(tasks)
    assert len(rows) == len(CHECKED) * 4 * 3
    different = []
    for fresh in csv.DictReader(table.csv_text(rows).splitlines()):
        kept = known[tuple(fresh[k] for k in key)]
        different += [
            (fresh["algorithm"], fresh["bytes"], c, kept[c], fresh[c]) for c in COMPARED if kept[c] != fresh[c]
        ]
    assert not different


@pytest.mark.skipif(not REFERENCE.exists(), reason="there is no committed reference")
def test_the_reference_is_whole(bird: Study) -> None:
    folder = REFERENCE.parent
    record = json.loads((folder / "run.json").read_text())
    assert not [name for name in record["files"] if not (folder / name).is_file()]
    with REFERENCE.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["source"] == "sim" and row["metric"] == bird.metric]
    assert len(rows) == sum(1 for _ in bird.points())
    assert {row["status"] for row in rows} == {"ok"}
