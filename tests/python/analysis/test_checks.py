"""Each kind of check on tables where it holds and where it does not."""

from __future__ import annotations

import pytest

from judging import assertions, table

SIZES = [1024, 4096, 16384]


def alike(collective: str, name: str, ranks: int, nodes: int, size: int) -> float:
    """a takes 1, b 2 and c 4 times as long; b falls behind as nodes grow."""
    return 1e-6 * size * {"a": 1.0, "b": 2.0 + nodes / 8, "c": 4.0}[name]


FRAME = table(alike, [(8, 1), (8, 2), (8, 4)], ["a", "b", "c"], SIZES)


@pytest.mark.parametrize(
    ("check", "holds"),
    [
        ('kind = "fastest"\nname = "a"', [True] * 3),
        ('kind = "fastest"\nname = "b"', [False] * 3),
        ('kind = "fastest"\nname = "b"\namong = ["b", "c"]', [True] * 3),
        ('kind = "slowest"\nname = "c"\nnodes = [1, 4]', [True] * 2),
        ('kind = "faster"\nname = "a"\nthan = ["b", "c"]\nnodes = 2', [True] * 2),
        ('kind = "faster"\nname = "a"\nthan = "b"\nby = 1.2', [False, True, True]),
        ('kind = "equal"\nname = "a"\nthan = "b"\nwithin = "near"', [False] * 3),
        ('kind = "no_slower"\nname = "b"\nthan = "a"\nwithin = 1.2', [True, False, False]),
        ('kind = "ratio"\nname = "a"\nthan = "c"\ntimes = 0.25\nwithin = 0.01', [True] * 3),
        ('kind = "ratio"\nname = "a"\nthan = "c"\ntimes = 0.3\nwithin = 0.01', [False] * 3),
        ('kind = "order"\nnames = ["a", "b", "c"]', [True] * 3),
        ('kind = "order"\nnames = ["a", "c", "b"]', [False] * 3),
        ('kind = "faster_at_every_size"\nname = "a"\nthan = "b"', [True] * 3),
        ('kind = "one_fastest"\nwithin = 0.01', [True] * 3),
        ('kind = "start_up"\nname = "a"\nmost = 0.01', [True] * 3),
        ('kind = "grows"\nname = "b"\nthan = "a"', [True] * 2),
        ('kind = "grows"\nname = "b"\nthan = "a"\nfalls = true', [False] * 2),
        ('kind = "grows"\nname = "c"', [False] * 2),
        ('kind = "largest_at"\nname = "b"\nthan = "a"\nat = 4', [True]),
        ('kind = "largest_at"\nname = "b"\nthan = "a"\nat = 1', [False]),
        ('kind = "nearer_than_at"\nname = "b"\nthan = "a"\nat = 4', [True] * 2),
        ('kind = "not_always_fastest"\nname = ["a", "b"]', [False, True]),
    ],
)
def test_a_check_holds_where_it_should(check: str, holds: list[bool]) -> None:
    made = assertions(check, FRAME)
    assert [a.holds for a in made] == holds, made


@pytest.mark.parametrize(
    "check",
    [
        'kind = "fastest"\nname = "d"',
        'kind = "faster"\nname = "a"\nthan = "d"',
        'kind = "faster"\nname = "a"\nthan = "b"\nsizes = "2KiB"',
        'kind = "order"\nnames = ["a", "d"]',
        'kind = "crossover"\nname = "a"\nthan = "d"\nbetween = "1KiB,4KiB"',
        'kind = "start_up"\nname = "d"\nmost = 0.1',
        'kind = "one_choice"\nname = "a"',
    ],
)
def test_missing_points_are_said(check: str) -> None:
    for a in assertions(check, FRAME):
        assert (a.holds, a.seen) == (None, "points are missing")


def test_a_crossing_is_looked_for_between_two_sizes() -> None:
    frame = table(
        lambda c, n, p, m, size: 30.0 if n == "flat" else size**0.5, [(4, 2)], ["root", "flat"], [256, 512, 1024]
    )
    check = 'kind = "crossover"\nname = "{}"\nthan = "{}"\nbetween = "{}"'
    (found,) = assertions(check.format("root", "flat", "600B,1KiB"), frame)
    assert (found.holds, found.seen) == (True, "crosses at 900 B")
    assert found.text == "gather, 2 nodes: root gives way to flat between 600 B and 1 KiB"
    assert not assertions(check.format("root", "flat", "512B,800B"), frame)[0].holds
    assert not assertions(check.format("flat", "root", "600B,1KiB"), frame)[0].holds


def test_trends_are_followed_along_the_ranks_at_sizes_of_one_block() -> None:
    frame = table(
        lambda c, n, p, m, size: 1e-6 * p * (size / p), [(2, 1), (4, 1), (8, 1)], ["a"], [1024 * p for p in (2, 4, 8)]
    )
    made = assertions('kind = "grows"\nname = "a"\nalong = "ranks"\nblock_sizes = "1KiB"', frame)
    assert [(a.holds, a.text) for a in made] == [
        (True, "gather: a grows from 2 to 4 ranks"),
        (True, "gather: a grows from 4 to 8 ranks"),
    ]


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
    assert (found.holds, found.seen) == (False, "a over all; 33.3 % behind b at 1\u202f024 words")
