"""What is told of a calibrated cluster: its page, its lines in a terminal, the table of its answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from collscope.calibration import cluster, page
from collscope.calibration.cluster import Calibrated, describe
from collscope.calibration.curves import Point
from collscope.calibration.numbers import Found
from collscope.calibration.p2p import Answer, Answers, Wanted, csv_text
from collscope.calibration.survey import Shape
from collscope.testbed.network import Network

PAIR = ((0, 1),)


def made() -> Calibrated:
    """Two nodes: three sizes and two pieces, of which the second misses its size by 16 %."""
    times = {1: 1e-6, 1024: 2e-6, 65536: 7e-5}
    seen = [Answer(Wanted("pingpong", PAIR, n), (t, 1.5 * t, 2 * t)) for n, t in times.items()]
    seen.append(Answer(Wanted("pingpong", PAIR, 4096), (3e-6, 3.7e-6, 3.7e-6)))  # 23 % apart: quiet
    seen.append(Answer(Wanted("pingpong_fresh", PAIR, 1024), (5e-6,)))
    seen.append(Answer(Wanted("flows", PAIR, 8, 4), (4e-6, 6e-6), (1e-6,), (2e-6, 4e-6)))
    seen.append(Answer(Wanted("pingpong", PAIR, 1, 1, single=True), (1e-6, 9e-6)))
    found = Found(overhead_s=1e-7, eager=(512, 1024), in_order=True, notes=["a note"], nic_gap_s=3e-7)
    found.rates = {"nic": (1e9, False), "core": (2.5e9, True)}
    found.times["network"] = [Point(n, 1.25 * t) for n, t in times.items()]
    found.curves["network"] = [(0, 1.25e-6, 1.2e-9), (65536, 0.0, 1.55e-9)]
    found.gaps = {"network": [(1, 2e-7), (2, 3e-7), (4, 4e-7), (512, 9e-7)], "node": []}
    found.receives = {"network": [(1, 1e-7)]}
    found.local["copy"] = (1e-10, 5e-11, 2e-10)
    found.noise["network"] = [(1, ((0.0, -1e-6), (0.05, -2e-7), (0.5, 1e-6), (0.95, 2e-6), (0.99, 3e-6), (1.0, 4e-6)))]
    return Calibrated(Path("spec.toml"), found, Answers(all=seen), Shape(((0, 0, 0), (1, 1, 1))), "here, now")


PAGE = """\
# mine: calibrated point to point

here, now. Every sample's lower quartile of the best pair counts; no collective's time is in any number.
All measurements: [d.csv](d.csv).

![what was measured, and the pieces](p.png)

## Curves

| class | from | latency | ns a byte |
|---|---:|---:|---:|
| network | 0 B | 1.25 µs | 1.2 |
| network | 64 KiB | 0 s | 1.55 |

## Sizes

| class | bytes | measured | fitted | missed by |
|---|---:|---:|---:|---:|
| network | 1 | 1.25 µs | 1.25 µs | +0.1% |
| network | 1024 | 2.5 µs | 2.48 µs | -0.8% |
| network | 65536 | 87.5 µs | 101.6 µs | +16.1% |

## Single messages

Longer than the time of their size above; this part of them takes at most so long.

| class | bytes | 5 % | 50 % | 95 % | 99 % | most |
|---|---:|---:|---:|---:|---:|---:|
| network | 1 | -200.0 ns | +1 µs | +2 µs | +3 µs | +4 µs |

## Beside the curves

| number | value |
|---|---|
| overhead of receiving | 100 ns |
| largest message that did not wait | 512 bytes; 1024 waited |
| largest message that did not wait of non-blocking sends | 0 bytes; none waited |
| nic | at least 1000 MB/s |
| core | 2500 MB/s |
| messages of one pair | one after the other |
| between two messages that leave a node | 300.0 ns |
| sender's gap, network | 200.0 ns at 1 B; 400.0 ns at 4 B; 900.0 ns at 512 B |
| sender's gap, node | not told |
| receiver's gap, network | 100 ns at 1 B |
| messages that no cache holds, network | 2.00 × at 1 KiB |
| copy, ns a byte | 0.1 (0.05 to 0.2) |

## To be careful with

- network: the pieces miss 64 KiB by more than 10%
- noise: of 3 ping-pongs the median is more than 25% above the least, from 1 B to 64 KiB; measure again when the machines are quiet
- a note
"""


def test_the_page_says_every_number_and_what_to_be_careful_with() -> None:
    assert page.page(made(), "mine", "p.png", "d.csv") == PAGE


def test_a_calibration_without_doubts_says_so() -> None:
    calm = replace(made(), found=Found(in_order=False), seen=Answers())
    assert page.page(calm, "mine", "p.png", "d.csv").endswith("## To be careful with\n\n- nothing was noticed\n")
    assert ("messages of one pair", "side by side") in page.others(calm)
    unordered = replace(made(), found=replace(made().found, in_order=None))
    assert list(page.warnings(unordered))[2:] == ["order: no stream was measured"]
    assert "messages of one pair" not in dict(page.others(unordered))


def test_a_terminal_is_told_the_same_in_fewer_words() -> None:
    assert list(describe(made())) == [
        "here, now",
        "network: 3 sizes in 2 pieces; missed by 0.8% (median), 16.1% (most)",
        "  from      0 B: α = 1.25 µs, β = 1.2 ns/B",
        "  from   64 KiB: α = 0 s, β = 1.55 ns/B",
        "nic: at least 1000 MB/s",
        "core: 2500 MB/s",
        "overhead 100 ns; eager up to 512 B",
        "messages of one pair flow one after the other",
        "NIC: 300.0 ns between messages",
        "note: a note",
    ]
    few = replace(made(), found=Found(in_order=False))
    assert list(describe(few))[1:] == [
        "overhead 0 s; eager up to 0 B",
        "messages of one pair flow side by side",
    ]
    assert len(list(describe(replace(few, found=Found())))) == 2


def test_the_table_of_all_answers() -> None:
    assert csv_text(made().seen).splitlines() == [
        "pattern,flows,bytes,count,lower_quartile_s,median_s,samples,issue_s,first_s",
        "pingpong,0>1,1,1,1.25e-06,1.5e-06,3,,",
        "pingpong,0>1,1024,1,2.5e-06,3e-06,3,,",
        "pingpong,0>1,65536,1,8.75e-05,0.000105,3,,",
        "pingpong,0>1,4096,1,3.35e-06,3.7e-06,3,,",
        "pingpong_fresh,0>1,1024,1,5e-06,5e-06,1,,",
        "flows,0>1,8,4,4.5e-06,5e-06,2,1e-06,2.5e-06",
        "pingpong_single,0>1,1,1,3e-06,5e-06,2,,",
    ]
    both = Answers(all=[Answer(Wanted("flows", ((0, 1), (1, 0))), (1e-6,))])
    assert csv_text(both).splitlines()[1] == "flows,0>1 1>0,1,1,1e-06,1e-06,1,,"


def test_the_leaves_of_a_test_bed_are_written_as_they_were_asked_for() -> None:
    wire = Network(8, leaves=2, oversubscription=8, uplink_latency_s=3e-5)  # four hosts send eight times an uplink
    lines, rate = cluster.leaves_of(wire)
    assert rate == wire.ceiling_bytes_per_s / 2
    said = 'tag = "documented", source = "what the bed was made with"'
    assert list(lines) == [
        'kind = "fat_tree"',
        f"leaves = {{ value = 2, {said} }}",
        f"nodes_per_leaf = {{ value = 4, {said} }}",
        f"oversubscription = {{ value = 4, {said} }}    # one uplink a leaf, of this rate:",
        f"link_bytes_per_s = {{ value = {rate!r}, {said} }}",
        f"hop_latency_s = {{ value = 3e-05, {said} }}",
    ]
    assert cluster.leaves_of(replace(wire, leaves=1)) == ((), float("inf"))
