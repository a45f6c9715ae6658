"""collscope.analysis.place_checks: each kind of check on tables where it holds and where it does not."""

from __future__ import annotations

import pandas as pd
import pytest

from collscope.analysis.check import Context
from collscope.analysis.claims import Assertion, Claim, verdict
from collscope.analysis.judge import ClaimText, judge
from collscope.analysis.place_checks import Order
from collscope.analysis.times import Place, Times, longer_text, order_text, share_text
from judging import assertions, table

SIZES = [1024, 4096, 16384]


def alike(collective: str, name: str, ranks: int, nodes: int, size: int) -> float:
    """a takes 1, b 2 and c 4 times as long; b falls behind as nodes grow."""
    return 1e-6 * size * {"a": 1.0, "b": 2.0 + nodes / 8, "c": 4.0}[name]


FRAME = table(alike, [(8, 1), (8, 2), (8, 4)], ["a", "b", "c"], SIZES)


@pytest.mark.parametrize(
    "check",
    [
        'kind = "fastest"\nname = "d"',
        'kind = "fastest"\nname = "a"\namong = "a"',
        'kind = "slowest"\nname = "a"\namong = "a"',
        'kind = "faster"\nname = "a"\nthan = "d"',
        'kind = "faster"\nname = "a"\nthan = "b"\nsizes = "2KiB"',
        'kind = "order"\nnames = ["a", "d"]',
        'kind = "crossover"\nname = "a"\nthan = "d"\nbetween = "1KiB,4KiB"',
        'kind = "start_up"\nname = "d"\nmost = 0.1',
        'kind = "lead_shrinks"\nname = "a"\nthan = "b"\nbefore = "2KiB"',
        'kind = "polynomial"\nname = "a"\ncoefficients = [1.0, 2.0]\nr2 = 0.9\nwithin = 0.1\nr2_within = 0.1',
        'kind = "one_choice"\nname = "a"',
        'kind = "faster_at_every_size"\nname = "a"\nthan = "b"\nsizes = "1KiB,2KiB"',
        'kind = "crossover"\nname = "a"\nthan = "b"\nbetween = "1KiB,4KiB"\nsizes = "1KiB,2KiB,4KiB"',
        'kind = "start_up"\nname = "a"\nmost = 0.1\nsizes = "1KiB,4KiB,64KiB"',
        'kind = "one_fastest"\nwithin = 0.1\nsizes = "1KiB,2KiB"',
        'kind = "fastest"\nname = "a"\nranks = 64',
        'kind = "fastest"\nname = "a"\nnodes = 3\nranks = 16',
        'kind = "fastest"\nname = "a"\nmapping = "cyclic"',
        'kind = "nearer_than_at"\nname = "b"\nthan = "a"\nat = 4\nnodes = [1, 4, 16]',
        'kind = "grows"\nname = "b"\nthan = "a"\nnodes = [4, 16]',
    ],
)
def test_missing_points_are_not_testable(check: str) -> None:
    made = assertions(check, FRAME)
    assert made
    for a in made:
        assert (a.holds, a.evidence.partition(":")[0]) == (None, "not testable in this run"), a


def test_points_that_the_table_lacks_are_judged_beside_those_that_it_has() -> None:
    made = assertions('kind = "fastest"\nname = "a"\nnodes = [2, 16]', FRAME)
    found = [(a.text, a.holds) for a in made]
    assert found == [("gather, 2 nodes: a is best", True), ("gather, 16 nodes: a is best", None)]
    made = assertions('kind = "grows"\nname = "b"\nthan = "a"\nnodes = [2, 4, 16]', FRAME)
    assert [a.holds for a in made] == [True, None]


def test_a_crossing_is_looked_for_between_two_sizes() -> None:
    frame = table(
        lambda c, n, p, m, size: 30.0 if n == "flat" else size**0.5, [(4, 2)], ["root", "flat"], [256, 512, 1024]
    )
    check = 'kind = "crossover"\nname = "{}"\nthan = "{}"\nbetween = "{}"'
    (found,) = assertions(check.format("root", "flat", "600B,1KiB"), frame)
    assert (found.holds, found.evidence) == (True, "crosses at 900 B")
    assert found.text == "gather, 2 nodes: root gives way to flat between 600 B and 1 KiB"
    assert not assertions(check.format("root", "flat", "512B,800B"), frame)[0].holds
    assert not assertions(check.format("flat", "root", "600B,1KiB"), frame)[0].holds


def test_trends_are_followed_along_the_ranks_at_sizes_of_one_block() -> None:
    frame = table(
        lambda c, n, p, m, size: 1e-6 * p * (size / p), [(2, 1), (4, 1), (8, 1)], ["a"], [1024 * p for p in (2, 4, 8)]
    )
    made = assertions('kind = "grows"\nname = "a"\nalong = "ranks"\nblock_sizes = "1KiB"', frame)
    found = [(a.holds, a.text) for a in made]
    assert found == [(True, "gather: a grows from 2 to 4 ranks"), (True, "gather: a grows from 4 to 8 ranks")]
    assert made[0].evidence == "a: 2 ranks 2.05 ms, 4 ranks 4.1 ms, 8 ranks 8.19 ms"


def test_one_name_is_compared_with_itself_elsewhere() -> None:
    (found,) = assertions('kind = "faster"\nname = "b"\nnodes = 1\nthan = { name = "b", nodes = 4 }', FRAME)
    assert (found.holds, found.text) == (True, "gather, 1 node: b beats b on 4 nodes")


def test_a_name_stands_for_the_one_key_with_its_parameters() -> None:
    frame = FRAME.replace({"name": {"b": "gather/tree[k=2]", "c": "gather/ring"}})
    assert assertions('kind = "faster"\nname = "gather/tree"\nthan = "gather/ring"\nnodes = 1', frame)[0].holds
    both = frame.replace({"name": {"gather/ring": "gather/tree[k=3]"}})
    assert assertions('kind = "faster"\nname = "gather/tree"\nthan = "a"\nnodes = 1', both)[0].holds is None


def test_expectations_and_words_are_the_alternative_s_or_all_others() -> None:
    check = 'kind = "fastest"\nname = "a"\nnodes = 1\nsays = "{name} wins"\nexpected = "no"\n'
    (found,) = assertions(check + 'theory = { x = "1", other = "2" }', FRAME)
    assert (found.text, found.expected, found.theory) == ("gather, 1 node: a wins", "no", "2")
    assert found.surprise


def test_sizes_are_counted_as_the_paper_counts_them() -> None:
    frame = table(
        lambda c, n, p, m, size: 2.0 if n == "a" and size == 4096 else 1.5 if n == "b" else 1.0,
        [(4, 2)],
        ["a", "b"],
        SIZES,
    )
    (found,) = assertions('kind = "one_fastest"\nwithin = 0.01', frame)
    assert (found.holds, found.evidence) == (False, "a over all; 33.3 % behind b at 1\u202f024 words")


@pytest.mark.parametrize(
    ("holds", "says"),
    [
        ([], "not testable"), ([None], "not testable"), ([True], "reproduced"), ([True, None], "partly"),
        ([False, None], "not reproduced"),
        ([True, False], "partly"), ([True, False, False], "not reproduced"), ([False, False], "not reproduced"),
        ([True, True], "reproduced"),
        ([True, False, None], "partly"),
    ],
)  # fmt: skip
def test_a_verdict_is_all_or_half(holds: list[bool | None], says: str) -> None:
    assert verdict(holds) == says


def assertion(holds: bool | None, expected: str, theory: str = "", text: str = "t") -> Assertion:
    return Assertion(text, holds, "", expected, theory)


@pytest.mark.parametrize("holds", [True, False, None])
@pytest.mark.parametrize("expected", ["yes", "no", "open"])
def test_a_surprise_is_what_theory_did_not_expect(holds: bool | None, expected: str) -> None:
    assert assertion(holds, expected).surprise == ((holds, expected) in ((True, "no"), (False, "yes")))


def test_a_claim_that_is_not_reproduced_has_a_reason() -> None:
    def claim(*made: Assertion) -> Claim:
        return Claim("X", "", "", made)

    foreseen, other = assertion(False, "no", "small"), assertion(False, "no", "large")
    good, none = assertion(True, "no", "never said"), assertion(None, "no", "nor this")
    assert claim(good).reason == ""
    assert claim(foreseen, other, foreseen, good, none).reason == "Foreseen: small; large"
    strange = [assertion(False, expected, "x", text) for expected, text in (("yes", "a"), ("open", "b"), ("yes", "c"))]
    assert claim(*strange).reason == "Not foreseen: a; b; c"
    assert claim(foreseen, *strange, *strange[:2]).reason == "Foreseen: small. Not foreseen: a; b; c; and 2 more"
    assert claim(none).reason == claim().reason == "The table has none of its points"
    assert claim(foreseen, good, none).held == 1 and len(claim(foreseen, good, none).testable) == 2
    assert claim(good, assertion(True, "open")).expected_verdict == "not reproduced"
    assert claim(good, strange[0]).expected_verdict == "partly" and claim(strange[1]).expected_verdict == "open"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.0, "as long"), (1.0004, "as long"), (0.9996, "as long"), (1.0006, "0.1 % longer"), (0.89, "11 % less"), (0.905, "9.5 % less"),
     (1.0999, "10.0 % longer"), (2.5, "150 % longer")],
)  # fmt: skip
def test_ratios_in_words(ratio: float, text: str) -> None:
    assert longer_text(ratio) == text


def test_orders_and_shares_in_words() -> None:
    assert order_text({"b": 3.0, "a": 2.0}) == "a 1.00, b 1.50"
    assert [share_text(x) for x in (0.25, 0.256, float("nan"))] == ["25 %", "26 %", "–"] and share_text(
        0.256, 1
    ) == "25.6 %"


def test_places_are_chosen_by_nodes_ranks_and_mapping() -> None:
    frames = [
        table(alike, [(8, 1), (8, 2), (4, 2)], ["a", "b", "c"], SIZES).assign(mapping=mapping)
        for mapping in ("block", "cyclic")
    ]
    frame = pd.concat(frames)
    for more, count in (
        ("", 6), ("nodes = 2", 4), ("ranks = 8", 4), ('mapping = "cyclic"', 3), ("nodes = 3", 1),
        ('nodes = [1, 2]\nranks = 4\nmapping = ["block"]', 1),
    ):  # fmt: skip
        assert len(assertions(f'kind = "fastest"\nname = "a"\n{more}', frame)) == count
    elsewhere = '{ name = "b", mapping = "cyclic", ranks = 8, nodes = 1 }'
    (found,) = assertions(f'kind = "faster"\nname = "a"\nthan = {elsewhere}\nranks = 4\nmapping = "block"', frame)
    assert found.text == "gather, 4 ranks, mapping block, 2 nodes: a beats b on 1 nodes, 8 ranks, mapping cyclic"


@pytest.mark.parametrize(
    ("sizes", "where"),
    [
        ('sizes = "1KiB"', ", 1 KiB"),
        ('sizes = "1KiB,16KiB"', ", 1 KiB to 16 KiB"),
        ('block_sizes = "128,2KiB"', ", 128 B to 2 KiB a rank"),
        ('block_sizes = "512"', ", 512 B a rank"),
    ],
)
def test_sizes_that_are_named_stand_in_the_assertion(sizes: str, where: str) -> None:
    (found,) = assertions(f'kind = "fastest"\nname = "a"\nnodes = 1\n{sizes}', FRAME)
    assert (found.holds, found.text) == (True, f"gather, 1 node{where}: a is best")


@pytest.mark.parametrize(
    ("check", "holds"),
    [
        ('kind = "fastest"\nname = "b"\nwithin = 1.124', False),
        ('kind = "fastest"\nname = "b"\nwithin = 1.126', True),
        ('kind = "slowest"\nname = "b"\nwithin = 0.46', False),
        ('kind = "slowest"\nname = "b"\nwithin = 0.47', True),
        ('kind = "faster"\nname = "a"\nthan = "a"', False),
        ('kind = "faster"\nname = "a"\nthan = "b"\nby = 1.126', False),
        ('kind = "equal"\nname = "a"\nthan = "b"\nwithin = 1.126', True),
        ('kind = "equal"\nname = "b"\nthan = "a"\nwithin = 1.124', False),
        ('kind = "no_slower"\nname = "a"\nthan = "b"\nwithin = 0.0', True),
        ('kind = "no_slower"\nname = "b"\nthan = "a"\nwithin = 1.126', True),
        ('kind = "no_slower"\nname = "b"\nthan = "a"\nwithin = 1.124', False),
        ('kind = "ratio"\nname = "b"\nthan = "a"\ntimes = 2\nwithin = 0.063', True),
        ('kind = "ratio"\nname = "b"\nthan = "a"\ntimes = 2\nwithin = 0.062', False),
        ('kind = "order"\nnames = ["a", "b", "c"]\nby = 0.88', True),
        ('kind = "order"\nnames = ["a", "b", "c"]\nby = 0.89', False),
        ('kind = "start_up"\nname = "a"\nmost = 0.0', True),
        ('kind = "start_up"\nname = "a"\nmost = 0.0\nsizes = "1KiB,4KiB"', True),
        ('kind = "faster_at_every_size"\nname = "a"\nthan = "a"', False),
        ('kind = "not_always_fastest"\nname = "b"\nwithin = 1.124', True),
        ('kind = "not_always_fastest"\nname = "b"\nwithin = 1.126', False),
    ],
)
def test_tolerances_have_two_sides(check: str, holds: bool) -> None:
    (found,) = assertions(f"{check}\nnodes = 1", FRAME)
    assert found.holds is holds, found


def test_blocks_of_one_size_are_compared_at_every_size_on_other_ranks_too() -> None:
    """Whose vectors are larger; vectors of other sizes are not compared."""
    frame = table(lambda c, name, ranks, m, size: 1e-6 * size, [(4, 2), (8, 2)], ["a"], [4096, 8192, 16384])
    check = 'kind = "faster_at_every_size"\nranks = 4\nname = "a"\nthan = { name = "a", ranks = 8 }\n'
    (found,) = assertions(f'{check}block_sizes = "1KiB,2KiB"', frame)
    assert (found.holds, found.evidence) == (True, "a on 8 ranks takes at least 2.00× as long")
    lacking = frame[(frame.ranks == 4) & (frame.bytes < 16384) | (frame.ranks == 8) & (frame.bytes > 4096)]
    (found,) = assertions(check, lacking)
    assert found.holds is None, found


def test_a_decision_that_takes_one_algorithm() -> None:
    frame = FRAME[FRAME["nodes"] == 1].copy()
    check = 'kind = "one_choice"\nname = "a"'
    frame["chose"] = "gather/x"
    assert [(a.holds, a.evidence) for a in assertions(check, frame)] == [(True, "x")]
    frame.loc[frame["bytes"] == SIZES[1], "chose"] = "gather/y"
    assert [(a.holds, a.evidence) for a in assertions(check, frame)] == [(False, "x → y")]
    frame.loc[frame["bytes"] == SIZES[1], "chose"] = ""
    assert [a.holds for a in assertions(check, frame)] == [None]


def test_a_decision_s_choices_are_compared_by_size_over_all_layouts() -> None:
    frame = FRAME[FRAME["nodes"] < 4].copy()
    frame["chose"] = ["gather/x" if size < 5000 else "gather/y" for size in frame["bytes"]]
    (found,) = assertions('kind = "one_choice"\nname = "a"', frame)
    assert (found.holds, found.text, found.evidence) == (False, "gather: a takes one algorithm at all sizes", "x → y")


def test_leads_and_growth_need_more_than_their_share() -> None:
    def time(c: str, n: str, p: int, nodes: int, size: int) -> float:
        return {"a": 1.0, "b": {1: 1.5, 2: 1.6, 4: 1.5}[nodes], "c": 1.0, "e": {1: 0.5, 2: 0.9, 4: 0.5}[nodes]}[n]

    frame = table(time, [(8, 1), (8, 2), (8, 4)], ["a", "b", "c", "e"], SIZES)
    for check, holds in (
        ('kind = "largest_at"\nname = "b"\nthan = "a"\nat = 2\nby = 0.06', [True]),
        ('kind = "largest_at"\nname = "b"\nthan = "a"\nat = 2\nby = 0.07', [False]),
        ('kind = "largest_at"\nname = "c"\nthan = "b"\nat = 1\nby = 0.0', [False]),
        ('kind = "largest_at"\nname = "e"\nthan = "a"\nat = 2', [False]),  # where it is behind least
        ('kind = "largest_at"\nname = "b"\nthan = "a"\nat = 8', [None]),
        ('kind = "nearer_than_at"\nname = "b"\nthan = "a"\nat = 2', [True, True]),
        ('kind = "nearer_than_at"\nname = "b"\nthan = "a"\nat = 1', [False, False]),
        ('kind = "grows"\nname = "b"\nthan = "a"', [True, False]),
        ('kind = "grows"\nname = "b"\nthan = "a"\nfalls = true', [False, True]),
        ('kind = "grows"\nname = "b"\nthan = "a"\nby = 0.06', [True, False]),
        ('kind = "grows"\nname = "b"\nthan = "a"\nby = 0.07', [False, False]),
        ('kind = "grows"\nname = "d"\nthan = "a"', [None, None]),
    ):
        assert [a.holds for a in assertions(check, frame)] == holds, check


@pytest.mark.parametrize(("most", "holds"), [(0.19, False), (0.21, True)])
def test_start_ups_are_what_the_line_through_two_sizes_has_at_none(most: float, holds: bool) -> None:
    frame = table(lambda c, n, p, m, size: 256 + size, [(4, 2)], ["a"], SIZES)
    (found,) = assertions(f'kind = "start_up"\nname = "a"\nmost = {most}', frame)
    assert (found.holds, found.evidence) == (holds, "20.0 % of the time at 1 KiB does not grow with the size")


@pytest.mark.parametrize(("steepness", "holds"), [(-0.1, True), (0.1, False), (0.0, False)])
def test_a_lead_shrinks_where_the_other_comes_nearer(steepness: float, holds: bool) -> None:
    frame = table(lambda c, n, p, m, size: 2.0 * size**steepness if n == "b" else 1.0, [(4, 2)], ["a", "b"], [16, 256])
    (found,) = assertions('kind = "lead_shrinks"\nname = "a"\nthan = "b"\nblock_sizes = "64B"\nbefore = "4B"', frame)
    assert found.holds is holds, found


RANKS = [(p, 2) for p in (2, 4, 8, 16, 32, 64)]


@pytest.mark.parametrize(
    ("coefficients", "r2", "holds"),
    [
        ("[1.0, 0.5, 0.01]", 0.99, [True, True]),
        ("[1.1, 0.55, 0.011]", 0.99, [True, True]),  # a tenth more
        ("[1.2, 0.6, 0.012]", 0.99, [False, True]),
        ("[1.0, 0.5, 0.01]", 0.96, [True, False]),
        ("[1.0, 0.5]", 0.96, [False, True]),  # a line is fitted to the parabola
    ],
)
def test_a_printed_polynomial_is_held_beside_our_fit(coefficients: str, r2: float, holds: list[bool]) -> None:
    frame = table(lambda c, n, p, m, size: 1e-6 * (1 + 0.5 * p + 0.01 * p * p), RANKS, ["a"], [64])
    check = (
        f'kind = "polynomial"\nname = "a"\ncoefficients = {coefficients}\nr2 = {r2}\nwithin = 0.15\nr2_within = 0.03'
    )
    made = assertions(check, frame)
    assert [a.holds for a in made] == holds, made
    if len(coefficients) > 12:
        assert "1, 0.5, 0.01; " in made[0].evidence
        assert made[1].evidence.startswith("R² 1.0000")


def test_a_check_is_made_where_it_says_and_where_the_table_has_nothing() -> None:
    """Of two names that the table lacks each is a place, like the first that it has."""
    times = Times(table(alike, [(8, 1), (8, 2), (4, 2)], ["a"], SIZES), SIZES)
    context = Context(times, (), {}, "", {}, 0.0, ("", 1))

    def places(**named: object) -> list[tuple[str, int, int]]:
        """Of gather: mapping, ranks, nodes."""
        check = Order.model_validate({"kind": "order", "collective": "gather", "names": ["a", "b"], **named})
        made = check.places(context, "gather")
        assert {p.collective for p in made} == {"gather"}
        return [(p.mapping, p.ranks, p.nodes) for p in made]

    assert places() == [("", 4, 2), ("", 8, 1), ("", 8, 2)]
    assert places(nodes=2) == [("", 4, 2), ("", 8, 2)] and places(ranks=[8, 4], nodes=[1, 2]) == places()
    assert places(nodes=[3, 1]) == [("", 8, 1), ("", 8, 3)] and places(ranks=16) == [("", 16, 0)]
    assert places(ranks=16, nodes=7, mapping="fill") == [("fill", 16, 7)]
    assert places(ranks=4, nodes=1) == [("", 4, 1)], "both are there, but not together"


def test_a_check_is_narrowed_to_what_is_there_of_what_it_names() -> None:
    named = {"sizes": "4B,8B", "block_sizes": "4B,16B", "ranks": [2, 4]}
    check = Order.model_validate({"kind": "order", "collective": "gather", "names": ["a", "b"], **named})
    fewer = check.narrowed((4, 16), (4, 8))
    assert (fewer.sizes, fewer.block_sizes, fewer.ranks) == ((4,), (4, 16), (4,))
    assert check.narrowed((1,), (1,)) == check
    assert check.sizes_at(Place("gather", "", 2, 1)) == (4, 8)
    blocks = check.model_copy(update={"sizes": ()})
    found = [blocks.sizes_at(Place(name, "", 2, 1)) for name in ("gather", "bcast")]
    assert found == [(8, 32), (4, 16)]
    assert fewer.model_copy(update={"sizes": (), "block_sizes": ()}).sizes_at(Place("gather", "", 2, 1)) is None
    assert check.named() == set() and check.model_copy(update={"mapping": ("fill",)}).named() == {"fill"}


def claim(verdict: bool, expected: str = "open") -> list[Claim]:
    """Of a claim that a (or c) is the best, judged with the alternative x."""
    name = "a" if verdict else "c"
    check = {"kind": "fastest", "collective": "gather", "name": name, "nodes": 1, "expected": expected}
    text = {"id": "X", "text": "t", "where": "w", "tolerance": "{near} or {far}", "explanation": {"all": "A", "x": "B", "y": "C"},
            "check": [check]}  # fmt: skip
    times = Times(FRAME, SIZES)
    return judge(
        [ClaimText.model_validate(text)],
        Context(times, (), {"near": 0.1, "far": 0.25, "best": 0}, "x", {}, 0.0, ("", 1)),
    )


def test_a_claim_has_its_rule_and_where_it_is_needed_its_explanation() -> None:
    (good,), (bad,), (strange,) = claim(True), claim(False), claim(True, "no")
    assert (good.id, good.text, good.where, good.rule, good.explanation) == ("X", "t", "w", "10 % or 25 %", "")
    assert (bad.rule, bad.explanation, bad.verdict) == (good.rule, "A; B", "not reproduced")
    assert (strange.explanation, strange.verdict) == ("A; B", "reproduced"), "against theory"
