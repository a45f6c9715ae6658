"""collscope.tuning.mpich, collscope.tuning.mpich_rules, collscope.tuning.verify, collscope.tuning.targets:
MPICH's table with rules in it says what the rules say, and what MPICH's own says for all else."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import libraries
import mpich_twins
from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.tuning import mpich, mpich_rules, targets, verify
from collscope.tuning.rules import OWN, Rule, chosen
from collscope.twins import mpich_messages
from collscope.twins.call import Call
from collscope.twins.messages import own_messages
from mpich_table import TableCall, leaf, plain
from open_mpi import needs_prover

RULES = [
    Rule("bcast", (2, 3), (0, 1000), "bcast/linear"),
    Rule("bcast", (2, 3), (1001, 65536), "bcast/hierarchical_nary[levels=flat,n=3]"),
    Rule("bcast", (4, 5), (0, 65536), OWN),
    Rule("reduce", (3, 9), (0, 99), OWN),
    Rule("reduce", (3, 9), (100, 65536), "reduce/reduce_scatter_gather"),
    Rule("allgather", (3, 5), (0, 99), "allgather/recursive_doubling"),
    Rule("allgather", (3, 5), (100, 65536), "allgather/bruck"),
    Rule("alltoall", (2, 8), (0, 65536), "alltoall/bruck"),
]
NAMES = {
    "bcast/linear": "algorithm=MPIR_Bcast_intra_tree tree_type=kary k=2 is_non_blocking=1",
    "bcast/hierarchical_nary[levels=flat,n=3]": "algorithm=MPIR_Bcast_intra_tree tree_type=kary k=3 is_non_blocking=1",
    "reduce/reduce_scatter_gather": "algorithm=MPIR_Reduce_intra_reduce_scatter_gather",
    "allgather/recursive_doubling": "algorithm=MPIR_Allgather_intra_recursive_doubling",
    "allgather/bruck": "algorithm=MPIR_Allgather_intra_brucks",
    "alltoall/bruck": "algorithm=MPIR_Alltoall_intra_brucks",
}
SIZES = (0, 4, 96, 100, 1000, 1004, 2048, 12288, 65536, 65540, 1 << 20)


def calls(kind: str) -> list[TableCall]:
    """Of every collective of the rules, with what may change an answer."""
    return [
        TableCall(name, ranks, size, kind, commutes=commutes, in_place=in_place)
        for name in dict.fromkeys(rule.collective for rule in RULES)
        for ranks in range(1, 12)
        for size in SIZES
        for commutes in (True, False)
        for in_place in (True, False)
    ]


def fits(call: TableCall, key: str) -> bool:
    """Whether the algorithm can run the call, by what the rules above name."""
    if key == "reduce/reduce_scatter_gather":
        return call.commutes and call.count >= 1 << (call.ranks.bit_length() - 1)
    if key == "alltoall/bruck":
        return not call.in_place
    return key != "allgather/recursive_doubling" or call.ranks in (1, 2, 4, 8)


@needs_prover
@pytest.mark.parametrize("shares_nodes", [False, True])
def test_a_table_says_what_the_rules_say_and_else_what_mpich_s_own_says(shares_nodes: bool) -> None:
    """On the communicators that the rules are for; its own on all others, and where an algorithm cannot run the call."""
    table = json.loads(mpich_rules.texts(RULES, shares_nodes)[mpich_rules.FILE])
    own = plain("generic")
    assert list(table) == list(own)
    for kind in ("flat", "parent", "node_roots", "node"):
        for call in calls(kind):
            rule = chosen(RULES, (call.collective, call.ranks, call.bytes))
            takes = bool(rule and rule.key and fits(call, rule.key) and kind == ("parent" if shares_nodes else "flat"))
            expected = NAMES[rule.key] if rule and takes else leaf(own, call)
            assert leaf(table, call) == expected, call
    untouched = [name for name in own if name.partition("=")[2] not in {rule.collective for rule in RULES}]
    assert all(table[name] == mpich_rules.own("generic")[name] for name in untouched)
    assert all(table[name]["comm_type=inter"] == own[name]["comm_type=inter"] for name in own if name not in untouched)


@needs_prover
def test_rules_of_a_collective_as_mpich_reads_them(golden: Callable[[str, str], None]) -> None:
    table = json.loads(mpich_rules.texts(RULES[:3], False)[mpich_rules.FILE])
    golden("mpich_bcast", json.dumps(table["collective=bcast"], indent=1) + "\n")


@needs_prover
def test_a_ruled_call_is_not_split_on_nodes_of_several_ranks() -> None:
    """By the device's table, whose own choice stands for all else."""
    made = mpich_rules.texts(RULES, True)
    assert list(made) == [mpich_rules.FILE, mpich_rules.DEVICE] and list(mpich_rules.texts(RULES, False)) == [
        mpich_rules.FILE
    ]
    table, own = json.loads(made[mpich_rules.DEVICE]), plain("ch4")
    undivided = 0
    for call in calls("parent"):
        rule = chosen(RULES, (call.collective, call.ranks, call.bytes))
        takes = bool(rule and rule.key and fits(call, rule.key) and call.collective in mpich_rules.FLAT)
        expected = f"composition={mpich_rules.FLAT[call.collective]}" if takes else leaf(own, call)
        assert leaf(table, call) == expected, call
        undivided += takes and leaf(own, call) != expected
    assert undivided > 100


def test_a_number_of_ranks_means_the_same_wherever_it_is_put() -> None:
    """comm_size<8 is less than 8 where it is answered once for a communicator, and at most 8 behind a question of the call's."""
    made = mpich_rules.own("generic")
    assert "comm_size<=7" in made["collective=bcast"]["comm_type=intra"]
    assert "comm_size<=8" in made["collective=alltoall"]["comm_type=intra"]["is_sendbuf_inplace=no"]
    assert "comm_size<8" not in json.dumps(made)
    for call in calls("flat"):
        assert leaf(made, call) == leaf(plain("generic"), call)


@needs_prover
def test_every_key_is_one_of_the_catalogue_and_has_a_name_there() -> None:
    known = registry.load()
    target = targets.find("mpich-4.3")
    for collective in target.collectives:
        for key in target.keys(collective):
            assert known.resolve(key) == (collective, key)
            assert mpich.written(key, 8).name.lower().startswith(f"{collective}_intra_")


@needs_prover
@pytest.mark.parametrize(
    "collective", sorted(mpich.KEYS.keys() - {"alltoall"})
)  # whose own table asks for a block's size
def test_a_rule_asks_for_the_size_that_mpichs_own_table_asks_for(collective: str) -> None:
    name, rule = f"collective={collective}", Rule(collective, (2, 4), (0, 99), mpich.KEYS[collective][0])
    trees = mpich_rules.tables([rule], False)[mpich_rules.FILE][name], mpich_rules.own("generic")[name]
    (ruled, own) = ({*re.findall(r'"(\w+_msg_size)<', json.dumps(tree))} for tree in trees)
    assert ruled == own


def test_an_algorithm_fits_where_its_needs_hold() -> None:
    """A cut needs an element per rank of the largest power of two; some need a power of two of ranks; others need nothing of these."""
    cut = ("reduce/reduce_scatter_gather", "allreduce/reduce_scatter_allgather")
    for key in cut:
        for ranks, least in ((1, 1), (2, 2), (7, 4), (8, 8), (9, 8)):
            assert mpich.fits(key, ranks, least) and not mpich.fits(key, ranks, least - 1), (key, ranks)
    for key in ("allgather/recursive_doubling", "reduce_scatter_block/butterfly"):
        assert [p for p in range(1, 10) if mpich.fits(key, p, 0)] == [1, 2, 4, 8]
    for key in ("bcast/linear", "allgather/bruck", "alltoall/bruck", "reduce_scatter/pairwise"):
        assert all(mpich.fits(key, p, 0) for p in range(1, 10))


def test_a_tree_is_written_with_its_children() -> None:
    """A flat tree has all other ranks, a chain one, and what is not given must not be left to chance."""
    children = {"bcast/linear": 7, "bcast/pipeline[s=0]": 1, "bcast/hierarchical_nary[levels=flat,n=3]": 3}
    for key, number in children.items():
        made = mpich.written(key, 8)
        assert made.name == "Bcast_intra_tree" and f"k={number}" in made.parameters, key
        assert "is_non_blocking=1" in made.parameters
    flat = mpich.written("allreduce/linear", 8)
    assert "k=7" in flat.parameters and {"chunk_size=0", "buffer_per_child=0"} < set(flat.parameters)
    assert flat.needs == (mpich.COMMUTES,)
    for key in ("bcast/linear", "allreduce/linear"):
        assert "k=1" in mpich.written(key, 1).parameters, "on one rank, too, a tree has a width"


def test_a_file_never_ends_with_its_last_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """There would be no zero behind it in memory."""
    length = len(mpich_rules.texts([], False)[mpich_rules.FILE])
    monkeypatch.setattr(mpich_rules, "PAGE", length)
    assert len(mpich_rules.texts([], False)[mpich_rules.FILE]) == length + 1


@needs_prover
def test_a_size_that_the_table_cannot_say_is_refused() -> None:
    with pytest.raises(UserError, match=r"bcast for 2147483648 bytes: MPICH's file says sizes up to 2147483647"):
        mpich_rules.texts([Rule("bcast", (2, 2), (0, 2**31), "bcast/linear")], False)


def test_a_shell_has_the_words(tmp_path: Path) -> None:
    folder = tmp_path / "it's here"
    (tmp_path / "words.sh").write_text(mpich_rules.script(folder, True, "of a test"), encoding="utf-8")
    command = ["sh", "-c", '. "$0" && env', str(tmp_path / "words.sh")]
    done = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={folder}/mpich.json\n" in done
    assert f"MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE={folder}/mpich_ch4.json\n" in done
    assert "CH4" not in mpich_rules.script(folder, False, "of a test")


@needs_prover
def test_a_version_whose_table_is_not_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"MPICH 5\.0's table of decisions is not known here.*: --for mpich-4\.3"):
        targets.find("mpich-5.0")
    with pytest.raises(UserError, match=r"MPICH 4\.30's table of decisions is not known here"):
        targets.find("mpich-4.30")
    monkeypatch.setattr(targets.library.shutil, "which", lambda name: None)
    with pytest.raises(UserError, match=r"--for mpich: no MPICH is installed .*: --for mpich-4\.3"):
        targets.find("mpich")


@needs_prover
@pytest.mark.full
def test_messages_show_whether_mpich_follows_a_file(tmp_path: Path) -> None:
    """With the file every rule is followed; with MPICH's own table in its place each is named."""
    for name, text in mpich_rules.texts(RULES, False).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = verify.of_mpich(mpich_twins.library(), tmp_path, RULES, mpich.DECISION, {3: 3, 4: 4})
    assert all(v.is_right for v in found), [str(v) for v in found if not v.is_right]
    assert {v.rule for v in found} == {*RULES, None}
    (tmp_path / mpich_rules.FILE).write_text(mpich_rules.texts([], False)[mpich_rules.FILE], encoding="utf-8")
    lost = verify.of_mpich(mpich_twins.library(), tmp_path, RULES, mpich.DECISION, {3: 3})
    assert "rule for 2 to 3 ranks, 1001 to 65536 bytes: " in "\n".join(str(v) for v in lost if not v.is_right)


@pytest.mark.full
@needs_prover
def test_a_program_that_knows_of_nothing_takes_what_the_rules_say(tmp_path: Path) -> None:
    """As it is built and started by anybody, with the words of mpich.sh; the messages of its calls are told by their size."""
    ranks, bytes_, block = 5, 50000, 6000
    rules = [
        Rule("bcast", (4, 6), (0, 1 << 20), "bcast/linear"),
        Rule("allgather", (4, 6), (0, 1 << 20), "allgather/bruck"),
    ]
    library, environment = libraries.mpich(), mpich_messages.placement(ranks, ranks) | mpich_messages.NETWORK
    helpers = Path(__file__).parents[1] / "helpers"
    program, preloaded = tmp_path / "program", tmp_path / "sends.so"
    subprocess.run([library.mpicc, helpers / "two_collectives.c", "-o", program], check=True)
    subprocess.run(["gcc", "-shared", "-fPIC", helpers / "ucx_sends.c", "-o", preloaded, "-ldl"], check=True)
    for name, text in mpich_rules.texts(rules, False).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / mpich_rules.SCRIPT).write_text(mpich_rules.script(tmp_path, False, ""), encoding="utf-8")

    def sent(first: str, name: str) -> list[list[int]]:
        folder = tmp_path / name
        folder.mkdir()
        words = f'{first} exec "$0" -np {ranks} -genv LD_PRELOAD {preloaded} -genv SENDS {folder} {program} {bytes_} {block}'
        subprocess.run(["sh", "-c", words, library.mpirun], check=True, env=library.environment | environment)
        lines = [(folder / str(rank)).read_text(encoding="utf-8").split() for rank in range(ranks)]
        return [[n for n in map(int, of) if n >= block] for of in lines]

    def ours(*keys: str) -> list[list[int]]:
        calls = [Call(keys[0], "bcast", bytes_, elem=1), Call(keys[1], "allgather", block, elem=1)]
        own = own_messages(ranks, calls)
        return [[n for i in range(2) for kind, _, n in own.messages[i, r] if kind == "S"] for r in range(ranks)]

    assert sent(f". {tmp_path / mpich_rules.SCRIPT};", "ruled") == ours(*(rule.key for rule in rules))
    by_itself = (f"{mpich.DECISION}:bcast", f"{mpich.DECISION}:allgather")
    assert sent("", "by_itself") == ours(*by_itself) != ours(*(rule.key for rule in rules))


@pytest.mark.full
def test_our_copies_are_the_tables_that_mpich_has_compiled_in() -> None:
    library = (libraries.mpich().mpicc.parents[1] / "lib" / "libmpi.so.12").read_bytes()
    for name in ("generic", "ch4"):
        text = (mpich_rules.TABLES / f"{name}.json").read_text(encoding="utf-8")
        assert library.find("".join(text.split()).encode() + b"\0") > 0, name
