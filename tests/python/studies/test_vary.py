"""collscope.machines.study_variants: [vary] of a study's file: the variants it makes, and how mistakes are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.analysis import what_if
from collscope.base.errors import UsageError
from collscope.machines import find
from collscope.machines import study_variants as vary
from collscope.points import table
from collscope.sources import model
from collscope.studies import reader, rows
from collscope.studies.study import Study

SMALL = """
title = "small"
setting = { platform = "schooner", nodes = [2], ranks = [24] }
sizes = { bytes = "4KiB" }
[[collective]]
name = "bcast"
algorithms = ["bcast/mst", "bcast/linear"]
[vary]
"""


def read(lines: str) -> Study:
    return reader.parse(SMALL + lines, Path("sim/small.toml"))


def platforms(lines: str) -> list[str]:
    return [v.platform for v in read(lines).variants]


def test_factors_and_numbers_become_what_the_command_line_takes() -> None:
    assert platforms('nic_bytes_per_s = ["1x", "2x", "x0.5", 9.0e9, 4500000000, "1.2e10"]') == [
        "schooner", "schooner[nic_bytes_per_s=x2]", "schooner[nic_bytes_per_s=x0.5]", "schooner[nic_bytes_per_s=9e9]",
        "schooner[nic_bytes_per_s=4.5e9]", "schooner[nic_bytes_per_s=1.2e10]",
    ]  # fmt: skip
    found = platforms("gamma_s_per_byte = [2.5e-10, 0]")
    assert found == ["schooner[gamma_s_per_byte=2.5e-10]", "schooner[gamma_s_per_byte=0]"]


def test_every_combination_is_a_variant_and_the_first_is_the_base() -> None:
    made = read('nic_bytes_per_s = ["1x", "2x"]\nmapping = ["block", "cyclic"]').variants
    assert [(v.platform, v.mapping) for v in made] == [
        ("schooner", "block"), ("schooner", "cyclic"), ("schooner[nic_bytes_per_s=x2]", "block"),
        ("schooner[nic_bytes_per_s=x2]", "cyclic"),
    ]  # fmt: skip


def test_a_study_without_it_has_one_variant() -> None:
    assert read("").variants == (vary.Variant("schooner", "block"),)


def test_buffers_are_the_study_s_or_a_variant_s(tmp_path: Path) -> None:
    made = read('buffers = ["warm", "fresh"]\nfirst_touch_s_per_byte = [0, 2.5e-10]')
    assert [(v.platform, v.buffers) for v in made.variants] == [
        ("schooner[first_touch_s_per_byte=0]", "warm"), ("schooner[first_touch_s_per_byte=2.5e-10]", "warm"),
        ("schooner[first_touch_s_per_byte=0]", "fresh"), ("schooner[first_touch_s_per_byte=2.5e-10]", "fresh"),
    ]  # fmt: skip
    fresh = reader.parse(SMALL.replace("ranks = [24]", 'ranks = [24], buffers = "fresh"'), tmp_path / "small.toml")
    assert [v.buffers for v in fresh.variants] == ["fresh"]
    for study, target in ((made, ["", "", "", "", *4 * ["fresh"]]), (fresh, 2 * ["fresh"]), (read(""), ["", ""])):
        tasks = [task for task, _, _ in rows.tasks_of(study, find.load("schooner"), quick=False)]
        assert [point.cells(24)["buffers"] for _, point in tasks] == target


def test_the_rows_of_fresh_buffers_are_their_variant_s(workplace: Path) -> None:
    """A tree's ranks touch their buffers while they wait; in a ring all ranks are busy all the time."""
    text = (
        SMALL.replace("4KiB", "96KiB")
        .replace('"bcast"', '"allgather"')
        .replace('"bcast/mst", "bcast/linear"', '"allgather/bucket"')
    )
    text += 'buffers = ["warm", "fresh"]\nfirst_touch_s_per_byte = [0, 2.5e-10]'
    study = reader.parse(text, Path("sim/small.toml"))
    tasks = [task for task, _, _ in rows.tasks_of(study, find.load("schooner"), quick=False)]
    made = model.run_tasks(tasks)
    frame = table.to_frame(made)
    times = [list(what_if.of_variant(frame, variant)["median_s"]) for variant in study.variants]
    assert times[0] == times[1] == times[2] and all(f > w for w, f in zip(times[0], times[3], strict=True))
    assert what_if.columns(study.variations)[-1] == "buffers" and "buffers" not in what_if.columns(())


def test_elements_are_switched_off_in_the_platform_s_brackets() -> None:
    assert platforms('without = ["", "nic_gap", "nic_gap, in_order"]') == [
        "schooner", "schooner[without=nic_gap]", "schooner[without=nic_gap+in_order]",
    ]  # fmt: skip


@pytest.mark.usefixtures("known")
def test_a_switch_takes_toml_s_true_and_false_and_nothing_else_does() -> None:
    assert platforms("in_order = [false, true]") == ["schooner[in_order=false]", "schooner[in_order=true]"]
    with pytest.raises(UsageError, match=r'toml:9: vary\.nic_bytes_per_s: .*nic_bytes_per_s.*"true"'):
        rows.tasks_of(read("nic_bytes_per_s = [true]"), find.load("schooner"), quick=False)


@pytest.mark.usefixtures("known")
def test_an_unknown_element_is_reported_with_its_line() -> None:
    with pytest.raises(UsageError, match=r"toml:9: vary\.without: .*nic_gape"):
        rows.tasks_of(read('without = ["", "nic_gape"]'), find.load("schooner"), quick=False)


def test_values_join_those_that_the_platform_has() -> None:
    study = reader.parse(
        SMALL.replace('"schooner"', '"schooner[nodes=32]"') + '"network.latency_s" = ["1x", "2x"]',
        Path("sim/small.toml"),
    )
    assert [v.platform for v in study.variants] == ["schooner[nodes=32]", "schooner[nodes=32,network.latency_s=x2]"]


@pytest.mark.usefixtures("known")
def test_rows_say_which_variant_they_are_of() -> None:
    study = read('nic_bytes_per_s = ["1x", "2x"]\nmapping = ["block", "core"]')
    tasks = [task for task, _, _ in rows.tasks_of(study, find.load("schooner"), quick=False)]
    expected = [
        (platform, mapping, key)
        for platform in ("schooner", "schooner[nic_bytes_per_s=x2]")
        for mapping in ("block", "core")
        for key in ("bcast/mst", "bcast/linear")
    ]
    assert [(at.platform_name, at.mapping, point.algorithm) for at, point in tasks] == expected


def test_a_file_s_machine_keeps_its_numbers_in_the_name(tmp_path: Path) -> None:
    copy = tmp_path / "mine.toml"
    copy.write_text((find.PLATFORMS / "schooner.toml").read_text().replace('name = "schooner"', 'name = "mine"'))
    assert find.load(copy).name == "mine"
    assert find.load(f"{copy}[nodes=2]").name == "mine[nodes=2]"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("nodes = [2, 4]", r"sim/small\.toml:9: vary\.nodes: stands in \[setting\], as a list: nodes = \[4, 8\]"),
        ("\nmapping = ['block', 'cyclc']", r'toml:10: vary\.mapping: .*"cyclc".*did you mean "cyclic"'),
        ("nic_bytes_per_s = []", r"toml:9: vary\.nic_bytes_per_s: must be a list of values"),
        ("nic_bytes_per_s = 2", r"toml:9: vary\.nic_bytes_per_s: must be a list of values"),
        ("nic_bytes_per_s = ['2x', 'x2']", r"toml:9: vary\.nic_bytes_per_s: 'x2' stands twice"),
        ("nic_bytes_per_s = [9e9, '9.0e9']", r"toml:9: vary\.nic_bytes_per_s: '9.0e9' stands twice"),
        ("nic_bytes_per_s = ['2x', '2.0x']", r"toml:9: vary\.nic_bytes_per_s: '2.0x' stands twice"),
        ("nic_bytes_per_s = [[1]]", r"toml:9: vary\.nic_bytes_per_s: \[1\] is not a value"),
        ("nic_bytes_per_s = [nan]", r"toml:9: vary\.nic_bytes_per_s: nan is not a value"),
        ("nic_bytes_per_s = ['2e-ex']", r"toml:9: vary\.nic_bytes_per_s: .*is not a factor"),
        ("nic_bytes_per_s = ['2x]']", r"toml:9: vary\.nic_bytes_per_s: '2x\]' is not a value"),
        ("network.latency_s = ['1x']", r"toml:9: vary\.network: is a table; a key with a point stands in quotes"),
        ("buffers = ['warm', 'cold']", r'toml:9: vary\.buffers: "cold" is not one of warm, fresh'),
        ("gamma_s_per_byte = [0, 1, 2, 3, 4, 5, 6, 7, 8]\noverhead_s = [0, 1, 2, 3, 4, 5, 6, 7]",
         r"toml:8: vary: makes 72 variants; take values out until there are at most 64"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_with_their_line(lines: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(lines)


def test_calls_of_a_loop_have_no_fresh_buffers() -> None:
    for text in (
        SMALL.replace("ranks = [24]", 'ranks = [24], metric = "loop", buffers = "fresh"'),
        SMALL.replace("ranks = [24]", 'ranks = [24], metric = "loop"') + 'buffers = ["warm", "fresh"]',
    ):
        with pytest.raises(UsageError, match="calls of a loop follow each other on the same buffers"):
            reader.parse(text, Path("sim/small.toml"))


def test_a_mapping_stands_in_one_place() -> None:
    text = SMALL.replace("ranks = [24]", 'ranks = [24], mapping = "fill"') + 'mapping = ["block", "cyclic"]'
    with pytest.raises(UsageError, match=r"toml:9: vary\.mapping: stands in \[setting\] too; leave it out there"):
        reader.parse(text, Path("sim/small.toml"))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("\nnic_byte_per_s = ['1x', '2x']", r'toml:10: vary\.nic_byte_per_s: .*did you mean "nic_bytes_per_s"'),
        ("eager_bytes = ['1x']\nnic_bytes_per_s = [9e9, -1]", r"toml:10: vary\.nic_bytes_per_s: schooner: nic_bytes_per_s must be"),
        ("nic_bytes_per_s = ['fast']", r"toml:9: vary\.nic_bytes_per_s: .*must be a number, or a factor such as x2"),
        ("nic_bytes_per_s = ['1x', '0x']", r"toml:9: vary\.nic_bytes_per_s: .*takes a factor above 0"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("known")
def test_a_value_that_the_platform_refuses_is_reported_with_the_line_of_its_key(lines: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rows.tasks_of(read(lines), find.load("schooner"), quick=False)
