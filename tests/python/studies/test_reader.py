"""What a study's file says, and what is said of a file with mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base.errors import UsageError
from collscope.catalogue import registry
from collscope.studies import reader
from collscope.studies.study import Study

GOOD = """
title = "small"
[setting]
platform = "schooner"
nodes = [2, 4]
ranks = [4]
[sizes]
bytes = "4B..1KiB"
quick = "16B,1KiB"
focus = "256B..1KiB"
[classes]
short = "for short vectors"
long = "for long vectors"
builtin = "what the library takes"
[common]
builtin = ["decision/ompi_4_0", "decision/ompi_4_1"]
[[collective]]
name = "bcast"
short = "bcast/mst"
long = "bcast/linear"
[[collective]]
name = "rotation"
algorithms = ["rotation/shift", "rotation/serial"]
"""


def read(text: str) -> Study:
    return reader.parse(text, Path("sim/small.toml"))


def refused(text: str, said: str) -> None:
    """The complaint matches, and the line that it names is that of its key, of its table, or of a whole file's."""
    with pytest.raises(UsageError, match=said) as found:
        read(text)
    for complaint in str(found.value).split("\n"):
        place = re.match(r"sim/small\.toml:(\d+): (?:collective \w+\.?|figure \d+\.?|)([\w.]*):? ", complaint)
        assert place, complaint
        line, key = text.split("\n")[int(place[1]) - 1], place[2].split(".")[-1]
        is_table = line.startswith(f"[{place[2]}]") or (line.startswith("[[") and not key)
        has_key = re.search(rf"\b{key}\b", line)
        assert is_table or has_key or "missing" in complaint or "not TOML" in complaint, (complaint, line)


def test_what_a_file_says() -> None:
    made = read(GOOD)
    assert made.name == "small"
    assert made.alternatives == ("decision/ompi_4_0", "decision/ompi_4_1")
    assert [(e.name, e.key) for e in made.collective("bcast").entries] == [
        ("short", "bcast/mst"), ("long", "bcast/linear"), ("builtin", "decision/ompi_4_0"), ("builtin", "decision/ompi_4_1"),
    ]  # fmt: skip
    assert [e.name for e in made.collective("rotation").entries] == ["rotation/shift", "rotation/serial"]
    assert made.sizes == tuple(4 << k for k in range(9))
    assert made.focus == (256, 512, 1024)


def test_a_competitor_has_most_ranks_and_a_quick_run_too() -> None:
    text = GOOD.replace("ranks = [4]", "ranks = [4, 8, 16]").replace(
        'quick = "16B,1KiB"', 'quick = "16B"\nquick_ranks = 8'
    )
    text = text.replace('["rotation/shift", "rotation/serial"]', '{ a = "rotation/shift", b = "rotation/serial" }')
    made = read(text + "most_ranks = { b = 4 }\n")
    rotation = [(e.name, ranks) for nodes, ranks, e, _, size in made.points(quick=True) if e.collective == "rotation"]
    assert sorted(set(rotation)) == [("a", 4), ("b", 4)]  # 8 ranks of 4 B have no block of 16 B
    assert {ranks for _, ranks, e, _, _ in made.points() if e.name == "b"} == {4}
    assert {ranks for _, ranks, e, _, _ in made.points() if e.name == "a"} == {4, 8, 16}
    assert {ranks for _, ranks, e, _, _ in made.points(quick=True) if e.name == "short"} == {4, 8}
    with pytest.raises(UsageError, match=r"most_ranks\.c: is none of algorithms"):
        read(text + "most_ranks = { c = 4 }\n")


def test_points_are_whole_blocks_and_counts_of_mpi() -> None:
    made = read(GOOD)
    points = list(made.points())
    assert len(points) == 2 * (4 * 9 + 2 * 7)
    rotation = [(size, point.count) for _, _, e, point, size in points if e.key == "rotation/shift"]
    assert min(rotation) == (16, 1), "four ranks, one float a block"
    bcast = {size: point.count for _, _, e, point, size in points if e.key == "bcast/mst"}
    assert bcast[1024] == 256
    assert {size for *_, size in made.points(quick=True)} == {16, 1024}


def test_the_paper_s_experiment() -> None:
    bird = reader.load("bird_schooner")
    assert len(bird.focus) == 8
    assert [s // 4 for s in (bird.focus[0], bird.focus[-1])] == [2**20, 2**27]
    points = [(e, size) for _, _, e, _, size in bird.points() if size in bird.focus]
    one_builtin = [e for e, _ in points if e.key != "decision/ompi_4_0"]
    assert len([e for e in one_builtin if e.collective != "rotation"]) == 504
    assert len([e for e in one_builtin if e.collective == "rotation"]) == 96
    table_two = {c.name: [e.key for e in c.entries[:2]] for c in bird.collectives}
    assert table_two["bcast"] == ["bcast/mst", "bcast/mst_scatter_bucket_allgather"]
    assert table_two["allreduce"] == ["allreduce/mst_reduce_mst_bcast", "allreduce/bucket"]
    smallest = {
        c: min(s for _, _, e, _, s in bird.points() if e.collective == c) for c in ("bcast", "gather", "reduce_scatter")
    }
    assert smallest == {"bcast": 4, "gather": 128, "reduce_scatter": 4}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "small"', "", r"small\.toml:1: title: is missing"),
        (
            "nodes = [2, 4]",
            "nodes = 2",
            r"small\.toml:5: setting\.nodes: must be a list of whole numbers from 1 up, not 2",
        ),
        ("nodes = [2, 4]", "nodes = [0]", r"setting\.nodes: must be a list of whole numbers from 1 up, not \[0\]"),
        ("ranks = [4]", "rank = [4]", r"setting\.rank: unknown key; did you mean"),
        ("ranks = [4]", 'ranks = [4]\nmaping = "block"', r'setting\.maping: unknown key; did you mean "mapping"\?'),
        (
            "ranks = [4]",
            'ranks = [4]\nmapping = "blok"',
            r'setting\.mapping: "blok" is not one of .* did you mean "block"\?',
        ),
        ("ranks = [4]", "ranks = [4]\nroot = 4", r"setting\.root: there is no rank 4 among 4"),
        ("ranks = [4]", "ranks = [8, 4]\nroot = 5", r"setting\.root: there is no rank 5 among 4"),
        ("ranks = [4]", 'ranks = [4]\nalso_metrics = ["osu_avg"]', r'setting\.also_metrics: "osu_avg" is not one of'),
        ('bytes = "4B..1KiB"', 'bytes = "4B..1kb"', r"small\.toml:8: sizes\.bytes: "),
        ('bytes = "4B..1KiB"', 'bytes = "1KiB..4B"', r"sizes\.bytes: the size range .* is empty"),
        ('bytes = "4B..1KiB"', "bytes = 5", r"small\.toml:8: sizes\.bytes: must be sizes such as .*, not 5"),
        ('bytes = "4B..1KiB"', 'bytes = "0B,4B"', r"small\.toml:8: sizes\.bytes: sizes begin at 1 B"),
        ('quick = "16B,1KiB"', 'quick = "24B"', r"sizes\.quick: 24 B is not among the sizes of bytes"),
        ("[common]\nbuiltin", "[common]\nbuilt", r"common\.built: is no class; \[classes\] names short, long, builtin"),
        ('name = "rotation"', 'name = "bcast"', r"collective bcast\.name: stands twice"),
        ('short = "bcast/mst"', 'short = "reduce/mst"', r"collective bcast: reduce/mst is no algorithm of bcast"),
        ('short = "bcast/mst"', 'shrt = "bcast/mst"', r'collective bcast\.shrt: unknown key; did you mean "short"\?'),
        (
            'algorithms = ["rotation/shift", "rotation/serial"]',
            "algorithms = 3",
            r"collective rotation\.algorithms: must be a key or a list",
        ),
        ("[[collective]]", "[[collectiv]]", r"collective: is missing"),
        ('short = "bcast/mst"', 'short = ["bcast/mst", "bcast/linear"]', r"bcast\.short: a class is one algorithm"),
        ("[sizes]", "[sizes", r"small\.toml:7: not TOML: .*line"),
        (
            'focus = "256B..1KiB"',
            'focus = "24B"',
            r"small\.toml:10: sizes\.focus: 24 B is not among the sizes of bytes",
        ),
        ("[classes]", '[priors]\nbytes = "24B"\n[classes]', r"priors\.bytes: 24 B is not among the sizes of bytes"),
        ("[classes]", '[vary]\nbuffers = ["warm", "fresh"]\n[setting.x]\n[classes]', r"setting\.x: unknown key"),
        ("ranks = [4]", 'ranks = [4]\nmetric = "loop"\nbuffers = "fresh"', r"setting\.metric: calls of a loop follow"),
        ('name = "rotation"', 'name = "rotation"\nmost_ranks = { x = 4 }', r"most_ranks\.x: is none of algorithms"),
    ],
)
def test_mistakes_are_named_with_file_and_key(old: str, new: str, said: str) -> None:
    assert old in GOOD
    refused(GOOD.replace(old, new), said)


def test_unknown_studies_and_keys(known: object) -> None:
    with pytest.raises(UsageError, match='unknown study "bird_shooner"; did you mean "bird_schooner"'):
        reader.load("bird_shooner")
    with pytest.raises(UsageError, match=r"nowhere\.toml: no such file"):
        reader.load("nowhere.toml")
    from collscope.catalogue import registry

    with pytest.raises(UsageError, match=r'small\.toml:17: collective bcast: unknown .*"bcast?.*mtt"'):
        reader.check_keys(read(GOOD.replace("bcast/mst", "bcast/mtt")), registry.load())


def test_list_names_every_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert dict(reader.list_studies())["bird_schooner"].endswith("with --quick)")
    (tmp_path / "broken.toml").write_text("title = 3")
    monkeypatch.setattr(reader, "STUDIES", tmp_path)
    assert reader.list_studies()[0][1].startswith("cannot be read: ")


def test_a_platforms_file_is_sought_beside_the_study_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "studies").mkdir()
    monkeypatch.chdir(tmp_path)
    text = re.sub('platform = "[^"]*"', 'platform = "here.toml[nodes=40]"', GOOD)
    Path("here.toml").touch()
    assert reader.parse(text, Path("studies/mine.toml")).platform == "here.toml[nodes=40]"
    Path("studies/here.toml").touch()
    assert reader.parse(text, Path("studies/mine.toml")).platform == "studies/here.toml[nodes=40]"


BLOCKS = """
title = "Blocks"
[setting]
platform = "ib_multicore"
layouts = [[1, 4], [2, 8]]
type = "byte"
metric = "loop"
[sizes]
block_bytes = "1B,1KiB"
[[collective]]
name = "allgather"
[collective.algorithms]
ring = "allgather/bucket"
doubling = "allgather/recursive_doubling"
[[collective]]
name = "barrier"
algorithms = ["barrier/tree"]
[[figure]]
number = "3"
title = "The ring alone"
names = ["ring"]
sizes = "1KiB"
"""


def test_sizes_of_blocks_layouts_names_and_figures() -> None:
    made = read(BLOCKS)
    assert (made.layouts, made.nodes, made.ranks) == (((1, 4), (2, 8)), (1, 2), (4, 8))
    points = [(nodes, ranks, e.name, p.count, p.repetitions, size) for nodes, ranks, e, p, size in made.points()]
    ring = [(1, 4, "ring", 1, 10, 4), (1, 4, "ring", 1024, 10, 4096)]
    assert points[:2] == ring, "calls of a loop, ten in a row"
    assert points[6:8] == [(2, 8, "doubling", 1, 10, 8), (2, 8, "doubling", 1024, 10, 8192)]
    assert [p for p in points if p[2] == "barrier/tree"] == [(n, r, "barrier/tree", 0, 10, 0) for n, r in made.layouts]
    (drawing,) = made.drawings
    assert (drawing.stem, drawing.number, drawing.sizes) == ("figure_3", "3", (1024,))
    assert [e.name for c in made.collectives for e in c.entries if drawing.shows(e)] == ["ring"]


def test_a_metric_with_a_barrier_is_a_loop_of_two_and_two() -> None:
    """Its key is looked at as the algorithms' keys are: tables spell it with all parameters."""
    made = reader.check_keys(read(BLOCKS.replace('"loop"', '"osu_avg[barrier=barrier/hierarchical]"')), registry.load())
    assert made.metric == "osu_avg[barrier=barrier/hierarchical[levels=node,k=4,shm=0]]"
    assert {(p.metric, p.warmup, p.repetitions) for _, _, _, p, _ in made.points()} == {(made.metric, 2, 2)}
    wrong = read(BLOCKS.replace('"loop"', '"osu_avg[barrier=barrier/hierarchicall]"'))
    with pytest.raises(UsageError, match=r"small\.toml: setting\.metric: .*barrier/hierarchicall.*did you mean"):
        reader.check_keys(wrong, registry.load())
    with pytest.raises(UsageError, match=r'metric: "osu_avg\[bar=x\]" is not one of .*osu_avg\[barrier=KEY\]'):
        read(BLOCKS.replace('"loop"', '"osu_avg[bar=x]"'))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("layouts = [[1, 4], [2, 8]]", "layouts = [[8, 4]]", r"setting\.layouts: \[8, 4\]: nodes from 1 to the number"),
        ("layouts = [[1, 4], [2, 8]]", "nodes = [2]", r"setting\.ranks: is missing"),
        ("layouts = [[1, 4], [2, 8]]", "layouts = [[1, 4]]\nranks = [4]", r"setting: give nodes and ranks, or layouts"),
        ('metric = "loop"', 'metric = "loop"\nsource = "model"', r'setting\.metric: the model does not know "loop"'),
        ('metric = "loop"', 'metric = "loop"\nsource = "real"', r'setting\.source: "real" is not one of sim, model'),
        ('metric = "loop"', 'metric = "loop"\nalso_metrics = ["root"]', r"also_metrics: .*there is none"),
        ('block_bytes = "1B,1KiB"', 'block_bytes = "1B"\nbytes = "1B"', r"sizes: give either bytes"),
        ('block_bytes = "1B,1KiB"', 'block_bytes = "1B,1KiB"\nfocus = "1B"', r"sizes\.focus: a focus is of bytes"),
        ('names = ["ring"]', 'names = ["rings"]', r'figure 1\.names: "rings" does not compete.*did you mean'),
        ('sizes = "1KiB"', 'sizes = "2KiB"', r"figure 1\.sizes: 2048 B is not among"),
        ("[sizes]", '[priors]\nsource = "model"\n[sizes]', r'priors\.source: the model does not know "loop"'),
        (
            'sizes = "1KiB"',
            'sizes = "1KiB"\n[[figure]]\nnumber = "3"\ntitle = "x"',
            r"figure 2\.number: 3 stands twice",
        ),
        ('number = "3"', 'number = "3"\ncollective = "bcast"', r'figure 1\.collective: "bcast" is none of'),
    ],
)
def test_mistakes_of_blocks_layouts_and_figures(old: str, new: str, said: str) -> None:
    assert old in BLOCKS
    refused(BLOCKS.replace(old, new), said)
