"""collscope.twins.records: the tables in results/twins."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.base.units import parse_ranks
from collscope.catalogue import registry
from collscope.commands import twins
from collscope.twins import records
from open_mpi import needs_prover


@needs_prover
def test_records_fit_the_registry() -> None:
    rows = records.read("table")
    versions = {row["version"] for row in rows}
    assert {v.rpartition(".")[0] for v in versions} == {"4.1", "5.0"}
    ours = {(a.key, a.collective, str(a.twin["number"])) for a in registry.load().algorithms if a.twin}
    assert {(row["key"], row["collective"], row["number"]) for row in rows} == ours
    for version in versions:
        absent = ours - {(r["key"], r["collective"], r["number"]) for r in rows if r["version"] == version}
        assert {key for key, *_ in absent} <= ({"allgather/sparbit"} if version < "5" else set())
    everywhere = set(parse_ranks(twins.RANKS))
    for row in rows + records.read("decisions"):
        numbers = set(parse_ranks(row["ranks"]))
        assert numbers == everywhere if row["unsupported"] == "0" else numbers <= everywhere, row
        assert int(row["equal"]) == int(records.supported(row)) > 0, row


def test_tables_of_several_versions(tmp_path: Path) -> None:
    def row(version: str, calls: str) -> records.Row:
        return {**dict.fromkeys(records.COLUMNS["table"], ""), "version": version, "calls": calls}

    for version, number in (("5.0.1", "1"), ("4.1.4", "2"), ("5.0.1", "3")):
        records.write(tmp_path, version, {"table": [row(version, number)]}, {"sources": number})
    found = records.read("table", tmp_path)
    assert [(r["version"], r["calls"]) for r in found] == [("4.1.4", "2"), ("5.0.1", "3")]
    kept = (tmp_path / "table.csv").read_text().splitlines()
    assert (
        kept[0] == "key,collective,number,library,version,ranks,calls,equal,other_order,different,unsupported,reasons"
    )
    assert kept[1:] == [",,,,4.1.4,,2,,,,,", ",,,,5.0.1,,3,,,,,"]
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UserError):
        records.read("table", tmp_path)
