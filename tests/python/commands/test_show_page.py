"""collscope.commands.show_page: the page of `show` in the terminal."""

from __future__ import annotations

import pytest

from collscope.commands import show_page
from collscope.schedules import rules
from collscope.schedules.trace import Message


def test_narrow_terminals_lose_blanks_not_words() -> None:
    picture = ["a    b           remark", "c                remark 2"]
    assert show_page.narrowed(picture, 100) == picture
    narrow = show_page.narrowed(picture, 18)
    assert narrow == ["a    b    remark", "c         remark 2"]
    assert show_page.narrowed(picture, 15) == ["a   b  remark", "c      remark 2"]
    least = ["a  b  remark", "c     remark 2"]
    assert show_page.narrowed(picture, 14) == show_page.narrowed(picture, 5) == least, "two blanks stay"


def test_a_list_is_cut_between_pairs() -> None:
    assert show_page.shortened("0→1  2→3  4→5", 13) == "0→1  2→3  4→5"
    assert show_page.shortened("0→1  2→3  4→5", 12) == "0→1  2→3  …"


def test_a_round_that_follows_a_rule_is_named_by_it() -> None:
    def m(a: int, b: int) -> Message:
        return Message(a, b, 1, 1, 0, 1, 0, 0)

    assert show_page.who([m(r, (r + 1) % 5) for r in range(5)], 5) == "every rank r → r+1"
    assert show_page.who([m(r, (r - 1) % 5) for r in range(5)], 5) == "every rank r → r-1"
    assert show_page.who([m(r, r ^ 2) for r in range(8)], 8) == "every rank r ↔ r xor 2"
    assert show_page.who([m(0, 1), m(1, 0), m(2, 3)], 8) == "0↔1  2→3"


@pytest.mark.parametrize("p", [4, 8, 64])
def test_a_swap_with_the_rank_at_half_distance_is_a_swap(p: int) -> None:
    """r + p/2 is r xor p/2: both directions are in the round."""
    assert rules.rule({(r, (r + p // 2) % p) for r in range(p)}, p) == f"every rank r ↔ r xor {p // 2}"


def test_swaps_of_other_numbers_of_ranks() -> None:
    assert rules.rule({(r, (r + 3) % 6) for r in range(6)}, 6) == "every rank r ↔ r+3"
    both = {(r, (r + d) % 7) for r in range(7) for d in (2, 5)}
    assert rules.rule(both, 7) == "every rank r ↔ r+2"
    assert rules.rule({(r, (r + 2) % 6) for r in range(6)}, 6) == "every rank r → r+2"
    assert rules.rule({(0, 1), (1, 0)}, 2) is None
