"""What was found about twins, as tables: results/twins/. Made by `./collscope twins --out`, read by `docs` and `show`.

table.csv        a row a twin and library: how many calls were compared, and what came of them
decisions.csv    the same of decision tables, a row a collective
differences.csv  where Open MPI, told to take an algorithm, takes another: found by comparing what it sent with what each
                 of our algorithms of that collective sends
run.json         where the numbers come from
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, groupby, product
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UserError, disk_error
from collscope.base.files import write_atomically
from collscope.base.units import format_ranks
from collscope.catalogue import registry
from collscope.catalogue.keys import Key, stem_of
from collscope.catalogue.registry import Algorithm
from collscope.twins.calls import FLOAT
from collscope.twins.calls import decided as decided_keys
from collscope.twins.compare import Call, Compared, alike, own_messages

FOLDER = paths.RESULTS / "twins"
COUNTS = ("calls", "equal", "other_order", "different", "unsupported")
COLUMNS = {
    "table": ("key", "collective", "number", "library", "version", "ranks", *COUNTS, "reasons"),
    "decisions": ("key", "collective", "library", "version", "ranks", *COUNTS, "keys", "reasons"),
    "differences": (
        "key",
        "collective",
        "number",
        "library",
        "version",
        "condition",
        "runs",
        "calls",
        "ranks",
        "counts",
    ),
}
LIBRARY = "Open MPI"
REFUSED = "nothing: an error"
FAILED = "no algorithm of ours"

Row = dict[str, str]


# ---- rows -------------------------------------------------------------------------------------------------


def tally(calls: Sequence[Compared]) -> Row:
    count = Counter(c.verdict for c in calls)
    values = (len(calls), count["same"], count["order"], count["different"], count["unsupported"])
    reasons = Counter(c.text for c in calls if c.verdict == "unsupported")
    return {
        **dict(zip(COUNTS, map(str, values), strict=True)),
        "ranks": format_ranks(c.ranks for c in calls if c.verdict != "unsupported"),
        "reasons": "; ".join(f"{number} {why.partition('; ')[0]}" for why, number in sorted(reasons.items())),
    }


def table(version: str, twins: Sequence[Algorithm], found: Sequence[Compared]) -> list[Row]:
    """A row a twin, in the registry's order."""
    by_key: dict[str, list[Compared]] = {}
    for c in found:
        by_key.setdefault(stem_of(c.call.key), []).append(c)
    return [{**who(a, version), **tally(by_key.get(a.key, []))} for a in twins]


def who(a: Algorithm, version: str) -> Row:
    assert a.twin
    return {
        "key": a.key,
        "collective": a.twin["collective"],
        "number": str(a.twin["number"]),
        "library": LIBRARY,
        "version": version,
    }


def decisions(version: str, found: Sequence[Compared]) -> list[Row]:
    """A row a collective; `keys` is how many different keys the table took."""
    made = []
    for collective in dict.fromkeys(c.call.collective for c in found):
        calls = [c for c in found if c.call.collective == collective]
        keys = str(len({c.key for c in calls} - {""}))
        key = calls[0].call.key.partition(":")[0]
        made.append(
            {"key": key, "collective": collective, "library": LIBRARY, "version": version, "keys": keys, **tally(calls)}
        )
    return made


# ---- what ran instead -------------------------------------------------------------------------------------

# What can tell the calls of one row from those of another with the same reason, beside the parameters in their keys.
Feature = tuple[str, Callable[[Compared], bool]]
FEATURES: tuple[Feature, ...] = (
    ("in place", lambda c: c.call.in_place),
    ("not in place", lambda c: not c.call.in_place),
    ("fewer elements than ranks", lambda c: c.call.count < c.ranks),
    ("at least as many elements as ranks", lambda c: c.call.count >= c.ranks),
    ("an operator that does not commute", lambda c: not c.call.commutes),
    ("an operator that commutes", lambda c: c.call.commutes),
    ("two ranks", lambda c: c.ranks == 2),
    ("more than two ranks", lambda c: c.ranks > 2),
    ("less than a segment a rank", lambda c: c.call.count * FLOAT < c.ranks * segment(c.call)),
    ("at least a segment a rank", lambda c: c.call.count * FLOAT >= c.ranks * segment(c.call)),
    ("an odd number of ranks", lambda c: c.ranks % 2 == 1),
    ("an even number of ranks", lambda c: c.ranks % 2 == 0),
    ("ranks no power of two", lambda c: bool(c.ranks & (c.ranks - 1))),
    ("ranks a power of two", lambda c: not c.ranks & (c.ranks - 1)),
)


def segment(call: Call) -> int:
    """Bytes of a segment of this call: all of it when there are none."""
    return int(Key.parse(call.key).values.get("s", 0)) or call.count * FLOAT


def differences(version: str, found: Sequence[Compared]) -> list[Row]:
    """A row for each twin, each of our reasons not to run it, and each thing that Open MPI did then."""
    known = registry.load()
    groups: dict[tuple[str, str], list[Compared]] = {}
    for c in found:
        if c.verdict == "unsupported" and any(c.theirs):  # who sends nothing shows nothing
            groups.setdefault((stem_of(c.call.key), c.text.partition("; ")[0]), []).append(c)
    explained = explanations([c for group in groups.values() for c in group])
    made = []
    for (key, reason), group in groups.items():
        parts = cover(group, explained)
        for runs, calls in parts:
            others = [c for c in group if runs not in explained[id(c)]]
            alone = [c for c in calls if not any(label in explained[id(c)] for label, _ in parts if label != runs)]
            condition = reason + distinction(alone or calls, others)
            floats = sorted({c.call.count for c in calls})
            made.append(
                {
                    **who(known.by_key[key], version),
                    "condition": condition,
                    "runs": runs,
                    "calls": str(len(calls)),
                    "ranks": format_ranks(c.ranks for c in calls),
                    "counts": f"{floats[0]}..{floats[-1]}" if len(floats) > 1 else str(floats[0]),
                }
            )
    order = list(known.by_key)
    return sorted(made, key=lambda row: (order.index(row["key"]), row["condition"], row["runs"]))


def explanations(calls: Sequence[Compared]) -> dict[int, list[str]]:
    """By a call's identity: what sends the same messages in the same order, twins before other algorithms."""
    made: dict[int, list[str]] = {}
    for ranks in sorted({c.ranks for c in calls}):
        decided = decided_keys(ranks)
        asked: list[Call] = []
        meant: list[tuple[Compared, str]] = []
        for c in (c for c in calls if c.ranks == ranks):
            made[id(c)] = [REFUSED] if any(("refused", 0, 0) in m for m in c.theirs) else []
            for label, call in () if made[id(c)] else candidates(c.call, decided):
                asked.append(call)
                meant.append((c, label))
        own = own_messages(ranks, asked)
        for i, (c, label) in enumerate(meant):
            if i not in own.why and alike(c.theirs, [own.messages[i, r] for r in range(ranks)]):
                made[id(c)].append(label)
    return made


def candidates(call: Call, decided: dict[str, list[str]]) -> Iterator[tuple[str, Call]]:
    """What Open MPI could have run, by what it is called: each algorithm of the collective, itself among them, and all of
    these as if the operator commuted."""
    for commutes in dict.fromkeys((call.commutes, True)):
        ignored = "" if commutes == call.commutes else " (as if it commuted)"
        for label, key in possible_keys(call, decided):
            same = key == call.key and not ignored
            if not same:
                yield label + ignored, Call(key, call.collective, call.count, call.root, commutes, call.in_place)


def possible_keys(call: Call, decided: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Algorithms with their parameters as usual, as forced (`s=s`: the call's own segment), with other parts, in a single
    chain, and as a decision takes them."""
    known = registry.load()
    own = Key.parse(call.key).values
    for a in sorted(known.of(call.collective), key=lambda a: (a.twin is None, a.key != stem_of(call.key))):
        if "any_source" in a.flags:
            continue
        numbers = {p.name: p for p in a.params}
        shared = {name: numbers[name].parse(a.key, text) for name, text in own.items() if name in numbers}
        yield a.key, a.full_key()
        if a.key == stem_of(call.key):
            yield a.key, call.key
            for words in product(*([(p.name, w) for w in p.words] for p in a.params if p.words)):
                changed = {name: numbers[name].parse(a.key, word) for name, word in words if own[name] != word}
                shown = ",".join(f"{name}={word}" for name, word in words if name in changed)
                yield f"{a.key}[{shown}]", a.full_key({**shared, **changed})
        elif shared:
            shown = ",".join(f"{name}={name}" for name in shared)
            yield f"{a.key}[{shown}]", a.full_key(shared)
        if "chains" in numbers:
            shown = ",".join(["chains=1", *(f"{name}={name}" for name in shared if name != "chains")])
            yield f"{a.key}[{shown}]", a.full_key({**shared, "chains": 1})
        if any(p.words for p in a.params):
            yield from ((f"{a.key} (its parts by decision)", key) for key in decided.get(a.key, []))


def cover(group: Sequence[Compared], explained: dict[int, list[str]]) -> list[tuple[str, list[Compared]]]:
    """Splits calls by what explains them, with as few explanations as possible; the first of equally good ones."""
    left = list(group)
    parts: list[tuple[str, list[Compared]]] = []
    while left:
        votes = Counter(label for c in left for label in dict.fromkeys(explained[id(c)]))
        if not votes:
            return [*parts, (FAILED, left)]
        best = max(votes.values())
        label = next(name for name, number in votes.items() if number == best)
        parts.append((label, [c for c in left if label in explained[id(c)]]))
        left = [c for c in left if label not in explained[id(c)]]
    return parts


def distinction(calls: Sequence[Compared], others: Sequence[Compared]) -> str:
    """What all of these have and none of the others, as words behind the reason; "" when there are no others.
    What needs more than three such words is what the other rows are not."""
    values = sorted({item for c in (*calls, *others) for item in Key.parse(c.call.key).values.items()})
    features = [*FEATURES, *map(with_value, values), *map(without_value, values)]
    true = [f for f in features if all(map(f[1], calls))]
    for number in range(4):
        for some in combinations(true, number):
            if not any(all(test(c) for _, test in some) for c in others):
                return "".join(f", {words}" for words, _ in some)
    return ", otherwise"


def with_value(item: tuple[str, str]) -> Feature:
    name, text = item
    return f"{name}={text}", lambda c: Key.parse(c.call.key).values.get(name) == text


def without_value(item: tuple[str, str]) -> Feature:
    name, text = item
    return f"{name} other than {text}", lambda c: Key.parse(c.call.key).values.get(name) != text


# ---- files ------------------------------------------------------------------------------------------------


def text_of(name: str, rows: Iterable[Row]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS[name], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def read(name: str, folder: Path = FOLDER) -> list[Row]:
    """The rows of a table; none when it is not there."""
    path = folder / f"{name}.csv"
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise disk_error(error, path) from error
    if any(tuple(row) != COLUMNS[name] for row in rows):
        raise UserError(f"{path}: not a table of ./collscope twins; write it anew")
    return rows


def write(folder: Path, version: str, tables: dict[str, list[Row]], origin: dict[str, object]) -> None:
    """Puts this version's rows in the place of those that were there; other versions' stay."""
    for name, rows in tables.items():
        others = [row for row in read(name, folder) if row["version"] != version]
        both = sorted([*others, *rows], key=lambda row: row["version"])
        write_atomically(folder / f"{name}.csv", text_of(name, both))
    path = folder / "run.json"
    all_ = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    write_atomically(path, json.dumps({**all_, f"{LIBRARY} {version}": origin}, indent=1, sort_keys=True) + "\n")


# ---- in words ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def recorded() -> tuple[list[Row], list[Row]]:
    return read("table"), read("differences")


def status(key: str) -> str:
    """How a twin was compared: for one line of text."""
    rows = [row for row in recorded()[0] if row["key"] == key]
    if not rows:
        return "not compared yet"
    parts = []
    for (equal, compared), same in groupby(rows, lambda r: (r["equal"], supported(r))):
        members = list(same)
        versions = " and ".join(row["version"] for row in members)
        where = members[0]["ranks"].replace("..", "…").replace(",", ", ")
        parts.append(
            f"{equal} of {compared} calls send the same messages in the same order ({versions}, {where} ranks)"
        )
    return "; ".join(parts)


def supported(row: Row) -> str:
    return str(int(row["calls"]) - int(row["unsupported"]))


def instead(key: str) -> list[tuple[str, str, str]]:
    """(condition, what Open MPI runs, versions) of this twin."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in recorded()[1]:
        if row["key"] == key:
            found.setdefault((row["condition"], row["runs"]), []).append(row["version"])
    return [(condition, runs, " and ".join(versions)) for (condition, runs), versions in found.items()]
