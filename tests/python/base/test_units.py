"""collscope.base.units: sizes, times and lists of numbers as they are typed and printed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collscope.base.errors import UsageError
from collscope.base.units import (
    MAX_RANKS,
    MAX_VECTOR_BYTES,
    SECONDS,
    counted,
    format_ranks,
    format_ratio,
    format_size,
    format_time,
    join_words,
    parse_ranks,
    parse_size,
    parse_sizes,
    rounded_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4", 4),
        ("0", 0),
        ("512B", 512),
        ("1KiB", 1024),
        ("4MiB", 4 << 20),
        ("2GiB", 2 << 30),
        ("0.5KiB", 512),
        (" 3 kib ", 3072),
        ("4K", 4096),
        ("1m", 1 << 20),
        ("2G", 2 << 30),
        ("8Ki", 8192),
    ],
)
def test_sizes_that_parse(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "x", "-4", "4KB", "4MB", "1e3", "4 apples", "0.3B", "KiB", "1KiB2"])
def test_sizes_that_do_not_parse(text: str) -> None:
    with pytest.raises(UsageError, match="size"):
        parse_size(text)


def test_ranges_double_from_their_start() -> None:
    assert parse_sizes("1KiB..8KiB") == [1024, 2048, 4096, 8192]
    assert parse_sizes("3..20") == [3, 6, 12]
    assert parse_sizes("4,100,1KiB") == [4, 100, 1024]
    assert parse_sizes("4,4..8") == [4, 8]


@pytest.mark.parametrize("text", ["8..4", "0..8", "4,,8", "", "..8", "4.."])
def test_ranges_that_do_not_parse(text: str) -> None:
    with pytest.raises(UsageError):
        parse_sizes(text)


def test_ranks_step_by_one() -> None:
    assert parse_ranks("1..4,8") == [1, 2, 3, 4, 8]
    assert parse_ranks("7") == [7]
    for text in ("2..17,32", "2,3,7", "5", "1,2,4..6"):
        assert format_ranks(parse_ranks(text)) == text
    assert format_ranks([7, 1, 2, 3, 2]) == "1..3,7"


@pytest.mark.parametrize("text", ["0", "-1", "4..2", "x", "1.5", "", "2,,3", "1..2..3"])
def test_ranks_that_do_not_parse(text: str) -> None:
    with pytest.raises(UsageError):
        parse_ranks(text)


@settings(max_examples=40)
@given(st.floats(min_value=1e-9, max_value=1e5))
def test_printed_times_are_near_the_number(seconds: float) -> None:
    number, unit = format_time(seconds).replace("\u2009", "").split(" ")
    value = float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]
    assert value == pytest.approx(seconds, rel=6e-3)


@settings(max_examples=40)
@given(st.integers(min_value=0, max_value=1 << 50))
def test_round_sizes_survive_printing(size: int) -> None:
    text = format_size(size)
    if "." not in text:
        assert parse_size(text) == size


def test_numbers_have_forty_digits_and_messages_show_forty_characters() -> None:
    assert parse_size(" " + "4".zfill(48) + " ") == 4 and parse_ranks("8".zfill(40)) == [8]
    with pytest.raises(UsageError) as caught:
        parse_size("4".zfill(49))
    assert str(caught.value) == f'the size "{"0" * 40}…" is too long; the largest size is 1024 TiB'
    for text, shown in (
        ("8".zfill(41), "0" * 40 + "…"),
        ("x" * 40, "x" * 40),
        ("1.." + "x" * 38, "1.." + "x" * 37 + "…"),
    ):
        with pytest.raises(UsageError) as caught:
            parse_ranks(text)
        assert str(caught.value) == f'cannot read the ranks "{shown}"; write for example 8, 2,4,8 or 1..64'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x", 'cannot read the size "x"; write for example 4, 512B, 1KiB or 4MiB'),
        ("4 apples", 'cannot read the size "4 apples": the unit is none of B, KiB, MiB, GiB, TiB (or K, M, G, T)'),
        ("0.3B", 'the size "0.3B" is not a whole number of bytes'),
        ("1025TiB", 'the size "1025TiB" is too large; the largest is 1024 TiB'),
        ("0..8", 'the size range "0..8" cannot double from 0; write 0,1..8'),
        ("4,,8", 'cannot read "4,,8": there is an empty size in the list'),
    ],
)
def test_a_wrong_size_is_reported_in_words(text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_sizes(text)
    assert str(caught.value) == says


def test_wrong_ranks_are_reported_in_words() -> None:
    for text, says in (
        ("1048577", "1048577 nodes are too many; the most are 1048576"),
        ("1, ,2", 'cannot read "1, ,2": there is an empty number of nodes in the list'),
    ):
        with pytest.raises(UsageError) as caught:
            parse_ranks(text, "nodes")
        assert str(caught.value) == says
    assert parse_ranks(" 1 .. 3 , 3") == [1, 2, 3]


def test_limits_are_among_what_is_allowed() -> None:
    assert parse_size("1024TiB") == MAX_VECTOR_BYTES
    assert parse_ranks(f"{MAX_RANKS}..{MAX_RANKS}") == [MAX_RANKS]
    for text, parse in ((str(MAX_VECTOR_BYTES + 1), parse_size), (str(MAX_RANKS + 1), parse_ranks)):
        with pytest.raises(UsageError, match="too (large|many)"):
            parse(text)


def test_a_unit_of_time_is_a_thousand_of_the_one_below() -> None:
    assert [SECONDS[unit] for unit in ("ns", "us", "µs", "ms", "s", "min")] == [1e-9, 1e-6, 1e-6, 1e-3, 1, 60]


def test_ratios_have_three_digits() -> None:
    assert [format_ratio(x) for x in (0.8734, 0.9999, 1, 1.0, 9.99, 10, 12.36)] == [
        *("0.873", "1", "1.00", "1.00", "9.99", "10", "12.4")
    ]


def test_counted_things() -> None:
    assert [counted(n, "node") for n in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]


def test_lists_of_words() -> None:
    assert [join_words(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert join_words(["a", "b"], "or") == "a or b"


@pytest.mark.parametrize(
    ("size", "text", "rounded"),
    [
        (1023, "1023 B", "1023 B"), (1025, "1025 B", "1 KiB"), (10239, "10239 B", "10 KiB"), (10241, "10.0 KiB", "10 KiB"),
        (10 * 1024, "10 KiB", "10 KiB"), (1 << 40, "1 TiB", "1 TiB"), (1023 * 1024 + 512, "1023.5 KiB", "1024 KiB"),
        (100 * 1024 + 700, "100.7 KiB", "101 KiB"), (99 * 1024 + 512, "99.5 KiB", "99.5 KiB"), (0, "0 B", "0 B"), (2.5, "2.5 B", "2.5 B"),
    ],
)  # fmt: skip
def test_sizes_read_well(size: float, text: str, rounded: str) -> None:
    assert (format_size(size), rounded_size(size)) == (text, rounded)


@pytest.mark.parametrize(
    ("seconds", "text", "aligned"),
    [
        (0, "0 s", "0 s"), (0.99949, "999.5 ms", "999.5 ms"), (0.99951, "1 s", "1.000 s"), (-2.5e-3, "-2.5 ms", "-2.500 ms"),
        (9.9996e-6, "10 µs", "10.00 µs"), (9.9994e-6, "10 µs", "9.999 µs"), (99.996e-6, "100 µs", "100.0 µs"),
        (1234.0, "1\u2009234 s", "1234.0 s"), (999.6, "1000 s", "999.6 s"), (999.4, "999.4 s", "999.4 s"), (5e-10, "0.5 ns", "0.5 ns"),
        (100.0, "100.0 s", "100.0 s"), (0.9995, "1 s", "1.000 s"), (1000.0, "1\u2009000 s", "1000.0 s"), (99.9, "99.9 s", "99.90 s"),
    ],
)  # fmt: skip
def test_times_in_columns_have_four_digits(seconds: float, text: str, aligned: str) -> None:
    assert (format_time(seconds), format_time(seconds, aligned=True)) == (text, aligned)


@pytest.mark.parametrize("unit", "kmgt")
def test_every_unit_is_binary_in_three_spellings(unit: str) -> None:
    factor = 1024 ** ("kmgt".index(unit) + 1)
    assert [parse_size(f"1{unit}{rest}") for rest in ("", "i", "ib", "IB")] == [factor] * 4
    with pytest.raises(UsageError, match=rf"write 1{unit.upper()}iB \(1 {unit.upper()}iB = {factor} bytes\)"):
        parse_size(f"1{unit}b")


def test_a_rule_of_ranks_is_a_run_of_three() -> None:
    assert [format_ranks(n) for n in ([1, 2], [1, 2, 3], [5, 6, 8, 9, 10], [])] == ["1,2", "1..3", "5,6,8..10", ""]
    assert parse_ranks("4,1..4") == [4, 1, 2, 3]
    with pytest.raises(UsageError, match='the range of nodes "4..2" is empty: 4 is more than 2'):
        parse_ranks("4..2", "nodes")
    with pytest.raises(UsageError, match='the size range "8..4" is empty: 8 B is more than 4 B'):
        parse_sizes("8..4")
    assert parse_sizes("4..4") == [4] and parse_sizes("4..7") == [4]
