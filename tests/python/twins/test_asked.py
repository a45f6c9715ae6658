"""collscope.twins.calls, collscope.twins.differences, collscope.twins.judge:
what is asked of both sides, call by call, and what is told of the answers: without a library."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.twins import calls, differences, judge, library, messages, records, text
from collscope.twins.call import REFUSAL, Call, Compared, Messages
from open_mpi import needs_prover

PIPELINE, PARTS = "bcast/pipeline[s=64]", "allreduce/nonoverlapping"


def parts(reduce: str, reduce_s: int, bcast: str, bcast_s: int = 0) -> str:
    return f"{PARTS}[reduce={reduce},reduce_s={reduce_s},bcast={bcast},bcast_s={bcast_s}]"


# ---- which variants, sizes and variables ---------------------------------------------------------------------


@needs_prover
def test_the_variants_of_a_key() -> None:
    """The defaults, every combination, and each part."""

    def of(key: str) -> list[str]:
        a = registry.load().algorithm(key)
        assert a
        return [made.removeprefix(key) for made in calls.variants(a)]

    assert of("barrier/tree") == [""]
    assert of("bcast/binomial") == ["[s=0]", "[s=1000]", "[s=1024]"]
    assert of("gather/linear_sync") == ["[first=1024]", "[first=0]"]
    assert of("alltoall/linear_sync") == ["[max_requests=0]", "[max_requests=1]", "[max_requests=3]"]
    assert of("bcast/chain") == [
        "[chains=4,s=0]", *(f"[chains={n},s={s}]" for n in (1, 3, 4) for s in (0, 1000, 1024) if (n, s) != (4, 0)),
    ]  # fmt: skip
    radixes = {made.split("k=")[1].split(",")[0] for made in of("bcast/knomial")}
    assert radixes == {"2", "3", "4", "8"}
    reduces = ("linear", "pipeline", "binary", "in_order_binary", "rabenseifner")
    bcasts = ("linear", "pipeline", "binary", "split_binary", "knomial", "scatter_recursive_doubling")
    assert [PARTS + made for made in of(PARTS)] == [
        parts("binomial", 0, "binomial"),
        *(parts(name, 0, "binomial") for name in reduces), *(parts("binomial", s, "binomial") for s in (1000, 1024)),
        *(parts("binomial", 0, name) for name in bcasts), *(parts("binomial", 0, "binomial", s) for s in (1000, 1024)),
    ]  # fmt: skip


@needs_prover
@pytest.mark.parametrize(
    ("key", "variables"),
    [
        ("bcast/chain[chains=3,s=64]", {"bcast_algorithm": 2, "bcast_algorithm_chain_fanout": 3, "bcast_algorithm_segmentsize": 64}),
        ("bcast/knomial[k=3,s=8]", {"bcast_algorithm": 7, "bcast_algorithm_knomial_radix": 3, "bcast_algorithm_segmentsize": 8}),
        ("gather/linear_sync[first=9]", {"gather_algorithm": 3, "gather_algorithm_segmentsize": 9}),
        ("alltoall/linear_sync[max_requests=2]", {"alltoall_algorithm": 4, "alltoall_algorithm_max_requests": 2}),
        ("barrier/tree", {"barrier_algorithm": 6}),
        (parts("binary", 8, "linear"), {"allreduce_algorithm": 2, "reduce_algorithm": 4, "reduce_algorithm_segmentsize": 8,
                                        "bcast_algorithm": 1, "bcast_algorithm_segmentsize": 0}),
    ],
)  # fmt: skip
def test_a_key_is_forced_by_variables_of_open_mpi(key: str, variables: dict[str, int]) -> None:
    assert calls.forced(key) == tuple(sorted(variables.items()))


@needs_prover
def test_a_decision_is_compared_over_all_its_ranges() -> None:
    """With few ranks the last bytes of each range, too; of blocks as many as fit."""
    ranges, edges = [1 << k for k in range(19)], [(1 << k) - 1 for k in range(2, 15)]
    for ranks, expected in ((17, [*ranges, *edges]), (18, ranges)):
        made = calls.decided_calls("decision/ompi_4_1", ranks)
        assert [c.count for c in made if c.collective == "bcast" and not c.root] == expected
        assert {c.key for c in made if c.collective == "bcast"} == {"decision/ompi_4_1:bcast"}
        assert {c.root for c in made if c.collective == "bcast"} == {0, ranks - 1}
        most = (1 << 21) // ranks
        assert [c.count for c in made if c.collective == "allgather" and not c.in_place] == [
            n for n in expected if n <= most
        ]
        assert not any(c.forced for c in made)


# ---- what ran instead ----------------------------------------------------------------------------------------


@needs_prover
def test_possible_keys_begin_with_the_call_s_own_twin() -> None:
    """Twins before the others, the call's own first: as usual, with its own segment, in a single chain; with other parts."""
    known = registry.load()
    found = list(differences.possible_keys(Call(PIPELINE, "bcast", 100), {}))
    twins = [(label, key) for label, key in found if (a := known.algorithm(key)) and a.twin]
    assert twins == found[: len(twins)] == [
        ("bcast/pipeline", "bcast/pipeline[s=65536]"), ("bcast/pipeline", PIPELINE), ("bcast/linear", "bcast/linear"),
        ("bcast/chain", "bcast/chain[chains=4,s=0]"), ("bcast/chain[s=s]", "bcast/chain[chains=4,s=64]"),
        ("bcast/chain[chains=1,s=s]", "bcast/chain[chains=1,s=64]"),
        ("bcast/split_binary", "bcast/split_binary[s=0]"), ("bcast/split_binary[s=s]", "bcast/split_binary[s=64]"),
        ("bcast/binary", "bcast/binary[s=0]"), ("bcast/binary[s=s]", "bcast/binary[s=64]"),
        ("bcast/binomial", "bcast/binomial[s=0]"), ("bcast/binomial[s=s]", "bcast/binomial[s=64]"),
        ("bcast/knomial", "bcast/knomial[k=4,s=0]"), ("bcast/knomial[s=s]", "bcast/knomial[k=4,s=64]"),
        ("bcast/scatter_recursive_doubling", "bcast/scatter_recursive_doubling"), ("bcast/scatter_ring", "bcast/scatter_ring"),
    ]  # fmt: skip
    assert "bcast/mst" in dict(found) and not any("[]" in label for label, _ in found)
    usual, decided = parts("binomial", 0, "binomial"), parts("binary", 8, "linear")
    split = list(
        differences.possible_keys(
            Call(parts("binomial", 8, "binomial"), "allreduce", 1), {PARTS: [decided], "x": ["y"]}
        )
    )
    of_parts = [(label.removeprefix(PARTS), key) for label, key in split if label.startswith(PARTS)]
    assert of_parts[:2] == [("", usual), ("", parts("binomial", 8, "binomial"))]
    assert of_parts[-1] == (" (its parts by decision)", decided) and len(of_parts) == 2 + (6 * 7 - 1) + 1
    assert ("[reduce=linear]", parts("linear", 8, "binomial")) in of_parts
    assert ("[reduce=binary,bcast=knomial]", parts("binary", 8, "knomial")) in of_parts


@needs_prover
def test_an_operator_may_be_taken_for_one_that_commutes() -> None:
    requests = Call("reduce/binomial[s=0]", "reduce", 9, 2, commutes=False, in_place=True)
    found = list(differences.alternatives(requests, {}))
    plain = [(label, call) for label, call in found if "commuted" not in label]
    assert all((c.count, c.root, c.commutes, c.in_place, c.forced) == (9, 2, False, True, ()) for _, c in plain)
    assert requests.key not in [c.key for _, c in plain], "it is what could not be run"
    ignored = [
        (label.removesuffix(" (as if it commuted)"), c) for label, c in found if label.endswith(" (as if it commuted)")
    ]
    assert {c.commutes for _, c in ignored} == {True} and len(plain) + len(ignored) == len(found)
    assert [label for label, _ in ignored][:2] == ["reduce/binomial"] * 2 and len(ignored) == len(plain) + 2
    assert len(list(differences.alternatives(replace(requests, commutes=True), {}))) == len(plain)


S1: Messages = [("S", 1, 8)]
S2: Messages = [("S", 2, 8)]


def compared(
    ranks: int, count: int, key: str = PIPELINE, why: str = "no", theirs: tuple[Messages, ...] = (S1, [])
) -> Compared:
    return Compared(ranks, Call(key, "bcast", count), "unsupported", text=why, theirs=theirs)


def test_a_key_that_sends_the_same_explains_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call's own alternatives, one launch for each number of ranks; a refusal explains itself."""
    requests: list[tuple[int, list[str]]] = []
    sent = {"a": (S1, []), "b": (S2, []), "c": (S1, []), "refused": (S1, [])}

    def own(ranks: int, made: list[Call]) -> messages.Own:
        requests.append((ranks, [call.key for call in made]))
        answers = {(i, r): sent[call.key][r] if r < 2 else [] for i, call in enumerate(made) for r in range(ranks)}
        return messages.Own(
            messages=answers, unsupported={i: messages.Unsupported("", "") for i, c in enumerate(made) if c.key == "c"}
        )

    monkeypatch.setattr(differences, "decided_keys", lambda ranks: {})
    monkeypatch.setattr(differences, "own_messages", own)
    monkeypatch.setattr(differences, "alternatives", lambda call, _: [(f"as {k}", replace(call, key=k)) for k in "abc"])
    found = [
        compared(3, 1, theirs=(S1, [], [])),
        compared(2, 1, theirs=(S2, [])),
        compared(2, 2, theirs=(S2, S2)),
        compared(2, 3, theirs=(REFUSAL, S1)),
    ]
    message = differences.explanations(found)
    assert [message[id(c)] for c in found] == [["as a"], ["as b"], [], [differences.REFUSED]]
    assert requests == [(2, [*"abcabc"]), (3, [*"abc"])]


@needs_prover
def test_a_row_for_each_thing_that_ran_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c = compared(4, 3), compared(4, 300), compared(5, 3)
    other, early = compared(4, 7, why="never"), compared(4, 7, "bcast/linear", "never")
    why = {id(a): ["x"], id(b): ["x", "y"], id(c): ["y"], id(other): ["y"], id(early): ["x"]}
    monkeypatch.setattr(differences, "explanations", lambda found: why)
    rows = differences.differences("4.1.4", [c, a, other, b, early])
    twin = {"collective": "bcast", "library": "Open MPI", "version": "4.1.4"}
    mine = twin | {"key": "bcast/pipeline", "number": "3"}
    assert rows == [
        twin | {"key": "bcast/linear", "number": "1", "condition": "never", "runs": "x", "calls": "1", "ranks": "4", "counts": "7"},
        mine | {"condition": "never", "runs": "y", "calls": "1", "ranks": "4", "counts": "7"},
        mine | {"condition": "no, an even number of ranks", "runs": "x", "calls": "1", "ranks": "4", "counts": "3"},
        mine | {"condition": "no, an odd number of ranks", "runs": "y", "calls": "2", "ranks": "4,5", "counts": "3..300"},
    ]  # fmt: skip
    assert [tuple(row) for row in rows] == [records.COLUMNS["differences"]] * 4


def test_two_sides_in_words() -> None:
    """The first rank whose messages differ, its first eight; a pair that gets other bytes before an order that differs."""
    many: Messages = [("S", k, 1) for k in range(9)]
    found = judge.judge([S1, many], [S1, S2], "MPICH", judge.same_sends)
    assert found == ("different", f"rank 1: MPICH {many[:8]}, here {S2}")
    swapped = [*many[1:2], *many[:1], *many[2:]]
    assert judge.judge([many, S1], [swapped, S2], "M", judge.same_sends)[1].startswith("rank 1: ")
    found = judge.judge([S1, many], [S1, swapped], "M", judge.same_sends)
    assert found == ("order", f"rank 1: M {many[:8]}, here {swapped[:8]}")
    assert judge.by_peer([("S", 1, 8), ("R", 1, 5), ("S", 2, 3), ("S", 1, 4)]) == {1: [8, 4], 2: [3]}
    assert judge.alike([S1, S2], [S1, S2]) and not judge.alike([S1, S2], [S1, S1])


# ---- programs ------------------------------------------------------------------------------------------------


def test_the_library_is_started_with_the_plan_and_its_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    def call(_: library.Library, *words: str | Path) -> str:
        started.append([str(word) for word in words])
        assert (Path(words[-2])).read_text() == messages.plan_text(requests)
        for rank in range(2):
            Path(f"{words[-1]}.{rank}").write_text(f"0 S{rank}:4 R-1:8\n1\n")
        return ""

    monkeypatch.setattr(library.Library, "call", call)
    monkeypatch.setattr(messages, "compiled", lambda _: Path("program"))
    of = library.Library("mpicc", "mpirun")
    usual = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    own, forcing = ["--mca", "coll", "^hcoll,ucc"], ["--mca", "coll_tuned_use_dynamic_rules", "1"]
    for force, every, more in (((), False, own), ((("bcast_algorithm", 1),), False, [*own, *forcing]), ((), True, [])):
        requests = [Call("bcast/linear", "bcast", 1), Call("bcast/linear", "bcast", 0, forced=force)]
        found = messages.library_messages(of, 2, requests, every_component=every)
        assert started[-1][:-2] == [*usual, *more, "-np", "2", "program"]
        assert found == {(0, r): [("S", r, 4), ("R", -1, 8)] for r in range(2)} | {(1, r): [] for r in range(2)}


def test_errors_of_a_library_s_program_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    of = library.Library("mpicc", "mpirun", {"MINE": "x"})
    script = 'echo "$MINE $OMPI_ALLOW_RUN_AS_ROOT $OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"'
    assert of.call("sh", "-c", script) == "x 1 1\n"
    for script, message in (("echo out; echo ' err ' >&2; exit 3", "err"), ("echo out; exit 3", "out")):
        with pytest.raises(UserError, match=f"^sh failed: {message}$"):
            of.call("/bin/sh", "-c", script)
    with pytest.raises(UserError, match=r"^/no/such: No such file or directory$"):
        of.call("/no/such")

    def never(*_: Any, **options: Any) -> None:
        raise subprocess.TimeoutExpired("x", options["timeout"])

    monkeypatch.setattr(library.programs, "answer", never)
    with pytest.raises(UserError, match=r"^mpirun: no end after 1200 s$"):
        of.call("/usr/bin/mpirun")


@pytest.mark.parametrize(("version", "known"), [("3.1.9", 0), ("4.0.7", 1), ("4.1.4", 1), ("4.2.0", 0), ("5.0.1", 1)])
def test_versions_whose_insides_are_known(version: str, known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library.Library, "version", version)
    of = library.Library("mpicc", "mpirun")
    if known:
        of.check()
        return
    message = f"^Open MPI {version}: its insides are not known here; known: 4.0, 4.1, 5.0$"
    with pytest.raises(UserError, match=message):
        of.check()


def test_without_mpi_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for there in ((), ("mpicc",), ("mpirun",)):
        monkeypatch.setattr(library.shutil, "which", lambda name: name if name in there else None)  # noqa: B023
        with pytest.raises(UserError) as error:
            library.find_library()
        assert str(error.value) == (
            "mpicc, mpirun: not found; install openmpi-bin and libopenmpi-dev, or name a folder: --mpi"
        )
    monkeypatch.setattr(library.shutil, "which", lambda name: f"/x/{name}")
    assert library.find_library() == library.Library("/x/mpicc", "/x/mpirun")


def test_replies_of_our_own_program_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "collscope-recorded"
    monkeypatch.setattr(messages.programs, "RECORDED", program)
    with pytest.raises(UserError, match=f"^{program}: No such file or directory; run ./collscope doctor$"):
        messages.recorded("")
    answers = "0 key bcast/a\\n0 0 S1:4\\n0 1 R0:4\\n1 - too few\\ttake more\\n2 - alone\\n"
    for body, message in ((f"printf '{answers}'", ""), ("echo ' why ' >&2; exit 4", "why"), ("exit 4", "4")):
        program.write_text(f'#!/bin/sh\ntest "$1" = keys || exit 9\n{body}\n')
        program.chmod(0o755)
        if message:
            with pytest.raises(UserError, match=f"^collscope-recorded failed: {message}$"):
                messages.recorded("", "keys")
    program.write_text(f"#!/bin/sh\ncat > {tmp_path}/asked\nprintf '{answers}'\n")
    own = messages.own_messages(3, [Call("bcast/a", "bcast", 5, 1, in_place=True), Call("bcast/b", "bcast", 0)])
    assert (tmp_path / "asked").read_text() == "0 bcast/a 3 5 1 1 1\n1 bcast/b 3 0 0 1 0\n"
    assert own.keys == {0: "bcast/a"} and own.messages == {(0, 0): [("S", 1, 4)], (0, 1): [("R", 0, 4)]}
    assert own.unsupported == {1: messages.Unsupported("too few", "take more"), 2: messages.Unsupported("alone", "")}


# ---- what is told of a twin ----------------------------------------------------------------------------------


@needs_prover
def test_a_twin_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    known = registry.load()
    monkeypatch.setattr(records, "recorded", lambda: ([], []))
    twin, alone = known.by_key["bcast/chain"], known.by_key["bcast/mst"]
    assert (text.twin(twin), text.number(twin)) == ("Open MPI: bcast 2; not compared yet", 2)
    assert (text.twin(alone), text.number(alone)) == ("none", 0)
    for versions, message in ((("4", "4"), ["x", "y"]), (("4", "5"), ["x (4)", "y (5)"])):
        rows_ = [("if", "x", versions[0]), ("else", "y", versions[1])]
        monkeypatch.setattr(records, "instead", lambda key: rows_ if key == "bcast/chain" else [])  # noqa: B023
        assert text.instead(twin) == list(zip(("if", "else"), message, strict=True)) and not text.instead(alone)
