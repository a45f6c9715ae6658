import pytest
from hypothesis import given
from hypothesis import strategies as st

from collscope.base.errors import UsageError
from collscope.catalogue.keys import Key, Param, full_key, read_values, split_keys, stem_of, swept

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)


@given(NAMES, NAMES, st.dictionaries(NAMES, NAMES, max_size=3))
def test_a_key_reads_back(owner: str, name: str, values: dict[str, str]) -> None:
    key = Key(f"{owner}/{name}", tuple(values.items()))
    assert Key.parse(str(key)) == key
    assert (key.owner, key.name, key.values) == (owner, name, values)
    assert stem_of(str(key)) == key.stem
    assert str(key.short) == str(key).removeprefix(f"{owner}/")


def test_what_a_key_names() -> None:
    assert Key.parse("decision/ompi_4_1").is_decision
    assert Key.parse("bcast/builtin").is_builtin and Key.parse("builtin").is_builtin
    alone = Key.parse("mst[dest=end]")
    assert (alone.owner, alone.name, alone.values) == ("", "mst", {"dest": "end"})
    assert str(Key.parse("bcast/linear[]")) == "bcast/linear"
    with pytest.raises(UsageError, match="parameters end in ]"):
        Key.parse("bcast/knomial[k=4")


def test_the_full_key_has_all_parameters_in_the_catalogues_order() -> None:
    params = (Param("k", 4, 2, 64, None, ""), Param("dest", 0, 0, 1, ("first", "end"), ""))
    assert full_key("bcast/x", params) == "bcast/x[k=4,dest=first]"
    written = Key.parse("bcast/x[dest=end,k=8]")
    assert full_key("bcast/x", params, read_values(written, params)) == "bcast/x[k=8,dest=end]"
    assert full_key("bcast/linear", ()) == "bcast/linear"
    with pytest.raises(UsageError, match="bcast/x: k is given twice"):
        read_values(Key.parse("bcast/x[k=8,k=4]"), params)


def test_commas_in_brackets_do_not_split() -> None:
    assert split_keys("mst, chain[chains=4,s=64KiB],linear") == ["mst", "chain[chains=4,s=64KiB]", "linear"]


@pytest.mark.parametrize("text", ["a[b", "a]b", "a,,b", ""])
def test_brackets_must_close(text: str) -> None:
    with pytest.raises(UsageError):
        split_keys(text)


def test_parameters_are_swept() -> None:
    assert swept("knomial[k=2|4|8]") == ["knomial[k=2]", "knomial[k=4]", "knomial[k=8]"]
    assert swept("chain[chains=1|2,s=0|4K]") == [f"chain[chains={c},s={s}]" for c in (1, 2) for s in ("0", "4K")]
    assert swept("mst") == ["mst"]
