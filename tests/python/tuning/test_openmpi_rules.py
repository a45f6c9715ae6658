"""collscope.tuning.openmpi_rules, collscope.tuning.verify, collscope.tuning.decision_file, collscope.tuning.targets,
collscope.tuning.search: what is searched, and files say what the rules say, in the eyes of their readers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.catalogue.keys import FILE
from collscope.points.plan import Point
from collscope.tuning import decision_file, openmpi, openmpi_rules, search, targets, verify
from collscope.tuning.rules import OWN, Rule, chosen
from collscope.tuning.search import Grid
from collscope.twins.call import Compared
from collscope.twins.library import Library, find_library
from made_rows import row
from open_mpi import needs_open_mpi, needs_prover

RULES = [
    Rule("bcast", (2, 3), (0, 1000), "bcast/linear"),
    Rule("bcast", (2, 3), (1001, 65536), "bcast/chain[chains=2,s=1024]"),
    Rule("bcast", (4, 5), (0, 65536), OWN),
    Rule("allgather", (3, 5), (0, 99), "allgather/bruck"),
    Rule("allgather", (3, 5), (100, 65536), "allgather/bucket"),
]


def read(text: str, series: str) -> dict[int, dict[int, list[list[int]]]]:
    """As coll/tuned reads a file: collective → communicator size → (size, algorithm, fan-out, segment)."""
    version, _, rest = text.partition("\n") if series == "5.0" else ("", "", text)
    assert version == ("rule-file-version-2" if series == "5.0" else "")
    words = re.sub("#.*", "", rest).split()
    assert all(word == "0" or not word.startswith("0") for word in words)  # else they are octal
    numbers = iter(map(int, words))
    line = 5 if series == "5.0" else 4
    made: dict[int, dict[int, list[list[int]]]] = {}
    for _ in range(next(numbers)):
        sets = made.setdefault(next(numbers), {})
        for _ in range(next(numbers)):
            ranks = next(numbers)
            sets[ranks] = [[next(numbers) for _ in range(line)][:4] for _ in range(next(numbers))]
            assert sets[ranks][0][0] == 0
    assert not list(numbers)
    return made


def taken(sets: dict[int, list[list[int]]], ranks: int, size: int) -> list[int]:
    """Algorithm, fan-out and segment, by the largest communicator size and size that are not above the call's."""
    below = [p for p in sets if p <= ranks] or [min(sets)]
    return [line for line in sets[max(below)] if line[0] <= size][-1][1:]


@needs_prover
@pytest.mark.parametrize("series", ["4.1", "5.0"])
def test_open_mpi_reads_the_rules_that_were_written(series: str) -> None:
    """And its own choice, algorithm 0, for all calls that no rule speaks of."""
    made = read(openmpi_rules.text(RULES, series, "of a test\nof 2 lines"), series)
    meant = {
        "bcast/linear": [1, 0, 0],
        "bcast/chain[chains=2,s=1024]": [2, 2, 1024],
        "allgather/bruck": [2, 0, 0],
        "allgather/bucket": [4, 0, 0],
    }
    for name, number in (("bcast", 7), ("allgather", 0)):
        for ranks in range(2, 9):
            for size in (0, 1, 99, 100, 1000, 1001, 65536, 65537):
                rule = chosen(RULES, (name, ranks, size))
                expected = meant[rule.key] if rule and rule.key else [0, 0, 0]
                assert taken(made[number], ranks, size) == expected


def test_a_shell_has_the_words_and_misses_a_file_that_open_mpi_would_not(tmp_path: Path) -> None:
    file = tmp_path / "it's here" / "rules"
    (tmp_path / "words.sh").write_text(openmpi_rules.script(file, without_han=True), encoding="utf-8")
    command = ["sh", "-c", '. "$0" && env', str(tmp_path / "words.sh")]
    lost = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{file}: not there" in lost.stderr
    assert f"OMPI_MCA_coll_tuned_dynamic_rules_filename={file}\n" in lost.stdout
    assert "OMPI_MCA_coll=^han\n" in lost.stdout
    file.parent.mkdir()
    file.touch()
    assert not subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert "OMPI_MCA_coll=" not in openmpi_rules.script(file, without_han=False)


@needs_prover
@needs_open_mpi
def test_messages_show_whether_open_mpi_follows_a_file(tmp_path: Path) -> None:
    """With the file every rule is followed; with none, which it ignores silently, each is named."""
    library, there = find_library(), openmpi.installed()
    assert there
    file = tmp_path / "rules"
    file.write_text(openmpi_rules.text(RULES, there.series, ""), encoding="utf-8")
    found = verify.open_mpi(library, file, RULES, there.decision, [3, 4], False)
    assert all(v.is_right for v in found), [str(v) for v in found if not v.is_right]
    assert {v.rule for v in found} == {*RULES, None}
    lost = verify.open_mpi(library, tmp_path / "nothing", RULES, there.decision, [3], False)
    assert "rule for 2 to 3 ranks, 1001 to 65536 bytes: " in "\n".join(str(v) for v in lost if not v.is_right)


@needs_prover
def test_rules_are_verified_on_their_ranks_and_the_next_number_at_both_edges() -> None:
    """Floats: the first, a middle and the last of a rule, and the next behind it; an allgather's are of one of three blocks."""
    bcast = [("bcast", count) for count in (125, 250, 251, 8317, 16384, 16385)]
    assert [verify.edges(RULES[:2], ranks, lambda _: 4) for ranks in range(1, 6)] == [[], bcast, bcast, bcast, []]
    assert verify.edges(RULES[3:4], 3, lambda _: 4) == [("allgather", count) for count in (4, 8, 9)]


@needs_prover
def test_our_reader_reads_the_rules_that_were_written(tmp_path: Path) -> None:
    rules = [rule for rule in RULES if rule.collective == "bcast"]
    file = tmp_path / "my.rules"
    file.write_text(decision_file.text(rules, "of a test"), encoding="utf-8")
    assert verify.decision_file(f"{FILE}{file}", rules, [2, 3, 4, 5]) == []
    other = [Rule("bcast", (2, 3), (0, 1001), "bcast/linear")]
    assert verify.decision_file(f"{FILE}{file}", other, [2, 3]) == other


# ---- what is searched ---------------------------------------------------------------------------------------


@needs_prover
def test_a_target_has_what_its_library_has_and_its_rules_can_say() -> None:
    four, five, ours = (targets.find(name) for name in ("openmpi-4.1", "openmpi-5.0", "collscope"))
    assert "allgather/sparbit" in five.keys("allgather")
    assert "allgather/sparbit" not in four.keys("allgather")
    assert "bcast/chain[chains=8,s=65536]" in four.keys("bcast")
    assert {k for k in four.keys("bcast") if k.startswith("bcast/knomial")} == {
        f"bcast/knomial[k=4,s={s}]" for s in targets.SEGMENTS
    }
    assert not [
        k for k in four.keys("allreduce") if "nonoverlapping" in k
    ]  # made of others, which have rules of their own
    assert {registry.stem_of(k) for k in ours.keys("bcast")} == {a.key for a in registry.load().of("bcast")}


@needs_prover
def test_sizes_are_those_that_the_reader_compares() -> None:
    four, ours = targets.find("openmpi-4.1"), targets.find("collscope")
    assert [t.bytes("allgather", 4096, 8) for t in (four, ours)] == [4096, 512]
    assert [t.bytes("bcast", 4096, 8) for t in (four, ours)] == [4096, 4096]


@pytest.mark.parametrize("name", ["openmpi-6.0", "openmpi-3.1", "another"])
def test_a_format_that_is_not_known_is_refused_with_those_that_are(name: str) -> None:
    with pytest.raises(UserError, match="openmpi-4.1"):
        targets.find(name)


def test_no_library_is_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openmpi, "installed", lambda: None)
    with pytest.raises(UserError, match=r"no Open MPI is installed; install openmpi-bin, or name a version: "):
        targets.find("openmpi")


def test_ranks_and_sizes_between_the_samples_are_held_out() -> None:
    few = Grid.of(range(2, 9), (4, 8, 16))
    assert (few.ranks, few.other_ranks, few.other_sizes) == ((2, 3, 4, 5, 6, 7, 8), (), (5, 11))
    many = Grid.of(range(2, 65), (4, 16))
    assert many.ranks == (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
    assert many.other_ranks == (5, 7, 10, 14, 20, 28, 40, 56)


@needs_prover
def test_a_size_that_was_rounded_to_whole_blocks_is_a_sample() -> None:
    """On three ranks an allgather of floats has multiples of twelve bytes, a broadcast of four."""
    rows = [
        row(collective=key.partition("/")[0], algorithm=key, ranks=3, bytes=size, type="float", seconds=1e-6)
        for key, sizes in (("allgather/bruck", (12, 1020, 504)), ("bcast/binomial", (16, 1024, 1020)))
        for size in sizes
    ]
    times = search.times_of(rows, targets.find("openmpi-4.1"), Grid((3,), (16, 1024), (), (512,)))
    assert times.held_out == {("allgather", 3, 504), ("bcast", 3, 1020)}


@needs_prover
@pytest.mark.parametrize(
    ("size", "segment", "is_tried"),
    [(1024, 0, True), (1024, 1024, False), (1028, 1024, True), (1024, 4, True), (1028, 4, False)],
)
def test_a_segment_is_tried_that_is_shorter_than_the_vector_and_not_too_short(
    size: int, segment: int, is_tried: bool
) -> None:
    point = Point("bcast", f"bcast/binomial[s={segment}]", size // 4, type="float")
    assert search.competes(point, 4) == is_tried


@needs_prover
@pytest.mark.parametrize(
    ("part", "last", "compared"), [(OWN, 1 << 24, 2), ("reduce/linear", 1 << 24, 0), ("reduce/linear", 1199999, 2)]
)
def test_a_collective_that_the_library_makes_of_others_is_compared_unless_a_rule_changes_those(
    part: str, last: int, compared: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large reduce_scatter_block of three ranks is a reduce and a scatter of its 1,200,000 bytes there."""
    monkeypatch.setattr(verify.judge, "compare", lambda _, ranks, calls: [Compared(ranks, c, "same") for c in calls])
    of_parts = Rule("reduce_scatter_block", (3, 3), (1200000, 1200000), OWN)
    rules = [of_parts, Rule("reduce", (3, 3), (0, last), part)]
    found = verify.open_mpi(Library("", ""), tmp_path / "rules", rules, "decision/ompi_4_1", [3], False)
    assert sum(v.compared.call.collective == of_parts.collective for v in found) == compared
