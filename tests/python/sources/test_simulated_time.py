"""collscope.sources.simulate, collscope.sources.model: a simulated time is the formula's on the ideal network, the prover's under
SimGrid's ports, SMPI's own for the same messages, and the same digits whatever else is simulated."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points.plan import Layout, Point, Timing
from collscope.sources import model, simulate
from driven import drive

pytestmark = pytest.mark.skipif(
    not (shutil.which("smpirun") and programs.SIM_DRIVER.exists() and programs.PROVER.exists()),
    reason="needs smpirun, the simulation's driver and the prover; ./collscope doctor says what is missing",
)

NANOSECOND = 1e-9


def point(algorithm: str, count: int, root: int = 0) -> Point:
    collective = algorithm.partition("/")[0]
    return Point(collective=collective, algorithm=algorithm, count=count, root=root)


def simulated(
    folder: Path, name: str, algorithm: str, count: int, *, ranks: int = 8, nodes: int = 0, mapping: str = "block"
) -> float:
    (time,) = drive(folder, name, ranks, [point(algorithm, count)], nodes=nodes, mapping=mapping)
    assert time is not None
    return time


def all_keys() -> list[str]:
    return [algorithm.key for algorithm in registry.load().algorithms]


@pytest.mark.parametrize("ranks", [8, *(pytest.param(ranks, marks=pytest.mark.full) for ranks in (3, 5, 16))])
def test_the_prover_under_simgrids_ports_agrees_to_nanoseconds(ranks: int, tmp_path: Path) -> None:
    roots = {
        key: (0, ranks - 1) if registry.load().collective(key.partition("/")[0]).has_root else (0,)
        for key in all_keys()
    }
    points = [
        point(key, count, root) for key in all_keys() for root in roots[key] for count in (0, 1, 4 * ranks, 100_003)
    ]
    times = drive(tmp_path, "ideal", ranks, points)
    layout = Layout(find.load("ideal"), ranks, ranks, "block")
    compared = 0
    for at, time, answer in zip(points, times, model.evaluate([(layout, p) for p in points]), strict=True):
        if time is None:
            assert answer["status"] != "ok", at
            continue
        assert answer["model_s"] == pytest.approx(time, rel=1e-9, abs=5 * NANOSECOND), at
        compared += 1
    assert compared > len(points) / 2


@pytest.mark.parametrize("ranks", [4, 16])
def test_the_formula_holds_on_the_ideal_network(ranks: int, tmp_path: Path) -> None:
    """One port, from 1 KiB: what is left are SimGrid's 16 control bytes per message, and α, which does not occupy its ports."""
    known = {algorithm.key: algorithm for algorithm in registry.load().algorithms}
    keys = [key for key, algorithm in known.items() if algorithm.ports == "one" and algorithm.has_cost]
    # A message of 1 KiB at least: then the control bytes are below 2 %.
    points = [point(key, 256 * ranks * factor) for key in keys for factor in (1, 16, 256)]
    times = drive(tmp_path, "ideal", ranks, points)
    layout = Layout(find.load("ideal"), ranks, ranks, "block")
    compared = 0
    for at, time, answer in zip(points, times, model.evaluate([(layout, p) for p in points]), strict=True):
        if time is None or not answer.get("exact"):
            continue
        assert time == pytest.approx(answer["cost_s"], rel=0.03), at
        compared += 1
    assert compared >= 3 * len(keys) / 2


# Same messages in the same order, so the same time: ours and the one that SMPI brings.
SAME_AS_SMPI = [
    ("bcast/mst[dest=first]", "binomial_tree"),
    ("bcast/linear", "flattree"),
    ("bcast/scatter_ring", "scatter_LR_allgather"),
    ("bcast/scatter_recursive_doubling", "scatter_rdb_allgather"),
    ("allgather/recursive_doubling", "rdb"),
    ("allgather/neighbor_exchange", "ompi_neighborexchange"),
    ("allgather/bruck", "bruck"),
    ("allgather/bucket", "NTSLR"),
    ("gather/binomial", "ompi_binomial"),
    ("gather/linear", "ompi_basic_linear"),
    ("scatter/linear", "ompi_basic_linear"),
    ("reduce/binomial[s=0]", "binomial"),
    ("allreduce/recursive_doubling", "rdb"),
    ("allreduce/ring", "lr"),
    ("reduce_scatter/ring", "ompi_ring"),
    ("reduce_scatter/recursive_halving", "ompi_basic_recursivehalving"),
]


@pytest.mark.parametrize(("ours", "theirs"), SAME_AS_SMPI)
def test_our_operations_cost_nothing_of_their_own(ours: str, theirs: str, tmp_path: Path) -> None:
    """On the ideal network, where local work is free (SMPI charges none), and for broadcasts, which have none, on Schooner."""
    collective = ours.partition("/")[0]
    counts = (16, 1024, 100_000)
    points = [point(key, count) for count in counts for key in (ours, f"{collective}/builtin")]
    config = [f"--cfg=smpi/{collective}:{theirs}"]
    for name, nodes in [("ideal[gamma=0]", 16)] + ([("schooner", 4)] if collective == "bcast" else []):
        times = drive(tmp_path, name, 16, points, nodes=nodes, config=config)
        assert None not in times
        for i, count in enumerate(counts):
            assert times[2 * i] == times[2 * i + 1], f"{name}: {count} elements"


def test_a_time_has_the_same_digits_whatever_else_is_simulated(tmp_path: Path) -> None:
    same = point("allreduce/bucket", 12345)
    others = [point("bcast/mst", 1 << 22), point("gather/linear", 999), point("rotation/serial", 7)]
    (alone,) = drive(tmp_path, "schooner", 32, [same], nodes=4)
    behind = drive(tmp_path, "schooner", 32, [*others, same], nodes=4)[-1]
    assert alone is not None and repr(alone) == repr(behind)


def test_latency_bandwidth_and_gamma_move_what_they_must(tmp_path: Path) -> None:
    def time(algorithm: str, count: int, **numbers: str) -> float:
        values = {"alpha": "1us", "beta": "1e-9", "gamma": "1e-10"} | numbers
        name = f"ideal[{','.join(f'{key}={value}' for key, value in values.items())}]"
        return simulated(tmp_path, name, algorithm, count)

    # A large broadcast is all bandwidth, an empty-handed one all latency, and neither adds.
    assert time("bcast/mst", 1 << 22, beta="2e-9") == pytest.approx(2 * time("bcast/mst", 1 << 22), rel=1e-3)
    assert time("bcast/mst", 1 << 22, alpha="2us") == pytest.approx(time("bcast/mst", 1 << 22), rel=1e-3)
    assert time("bcast/mst", 1, alpha="2us") - time("bcast/mst", 1) == pytest.approx(3e-6, abs=NANOSECOND)
    assert time("bcast/mst", 1 << 20, gamma="1e-8") == time("bcast/mst", 1 << 20)
    # ⌈lg 8⌉ reductions of 4 MiB, one after the other.
    more = time("reduce/mst", 1 << 20, gamma="3e-10") - time("reduce/mst", 1 << 20)
    assert more == pytest.approx(3 * (1 << 22) * 2e-10, rel=1e-6)


def test_placement_moves_what_it_must(tmp_path: Path) -> None:
    def time(algorithm: str, count: int, nodes: int, mapping: str) -> float:
        return simulated(tmp_path, "schooner", algorithm, count, ranks=32, nodes=nodes, mapping=mapping)

    # Neighbours on one node: a ring crosses the network twice. Dealt out in turn, each of its messages does.
    assert time("allgather/bucket", 1 << 15, 4, "cyclic") > 1.5 * time("allgather/bucket", 1 << 15, 4, "block")
    # Blocking exchanges over long distances share fewer NICs on fewer nodes.
    assert time("allgather/recursive_doubling", 1 << 15, 2, "block") > 1.2 * time(
        "allgather/recursive_doubling", 1 << 15, 8, "block"
    )
    # On one node nothing takes the network's latency.
    assert simulated(tmp_path, "schooner", "bcast/mst", 1, ranks=16, nodes=1) < simulated(
        tmp_path, "schooner", "bcast/mst", 1, ranks=16, nodes=8
    )


@pytest.mark.parametrize("mapping", ["block", "cyclic"])
def test_shared_segments_take_the_time_of_the_memory_they_cross(mapping: str, tmp_path: Path) -> None:
    """Flags and parts are charged alike by simulation and model."""
    points = [
        point("barrier/hierarchical[levels=node,k=4,shm=1]", 0),
        point("barrier/hierarchical[levels=socket_node,k=2,shm=1]", 0),
        point("allgather/leaders[per_node=1,aggregate=shm]", 256),
        point("allgather/leaders[per_node=4,aggregate=shm]", 256),
        point("allgather/leaders[per_node=4,aggregate=shm_in_place]", 256),
        point("allgather/leaders[per_node=1,aggregate=shm_in_place]", 1 << 18),
        point("allgather/leaders[per_node=1,aggregate=shm]", 1 << 18),  # the leader's copy into its own part is seen
    ]
    times = drive(tmp_path, "schooner", 32, points, nodes=4, mapping=mapping)
    layout = Layout(find.load("schooner"), 4, 32, mapping)
    answers = model.evaluate([(layout, p) for p in points])
    for at, time, known in zip(points, times, answers, strict=True):
        assert time is not None and time > 1e-6, at
        assert known["model_s"] == pytest.approx(time, rel=1e-9), at


def test_messages_around_the_limit_of_small_ones_find_their_receives(tmp_path: Path) -> None:
    """A rest of exactly the limit is a large message that follows a small one: SMPI keeps the two apart, and so must their tags."""
    limit = find.load("schooner").machine.eager_bytes + 1
    points = [replace(point("gather/linear_sync[first=1024]", 1024 + limit + more), type="byte") for more in (-1, 0, 1)]
    times = drive(tmp_path, "schooner", 4, points, nodes=2)
    assert all(times) and times == sorted(times, key=float)


def test_each_metric_is_of_the_ranks_and_calls_that_it_names(workplace: Path) -> None:
    """A root that is not rank 0 is the last one in a reduction and no other is; a loop's time is that of one call."""
    layout = Layout(find.load("schooner"), 2, 8)
    root, last = (replace(point("reduce/linear", 5000, root=5), metric=metric) for metric in ("root", "makespan"))
    once, often = (replace(point("barrier/dissemination", 0), metric="loop", timing=Timing(n)) for n in (1, 20))
    times = [row["median_s"] for row in simulate.run_tasks([(layout, p) for p in (root, last, once, often)])]
    assert times[0] == times[1]
    assert times[3] == pytest.approx(times[2], rel=0.3)


def test_messages_beyond_what_an_int_counts(tmp_path: Path) -> None:
    """2 GiB and 4 GiB in one message: SMPI's sizes are ints, in which these are negative and zero. They go in parts of 1 GiB, of
    which the model knows nothing: it lacks their latencies."""
    points = [point("bcast/mst", 1 << 29), point("bcast/mst", 1 << 30), point("allgather/bucket", 3 << 28)]
    for name in ("ideal", "schooner"):
        times = drive(tmp_path, name, 4, points)
        layout = Layout(find.load(name), 4, 4, "block")
        for at, time, answer in zip(points, times, model.evaluate([(layout, p) for p in points]), strict=True):
            assert time is not None and answer["model_s"] == pytest.approx(time, rel=2e-5), at
            assert answer["model_s"] <= time, at


@pytest.mark.full
def test_vectors_that_no_int_counts(tmp_path: Path) -> None:
    """Every algorithm with 2 GiB and more: the operations cut long messages, and the whole still takes what the prover says."""
    ranks = 4
    layout = Layout(find.load("ideal"), ranks, ranks, "block")
    points = [point(key, count) for key in all_keys() for count in (2**29, 2**30, 2**31 + 5)]
    answers = model.evaluate([(layout, p) for p in points])
    # Small segments of a long vector are many rounds (of very many messages: not counted), which take long, of messages that are short.
    chosen = [
        (p, s) for p, s in zip(points, answers, strict=True) if s["status"] == "ok" and (s["rounds"] or 1000) < 1000
    ]
    times = drive(tmp_path, "ideal", ranks, [p for p, _ in chosen])
    for (at, answer), time in zip(chosen, times, strict=True):
        assert time is not None, at
        assert answer["model_s"] == pytest.approx(time, rel=1e-5), at
    assert {p.algorithm for p, _ in chosen} >= {
        f"{c}/linear" for c in ("bcast", "reduce", "gather", "alltoall", "scan")
    }
    assert len(chosen) > 2 * len(all_keys())


def test_files_are_found_wherever_they_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A platform file named from where one stands, names with blanks, a scratch folder with blanks: smpirun is started elsewhere, and it
    is a script."""
    made = find.load("ideal[cores=2]").xml.read_bytes()
    own = tmp_path / "own files"
    own.mkdir()
    (own / "own.xml").write_bytes(made)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    (row,) = simulate.run_tasks([(Layout(find.load("own files/own.xml"), 1, 2), point("bcast/linear", 1))])
    assert row["status"] == "ok"
