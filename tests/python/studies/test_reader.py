"""collscope.studies.reader: what a study's file says, and what is said of a file with mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base.errors import UsageError
from collscope.catalogue import registry
from collscope.studies import reader
from collscope.studies.study import Collective, Drawing, Entry, Sample, Study

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


def refused(text: str, message: str) -> None:
    """The complaint is this, and the line that it names is that of its key, of its table, or of a whole file's."""
    with pytest.raises(UsageError) as found:
        read(text)
    assert str(found.value) == "\n".join(f"sim/small.toml:{line}" for line in message.split("\n"))
    for complaint in str(found.value).split("\n"):
        place = re.match(r"sim/small\.toml:(\d+): (?:collective \w+\.?|figure \d+\.?|)([\w.]*):? ", complaint)
        assert place, complaint
        line, key = text.split("\n")[int(place[1]) - 1], place[2].split(".")[-1]
        is_table = line.startswith(f"[{place[2]}]") or (line.startswith("[[") and not key)
        has_key = re.search(rf"\b{key}\b", line)
        assert is_table or has_key or "missing" in complaint or "not TOML" in complaint, (complaint, line)


def test_a_file_is_read_whole() -> None:
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
    ("old", "new", "message"),
    [
        ('title = "small"', '', '1: title: is missing'),
        ('nodes = [2, 4]', 'nodes = 2', '5: setting.nodes: must be a list of whole numbers from 1 up, not 2'),
        ('nodes = [2, 4]', 'nodes = [0]', '5: setting.nodes: must be a list of whole numbers from 1 up, not [0]'),
        ('ranks = [4]', 'rank = [4]', '6: setting.rank: unknown key; did you mean "ranks"?'),
        ('ranks = [4]', 'ranks = [4]\nmaping = "block"', '7: setting.maping: unknown key; did you mean "mapping"?'),
        ('ranks = [4]', 'ranks = [4]\nmapping = "blok"',
         '7: setting.mapping: "blok" is not one of block, packed, cyclic, fill, core, socket, node, file:PATH; did you mean "block"?'),
        ('ranks = [4]', 'ranks = [4]\nroot = 4', '7: setting.root: there is no rank 4 among 4'),
        ('ranks = [4]', 'ranks = [8, 4]\nroot = 5', '7: setting.root: there is no rank 5 among 4'),
        ('ranks = [4]', 'ranks = [4]\nalso_metrics = ["osu_avg"]', '7: setting.also_metrics: "osu_avg" is not one of root'),
        ('bytes = "4B..1KiB"', 'bytes = "4B..1kb"',
         '8: sizes.bytes: cannot read the size "1kb": write 1KiB (1 KiB = 1024 bytes) or plain bytes'),
        ('bytes = "4B..1KiB"', 'bytes = "1KiB..4B"', '8: sizes.bytes: the size range "1KiB..4B" is empty: 1 KiB is more than 4 B'),
        ('bytes = "4B..1KiB"', 'bytes = 5', '8: sizes.bytes: must be sizes such as "4B,1KiB..4MiB", not 5'),
        ('bytes = "4B..1KiB"', 'bytes = "0B,4B"', '8: sizes.bytes: sizes begin at 1 B'),
        ('quick = "16B,1KiB"', 'quick = "24B"', '9: sizes.quick: 24 B is not among the sizes of bytes'),
        ('[common]\nbuiltin', '[common]\nbuilt', '16: common.built: is not a class; [classes] names short, long, builtin'),
        ('name = "rotation"', 'name = "bcast"', '22: collective bcast.name: stands twice'),
        ('short = "bcast/mst"', 'short = "reduce/mst"', '17: collective bcast: reduce/mst is not an algorithm of bcast'),
        ('short = "bcast/mst"', 'shrt = "bcast/mst"', '19: collective bcast.shrt: unknown key; did you mean "short"?'),
        ('algorithms = ["rotation/shift", "rotation/serial"]', 'algorithms = 3',
         '23: collective rotation.algorithms: must be a key or a list of keys, not 3'),
        ('[[collective]]', '[[collectiv]]', '1: collective: is missing; tables [[collective]] with name and algorithms\n'
         '17: collectiv: unknown key; did you mean "collective"?'),
        ('short = "bcast/mst"', 'short = ["bcast/mst", "bcast/linear"]',
         '19: collective bcast.short: a class is one algorithm; only decisions may stand for it in turn'),
        ('[sizes]', '[sizes', "7: not TOML: Expected ']' at the end of a table declaration (at line 7, column 7)"),
        ('focus = "256B..1KiB"', 'focus = "24B"', '10: sizes.focus: 24 B is not among the sizes of bytes'),
        ('[classes]', '[priors]\nbytes = "24B"\n[classes]', '12: priors.bytes: 24 B is not among the sizes of bytes'),
        ('[classes]', '[vary]\nbuffers = ["warm", "fresh"]\n[setting.x]\n[classes]', '13: setting.x: unknown key'),
        ('ranks = [4]', 'ranks = [4]\nmetric = "loop"\nbuffers = "fresh"',
         '7: setting.metric: calls of a loop follow each other on the same buffers; take another metric'),
        ('name = "rotation"', 'name = "rotation"\nmost_ranks = { x = 4 }',
         '23: collective rotation.most_ranks.x: is none of algorithms'),
        ('ranks = [4]', 'ranks = [4]\nmetric = "makespn"',
         '7: setting.metric: "makespn" is not one of makespan, root, osu_avg, loop, osu_avg[barrier=KEY]; did you mean "makespan"?'),
        ('ranks = [4]', 'ranks = [4]\ntype = "flot"',
         '7: setting.type: "flot" is not one of byte, float, double, int; did you mean "float"?'),
        ('ranks = [4]', 'ranks = [4]\nop = "su"', '7: setting.op: "su" is not one of sum, max, min, prod; did you mean "sum"?'),
        ('ranks = [4]', 'ranks = [4]\nbuffers = "cold"', '7: setting.buffers: "cold" is not one of warm, fresh'),
        ('title = "small"', 'title = "small"\npaper = "brid"',
         '3: paper: "brid" is not one of alessio, bird, cheetah, donninelli, kandalla, newest_algorithms; did you mean "bird"?'),
        ('ranks = [4]', 'ranks = [1048577]', '6: setting.ranks: must be a list of whole numbers from 1 up, not [1048577]'),
        ('ranks = [4]', 'layouts = [[2, 4]]', '3: setting: give nodes and ranks, or layouts = [[nodes, ranks], ...]'),
        ('nodes = [2, 4]\n', '', '3: setting.nodes: is missing: a list of whole numbers from 1 up'),
        ('ranks = [4]', 'ranks = [4]\nroot = -1', '7: setting.root: there is no rank -1 among 4'),
        ('[classes]', '[tree]\ntolerance = 1\n[classes]', '12: tree.tolerance: must be a share of the time, from 0 to 1, not 1'),
        ('[classes]', '[tree]\ntolerance = -0.1\n[classes]', '12: tree.tolerance: must be a share of the time, from 0 to 1, not -0.1'),
        ('quick = "16B,1KiB"', 'quick_ranks = -1', '9: sizes.quick_ranks: input should be greater than or equal to 0'),
        ('[classes]', '[priors]\nmost_ranks = -1\n[classes]', '12: priors.most_ranks: input should be greater than or equal to 0'),
        ('name = "rotation"', 'name = "rotation"\nfigure = "5/1"',
         "23: collective rotation.figure: must be a figure's number: letters, digits and _ . -, not '5/1'"),
        ('algorithms = ["rotation/shift", "rotation/serial"]', 'algorithms = {}',
         '23: collective rotation.algorithms: must be a table of names, each with a key'),
        ('algorithms = ["rotation/shift", "rotation/serial"]', 'algorithms = { a = 3 }',
         '23: collective rotation.algorithms: must be a table of names, each with a key'),
        ('algorithms = ["rotation/shift", "rotation/serial"]', 'algorithms = []',
         '23: collective rotation.algorithms: must be a key or a list of keys, not []'),
        ('algorithms = ["rotation/shift", "rotation/serial"]', 'algorithms = ["a", 3]',
         "23: collective rotation.algorithms: must be a key or a list of keys, not ['a', 3]"),
        ('short = "bcast/mst"', 'short = 3', '19: collective bcast.short: must be a key or a list of keys, not 3'),
        ('name = "rotation"', 'name = "rotation"\nshort = "rotation/shift"',
         '23: collective rotation.short: unknown key; known: name, title, figure, algorithms, most_ranks, counts'),
        ('builtin = ["decision/ompi_4_0", "decision/ompi_4_1"]', 'builtin = ["bcast/chain", "decision/ompi_4_1"]',
         '16: common.builtin: a class is one algorithm; only decisions may stand for it in turn'),
        ('[common]\nbuiltin = ["decision/ompi_4_0", "decision/ompi_4_1"]\n[[collective]]\nname = "bcast"\nshort = "bcast/mst"\n'
         'long = "bcast/linear"\n', '[[collective]]\nname = "bcast"\n',
         '15: collective bcast: names no algorithms; write algorithms = [...], or short = ..., or long = ..., or builtin = ...'),
        ('[classes]', '[priors]\nsource = "real"\n[classes]', '12: priors.source: "real" is not one of sim, model'),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_file_and_key(old: str, new: str, message: str) -> None:
    assert old in GOOD
    refused(GOOD.replace(old, new), message)


def test_unknown_studies_and_keys(known: object) -> None:
    with pytest.raises(UsageError, match='unknown study "bird_shooner"; did you mean "bird_schooner"'):
        reader.load("bird_shooner")
    with pytest.raises(UsageError, match=r"nowhere\.toml: no such file"):
        reader.load("nowhere.toml")
    with pytest.raises(UsageError, match=r'small\.toml:17: collective bcast: unknown .*"bcast?.*mtt"'):
        reader.check_keys(read(GOOD.replace("bcast/mst", "bcast/mtt")), registry.load())


def test_list_names_every_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert dict(reader.list_studies())["bird_schooner"].endswith("with --quick)")
    (tmp_path / "broken.toml").write_text("title = 3")
    monkeypatch.setattr(reader, "STUDIES", tmp_path)
    assert reader.list_studies()[0][1].startswith("cannot be read: ")


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
    points = [(nodes, ranks, e.name, p.count, size) for nodes, ranks, e, p, size in made.points()]
    ring = [(1, 4, "ring", 1, 4), (1, 4, "ring", 1024, 4096)]
    assert points[:2] == ring
    assert points[6:8] == [(2, 8, "doubling", 1, 8), (2, 8, "doubling", 1024, 8192)]
    assert [p for p in points if p[2] == "barrier/tree"] == [(n, r, "barrier/tree", 0, 0) for n, r in made.layouts]
    (drawing,) = made.drawings
    assert (drawing.stem, drawing.number, drawing.sizes) == ("figure_3", "3", (1024,))
    assert [e.name for c in made.collectives for e in c.entries if drawing.shows(e)] == ["ring"]


def test_the_barrier_of_a_metric_is_spelt_with_all_parameters() -> None:
    """Its key is looked at as the algorithms' keys are."""
    made = reader.check_keys(read(BLOCKS.replace('"loop"', '"osu_avg[barrier=barrier/hierarchical]"')), registry.load())
    assert made.metric == "osu_avg[barrier=barrier/hierarchical[levels=node,k=4,shm=0]]"
    assert {p.metric for _, _, _, p, _ in made.points()} == {made.metric}
    wrong = read(BLOCKS.replace('"loop"', '"osu_avg[barrier=barrier/hierarchicall]"'))
    with pytest.raises(UsageError, match=r"small\.toml: setting\.metric: .*barrier/hierarchicall.*did you mean"):
        reader.check_keys(wrong, registry.load())
    with pytest.raises(UsageError, match=r'metric: "osu_avg\[bar=x\]" is not one of .*osu_avg\[barrier=KEY\]'):
        read(BLOCKS.replace('"loop"', '"osu_avg[bar=x]"'))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('layouts = [[1, 4], [2, 8]]', 'layouts = [[8, 4]]', '5: setting.layouts: [8, 4]: nodes from 1 to the number of ranks'),
        ('layouts = [[1, 4], [2, 8]]', 'nodes = [2]', '3: setting.ranks: is missing: a list of whole numbers from 1 up'),
        ('layouts = [[1, 4], [2, 8]]', 'layouts = [[1, 4]]\nranks = [4]',
         '3: setting: give nodes and ranks, or layouts = [[nodes, ranks], ...]'),
        ('metric = "loop"', 'metric = "loop"\nsource = "model"',
         '7: setting.metric: the model does not know "loop"; take source = "sim"'),
        ('metric = "loop"', 'metric = "loop"\nsource = "real"', '8: setting.source: "real" is not one of sim, model'),
        ('metric = "loop"', 'metric = "loop"\nalso_metrics = ["root"]',
         '8: setting.also_metrics: "root" is not one of those that the same call gives: there are no others'),
        ('block_bytes = "1B,1KiB"', 'block_bytes = "1B"\nbytes = "1B"',
         "8: sizes: give either bytes, of the whole vector, or block_bytes, of a rank's block"),
        ('block_bytes = "1B,1KiB"', 'block_bytes = "1B,1KiB"\nfocus = "1B"',
         '10: sizes.focus: a focus is of bytes; with block_bytes claims and figures name their sizes'),
        ('names = ["ring"]', 'names = ["rings"]', '21: figure 1.names: "rings" does not compete in allgather; did you mean "ring"?'),
        ('sizes = "1KiB"', 'sizes = "2KiB"', "22: figure 1.sizes: 2048 B is not among the study's sizes"),
        ('[sizes]', '[priors]\nsource = "model"\n[sizes]', '9: priors.source: the model does not know "loop"; take source = "sim"'),
        ('sizes = "1KiB"', 'sizes = "1KiB"\n[[figure]]\nnumber = "3"\ntitle = "x"', '24: figure 2.number: 3 stands twice'),
        ('number = "3"', 'number = "3"\ncollective = "bcast"', '20: figure 1.collective: "bcast" is none of the study\'s'),
        ('layouts = [[1, 4], [2, 8]]', 'layouts = [[0, 4]]', '5: setting.layouts: [0, 4]: nodes from 1 to the number of ranks'),
        ('layouts = [[1, 4], [2, 8]]', 'layouts = [[1, 1048577]]',
         '5: setting.layouts: [1, 1048577]: nodes from 1 to the number of ranks'),
        ('layouts = [[1, 4], [2, 8]]', 'layouts = [[1, 4, 3]]',
         '5: setting.layouts: list should have at most 2 items after validation, not 3'),
        ('layouts = [[1, 4], [2, 8]]', '', '3: setting: give nodes and ranks, or layouts = [[nodes, ranks], ...]'),
        ('number = "3"', 'number = ""', "19: figure 1.number: must be a figure's number: letters, digits and _ . -, not ''"),
        ('number = "3"', 'number = "a b"', "19: figure 1.number: must be a figure's number: letters, digits and _ . -, not 'a b'"),
        ('number = "3"', 'number = "3"\ncollective = "allgathr"',
         '20: figure 1.collective: "allgathr" is none of the study\'s; did you mean "allgather"?'),
        ('name = "allgather"', 'name = "allgather"\ncounts = "one:4"',
         '12: collective allgather.counts: one:4: with 4 ranks the rank is 0 … 3'),
        ('block_bytes = "1B,1KiB"', 'quick = "1B"',
         "8: sizes: give either bytes, of the whole vector, or block_bytes, of a rank's block"),
        ('block_bytes = "1B,1KiB"', 'block_bytes = "1B,1KiB"\nquick = "2B"',
         '10: sizes.quick: 2 B is not among the sizes of block_bytes'),
        ('metric = "loop"', 'also_metrics = ["osu_avg", "root"]', '7: setting.also_metrics: "osu_avg" is not one of root'),
        ('metric = "loop"', 'metric = "root"\nalso_metrics = ["root"]', '8: setting.also_metrics: "root" is not one of makespan'),
        ('metric = "loop"', 'source = "model"\nalso_metrics = ["root"]',
         '8: setting.also_metrics: "root" is not one of those that the same call gives: there are no others'),
    ],
)  # fmt: skip
def test_mistakes_of_blocks_layouts_and_figures(old: str, new: str, message: str) -> None:
    assert old in BLOCKS
    refused(BLOCKS.replace(old, new), message)


def fields(study: Study) -> dict[str, object]:
    """All that a study says but what competes in it."""
    return {name: value for name, value in vars(study).items() if name not in ("name", "path", "collectives")}


def test_sections_of_a_file_are_optional() -> None:
    every = (4, 8)
    assert fields(read('title = "t"\nsetting = { platform = "schooner", nodes = [2, 1], ranks = [4, 2] }\nsizes = { bytes = "4,8" }\n'
                       '[[collective]]\nname = "bcast"\nalgorithms = "bcast/mst"')) == {
        "title": "t", "source": "", "about": "", "differences": (), "paper": "", "platform": "schooner",
        "layouts": ((2, 4), (1, 4), (2, 2), (1, 2)), "mapping": "block", "type": "float", "op": "sum", "root": 0, "in_place": False,
        "buffers": "warm", "metric": "makespan", "also_metrics": (), "numbers_from": "sim", "sizes": every, "blocks": False, "quick": every,
        "quick_ranks": 0, "focus": (), "focus_label": "focus", "classes": {}, "tolerance": 0.02, "prior_sizes": (), "prior_source": "sim",
        "prior_ranks": 4, "variations": (), "drawings": (), "traffic": False, "families": {}, "sample": None,
    }  # fmt: skip


def test_every_key_of_a_file_is_read() -> None:
    made = read("""
title = "t"
source = "s"
about = " a\\n"
differences = ["d"]
paper = "bird"
[setting]
platform = "jaguar"
source = "model"
layouts = [[1, 2], [1, 2], [2, 8]]
mapping = "file:mine"
type = "double"
op = "max"
root = 1
in_place = true
buffers = "fresh"
metric = "osu_avg"
traffic = true
[families]
new = ["*/b"]
[sample]
every = 3
most_ranks = 2
[sizes]
block_bytes = "8B,16B"
quick = "8B"
quick_ranks = 2
focus_label = "f"
[classes]
short = "s"
[common]
short = "decision/a"
[tree]
tolerance = 0.5
[priors]
bytes = "16B"
most_ranks = 2
source = "sim"
[[collective]]
name = "bcast"
title = "Broadcast"
figure = "2"
[[collective]]
name = "gather"
algorithms = ["gather/a", "gather/b"]
most_ranks = { "gather/b" = 4 }
counts = "linear"
[[figure]]
number = "a.1"
title = "x"
caption = "c"
collective = "gather"
names = ["gather/a"]
sizes = "16B"
ranks = [8]
nodes = [2]
mapping = ["file:mine"]
""")
    assert fields(made) == {
        "title": "t", "source": "s", "about": "a", "differences": ("d",), "paper": "bird", "platform": "jaguar",
        "layouts": ((1, 2), (2, 8)), "mapping": "file:sim/mine", "type": "double", "op": "max", "root": 1, "in_place": True,
        "buffers": "fresh", "metric": "osu_avg", "also_metrics": (), "numbers_from": "model", "sizes": (8, 16), "blocks": True,
        "quick": (8,), "quick_ranks": 2, "focus": (), "focus_label": "f", "classes": {"short": "s"}, "tolerance": 0.5,
        "prior_sizes": (16,), "prior_source": "sim", "prior_ranks": 2, "variations": (),
        "drawings": (Drawing("figure_a.1", "x", "", "c", "gather", ("gather/a",), (16,), (8,), (2,), ("file:sim/mine",)),),
        "traffic": True, "families": {"new": ("*/b",)}, "sample": Sample(3, 2),
    }  # fmt: skip
    assert made.collectives == (
        Collective("bcast", "Broadcast", "2", (Entry("bcast", "short", "decision/a", 0),), True, 39),
        Collective("gather", "gather", "", (Entry("gather", "gather/a", "gather/a", 0), Entry("gather", "gather/b", "gather/b", 4)), False,
                   43, counts="linear"),
    )  # fmt: skip
    assert (made.nodes, made.ranks) == ((1, 2), (2, 8))
    assert made.figure(made.collectives[0], 2, 8) == ("", "bcast_2_nodes_8_ranks"), "a number is of one number of ranks"
    (two, *_) = made.points()
    assert two[:2] == (1, 2) and (two[3].type, two[3].op, two[3].root, two[3].in_place) == ("double", "max", 1, True)
