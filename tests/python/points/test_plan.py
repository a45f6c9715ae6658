"""collscope.points.plan: points and layouts, their text, cells and limits."""

from dataclasses import fields, replace
from pathlib import Path

import pytest

from collscope.base.errors import UsageError
from collscope.catalogue.registry import Registry
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.machines.placement import OWN_MAPPINGS
from collscope.machines.platform import content_hash
from collscope.points import plan
from collscope.points.plan import Layout, Point, Timing
from tiny_platform import tiny


@pytest.mark.parametrize(
    ("collective", "vector", "block"),
    [
        ("bcast", 400, 400),
        ("reduce", 400, 400),
        ("allreduce", 400, 400),
        ("scatter", 3200, 400),
        ("gather", 3200, 400),
        ("allgather", 3200, 400),
        ("alltoall", 3200, 400),
        ("rotation", 3200, 400),
        ("reduce_scatter_block", 3200, 400),
        ("reduce_scatter", 400, 52),  # 100 elements on 8 ranks: four of 13 and four of 12
        ("barrier", 0, 0),
    ],
)
def test_bytes_and_blocks(known: Registry, collective: str, vector: int, block: int) -> None:
    point = Point(collective, f"{collective}/linear", 100)
    assert point.bytes(8) == vector
    assert point.block_bytes(8) == block


def test_text_holds_everything_that_matters() -> None:
    point = Point("bcast", "bcast/mst[dest=first]", 7, root=3, check=True)
    assert plan.plan_text([("x", point)], ranks=9) == (
        "id=x collective=bcast algorithm=bcast/mst[dest=first] count=7 type=float op=sum root=3 in_place=0 "
        "metric=makespan repetitions=1 warmup=0 check=1 ranks=9\n"
    )


def test_layouts_group_by_what_they_are() -> None:
    one, other = find.load("ideal"), find.load("schooner")
    assert Layout(one, 1, 2) == Layout(one, 1, 2)
    assert len({Layout(one, 1, 2), Layout(one, 1, 2), Layout(other, 1, 2)}) == 2


@pytest.mark.parametrize(
    ("nodes", "ranks", "mapping", "says"),
    [
        (10_000, 10_000, "block", "nodes; 10000 were requested"),
        (1, 33, "block", "do not fit on 1 node"),
        (2, 1, "block", "use --nodes 1"),
        (1, 4, "blok", 'did you mean "block"'),
    ],
)
def test_ranks_that_do_not_fit(nodes: int, ranks: int, mapping: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        plan.check_layout(find.load("schooner"), nodes, ranks, mapping)
    assert says in str(error.value)


def test_real_ranks_may_share_cores() -> None:
    machine = find.load("schooner")
    assert plan.check_layout(machine, 1, 1000, "block", real=True).ranks == 1000
    with pytest.raises(UsageError):
        plan.check_layout(machine, 10_000, 10_000, "block", real=True)


def test_filled_layouts_name_the_nodes_that_are_used() -> None:
    machine = find.load("schooner")  # 20 cores per node
    assert [plan.check_layout(machine, 16, p, "fill").nodes for p in (1, 20, 21, 320)] == [1, 1, 2, 16]
    assert plan.check_layout(machine, 16, 32, "block").nodes == 16


def test_ideal_has_as_many_nodes_as_a_call_needs() -> None:
    ideal = find.load("ideal")
    large = plan.check_layout(ideal, 100_000, 100_000, "block")
    assert large.platform is not None
    assert (large.platform.name, large.platform.max_nodes) == ("ideal", 100_000)
    assert plan.check_layout(ideal, 100_000, 100_000, "block") == large, "one layout, so one launch"
    assert plan.check_layout(ideal, 1024, 1024, "block").platform is ideal
    with pytest.raises(UsageError, match=r"ideal\[nodes=8\] has 8 nodes; 9 were requested"):
        plan.check_layout(find.load("ideal[nodes=8]"), 9, 9, "block")
    with pytest.raises(UsageError, match="at most 4194304 in all"):
        plan.check_layout(ideal, 5_000_000, 5_000_000, "block")


def test_a_million_ranks_are_laid_out_at_once(workplace: Path) -> None:
    """By arithmetic: no host is made, no file is written."""
    machine = find.load("schooner[nodes=65536,topology=switch]")
    for mapping in OWN_MAPPINGS:
        layout = plan.check_layout(machine, 65536, 1 << 20, mapping)
        text = machine_file(machine, layout.nodes, layout.ranks, mapping)
        assert len(text.splitlines()) < 120
        assert content_hash(machine) != content_hash(find.load("schooner[nodes=65535,topology=switch]"))
    assert not (workplace / ".cache" / "platforms").exists()


CHANGES: dict[str, tuple[object, str]] = {
    "collective": ("reduce", "collective=reduce"), "algorithm": ("bcast/mst", "algorithm=bcast/mst"), "count": (9, "count=9"),
    "type": ("double", "type=double"), "op": ("max", "op=max"), "root": (3, "root=3"), "in_place": (True, "in_place=1"),
    "metric": ("root", "metric=root"), "check": (True, "check=1"), "skew": ("linear:1e-05", "skew=linear:1e-05"),
}  # fmt: skip
HOW: dict[str, tuple[object, str]] = {
    "repetitions": (5, "repetitions=5"), "warmup": (4, "warmup=4"), "until_ci": (0.02, "until_ci=0.02"),
    "budget_s": (2.5, "budget_s=2.5"), "buffers": ("cold", "buffers=cold"), "group": (3, "group=3"),
}  # fmt: skip


@pytest.mark.parametrize("name", [*CHANGES, *HOW])
def test_every_field_of_a_point_and_its_timing_stands_in_its_text(name: str) -> None:
    usual = (
        "collective=bcast algorithm=bcast/linear count=7 type=float op=sum root=0 in_place=0 metric=makespan repetitions=1 "
        "warmup=0 check=0"
    )
    point = Point("bcast", "bcast/linear", 7)
    assert point.text() == usual, "caches are named by it"
    assert [f.name for f in fields(Point)] == [*CHANGES, "timing", "counts"] and [
        f.name for f in fields(Timing)
    ] == list(HOW)
    value, word = (CHANGES | HOW)[name]
    words = [word if old.startswith(f"{name}=") else old for old in usual.split()]
    if f"{name}=" not in usual:  # what is usual is left out
        words.append(word)
    changed = replace(point, timing=Timing(**{name: value})) if name in HOW else replace(point, **{name: value})  # type: ignore[arg-type]
    assert changed.text().split() == words


def test_a_plan_has_one_line_per_point() -> None:
    one, other = Point("bcast", "bcast/linear", 7), Point("bcast", "bcast/linear", 8)
    assert plan.plan_text([("a", one), ("b", other)]) == f"id=a {one.text()}\nid=b {other.text()}\n"
    assert plan.plan_text([("a", one)], 3) == f"id=a {one.text()} ranks=3\n"


def test_the_cells_of_a_point_and_of_a_layout(known: Registry) -> None:
    point = Point("reduce_scatter", "reduce_scatter/linear", 100, "double", "max", 3, True, "root", True)
    assert point.cells(8) == {
        "collective": "reduce_scatter", "algorithm": "reduce_scatter/linear", "bytes": 800, "block_bytes": 104,
        "type": "double", "op": "max", "in_place": 1, "root": 3, "metric": "root", "buffers": "", "skew": "",
    }  # fmt: skip
    assert Point("bcast", "bcast/linear", 1, op="max").cells(8)["op"] == "", "which has none"
    assert Layout(tiny(), 2, 5, "cyclic").cells() == {"platform": "tiny", "nodes": 2, "ranks": 5, "mapping": "cyclic"}
    assert Layout(None, 1, 5).cells() == {"platform": "this_machine", "nodes": 1, "ranks": 5, "mapping": "block"}


def test_layouts_differ_in_each_of_their_parts() -> None:
    here = tiny()
    layouts = [
        Layout(here, 1, 4), Layout(tiny(), 1, 4), Layout(here, 2, 4), Layout(here, 1, 3), Layout(here, 1, 4, "cyclic"),
        Layout(None, 1, 4),
    ]  # fmt: skip
    assert len({hash(layout) for layout in layouts}) == len(set(layouts)) == len(layouts)
    assert layouts[0] == Layout(here, 1, 4) != "a layout"


@pytest.mark.parametrize(
    ("point", "nodes", "words"),
    [
        (Point("bcast", "bcast/mst", 256), 1, "bcast/mst, 1 KiB, 4 ranks on 1 node"),
        (Point("allgather", "allgather/bucket", 256), 2, "allgather/bucket, 4 KiB, 4 ranks on 2 nodes"),
        (Point("barrier", "barrier/linear", 0), 1, "barrier/linear, 4 ranks on 1 node"),
        (Point("bcast", "decision/ompi_4_1", 1), 1, "decision/ompi_4_1 (bcast), 4 B, 4 ranks on 1 node"),
    ],
)
def test_a_task_in_words(known: Registry, point: Point, nodes: int, words: str) -> None:
    assert plan.describe((Layout(tiny(), nodes, 4), point)) == words


def test_layouts_that_are_allowed() -> None:
    four = tiny()  # four nodes of four cores
    made = plan.check_layout(four, 2, 8, "cyclic")
    assert (made.platform, made.nodes, made.ranks, made.mapping) == (four, 2, 8, "cyclic")
    assert plan.check_layout(four, 2, 2, "block").nodes == 2
    assert plan.check_layout(four, 3, 1, "fill").nodes == 1
    assert plan.check_layout(four, 2, 9, "block", real=True).ranks == 9
    for nodes, ranks, real in ((2, 9, False), (5, 5, False), (5, 5, True), (2, 1, True)):
        with pytest.raises(UsageError):
            plan.check_layout(four, nodes, ranks, "block", real)
    with pytest.raises(UsageError, match="unknown mapping"):
        plan.check_layout(four, 1, 1, "blok", real=True)


@pytest.mark.parametrize("mapping", ["block", "cyclic", "node"])
def test_real_ranks_on_several_nodes_are_as_many_on_each_or_one_fewer_on_the_last(mapping: str) -> None:
    machine = find.load("schooner[nodes=4]")
    assert plan.check_layout(machine, 4, 11, mapping, real=True).nodes == 4
    with pytest.raises(UsageError, match=f"--mapping {mapping}: real .* each of 4 nodes; use --ranks 8 or 12"):
        plan.check_layout(machine, 4, 10, mapping, real=True)
    assert (
        plan.check_layout(machine, 4, 10, mapping).ranks == plan.check_layout(machine, 4, 10, "core", real=True).ranks
    )
