"""collscope.explorer.tables: tables of results in short."""

import pytest

from collscope.base.errors import UserError
from collscope.explorer import tables

HEAD = "source,platform,nodes,ranks,mapping,collective,algorithm,bytes,median_s,q1_s,q3_s,root,metric,in_place\n"


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text(
        HEAD
        + "sim,schooner,2,32,block,bcast,bcast/mst,4,2.5e-6,2e-6,3e-6,0,makespan,0\n"
        + "sim,schooner,2,32,block,bcast,bcast/chain,4,,,,0,makespan,0\n"
        + "sim,schooner,2,32,cyclic,bcast,bcast/mst,8,3e-6,,,3,osu_avg,0\n"
    )
    return file


def test_rows_say_texts_by_number_and_leave_out_what_has_no_time(table) -> None:
    made = tables.content(tables.named(str(table)))
    rows = [dict(zip(made["columns"], row, strict=True)) for row in made["rows"]]
    assert [(row["bytes"], row["median_s"], row["q1_s"]) for row in rows] == [(4, 2.5e-6, 2e-6), (8, 3e-6, None)]
    layouts = [made["shared"]["layout"][row["layout"]] for row in rows]
    assert layouts == ["32 ranks on 2 nodes, block", "32 ranks on 2 nodes, cyclic, root 3, osu_avg"]


def test_a_folder_stands_for_its_table(table, tmp_path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "table.csv").write_text(table.read_text())
    assert tables.named(str(tmp_path / "study")).name == "study"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.csv", None, "there is no such table; name a folder of results or a CSV file"),
        ("other.csv", "a,b\n1,2\n", "is not a table of times; it lacks the columns source, platform"),
    ],
)
def test_a_file_without_times_is_refused(tmp_path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=message):
        tables.named(str(tmp_path / name))


def test_every_committed_study_is_there() -> None:
    assert {"bird_schooner", "alessio_orfeo", "cheetah_jaguar", "orfeo_published"} <= {
        t.name for t in tables.committed()
    }
