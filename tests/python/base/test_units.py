import pytest
from hypothesis import given
from hypothesis import strategies as st

from collscope.base.errors import UsageError
from collscope.base.units import (
    LARGEST,
    MOST_RANKS,
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


def test_doubtful_units_name_the_right_one() -> None:
    with pytest.raises(UsageError, match="write 4KiB"):
        parse_size("4KB")


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


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (1.234e-5, "12.3 µs"),
        (9.999e-4, "1 ms"),
        (1e-3, "1 ms"),
        (2.5, "2.5 s"),
        (3e-10, "0.3 ns"),
        (0.1234, "123.4 ms"),
        (1e-4, "100.0 µs"),
        (9.994e-5, "99.9 µs"),
        (9.996e-4, "1 ms"),
    ],
)
def test_times_read_well(seconds: float, text: str) -> None:
    assert format_time(seconds) == text


@given(st.floats(min_value=1e-9, max_value=1e5))
def test_printed_times_are_near_the_number(seconds: float) -> None:
    number, unit = format_time(seconds).replace("\u2009", "").split(" ")
    value = float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]
    assert value == pytest.approx(seconds, rel=6e-3)


@given(st.integers(min_value=0, max_value=1 << 50))
def test_round_sizes_survive_printing(size: int) -> None:
    text = format_size(size)
    if "." not in text:
        assert parse_size(text) == size


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (4, "4 B"),
        (900, "900 B"),
        (1024, "1 KiB"),
        (23962, "23.4 KiB"),
        (1 << 20, "1 MiB"),
        (512 << 20, "512 MiB"),
        (3 << 30, "3 GiB"),
    ],
)
def test_rounded_sizes(size: int, text: str) -> None:
    assert rounded_size(size) == text


@pytest.mark.parametrize("text", ["9" * 5000, "1.." + "9" * 5000, "1..99999999", "²", "٣", "--5"])
def test_numbers_of_ranks_that_nobody_means(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_ranks(text)
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize("text", ["9" * 5000, "0." + "9" * 5000, "²", "--5"])
def test_sizes_that_nobody_means(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_size(text)
    assert len(str(caught.value)) < 150


def test_limits_are_among_what_is_allowed() -> None:
    assert parse_size("1024TiB") == LARGEST
    assert parse_ranks(f"{MOST_RANKS}..{MOST_RANKS}") == [MOST_RANKS]
    for text, parse in ((str(LARGEST + 1), parse_size), (str(MOST_RANKS + 1), parse_ranks)):
        with pytest.raises(UsageError, match="too (large|many)"):
            parse(text)


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
