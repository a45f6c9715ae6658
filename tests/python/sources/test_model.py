"""collscope.sources.model: rows with a prover that is not there: cells, what is kept, and what is given up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from collscope.base.progress import Progress
from collscope.catalogue import prover
from collscope.catalogue.prover import Abandoned, Question
from collscope.catalogue.registry import Registry
from collscope.machines.machine_file import machine_file
from collscope.machines.platform import content_hash
from collscope.points.plan import Layout, Point, Timing
from collscope.points.table import Row, make_row
from collscope.sources import model
from collscope.sources.source import Options
from tiny_platform import tiny

BY_COUNT: dict[int, prover.Reply | Abandoned] = {
    7: {"kind": "unsupported", "status": "needs an even count"},
    8: Abandoned("took longer than 2 s (--point-timeout)", True),
    9: Abandoned("bcast/x, goes on for ever", False),
}
LAYOUT = Layout(tiny(), 2, 8, "cyclic")
machines: list[str] = []  # of each question
drawn: list[list[str]] = []  # the other options


@pytest.fixture
def questions(workplace: Path, known: Registry, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of the questions that the prover gets."""
    lines: list[str] = []
    machines.clear()
    drawn.clear()

    def ask(
        words: Sequence[str | Path], some: Sequence[Question], folder: Path, bar: Progress, limit_s: float | None
    ) -> Iterator[tuple[str, prover.Reply | Abandoned]]:
        assert words[0] == "--model"
        assert words[2] == "--traffic"
        drawn.append([str(word) for word in words[3:]])
        machines.append(Path(words[1]).read_text())
        for question in some:
            lines.append(question.line)
            count = int(question.line.partition("count=")[2].split()[0])
            noise = [5e-6, 1e-6, 4e-6, 2e-6, 3e-6] if drawn[-1] else []
            priced = {
                "id": question.name,
                "kind": "ok",
                "status": "ok",
                "model_s": count * 1e-6,
                "chose": "bcast/mst",
                "noise_s": noise,
            }
            bar(1)
            yield question.name, BY_COUNT.get(count, priced)

    monkeypatch.setattr(prover, "stream", ask)
    monkeypatch.setattr(model.cache, "sources_hash", lambda *folders: "c0ffee" * 3)
    return lines


def call(count: int, **more: object) -> Point:
    return replace(Point("bcast", "bcast/linear", count), **more)  # type: ignore[arg-type]


def rows(*points: Point, layout: Layout = LAYOUT) -> list[Row]:
    return model.run_tasks([(layout, point) for point in points])


def test_a_row_has_every_cell(questions: list[str]) -> None:
    (row,) = rows(call(30, type="double", root=3, in_place=True, metric="root"))
    assert row == make_row(
        source="model", platform="tiny", nodes=2, ranks=8, mapping="cyclic", collective="bcast", algorithm="bcast/linear",
        bytes=240, block_bytes=240, type="double", op="", in_place=1, root=3, metric="root", launches=1, repetitions=1,
        **dict.fromkeys(("median_s", "q1_s", "q3_s", "min_s", "max_s"), 30 * 1e-6), chose="bcast/mst", status="ok", kind="ok",
        back_end="collscope-prove", sources_hash="c0ffeec0ffee", platform_hash=content_hash(tiny())[:12],
    )  # fmt: skip
    assert questions == [
        "id=0 collective=bcast algorithm=bcast/linear count=30 type=double op=sum root=3 in_place=1 metric=root repetitions=1 "
        "warmup=0 check=0 ranks=8\n"
    ]


def test_points_without_a_time_say_why_and_come_in_order(questions: list[str]) -> None:
    made = rows(call(3), call(7), call(8), Point("bcast", "bcast/builtin", 1), call(9), call(4))
    assert [(row["kind"], row["status"], row["median_s"], row["repetitions"]) for row in made] == [
        ("ok", "ok", 3 * 1e-6, 1),
        ("unsupported", "needs an even count", None, 0),
        ("limit", "took longer than 2 s (--point-timeout)", None, 0),
        ("unsupported", model.BUILTIN, None, 0),
        ("failed", "not tried: bcast/x, goes on for ever", None, 0),
        ("ok", "ok", 4 * 1e-6, 1),
    ]
    assert len(questions) == 5
    bar = Progress("", 6)
    again = model.run_tasks([(LAYOUT, call(count)) for count in (3, 7, 8, 9, 4)], progress=bar)
    assert len(questions) == 7, "what was given up is tried again, the rest is kept"
    assert [row["kind"] for row in again] == ["ok", "unsupported", "limit", "failed", "ok"]
    assert bar.done == 5


def test_a_point_is_kept_before_the_next_is_waited_for(questions: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is killed loses the one point it was at, where each takes longer than a moment."""
    monkeypatch.setattr(model.cache, "MOMENT_S", 0.0)
    whole, points = prover.stream, [call(3), call(4), call(5), call(6)]

    def never(*_: object) -> None:
        raise AssertionError("a program that is killed keeps nothing any more")

    with monkeypatch.context() as dead:

        def killed(*arguments: Any) -> Iterator[tuple[str, prover.Reply | Abandoned]]:
            for name, reply in whole(*arguments):
                if "count=5 " in questions[-1]:
                    dead.setattr(model.cache.Cache, "put_many", never)
                    raise KeyboardInterrupt
                yield name, reply

        dead.setattr(prover, "stream", killed)
        with pytest.raises(KeyboardInterrupt):
            rows(*points)
    questions.clear()
    assert [row["kind"] for row in rows(*points)] == ["ok"] * 4
    assert [line.partition("count=")[2].split()[0] for line in questions] == ["5", "6"]


def test_a_change_of_what_a_time_depends_on_is_modelled_again(
    questions: list[str], workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slower = replace(tiny(), machine=replace(tiny().machine, overhead_s=1.0))
    changes: list[dict[str, object]] = [
        {"platform": slower}, {"mapping": "block"}, {"nodes": 3}, {"ranks": 7},
        {"type": "double"}, {"root": 1}, {"algorithm": "bcast/mst"}, {"op": "max"}, {"in_place": True},
    ]  # fmt: skip
    layouts = [LAYOUT, *(replace(LAYOUT, **change) for change in changes[:4])]  # type: ignore[arg-type]
    for _ in range(2):
        for layout in layouts:
            rows(call(3), layout=layout)
        for change in changes[4:]:
            rows(call(3, **change))
        assert len(questions) == 10
    expected = [machine_file(x.platform, x.nodes, x.ranks, x.mapping) for x in layouts if x.platform]
    assert machines == expected + [expected[0]] * 5
    assert len(set(expected)) == 5
    monkeypatch.setattr(model.cache, "sources_hash", lambda *folders: "decaf" * 3)
    rows(call(3))
    assert len(questions) == 11
    built = workplace / "prover"
    monkeypatch.setattr(prover.programs, "PROVER", built)
    for content, count in (("older", 12), ("new", 13), ("older", 13)):
        built.write_text(content)
        rows(call(3))
        assert len(questions) == count, f"built as {content}"


def test_a_band_is_drawn_where_a_platform_varies(questions: list[str]) -> None:
    """Nine tenths of the draws lie in it; what was drawn before is known, other draws are not."""
    noise = {"network": ((0, ((0.0, 1.0), (1.0, 2.0))),)}
    noisy = replace(LAYOUT, platform=replace(tiny(), machine=replace(tiny().machine, noise=noise)))
    bands = []
    for layout, draws in ((noisy, 5), (noisy, 5), (noisy, 6), (noisy, 0), (LAYOUT, 5)):
        (row,) = model.run_tasks([(layout, call(3))], Options(noise=draws))
        bands.append([row.get(f"noise_{part}_s") for part in ("low", "median", "high")])
    band = [pytest.approx(1.2e-6), pytest.approx(3e-6), pytest.approx(4.8e-6)]
    assert bands == [band, band, band, [None] * 3, [None] * 3]
    assert drawn == [["--noise", "5"], ["--noise", "6"], []], "without draws the two are one machine"
    assert ["noise" in machine for machine in machines] == [True, True, False]


def test_one_call_tells_all_but_in_a_loop_and_no_data_is_checked(
    questions: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A barrier before each call makes a loop: two calls to begin with, and two that count unless more are questions for."""
    how = Timing(7, until_ci=0.02, budget_s=5.0, buffers="fresh")
    loop = call(4, metric="osu_avg[barrier=barrier/tree]")
    tasks = [(LAYOUT, p) for p in (call(3, check=True, timing=how), loop, replace(loop, timing=how))]
    monkeypatch.setattr(model, "seconds", lambda tasks: 0.0)
    model.rows(tasks, Options(title="mine"))
    assert capsys.readouterr().err == "collscope: mine: 3 points by the model, 3 to time\n"
    words = [re.findall("(?:repetitions|warmup|check|until_ci|buffers)=[^ ]*", line) for line in questions]
    assert words == [
        ["repetitions=1", "warmup=0", "check=0", "buffers=fresh"],
        ["repetitions=2", "warmup=2", "check=0"],
        ["repetitions=7", "warmup=2", "check=0", "buffers=fresh"],
    ]
