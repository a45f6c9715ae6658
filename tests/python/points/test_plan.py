import pytest

from collscope.base.errors import UsageError
from collscope.catalogue.registry import Registry
from collscope.machines import find
from collscope.points import plan
from collscope.points.plan import Layout, Point


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
        (10_000, 10_000, "block", "nodes; 10000 were asked for"),
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
    machine = find.load("schooner")  # 20 cores a node
    assert [plan.check_layout(machine, 16, p, "fill").nodes for p in (1, 20, 21, 320)] == [1, 1, 2, 16]
    assert plan.check_layout(machine, 16, 32, "block").nodes == 16


@pytest.mark.parametrize("mapping", ["cyclic", "fill"])
def test_real_ranks_on_several_nodes_are_placed_in_blocks_only(mapping: str) -> None:
    machine = find.load("schooner[nodes=2]")
    with pytest.raises(UsageError, match=f"--mapping {mapping}: real runs on several nodes"):
        plan.check_layout(machine, 2, 4, mapping, real=True)
    assert plan.check_layout(machine, 1, 4, mapping, real=True).mapping == mapping
