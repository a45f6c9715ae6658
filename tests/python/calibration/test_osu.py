"""collscope.calibration.osu, collscope.calibration.streams: what OSU's benchmarks printed of a made-up machine gives its numbers back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from collscope.base.number import Number
from collscope.calibration import streams
from collscope.calibration.osu import Output
from collscope.calibration.tables import Measured, Measurements, read
from collscope.machines import find
from command_line import call
from refusals import refusal

SIZES = [1 << k for k in range(23)]
HEADS = {
    "osu_latency": "OSU MPI Latency Test v7.3\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)",
    "osu_bw": "OSU MPI-CUDA Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)",
    "osu_bibw": "OSU MPI Bi-Directional Bandwidth Test v5.6\n# Size      Bandwidth (MB/s)",
    "osu_mbw_mr": "OSU MPI Multiple Bandwidth / Message Rate Test v7.3\n# [ pairs: {pairs} ] [ window size: 64 ]\n"
    "# Size                  MB/s        Messages/s",
    "osu_multi_lat": "OSU MPI Multi Latency Test v5.6\n# Size          Latency (us)",
}
SHAPE = "nodes=4,sockets=1,cores_per_socket=16"
GAP, NIC_GAP, RATE = 3e-7, 1.2e-7, 12.3e9


def printed(benchmark: str, seconds: Callable[[int], float], pairs: int = 1) -> str:
    """What a benchmark prints where half a round trip, or the messages of all pairs one after the other, take so long."""
    lines = [f"# {HEADS[benchmark].format(pairs=pairs)}"]
    for n in SIZES:
        rates = [n / seconds(n) * 1e-6] + [1 / seconds(n)] * (benchmark == "osu_mbw_mr")
        values = [seconds(n) * 1e6] if benchmark in ("osu_latency", "osu_multi_lat") else rates
        lines.append(f"{n}  " + "  ".join(f"{value:.2f}" for value in values))
    return "\n".join([*lines, "srun: job finished"]) + "\n"


def latency(size: int) -> float:
    return 1.75e-6 + size * 5e-10 if size < 16384 else 4e-6 + size / 12.4e9


def stream(size: int) -> float:
    return max(GAP, size / RATE)


FILES = {
    "lat.txt": printed("osu_latency", latency),
    "bw.txt": printed("osu_bw", stream),
    "mr.txt": printed("osu_mbw_mr", lambda n: max(GAP / 16, NIC_GAP, n / 12.35e9), 16),
    "scales.txt": printed("osu_mbw_mr", lambda n: max(GAP / 16, n / 12.35e9), 16),
    "one.txt": printed("osu_mbw_mr", stream),
    "bibw.txt": printed("osu_bibw", lambda n: stream(n) / 1.6),
    "duplex.txt": printed("osu_bibw", lambda n: stream(n) / 1.95),
    "multi.txt": printed("osu_multi_lat", lambda n: latency(n) + 3 * n / 12.4e9),
    "quiet.txt": printed("osu_multi_lat", lambda n: 1.05 * latency(n)),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what all benchmarks printed."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def found(*files: str) -> streams.Streams:
    return streams.of(read(["network=lat.txt", *files]))


def test_output_of_benchmarks_becomes_a_specification_with_gaps_and_rates(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("network=lat.txt", "network=bw.txt", "network=mr.txt", "network=bibw.txt", "network:4=multi.txt")
    words = [word for name in names for word in ("--from", name)]
    status, out, _ = call(capsys, "calibrate", *words, "--name", "mine", "--shape", SHAPE, "--out", "mine.toml")
    assert status == 0
    spec, text = find.load_spec("mine.toml"), (here / "mine.toml").read_text()
    assert spec.nic_bytes_per_s == Number(1.235e10, "measured", "bw.txt, mr.txt, bibw.txt")
    assert spec.nic_gap_s == Number(1.2e-7, "measured", "mr.txt: 16 pairs beside one")
    for piece in spec.curve["network"]:
        assert (piece.gap is not None) == (piece.start <= spec.eager_bytes.value)
        if piece.gap and piece.start <= 2048:  # where the links would be faster
            size = 1.4 * piece.start or 1  # its middle
            assert piece.gap[0].value + size * piece.gap[1].value == pytest.approx(GAP, rel=0.05)
            assert piece.gap[0].source == "bw.txt: time per message of a stream"
    assert "bw.txt (osu_bw, network, 1 pair): 12.3 GB/s; a sender's gap of 300.3 ns at 1 B, 300.0 ns at 2 KiB" in out
    assert "mr.txt (osu_mbw_mr, network, 16 pairs): 12.35 GB/s; a message of 1 B each 120.0 ns" in out
    assert "nic_gap_s = 1.2e-07: the NIC begins a message each 120.0 ns (mr.txt: 16 pairs beside one)" in out
    shown = [line for line in out.splitlines() if ".txt (osu_" in line]
    assert len(shown) == 4 and all(f"# {line}\n" in text for line in shown), "the file says it, too"
    (here / "mine.toml").write_text(text.replace("nic_gap_s = { value = 1.2e-07", "# nic_gap_s = { value = 1.2e-07"))
    _, out, _ = call(capsys, "calibrate", *words, "--name", "mine", "--out", "mine.toml")
    assert "note: nic_gap_s = 1.2e-07 follows from mr.txt: 16 pairs beside one; what stands above" in out


def test_pairs_side_by_side_tell_a_nic_from_its_senders(here: Path) -> None:
    assert found("network=one.txt", "network=mr.txt").numbers["nic_gap_s"].value == 1.2e-7
    scales = found("network=bw.txt", "network=scales.txt")
    assert scales.numbers["nic_gap_s"] == Number(0.0, "measured", "scales.txt: 16 pairs beside one"), "0 is known"
    alone = found("network=mr.txt")
    assert "nic_gap_s" not in alone.numbers and not alone.gaps.gap
    assert "whether senders or the NIC spend that is not known: add osu_bw" in alone.texts[0]
    assert "nic_gap_s" not in found("network=bw.txt").numbers


def test_one_pair_gives_what_its_sender_spends_where_links_would_be_faster(here: Path) -> None:
    gap = found("network=one.txt").gaps.gap["network"]
    assert gap == [(n, pytest.approx(GAP, rel=1e-3)) for n in (1, 1024, 2048)]
    slow = Measurements(
        {"node": [Measured(n, 2e-7) for n in SIZES]}, {"node": [Output("f", "osu_bw", 1, ((1, 1e6), (4096, 1e10)))]}
    )
    assert streams.of(slow).gaps.gap == {"node": [(1, 0.95 * 2e-7)]}, "no more than 95 % of its message"


def test_memory_is_known_where_pairs_on_a_node_are_slower_than_alone(here: Path) -> None:
    (here / "node.txt").write_text(printed("osu_mbw_mr", lambda n: max(GAP / 8, n / 40e9), 8))
    (here / "socket.txt").write_text(printed("osu_latency", latency))
    shared = found("socket=socket.txt", "socket=bw.txt", "socket=node.txt").numbers
    assert {key: number.value for key, number in shared.items()} == {
        "core_bytes_per_s": 12.3e9,
        "memory_bytes_per_s": 4e10,
    }
    at_least = found("network=bw.txt").numbers["nic_bytes_per_s"]
    assert at_least == Number(12.3e9, "measured", "bw.txt, at least: nothing that met was slower than alone")


@pytest.mark.parametrize(
    ("files", "text"),
    [
        (["bw.txt", "bibw.txt"], "both directions at once move 19.68 GB/s, 1.60 times one: not full duplex; the model's links are, so that "
         "large exchanges come out up to 1.25 times too fast"),
        (["bw.txt", "duplex.txt"], "23.98 GB/s, 1.95 times one: full duplex, as the model has it"),
        (["duplex.txt"], "what one moves alone is not known: add osu_bw"),
        (["multi.txt"], "3.96 times as long as alone at 4 MiB; say how many pairs there were, --from network:PAIRS=FILE"),
        ([":4=multi.txt"], "as alone at 4 MiB; they share 6.2 to 12.4 GB/s each way: osu_mbw_mr of 4 pairs measures it"),
        (["quiet.txt"], "1.05 times as long as alone at 4 MiB: what the pairs share is as fast as they need"),
    ],
)  # fmt: skip
def test_directions_and_pairs_at_once_are_compared_with_one(files: list[str], text: str, here: Path) -> None:
    names = [f"network{name}" if name.startswith(":") else f"network={name}" for name in files]
    assert text in found(*names).texts[len(files) - 1]


def test_output_of_osu_is_of_the_class_before_its_name(here: Path) -> None:
    measured = read(["network=lat.txt", "network=bw.txt", "node=lat.txt", "network:16=mr.txt"])
    assert measured.times["node"] == measured.times["network"]
    assert measured.times["network"][0] == Measured(1, pytest.approx(1.75e-6))
    assert [(o.benchmark, o.pairs) for o in measured.streams["network"]] == [("osu_bw", 1), ("osu_mbw_mr", 16)]
    assert measured.streams["network"][1].rows[0] == (1, pytest.approx(1 / 1.2e-7)), (
        "of messages per second, not of 8.33 MB/s"
    )
    assert measured.sources["node"] == "lat.txt, osu_latency"


def test_output_without_its_first_line_is_known_by_its_unit(here: Path) -> None:
    for name in ("lat.txt", "bw.txt"):
        (here / name).write_text(FILES[name].partition("\n")[2])
    measured = read(["network=lat.txt", "network=bw.txt"])
    assert measured.times["network"][0] == Measured(1, pytest.approx(1.75e-6))
    assert [(o.benchmark, o.pairs) for o in measured.streams["network"]] == [("osu_bw", 1)]


LATENCY = "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n0 1.50\n1 1.75\n1024 2.25\n65536 10.50\nsrun: job finished\n"
PAIRS = "# OSU MPI Multiple Bandwidth / Message Rate Test v7\n# [ pairs: 2 ]\n# Size MB/s Messages/s\n1 8 8000000\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing\n", ":1: no heading with Latency (us) or Bandwidth (MB/s): is it what osu_latency printed?"),
        (LATENCY.replace("# Size", "Size"), ":3: numbers before a heading"),
        (LATENCY.replace("10.50", ""), ":6: a size without a value; is the file cut off?"),
        (PAIRS.replace("8000000", ""), ":4: a size without both its values; is the file cut off?"),
        (PAIRS.replace("8000000", "-1"), ':4: Messages/s: "-1" is not a number above 0'),
        (LATENCY.replace("1.75", "0.00"), ':4: value: "0.00" is not a number above 0'),
        (LATENCY.replace("1 1.75", "four 1.75"), ':4: "four 1.75" is not a size and a value; correct the line or remove it'),
        (LATENCY.replace("1 1.75", "-4 1.75"), ':4: "-4 1.75" is not'),
        (LATENCY.replace("1 1.75", "4.5 and not"), ':4: "4.5 and not'),
        (LATENCY + "1024 2.26\n", ":8: 1024 bytes stand here twice; keep one of them"),
        (LATENCY.replace("MPI Latency", "MPI_Put Latency"), ":1: OSU MPI_Put Latency Test v7.3: cannot be used here; take osu_lat"),
        (LATENCY.replace("MPI Latency", "MPI Broadcast Latency"), ":1: OSU MPI Broadcast Latency Test v7.3: cannot be used here"),
        *((LATENCY.replace("Latency (us)", unit), f": # Size          {unit}: only Latency (us) and Bandwidth (MB/s) are understood")
          for unit in ("Latency (ms)", "Latency (s)", "Latency (ns)", "Bandwidth (GB/s)", "Bandwidth (MiB/s)")),
        (LATENCY[: LATENCY.index("1 1.75")], "has no sizes above 0 bytes"),
        (PAIRS.replace("pairs: 2", "pairs: 0"), ":2: was measured with 0 pairs, and --from says 3; correct one"),
        (LATENCY, ":1: was measured with 1 pair, and --from says 3; correct one"),
    ],
)  # fmt: skip
def test_wrong_output_of_osu_is_refused_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(text)
    assert message in refusal(read, [f"network:{2 if 'pairs: 2' in text else 3}={tmp_path / 't.txt'}"])


def test_streams_need_the_times_of_single_messages(here: Path) -> None:
    assert refusal(read, ["network=bw.txt"]) == (
        "bw.txt: class network has no times of single messages; add --from network=FILE of osu_latency"
    )
    assert "class network has 1 bytes twice" in refusal(read, ["network=lat.txt", "network=lat.txt"])
