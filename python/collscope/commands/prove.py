"""The `prove` command: points for the prover, and what it says of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from collscope.base import documents, leftovers, programs, progress
from collscope.base.errors import UsageError, UserError
from collscope.base.units import counted, format_ranks, parse_ranks, parse_sizes
from collscope.catalogue import prover, registry
from collscope.catalogue.keys import split_keys, swept
from collscope.catalogue.prover import Abandoned, Question
from collscope.commands import calls, prove_table, requests, schedule_file
from collscope.commands.calls import Call
from collscope.points import distribution, plan
from collscope.points.plan import Point
from collscope.points.sweep import count_of, operator_of

HINT = "--point-timeout TIME gives up what takes longer"
JSON_COUNT = 1000  # elements of a point whose schedule is printed, unless a size is given


@dataclass(frozen=True)
class Request(Call):
    """The options of the command, as they were typed."""

    algo: str
    ranks: str = "1..64"
    as_json: bool = False

    @property
    def is_plain(self) -> bool:
        """Nothing says which calls to prove."""
        return self == Request(algo=self.algo, ranks=self.ranks)


def run(request: Request) -> int:
    """Proves, prints, and returns 1 when something that should hold does not, 2 when no point is supported."""
    keys = read_keys(request.algo)
    for collective in dict(keys):
        distribution.check_collective(distribution.parse(request.counts), collective)
    numbers = parse_ranks(request.ranks)
    if len(keys) > 1 and request.is_plain and not all(key.startswith("decision/") for _, key in keys):
        return sweep(request.algo, keys, numbers)
    targets = [(p, point) for collective, key in keys for p in numbers for point in points(request, collective, key, p)]
    if not targets:
        raise UsageError(
            f"--root {request.root} needs at least {(request.root or 0) + 1} ranks; --ranks {request.ranks} has no such number"
        )
    replies = ask(targets, schedule=request.as_json, limit_s=request.point_timeout)
    if request.as_json:
        documents.show("prove", {"verdict": verdict(replies), "points": replies})
    else:
        prove_table.show(replies)
    return report_failures(replies)


def verdict(replies: Sequence[dict[str, Any]]) -> str:
    """Of all points together: failed, proven or unsupported."""
    verdicts = {line.get("verdict") for line in replies}
    return "failed" if "failed" in verdicts else "proven" if any(verdicts) else "unsupported"


def report_failures(replies: Sequence[dict[str, Any]]) -> int:
    """Exit status; says what failed, and why nothing could be proved."""
    alike: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in replies:
        if line.get("verdict") == "failed":
            alike.setdefault((line["algorithm"], line["kind"], line.get("failure")), []).append(line)
    failures = sorted(
        alike.values(), key=lambda lines: lines[0]["kind"] == "cost"
    )  # that often follows from another one
    first = list({lines[0]["kind"]: lines for lines in reversed(failures)}.values())[::-1]  # of each kind
    failed = [
        f"{line['algorithm']}, {counted(line['ranks'], 'rank')}, count {line['count']}, root {line['root']}"
        f"{', in place' * line['in_place']}: {line.get('failure')}"
        + (f" (and at {counted(others, 'more point')})" if others else "")
        for line, others in ((x[0], len(x) - 1) for x in [*first, *(x for x in failures if x not in first)])
    ]
    nothing = not any(line["status"] == "ok" for line in replies)
    reasons = [(line["algorithm"], line["status"]) for line in replies] if nothing else []
    return requests.report(failed, "failures", reasons)


def sweep(algo: str, keys: Sequence[tuple[str, str]], numbers: Sequence[int]) -> int:
    """Many algorithms: the prover goes through all its points by itself (operators, in place, places and parameters too),
    which saves telling it each, and prints one line per algorithm as it goes."""
    names = [] if algo == "all" else [word for _, key in keys for word in ("--algorithm", key)]
    known = {key for _, key in keys if not key.startswith("decision/")}
    if len(known) != len(keys):
        raise UsageError("a decision and algorithms are proven apart: ./collscope prove decision/…")
    command = [str(programs.PROVER), "--sweep", "--ranks", format_ranks(numbers), *names]
    leftovers.watch()
    try:
        status = subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode
    except OSError as error:
        raise UserError(f"{programs.PROVER}: {error.strerror}; run ./collscope doctor") from error
    return 1 if status else 0


def read_keys(algo: str) -> list[tuple[str, str]]:
    """(collective, key) of `all`, of a collective's algorithms, or of full keys."""
    known = registry.load()
    keys: list[tuple[str, str]] = []
    collectives = {c.name for c in known.collectives}
    for name in (key for names in split_keys(algo) for key in swept(names)):
        if name == "all":
            keys += [(a.collective, a.full_key()) for a in known.algorithms]
        elif name in collectives:
            keys += [(name, a.full_key()) for a in known.of(name)]
        elif name.endswith("/builtin"):
            raise UsageError(f"{name} is the MPI library's own; it can be run, not proved")
        elif name.startswith("decision/"):
            decision = known.resolve(name, next(iter(sorted(collectives))))[1]
            keys += [(c, decision) for c in known.decision(decision).collectives]
        else:
            keys.append(known.resolve(name))
    return list(dict.fromkeys(keys))


def points(request: Request, collective: str, key: str, ranks: int) -> Iterator[Point]:
    """The calls to prove on so many ranks: every count and root, and where there is an operator also one that does not commute. Of
    these in place, too; a document shows one call."""
    known = registry.load()
    about = known.collective(collective)
    op, blocks = operator_of(request.type_name), distribution.parse(request.counts)
    distribution.check_ranks(blocks, collective, ranks)
    if not about.has_data:
        counts = [0]
    elif request.sizes is not None:
        sizes = parse_sizes(request.sizes)
        counts = [count_of(collective, size, ranks, request.type_name, or_block=False) or 0 for size in sizes]
    elif request.as_json:
        counts = [JSON_COUNT]
    else:
        counts = [0, 1, ranks, ranks + 1, 1000]
    roots = [0]
    if about.has_root and request.root is not None:
        roots = [request.root]
    elif about.has_root and not request.as_json:
        roots = [0, 1, ranks - 1]
    for r in dict.fromkeys(roots):
        if r >= ranks:
            continue
        for count in dict.fromkeys(counts):
            for in_place in (False, True) if about.has_in_place and not request.as_json else (False,):
                point = Point(collective, key, count, request.type_name, op, r, in_place, counts=blocks)
                yield point
                if about.has_operator and not request.as_json and request.type_name != "affine":
                    yield replace(point, type="affine", op="affine")


def ask(targets: Sequence[tuple[int, Point]], schedule: bool, limit_s: float | None = None) -> list[dict[str, Any]]:
    """The prover's replies, in order, with collective, type, op, vector_bytes and block_bytes added. `targets` are ranks and point;
    with `schedule` each reply holds all messages. A point that takes longer than `limit_s` has failed, of kind "limit"; those that were not
    tried, since their algorithm goes on for ever, have that as their status."""
    questions = [
        Question(str(i), q.algorithm, _describe(q, p), plan.plan_text([(str(i), q)], p))
        for i, (p, q) in enumerate(targets)
    ]
    words = [*(["--messages"] if schedule else []), "--costs"]
    with leftovers.scratch() as folder, progress.progress("proving", len(targets), HINT) as bar:
        by_id = dict(prover.stream(words, questions, folder, bar, limit_s))
    made = []
    for i, (p, point) in enumerate(targets):
        found = by_id[str(i)]
        line = (
            _no_reply(p, point, found)
            if isinstance(found, Abandoned)
            else {k: v for k, v in found.items() if k != "id"}
        )
        if point.key.is_decision:
            line["algorithm"] = point.algorithm  # a file as it was typed
        about = {"collective": point.collective, "type": point.type, "op": point.op}
        size = {"vector_bytes": point.bytes(p), "block_bytes": point.block_bytes(p)}
        made.append({**about, **size, **line})
    return made


def _describe(point: Point, ranks: int) -> str:
    root = f", root {point.root}" if point.root else ""
    return f"{point.algorithm}, {counted(ranks, 'rank')}, count {point.count}{root}{', in place' * point.in_place}"


def _no_reply(ranks: int, point: Point, abandoned: Abandoned) -> dict[str, Any]:
    shape = {"algorithm": point.algorithm, "ranks": ranks, "count": point.count, "root": point.root}
    shape["in_place"] = int(point.in_place)
    if not abandoned.limit:
        return {**shape, "status": abandoned.reason, "verdict": None, "kind": "not tried"}
    return {**shape, "status": "ok", "verdict": "failed", "kind": "limit", "failure": abandoned.reason}


# ---- the command ------------------------------------------------------------------------------------------


@click.command("prove", short_help="Prove an algorithm: messages, deadlocks, data, cost.", epilog="""
\b
Examples:
  ./collscope prove bcast/mst
  ./collscope prove "bcast/knomial[k=4]" --ranks 2,8,100 --bytes 1KiB
  ./collscope prove all --ranks 1..64
  ./collscope prove allgather/bucket --ranks 5 --bytes 100B --json \\
    | jq .points[0].schedule
  ./collscope prove --schedule my_ring.schedule
""")  # fmt: skip
@click.argument("algo", metavar="ALGO", required=False)
@schedule_file.OPTION
@click.option("--ranks", default="1..64", show_default=True, metavar="P[,P…]", help="Numbers of ranks.")
@calls.options(
    "sizes", "type_name", "root", "counts", "point_timeout",
    sizes={"metavar": "SIZES", "help": "Sizes of the vector (default: counts 0, 1, p, p+1, 1000)."},
    root={"help": "Only this root (default: 0, 1 and p-1)."},
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The schedules with every message, and the verdicts, as JSON.")
def command(**options: Any) -> None:
    """Prove an algorithm: sends match receives, no deadlock, the right data everywhere, and the cost.

    ALGO is a full key, a collective (all of its algorithms), or all."""
    path = schedule_file.read_options(options, "algo")
    if path:
        sys.exit(schedule_file.prove(path, options["as_json"]))
    status = run(Request(**options))
    if status:
        sys.exit(status)
