"""The `prove` command: points for the prover, and what it says of them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from collscope.base import console, programs
from collscope.base.errors import UsageError, UserError, disk_error
from collscope.base.units import format_ranks, format_size, join_words, parse_ranks, parse_sizes
from collscope.catalogue import registry
from collscope.catalogue.keys import split_keys
from collscope.catalogue.sizes import count_of_bytes
from collscope.points import plan
from collscope.points.plan import Point
from collscope.sources import model

JSON_COUNT = 1000  # elements of a point whose schedule is printed, unless a size is given
SHOWN_RANKS = 16  # rows of the table of one algorithm


def run(
    algo: str,
    ranks: str = "1..64",
    sizes: str | None = None,
    *,
    type_name: str = "float",
    root: int | None = None,
    as_json: bool = False,
) -> int:
    """Proves, prints, and returns 1 when something that should hold does not, 2 when no point is supported."""
    keys = read_keys(algo)
    numbers = parse_ranks(ranks)
    if len(keys) > 1 and not as_json and (sizes, root, type_name) == (None, None, "float"):
        return sweep(algo, keys, numbers)
    wanted = [
        (p, point)
        for collective, key in keys
        for p in numbers
        for point in points(collective, key, p, sizes, type_name, root, whole=as_json)
    ]
    if not wanted:
        raise UsageError(f"--root {root}: no number of ranks in {ranks} has such a rank")
    said = ask(wanted, schedule=as_json)
    failed = [line for line in said if line.get("verdict") == "failed"]
    if as_json:
        verdict = "failed" if failed else "proven" if any(x.get("verdict") for x in said) else "unsupported"
        json.dump({"verdict": verdict, "points": said}, sys.stdout)
        print()
    else:
        from collscope.commands import prove_table

        prove_table.show(said)
    for line in failed[:5]:
        where = f"{line['ranks']} ranks, count {line['count']}, root {line['root']}"
        console.note(f"{line['algorithm']}, {where}{', in place' * line['in_place']}: {line.get('failure')}")
    if len(failed) > 5:
        console.note(f"and {len(failed) - 5} more points fail")
    if failed:
        return 1
    if not any(line["status"] == "ok" for line in said):
        for name, status in dict.fromkeys((line["algorithm"], line["status"]) for line in said):
            console.note(f"{name}: {status}")
        return 2
    return 0


def sweep(algo: str, keys: Sequence[tuple[str, str]], numbers: Sequence[int]) -> int:
    """Many algorithms: the prover goes through all its points by itself (operators, in place, places and parameters too),
    which saves telling it each, and prints a line an algorithm as it goes."""
    names = [] if algo == "all" else [word for _, key in keys for word in ("--algorithm", key)]
    known = {key for _, key in keys if not key.startswith("decision/")}
    if len(known) != len(keys):
        raise UsageError("a decision is proven alone: ./collscope prove decision/…")
    command = [str(programs.PROVER), "--sweep", "--ranks", format_ranks(numbers), *names]
    sys.stdout.flush()
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
    for name in split_keys(algo):
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


def points(
    collective: str, key: str, ranks: int, sizes: str | None, type_name: str, root: int | None, whole: bool
) -> Iterator[Point]:
    """The calls to prove: every count and root, and where there is an operator also one that does not commute."""
    known = registry.load()
    about = known.collective(collective)
    elem = known.type_bytes(type_name)
    if collective == "barrier":
        counts = [0]
    elif sizes:
        counts = [count_of_bytes(collective, size, ranks, elem) for size in parse_sizes(sizes)]
    elif whole:
        counts = [JSON_COUNT]
    else:
        counts = [0, 1, ranks, ranks + 1, 1000]
    roots = [0] if not about.has_root else [root] if root is not None else [0] if whole else [0, 1, ranks - 1]
    for r in dict.fromkeys(roots):
        if r >= ranks:
            continue
        for count in dict.fromkeys(counts):
            point = Point(collective, key, count, type=type_name, root=r)
            yield point if type_name != "affine" else replace(point, op="affine")
            if about.has_operator and not whole and type_name != "affine":
                yield replace(point, type="affine", op="affine")


def ask(wanted: Sequence[tuple[int, Point]], schedule: bool) -> list[dict[str, Any]]:
    """The prover's answers, in order, with what it was not told about sizes added."""
    with tempfile.TemporaryDirectory(prefix="collscope-") as name:
        file = Path(name) / "plan.txt"
        try:
            file.write_text("".join(plan.plan_text([(str(i), point)], p) for i, (p, point) in enumerate(wanted)))
        except OSError as error:
            raise disk_error(error, file) from error
        said = model.call([*(["--schedule"] if schedule else []), "--costs", "--plan", file])
    by_id = {str(line["id"]): line for line in said}
    made = []
    for i, (p, point) in enumerate(wanted):
        line = {k: v for k, v in by_id[str(i)].items() if k != "id"}
        about = {"collective": point.collective, "type": point.type, "op": point.op}
        size = {"vector_bytes": point.bytes(p), "block_bytes": point.block_bytes(p)}
        made.append({**about, **size, **line})
    return made


def sizes_of(lines: Sequence[dict[str, Any]]) -> str:
    """What was proven over, in words."""
    ranks = sorted({line["ranks"] for line in lines})
    roots = sorted({line["root"] for line in lines})
    span = f"p = {ranks[0]}" if len(ranks) == 1 else f"p = {ranks[0]} … {ranks[-1]}"
    if len(ranks) > 1 and ranks[-1] - ranks[0] + 1 != len(ranks):
        span = "p = " + join_words([str(r) for r in ranks]) if len(ranks) <= 8 else f"{len(ranks)} numbers of ranks"
    largest = max((line["vector_bytes"] for line in lines), default=0)
    about = f"roots {join_words([str(r) for r in roots])}" if len(roots) <= 4 else "roots 0, 1 and p-1"
    return f"{span}, {about if len(roots) > 1 else f'root {roots[0]}'}, up to {format_size(largest)}"
