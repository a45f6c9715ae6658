"""The specification of a measured cluster, word by word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from collscope.calibration.cluster_text import About, _limit, _spent, text_of
from collscope.calibration.curves import Point
from collscope.calibration.numbers import Found

# What nodes share moves 1.5e9 bytes a second: 6.667e-10 s a byte are the links' and not a processor's.
ABOUT = About("mine", "mine: about", (2, 1, 4, 2), "the source", ('kind = "fat_tree"', "leaves = 2"), 1.5e9)


def found() -> Found:
    return Found(
        times={
            "cache": [Point(1, 1e-6), Point(8192, 3e-6)],
            "network": [Point(1, 2e-6), Point(1024, 3e-6), Point(8192, 9e-6)],
        },
        curves={"cache": [(0, 1.000004e-6, 2.5e-10)], "network": [(0, 2e-6, 9e-10), (8192, 1.2e-6, 4e-10)]},
        nonblocking={"network": [(0, 2e-6, 9e-10)]},
        gaps={"cache": [], "network": [(1, 3e-7), (1024, 4e-7)]},
        receives={"network": [(1, 1.5e-7), (1024, 2e-7)]},
        overhead_s=1e-7,
        eager=(4096, 4200),
        eager_nonblocking=(1024, 2048),
        in_order=True,
        nic_gap_s=3.14159e-7,
        rates={"core": (1e10, True), "nic": (2e9, False)},
        local={"gamma": (2e-10, 1e-10, 3e-10), "copy": (5e-11, 6e-11, 7e-11)},
        noise={"cache": [(1, ((0.0, -1e-7), (1.0, 2e-6)))]},
        notes=["a note", "another"],
    )


TEXT = """\
# As `./collscope calibrate --name mine` measured it, point to point: no collective's time is in it.
# a note
# another
name = "mine"
about = "mine: about"
nodes = { value = 2, tag = "documented", source = "where the ranks that measured sat" }
sockets = { value = 1, tag = "documented", source = "where the ranks that measured sat" }
cores_per_socket = { value = 4, tag = "documented", source = "where the ranks that measured sat" }
cores_per_cache = { value = 2, tag = "documented", source = "where the ranks that measured sat" }
gamma_s_per_byte = { value = 2e-10, tag = "measured", range = [1e-10, 3e-10], source = "here" }
copy_s_per_byte = { value = 5e-11, tag = "measured", range = [5e-11, 7e-11], source = "here" }
overhead_s = { value = 1e-07, tag = "measured", source = "here" }
eager_bytes = { value = 4096, tag = "measured", range = [4096, 4199], source = "here" }
eager_bytes_nonblocking = { value = 1024, tag = "measured", range = [1024, 2047], source = "here" }
core_bytes_per_s = { value = 10000000000.0, tag = "measured", source = "here" }
nic_bytes_per_s = { value = 2000000000.0, tag = "measured", source = "here, at least: nothing that met was slower than alone" }
in_order = true    # measured: the first message of a stream arrives as if it were alone
nic_gap_s = { value = 3.142e-07, tag = "measured", source = "here" }

[sources]
here = "the source"

# cache: 2 sizes, missed by 0.8% (median), 1.6% (most)

[[curve.cache]]
from_bytes = 0
latency_s = { value = 1e-06, tag = "measured", source = "here" }
s_per_byte = { value = 2.5e-10, tag = "measured", source = "here" }

# network: 3 sizes, missed by 2.6% (median), 50.3% (most)

[[curve.network]]
from_bytes = 0
latency_s = { value = 2e-06, tag = "measured", source = "here" }
s_per_byte = { value = 9e-10, tag = "measured", source = "here" }
gap_s = { value = 2.999e-07, tag = "measured", source = "here" }
gap_s_per_byte = { value = 9.775e-11, tag = "measured", source = "here" }
receive_gap_s = { value = 4.995e-08, tag = "measured", source = "here" }
receive_gap_s_per_byte = { value = 4.888e-11, tag = "measured", source = "here" }

[[curve.network]]
from_bytes = 8192
latency_s = { value = 1.2e-06, tag = "measured", source = "here" }
s_per_byte = { value = 4e-10, tag = "measured", source = "here" }
traffic = { value = 0.599994, tag = "inferred", source = "here" }

[[curve_nonblocking.network]]
from_bytes = 0
latency_s = { value = 2e-06, tag = "measured", source = "here" }
s_per_byte = { value = 9e-10, tag = "measured", source = "here" }
gap_s = { value = 2.999e-07, tag = "measured", source = "here" }
gap_s_per_byte = { value = 9.775e-11, tag = "measured", source = "here" }

[[noise.cache]]
from_bytes = 0
quantiles_s = [[0, -1e-07], [1, 2e-06]]
tag = "measured"
source = "here"

[topology]
kind = "fat_tree"
leaves = 2
"""


def test_every_number_that_was_found_stands_in_the_file() -> None:
    """A gap is a line through two sizes (1e-7 / 1023 s a byte), a receiver's without the overhead."""
    assert text_of(found(), ABOUT) == TEXT


def test_what_was_not_told_stays_away() -> None:
    few = found()
    few.in_order, few.nic_gap_s, few.rates, few.notes, few.noise, few.nonblocking = None, None, {}, [], {}, {}
    few.gaps, few.receives, few.eager_nonblocking = {}, {}, few.eager
    lines = text_of(few, About("mine", "mine: about", (2, 1, 4, 2), "the source")).splitlines()
    told = {"in_order", "nic_gap_s", "core_bytes_per_s", "nic_bytes_per_s", "eager_bytes_nonblocking", "traffic"}
    assert not told & {line.partition(" = ")[0] for line in lines}
    assert not any(line.startswith(("#  ", "# a note", "gap", "receive_gap", "[topology", "[[noise")) for line in lines)
    assert lines[-4:] == [
        "[[curve.network]]",
        "from_bytes = 8192",
        'latency_s = { value = 1.2e-06, tag = "measured", source = "here" }',
        's_per_byte = { value = 4e-10, tag = "measured", source = "here" }',
    ]
    few.curves = {"network": [(0, 1e-6, 2e-10)]}
    for links, factor in ((5e9, False), (4.9e9, True)):  # all of what the link takes, and less
        about = replace(ABOUT, link_bytes_per_s=links, topology=())
        assert ("traffic" in text_of(few, about)) == factor
    few.eager_nonblocking = (0, 64)
    assert "eager_bytes_nonblocking" not in text_of(few, ABOUT), "all waited: as it is not told how small they must be"


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ((0, 64), '{ value = -1, tag = "measured", source = "here: every send waited for its receive" }'),
        ((64, 128), '{ value = 64, tag = "measured", range = [64, 127], source = "here" }'),
        ((4096, 0), '{ value = 4096, tag = "measured", range = [4096, 1073741824], source = "here: the largest that was tried; '
         'none waited for its receive" }'),
    ],
)  # fmt: skip
def test_an_eager_limit_has_what_is_known_of_it(limit: tuple[int, int], text: str) -> None:
    assert _limit(limit) == text


@pytest.mark.parametrize(
    ("most", "most_per_byte", "beyond", "seconds", "per_byte"),
    [
        (9.0, 9.0, 0.0, 1.0, 0.5),
        (9.0, 9.0, 0.25, 0.75, 0.5),
        (0.5, 9.0, 0.0, 0.5, 0.5),  # no more than the piece has
        (-1.0, 9.0, 0.0, 0.0, 0.5),
        (9.0, 0.25, 0.0, 1.0 + 0.25 * 4, 0.25),  # the rest of the bytes' at the middle of 2 and 9 - 1, 4
        (9.0, -1.0, 0.0, 1.0 + 0.5 * 4, 0.0),
        (9.0, 9.0, 2.0, 0.0, 0.5),
    ],
)
def test_what_a_processor_spends_is_contained_in_its_piece(
    most: float, most_per_byte: float, beyond: float, seconds: float, per_byte: float
) -> None:
    known = [(2, 2.0), (4, 3.0), (8, 5.0)]  # 1 + n / 2
    found = _spent(known, 2, 9, most, most_per_byte, beyond)
    assert found == pytest.approx((seconds * (1 - 1e-5), per_byte), rel=1e-9)
    falling = _spent([(2, 2.0), (8, 1.0)], 2, 9, 9.0, 9.0)
    assert falling[1] == 0 and 1.0 < falling[0] < 2.0, "a time that falls with size does not fall below nothing a byte"
