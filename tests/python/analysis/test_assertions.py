"""collscope.analysis.check, collscope.analysis.times:
what each kind of check says: its sentence, whether it holds, and the numbers that decided, on one table whose times are simple."""

from __future__ import annotations

import pytest

from collscope.analysis.check import Context, Subject
from collscope.analysis.times import Times
from judging import HEAD, assertions, table

SIZES = [1024, 4096, 16384]


def seconds(collective: str, name: str, ranks: int, nodes: int, size: int) -> float:
    """a starts with the time of 256 B; b is fast at small sizes; c comes nearer as nodes grow."""
    per_byte = {"a": 1.0, "b": {1024: 0.8, 4096: 1.25}.get(size, 1.5), "c": 1.0 + 1.0 / nodes}[name]
    return 1e-6 * per_byte * (size + (256 if name == "a" else 0))


FRAME = table(seconds, [(8, 2), (8, 4)], ["a", "b", "c"], SIZES)
ORDER = "a 1.00, b 1.04, c 1.36"  # means of a: 1280, 4352, 16640; of b: 819.2, 5120, 24576; of c: 1536, 6144, 24576


@pytest.mark.parametrize(
    ("check", "holds", "text", "evidence"),
    [
        ('kind = "fastest"\nname = "a"', True, "a is best", ORDER),
        ('kind = "slowest"\nname = "a"', False, "a is worst", ORDER),
        ('kind = "faster"\nname = "a"\nthan = { name = "c", nodes = 4 }\nby = "near"', True, "a beats c on 4 nodes",
         "c on 4 nodes takes 13 % longer"),
        ('kind = "equal"\nname = "a"\nthan = "b"\nwithin = "near"', True, "a and b within 10 %", "b takes 3.6 % longer"),
        ('kind = "no_slower"\nname = "b"\nthan = "a"\nwithin = 0.25\nsizes = "4KiB,16KiB"', False, "b matches or beats a",
         "b takes 32 % longer"),
        ('kind = "ratio"\nname = "c"\nthan = "b"\ntimes = 1.5\nwithin = 0.3', True, "c takes 1.5 times b's time, within 30 %",
         "c takes 1.31 times the time of b"),
        ('kind = "order"\nnames = ["a", "b", "c"]\nby = 0.1', False, "fastest first: a, b, c", ORDER),
        ('kind = "faster_at_every_size"\nname = "a"\nthan = "c"', True, "a beats c at every size", "c takes at least 1.20× as long"),
        ('kind = "faster_at_every_size"\nname = "a"\nthan = "b"', False, "a beats b at every size", "b takes at least 0.64× as long"),
        ('kind = "one_fastest"\nwithin = 0.5', False, "one class is best at all sizes", "a over all; 56.2 % behind b at 256 words"),
        ('kind = "one_fastest"\nwithin = 0.57', True, "one class is best at all sizes", "a, never more than 56 % behind"),
        ('kind = "crossover"\nname = "b"\nthan = "a"\nbetween = "1KiB,4KiB"', True, "b gives way to a between 1 KiB and 4 KiB",
         "crosses at 2.76 KiB"),
        ('kind = "crossover"\nname = "a"\nthan = "c"\nbetween = "1KiB,4KiB"', False, "a gives way to c between 1 KiB and 4 KiB",
         "no crossing"),
        ('kind = "crossover"\nname = "b"\nthan = "a"\nbetween = "256B,4KiB"\nblock_sizes = "128B,512B"', True,
         "b gives way to a between 256 B and 4 KiB", "crosses at 2.76 KiB of the vector"),
        ('kind = "lead_shrinks"\nname = "b"\nthan = "a"\nsizes = "4KiB"\nbefore = "1KiB"', True,
         "b's lead over a is smaller than at 1 KiB", "a takes 1.56 times as long there, 0.85 here"),
        ('kind = "start_up"\nname = "a"\nmost = "near"', False, "start-ups are at most 10 % of a's time at the smallest size",
         "20.0 % of the time at 1 KiB does not grow with the size"),
        ('kind = "start_up"\nname = "b"\nmost = "near"', True, "start-ups are at most 10 % of b's time at the smallest size",
         "0.0 % of the time at 1 KiB does not grow with the size"),
    ],
)  # fmt: skip
def test_a_check_at_a_place_has_its_sentence_and_its_numbers(check: str, holds: bool, text: str, evidence: str) -> None:
    (found,) = assertions(f"{check}\nnodes = 2", FRAME)
    where, _, output = found.text.partition(": ")
    named = {
        'sizes = "4KiB,16KiB"': ", 4 KiB to 16 KiB",
        '\nsizes = "4KiB"\n': ", 4 KiB",
        "block_sizes": ", 128 B to 512 B a rank",
    }
    sizes = next((words for key, words in named.items() if key in check), "")
    assert (where, found.holds, output, found.evidence) == (f"gather, 2 nodes{sizes}", holds, text, evidence)


@pytest.mark.parametrize(
    ("check", "output"),
    [
        ('kind = "grows"\nname = "c"\nthan = "a"',
         [("gather: c falls further behind a from 2 to 4 nodes", False, "c / a: 2 nodes 1.36×, 4 nodes 1.13×")]),
        ('kind = "grows"\nname = "c"\nthan = "a"\nfalls = true\nby = 0.1',
         [("gather: c catches up with a from 2 to 4 nodes", True, "c / a: 2 nodes 1.36×, 4 nodes 1.13×")]),
        ('kind = "grows"\nname = "c"\nfalls = true', [("gather: c falls from 2 to 4 nodes", True, "c: 2 nodes 6.14 ms, 4 nodes 5.12 ms")]),
        ('kind = "grows"\nname = "a"', [("gather: a grows from 2 to 4 nodes", False, "a: 2 nodes 4.53 ms, 4 nodes 4.53 ms")]),
        ('kind = "largest_at"\nname = "c"\nthan = "a"\nat = 2',
         [("gather: the lead of a over c is largest on 2 nodes", True, "c beside a: 2 nodes 36 % longer, 4 nodes 13 % longer")]),
        ('kind = "nearer_than_at"\nname = "c"\nthan = "a"\nat = 2',
         [("gather, 4 nodes: c is closer to a than on 2", True, "c beside a: 2 nodes 36 % longer, 4 nodes 13 % longer")]),
        ('kind = "not_always_fastest"\nname = ["a", "b"]\nwithin = 0.03',
         [("a is not best everywhere", False, "beaten in 0 of 2 cells"), ("b is not best everywhere", True, "beaten in 2 of 2 cells")]),
        ('kind = "not_always_fastest"\nname = "b"\namong = ["b", "c"]\nnodes = [2, 8]',
         [("b is not best everywhere", False, "beaten in 0 of 1 cells")]),
        ('kind = "winners"', [("gather: b/a", True, "a/b; a 1.00, b 1.04, c 1.24")]),
        ('kind = "winners"\namong = ["b", "c"]', [("gather: b/a", False, "b; b 1.00, c 1.20")]),
        ('kind = "winners"\namong = ["b", "d"]', [("gather: b/a", None, "not testable in this run: points are missing")]),
        ('kind = "polynomial"\nname = "a"\ncoefficients = [1.0, 2.0]\nr2 = 0.9\nwithin = "near"\nr2_within = 0.05',
         [("gather: the printed polynomial of a within 10 % of ours", None, "not testable in this run: points are missing"),
          ("gather: R² within 0.05 of the printed one", None, "not testable in this run: points are missing")]),
    ],
)  # fmt: skip
def test_a_check_over_places_has_its_sentence_and_its_numbers(
    check: str, output: list[tuple[str, bool | None, str]]
) -> None:
    head = HEAD + '[winners]\ntitle = "t"\ntied = "near"\nrows.gather = ["b", "a"]\n'
    assert [(a.text, a.holds, a.evidence) for a in assertions(check, FRAME, head)] == output


def test_a_polynomial_is_described_with_its_numbers() -> None:
    """Times of 1 + p²/100 µs; a line through them, and one that is printed a fifth too high."""
    frame = table(lambda c, n, p, m, size: 1e-6 * (1 + p * p / 100), [(p, 2) for p in (2, 4, 8, 16)], ["a"], [64])
    made = assertions(
        'kind = "polynomial"\nname = "a"\ncoefficients = [0.0, 0.25]\nr2 = 0.9\nwithin = 0.1\nr2_within = 0.05', frame
    )
    # Least squares by hand: mean p 7.5, of y 1.85; Σ(p - 7.5)(y - 1.85) = 21.3, Σ(p - 7.5)² = 115.
    slope = 21.3 / 115
    rest = sum((1 + p * p / 100 - 1.85 - slope * (p - 7.5)) ** 2 for p in (2, 4, 8, 16))
    spread = sum((1 + p * p / 100 - 1.85) ** 2 for p in (2, 4, 8, 16))
    off = sorted(abs((1.85 + slope * (p - 7.5)) / (0.25 * p) - 1) for p in (2, 4, 8, 16))
    assert [(a.holds, a.evidence) for a in made] == [
        (
            False,
            f"ours, in µs by powers of p: {1.85 - 7.5 * slope:.4g}, {slope:.4g}; {50 * (off[1] + off[2]):.0f} % off in the median",
        ),
        (abs(1 - rest / spread - 0.9) <= 0.05, f"R² {1 - rest / spread:.4f}, printed 0.9000"),
    ]


def test_a_size_is_counted_in_bytes_where_the_paper_has_no_unit() -> None:
    for unit, text in ((("", 1), "1 MiB"), (("floats", 4), "262\u202f144 floats")):
        made = Context(Times(FRAME, ()), (), {"near": 0.1}, "", {}, 0.0, unit)
        assert made.size_text(1 << 20) == text
        assert (made.share("near"), made.share(0.3)) == (0.1, 0.3)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "a"),
        ({"nodes": 2}, "a on 2 nodes"),
        ({"ranks": 8}, "a on 8 ranks"),
        ({"mapping": "fill"}, "a on mapping fill"),
    ],
)
def test_a_subject_names_its_place(more: dict[str, object], text: str) -> None:
    assert str(Subject.model_validate({"name": "a", **more})) == text


def test_expectations_are_one_for_all_or_one_each() -> None:
    check = 'kind = "fastest"\nname = "a"\nnodes = 2\n'
    for more, expected, theory in (
        ("", "open", ""), ('expected = "yes"\ntheory = "t"', "yes", "t"), ('expected = { x = "no" }\ntheory = { x = "t" }', "open", ""),
        ('expected = { x = "no", other = "yes" }', "yes", ""),
    ):  # fmt: skip
        (found,) = assertions(check + more, FRAME)
        assert (found.expected, found.theory) == (expected, theory), more


@pytest.mark.parametrize(
    ("check", "says", "text"),
    [
        ('kind = "grows"\nname = "c"\nthan = "a"', "{name} {than} {a} {b} {along}", "gather: c a 2 4 nodes"),
        ('kind = "largest_at"\nname = "c"\nthan = "a"\nat = 2', "{name} {than} {at} {along}", "gather: c a 2 nodes"),
        ('kind = "ratio"\nname = "c"\nthan = "a"\ntimes = 2\nwithin = "near"\nnodes = 2', "{name} {than} {within}",
         "gather, 2 nodes: c a 10 %"),
        ('kind = "faster"\nname = "c"\nthan = "a"\nby = 0.25\nnodes = 2', "{name} {than} {by}", "gather, 2 nodes: c a 25 %"),
        ('kind = "start_up"\nname = "c"\nmost = 0.5\nnodes = 2', "{name} {most}", "gather, 2 nodes: c 50 %"),
        ('kind = "one_choice"\nname = "c"\nnodes = 2', "{name}", "gather: c"),
    ],
)  # fmt: skip
def test_a_paper_s_own_words_have_these_fields(check: str, says: str, text: str) -> None:
    (found,) = assertions(f'{check}\nsays = "{says}"', FRAME)
    assert found.text == text
