"""prove, model: what the prover's programs reply to odd calls, and with which message they refuse what cannot be.

Plans, --ranks and --decide are in tests/prove/plans.sh, too; messages that are there are not here.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")

PLACES = "".join(f"place {r} {r // 3} {r // 3} {r // 2}\n" for r in range(8))
FLUID = f"""ports fluid
control 16
eager 2000
gamma 1e-10
copy 5e-11
overhead 2e-7
first_touch 1e-10 64
in_order
nic_gap 1e-7
receive_gap network 0 1e-7 1e-10
class cache 0 2e-7 1e-10
class socket 0 3e-7 2e-10
class node 0 4e-7 2e-10
class network 0 1e-6 4e-10 1 2e-7 1e-10
class_nonblocking network 0 2e-6 4e-10
eager_nonblocking 100
noise network 0 0 0
noise network 0 0.5 1e-7
noise network 0 1 1e-6
core 6e9
memory 7e9
nic 2.5e9
switch 2.4e9
bound 1e-6 4e-10 1e-10
{PLACES}"""
SEATS = ((0, 0, 0), (0, 0, 0), (0, 0, 1), (0, 1, 2), (0, 2, 4), (1, 3, 6), (1, 5, 10), (2, 6, 12), (2, 7, 14))
INSIDE = """control 16
gamma 1e-10
level die 2 5e9
class cache 0 1e-7 1e-10
class die 0 2e-7 1.5e-10
class socket 0 3e-7 2e-10
class node 0 4e-7 2e-10
class far 0 5e-7 3e-10
class network 0 1e-6 4e-10
core 6e9
cache 8e9
memory 7e9
across 6e9
interconnect 4e9
mesh 0 1
mesh 1 2
nic_socket 1 3 1e-7
nic 2.5e9
switch 2.4e9
bound 1e-6 4e-10 1e-10
topology torus 1e-7 1.5e9 4
positions 0 2
positions 3 1
""" + "".join(f"place {r} {n} {s} {c}\n" for r, (n, s, c) in enumerate(SEATS))
ODD = (
    "algorithm=bcast/mst ranks=4 count=9 metric=loop",
    "algorithm=bcast/mst ranks=4 count=9 buffers=cold",
    "algorithm=bcast/mst ranks=4 count=900 buffers=fresh",
    "algorithm=allgather/leaders[aggregate=shm] ranks=6 count=900 buffers=fresh",
    "algorithm=bcast/builtin ranks=4 count=9",
    "algorithm=bcast/mst ranks=4 count=9 metric=osu_avg[barrier=barrier/tree] repetitions=3 warmup=2",
    "algorithm=bcast/mst ranks=4 count=9 metric=osu_avg[barrier=barrier/two_proc]",
    "algorithm=bcast/mst ranks=4 count=9 metric=osu_avg[barrier=decision/nobody]",
    "algorithm=bcast/hierarchical_unknown_root ranks=6 count=9 metric=osu_avg[barrier=barrier/tree]",
    "algorithm=bcast/mst ranks=4 count=9 metric=delay skew=linear:9e-6",
    "algorithm=gather/mst ranks=4 count=9 root=2 metric=root skew=random:1e-5:3",
    "algorithm=barrier/tree ranks=4 metric=delay skew=one_late:1e-5:2",
    "algorithm=barrier/tree ranks=4 skew=file:late",
    "algorithm=allreduce/bucket ranks=4 count=30 type=affine",
    "algorithm=decision/ompi_4_1 collective=allreduce ranks=6 count=3000",
    "algorithm=decision/rd_ring collective=gather ranks=6 count=3000",
    "algorithm=reduce/binomial ranks=7 count=3000 root=3 op=max type=double",
    "algorithm=alltoall/linear ranks=7 count=700 metric=osu_avg",
    "algorithm=scan/linear ranks=1 count=7",
    "algorithm=bcast/mst ranks=4 count=0",
)
BY_HAND = """collscope-schedule 1
call collective=bcast ranks=2 count=2
rank 0
  send out+0 8 to 1
rank 1
  recv out+0 8 from 0
  calc 1500
"""
FILES = {
    "fluid": FLUID,
    "inside": INSIDE,
    "nine": "algorithm=alltoall/linear ranks=9 count=3000\nalgorithm=allreduce/ring ranks=9 count=9000\n",
    "alone": "ports one_port\nclass network 0 1e-6 1e-9\ngamma 2e-10\ncopy 1e-10\noverhead 1e-7\nbound 1e-6 1e-9 2e-10\n",
    "wrong": "ports one_port\nspeed 3\n",
    "narrow": "class cache 0 1e-7 1e-10\nplace 0 0 0 0\nplace 1 1 1 1\n",
    "places": "0 0 0\n1 1 1\n1 1 1\n",
    "late": "3e-6\n1e-6\n2e-6\n9e-6\n",
    "odd": "".join(f"id={i} {line}\n" for i, line in enumerate(ODD)),
    "proofs": "".join(f"{line}\n" for line in ODD if "/builtin" not in line),
    "seven": "algorithm=allgather/bucket ranks=7 count=10\nalgorithm=bcast/chain[chains=2,s=16] ranks=6 count=10 root=1\n",
    "by_hand": BY_HAND,
    "deadlock": BY_HAND.replace("  send", "  recv nothing from 1\n  send").replace(
        "  calc", "  send nothing to 0\n  calc"
    ),
    "timed": "collscope-schedule 1\ncall collective=none ranks=1\nrank 0\n  calc 2500\n",
    "nobody": "algorithm=bcast/nothing ranks=4 count=1\n",
    "unranked": "\nalgorithm=bcast/mst count=1\n",
    "builtin": "algorithm=bcast/builtin ranks=4 count=1\n",
    "many": "algorithm=bcast/mst ranks=9 count=1\n",
    "ring": "algorithm=reduce_scatter/ring ranks=2 count=10\n",
    "absent_late": "algorithm=bcast/mst ranks=4 count=1 skew=file:nowhere\n",
    "beyond_late": "algorithm=bcast/mst ranks=4 count=1 skew=one_late:1:4\n",
}

# Request → how the message begins; the exit status is 2.
REFUSED = {
    "": "nothing to do",
    "--bogus": "unknown argument --bogus",
    "more": "unknown argument more",
    "--json --list more": "unknown argument more",
    "--model fluid": "--model MACHINE needs --plan FILE or --schedule FILE",
    "--sweep --algorithm bcast/nothing --ranks 2": 'unknown algorithm "bcast/nothing"',
    "--plan odd": "odd:5: bcast/builtin is the MPI library's own; it can be run, not proved",
    "--plan seven --costs --trace": "--trace is for --model only",
    "--model fluid --plan many": "many:1: ranks=9, but the machine has places for 8",
    "--model wrong --plan seven": "wrong:2: unknown line speed; known: ports control gamma copy",
    "--model absent --plan seven": "absent: No such file or directory",
    "--model alone --plan absent": "absent: No such file or directory",
    "--model alone --plan nobody": 'nobody:1: unknown algorithm "bcast/nothing"',
    "--model alone --plan absent_late": "absent_late:1: skew: nowhere: No such file or directory",
    "--model alone --plan beyond_late": "beyond_late:1: skew: one_late: there is no rank 4 among 4",
    "--model narrow --plan seven": "seven:1: ranks=7, but the machine has places for 2",
    "--model fluid --plan seven --noise 0": "--noise 0: give a number of draws from 1 to 100000",
    "--model fluid --plan seven --noise x": "--noise x: give a number of draws from 1 to 100000",
    "--model fluid --plan seven --noise 99999999999": "--noise 99999999999: give a number of draws from 1 to 100000",
    "--model fluid --plan seven --bundle-after x": "--bundle-after x: give a number of shares, 0: where it pays",
    "--bundle-after 3 --decide": "--bundle-after is for --model only",
    "--counts 1, --sweep": "--counts 1,: give numbers with commas between, at most 32 of them, none above 2^50",
    "--counts 1125899906842625 --sweep": "--counts 1125899906842625: give numbers with commas between, at most 32 of them, none above 2^50",
    "--sweep --ranks 2" + 400 * " --algorithm bcast/mst": "at most 64 times --algorithm",
    "--schedule timed": "timed: collective=none promises nothing that could be proved; time it with --model",
    "--schedule": "--schedule needs a value",
    "--schedule by_hand --costs": "--costs is for --plan only",
    "--schedule by_hand --plan seven": "--plan is not for --schedule",
    "--model alone --schedule by_hand --write": "--write is for --plan, not for --schedule",
    "--model alone --schedule by_hand --plan seven": "--model MACHINE needs --plan FILE or --schedule FILE",
    "--model alone --schedule timed --holdings": "timed: collective=none: what ranks hold is not known",
    "--model alone --write --plan seven": "seven: --write is for a plan of one point",
    "--model alone --write --plan builtin": "bcast/builtin: builtin is the MPI library's own: it can be run, not modelled",
    "--write --plan many": "--write is for --model only",
    "--trace --plan seven": "--trace is for --model only",
    "--costs --model alone --plan seven": "--costs is for --plan only",
    "--holdings --sweep": "--holdings is for --model only",
    "--explain --list": "--explain is for --model only",
    "--noise 3 --decide": "--noise is for --model only",
    "--decide collective=nothing ranks=3 count=1": 'unknown collective "nothing"',
    "--decide collective=bcast ranks=8 count=10 decision=decision/nobody": 'unknown decision "decision/nobody"',
    "--decide collective=bcast ranks=4194305 count=1": '--decide cannot read "ranks=4194305": give a whole number, at most 4194304',
    "--decide collective=bcast ranks=8 count=1" + 33 * " decision=decision/ompi_4_1": "at most 32 decisions",
}  # fmt: skip
# Point of ODD → why there is no time; and, by machine, the times of the others.
UNSUPPORTED = {
    0: "the model times one call; use a metric other than loop",
    1: "the model has no cold buffers; take warm or fresh ones",
    4: "builtin is the MPI library's own: it can be run, not modelled; use a decision/… of that library",
    6: "needs two ranks",
    7: 'unknown decision "decision/nobody"',
    8: "receives from any source, which could take a message of the next barrier; take osu_avg without one",
    13: "needs an operator that commutes",
    15: "decision/rd_ring has no rule for gather on 6 ranks with 12000 bytes",
}
TIMES = {
    "fluid": {
        2: 3.46e-06, 3: 2.1506019e-05, 5: 4.09e-07, 9: 3.036e-07, 10: 6.34484454e-06, 11: 2.9e-06, 12: 1.18e-05,
        14: 3.05320762e-05, 16: 2.79684444e-05, 17: 1.58648303e-05, 18: 1.4e-09, 19: 0.0,
    },
    "alone": {
        2: 9.2e-06, 3: 2.386e-05, 5: 2.072e-06, 9: 1.036e-06, 10: 7.13484454e-06, 11: 4e-06, 12: 1.2e-05,
        14: 5.37e-05, 16: 8.46e-05, 17: 2.318e-05, 18: 2.8e-09, 19: 0.0,
    },
}  # fmt: skip
# A call on standard input of collscope-recorded → what it prints, or its message (status 1).
KEYS = {
    "a bcast/linear 4 10 0 1 0": "a key bcast/linear",
    "b reduce/chain 4 10 0 0 0": "b - needs an operator that commutes",
    "c decision/ompi_4_1:alltoall 3 10 0 1 0 8": "c key alltoall/linear_sync[max_requests=0]",
    "l allgather/neighbor_exchange 5 4 0 1 0": "l - needs an even number of ranks\tOpen MPI takes allgather/bucket (its ring) instead",
    " ": "",
}
MESSAGES = {
    "a bcast/linear 4 10 0 1 0": "a key bcast/linear\na 0 S1:40 S2:40 S3:40\na 1 R0:40\na 2 R0:40\na 3 R0:40",
    "d gather/binomial 5 3 1 1 0": (
        "d key gather/binomial\nd 0 S1:12\nd 1 R2:12 R3:24 R0:12\nd 2 S1:12\nd 3 R4:12 S1:24\nd 4 S3:12"
    ),
}
UNREADABLE = {
    "e bcast/nothing 4 1 0 1 0": 'e: unknown algorithm "bcast/nothing"',
    "f bcast/mst 0 1 0 1 0": "f: needs a rank, and elements of a byte",
    "g bcast/mst 4 1 0 1 0 0": "g: needs a rank, and elements of a byte",
    "h decision/ompi_4_1 3 1 0 1 0": "h: a decision, and nothing else, needs a collective",
    "i bcast/mst:bcast 3 1 0 1 0": "i: a decision, and nothing else, needs a collective",
    "j decision/ompi_4_1:nothing 3 1 0 1 0": "j: a decision, and nothing else, needs a collective",
    "k bcast/mst 4": "line 1: cannot be read; write ID KEY RANKS COUNT ROOT COMMUTES IN_PLACE [ELEM]",
    "bcast/mst": "line 1: cannot be read; write ID KEY RANKS COUNT ROOT COMMUTES IN_PLACE [ELEM]",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(folder: Path, request: str, program: Path = programs.PROVER, given: str = "") -> tuple[int, str, str]:
    """Exit status, what is printed, and the message without the program's name and usage."""
    command = [program, *request.split()]
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, text=True, check=False)
    message = done.stderr.partition("\nusage: ")[0].strip().removeprefix(f"{program.name}: ")
    return done.returncode, done.stdout, message


def test_requests_that_cannot_be_are_refused_with_a_message(folder: Path) -> None:
    for request, message in REFUSED.items():
        status, printed, found = run(folder, request)
        assert (status, printed, found[: len(message) or None]) == (2, "", message), request


def replies(folder: Path, request: str, expected: int = 0) -> list[dict[str, Any]]:
    status, printed, _ = run(folder, request)
    assert status == expected, request
    return [json.loads(line) for line in printed.splitlines()]


def test_a_proof_counts_what_moves_and_lists_every_message(folder: Path) -> None:
    ring, chain = replies(folder, "--plan seven --messages")
    assert (ring["verdict"], ring["messages"], ring["bytes"], ring["copied_bytes"]) == ("proven", 42, 1680, 280)
    assert (chain["verdict"], chain["messages"], chain["bytes"], chain["rounds"]) == ("proven", 15, 200, 7)
    expected = [(r, (r + 1) % 7, 40, n, 0) for r in range(7) for n in range(1, 7)]
    assert [tuple(m.values()) for m in ring["schedule"]] == expected
    assert [tuple(m.values()) for m in chain["schedule"][:3]] == [(1, 2, 16, 1, 0), (1, 5, 16, 2, 0), (1, 2, 16, 3, 0)]
    costs = [{(c["critical_s"], c["cost_s"]) for c in r["costs"][:3]} for r in replies(folder, "--plan seven --costs")]
    assert costs == [{(6, 6), (240, 240), (0, 0)}, {(7, 7), (88, 88), (0, 0)}]


def test_odd_calls_are_proven_or_unsupported(folder: Path) -> None:
    found = replies(folder, "--plan proofs")
    assert {r["verdict"] for r in found} == {"proven", None}
    assert [r["status"] for r in found if not r["verdict"]] == [UNSUPPORTED[13], UNSUPPORTED[15]]
    reduce = next(r for r in found if r["algorithm"].startswith("reduce/binomial"))
    assert (reduce["messages"], reduce["bytes"], reduce["reduced_bytes"]) == (6, 144000, 144000)


@pytest.mark.parametrize("request_", ["fluid --plan odd", "alone --plan odd", "inside --plan nine"])
def test_the_parts_of_an_explanation_add_up_to_the_time(folder: Path, request_: str) -> None:
    """So do the stretches of the critical path, which follow each other to the end."""
    explained = [r for r in replies(folder, f"--model {request_} --explain") if r["kind"] == "ok" and r["model_s"]]
    assert len(explained) == (2 if "nine" in request_ else 11)
    for r in explained:
        ends = [r["path"][0][4], *(stretch[5] for stretch in r["path"])]
        assert [stretch[4] for stretch in r["path"]] == pytest.approx(ends[:-1], abs=1e-18)
        assert sum(r["parts"].values()) == pytest.approx(ends[-1], rel=1e-9)
        if "nine" in request_ or "metric" not in ODD[int(r["id"])]:
            assert ends[-1] == pytest.approx(r["model_s"], rel=1e-9)


def test_links_of_the_network_and_of_sockets_are_shared(folder: Path) -> None:
    everyone, ring = replies(folder, "--model inside --plan nine --explain")
    assert [r["model_s"] for r in (everyone, ring)] == pytest.approx([1.12149334333e-4, 4.96e-5], rel=1e-9)
    assert everyone["links"][0][1] == "link 6 of the network" and everyone["parts"]["wait"] > ring["parts"]["wait"] == 0


@pytest.mark.parametrize(("request_", "messages"), [("inside --plan nine", 72), ("alone --plan odd", 3)])
def test_a_trace_ends_with_its_last_rank(folder: Path, request_: str, messages: int) -> None:
    traces = [r for r in replies(folder, f"--model {request_} --trace") if r["kind"] == "ok"]
    assert len(traces[0]["messages"]) == messages
    for r in traces:
        if r["rank_end_s"] and r["rounds"] is not None:
            assert max(m[7] for m in r["messages"] or [[0] * 8]) <= max(r["rank_end_s"])
            assert all(m[5] <= m[6] <= m[7] for m in r["messages"])


def test_draws_of_noise_are_added_to_messages(folder: Path) -> None:
    for r in replies(folder, "--model fluid --plan seven --noise 3"):
        assert len(set(r["noise_s"])) == 3 and all(t > r["model_s"] for t in r["noise_s"])
    assert r["noise_s"] == pytest.approx([6.77064049e-6, 6.90306999e-6, 6.54616744e-6], rel=1e-8)


def test_holdings_grow_by_a_block_per_round(folder: Path) -> None:
    ring, _ = replies(folder, "--model alone --plan seven --holdings")
    held = [
        sum(part[1] - part[0] for part in zip(rank[::3], rank[1::3], strict=True))
        for rank in ring["holdings"]["rounds"][3]
    ]
    assert ring["holdings"]["width"] == 280 and len(ring["holdings"]["rounds"]) == 7 and held == [160] * 7


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (
            "--no-variants --ranks 5 --counts 0,7 --algorithm bcast/mst --algorithm reduce/linear",
            ["bcast/mst 10 0 0 10", "reduce/linear 40 0 0 20"],
        ),
        (
            "--ranks 5,31,64 --counts 3 --algorithm bcast/linear --algorithm allgather/leaders",
            ["bcast/linear 11 0 0 11", "allgather/leaders 2952 1752 0 0"],
        ),
        ("--no-costs --ranks 3 --algorithm scan/linear", ["scan/linear 20 0 0 0"]),
    ],
)
def test_a_sweep_counts_points_and_comparisons(folder: Path, options: str, rows: list[str]) -> None:
    status, printed, _ = run(folder, f"--sweep {options}")
    counted = [" ".join(line.split()[:5]) for line in printed.splitlines() if "/" in line.partition(" ")[0]]
    assert (status, counted) == (0, rows)


def test_a_schedule_from_a_file_is_proven_described_and_timed(folder: Path) -> None:
    (proof,) = replies(folder, "--schedule by_hand --messages")
    assert (proof["verdict"], proof["bytes"], proof["rounds"], proof["rounds_cost"]) == ("proven", 8, 1, None)
    assert proof["schedule"] == [{"src": 0, "dst": 1, "bytes": 8, "round": 1, "tag": 0}]
    described = [replies(folder, f"--schedule {name} --describe")[0] for name in ("by_hand", "timed")]
    assert [(r["collective"], r["ranks"], r["count"], r["calls"]) for r in described] == [
        ("bcast", 2, 2, 1),
        (None, 1, 0, 1),
    ]
    (wrong,) = replies(folder, "--schedule deadlock", 1)
    assert wrong["kind"] == "deadlock" and "(deadlock:4, operation 0) -> rank 1: recv of 8 bytes" in wrong["failure"]
    (stuck,) = replies(folder, "--model alone --schedule deadlock", 1)
    assert stuck["status"].startswith("deadlock: rank 0 waits for ever in operation 0 at deadlock:4")
    (traced,) = replies(folder, "--model alone --schedule by_hand --trace")
    assert traced["spans"] == [[1, "calc", pytest.approx(1.008e-6), pytest.approx(2.508e-6)]]
    assert replies(folder, "--model alone --schedule by_hand --holdings")[0]["holdings"]["rounds"][1] == [[0, 8, 1]] * 2
    assert replies(folder, "--model alone --schedule timed")[0]["model_s"] == pytest.approx(2.5e-6)


def test_a_schedule_that_is_written_says_its_call_first(folder: Path) -> None:
    lines = run(folder, "--model alone --write --plan many")[1].splitlines()
    assert lines[1] == "algorithm bcast/mst[dest=first]" and lines[2].startswith(
        "call collective=bcast ranks=9 count=1 elem=4"
    )
    assert [sum(word in line for line in lines) for word in ("rank ", "  send", "  recv")] == [9, 8, 8]


def test_a_ring_of_two_has_a_vector_and_one_block_of_scratch(folder: Path) -> None:
    lines = run(folder, "--model alone --write --plan ring")[1].splitlines()
    assert [line.strip() for line in lines if "piece" in line] == ["piece 0 40", "piece 64 20"] * 2


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ("bcast ranks=8", {"ompi_4_0": ("binomial[s=0]", 1), "ompi_4_1": ("knomial[k=4,s=0]", 17), "mpich_4": ("knomial[k=2,s=0]", 2)}),
        ("bcast ranks=8 count=10", {"ompi_4_1": ("binary[s=0]", 18)}),
        ("bcast ranks=8 count=1125899906842625", {"ompi_4_0": ("pipeline[s=131072]", 4), "mpich_4": ("scatter_ring", 4)}),
        ("allreduce ranks=6 count=5 commutes=0 elem=8", {"ompi_4_1": ("recursive_doubling", 254), "mpich_4": ("recursive_doubling", 16)}),
        ("gather ranks=3 count=9 root=1 in_place=1", {"ompi_4_0": ("linear", 26), "mpich_4": ("binomial", 10)}),
    ],
)  # fmt: skip
def test_a_decision_names_its_choice_and_the_rule(folder: Path, words: str, chosen: dict[str, tuple[str, int]]) -> None:
    found = {r["decision"]: r for r in replies(folder, f"--decide collective={words}")}
    for name, (key, number) in chosen.items():
        reply = found[f"decision/{name}"]
        assert (reply["chose"].partition("/")[2], reply["rule"]["number"]) == (key, number)


@pytest.mark.parametrize("machine", TIMES)
def test_an_odd_call_has_its_time_or_the_reason_why_not(folder: Path, machine: str) -> None:
    replies = [json.loads(line) for line in run(folder, f"--model {machine} --plan odd")[1].splitlines()]
    assert {int(r["id"]): r["status"] for r in replies if r["kind"] == "unsupported"} == UNSUPPORTED
    times = {int(r["id"]): float(r["model_s"]) for r in replies if r["kind"] == "ok"}
    assert times == pytest.approx(TIMES[machine], rel=1e-8)


def test_help_names_every_mode(folder: Path) -> None:
    status, printed, _ = run(folder, "--help")
    modes = re.findall(r"collscope-prove (--\w+)", printed)
    assert (status, modes[0]) == (0, "--list") and {"--plan", "--model", "--sweep", "--decide", "--rules"} <= {*modes}


def test_calls_are_recorded_or_refused_one_by_one(folder: Path) -> None:
    recorded = programs.PROVER.with_name("collscope-recorded")
    for request, expected in (("keys", KEYS), ("", MESSAGES)):
        for call, text in expected.items():
            status, printed, _ = run(folder, request, recorded, f"{call}\n")
            assert (status, printed.strip()) == (0, text), call
    for call, message in UNREADABLE.items():
        assert run(folder, "keys", recorded, f"{call}\n") == (1, "", message)
