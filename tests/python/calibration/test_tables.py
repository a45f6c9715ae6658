"""collscope.calibration.tables, collscope.calibration.cells: tables of times are read, or refused with their line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collscope.base.errors import UserError
from collscope.base.number import MAX_BYTES
from collscope.calibration.cells import number_of, size_of
from collscope.calibration.contention import read as read_trees
from collscope.calibration.tables import Measured, read
from refusals import refusal

TABLE = "# made up\nnode_type,placement,bytes,latency_us,p05,p95,pairs\n" + "".join(
    f"{kind},{word},{size},{time},{time / 2},{time * 2},7\n"
    for kind, factor in (("A", 1), ("B", 2))
    for word, time in (("same_ccx", 0.25 * factor), ("diff_node", 2.0 * factor))
    for size in (0, 1, 1024, 65536)
)
LATENCY = """# OSU MPI Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
# Size          Latency (us)
0                       1.50
1                       1.75
1024                    2.25
65536                  10.50
srun: job finished
"""


def file(folder: Path, text: str, name: str = "t.csv") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_a_table_has_its_classes_sizes_and_percentiles(tmp_path: Path) -> None:
    found = read([file(tmp_path, TABLE)], {"node_type": "B"})
    assert set(found.times) == {"cache", "network"}
    assert [m.bytes for m in found.times["cache"]] == [1, 1024, 65536], "empty messages take a path of their own"
    assert found.times["network"][0] == Measured(1, 4e-6, 2e-6, 8e-6, 7)
    assert found.sources == {"cache": "t.csv, B, same_ccx", "network": "t.csv, B, diff_node"}


def test_columns_may_have_other_names_and_seconds(tmp_path: Path) -> None:
    text = "half_round_trip_s,size,class\n3e-6,4096,IB far\n\n1e-6,1,IB far\n2e-6,64,IB far\n"
    found = read([file(tmp_path, text)], classes={"IB far": "network"})
    assert found.times == {"network": [Measured(1, 1e-6), Measured(64, 2e-6), Measured(4096, 3e-6)]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: is empty; a table begins with the names of its columns"),
        (TABLE.replace("latency_us", "latency_ms"), ":2: no column latency_us or half_round_trip_us or latency_s or "),
        (TABLE.replace("latency_us", "latency_ms"), 'did you mean "latency_s"?'),
        (TABLE.replace("bytes", "count"), ":2: no column bytes or size or size_bytes; the columns are node_type, placement"),
        (TABLE.replace("A,same_ccx,1,", "A,same_ccx,4\nA,same_ccx,1,"), ":4: 3 values for 7 columns; complete the line or remove it"),
        (TABLE.replace(",0.25,", ",fast,"), ':3: latency_us: "fast" is not a number above 0; correct the line or remove it'),
        (TABLE.replace(",0.25,", ",-1,"), ':3: latency_us: "-1" is not a number above 0'),
        (TABLE.replace(",1024,", ",1e3,"), ':5: bytes: "1e3" is not a whole number'),
        (TABLE, ":12: class cache has 1 bytes twice; choose with --where node_type=A"),
        (TABLE.replace("B,", "A,"), ":12: class cache has 1 bytes twice; keep one of them"),
        (TABLE.replace("same_ccx", "Same CCX"), ':3: placement: "Same CCX" is not a class; name it with --class Same CCX=network'),
        ("class,bytes,latency_us\nnetwork,1,1.5\nnetwork,2,1.5\n", "class network has 2 sizes above 0 bytes; measure at least 3"),
        ("class,bytes,latency_us\n", ": no row"),
        (LATENCY[LATENCY.index("0    ") :], "looks like OSU's output; name its class of link: --from network="),
    ],
)  # fmt: skip
def test_a_wrong_table_is_refused_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    assert re.search(f"t\\.csv.*{re.escape(message)}", refusal(read, [file(tmp_path, text)]))


def test_options_for_tables_go_with_tables_and_words_that_they_have(tmp_path: Path) -> None:
    lat, table = file(tmp_path, LATENCY, "lat.txt"), file(tmp_path, TABLE)
    for where, classes, option in (({"a": "b"}, None, "--where"), (None, {"a": "b"}, "--class")):
        message = f"{option} is for tables; OSU's output has one class, which stands before the file's name"
        assert refusal(read, [f"network={lat}"], where, classes) == message
    assert read([f"own={lat}", table], {"node_type": "A"}, {"diff_node": "far"}).times.keys() == {"own", "cache", "far"}
    for word, guess in (("dif_node", 'did you mean "diff_node"?'), ("nobody", "the words are diff_node, same_ccx")):
        message = f'--class {word}=far: no row has the class "{word}"; {guess}'
        assert refusal(read, [table], {"node_type": "A"}, {word: "far"}) == message


@pytest.mark.parametrize("name", ["~nosuch/lat.txt", "loop"])
def test_a_file_that_leads_nowhere_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    for message in (refusal(read, [name]), refusal(read, [f"network={name}"]), refusal(read_trees, name)):
        assert re.match(f"{name}:.*(there is no such file|cannot be read)", message)


def test_a_column_to_choose_by_must_be_there(tmp_path: Path) -> None:
    path = file(tmp_path, TABLE)
    message = refusal(read, [path], {"node_typ": "B"})
    assert re.match(r'--where node_typ=B: .* has no such column; did you mean "node_type"\?$', message)
    assert refusal(read, [path], {"node_type": "C"}).endswith("t.csv: no row with node_type = C")
    assert "there is no such file" in refusal(read, [str(tmp_path / "none.csv")])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([TABLE, LATENCY]), st.integers(0, 400), st.text(max_size=12), st.booleans())
def test_any_text_gives_times_or_a_message(text: str, at: int, more: str, osu: bool) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.txt"
        path.write_text(text[:at] + more + text[at + len(more) // 2 :], "utf-8", errors="replace")
        try:
            found = read([f"network={path}" if osu else str(path)], {"node_type": "B"})
        except UserError as error:
            assert len(str(error)) < 1000
        else:
            assert all(m.seconds > 0 for times in found.times.values() for m in times)


def test_a_number_is_what_its_column_may_hold() -> None:
    assert size_of("0", "f:1", "bytes") == 0 and size_of(str(MAX_BYTES), "f:1", "bytes") == MAX_BYTES
    assert number_of("999999999", "f:1", "time") == 999999999.0 and number_of("1e-9", "f:1", "time") == 1e-9
    for text in ("-1", "1.0", "", str(MAX_BYTES + 1), "1" * 17, "x" * 50):
        message = f'f:1: bytes: "{text[:40]}" is not a whole number up to {MAX_BYTES}'
        assert refusal(size_of, text, "f:1", "bytes") == message
    for text in ("0", "1e9", "-1", "nan", "inf", "x" * 50):
        message = f'f:1: time: "{text[:40]}" is not a number above 0; correct the line or remove it'
        assert refusal(number_of, text, "f:1", "time") == message


def test_every_part_of_a_row_is_read(tmp_path: Path) -> None:
    """Percentiles and counts by any of their names, or none; words that say where two ranks sit; comments and empty lines."""
    words = {
        "same_ccx": "cache", "same_cache": "cache", "same_ccd_diff_ccx": "ccd", "same_numa_diff_ccd": "numa", "same_numa": "numa",
        "same_socket_diff_numa": "socket", "same_socket": "socket", "diff_socket": "node", "diff_node": "network", "mine": "own",
        "x_1": "x_1",
    }  # fmt: skip
    for word, level in words.items():
        rows = "".join(f" {n} , {word},{t},0.5,,{n}\n" for n, t in ((4, 3), (1, 1), (2, 2), (0, 9)))
        text = f"\n# a comment\nsize , class, latency_us,low,high,runs\n{rows}\n"
        found = read([file(tmp_path, text)], {}, {"mine": "own"} if word == "mine" else None)
        assert found.times == {level: [Measured(n, t * 1e-6, 0.5e-6, None, n) for n, t in ((1, 1), (2, 2), (4, 3))]}
        assert found.sources == {level: f"t.csv, {word}"}
    plain = read([file(tmp_path, "bytes,placement,latency_s\n" + "".join(f"{n},a,{n}\n" for n in (1, 2, 3)))])
    assert plain.times["a"][0] == Measured(1, 1.0, None, None, 0)


def test_files_together_are_one_table(tmp_path: Path) -> None:
    head = "bytes,class,latency_us\n"
    one = file(tmp_path, head + "1,a,1\n2,a,2\n", "1.csv")
    other = file(tmp_path, head + "4,a,3\n1,b,1\n2,b,2\n4,b,3\n", "2.csv")
    found = read([one, other])
    assert [m.bytes for m in found.times["a"]] == [1, 2, 4] and found.sources == {"a": "1.csv, a", "b": "2.csv, b"}
    message = "1.csv, a: class a has 2 sizes above 0 bytes; measure at least 3, from one byte to a few MiB"
    assert refusal(read, [one]) == message


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("A,p,1,1\nB,p,1,1\nA,q,1,1\n", "3: class a has 1 bytes twice; choose with --where k=A"),
        ("A,p,1,1\nA,q,1,1\n", "3: class a has 1 bytes twice; choose with --where l=p"),
        ("B,q,1,1\nA,p,1,1\n", "3: class a has 1 bytes twice; choose with --where k=A; --where l=p"),
        ("3,p,1,1\n4,p,1,1\n", "3: class a has 1 bytes twice; keep one of them"),  # numbers are nothing to choose by
    ],
)
def test_rows_that_are_there_twice_are_refused_with_what_to_choose_by(rows: str, message: str, tmp_path: Path) -> None:
    text = "k,l,bytes,latency_us,class\n" + "".join(f"{row},a\n" for row in rows.split())
    assert refusal(read, [file(tmp_path, text)]).endswith(f"t.csv:{message}")
