"""Where Open MPI, told to take an algorithm, takes another: what it sent beside what each of our algorithms sends, and what tells
such calls from others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

from collscope.base.units import format_ranks
from collscope.catalogue import registry
from collscope.catalogue.keys import Key, stem_of
from collscope.twins import records
from collscope.twins.call import REFUSAL, Call, Compared
from collscope.twins.calls import FLOAT
from collscope.twins.calls import decided as decided_keys
from collscope.twins.judge import alike
from collscope.twins.messages import own_messages

REFUSED = "nothing: an error"
FAILED = "no algorithm of ours"

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
    ("less than a segment per rank", lambda c: c.call.count * FLOAT < c.ranks * segment(c.call)),
    ("at least a segment per rank", lambda c: c.call.count * FLOAT >= c.ranks * segment(c.call)),
    ("an odd number of ranks", lambda c: c.ranks % 2 == 1),
    ("an even number of ranks", lambda c: c.ranks % 2 == 0),
    ("ranks no power of two", lambda c: bool(c.ranks & (c.ranks - 1))),
    ("ranks a power of two", lambda c: not c.ranks & (c.ranks - 1)),
)


def segment(call: Call) -> int:
    """Bytes of a segment of this call: all of it without segments."""
    return int(Key.parse(call.key).values.get("s", 0)) or call.count * FLOAT


def differences(version: str, found: Sequence[Compared]) -> list[records.Row]:
    """A row for each twin, each of our reasons not to run it, and each thing that Open MPI did then."""
    known = registry.load()
    groups: dict[tuple[str, str], list[Compared]] = {}
    for c in found:
        if c.verdict == "unsupported" and any(c.theirs):  # who sends nothing shows nothing
            groups.setdefault((stem_of(c.call.key), c.text), []).append(c)
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
                    **records.twin_cells(known.by_key[key], version),
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
        requests: list[Call] = []
        meant: list[tuple[Compared, str]] = []
        for c in (c for c in calls if c.ranks == ranks):
            made[id(c)] = [REFUSED] if REFUSAL in c.theirs else []
            for label, call in () if made[id(c)] else alternatives(c.call, decided):
                requests.append(call)
                meant.append((c, label))
        own = own_messages(ranks, requests)
        for i, (c, label) in enumerate(meant):
            if i not in own.unsupported and alike(c.theirs, [own.messages[i, r] for r in range(ranks)]):
                made[id(c)].append(label)
    return made


def alternatives(call: Call, decided: dict[str, list[str]]) -> Iterator[tuple[str, Call]]:
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
                if changed := {name: numbers[name].parse(a.key, word) for name, word in words if own[name] != word}:
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
    features = [*FEATURES, *(_of_value(item, there) for there in (True, False) for item in values)]
    true = [f for f in features if all(map(f[1], calls))]
    for number in range(4):
        for some in combinations(true, number):
            if not any(all(test(c) for _, test in some) for c in others):
                return "".join(f", {words}" for words, _ in some)
    return ", otherwise"


def _of_value(item: tuple[str, str], there: bool) -> Feature:
    """A parameter of the key has this value; with `there` false: another, or there is no such parameter."""
    name, text = item
    words = f"{name}={text}" if there else f"{name} other than {text}"
    return words, lambda c: (Key.parse(c.call.key).values.get(name) == text) == there
