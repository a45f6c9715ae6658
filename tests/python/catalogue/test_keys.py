"""collscope.catalogue.keys: keys with parameters, and sweeps over them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collscope.base.errors import UsageError
from collscope.catalogue.keys import Key, Param, full_key, read_values, split_keys, stem_of, swept

NAMES = st.text("abz059_", max_size=8).map("k{}".format)


@settings(max_examples=40)
@given(NAMES, NAMES, st.dictionaries(NAMES, NAMES, max_size=3))
def test_a_key_reads_back(owner: str, name: str, values: dict[str, str]) -> None:
    key = Key(f"{owner}/{name}", tuple(values.items()))
    assert Key.parse(str(key)) == key
    assert (key.owner, key.name, key.values) == (owner, name, values)
    assert stem_of(str(key)) == key.stem
    assert str(key.short) == str(key).removeprefix(f"{owner}/")


def test_a_key_names_an_algorithm_and_its_parameters() -> None:
    kinds = {
        text: (Key.parse(text).is_decision, Key.parse(text).is_builtin)
        for text in ("decision/x", "bcast/builtin", "bcast/mst")
    }
    assert list(kinds.values()) == [(True, False), (False, True), (False, False)]
    alone = Key.parse("mst[dest=end]")
    assert (alone.owner, alone.name, alone.values) == ("", "mst", {"dest": "end"})
    assert str(Key.parse("bcast/linear[]")) == "bcast/linear"
    with pytest.raises(UsageError, match="parameters end in ]"):
        Key.parse("bcast/knomial[k=4")


def test_parameters_are_swept() -> None:
    assert swept("knomial[k=2|4|8]") == ["knomial[k=2]", "knomial[k=4]", "knomial[k=8]"]
    assert swept("chain[chains=1|2,s=0|4K]") == [f"chain[chains={c},s={s}]" for c in (1, 2) for s in ("0", "4K")]
    assert [swept(text) for text in ("mst", "a[]", "a[k= 2 | 4 ]")] == [["mst"], ["a[]"], ["a[k=2]", "a[k=4]"]]


def test_values_of_a_parameter() -> None:
    k, dest = Param("k", 4, 2, 64, None, ""), Param("dest", 1, 1, 2, ("first", "end"), "")
    assert [k.parse("x", text) for text in ("2", "64", "0064")] == [2, 64, 64]
    assert [dest.parse("x", text) for text in ("first", "end", "1", "2")] == [1, 2, 1, 2]
    assert [dest.text(1), dest.text(2), k.text(8)] == ["first", "end", "8"]
    assert Param("s", 0, 0, 1 << 30, None, "").parse("x", "64KiB") == 65536
    assert Param("n", 0, -5, 5, None, "").parse("x", "-5") == -5
    for text in ("1", "65", "", "two", "9" * 21):
        with pytest.raises(UsageError, match=r"^x: k=.*: k is a number from 2 to 64$"):
            k.parse("x", text)
    for text in ("0", "3", "last"):
        with pytest.raises(UsageError, match="dest is one of first, end$"):
            dest.parse("x", text)
    assert full_key("x", (k, dest)) == "x[k=4,dest=first]"
    assert full_key("x", (k, dest), {"dest": 2, "k": 2}) == "x[k=2,dest=end]"
    assert read_values(Key.parse("x[ k = 8 ]"), (k, dest)) == {"k": 8}
    for key, says in (("x[q=1]", "unknown parameter of x"), ("x[k=]", "x: write k=VALUE")):
        with pytest.raises(UsageError, match=says):
            read_values(Key.parse(key), (k, dest))
    for text, params, says in (
        ("x[k=1]", (), "x has no parameters, but got k"),
        ("x[k=8,k=4]", (k,), "x: k is given twice"),
    ):
        with pytest.raises(UsageError, match=says):
            read_values(Key.parse(text), params)


def test_mistakes_in_brackets_are_explained() -> None:
    for text, says in (
        ("a[b", 'a "[" is never closed'), ("a]b", 'there is a "]" without its "["'), ("a,,b", "there is an empty name in the list"),
        ("a[b]],c", 'there is a "]" without'), ("a,", "an empty name"),
    ):  # fmt: skip
        with pytest.raises(UsageError) as caught:
            split_keys(text)
        assert says in str(caught.value)
    assert split_keys("a[b[c,d],e],f") == ["a[b[c,d],e]", "f"]
